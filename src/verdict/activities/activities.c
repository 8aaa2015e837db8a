/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the posture of a rank is found, of what its threads do (activity-thread.h).
 *
 * The main thread speaks for its rank. If it waits for a thread of its own process, that thread
 * speaks if it waits for other ranks, computes for autograd, or is the one that called the rank's
 * latest operations. Whatever the main thread does, its rank waits for others while a runner of its
 * operations stands in one (activity-runner.h).
 */
#include "verdict/activities/activities.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/by-rank.h"
#include "job/spans.h"
#include "verdict/activities/activity-apart.h"
#include "verdict/activities/activity-hidden.h"
#include "verdict/activities/activity-locks.h"
#include "verdict/activities/activity-runner.h"
#include "verdict/activities/activity-thread.h"

bool activities_waits(enum activity activity)
{
	return activity >= ACTIVITY_COLLECTIVE && activity <= ACTIVITY_DEVICE;
}

bool activities_in_file_lock(const struct posture *p)
{
	return p->locked || (p->activity == ACTIVITY_LOCK && !p->own_lock);
}

bool activities_elsewhere(enum activity activity)
{
	return activity >= ACTIVITY_FROZEN;
}

/* What is asked of other threads on behalf of a main thread that waits for one. */
struct asking {
	bool any;    /* the main thread tells nothing: any thread of the program will do */
	bool found;  /* some thread speaks for it: */
	bool hidden; /* some thread may, but its stack does not tell */
	bool python; /* the program is in Python: where it runs, Python frames show it */
	uint32_t caller; /* the thread that called the rank's latest operations; 0 not known */
	struct posture best;
	size_t speakers;
};

/* True if the thread is autograd's, and waits for work. */
static bool is_idle(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place idle[] = {{"torch::autograd::ReadyQueue::pop*", NULL}};

	return stackfacts_find(job, stack, 0, idle, 1) >= 0;
}

/*
 * Hears one more thread. Of two the one speaks that waits for others, so that nobody is blamed.
 * `bare`: no code of the program runs on it, whatever of its stack is hidden.
 */
static void hear(struct asking *asking, const struct job_stack *stack, const struct posture *p,
	bool child, bool bare)
{
	bool autograd = stackfacts_fits(stack->thread, "pt_autograd*");
	bool works = child || autograd || p->program >= 0;

	if (p->activity == ACTIVITY_UNKNOWN || (!works && *stack->cut && !stack->rooted)) {
		asking->hidden |= works || !(stack->rooted || bare);
		return;
	}
	if (!works || !(asking->any || autograd || activities_waits(p->activity) ||
			      p->activity == ACTIVITY_COMPILE ||
			      (!child && stack->tid == asking->caller)))
		return;
	asking->speakers++;
	if (asking->found &&
		(activities_waits(asking->best.activity) || !activities_waits(p->activity)))
		return;
	asking->best = *p;
	asking->found = true;
}

/* Asks the threads of the rank's process, and the main threads of its children. */
static void ask_others(const struct activity_reader *reader, struct rank_index rank,
	struct asking *asking, const struct job_stack *who)
{
	const struct job *job = reader->job;
	size_t from, to;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];
		bool child = stack->process != who->process;
		bool bare = asking->python && stackfacts_python(job, stack) < 0 &&
			    strncmp(stack->cut, "Python", 6) != 0;
		struct posture other;
		struct activity_reading r;

		if (child != stack->main || is_idle(job, stack))
			continue;
		asking->hidden |= !stack->nframes;
		other = activity_of_thread(reader, stack, &r);
		if (!child || activities_waits(other.activity))
			hear(asking, stack, &other, child, bare);
		else if (other.activity == ACTIVITY_UNKNOWN)
			asking->hidden |= other.program >= 0;
	}
}

/* Returns the thread, no watchdog, that left a recorded call last; 0 none is known. */
static uint32_t caller_of(const struct job *job, struct rank_index rank)
{
	struct spans_range range = threads_of(job, rank);
	int64_t latest = JOB_UNKNOWN;
	uint32_t tid = 0;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (waits_is_watchdog(thread->name) || thread->since <= latest)
			continue;
		latest = thread->since;
		tid = thread->tid;
	}
	return tid;
}

/* True if the rank has a living child whose stack was not taken. */
static bool has_hidden_child(const struct activity_reader *reader, struct rank_index rank)
{
	const struct job *job = reader->job;

	by_rank_each(&reader->processes, rank, k) {
		const struct job_process *process = &job->processes[reader->processes.at[k]];

		if (process->role == JOB_ROLE_CHILD && process->end <= JOB_ALIVE &&
			!stackfacts_snapshot(job, (int)reader->processes.at[k]))
			return true;
	}
	return false;
}

/* True if the thread is in waitpid() or the like. */
static bool waits_for_child(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place places[] = {{"*wait4*", "libc*"},
		{"*waitpid*", "libc*"}, {"*waitid*", "libc*"}};

	return !strcmp(stack->syscall, "wait4") || !strcmp(stack->syscall, "waitid") ||
	       stackfacts_find(job, stack, 0, places, 3) >= 0;
}

/*
 * True for a framework's loop in a main thread: nothing that it waits for there is another rank,
 * whatever of its C is hidden. (If it calls the program, that is on its stack, further in.)
 */
static bool is_loop(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place loop = {"*main_loop", "ray/_private/worker.py"};
	long python = stackfacts_python(job, stack);

	return python >= 0 && stackfacts_is_at(stackfacts_frame(job, stack, (size_t)python), &loop);
}

/*
 * Finds who speaks for the rank if its main thread waits for another thread or a child, or is a
 * framework's own: whoever does the work. If that one's stack does not tell, nobody knows. A
 * framework's main thread that waits for the GIL waits for whoever works: that thread speaks if its
 * stack tells, else the main thread is seen to wait. (A thread without Python frames may be the
 * program's.)
 */
static void ask_who_works(const struct activity_reader *reader, struct rank_index rank,
	const struct activity_reading *r, struct posture *p)
{
	bool for_gil = p->activity == ACTIVITY_GIL && p->holder != p->stack && p->program < 0 &&
		       stackfacts_python(reader->job, p->stack) >= 0;
	bool loops = p->program < 0 && is_loop(reader->job, p->stack);
	struct asking asking = {.python = loops,
		.any = for_gil || loops || (p->activity == ACTIVITY_USER && p->program < 0)};
	bool for_child = waits_for_child(reader->job, p->stack);

	if ((p->activity != ACTIVITY_USER && p->activity != ACTIVITY_UNKNOWN && !for_gil) ||
		!(r->threads || asking.any || for_child))
		return;
	asking.caller = caller_of(reader->job, rank);
	asking.hidden = for_child && has_hidden_child(reader, rank);
	ask_others(reader, rank, &asking, p->stack);
	if (asking.found && activities_waits(asking.best.activity))
		*p = asking.best;
	else if (asking.hidden || (asking.any && asking.speakers > 1))
		p->activity = for_gil ? ACTIVITY_GIL : ACTIVITY_UNKNOWN;
	else if (asking.found)
		*p = asking.best;
}

/*
 * Lets the runner tell which operation the rank handed over. A rank that is seen elsewhere
 * meanwhile waits all the same, once its runner is proved to stand: it keeps nobody from there.
 */
static void ask_runner(
	const struct activity_reader *reader, struct rank_index rank, struct posture *p)
{
	struct runner runner;

	if (activities_waits(p->activity) && p->activity != ACTIVITY_DEVICE)
		return;
	if (!runner_find(reader->job, rank, p->stack, &runner)) {
		p->unsure |= runner_may_hide(reader->job, rank, p->stack);
		return;
	}
	if (p->activity != ACTIVITY_DEVICE &&
		activities_stood(reader->job, runner.stack) == JOB_UNKNOWN) {
		p->unsure = true;
		return;
	}
	if (*runner.call || p->activity != ACTIVITY_DEVICE)
		p->call = runner.call;
	p->activity = runner.activity;
	p->runner = runner.stack;
	p->unsure = p->locked = p->own_lock = p->for_thread = false;
	p->holder = NULL;
}

/* Lets a thread that waits for the GIL wait for what the holder waits for. */
static void ask_holder(const struct activity_reader *reader, struct posture *p)
{
	struct posture other;
	struct activity_reading r;

	if (p->activity != ACTIVITY_GIL || p->holder == p->stack)
		return;
	p->unsure = true;
	if (!p->holder)
		return;
	other = activity_of_thread(reader, p->holder, &r);
	p->unsure = activities_waits(other.activity) || other.activity == ACTIVITY_UNKNOWN ||
		    other.unsure;
	/* If samples do not show that it stood there, it may have got the GIL in between. */
	if (activities_waits(other.activity) && p->stack->samples > 1 &&
		(p->stack->moved == JOB_NO || stackfacts_python(reader->job, p->stack) >= 0))
		*p = other;
}

int64_t activities_stood(const struct job *job, const struct job_stack *stack)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, stack->process);

	return snapshot && snapshot->span > 0 && stack->samples > 1 && stack->moved == JOB_NO
		       ? snapshot->span
		       : JOB_UNKNOWN;
}

/*
 * Returns the ns for which the thread has not run at all: the agent counted its runs all the while,
 * and the count is the same; JOB_UNKNOWN. (A process that uses no CPU may well have run: a step of
 * a loop that only waits takes next to none.)
 */
static int64_t slept_for(const struct job *job, const struct job_stack *stack)
{
	const struct job_process *process = &job->processes[stack->process];

	if (!stack->main || !stack->runs || process->asleep_since == JOB_UNKNOWN ||
		stack->runs != (uint64_t)process->runs || stack->when < process->asleep_since)
		return JOB_UNKNOWN;
	return stack->when - process->asleep_since;
}

/*
 * Finds for how long the activity is proved to stand: the samples' span, or the time that the
 * thread slept. A single look proves nothing: a thread asleep now may be waking.
 */
static void find_standing(const struct job *job, struct posture *p)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, p->stack->process);
	int64_t span = snapshot && snapshot->span > 0 ? snapshot->span : JOB_UNKNOWN;
	/*
	 * Activities that ask again and again from one place: a lock, a store that is not there
	 * yet.
	 */
	bool region = p->activity == ACTIVITY_COMPILE || p->activity == ACTIVITY_CHECKPOINT ||
		      p->activity == ACTIVITY_LOCK || p->for_store || p->for_ranks;
	const struct job_stack *self = p->runner ? p->runner : p->stack;
	const struct job_stack *who = p->holder ? p->holder : self;

	p->moved = who->samples > 1 ? who->moved : JOB_MAYBE;
	p->stands = p->lock_stands = activities_stood(job, who);
	if (region && activity_stood_beneath(p->stack, p->base))
		p->stands = span;
	if (activity_stood_beneath(p->stack, p->program >= 0 ? p->program : p->telling))
		p->lingers = span;
	p->passed = activities_waits(p->activity) && p->stack->samples > 1 &&
		    p->lingers == JOB_UNKNOWN;
	if (p->locked && activity_stood_beneath(p->stack, p->lock_base))
		p->lock_stands = span;
	if (p->moved != JOB_YES && slept_for(job, self) > p->stands)
		p->stands = slept_for(job, self);
	p->watched = p->stands;
	if (p->moved == JOB_NO && self->asleep > p->stands) {
		p->stands = self->asleep;
		if (p->locked && p->stands > p->lock_stands)
			p->lock_stands = p->stands;
	}
}

/* -- who asks again and again ------------------------------------------------------------------ */

/* Who uses less of a processor than this part of the time only asks, and does nothing else. */
#define WORKS_SHARE 10

/*
 * Tells whether the thread asks again and again, at one line of its program and asleep in between,
 * if something is done. Who stands does not ask: nothing in him moves.
 */
static enum job_known asks_there(const struct posture *p)
{
	if (p->activity != ACTIVITY_USER || p->stands != JOB_UNKNOWN)
		return JOB_NO;
	if (p->moved == JOB_YES && p->lingers == JOB_UNKNOWN)
		return JOB_NO;
	if (p->moved != JOB_YES || p->stack->cpu_delta == JOB_UNKNOWN)
		return JOB_MAYBE;
	return p->stack->cpu_delta < p->lingers / WORKS_SHARE ? JOB_YES : JOB_NO;
}

/* Makes the posture frozen, whatever else the stack may hide. */
static void be_frozen(struct posture *p)
{
	p->activity = ACTIVITY_FROZEN;
	p->unsure = p->locked = false;
}

static bool is_stopped(const struct job_process *process)
{
	return process->state == 'T' || process->state == 't' || process->frozen == JOB_YES;
}

/*
 * Finds another thread of the program that stands in a collective while the one that speaks goes
 * on.
 */
static void find_aside(
	const struct activity_reader *reader, struct rank_index rank, struct posture *p)
{
	const struct job *job = reader->job;
	size_t from, to;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];
		struct posture other;
		struct activity_reading r;

		if (stack->process != p->stack->process || stack == p->stack || !stack->nframes ||
			stackfacts_program(job, stack) < 0)
			continue;
		other = activity_of_thread(reader, stack, &r);
		if (other.activity != ACTIVITY_COLLECTIVE)
			continue;
		find_standing(job, &other);
		if (other.stands <= p->aside_stands)
			continue;
		p->aside = stack;
		p->aside_call = other.call;
		p->aside_program = other.program;
		p->aside_stands = other.stands;
	}
}

static struct posture posture_of(const struct activity_reader *reader, struct rank_index rank)
{
	const struct job *job = reader->job;
	const struct job_stack *stack = stackfacts_main(job, rank);
	struct posture p = activity_unknown;
	struct activity_reading r;

	/* How a process died tells nothing about what others wait for. */
	if (!stack || stack->how == JOB_STACK_FATAL ||
		job->processes[stack->process].end > JOB_ALIVE)
		return p;
	p = activity_of_thread(reader, stack, &r);
	ask_who_works(reader, rank, &r, &p);
	ask_holder(reader, &p);
	ask_runner(reader, rank, &p);
	if (is_stopped(&job->processes[stack->process]) ||
		is_stopped(&job->processes[p.stack->process]) || stack->state == 'T')
		be_frozen(&p);
	find_standing(job, &p);
	p.asks = asks_there(&p) != JOB_NO;
	find_aside(reader, rank, &p);
	return p;
}

/* -- who asks for a thread of his own ---------------------------------------------------------- */

/* Nobody asks less often than every so many ns whether one of his threads is done. */
#define ASKS_WITHIN (30 * CLOCK_NS_PER_S)

/* Returns the frame of the program that a posture is at; NULL none. */
static const struct job_frame *place_of(const struct job *job, const struct posture *p)
{
	return p->program < 0 ? NULL : stackfacts_frame(job, p->stack, (size_t)p->program);
}

/*
 * True if a thread may stand in an operation, for all that is known of it; p: what it does. Threads
 * of libraries do not count; one that runs was not read, and stands nowhere.
 */
static bool may_stand_in_one(const struct job_stack *stack, const struct posture *p)
{
	bool cut = *stack->cut && !stack->rooted;

	if (!stack->nframes)
		return stack->state != 'R';
	if (p->moved == JOB_YES || (p->program < 0 && !cut))
		return false;
	return p->activity == ACTIVITY_COLLECTIVE || p->activity == ACTIVITY_DEVICE ||
	       p->activity == ACTIVITY_UNKNOWN;
}

/*
 * Asks whether a thread of the rank may stand in an operation while the one that speaks is
 * elsewhere. *ret is one that does so where another rank waits, too; without a stack: none.
 */
static bool find_beside(const struct activity_reader *reader, struct rank_index rank,
	const bool *waited_at, const struct posture *p, struct posture *ret)
{
	const struct job *job = reader->job;
	bool found = false;
	size_t from, to;

	*ret = activity_unknown;
	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to && !ret->stack; i++) {
		const struct job_stack *stack = &job->stacks[i];
		const struct job_frame *place;
		struct posture other;
		struct activity_reading r;

		if (stack->process != p->stack->process || stack == p->stack)
			continue;
		other = activity_of_thread(reader, stack, &r);
		find_standing(job, &other);
		if (!may_stand_in_one(stack, &other))
			continue;
		found = true;
		place = place_of(job, &other);
		if (activities_waits(other.activity) && other.stands != JOB_UNKNOWN && place &&
			waited_at[place - job->frames])
			*ret = other;
	}
	return found;
}

/*
 * Lets another thread of the program, which stands in an operation, tell of a rank whose main
 * thread is in its own code. That may ask again and again, by a call that nobody knows, whether the
 * other is done. If it does nothing else, and the other stands where other ranks wait, the other
 * speaks. Else a wait may be hidden there, unless it stands for longer than anybody asks.
 */
static void ask_beside(const struct activity_reader *reader, struct rank_index rank,
	const bool *waited_at, struct posture *p)
{
	struct posture other;

	if (p->activity != ACTIVITY_USER || !p->stack->main || p->stands >= ASKS_WITHIN ||
		!find_beside(reader, rank, waited_at, p, &other))
		return;
	if (asks_there(p) == JOB_YES && other.stack)
		*p = other;
	else
		p->unsure = true;
}

/* Lets such threads tell of all ranks. Where nobody waits, nobody is kept. */
static void ask_all_beside(const struct activity_reader *reader, struct posture *postures)
{
	const struct job *job = reader->job;
	bool *waited_at = alloc_zeroed(job->nframes + 1, sizeof(*waited_at)), found = false;

	job_for_each_rank(job, rank) {
		const struct posture *p = &postures[rank.i];
		const struct job_frame *place;

		if (!p->stack || !activities_waits(p->activity))
			continue;
		found = true;
		place = place_of(job, p);
		if (place)
			waited_at[place - job->frames] = true;
	}
	job_for_each_rank(job, rank)
		if (found && postures[rank.i].stack)
			ask_beside(reader, rank, waited_at, &postures[rank.i]);
	free(waited_at);
}

struct posture *activities_new(const struct job *job)
{
	struct posture *postures = alloc_zeroed(job->nranks + 1, sizeof(*postures));
	struct activity_reader reader = {.job = job,
		.gil_holders = locks_gil_holders(job),
		.may_spin = hidden_may_spin(job)};

	by_rank_make(&reader.processes, job, processes);
	reader.lines = alloc_zeroed(job->nframes + 1, sizeof(*reader.lines));
	for (size_t i = 0; i < job->nframes; i++)
		reader.lines[i] = activity_line_of(&job->frames[i]);
	job_for_each_rank(job, rank)
		postures[rank.i] = posture_of(&reader, rank);
	ask_all_beside(&reader, postures);
	apart_find(job, postures);
	free(reader.lines);
	free(reader.gil_holders);
	by_rank_release(&reader.processes);
	return postures;
}
