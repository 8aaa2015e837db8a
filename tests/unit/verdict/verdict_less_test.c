/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Law 3 of stacks: jobs of which only stacks tell, drawn at random, and all that may be missing of
 * such evidence: whole stacks and ranks, samples, native frames, Python's, the outermost ones, the
 * names of functions and of modules, threads. However much of it goes, one after the other, nobody
 * is accused who was not before; and the order in which it is told changes nothing. The seed is
 * printed: INQUEST_SEED repeats a run.
 */
#include "tests/unit/bystacks.h"
#include "words/wording.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS	 300
#define LESSENED 6 /* pieces of evidence that go, one by one */
#define N_OF(a)	 (int)(sizeof(a) / sizeof((a)[0]))

static const char *const waiting[] = {ALL_REDUCE, BARRIER, STORE_ID, CONNECT, NCCL_COLD, CUDA_SYNC,
	MPI_WAIT, JAX_WAIT, RPC_WAIT, FUTURE_WAIT};

static const char *const elsewhere[] = {SLEEPS, LOADER, DATASET, SAVE, COMPILE, LOCKED, S3_GET,
	QUEUE_GET, BACKWARD, RAY_MAIN, FILE_LOCKED "prepare@/home/me/data.py:12" MAIN,
	DATASETS(FILE_LOCKED, "690"), DATASETS("read@libc.so.6 < ", "700"),
	"wait4@libc.so.6 < launch@/home/me/train.py:130" MAIN,
	"read@libc.so.6 < load@solver < main@solver"};

static const char *const threads[] = {ALL_REDUCE, AUTOGRAD_IDLE, QUEUE_GET, HOLDER, CUDA_SYNC,
	"hook@/home/me/train.py:17", "write@libc.so.6 < save@" TORCH "serialization.py:900"};

static int draw(unsigned *seed, int below)
{
	return (int)((unsigned)rand_r(seed) % (unsigned)below);
}

/* Texts that were made, freed at the end. */
struct texts {
	char *at[LESSENED * 4];
	size_t n;
};

static void assert_same_words(const struct verdict_fact *a, const struct verdict_fact *b)
{
	struct str one = {0}, other = {0};

	wording_fact(&one, a);
	wording_fact(&other, b);
	assert_string_equal(str_text(&one), str_text(&other));
	str_release(&one);
	str_release(&other);
}

static void forget(struct texts *texts)
{
	while (texts->n)
		free(texts->at[--texts->n]);
}

/* -- a job ------------------------------------------------------------------------------------- */

static void draw_samples(struct job_stack *stack, unsigned *seed)
{
	stack->moved = draw(seed, 3) ? JOB_NO : JOB_YES;
	stack->still = stack->moved == JOB_YES && draw(seed, 3) ? (size_t)draw(seed, 6) : SIZE_MAX;
	stack->syscall = draw(seed, 2) ? "futex" : "poll";
}


/* The main thread; what its innermost function is, its system call says, too. */
static void draw_main(struct facts *f, int rank, const char *frames, unsigned *seed)
{
	struct job_stack *stack = facts_stack(f, rank, frames);

	draw_samples(stack, seed);
	if (!strncmp(frames, "wait4", 5))
		stack->syscall = "wait4";
	if (!strncmp(frames, "flock", 5))
		stack->syscall = "flock";
}

static void draw_thread(struct facts *f, int rank, unsigned *seed)
{
	bool autograd = draw(seed, 2);
	struct job_stack *stack = facts_stack_of(f, rank, autograd ? "pt_autograd_0" : "worker",
		700 + (uint32_t)rank, threads[draw(seed, N_OF(threads))]);

	draw_samples(stack, seed);
}

static void draw_child(struct facts *f, int rank, unsigned *seed)
{
	uint32_t pid;

	facts_child(f, rank, "python");
	pid = f->extra[f->nextra - 1].pid;
	facts_stack_of(f, rank, "python", pid, waiting[draw(seed, N_OF(waiting))])->main = true;
	f->extra[f->nextra - 1].pid = pid;
}

/* Its main thread waits for the GIL, which another one has. */
static void draw_gil(struct facts *f, int rank, unsigned *seed)
{
	struct job_stack *stack = facts_stack(f, rank, GIL);

	draw_samples(stack, seed);
	stack->waits_gil = true; /* by its futex: that needs no names */
	if (!draw(seed, 3))
		return;
	facts_stack_of(f, rank, "holder", 600 + (uint32_t)rank, threads[draw(seed, N_OF(threads))])
		->holds_gil = JOB_YES;
}

static struct facts *draw_job(unsigned *seed)
{
	int n = 2 + draw(seed, 9), usual = draw(seed, N_OF(waiting)), odd = 1 + draw(seed, 3);
	struct facts *f = facts_new(n);

	facts_no_probe(f);
	for (int rank = 0; rank < n; rank++) {
		int kind = draw(seed, n + 2);

		facts_move(f, rank, draw(seed, 2));
		if (kind < odd && !draw(seed, 6))
			draw_gil(f, rank, seed);
		else
			draw_main(f, rank,
				kind < odd  ? elsewhere[draw(seed, N_OF(elsewhere))]
				: kind == n ? waiting[draw(seed, N_OF(waiting))]
					    : waiting[usual],
				seed);
		if (!draw(seed, 4))
			draw_thread(f, rank, seed);
		if (!draw(seed, 8))
			draw_child(f, rank, seed);
		if (!draw(seed, 20))
			f->ranks[rank].process.state = 'T';
	}
	return f;
}

/* -- less of it -------------------------------------------------------------------------------- */

enum loss {
	LOSE_STACK,
	LOSE_RANK,
	LOSE_SAMPLES,
	LOSE_NATIVE,
	LOSE_PYTHON,
	LOSE_OUTER,
	LOSE_NAMES,
	LOSE_MODULES,
	LOSSES
};

static const char *const loss_names[LOSSES] = {"the stack", "all of the rank", "samples",
	"native frames", "Python's frames", "outermost frames", "names of functions",
	"names of modules"};

/*
 * The frames that a walk, or one who looks names up, is left with. *ret_gone: how many went of
 * those outermost ones that all samples had alike.
 */
static char *lessen(const char *frames, enum loss loss, size_t still, size_t *ret_gone)
{
	char *copy = strdup(frames), *at = copy, *next, *result = calloc(1, strlen(frames) + 64);
	size_t total = *frames ? 1 : 0;

	for (const char *p = frames; (p = strstr(p, " < ")); p += 3)
		total++;
	for (size_t i = 0; at && *at; at = next, i++) {
		char *where = strchr(at, '@');
		bool python;

		next = strstr(at, " < ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		python = strstr(at, ".py:") != NULL;
		if ((loss == LOSE_NATIVE && !python) || (loss == LOSE_PYTHON && python) ||
			(loss == LOSE_OUTER && i > total / 2)) {
			*ret_gone += i + still >= total;
			continue;
		}
		if (*result)
			strcat(result, " < ");
		if (loss == LOSE_MODULES && !python)
			strcat(result, "@");
		else
			strcat(result, loss == LOSE_NAMES && !python ? where : at);
	}
	free(copy);
	return result;
}

static void lose_frames(struct facts_extra *extra, enum loss loss, struct texts *texts)
{
	struct job_stack *stack = &extra->is.stack.fact;
	size_t gone = 0;

	texts->at[texts->n] = lessen(extra->is.stack.frames, loss, stack->still, &gone);
	extra->is.stack.frames = texts->at[texts->n++];
	if (stack->still != SIZE_MAX)
		stack->still -= gone;
	/* A name that is missing is no missing frame. */
	if (loss == LOSE_NATIVE || loss == LOSE_OUTER)
		stack->cut = "the walk ended";
	if (loss == LOSE_OUTER)
		stack->rooted = false;
}

/* An interpreter that cannot be read hides the Python frames of all its threads. */
static void lose_python(struct facts *f, int rank, struct texts *texts)
{
	for (size_t i = 0; i < f->nextra; i++)
		if (f->extra[i].kind == EXTRA_STACK && f->extra[i].rank == rank)
			lose_frames(&f->extra[i], LOSE_PYTHON, texts);
}

static void lose_at(struct facts *f, struct facts_extra *extra, enum loss loss, struct texts *texts)
{
	struct job_stack *stack = &extra->is.stack.fact;

	if (loss == LOSE_RANK) {
		f->hidden = extra->rank;
	} else if (loss == LOSE_SAMPLES) {
		stack->samples = 1;
		stack->moved = JOB_MAYBE;
	} else if (loss == LOSE_STACK) {
		extra->is.stack.frames = "";
		stack->how = JOB_STACK_NONE;
		stack->cut = "no permission";
	} else if (loss == LOSE_PYTHON) {
		lose_python(f, extra->rank, texts);
	} else {
		lose_frames(extra, loss, texts);
	}
}

static void print_evidence(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	facts_print(v);
	for (size_t i = 0; i < f->nextra; i++)
		if (f->extra[i].kind == EXTRA_STACK)
			print_message("    %d %s, moved %d, still %d, %s: %s\n", f->extra[i].rank,
				f->extra[i].is.stack.fact.thread,
				f->extra[i].is.stack.fact.moved,
				(int)f->extra[i].is.stack.fact.still,
				f->extra[i].is.stack.fact.cut, f->extra[i].is.stack.frames);
	verdicts_free(v);
	job_free(job);
}

/* Takes one piece away at random; returns what. */
static const char *take(struct facts *f, unsigned *seed, struct texts *texts)
{
	size_t at = (size_t)draw(seed, (int)f->nextra);
	enum loss loss = (enum loss)draw(seed, LOSSES);

	if (f->extra[at].kind != EXTRA_STACK || (loss == LOSE_RANK && f->hidden >= 0))
		return NULL;
	lose_at(f, &f->extra[at], loss, texts);
	return loss_names[loss];
}

static unsigned base_seed(void)
{
	const char *given = getenv("INQUEST_SEED");
	static unsigned seed;

	if (!seed) {
		seed = given ? (unsigned)strtoul(given, NULL, 0) : 20261121u;
		print_message("# seed %u\n", seed);
	}
	return seed;
}

static void less_of_stacks_accuses_nobody_new(void **state)
{
	unsigned named = 0, freed = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		unsigned seed = base_seed() + i, start = seed;
		struct facts *f = draw_job(&seed);
		struct texts texts = {.n = 0};
		uint64_t before = facts_culprits(f);

		named += before != 0;
		for (int k = 0; k < LESSENED; k++) {
			struct facts *more = facts_copy(f);
			const char *what = take(f, &seed, &texts);
			uint64_t after = what ? facts_culprits(f) : before;

			if (after & ~before) {
				print_evidence(more);
				print_evidence(f);
				fail_msg("seed %u: without %s", start, what);
			}
			facts_free(more);
			freed += after != before;
			before = after;
		}
		forget(&texts);
		facts_free(f);
	}
	/* Else this proves nothing. */
	assert_true(named > RUNS / 8);
	assert_true(freed > RUNS / 16);
}

/* What is said, with all its facts: the same in whatever order the stacks came. */
static void the_order_of_stacks_changes_nothing(void **state)
{
	for (unsigned i = 0; i < RUNS / 4; i++) {
		unsigned seed = base_seed() + i, start = seed;
		struct facts *f = draw_job(&seed), *other = facts_copy(f);
		struct judged a = judge(f), b;

		other->shuffle = seed | 1;
		b = judge(other);
		if (a.v->n != b.v->n)
			fail_msg("seed %u: another number of verdicts", start);
		for (size_t k = 0; k < a.v->n; k++) {
			assert_int_equal(a.v->at[k].class, b.v->at[k].class);
			assert_int_equal(a.v->at[k].where, b.v->at[k].where);
			assert_int_equal(a.v->at[k].confidence, b.v->at[k].confidence);
			assert_int_equal(a.v->at[k].nevidence, b.v->at[k].nevidence);
			for (size_t e = 0; e < a.v->at[k].nevidence; e++)
				assert_same_words(
					&a.v->at[k].evidence[e], &b.v->at[k].evidence[e]);
		}
		done(&a, f);
		done(&b, other);
	}
}

/*
 * One has slept for 20 s at its line, the others were looked at for too short: a longer look is
 * asked for of those, and not of the one of whom the page tells how long it has stood.
 */
static void who_is_told_to_stand_needs_no_longer_look(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;
	bool found = false;

	(void)state;
	facts_no_probe(f);
	f->stack_span = 0.1;
	for (int i = 0; i < 4; i++) {
		struct job_stack *stack = facts_stack(f, i, i == 2 ? SLEEPS : ALL_REDUCE);

		stack->asleep = i == 2 ? facts_ns(20.6) : 0;
		if (i != 2)
			stack->moved = JOB_MAYBE;
	}
	j = judge(f);
	for (size_t i = 0; i < j.v->nnot_judged; i++) {
		const struct verdict_not_judged *not = &j.v->not_judged[i];

		if (not->need != NEED_STANDING_STACKS)
			continue;
		found = true;
		assert_int_equal(not->ranks.n, 3);
		for (size_t k = 0; k < 3; k++)
			assert_int_not_equal(not->ranks.at[k].i, 2);
	}
	assert_true(found);
	done(&j, f);
}

/* All went on when their stacks were taken. Long after that nobody knows whether they still do. */
static void old_stacks_do_not_tell_that_all_is_well(void **state)
{
	static const int ages[] = {1, 30};

	(void)state;
	for (int at = 0; at < 2; at++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_no_probe(f);
		for (int i = 0; i < 4; i++) {
			struct job_stack *stack = facts_stack(f, i, SLEEPS);

			stack->moved = JOB_YES;
			stack->when = facts_ns(FACTS_NOW - ages[at]);
		}
		j = judge(f);
		assert_int_equal(
			j.v->at[0].class, at ? VERDICT_INCONCLUSIVE : VERDICT_HEALTHY);
		if (at)
			assert_int_equal(j.v->not_judged[0].need, NEED_YOUNGER_STACKS);
		done(&j, f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_stacks_do_not_tell_that_all_is_well),
		cmocka_unit_test(who_is_told_to_stand_needs_no_longer_look),
		cmocka_unit_test(less_of_stacks_accuses_nobody_new),
		cmocka_unit_test(the_order_of_stacks_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
