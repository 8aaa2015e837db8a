/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks.h: which times may be compared. Every time of a job is one of its host's own clock, and
 * what a host says about the error of its clock is only what it believes. So two hosts' clocks are
 * brought together by what the ranks did together, never by their readings: operations that both
 * entered, or communicators that became ready at both. Setting one of the clocks changes nothing
 * then. Clocks that never met in this way cannot be compared.
 *
 * How far one clock is ahead of another is the median over operations, of the first rank on each:
 * a rank that is late once stays late; a whole host that is always late looks like its clock. Where
 * only a few operations are common, a communicator's making says it better: all leave it together.
 */
#ifndef JOB_CLOCKS_H
#define JOB_CLOCKS_H

#include "job/job.h"

struct clocks;

/*
 * Compares the clocks of all hosts. Points into the job, which must outlive it; never NULL;
 * clocks_free() it.
 */
struct clocks *clocks_new(const struct job *job);
/* Frees it; NULL is fine. */
void clocks_free(struct clocks *clocks);

/*
 * Returns the number of a rank's clock: that of its host, which is the host's index; for a rank
 * without a host, one of its own.
 */
int clocks_of_rank(const struct clocks *clocks, struct rank_index rank);

/*
 * Returns what clock `to` shows when clock `from` shows `when`. The same on one clock; JOB_UNKNOWN
 * where `when` is, or where the two never met.
 */
int64_t clocks_move(const struct clocks *clocks, int64_t when, int from, int to);

/*
 * Returns the clock in which a clock and all that it can be compared with come together: two clocks
 * met if that is the same one for both. Their times may be compared by moving both to it: the
 * clocks_error() between two of them is the sum of their errors towards it.
 */
int clocks_common(const struct clocks *clocks, int clock);

/*
 * Returns by how much a time moved between these clocks may be off, ns: the spread of the middle
 * half of the operations by which they met. 0 on one clock, and where they met in the making of a
 * communicator; days where they met in one operation only.
 */
int64_t clocks_error(const struct clocks *clocks, int a, int b);

#endif
