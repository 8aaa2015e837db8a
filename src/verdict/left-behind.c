/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All is over, and nobody says of what: ranks died in an operation, by their own words of a peer
 * that was gone, and one had closed that operation's group before it came there. It is told after
 * all that knows a first cause, and where who closed it are the fewer.
 */
#include "verdict/judge.h"
#include "verdict/rule.h"

/* True if it ended badly in an operation of its group that is not known to be complete. */
static bool died_in_op(const struct inquiry *q, const struct job_member *m)
{
	const struct profile *p = &q->profiles[m->rank.i];

	return (p->death == DEATH_UNSURE || p->death == DEATH_ECHO) && p->readable &&
	       m->state == JOB_MEMBER_READY && m->head_known && m->nops &&
	       m->ops[m->nops - 1].index == m->head &&
	       m->ops[m->nops - 1].completed != JOB_YES;
}

/*
 * True if it had closed the group while it still did as it pleased. Whom an order reached before
 * the end may have closed it as it obeyed; a signal that ended it, and that it did not send to
 * itself once more, left no time for that.
 */
static bool left_by_itself(const struct inquiry *q, const struct job_member *m)
{
	const struct profile *p = &q->profiles[m->rank.i];
	bool at_once = p->told && p->process && p->process->end == JOB_SIGNALED &&
		       p->process->status == p->told->signo && !p->own_end;

	return seat_is_closed(m) && !m->aborted && m->head_known && p->readable &&
	       (!p->told || at_once);
}

/* True if the fewer of the group's members left it before the others came to what they died in. */
static bool was_left(const struct inquiry *q, const struct job_group *g)
{
	uint64_t gone_at = 0, head = UINT64_MAX;
	uint32_t left = 0, behind = 0;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (!is_rank(m->rank))
			return false;
		if (left_by_itself(q, m)) {
			gone_at = m->head > gone_at ? m->head : gone_at;
			left++;
		} else if (died_in_op(q, m)) {
			head = m->head < head ? m->head : head;
			behind++;
		} else {
			return false;
		}
	}
	return left && left < behind && gone_at < head;
}

static void write_left(struct inquiry *q, const struct job_group *g)
{
	struct draft *draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
	const struct away *better; /* it had less work than they: that is why */
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
