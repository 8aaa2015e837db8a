/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that really fails, on the stand-in, and is really examined: by the same agent, gatherer and
 * judge as any other. Only this file knows what must come out (expected.h), and only to check.
 *
 * A verdict needs time to stand, so we look until it is the true one, and on a busy machine
 * patiently. But whatever is told meanwhile, nobody who has no part in it may ever be blamed.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/paths.h"
#include "cmd/cmd.h"
#include "cmd/demo/demo-stage.h"
#include "cmd/demo/expected.h"
#include "cmd/outlet.h"
#include "cmd/run/save.h"
#include "evidence/agent/jobs.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/live/live.h"

#define DEFAULT_SCENARIO "compile-skew"
#define SKIPPED          77
/* how long a verdict may take to stand */
#define PATIENCE_NS      (90 * CLOCK_NS_PER_S)
#define OVER_PATIENCE_NS (180 * CLOCK_NS_PER_S) /* how long the job may take to end */
#define SEEDS_TRIED      1000 /* until one has the culprit asked for */

enum { OPTION_LIST = 256, OPTION_KEEP, OPTION_STANDIN, OPTION_RANK, OPTION_RANKS, OPTION_SEED };

struct arguments {
	const char *scenario;
	const char *output;
	const char *ranks;
	const char *seed;
	int rank; /* the culprit that is asked for; -1: whoever is drawn */
	bool list, keep, standin, json;
};

/* Returns the argument's number; ends the program where it is none. */
static int number(struct argp_state *state, const char *arg, int least)
{
	char *end;
	long value = strtol(arg, &end, 10);

	if (end == arg || *end || value < least || value > 100000)
		argp_error(state, "not a number from %d: %s", least, arg);
	return (int)value;
}

static error_t parse_flag(int key, struct arguments *arguments)
{
	switch (key) {
	case OPTION_LIST:
		arguments->list = true;
		return 0;
	case OPTION_KEEP:
		arguments->keep = true;
		return 0;
	case OPTION_STANDIN:
		arguments->standin = true;
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case OPTION_RANK:
		arguments->rank = number(state, arg, 0);
		return 0;
	case OPTION_RANKS:
		number(state, arg, 1);
		arguments->ranks = arg;
		return 0;
	case OPTION_SEED:
		arguments->seed = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->scenario)
			argp_error(state, "one scenario at a time: %s", arg);
		arguments->scenario = arg;
		return 0;
	default:
		return parse_flag(key, arguments);
	}
}

static const struct argp_option options[] = {
	{"list", OPTION_LIST, NULL, 0, "List the scenarios", 0},
	{"keep", OPTION_KEEP, NULL, 0, "Leave the hung job running, to be attached to", 0},
	{"output", 'o', "DIR", 0, "Keep the bundle there", 0},
	{"json", 'j', NULL, 0, "The verdict as JSON", 0},
	{"rank", OPTION_RANK, "R", 0, "Make rank R the culprit, where there is one", 0},
	{"ranks", OPTION_RANKS, "N", 0, "So many ranks (default 8)", 0},
	{"seed", OPTION_SEED, "S", 0, "Draw as it was drawn with this seed", 0},
	{"standin-dir", OPTION_STANDIN, NULL, 0,
		"Print the folder of the stand-in's libnccl.so.2 and libcudart.so.13", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[SCENARIO|CLASS]",
	.doc = "Hang a job of eight ranks on the built-in stand-in for NCCL, and examine it.\v"
	       "Exit status: 0 the verdict was the true one, 1 it was not, 2 usage, 3 it could not "
	       "be played, 77 not on this machine.",
};

static volatile sig_atomic_t interrupted;

/* Writer: a signal handler. Reader: the loops that wait. */
static void note_interrupt(int signo)
{
	interrupted = signo;
}

/*
 * Handles SIGPIPE: the reader of our output may go away (`| head`), but the job must be ended all
 * the same.
 */
static void go_on(int signo)
{
	(void)signo;
}

/* --- The folder names and lists --------------------------------------------------------------- */

static int print_standin(void)
{
	struct complaint why = {0};
	struct str path = {0};
	int err = paths_find(PATHS_STANDIN, &path, &why);

	if (err)
		cmd_complain("%s: is inquest installed whole?", complaint_text(&why));
	else
		puts(path.text);
	complaint_release(&why);
	str_release(&path);
	return err ? CMD_UNREADABLE : CMD_FINE;
}

/* Prints a line for each scenario. */
static int print_list(const struct stage *stage)
{
	struct complaint why = {0};
	struct str list = {0};
	char *save = NULL;
	int err = stage_list(stage, &list, &why);

	if (err)
		cmd_complain("no list of scenarios: %s", complaint_text(&why));
	for (char *line = strtok_r(err ? NULL : list.text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		char *inner = NULL;
		const char *name = strtok_r(line, "\t", &inner);
		const char *class = strtok_r(NULL, "\t", &inner);
		const char *words = strtok_r(NULL, "\t", &inner);

		printf("%-26s %-20s %s\n", name ? name : "", class ? class : "",
			words ? words : "");
	}
	complaint_release(&why);
	str_release(&list);
	return err ? CMD_UNREADABLE : CMD_FINE;
}

/* --- One scenario ----------------------------------------------------------------------------- */

/* A demo that is played. */
struct demo {
	struct arguments arguments;
	struct stage stage;
	struct expected expected;
	struct look look; /* the last one */
	int innocent;     /* a rank that was blamed wrongly; -1 none */
};

static int read_expected(struct demo *demo, struct complaint *why)
{
	struct str path = {0};
	int err;

	str_printf(&path, "%s/truth.json", demo->stage.folder.text);
	expected_release(&demo->expected);
	err = expected_read(&demo->expected, path.text, why);
	str_release(&path);
	return err;
}

/*
 * Draws with one seed after the other until the culprit is the one that was asked for. Returns 0,
 * or an exit status with words.
 */
static int draw_culprit(struct demo *demo, const char *scenario, struct complaint *why)
{
	for (int seed = 1; seed <= SEEDS_TRIED; seed++) {
		char text[16];
		int status;

		snprintf(text, sizeof(text), "%d", seed);
		status = stage_draw(&demo->stage, scenario, text, demo->arguments.ranks, why);
		if (status)
			return status;
		if (read_expected(demo, why) < 0)
			return CMD_UNREADABLE;
		if (demo->arguments.rank >= demo->expected.ranks)
			break;
		if (expected_blames_only(&demo->expected, demo->arguments.rank))
			return 0;
	}
	complaint_set(
		why, "%s never has rank %d as its one culprit", scenario, demo->arguments.rank);
	return CMD_USAGE;
}

/* Draws the scenario that was asked for. Returns 0, or an exit status with words. */
static int draw(struct demo *demo, struct complaint *why)
{
	const char *scenario = demo->arguments.scenario;
	int status;

	if (!scenario)
		scenario = DEFAULT_SCENARIO;
	if (demo->arguments.rank >= 0)
		return draw_culprit(demo, scenario, why);
	status = stage_draw(
		&demo->stage, scenario, demo->arguments.seed, demo->arguments.ranks, why);
	if (status)
		return status < 0 ? CMD_UNREADABLE : status;
	return read_expected(demo, why) < 0 ? CMD_UNREADABLE : 0;
}

/* Looks at the job once, live, as attach would. Returns false if there is nothing to see yet. */
static bool look_live(struct demo *demo)
{
	const struct live_options live = LIVE_OPTIONS_STACKS;
	struct str root = {0};
	struct jobs jobs = {0};
	bool seen = false;

	str_printf(&root, "%s/jobs", demo->stage.folder.text);
	setenv("INQUEST_DIR", root.text, 1);
	look_release(&demo->look);
	if (jobs_list(&jobs, NULL) == 0 && jobs.nr &&
		live_gather(jobs.items[0].folder, &live, &demo->look.evidence, NULL) == 0) {
		look_judge(&demo->look);
		seen = true;
	}
	jobs_release(&jobs);
	str_release(&root);
	return seen;
}

/* Judges what the job's agent has kept. Returns false if there is nothing. */
static bool look_bundle(struct demo *demo)
{
	struct str folder = {0};
	bool seen;

	str_printf(&folder, "%s/out", demo->stage.folder.text);
	look_release(&demo->look);
	seen = bundle_read_folder(folder.text, &demo->look.evidence, NULL) == 0;
	if (seen)
		look_judge(&demo->look);
	str_release(&folder);
	return seen;
}

/*
 * Takes note of a look, and of whether it blames somebody wrongly. Returns true if it is the truth;
 * else `wrong` says why not.
 */
static bool take_look(struct demo *demo, struct str *wrong)
{
	str_cut(wrong, 0);
	if (demo->innocent < 0)
		demo->innocent = expected_innocent(&demo->expected, &demo->look);
	return expected_is(&demo->expected, &demo->look, wrong);
}

/* Looks at the hung job until the true verdict stands, or patience ends. */
static void examine_live(struct demo *demo, struct str *wrong)
{
	const struct timespec moment = {.tv_nsec = 300000000};
	int64_t begun = clock_monotonic_ns();
	int64_t least = demo->expected.stands_s * CLOCK_NS_PER_S;

	str_add(wrong, "the job never began");
	while (!interrupted && demo->innocent < 0) {
		int64_t took = clock_monotonic_ns() - begun;

		if (look_live(demo) && take_look(demo, wrong) && took >= least)
			return;
		if (took > PATIENCE_NS + least || stage_has_ended(&demo->stage))
			return;
		nanosleep(&moment, NULL);
	}
}

/* Waits until the job is over and judges what its agent kept. */
static void examine_over(struct demo *demo, struct str *wrong)
{
	const struct timespec moment = {.tv_nsec = 100000000};
	int64_t begun = clock_monotonic_ns();

	while (!interrupted && !stage_has_ended(&demo->stage)) {
		if (clock_monotonic_ns() - begun > OVER_PATIENCE_NS) {
			str_add(wrong, "the job did not end");
			return;
		}
		nanosleep(&moment, NULL);
	}
	if (interrupted)
		return;
	if (look_bundle(demo))
		take_look(demo, wrong);
	else
		str_add(wrong, "its agent kept no bundle");
}

static void print_verdict(struct demo *demo, struct complaint *why)
{
	struct report_options reader = outlet_options(stdout);
	struct str saved = {0}, folder = {0};

	if (demo->arguments.output) {
		str_printf(&folder, "%s/", demo->arguments.output);
		if (save_bundle(&demo->look, folder.text, 0, &saved, why) < 0)
			cmd_complain("bundle not saved: %s: try another -o", complaint_text(why));
	}
	reader.gathered = !demo->expected.over;
	reader.live = true;
	reader.saved = saved.len ? saved.text : NULL;
	look_print(&demo->look, &reader, demo->arguments.json);
	str_release(&saved);
	str_release(&folder);
}

static void tell_how_to_attach(const struct demo *demo)
{
	fprintf(stderr,
		"The job is still there. Look at it:  INQUEST_DIR=%s/jobs inquest attach\n"
		"Over time, on the terminal:  INQUEST_DIR=%s/jobs inquest view\n"
		"End it:  kill %d && rm -r %s\n",
		demo->stage.folder.text, demo->stage.folder.text, (int)demo->stage.job,
		demo->stage.folder.text);
}

/* Tells how the demo came out. Returns the exit status. */
static int conclude(const struct demo *demo, const struct str *wrong)
{
	if (interrupted) {
		cmd_complain("demo: interrupted");
		return 128 + interrupted;
	}
	if (demo->innocent >= 0) {
		cmd_complain("demo: WRONG: rank %d was blamed and has no part in it (seed %lld)",
			demo->innocent, (long long)demo->expected.seed);
		return CMD_VERDICT;
	}
	if (wrong->len) {
		cmd_complain(
			"demo: WRONG: %s (seed %lld)", wrong->text, (long long)demo->expected.seed);
		return CMD_VERDICT;
	}
	cmd_complain("demo: this is the truth: %s was played with seed %lld",
		demo->expected.scenario, (long long)demo->expected.seed);
	return CMD_FINE;
}

/* Plays a scenario. Returns the exit status. */
static int play(struct demo *demo, struct complaint *why)
{
	struct str wrong = {0};
	int status = draw(demo, why);

	if (!status && stage_start(&demo->stage, demo->expected.confine_mib, demo->expected.ends_s,
			       why) < 0)
		status = CMD_UNREADABLE;
	if (status) {
		cmd_complain("demo: %s%s", complaint_text(why),
			status == CMD_USAGE ? ": `inquest demo --list' has them all" : "");
		return status;
	}
	cmd_complain("demo: %d ranks run on the stand-in for NCCL; waiting until it shows",
		demo->expected.ranks);
	if (demo->expected.over)
		examine_over(demo, &wrong);
	else
		examine_live(demo, &wrong);
	if (demo->look.verdicts)
		print_verdict(demo, why);
	status = conclude(demo, &wrong);
	str_release(&wrong);
	return status;
}

static int run_stage(struct demo *demo)
{
	struct complaint why = {0};
	bool keep;
	int status;

	if (stage_make(&demo->stage, &why) < 0) {
		cmd_complain("demo: %s: is inquest installed whole? (Debian: inquest-demo)",
			complaint_text(&why));
		status = CMD_UNREADABLE;
	} else if (demo->arguments.list) {
		status = print_list(&demo->stage);
	} else {
		status = play(demo, &why);
	}
	keep = demo->arguments.keep && demo->stage.job && !interrupted;
	if (keep)
		tell_how_to_attach(demo);
	else if (demo->stage.job)
		stage_end(&demo->stage);
	look_release(&demo->look);
	expected_release(&demo->expected);
	stage_release(&demo->stage, keep);
	complaint_release(&why);
	return status;
}

static int run(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = note_interrupt};
	struct sigaction unread = {.sa_handler = go_on}; /* not ignored, since the job would
							  * inherit that */
	struct demo demo = {.arguments = {.rank = -1}, .innocent = -1};

	argp_parse(&argp, argc, argv, 0, NULL, &demo.arguments);
	if (demo.arguments.standin)
		return print_standin();
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGPIPE, &unread, NULL);
	return run_stage(&demo);
}

const struct verb verb_demo = {"demo", "hang a job on the stand-in, and examine it", run};
