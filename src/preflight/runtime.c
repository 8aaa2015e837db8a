/* SPDX-License-Identifier: Apache-2.0 */
/* The command's Python against the driver, and the environment against the rules. */
#include <dirent.h>
#include <sched.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "envrules/envrules.h"
#include "preflight/check.h"
#include "preflight/interpreter.h"
#include "preflight/nvml.h"

/* --- Versions --------------------------------------------------------------------------------- */

/*
 * Says whether the driver can run what torch is built for: CUDA of one major version runs on each
 * driver of that major version, and of later ones.
 */
static void judge_driver(const struct preflight_wish *wish, const struct interpreter *python,
	struct check_sink *sink)
{
	struct nvml_machine machine;
	bool gpus = nvml_read(&machine, NULL) == 0 && machine.nr > 0;

	if (*python->torch && !*python->cuda && (gpus || wish->gpus))
		check_say(sink, wish->gpus ? PREFLIGHT_FAIL : PREFLIGHT_WARN, python->path,
			"install a build for CUDA",
			"torch %s is built without CUDA: it sees no GPU", python->torch);
	if (gpus && machine.cuda > 0 && python->cuda_number / 1000 > machine.cuda / 1000)
		check_say(sink, PREFLIGHT_FAIL, "nvml",
			"a newer driver, or a torch that is built for an older CUDA",
			"driver %s runs CUDA up to %d.%d, and torch is built for %s",
			machine.driver, machine.cuda / 1000, machine.cuda % 1000 / 10,
			python->cuda);
}

/* Finds the command's Python, and says what it has. */
static void check_python(const struct preflight_wish *wish, struct interpreter *python,
	struct check_sink *sink)
{
	struct str versions = {0};
	char program[4096];

	if (!wish->argv) {
		check_say(sink, PREFLIGHT_NONE, "command", NULL,
			"versions: no command was told; say `-- COMMAND...`");
		return;
	}
	if (!interpreter_find_program(wish->argv[0], program)) {
		check_say(sink, PREFLIGHT_FAIL, "command",
			"activate its environment, or say its path",
			"%s is not found, or may not be run", wish->argv[0]);
		return;
	}
	if (!interpreter_find(wish->argv, python)) {
		check_say(sink, PREFLIGHT_NONE, "command", NULL,
			"versions: no Python found in the command line");
		return;
	}
	if (!interpreter_ask(python)) {
		check_say(sink, PREFLIGHT_WARN, python->path, "run it by hand",
			"the command's Python did not answer what it has");
		return;
	}
	str_printf(&versions, "Python %s", python->python);
	if (*python->torch)
		str_printf(&versions, ", torch %s", python->torch);
	if (*python->cuda)
		str_printf(&versions, " for CUDA %s", python->cuda);
	if (*python->nccl)
		str_printf(&versions, ", NCCL %s", python->nccl);
	check_say(sink, PREFLIGHT_OK, python->path, NULL, "%s", versions.text);
	str_release(&versions);
	judge_driver(wish, python, sink);
}

/* --- Environment ------------------------------------------------------------------------------ */

/* Appends the names of network interfaces, blanks between. False where they cannot be listed. */
static bool list_interfaces(struct str *ret)
{
	DIR *dir = opendir("/sys/class/net");
	const struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			str_printf(ret, "%s ", entry->d_name);
	closedir(dir);
	return true;
}

/* Says what a rule says. */
static void say_rule(const struct envrule *rule, const char *value, struct check_sink *sink)
{
	struct str words = {0};

	str_add(&words, rule->name);
	if (value)
		str_printf(&words, "=%.80s:", value);
	str_printf(&words, " %s", rule->does);
	if (rule->grade == ENVRULE_NOTE)
		check_say_detail(sink, rule->source, "%s", words.text);
	else
		check_say(sink, rule->grade == ENVRULE_FAIL ? PREFLIGHT_FAIL : PREFLIGHT_WARN,
			rule->source, rule->fix, "%s", words.text);
	str_release(&words);
}

/* Says which rules speak against the environment. */
static void check_env(const struct preflight_wish *wish, const struct interpreter *python,
	struct check_sink *sink)
{
	struct str interfaces = {0};
	bool listed = list_interfaces(&interfaces);
	struct envrules_launch launch = {
		.env = wish->env,
		.ranks = wish->ranks,
		.world = wish->ranks > 0 && wish->hosts > 0 ? wish->ranks * wish->hosts : -1,
		.hosts = wish->hosts,
		.cpus = -1,
		.torch = python->torch_number,
		.compile_s = -1,
		.interfaces = listed ? str_text(&interfaces) : NULL,
	};
	const struct envrule *rule = NULL;
	size_t against = 0;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		launch.cpus = CPU_COUNT(&cpus);
	while ((rule = envrules_next(&launch, rule))) {
		against += rule->grade != ENVRULE_NOTE;
		say_rule(rule, env_value(launch.env, rule->name), sink);
	}
	if (against == 0)
		check_say(sink, PREFLIGHT_OK, "environment", NULL,
			"environment: none of %zu rules speaks against it", envrules_count());
	str_release(&interfaces);
}

void check_runtime(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	struct interpreter python = {.torch_number = -1, .cuda_number = -1};

	(void)arg;
	check_python(wish, &python, sink);
	check_env(wish, &python, sink);
}
