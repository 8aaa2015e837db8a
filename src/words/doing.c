/* SPDX-License-Identifier: Apache-2.0 */
#include "words/doing.h"

#include <inttypes.h>
#include <string.h>

#include "job/calls.h"
#include "job/names.h"
#include "job/spans.h"
#include "words/things.h"
#include "words/wording.h"

/* The word for being in a span, by its kind. */
static const char *const span_states[] = {
	[JOB_SPAN_COMPILE] = "compiling",
	[JOB_SPAN_INPUT] = "input",
	[JOB_SPAN_CHECKPOINT] = "checkpoint",
	[JOB_SPAN_USER] = "in span",
	[JOB_SPAN_DEVICE] = "compiling",
};

/* The word for what a stack tells; NULL: it tells nothing. */
static const char *const activity_states[ACTIVITIES] = {
	[ACTIVITY_COLLECTIVE] = DOING_WAITS,
	[ACTIVITY_P2P] = DOING_WAITS,
	[ACTIVITY_INIT] = "in init",
	[ACTIVITY_STORE] = "in store",
	[ACTIVITY_DEVICE] = "on GPU",
	[ACTIVITY_IO] = "in storage",
	[ACTIVITY_COMPILE] = "compiling",
	[ACTIVITY_INPUT] = "input",
	[ACTIVITY_CHECKPOINT] = "checkpoint",
	[ACTIVITY_LOCK] = "in lock",
	[ACTIVITY_GIL] = "for GIL",
	[ACTIVITY_USER] = "own code",
};

/* The word for what a thread's board tells. */
static const char *const thread_states[] = {
	[JOB_THREAD_UNKNOWN] = "unknown",
	[JOB_THREAD_OUTSIDE] = "own code",
	[JOB_THREAD_IN_CALL] = DOING_WAITS,
	[JOB_THREAD_IN_WAIT] = DOING_WAITS,
	[JOB_THREAD_POLLING] = "polling",
};

/* Returns how long before the look at the rank that was; JOB_UNKNOWN where one of the times is. */
static int64_t age(const struct job *job, struct rank_index rank, int64_t begun)
{
	int64_t now = job_looked_at(job, rank);

	if (now == JOB_UNKNOWN || begun == JOB_UNKNOWN)
		return JOB_UNKNOWN;
	return now > begun ? now - begun : 0;
}

/* Says how the process ended. Returns false if it did not. */
static bool say_end(struct doing *doing, const struct job_process *process)
{
	doing->ended = process->ended;
	if (process->end == JOB_SIGNALED)
		wording_signal(&doing->name, process->status);
	else if (process->end == JOB_EXITED)
		str_printf(&doing->name, "exit %d", process->status);
	else if (process->end == JOB_GONE)
		str_add(&doing->name, "gone");
	else
		return false;
	return true;
}

/* Returns the thread that tells most: the one inside of something, and for the longest. */
static const struct job_thread *thread_of(const struct job *job, struct rank_index rank)
{
	static const int telling[] = {[JOB_THREAD_UNKNOWN] = 0,
		[JOB_THREAD_OUTSIDE] = 1,
		[JOB_THREAD_POLLING] = 2,
		[JOB_THREAD_IN_WAIT] = 3,
		[JOB_THREAD_IN_CALL] = 4};
	struct spans_range range = threads_of(job, rank);
	const struct job_thread *best = NULL;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (!best || telling[thread->state] > telling[best->state] ||
			(thread->state == best->state && thread->since < best->since))
			best = thread;
	}
	return best;
}

/* Returns the innermost open span of the rank or of its children. */
static const struct job_span *span_of(const struct job *job, struct rank_index rank)
{
	struct spans_range range = spans_of(job, rank);
	const struct job_span *best = NULL;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];

		if (span->open && span->kind > JOB_SPAN_NONE && span->kind < JOB_SPAN_KINDS &&
			(!best || span->begun >= best->begun))
			best = span;
	}
	return best;
}

/* Returns the member that is in communicator init; NULL none. */
static const struct job_member *init_of(
	const struct job *job, const struct by_rank *seats, struct rank_index rank)
{
	by_rank_each(seats, rank, i)
		if (job->members[seats->at[i]].state == JOB_MEMBER_IN_INIT)
			return &job->members[seats->at[i]];
	return NULL;
}

/*
 * True if the thread may wait for that operation: its wait names the stream, or what stands for the
 * op. Of a thread that is NULL nothing is known.
 */
static bool may_wait_for(const struct job_thread *thread, const struct job_op *op)
{
	return !thread || !thread->stream || thread->whole_device || !op->stream ||
	       op->stream == thread->stream;
}

/*
 * Returns the newer of `a` and the last of the operations that the thread may wait for, if that is
 * not known to be complete.
 */
static const struct job_op *newer(const struct job_op *a, const struct job_thread *thread,
	const struct job_op *ops, size_t nr)
{
	const struct job_op *last = NULL;

	while (nr && !last)
		last = may_wait_for(thread, &ops[--nr]) ? &ops[nr] : NULL;
	if (!last || last->completed == JOB_YES || last->failed)
		return a;
	return !a || last->entered > a->entered ? last : a;
}

/* Returns the newest operation of the rank that is not known to be complete, of these. */
static const struct job_op *newest_of(const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct job_thread *thread)
{
	const struct job_op *newest = NULL;

	by_rank_each(seats, rank, i) {
		const struct job_member *member = &job->members[seats->at[i]];

		newest = newer(newest, thread, member->ops, member->nops);
		newest = newer(newest, thread, member->p2p, member->np2p);
	}
	return newest;
}

/* Returns the operation that the thread's wait is for; where it names none, the newest. */
static const struct job_op *pending_op(const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct job_thread *thread)
{
	const struct job_op *op = newest_of(job, seats, rank, thread);

	return op ? op : newest_of(job, seats, rank, NULL);
}

/*
 * Returns a call's name as people say it: for PyTorch's store what is waited for; else without the
 * library's name.
 */
static const char *call_name(const char *call)
{
	static const char *const names[][2] = {{"c10d_store_open", "the store"},
		{"c10d_store_serve", "store, for all ranks"},
		{"c10d_store_get", "store, for a key"},
		{"c10d_store_wait", "store, for a key"}, {"c10d_unique_id", "store, for the id"},
		{"jax_get", "store, for a key"}, {"jax_barrier", "barrier of JAX"},
		{"jax_barrier_of_some", "barrier of JAX"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(call, names[i][0]))
			return names[i][1];
	return call_plain_name(call);
}

/*
 * Says what the thread is inside of: a call to NCCL, or, in a wait, the operation that is waited
 * for.
 */
static void say_inside(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct job_thread *thread)
{
	bool waits = thread->state == JOB_THREAD_IN_WAIT || thread->state == JOB_THREAD_POLLING;
	const struct job_op *op = waits ? pending_op(job, seats, rank, thread) : NULL;

	doing->waits = waits;
	if (op && job_op_is_p2p(op->sig.op)) {
		/* Its peer is left out, so that a pipeline's ranks share a row. */
		str_add(&doing->op, job_op_name(op->sig.op));
		return;
	}
	if (op) {
		str_printf(&doing->op, "%s #%" PRIu64, job_op_name(op->sig.op), op->index);
		return;
	}
	str_add(&doing->op, call_name(thread->call));
	if (thread->op)
		str_printf(&doing->op, " #%" PRIu64, thread->op);
}

/* Says what a thread's board tells. */
static void say_thread(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct job_thread *thread)
{
	str_add(&doing->name, thread_states[thread->state]);
	doing->outside = thread->state == JOB_THREAD_OUTSIDE;
	say_inside(doing, job, seats, rank, thread);
	doing->since = age(job, rank, thread->since);
}

/* True if there is a thread, and it is outside of all calls. */
static bool is_outside(const struct job_thread *thread)
{
	return thread && thread->state == JOB_THREAD_OUTSIDE;
}

/* True if there is a thread, and it is inside of a call or a wait. */
static bool is_inside(const struct job_thread *thread)
{
	return thread && thread->state >= JOB_THREAD_IN_CALL;
}

/*
 * Says by the stack what the rank does: if it waits, in which call; else at which line it is.
 * Returns false where the stack does not tell.
 */
static bool say_activity(struct doing *doing, const struct job *job, const struct posture *p)
{
	const struct job_frame *frame;
	long at;

	if (!p || !p->stack || !activity_states[p->activity])
		return false;
	if (p->activity == ACTIVITY_DEVICE && !activities_on_gpu(job, p->stack))
		str_add(&doing->name, activity_states[ACTIVITY_COLLECTIVE]);
	else
		str_add(&doing->name, activity_states[p->activity]);
	doing->told = true;
	doing->since = p->stands;
	at = p->program >= 0 ? p->program : p->telling;
	frame = at < 0 ? NULL : stackfacts_frame(job, p->stack, (size_t)at);
	if (activities_waits(p->activity))
		str_add(&doing->op, things_call(p->activity, p->call));
	else if (frame && *frame->file && frame->line)
		str_printf(&doing->op, "%s:%d",
			strrchr(frame->file, '/') ? strrchr(frame->file, '/') + 1 : frame->file,
			frame->line);
	else if (frame)
		str_add(&doing->op, frame->function);
	return true;
}

/* Returns the older of `a` and the first open one of the operations. */
static const struct job_op *older(const struct job_op *a, const struct job_op *ops, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ops[i].completed == JOB_NO && (!a || ops[i].order < a->order))
			return &ops[i];
	return a;
}

/*
 * Says which of all open operations a rank handed over first, of which only a dump is left. Returns
 * false if none is open.
 */
static bool say_open_op(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank)
{
	const struct job_op *oldest = NULL;

	by_rank_each(seats, rank, i) {
		const struct job_member *member = &job->members[seats->at[i]];

		oldest = older(oldest, member->ops, member->nops);
		oldest = older(oldest, member->p2p, member->np2p);
	}
	if (!oldest)
		return false;
	str_add(&doing->name, DOING_WAITS);
	str_add(&doing->op, job_op_name(oldest->sig.op));
	if (!job_op_is_p2p(oldest->sig.op))
		str_printf(&doing->op, " #%" PRIu64, oldest->index);
	return true;
}

/*
 * True if the stack says more than the ring: the rank waits, for others or for a lock, in something
 * that no ring records, or does something else that is known. That it is in its own code the ring
 * says as well.
 */
static bool tells_more(const struct job_thread *thread, const struct posture *p)
{
	return is_outside(thread) && p && p->activity != ACTIVITY_USER &&
	       (activities_waits(p->activity) || (!p->unsure && p->program >= 0));
}

/*
 * Says what a living rank does: the newest thing that it is inside of, since that is the innermost.
 */
static void say_doing(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct posture *posture)
{
	const struct job_thread *thread = thread_of(job, rank);
	const struct job_span *span = span_of(job, rank);
	const struct job_member *init = init_of(job, seats, rank);

	if (span && !(is_inside(thread) && thread->since >= span->begun)) {
		str_add(&doing->name, span_states[span->kind]);
		str_add(&doing->op, span->name);
		doing->since = age(job, rank, span->begun);
	} else if (init) {
		str_add(&doing->name, "in init");
		doing->since = age(job, rank, init->init_since);
	} else if (tells_more(thread, posture) && say_activity(doing, job, posture)) {
		doing->outside = !activities_waits(posture->activity);
	} else if (thread && thread->state != JOB_THREAD_UNKNOWN) {
		say_thread(doing, job, seats, rank, thread);
	} else if (thread) {
		str_add(&doing->name, "moving"); /* its board was newer than the gathering */
	} else if (job_rank(job, rank)->knows & JOB_KNOWS_DUMP &&
		   say_open_op(doing, job, seats, rank)) {
		doing->waits = true;
	} else if (!say_activity(doing, job, posture)) {
		str_add(&doing->name, job_rank(job, rank)->candidate_only ? "starting" : "unknown");
	}
}

void doing_of(struct doing *doing, const struct job *job, const struct by_rank *seats,
	struct rank_index rank, const struct posture *posture)
{
	int index = job_rank(job, rank)->process;
	const struct job_process *process = index >= 0 ? &job->processes[index] : NULL;

	doing->since = doing->ended = JOB_UNKNOWN;
	if (!process) {
		str_add(&doing->name, "not seen");
		return;
	}
	if (say_end(doing, process))
		return;
	doing->ended = JOB_UNKNOWN;
	if (process->frozen == JOB_YES || process->state == 'T' || process->state == 't')
		str_add(&doing->name, "stopped");
	else
		say_doing(doing, job, seats, rank, posture);
}

void doing_release(struct doing *doing)
{
	str_release(&doing->name);
	str_release(&doing->op);
}
