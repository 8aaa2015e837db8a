/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which job, where nobody says: the only one that hangs. Its agent says so; a job whose agent does
 * not (yet, or because there is none) is looked at, which takes milliseconds and disturbs nobody.
 * Jobs without probe are looked for only where they are asked for, by a pid or by --all: that asks
 * every process of the machine.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/foreign.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "cmd/save.h"
#include "evidence/foreign.h"
#include "evidence/jobs.h"
#include "evidence/live.h"

#define LOOKS_AT_MOST 16

/* Options without a short form: beyond all letters. */
enum { STOP_MODE = 256, NO_STACKS, SAMPLES, STACKS };

struct arguments {
	struct look_wish wish;
	bool all;
	const char *output;
	struct live_options live;
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->wish.json = true;
		return 0;
	case STACKS:
		if (!look_parse_stacks(arg, &arguments->wish))
			argp_error(state,
				"no way to show stacks: %s: say all, folded or json", arg);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'a':
		arguments->all = true;
		return 0;
	case STOP_MODE:
		if (!parse_mode(arg, &arguments->live.stacks.mode))
			argp_error(state, "no way to stop threads: %s: say never, "
					  "blocked-fallback or consistent", arg);
		return 0;
	case NO_STACKS:
		arguments->live.stacks.samples = 0;
		return 0;
	case SAMPLES:
		if (strlen(arg) != 1 || *arg < '1' || *arg > '3')
			argp_error(state, "not a number of samples from 1 to 3: %s", arg);
		arguments->live.stacks.samples = (unsigned)(*arg - '0');
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->jobs) = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest/1) instead of text", 0},
	{"stacks", STACKS, "HOW", OPTION_ARG_OPTIONAL,
		"The stacks of all ranks as one tree; of all threads, folded, or as json", 0},
	{"output", 'o', "BUNDLE", 0, "Save the evidence: a file, or a folder to put it in", 0},
	{"all", 'a', NULL, 0, "Look for jobs without probe as well: ask all processes here", 0},
	{"stop", STOP_MODE, "MODE", 0,
		"Threads to stop for their stacks: never (the default), blocked-fallback or "
		"consistent", 0},
	{"samples", SAMPLES, "N", 0, "How often to take stacks, 1 to 3 (default 3)", 0},
	{"no-stacks", NO_STACKS, NULL, 0, "Take no stacks", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[JOB|NAME|PID...]",
	.doc = "Look at a job now, without disturbing it, and say who is to blame.\v"
	       "Without an argument it takes the only job that hangs; a PID may be that of a job "
	       "that knows nothing of inquest. Exit status: 0 nothing "
	       "wrong, 1 a verdict, 2 usage, 3 unreadable, 4 inconclusive.",
};

static bool is_live(const struct jobs_entry *entry)
{
	return entry->status != JOBS_ENDED;
}

static bool hangs(const struct jobs_entry *entry)
{
	struct look look = {0};
	bool answer = false;

	if (live_gather(entry->folder, NULL, &look.evidence, NULL) == 0) {
		look_judge(&look);
		answer = look_status(&look) == CMD_VERDICT;
	}
	look_release(&look);
	return answer;
}

/* The only entry for which `is` holds; NULL if none or several. */
static const struct jobs_entry *the_only(
	const struct jobs *jobs, bool (*is)(const struct jobs_entry *), size_t *ret_count)
{
	const struct jobs_entry *found = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < jobs->nr; i++)
		if (is(&jobs->items[i])) {
			found = &jobs->items[i];
			++*ret_count;
		}
	return *ret_count == 1 ? found : NULL;
}

static bool says_hung(const struct jobs_entry *entry)
{
	return entry->status == JOBS_HUNG;
}

static bool is_found_hung(const struct jobs_entry *entry)
{
	return is_live(entry) && hangs(entry);
}

/* What may not be trusted is not looked at: that may be why there is no such job. */
static void complain_unknown(const struct jobs *jobs, const char *why)
{
	if (jobs->refused.len)
		cmd_complain("%s; not trusted, so not looked at: %.*s", why,
			(int)strcspn(jobs->refused.text, "\n"), jobs->refused.text);
	else
		cmd_complain("%s: `inquest ls --all' lists the jobs here", why);
}

static void complain_none(const struct jobs *jobs)
{
	if (jobs->nr)
		cmd_complain(
			"no live job here; the newest, %s, is over: say `inquest attach %s', or "
			"diagnose its bundle; `inquest attach --all' looks for one without probe",
			jobs->items[0].name, jobs->items[0].id);
	else if (jobs->refused.len)
		complain_unknown(jobs, "no job here");
	else
		cmd_complain("no job here: start one with `inquest run -- COMMAND', or look for "
			     "one without probe: `inquest attach --all'");
}

/* Says which jobs there are to choose from: where some hang, those. */
static void complain_several(const struct jobs *jobs, size_t hung)
{
	cmd_complain(
		hung ? "several jobs hang: say which" : "several jobs and none hangs: say which");
	for (size_t i = 0; i < jobs->nr; i++)
		if (is_live(&jobs->items[i]) && (!hung || jobs->items[i].status == JOBS_HUNG))
			cmd_complain("  inquest attach %s   # %s, %s", jobs->items[i].id,
				jobs->items[i].name, jobs_status_name(jobs->items[i].status));
}

static const struct jobs_entry *choose(const struct jobs *jobs, int *ret_status)
{
	const struct jobs_entry *entry;
	size_t live, hung;

	entry = the_only(jobs, is_live, &live);
	*ret_status = live ? CMD_USAGE : CMD_UNREADABLE;
	if (entry)
		return entry;
	if (!live) {
		complain_none(jobs);
		return NULL;
	}
	entry = the_only(jobs, says_hung, &hung);
	if (!entry && !hung && live <= LOOKS_AT_MOST)
		entry = the_only(jobs, is_found_hung, &hung);
	if (!entry)
		complain_several(jobs, hung);
	return entry;
}

/* All arguments must mean one job. */
static const struct jobs_entry *find(
	const struct jobs *jobs, const struct arguments *arguments, int *ret_status)
{
	const struct jobs_entry *found = NULL;

	for (size_t i = 0; i < arguments->jobs.nr; i++) {
		struct complaint why = {0};
		const struct jobs_entry *entry = jobs_find(jobs, arguments->jobs.items[i], &why);

		*ret_status = entry ? CMD_USAGE : CMD_UNREADABLE;
		if (!entry)
			complain_unknown(jobs, complaint_text(&why));
		complaint_release(&why);
		if (!entry)
			return NULL;
		if (found && found != entry) {
			cmd_complain("%s and %s are different jobs: attach to one at a time",
				found->id, entry->id);
			return NULL;
		}
		found = entry;
	}
	return found;
}

/* What the report says about the other jobs here. */
static void describe_others(
	const struct jobs *jobs, const struct jobs_entry *entry, struct str *into)
{
	size_t hung = 0, others = 0;

	for (size_t i = 0; i < jobs->nr; i++)
		if (&jobs->items[i] != entry && is_live(&jobs->items[i])) {
			others++;
			hung += says_hung(&jobs->items[i]);
		}
	if (others)
		str_printf(into, "%zu other job%s here, %zu hung", others, others == 1 ? "" : "s",
			hung);
}

/* How many threads stood still for us. */
static int threads_stopped(const struct job *job)
{
	int stopped = 0;

	for (size_t i = 0; i < job->nstacks; i++)
		stopped += job->stacks[i].how == JOB_STACK_STOPPED;
	return stopped;
}

/* Judges, saves and prints what was gathered. */
static int conclude(struct look *look, const struct arguments *arguments, const char *beside)
{
	struct report_options reader = outlet_options(stdout);
	struct complaint why = {0};
	struct str saved = {0};
	int status;

	look_judge(look);
	if (arguments->output && save_bundle(look, arguments->output, &saved, &why) < 0)
		cmd_complain("bundle not saved: %s: try another -o", complaint_text(&why));
	reader.threads_stopped = threads_stopped(look->job);
	reader.saved = saved.len ? saved.text : NULL;
	reader.beside = *beside ? beside : NULL;
	status = look_print_wish(look, &reader, arguments->wish);
	if (arguments->output && !saved.len)
		status = CMD_UNREADABLE;
	str_release(&saved);
	complaint_release(&why);
	return status;
}

static int examine(
	const struct jobs *jobs, const struct jobs_entry *entry, const struct arguments *arguments)
{
	struct complaint why = {0};
	struct look look = {0};
	struct str others = {0};
	int status = CMD_UNREADABLE;

	describe_others(jobs, entry, &others);
	if (live_gather(entry->folder, &arguments->live, &look.evidence, &why) < 0)
		cmd_complain("cannot look at %s: %s", entry->id, complaint_text(&why));
	else
		status = conclude(&look, arguments, str_text(&others));
	look_release(&look);
	str_release(&others);
	complaint_release(&why);
	return status;
}

/* The same for a job without probe. */
static int examine_foreign(const struct jobs *jobs, struct foreign_choice *choice,
	const struct arguments *arguments)
{
	const struct foreign_target target = {
		&choice->survey, choice->job, choice->pids.items, choice->pids.nr};
	struct complaint why = {0};
	struct look look = {0};
	struct str others = {0};
	int status = CMD_UNREADABLE;

	foreign_describe_others(choice, jobs, &others);
	if (foreign_gather(&target, &arguments->live, &look.evidence, &why) < 0)
		cmd_complain("cannot look at the job: %s", complaint_text(&why));
	else
		status = conclude(&look, arguments, str_text(&others));
	look_release(&look);
	str_release(&others);
	complaint_release(&why);
	return status;
}

/* Whether the arguments are pids of which none is a job's with probe. */
static bool means_foreign(const struct jobs *jobs, const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->jobs.nr; i++)
		if (!foreign_is_pid(arguments->jobs.items[i]) ||
			jobs_find(jobs, arguments->jobs.items[i], NULL))
			return false;
	return arguments->jobs.nr > 0;
}

/* Chooses among all jobs, or by pids among those without probe; then looks. */
static int run_foreign(const struct jobs *jobs, const struct arguments *arguments)
{
	const struct jobs_entry *own = NULL;
	struct foreign_choice choice = {0};
	int status;

	if (arguments->all)
		status = foreign_choose_all(&choice, jobs, &own);
	else
		status = foreign_choose_pids(
			&choice, arguments->jobs.items, arguments->jobs.nr);
	if (!status && own)
		status = examine(jobs, own, arguments);
	else if (!status)
		status = examine_foreign(jobs, &choice, arguments);
	foreign_release(&choice);
	return status;
}

static int run_own(const struct jobs *jobs, const struct arguments *arguments)
{
	int status = CMD_UNREADABLE;
	const struct jobs_entry *entry =
		arguments->jobs.nr ? find(jobs, arguments, &status) : choose(jobs, &status);

	return entry ? examine(jobs, entry, arguments) : status;
}

/* "--stacks all": the word is taken for a job, since what --stacks takes stands behind a "=". */
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

static int run(int argc, char **argv)
{
	struct arguments arguments = {.live = LIVE_OPTIONS_STACKS};
	struct complaint why = {0};
	struct jobs jobs = {0};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (is_astray(&arguments)) {
		status = CMD_USAGE;
	} else if (arguments.all && arguments.jobs.nr) {
		cmd_complain("--all looks for jobs, and one was named: say either");
		status = CMD_USAGE;
	} else if (jobs_list(&jobs, &why) < 0) {
		cmd_complain("cannot list jobs: %s", complaint_text(&why));
	} else if (arguments.all || means_foreign(&jobs, &arguments)) {
		status = run_foreign(&jobs, &arguments);
	} else {
		status = run_own(&jobs, &arguments);
	}
	array_release(&arguments.jobs);
	jobs_release(&jobs);
	complaint_release(&why);
	return status;
}

const struct verb verb_attach = {"attach", "look at a live job: who is to blame, and why", run};
