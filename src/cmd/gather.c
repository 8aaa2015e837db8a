/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers on one node, and judges nothing: the exit status says whether something was written, so
 * that a launcher that ends a job for one failing task (srun -K) is given no reason.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/budget.h"
#include "cmd/bundle-groups.h"
#include "cmd/cmd.h"
#include "cmd/live-options.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "cmd/reach/frame.h"
#include "cmd/reach/here.h"
#include "cmd/reach/key.h"
#include "cmd/run/save.h"
#include "cmd/seeing.h"
#include "evidence/format/bundle.h"

/* Options without a short form, numbered beyond all letters. */
enum { JOB = 256, TEXT, DEADLINE };

/* What the command line asks for. */
struct arguments {
	const char *job, *output;
	bool text;
	struct live_options live;
	struct live_wish asked;
	struct budget budget;
	unsigned deadline; /* s; 0 none */
};

static const struct argp_child children[] = {
	{&budget_argp, 0, NULL, 0}, {&live_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	double seconds;

	switch (key) {
	case JOB:
		arguments->job = arg;
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case TEXT:
		arguments->text = true;
		return 0;
	case DEADLINE:
		if (!clock_read_seconds(arg, 1, 86400, &seconds))
			argp_error(state, "no time: %s: say 30, 30s or 5m", arg);
		arguments->deadline = (unsigned)seconds;
		return 0;
	case ARGP_KEY_INIT:
		cmd_give(state, children, &budget_argp, &arguments->budget);
		arguments->asked.live = &arguments->live;
		cmd_give(state, children, &live_argp, &arguments->asked);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->job)
			argp_error(state, "of which job? Say --job KEY, as `inquest ls --all' "
					  "prints it, or slurm:JOB.STEP, run:ID, master:HOST:PORT, "
					  "pmix:NAMESPACE, name:NAME, pid:N");
		if (!arguments->output && !arguments->text)
			argp_error(state, "where to? Say -o FILE, a folder, or -o - for stdout");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"job", JOB, "KEY", 0,
		"The job: as ls --all prints it, or slurm:J.S, run:ID, master:HOST:PORT, "
		"pmix:NS, name:N, pid:N, all",
		0},
	{"output", 'o', "FILE", 0, "Where to: a file, a folder, or - for stdout", 0},
	{"text", TEXT, NULL, 0, "As lines of text with their sums, to stdout", 0},
	{"deadline", DEADLINE, "SECONDS", 0, "Give up after so long, and write nothing", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Gather all that this node has of a job, and judge nothing.\v"
	       "Exit status: 0 written, 2 usage, 3 nothing matched, or could not be written.",
};

/* Gathers all that matches, each part by itself; appends to `lost` why a part is missing. */
static void gather_parts(struct here *here, const struct arguments *arguments,
	struct meter *meter, struct bundle_groups *groups, struct str *lost)
{
	for (size_t i = 0; i < here->parts.nr; i++) {
		struct evidence evidence = {.meter = meter};
		struct complaint why = {0};

		if (here_gather(here, i, &arguments->live, &evidence, &why) == 0) {
			bundle_groups_add(groups, here_id(here, i), &evidence);
		} else {
			cmd_complain("%s", complaint_text(&why));
			str_printf(lost, "%s%s", lost->len ? "; " : "", complaint_text(&why));
		}
		evidence_release(&evidence);
		complaint_release(&why);
	}
}

/* -- Where to --------------------------------------------------------------------------------- */

static int finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return CMD_FINE;
	cmd_complain("cannot write to stdout: %s", strerror(errno));
	return CMD_UNREADABLE;
}

/* Writes each part by itself as text: whoever puts nodes together tells what is of one job. */
static int write_text(struct bundle_groups *groups)
{
	struct bundle_part *part;

	array_for_each (&groups->parts, part) {
		struct str bundle = {0}, text = {0};

		bundle_pack(&part->evidence, &bundle);
		frame_add(&text, str_text(&bundle), bundle.len);
		fwrite(str_text(&text), 1, text.len, stdout);
		str_release(&bundle);
		str_release(&text);
	}
	return finish_stdout();
}

static int write_stdout(const struct evidence *evidence)
{
	struct str bundle = {0};

	bundle_pack(evidence, &bundle);
	fwrite(str_text(&bundle), 1, bundle.len, stdout);
	str_release(&bundle);
	return finish_stdout();
}

/* Writes the evidence as a bundle. Returns the exit status. */
static int write_file(struct evidence *evidence, const char *path)
{
	struct look look = {.evidence = *evidence};
	struct complaint why = {0};
	struct str saved = {0};
	int status = CMD_UNREADABLE;

	*evidence = (struct evidence){0};
	if (save_is_folder(path))
		look_judge(&look); /* for its name there */
	if (save_bundle(&look, path, 0, &saved, &why) == 0) {
		status = CMD_FINE;
		puts(str_text(&saved));
	} else {
		cmd_complain("bundle not saved: %s: try another -o", complaint_text(&why));
	}
	look_release(&look);
	str_release(&saved);
	complaint_release(&why);
	return status ? status : finish_stdout();
}

/*
 * Writes the job that the key means. Parts of other jobs of that key get files of their own if
 * there is room for them. Returns the exit status.
 */
static int write_out(struct bundle_groups *groups, const struct arguments *arguments)
{
	struct evidence whole = {0};
	struct str left = {0};
	int status;

	if (arguments->text)
		return write_text(groups);
	bundle_groups_settle(groups, &whole);
	bundle_groups_describe(groups, &left);
	if (left.len)
		evidence_add_gap(&whole, "", 0, str_text(&left));
	if (!strcmp(arguments->output, "-"))
		status = write_stdout(&whole);
	else
		status = write_file(&whole, arguments->output);
	for (size_t i = 0; i < groups->parts.nr && !status; i++)
		if (groups->parts.items[i].evidence.n && save_is_folder(arguments->output))
			status = write_file(&groups->parts.items[i].evidence, arguments->output);
	if (left.len && !status && !save_is_folder(arguments->output))
		cmd_complain("%s has several jobs here, and one is written: %s", arguments->job,
			str_text(&left));
	evidence_release(&whole);
	str_release(&left);
	return status;
}

/*
 * Appends which folders we could not look into, so that nobody knows what they have of the job. A
 * folder by one of our names that is somebody else's is told only if nothing else was found.
 */
static void add_refused(const struct here *here, bool found, struct str *lost)
{
	const char *before = lost->len ? "; " : "";

	if (here->refused.len)
		str_printf(lost, "%snot looked at: %.*s", before,
			(int)strcspn(here->refused.text, "\n"), here->refused.text);
	else if (!found && here->pick.jobs.refused.len)
		str_printf(lost, "%snot trusted, so not looked at: %.*s", before,
			(int)strcspn(here->pick.jobs.refused.text, "\n"),
			here->pick.jobs.refused.text);
}

/*
 * Says that nothing matches. "None" is only said if we could look everywhere; else "fail", since
 * nobody knows. Returns the exit status.
 */
static int nothing_here(
	const struct here *here, const struct arguments *arguments, const struct str *lost)
{
	const struct survey *survey = &here->pick.foreign.survey;
	struct str words = {0};
	bool hidden;

	str_printf(&words, "nothing here is of %s", arguments->job);
	key_add_fault(arguments->job, &words);
	if (lost->len)
		str_printf(&words, "; %s", str_text(lost));
	else if (survey->unreadable)
		str_printf(&words, "; %zu process%s here may not be asked", survey->unreadable,
			survey->unreadable == 1 ? "" : "es");
	hidden = !lost->len && seeing_add_hidden("; ", "ls --all", &words);
	if (arguments->text)
		printf("INQ:%s %s\n", lost->len ? "fail" : "none", str_text(&words));
	cmd_complain("%s%s", str_text(&words),
		hidden ? "" : ": `inquest ls --all' lists the jobs here");
	str_release(&words);
	(void)finish_stdout();
	return CMD_UNREADABLE;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.live = LIVE_OPTIONS_STACKS};
	struct bundle_groups groups = {0};
	struct here here = {0};
	struct str lost = {0};
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	alarm(arguments.deadline);
	budget_watch(&arguments.budget);
	status = seeing_check_gather(arguments.job, arguments.text);
	if (!status)
		status = here_find(&here, arguments.job);
	if (!status) {
		gather_parts(&here, &arguments, &arguments.budget.meter, &groups, &lost);
		add_refused(&here, groups.parts.nr > 0, &lost);
		status = groups.parts.nr ? write_out(&groups, &arguments)
					 : nothing_here(&here, &arguments, &lost);
		if (groups.parts.nr && arguments.text && lost.len)
			printf("INQ:fail in part: %s\n", str_text(&lost));
	}
	str_release(&lost);
	budget_unwatch(&arguments.budget);
	bundle_groups_release(&groups);
	here_release(&here);
	return status;
}

const struct verb verb_gather = {"gather", "gather what this node has of a job", run};
