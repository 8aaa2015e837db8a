/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturbed.h: what taking the stacks has cost the job, and what it could not see for not stopping
 * anybody.
 */
#ifndef WORDS_DISTURBED_H
#define WORDS_DISTURBED_H

#include "base/str.h"
#include "job/job.h"

/* All processes together. */
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

struct disturbed disturbed_by(const struct job *job);

/* "never", "blocked-fallback", ...: as --stop has it. Never NULL. */
const char *disturbed_mode(enum job_snapshot_mode mode);

/* Appends "3 threads stopped, for 1.2 ms at most". */
void disturbed_add_stops(struct str *into, const struct disturbed *disturbed);

/* Appends "12 threads cut; --stop=blocked-fallback would read them"; nothing where it is not so. */
void disturbed_add_cut(struct str *into, const struct disturbed *disturbed);

#endif
