/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.h: the first place at which the members of one group did different things; and, where that
 * completed, the first one behind it that holds somebody.
 *
 * Compared are the known details at equal index, then how many zero-count ops each had by then,
 * then the running hashes: so a fork is found long after its ops were overwritten. Things that may
 * lawfully differ are not compared: the order inside one launch, the handle of a user-made
 * reduction, the data type where only bytes are moved. Where such freedom was used, hashes prove
 * nothing and are left aside. A group whose ops threads entered at once has no order,
 * and no forks.
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

/* Members that did the same. */
struct fork_camp {
	struct job_sig sig;      /* HIDDEN: of no meaning */
	const struct job_op *op; /* of its first member */
	bool zero;               /* brought nothing */
	int *members;            /* member indexes, ascending */
	size_t n;
};

/* How a camp's ops lie against the largest camp's from the fork on (job/align.h). */
enum shift_kind {
	SHIFT_UNTOLD,  /* too little is known behind the fork */
	SHIFT_NONE,    /* at this place only: another op, or another amount */
	SHIFT_SKIPPED, /* the camp left some out, and went on with what follows */
	SHIFT_EXTRA,   /* it has some that the others have not */
	SHIFT_UNCLEAR, /* one of these two: it is at another place of the same program */
};

struct fork_shift {
	enum shift_kind kind;
	bool seen;  /* recorded ops of both say so; else what the largest camp usually does */
	bool alone; /* nothing else fits what is known; else it fits best */
	uint64_t n; /* how many were left out, or are too many */
	uint64_t from, to; /* the first of them is one of these: they are alike, or not known */
	const struct job_op *op; /* the one at `to`; NULL where not known */
};

struct fork {
	enum fork_kind kind;
	int group;
	uint64_t index;  /* the first op known to differ; ZERO and HIDDEN may have begun earlier */
	uint64_t agreed; /* all is known to be equal up to here */
	bool exact;      /* the ops at `index` themselves differ */
	bool passed;     /* every camp went on beyond it, or it completed everywhere */
	bool completed;  /* known complete with all members */
	bool second;     /* behind another one that may have shifted all that follows */
	struct fork_camp *camps; /* largest first, then by first member */
	size_t ncamps;
	size_t unknown;          /* members without evidence about it, that may be there */
	struct fork_shift shift; /* of the second camp; of more than two camps UNTOLD */
};

struct forks {
	struct fork *at; /* by group, then by index; of each group up to 2 */
	size_t n;
};

/* The forks of each group. Points into the job, which must outlive it; never NULL. */
struct forks *forks_new(const struct job *job);
/* Takes NULL. The forks and camps are gone with it. */
void forks_free(struct forks *forks);

/* In what two ops at one place differ: FORK_NONE if in nothing that matters. */
enum fork_kind forks_differ(const struct job_sig *a, const struct job_sig *b);

#endif
