/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What jobs meet that nobody has made ready for it: nodes of which nothing comes, numbers that are
 * no rank's, ranks that start late or anew, looks at a bad moment, and what only takes its time. No
 * innocent rank is named for it, and no more is said than was seen.
 */
#include "tests/unit/bystacks.h"

#include <signal.h>

#define FSYNC "fsync@libc.so.6 < save@/home/me/train.py:50" MAIN

/* The most important verdict must be as sure as that at most, and lack that. */
static void expect_bounds(
	const struct facts *f, enum verdict_confidence most, enum verdict_lack lack)
{
	struct judged j = judge(f);

	if (j.first->confidence > most || j.v->lack != lack) {
		facts_print(j.v);
		fail_msg(
			"%s, and lack %d", verdict_confidence_name(j.first->confidence), j.v->lack);
	}
	dismiss(j);
}

/* No verdict may be of that class, nor name any but these (bits) with more than a hypothesis. */
static void refuse_others(const struct facts *f, uint64_t may, enum verdict_class class)
{
	struct judged j = judge(f);
	bool wrong = false;

	for (size_t i = 0; i < j.v->n; i++) {
		const struct verdict *verdict = &j.v->at[i];

		wrong |= verdict->class == class;
		for (size_t k = 0; k < verdict->culprits.n; k++)
			wrong |= verdict->confidence > VERDICT_HYPOTHESIS &&
				 !(may >> verdict->culprits.at[k].i & 1);
	}
	if (wrong) {
		facts_print(j.v);
		fail_msg("an innocent is named, or it is %s", verdict_class_name(class));
	}
	dismiss(j);
}

static enum verdict_outlook outlook_of(const struct facts *f)
{
	struct judged j = judge(f);
	enum verdict_outlook outlook = j.first->outlook;

	dismiss(j);
	return outlook;
}

/* -- nodes of which nothing comes -------------------------------------------------------------- */

/* Two ranks a node; all others wait for rank 3, of the second node, which compiles. */
static struct facts *on_nodes_of_two(int n)
{
	struct facts *f = facts_missing(n, 3, 59);

	for (int rank = 0; rank < n; rank++)
		facts_move(f, rank, rank / 2);
	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "0/0", 59, FACTS_OPEN);
	facts_cpu(f, 3, 1, 1, 0);
	return f;
}

static void one_of_four_nodes_is_unseen(void **state)
{
	static const char *const victims[] = {"2,4-7", "0,1,4-7", "0-2,6,7", "0-2,4,5"};
	struct facts *f = on_nodes_of_two(8);

	(void)state;
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4-7");
	expect_bounds(f, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	facts_free(f);
	for (int host = 0; host < 4; host++) {
		f = on_nodes_of_two(8);
		facts_unseen_host(f, host);
		if (host == 1)
			facts_expect(f, VERDICT_INCONCLUSIVE, "", victims[host]);
		else
			facts_expect(f, VERDICT_COMPILE_SKEW, "3", victims[host]);
		assert_int_equal(facts_culprits(f), host == 1 ? 0 : 1 << 3);
		expect_bounds(f, VERDICT_SUPPORTED, VERDICT_LACKS_RANKS);
		facts_free(f);
	}
}

/* Fewer ranks lack than any node has that was seen: they may be on a smaller one all the same. */
static void a_node_of_one_rank_is_unseen(void **state)
{
	struct facts *f = on_nodes_of_two(7);

	(void)state;
	facts_unseen_host(f, 3);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4,5");
	refuse_others(f, 1 << 3, VERDICT_HEALTHY);
	facts_free(f);
	f = facts_missing(7, 6, 59);
	for (int rank = 0; rank < 7; rank++)
		facts_move(f, rank, rank / 2);
	facts_unseen_host(f, 3);
	refuse_others(f, 0, VERDICT_HEALTHY);
	facts_free(f);
}

/* -- numbers that are no rank's ---------------------------------------------------------------- */

/* What started the ranks runs in a task of Slurm, whose number it has. */
static void add_launcher(struct facts *f, int task)
{
	facts_namesake(f, 0, task, JOB_NUMBER_OF_TASK);
	f->extra[f->nextra - 1].pid = f->ranks[0].process.ppid;
}

static void a_launcher_has_the_number_of_any_rank(void **state)
{
	(void)state;
	for (int task = 0; task < 4; task++) {
		struct facts *f = facts_missing(4, 2, 59);
		struct judged j;

		facts_span(f, 2, JOB_SPAN_COMPILE, "codegen", "0/0", 59, FACTS_OPEN);
		facts_cpu(f, 2, 1, 1, 0);
		add_launcher(f, task);
		facts_expect(f, VERDICT_COMPILE_SKEW, "2", "0,1,3");
		expect_bounds(f, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
		facts_free(f);
		/* Rank 2 has not even a process: the launcher is none, whatever its number. */
		f = facts_new(4);
		for (int rank = 0; rank < 4; rank++)
			if (rank != 2)
				facts_in_init(f, 0, rank, 10);
		facts_never_seen(f, 2);
		add_launcher(f, task);
		facts_expect(f, VERDICT_NOT_STARTED, "2", "0,1,3");
		j = judge(f);
		assert_int_equal(j.job->nranks, 4);
		assert_int_equal(j.job->ranks[2].process, JOB_NONE);
		done(&j, f);
	}
}

/* The launcher gave rank 1's number twice, and rank 2's to nobody. */
static struct facts *given_twice(void)
{
	struct facts *f = facts_new(4);
	struct job_process *twin;

	for (int rank = 0; rank < 4; rank++)
		if (rank != 2)
			facts_in_init(f, 0, rank, 10);
	facts_never_seen(f, 2);
	twin = facts_namesake(f, 1, 1, 0);
	twin->ppid = f->ranks[1].process.ppid;
	twin->comm = f->ranks[1].process.comm;
	return f;
}

static void a_number_that_was_given_twice_is_told(void **state)
{
	struct facts *f = given_twice();
	struct judged j;
	int64_t of = 0;

	facts_expect_cause(f, VERDICT_NOT_STARTED, "2", VERDICT_BY_NUMBER);
	j = judge(f);
	for (size_t i = 0; i < j.v->at[0].nevidence; i++)
		if (j.v->at[0].evidence[i].kind == FACT_NUMBER_TWICE)
			of = j.v->at[0].evidence[i].a;
	assert_int_equal(of, 2);
	assert_int_equal(j.v->at[0].next, VERDICT_NEXT_GIVE_NUMBERS);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
	(void)state;
}

/* A helper, a process that was adopted, another job's: none is given the number by mistake. */
static void who_has_a_number_beside_a_rank_may_be_a_helper(void **state)
{
	for (int kind = 0; kind < 5; kind++) {
		struct facts *f = given_twice();
		struct job_process *other = &f->extra[f->nextra - 1].is.process;

		if (kind == 0)
			other->comm = "nvidia-smi";
		else if (kind == 1)
			other->ppid = 1;
		else if (kind == 2)
			other->ppid = f->ranks[1].pid;
		else if (kind == 3)
			f->extra[f->nextra - 1].number = JOB_NUMBER_OF_TASK;
		else
			other->end = JOB_EXITED;
		facts_expect_cause(f, VERDICT_NOT_STARTED, "2", VERDICT_NO_CAUSE);
		facts_free(f);
	}
	(void)state;
}

/* How many there should be nobody says, neither a launcher nor a group. */
static void a_size_that_nobody_says(void **state)
{
	struct facts *f = foreign(4, 2, SLEEPS);

	(void)state;
	f->world_size = 0;
	facts_expect(f, VERDICT_HOST_STALL, "", "0,1,3");
	expect_bounds(f, VERDICT_SUPPORTED, VERDICT_LACKS_SIZE);
	facts_free(f);
	/* Three are in one operation; who else there may be in the job is not known. */
	f = facts_new(4);
	f->world_size = 0;
	f->group_sizes[0] = 0;
	f->hidden = 3;
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	expect_bounds(f, VERDICT_UNKNOWN, VERDICT_LACKS_SIZE);
	facts_free(f);
}

/* -- ranks that start late, or anew ------------------------------------------------------------ */

/* Two come to the init as soon as they are there; the others are started a minute later. */
static void ranks_that_start_a_minute_apart(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		facts_in_init(f, 0, rank, rank < 2 ? 5 : 98);
		if (rank < 2)
			continue;
		facts_candidate(f, rank);
		facts_cpu(f, rank, 1, 1, 0);
		f->ranks[rank].process.born = facts_ns(60);
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1");
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* They have come: that is no slow job. */
	f = facts_new(4);
	for (int rank = 0; rank < 4; rank++) {
		f->ranks[rank].process.born = facts_ns(rank < 2 ? 0 : 60);
		f->members[0][rank].fact.init_since = facts_ns(rank < 2 ? 5 : 65);
		f->members[0][rank].fact.ready_at = facts_ns(66);
	}
	facts_rounds(f, 0, 30, 67, 1.1);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	expect_bounds(f, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	facts_free(f);
}

/* It died, and a loop in a script has started it anew: its peers wait for the one that is dead. */
static void a_rank_that_is_started_anew_in_its_place(void **state)
{
	for (int joined = 0; joined < 2; joined++) {
		struct facts *f = facts_missing(4, 2, 59);
		struct job_process *anew = facts_namesake(f, 2, 2, 0);

		anew->born = facts_ns(62);
		anew->ppid = f->ranks[2].process.ppid;
		facts_signal(f, 2, SIGSEGV, 0, "python", 60);
		facts_end(f, 2, JOB_SIGNALED, SIGSEGV, 60);
		if (joined) {
			uint32_t pid = f->extra[0].pid;

			facts_stack(f, 2, CONNECT);
			f->extra[f->nextra - 1].pid = pid;
			f->extra[f->nextra - 1].is.stack.fact.tid = pid;
		}
		facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_SIGNAL);
		facts_expect(f, VERDICT_RANK_DEATH, "2", "0,1,3");
		assert_int_equal(outlook_of(f), VERDICT_KILL);
		refuse_others(f, 1 << 2, VERDICT_HEALTHY);
		facts_free(f);
	}
	(void)state;
}

/* Its processes live on: the ranks gave up a group at 60, and make another in its place. */
static struct facts *regrouped(int *ret_anew)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 20, 49, 0.5);
	for (int rank = 0; rank < 4; rank++) {
		f->members[0][rank].fact.state = JOB_MEMBER_GONE;
		f->members[0][rank].fact.aborted = true;
		facts_outside(f, rank, 60);
	}
	*ret_anew = facts_group_of(f, 4, 0, 1, 2, 3);
	return f;
}

static void ranks_that_restart_with_another_group(void **state)
{
	int anew;
	struct facts *f = regrouped(&anew);

	(void)state;
	/* One still cleans up after the old one. */
	for (int rank = 0; rank < 4; rank++)
		if (rank != 2)
			facts_in_init(f, anew, rank, 62);
	facts_unseen(f, anew, 2);
	facts_stack(f, 2, SLEEPS);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	/* All are in the init, for no longer than the first one took. */
	f = regrouped(&anew);
	for (int rank = 0; rank < 4; rank++) {
		f->members[0][rank].fact.init_since = facts_ns(rank == 1 ? 4 : 1);
		f->members[0][rank].fact.ready_at = facts_ns(10);
		facts_in_init(f, anew, rank, 92);
	}
	facts_expect(f, VERDICT_TOO_EARLY, "", "0-3");
	facts_free(f);
	/* One has not given it up at all. */
	f = facts_missing(4, 2, 59);
	anew = facts_group_of(f, 4, 0, 1, 2, 3);
	for (int rank = 0; rank < 4; rank++) {
		if (rank == 2)
			continue;
		f->members[0][rank].fact.state = JOB_MEMBER_GONE;
		f->members[0][rank].fact.aborted = true;
		facts_in_init(f, anew, rank, 80);
	}
	facts_unseen(f, anew, 2);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	/* All came; in the new group one is late. */
	f = regrouped(&anew);
	facts_rounds(f, anew, 5, 62, 0.5);
	facts_enter_but(f, anew, 1, JOB_OP_ALLREDUCE, 4096, 65);
	facts_outside(f, 1, 64.9);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	facts_free(f);
	/* Nobody is. */
	f = regrouped(&anew);
	facts_rounds(f, anew, 40, 62, 0.95);
	for (int rank = 0; rank < 4; rank++)
		facts_outside(f, rank, 99.5);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* -- what is cut ------------------------------------------------------------------------------- */

/* Of that rank's ring all is cut off from its groups on. */
static void cut_before_groups(struct facts *f, int rank)
{
	facts_unseen(f, 0, rank);
	f->ranks[rank].thread.state = JOB_THREAD_UNKNOWN;
	facts_loss(f, rank, "bytes of the ring cut off");
}

static void a_ring_that_is_cut_before_its_first_group(void **state)
{
	(void)state;
	for (int cut = 0; cut < 4; cut++) {
		struct facts *f = facts_missing(4, 2, 59);

		cut_before_groups(f, cut);
		refuse_others(f, cut == 2 ? 0 : 1 << 2, VERDICT_HEALTHY);
		refuse_others(f, cut == 2 ? 0 : 1 << 2, VERDICT_TRANSPORT_STALL);
		expect_bounds(f, VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
		facts_free(f);
		/* While they start: rank 2 is late, the others stand in the init. */
		f = facts_new(4);
		for (int rank = 0; rank < 4; rank++)
			if (rank != 2)
				facts_in_init(f, 0, rank, 10);
		facts_candidate(f, 2);
		cut_before_groups(f, cut);
		refuse_others(f, 1 << 2, VERDICT_HEALTHY);
		refuse_others(f, 1 << 2, VERDICT_TRANSPORT_STALL);
		facts_free(f);
	}
}

/* -- looks at a bad moment --------------------------------------------------------------------- */

/* Some are gone with status 0, the others end as well, or are about to: nobody is early. */
static void a_job_that_ends_while_it_is_looked_at(void **state)
{
	(void)state;
	for (unsigned gone = 1; gone < 15; gone++)
		for (int how = 0; how < 4; how++) {
			struct facts *f = facts_new(4);

			facts_rounds(f, 0, 10, 94.5, 0.5);
			for (int rank = 0; rank < 4; rank++) {
				if (gone >> rank & 1)
					facts_end(f, rank, JOB_EXITED, 0, 99.9);
				else if (how & 1)
					facts_call(f, rank, "ncclCommDestroy", 99.8);
				else
					facts_outside(f, rank, 99.5);
				/* It is gone, and its launcher has not yet said how. */
				f->ranks[rank].exit_known = !(how & 2);
			}
			assert_int_equal(facts_culprits(f), 0);
			refuse_others(f, 0, VERDICT_TRANSPORT_STALL);
			facts_free(f);
		}
}

/* All waited for one for long. Now it is there, and what they do together takes its moment. */
static void who_came_last_came_a_moment_ago(void **state)
{
	for (int host = 0; host < 2; host++) {
		struct facts *f = facts_missing(4, 2, 59);

		facts_move(f, 2, host);
		facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 99.9);
		facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1,3");
		facts_free(f);
		/* It has been there for long enough. */
		f = facts_missing(4, 2, 59);
		facts_move(f, 2, host);
		facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 95);
		facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
		facts_free(f);
		/* So it has where the others were seen in that long after it was looked at. */
		if (!host)
			continue;
		f = facts_missing(4, 2, 59);
		facts_move(f, 2, host);
		facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 61);
		f->hosts[host].gathered = facts_ns(61.5);
		facts_expect(f, VERDICT_TRANSPORT_STALL, "", NULL);
		facts_free(f);
	}
	(void)state;
}

static void who_came_last_to_the_init_came_a_moment_ago(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	for (int rank = 0; rank < 4; rank++)
		facts_in_init(f, 0, rank, rank < 3 ? 5 : 99);
	refuse_others(f, 0, VERDICT_TRANSPORT_STALL);
	refuse_others(f, 0, VERDICT_HEALTHY);
	facts_free(f);
}

/* -- what takes its time ----------------------------------------------------------------------- */

/* Each small record must be on the disk before the next one; the others wait for it. */
static void a_save_that_waits_for_its_disk(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	facts_rounds(f, 0, 10, 73, 1);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 83);
	facts_outside(f, 1, 82.5);
	facts_span(f, 1, JOB_SPAN_CHECKPOINT, "save", "", 83, FACTS_OPEN);
	facts_stack(f, 1, FSYNC)->state = 'D';
	f->ranks[1].process.state = 'D';
	f->ranks[1].process.write_delta = 512;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_CHECKPOINT);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	assert_int_not_equal(outlook_of(f), VERDICT_KILL);
	facts_free(f);
}

/* A save, or a compile that had waited for the network, is over: that is past, and all is well. */
static void what_took_its_time_is_past(void **state)
{
	static const enum job_span_kind kinds[] = {JOB_SPAN_CHECKPOINT, JOB_SPAN_COMPILE};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct facts *f = facts_new(4);
		bool told = false;
		struct judged j;

		facts_rounds(f, 0, 2, 18, 2);
		f->members[0][1].ops[1].entered = facts_ns(37);
		facts_span(f, 1, kinds[i], "it", "", 19, 37);
		facts_rounds(f, 0, 40, 38, 1.5);
		facts_expect(f, VERDICT_HEALTHY, "", "");
		j = judge(f);
		for (size_t k = 0; k < j.first->nevidence; k++)
			told |= j.first->evidence[k].kind == FACT_WAS_LATE;
		assert_true(told);
		done(&j, f);
	}
}

static void steps_of_ten_seconds(void **state)
{
	(void)state;
	/* Well, whenever in a step it is looked at, and whether its ranks sleep or not. */
	for (int sleeps = 0; sleeps < 2; sleeps++)
		for (int at = 0; at < 10; at += 3) {
			struct facts *f = facts_new(4);

			facts_rounds(f, 0, 7, 100 - at - 60, 10);
			for (int rank = 0; sleeps && rank < 4; rank++)
				facts_stack(f, rank, SLEEPS);
			facts_expect(f, VERDICT_HEALTHY, "", "");
			expect_bounds(f, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
			facts_free(f);
		}
	/* One is late: by less than five of them it is too early to say so. */
	for (int late = 0; late < 2; late++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 5, late ? 5 : 7, 10);
		facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, late ? 48 : 51);
		facts_outside(f, 2, 47.5);
		if (late)
			facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
		else
			facts_expect(f, VERDICT_TOO_EARLY, "", "0,1,3");
		facts_free(f);
	}
}

/* Ranks that went on until `left`; then, after their rings were read, all stood for `span` s. */
static struct facts *stands_since(double left, double span, int late)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 20, left - 10, 0.5);
	f->stack_span = span;
	for (int rank = 0; rank < 4; rank++) {
		facts_outside(f, rank, left + 0.1);
		facts_stack(f, rank, rank == late ? SLEEPS : ALL_REDUCE)->when =
			facts_ns(FACTS_NOW + span);
	}
	return f;
}

/*
 * Their rings say that all went on half a second before the look. Their stacks, taken since, show
 * one elsewhere and the others in a call that no ring has: the hang began meanwhile.
 */
static void a_hang_that_begins_between_rings_and_stacks(void **state)
{
	struct facts *f = stands_since(99.5, 2.2, 3);

	(void)state;
	facts_expect(f, VERDICT_TOO_EARLY, "", "0-2");
	facts_free(f);
	f = stands_since(99.5, 6.2, 3);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	expect_bounds(f, VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
	facts_free(f);
	/* All are there: which operation, nobody knows. */
	f = stands_since(99.5, 6.2, -1);
	assert_int_equal(facts_culprits(f), 0);
	refuse_others(f, 0, VERDICT_HEALTHY);
	facts_free(f);
	/* They had been outside for a while, so their rings may just not have that call. */
	f = stands_since(95, 2.2, 3);
	expect_bounds(f, VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A death that says by itself what to look for: a limit was reached, or nothing was started. */
static void the_advice_is_by_how_the_rank_died(void **state)
{
	static const struct {
		enum job_end end;
		int status;
		int fatal; /* the sender that its handler saw: 0 itself; -1 it saw nothing */
		enum verdict_next next;
	} deaths[] = {
		{JOB_SIGNALED, SIGXFSZ, -1, VERDICT_NEXT_RAISE_LIMIT},
		{JOB_SIGNALED, SIGXCPU, -1, VERDICT_NEXT_RAISE_LIMIT},
		{JOB_SIGNALED, SIGXFSZ, 0, VERDICT_NEXT_RAISE_LIMIT},
		{JOB_SIGNALED, SIGXCPU, 77, VERDICT_NEXT_WHO_KILLED},
		{JOB_SIGNALED, SIGKILL, -1, VERDICT_NEXT_WHO_KILLED},
		{JOB_EXITED, 127, -1, VERDICT_NEXT_FIND_COMMAND},
		{JOB_EXITED, 126, -1, VERDICT_NEXT_FIND_COMMAND},
		{JOB_EXITED, 1, -1, VERDICT_NEXT_READ_TRACEBACK},
		{JOB_EXITED, SIGXFSZ, -1, VERDICT_NEXT_READ_TRACEBACK},
	};

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		struct facts *f = facts_missing(4, 1, 59);
		struct verdicts *verdicts;
		struct job *job;

		if (deaths[i].fatal >= 0)
			facts_signal(f, 1, deaths[i].status, (uint32_t)deaths[i].fatal, "sums", 59);
		facts_end(f, 1, deaths[i].end, deaths[i].status, 59);
		job = facts_job(f);
		verdicts = verdicts_of(job);
		assert_int_equal(verdicts->at[0].class, VERDICT_RANK_DEATH);
		assert_int_equal(verdicts->at[0].next, deaths[i].next);
		verdicts_free(verdicts);
		job_free(job);
		facts_free(f);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_advice_is_by_how_the_rank_died),
		cmocka_unit_test(one_of_four_nodes_is_unseen),
		cmocka_unit_test(a_node_of_one_rank_is_unseen),
		cmocka_unit_test(a_launcher_has_the_number_of_any_rank),
		cmocka_unit_test(a_number_that_was_given_twice_is_told),
		cmocka_unit_test(who_has_a_number_beside_a_rank_may_be_a_helper),
		cmocka_unit_test(a_size_that_nobody_says),
		cmocka_unit_test(ranks_that_start_a_minute_apart),
		cmocka_unit_test(a_rank_that_is_started_anew_in_its_place),
		cmocka_unit_test(ranks_that_restart_with_another_group),
		cmocka_unit_test(a_ring_that_is_cut_before_its_first_group),
		cmocka_unit_test(a_job_that_ends_while_it_is_looked_at),
		cmocka_unit_test(a_hang_that_begins_between_rings_and_stacks),
		cmocka_unit_test(who_came_last_came_a_moment_ago),
		cmocka_unit_test(who_came_last_to_the_init_came_a_moment_ago),
		cmocka_unit_test(a_save_that_waits_for_its_disk),
		cmocka_unit_test(what_took_its_time_is_past),
		cmocka_unit_test(steps_of_ten_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
