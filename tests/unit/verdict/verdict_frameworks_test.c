/* SPDX-License-Identifier: Apache-2.0 */
/* Frameworks that are not PyTorch: what is said of them must be what they are. */
#include "tests/unit/unit.h"

#include <string.h>

#include "job/caches.h"
#include "tests/unit/bystacks.h"
#include "tests/unit/facts.h"
#include "verdict/activities/activities.h"
#include "words/doing.h"
#include "words/wording.h"

#define JAX "/env/lib/python3.11/site-packages/jax/_src/"

/* -- Ray --------------------------------------------------------------------------------------- */

/* A driver that was attached to: it goes on, in ray.get(), and has these descendants. */
static struct facts *driver(const char *first, const char *second)
{
	struct facts *f = facts_new(1);

	facts_no_group(f);
	f->ngroups = 0;
	facts_no_probe(f);
	facts_stack(f, 0, "clock_nanosleep@libc.so.6 < main@/me/fit.py:9")->moved = JOB_YES;
	if (first)
		facts_child(f, 0, first);
	if (second)
		facts_child(f, 0, second);
	return f;
}

static void a_driver_whose_workers_were_not_seen_is_not_well(void **state)
{
	struct facts *f = driver("raylet", "ray::RayTrainWo");
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	struct str words = {0};

	assert_int_equal(v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(v->at[0].culprits.n, 0);
	assert_int_equal(v->at[0].headline.kind, FACT_WORKERS_UNSEEN);
	assert_int_equal(v->at[0].headline.a, 1);
	wording_fact(&words, &v->at[0].headline);
	assert_non_null(strstr(str_text(&words), "ray::RayTrainWo (pid "));
	str_release(&words);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Else it would be said of every job. */
static void a_driver_whose_workers_are_idle_may_be_well(void **state)
{
	struct facts *f = driver("raylet", "ray::IDLE");

	facts_child(f, 0, "ray::DashboardA");
	facts_child(f, 0, "ray::RuntimeEnv");
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* -- JAX --------------------------------------------------------------------------------------- */

static struct facts *jax_job(void)
{
	struct facts *f = facts_new(4);

	facts_no_group(f);
	f->ngroups = 0;
	for (int i = 0; i < 4; i++) {
		facts_candidate(f, i);
		facts_trait(f, i, "framework", "jax 0.10.2", -1);
	}
	return f;
}

static enum verdict_stage stage_of(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	enum verdict_stage stage = v->stage;

	verdicts_free(v);
	job_free(job);
	return stage;
}

static void what_makes_no_groups_is_not_always_at_its_start(void **state)
{
	struct facts *f = jax_job();

	assert_int_equal(stage_of(f), VERDICT_STAGE_UNKNOWN);
	facts_log(f, 1, "");
	f->extra[f->nextra - 1].is.log.last_line = "step 6 loss 0.31";
	assert_int_equal(stage_of(f), VERDICT_STEADY);
	f->extra[f->nextra - 1].is.log.last_line = "step 0 loss 0.31";
	assert_int_equal(stage_of(f), VERDICT_STAGE_UNKNOWN);
	facts_step(f, 2, 6);
	assert_int_equal(stage_of(f), VERDICT_STEADY);
	facts_free(f);
}

/* Ranks of PyTorch that have made no group are at their start. */
static void what_makes_groups_is_at_its_start_before_them(void **state)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "framework", "torch 2.15.0", -1)->when = facts_ns(5);
	assert_int_equal(stage_of(f), VERDICT_BOOTSTRAP);
	facts_free(f);
}

/* One sleeps in its own code; the others wait for what it computes with them, past any init. */
static void who_is_late_after_six_steps_never_missed_init(void **state)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++) {
		facts_step(f, i, 6);
		facts_stack(f, i,
			i == 2 ? "clock_nanosleep@libc.so.6 < step@/me/train.py:9"
			       : "wait@libc.so.6 < ArrayImpl._value@" JAX
				 "array.py:630 < step@/me/train.py:12");
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	assert_int_equal(stage_of(f), VERDICT_STEADY);
	facts_free(f);
}

/* A thread of XLA in an operation of gloo; and what a main thread asks for meanwhile, awake. */
#define IN_GLOO                                                                                    \
	"pthread_cond_timedwait@libc.so.6 < "                                                      \
	"gloo::transport::tcp::UnboundBuffer::waitRecv@libjax_common.so < "                        \
	"gloo::allreduce@libjax_common.so < "                                                      \
	"xla::cpu::GlooCommunicator::AllReduce@libjax_common.so < "                                \
	"xla::cpu::AllReduceThunk::Execute@libjax_common.so < clone3@libc.so.6"
#define VALUE                                                                                      \
	"syscall@libc.so.6 < @libjax_common.so < ArrayImpl._value@" JAX                            \
	"array.py:630 < step@/me/train.py:12"

/* All but rank 2, which sleeps in its own code, have an operation that stands. */
static struct facts *jax_late(void)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++) {
		facts_step(f, i, 6);
		if (i == 2) {
			facts_stack(f, i, "clock_nanosleep@libc.so.6 < step@/me/train.py:9");
			continue;
		}
		facts_stack(f, i, VALUE)->moved = JOB_YES;
		facts_stack_of(f, i, "tf_XLAEigen", 700, IN_GLOO);
	}
	return f;
}

/* The main thread looks for Ctrl-C again and again: that it waits is told by who runs for it. */
static void who_runs_an_operation_speaks_for_who_waits_for_it(void **state)
{
	struct facts *f = jax_late();
	struct judged j = judge(f);

	expect_says(&j, "in AllReduce, at train.py:12 in step, still for 2.2 s");
	dismiss(j);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/* It went on without waiting, and what it handed over stands: the others do not wait for it. */
static void who_has_an_operation_under_way_keeps_nobody(void **state)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++) {
		facts_stack(f, i,
			i == 0	 ? "clock_nanosleep@libc.so.6 < log@/me/train.py:30"
			: i == 2 ? "clock_nanosleep@libc.so.6 < step@/me/train.py:9"
				 : VALUE);
		if (i != 2)
			facts_stack_of(f, i, "tf_XLAEigen", 700, IN_GLOO);
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/* Code of a jaxlib without names, beneath a wait. */
#define NAMELESS                                                                                   \
	"syscall@libc.so.6 < @libjax_common.so < @libjax_common.so < clone3@libc.so.6"

/*
 * The stack of its runner could not be read, has no names, moved, or was seen but once: it may have
 * an operation under way as well as not.
 */
static void expect_not_accused(int how)
{
	struct facts *f = jax_job();
	struct judged j;

	for (int i = 0; i < 4; i++) {
		struct job_stack *runner;

		facts_stack(f, i,
			i == 0	 ? "clock_nanosleep@libc.so.6 < log@/me/train.py:30"
			: i == 2 ? "clock_nanosleep@libc.so.6 < step@/me/train.py:9"
				 : VALUE);
		if (i == 2)
			continue;
		runner = facts_stack_of(f, i, "tf_XLAEigen", 700,
			i	   ? IN_GLOO
			: how == 0 ? ""
			: how == 1 ? NAMELESS
				   : IN_GLOO);
		if (i)
			continue;
		if (how == 0) {
			runner->how = JOB_STACK_NONE;
			runner->cut = "no permission";
		}
		runner->moved = how == 2 ? JOB_YES : how == 3 ? JOB_MAYBE : runner->moved;
		runner->samples = how == 3 ? 1 : runner->samples;
	}
	j = judge(f);
	assert_false(ranks_have(j.first->culprits, rank_index(0)));
	assert_false(ranks_have(j.first->camp_a, rank_index(0)));
	assert_false(ranks_have(j.first->camp_b, rank_index(0)));
	done(&j, f);
}

static void who_may_have_an_operation_under_way_is_not_accused(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++)
		expect_not_accused(how);
}

/* They wait for each other at their end, not for their start. */
static void a_shutdown_is_no_init(void **state)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++) {
		facts_step(f, i, 6);
		facts_stack(f, i,
			i == 2 ? "clock_nanosleep@libc.so.6 < step@/me/train.py:9"
			       : "syscall@libc.so.6 < @libjax_common.so < State.shutdown@" JAX
				 "distributed.py:199 < shutdown@" JAX "distributed.py:349");
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	assert_int_equal(stage_of(f), VERDICT_STEADY);
	facts_free(f);
}

/* What its table says that rank 0 does. */
static void expect_doing(const char *stack, const char *name)
{
	struct facts *f = jax_job();
	struct doing doing = {0};
	struct by_rank seats;
	struct verdicts *v;
	struct job *job;

	facts_stack(f, 0, stack);
	job = facts_job(f);
	v = verdicts_of(job);
	by_rank_make(&seats, job, members);
	doing_of(&doing, job, &seats, rank_index(0), &v->postures[0]);
	by_rank_release(&seats);
	assert_string_equal(str_text(&doing.name), name);
	doing_release(&doing);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* "store_open" and its like are names of ours. */
static void a_wait_in_the_store_is_told_in_words(void **state)
{
	static const char *const calls[][2] = {{"c10d_store_open", "the store"},
		{"c10d_store_serve", "store, for all ranks"},
		{"c10d_store_get", "store, for a key"},
		{"ncclAllReduce", "AllReduce"}, {"c10d_barrier", "barrier"}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct facts *f = facts_new(4);
		struct doing doing = {0};
		struct by_rank seats;
		struct job *job;

		facts_call(f, 0, calls[i][0], 40);
		job = facts_job(f);
		by_rank_make(&seats, job, members);
		doing_of(&doing, job, &seats, rank_index(0), NULL);
		by_rank_release(&seats);
		assert_string_equal(str_text(&doing.op), calls[i][1]);
		doing_release(&doing);
		job_free(job);
		facts_free(f);
	}
	(void)state;
}

static void nobody_waits_for_a_gpu_on_cpus(void **state)
{
	expect_doing("wait@libc.so.6 < ArrayImpl._value@" JAX "array.py:630 < step@/me/t.py:12",
		"waiting");
	expect_doing("ioctl@libc.so.6 < cuEventSynchronize@libcuda.so.1 < "
		     "ArrayImpl._value@" JAX "array.py:630 < step@/me/t.py:12",
		"on GPU");
}

/* All have met, and taken six steps; then these wait at a barrier of the coordination service. */
static struct facts *at_a_barrier(const char *call, int n)
{
	struct facts *f = jax_job();

	for (int i = 0; i < 4; i++) {
		facts_trait(f, i, "met", "jax.distributed", -1)->when = facts_ns(20);
		facts_step(f, i, 6);
	}
	for (int i = 0; i < n; i++) {
		facts_call(f, i, call, 40);
		f->ranks[i].thread.detail = "barrier saved";
	}
	for (int i = n; i < 4; i++)
		facts_outside(f, i, 40);
	return f;
}

static void who_has_not_come_to_a_barrier_of_jax_is_waited_for(void **state)
{
	static const char *const calls[] = {"jax_barrier", "jax_get"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct facts *f = at_a_barrier(calls[i], 3);

		facts_stack(f, 3, "clock_nanosleep@libc.so.6 < prepare@/me/t.py:21");
		facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
		assert_int_equal(stage_of(f), VERDICT_STEADY);
		facts_free(f);
	}
	(void)state;
}

/* XLA's operations are in no record: outside of all that is, a rank may wait for the others. */
static void who_may_wait_in_xla_is_not_accused_of_a_barrier(void **state)
{
	static const char *const stacks[] = {NULL,
		"syscall@libc.so.6 < @_jax.so < step@/me/t.py:12",
		"wait@libc.so.6 < ArrayImpl._value@" JAX "array.py:630 < step@/me/t.py:12"};

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		struct facts *f = at_a_barrier("jax_barrier", 3);

		if (stacks[i])
			facts_stack(f, 3, stacks[i]);
		assert_int_equal(facts_culprits(f), 0);
		facts_free(f);
	}
	(void)state;
}

/* Two of four: those who came may be all that were asked for. */
static void half_of_the_processes_at_a_barrier_accuse_nobody(void **state)
{
	struct facts *f = at_a_barrier("jax_barrier", 2);

	for (int i = 2; i < 4; i++)
		facts_stack(f, i, "clock_nanosleep@libc.so.6 < prepare@/me/t.py:21");
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* These wait at a barrier of those who are named, the others are in their own code. */
static struct facts *at_a_barrier_of(const char *names, int n)
{
	struct facts *f = at_a_barrier("jax_barrier_of_some", n);

	for (int i = 0; i < n; i++)
		f->ranks[i].thread.detail = names;
	for (int i = n; i < 4; i++)
		facts_stack(f, i, "clock_nanosleep@libc.so.6 < prepare@/me/t.py:21");
	return f;
}

/* Who is not named may do what he likes: nobody waits for him. */
static void only_who_is_named_is_waited_for(void **state)
{
	struct facts *f = at_a_barrier_of("barrier of 9 of 0-2", 2);

	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1");
	facts_free(f);
	f = at_a_barrier_of("barrier saved of 0,3", 1);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0");
	facts_free(f);
	(void)state;
}

/*
 * Those who are named have all come, or are not all known, or are no list; who waits is not named;
 * most of those who are named have not come.
 */
static void a_barrier_of_some_that_tells_nothing_accuses_nobody(void **state)
{
	static const char *const names[] = {"barrier saved of 0-1", "barrier saved of 0-2,9",
		"barrier saved of 0-2,", "barrier saved of 2-0", "barrier saved", "barrier of ",
		"barrier saved of 0,2", "barrier saved of 0-18446744073709551615"};
	struct facts *f;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		f = at_a_barrier_of(names[i], 2);
		assert_int_equal(facts_culprits(f), 0);
		facts_free(f);
	}
	f = at_a_barrier_of("barrier saved of 0-2", 1);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

static void add_cache(struct facts *f, int rank, const char *path)
{
	f->extra[f->nextra++] = (struct facts_extra){.kind = EXTRA_CACHE,
		.rank = rank,
		.is.cache = {.path = path, .files = 77, .bytes = 1, .cite = "receipt"}};
}

/* A launcher looks at all caches that there are; a rank has those of what it runs. */
static void caches_are_those_of_the_framework(void **state)
{
	struct facts *f = jax_job();
	struct job *job;

	add_cache(f, 0, "/tmp/torchinductor_me");
	add_cache(f, 1, "/home/me/.triton/cache");
	add_cache(f, 2, "/home/me/jax-cache");
	facts_trait(f, 3, "framework", "torch 2.15.0", -1)->when = facts_ns(5);
	add_cache(f, 3, "/tmp/torchinductor_me");
	job = facts_job(f);
	assert_null(caches_found(job, rank_index(0)).path);
	assert_null(caches_found(job, rank_index(1)).path);
	assert_string_equal(caches_found(job, rank_index(2)).path, "/home/me/jax-cache");
	assert_string_equal(caches_found(job, rank_index(3)).path, "/tmp/torchinductor_me");
	job_free(job);
	facts_free(f);
}

/* CUDA's own is none of JAX's; and a rank that says it has none, has none of its launcher's. */
static void who_has_no_cache_is_not_cold(void **state)
{
	struct facts *f = jax_job();
	struct job *job;

	add_cache(f, 0, "/home/me/.nv/ComputeCache");
	add_cache(f, 1, "/home/me/jax-cache");
	facts_trait(f, 1, "cache", "none", -1);
	job = facts_job(f);
	assert_null(caches_found(job, rank_index(0)).path);
	assert_null(caches_found(job, rank_index(1)).path);
	job_free(job);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_in_the_store_is_told_in_words),
		cmocka_unit_test(a_driver_whose_workers_were_not_seen_is_not_well),
		cmocka_unit_test(a_driver_whose_workers_are_idle_may_be_well),
		cmocka_unit_test(what_makes_no_groups_is_not_always_at_its_start),
		cmocka_unit_test(what_makes_groups_is_at_its_start_before_them),
		cmocka_unit_test(who_is_late_after_six_steps_never_missed_init),
		cmocka_unit_test(who_runs_an_operation_speaks_for_who_waits_for_it),
		cmocka_unit_test(who_has_an_operation_under_way_keeps_nobody),
		cmocka_unit_test(who_may_have_an_operation_under_way_is_not_accused),
		cmocka_unit_test(a_shutdown_is_no_init),
		cmocka_unit_test(nobody_waits_for_a_gpu_on_cpus),
		cmocka_unit_test(who_has_not_come_to_a_barrier_of_jax_is_waited_for),
		cmocka_unit_test(who_may_wait_in_xla_is_not_accused_of_a_barrier),
		cmocka_unit_test(half_of_the_processes_at_a_barrier_accuse_nobody),
		cmocka_unit_test(only_who_is_named_is_waited_for),
		cmocka_unit_test(a_barrier_of_some_that_tells_nothing_accuses_nobody),
		cmocka_unit_test(caches_are_those_of_the_framework),
		cmocka_unit_test(who_has_no_cache_is_not_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
