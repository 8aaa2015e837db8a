/* SPDX-License-Identifier: Apache-2.0 */
/* Rings written by the real writer, and the facts that are read from them. */
#include "decode/decode.h"

#include <signal.h>

#include "job/job.h"
#include "ring/calls.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

#define MANY_OPS 1500 /* as many as the smaller ring has room for, in its diary alone */

static void a_seat_tells_its_ops_and_how_far_the_device_is(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = forge_seat(f, 0);
	const struct job_member *member;
	struct ring_entered last = {0};
	struct job *job;

	ring_lane_claim(&f->w, 100, "main");
	for (int i = 1; i <= 100; i++) {
		last = forge_op(f, group, i == 50 ? 0 : 1000, 50 - i * 0.1);
		ring_group_returned(&f->w, &last, RING_F_RETURNED);
	}
	f->w.groups[group].completed_word = 99;
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->ngroups, 1);
	assert_int_equal(job->groups[0].size, 2);
	member = &job->members[job->groups[0].first_member];
	assert_int_equal(member->state, JOB_MEMBER_READY);
	assert_true(member->head_known && member->done_known);
	assert_int_equal(member->head, 100);
	assert_int_equal(member->zeros, 1);
	assert_int_equal(member->done, 99);
	assert_int_equal(member->ops[0].index, 1);
	assert_int_equal(member->ops[member->nops - 1].index, 100);
	assert_int_equal(member->ops[member->nops - 1].completed, JOB_NO);
	assert_int_equal(member->ops[member->nops - 1].returned, JOB_YES);
	assert_int_equal(member->ops[member->nops - 2].completed, JOB_YES);
	assert_int_equal(member->ops[member->nops - 1].entered, forge_real(40));
	assert_int_equal(member->ops[member->nops - 1].hash, last.hash);
	assert_int_equal(member->ops[member->nops - 1].sig.op, RING_OP_ALLREDUCE);
	assert_string_equal(member->ops[member->nops - 1].cite, "ring:0:g0:100");
	/* First four, 8, 16, 32, and the last 64. */
	assert_int_equal(member->nops, 4 + 3 + 64);
	assert_int_equal(job->members[job->groups[0].first_member + 1].state, JOB_MEMBER_UNSEEN);
	job_free(job);
}

/* Wrong data of long ago is wrong still: of a few ranks all that their rings have is looked at. */
static void of_few_rings_all_ops_are_told(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = forge_seat(f, 0);
	struct ring_lane *lane;
	struct job *job;

	lane = ring_lane_claim(&f->w, 100, "main");
	for (int i = 1; i <= MANY_OPS; i++) {
		struct ring_entered op = forge_op(f, group, 1000, 50 - i * 0.001);
		const struct ring_record entry = {
			.meta = ring_meta(RING_CALL_ENTER, 0, (unsigned)group, 115),
			.index = (uint64_t)i,
			.count = 1000,
			.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER),
		};

		ring_group_returned(&f->w, &op, RING_F_RETURNED);
		ring_lane_put(&f->w, lane, forge_tsc(50 - i * 0.001), &entry);
	}
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->members[job->groups[0].first_member].nops, MANY_OPS);
	job_free(job);
}

/* The wall clock was set in the middle: a wait is as long as it was, and not longer or negative. */
static void a_clock_that_is_set_makes_no_wait_longer(void **state)
{
	for (int hours = -1; hours <= 1; hours++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		const struct ring_anchor then = {forge_tsc(30), FORGE_T0_MONO - 30 * CLOCK_NS_PER_S,
			(uint64_t)(forge_real(30) + hours * 3600 * CLOCK_NS_PER_S), 0, 0, 0};
		int group = forge_seat(f, 0);
		struct job *job;

		ring_anchor_put(&f->w, &then);
		forge_op(f, group, 1000, 50);
		forge_op(f, group, 1000, 5);
		forge_gather(&evidence);
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		assert_int_equal(job->members[0].ops[0].entered, forge_real(50));
		assert_int_equal(job->members[0].ops[1].entered, forge_real(5));
		job_free(job);
	}
	(void)state;
}

/* Of two looks at a ring the later one counts, also where the clock was set back in between. */
static void the_later_look_counts_whatever_its_clock_shows(void **state)
{
	for (int ahead = -3600; ahead <= 3600; ahead += 3600) {
		struct evidence evidence = {0};
		struct job *job;

		for (int look = 0; look < 2; look++) {
			struct fixture *f = forge_rank(0);
			int group = forge_seat(f, 0), before = look ? 0 : 20;
			int64_t set = look ? 0 : ahead * CLOCK_NS_PER_S;

			forge_op(f, group, 1000, 30);
			if (look)
				forge_op(f, group, 1000, 5);
			forge_gather_ahead(&evidence, before, look ? 0 : ahead);
			forge_ring(&evidence, f)->when = forge_real(before) + set + 2000000;
		}
		job = decoded(&evidence);
		assert_int_equal(job->members[0].head, 2);
		assert_int_equal(job->processes[0].looked, forge_real(0));
		job_free(job);
	}
	(void)state;
}

/* Clocks of a stranger that were set by three centuries: each time is still one to be believed. */
static void a_clock_is_not_set_beyond_all_times(void **state)
{
	const int64_t most = CHECKED_TIME_MOST;
	const struct {
		int64_t real[2], boot[2];
	} cases[] = {{{most, 1}, {0, most}}, {{most - 1, most}, {0, 0}}, {{1, most}, {0, 0}}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct evidence evidence = {0};
		struct job *job;

		for (int look = 0; look < 2; look++) {
			int64_t when = cases[i].real[look];

			forge_gather_at(&evidence, when, cases[i].boot[look], 1);
			forge_ring(&evidence, forge_rank((uint32_t)look))->when =
				when < most ? when + 1 : when;
		}
		job = decoded(&evidence);
		for (size_t k = 0; k < job->nprocesses; k++)
			assert_int_equal(checked_time(job->processes[k].looked, -1),
				job->processes[k].looked);
		assert_int_equal(job->nprocesses, 2);
		job_free(job);
	}
	(void)state;
}

static void what_came_after_t0_is_not_seen(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = forge_seat(f, 0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct ring_record idle = {.meta = ring_meta(RING_IDLE, 0, RING_NO_GROUP, 0)};
	struct ring_span span = {.kind = RING_SPAN_COMPILE, .name = ring_string(&f->w, "x", 1)};
	struct job *job;

	forge_op(f, group, 1, 5);
	forge_op(f, group, 1, 4);
	forge_op(f, group, 1, -0.001);
	ring_span_begin(&f->w, lane, forge_tsc(3), &span);
	ring_span_end(&f->w, lane, forge_tsc(-0.002), &span);
	ring_span_begin(&f->w, lane, forge_tsc(-0.003), &span);
	ring_lane_board(lane, forge_tsc(-0.004), &idle);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->members[job->groups[0].first_member].head, 2);
	assert_int_equal(job->members[job->groups[0].first_member].nops, 2);
	assert_int_equal(job->nspans, 1);
	assert_true(job->spans[0].open);
	assert_int_equal(job->nthreads, 1);
	assert_int_equal(job->threads[0].state, JOB_THREAD_UNKNOWN); /* it moved on */
	assert_true(job->threads[0].since > job->gathered);
	job_free(job);
}

static void boards_tell_where_threads_are(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = forge_seat(f, 0);
	struct ring_lane *in_call = ring_lane_claim(&f->w, 100, "main");
	struct ring_lane *in_wait = ring_lane_claim(&f->w, 101, "waiter");
	struct ring_lane *polls = ring_lane_claim(&f->w, 102, "watchdog");
	struct ring_lane *outside = ring_lane_claim(&f->w, 103, "loader");
	struct ring_lane *gone = ring_lane_claim(&f->w, 104, "gone");
	struct ring_record board = {.index = 7};
	struct job *job;

	board.meta = ring_meta(RING_CALL_ENTER, 0, (unsigned)group, RING_CALL_ncclAllReduce);
	ring_put(&f->w, in_call, forge_tsc(9), &board);
	ring_lane_board(in_call, forge_tsc(9), &board);
	board.meta = ring_meta(
		RING_WAIT_ENTER, 0, RING_NO_GROUP, RING_CALL_cudaDeviceSynchronize);
	board.aux = UINT64_MAX;
	ring_put(&f->w, in_wait, forge_tsc(8), &board);
	ring_lane_board(in_wait, forge_tsc(8), &board);
	ring_put(&f->w, polls, forge_tsc(7), &board);
	board.meta = ring_meta(
		RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP, RING_CALL_cudaStreamQuery);
	board.aux = 0x5000;
	ring_lane_board(polls, forge_tsc(-0.001), &board); /* it asks again and again */
	ring_put(&f->w, outside, forge_tsc(6), &board);
	ring_lane_idle(outside, forge_tsc(6));
	ring_put(&f->w, gone, forge_tsc(6), &board);
	ring_lane_release(&f->w, gone);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nthreads, 4);
	assert_int_equal(job->threads[0].state, JOB_THREAD_IN_CALL);
	assert_string_equal(job->threads[0].call, "ncclAllReduce");
	assert_int_equal(job->threads[0].op, 7);
	assert_int_equal(job->threads[0].since, forge_real(9));
	assert_int_equal(job->threads[0].group, 0);
	assert_int_equal(job->threads[1].state, JOB_THREAD_IN_WAIT);
	assert_true(job->threads[1].whole_device);
	assert_int_equal(job->threads[2].state, JOB_THREAD_POLLING);
	assert_int_equal(job->threads[2].since, forge_real(7));
	assert_int_equal(job->threads[2].stream, 0x5000);
	assert_int_equal(job->threads[3].state, JOB_THREAD_OUTSIDE);
	job_free(job);
}

/* Frameworks wait for a stream of their own that waits for the communication stream's event. */
static void a_wait_is_followed_over_an_edge(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = forge_seat(f, 0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct ring_record r = {.meta = ring_meta(RING_EDGE, 0, RING_NO_GROUP, 0),
		.aux = 0x9000,
		.more = 0x5000};
	struct job *job;

	forge_op(f, group, 1, 5); /* on stream 0x5000 */
	ring_put(&f->w, lane, forge_tsc(4), &r);
	r = (struct ring_record){
		.meta = ring_meta(
			RING_WAIT_ENTER, 0, RING_NO_GROUP, RING_CALL_cudaStreamSynchronize),
		.aux = 0x9000};
	ring_put(&f->w, lane, forge_tsc(3), &r);
	ring_lane_board(lane, forge_tsc(3), &r);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->threads[0].stream, 0x5000);
	job_free(job);
}

static void launches_are_ordered_over_groups(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	const struct ring_member other = {.key = FORGE_KEY + 1, .size = 2, .rank = 0};
	int first = forge_seat(f, 0), second = ring_group_claim(&f->w);
	struct ring_record grouped = {
		.meta = ring_meta(RING_CALL_ENTER, RING_F_GROUPED, 0, 115),
		.count = 1,
		.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER)};
	const struct job_op *ops[2];
	struct job *job;

	ring_group_publish(&f->w, second, forge_tsc(58), &other);
	forge_op(f, second, 1, 9);
	forge_op(f, first, 1, 8);
	ring_group_enqueue(&f->w, first, 0, forge_tsc(7), &grouped);
	ring_group_enqueue(&f->w, second, 0, forge_tsc(7), &grouped);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->ngroups, 2);
	ops[0] = job->members[job->groups[0].first_member].ops;
	ops[1] = job->members[job->groups[1].first_member].ops;
	assert_int_equal(job->groups[0].key, FORGE_KEY);
	assert_int_equal(ops[1][0].order, 1);
	assert_int_equal(ops[0][0].order, 2);
	assert_int_equal(ops[0][0].launch, 0);
	assert_int_equal(ops[0][1].order, 3); /* one launch: one place */
	assert_int_equal(ops[1][1].order, 3);
	assert_true(ops[0][1].launch && ops[0][1].launch == ops[1][1].launch);
	job_free(job);
}

static void marks_become_facts(void **state)
{
	static const uint64_t dims[] = {4, 4096, 3, 2};
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(3);
	struct ring_lane *lane = ring_lane_claim(&f->w, 103, "main");
	uint32_t loader = ring_string(&f->w, "train", 5);
	struct ring_span span = {.kind = RING_SPAN_COMPILE,
		.name = ring_string(&f->w, "codegen", 7),
		.detail = ring_string(&f->w, "0/0", 3),
		.cpu_ns = 5};
	struct ring_shard shard = {loader, 0, 4, 16384};
	struct ring_shape shape = {loader, 4, 1, dims};
	struct ring_record note = {
		.meta = ring_meta(RING_NOTE, 0, RING_NO_GROUP,
			ring_string(&f->w, "exception: ValueError: password=x", 33))};
	struct job *job;

	ring_span_begin(&f->w, lane, forge_tsc(30), &span);
	span.cpu_ns = 9;
	ring_span_end(&f->w, lane, forge_tsc(20), &span);
	ring_span_begin(&f->w, lane, forge_tsc(10), &span);
	ring_mark_step(&f->w, lane, forge_tsc(9), 12);
	ring_mark_shard(&f->w, lane, forge_tsc(8), &shard);
	shard = (struct ring_shard){loader, 1, 2, 8192};
	ring_mark_shard(&f->w, lane, forge_tsc(7), &shard);
	ring_mark_shape(&f->w, lane, forge_tsc(7), &shape);
	ring_pin(&f->w, RING_PIN_NOTE, forge_tsc(6), &note);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nspans, 2);
	assert_string_equal(job->spans[0].name, "codegen");
	assert_string_equal(job->spans[0].detail, "0/0");
	assert_false(job->spans[0].open);
	assert_int_equal(job->spans[0].ended, forge_real(20));
	assert_int_equal(job->spans[0].cpu_at_begin, 5);
	assert_int_equal(job->spans[0].cpu_at_end, 9);
	assert_true(job->spans[1].open);
	assert_int_equal(job->steps[0].n, 12);
	assert_int_equal(job->shards[0].rows, 2);
	assert_int_equal(job->shards[0].index, 1);
	assert_int_equal(job->shards[0].batches, 2);
	assert_int_equal(job->shards[0].total_rows, 6);
	assert_false(job->shards[0].empty);
	assert_int_equal(job->shards[0].ndim, 4);
	assert_memory_equal(job->shards[0].dims, dims, sizeof(dims));
	assert_string_equal(job->shards[0].cite, "ring:3:shard0");
	assert_true(job->notes[0].exception);
	assert_string_equal(job->notes[0].text, "exception: ValueError: password=*");
	assert_int_equal(job_rank(job, job->spans[0].rank)->world_rank.n, 3);
	job_free(job);
}

static void an_empty_first_batch_is_remembered(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_shard shard = {ring_string(&f->w, "train", 5), 0, 0, 0};
	struct job *job;

	ring_mark_shard(&f->w, NULL, forge_tsc(8), &shard);
	shard = (struct ring_shard){shard.loader, 1, 4, 16384};
	ring_mark_shard(&f->w, NULL, forge_tsc(7), &shard);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_true(job->shards[0].empty);
	assert_int_equal(job->shards[0].rows, 4);
	job_free(job);
}

static void an_empty_batch_amidst_others_is_remembered(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(3);
	struct ring_shard shard = {ring_string(&f->w, "train", 5), 0, 4, 16384};
	struct job *job;

	for (uint64_t i = 0; i < 5; i++) {
		shard.index = i;
		shard.rows = i == 2 ? 0 : 4;
		shard.elements = shard.rows * 4096;
		ring_mark_shard(&f->w, NULL, forge_tsc(8 - (double)i), &shard);
	}
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->shards[0].rows, 4);
	assert_int_equal(job->shards[0].index, 4);
	assert_true(job->shards[0].empty);
	job_free(job);
}

static void a_death_is_told_by_the_best_witness(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_fatal *fatal = ring_fatal_claim(&f->w);
	struct ring_record milestone = {
		.meta = ring_meta(RING_PROC, 0, RING_NO_GROUP, RING_PROC_ABORT)};
	const struct job_process *process;
	struct job *job;

	ring_pin(&f->w, RING_PIN_PROC, forge_tsc(5), &milestone);
	fatal->tsc = forge_tsc(5);
	fatal->signo = SIGABRT;
	fatal->code = -6;
	fatal->sender_pid = (int32_t)FORGE_PID(0);
	fatal->via_abort = 1;
	strcpy(fatal->thread, "pt_nccl_watchdg");
	ring_fatal_publish(fatal);
	forge_gather(&evidence);
	forge_liveness(&evidence, 0, false);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	process = &job->processes[job->ranks[0].process];
	assert_int_equal(process->end, JOB_SIGNALED);
	assert_int_equal(process->status, SIGABRT);
	assert_int_equal(process->ended, forge_real(5));
	assert_string_equal(process->end_cite, "fatal:0");
	assert_int_equal(job->nsignals, 1);
	assert_true(job->signals[0].fatal && job->signals[0].abort_call);
	assert_true(job->signals[0].from_self);
	assert_string_equal(job->signals[0].thread, "pt_nccl_watchdg");
	job_free(job);
}

/* Its peers fail of its exit before anybody has noticed it: what it said itself comes first. */
static void an_exit_is_when_the_process_says_it(void **state)
{
	static const int statuses[] = {0, 1 << 8, SIGKILL};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		struct ring_record milestone = {
			.meta = ring_meta(RING_PROC, 0, RING_NO_GROUP, RING_PROC__EXIT)};
		char text[256];
		struct job *job;

		ring_pin(&f->w, RING_PIN_PROC, forge_tsc(5), &milestone);
		snprintf(text, sizeof(text),
			"{\"exits\": [{\"pid\": %u, \"start_time\": %u, "
			"\"when\": %lld, \"wait_status\": %d}]}",
			FORGE_PID(0), FORGE_START(0), (long long)forge_real(2), statuses[i]);
		forge_gather(&evidence);
		forge_text(&evidence, EXHIBIT_EXIT, 0, text);
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		/* Who said so and then ended in another way ended later. */
		assert_int_equal(job->processes[job->ranks[0].process].ended,
			forge_real(statuses[i] ? 2 : 5));
		job_free(job);
	}
}

/* What /proc tells of rank 0: its process has that name now. */
static void named_now(struct evidence *evidence, const char *name)
{
	char text[256];

	snprintf(text, sizeof(text),
		"%u (%s) S 42 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 %u 1000 100\n", FORGE_PID(0),
		name, FORGE_START(0));
	forge_text(evidence, EXHIBIT_PROC_STAT, FORGE_PID(0), text)->when = forge_real(9);
}

/* It was about to run another program; that it does, its name shows, and that none came back. */
static void who_runs_another_program_is_not_what_it_was(void **state)
{
	static const struct {
		uint64_t said[4]; /* values of its execs, each 0 or an errno */
		size_t n;
		const char *name;
		bool another;
	} table[] = {
		{{0}, 1, "sleep", true},
		{{0, 2, 0}, 3, "sleep", true},
		{{0, 2}, 2, "sleep", false},
		{{0}, 1, "python3", false},
		{{0}, 0, "sleep", false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		struct job *job;
		const struct job_process *process;

		snprintf(f->w.header->comm, sizeof(f->w.header->comm), "python3");
		for (size_t k = 0; k < table[i].n; k++) {
			struct ring_record milestone = {
				.meta = ring_meta(RING_PROC, 0, RING_NO_GROUP, RING_PROC_EXEC),
				.index = table[i].said[k]};

			ring_pin(&f->w, RING_PIN_PROC, forge_tsc(5), &milestone);
		}
		forge_gather(&evidence);
		named_now(&evidence, table[i].name);
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		process = &job->processes[job->ranks[0].process];
		assert_string_equal(process->was, table[i].another ? "python3" : "");
		if (table[i].another)
			assert_string_equal(process->comm, "sleep");
		job_free(job);
	}
}

/* A handler may have seen a signal that the process survived. */
static void who_lives_has_not_died(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_fatal *fatal = ring_fatal_claim(&f->w);
	struct job *job;

	fatal->tsc = forge_tsc(5);
	fatal->signo = SIGSEGV;
	ring_fatal_publish(fatal);
	forge_gather(&evidence);
	forge_liveness(&evidence, 0, true);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->processes[job->ranks[0].process].end, JOB_ALIVE);
	job_free(job);
}

static void losses_are_told(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	bool of_ops = false;
	struct job *job;

	((struct ring_header *)f->base)->losses.records = 3;
	((struct ring_header *)f->base)->losses.completions = 1;
	forge_seat(f, 0);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nlosses, 2);
	for (size_t i = 0; i < job->nlosses; i++) {
		assert_int_equal(job->losses[i].rank.i, 0);
		of_ops = of_ops || (job->losses[i].count == 3 && job->losses[i].of_ops);
	}
	assert_true(of_ops);
	assert_int_equal(job->ranks[0].lost_records, 3);
	assert_true(job->ranks[0].loses);
	/* Something was not followed: that it is not done is then not known. */
	assert_false(job->members[job->groups[0].first_member].done_known);
	job_free(job);
}

/* Law 4, for the whole way from bytes to the job. */
static void damage_anywhere_never_crashes(void **state)
{
	struct fixture *f = forge_rank(0);
	uint64_t seed = 3;
	size_t size = f->layout.size;
	uint8_t *bytes = alloc_copy(f->base, size);

	forge_seat(f, 0);
	fixture_furnish(f);
	memcpy(bytes, f->base, size);
	for (int round = 0; round < 300; round++) {
		struct evidence evidence = {0};
		size_t len = round % 3 ? size : (size_t)(seed >> 20) % size;
		struct exhibit *ring;
		struct job *job;

		forge_gather(&evidence);
		forge_census(&evidence, 2, CENSUS_RANK);
		ring = forge_add(&evidence, EXHIBIT_RING, FORGE_PID(0), bytes, len);
		for (int flips = 0; flips < 40 && len; flips++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			/* Every other flip hits the header and tables. */
			ring->bytes[(seed >> 24) % (flips % 2 && len > 8192 ? 8192 : len)] ^=
				(uint8_t)(1 << (seed >> 60) % 8);
		}
		job = decode_job(&evidence);
		assert_non_null(job);
		job_free(job);
		evidence_release(&evidence);
	}
	free(bytes);
	fixture_free(f);
}

/* What an all-to-all gives and awaits, seat by seat; where a record of it is gone, nothing. */
static void parts_of_an_all_to_all_are_told_whole_or_not(void **state)
{
	for (int whole = 0; whole < 2; whole++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		int group = forge_seat(f, 0);
		struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
		struct ring_record part = {
			.meta = ring_meta(RING_PORTIONS, 0, (unsigned)group, 0),
			.index = whole ? 1 : 2,
			.count = 8 | 16ull << 32,
			.sig = 24,
		};
		struct job *job;

		forge_op(f, group, UINT64_MAX, 5);
		ring_put(&f->w, lane, forge_tsc(4.9), &part);
		forge_gather(&evidence);
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		assert_string_equal(job->members[job->groups[0].first_member].ops[0].parts,
			whole ? "8:16,24:0" : "");
		job_free(job);
	}
}

static void a_wait_in_a_store_tells_its_key(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	const struct ring_record wait = {
		.meta = ring_meta(RING_CALL_ENTER, 0, RING_NO_GROUP, RING_CALL_c10d_store_wait),
		.sig = ring_string(&f->w, "default_pg/0//cpu//rank_2", 25),
	};
	struct job *job;

	ring_lane_board(lane, forge_tsc(7), &wait);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nthreads, 1);
	assert_int_equal(job->threads[0].state, JOB_THREAD_IN_CALL);
	assert_string_equal(job->threads[0].call, "c10d_store_wait");
	assert_string_equal(job->threads[0].detail, "default_pg/0//cpu//rank_2");
	assert_int_equal(job->threads[0].group, JOB_NONE);
	job_free(job);
}

/* A rank's silence is known from the ring that it writes, not from the one that it left. */
static void the_ring_of_a_candidate_tells_nothing_of_the_rank(void **state)
{
	for (uint32_t generation = 0; generation < 2; generation++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		struct job *job;

		((struct ring_header *)f->base)->generation = generation;
		forge_gather(&evidence);
		forge_census(&evidence, 1, CENSUS_RANK);
		census_slot_at(evidence.at[evidence.n - 1].bytes, 0)->generation = 1;
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		assert_int_equal(!!(job->ranks[0].knows & JOB_KNOWS_RING), generation == 1);
		job_free(job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ring_of_a_candidate_tells_nothing_of_the_rank),
		cmocka_unit_test(a_seat_tells_its_ops_and_how_far_the_device_is),
		cmocka_unit_test(of_few_rings_all_ops_are_told),
		cmocka_unit_test(a_clock_that_is_set_makes_no_wait_longer),
		cmocka_unit_test(the_later_look_counts_whatever_its_clock_shows),
		cmocka_unit_test(a_clock_is_not_set_beyond_all_times),
		cmocka_unit_test(what_came_after_t0_is_not_seen),
		cmocka_unit_test(boards_tell_where_threads_are),
		cmocka_unit_test(a_wait_is_followed_over_an_edge),
		cmocka_unit_test(launches_are_ordered_over_groups),
		cmocka_unit_test(marks_become_facts),
		cmocka_unit_test(an_empty_first_batch_is_remembered),
		cmocka_unit_test(an_empty_batch_amidst_others_is_remembered),
		cmocka_unit_test(a_death_is_told_by_the_best_witness),
		cmocka_unit_test(an_exit_is_when_the_process_says_it),
		cmocka_unit_test(who_runs_another_program_is_not_what_it_was),
		cmocka_unit_test(who_lives_has_not_died),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(damage_anywhere_never_crashes),
		cmocka_unit_test(parts_of_an_all_to_all_are_told_whole_or_not),
		cmocka_unit_test(a_wait_in_a_store_tells_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
