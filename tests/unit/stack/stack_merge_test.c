/* SPDX-License-Identifier: Apache-2.0 */
/* Native and Python frames of one thread become one stack, or stay two: nothing is guessed. */
#include <string.h>

#include "stack/merge.h"
#include "tests/unit/unit.h"

#define EVAL  0x5000u /* the evaluation loop is [EVAL, EVAL + 0x1000) */
#define STACK 0x7ffc00000000ull

static const struct python_place place = {
	.eval_start = EVAL,
	.eval_end = EVAL + 0x1000,
	.cold_start = 0x9000,
	.cold_end = 0x9100,
};

/*
 * A native stack after a picture, innermost first: 'e' the evaluation loop, 'c' its cold part, any
 * other letter some function. Frame i is at STACK + 256 * i.
 */
#define FRAMES_MAX 16
struct drawn {
	struct unwind_frame frames[FRAMES_MAX];
	struct unwind_stack stack;
};

static void draw(struct drawn *drawn, const char *picture, enum unwind_end end)
{
	memset(drawn, 0, sizeof(*drawn));
	for (size_t i = 0; picture[i]; i++) {
		struct unwind_frame *frame = &drawn->frames[i];

		frame->sp = STACK + 256 * i;
		frame->pc = picture[i] == 'e' ? EVAL + 0x800 : picture[i] == 'c' ? 0x9080 : 0x100;
		drawn->stack.nframes++;
	}
	drawn->stack.frames = drawn->frames;
	drawn->stack.end = end;
}

/* Python frames of which some end a run; at[i] is the native frame of frame i's anchor, -1 none. */
struct told {
	struct python_frame frames[FRAMES_MAX];
	struct python_thread thread;
};

static void tell(struct told *told, const int *at, size_t nr)
{
	memset(told, 0, sizeof(*told));
	for (size_t i = 0; i < nr; i++) {
		told->frames[i] = (struct python_frame){.file = "/a.py", .function = "f"};
		if (at[i] >= 0)
			told->frames[i].anchor = STACK + 256 * (unsigned)at[i] + 8;
	}
	told->thread.frames = told->frames;
	told->thread.nframes = nr;
}

/*
 * The merged stack as a picture: letters as in that of the native stack, digits for Python frames
 * by their number. In front of it '!' where they are not merged.
 */
static void assert_merged(const struct drawn *drawn, const char *picture,
	struct merged_stack *merged, const char *want)
{
	char got[2 * FRAMES_MAX + 2];
	size_t at = 0;

	(void)drawn;
	if (!merged->merged)
		got[at++] = '!';
	for (size_t i = 0; i < merged->nframes; i++) {
		const struct merged_frame *frame = &merged->frames[i];

		assert_true(!frame->native != !frame->python);
		if (frame->native)
			assert_ptr_equal(frame->native, &drawn->frames[frame->index]);
		got[at++] = frame->native ? picture[frame->index] : (char)('0' + frame->index);
	}
	got[at] = '\0';
	assert_string_equal(got, want);
	merged_stack_release(merged);
}

static void check(const char *picture, enum unwind_end end, const int *at, size_t nr,
	const char *cut, const char *want)
{
	struct drawn drawn;
	struct told told;
	struct merged_stack merged;

	draw(&drawn, picture, end);
	tell(&told, at, nr);
	told.thread.cut = cut;
	merge_stacks(&drawn.stack, &told.thread, &place, &merged);
	assert_merged(&drawn, picture, &merged, want);
}

static void runs_stand_in_the_place_of_their_native_frame(void **state)
{
	static const int at[] = {-1, 2, -1, -1, 5};

	(void)state;
	check("abecdexy", UNWIND_OUTERMOST, at, 5, NULL, "ab01cd234xy");
	/* Also where the native frames have no names: only addresses count. */
	check("zzzzzzzz", UNWIND_OUTERMOST, at, 5, NULL, "zz01zz234zz");
}

static void up_to_3_10_the_numbers_must_be_equal(void **state)
{
	static const int none[] = {-1, -1, -1};

	(void)state;
	check("aebecx", UNWIND_OUTERMOST, none, 3, NULL, "a0b12x");
	check("aebebx", UNWIND_OUTERMOST, none, 3, NULL, "!012aebebx");
	check("aebeex", UNWIND_OUTERMOST, none, 2, NULL, "!01aebeex");
	check("aebeex", UNWIND_NO_INFO, none, 3, NULL, "!012aebeex");
	check("aebeex", UNWIND_OUTERMOST, none, 3, "cut", "!012aebeex");
}

static void what_does_not_fit_is_not_guessed(void **state)
{
	static const int elsewhere[] = {1, 200}, crossed[] = {3, 1}, twice[] = {2, 2};
	static const int open_end[] = {1, -1};

	(void)state;
	check("aebex", UNWIND_OUTERMOST, elsewhere, 2, NULL, "!01aebex");
	check("aebex", UNWIND_OUTERMOST, crossed, 2, NULL, "!01aebex");
	check("aeebx", UNWIND_OUTERMOST, twice, 2, NULL, "!01aeebx");
	check("aebex", UNWIND_OUTERMOST, open_end, 2, "more than 4096 frames", "!01aebex");
}

static void outer_runs_follow_a_native_stack_that_was_cut(void **state)
{
	static const int at[] = {1, 3, -1, 9};

	(void)state;
	check("aebex", UNWIND_NEEDS_REGISTER, at, 4, NULL, "a0b1x23");
	check("aebex", UNWIND_OUTERMOST, at, 4, NULL, "!0123aebex");
}

static void an_empty_side_is_no_trouble(void **state)
{
	static const int at[] = {-1, 2};
	struct drawn drawn;
	struct merged_stack merged;

	(void)state;
	check("", UNWIND_NO_MEMORY, at, 2, NULL, "01");
	check("abex", UNWIND_OUTERMOST, at, 0, NULL, "abex");
	check("", UNWIND_NO_MEMORY, at, 0, NULL, "");
	draw(&drawn, "abex", UNWIND_OUTERMOST);
	merge_stacks(&drawn.stack, NULL, NULL, &merged);
	assert_merged(&drawn, "abex", &merged, "abex");
}

static void without_the_place_of_the_loop_old_stacks_stay_apart(void **state)
{
	static const int none[] = {-1};
	static const struct python_place unknown = {0};
	struct drawn drawn;
	struct told told;
	struct merged_stack merged;

	(void)state;
	draw(&drawn, "aex", UNWIND_OUTERMOST);
	tell(&told, none, 1);
	merge_stacks(&drawn.stack, &told.thread, &unknown, &merged);
	assert_merged(&drawn, "aex", &merged, "!0aex");
	merge_stacks(&drawn.stack, &told.thread, NULL, &merged);
	assert_merged(&drawn, "aex", &merged, "!0aex");
}

static void two_interpreters_share_one_native_stack(void **state)
{
	static const int outer_at[] = {-1, 5}, inner_at[] = {1, -1, 3}, none[] = {-1};
	const struct python_thread *both[2];
	struct drawn drawn;
	struct told outer, inner;
	struct merged_stack merged;

	(void)state;
	draw(&drawn, "aebecexy", UNWIND_OUTERMOST);
	tell(&outer, outer_at, 2);
	tell(&inner, inner_at, 3);
	both[0] = &outer.thread;
	both[1] = &inner.thread;
	merge_stacks_of_all(&drawn.stack, both, 2, &place, &merged);
	assert_merged(&drawn, "aebecexy", &merged, "a0b12c01xy");

	/* Without anchors nothing says whose frames are further in. */
	draw(&drawn, "aeex", UNWIND_OUTERMOST);
	tell(&outer, none, 1);
	tell(&inner, none, 1);
	merge_stacks_of_all(&drawn.stack, both, 2, &place, &merged);
	assert_merged(&drawn, "aeex", &merged, "!00aeex");
}

static void plumbing_is_told_by_name(void **state)
{
	static const char *const plumbing[] = {"_PyEval_EvalFrameDefault", "_PyEval_Vector",
		"_PyEval_EvalFrameDefault.cold", "PyObject_Vectorcall", "_PyObject_MakeTpCall",
		"cfunction_vectorcall_NOARGS.lto_priv.0", "method_vectorcall",
		"function_code_fastcall", "call_function.constprop.0", "slot_tp_call"};
	static const char *const kept[] = {"take_gil", "PyThread_acquire_lock_timed",
		"lock_PyThread_acquire_lock", "time_sleep", "pysleep", "PyEval_RestoreThread",
		"ncclAllReduce", "main", "", ".", "__futex_abstimed_wait_common", "os_read",
		"builtin_sorted", "call_functions"};

	(void)state;
	for (size_t i = 0; i < sizeof(plumbing) / sizeof(plumbing[0]); i++)
		if (!merge_is_plumbing(plumbing[i]))
			fail_msg("%s is plumbing", plumbing[i]);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (merge_is_plumbing(kept[i]))
			fail_msg("%s is no plumbing", kept[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_stand_in_the_place_of_their_native_frame),
		cmocka_unit_test(up_to_3_10_the_numbers_must_be_equal),
		cmocka_unit_test(what_does_not_fit_is_not_guessed),
		cmocka_unit_test(outer_runs_follow_a_native_stack_that_was_cut),
		cmocka_unit_test(an_empty_side_is_no_trouble),
		cmocka_unit_test(without_the_place_of_the_loop_old_stacks_stay_apart),
		cmocka_unit_test(two_interpreters_share_one_native_stack),
		cmocka_unit_test(plumbing_is_told_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
