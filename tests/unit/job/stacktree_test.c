/* SPDX-License-Identifier: Apache-2.0 */
/* The stack tree: what it says of plain jobs, and against a slow reference on random ones. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/str.h"
#include "job/stacktree/stacktree.h"

#define RANKS_MOST  40
#define STACKS_MOST 200
#define FRAMES      6
#define DEPTH_MOST  5

/* A job made by hand: stacks in the order that sealing gives them. */
struct plain {
	struct job job;
	struct job_rank ranks[RANKS_MOST];
	struct job_frame frames[FRAMES];
	struct job_stack stacks[STACKS_MOST];
	uint32_t numbers[STACKS_MOST][DEPTH_MOST];
};

static void plain_make(struct plain *plain, size_t nranks)
{
	memset(plain, 0, sizeof(*plain));
	for (size_t i = 0; i < nranks; i++)
		plain->ranks[i] = (struct job_rank){
			.world_rank = world_rank((int)i), .process = (int)i};
	plain->job = (struct job){.ranks = plain->ranks,
		.nranks = nranks,
		.frames = plain->frames,
		.nframes = FRAMES,
		.stacks = plain->stacks};
}

/* frames: outermost first, as digits: "012". */
static struct job_stack *plain_add(struct plain *plain, int rank, bool main, const char *frames)
{
	struct job_stack *stack = &plain->stacks[plain->job.nstacks];
	uint32_t *numbers = plain->numbers[plain->job.nstacks++];
	size_t n = strlen(frames);

	for (size_t i = 0; i < n; i++)
		numbers[n - 1 - i] = (uint32_t)(frames[i] - '0');
	*stack = (struct job_stack){.rank = rank_index(rank),
		.process = rank,
		.tid = (uint32_t)plain->job.nstacks,
		.main = main,
		.thread = "",
		.frames = numbers,
		.nframes = n,
		.cut = "",
		.wchan = "",
		.syscall = "",
		.cite = "c"};
	return stack;
}

static void add_set(struct str *into, const struct stacktree_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		str_printf(into, i ? ",%d" : "%d", set->at[i].i);
}

/* The subtree of a node: "0:[0,1,2] " per frame, deeper ones behind, in brackets. */
static void draw(struct str *into, const struct stacktree *tree, int at)
{
	const struct stacktree_node *node = &tree->nodes[at];

	if (node->kind == STACKTREE_FRAME)
		str_printf(into, "%u:", node->frame);
	else
		str_add(into, node->kind == STACKTREE_NONE  ? "none:"
			      : node->kind == STACKTREE_CUT ? "cut:"
							    : "");
	add_set(into, &tree->sets[node->set]);
	if (node->ends)
		str_add(into, "!");
	if (node->child == JOB_NONE)
		return;
	str_add(into, "(");
	for (int child = node->child; child != JOB_NONE; child = tree->nodes[child].next) {
		if (child != node->child)
			str_add(into, " ");
		draw(into, tree, child);
	}
	str_add(into, ")");
}

static void assert_tree(const struct job *job, struct stacktree_options options, const char *drawn)
{
	struct stacktree *tree = stacktree_new(job, &options);
	struct str text = {0};

	draw(&text, tree, 0);
	assert_string_equal(str_text(&text), drawn);
	str_release(&text);
	stacktree_free(tree);
}

static void the_odd_one_out_comes_first(void **state)
{
	struct plain plain;

	plain_make(&plain, 4);
	plain_add(&plain, 0, true, "012");
	plain_add(&plain, 1, true, "012");
	plain_add(&plain, 2, true, "013");
	plain_add(&plain, 3, true, "012");
	assert_tree(&plain.job, (struct stacktree_options){0},
		"0,1,2,3(0:0,1,2,3(1:0,1,2,3(3:2! 2:0,1,3!)))");
}

static void no_stacks_make_an_empty_tree(void **state)
{
	struct plain plain;

	plain_make(&plain, 2);
	assert_tree(&plain.job, (struct stacktree_options){0}, "");
}

/* Nobody is odd because he cannot be read: whole stacks first, cut ones, and then none at all. */
static void who_cannot_be_read_comes_last(void **state)
{
	const struct stacktree_options main = {0};
	struct plain plain;
	struct stacktree *tree;

	plain_make(&plain, 4);
	plain_add(&plain, 0, true, "")->cut = "it ran";
	plain_add(&plain, 1, true, "12")->cut = "cut: a register was needed";
	plain_add(&plain, 2, true, "012");
	plain_add(&plain, 3, true, "012");
	assert_tree(&plain.job, main, "0,1,2,3(0:2,3(1:2,3(2:2,3!)) cut:1(1:1(2:1!)) none:0!)");
	tree = stacktree_new(&plain.job, &main);
	assert_int_equal(tree->nclasses, 3);
	assert_true(tree->classes[0].whole);
	assert_false(tree->classes[1].whole);
	assert_false(tree->classes[1].none);
	assert_true(tree->classes[2].none);
	stacktree_free(tree);
}

/* One thread stands where the others only pass: its class is its own, not that of all. */
static void who_ends_where_others_pass_is_a_class(void **state)
{
	const struct stacktree_options main = {0};
	struct plain plain;
	struct stacktree *tree;

	plain_make(&plain, 3);
	plain_add(&plain, 0, true, "012");
	plain_add(&plain, 1, true, "01");
	plain_add(&plain, 2, true, "012");
	assert_tree(&plain.job, main, "0,1,2(0:0,1,2(1:0,1,2!(2:0,2!)))");
	tree = stacktree_new(&plain.job, &main);
	assert_int_equal(tree->nclasses, 2);
	assert_int_equal(tree->sets[tree->classes[0].set].n, 1);
	assert_int_equal(tree->sets[tree->classes[0].set].at[0].i, 1);
	stacktree_free(tree);
}

/* Where somebody died is what one looks for first, be it the most crowded place. */
static void who_died_comes_before_the_odd_one(void **state)
{
	const struct job_signal signals[] = {
		{.rank = {1}, .process = 1, .signo = 15, .tid = 3},
		{.rank = {1}, .process = 1, .signo = 11, .tid = 4, .fatal = true},
	};
	const struct stacktree_options all = {.all = true};
	struct plain plain;
	struct stacktree *tree;

	plain_make(&plain, 2);
	plain_add(&plain, 0, true, "012");
	plain_add(&plain, 0, false, "014");
	plain_add(&plain, 1, true, "013");
	plain_add(&plain, 1, false, "014"); /* thread 4 */
	assert_tree(&plain.job, all, "0,1(0:0,1(1:0,1(2:0! 3:1! 4:0,1!)))");
	plain.job.signals = signals;
	plain.job.nsignals = 2;
	assert_tree(&plain.job, all, "0,1(0:0,1(1:0,1(4:0,1! 2:0! 3:1!)))");
	tree = stacktree_new(&plain.job, &(struct stacktree_options){0});
	for (size_t i = 0; i < tree->nnodes; i++)
		assert_false(tree->nodes[i].died); /* no main thread did */
	stacktree_free(tree);
}

static void helpers_are_left_out_unless_asked_for(void **state)
{
	const struct stacktree_options all = {.all = true};
	struct plain plain;
	struct stacktree *tree;

	plain_make(&plain, 2);
	plain_add(&plain, 0, true, "01");
	plain_add(&plain, 0, false, "02");
	plain_add(&plain, 0, false, "02");
	plain_add(&plain, 1, true, "01");
	plain_add(&plain, 1, false, "02");
	assert_tree(&plain.job, (struct stacktree_options){0}, "0,1(0:0,1(1:0,1!))");
	assert_tree(&plain.job, all, "0,1(0:0,1(1:0,1! 2:0,1!))");
	tree = stacktree_new(&plain.job, &all);
	assert_int_equal(tree->nclasses, 1);
	assert_int_equal(tree->classes[0].nleaves, 2);
	assert_int_equal(tree->classes[0].threads, 5);
	stacktree_free(tree);
}

static void plumbing_is_hidden_and_counted(void **state)
{
	const struct stacktree_options shown = {.plumbing = true};
	struct stacktree *tree;
	struct plain plain;

	plain_make(&plain, 2);
	plain.frames[1].plumbing = true;
	plain_add(&plain, 0, true, "012");
	plain_add(&plain, 1, true, "02");
	assert_tree(&plain.job, (struct stacktree_options){0}, "0,1(0:0,1(2:0,1!))");
	assert_tree(&plain.job, shown, "0,1(0:0,1(1:0(2:0!) 2:1!))");
	tree = stacktree_new(&plain.job, &(struct stacktree_options){0});
	assert_int_equal(tree->hidden, 1);
	stacktree_free(tree);
}

/* A process that is no rank stands behind all ranks. */
static void a_process_of_no_rank_is_a_member(void **state)
{
	struct plain plain;
	struct job_stack *stack;

	plain_make(&plain, 2);
	plain_add(&plain, 0, true, "01");
	plain_add(&plain, 1, true, "01");
	stack = plain_add(&plain, JOB_NONE, true, "01");
	stack->process = 5;
	assert_tree(&plain.job, (struct stacktree_options){0}, "0,1,7(0:0,1,7(1:0,1,7!))");
}

/* -- against a slow reference ------------------------------------------------------------------ */

/* True if the stack begins with these frames, outermost first. */
static bool begins(const struct job_stack *stack, const uint32_t *frames, size_t n)
{
	if (stack->nframes < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (stack->frames[stack->nframes - 1 - i] != frames[n - 1 - i])
			return false;
	return true;
}

/* Who has a stack that begins (or is whole) with these frames; innermost first, as paths are. */
static size_t who_begins(const struct job *job, const uint32_t *path, size_t n, bool whole,
	struct rank_index *ret, uint32_t *ret_threads)
{
	size_t nr = 0;

	*ret_threads = 0;
	for (size_t i = 0; i < job->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[i];

		if (!begins(stack, path, n) || (whole && stack->nframes != n))
			continue;
		++*ret_threads;
		if (!nr || !same_rank(ret[nr - 1], stack->rank))
			ret[nr++] = stack->rank;
	}
	return nr;
}

static void assert_set(const struct stacktree_set *set, const struct rank_index *members, size_t n)
{
	assert_int_equal(set->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(set->at[i].i, members[i].i);
}

static void check_nodes(const struct stacktree *tree)
{
	uint32_t path[DEPTH_MOST], threads;
	struct rank_index members[STACKS_MOST];

	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct stacktree_node *node = &tree->nodes[i];
		size_t depth = stacktree_path(tree, (int)i, path, DEPTH_MOST);
		size_t n = who_begins(tree->job, path, depth, false, members, &threads);

		assert_true(node->parent < (int)i);
		assert_set(&tree->sets[node->set], members, n);
		assert_int_equal(node->threads, threads);
		n = who_begins(tree->job, path, depth, true, members, &threads);
		assert_int_equal(node->ends, threads);
		if (node->ends)
			assert_set(&tree->sets[node->end_set], members, n);
		for (int at = node->child; at != JOB_NONE && tree->nodes[at].next != JOB_NONE;
			at = tree->nodes[at].next)
			assert_true(tree->sets[tree->nodes[at].set].n <=
				    tree->sets[tree->nodes[tree->nodes[at].next].set].n);
	}
}

static void check_classes(const struct stacktree *tree)
{
	size_t threads = 0;

	for (size_t i = 0; i < tree->nclasses; i++) {
		const struct stacktree_class *class = &tree->classes[i];

		threads += class->threads;
		for (size_t k = 0; k < class->nleaves; k++)
			assert_int_equal(tree->nodes[class->leaves[k]].end_set, class->set);
		for (size_t k = 0; k < i; k++)
			assert_true(tree->classes[k].set != class->set);
		assert_true(
			!i || tree->sets[tree->classes[i - 1].set].n <= tree->sets[class->set].n);
	}
	assert_int_equal(threads, tree->job->nstacks);
}

static void check_stacks(const struct stacktree *tree)
{
	uint32_t path[DEPTH_MOST];

	assert_int_equal(tree->nstacks, tree->job->nstacks);
	for (size_t i = 0; i < tree->nstacks; i++) {
		const struct job_stack *stack = &tree->job->stacks[tree->stacks[i]];
		size_t n = stacktree_path(tree, tree->ends[i], path, DEPTH_MOST);

		assert_int_equal(n, stack->nframes);
		assert_memory_equal(path, stack->frames, n * sizeof(*path));
	}
}

static void random_stacks_are_as_the_slow_way_has_them(void **state)
{
	const struct stacktree_options all = {.all = true};
	struct plain *plain = alloc_zeroed(1, sizeof(*plain));

	srandom(4);
	for (int round = 0; round < 300; round++) {
		size_t nranks = 1 + (size_t)random() % RANKS_MOST;
		int variety = 1 + (int)random() % FRAMES;
		struct stacktree *tree;

		plain_make(plain, nranks);
		for (size_t rank = 0; rank < nranks; rank++)
			for (long k = random() % 5; k >= 0; k--) {
				char frames[DEPTH_MOST + 1] = {0};
				long depth = 1 + random() % DEPTH_MOST;

				for (long i = 0; i < depth; i++)
					frames[i] = (char)('0' + random() % variety);
				plain_add(plain, (int)rank, false, frames);
			}
		tree = stacktree_new(&plain->job, &all);
		check_nodes(tree);
		check_classes(tree);
		check_stacks(tree);
		for (size_t i = 0; i < tree->nsets; i++)
			for (size_t k = 0; k < i; k++)
				assert_false(tree->sets[i].n == tree->sets[k].n &&
					     !memcmp(tree->sets[i].at, tree->sets[k].at,
						     tree->sets[i].n * sizeof(int)));
		stacktree_free(tree);
	}
	free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_odd_one_out_comes_first),
		cmocka_unit_test(no_stacks_make_an_empty_tree),
		cmocka_unit_test(who_cannot_be_read_comes_last),
		cmocka_unit_test(who_ends_where_others_pass_is_a_class),
		cmocka_unit_test(who_died_comes_before_the_odd_one),
		cmocka_unit_test(helpers_are_left_out_unless_asked_for),
		cmocka_unit_test(plumbing_is_hidden_and_counted),
		cmocka_unit_test(a_process_of_no_rank_is_a_member),
		cmocka_unit_test(random_stacks_are_as_the_slow_way_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
