/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inquest attach: one look at a job that runs, and its verdict.
 *
 * A look costs the job something where stacks are taken, and takes long where a process does not
 * answer. So the cheap comes first, and more only where it would tell more:
 *
 *	of a job without probe a glance comes first: where all have slept for as long as samples
 *	would lie apart, another one could say nothing else (look_at_parked(), verdict/parked.h)
 *	of other jobs all is gathered once, stacks among it
 *	a verdict that nothing but stacks proves is proved by samples that lie further apart
 *	too early to tell: it is looked again without stacks, until it is not (look_until_told())
 *
 * With --hosts, --pods and --slurm each node is asked for its bundle (cmd/reach/), and they are
 * judged as files are by inquest diagnose.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/job-pick.h"
#include "cmd/live-options.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "cmd/reach/reach.h"
#include "cmd/run/save.h"
#include "cmd/viewing.h"
#include "evidence/gather/foreign.h"
#include "evidence/gather/live/live.h"
#include "verdict/parked.h"

/* Options without a short form, numbered beyond all letters. */
enum { STOP_MODE = 256, VIEW, RAW_STACKS };

/* What the command line asks for. */
struct arguments {
	struct look_wish wish;
	bool all, view;
	const char *output;
	struct live_options live;
	struct live_wish asked;
	struct viewing_wish viewing;
	struct budget budget;
	struct reach_wish reach;
	ARRAY(const char *) jobs;
};

static bool parse_mode(const char *text, enum snapshot_mode *ret)
{
	static const struct {
		const char *name;
		enum snapshot_mode mode;
	} modes[] = {{"never", SNAPSHOT_NEVER}, {"blocked-fallback", SNAPSHOT_BLOCKED_FALLBACK},
		{"consistent", SNAPSHOT_CONSISTENT}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(text, modes[i].name)) {
			*ret = modes[i].mode;
			return true;
		}
	return false;
}

static const struct argp_child children[] = {
	{&viewing_argp, 0, "With --view:", 1}, {&budget_argp, 0, NULL, 0},
	{&reach_argp, 0, "On all nodes of a job:", 2}, {&live_argp, 0, NULL, 0},
	{&look_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case 'a':
		arguments->all = true;
		return 0;
	case VIEW:
		arguments->view = true;
		return 0;
	case STOP_MODE:
		if (!parse_mode(arg, &arguments->live.stacks.mode))
			argp_error(state, "no way to stop threads: %s: say never, "
					  "blocked-fallback or consistent", arg);
		return 0;
	case RAW_STACKS:
		arguments->live.stacks.raw_stacks = true;
		return 0;
	case ARGP_KEY_INIT:
		cmd_give(state, children, &viewing_argp, &arguments->viewing);
		cmd_give(state, children, &budget_argp, &arguments->budget);
		cmd_give(state, children, &reach_argp, &arguments->reach);
		arguments->asked.live = &arguments->live;
		cmd_give(state, children, &live_argp, &arguments->asked);
		cmd_give(state, children, &look_argp, &arguments->wish);
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->jobs) = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "BUNDLE", 0, "Save the evidence: a file, or a folder to put it in", 0},
	{"all", 'a', NULL, 0, "Look for jobs without probe as well: ask all processes here", 0},
	{"stop", STOP_MODE, "MODE", 0,
		"Threads to stop for their stacks: never (the default), blocked-fallback or "
		"consistent", 0},
	{"view", VIEW, NULL, 0, "Show it on the terminal and follow it, as inquest view does", 0},
	{"raw-stacks", RAW_STACKS, NULL, 0,
		"Save whole copies of stacks, not only what the walk reads", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[JOB|NAME|PID...]",
	.doc = "Look at a job now, without disturbing it, and say who is to blame.\v"
	       "Without an argument it takes the only job that hangs; a PID may be that of a job "
	       "that knows nothing of inquest. Exit status: 0 nothing "
	       "wrong, 1 a verdict, 2 usage, 3 unreadable, 4 inconclusive.",
};

/*
 * How long a job is looked at again and again where it is too early to tell, and the first pause.
 */
#define PATIENCE_NS (5 * CLOCK_NS_PER_S / 2)
#define PAUSE_NS    (23 * CLOCK_NS_PER_MS)

static void pause_for(int64_t ns)
{
	const struct timespec time = {ns / CLOCK_NS_PER_S, ns % CLOCK_NS_PER_S};

	nanosleep(&time, NULL);
}

/* True if stacks could tell more about the verdict. */
static bool is_trouble(const struct look *look)
{
	enum verdict_class class = look->verdicts->at[0].class;

	return class != VERDICT_HEALTHY && class != VERDICT_SLOW && class != VERDICT_TOO_EARLY;
}

/*
 * Puts a new look in the place of the old one. Returns 0, or -1 with words, and the old one stands.
 */
static int look_anew(struct job_pick *pick, const struct live_options *live, struct look *look,
	struct complaint *why)
{
	struct look next = {.evidence.meter = look->evidence.meter};

	if (job_pick_gather(pick, live, &next.evidence, why) < 0) {
		look_release(&next);
		return -1;
	}
	look_judge(&next);
	look_release(look);
	*look = next;
	return 0;
}

/* True if a quick look may come first: nobody asked for more, or for what needs more. */
static bool may_glance(const struct job_pick *pick, const struct arguments *arguments)
{
	const struct stacks_options *stacks = &arguments->live.stacks;

	return job_pick_has_glance(pick) && !arguments->asked.counted && stacks->samples > 1 &&
	       stacks->mode == SNAPSHOT_NEVER;
}

/*
 * Looks at a job without probe: twice in a moment, and once more after seconds if that could tell
 * anything else.
 */
static int look_at_parked(struct job_pick *pick, const struct arguments *arguments,
	struct look *look, struct complaint *why)
{
	int64_t began;

	if (job_pick_gather_glance(pick, &arguments->live, &began, &look->evidence, why) < 0)
		return -1;
	look_judge(look);
	if (parked_for(look->verdicts, FOREIGN_SPAN_MS * CLOCK_NS_PER_MS))
		return 0;
	job_pick_gather_rest(pick, &arguments->live, began, &look->evidence);
	look_judge_again(look);
	return 0;
}

/* ms between the samples by which ranks are to be seen standing, as for jobs without probe. */
#define APART_MS 1100

/*
 * True if only stacks tell, and they say that nobody stands, or that nothing is proved, which
 * samples in one moment cannot do. Ranks that have made no group yet leave nothing else.
 */
static bool is_unproved(const struct look *look, const struct arguments *arguments)
{
	const struct verdict *verdict = &look->verdicts->at[0];

	return ((verdict->class == VERDICT_HEALTHY &&
			verdict->confidence < VERDICT_ESTABLISHED) ||
		       verdict->class == VERDICT_INCONCLUSIVE) &&
	       !look->job->ngroups && look->job->nstacks && !arguments->asked.counted &&
	       arguments->live.stacks.pause_ms < APART_MS;
}

/*
 * Looks until there is an answer. In a job that goes on somebody waits nearly always, and every
 * hang begins like that. Where the wait is too young to tell the two apart, we look again, at
 * growing intervals (which no rhythm of the job keeps up with), until nobody waits or the wait has
 * become a hang, for as long as a person is willing to wait for an answer. Between the first look
 * and the one that decides no stacks are taken.
 */
static int look_until_told(struct job_pick *pick, const struct arguments *arguments,
	struct look *look, struct complaint *why)
{
	struct live_options quick = arguments->live;
	int64_t until = clock_monotonic_ns() + PATIENCE_NS, pause = PAUSE_NS;

	quick.stacks.samples = 0;
	if ((may_glance(pick, arguments) ? look_at_parked(pick, arguments, look, why)
					 : look_anew(pick, &arguments->live, look, why)) < 0)
		return -1;
	if (is_unproved(look, arguments)) {
		struct live_options apart = arguments->live;

		apart.stacks.pause_ms = APART_MS;
		look_anew(pick, &apart, look, why);
	}
	while (look->verdicts->at[0].class == VERDICT_TOO_EARLY && clock_monotonic_ns() < until) {
		pause_for(pause);
		pause += pause / 3;
		/* If the job is gone by then, what was seen of it stands. */
		if (look_anew(pick, &quick, look, why) < 0)
			break;
		if (is_trouble(look) && arguments->live.stacks.samples)
			look_anew(pick, &arguments->live, look, why);
	}
	return 0;
}

/* Saves it where that was asked for: how it is called then, "" otherwise. */
static void save(struct look *look, const struct arguments *arguments, bool kept, struct str *ret)
{
	struct complaint why = {0};

	if (kept) /* each node's bundle is in that folder */
		str_add(ret, arguments->output);
	else if (arguments->output && save_bundle(look, arguments->output, 0, ret, &why) < 0)
		cmd_complain("bundle not saved: %s: try another -o", complaint_text(&why));
	complaint_release(&why);
}

/* Saves and prints what was judged: of this node (`groups` NULL), or of all that gave something. */
static int conclude(struct look *look, const struct arguments *arguments,
	const struct bundle_groups *groups, const char *beside)
{
	struct report_options reader = outlet_options(stdout);
	struct str left = {0}, saved = {0};
	int status;

	save(look, arguments, groups && arguments->output && save_is_folder(arguments->output),
		&saved);
	reader.gathered = true;
	reader.live = true;
	reader.saved = saved.len ? saved.text : NULL;
	reader.beside = *beside ? beside : NULL;
	if (groups) {
		bundle_groups_describe(groups, &left);
		reader.left = groups->left.items;
		reader.nleft = groups->left.nr;
		reader.left_out = str_text(&left);
	}
	status = look_print_wish(look, &reader, arguments->wish);
	if (arguments->output && !saved.len)
		status = CMD_UNREADABLE;
	str_release(&left);
	str_release(&saved);
	return status;
}

/* Looks at one job of this node, and tells. Returns the exit status. */
static int examine(struct job_pick *pick, struct arguments *arguments)
{
	struct complaint why = {0};
	struct look look = {.evidence.meter = &arguments->budget.meter};
	struct str others = {0};
	int status = CMD_UNREADABLE;

	job_pick_describe_others(pick, &others);
	budget_watch(&arguments->budget);
	if (look_until_told(pick, arguments, &look, &why) < 0)
		cmd_complain("%s", complaint_text(&why));
	else
		status = conclude(&look, arguments, NULL, str_text(&others));
	budget_unwatch(&arguments->budget);
	look_release(&look);
	str_release(&others);
	complaint_release(&why);
	return status;
}

/* -- On all nodes ----------------------------------------------------------------------------- */

/*
 * Asks all nodes, and judges what they gave. Returns an exit status other than CMD_FINE if that
 * failed.
 */
static int look_at_nodes(
	struct arguments *arguments, struct look *look, struct bundle_groups *groups)
{
	const char *job = arguments->jobs.nr ? arguments->jobs.items[0] : NULL;
	const char *output = arguments->output;
	struct collect collect = {.meter = look->evidence.meter,
		.no_stacks = arguments->live.no_stacks,
		.no_logs = arguments->live.no_logs,
		.samples = arguments->live.stacks.samples,
		.keep = output && save_is_folder(output) ? output : NULL};
	int status = reach_collect(&arguments->reach, job, &collect, groups);

	if (status)
		return status;
	bundle_groups_settle(groups, &look->evidence);
	look_judge(look);
	return CMD_FINE;
}

/* Drops what a round over the nodes gave. */
static void forget(struct look *look, struct bundle_groups *groups)
{
	struct meter *meter = look->evidence.meter;

	look_release(look);
	look->evidence.meter = meter;
	bundle_groups_release(groups);
	*groups = (struct bundle_groups){0};
}

/*
 * Looks at all nodes until there is an answer, with the same patience as for one node plus what a
 * round over all of them costs: where it is too early to tell, they are asked again.
 */
static int look_at_nodes_until_told(
	struct arguments *arguments, struct look *look, struct bundle_groups *groups)
{
	int64_t until = clock_monotonic_ns() + PATIENCE_NS;
	int status = look_at_nodes(arguments, look, groups);

	while (!status && look->verdicts->at[0].class == VERDICT_TOO_EARLY &&
		clock_monotonic_ns() < until) {
		pause_for(PATIENCE_NS / 2);
		forget(look, groups);
		status = look_at_nodes(arguments, look, groups);
	}
	return status;
}

static int examine_nodes(struct arguments *arguments)
{
	struct look look = {.evidence.meter = &arguments->budget.meter};
	struct bundle_groups groups = {0};
	int status;

	budget_watch(&arguments->budget);
	status = look_at_nodes_until_told(arguments, &look, &groups);
	if (!status)
		status = conclude(&look, arguments, &groups, "");
	budget_unwatch(&arguments->budget);
	look_release(&look);
	bundle_groups_release(&groups);
	return status;
}

/*
 * Checks the options for a look at all nodes: those cannot be viewed, nor of several jobs at once,
 * and nobody can be stopped there.
 */
static int may_reach(const struct arguments *arguments)
{
	int status = reach_may(&arguments->reach);

	if (status || !reach_is_wanted(&arguments->reach))
		return status;
	if (arguments->view || arguments->live.stacks.raw_stacks ||
		arguments->live.stacks.mode != SNAPSHOT_NEVER) {
		cmd_complain("--view, --stop and --raw-stacks are of this node: leave them out, or "
			     "view the bundles that -o keeps");
		return CMD_USAGE;
	}
	if (arguments->jobs.nr > 1) {
		cmd_complain("%s and %s: over several nodes one job at a time",
			arguments->jobs.items[0], arguments->jobs.items[1]);
		return CMD_USAGE;
	}
	return CMD_FINE;
}

/* -- All of it -------------------------------------------------------------------------------- */

/*
 * True for "--stacks all", where the word is taken for a job, since what --stacks takes must stand
 * behind a "=".
 */
static bool is_astray(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->jobs.nr; i++) {
		struct look_wish wish = {0};

		if (!arguments->wish.stacks || !look_parse_stacks(arguments->jobs.items[i], &wish))
			continue;
		cmd_complain("no job is meant by %s: say --stacks=%s", arguments->jobs.items[i],
			arguments->jobs.items[i]);
		return true;
	}
	return false;
}

/*
 * Checks the options for a view: what is viewed is neither printed nor saved, and the viewer's
 * options need --view.
 */
static int may_view(const struct arguments *arguments)
{
	if (!arguments->view && !arguments->viewing.given)
		return CMD_FINE;
	if (!arguments->view) {
		cmd_complain("that option is the viewer's: add --view");
		return CMD_USAGE;
	}
	if (!arguments->output && !arguments->wish.json && !arguments->wish.stacks)
		return viewing_may(&arguments->viewing);
	cmd_complain("--view shows the job in place of a report: leave out %s",
		arguments->output ? "-o" : arguments->wish.json ? "--json" : "--stacks");
	return CMD_USAGE;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {
		.live = LIVE_OPTIONS_STACKS, .viewing.view = viewing_options()};
	struct job_pick pick = {.verb = "attach"};
	int status = CMD_USAGE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (!is_astray(&arguments))
		status = may_view(&arguments);
	if (!status)
		status = may_reach(&arguments);
	if (!status && reach_is_wanted(&arguments.reach)) {
		status = examine_nodes(&arguments);
		goto out;
	}
	if (!status && arguments.view)
		viewing_wait(&arguments.viewing, &arguments.live);
	if (!status)
		status = job_pick_make(
			&pick, arguments.jobs.items, arguments.jobs.nr, arguments.all);
	if (!status && arguments.view)
		status = viewing_live(&pick, &arguments.live, &arguments.viewing,
			&arguments.budget);
	else if (!status)
		status = examine(&pick, &arguments);
	job_pick_release(&pick);
out:
	array_release(&arguments.jobs);
	viewing_wish_release(&arguments.viewing);
	return status;
}

const struct verb verb_attach = {"attach", "look at a live job: who is to blame, and why", run};
