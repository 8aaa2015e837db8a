/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges what a rank began and is in no call for. What hosts drive, or send, goes on without a
 * wait, or stands still without keeping its rank. A receive is open until its message comes, which
 * may be the next step's; the rank may ask for it again and again, and no ring records that. So:
 *
 *	a thread is held in it		it is a wait
 *	a thread is in a call, and
 *	nobody knows what for; or its
 *	stack shows that the rank waits	it may be that wait: it counts as one
 *	its ring does not tell of all
 *	threads, or not whether one
 *	that waits for several means
 *	this one, too			perhaps it is a wait: a guess
 *	threads are held in others, or
 *	the stack shows other work, or
 *	it is a send			nobody is seen to wait for it (verdict/polls.h)
 *	its rank ended on its own	it is ahead: a wait for it may have thrown, or nobody
 *					waited
 *	else				it is ahead: a guess (waits.h)
 *
 * A collective that hosts move is no guess: where its rank is not known to be elsewhere it is a
 * wait, which need not be seen.
 */
#include "job/waitfor/waits.h"

#include <signal.h>

#include "base/array.h"
#include "base/bisect.h"
#include "job/backends.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/spans.h"

/*
 * True if the wait is for something that hosts move, and no device. Collectives that hosts drive
 * are treated apart.
 */
static bool is_by_host(const struct job *job, const struct wait *wait)
{
	const char *maker;

	if (wait->kind != WAIT_P2P && wait->kind != WAIT_COLLECTIVE)
		return false;
	maker = job->groups[job->members[wait->member].group].maker;
	return backend_has(maker, BACKEND_ON_HOST) &&
	       (wait->kind == WAIT_P2P || !backend_has(maker, BACKEND_DRIVEN));
}

bool waits_keep_only_who_waits(const struct job *job, const struct wait *wait)
{
	return (wait->kind == WAIT_COLLECTIVE || wait->kind == WAIT_P2P) &&
	       backend_has(job->groups[job->members[wait->member].group].maker, BACKEND_DRIVEN);
}

/* True if it is unknown in which call some thread of the rank is. */
static bool is_torn(const struct job *job, struct rank_index rank)
{
	struct spans_range range = threads_of(job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (job->threads[i].state == JOB_THREAD_UNKNOWN &&
			!waits_is_watchdog(job->threads[i].name))
			return true;
	return false;
}

/* True if the rank's ring tells in which calls all its threads are, and what for. */
static bool tells_all(const struct job *job, struct rank_index rank)
{
	struct spans_range range = threads_of(job, rank);

	return range.from < range.to && !is_torn(job, rank) && !job_rank(job, rank)->loses &&
	       !job_rank(job, rank)->shares_process;
}

bool waits_hide(const struct job *job, struct rank_index rank, const struct waits_told *told)
{
	const struct job_rank *r = job_rank(job, rank);

	return (r->knows & JOB_KNOWS_RING) && r->process != JOB_NONE &&
	       job->processes[r->process].end <= JOB_ALIVE && !(told && told->elsewhere) &&
	       is_torn(job, rank);
}

/* True if the process lives, or was ended by others where it was. */
static bool was_left_alone(const struct job_process *process)
{
	return process->end <= JOB_ALIVE ||
	       (process->end == JOB_SIGNALED &&
		       (process->status == SIGTERM || process->status == SIGKILL));
}

/* True if the rank is held in a call of which nobody knows what it waits for. */
static bool is_in_some_wait(const struct wait *waits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (waits[i].held && (waits[i].kind == WAIT_SYNC || waits[i].kind == WAIT_OTHER))
			return true;
	return false;
}

static bool is_held(const struct wait *waits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (waits[i].held)
			return true;
	return false;
}

/*
 * Makes the wait for a message a guess. (For a collective a member that has not come would be
 * blamed for sure.)
 */
static void guess(struct wait *wait)
{
	wait->ahead = wait->perhaps = wait->doubtful = true;
	wait->sure = false;
}

/* Lets a wait hold nobody: what was begun is open, and nobody is seen to wait for it. */
static void keep_nobody(struct wait *wait)
{
	wait->ahead = true;
	wait->sure = wait->lacking = wait->doubtful = false;
}

/* True if the message's other side is done with it. */
static bool is_met_and_done(const struct job *job, const struct wait *wait)
{
	const struct job_op *met = wait->op ? message_met(job, wait->member, wait->op) : NULL;

	return met && met->completed == JOB_YES;
}

/* Makes the messages that a rank began which ended on its own a guess. */
static void doubt_messages(const struct job *job, struct wait *waits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!waits[i].held && waits[i].kind == WAIT_P2P && is_by_host(job, &waits[i]))
			waits[i].ahead = true, waits[i].sure = false;
}

void waits_find_ahead(const struct job *job, struct rank_index rank, const struct waits_told *told,
	struct wait *waits, size_t n)
{
	const struct job_rank *r = job_rank(job, rank);
	bool all = tells_all(job, rank), held = is_held(waits, n), busy;
	bool shown = told && told->waits && !held;

	for (size_t i = 0; i < n; i++)
		if (!waits[i].held && waits[i].perhaps && waits[i].kind == WAIT_P2P)
			guess(&waits[i]);
		else if (!waits[i].held && waits[i].perhaps)
			keep_nobody(&waits[i]);
	if (!(r->knows & JOB_KNOWS_RING) || r->process == JOB_NONE || is_in_some_wait(waits, n))
		return;
	if (!was_left_alone(&job->processes[r->process])) {
		doubt_messages(job, waits, n);
		return;
	}
	busy = all && (held || (told && told->elsewhere));
	for (size_t i = 0; i < n; i++) {
		struct wait *wait = &waits[i];
		bool sends = wait->op && wait->op->sig.op == JOB_OP_SEND;

		if (wait->held || wait->ahead || !is_by_host(job, wait) || (shown && !sends))
			continue;
		if (wait->kind == WAIT_COLLECTIVE && !busy)
			continue;
		if (!all && is_met_and_done(job, wait))
			keep_nobody(wait);
		else if (!all)
			guess(wait);
		else if (busy || sends)
			keep_nobody(wait);
		else
			wait->ahead = true, wait->sure = false;
	}
}

/* -- behind what lacks somebody ---------------------------------------------------------------- */

/* True if a device does what is waited for, on a stream that is known. */
static bool is_streamed(const struct job *job, const struct wait *wait)
{
	return wait->op && wait->op->stream && wait->op->order &&
	       !backend_has(job->groups[job->members[wait->member].group].maker, BACKEND_ON_HOST);
}

/* Orders ops by stream, and on it as they were launched. */
static int compare_launches(const void *va, const void *vb)
{
	const struct job_op *a = *(const struct job_op *const *)va;
	const struct job_op *b = *(const struct job_op *const *)vb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* True if one of these, sorted, was launched before the op on its stream, and not with it. */
static bool is_behind(const struct job_op *const *lacking, size_t n, const struct job_op *op)
{
	const struct job_op start = {.stream = op->stream}, *key = &start;
	size_t first = bisect(0, n, i, compare_launches(&lacking[i], &key) < 0);

	return first < n && lacking[first]->stream == op->stream &&
	       lacking[first]->order < op->order &&
	       (!op->launch || lacking[first]->launch != op->launch);
}

void waits_find_behind(const struct job *job, struct wait *waits, size_t n)
{
	ARRAY(const struct job_op *) lacking = {0};

	for (size_t i = 0; i < n; i++)
		if (waits[i].lacking && waits[i].sure && is_streamed(job, &waits[i]))
			*array_add(&lacking) = waits[i].op;
	array_sort(&lacking, compare_launches);
	for (size_t i = 0; i < n && lacking.nr; i++)
		if (waits[i].kind == WAIT_P2P && !waits[i].sure && !waits[i].doubtful &&
			is_streamed(job, &waits[i]))
			waits[i].sure = is_behind(lacking.items, lacking.nr, waits[i].op);
	array_release(&lacking);
}
