/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells causes and effects of deaths apart, in two passes: what each death tells by itself, then
 * what the others' deaths tell about it.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "job/backends.h"
#include "job/calls.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/spans.h"
#include "verdict/backends/backend.h"
#include "verdict/profiles/earlier.h"
#include "verdict/profiles/last-words.h"
#include "verdict/profiles/memory-deaths.h"
#include "verdict/profiles/profile.h"
#include "verdict/profiles/told.h"
#include "verdict/profiles/undecided.h"

/* A rank that was inside one call for so many ns may have ended of what happened there. */
#define HELD_LONG (2 * CLOCK_NS_PER_S)

bool profile_is_fault_signal(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL ||
	       signo == SIGSYS || signo == SIGTRAP;
}

/* True if the rank's own words name a CUDA error. */
static bool says_cuda_error(const struct profile *p)
{
	return (p->exception && words_tell_cuda_error(p->exception->text)) ||
	       (p->log && words_tell_cuda_error(p->log->error));
}

/* True if an exception tells why the rank ended: that it called MPI_Abort does not. */
static bool has_reason(const struct profile *p)
{
	return p->exception && !words_tell_abort_call(p->exception->text);
}

bool profile_tells_of_others(const struct profile *p)
{
	if (has_reason(p))
		return words_are_echo(p->exception->text);
	return p->log && words_are_echo(p->log->error);
}

bool profile_tells_of_gone(const struct profile *p)
{
	return (p->exception && words_tell_of_gone(p->exception->text)) ||
	       (p->log && words_tell_of_gone(p->log->error));
}

/* True if the rank's last words are about others, even if they name no error. */
static bool says_echo(const struct profile *p)
{
	return profile_tells_of_others(p) || (!has_reason(p) && p->log && !*p->log->error &&
						     words_are_echo(p->log->last_line));
}

bool profile_tells_mismatch(const struct profile *p)
{
	return p->rejected || (p->exception && words_tell_mismatch(p->exception->text)) ||
	       (p->log && words_tell_mismatch(p->log->error));
}

/*
 * Finds where the death struck, and whether a backend ended the rank over what another rank sent.
 */
static void find_death_stack(const struct job *job, struct rank_index rank, struct profile *p)
{
	const struct job_stack *stack =
		p->fatal && p->fatal->tid ? stackfacts_thread(job, rank, p->fatal->tid) : NULL;

	if (!stack || (stack->how != JOB_STACK_CORE && stack->how != JOB_STACK_FATAL))
		return;
	p->death_stack = stack;
	for (size_t i = 0; backends[i] && !p->rejected; i++)
		p->rejected = p->fatal->signo == SIGABRT && backends[i]->nrejects &&
			      stackfacts_find(job, stack, 0, backends[i]->rejects,
				      backends[i]->nrejects) >= 0;
}

/* -- first pass: what a death says by itself --------------------------------------------------- */

static void set_death(struct profile *p, enum death death, enum verdict_cause cause, int64_t fault)
{
	p->death = death;
	p->cause = cause;
	p->fault = fault;
}

/* True if a backend aborted when its script had ended. */
static bool is_teardown(const struct profile *p)
{
	for (size_t i = 0; backends[i]; i++)
		if (backends[i]->is_teardown && backends[i]->is_teardown(p))
			return true;
	return false;
}

/*
 * True if a log tells how the rank ended, and that it aborted of itself. A rank whose watchdog
 * gives up may spoil its heap on its way out.
 */
static bool says_own_abort(const struct profile *p)
{
	return p->process && p->process->end_by_text && p->log &&
	       words_tell_own_abort(p->log->error) && !p->gave_up;
}

/* abort() is a watchdog's way to end a job that hangs, and an error's way to end a rank. */
static void judge_abort(struct profile *p, int64_t when)
{
	if (says_cuda_error(p))
		set_death(p, DEATH_OWN, VERDICT_BY_CUDA_ERROR, when);
	else if (is_teardown(p))
		set_death(p, DEATH_CLEAN, VERDICT_BY_EARLY_EXIT, when);
	else if (p->fatal && waits_is_watchdog(p->fatal->thread))
		set_death(p, p->waits ? DEATH_ECHO : DEATH_UNSURE, VERDICT_BY_ABORT, when);
	else if (says_echo(p) || profile_tells_mismatch(p))
		set_death(p, DEATH_UNSURE, VERDICT_BY_ABORT, when);
	else
		set_death(p, p->fatal || says_own_abort(p) ? DEATH_OWN : DEATH_UNSURE,
			VERDICT_BY_ABORT, when);
}

/*
 * An order that a launcher gave before, or got, explains all. Else a fault is the rank's own; and
 * so is a signal that it sent to itself, if nobody had told it to end: a rank that tidies up first
 * may pass the order on in this way. Any other signal is somebody else's.
 */
static void judge_signal(const struct job *job, struct profile *p, int signo, int64_t when)
{
	bool outside = p->fatal && told_from_outside(job, p->fatal);

	if (p->told && told_by_launcher(job, p->told) &&
		!(p->fatal && p->fatal->when < p->told->when))
		set_death(p, DEATH_ECHO, VERDICT_BY_KILLED, when);
	else if (profile_is_fault_signal(signo) && !outside)
		set_death(p, DEATH_OWN, VERDICT_BY_SIGNAL, when);
	else if (signo == SIGABRT && !outside)
		judge_abort(p, when);
	else if (p->own_end && p->own_end->signo == signo && !p->told)
		set_death(p, DEATH_OWN, VERDICT_BY_SIGNAL, when);
	else if (told_is_order(signo))
		set_death(p, told_with_launcher(job, when) ? DEATH_ECHO : DEATH_UNSURE,
			VERDICT_BY_KILLED, when);
	else
		set_death(p, DEATH_KILLED, VERDICT_BY_KILLED, when);
}

/*
 * An exception is the rank's own, unless it tells of others; a CUDA error is its own whatever else
 * it tells.
 */
static void judge_exception(struct profile *p)
{
	enum verdict_cause cause = VERDICT_BY_EXCEPTION;

	if (says_cuda_error(p) && !words_tell_no_memory(p->exception->text))
		cause = VERDICT_BY_CUDA_ERROR;
	set_death(p,
		(says_echo(p) || profile_tells_mismatch(p)) && cause != VERDICT_BY_CUDA_ERROR
			? DEATH_UNSURE
			: DEATH_OWN,
		cause, p->exception->when);
}

/* Returns the thread of the rank that is inside an operation that hosts drive; NULL none. */
static const struct job_thread *driven_thread(const struct job *job, struct rank_index rank)
{
	struct spans_range threads = threads_of(job, rank);

	for (size_t i = threads.from; i < threads.to; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (thread->state == JOB_THREAD_IN_CALL && thread->group != JOB_NONE &&
			!(call_traits(thread->call) & CALL_CLOSES) &&
			backend_has(job->groups[thread->group].maker, BACKEND_DRIVEN))
			return thread;
	}
	return NULL;
}

/*
 * True if the rank ended inside such an operation: then the library ended it, because of what came
 * from others, or of its arguments. For a peer that its group does not have nobody else is at
 * fault.
 */
static bool ended_in_op(const struct job *job, const struct profile *p)
{
	return !p->names_nobody && driven_thread(job, p->process->rank);
}

/* A status tells little: a rank that was told to end, or speaks of others, may only have obeyed. */
static void judge_exit(const struct job *job, struct profile *p, int64_t when)
{
	if (p->process->status == 0) {
		set_death(p, DEATH_CLEAN, VERDICT_BY_EARLY_EXIT, when);
		return;
	}
	p->rejected |= ended_in_op(job, p);
	if (p->told && told_by_launcher(job, p->told))
		set_death(p, DEATH_ECHO, VERDICT_BY_KILLED, when);
	else if (p->told || !p->readable || says_echo(p) || profile_tells_mismatch(p))
		set_death(p, DEATH_UNSURE, VERDICT_NO_CAUSE, when);
	else
		set_death(p, DEATH_OWN, VERDICT_NO_CAUSE, when);
	if (p->death == DEATH_OWN && says_cuda_error(p))
		p->cause = VERDICT_BY_CUDA_ERROR;
	else if (p->death == DEATH_OWN && p->log && *p->log->error)
		p->cause = VERDICT_BY_EXCEPTION;
}

/*
 * Returns the last operation that a member came to in its work: what an exit calls is none; NULL.
 */
static const struct job_op *last_work(const struct job_member *m)
{
	size_t n = m->nops;

	while (n && m->ops[n - 1].sig.op == JOB_OP_FINALIZE)
		n--;
	return n ? &m->ops[n - 1] : NULL;
}

/* Notes of a seat what its rank's death is asked for. */
static void look_at_seat(const struct job *job, const struct job_member *m, struct profile *p)
{
	const struct job_op *last = last_work(m), *op = NULL;
	const struct job_thread *thread =
		p->process && p->process->end == JOB_EXITED ? driven_thread(job, m->rank) : NULL;

	if (last && last->entered > p->worked)
		p->worked = last->entered;
	if (thread && thread->group == m->group)
		op = rollcall_op(m, thread->op);
	if (op && is_group_rank(op->sig.peer) && op->sig.peer.n >= job->groups[m->group].size)
		p->names_nobody = true;
}

/* Notes of each rank what all seats and logs tell of it. */
static void look_at_work(const struct job *job, struct profile *profiles)
{
	job_for_each_rank(job, rank)
		profiles[rank.i].worked = JOB_UNKNOWN;
	for (size_t i = 0; i < job->nmembers; i++)
		if (is_rank(job->members[i].rank))
			look_at_seat(job, &job->members[i],
				&profiles[job->members[i].rank.i]);
	for (size_t i = 0; i < job->nsayings; i++)
		if (job->sayings[i].kind == JOB_SAYS_WATCHDOG && is_rank(job->sayings[i].rank))
			profiles[job->sayings[i].rank.i].gave_up = true;
}

/* True if the rank went on with its work after the exception it said it would die of. */
static bool outlived(const struct profile *p)
{
	return p->exception->when != JOB_UNKNOWN && p->worked > p->exception->when;
}

/*
 * True if the rank died of its exception: not if it went on, or was told to end before. (A status
 * of 0 may be a handler's, or made up.)
 */
static bool died_of_exception(const struct profile *p)
{
	if (!p->exception || outlived(p))
		return false;
	return !(p->told && p->told->when < p->exception->when);
}

/*
 * Judges a death by the best account there is: an exception, then how the process ended, then only
 * that it is gone.
 */
static void judge_alone(const struct job *job, struct profile *p)
{
	const struct job_process *process = p->process;
	int64_t when = process ? process->ended : JOB_UNKNOWN;

	if (p->fatal && p->fatal->when != JOB_UNKNOWN)
		when = p->fatal->when;
	else if (when == JOB_UNKNOWN && p->told)
		when = p->told->when; /* the last that was seen of a rank whose end nobody timed */
	if (died_of_exception(p))
		judge_exception(p);
	else if (process && process->end == JOB_EXITED)
		judge_exit(job, p, when);
	else if (process && process->end == JOB_SIGNALED)
		judge_signal(job, p, process->status, when);
	else if (p->fatal && process && process->end != JOB_ALIVE)
		judge_signal(job, p, p->fatal->signo, when);
	else if (process && process->end == JOB_GONE)
		set_death(p, DEATH_UNSURE, VERDICT_NO_CAUSE, when);
	if (p->dead_child && p->dead_child->ended != JOB_UNKNOWN && p->fault != JOB_UNKNOWN &&
		p->dead_child->ended > p->fault)
		p->dead_child = NULL;
}

/* -- second pass: what the others' deaths say about it ----------------------------------------- */

/* What the second pass looks at. */
struct deaths {
	const struct job *job;
	const struct waits *waits;
	const struct clocks *clocks;
	struct profile *profiles;
};

/* True if the rank failed, of others or by its own watchdog, before anybody told it to end. */
static bool failed_untold(const struct profile *p)
{
	return (p->death == DEATH_UNSURE || p->death == DEATH_ECHO) &&
		p->cause != VERDICT_BY_KILLED && p->process &&
		(p->exception || p->process->end == JOB_EXITED || p->cause == VERDICT_BY_ABORT) &&
		(!p->told || (p->fault != JOB_UNKNOWN && p->told->when > p->fault));
}

/*
 * Tells whether all were ended at once. YES: nobody lives on but ranks that ended on their own, and
 * the rest was killed or told to end, at once. A single kill among ends that are all known and were
 * orders is somebody's doing, and so is one that the launcher saw before it ended the others; among
 * unknown ends it may be the last trace of the job's end. MAYBE:
 * the kills may have been at one moment, but the time of some is unknown, or they are of nodes
 * whose clocks do not tell.
 */
static enum job_known all_were_ended(const struct deaths *d)
{
	struct earlier_spread kills = {0};
	size_t ended = 0, killed = 0, ranks = 0, failed = 0;
	size_t unknown = d->job->coverage.ranks.n > (int)d->job->nranks;
	bool first = false;

	job_for_each_rank(d->job, rank) {
		const struct profile *p = &d->profiles[rank.i];

		unknown += !p->process;
		if (!p->process)
			continue;
		ranks++;
		if (p->death == DEATH_OWN || p->death == DEATH_CLEAN)
			continue;
		if (p->process->end == JOB_ALIVE)
			return JOB_NO;
		unknown += p->death == DEATH_NONE;
		ended += p->death != DEATH_NONE;
		killed += p->death == DEATH_KILLED;
		first |= p->death == DEATH_KILLED && p->process->failed_first;
		failed += failed_untold(p);
		if (p->death == DEATH_KILLED)
			earlier_spread_add(&kills, d->clocks, rank, p->fault);
	}
	if (!ended || (killed == 1 && (first || (!unknown && ranks > 1))) || (failed && !killed))
		return JOB_NO;
	return earlier_at_once(&kills);
}

/* True for causes that strike a rank wherever it is, also inside a wait. */
static bool is_direct(const struct profile *p)
{
	return p->cause == VERDICT_BY_SIGNAL || p->cause == VERDICT_BY_OOM_KILL ||
	       p->cause == VERDICT_BY_CUDA_ERROR;
}

/*
 * True if the rank had long been held somewhere when it ended, or at an unknown time: then it may
 * have ended of that. So too if it had long begun a message for which nobody is seen to wait.
 */
static bool was_held_long(
	const struct waits *waits, struct rank_index rank, const struct profile *p)
{
	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &waits->at[i];

		if ((wait->held || wait->ahead) && wait->since != JOB_UNKNOWN &&
			(p->fault == JOB_UNKNOWN || p->fault - wait->since > HELD_LONG))
			return true;
	}
	return false;
}

/* Takes an end that came after others', or out of a wait, back to an echo or to a doubt. */
static void judge_among(struct profile *p, bool held, const struct earlier_ends *ends)
{
	bool after = earlier_was_another(p, ends);

	if (p->death == DEATH_KILLED &&
		(after || ends->first_own <= p->fault || earlier_may_be_answered(p, ends))) {
		bool sure = (after && p->fault != JOB_UNKNOWN) ||
			    ends->first_own_sure <= p->fault || ends->first_own == INT64_MIN;

		p->death = sure ? DEATH_ECHO : DEATH_UNSURE;
		if (!sure)
			return;
	}
	if (p->death == DEATH_UNSURE && after)
		p->death = DEATH_ECHO;
	/* A launcher gives its orders a moment after the death that it noticed. */
	if (p->death == DEATH_UNSURE && p->cause == VERDICT_BY_KILLED &&
		earlier_was_unordered(p, ends))
		p->death = DEATH_ECHO;
	/* What it says of others is true: one of them had ended. */
	if (p->death == DEATH_UNSURE && says_echo(p) && earlier_was_unordered(p, ends))
		p->death = DEATH_ECHO;
	if (p->death != DEATH_OWN || !(p->waits || held) || p->cause == VERDICT_BY_OOM_KILL)
		return;
	/* It was inside an op that others never entered, or that had long stood still. */
	if (!is_direct(p))
		p->death = after ? DEATH_ECHO : DEATH_UNSURE;
	else if (p->cause == VERDICT_BY_SIGNAL && earlier_may_be_another(p, ends))
		p->death = after ? DEATH_ECHO : DEATH_UNSURE;
}

/*
 * True if `other` is known to have lived on after this rank's end, for longer than an order to all
 * would have taken to reach it.
 */
static bool outlived_by(const struct deaths *d, struct rank_index rank, struct rank_index other)
{
	const struct profile *p = &d->profiles[other.i];
	int64_t for_long =
		earlier_by(d->clocks, other, d->waits->now[other.i], rank,
			d->profiles[rank.i].fault);

	return p->process && p->process->end != JOB_END_UNKNOWN && for_long != JOB_UNKNOWN &&
	       for_long >= EARLIER_AT_ONCE;
}

static bool others_live_on(const struct deaths *d, struct rank_index rank)
{
	job_for_each_rank(d->job, at)
		if (!same_rank(at, rank) && !outlived_by(d, rank, at))
			return false;
	return true;
}

/*
 * Takes an order to end for an echo of something, unless one rank alone got it and nothing else
 * ended.
 */
static void judge_lone_order(const struct deaths *d)
{
	struct rank_index lone = NO_RANK;

	job_for_each_rank(d->job, rank) {
		const struct profile *p = &d->profiles[rank.i];

		if (p->death == DEATH_NONE && !p->told)
			continue;
		if (is_rank(lone) || p->death != DEATH_ECHO || p->cause != VERDICT_BY_KILLED)
			return;
		lone = rank;
	}
	if (is_rank(lone) && d->job->nranks > 1 && others_live_on(d, lone))
		d->profiles[lone.i].death = DEATH_KILLED;
}

/* Returns when the rank ended, by the best account; JOB_UNKNOWN. */
static int64_t end_of(const struct profile *p)
{
	if (p->fatal && p->fatal->when != JOB_UNKNOWN)
		return p->fatal->when;
	return p->process ? p->process->ended : JOB_UNKNOWN;
}

/*
 * True if it is known that nothing ended this rank but orders that came after the first rank's end,
 * or their echo.
 */
static bool is_in_the_wake(const struct deaths *d, struct rank_index rank, struct rank_index first)
{
	const struct profile *p = &d->profiles[rank.i];
	int64_t ended = end_of(&d->profiles[first.i]);

	if (p->death == DEATH_OWN || p->death == DEATH_KILLED || !p->readable || !p->process ||
		p->process->end == JOB_END_UNKNOWN || p->process->end == JOB_GONE)
		return false;
	if (!p->told) /* an order to all may still be on its way to a rank that lives */
		return p->ended || outlived_by(d, first, rank);
	return told_by_launcher(d->job, p->told) &&
	       earlier_by(d->clocks, rank, p->told->when, first, ended) > 0;
}

/* Returns the rank that was told to end before all others; NO_RANK where that is not known. */
static struct rank_index first_told(const struct deaths *d)
{
	struct rank_index first = NO_RANK;

	job_for_each_rank(d->job, rank) {
		const struct job_signal *told = d->profiles[rank.i].told;
		int64_t after;

		if (!told)
			continue;
		if (told->when == JOB_UNKNOWN)
			return NO_RANK;
		first = is_rank(first) ? first : rank;
		after = earlier_by(d->clocks, rank, told->when, first,
			d->profiles[first.i].told->when);
		if (after == JOB_UNKNOWN)
			return NO_RANK;
		first = after < 0 ? rank : first;
	}
	return first;
}

/*
 * Handles the case that somebody told one rank to end, and the launcher told all others only when
 * it had: the first order is the cause of all ends, whatever the rank did on its way out and
 * however long that took.
 */
static void judge_first_order(const struct deaths *d)
{
	struct rank_index rank = first_told(d);
	struct profile *first = is_rank(rank) ? &d->profiles[rank.i] : NULL;

	if (!first || d->job->nranks < 2 || told_by_launcher(d->job, first->told) ||
		!first->ended ||
		(first->death != DEATH_UNSURE && first->death != DEATH_ECHO))
		return;
	job_for_each_rank(d->job, at)
		if (!same_rank(at, rank) && !is_in_the_wake(d, at, rank))
			return;
	set_death(first, DEATH_KILLED, VERDICT_BY_KILLED, first->told->when);
}

/* True if nothing but an order from outside is known to have ended the rank. */
static bool obeyed(const struct profile *p)
{
	return p->told && p->cause == VERDICT_BY_KILLED &&
	       (p->death == DEATH_UNSURE || p->death == DEATH_ECHO);
}

/*
 * Returns how many ranks were told to end at about the same time as the first of them; *ret_ranks:
 * of how many.
 */
static size_t told_at_once(const struct deaths *d, struct rank_index first, size_t *ret_ranks)
{
	size_t told = 0;

	*ret_ranks = 0;
	job_for_each_rank(d->job, rank) {
		const struct profile *p = &d->profiles[rank.i];
		int64_t after = !p->told ? JOB_UNKNOWN
					 : earlier_by(d->clocks, rank, p->told->when, first,
						   d->profiles[first.i].told->when);

		*ret_ranks += p->process != NULL;
		told += after != JOB_UNKNOWN && after <= EARLIER_AT_ONCE;
	}
	return told;
}

/*
 * Handles a signal to a whole process group, by `timeout` or a scheduler: it reaches ranks and
 * launcher one by one, and the launcher tells the ranks once more. So the rank that obeyed first is
 * no cause; if all were told at once, it is the end of the job. A lone order counts only once the
 * others have outlived the rank.
 */
static void judge_common_order(const struct deaths *d)
{
	struct rank_index first = first_told(d);
	size_t ranks, told = is_rank(first) ? told_at_once(d, first, &ranks) : 0;

	for (struct rank_index rank = {0}; told && job_has_rank(d->job, rank); rank.i++) {
		struct profile *p = &d->profiles[rank.i];

		if (!obeyed(p))
			continue;
		if (told > 1)
			p->death = told == ranks ? DEATH_END : DEATH_ECHO;
		else if (d->job->nranks > 1 && !others_live_on(d, rank))
			p->death = DEATH_ECHO;
	}
}

/* True if it is known only that the rank ended the job, and neither why nor when. */
static bool aborted_somehow(const struct profile *p)
{
	return p->death == DEATH_OWN && p->cause == VERDICT_BY_EXCEPTION &&
	       p->fault == JOB_UNKNOWN && !has_reason(p) && !(p->log && *p->log->error);
}

/* Takes who ended the job so, where a fault struck another, for one that may have seen that. */
static void judge_abort_calls(const struct deaths *d)
{
	bool struck = false;

	job_for_each_rank(d->job, rank)
		struck |= d->profiles[rank.i].death == DEATH_OWN && is_direct(&d->profiles[rank.i]);
	job_for_each_rank(d->job, rank)
		if (struck && aborted_somehow(&d->profiles[rank.i]))
			d->profiles[rank.i].death = DEATH_UNSURE;
}

/* Judges each bad end by what the others' ends tell about it. */
static void judge_all_among(struct deaths *d)
{
	enum job_known end = all_were_ended(d);
	struct earlier_ends *ends = earlier_ends_new(d->job, d->clocks, d->profiles);

	job_for_each_rank(d->job, rank) {
		struct profile *p = &d->profiles[rank.i];

		if (!earlier_is_bad(p))
			continue;
		if (end != JOB_NO && p->death != DEATH_OWN)
			p->death = end == JOB_MAYBE ? DEATH_UNSURE : DEATH_END;
		else
			judge_among(p, was_held_long(d->waits, rank, p),
				&ends[clocks_of_rank(d->clocks, rank)]);
	}
	free(ends);
}

void profiles_judge_deaths(const struct job *job, const struct waits *waits,
	const struct clocks *clocks, struct profile *profiles)
{
	struct deaths d = {.job = job, .waits = waits, .clocks = clocks, .profiles = profiles};

	told_find(job, profiles);
	look_at_work(job, profiles);
	job_for_each_rank(job, rank)
		find_death_stack(job, rank, &profiles[rank.i]);
	job_for_each_rank(job, rank)
		judge_alone(job, &profiles[rank.i]);
	memory_deaths_find(job, clocks, profiles);
	judge_lone_order(&d);
	judge_first_order(&d);
	judge_common_order(&d);
	judge_abort_calls(&d);
	judge_all_among(&d);
	undecided_judge(job, clocks, profiles);
}
