/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks in the sealed job, and the questions that rules ask of them. Law 2 over stacks. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/seal/build.h"
#include "job/stacktree/stackfacts.h"

static const struct job_frame places[] = {
	{.kind = JOB_FRAME_NATIVE, .function = "main", .module = "python3.11", .file = ""},
	{.kind = JOB_FRAME_PYTHON,
		.function = "<module>",
		.module = "",
		.file = "/home/me/train.py",
		.line = 12},
	{.kind = JOB_FRAME_PYTHON,
		.function = "Queue.get",
		.module = "",
		.file = "/usr/lib/python3.11/queue.py",
		.line = 171},
	{.kind = JOB_FRAME_NATIVE,
		.function = "futex_wait",
		.module = "libc.so.6",
		.file = "nptl/futex.c"},
	{.kind = JOB_FRAME_KERNEL, .function = "futex_wait_queue", .module = "", .file = ""},
	{.kind = JOB_FRAME_NATIVE,
		.function = "",
		.module = "libcuda.so.1",
		.file = "",
		.offset = 0x1234},
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static struct job_who who(uint32_t pid)
{
	return (struct job_who){"a", pid, 100 + pid};
}

static void add_rank(struct job_builder *b, uint32_t pid, int rank, int restart)
{
	struct job_process process = job_process_unknown;
	struct job_identity identity = {
		.world_rank = world_rank(rank), .local_rank = JOB_NONE, .promoted = true};

	process.end = JOB_ALIVE;
	process.restart = restart;
	process.cite = "proc";
	job_add_process(b, who(pid), &process, &identity);
}

/* A stack of these places by number, innermost first. */
static void add_stack(
	struct job_builder *b, uint32_t pid, uint32_t tid, int64_t when, const char *numbers)
{
	struct job_frame frames[PLACES];
	struct job_stack stack = {.tid = tid,
		.main = tid == pid,
		.how = *numbers ? JOB_STACK_PEEKED : JOB_STACK_NONE,
		.cut = *numbers ? "" : "it ran",
		.cpu_delta = JOB_UNKNOWN,
		.samples = 1,
		.when = when,
		.cite = "stack"};
	size_t n = strlen(numbers);

	for (size_t i = 0; i < n; i++)
		frames[i] = places[numbers[i] - '0'];
	job_add_stack(b, who(pid), &stack, frames, n);
}

/* All of a job's stacks as text, frames in full. */
static void describe(struct str *into, const struct job *job)
{
	for (size_t i = 0; i < job->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[i];

		str_printf(into, "%d/%d/%u%s@%lld:", stack->rank.i, stack->process, stack->tid,
			stack->main ? "*" : "", (long long)stack->when);
		for (size_t k = 0; k < stack->nframes; k++)
			str_printf(into, " %u=%s", stack->frames[k],
				job->frames[stack->frames[k]].function);
		str_add(into, "\n");
	}
	str_printf(into, "%zu frames", job->nframes);
	for (size_t i = 0; i < job->nsnapshots; i++)
		str_printf(into, "; %d: %u threads, %u cut", job->snapshots[i].process,
			job->snapshots[i].threads, job->snapshots[i].cut);
}

static void add_snapshot(struct job_builder *b, uint32_t pid, int64_t when, unsigned cut)
{
	const struct job_snapshot snapshot = {
		.samples = 3, .threads = 2, .cut = cut, .when = when, .cite = "s"};

	job_add_snapshot(b, who(pid), &snapshot);
}

/* The facts of the next test, one per number, to be added in any order. */
static void add_fact(struct job_builder *b, int number)
{
	switch (number) {
	case 0:
		add_rank(b, 20, 1, 0);
		break;
	case 1:
		add_rank(b, 30, 0, 0);
		break;
	case 2:
		add_stack(b, 20, 21, 5, "4310");
		break;
	case 3:
		add_stack(b, 20, 20, 5, "432100");
		break;
	case 4:
		add_stack(b, 30, 30, 5, "10");
		break;
	case 5:
		add_stack(b, 30, 30, 6, "210"); /* later than the one before */
		break;
	case 6:
		add_stack(b, 30, 31, 6, "50");
		break;
	case 7:
		add_stack(b, 30, 31, 6, "51"); /* another of the same moment */
		break;
	case 8:
		add_stack(b, 40, 40, 6, "0"); /* of nobody */
		break;
	case 9:
		add_snapshot(b, 20, 5, 1);
		break;
	case 10:
		add_snapshot(b, 20, 6, 2);
		break;
	default:
		add_snapshot(b, 30, 6, 0);
	}
}
#define FACTS 12

static void any_order_gives_the_same_job(void **state)
{
	struct str first = {0};

	srandom(2);
	for (int round = 0; round < 100; round++) {
		struct job_builder *b = job_builder_new();
		struct str text = {0};
		int order[FACTS];
		struct job *job;

		for (int i = 0; i < FACTS; i++)
			order[i] = i;
		for (int i = FACTS - 1; round && i; i--) {
			int k = (int)(random() % (i + 1)), was = order[i];

			order[i] = order[k];
			order[k] = was;
		}
		for (int i = 0; i < FACTS; i++)
			add_fact(b, order[i]);
		job = job_seal(b);
		describe(&text, job);
		if (!round)
			first = text;
		assert_string_equal(str_text(&text), str_text(&first));
		if (round)
			str_release(&text);
		job_free(job);
	}
	assert_string_equal(str_text(&first),
		"0/1/30*@6: 0=Queue.get 1=<module> 2=main\n"
		"0/1/31@6: 3= 1=<module>\n"
		"1/0/20*@5: 4=futex_wait_queue 5=futex_wait 0=Queue.get 1=<module> 2=main 2=main\n"
		"1/0/21@5: 4=futex_wait_queue 5=futex_wait 1=<module> 2=main\n"
		"-1/2/40*@6: 2=main\n"
		"6 frames; 1: 2 threads, 0 cut; 0: 2 threads, 2 cut");
	str_release(&first);
}

static void who_has_a_stack_is_known(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_rank(b, 20, 0, 0);
	add_rank(b, 30, 1, 0);
	add_rank(b, 40, 2, 0);
	add_stack(b, 20, 20, 5, "0");
	add_stack(b, 30, 30, 5, "");
	job = job_seal(b);
	assert_true(job->ranks[0].knows & JOB_KNOWS_STACKS);
	assert_false(job->ranks[1].knows & JOB_KNOWS_STACKS);
	assert_false(job->ranks[2].knows & JOB_KNOWS_STACKS);
	assert_string_equal(job->stacks[1].cut, "it ran");
	job_free(job);
}

static void an_earlier_attempt_s_stacks_are_left_out(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_rank(b, 20, 0, 0);
	add_rank(b, 30, 0, 1);
	add_stack(b, 20, 20, 5, "0");
	add_stack(b, 30, 30, 5, "10");
	job = job_seal(b);
	assert_int_equal(job->nstacks, 1);
	assert_int_equal(job->stacks[0].tid, 30);
	job_free(job);
}

static void rules_find_frames(void **state)
{
	const struct stackfacts_place input[] = {
		{"get", "queue.py"}, {"*.get", "queue.py"}, {NULL, "torch/utils/data/*"}};
	const struct stackfacts_place cuda = {NULL, "libcuda.so*"};
	struct job_builder *b = job_builder_new();
	const struct job_stack *stack;
	struct job *job;

	add_rank(b, 20, 0, 0);
	add_stack(b, 20, 20, 5, "432100");
	add_stack(b, 20, 25, 5, "50");
	job = job_seal(b);
	stack = stackfacts_main(job, rank_index(0));
	assert_non_null(stack);
	assert_int_equal(stack->tid, 20);
	assert_int_equal(stackfacts_find(job, stack, 0, input, 3), 2);
	assert_int_equal(stackfacts_find(job, stack, 3, input, 3), -1);
	assert_int_equal(stackfacts_find(job, stack, 0, &cuda, 1), -1);
	assert_int_equal(stackfacts_python(job, stack), 2);
	assert_int_equal(stackfacts_program(job, stack), 3);
	assert_null(stackfacts_frame(job, stack, 6));
	stack = stackfacts_thread(job, rank_index(0), 25);
	assert_int_equal(stackfacts_find(job, stack, 0, &cuda, 1), 0);
	assert_int_equal(stackfacts_python(job, stack), -1);
	assert_int_equal(stackfacts_program(job, stack), -1);
	assert_null(stackfacts_thread(job, rank_index(0), 26));
	job_free(job);
}

/* The number of the program's frame in a stack whose innermost Python frame is of that file. */
static long program_above(const char *file)
{
	struct job_frame frames[] = {places[2], places[1]};
	struct job_stack stack = {.tid = 20, .main = true, .cut = "", .cite = "stack"};
	struct job_builder *b = job_builder_new();
	struct job *job;
	long at;

	frames[0].file = file;
	add_rank(b, 20, 0, 0);
	job_add_stack(b, who(20), &stack, frames, 2);
	job = job_seal(b);
	at = stackfacts_program(job, stackfacts_main(job, rank_index(0)));
	job_free(job);
	return at;
}

/* Whose code it is, is told by where it lies. */
static void the_program_is_what_its_authors_wrote(void **state)
{
#define HASH "zov6ailwcw6k46umoq5363qkhmny6gxia4vkxidinrlaghrrsah"
	assert_int_equal(program_above("/home/me/data.py"), 0);
	assert_int_equal(program_above("/env/lib/python3.13/site-packages/torch/nn.py"), 1);
	assert_int_equal(program_above("<frozen runpy>"), 1);
	assert_int_equal(program_above("/tmp/torchinductor_me/zo/c" HASH ".py"), 1);
	assert_int_equal(program_above("/zo/c" HASH ".py"), 1);
	assert_int_equal(program_above("/home/me/zu/c" HASH ".py"), 0);
	assert_int_equal(program_above("/home/me/zo/c" HASH "s.py"), 0);
	assert_int_equal(program_above("zo/c" HASH ".py"), 0);
	assert_int_equal(program_above("c" HASH ".py"), 0);
	assert_int_equal(program_above("/c.py"), 0);
#undef HASH
}

static void patterns_fit_whole_texts(void **state)
{
	assert_true(stackfacts_fits("futex_wait_queue", "futex_*"));
	assert_true(stackfacts_fits("abcabd", "*ab*d"));
	assert_true(stackfacts_fits("", "*"));
	assert_true(stackfacts_fits("anything", NULL));
	assert_false(stackfacts_fits("futex", "utex"));
	assert_false(stackfacts_fits("futex", "fute"));
	assert_false(stackfacts_fits("", "a*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_gives_the_same_job),
		cmocka_unit_test(who_has_a_stack_is_known),
		cmocka_unit_test(an_earlier_attempt_s_stacks_are_left_out),
		cmocka_unit_test(rules_find_frames),
		cmocka_unit_test(the_program_is_what_its_authors_wrote),
		cmocka_unit_test(patterns_fit_whole_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
