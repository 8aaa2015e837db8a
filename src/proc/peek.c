/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/peek.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/bisect.h"

#define PEEK_TRIES 4 /* looks at a thread that keeps moving */
#define PEEK_BELOW 128	     /* bytes below the stack pointer that are still in use: the red zone */
#define PEEK_LEAST 32768     /* bytes of a stack whose end no map tells */
#define PEEK_TOTAL 256000000 /* bytes of all stacks together */

/* --- Facts ------------------------------------------------------------------------------------ */

/* Returns a thread's facts in an earlier snapshot (may be NULL); NULL if it had none. */
static const struct snapshot_thread *peek_before(const struct snapshot *before, uint32_t tid)
{
	size_t n = before ? before->nthreads : 0;
	size_t place = bisect(0, n, i, before->threads[i].tid < tid);

	return place < n && before->threads[place].tid == tid ? &before->threads[place] : NULL;
}

/*
 * True if a thread is blocked in the same system call with the same arguments. Where run counts are
 * coarse, only that shows that it is not awake just now.
 */
static bool peek_waits_alike(const struct threads *threads, const struct snapshot_thread *was)
{
	struct snapshot_thread now = *was;

	return threads_where(threads, &now) == 0 && was->in_syscall &&
	       now.syscall == was->syscall && !memcmp(now.args, was->args, sizeof(now.args));
}

bool peek_waits_again(const struct threads *threads, const struct snapshot_thread *was)
{
	struct snapshot_thread now = *was;

	return threads_where(threads, &now) == 0 &&
	       (now.syscall == was->syscall || now.syscall == SYS_restart_syscall) &&
	       now.regs.value[UNWIND_SP] == was->regs.value[UNWIND_SP] &&
	       now.regs.value[UNWIND_IP] == was->regs.value[UNWIND_IP];
}

/* True if a thread was blocked, and its run count says only what it did itself. */
static bool peek_was_blocked(const struct snapshot_thread *was)
{
	return was->how == SNAPSHOT_PEEKED || was->how == SNAPSHOT_UNMOVED ||
	       (was->how == SNAPSHOT_STOPPED && was->in_syscall && was->run_count);
}

/* True if a thread has not been on a processor since it was seen blocked. */
static bool peek_is_unmoved(const struct threads *threads, const struct snapshot_thread *was)
{
	struct snapshot_thread now = *was;

	if (!peek_was_blocked(was))
		return false;
	if (was->moved || threads_runs(threads, &now) < 0 || now.run_count != was->run_count)
		return false;
	return !threads->coarse || peek_waits_alike(threads, was);
}

/* Takes the facts of before over, with copies of their texts. */
static void peek_take_over(
	const struct peek *peek, struct peek_thread *thread, const struct snapshot_thread *was)
{
	thread->facts = *was;
	thread->facts.how = SNAPSHOT_UNMOVED;
	thread->facts.wchan = arena_text(peek->arena, was->wchan);
	thread->facts.kernel = arena_text(peek->arena, was->kernel);
	thread->facts.regs = (struct unwind_regs){0};
	thread->facts.our_runs = 0;
	thread->settled = true;
}

/* Judges a thread by its facts alone. */
static void peek_judge(struct peek_thread *thread)
{
	struct snapshot_thread *facts = &thread->facts;

	facts->how = facts->error == EAGAIN ? SNAPSHOT_RUNNING : SNAPSHOT_FAILED;
	/* A thread that runs may be found blocked later; one that may not be asked will not be. */
	thread->settled = facts->error && facts->error != EAGAIN;
}

struct peek_thread *peek_add(struct peek *peek, uint32_t tid)
{
	struct peek_thread *thread = array_add(&peek->all);

	thread->facts.tid = tid;
	if (threads_read(peek->threads, &thread->facts, peek->arena) < 0)
		thread->facts.error = ESRCH;
	peek_judge(thread);
	return thread;
}

int peek_list(struct peek *peek, const struct snapshot *before)
{
	struct thread_ids ids = {0};
	int error = threads_list(peek->threads, peek->cap, &ids);
	uint32_t *tid;

	array_for_each(&ids.all, tid) {
		const struct snapshot_thread *was = peek_before(before, *tid);

		if (was && peek_is_unmoved(peek->threads, was))
			peek_take_over(peek, array_add(&peek->all), was);
		/* A thread that is gone by now is none of the process any more. */
		else if (peek_add(peek, *tid)->facts.error == ESRCH &&
			 !peek->all.items[peek->all.nr - 1].facts.state)
			peek->all.nr--;
	}
	peek->left_out = ids.left_out;
	array_release(&ids.all);
	return error;
}

/* --- Stacks ----------------------------------------------------------------------------------- */

struct livemem_piece peek_piece(
	const struct peek *peek, const struct stack_maps *maps, uint64_t sp)
{
	const struct stack_map *map = stack_maps_find(maps, sp);
	size_t share = PEEK_TOTAL / (peek->all.nr + 1);
	size_t cap = peek->stack_cap < share ? peek->stack_cap : share;
	uint64_t start = sp > PEEK_BELOW ? sp - PEEK_BELOW : 0;
	uint64_t left = map ? map->end - start : PEEK_LEAST;

	if (map && start < map->start) {
		start = map->start;
		left = map->end - start;
	}
	return (struct livemem_piece){.at = start, .len = left < cap ? left : cap};
}

/* True if all that was read since the thread's run count is of one moment. */
static bool peek_holds(const struct peek *peek, const struct snapshot_thread *facts)
{
	struct snapshot_thread now = *facts;

	if (threads_runs(peek->threads, &now) < 0 || now.run_count != facts->run_count)
		return false;
	return !peek->threads->coarse || peek_waits_alike(peek->threads, facts);
}

/*
 * Says how a thread was seen after a try, or reads its facts for another one, unless it is the
 * last.
 */
static void peek_settle(struct peek *peek, struct peek_thread *thread, bool last)
{
	struct snapshot_thread *facts = &thread->facts;

	if (!facts->error && peek_holds(peek, facts)) {
		facts->how = SNAPSHOT_PEEKED;
		thread->settled = true;
		return;
	}
	thread->stack = (struct livemem_piece){0};
	if (!last) {
		if (threads_read(peek->threads, facts, peek->arena) < 0)
			facts->error = ESRCH;
		peek_judge(thread);
		return;
	}
	thread->settled = true;
	facts->how = SNAPSHOT_RUNNING;
	facts->error = 0;
	facts->in_syscall = false;
	facts->regs = (struct unwind_regs){0};
}

/* Copies the stacks of all threads that are not settled and whose stack pointer is known. */
static void peek_copy(struct peek *peek, const struct stack_maps *maps, struct livemem *livemem)
{
	struct livemem_piece *pieces = alloc_zeroed(peek->all.nr + 1, sizeof(*pieces));
	struct peek_thread *thread;
	size_t nr = 0;

	array_for_each(&peek->all, thread)
		if (!thread->settled && !thread->facts.error)
			pieces[nr++] = peek_piece(
				peek, maps, thread->facts.regs.value[UNWIND_SP]);
	(void)livemem_copy(livemem, pieces, nr);
	nr = 0;
	array_for_each(&peek->all, thread)
		if (!thread->settled && !thread->facts.error)
			thread->stack = pieces[nr++];
	free(pieces);
}

void peek_stacks(struct peek *peek, const struct stack_maps *maps, struct livemem *livemem)
{
	for (int try = 1; try <= PEEK_TRIES; try++) {
		struct peek_thread *thread;
		size_t open = 0;

		array_for_each(&peek->all, thread)
			open += !thread->settled;
		if (!open)
			return;
		peek_copy(peek, maps, livemem);
		array_for_each(&peek->all, thread)
			if (!thread->settled)
				peek_settle(peek, thread, try == PEEK_TRIES);
	}
}

void peek_check(struct peek *peek)
{
	struct peek_thread *thread;

	array_for_each(&peek->all, thread)
		if (thread->facts.how == SNAPSHOT_PEEKED)
			thread->facts.moved = !peek_holds(peek, &thread->facts);
}

void peek_release(struct peek *peek)
{
	if (peek)
		array_release(&peek->all);
}
