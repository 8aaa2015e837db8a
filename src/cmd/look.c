/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/look.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "decode/decode.h"
#include "report/report.h"
#include "words/escape.h"

void look_judge(struct look *look)
{
	look->job = decode_job(&look->evidence);
	look->verdicts = verdicts_of(look->job);
}

void look_judge_again(struct look *look)
{
	verdicts_free(look->verdicts);
	job_free(look->job);
	look_judge(look);
}

void look_judge_drawn(struct look *look)
{
	look->job = decode_job_with_calls(&look->evidence);
	look->verdicts = verdicts_of(look->job);
}

int look_status(const struct look *look)
{
	switch (look->verdicts->at[0].class) {
	case VERDICT_HEALTHY:
	case VERDICT_SLOW:
	case VERDICT_TOO_EARLY:
		return CMD_FINE;
	case VERDICT_INCONCLUSIVE:
		return CMD_INCONCLUSIVE;
	default:
		return CMD_VERDICT;
	}
}

bool look_shows_death(const struct look *look)
{
	const struct job *job = look->job;

	job_for_each_rank(job, rank) {
		const struct job_process *process = NULL;

		if (job_rank(job, rank)->process != JOB_NONE)
			process = &job->processes[job_rank(job, rank)->process];
		if (process && process->end != JOB_ALIVE &&
			!(process->end == JOB_EXITED && process->status == 0))
			return true;
	}
	return false;
}

bool look_parse_stacks(const char *value, struct look_wish *into)
{
	into->stacks = true;
	while (value && *value) {
		size_t len = strcspn(value, ",");

		if (len == strlen("all") && !strncmp(value, "all", len))
			into->all = true;
		else if (len == strlen("folded") && !strncmp(value, "folded", len))
			into->folded = true;
		else if (len == strlen("json") && !strncmp(value, "json", len))
			into->json = true;
		else
			return false;
		value += len + (value[len] == ',');
	}
	return true;
}

/*
 * An option without a short form, numbered beyond all letters, and beyond those of other parsers.
 */
enum { STACKS = 2048 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct look_wish *wish = state->input;

	switch (key) {
	case 'j':
		wish->json = true;
		return 0;
	case STACKS:
		if (!look_parse_stacks(arg, wish))
			argp_error(state,
				"no way to show stacks: %s: say all, folded or json", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option wishes[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest/1) instead of text", 0},
	{"stacks", STACKS, "HOW", OPTION_ARG_OPTIONAL,
		"The stacks of all ranks as one tree; of all threads, folded, or as json", 0},
	{0},
};

const struct argp look_argp = {.options = wishes, .parser = parse};

/* Returns the report for a wish. */
static const struct report *wished(struct look_wish wish)
{
	if (!wish.stacks)
		return wish.json ? &report_json : &report_text;
	if (wish.json)
		return &report_stacks_json;
	return wish.folded ? &report_folded : &report_stacks;
}

int look_print(const struct look *look, const struct report_options *options, bool json)
{
	return look_print_wish(look, options, (struct look_wish){.json = json});
}

static bool has_stacks(const struct job *job)
{
	for (size_t i = 0; i < job->nstacks; i++)
		if (job->stacks[i].nframes)
			return true;
	return false;
}

/*
 * Says why there are no stacks though they are wanted, as far as the evidence has a word about it.
 */
static void complain_of_no_stacks(const struct job *job)
{
	static const char kind[] = "stacks: "; /* the complaint says that already */
	const char *what = "none were taken: inquest attach takes them while a job hangs";
	struct str words = {0};

	for (size_t i = 0; i < job->nlosses; i++)
		if (strstr(job->losses[i].what, "stack") ||
			!strncmp(job->losses[i].cite, "stacks:", strlen("stacks:"))) {
			what = job->losses[i].what;
			what += strncmp(what, kind, strlen(kind)) ? 0 : strlen(kind);
			break;
		}
	escape_text(&words, what, false);
	cmd_complain("no stacks here: %s", str_text(&words));
	str_release(&words);
}

int look_print_wish(
	const struct look *look, const struct report_options *options, struct look_wish wish)
{
	struct report_options reader = *options;

	reader.all_threads = wish.all;
	reader.below = wish.below;
	if (wished(wish)->write(stdout, look->verdicts, &reader) < 0) {
		cmd_complain("cannot write the verdict to stdout: is its disk full, or its pipe "
			     "closed?");
		return CMD_UNREADABLE;
	}
	if (wish.stacks && !wish.below && !has_stacks(look->job))
		complain_of_no_stacks(look->job);
	return look_status(look);
}

void look_release(struct look *look)
{
	if (!look)
		return;
	verdicts_free(look->verdicts);
	job_free(look->job);
	evidence_release(&look->evidence);
	*look = (struct look){0};
}
