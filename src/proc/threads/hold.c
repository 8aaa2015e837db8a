/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "proc/threads/stop.h"

#define HOLD_RUNS      2  /* how often a stop puts a blocked thread on a processor, at most */
#define HOLD_SETTLE_MS 50 /* until all that were blocked wait again, however many they are */
#define HOLD_NAP_US    50 /* between two looks at those that do not yet */

/* One call of stop_run(): pieces[i] is the stack of stop->all.items[i]. */
struct hold_run {
	struct hold *hold;
	struct stop *stop;
	struct livemem_piece *pieces;
	size_t nr;
};

/* Threads of which it is not known yet what their run count tells. */
struct hold_blocked {
	ARRAY(struct snapshot_thread *) all;
};

/* Makes as many pieces as there are threads. */
static void hold_make_room(struct hold_run *run)
{
	size_t nr = run->stop->all.nr;

	if (nr == run->nr)
		return;
	free(run->pieces);
	run->pieces = alloc_zeroed(nr, sizeof(*run->pieces));
	run->nr = nr;
}

/*
 * Copies the stacks of `nr` threads that stand still; runs in the tracer's thread. The shorter the
 * better.
 */
static void hold_copy(void *arg, const struct stop_thread *now, size_t nr)
{
	struct hold_run *run = arg;
	struct hold *hold = run->hold;
	struct livemem_piece *own, *pieces;
	size_t first = (size_t)(now - run->stop->all.items), n = 0;

	hold_make_room(run);
	own = run->pieces + first;
	pieces = alloc_zeroed(nr, sizeof(*pieces));
	for (size_t i = 0; i < nr; i++)
		if (!now[i].error)
			pieces[n++] = peek_piece(
				hold->peek, hold->maps, now[i].regs.value[UNWIND_SP]);
	(void)livemem_copy(hold->livemem, pieces, n);
	n = 0;
	for (size_t i = 0; i < nr; i++)
		if (!now[i].error)
			own[i] = pieces[n++];
	free(pieces);
	if (hold->also)
		hold->also(hold->arg);
}

/* Returns the thread of a tid; NULL none. */
static struct peek_thread *hold_find(struct peek *peek, uint32_t tid)
{
	struct peek_thread *thread;

	array_for_each(&peek->all, thread)
		if (thread->facts.tid == tid)
			return thread;
	return NULL;
}

/* Takes in what became of one thread. */
static void hold_take(struct hold *hold, struct peek_thread *thread,
	const struct stop_thread *stopped, const struct livemem_piece *piece)
{
	struct snapshot_thread *facts = &thread->facts;

	hold->late += stopped->error == ETIMEDOUT;
	hold->refused += stopped->error == EPERM;
	if (stopped->error) {
		facts->error = thread->settled ? stopped->error : facts->error;
		return;
	}
	facts->how = SNAPSHOT_STOPPED;
	facts->error = 0;
	facts->moved = false;
	facts->regs = stopped->regs;
	facts->stopped_ns = (uint64_t)(stopped->released - stopped->asked);
	thread->stack = *piece;
	thread->settled = true;
}

/*
 * Finds out what a thread's run count tells. A thread that was blocked is put on a processor twice
 * for us: to stop, and to go on waiting. That much of its run count may be ours. If it stands again
 * where it stood, having run no more than that, its count from here on says only what it does
 * itself. Else nobody knows which runs were its own, and the count becomes 0. Returns false while
 * the thread is still on its way.
 */
static bool hold_settle(struct hold *hold, struct snapshot_thread *facts)
{
	struct snapshot_thread now = *facts;
	uint64_t before = facts->run_count;

	if (threads_runs(hold->peek->threads, &now) < 0 || now.run_count > before + HOLD_RUNS) {
		facts->run_count = 0;
		return true;
	}
	if (now.run_count == before || !peek_waits_again(hold->peek->threads, facts))
		return false;
	facts->run_count = now.run_count;
	facts->our_runs = now.run_count - before;
	return true;
}

/* Lists the threads that stood still in a system call and have a run count. */
static void hold_list_blocked(const struct hold_run *run, struct hold_blocked *blocked)
{
	for (size_t i = 0; i < run->stop->all.nr; i++) {
		const struct stop_thread *stopped = &run->stop->all.items[i];
		struct peek_thread *thread =
			stopped->error ? NULL : hold_find(run->hold->peek, stopped->tid);

		if (thread && thread->facts.in_syscall && thread->facts.run_count)
			*array_add(&blocked->all) = &thread->facts;
	}
}

/*
 * Settles the run counts once all are let go. They go back to where they wait side by side, so that
 * one deadline serves all.
 */
static void hold_settle_all(struct hold_run *run)
{
	int64_t until = clock_monotonic_ns() + HOLD_SETTLE_MS * CLOCK_NS_PER_MS;
	struct hold_blocked blocked = {0};
	size_t left;

	hold_list_blocked(run, &blocked);
	for (left = blocked.all.nr; left;) {
		size_t n = left;

		left = 0;
		for (size_t i = 0; i < n; i++)
			if (!hold_settle(run->hold, blocked.all.items[i]))
				blocked.all.items[left++] = blocked.all.items[i];
		if (!left || clock_monotonic_ns() >= until)
			break;
		usleep(HOLD_NAP_US);
	}
	for (size_t i = 0; i < left; i++)
		blocked.all.items[i]->run_count = 0;
	array_release(&blocked.all);
}

/* Takes in what became of all threads. */
static void hold_finish(struct hold_run *run)
{
	struct hold *hold = run->hold;

	hold_make_room(run);
	for (size_t i = 0; i < run->stop->all.nr; i++) {
		const struct stop_thread *stopped = &run->stop->all.items[i];
		struct peek_thread *thread = hold_find(hold->peek, stopped->tid);

		if (!thread && stopped->error == ESRCH)
			continue;
		if (!thread)
			thread = peek_add(hold->peek, stopped->tid);
		hold_take(hold, thread, stopped, &run->pieces[i]);
	}
	hold_settle_all(run);
	if (run->stop->longest > hold->longest)
		hold->longest = run->stop->longest;
	free(run->pieces);
	stop_release(run->stop);
}

/* Runs the stop, and takes in what came of it. */
static void hold_start(struct hold *hold, struct stop *stop, enum stop_how how)
{
	struct hold_run run = {.hold = hold, .stop = stop};

	stop->threads = hold->peek->threads;
	stop->how = how;
	stop->deadline_ms = hold->deadline_ms;
	stop->cap = hold->peek->cap;
	stop->during = hold_copy;
	stop->arg = &run;
	hold_make_room(&run);
	(void)stop_run(stop); /* if it cannot run, nobody was stopped, and all are as they were */
	hold_finish(&run);
}

void hold_each(struct hold *hold, const bool *wanted)
{
	struct stop stop = {0};

	for (size_t i = 0; i < hold->peek->all.nr; i++)
		if (wanted[i])
			array_add(&stop.all)->tid = hold->peek->all.items[i].facts.tid;
	if (stop.all.nr)
		hold_start(hold, &stop, STOP_EACH);
}

void hold_all(struct hold *hold)
{
	struct stop stop = {0};

	hold_start(hold, &stop, STOP_ALL);
}
