/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.h: the first place at which the members of one group did different things; and, if that
 * completed, the first place behind it that holds somebody.
 *
 * It compares the known details at equal index; then how many zero-count ops each member had by
 * then; then the running hashes. So a fork is found long after its ops were overwritten. Things
 * that may lawfully differ are not compared: the order inside one launch, the handle of a user-made
 * reduction, the data type where only bytes are moved. Where such freedom was used, hashes prove
 * nothing and are left aside. A group whose ops several threads entered at once has no order, and
 * no forks.
 */
#ifndef JOB_FORKS_H
#define JOB_FORKS_H

#include "job/job.h"

enum fork_kind {
	FORK_NONE,
	FORK_ZERO,  /* some brought nothing, others something */
	FORK_COUNT, /* counts differ, all else is equal */
	FORK_DTYPE,
	FORK_REDOP,
	FORK_ROOT,
	FORK_OP,    /* different kinds of operation */
	FORK_HIDDEN /* the hashes differ, the details are gone */
};

/* The members that did the same at the fork. */
struct fork_camp {
	struct job_sig sig;      /* meaningless in a HIDDEN fork */
	const struct job_op *op; /* of its first member */
	bool zero;               /* brought nothing */
	int *members;            /* member indexes, ascending */
	size_t n;
};

/* How a camp's ops lie against the largest camp's from the fork on (job/align.h). */
enum shift_kind {
	SHIFT_UNTOLD,  /* too little is known behind the fork */
	SHIFT_NONE,    /* at this place only: another op, or another amount */
	SHIFT_SKIPPED, /* the camp left out ops, and went on with what follows */
	SHIFT_EXTRA,   /* the camp has ops that the others have not */
	SHIFT_UNCLEAR, /* it left out ops or has too many: it is at another place of the same
		        * program */
};

struct fork_shift {
	enum shift_kind kind;
	bool seen;  /* recorded ops of both camps say so; else what the largest camp usually does */
	bool alone; /* no other shift fits what is known; else this one fits best */
	uint64_t n; /* how many were left out, or are too many */
	uint64_t from, to; /* one of these indexes is the first of them: ops there are alike, or
			    * unknown */
	const struct job_op *op; /* the op at `to`; NULL where not known */
};

struct fork {
	enum fork_kind kind;
	int group;
	uint64_t index;  /* the first op known to differ; a ZERO or HIDDEN fork may have begun
			  * earlier */
	uint64_t agreed; /* all is known to be equal up to here */
	bool exact;      /* the ops at `index` themselves differ */
	bool passed;     /* every camp went on beyond it, or it completed in every camp */
	bool completed;  /* known complete with all members */
	bool second;     /* it lies behind another fork that may have shifted all that follows */
	struct fork_camp *camps; /* largest first, then by first member */
	size_t ncamps;
	size_t unknown;          /* members without evidence about it, who may be there; the judge
				  * adds those who may yet come */
	struct fork_shift shift; /* how the second camp is shifted; UNTOLD if there are more than
				  * two camps */
};

struct forks {
	struct fork *at; /* by group, then by index; of each group up to 2 */
	size_t n;
};

/*
 * Finds the forks of each group. Points into the job, which must outlive it; never NULL;
 * forks_free() it.
 */
struct forks *forks_new(const struct job *job);
/* Frees them, with their camps; NULL is fine. */
void forks_free(struct forks *forks);

/* Returns in what two ops at one place differ; FORK_NONE if in nothing that matters. */
enum fork_kind forks_differ(const struct job_sig *a, const struct job_sig *b);

#endif
