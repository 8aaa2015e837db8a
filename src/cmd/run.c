/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command as if we were not there (wrap.h), armed with the probe, and watches over it
 * (agent.h). Whatever of ours fails, the command runs; it never learns of it.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/paths.h"
#include "cmd/agent.h"
#include "cmd/cmd.h"
#include "cmd/jobdir.h"
#include "cmd/wrap.h"

#define DEFAULT_HANG_S 30
#define WATCHED_FDS    1024

/* Options without a short form: beyond all letters. */
enum { HANG_AFTER = 256, RAW_STACKS, NO_LOGS };

struct arguments {
	const char *output;
	const char *name;
	double hang_after_s;
	bool raw_stacks, no_logs;
	char **command;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	char *end;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case 'n':
		arguments->name = arg;
		return 0;
	case HANG_AFTER:
		arguments->hang_after_s = strtod(arg, &end);
		if (end == arg || *end || !(arguments->hang_after_s >= 0) ||
			arguments->hang_after_s > 1e6)
			argp_error(state, "not a number of seconds: %s", arg);
		return 0;
	case RAW_STACKS:
		arguments->raw_stacks = true;
		return 0;
	case NO_LOGS:
		arguments->no_logs = true;
		return 0;
	case ARGP_KEY_ARG:
		arguments->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which command? Give it behind `--'");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "DIR", 0,
		"Where bundles go when it hangs or dies (else INQUEST_OUT, else ./inquest-out)", 0},
	{"name", 'n', "NAME", 0, "What to call the job", 0},
	{"hang-after", HANG_AFTER, "SECONDS", 0,
		"How long a wait must stand to be said (default 30)", 0},
	{"raw-stacks", RAW_STACKS, NULL, 0,
		"Keep whole copies of stacks in bundles, not only what the walk reads", 0},
	{"no-logs", NO_LOGS, NULL, 0,
		"Keep nothing in bundles that the job wrote, nor the text of its errors", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-- COMMAND...",
	.doc = "Run a command, and have it judged should it hang or die.\v"
	       "The command's input, output, signals and exit status are its own. Exit status 125: "
	       "inquest failed before it ran; 126: it cannot be run; 127: it was not found.",
};

/* --- The environment of the job ----------------------------------------------------------------
 */

/* Ours first, then what was there; once. */
static void arm_preload(const char *probe)
{
	const char *old = getenv("LD_PRELOAD");
	struct str preload = {0};

	if (old && strstr(old, probe))
		return;
	str_printf(&preload, "%s", probe);
	if (old && *old)
		str_printf(&preload, ":%s", old);
	setenv("LD_PRELOAD", preload.text, 1);
	str_release(&preload);
}

/* NCCL tells of each call through NVTX. A tool named there before is handed on to the probe. */
static void arm_nvtx(const char *probe)
{
	const char *old = getenv("NVTX_INJECTION64_PATH");
	const char *wish = getenv("INQUEST_NVTX");

	if (wish && !strcmp(wish, "off"))
		return;
	if (old && !strcmp(old, probe))
		return;
	if (old && *old)
		setenv("INQUEST_NEXT_NVTX", old, 1);
	setenv("NVTX_INJECTION64_PATH", probe, 1);
}

/* Only on request: NVTX tells the same at less cost. A plugin of the user's own stays. */
static void arm_profiler(const char *probe)
{
	const char *wish = getenv("INQUEST_PROFILER");

	if (wish && (!strcmp(wish, "on") || !strcmp(wish, "kernel")))
		setenv("NCCL_PROFILER_PLUGIN", probe, 0);
}

static void arm(const struct jobdir *dir)
{
	struct complaint why = {0};
	struct str probe = {0};

	if (paths_find(PATHS_PROBE, &probe, &why) < 0) {
		cmd_complain("the job runs without probe: %s: is inquest installed whole?",
			complaint_text(&why));
	} else if (strpbrk(probe.text, " :")) {
		cmd_complain("the job runs without probe: %s: LD_PRELOAD cannot hold a blank or "
			     "colon: install inquest elsewhere",
			probe.text);
	} else {
		arm_preload(probe.text);
		arm_nvtx(probe.text);
		arm_profiler(probe.text);
		setenv("INQUEST_JOB_DIR", dir->path.text, 1);
	}
	complaint_release(&why);
	str_release(&probe);
}

/* --- The loop ----------------------------------------------------------------------------------
 */

struct running {
	struct wrap wrap;
	struct agent agent;
	struct jobdir dir;
	bool watching; /* there is a folder, and so an agent */
	struct proc_id child;
};

static void take_signals(struct running *running)
{
	int signo;

	while ((signo = wrap_next_signal(&running->wrap))) {
		if (running->watching)
			agent_before_signal(&running->agent, signo);
		wrap_pass_on(&running->wrap, signo);
	}
}

static void wait_for_news(struct running *running, int timeout_ms)
{
	struct pollfd fds[WATCHED_FDS];
	size_t nr = 0;

	fds[nr++] = (struct pollfd){.fd = running->wrap.signals, .events = POLLIN};
	if (running->watching) {
		if (running->agent.serve.fd >= 0 && !running->agent.serve.helper)
			fds[nr++] = (struct pollfd){
				.fd = running->agent.serve.fd, .events = POLLIN};
		nr += exits_poll_set(&running->agent.exits, fds + nr, WATCHED_FDS - nr);
		if (exits_needs_polling(&running->agent.exits) && timeout_ms > 100)
			timeout_ms = 100;
	}
	poll(fds, nr, timeout_ms);
}

static void loop(struct running *running)
{
	for (;;) {
		int timeout_ms = -1;

		take_signals(running);
		if (running->wrap.ended)
			return;
		if (running->watching)
			timeout_ms = agent_turn(&running->agent);
		wait_for_news(running, timeout_ms);
	}
}

static void finish(struct running *running)
{
	if (!running->watching)
		return;
	agent_end(&running->agent, running->child, running->wrap.wait_status,
		wrap_shell_status(&running->wrap));
	if (agent_may_remove(&running->agent))
		jobdir_remove(&running->dir);
	agent_release(&running->agent);
}

/* Bundles go to an absolute path: the job's folder of today may be another tomorrow. */
static char *output_folder(const struct arguments *arguments)
{
	const char *asked = arguments->output ? arguments->output : getenv("INQUEST_OUT");
	struct str path = {0};
	char cwd[PATH_MAX];

	if (!asked || !*asked)
		asked = "inquest-out";
	if (*asked != '/' && getcwd(cwd, sizeof(cwd)))
		str_printf(&path, "%s/", strcmp(cwd, "/") ? cwd : "");
	while (!strncmp(asked, "./", 2))
		asked += 2;
	str_add(&path, asked);
	while (path.len > 1 && path.text[path.len - 1] == '/')
		str_cut(&path, path.len - 1);
	return str_detach(&path);
}

static int run_watched(struct running *running, const struct arguments *arguments)
{
	struct agent_options wishes = {.output = output_folder(arguments),
		.name = arguments->name ? arguments->name : "",
		.argv = arguments->command,
		.raw_stacks = arguments->raw_stacks,
		.no_logs = arguments->no_logs,
		.hang_after = (int64_t)(arguments->hang_after_s * (double)CLOCK_NS_PER_S)};
	struct complaint why = {0};
	int status;

	running->watching = jobdir_make(&running->dir, wishes.name, &why) == 0;
	if (running->watching)
		arm(&running->dir);
	else
		cmd_complain("the job runs unwatched: %s: set INQUEST_DIR to a folder of yours",
			complaint_text(&why));
	complaint_release(&why);
	wishes.envp = environ;
	if (running->watching)
		agent_begin(&running->agent, &wishes, &running->dir);
	status = wrap_start(&running->wrap, arguments->command, environ, &why);
	if (status) {
		cmd_complain("%s", complaint_text(&why));
		if (running->watching) {
			agent_release(&running->agent);
			jobdir_remove(&running->dir);
		}
	} else {
		running->child.pid = (uint32_t)running->wrap.child;
		running->child.start_time = proc_start_time(running->child.pid);
		if (running->watching)
			jobdir_sweep(&running->dir);
		loop(running);
		finish(running);
	}
	complaint_release(&why);
	free((char *)wishes.output);
	jobdir_release(&running->dir);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.hang_after_s = DEFAULT_HANG_S};
	struct running running = {.dir = {.census_fd = -1}};
	int status;

	wrap_guard(&running.wrap);
	argp_err_exit_status = WRAP_FAILED;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	status = run_watched(&running, &arguments);
	if (!status) {
		wrap_release(&running.wrap);
		wrap_end_alike(&running.wrap);
	}
	return status;
}

const struct verb verb_run = {"run", "run a job, and have it judged should it hang or die", run};
