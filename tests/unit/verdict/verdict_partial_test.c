/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs drawn at random whose truth is known, ended or not, of which random pieces of evidence are
 * lost: a rank's ring, its words, its exit status, its stack, a node's clock. Whatever is lost, no
 * innocent is named above a hypothesis, what is established is what the whole says, and nobody is
 * well while somebody waits. The seed is printed: INQUEST_SEED repeats a run, INQUEST_JOBS says of
 * how many jobs. Before that stories of what was found so.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/bystacks.h"
#include "tests/unit/launcher.h"

#ifdef __SANITIZE_ADDRESS__
#define JOBS 60 /* as many as can be waited for */
#else
#define JOBS 400
#endif
#define LOSSES	 12 /* ways to lose a part of one job */
#define STOPS	 60.0 /* since when the others wait */

#define TIMED_OUT "RuntimeError: Timed out waiting 5000ms for recv operation to complete"
#define CLOSED	  "RuntimeError: [pair.cc:537] Connection closed by peer [127.0.0.1]:33211"

/* -- stories ----------------------------------------------------------------------------------- */

static void raised(struct facts *f, int rank, const char *words, double at)
{
	facts_note(f, rank, words, at);
	facts_end(f, rank, JOB_EXITED, 1, at + 0.1);
}

/* Of rank 1 nothing was seen; what rank 3 did before its end, and said of it, is lost. */
static void the_last_of_whom_nothing_is_seen_is_not_named(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	f->hidden = 1;
	f->census = false;
	raised(f, 0, TIMED_OUT, 65);
	raised(f, 2, TIMED_OUT, 65.1);
	facts_lose_ring(f, 3);
	facts_end(f, 3, JOB_EXITED, 1, 65.8);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

/* The others waited for rank 3 until their patience ended; that it was killed then is no reason. */
static void who_is_killed_behind_their_timeouts_was_late(void **state)
{
	for (int told = 0; told < 2; told++) {
		struct facts *f = facts_missing(4, 3, 57);

		for (int rank = 0; rank < 3; rank++) {
			f->members[0][rank].fact.timeout = 5 * INT64_C(1000000000);
			if (!told)
				raised(f, rank, TIMED_OUT, 65.0);
		}
		facts_end(f, 3, JOB_SIGNALED, SIGKILL, 65.7);
		facts_expect(f, VERDICT_HOST_STALL, "3", NULL);
		facts_free(f);
	}
	(void)state;
}

/* They heard of its end before its launcher saw it: it was first all the same. */
static void who_is_gone_in_the_words_of_others_died_first(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	for (int rank = 0; rank < 3; rank++)
		raised(f, rank, CLOSED, 63);
	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 63.7);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_KILLED);
	facts_free(f);
	(void)state;
}

/* Nobody knows when it was killed: then nobody knows whether the others had long waited for it. */
static void a_kill_of_unknown_time_is_not_the_first_for_sure(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 60);
	f->ranks[3].process.ended = JOB_UNKNOWN;
	for (int rank = 0; rank < 3; rank++)
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, 90);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

/*
 * Without rings: rank 2 brought another shape, for which gloo aborted rank 0, and the others heard
 * that it was gone. Where what() was not read, the abort is all that is seen, and of a victim.
 */
static void who_is_aborted_is_a_victim(void **state)
{
	static const char *const words[] = {
		"", "terminate called after throwing an instance of 'gloo::EnforceNotMet'"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct facts *f = facts_new(4);

		facts_no_probe(f);
		if (*words[i])
			facts_log(f, 0, words[i]);
		facts_end(f, 0, JOB_SIGNALED, SIGABRT, 60);
		for (int rank = 1; rank < 4; rank++) {
			facts_log(f, rank, CLOSED);
			facts_end(f, rank, JOB_EXITED, 1, 61.5);
		}
		assert_int_equal(facts_culprits(f), 0);
		facts_free(f);
	}
	(void)state;
}

/* By its own words: nobody else has to do with that. */
static void who_says_why_it_aborts_died_of_it(void **state)
{
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	facts_log(f, 0, "terminate called after throwing an instance of 'std::bad_alloc'");
	facts_end(f, 0, JOB_SIGNALED, SIGABRT, 60);
	for (int rank = 1; rank < 4; rank++) {
		facts_log(f, rank, CLOSED);
		facts_end(f, rank, JOB_EXITED, 1, 61.5);
	}
	facts_expect_cause(f, VERDICT_RANK_DEATH, "0", VERDICT_BY_ABORT);
	facts_free(f);
	(void)state;
}

/* Watchdogs ended all who waited, and soon: that is no order from above, and no good end. */
static void what_watchdogs_end_did_not_end_well(void **state)
{
	struct facts *f = facts_missing(4, 3, 57);

	facts_end(f, 3, JOB_EXITED, 0, 58);
	for (int rank = 0; rank < 3; rank++) {
		facts_signal(f, rank, SIGABRT, 0, "pt_nccl_watchdg", 61.5 + 0.1 * rank);
		facts_end(f, rank, JOB_SIGNALED, SIGABRT, 61.5 + 0.1 * rank);
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
	(void)state;
}

/* It was held in an op when it failed, nobody knows when: it may have failed of that. */
static void an_exit_of_unknown_time_in_a_wait_may_be_an_echo(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 50, 0.5);
	for (int rank = 0; rank < 4; rank++) {
		facts_hold(f, 0, rank, rank == 3 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 60);
		facts_end(f, rank, JOB_EXITED, 1, 65);
		if (rank != 2)
			facts_note(f, rank, TIMED_OUT, 65);
	}
	f->ranks[2].process.ended = JOB_UNKNOWN;
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", NULL);
	assert_int_equal(facts_culprits(f), 1 << 3);
	facts_free(f);
	(void)state;
}

/* Of the rank that nobody saw nobody knows whether it was killed with the other. */
static void one_kill_beside_an_unseen_rank_may_be_of_all(void **state)
{
	struct facts *f = facts_new(3);

	facts_rounds(f, 0, 10, 50, 0.5);
	facts_end(f, 1, JOB_EXITED, 0, 60);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 65);
	facts_lose_ring(f, 2);
	f->hidden = 0;
	f->census = false;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

/* -- what a death explains --------------------------------------------------------------------- */

/* Ranks 2 and 3 stay away since 59; rank 2 dies then. */
static struct facts *away_beside_a_death(double death)
{
	struct facts *f = facts_missing(4, 3, 59);

	f->members[0][2].nops--;
	f->members[0][2].fact.head--;
	facts_outside(f, 2, 59);
	facts_signal(f, 2, SIGSEGV, 0, "python", death);
	facts_end(f, 2, JOB_SIGNALED, SIGSEGV, death);
	return f;
}

/* The others waited for it long before the death: that is no echo of it. */
static void who_was_away_before_a_death_is_named_beside_it(void **state)
{
	struct facts *f = away_beside_a_death(75);

	facts_expect(f, VERDICT_RANK_DEATH, "2", NULL);
	assert_int_equal(facts_culprits(f), 1 << 2 | 1 << 3);
	facts_free(f);
	(void)state;
}

static void who_stays_away_since_a_death_may_be_its_echo(void **state)
{
	struct facts *f = away_beside_a_death(60.5);

	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
	f = away_beside_a_death(75);
	facts_signal(f, 3, SIGTERM, LAUNCHER, "python", 76)->fatal = false;
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
	(void)state;
}

/* Rank 2 left out an op that nobody waits for at once; gloo aborts who gets less than it asked. */
static void who_is_aborted_of_an_op_that_it_went_on_from_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 10, 50, 0.4);
	for (int rank = 0; rank < 4; rank++) {
		if (rank != 2)
			facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60);
		facts_enter(f, 0, rank, JOB_OP_ALLREDUCE, 64, 60.1);
		if (rank)
			facts_hold(f, 0, rank, JOB_OP_BARRIER, 1, 60.2);
	}
	facts_signal(f, 0, SIGABRT, 0, "python", 60.5);
	facts_end(f, 0, JOB_SIGNALED, SIGABRT, 60.5);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", NULL);
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
	(void)state;
}

/* -- a lock of which nobody knows who has it --------------------------------------------------- */

/* All but rank 1 are in a barrier: one of them may have gone there with the lock. */
static void who_waits_for_a_lock_that_anybody_may_have_is_a_guess(void **state)
{
	for (int read = 0; read < 2; read++) {
		struct facts *f = facts_missing(4, 1, 59);
		struct judged j;

		facts_stack(f, 1, FILE_LOCKED "prepare@/home/me/data.py:12" MAIN);
		for (int rank = 0; rank < 4; rank++)
			f->ranks[rank].process.locks_read = read;
		facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence,
			read ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS);
		done(&j, f);
	}
	(void)state;
}

/* -- the truth --------------------------------------------------------------------------------- */

enum truth {
	TRUTH_LATE,
	TRUTH_DEAD,
	TRUTH_LEFT,  /* it exited with 0 while the others go on */
	TRUTH_OTHER, /* it entered another op */
	TRUTH_WELL,
	TRUTH_ENDED, /* the launcher ended all, and nothing was wrong */
	TRUTHS
};

static const char *const truth_names[TRUTHS] = {"late", "dead", "left", "other", "well", "ended"};

/* How a dead one died. */
enum manner { BY_SEGV, BY_KILL, BY_RAISE, BY_OWN_ABORT, BY_ORDER, MANNERS };

/* What became of those who waited. */
enum fate {
	FATE_WAIT,    /* they still do */
	FATE_TIMEOUT, /* each raises when its patience ends, and the launcher ends the rest */
	FATE_CLOSED,  /* each raises as soon as a peer is gone */
	FATE_ABORT,   /* each is aborted by its watchdog */
	FATE_ORDER,   /* the launcher tells them to end */
	FATE_KILL,    /* all that is left is killed at once */
	FATES
};

struct plan {
	enum truth truth;
	enum manner manner;
	enum fate fate;
	int n, culprit; /* JOB_NONE: nobody */
	bool gloo, nodes;
	double patience; /* s until a wait raises */
};

static int draw(unsigned *seed, int below)
{
	return (int)((unsigned)rand_r(seed) % (unsigned)below);
}

static double draw_time(unsigned *seed, double below)
{
	return draw(seed, 1000) * below / 1000;
}

static struct plan draw_plan(unsigned *seed)
{
	static const double patience[] = {3, 5, 12, 30};
	struct plan p = {.truth = (enum truth)draw(seed, TRUTHS),
		.manner = (enum manner)draw(seed, MANNERS),
		.fate = (enum fate)draw(seed, FATES),
		.n = 3 + draw(seed, 4)};

	p.culprit = p.truth < TRUTH_WELL ? draw(seed, p.n) : JOB_NONE;
	p.gloo = draw(seed, 2);
	p.nodes = !draw(seed, 3);
	p.patience = patience[draw(seed, 4)];
	if (p.truth == TRUTH_WELL)
		p.fate = FATE_WAIT;
	/* Nobody is gone of whom a peer could notice. */
	if (p.fate == FATE_CLOSED && p.truth != TRUTH_DEAD && p.truth != TRUTH_LEFT)
		p.fate = FATE_TIMEOUT;
	return p;
}

/* -- the job ----------------------------------------------------------------------------------- */

static bool waits(const struct plan *p, int rank)
{
	return p->truth < TRUTH_OTHER ? rank != p->culprit : p->truth == TRUTH_OTHER;
}

static void raises(struct facts *f, int rank, const char *words, double at, unsigned *seed)
{
	facts_note(f, rank, words, at);
	facts_log(f, rank, words);
	facts_end(f, rank, JOB_EXITED, 1, at + draw_time(seed, 0.8));
}

static void ended_soon(struct facts *f, int rank, double at)
{
	facts_signal(f, rank, SIGTERM, LAUNCHER, "python", at);
	facts_end(f, rank, JOB_SIGNALED, SIGTERM, at + 0.01);
}

static void die(const struct plan *p, struct facts *f, unsigned *seed)
{
	double at = STOPS + draw_time(seed, 1) - 0.5;

	switch (p->manner) {
	case BY_SEGV:
		facts_signal(f, p->culprit, SIGSEGV, 0, "python", at);
		facts_end(f, p->culprit, JOB_SIGNALED, SIGSEGV, at);
		break;
	case BY_RAISE:
		raises(f, p->culprit, "ValueError: bad sample", at, seed);
		break;
	case BY_OWN_ABORT:
		facts_signal(f, p->culprit, SIGABRT, 0, "python", at);
		facts_log(f, p->culprit, "terminate called after throwing 'std::bad_alloc'");
		facts_end(f, p->culprit, JOB_SIGNALED, SIGABRT, at);
		break;
	case BY_ORDER:
		facts_signal(f, p->culprit, SIGTERM, 77, "python", at)->sender_role = JOB_NONE;
		facts_end(f, p->culprit, JOB_SIGNALED, SIGTERM, at);
		break;
	default:
		facts_end(f, p->culprit, JOB_SIGNALED, SIGKILL, at);
		break;
	}
}

static void stop(const struct plan *p, struct facts *f, unsigned *seed)
{
	for (int rank = 0; rank < p->n; rank++) {
		bool odd = p->truth == TRUTH_OTHER && rank == p->culprit;

		if (waits(p, rank))
			facts_hold(f, 0, rank, odd ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 4096,
				STOPS - draw_time(seed, 0.4));
		if (waits(p, rank) && draw(seed, 2))
			facts_stack(f, rank, odd ? BARRIER : ALL_REDUCE);
	}
	if (p->truth == TRUTH_LATE) {
		facts_outside(f, p->culprit, STOPS - 2);
		if (draw(seed, 2))
			facts_stack(f, p->culprit, draw(seed, 2) ? SLEEPS : LOADER);
	} else if (p->truth == TRUTH_DEAD) {
		facts_outside(f, p->culprit, STOPS - 1);
		die(p, f, seed);
	} else if (p->truth == TRUTH_LEFT) {
		facts_outside(f, p->culprit, STOPS - 1);
		facts_end(f, p->culprit, JOB_EXITED, 0, STOPS - 0.5);
	}
}

/* One that still lives ends after what the others wait for has come to that. */
static void end_one(const struct plan *p, struct facts *f, int rank, double last, unsigned *seed)
{
	double at = STOPS + p->patience + draw_time(seed, 0.9);

	if (p->fate == FATE_KILL)
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, last + draw_time(seed, 0.2));
	else if (p->fate == FATE_TIMEOUT && waits(p, rank))
		raises(f, rank, TIMED_OUT, at, seed);
	else if (p->fate == FATE_CLOSED && waits(p, rank))
		raises(f, rank, CLOSED, STOPS + 0.6 + draw_time(seed, 0.5), seed);
	else if (p->fate == FATE_ABORT && waits(p, rank)) {
		facts_signal(f, rank, SIGABRT, 0, "pt_nccl_watchdg", at);
		facts_end(f, rank, JOB_SIGNALED, SIGABRT, at);
	} else {
		ended_soon(f, rank, last + draw_time(seed, 0.2));
	}
}

static void end_all(const struct plan *p, struct facts *f, unsigned *seed)
{
	double last = p->truth == TRUTH_ENDED ? STOPS
					      : STOPS + p->patience + 0.9 + draw_time(seed, 2);

	for (int rank = 0; p->fate != FATE_WAIT && rank < p->n; rank++)
		if (f->ranks[rank].process.end == JOB_ALIVE)
			end_one(p, f, rank, last, seed);
}

static struct facts *make(const struct plan *p, unsigned *seed)
{
	static const double begins[TRUTHS] = {50, 50, 50, 50, 96, 56};
	struct facts *f = facts_new(p->n);

	add_launcher(f);
	if (p->gloo)
		f->group_makers[0] = "gloo";
	for (int rank = 0; rank < p->n; rank++) {
		f->members[0][rank].fact.timeout = facts_ns(p->patience) - facts_ns(0);
		if (p->nodes)
			facts_move(f, rank, rank * 2 / p->n);
	}
	facts_rounds(f, 0, 10, begins[p->truth], 0.4);
	if (p->truth < TRUTH_WELL)
		stop(p, f, seed);
	end_all(p, f, seed);
	return f;
}

/* -- losses ------------------------------------------------------------------------------------ */

enum loss {
	LOSS_NOTHING,
	LOSS_RING,
	LOSS_WORDS,
	LOSS_EXIT,
	LOSS_END_TIME,
	LOSS_STACK,
	LOSS_CLOCK,
	LOSS_ALL,
	LOSS_KINDS
};

static const char *const loss_names[LOSS_KINDS] = {
	"nothing", "ring", "words", "exit", "end-time", "stack", "clock", "all"};

static void drop(struct facts *f, int rank, unsigned kinds)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nextra; i++)
		if (f->extra[i].rank != rank || f->extra[i].pid ||
			!(1u << f->extra[i].kind & kinds))
			f->extra[n++] = f->extra[i];
	f->nextra = n;
}

static void lose(struct facts *f, int rank, enum loss loss, unsigned *seed)
{
	static const double off[] = {-3600, -30, -3, -0.8, 0.8, 3, 30, 3600};

	switch (loss) {
	case LOSS_RING:
		facts_lose_ring(f, rank);
		break;
	case LOSS_WORDS:
		drop(f, rank, 1u << EXTRA_NOTE | 1u << EXTRA_LOG);
		break;
	case LOSS_EXIT:
		f->ranks[rank].exit_known = false;
		break;
	case LOSS_END_TIME:
		f->ranks[rank].process.ended = JOB_UNKNOWN;
		break;
	case LOSS_STACK:
		drop(f, rank, 1u << EXTRA_STACK);
		break;
	case LOSS_CLOCK:
		if (f->nhosts > 1)
			facts_set_clock(f, f->ranks[rank].host, off[draw(seed, 8)]);
		break;
	case LOSS_ALL:
		f->hidden = rank;
		f->census = false;
		break;
	default:
		break;
	}
}

struct lost {
	int rank[6];
	enum loss loss[6];
	size_t n;
};

/* One rank loses much, or several a little. */
static struct facts *lose_some(const struct facts *f, struct lost *lost, unsigned *seed)
{
	struct facts *less = facts_copy(f);
	int one = draw(seed, f->n);
	bool of_one = draw(seed, 2);

	lost->n = 1 + (size_t)draw(seed, 6);
	for (size_t i = 0; i < lost->n; i++) {
		lost->rank[i] = of_one ? one : draw(seed, f->n);
		lost->loss[i] = (enum loss)draw(seed, LOSS_KINDS);
		lose(less, lost->rank[i], lost->loss[i], seed);
	}
	return less;
}

/* -- what must hold ---------------------------------------------------------------------------- */

/* World ranks as bits. */
static uint64_t bits_of(const struct job *job, struct verdict_ranks ranks)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ranks.n; i++)
		bits |= UINT64_C(1) << job_rank(job, ranks.at[i])->world_rank.n;
	return bits;
}

/* True if the whole says this, too, of the same ranks or more. */
static bool is_said(const struct judged *whole, const struct judged *j, const struct verdict *v)
{
	for (size_t i = 0; i < whole->v->n; i++)
		if (whole->v->at[i].class == v->class &&
			!(bits_of(j->job, v->culprits) &
				~bits_of(whole->job, whole->v->at[i].culprits)))
			return true;
	return false;
}

/* What is wrong with a verdict, in words; NULL: nothing. */
static const char *wrong(const struct plan *p, const struct judged *whole, const struct judged *j,
	const struct verdict *v)
{
	uint64_t named = bits_of(j->job, v->culprits);
	uint64_t guilty = p->culprit == JOB_NONE ? 0 : UINT64_C(1) << p->culprit;

	if (v->confidence > VERDICT_HYPOTHESIS && named & ~guilty)
		return "an innocent is named";
	if (v->class == VERDICT_HEALTHY && p->culprit != JOB_NONE)
		return "it is said to be well";
	if (v->confidence == VERDICT_ESTABLISHED && whole && !is_said(whole, j, v))
		return "the whole does not establish that";
	if (v->confidence > VERDICT_HYPOTHESIS && v->class == VERDICT_RANK_DEATH && named &&
		p->truth != TRUTH_DEAD)
		return "nobody died first";
	return NULL;
}

static void report(const struct plan *p, const struct judged *j, const struct lost *lost,
	unsigned seed, const char *what)
{
	facts_print(j->v);
	fprintf(stderr, "    truth %s (manner %d, fate %d) of rank %d of %d, patience %g, %s%s\n",
		truth_names[p->truth], p->manner, p->fate, p->culprit, p->n, p->patience,
		p->gloo ? "gloo" : "nccl", p->nodes ? ", two nodes" : "");
	for (size_t i = 0; lost && i < lost->n; i++)
		fprintf(stderr, "    rank %d without %s\n", lost->rank[i],
			loss_names[lost->loss[i]]);
	fprintf(stderr, "VIOLATION %s: seed %u\n", what, seed);
}

static bool holds(const struct plan *p, const struct judged *whole, const struct judged *j,
	const struct lost *lost, unsigned seed)
{
	for (size_t i = 0; i < j->v->n; i++) {
		const char *what = wrong(p, whole, j, &j->v->at[i]);

		if (!what)
			continue;
		report(p, j, lost, seed, what);
		return false;
	}
	return true;
}

static unsigned check_job(unsigned seed, bool *ret_named)
{
	unsigned start = seed, violations = 0;
	struct plan p = draw_plan(&seed);
	struct facts *f = make(&p, &seed);
	struct judged whole = judge(f);

	violations += !holds(&p, NULL, &whole, NULL, start);
	*ret_named = whole.v->n && whole.v->at[0].culprits.n > 0;
	for (int i = 0; i < LOSSES; i++) {
		struct lost lost;
		struct facts *less = lose_some(f, &lost, &seed);
		struct judged j = judge(less);

		violations += !holds(&p, &whole, &j, &lost, start);
		done(&j, less);
	}
	done(&whole, f);
	return violations;
}

static unsigned number_of(const char *name, unsigned otherwise)
{
	const char *given = getenv(name);

	return given ? (unsigned)strtoul(given, NULL, 0) : otherwise;
}

static void partial_evidence_names_no_innocent(void **state)
{
	unsigned seed = number_of("INQUEST_SEED", 20261123u), n = number_of("INQUEST_JOBS", JOBS);
	unsigned violations = 0, named = 0;

	printf("# seed %u\n", seed);
	for (unsigned i = 0; i < n; i++) {
		bool one;

		violations += check_job(seed + i, &one);
		named += one;
	}
	assert_int_equal(violations, 0);
	/* Two thirds of the jobs have a fault, and where all is seen most of those are named. */
	assert_true(n < JOBS || named > n / 2);
	(void)state;
}

/* Jobs of other seeds that said too much once. */
static void what_said_too_much_once_does_not_again(void **state)
{
	static const unsigned seeds[] = {1552, 3064, 5416, 701594};
	bool named;

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		assert_int_equal(check_job(seeds[i], &named), 0);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_of_whom_nothing_is_seen_is_not_named),
		cmocka_unit_test(who_is_killed_behind_their_timeouts_was_late),
		cmocka_unit_test(who_is_gone_in_the_words_of_others_died_first),
		cmocka_unit_test(a_kill_of_unknown_time_is_not_the_first_for_sure),
		cmocka_unit_test(who_is_aborted_is_a_victim),
		cmocka_unit_test(who_says_why_it_aborts_died_of_it),
		cmocka_unit_test(what_watchdogs_end_did_not_end_well),
		cmocka_unit_test(an_exit_of_unknown_time_in_a_wait_may_be_an_echo),
		cmocka_unit_test(one_kill_beside_an_unseen_rank_may_be_of_all),
		cmocka_unit_test(who_was_away_before_a_death_is_named_beside_it),
		cmocka_unit_test(who_stays_away_since_a_death_may_be_its_echo),
		cmocka_unit_test(who_is_aborted_of_an_op_that_it_went_on_from_is_a_victim),
		cmocka_unit_test(who_waits_for_a_lock_that_anybody_may_have_is_a_guess),
		cmocka_unit_test(what_said_too_much_once_does_not_again),
		cmocka_unit_test(partial_evidence_names_no_innocent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
