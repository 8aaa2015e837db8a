/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which job, where nobody says: the only one that hangs. Its agent says so; a job whose agent does
 * not (yet, or because there is none) is looked at, which takes milliseconds and disturbs nobody.
 */
#include <argp.h>
#include <string.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "cmd/save.h"
#include "evidence/jobs.h"
#include "evidence/live.h"

#define LOOKS_AT_MOST 16

struct arguments {
	bool json;
	const char *output;
	ARRAY(const char *) jobs;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case 'o':
		arguments->output = arg;
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
	{"output", 'o', "BUNDLE", 0, "Save the evidence: a file, or a folder to put it in", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[JOB|NAME|PID...]",
	.doc = "Look at a job now, without disturbing it, and say who is to blame.\v"
	       "Without an argument it takes the only job that hangs. Exit status: 0 nothing "
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
		cmd_complain("%s: `inquest ls' lists the jobs here", why);
}

static void complain_none(const struct jobs *jobs)
{
	if (jobs->nr)
		cmd_complain(
			"no live job here; the newest, %s, is over: say `inquest attach %s', or "
			"diagnose its bundle",
			jobs->items[0].name, jobs->items[0].id);
	else if (jobs->refused.len)
		complain_unknown(jobs, "no job here");
	else
		cmd_complain("no job here: start one with `inquest run -- COMMAND'");
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

static int examine(
	const struct jobs *jobs, const struct jobs_entry *entry, const struct arguments *arguments)
{
	struct report_options reader = outlet_options(stdout);
	struct str saved = {0}, others = {0};
	struct complaint why = {0};
	struct look look = {0};
	int status = CMD_UNREADABLE;

	if (live_gather(entry->folder, NULL, &look.evidence, &why) < 0) {
		cmd_complain("cannot look at %s: %s", entry->id, complaint_text(&why));
		goto out;
	}
	look_judge(&look);
	if (arguments->output && save_bundle(&look, arguments->output, &saved, &why) < 0)
		cmd_complain("bundle not saved: %s: try another -o", complaint_text(&why));
	describe_others(jobs, entry, &others);
	reader.threads_stopped = 0;
	reader.saved = saved.len ? saved.text : NULL;
	reader.beside = others.len ? others.text : NULL;
	status = look_print(&look, &reader, arguments->json);
	if (arguments->output && !saved.len)
		status = CMD_UNREADABLE;
out:
	look_release(&look);
	str_release(&saved);
	str_release(&others);
	complaint_release(&why);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {0};
	const struct jobs_entry *entry;
	struct complaint why = {0};
	struct jobs jobs = {0};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (jobs_list(&jobs, &why) < 0) {
		cmd_complain("cannot list jobs: %s", complaint_text(&why));
		goto out;
	}
	entry = arguments.jobs.nr ? find(&jobs, &arguments, &status) : choose(&jobs, &status);
	if (entry)
		status = examine(&jobs, entry, &arguments);
out:
	array_release(&arguments.jobs);
	jobs_release(&jobs);
	complaint_release(&why);
	return status;
}

const struct verb verb_attach = {"attach", "look at a live job: who is to blame, and why", run};
