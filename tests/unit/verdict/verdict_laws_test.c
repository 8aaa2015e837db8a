/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws, on jobs drawn at random: programs of ranks over random groups, run by a model of NCCL
 * until nothing moves, with one fault injected. Whatever the schedule, the judge names the injected
 * rank or nobody; the order of facts changes nothing; evidence left out accuses nobody new; and
 * renaming ranks renames culprits. The seed is printed: INQUEST_SEED repeats a run.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/facts.h"
#include "words/wording.h"

#define MAX_STEPS 24
#ifdef __SANITIZE_ADDRESS__
#define RUNS 60 /* as many as can be waited for */
#else
#define RUNS 400
#endif

enum fault {
	FAULT_COMPILE,
	FAULT_SEGV,
	FAULT_KILL,
	FAULT_EXCEPTION,
	FAULT_EXIT,
	FAULT_INPUT,
	FAULT_FROZEN,
	FAULT_STALL,
	FAULT_ZERO,
	FAULT_COUNT,
	FAULT_OTHER_OP,
	FAULTS
};

static const char *const fault_names[FAULTS] = {"compile", "segv", "kill", "exception", "exit",
	"input", "frozen", "stall", "zero", "count", "other-op"};

/* How the hang ended, if it did. */
enum aftermath {
	AFTER_NOTHING,
	AFTER_WATCHDOGS,  /* of those who wait; then the launcher ends the rest */
	AFTER_EXCEPTIONS, /* of those who wait, telling of the failing of others */
	AFTER_ORDERS,     /* the launcher tells all to end */
	AFTER_KILLS,      /* all are killed at once */
	AFTERMATHS
};

/* A program: all ranks run through the same list; a rank takes part where it is a member. */
struct schedule {
	int n;
	int ngroups;
	int sizes[FACTS_MAX_GROUPS];
	int members[FACTS_MAX_GROUPS][FACTS_MAX_RANKS];
	int nsteps;
	int group_of[MAX_STEPS];
	bool cold; /* calls block their thread until all are in */
	bool completion;
	enum fault fault;
	int culprit;
	int at; /* step before which the fault strikes */
	enum aftermath aftermath;
};

static int draw(unsigned *seed, int below)
{
	return (int)((unsigned)rand_r(seed) % (unsigned)below);
}

static bool is_member(const struct schedule *s, int group, int rank)
{
	for (int i = 0; i < s->sizes[group]; i++)
		if (s->members[group][i] == rank)
			return true;
	return false;
}

static void draw_group(struct schedule *s, unsigned *seed)
{
	int group = s->ngroups++;

	for (int rank = 0; rank < s->n; rank++)
		if (draw(seed, 3))
			s->members[group][s->sizes[group]++] = rank;
	if (s->sizes[group] < 3)
		s->ngroups--, s->sizes[group] = 0;
}

static struct schedule draw_schedule(unsigned *seed)
{
	struct schedule s = {.n = 3 + draw(seed, 10), .ngroups = 1};
	int tries = draw(seed, 4);

	s.sizes[0] = s.n;
	for (int i = 0; i < s.n; i++)
		s.members[0][i] = i;
	while (tries--)
		draw_group(&s, seed);
	s.nsteps = 3 + draw(seed, MAX_STEPS - 3);
	for (int i = 0; i < s.nsteps; i++)
		s.group_of[i] = draw(seed, s.ngroups);
	s.cold = draw(seed, 2);
	s.completion = draw(seed, 2);
	s.fault = (enum fault)draw(seed, FAULTS);
	s.culprit = draw(seed, s.n);
	s.at = draw(seed, s.nsteps);
	s.aftermath = (enum aftermath)draw(seed, AFTERMATHS);
	/* The fault strikes where the culprit takes part, in a group in which it is a minority. */
	while (!is_member(&s, s.group_of[s.at], s.culprit))
		s.group_of[s.at] = 0;
	return s;
}

/* How far each rank's program came, and the model's clock. */
struct machine {
	const struct schedule *s;
	struct facts *f;
	int pc[FACTS_MAX_RANKS];
	bool held[FACTS_MAX_RANKS];
	bool struck;
	double now;
};

static bool stops_at(const struct schedule *s, int rank, int step)
{
	return rank == s->culprit && step == s->at && s->fault < FAULT_ZERO;
}

static void strike(struct machine *m)
{
	const struct schedule *s = m->s;
	struct facts *f = m->f;
	int rank = s->culprit;

	m->struck = true;
	facts_outside(f, rank, m->now);
	switch (s->fault) {
	case FAULT_COMPILE:
		facts_span(f, rank, JOB_SPAN_COMPILE, "codegen", "", m->now, FACTS_OPEN);
		facts_cpu(f, rank, 1, 1, 0);
		break;
	case FAULT_SEGV:
		facts_signal(f, rank, SIGSEGV, 0, "python", m->now);
		facts_end(f, rank, JOB_SIGNALED, SIGSEGV, m->now);
		break;
	case FAULT_KILL:
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, m->now);
		break;
	case FAULT_EXCEPTION:
		facts_note(f, rank, "ValueError: bad", m->now);
		facts_end(f, rank, JOB_EXITED, 1, m->now + 1);
		break;
	case FAULT_EXIT:
		facts_end(f, rank, JOB_EXITED, 0, m->now);
		break;
	case FAULT_INPUT:
		facts_span(f, rank, JOB_SPAN_INPUT, "next", "", m->now, FACTS_OPEN);
		break;
	case FAULT_FROZEN:
		f->ranks[rank].process.state = 'T';
		break;
	default:
		break;
	}
}

/* The seats of one op all have it, of their own kind: it completes. */
static void complete_ready(struct machine *m, int group)
{
	const struct schedule *s = m->s;
	uint64_t rear = UINT64_MAX;

	for (int i = 0; i < s->sizes[group]; i++) {
		uint64_t head = m->f->members[group][s->members[group][i]].fact.head;

		rear = head < rear ? head : rear;
	}
	for (int i = 0; i < s->sizes[group]; i++) {
		struct facts_member *member = &m->f->members[group][s->members[group][i]];
		bool faulty = false;

		for (size_t k = 0; k < member->nops && member->ops[k].index <= rear; k++) {
			faulty |= group == s->group_of[s->at] && s->fault >= FAULT_ZERO &&
				  m->struck && member->ops[k].entered >= facts_ns(20 + s->at * 0.5);
			if (faulty)
				break;
			member->ops[k].returned = JOB_YES;
			if (s->completion)
				member->ops[k].completed = JOB_YES;
			member->fact.done = member->ops[k].index;
		}
	}
}

static void enter(struct machine *m, int rank, int step)
{
	const struct schedule *s = m->s;
	int group = s->group_of[step];
	uint64_t count = 64;
	uint8_t op = JOB_OP_ALLREDUCE;

	if (rank == s->culprit && step == s->at && s->fault >= FAULT_ZERO) {
		m->struck = true;
		count = s->fault == FAULT_ZERO ? 0 : s->fault == FAULT_COUNT ? 65 : 64;
		op = s->fault == FAULT_OTHER_OP ? JOB_OP_ALLGATHER : op;
	}
	if (s->cold && count)
		facts_hold(m->f, group, rank, op, count, m->now);
	else
		facts_enter(m->f, group, rank, op, count, m->now);
	m->held[rank] = s->cold && count;
	complete_ready(m, group);
}

/* A held rank goes on once its op has returned. */
static void release_held(struct machine *m)
{
	for (int rank = 0; rank < m->s->n; rank++) {
		bool held = false;

		for (int group = 0; m->held[rank] && group < m->s->ngroups; group++) {
			const struct facts_member *member = &m->f->members[group][rank];

			for (size_t k = 0; k < member->nops; k++)
				held |= member->ops[k].returned == JOB_NO;
		}
		if (m->held[rank] && !held) {
			m->held[rank] = false;
			facts_outside(m->f, rank, m->now);
		}
	}
}

static bool turn(struct machine *m, int rank)
{
	const struct schedule *s = m->s;
	int step = m->pc[rank];

	if (step >= s->nsteps || m->held[rank])
		return false;
	if (stops_at(s, rank, step)) {
		if (!m->struck)
			strike(m);
		return false;
	}
	m->now = 20 + step * 0.5;
	m->pc[rank]++;
	if (is_member(s, s->group_of[step], rank))
		enter(m, rank, step);
	release_held(m);
	return true;
}

/* How one rank that still lives ends, some time after the hang began. */
static void end_rank(struct facts *f, int rank, enum aftermath how, bool waits, double at)
{
	if (how == AFTER_KILLS) {
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, 90);
	} else if (how == AFTER_WATCHDOGS && waits) {
		facts_signal(f, rank, SIGABRT, 0, "pt_nccl_watchdg", at);
		facts_end(f, rank, JOB_SIGNALED, SIGABRT, at);
	} else if (how == AFTER_EXCEPTIONS && waits) {
		facts_note(f, rank, "DistBackendError: NCCL timeout", at);
		facts_end(f, rank, JOB_EXITED, 1, at + 1);
	} else {
		facts_signal(f, rank, SIGTERM, 900, "python", 80 + at / 100);
		facts_end(f, rank, JOB_SIGNALED, SIGTERM, 80 + at / 100);
	}
}

static void end_job(const struct schedule *s, struct facts *f, unsigned *seed)
{
	for (int rank = 0; s->aftermath && rank < s->n; rank++) {
		bool stopped = rank == s->culprit && s->fault < FAULT_ZERO;

		if (f->ranks[rank].process.end != JOB_ALIVE)
			continue;
		end_rank(f, rank, s->aftermath, !stopped, 70 + draw(seed, 8));
	}
}

/* Runs until nothing moves. Warm ranks that came to an end synchronise. */
static struct facts *run(const struct schedule *s, unsigned *seed)
{
	struct machine m = {.s = s, .f = facts_new(s->n)};
	bool moved = true;

	m.f->completion = s->completion;
	for (int i = 0; i < s->n; i++)
		m.f->members[0][i].fact.done_known = s->completion;
	for (int i = 1; i < s->ngroups; i++)
		facts_group(m.f, s->sizes[i], s->members[i]);
	while (moved) {
		int first = draw(seed, s->n);

		moved = false;
		for (int i = 0; i < s->n; i++)
			moved |= turn(&m, (first + i) % s->n);
	}
	if (s->fault < FAULT_ZERO && !m.struck)
		strike(&m);
	for (int i = 0; i < s->n; i++)
		if (!m.held[i] && !(i == s->culprit && s->fault < FAULT_ZERO))
			facts_sync(m.f, i, 45);
	end_job(s, m.f, seed);
	return m.f;
}

/*
 * Stacks as they may be found on such a rank: the culprit's tells what it does, or nothing; the
 * others' are inside a collective, or were cut, or seen elsewhere for no good reason.
 */
static void add_stacks(const struct schedule *s, struct facts *f, unsigned *seed)
{
	static const char *const frames[] = {
		"poll@libc.so.6 < main@/me/train.py:7",
		"read@libc.so.6 < __next__@/e/torch/utils/data/dataloader.py:1 < main@/me/a.py:7",
		"f@/e/torch/_dynamo/convert_frame.py:9 < main@/me/train.py:8",
		"write@libc.so.6 < save@/e/torch/serialization.py:9 < main@/me/train.py:9",
		"PyThread_acquire_lock@python3.11 < main@/me/train.py:3",
		"c10d::Work::wait()@libtorch_cpu.so < main@/me/train.py:4",
		"@libcuda.so.1 < main@/me/train.py:5",
		"",
	};
	const int kinds = (int)(sizeof(frames) / sizeof(frames[0]));

	for (int rank = 0; rank < s->n; rank++) {
		struct job_stack *stack;

		if (f->ranks[rank].process.end != JOB_ALIVE || !draw(seed, 4))
			continue;
		stack = facts_stack(f, rank, frames[draw(seed, kinds)]);
		stack->moved = (enum job_known)draw(seed, 3);
		stack->cut = draw(seed, 3) ? "" : "it ran";
	}
}

static unsigned base_seed(void)
{
	const char *given = getenv("INQUEST_SEED");
	static unsigned seed;

	if (!seed) {
		seed = given ? (unsigned)strtoul(given, NULL, 0) : 20261121u;
		printf("# seed %u\n", seed);
	}
	return seed;
}

static void fail_run(
	const struct schedule *s, const struct facts *f, unsigned seed, const char *what)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	facts_print(v);
	verdicts_free(v);
	job_free(job);
	fail_msg("%s: seed %u, %d ranks, %d groups, fault %s of rank %d at step %d of %d (%s, %s; "
		 "%d)",
		what, seed, s->n, s->ngroups, fault_names[s->fault], s->culprit, s->at, s->nsteps,
		s->cold ? "cold" : "warm", s->completion ? "tracked" : "untracked", s->aftermath);
}

static void a_schedule_names_the_injected_rank_or_nobody(void **state)
{
	unsigned named = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		unsigned seed = base_seed() + i, start = seed;
		struct schedule s = draw_schedule(&seed);
		struct facts *f = run(&s, &seed);
		uint64_t culprits = facts_culprits(f);

		if (culprits & ~(UINT64_C(1) << s.culprit))
			fail_run(&s, f, start, "an innocent is accused");
		named += culprits != 0;
		facts_free(f);
	}
	/* Weaker is allowed where halves stand against halves, but not as a rule. */
	assert_true(named > RUNS * 3 / 4);
}

/* One single fact less: a span, a signal, a note, an end. */
static void check_each_fact(const struct schedule *s, const struct facts *f, unsigned seed)
{
	uint64_t before = facts_culprits(f);

	for (size_t i = 0; i < f->nextra; i++) {
		struct facts *less = facts_copy(f);

		memmove(&less->extra[i], &less->extra[i + 1],
			(f->nextra - i - 1) * sizeof(less->extra[0]));
		less->nextra--;
		if (facts_culprits(less) & ~before)
			fail_run(s, less, seed, "without one fact");
		facts_free(less);
	}
}

static void taking_evidence_away_accuses_nobody_new(void **state)
{
	for (unsigned i = 0; i < RUNS; i++) {
		unsigned seed = base_seed() + i, start = seed;
		struct schedule s = draw_schedule(&seed);
		struct facts *f = run(&s, &seed);
		uint64_t before = facts_culprits(f);

		for (int rank = 0; rank < s.n; rank++) {
			struct facts *less = facts_copy(f);

			less->hidden = rank;
			less->census = false;
			if (facts_culprits(less) & ~before)
				fail_run(&s, less, start, "without a rank's facts");
			facts_free(less);
			less = facts_copy(f);
			facts_lose_ring(less, rank);
			if (facts_culprits(less) & ~before)
				fail_run(&s, less, start, "without a rank's ring");
			less->ranks[rank].ring = true;
			less->ranks[rank].exit_known = false;
			if (facts_culprits(less) & ~before)
				fail_run(&s, less, start, "without a rank's end");
			facts_free(less);
		}
		check_each_fact(&s, f, start);
		facts_free(f);
	}
}

/* Stacks may say more of who is named already. They accuse nobody in place of another. */
static void stacks_accuse_nobody_else(void **state)
{
	for (unsigned i = 0; i < RUNS; i++) {
		unsigned seed = base_seed() + i, start = seed;
		struct schedule s = draw_schedule(&seed);
		struct facts *f = run(&s, &seed), *without = facts_copy(f);
		uint64_t before = facts_culprits(without), with;

		add_stacks(&s, f, &seed);
		with = facts_culprits(f);
		if (with & ~(UINT64_C(1) << s.culprit))
			fail_run(&s, f, start, "by its stack an innocent is accused");
		if (before & ~with)
			fail_run(&s, f, start, "without stacks");
		check_each_fact(&s, f, start);
		facts_free(f);
		facts_free(without);
	}
}

/*
 * No ring at all: ranks are in a collective, elsewhere or unknown by their stacks. Whatever is
 * taken away, nobody is accused who was not before; whose stack does not tell never is.
 */
static void by_stacks_alone_less_accuses_nobody_new(void **state)
{
	static const char *const waits[] = {
		"c10d::Work::wait()@libtorch_cpu.so < "
		"all_reduce@/e/torch/distributed/distributed_c10d.py:1 < main@/me/train.py:4",
		"c10d::TCPStore::get()@libtorch_cpu.so < "
		"c10d::ProcessGroupNCCL::broadcastUniqueNCCLID()@libtorch_cuda.so",
		"c10d::Work::wait()@libtorch_cpu.so < main@/me/train.py:9",
	};
	unsigned named = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		unsigned seed = base_seed() + i;
		int kind = draw(&seed, 2);
		struct schedule s = {.n = 2 + draw(&seed, 10), .culprit = JOB_NONE};
		struct facts *f = facts_new(s.n);
		uint64_t before;

		facts_no_probe(f);
		add_stacks(&s, f, &seed);
		for (size_t k = 0; k < f->nextra; k++)
			if (draw(&seed, 3))
				f->extra[k].is.stack.frames = waits[draw(&seed, 8) ? kind : 2];
		before = facts_culprits(f);
		named += before != 0;
		for (size_t k = 0; k < f->nextra; k++) {
			struct facts *less = facts_copy(f);

			less->extra[k].is.stack.frames = "";
			less->extra[k].is.stack.fact.cut = "no permission";
			if (facts_culprits(less) & ~before)
				fail_run(&s, less, base_seed() + i, "without one stack");
			facts_free(less);
		}
		for (int rank = 0; rank < s.n; rank++) {
			struct facts *less = facts_copy(f);

			less->hidden = rank;
			if (facts_culprits(less) & ~before)
				fail_run(&s, less, base_seed() + i, "without a rank");
			facts_free(less);
		}
		facts_free(f);
	}
	assert_true(named > RUNS / 8);
}

static void print_fact(FILE *out, const struct verdict_fact *fact)
{
	struct str words = {0};

	wording_fact(&words, fact);
	fprintf(out, " [%d %lld %lld %lld %s %s]", fact->kind, (long long)fact->a,
		(long long)fact->b, (long long)fact->c, str_text(&words), fact->cite);
	str_release(&words);
}

static char *text_of_verdicts(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < v->n; i++) {
		const struct verdict *one = &v->at[i];

		fprintf(out, "%d %d %d %d %d %d %llu %lld:", one->class, one->confidence,
			one->outlook, one->cause, one->where, one->group,
			(unsigned long long)one->op_index, (long long)one->waiting);
		for (size_t k = 0; k < one->culprits.n; k++)
			fprintf(out, " %d", one->culprits.at[k].i);
		fprintf(out, ";");
		for (size_t k = 0; k < one->victims.n; k++)
			fprintf(out, " %d", one->victims.at[k].i);
		for (size_t k = 0; k < one->nevidence; k++)
			print_fact(out, &one->evidence[k]);
		fprintf(out, "\n");
	}
	fclose(out);
	verdicts_free(v);
	job_free(job);
	return text;
}

static void the_order_of_facts_changes_nothing(void **state)
{
	for (unsigned i = 0; i < RUNS / 4; i++) {
		unsigned seed = base_seed() + i;
		struct schedule s = draw_schedule(&seed);
		struct facts *f = run(&s, &seed);
		char *plain, *shuffled;

		add_stacks(&s, f, &seed);
		plain = text_of_verdicts(f);
		f->shuffle = seed | 1;
		shuffled = text_of_verdicts(f);
		assert_string_equal(plain, shuffled);
		free(plain);
		free(shuffled);
		facts_free(f);
	}
}

/* Ranks trade places: the same program, with another numbering. */
static void renaming_ranks_renames_culprits(void **state)
{
	for (unsigned i = 0; i < RUNS / 4; i++) {
		unsigned seed = base_seed() + i, again, start = seed;
		struct schedule s = draw_schedule(&seed), t;
		struct facts *f, *g;
		uint64_t before, after, expected = 0;

		again = seed;
		f = run(&s, &seed);
		t = s;
		t.culprit = s.n - 1 - s.culprit;
		for (int k = 0; k < s.ngroups; k++)
			for (int m = 0; m < s.sizes[k]; m++)
				t.members[k][m] = s.n - 1 - s.members[k][m];
		g = run(&t, &again);
		before = facts_culprits(f);
		after = facts_culprits(g);
		for (int k = 0; k < s.n; k++)
			if (before >> k & 1)
				expected |= UINT64_C(1) << (s.n - 1 - k);
		if (after != expected)
			fail_run(&t, g, start, "after renaming");
		facts_free(f);
		facts_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_schedule_names_the_injected_rank_or_nobody),
		cmocka_unit_test(taking_evidence_away_accuses_nobody_new),
		cmocka_unit_test(stacks_accuse_nobody_else),
		cmocka_unit_test(by_stacks_alone_less_accuses_nobody_new),
		cmocka_unit_test(the_order_of_facts_changes_nothing),
		cmocka_unit_test(renaming_ranks_renames_culprits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
