/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a rank may be asking for. A receive that was begun and whose message has not come, and
 * an operation that another rank has not entered, are open; a rank that looks at their Works again
 * and again may leave no record of that. This is asked of ranks that nothing is known to hold: what
 * a thread of theirs is seen to wait in, the graph follows.
 */
#include "verdict/polls.h"

#include "base/clock.h"
#include "job/backends.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/spans.h"
#include "verdict/rule.h"

/* Nobody asks less often than every so many ns. */
#define ASKS_WITHIN (30 * CLOCK_NS_PER_S)

struct poll {
	const struct job_op *op;  /* NULL: there is none */
	int member;
	struct rank_index peer;	  /* the rank that has not come to it; NO_RANK not known */
	bool sure;		  /* by its own word it has not come */
};

bool polls_denied(const struct inquiry *q, struct rank_index rank)
{
	const struct waits_told *told = &q->waits->told[rank.i];
	const struct posture *p = &q->profiles[rank.i].posture;

	if (!told->elsewhere)
		return false;
	if (p->activity == ACTIVITY_LOCK)
		return !p->own_lock && !p->for_thread;
	return p->activity != ACTIVITY_USER || told->stands >= ASKS_WITHIN;
}

static bool is_open(const struct job_op *op)
{
	return op->completed != JOB_YES && !op->failed && !op->captured;
}

/* True if a thread is known to stand in it: such a thread need not ask. */
static bool has_thread(const struct inquiry *q, struct rank_index rank, const struct job_op *op)
{
	const struct spans_range range = threads_of(q->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (q->job->threads[i].state >= JOB_THREAD_IN_CALL && op->stream &&
			q->job->threads[i].stream == op->stream)
			return true;
	return op->returned == JOB_NO;
}

/* Finds a receive that surely lacks its message; else one that may. */
static void find_message(const struct inquiry *q, int member, struct poll *poll)
{
	const struct job_member *m = &q->job->members[member];

	for (size_t i = 0; i < m->np2p && !poll->sure; i++) {
		const struct job_op *op = &m->p2p[i];
		enum job_known came;

		if (op->sig.op != JOB_OP_RECV || !is_open(op) ||
			same_group_rank(op->sig.peer, m->seat) || has_thread(q, m->rank, op))
			continue;
		came = message_came(q->job, member, op);
		if (came != JOB_YES && (came == JOB_NO || !poll->op))
			*poll = (struct poll){.op = op,
				.member = member,
				.peer = NO_RANK,
				.sure = came == JOB_NO};
		if (poll->op == op && op->sig.peer.n < q->job->groups[m->group].size)
			poll->peer = job_seat(q->job, &q->job->groups[m->group], op->sig.peer)
					     ->rank;
	}
}

/*
 * Finds a member that has not entered the op; if threads raced for the group's ops, one that has
 * entered fewer.
 */
static void find_lacking(const struct inquiry *q, const struct job_member *m,
	const struct job_op *op, struct poll *poll)
{
	const struct job_group *g = &q->job->groups[m->group];
	uint64_t index = g->unordered ? m->head : op->index;

	for (uint32_t seat = 0; seat < g->size && !poll->op; seat++) {
		const struct job_member *other = &q->job->members[g->first_member + (int)seat];

		if (other != m && rollcall_of(q->job, other, index) == ROLL_ABSENT)
			*poll = (struct poll){.op = op,
				.member = (int)(m - q->job->members),
				.peer = other->rank,
				.sure = true};
	}
}

static void find_op(const struct inquiry *q, int member, struct poll *poll)
{
	const struct job_member *m = &q->job->members[member];

	for (size_t i = 0; i < m->nops && !poll->op; i++)
		if (is_open(&m->ops[i]))
			find_lacking(q, m, &m->ops[i], poll);
}

static struct poll find(const struct inquiry *q, struct rank_index rank)
{
	struct poll poll = {.member = JOB_NONE, .peer = NO_RANK};

	if (!q->profiles[rank.i].readable || polls_denied(q, rank))
		return poll;
	by_rank_each(&q->seats, rank, i) {
		int member = (int)q->seats.at[i];
		const char *maker = q->job->groups[q->job->members[member].group].maker;

		if (!backend_has(maker, BACKEND_ON_HOST) || backend_has(maker, BACKEND_DRIVEN))
			continue;
		find_message(q, member, &poll);
		if (!poll.op)
			find_op(q, member, &poll);
	}
	return poll;
}

bool polls_maybe(const struct inquiry *q, struct rank_index rank)
{
	return find(q, rank).op != NULL;
}

/* Adds where the other rank is, if the finding does not name it. */
static void tell_peer(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	size_t before = draft->facts.nr;

	stacks_tell(q, rank, draft);
	if (draft->facts.nr == before && p->outside != JOB_UNKNOWN && !p->ended)
		draft_fact(q, draft, FACT_OUTSIDE, rank, p->outside_cite)->a = p->outside;
}

void polls_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	struct poll poll = find(q, rank);
	struct verdict_fact *fact;

	if (!poll.op)
		return;
	fact = draft_fact(q, draft,
		poll.op->sig.op == JOB_OP_RECV ? FACT_MAY_POLL : FACT_MAY_POLL_OP, rank,
		poll.op->cite);
	fact->text = inquiry_op_name(poll.op);
	fact->text2 = q->job->groups[q->job->members[poll.member].group].name;
	fact->a = (int64_t)poll.op->index;
	if (!is_rank(poll.peer))
		return;
	fact->b = job_rank(q->job, poll.peer)->world_rank.n;
	if (rank_list_has(&draft->victims, poll.peer))
		draft_fact(q, draft, FACT_POLL_CIRCLE, rank, poll.op->cite)->a = fact->b;
	else if (!rank_list_has(&draft->culprits, poll.peer))
		tell_peer(q, poll.peer, draft);
}
