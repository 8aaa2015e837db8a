/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run, looked at without being stopped. Who waits in a loop that calls others is found
 * in it, with all who called it. Who was in that loop once, and computes now, has left its frames
 * behind on the stack, and is not found there.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "proc/threads/capture.h"
#include "stack/maps.h"
#include "tests/unit/proc/child.h"

#define ALONE __attribute__((noinline, noclone))
#define LOOKS 50
#define WORDS 64 /* a frame wider than what a function may use unseen, below the stack pointer */

static volatile uint64_t sink;
static volatile bool is_over;

/* -- the programs ------------------------------------------------------------------------------ */

ALONE static uint64_t asks(uint64_t n)
{
	volatile uint64_t words[WORDS];

	for (size_t i = 0; i < WORDS; i++)
		words[i] = n + i;
	return words[n % WORDS];
}

ALONE static uint64_t asks_another_way(uint64_t n)
{
	return asks(n) + asks(n * 3);
}

/* Waits as a library's progress loop does: it asks one, then another. */
ALONE static void waits(void)
{
	for (uint64_t n = 0; !is_over || n < 1000; n++)
		sink += n % 2 ? asks(n) : asks_another_way(n);
}

ALONE static void is_in_collective(void)
{
	waits();
	sink++;
}

ALONE static void leaves_frames_far_down(void)
{
	volatile uint64_t words[32 * WORDS];

	words[5] = sink;
	sink += asks_another_way(words[5]);
}

ALONE static void is_called_by_pointer(void (*volatile function)(void))
{
	function();
	sink++;
}

/* It makes no call: nothing on its stack changes. */
ALONE static void computes(void)
{
	for (uint64_t n = 0;; n++)
		sink = sink * 31 + n;
}

ALONE static void computes_with_calls(void)
{
	for (uint64_t n = 0;; n++)
		sink += asks(n);
}

ALONE static void spins(void)
{
	is_in_collective();
	sink++;
}

/* Where the pointer leads is not in the code: either call may be the one that stands. */
ALONE static void spins_by_pointer(void)
{
	static void (*const functions[])(void) = {leaves_frames_far_down, is_in_collective};

	for (size_t i = 0; i < 2; i++)
		is_called_by_pointer(functions[i]);
}

ALONE static void was_in_it_and_computes(void)
{
	is_over = true;
	is_in_collective();
	computes();
	sink++;
}

ALONE static void was_in_it_and_calls(void)
{
	is_over = true;
	is_in_collective();
	computes_with_calls();
	sink++;
}

/* -- looking ----------------------------------------------------------------------------------- */

struct sight {
	bool any;	 /* some frames are known */
	bool collective, waits, computes, program; /* these functions are among them */
	bool deeper;
};

static bool is_in(struct unwinder *unwinder, uint64_t at, void (*function)(void))
{
	uint64_t start, end;

	return unwinder_function(unwinder, at, &start, &end) && start == (uintptr_t)function;
}

static void see_frames(const struct snapshot *snapshot, struct images *images,
	void (*program)(void), struct sight *ret)
{
	const struct snapshot_thread *thread = &snapshot->threads[0];
	struct stack_maps maps = {0};
	struct unwind_stack stack = {0};
	struct unwinder *unwinder;

	stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
	unwinder = unwinder_new(
		&maps, images_modules(images), excerpt_memory(snapshot->memory));
	unwinder_walk(unwinder, &thread->regs, &stack);
	assert_int_equal(stack.end, UNWIND_OUTERMOST);
	for (size_t i = 0; i < stack.nframes; i++) {
		uint64_t at = unwind_lookup_pc(&stack, i);

		ret->collective |= is_in(unwinder, at, is_in_collective);
		ret->waits |= is_in(unwinder, at, waits);
		ret->computes |= is_in(unwinder, at, computes) ||
				 is_in(unwinder, at, computes_with_calls);
		ret->program |= is_in(unwinder, at, program);
	}
	ret->any = true;
	ret->deeper = thread->deeper;
	unwind_stack_release(&stack);
	unwinder_free(unwinder);
	stack_maps_release(&maps);
}

static struct sight look_at(pid_t pid, void (*program)(void))
{
	struct capture_options options = {.mode = SNAPSHOT_NEVER};
	struct images *images = images_new();
	struct snapshot snapshot;
	struct sight ret = {0};

	assert_int_equal(capture_take((struct proc_id){(uint32_t)pid, 0}, &options, images,
				 &snapshot, &(struct complaint){0}),
		0);
	assert_int_equal(snapshot.longest_stop, 0);
	if (snapshot.nthreads == 1 && snapshot.threads[0].how == SNAPSHOT_RUNNING &&
		snapshot.threads[0].regs.known)
		see_frames(&snapshot, images, program, &ret);
	snapshot_release(&snapshot);
	images_free(images);
	return ret;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* -- stories ----------------------------------------------------------------------------------- */

static void a_loop_that_waits_is_seen_with_its_callers(void **state)
{
	pid_t pid = child_of(spins);
	struct sight sight = {0};

	(void)state;
	for (int i = 0; i < LOOKS && !sight.waits; i++)
		sight = look_at(pid, spins);
	end(pid);
	assert_true(sight.waits);
	assert_true(sight.collective);
	assert_true(sight.program);
	assert_false(sight.computes);
}

static void a_call_that_is_made_meanwhile_proves_its_callers(void **state)
{
	pid_t pid = child_of(spins_by_pointer);
	struct sight sight = {0};

	(void)state;
	for (int i = 0; i < LOOKS && !sight.waits; i++)
		sight = look_at(pid, spins_by_pointer);
	end(pid);
	assert_true(sight.waits);
	assert_true(sight.collective);
	assert_true(sight.program);
}

/* Looks until the program's own frame is seen; what it left behind never is. */
static struct sight look_for_program(void (*program)(void))
{
	pid_t pid = child_of(program);
	struct sight sight = {0};

	for (int i = 0; i < LOOKS && !(sight.program && sight.computes); i++) {
		sight = look_at(pid, program);
		/* It may be in the loop at the first look; not for long. */
		if (i > 1)
			assert_false(sight.collective || sight.waits);
	}
	end(pid);
	assert_false(sight.collective || sight.waits);
	return sight;
}

static void what_a_call_left_behind_is_no_frame(void **state)
{
	struct sight sight = look_for_program(was_in_it_and_computes);

	(void)state;
	if (sight.any)
		assert_true(sight.program || sight.deeper);
}

static void nor_where_others_are_called_since(void **state)
{
	struct sight sight = look_for_program(was_in_it_and_calls);

	(void)state;
	if (sight.any)
		assert_true(sight.program || sight.deeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_that_waits_is_seen_with_its_callers),
		cmocka_unit_test(a_call_that_is_made_meanwhile_proves_its_callers),
		cmocka_unit_test(what_a_call_left_behind_is_no_frame),
		cmocka_unit_test(nor_where_others_are_called_since),
	};

#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
	puts("skipped: the sanitizer's frames, or no such stacks here");
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
