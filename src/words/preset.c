/* SPDX-License-Identifier: Apache-2.0 */
#include "words/preset.h"

#include <ctype.h>
#include <string.h>

#include "words/rank-names.h"

/* Returns a path's last part. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * True if the argument is that option, with a value behind '=' or not. '-' and '_' are the same in
 * torchrun's options.
 */
static bool is_option(const char *arg, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < len; i++)
		if (arg[i] != name[i] && !(arg[i] == '_' && name[i] == '-'))
			return false;
	return !arg[i] || arg[i] == '=';
}

/* True if the argument is one of these options. */
static bool is_any(const char *arg, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_option(arg, names[i]))
			return true;
	return false;
}

#define ANY(arg, names) is_any((arg), (names), sizeof(names) / sizeof((names)[0]))

/* Returns how many of the command's words are torchrun itself; 0: it is not torchrun. */
static size_t launcher_words(const struct launch_texts *argv)
{
	if (argv->n && !strcmp(base_of(argv->at[0]), "torchrun"))
		return 1;
	if (argv->n > 3 && !strncmp(base_of(argv->at[0]), "python", 6) &&
		!strcmp(argv->at[1], "-m") && !strcmp(argv->at[2], "torch.distributed.run"))
		return 3;
	return 0;
}

/*
 * Returns the index of the first word behind torchrun's options, and sets whether it names a
 * module.
 */
static size_t find_script(const struct launch_texts *argv, size_t at, bool *ret_module)
{
	static const char *const flags[] = {"--standalone", "--no-python", "--run-path"};

	*ret_module = false;
	for (; at < argv->n && argv->at[at][0] == '-'; at++) {
		const char *arg = argv->at[at];

		if (!strcmp(arg, "-m") || is_option(arg, "--module"))
			*ret_module = true;
		else if (!strchr(arg, '=') && !ANY(arg, flags))
			at++;
	}
	return at;
}

/* Appends a word so that a shell takes it as one. */
static void add_word(struct str *into, const char *word)
{
	bool plain = *word != '\0';

	str_add(into, into->len ? " " : "");
	for (const char *at = word; *at && plain; at++)
		plain = isalnum((unsigned char)*at) || strchr("_./:=,@%+-", *at);
	if (plain) {
		str_add(into, word);
		return;
	}
	str_add_char(into, '\'');
	for (; *word; word++)
		if (*word == '\'')
			str_add(into, "'\\''");
		else
			str_add_char(into, *word);
	str_add_char(into, '\'');
}

/*
 * Appends the script and its own words, with one step in place of how many it would make. Returns
 * true if it has an option for that.
 */
static bool add_script(struct str *into, const struct launch_texts *argv, size_t at)
{
	static const char *const steps[] = {"--max-steps", "--steps", "--num-steps",
		"--total-steps", "--max-iters", "--train-iters", "--num-iterations"};
	bool one = false;

	for (size_t i = at; i < argv->n; i++) {
		const char *arg = argv->at[i], *equals = strchr(arg, '=');
		struct str changed = {0};

		if (i == at || !ANY(arg, steps)) {
			add_word(into, arg);
			continue;
		}
		one = true;
		str_add_bytes(&changed, arg, equals ? (size_t)(equals - arg) : strlen(arg));
		str_add(&changed, equals ? "=1" : "");
		add_word(into, str_text(&changed));
		str_release(&changed);
		if (!equals && i + 1 < argv->n) {
			add_word(into, "1");
			i++;
		}
	}
	return one;
}

/*
 * True if a part of the command may be stars in place of a secret, or is no text: it would not run.
 */
static bool is_withheld(const struct launch_texts *argv)
{
	for (size_t i = 0; i < argv->n; i++)
		for (const char *at = argv->at[i]; *at; at++)
			if (*at == '*' || (unsigned char)*at < ' ')
				return true;
	return false;
}

/*
 * Appends the command, and sets whether it makes just one step. Returns false where the launch is
 * no command of torchrun's, or has a part withheld.
 */
static bool say_command(struct str *into, const struct launch_texts *argv, bool *ret_one)
{
	size_t words = launcher_words(argv), script;
	bool module;

	script = find_script(argv, words, &module);
	if (!words || script >= argv->n || is_withheld(argv))
		return false;
	str_add(into, "TORCH_COMPILE_DISABLE=1");
	for (size_t i = 0; i < words; i++)
		add_word(into, argv->at[i]);
	str_add(into, " --standalone --nproc_per_node=2");
	str_add(into, module ? " -m" : "");
	*ret_one = add_script(into, argv, script);
	return true;
}

/* Adds the reduced run: as a command, if there can be one. */
static void add_step(struct steps *into, const struct launch_texts *argv)
{
	struct str words = {0}, command = {0};
	bool one = true;

	say_command(&command, argv, &one);
	str_add(&words, "or falsify it small: no compile, 2 ranks, 1 step");
	if (!one)
		str_add(&words, " (by the script's own option)");
	steps_add(into, &words, &command);
}

void preset_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	const struct job *job = verdicts->job;

	if (verdict->class == VERDICT_INCONCLUSIVE && verdict == &verdicts->at[0] &&
		ranks_were_seen(job) && job->nlaunches && job->launches[0].argv.n)
		add_step(into, &job->launches[0].argv);
}
