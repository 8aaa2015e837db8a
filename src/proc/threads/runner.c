/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/runner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "proc/read.h"
#include "stack/unwind-trail.h"

/* the shortest pause between readings; others are 2, 3 and 4 times as long */
#define RUNNER_NAP_US  230
#define RUNNER_NAPS    4 /* how many lengths of pause there are */
#define RUNNER_CHANGES 5 /* readings that differ from the one before: so many suffice */
/* so long on a processor since the first reading suffices, too */
#define RUNNER_RAN_NS  (10 * CLOCK_NS_PER_MS)
#define RUNNER_MOST_NS (60 * CLOCK_NS_PER_MS) /* then we stop reading */
#define RUNNER_SPAN    (256u * 1024) /* bytes of the stack, from where it began */
#define RUNNER_CALLS   64 /* calls that are kept */
#define RUNNER_RED     128 /* bytes below the stack pointer that a function may use */
#define RUNNER_FIELD   28  /* of stat's fields, from 1: startstack */

/* Two readings of one stack, one right after the other. */
struct runner_pair {
	uint64_t *before, *after;
	size_t lowest; /* the first word in which they differ; SIZE_MAX none */
};

struct runner {
	const struct threads *threads;
	const struct stack_maps *maps;
	struct livemem *livemem;
	uint64_t low;
	size_t nr; /* words of the stack that are read, from `low` on */
	struct runner_pair pair; /* of all pairs of readings, the one that differs furthest in */
	uint64_t *last, *now; /* the two latest readings */
	struct trail_call calls[RUNNER_CALLS];
	size_t ncalls;
};

/* Returns where the kernel began the main thread's stack; 0 if it does not say. */
static uint64_t runner_base(uint32_t pid)
{
	struct str stat = {0};
	const char *at;
	uint64_t base = 0;

	if (proc_read(pid, "stat", &stat, NULL) == 0) {
		at = strrchr(str_text(&stat), ')');
		for (int field = 2; at && field < RUNNER_FIELD; field++)
			at = strchr(at + 1, ' ');
		base = at ? strtoull(at + 1, NULL, 10) : 0;
	}
	str_release(&stat);
	return base & ~7ull;
}

/* Finds which part of the stack to read. Returns false if nothing says where it is. */
static bool runner_find(struct runner *runner)
{
	uint64_t base = runner_base(runner->threads->pid);
	const struct stack_map *map = base ? stack_maps_find(runner->maps, base) : NULL;

	if (!map || !map->readable || base - map->start < 8)
		return false;
	runner->low = base - map->start > RUNNER_SPAN ? base - RUNNER_SPAN : map->start;
	runner->nr = (base - runner->low) / 8 + 1;
	return true;
}

/* Reads that part. */
static bool runner_read(const struct runner *runner, uint64_t *to)
{
	ssize_t len = (ssize_t)(8 * runner->nr);

	return livemem_again(runner->livemem, runner->low, to, (size_t)len) == len;
}

/* Returns the first word in which the two latest readings differ; SIZE_MAX none. */
static size_t runner_lowest(const struct runner *runner)
{
	for (size_t i = 0; i < runner->nr; i++)
		if (runner->last[i] != runner->now[i])
			return i;
	return SIZE_MAX;
}

/* Keeps the two latest readings as the pair. */
static void runner_keep(struct runner *runner, size_t lowest)
{
	runner->pair.lowest = lowest;
	memcpy(runner->pair.before, runner->last, 8 * runner->nr);
	memcpy(runner->pair.after, runner->now, 8 * runner->nr);
}

static bool runner_has_call(const struct runner *runner, uint64_t slot, uint64_t ret)
{
	for (size_t i = 0; i < runner->ncalls; i++)
		if (runner->calls[i].slot == slot && runner->calls[i].ret == ret)
			return true;
	return false;
}

/* Keeps the words that were written since the last reading and lead into code: maybe calls. */
static void runner_keep_calls(struct runner *runner, size_t lowest)
{
	for (size_t i = lowest; i < runner->nr && runner->ncalls < RUNNER_CALLS; i++) {
		uint64_t slot = runner->low + 8 * i, ret = runner->now[i];
		const struct stack_map *map =
			ret == runner->last[i] ? NULL : stack_maps_find(runner->maps, ret);

		if (map && map->executable && !runner_has_call(runner, slot, ret))
			runner->calls[runner->ncalls++] = (struct trail_call){slot, ret};
	}
}

/* True if the thread has been on a processor for long enough since then. */
static bool runner_ran(const struct runner *runner, const struct snapshot_thread *then)
{
	struct snapshot_thread now = *then;

	return threads_runs(runner->threads, &now) == 0 &&
	       now.run_ns - then->run_ns >= RUNNER_RAN_NS;
}

/*
 * Reads again and again until enough has changed. Returns false if the stack cannot be read. The
 * pauses differ, since a loop that keeps time with them would always be seen at one place.
 */
static bool runner_watch(struct runner *runner, const struct snapshot_thread *thread)
{
	int64_t until = clock_monotonic_ns() + RUNNER_MOST_NS;
	struct snapshot_thread first = *thread;
	unsigned changes = 0;

	runner->pair.lowest = SIZE_MAX;
	(void)threads_runs(runner->threads, &first);
	if (!runner_read(runner, runner->last))
		return false;
	for (unsigned i = 0; changes < RUNNER_CHANGES && clock_monotonic_ns() < until; i++) {
		uint64_t *was = runner->last;
		size_t lowest;

		usleep(RUNNER_NAP_US * (1 + i % RUNNER_NAPS));
		if (!runner_read(runner, runner->now))
			return false;
		lowest = runner_lowest(runner);
		changes += lowest != SIZE_MAX;
		runner_keep_calls(runner, lowest);
		if (lowest < runner->pair.lowest || !i)
			runner_keep(runner, lowest);
		runner->last = runner->now;
		runner->now = was;
		if (i % RUNNER_NAPS == 0 && runner_ran(runner, &first))
			break;
	}
	return true;
}

/* Finds the frame by the pair of readings; livemem then shows the later one. */
static bool runner_find_trail(
	const struct runner *runner, const struct modules *modules, struct trail *ret)
{
	const struct runner_pair *pair = &runner->pair;
	struct unwinder *unwinder =
		unwinder_new(runner->maps, modules, livemem_memory(runner->livemem));
	bool *still = alloc_zeroed(runner->nr, sizeof(*still));
	const struct trail_stack stack = {
		.low = runner->low,
		.words = pair->after,
		.still = still,
		.nr = runner->nr,
		.used = pair->lowest == SIZE_MAX ? UINT64_MAX :
						   runner->low + 8 * pair->lowest + RUNNER_RED,
		.calls = runner->calls,
		.ncalls = runner->ncalls,
	};
	bool found;

	for (size_t i = 0; i < runner->nr; i++)
		still[i] = pair->before[i] == pair->after[i];
	livemem_put(runner->livemem, runner->low, pair->after, 8 * runner->nr);
	found = unwinder_find_trail(unwinder, &stack, ret);
	free(still);
	unwinder_free(unwinder);
	return found;
}

/* Watches the thread and fills in where it was. */
static void runner_look_at(
	struct runner *runner, struct snapshot_thread *thread, const struct modules *modules)
{
	uint64_t *words = alloc_zeroed(4 * runner->nr, sizeof(*words));
	struct trail trail;

	runner->last = words;
	runner->now = words + runner->nr;
	runner->pair.before = words + 2 * runner->nr;
	runner->pair.after = words + 3 * runner->nr;
	if (runner_watch(runner, thread)) {
		if (runner_find_trail(runner, modules, &trail)) {
			thread->regs = trail.regs;
			thread->deeper = trail.deeper;
		} else {
			livemem_drop(runner->livemem, runner->low);
		}
	}
	free(words);
}

/* Returns the main thread's facts if it runs; else NULL. */
static struct snapshot_thread *runner_thread(const struct peek *peek)
{
	struct peek_thread *thread;

	array_for_each(&peek->all, thread)
		if (thread->facts.how == SNAPSHOT_RUNNING &&
			thread->facts.tid == peek->threads->pid)
			return &thread->facts;
	return NULL;
}

void runner_look(struct peek *peek, const struct stack_maps *maps, const struct modules *modules,
	struct livemem *livemem)
{
	struct runner runner = {.threads = peek->threads, .maps = maps, .livemem = livemem};
	struct snapshot_thread *thread = runner_thread(peek);

	if (thread && runner_find(&runner))
		runner_look_at(&runner, thread, modules);
}

/* True if the return addresses of all callers still lie where they lay. */
static bool runner_is_there(struct livemem *livemem, const struct unwind_stack *walk)
{
	for (size_t i = 1; i < walk->nframes; i++) {
		uint64_t word;

		if (livemem_again(livemem, walk->frames[i].sp - 8, &word, sizeof(word)) !=
				sizeof(word) ||
			word != walk->frames[i].pc)
			return false;
	}
	return true;
}

void runner_confirm(struct peek *peek, const struct stack_maps *maps, const struct modules *modules,
	struct livemem *livemem)
{
	struct snapshot_thread *thread = runner_thread(peek);
	struct unwind_stack walk = {0};
	struct unwinder *unwinder;

	if (!thread || !thread->regs.known)
		return;
	unwinder = unwinder_new(maps, modules, livemem_memory(livemem));
	unwinder_walk(unwinder, &thread->regs, &walk);
	if (!runner_is_there(livemem, &walk)) {
		livemem_drop(livemem, thread->regs.value[UNWIND_SP]);
		thread->regs = (struct unwind_regs){0};
		thread->deeper = false;
	}
	unwind_stack_release(&walk);
	unwinder_free(unwinder);
}
