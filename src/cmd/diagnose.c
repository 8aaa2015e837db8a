/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdio.h>

#include "base/array.h"
#include "base/clock.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/gather-files.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "evidence/gather/remains/remains-jobs.h"

struct arguments {
	struct look_wish wish;
	struct budget budget;
	ARRAY(const char *) paths;
};

static const struct argp_child children[] = {
	{&budget_argp, 0, NULL, 0}, {&look_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cmd_give(state, children, &budget_argp, &arguments->budget);
		cmd_give(state, children, &look_argp, &arguments->wish);
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->paths) = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			"which bundle? Give a file, a folder of them, a core, or dumps of the "
			"Flight Recorder");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.children = children,
	.args_doc = "PATH...",
	.doc = "Judge a job from what it left: bundles, core files, or dumps of PyTorch's Flight "
	       "Recorder.\v"
	       "Several paths are nodes of one job; of several jobs the newest is judged, and the "
	       "others are named. Exit status: 0 nothing wrong, 1 a verdict, "
	       "2 usage, 3 unreadable, 4 inconclusive.",
};

/* Returns how many files were passed over that may name a rank; *ret_first: the first of them. */
static size_t count_passed(const struct remains *remains, const struct remains_file **ret_first)
{
	const struct remains_file *file;
	size_t n = 0;

	*ret_first = NULL;
	array_for_each(&remains->files, file)
		if (remains_jobs_has_passed_over(file) || remains_is_unseen(file)) {
			*ret_first = *ret_first ? *ret_first : file;
			n++;
		}
	return n;
}

/* True if texts tell how the job ended, though they name no rank: mp.spawn, Slurm, watchdogs do. */
static bool tells_of_end(const struct job *job)
{
	for (size_t i = 0; i < job->nsayings; i++)
		if (job->sayings[i].kind == JOB_SAYS_SPAWN ||
			job->sayings[i].kind == JOB_SAYS_LAUNCHER ||
			job->sayings[i].kind == JOB_SAYS_SLURM ||
			job->sayings[i].kind == JOB_SAYS_WATCHDOG)
			return true;
	return false;
}

/*
 * Complains that no rank is named in what was taken, though there may be one in what was not.
 * Returns false if what was taken is all there is, and tells how the job ended.
 */
static bool complain_of_nobody(const struct gathered *gathered, const struct job *job)
{
	const struct remains_file *passed;
	size_t n = count_passed(&gathered->remains, &passed);

	if (!n && tells_of_end(job))
		return false;
	if (n)
		cmd_complain("the log names no rank, and %zu file%s passed over, %s: %s", n,
			n == 1 ? " was" : "s were", passed->why, passed->label);
	else
		cmd_complain("the log names no rank: no line says who wrote it (torchrun --tee 3, "
			     "srun -l, mpirun --tag-output), and no launcher who ended");
	return true;
}

/* Returns when the last of the files that were taken was written, realtime ns; 0 not known. */
static int64_t last_written(const struct remains *remains)
{
	const struct remains_file *file;
	int64_t last = 0;

	array_for_each(&remains->files, file)
		if (file->kind && file->when > last)
			last = file->when;
	return last;
}

/* Prints what was found. Cores tell of threads: with nothing else, their stacks follow. */
static int print(struct look *look, const struct gathered *gathered,
	const struct report_options *reader, struct look_wish wish)
{
	const struct look_wish threads = {.stacks = true, .all = true, .below = true};
	int status;

	/* Reports of stacks have no line for that. */
	if (gathered->groups.left.nr && wish.stacks)
		cmd_complain("%s", str_text(&gathered->left_out));
	status = look_print_wish(look, reader, wish);
	if (status == CMD_UNREADABLE || !gathered->cores || gathered->bundles ||
		gathered->dumps || wish.json || wish.stacks)
		return status;
	puts("");
	return look_print_wish(look, reader, threads);
}

static int run(int argc, char **argv)
{
	struct report_options reader = outlet_options(stdout);
	struct arguments arguments = {0};
	struct look look = {0};
	struct gathered gathered = {
		.into = &look.evidence, .budget = &arguments.budget};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	look.evidence.meter = &arguments.budget.meter;
	budget_watch(&arguments.budget);
	gather_files(&gathered, arguments.paths.items, arguments.paths.nr);
	reader.now = clock_realtime_ns();
	reader.written = last_written(&gathered.remains);
	reader.left = gathered.groups.left.items;
	reader.nleft = gathered.groups.left.nr;
	reader.left_out = str_text(&gathered.left_out);
	reader.files = gathered.files.items;
	reader.nfiles = gathered.files.nr;
	if (gathered.bundles + gathered.cores + gathered.dumps + gathered.logs)
		look_judge(&look);
	if (gathered.dumps && !gathered.bundles && !gathered.cores && !look.job->nranks) {
		cmd_complain("no dump could be read: %s",
			look.job->nlosses ? look.job->losses[0].what : "they are empty");
	} else if (gathered.logs && !gathered.bundles && !look.job->nranks &&
		   complain_of_nobody(&gathered, look.job)) {
		status = CMD_UNREADABLE;
	} else if (look.verdicts) {
		status = print(&look, &gathered, &reader, arguments.wish);
	}
	budget_unwatch(&arguments.budget);
	look_release(&look);
	gathered_release(&gathered);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_diagnose = {"diagnose", "judge a job from what it left", run};
