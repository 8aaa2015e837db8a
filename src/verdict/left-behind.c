/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class collective-mismatch, cause left-group, in a job that is over: ranks died in an operation,
 * by their own words of a peer that was gone, and a rank had closed the operation's group before it
 * came there. It is told after all that knows a first cause, and only if those who closed it are
 * the fewer.
 */
#include "verdict/judge.h"
#include "verdict/profiles/told.h"
#include "verdict/rule.h"

/* Returns the operation that the member came to last; NULL where its details are unknown. */
static const struct job_op *head_of(const struct job_member *m)
{
	const struct job_op *op = m->nops ? &m->ops[m->nops - 1] : NULL;

	return op && m->head_known && op->index == m->head ? op : NULL;
}

/*
 * True if the member's last operation in the group is known not to be complete, and others ended
 * the rank there: by its own words, or by its launcher's order.
 */
static bool died_in_op(const struct inquiry *q, const struct job_member *m)
{
	const struct profile *p = &q->profiles[m->rank.i];
	const struct job_op *op = head_of(m);

	return (p->death == DEATH_UNSURE || p->death == DEATH_ECHO) && p->readable &&
	       m->state == JOB_MEMBER_READY && op &&
	       (op->completed == JOB_NO || op->returned == JOB_NO) &&
	       (profile_tells_of_others(p) || (p->told && told_by_launcher(q->job, p->told)));
}

/* Returns how often another process told the rank to end. */
static size_t orders_to(const struct job *job, struct rank_index rank)
{
	size_t n = 0;

	for (size_t i = 0; i < job->nsignals; i++)
		n += same_rank(job->signals[i].rank, rank) &&
		     told_is_order(job->signals[i].signo) &&
		     told_from_outside(job, &job->signals[i]);
	return n;
}

/*
 * True if the member had closed the group of its own accord: all that it came to there was
 * complete, and no order to end had reached it, whose handler may close a group. An order that
 * ended the rank at once, and that it did not send to itself once more, ran no handler. What it
 * came to is unknown where its ring lost operations.
 */
static bool left_by_itself(const struct inquiry *q, const struct job_member *m)
{
	const struct profile *p = &q->profiles[m->rank.i];
	const struct job_op *op = head_of(m);
	bool at_once = p->told && p->process && p->process->end == JOB_SIGNALED &&
		       p->process->status == p->told->signo && !p->own_end &&
		       orders_to(q->job, m->rank) == 1;

	return seat_is_closed(m) && !m->aborted && m->head_known && p->readable &&
	       !inquiry_lost_ops(q, m->rank) &&
	       ((op && op->completed == JOB_YES) || (m->done_known && m->done >= m->head)) &&
	       (!p->told || at_once);
}

/*
 * True if both ranks are of one attempt. In an elastic job that is restarting, a node may still
 * show the attempt before.
 */
static bool is_of_one_attempt(const struct inquiry *q, struct rank_index a, struct rank_index b)
{
	return job_rank(q->job, a)->restart == job_rank(q->job, b)->restart;
}

/* True if a minority of the group's members left it before the others came to what they died in. */
static bool was_left(const struct inquiry *q, const struct job_group *g)
{
	uint64_t gone_at = 0, head = UINT64_MAX;
	uint32_t left = 0, behind = 0;
	struct rank_index one = NO_RANK;
	bool said = false; /* one of them at least says so: a peer was gone */

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (!is_rank(m->rank) || (is_rank(one) && !is_of_one_attempt(q, one, m->rank)))
			return false;
		one = m->rank;
		if (left_by_itself(q, m)) {
			gone_at = m->head > gone_at ? m->head : gone_at;
			left++;
		} else if (died_in_op(q, m)) {
			head = m->head < head ? m->head : head;
			said |= profile_tells_of_others(&q->profiles[m->rank.i]);
			behind++;
		} else {
			return false;
		}
	}
	return said && left && left < behind && gone_at < head;
}

static void write_left(struct inquiry *q, const struct job_group *g)
{
	struct draft *draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
	const struct away *better; /* a better reason: they had less work than the others */
	struct reason why = {0};

	draft->verdict.cause = VERDICT_BY_LEFT_GROUP;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_CALLS;
	draft->verdict.group = (int)(g - q->job->groups);
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (!seat_is_closed(m)) {
			rank_list_add(&draft->victims, m->rank);
			continue;
		}
		rank_list_add(&draft->culprits, m->rank);
		if (draft->culprits.list.nr <= TOLD_CULPRITS)
			left_tell_seat(q, m, draft);
	}
	better = away_that_turns(q, &draft->culprits, &why);
	if (better)
		away_take(q, better, &why, draft);
}

void judge_left_behind(struct inquiry *q)
{
	for (size_t g = 0; g < q->job->ngroups; g++)
		if (!inquiry_unseen_members(q, (int)g) && was_left(q, &q->job->groups[g]))
			write_left(q, &q->job->groups[g]);
}
