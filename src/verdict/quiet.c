/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges ends that nobody waits for: own deaths, exits in good order of which others died at once,
 * and what ranks say that they died of.
 */
#include <signal.h>

#include "job/backends.h"
#include "verdict/judge.h"
#include "verdict/profiles/earlier.h"
#include "verdict/profiles/last-words.h"
#include "verdict/profiles/told.h"
#include "verdict/rule.h"

/* True if some finding already has this death. */
static bool is_named(const struct inquiry *q, struct rank_index rank)
{
	for (size_t i = 0; i < q->drafts.nr; i++)
		if (q->drafts.items[i].verdict.class == VERDICT_RANK_DEATH &&
			rank_list_has(&q->drafts.items[i].culprits, rank))
			return true;
	return false;
}

/* Returns the operation in which the member's rank stood at its end; NULL: none is known. */
static const struct job_op *last_open(const struct job_member *m)
{
	const struct job_op *op = m->nops ? &m->ops[m->nops - 1] : NULL;

	return op && m->head_known && op->index == m->head && op->completed == JOB_NO ? op : NULL;
}

/* True if the rank is known to have come to nothing of the group that it did not complete. */
static bool is_done_with(const struct job_member *m)
{
	const struct job_op *op = m->nops ? &m->ops[m->nops - 1] : NULL;

	return m->head_known && (!m->head || (m->done_known && m->done >= m->head) ||
					(op && op->index == m->head && op->completed == JOB_YES));
}

/*
 * True if a rank failed in the operation of that seat, and `first` had not come to it, nor stood in
 * another.
 */
static bool lacked(const struct inquiry *q, const struct job_member *m, struct rank_index first)
{
	const struct job_op *op = last_open(m);
	bool away = false;

	by_rank_each(&q->seats, first, i) {
		const struct job_member *its = &q->job->members[q->seats.at[i]];

		if (!is_done_with(its))
			return false;
		away |= its->group == m->group && op && its->head < op->index;
	}
	return away;
}

/*
 * True if the rank failed behind `first`, by its own words of a peer that was gone, in an operation
 * to which that one never came: what `first` said of others, as of a server that it asked, tells of
 * none of the job's ranks.
 */
static bool failed_for(const struct inquiry *q, struct rank_index rank, struct rank_index first)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t behind = earlier_by(q->clocks, rank, p->fault, first, q->profiles[first.i].fault);

	if (p->death != DEATH_UNSURE || !p->exception || !profile_tells_of_gone(p) ||
		!q->profiles[first.i].exception || behind == JOB_UNKNOWN || behind < 0)
		return false;
	by_rank_each(&q->seats, rank, i)
		if (lacked(q, &q->job->members[q->seats.at[i]], first))
			return true;
	return false;
}

/* True if a rank exited in good order: of that the others may have heard. */
static bool somebody_left(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank)
		if (q->profiles[rank.i].death == DEATH_CLEAN)
			return true;
	return false;
}

/*
 * True if the rank is gone without a word, while others go on, wait in what nobody records, or only
 * echo it. `left`: somebody has exited in good order.
 */
static bool is_lone_end(const struct inquiry *q, struct rank_index rank, bool left)
{
	const struct job_signal *fatal = q->profiles[rank.i].fatal;
	size_t others = 0;

	if (q->profiles[rank.i].death != DEATH_UNSURE || q->profiles[rank.i].waits)
		return false;
	/* A watchdog ends ranks that wait, even in something unseen. */
	if (fatal && fatal->signo == SIGABRT && waits_is_watchdog(fatal->thread))
		return false;
	job_for_each_rank(q->job, at) {
		const struct profile *p = &q->profiles[at.i];
		bool echo = p->death == DEATH_ECHO || (!left && failed_for(q, at, rank));

		/* A rank of which nothing is known may have ended first; echoes came after. */
		if (!same_rank(at, rank) && ((p->death > DEATH_CLEAN && !echo) || !p->process ||
					      p->process->end == JOB_END_UNKNOWN))
			return false;
		others += (p->process && p->process->end == JOB_ALIVE) || echo;
	}
	return others > 0;
}

/*
 * Adds as victims, where only stacks tell, those who stand in a wait now: they wait for the dead,
 * even if nobody knows since when.
 */
static void add_waiting(struct inquiry *q, struct draft *draft)
{
	for (size_t i = 0; q->waits->only_told && i < q->waits->n; i++)
		rank_list_add(&draft->victims, q->waits->at[i].rank);
}

void judge_quiet_deaths(struct inquiry *q)
{
	bool found = q->drafts.nr > 0, left = somebody_left(q);

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];
		struct reason why = {0};
		struct draft *draft = NULL;

		if ((p->death != DEATH_OWN && p->death != DEATH_KILLED &&
			    (found || !is_lone_end(q, rank, left))) ||
			is_named(q, rank) || (p->death == DEATH_KILLED && p->waits) ||
			!explains_death(q, rank, &why))
			continue;
		for (size_t k = 0; k < q->drafts.nr; k++)
			if (q->drafts.items[k].verdict.class == VERDICT_RANK_DEATH &&
				q->drafts.items[k].verdict.cause == why.cause)
				draft = &q->drafts.items[k];
		if (!draft) {
			draft = inquiry_draft(q, VERDICT_RANK_DEATH);
			add_waiting(q, draft);
			draft->verdict.confidence = why.confidence;
		}
		draft_at_most(draft, why.confidence);
		draft->verdict.cause = why.cause;
		draft->verdict.outlook = why.outlook;
		draft->verdict.next = why.next;
		if (why.untimed)
			inquiry_not_judged(q, VERDICT_RANK_DEATH, NEED_TIMES, rank);
		rank_list_add(&draft->culprits, rank);
		if (draft->culprits.list.nr <= TOLD_CULPRITS)
			tell_death(q, rank, draft);
	}
}

/* Returns the ns by which a rank ended after another one; JOB_UNKNOWN where no clock tells. */
static int64_t ended_behind(
	const struct inquiry *q, struct rank_index rank, struct rank_index other)
{
	return earlier_by(q->clocks, rank, q->profiles[rank.i].fault, other,
		q->profiles[other.i].fault);
}

/*
 * Returns the first of those who are known to have exited in good order; NULL where there is none.
 */
static const struct profile *first_clean(const struct inquiry *q, struct rank_index *ret_rank)
{
	const struct profile *first = NULL;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];
		int64_t behind;

		if (p->death != DEATH_CLEAN || p->fault == JOB_UNKNOWN)
			continue;
		behind = first ? ended_behind(q, rank, *ret_rank) : JOB_UNKNOWN;
		if (first && (behind == JOB_UNKNOWN || behind >= 0))
			continue;
		first = p;
		*ret_rank = rank;
	}
	return first;
}

/*
 * True if the rank exited without having finalized what hosts drive together: launchers end the
 * others for that before any of them waits for long.
 */
static bool left_unfinalized(const struct inquiry *q, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (m->state == JOB_MEMBER_READY && !q->job->groups[m->group].parent &&
			backend_has(q->job->groups[m->group].maker, BACKEND_DRIVEN))
			return true;
	}
	return false;
}

/*
 * True if this end may be why `leaver` exited in good order. A kill after an exit for which the
 * others are ended is how a launcher does that.
 */
static bool may_lead(
	const struct inquiry *q, struct rank_index rank, struct rank_index leaver)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t behind = ended_behind(q, rank, leaver);

	if (p->death == DEATH_KILLED && behind != JOB_UNKNOWN && behind >= 0 &&
		left_unfinalized(q, leaver))
		return false;
	if (p->death == DEATH_OWN || p->death == DEATH_KILLED)
		return true;
	return p->death > DEATH_CLEAN && p->fault != JOB_UNKNOWN &&
	       (behind == JOB_UNKNOWN || behind < 0);
}

/*
 * Returns the first of those who exited in good order; NULL where a rank that did not may have
 * ended before it.
 */
static const struct profile *first_leaver(const struct inquiry *q)
{
	struct rank_index leaver = NO_RANK;
	const struct profile *first = first_clean(q, &leaver);

	for (struct rank_index rank = {0}; first && job_has_rank(q->job, rank); rank.i++)
		if (may_lead(q, rank, leaver))
			return NULL;
	return first;
}

/*
 * Returns the rank that had exited in good order and without having finalized, and for which the
 * launcher ended the others, by its own word; NO_RANK.
 */
static struct rank_index leaver_by_word(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->death == DEATH_CLEAN && p->process && p->process->failed_first)
			return rank;
	}
	return NO_RANK;
}

/*
 * Adds all who exited, or that one alone, and why: of all of them one reason stands.
 */
static void blame_leavers(
	struct inquiry *q, struct draft *draft, struct reason *why, struct rank_index alone)
{
	job_for_each_rank(q->job, rank) {
		if (q->profiles[rank.i].death != DEATH_CLEAN ||
			(is_rank(alone) && !same_rank(rank, alone)))
			continue;
		explains_early_exit(q, rank, why);
		rank_list_add(&draft->culprits, rank);
		if (draft->culprits.list.nr <= TOLD_CULPRITS)
			tell_left(q, rank, draft);
		if (is_rank(alone) || left_unfinalized(q, rank))
			draft_fact(q, draft, FACT_UNFINALIZED, rank,
				q->profiles[rank.i].process->end_cite);
	}
}

/* True if the rank waited in that message, as far as its ring tells, when it ended. */
static bool waited_in(const struct inquiry *q, struct rank_index rank, const struct job_op *op)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++)
		if (q->waits->at[i].op == op && q->waits->at[i].lacking)
			return true;
	return false;
}

/*
 * Returns the message that the member's rank began last, if it failed there, or was ended while it
 * waited there; NULL: it was in none.
 */
static const struct job_op *last_message(const struct inquiry *q, const struct job_member *m)
{
	const struct job_op *op = m->np2p ? &m->p2p[m->np2p - 1] : NULL;

	if (!op || !is_rank(m->rank) || q->profiles[m->rank.i].death <= DEATH_CLEAN)
		return NULL;
	return op->failed || waited_in(q, m->rank, op) ? op : NULL;
}

/* Returns who is at the other end of a member's message; NO_RANK: nobody knows. */
static struct rank_index peer_of(
	const struct inquiry *q, const struct job_member *m, const struct job_op *op)
{
	const struct job_group *g = &q->job->groups[m->group];

	if (!is_group_rank(op->sig.peer) || op->sig.peer.n >= g->size)
		return NO_RANK;
	return q->job->members[g->first_member + (int)op->sig.peer.n].rank;
}

/* True if the member's rank ended in an operation to which one of these ranks did not come. */
static bool ended_for(
	const struct inquiry *q, const struct job_member *m, const struct rank_list *ranks)
{
	const struct job_op *op = last_message(q, m);

	if (!is_rank(m->rank) || q->profiles[m->rank.i].death <= DEATH_CLEAN)
		return false;
	if (op && rank_list_has(ranks, peer_of(q, m, op)))
		return true;
	for (size_t i = 0; i < ranks->list.nr; i++)
		if (lacked(q, m, ranks->list.items[i]))
			return true;
	return false;
}

/* Adds the messages of victims that failed, and who was at their other end. */
static void tell_failed(struct inquiry *q, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; i < q->job->nmembers && told < TOLD_CULPRITS; i++) {
		const struct job_member *m = &q->job->members[i];
		const struct job_op *op = last_message(q, m);
		struct rank_index peer = op ? peer_of(q, m, op) : NO_RANK;
		struct verdict_fact *fact;

		if (!op || !op->failed || !is_rank(peer) ||
			!rank_list_has(&draft->victims, m->rank))
			continue;
		fact = draft_fact(q, draft, FACT_MESSAGE_FAILED, m->rank, op->cite);
		fact->text = inquiry_op_name(op);
		fact->a = job_rank(q->job, peer)->world_rank.n;
		told++;
	}
}

/* Adds who ended for want of those who exited, or of others who did. */
static void add_ended_for(struct inquiry *q, struct draft *draft)
{
	struct rank_list gone = {0};
	bool more = true;

	for (size_t i = 0; i < draft->culprits.list.nr; i++)
		rank_list_add(&gone, draft->culprits.list.items[i]);
	while (more) {
		more = false;
		for (size_t i = 0; i < q->job->nmembers; i++) {
			const struct job_member *m = &q->job->members[i];

			if (!is_rank(m->rank) || rank_list_has(&gone, m->rank) ||
				!ended_for(q, m, &gone))
				continue;
			rank_list_add(&gone, m->rank);
			rank_list_add(&draft->victims, m->rank);
			more = true;
		}
	}
	array_release(&gone.list);
	tell_failed(q, draft);
}

/*
 * Judges exits of which others died. gloo tells at once that a peer is gone: a rank that waits for
 * one that exited dies of that before any wait is long, and the launcher ends the rest. If
 * somebody's last words are that, and those who exited are the fewer, their exit was early: for
 * want of work, where their marks tell that. So it was where the launcher says so itself.
 */
void judge_quiet_exits(struct inquiry *q)
{
	const struct profile *first = first_leaver(q);
	size_t left = 0, echoes = 0;
	struct rank_index unfinalized = NO_RANK, by_word = leaver_by_word(q);
	struct reason why = {0}, less = {0};
	const struct away *better;
	struct draft *draft;

	for (struct rank_index rank = {0}; first && job_has_rank(q->job, rank); rank.i++) {
		left += q->profiles[rank.i].death == DEATH_CLEAN;
		if (q->profiles[rank.i].death == DEATH_CLEAN && left_unfinalized(q, rank))
			unfinalized = rank;
		echoes += q->profiles[rank.i].death > DEATH_CLEAN &&
			  profile_tells_of_others(&q->profiles[rank.i]);
	}
	if (!is_rank(by_word) && (!first || (!echoes && !is_rank(unfinalized)) ||
					 2 * left > q->job->nranks))
		return;
	draft = inquiry_draft(q, VERDICT_EARLY_EXIT);
	blame_leavers(q, draft, &why, by_word);
	add_ended_for(q, draft);
	draft->verdict.cause = why.cause;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = why.outlook;
	draft->verdict.next = why.next;
	better = away_that_turns(q, &draft->culprits, &less);
	if (better) {
		draft->verdict.class = better->class;
		draft->verdict.next = less.next;
		draft_at_most(draft, less.confidence);
	}
}

/*
 * Judges ranks that ended of what others brought to one operation, by their own words or by the
 * place where they ended, while no fork is known: it is a mismatch both of whose sides are unknown,
 * and no fault of who ended so.
 */
void judge_told_mismatch(struct inquiry *q)
{
	struct draft *draft = NULL;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->death <= DEATH_CLEAN || !profile_tells_mismatch(p))
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
		rank_list_add(&draft->victims, rank);
		if (draft->victims.list.nr <= TOLD_CULPRITS)
			tell_death(q, rank, draft);
	}
	if (!draft)
		return;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_COUNTS;
	inquiry_not_judged(q, VERDICT_COLLECTIVE_MISMATCH, NEED_OPERATIONS, NO_RANK);
}

/* True if no clock tells which of the ends of that kind came first. */
static bool are_unordered(const struct inquiry *q, enum death death)
{
	struct rank_index one = NO_RANK;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->death != death || p->fault == JOB_UNKNOWN)
			continue;
		if (is_rank(one) && ended_behind(q, rank, one) == JOB_UNKNOWN)
			return true;
		one = is_rank(one) ? one : rank;
	}
	return false;
}

/*
 * Judges ranks that ended badly, and not all at once: the job is not well, though nobody is to
 * blame.
 */
void judge_bad_ends(struct inquiry *q)
{
	struct draft *draft = NULL;
	bool said = false;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->death <= DEATH_CLEAN || p->death == DEATH_END)
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		said |= p->exception != NULL;
		if (p->exception)
			draft_fact(q, draft, FACT_EXCEPTION, rank, p->exception->cite)->text =
				p->exception->text;
	}
	if (!draft)
		return;
	if (are_unordered(q, DEATH_UNSURE))
		inquiry_not_judged(q, VERDICT_RANK_DEATH, NEED_ORDER_OF_ENDS, NO_RANK);
	draft->verdict.next = said ? VERDICT_NEXT_READ_TRACEBACKS : VERDICT_NEXT_WHO_ENDED;
	draft_fact(q, draft, FACT_NO_FIRST_CAUSE, NO_RANK, "procs");
}

/* True if the rank aborted behind the end of its script, before anybody had told it to end. */
static bool aborted_in_teardown(const struct profile *p)
{
	return p->death == DEATH_CLEAN && p->process && p->process->end == JOB_SIGNALED &&
	       (!p->told || (p->fault != JOB_UNKNOWN && p->told->when > p->fault));
}

/* True if all else that ended is known to have ended well, or by the launcher's order. */
static bool all_else_is_told(const struct inquiry *q)
{
	if (inquiry_lack(q, NULL) != VERDICT_LACKS_NOTHING)
		return false;
	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->death != DEATH_CLEAN && !(p->told && told_by_launcher(q->job, p->told)))
			return false;
	}
	return true;
}

/*
 * Judges a job that failed, though nothing is known to have gone wrong before the end of any rank's
 * script: its launcher failed for those that aborted behind that, and told the others to end.
 */
void judge_teardown(struct inquiry *q)
{
	struct draft *draft = NULL;

	if (!job_failed_unseen(q) || !all_else_is_told(q))
		return;
	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (!aborted_in_teardown(p))
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_RANK_DEATH);
		rank_list_add(&draft->culprits, rank);
		if (draft->culprits.list.nr <= TOLD_CULPRITS)
			tell_left(q, rank, draft);
	}
	if (!draft)
		return;
	draft->verdict.cause = VERDICT_BY_ABORT;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_DESTROY_GROUPS;
}
