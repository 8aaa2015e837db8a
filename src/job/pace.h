/* SPDX-License-Identifier: Apache-2.0 */
/* pace.h: how fast a group usually goes, and who comes late to it. */
#ifndef JOB_PACE_H
#define JOB_PACE_H

#include "job/clocks.h"

/*
 * The median time, ns, from one collective of a member to its next, over what is known of the
 * group but its newest; or (messages) from one message of a member to its next that goes the same
 * way between the same two. 0 where no member has three such gaps.
 */
int64_t pace_median_gap(const struct job *job, int group, bool messages);

/*
 * Returns the median time, ns, from the birth of a process to its first communicator's init, among
 * processes whose first one is this group; 0 where there are none. A start of that length is usual
 * for this job.
 */
int64_t pace_median_start(const struct job *job, int group);

/*
 * Returns how long the slowest init of a group took, ns, from when its last member came; 0 where
 * none is known.
 */
int64_t pace_slowest_init(const struct job *job);

/* A collective that one rank entered much later than the others, though it did enter. */
struct pace_late {
	struct rank_index rank; /* NO_RANK: nobody */
	uint64_t index;
	int64_t late;    /* ns behind the next-to-last */
	int64_t entered; /* realtime of its host */
	unsigned times;  /* how often it was so late, this time included */
	int64_t apart;   /* ns between the last two times; JOB_UNKNOWN: it was late once */
	uint64_t since;  /* collectives that all have entered since */
	const char *cite;
};

/*
 * Finds the last time that a member was at least `least` ns late, among the group's known
 * collectives that all members entered, and how often that member was late before. A member that is
 * late by less than twice the usual lateness of others does not count: steps of a job may differ by
 * much, now on one rank and now on another.
 */
struct pace_late pace_last_late(
	const struct job *job, const struct clocks *clocks, int group, int64_t least);

/* A rank that comes last again and again, though never for long. */
struct pace_straggler {
	struct rank_index rank; /* NO_RANK: nobody */
	size_t last, of;	/* it came last to so many of the latest collectives, `of` in all */
	unsigned percent;	/* share of their time for which all others were there, and it
				 * was not */
	const char *cite;
};

/*
 * Finds the rank that came last to at least three of four of the group's latest collectives, if
 * that kept the others for at least a tenth of the time. Lateness that may be the clocks' does not
 * count.
 */
struct pace_straggler pace_straggler(
	const struct job *job, const struct clocks *clocks, int group);

/* True if the rank says that all have met, where no group is made of that. */
bool pace_met_without_group(const struct job *job, struct rank_index rank)
	__attribute__((nonnull));

/*
 * True if all ranks have met: they say that they made PyTorch's first process group, or have come
 * through the init of a group of all. From then on no rank is late merely because it was started
 * late.
 */
bool pace_all_met(const struct job *job);

#endif
