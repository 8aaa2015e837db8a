/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h: what is said of a job as a whole: how far it came, what was read of it, what of that
 * is lost, and what looking has cost it. Text from outside stands in it as it came.
 */
#ifndef WORDS_SUMMARY_H
#define WORDS_SUMMARY_H

#include "base/array.h"
#include "base/str.h"
#include "job/job.h"

/* Appends which attempt this is: "attempt 2 (1 ended 03:11:52 UTC, SIGSEGV)", as far as known. */
void summary_add_attempt(struct str *into, const struct job *job) __attribute__((nonnull));

/*
 * Appends how the ranks came to their first step: "compile began at 6 s, took 0:38 to 11:02;
 * collective 44 s (7 of 8); no step", since the start of each process; nothing where no time of any
 * rank is known.
 */
void summary_add_first(struct str *into, const struct job *job) __attribute__((nonnull));

/*
 * Appends how many ranks' own word was read, of rings, or of dumps where there are no rings, and
 * what these had no room for: "8/8 rings, 0 records lost".
 */
void summary_add_read(struct str *into, const struct job *job) __attribute__((nonnull));

/* A thing that is lost: ranks that lost the same are one. Texts are the job's. */
struct losses_alike {
	const char *what;
	const char *cite; /* of the first */
	int64_t count;	  /* JOB_UNKNOWN */
	bool of_ops;	  /* operations may be among it */
	ARRAY(struct rank_index) ranks; /* indexes, ascending; empty: it is not of a rank */
};

struct losses {
	ARRAY(struct losses_alike) all; /* by what is lost */
};

/* All losses of a job; the caller releases. */
struct losses losses_of(const struct job *job);
/* Frees the list; its texts are the job's. */
void losses_release(struct losses *losses);

/* Appends "ranks 0-2: records (2)"; a set of more than `width` columns is counted, not cut. */
void losses_add(
	struct str *into, const struct job *job, const struct losses_alike *alike, size_t width);

/* What taking stacks has cost the job, all processes together. */
struct disturbed {
	bool live; /* stacks were taken of living processes at all */
	enum job_snapshot_mode mode;
	unsigned samples; /* the most of any process */
	unsigned threads;
	unsigned stopped;
	unsigned cut;	      /* threads that stopping would have shown more of */
	int64_t longest_stop; /* ns */
	int64_t span;	      /* ns between first and last sample, the longest */
};

/* Sums up what all snapshots of living processes cost; all zero where there was none. */
struct disturbed disturbed_by(const struct job *job);

/* Appends "3 threads stopped, for 1.2 ms at most". */
void disturbed_add_stops(struct str *into, const struct disturbed *disturbed);

/* Appends "12 threads cut; --stop=blocked-fallback would read them"; nothing where it is not so. */
void disturbed_add_cut(struct str *into, const struct disturbed *disturbed);

#endif
