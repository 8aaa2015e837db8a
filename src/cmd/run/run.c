/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command as if we were not there (wrap.h), armed with the probe, while the agent watches
 * over it (agent-process.h). Whatever of ours fails, the command runs; it never learns of it.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/paths.h"
#include "cmd/agent/agent-process.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/preflight-page.h"
#include "cmd/run/embedded.h"
#include "cmd/run/jobdir.h"
#include "cmd/run/wrap.h"
#include "preflight/preflight-launch.h"
#include "proc/sight.h"
#include "proc/spare.h"

#define DEFAULT_HANG_S 30

/* Options without a short form: beyond all letters. */
enum { HANG_AFTER = 256, RAW_STACKS, NO_LOGS, PREFLIGHT };

/* What was asked for. */
struct arguments {
	const char *output;
	const char *name;
	double hang_after_s;
	bool raw_stacks, no_logs, preflight;
	char **command;
	struct budget budget;
};

static const struct argp_child children[] = {{&budget_argp, 0, NULL, 0}, {0}};

/* Takes one option, as argp does. The first argument and all behind it are the command. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cmd_give(state, children, &budget_argp, &arguments->budget);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'n':
		arguments->name = arg;
		return 0;
	case HANG_AFTER:
		if (!clock_read_seconds(arg, 0, 1e6, &arguments->hang_after_s))
			argp_error(state, "no time: %s: say 30, 30s or 5m", arg);
		return 0;
	case RAW_STACKS:
		arguments->raw_stacks = true;
		return 0;
	case NO_LOGS:
		arguments->no_logs = true;
		return 0;
	case PREFLIGHT:
		arguments->preflight = true;
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
	{"preflight", PREFLIGHT, NULL, 0,
		"First say in one line what this launch would regret; it starts all the same", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.children = children,
	.parser = parse,
	.args_doc = "-- COMMAND...",
	.doc = "Run a command, and have it judged should it hang or die.\v"
	       "The command's input, output, signals and exit status are its own. Exit status 125: "
	       "inquest was used wrongly; 126: it cannot be run; 127: it was not found.",
};

/* --- The environment of the job --------------------------------------------------------------- */

/* Puts the probe into LD_PRELOAD, before what was there; once. */
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

/*
 * Names the probe to NVTX, by which NCCL tells of each call. A tool named there before is handed on
 * to the probe.
 */
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

/*
 * Names the probe as NCCL's profiler, only on request: NVTX tells the same at less cost. A plugin
 * of the user's own stays.
 */
static void arm_profiler(const char *probe)
{
	const char *wish = getenv("INQUEST_PROFILER");

	if (wish && (!strcmp(wish, "on") || !strcmp(wish, "kernel")))
		setenv("NCCL_PROFILER_PLUGIN", probe, 0);
}

/*
 * Appends the path of the probe: of the one that this program holds, else of the one that lies in
 * its build tree or is installed.
 */
static int find_probe(struct str *into, struct complaint *why)
{
	if (embedded_is_there())
		return embedded_put(into, why);
	return paths_find(PATHS_PROBE, into, why);
}

/*
 * Arms our environment, which the job gets; complains where there is no probe for it, and notes it
 * there: who reads it would take the job for one whose environment was cleared.
 */
static void arm(const struct jobdir *dir)
{
	struct complaint why = {0};
	struct str probe = {0};

	setenv("INQUEST_PROBE", "none", 1);

	if (proc_sight() == PROC_SIGHT_NONE) {
		cmd_complain("the job runs without probe: /proc is not mounted here");
	} else if (find_probe(&probe, &why) < 0) {
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
		unsetenv("INQUEST_PROBE");
	}
	complaint_release(&why);
	str_release(&probe);
}

/* --- The loop --------------------------------------------------------------------------------- */

/* The command, and the agent beside it. */
struct running {
	struct wrap wrap;
	struct agent_process agent;
	struct proc_id child; /* the command, as one process and no later one */
};

/* True for signals by which jobs are told to end: the agent has a look before. */
static bool is_ending(int signo)
{
	return signo == SIGTERM || signo == SIGINT || signo == SIGHUP || signo == SIGQUIT;
}

/* Passes on what signals have come. */
static void take_signals(struct running *running)
{
	siginfo_t info;

	while (wrap_next_signal(&running->wrap, &info)) {
		if (is_ending(info.si_signo))
			agent_process_before_signal(&running->agent, info.si_signo);
		wrap_pass_on(&running->wrap, &info);
	}
}

/*
 * Says that the agent has gone, by another process: who passes signals on waits for no reader of
 * its words.
 */
static void say_unwatched(void)
{
	if (fork())
		return;
	cmd_complain("the agent has ended before its time: the job runs on unwatched");
	_exit(0);
}

/* Goes on until the command has ended. Nothing in here waits for anything but news. */
static void loop(struct running *running)
{
	for (;;) {
		struct pollfd fds[] = {{.fd = running->wrap.signals, .events = POLLIN},
			{.fd = running->agent.fd, .events = 0}};

		take_signals(running);
		if (running->wrap.ended)
			return;
		poll(fds, 2, -1);
		if (fds[1].revents && agent_process_failed(&running->agent)) {
			running->wrap.companion = 0;
			say_unwatched();
		}
	}
}

/*
 * Returns where bundles go, as an absolute path: the job's folder of today may be another tomorrow.
 * free() it.
 */
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

/* Fewer files than that, and the agent sees nothing. */
#define LEAST_FILES 64

/* Makes the folder of the job, if there can be one. False after a complaint. */
static bool make_folder(const char *name, struct jobdir *dir)
{
	struct complaint why = {0};
	struct rlimit files;
	bool made = false;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < LEAST_FILES)
		cmd_complain("the job runs unwatched: only %llu files may be open: raise ulimit -n",
			(unsigned long long)files.rlim_cur);
	else if (jobdir_make(dir, name, &why) < 0)
		cmd_complain("the job runs unwatched: %s: set INQUEST_DIR to a folder of yours",
			complaint_text(&why));
	else
		made = true;
	complaint_release(&why);
	return made;
}

/* Starts the agent, if there can be one; then the environment is the job's. */
static void begin_watch(struct running *running, const struct arguments *arguments)
{
	struct agent_options wishes = {.name = arguments->name ? arguments->name : "",
		.argv = arguments->command,
		.raw_stacks = arguments->raw_stacks,
		.no_logs = arguments->no_logs,
		.max_memory = arguments->budget.meter.most,
		.hang_after = (int64_t)(arguments->hang_after_s * (double)CLOCK_NS_PER_S)};
	struct jobdir dir = {.census_fd = -1};
	struct complaint why = {0};
	char *output;

	if (!make_folder(wishes.name, &dir))
		return;
	output = output_folder(arguments);
	wishes.output = output;
	arm(&dir);
	wishes.envp = environ;
	if (agent_process_start(&running->agent, &wishes, &dir, &why) < 0) {
		cmd_complain("the job runs unwatched: %s", complaint_text(&why));
		jobdir_remove(&dir);
		jobdir_release(&dir);
	}
	complaint_release(&why);
	free(output);
	running->wrap.companion = running->agent.pid;
}

/* Returns how many entries a list has before its NULL. */
static size_t count(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Becomes the command, as if we had never been. Returns a status only where that fails. */
static int become(struct running *running, const struct arguments *arguments, char **plain)
{
	struct complaint why = {0};
	int status = wrap_become(&running->wrap, arguments->command, plain, &why);

	cmd_complain("%s", complaint_text(&why));
	complaint_release(&why);
	return status;
}

/* Fewer processes than that, and the job may lack those that are ours. */
#define LEAST_PROCESSES 64

/* True, after a complaint, if there is no room for processes of ours. */
static bool is_crowded(void)
{
	uint64_t spare = proc_spare();

	if (spare >= LEAST_PROCESSES)
		return false;
	cmd_complain("the job runs unwatched: only %llu processes can be added: raise ulimit -u",
		(unsigned long long)spare);
	return true;
}

/* How long a check may keep the job from its start, and how long its line may be. */
#define PREFLIGHT_S	10
#define PREFLIGHT_WIDTH 200

/* Says in one line what this launch would regret. */
static void say_preflight(const struct arguments *arguments)
{
	struct preflight_wish wish = {.argv = arguments->command,
		.env = environ,
		.ranks = launch_ranks(arguments->command),
		.hosts = launch_hosts(arguments->command),
		.unmeasured = true,
		.deadline_s = PREFLIGHT_S};
	struct preflight preflight = {0};
	struct str line = {0};

	preflight_look(&wish, &preflight);
	preflight_page_line(&preflight, false, PREFLIGHT_WIDTH, &line);
	cmd_complain("preflight: %s", str_text(&line));
	preflight_release(&preflight);
	str_release(&line);
}

/*
 * Runs the command with an agent beside it, if there can be one. 0 once the command has ended, else
 * the status for a command that did not start, after a complaint.
 */
static int run_watched(struct running *running, const struct arguments *arguments)
{
	size_t nr = count(environ);
	char **plain = alloc_zeroed(nr + 1, sizeof(*plain));
	struct complaint why = {0};
	int status;

	/* setenv() changes the list, and leaves its texts alone. */
	memcpy(plain, environ, nr * sizeof(*plain));
	begin_watch(running, arguments);
	status = wrap_start(&running->wrap, arguments->command,
		running->agent.pid ? environ : plain, &running->agent.fd, 1, &why);
	if (!status) {
		running->child.pid = (uint32_t)running->wrap.child;
		running->child.start_time = proc_start_time(running->child.pid);
		loop(running);
		agent_process_end(&running->agent, running->child, running->wrap.wait_status,
			wrap_shell_status(&running->wrap));
	} else {
		if (status != WRAP_FAILED)
			cmd_complain("%s", complaint_text(&why));
		else if (running->agent.pid)
			cmd_complain("the job runs unwatched: %s", complaint_text(&why));
		agent_process_end(&running->agent, (struct proc_id){0}, 0, status);
		if (status == WRAP_FAILED)
			status = become(running, arguments, plain);
	}
	complaint_release(&why);
	free(plain);
	return status;
}

/* Ends us as the command ended: by the same status or the same signal. */
static void end_alike(struct wrap *wrap)
{
	int signo = WIFSIGNALED(wrap->wait_status) ? WTERMSIG(wrap->wait_status) : 0;
	struct rlimit no_core = {0, 0};
	sigset_t only;

	if (signo) {
		/* The command's core is the one that tells something. */
		setrlimit(RLIMIT_CORE, &no_core);
		signal(signo, SIG_DFL);
		sigemptyset(&only);
		sigaddset(&only, signo);
		raise(signo);
		sigprocmask(SIG_UNBLOCK, &only, NULL);
	}
	exit(wrap_shell_status(wrap));
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.hang_after_s = DEFAULT_HANG_S};
	struct running running = {.agent = {.fd = -1}};
	int status;

	wrap_guard(&running.wrap);
	argp_err_exit_status = WRAP_FAILED;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	if (is_crowded())
		return become(&running, &arguments, environ);
	if (arguments.preflight)
		say_preflight(&arguments);
	status = run_watched(&running, &arguments);
	if (!status) {
		wrap_release(&running.wrap);
		end_alike(&running.wrap);
	}
	return status;
}

const struct verb verb_run = {"run", "run a job, and have it judged should it hang or die", run};
