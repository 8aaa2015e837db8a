/* SPDX-License-Identifier: Apache-2.0 */
/* Class healthy: nobody waits, and nothing else is wrong. */
#include <signal.h>

#include "job/backends.h"
#include "job/messages.h"
#include "job/names.h"
#include "verdict/judge.h"
#include "verdict/looks/looks.h"
#include "verdict/polls.h"
#include "verdict/profiles/told.h"
#include "verdict/rule.h"

/* Adds that ranks were ended at once: all of the job, or those of whom that is known. */
static void tell_ended(struct inquiry *q, struct draft *draft)
{
	struct rank_list ended = {0};

	job_for_each_rank(q->job, rank)
		if (q->profiles[rank.i].death == DEATH_END)
			rank_list_add(&ended, rank);
	if (ended.list.nr == q->job->nranks && inquiry_lack(q, NULL) != VERDICT_LACKS_RANKS)
		draft_fact(q, draft, FACT_ENDED_TOGETHER, NO_RANK, "procs");
	else
		draft_fact_of(q, draft, FACT_ENDED_WITH_OTHERS, &ended, "procs");
	array_release(&ended.list);
}

static void tell_healthy(struct inquiry *q, struct draft *draft)
{
	int64_t alive = 0, ended = 0;
	struct verdict_fact *fact;

	job_for_each_rank(q->job, rank) {
		alive += q->profiles[rank.i].process &&
			 q->profiles[rank.i].process->end == JOB_ALIVE;
		ended += q->profiles[rank.i].death == DEATH_END;
	}
	if (alive) {
		fact = draft_fact(q, draft, FACT_ALIVE, NO_RANK, "procs");
		fact->a = alive;
	}
	if (ended) {
		tell_ended(q, draft);
		return;
	}
	draft_fact(q, draft, inquiry_by_dumps(q) ? FACT_DUMPS_COMPLETE : FACT_NOBODY_WAITS,
		NO_RANK, inquiry_cite_all(q));
}

/*
 * True if ranks were killed, and nobody is known to have told them to end: one may have been killed
 * first, and the others by their launcher for that.
 */
static bool are_killed_untold(const struct inquiry *q)
{
	bool killed = false;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->told)
			return false;
		killed |= p->death == DEATH_END && p->process &&
			  p->process->end == JOB_SIGNALED && p->process->status == SIGKILL;
	}
	return killed;
}

/*
 * Lists ranks that stood in a wait for others after their rings were read, though these tell of no
 * such call: it may be what a hang begins with, or what no ring records.
 */
static void find_standing_since(const struct inquiry *q, struct rank_list *into)
{
	job_for_each_rank(q->job, rank) {
		const struct posture *p = &q->profiles[rank.i].posture;

		if (p->stack && p->moved == JOB_NO && activities_waits(p->activity) &&
			!q->profiles[rank.i].ended &&
			p->stack->when > q->waits->now[rank.i])
			rank_list_add(into, rank);
	}
}

/*
 * True if the rank makes a communicator without blocking, and another rank has not come to that:
 * what else it does meanwhile is not known.
 */
static bool is_in_init(const struct inquiry *q, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];
		const struct job_group *g = &q->job->groups[m->group];

		for (uint32_t seat = 0; m->state == JOB_MEMBER_IN_INIT && seat < g->size; seat++)
			if (q->job->members[g->first_member + (int)seat].state ==
				JOB_MEMBER_UNSEEN)
				return true;
	}
	return false;
}

/*
 * Lists ranks that are in a call which no ring records and in which they may wait for others, or of
 * which a thread has long stood in an op that others do not come to, while the rank goes on.
 */
static void find_in_ops(const struct inquiry *q, struct rank_list *into)
{
	job_for_each_rank(q->job, rank)
		if (may_wait_unrecorded(q, rank) || q->waits->beside[rank.i])
			rank_list_add(into, rank);
}

static void find_in_inits(const struct inquiry *q, struct rank_list *into)
{
	job_for_each_rank(q->job, rank)
		if (is_in_init(q, rank))
			rank_list_add(into, rank);
}

/* True if ranks did different things, and what they did is overwritten. */
static bool differed_once(const struct inquiry *q)
{
	for (size_t i = 0; i < q->forks->n; i++)
		if (fork_is_gone(q, &q->forks->at[i]))
			return true;
	return false;
}

/*
 * True if that status, as a shell gives it, means that a signal ended the command: an order from
 * outside.
 */
static bool is_of_signal(int64_t status)
{
	return status > 128 && status <= 128 + 64;
}

bool job_failed_unseen(const struct inquiry *q)
{
	if (q->job->exit_status <= 0 || is_of_signal(q->job->exit_status))
		return false;
	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->told && (p->told->sender_role == JOB_ROLE_AGENT ||
				       !told_by_launcher(q->job, p->told)))
			return false;
	}
	return q->job->nranks > 0;
}

/*
 * True if a rank was in an operation when all ended, and it is unknown how: the operation may have
 * ended them.
 */
static bool vanished_in_op(const struct inquiry *q)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		const struct profile *p = &q->profiles[wait->rank.i];

		if ((wait->held || wait->sure) && wait->kind <= WAIT_STORE && !p->told &&
			p->death == DEATH_END && p->process && p->process->end == JOB_GONE)
			return true;
	}
	return false;
}

/* True if that member began a receive whose message has not come. */
static bool receives_still(const struct inquiry *q, int member)
{
	const struct job_member *m = &q->job->members[member];

	for (size_t i = 0; i < m->np2p; i++)
		if (m->p2p[i].sig.op == JOB_OP_RECV && !m->p2p[i].failed &&
			m->p2p[i].completed != JOB_YES &&
			message_came(q->job, member, &m->p2p[i]) == JOB_NO)
			return true;
	return false;
}

/* True if the rank ended by itself: an order from outside may end a rank that waits. */
static bool ended_itself(const struct profile *p)
{
	return p->ended && !(p->process && p->process->end == JOB_SIGNALED &&
				   (p->process->status == SIGTERM || p->process->status == SIGINT ||
					   p->process->status == SIGKILL));
}

/*
 * True if a rank may ask for a message again and again, which no ring records and no stack denies.
 */
static bool may_wait_unseen(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->nmembers; i++) {
		struct rank_index rank = q->job->members[i].rank;

		if (is_rank(rank) && q->profiles[rank.i].readable &&
			!ended_itself(&q->profiles[rank.i]) && !polls_denied(q, rank) &&
			backend_has(q->job->groups[q->job->members[i].group].maker,
				BACKEND_ON_HOST) &&
			receives_still(q, (int)i))
			return true;
	}
	return false;
}

static void withdraw_failed(struct inquiry *q, struct draft *draft)
{
	draft->verdict.class = VERDICT_INCONCLUSIVE;
	draft->verdict.confidence = VERDICT_UNKNOWN;
	draft->verdict.next = VERDICT_NEXT_READ_TRACEBACKS;
	inquiry_not_judged(q, VERDICT_RANK_DEATH, NEED_REASON_OF_END, NO_RANK);
}

/*
 * Asks for another look at ranks that may have come to wait for others since they were looked at:
 * that they did not then, tells nothing of the job.
 */
static void ask_for_looks(struct inquiry *q, struct draft *draft)
{
	struct rank_list before = {0}, whenever = {0};

	looks_find_unwatched(q, &before, &whenever);
	if (before.list.nr) {
		draft->verdict.class = VERDICT_INCONCLUSIVE;
		draft->verdict.confidence = VERDICT_UNKNOWN;
		draft->verdict.next = VERDICT_NEXT_LOOK_AGAIN;
	} else if (whenever.list.nr) {
		draft_at_most(draft, VERDICT_SUPPORTED);
	}
	inquiry_not_judged_each(q, VERDICT_HEALTHY, NEED_LOOK, &before);
	inquiry_not_judged_each(q, VERDICT_HEALTHY, NEED_TIMES, &whenever);
	array_release(&before.list);
	array_release(&whenever.list);
}

void judge_healthy(struct inquiry *q)
{
	struct draft *draft = inquiry_draft(q, VERDICT_HEALTHY);
	bool unproved = standstill_may_be(q), untold = are_killed_untold(q);
	bool unsure = inquiry_unreadable(q) || inquiry_by_dumps(q) || unproved || untold;
	struct rank_list standing = {0}, in_ops = {0}, in_inits = {0};

	find_standing_since(q, &standing);
	find_in_ops(q, &in_ops);
	find_in_inits(q, &in_inits);
	unsure |= standing.list.nr > 0 || in_ops.list.nr > 0 || in_inits.list.nr > 0 ||
		  differed_once(q) || may_wait_unseen(q);
	inquiry_not_judged_each(q, VERDICT_HEALTHY, NEED_YOUNGER_RING, &standing);
	inquiry_not_judged_each(q, VERDICT_HEALTHY, NEED_WHO_IN_OP, &in_ops);
	inquiry_not_judged_each(q, VERDICT_HEALTHY, NEED_WHO_IN_INIT, &in_inits);
	array_release(&standing.list);
	array_release(&in_ops.list);
	array_release(&in_inits.list);
	draft->verdict.confidence = unsure ? VERDICT_SUPPORTED : VERDICT_ESTABLISHED;
	if (untold)
		inquiry_not_judged(q, VERDICT_RANK_DEATH, NEED_SENDER, NO_RANK);
	if (unproved)
		inquiry_not_judged(q, VERDICT_HEALTHY, NEED_RANKS_STACKS, NO_RANK);
	tell_healthy(q, draft);
	ask_for_looks(q, draft);
	if (job_failed_unseen(q) || vanished_in_op(q))
		withdraw_failed(q, draft);
	tell_past_lateness(q, draft);
	tell_straggler(q, draft);
}
