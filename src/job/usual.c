/* SPDX-License-Identifier: Apache-2.0 */
#include "job/usual.h"

#include "job/forks.h"
#include "job/names.h"

#define LEAST_AGAIN 4 /* at least so many ops must have come again: fewer may do so by chance */

bool usual_same(const struct usual_op *a, const struct usual_op *b)
{
	if (!a->op || !b->op || a->group != b->group)
		return false;
	if (job_op_is_p2p(a->op->sig.op) || job_op_is_p2p(b->op->sig.op))
		return a->op->sig.op == b->op->sig.op &&
		       same_group_rank(a->op->sig.peer, b->op->sig.peer);
	return forks_differ(&a->op->sig, &b->op->sig) == FORK_NONE;
}

size_t usual_again(const struct usual_op *row, size_t n, size_t period)
{
	size_t count = 0;

	while (count + period < n && usual_same(&row[n - 1 - count], &row[n - 1 - count - period]))
		count++;
	return count;
}

size_t usual_period(const struct usual_op *row, size_t n)
{
	size_t best = 0, most = 0;

	for (size_t period = 1; 2 * period <= n && period <= USUAL_MOST; period++) {
		size_t count = usual_again(row, n, period);

		if (count < period || count < LEAST_AGAIN || count <= most)
			continue;
		best = period;
		most = count;
	}
	return best;
}

struct usual_op usual_next(const struct usual_op *row, size_t n, size_t period, size_t ahead)
{
	if (!period || !ahead)
		return (struct usual_op){.group = JOB_NONE};
	return row[n - period + (ahead - 1) % period];
}
