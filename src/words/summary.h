/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a job as a whole: how far it came, what was read of it, what of that is lost, and
 * what looking has cost it. Text from outside stands in it as it came.
 */
#ifndef WORDS_SUMMARY_H
#define WORDS_SUMMARY_H

#include "base/array.h"
#include "base/str.h"
#include "job/job.h"

/*
 * Appends which attempt this is, and how the one before ended, as far as that is known: "attempt 2
 * (1 ended 03:11:52 UTC, SIGSEGV)".
 */
void summary_add_attempt(struct str *into, const struct job *job) __attribute__((nonnull));

/*
 * Appends how the ranks came to their first step, in times since the start of each process:
 * "compile began at 6 s, took 0:38 to 11:02; collective 44 s (7 of 8); no step". Appends nothing
 * where no such time of any rank is known.
 */
void summary_add_first(struct str *into, const struct job *job) __attribute__((nonnull));

/*
 * Appends how many ranks' own records were read (rings, or dumps where there are no rings), and how
 * many records these had no room for: "8/8 rings, 0 records lost".
 */
void summary_add_read(struct str *into, const struct job *job) __attribute__((nonnull));

/* A thing that is lost. Ranks that lost the same thing are one entry. Texts are the job's. */
struct losses_alike {
	const char *what;
	const char *cite; /* of the first loss */
	int64_t count;	  /* how many; JOB_UNKNOWN */
	bool of_ops;	  /* true if operations may be among it */
	ARRAY(struct rank_index) ranks; /* ascending; empty: it is not of a rank */
};

/* The losses of a job. */
struct losses {
	ARRAY(struct losses_alike) all; /* ordered by what is lost */
};

/* Lists all losses of a job. The caller calls losses_release(). */
struct losses losses_of(const struct job *job);
/* Frees the list; its texts are the job's. */
void losses_release(struct losses *losses);

/*
 * Appends "ranks 0-2: records (2)". A set of ranks of more than `width` columns is counted, not
 * cut.
 */
void losses_add(
	struct str *into, const struct job *job, const struct losses_alike *alike, size_t width);

/* What taking stacks has cost the job, for all processes together. */
struct disturbed {
	bool live; /* true if stacks were taken of living processes */
	enum job_snapshot_mode mode;
	unsigned samples; /* of the process that had most */
	unsigned threads;
	unsigned stopped;
	unsigned cut;	      /* threads of which stopping would have shown more */
	int64_t longest_stop; /* the longest stop of a thread, ns */
	int64_t span;	      /* the longest time between first and last sample, ns */
};

/* Sums up what all snapshots of living processes have cost. All is zero where there was none. */
struct disturbed disturbed_by(const struct job *job);

/* Appends "3 threads stopped, for 1.2 ms at most". */
void disturbed_add_stops(struct str *into, const struct disturbed *disturbed);

/* True if threads were cut whose stacks would be whole had they been stopped. */
bool disturbed_leaves_cut(const struct disturbed *disturbed);
/*
 * Appends "12 threads cut; --stop=blocked-fallback would read them"; nothing where no thread was
 * cut, or another mode was used.
 */
void disturbed_add_cut(struct str *into, const struct disturbed *disturbed);

#endif
