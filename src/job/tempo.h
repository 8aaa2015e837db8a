/* SPDX-License-Identifier: Apache-2.0 */
/* tempo.h: how fast a group usually goes, and who comes late to it. */
#ifndef JOB_TEMPO_H
#define JOB_TEMPO_H

#include "job/clocks.h"

/*
 * The median time, ns, from one collective of a member to its next, over what is known of the
 * group but its newest; 0 where no member has three such gaps.
 */
int64_t tempo_median_gap(const struct job *job, int group);

/*
 * The median time, ns, from the birth of a process to its first communicator's init, among those
 * whose first one is this group; 0 where nobody's is. So long a start is usual for this job.
 */
int64_t tempo_median_start(const struct job *job, int group);

/* A collective that one rank entered much later than the others, though it did enter. */
struct tempo_late {
	int rank; /* JOB_NONE: nobody */
	uint64_t index;
	int64_t late; /* ns behind the next-to-last */
	const char *cite;
};

/* The largest lateness among the group's known collectives that all members entered. */
struct tempo_late tempo_latest(const struct job *job, const struct clocks *clocks, int group);

/*
 * Whether all ranks say that they have met: they made PyTorch's first process group. From then on
 * nobody is late only since it was started late.
 */
bool tempo_all_met(const struct job *job);

#endif
