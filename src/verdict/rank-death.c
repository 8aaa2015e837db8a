/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class rank-death: a rank died by its own doing, or was killed while the others went on. Which
 * death is a cause, profile-deaths.c decides. A rank for which the others already waited when
 * somebody killed it did not stop by that death: another rule tells why it was late.
 */
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "job/backends.h"
#include "job/names.h"
#include "verdict/circles/callers.h"
#include "verdict/looks/looks-ends.h"
#include "verdict/profiles/death-place.h"
#include "verdict/profiles/last-words.h"
#include "verdict/rule.h"

/* Returns what to do first about a death of that cause. */
static enum verdict_next next_after(enum verdict_cause cause)
{
	static const enum verdict_next next[VERDICT_CAUSES] = {
		[VERDICT_NO_CAUSE] = VERDICT_NEXT_READ_TRACEBACK,
		[VERDICT_BY_SIGNAL] = VERDICT_NEXT_LOOK_AT_CORE,
		[VERDICT_BY_OOM_KILL] = VERDICT_NEXT_CUT_MEMORY,
		[VERDICT_BY_KILLED] = VERDICT_NEXT_WHO_KILLED,
		[VERDICT_BY_EXCEPTION] = VERDICT_NEXT_READ_TRACEBACK,
		[VERDICT_BY_CUDA_ERROR] = VERDICT_NEXT_CHECK_GPU,
		[VERDICT_BY_ABORT] = VERDICT_NEXT_LOOK_AT_CORE,
		[VERDICT_BY_CHILD_DEATH] = VERDICT_NEXT_DEAD_CHILD,
	};

	return next[cause];
}

/*
 * Returns the signal by which the rank's child died, as was seen, or as the rank's own words say;
 * 0: unknown.
 */
static int child_signal(const struct profile *p)
{
	int signo = 0;

	if (p->dead_child)
		return p->dead_child->status;
	if (p->exception)
		signo = words_child_signal(p->exception->text);
	if (!signo && p->log)
		signo = words_child_signal(p->log->error);
	return signo;
}

/*
 * Returns what to do about a child's death. The kernel kills for memory by SIGKILL; SIGBUS is a
 * file in shared memory that has no room. Where it is known that nobody was killed for memory here,
 * somebody else killed the child.
 */
static enum verdict_next next_after_child(const struct inquiry *q, struct rank_index rank)
{
	int host = job_rank(q->job, rank)->host;

	switch (child_signal(&q->profiles[rank.i])) {
	case SIGKILL:
		if (host != JOB_NONE && q->job->hosts[host].oom_kills == 0)
			return VERDICT_NEXT_DEAD_CHILD;
		return VERDICT_NEXT_CUT_MEMORY;
	case SIGBUS:
		return VERDICT_NEXT_RAISE_SHM;
	default:
		return VERDICT_NEXT_DEAD_CHILD;
	}
}

/*
 * True if the rank may have been ended for what others did: by its own words, or, if these tell
 * nothing of its own, since abort() is how watchdogs and backends end ranks that wait for others.
 */
static bool may_tell_of_others(const struct profile *p)
{
	const char *words = p->exception ? p->exception->text : p->log ? p->log->error : "";

	if (profile_tells_of_others(p))
		return true;
	return p->cause == VERDICT_BY_ABORT && (!*words || words_may_tell_mismatch(words));
}

/*
 * True if the seat was in the operation of that fork when its rank aborted; or has gone on without
 * waiting for it, as it does if it calls asynchronously, and does not say that it died of something
 * else.
 */
static bool was_at(const struct fork *fork, const struct job_member *m, const struct profile *p)
{
	return m->head == fork->index ||
	       (m->head > fork->index && !fork->completed && may_tell_of_others(p));
}

/*
 * True if the rank aborted in an operation to which ranks brought different amounts, and its
 * backend ends ranks that expect another amount than they are sent, on either side. Then the
 * amounts are the cause, and the abort their effect.
 */
static bool is_of_a_fork(const struct inquiry *q, struct rank_index rank)
{
	if (q->profiles[rank.i].cause != VERDICT_BY_ABORT)
		return false;
	for (size_t i = 0; i < q->forks->n; i++) {
		const struct fork *fork = &q->forks->at[i];

		if (!fork->exact ||
			!backend_has(q->job->groups[fork->group].maker, BACKEND_EXACT))
			continue;
		for (size_t c = 0; c < fork->ncamps; c++)
			for (size_t k = 0; k < fork->camps[c].n; k++) {
				const struct job_member *m =
					&q->job->members[fork->camps[c].members[k]];

				if (same_rank(m->rank, rank) &&
					was_at(fork, m, &q->profiles[rank.i]))
					return true;
			}
	}
	return false;
}

/* True if the rank ended well by its status, whatever it said before. */
static bool ended_well(const struct profile *p)
{
	return p->process && p->process->end == JOB_EXITED && p->process->status == 0;
}

/*
 * True if this rank may have ended first: nobody knows whether it ended, or it was not seen at all,
 * or it had left in good order, and others may have ended for that.
 */
static bool may_be_first(const struct profile *p)
{
	return !p->process || p->process->end == JOB_END_UNKNOWN || p->death == DEATH_CLEAN;
}

/* True if this rank may have ended first, or nobody says how or when it ended. */
static bool may_have_been_first(const struct profile *p)
{
	return may_be_first(p) || p->process->end == JOB_GONE;
}

/*
 * True if another rank may have ended first. A rank that ended badly, and says that another was
 * gone, was not first, either. Of a rank whose end is unknown, or which left in good order, such
 * words tell nothing: a connection to a storage bucket is reset, too.
 */
static bool another_may_be_first(const struct inquiry *q, struct rank_index rank)
{
	job_for_each_rank(q->job, at) {
		const struct profile *p = &q->profiles[at.i];

		if (!same_rank(at, rank) && may_have_been_first(p) &&
			!(p->death == DEATH_UNSURE && profile_tells_of_gone(p)))
			return true;
	}
	return false;
}

/*
 * True if an unsure end may only be what was seen last of a rank that others ended: another may
 * have been first, and nothing tells what this one did then. A rank is not named merely because
 * least is known about it.
 */
static bool may_have_followed(
	const struct inquiry *q, struct rank_index rank, enum job_known late)
{
	const struct profile *p = &q->profiles[rank.i];
	enum job_known after = inquiry_ended_after_another(q, rank);

	/* A rank that says that another is gone was not first, if anybody else may be. */
	if (p->readable && (late != JOB_MAYBE || p->fault != JOB_UNKNOWN))
		return profile_tells_of_gone(p) && another_may_be_first(q, rank);
	if (after != JOB_NO || (!p->readable && may_tell_of_others(p)))
		return true;
	return may_be_first(p) || another_may_be_first(q, rank);
}

/*
 * True if nothing but a task's number tells that this is a rank, and its last words are those of a
 * process that looks after others: it is a launcher's.
 */
static bool is_of_a_launcher(const struct inquiry *q, struct rank_index rank)
{
	return job_rank(q->job, rank)->doubtful && q->profiles[rank.i].death == DEATH_UNSURE &&
	       profile_tells_of_others(&q->profiles[rank.i]);
}

/*
 * True if the rank's own words say that it waited for others until its backend gave up. If nobody
 * is known to wait for it, it is a victim of ranks that it does not name.
 */
static bool waited_in_vain(const struct profile *p)
{
	if (p->exception)
		return words_tell_of_vain_wait(p->exception->text);
	return p->log && words_tell_of_vain_wait(p->log->error);
}

/*
 * True if the rank failed, and no ring tells whether it was in an operation then: a library whose
 * operations hosts drive ends a rank for what another one brought.
 */
static bool may_be_ended_by_library(const struct inquiry *q, const struct profile *p)
{
	if (p->readable || !p->process || p->process->end != JOB_EXITED)
		return false;
	for (size_t i = 0; i < q->job->ngroups; i++)
		if (backend_has(q->job->groups[i].maker, BACKEND_DRIVEN))
			return true;
	return false;
}

/* True if the kernel ended the rank for what it used, as far as is known. */
static bool reached_limit(const struct profile *p)
{
	int signo = p->fatal ? p->fatal->signo : p->process->status;

	if (p->fatal ? p->fatal->sender && !p->fatal->from_self : p->process->end != JOB_SIGNALED)
		return false;
	return signo == SIGXCPU || signo == SIGXFSZ;
}

/*
 * True if the command could not be started, by the status that shells and launchers have for that,
 * and no word that says otherwise.
 */
static bool started_nothing(const struct profile *p)
{
	return p->process->end == JOB_EXITED && !p->exception && !(p->log && *p->log->error) &&
	       (p->process->status == 126 || p->process->status == 127);
}

/*
 * Returns how sure the death is. An end for which nobody waited, and that speaks of others, may
 * come of one that was not seen; and an end of a rank of which nobody knows where it was may come
 * of what others did.
 */
static enum verdict_confidence death_confidence(
	const struct inquiry *q, struct rank_index rank, bool sure)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->death == DEATH_UNSURE &&
		((!q->wanted[rank.i] && profile_tells_of_others(p)) ||
			may_be_ended_by_library(q, p)))
		return VERDICT_HYPOTHESIS;
	return sure && !ended_well(p) ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
}

static enum verdict_cause cause_of(const struct profile *p)
{
	if (p->cause == VERDICT_BY_EXCEPTION &&
		(p->dead_child || (p->exception && words_blame_child(p->exception->text)) ||
			(p->log && words_blame_child(p->log->error))))
		return VERDICT_BY_CHILD_DEATH;
	return p->cause;
}

/* What to do next: by what is known of the end, then by its cause. */
static enum verdict_next next_of_death(
	const struct inquiry *q, struct rank_index rank, enum verdict_cause cause)
{
	const struct profile *p = &q->profiles[rank.i];
	enum verdict_next next = cause == VERDICT_BY_CHILD_DEATH ? next_after_child(q, rank)
								 : next_after(cause);

	if (job_rank(q->job, rank)->anew != JOB_NONE)
		return VERDICT_NEXT_START_TOGETHER;
	if (p->process && reached_limit(p))
		return VERDICT_NEXT_RAISE_LIMIT;
	if (p->process && started_nothing(p))
		return VERDICT_NEXT_FIND_COMMAND;
	if (p->exception && words_tell_abort_call(p->exception->text))
		return VERDICT_NEXT_FIND_ABORT;
	if (next != VERDICT_NEXT_LOOK_AT_CORE)
		return next;
	if (p->own_end && !profile_is_fault_signal(p->own_end->signo) &&
		p->own_end->signo != SIGABRT && !death_has_place(q, rank))
		return VERDICT_NEXT_OWN_SIGNAL;
	if (p->exception || (p->log && *p->log->error))
		return VERDICT_NEXT_READ_TRACEBACK;
	return death_has_place(q, rank) ? VERDICT_NEXT_READ_STACK : next;
}

/*
 * A rank is away by its own death; or by a kill, or an unsure end while it waited for nobody,
 * unless others had long waited for it before: then its end is no reason.
 */
bool explains_death(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];
	bool sure = p->death == DEATH_OWN || p->death == DEATH_KILLED;
	enum job_known late;

	if (!sure && (p->death != DEATH_UNSURE || p->waits || ends_gave_up(q, rank)))
		return false;
	if (is_of_a_launcher(q, rank) || is_of_a_fork(q, rank) ||
		(p->death != DEATH_KILLED && profile_tells_mismatch(p)))
		return false;
	if (p->death == DEATH_UNSURE && !q->wanted[rank.i] && waited_in_vain(p))
		return false;
	late = p->death == DEATH_OWN ? JOB_NO : inquiry_late_before_end(q, rank);
	if (late == JOB_YES || (q->wanted[rank.i] && p->stopped_for != JOB_UNKNOWN) ||
		(!sure && may_have_followed(q, rank, late)))
		return false;
	why->untimed = late == JOB_MAYBE;
	why->cause = cause_of(p);
	why->confidence = death_confidence(q, rank, sure && !why->untimed);
	why->outlook = VERDICT_KILL;
	why->next = next_of_death(q, rank, why->cause);
	return true;
}

/* True if all of a camp came to the end of their library, each for an exception of its own. */
static bool is_exiting(const struct inquiry *q, const struct fork_camp *camp)
{
	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index rank = q->job->members[camp->members[i]].rank;
		struct reason why = {0};

		if (!is_rank(rank) || !q->profiles[rank.i].exception ||
			!explains_death(q, rank, &why))
			return false;
	}
	return camp->n && camp->sig.op == JOB_OP_FINALIZE;
}

bool is_exiting_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	struct reason why = {0};
	size_t camp = 0;

	while (camp < fork->ncamps && !(fork->exact && is_exiting(q, &fork->camps[camp])))
		camp++;
	if (camp == fork->ncamps)
		return false;
	draft->verdict.confidence = VERDICT_ESTABLISHED;
	draft->verdict.outlook = VERDICT_KILL;
	fork_share_out(q, fork, camp, draft);
	away_take(q, away_of(q, draft->culprits.list.items[0], &why), &why, draft);
	fork_tell_camps(q, fork, draft);
	return true;
}

/*
 * A thread that failed more than so many ns before or after the others began to wait is no reason.
 */
#define THREAD_FAILED_NEAR (60 * CLOCK_NS_PER_S)

/*
 * True if what the rank is doing may come of a thread that failed. A thread that only reported or
 * wrote something may fail, too, and the rank goes on: then something else keeps it.
 */
static bool may_come_of_thread(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->input || p->checkpoint)
		return false;
	return callers_gone(q, rank) || p->posture.for_thread ||
	       !activities_elsewhere(p->posture.activity);
}

bool explains_thread_death(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct job_note *note = q->profiles[rank.i].thread_exception;
	int64_t since = inquiry_wanted_since(q, rank);

	if (!note || q->profiles[rank.i].death == DEATH_CLEAN ||
		q->profiles[rank.i].death == DEATH_OWN || since == JOB_UNKNOWN ||
		note->when == JOB_UNKNOWN || since - note->when > THREAD_FAILED_NEAR ||
		note->when - since > THREAD_FAILED_NEAR ||
		(note->when > since && words_are_echo(note->text)) ||
		!may_come_of_thread(q, rank))
		return false;
	why->cause = VERDICT_BY_EXCEPTION;
	why->confidence = VERDICT_SUPPORTED;
	why->outlook = q->profiles[rank.i].posture.for_thread || callers_gone(q, rank)
			       ? VERDICT_KILL
			       : VERDICT_OUTLOOK_UNKNOWN;
	why->next = VERDICT_NEXT_READ_TRACEBACK;
	return true;
}

void tell_thread_death(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_note *note = q->profiles[rank.i].thread_exception;

	draft_fact(q, draft, FACT_THREAD_DIED, rank, note->cite)->text = note->text;
	stacks_tell(q, rank, draft);
}

static void tell_death_place(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const char *cite = "";
	const struct verdict_thing *place = death_place(q, rank, &cite);

	if (place)
		draft_fact(q, draft, FACT_DIED_IN, rank, cite)->thing = place;
}

/* True if the rank exited by itself, as somebody had asked it to by a signal. */
static bool obeyed(const struct profile *p)
{
	return p->told && p->cause == VERDICT_BY_KILLED && p->process &&
	       p->process->end == JOB_EXITED;
}

/* Adds how the rank ended: by which signal and whose, with what status, or only that it is gone. */
static void tell_end(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_process *process = p->process;
	struct verdict_fact *fact;

	if (p->fatal || (process && process->end == JOB_SIGNALED)) {
		fact = draft_fact(q, draft, FACT_DIED_SIGNAL, rank,
			p->fatal ? p->fatal->cite : process->end_cite);
		fact->a = p->fatal && process->end != JOB_SIGNALED ? p->fatal->signo
								   : process->status;
		fact->b = p->fatal && p->fatal->sender && !p->fatal->from_self
				  ? (int64_t)p->fatal->sender
				  : JOB_UNKNOWN;
		fact->text = p->fatal ? p->fatal->thread : "";
		if (p->own_end && p->own_end->signo == fact->a)
			draft_fact(q, draft, FACT_SENT_ITSELF, rank, p->own_end->cite);
		tell_death_place(q, rank, draft);
	} else if (process && process->end == JOB_EXITED && obeyed(p)) {
		fact = draft_fact(q, draft, FACT_TOLD_TO_END, rank, p->told->cite);
		fact->a = p->told->signo;
		fact->b = p->told->sender ? (int64_t)p->told->sender : JOB_UNKNOWN;
		fact->c = process->status;
	} else if (process && process->end == JOB_EXITED) {
		fact = draft_fact(q, draft, FACT_DIED_EXIT, rank, process->end_cite);
		fact->a = process->status;
	} else if (process && process->end == JOB_GONE) {
		draft_fact(q, draft, FACT_DIED_GONE, rank, process->end_cite);
	}
}

void tell_raised_at(
	struct inquiry *q, const struct job_trait *at, struct rank_index rank, struct draft *draft)
{
	if (at)
		draft_fact(q, draft, FACT_RAISED_AT, rank, at->cite)->text = at->text;
}

/* Adds what was said before the end: an exception, a line that names an error, a dead child. */
static void tell_words(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->exception) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_EXCEPTION, rank, p->exception->cite);

		fact->text = p->exception->text;
		tell_raised_at(q, p->raised_at, rank, draft);
	}
	/* A log may have nothing but what the rank died of. */
	if (p->log && *p->log->error &&
		!(p->exception && !strcmp(p->log->error, p->exception->text))) {
		struct verdict_fact *fact = draft_fact(q, draft, FACT_LOG_LINE, rank, p->log->cite);

		fact->text = p->log->error;
	}
	draft_dead_child(q, draft, rank);
}

/* Adds that its control group had kills for memory, and how its own memory had grown. */
static void tell_memory(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_rank *r = job_rank(q->job, rank);
	struct verdict_fact *fact;

	if (p->cause != VERDICT_BY_OOM_KILL || r->host == JOB_NONE)
		return;
	/* Where texts alone tell, no group was counted; these are told as sayings. */
	if (q->job->hosts[r->host].oom_kills != JOB_UNKNOWN)
		draft_fact(q, draft, FACT_OOM_KILL, rank, q->job->hosts[r->host].cgroup_cite)->a =
			q->job->hosts[r->host].oom_kills;
	if (p->process->rss != JOB_UNKNOWN && p->process->rss_before != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_RSS, rank, p->process->sample_cite);
		fact->a = p->process->rss_before;
		fact->b = p->process->rss;
	}
}

/*
 * Adds that the rank has a process again, for which nobody waits: the groups that the others stand
 * in were made with the one that ended.
 */
static void tell_next_process(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_process *then = q->profiles[rank.i].process;
	int anew = job_rank(q->job, rank)->anew;
	const struct job_process *now = anew == JOB_NONE ? NULL : &q->job->processes[anew];
	struct verdict_fact *fact;

	if (!now)
		return;
	fact = draft_fact(q, draft, FACT_NEXT_PROCESS, rank, now->cite);
	if (then->host == now->host && then->ended != JOB_UNKNOWN && now->born != JOB_UNKNOWN)
		fact->a = now->born - then->ended;
	fact->b = now->pid;
}

/*
 * An exception comes before the end that it led to; all other words come after it. After an order
 * to end, even an exception does: it is a handler's.
 */
void tell_death(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	bool words_first = p->exception && !obeyed(p);

	if (words_first)
		tell_words(q, rank, draft);
	tell_end(q, rank, draft);
	tell_memory(q, rank, draft);
	tell_next_process(q, rank, draft);
	if (!words_first)
		tell_words(q, rank, draft);
	draft_last_op(q, draft, rank);
}

void tell_killed_since(struct inquiry *q, struct draft *draft)
{
	if (draft->verdict.class == VERDICT_RANK_DEATH || draft->verdict.class == VERDICT_NODE_LOSS)
		return;
	for (size_t i = 0; i < draft->culprits.list.nr; i++) {
		struct rank_index rank = draft->culprits.list.items[i];
		enum death death = q->profiles[rank.i].death;

		if (death != DEATH_KILLED && death != DEATH_UNSURE)
			continue;
		tell_end(q, rank, draft);
		tell_memory(q, rank, draft);
	}
}

/*
 * True if nobody died, and each rank that should be there is known to live, and not only by a look
 * from before others waited for it.
 */
static bool all_live(const struct inquiry *q)
{
	if (!q->job->nranks || !inquiry_all_seen(q))
		return false;
	job_for_each_rank(q->job, rank)
		if (q->profiles[rank.i].process->end != JOB_ALIVE ||
			q->profiles[rank.i].death != DEATH_NONE ||
			inquiry_look(q, rank) == LOOKED_BEFORE)
			return false;
	return true;
}

/* Absence alone is no fact. */
void rule_out_death(struct inquiry *q, struct draft *draft)
{
	struct verdict_fact *fact;
	int64_t kills = JOB_UNKNOWN;

	if (!q->all_live.made)
		q->all_live = (struct inquiry_once){true, all_live(q)};
	if (!q->all_live.holds)
		return;
	for (size_t i = 0; i < q->job->nhosts; i++)
		if (q->job->hosts[i].oom_kills > kills)
			kills = q->job->hosts[i].oom_kills;
	fact = draft_rule_out(draft, VERDICT_RANK_DEATH, FACT_ALL_ALIVE, "procs");
	fact->a = (int64_t)q->job->nranks;
	fact->b = kills;
}
