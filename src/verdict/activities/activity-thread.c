/* SPDX-License-Identifier: Apache-2.0 */
/* How the activity of one thread is found, of what its stack reads (activity-read.h). */
#include "verdict/activities/activity-thread.h"

#include <string.h>

#include "verdict/activities/activity-hidden.h"
#include "verdict/activities/activity-locks.h"
#include "verdict/activities/activity-names.h"

bool activity_stood_beneath(const struct job_stack *stack, long at)
{
	return at >= 0 && stack->samples > 1 && stack->nframes - (size_t)at <= stack->still;
}

/*
 * Finds where a program in C stands: in a stack without Python the innermost frame, from number
 * `from` on, that is of no library.
 */
static long native_program(const struct job *job, const struct job_stack *stack, long from)
{
	if (stackfacts_python(job, stack) >= 0)
		return -1;
	for (size_t i = (size_t)from; i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (frame->kind == JOB_FRAME_NATIVE && *frame->function &&
			!stackfacts_fits(frame->module, "*.so*") &&
			!stackfacts_fits(frame->module, "python*") && *frame->module != '[')
			return (long)i;
	}
	return -1;
}

/*
 * Handles a stack in which nothing tells: if nothing that could tell is hidden, it is in the
 * program's own code.
 */
static void activity_of_program(const struct activity_reader *reader, struct posture *p)
{
	const struct job *job = reader->job;

	p->telling = p->program >= 0 ? p->program : stackfacts_python(job, p->stack);
	if (p->telling >= 0 && !hidden_may_wait(job, p->stack, p->telling, reader->may_spin))
		p->activity = ACTIVITY_USER;
}

/* True if the thread is in flock(), or in F_SETLKW (7) or F_OFD_SETLKW (38) of fcntl(). */
static bool waits_for_file(const struct job_stack *stack)
{
	return !strcmp(stack->syscall, "flock") ||
	       (!strcmp(stack->syscall, "fcntl") && (stack->args[1] == 7 || stack->args[1] == 38));
}

/* Fills in which lock the thread waits for. False: it waits for none. */
static bool activity_of_lock(
	const struct job *job, const struct activity_reading *r, struct posture *p)
{
	long at = locks_waits_for_thread(job, p->stack);

	p->base = r->lock_base;
	if (waits_for_file(p->stack)) {
		p->call = p->stack->syscall;
		return true;
	}
	if (r->threads || at < 0)
		return false;
	p->telling = at;
	p->base = -1;
	p->own_lock = true;
	/* Python's queues have such locks, too; only its Python frames would tell. */
	p->unsure = stackfacts_python(job, p->stack) < 0 && locks_is_interpreter(job, p->stack, at);
	p->call = stackfacts_python(job, p->stack) >= 0 ? "acquire()" : CALL_MUTEX;
	return true;
}

/*
 * Finds a thread that keeps the GIL in a call of C that the program makes, also for a loader. If a
 * library makes the call, what the library is for tells more.
 */
static void find_keeper(const struct job *job, struct posture *p)
{
	if (!locks_keeps_gil(p->stack) || p->program < 0 ||
		stackfacts_python(job, p->stack) != p->program ||
		(p->activity != ACTIVITY_USER && p->activity != ACTIVITY_INPUT))
		return;
	p->activity = ACTIVITY_GIL;
	p->holder = p->stack;
	p->telling = p->program;
}

const struct posture activity_unknown = {.telling = -1,
	.base = -1,
	.program = -1,
	.lock_base = -1,
	.call = "",
	.stands = JOB_UNKNOWN,
	.lingers = JOB_UNKNOWN,
	.watched = JOB_UNKNOWN,
	.aside_call = "",
	.aside_program = -1,
	.aside_stands = JOB_UNKNOWN,
	.lock_stands = JOB_UNKNOWN};

/*
 * True if a wait may be hidden beneath a loader or a save. (A compiler's Python tells when it
 * waits.)
 */
static bool span_is_unsure(const struct activity_reader *reader, const struct posture *p)
{
	long python = stackfacts_python(reader->job, p->stack);

	return (p->activity == ACTIVITY_INPUT || p->activity == ACTIVITY_CHECKPOINT) &&
	       hidden_may_wait(reader->job, p->stack, python >= 0 ? python : p->telling,
		       reader->may_spin);
}

/* True if samples show the thread in other Python code before: it got the GIL in between. */
static bool took_turns(const struct job *job, const struct job_stack *stack)
{
	long python = stackfacts_python(job, stack);

	return stack->moved == JOB_YES && python >= 0 && !activity_stood_beneath(stack, python);
}

/* True if the program waits in Python's means to wait for threads. */
static bool is_in_threading(const struct job *job, const struct posture *p)
{
	static const struct stackfacts_place places[] = {
		{NULL, "threading.py"}, {NULL, "queue.py"}, {NULL, "concurrent/futures/*"}};

	if (p->activity != ACTIVITY_USER)
		return false;
	for (long i = 0; i < p->program; i++) {
		const struct job_frame *frame = stackfacts_frame(job, p->stack, (size_t)i);

		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++)
			if (stackfacts_is_at(frame, &places[k]))
				return true;
	}
	return false;
}

/* -- the first of these that can tell it ------------------------------------------------------ */

/* Fills in what the thread does. False: this does not tell. */
typedef bool posture_reading(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p);

static void wants_gil(const struct activity_reader *reader, long telling, struct posture *p)
{
	p->activity = ACTIVITY_GIL;
	p->telling = telling;
	p->holder = locks_gil_holder(reader->job, reader->gil_holders, p->stack);
}

static bool read_gil(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	long gil = locks_wants_gil(reader->job, p->stack);

	(void)r;
	if (gil < 0 || took_turns(reader->job, p->stack))
		return false;
	wants_gil(reader, gil, p);
	return true;
}

/* A line of the tables that decides, or that spans what is called within. */
static bool read_line(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	const struct job_stack *stack = p->stack;
	const struct job *job = reader->job;

	if (!r->line || r->line->force > ACTIVITY_SPANS || r->line->activity == ACTIVITY_USER)
		return false;
	p->activity = r->line->activity;
	p->telling = r->telling;
	p->base = r->base;
	p->locked = r->line->force == ACTIVITY_SPANS && (r->locked || waits_for_file(stack));
	p->lock_base = r->lock_base;
	p->unsure = span_is_unsure(reader, p);
	p->call = r->line->call ? r->line->call : activity_name_call(job, p);
	p->maybe_zero = (*stack->cut && !stack->rooted) ||
			(stackfacts_frame(job, stack, (size_t)p->telling)->kind ==
					JOB_FRAME_PYTHON &&
				hidden_may_wait(job, stack, p->telling, true));
	if (r->line->force == ACTIVITY_DECIDES)
		activity_better(job, p);
	return true;
}

static bool read_disk(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	(void)reader;
	(void)r;
	if (p->stack->state != 'D')
		return false;
	p->activity = ACTIVITY_IO;
	p->telling = p->stack->nframes ? 0 : -1;
	return true;
}

static bool read_lock(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	if (!activity_of_lock(reader->job, r, p))
		return false;
	p->activity = ACTIVITY_LOCK;
	return true;
}

static bool read_hint(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	(void)reader;
	if (!r->line || r->line->force != ACTIVITY_HINTS)
		return false;
	p->activity = r->line->activity;
	p->telling = r->telling;
	p->base = p->activity == ACTIVITY_LOCK ? r->lock_base : -1;
	p->call = r->line->call;
	return true;
}

static bool read_starved(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	(void)r;
	if (!locks_starves(reader->job, reader->gil_holders, p->stack))
		return false;
	wants_gil(reader, 0, p);
	return true;
}

static bool read_program(
	const struct activity_reader *reader, const struct activity_reading *r, struct posture *p)
{
	(void)r;
	activity_of_program(reader, p);
	return true;
}

struct posture activity_of_thread(const struct activity_reader *reader,
	const struct job_stack *stack, struct activity_reading *r)
{
	static posture_reading *const readings[] = {read_gil, read_line, read_disk, read_lock,
		read_hint, read_starved, read_program};
	const struct job *job = reader->job;
	struct posture p = activity_unknown;

	p.stack = stack;
	*r = activity_read(job, reader->lines, stack);
	p.program = r->program;
	if (p.program < 0) /* what decides may be linked into the program */
		p.program = native_program(job, stack,
			r->line && r->line->force == ACTIVITY_DECIDES ? r->telling + 1 : 0);
	for (size_t i = 0; !readings[i](reader, r, &p);)
		i++;
	find_keeper(job, &p);
	p.for_thread = p.activity == ACTIVITY_LOCK ? p.own_lock : is_in_threading(job, &p);
	return p;
}
