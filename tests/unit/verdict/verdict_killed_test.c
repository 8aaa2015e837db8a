/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends that are no causes: of ranks that waited and were killed for it, by an order to all, by a
 * supervisor that ends the rest.
 */
#include "tests/unit/unit.h"

#include <signal.h>

#include "base/clock.h"
#include "tests/unit/judged.h"
#include "tests/unit/launcher.h"
#include "verdict/profiles/last-words.h"

#define TIMEOUT  77 /* no process of the job */

/* Rank 3 enters another operation than the rest, at 40. Nothing may be known of completion. */
static struct facts *forked(bool held, bool tracked)
{
	struct facts *f = facts_new(4);

	f->completion = tracked;
	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.done_known = tracked;
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		uint8_t op = i == 3 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE;

		if (held)
			facts_hold(f, 0, i, op, 4096, 40);
		else
			facts_enter(f, 0, i, op, 4096, 40);
	}
	return f;
}

/* The fork stands first, whenever one that waits there is killed; and that is told behind it. */
static void a_victim_of_a_fork_that_is_killed_is_a_victim(void **state)
{
	static const double killed_at[] = {40.5, 41.9, 43, 70, 99};

	for (int how = 0; how < 4; how++)
		for (size_t i = 0; i < sizeof(killed_at) / sizeof(*killed_at); i++) {
			struct facts *f = forked(how & 1, how & 2);

			facts_end(f, 1, JOB_SIGNALED, SIGKILL, killed_at[i]);
			facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", NULL);
			facts_free(f);
		}
}

/* Who waits at a fork is aborted for it: what tells of that is no surer than a guess. */
static void an_abort_that_comes_of_a_fork_is_no_finding_of_its_own(void **state)
{
	for (int how = 0; how < 8; how++) {
		const char *thread = how & 4 ? "pt_gloo_runloop" : "python3";
		struct facts *f = forked(how & 1, how & 2);
		struct job *job;
		struct verdicts *v;

		(void)state;
		facts_signal(f, 1, SIGABRT, 0, thread, 43);
		facts_end(f, 1, JOB_SIGNALED, SIGABRT, 43);
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", NULL);
		job = facts_job(f);
		v = verdicts_of(job);
		for (size_t i = 1; i < v->n; i++)
			if (v->at[i].class == VERDICT_RANK_DEATH)
				assert_true(v->at[i].confidence <= VERDICT_HYPOTHESIS);
		verdicts_free(v);
		job_free(job);
		facts_free(f);
	}
}

static void a_victim_of_an_absence_that_is_killed_is_a_victim(void **state)
{
	static const double killed_at[] = {60.5, 61.9, 63, 80, 99};

	for (size_t i = 0; i < sizeof(killed_at) / sizeof(*killed_at); i++) {
		struct facts *f = facts_missing(4, 3, 59);

		facts_end(f, 1, JOB_SIGNALED, SIGKILL, killed_at[i]);
		facts_expect(f, VERDICT_HOST_STALL, "3", NULL);
		assert_int_equal(facts_culprits(f), 1 << 3);
		facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "", 30, FACTS_OPEN);
		facts_expect(f, VERDICT_COMPILE_SKEW, "3", NULL);
		facts_free(f);
	}
}

/* What completed long ago, with wrong data, is no reason why ranks wait for one that is killed. */
static void who_is_killed_after_a_fork_that_completed_is_dead(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	f->members[0][3].ops[2].sig.dtype = 2;
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 60);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/* Two groups in two orders: a circle, also when one of it is killed in the end. */
static void a_victim_of_a_circle_that_is_killed_is_in_it(void **state)
{
	struct facts *f = facts_new(4);
	int other = facts_group_of(f, 4, 0, 1, 2, 3);

	for (int i = 0; i < 4; i++)
		facts_hold(f, i == 3 ? other : 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 80);
	facts_expect(f, VERDICT_ORDER_INVERSION, "3", NULL);
	facts_free(f);
}

/* kill() and raise() of its own: the kernel names the sender, so nobody else killed it. */
static void who_sends_himself_a_signal_ended_himself(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGSEGV};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct facts *f = facts_missing(4, 3, 59);

		facts_signal(f, 3, signals[i], 0, "python", 59.5);
		facts_end(f, 3, JOB_SIGNALED, signals[i], 59.5);
		facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_SIGNAL);
		facts_free(f);
	}
}

/* A handler that tidies up and then sends the signal again: the order came from elsewhere. */
static void who_passes_an_order_on_to_himself_obeys(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	add_launcher(f);
	facts_signal(f, 3, SIGTERM, LAUNCHER, "python", 80)->fatal = false;
	facts_signal(f, 3, SIGTERM, 0, "python", 80.5);
	facts_end(f, 3, JOB_SIGNALED, SIGTERM, 80.5);
	facts_expect(f, VERDICT_HOST_STALL, "3", NULL);
	facts_free(f);
}

/* `timeout` or scancel tells the whole process group, which meets the ranks one by one. */
static void an_order_to_the_whole_group_is_the_end_of_the_job(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_signal(f, i, SIGTERM, TIMEOUT, "python", 60 + 0.005 * i)->sender_role =
			JOB_NONE;
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 60 + 0.005 * i);
	}
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* The launcher got it as well, and told the others before the group's signal came to them. */
static void an_order_that_the_launcher_repeats_is_the_end_of_the_job(void **state)
{
	struct facts *f = facts_new(4);

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_signal(f, 0, SIGTERM, TIMEOUT, "python", 60)->sender_role = JOB_NONE;
	facts_end(f, 0, JOB_SIGNALED, SIGTERM, 60.02);
	f->extra[f->nextra - 1].is.signal.fatal = false; /* Python's handler took it */
	for (int i = 1; i < 4; i++)
		told_to_end(f, i, 60.01);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/*
 * The launcher ended all, as its status says for a reason: Ray's, of an exception that it caught
 * and that nobody else heard of. Whom a signal ended, or an order from outside, failed in nothing.
 */
static void a_job_that_its_launcher_failed_was_not_well(void **state)
{
	static const struct {
		int status;
		bool agent;
		enum verdict_class class;
	} ways[] = {{1, false, VERDICT_INCONCLUSIVE}, {255, false, VERDICT_INCONCLUSIVE},
		{128 + SIGTERM, false, VERDICT_HEALTHY}, {1, true, VERDICT_HEALTHY}};

	for (size_t how = 0; how < sizeof(ways) / sizeof(*ways); how++) {
		struct facts *f = facts_new(4);

		add_launcher(f);
		facts_rounds(f, 0, 10, 20, 0.5);
		for (int i = 0; i < 4; i++) {
			struct job_signal *signal = facts_signal(
				f, i, SIGTERM, ways[how].agent ? TIMEOUT : LAUNCHER, "python",
				60 + 0.005 * i);

			if (ways[how].agent)
				signal->sender_role = JOB_ROLE_AGENT;
			facts_end(f, i, JOB_SIGNALED, SIGTERM, 60 + 0.005 * i);
		}
		f->failed = ways[how].status;
		facts_expect(f, ways[how].class, "", "");
		facts_free(f);
	}
}

/* All ranks ended well, and the command did not: what it did besides, nobody of us saw. */
static void a_job_that_failed_beside_its_ranks_was_not_well(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_EXITED, 0, 60);
	f->failed = 1;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

/* True if anybody is accused with any confidence above a hypothesis. */
static void expect_nobody(const struct facts *f)
{
	assert_int_equal(facts_culprits(f), 0);
}

/* Rank 0 ended by the order, and of the others: it came to them, nothing is known, or not yet. */
static void an_order_of_which_only_a_part_was_seen_accuses_nobody(void **state)
{
	for (int how = 0; how < 3; how++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 10, 90, 0.5);
		facts_signal(f, 0, SIGTERM, TIMEOUT, "python", 99.7)->sender_role = JOB_NONE;
		facts_end(f, 0, JOB_SIGNALED, SIGTERM, 99.7);
		for (int i = 1; i < 4; i++) {
			f->ranks[i].exit_known = how != 1;
			if (how)
				continue;
			facts_signal(f, i, SIGTERM, TIMEOUT, "python", 99.71)->sender_role =
				JOB_NONE;
			f->extra[f->nextra - 1].is.signal.fatal = false;
		}
		expect_nobody(f);
		facts_free(f);
	}
}

/* -- supervisors ------------------------------------------------------------------------------- */

#define ENFORCE                                                                                    \
	"what():  [enforce fail at external/gloo/gloo/transport/tcp/pair.cc:446] "                 \
	"op.preamble.length <= op.nbytes. 32 vs 16. Is there a distributed collective mismatch "   \
	"in your code?"
#define SERVICE                                                                                    \
	"F1122 10:00:01.123 77 client.h:77] Terminating process because the JAX distributed "      \
	"service detected fatal errors. This most likely indicates that another task died"

/* JAX: no operation of it is seen, and its ranks make no communicator that we know. */
static struct facts *jax_job(void)
{
	struct facts *f = facts_new(4);

	facts_no_group(f);
	f->ngroups = 0;
	return f;
}

static void aborts(struct facts *f, int rank, const char *words, double at)
{
	facts_signal(f, rank, SIGABRT, 0, "python", at);
	facts_end(f, rank, JOB_SIGNALED, SIGABRT, at);
	facts_log(f, rank, words);
}

/* One rank ran another program: gloo ended two, and the coordination service the others. */
static void a_mismatch_that_is_only_told_of_has_no_culprit(void **state)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 2; i++)
		aborts(f, i, ENFORCE, 60 + 0.1 * i);
	for (int i = 2; i < 4; i++)
		aborts(f, i, SERVICE, 62);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0,1");
	expect_nobody(f);
	facts_free(f);
}

/* The service ended all that are left; who was the first is not seen. */
static void who_is_ended_by_a_service_is_no_cause(void **state)
{
	struct facts *f = jax_job();

	f->ranks[0].exit_known = false;
	for (int i = 1; i < 4; i++) {
		facts_end(f, i, JOB_EXITED, 1, 62);
		facts_log(f, i, SERVICE);
	}
	expect_nobody(f);
	facts_free(f);
}

static void who_died_before_the_service_ended_the_rest_is(void **state)
{
	struct facts *f = jax_job();

	facts_note(f, 2, "ValueError: bad sample", 60);
	facts_end(f, 2, JOB_EXITED, 1, 60.2);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			aborts(f, i, SERVICE, 62);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_EXCEPTION);
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
}

static void supervisors_speak_of_others(void **state)
{
	static const char *const echoes[] = {
		SERVICE,
		"torch.distributed.elastic.multiprocessing.api.SignalException: Process 77 got "
		"signal: 15",
		"what():  [PG ID 0 PG GUID 0 Rank 1] Process group watchdog thread terminated with",
		"To avoid data inconsistency, we are taking the entire process down.",
		"RuntimeError: [pair.cc:537] Connection closed by peer [127.0.0.1]:33211",
		"RuntimeError: Timed out waiting 1800000ms for send operation to complete",
		"ray.exceptions.RayActorError: The actor died unexpectedly before finishing this "
		"task.",
		"mpirun noticed that process rank 2 with PID 77 on node n1 exited on signal 9 "
		"(Killed).",
		"MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD",
		"= BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
		"srun: error: n3: task 5: Exited with exit code 1",
		"slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-22T10:00:00 ***",
	};
	static const char *const own[] = {"ValueError: bad sample", "KeyError: 'labels'",
		"IndexError: index 7 is out of bounds for dimension 0 with size 7",
		"AssertionError", "FileNotFoundError: [Errno 2] No such file: 'a.bin'",
		"torch.OutOfMemoryError: CUDA out of memory."};

	for (size_t i = 0; i < sizeof(echoes) / sizeof(*echoes); i++)
		if (!words_are_echo(echoes[i]))
			fail_msg("is of others: %s", echoes[i]);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (words_are_echo(own[i]))
			fail_msg("is of itself: %s", own[i]);
}

/* -- from outside of the ranks' pid namespace -------------------------------------------------- */

/* SIGTERM of a sender who has no pid where the rank is; its handler leaves with status 1. */
static struct job_signal *told_from_outside(struct facts *f, int rank, double at)
{
	struct job_signal *signal = facts_signal(f, rank, SIGTERM, 0, "python", at);

	signal->from_self = false;
	signal->fatal = false;
	signal->code = SI_USER;
	facts_end(f, rank, JOB_EXITED, 1, at + 0.1);
	return signal;
}

/* A container's runtime ends all that is in it: that is the end of the job, and nobody's death. */
static void a_container_that_is_stopped_is_the_end(void **state)
{
	for (int says = 0; says < 2; says++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int rank = 0; rank < 4; rank++) {
			told_from_outside(f, rank, 80 + 0.01 * rank);
			if (says)
				facts_note(f, rank, "SystemExit: 1", 80.05 + 0.01 * rank);
		}
		assert_int_equal(facts_culprits(f), 0);
		facts_free(f);
	}
	(void)state;
}

/* Somebody outside told one of them, and when it had gone, its launcher told the rest. */
static void one_that_is_told_from_outside_was_killed(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	told_from_outside(f, 1, 30);
	for (int rank = 0; rank < 4; rank++)
		if (rank != 1)
			told_to_end(f, rank, 30.4);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/* It was told to end, and its handler did: who asked, by what, and with what status it went. */
static void what_a_handler_made_of_an_order_is_told(void **state)
{
	struct facts *f = facts_new(4);
	const struct verdict_fact *first;
	struct job_signal *signal;
	struct verdicts *v;
	struct job *job;

	(void)state;
	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	signal = told_from_outside(f, 1, 30);
	signal->sender = 4711;
	signal->sender_role = JOB_NONE;
	facts_note(f, 1, "RuntimeError: SIGTERM handler", 30.05);
	for (int rank = 0; rank < 4; rank++)
		if (rank != 1)
			told_to_end(f, rank, 30.4);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	job = facts_job(f);
	v = verdicts_of(job);
	first = &v->at[0].headline;
	assert_int_equal(first->kind, FACT_TOLD_TO_END);
	assert_int_equal(first->a, SIGTERM);
	assert_int_equal(first->b, 4711);
	assert_int_equal(first->c, 1);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Neither has the kernel a pid, nor a timer of the rank's own: nobody told it to end. */
static void who_has_no_pid_may_be_the_kernel(void **state)
{
	static const int codes[] = {SI_KERNEL, SI_TIMER};
	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct facts *f = facts_missing(4, 1, 59);

		told_from_outside(f, 1, 60)->code = codes[i];
		facts_note(f, 1, "KeyError: 'x'", 60.05);
		facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_EXCEPTION);
		facts_free(f);
	}
}

/* -- from a terminal --------------------------------------------------------------------------- */

/* Ctrl-C, Ctrl-\ or a terminal that is closed: the kernel tells all that runs in its foreground. */
static void what_a_terminal_sends_is_the_end_of_the_job(void **state)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		for (int says = 0; says < 2; says++) {
			struct facts *f = facts_new(4);

			facts_rounds(f, 0, 10, 20, 0.5);
			for (int rank = 0; rank < 4; rank++) {
				struct job_signal *signal =
					told_from_outside(f, rank, 80 + 0.01 * rank);

				signal->signo = signals[i];
				signal->code = SI_KERNEL;
				if (says)
					facts_log(f, rank, "KeyboardInterrupt");
			}
			facts_expect(f, VERDICT_HEALTHY, "", "");
			facts_free(f);
		}
	}
}

/* The terminal of one rank alone was closed (an ssh each): its order was to that one. */
static void who_has_a_terminal_of_its_own_was_killed_by_it(void **state)
{
	struct facts *f = facts_new(4);
	struct job_signal *signal;

	(void)state;
	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	signal = told_from_outside(f, 1, 30);
	signal->signo = SIGHUP;
	signal->code = SI_KERNEL;
	for (int rank = 0; rank < 4; rank++)
		if (rank != 1)
			told_to_end(f, rank, 30.4);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/* One that stood elsewhere when somebody lost patience is told as such. */
static void who_was_missing_before_ctrl_c_is_still_named(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		struct job_signal *signal = told_from_outside(f, rank, 90 + 0.01 * rank);

		signal->signo = SIGINT;
		signal->code = SI_KERNEL;
		facts_log(f, rank, "KeyboardInterrupt");
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
	facts_free(f);
}

/* -- who waited -------------------------------------------------------------------------------- */

/* One rank fails, and the launcher ends the rest: all of them waited, also those who went first. */
static void who_was_ended_soon_waited_as_well(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	(void)state;
	add_launcher(f);
	facts_note(f, 1, "ValueError: Expected target size [32, 4096], got [31, 4096]", 60);
	facts_end(f, 1, JOB_EXITED, 1, 60.1);
	told_to_end(f, 0, 60.4);
	told_to_end(f, 2, 60.4);
	facts_signal(f, 3, SIGTERM, LAUNCHER, "python", 60.4)->fatal = false;
	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 90.4);
	facts_expect(f, VERDICT_RANK_DEATH, "1", "0,2,3");
	facts_free(f);
}

/*
 * All are in one op of gloo, which completed everywhere but at rank 2; then the job is ended, and
 * rank 2 last, as it did not obey.
 */
static struct facts *ended_in_an_op_of_all(void)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		struct job_op *op = facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);

		op->completed = i == 2 ? JOB_NO : JOB_YES;
		f->members[0][i].fact.done = i == 2 ? 5 : 6;
		facts_sync(f, i, 40);
		if (i != 2)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 41);
	}
	add_launcher(f);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			told_to_end(f, i, 60);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 90);
	return f;
}

/* What stood, stands: it was stopped while the others waited, and ended for that. */
static void stopped_until_it_was_ended(void **state)
{
	struct facts *f = ended_in_an_op_of_all();
	struct judged j;

	f->ranks[2].process.stopped_since = facts_ns(40);
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_FROZEN);
	j = judge(f);
	assert_int_equal(j.first->confidence, VERDICT_ESTABLISHED);
	assert_int_equal(j.first->next, VERDICT_NEXT_WHO_STOPPED);
	assert_int_equal(j.first->headline.kind, FACT_WAS_STOPPED);
	assert_int_equal(j.first->headline.a, 50 * CLOCK_NS_PER_S);
	dismiss(j);
	/* Not before that end. */
	f->ranks[2].process.stopped_since = facts_ns(89.5);
	j = judge(f);
	assert_int_not_equal(j.first->where, VERDICT_IN_FROZEN);
	done(&j, f);
}

/* Whom somebody kills since it stands still did not stop by that. */
static void stopped_until_it_was_killed(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	f->ranks[2].process.stopped_since = facts_ns(45);
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_FROZEN);
	facts_free(f);
}

/* A job that was suspended as a whole, and then ended, has no rank that was stopped. */
static void all_stopped_until_they_were_ended(void **state)
{
	struct facts *f = ended_in_an_op_of_all();
	struct judged j;

	for (int i = 0; i < 4; i++) {
		f->ranks[i].process.stopped_since = facts_ns(45);
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 90);
	}
	j = judge(f);
	for (size_t i = 0; i < j.v->n; i++)
		assert_int_not_equal(j.v->at[i].where, VERDICT_IN_FROZEN);
	done(&j, f);
}

/* Nothing lags behind in a backend without devices but the rank's process, or its host's links. */
static void behind_in_a_backend_without_devices(void **state)
{
	struct facts *f = ended_in_an_op_of_all();
	struct judged j = judge(f);

	for (size_t i = 0; i < j.v->n; i++)
		assert_int_not_equal(j.v->at[i].class, VERDICT_GPU_STALL);
	for (size_t i = 0; i < j.v->nnot_judged; i++)
		assert_int_not_equal(j.v->not_judged[i].class, VERDICT_GPU_STALL);
	assert_int_equal(j.first->class, VERDICT_HOST_STALL);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
	dismiss(j);
	facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
	facts_free(f);
}

/*
 * A signal to all: the wrapper looks before it passes it on, and rank 0 is gone already, of which
 * no ring tells who sent what. Who was gone for long by then did not die of that.
 */
static void whom_the_order_to_all_reached_first_is_no_cause(void **state)
{
	static const struct {
		double ended, ordered;
		const char *culprits;
	} cases[] = {{99.9, 99.85, ""}, {99.9, 0, "0"}, {70, 99.85, "0"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct facts *f = facts_new(3);

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int rank = 1; rank < 3; rank++)
			facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 99.5);
		facts_end(f, 0, JOB_SIGNALED, SIGTERM, cases[i].ended);
		facts_lose_ring(f, 0);
		f->ordered = cases[i].ordered;
		facts_expect(f, *cases[i].culprits ? VERDICT_RANK_DEATH : VERDICT_INCONCLUSIVE,
			cases[i].culprits, NULL);
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whom_the_order_to_all_reached_first_is_no_cause),
		cmocka_unit_test(stopped_until_it_was_ended),
		cmocka_unit_test(stopped_until_it_was_killed),
		cmocka_unit_test(all_stopped_until_they_were_ended),
		cmocka_unit_test(behind_in_a_backend_without_devices),
		cmocka_unit_test(a_container_that_is_stopped_is_the_end),
		cmocka_unit_test(one_that_is_told_from_outside_was_killed),
		cmocka_unit_test(what_a_handler_made_of_an_order_is_told),
		cmocka_unit_test(who_has_no_pid_may_be_the_kernel),
		cmocka_unit_test(who_was_ended_soon_waited_as_well),
		cmocka_unit_test(what_a_terminal_sends_is_the_end_of_the_job),
		cmocka_unit_test(who_has_a_terminal_of_its_own_was_killed_by_it),
		cmocka_unit_test(who_was_missing_before_ctrl_c_is_still_named),
		cmocka_unit_test(a_victim_of_a_fork_that_is_killed_is_a_victim),
		cmocka_unit_test(an_abort_that_comes_of_a_fork_is_no_finding_of_its_own),
		cmocka_unit_test(a_victim_of_an_absence_that_is_killed_is_a_victim),
		cmocka_unit_test(who_is_killed_after_a_fork_that_completed_is_dead),
		cmocka_unit_test(a_victim_of_a_circle_that_is_killed_is_in_it),
		cmocka_unit_test(who_sends_himself_a_signal_ended_himself),
		cmocka_unit_test(who_passes_an_order_on_to_himself_obeys),
		cmocka_unit_test(an_order_to_the_whole_group_is_the_end_of_the_job),
		cmocka_unit_test(a_job_that_its_launcher_failed_was_not_well),
		cmocka_unit_test(a_job_that_failed_beside_its_ranks_was_not_well),
		cmocka_unit_test(an_order_that_the_launcher_repeats_is_the_end_of_the_job),
		cmocka_unit_test(an_order_of_which_only_a_part_was_seen_accuses_nobody),
		cmocka_unit_test(a_mismatch_that_is_only_told_of_has_no_culprit),
		cmocka_unit_test(who_is_ended_by_a_service_is_no_cause),
		cmocka_unit_test(who_died_before_the_service_ended_the_rest_is),
		cmocka_unit_test(supervisors_speak_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
