/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks from exhibits: what samples say together, on snapshots made by hand; and laws 1, 2 and 4
 * on those of a real child. Code in a map without module is called by its file and offset.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/procstat.h"
#include "base/str.h"
#include "decode/decode.h"
#include "decode/exhibits/samples.h"
#include "decode/stacks/decode-frames.h"
#include "evidence/format/bundle.h"
#include "evidence/format/stacks.h"
#include "evidence/gather/stacks-gather.h"
#include "proc/read.h"

#define CODE 0x7f0000000000ull

/* A snapshot of one thread, or of none. */
struct hand {
	struct snapshot snapshot;
	struct snapshot_thread thread;
};

static void hand_make(struct hand *hand, uint32_t sample, enum snapshot_how how, uint64_t pc)
{
	memset(hand, 0, sizeof(*hand));
	hand->thread = (struct snapshot_thread){.tid = 20,
		.own = 20,
		.comm = "train",
		.state = how == SNAPSHOT_RUNNING ? 'R' : 'S',
		.how = how,
		.wchan = "",
		.kernel = "[<0>] futex_wait_queue+0x60/0x90\n[<0>] do_futex+0x1/0x2\n",
		.in_syscall = true,
		.syscall = 202,
		.args = {7, 128},
		.run_count = 100,
		.run_ns = 1000 + sample * 500};
	if (pc) {
		hand->thread.regs.known = 1u << UNWIND_SP | 1u << UNWIND_IP;
		hand->thread.regs.value[UNWIND_IP] = pc;
		hand->thread.regs.value[UNWIND_SP] = 0x1000;
	}
	hand->snapshot = (struct snapshot){.pid = 20,
		.own = 20,
		.start_time = 5,
		.sample = sample,
		.when = 1000 + sample,
		.exe = "",
		.maps = "7f0000000000-7f0000010000 r-xp 00000000 08:01 77 /usr/lib/libodd.so.1\n",
		.missing = "",
		.threads = &hand->thread,
		.nthreads = 1};
}

static void hand_add(struct evidence *evidence, struct hand *hand)
{
	stacks_add(evidence, "a", -1, &hand->snapshot);
}

static void one_sample_is_a_stack(void **state)
{
	struct evidence evidence = {0};
	const struct job_stack *stack;
	const struct job_frame *frame;
	struct hand hand;
	struct job *job;

	hand_make(&hand, 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_add(&evidence, &hand);
	job = decode_job(&evidence);
	assert_int_equal(job->nstacks, 1);
	stack = &job->stacks[0];
	assert_true(stack->main);
	assert_int_equal(stack->how, JOB_STACK_PEEKED);
	assert_int_equal(stack->nframes, 2);
	frame = &job->frames[stack->frames[0]];
	assert_int_equal(frame->kind, JOB_FRAME_KERNEL);
	assert_string_equal(frame->function, "futex_wait_queue");
	frame = &job->frames[stack->frames[1]];
	assert_string_equal(frame->module, "libodd.so.1");
	assert_int_equal(frame->offset, 0x123);
	assert_string_equal(stack->syscall, "futex");
	assert_int_equal(stack->args[1], 128);
	assert_int_equal(stack->samples, 1);
	assert_int_equal(stack->moved, JOB_MAYBE);
	assert_true(stack->cpu_delta == JOB_UNKNOWN);
	assert_string_equal(stack->cite, "stack:p20:tid20");
	assert_int_equal(job->nsnapshots, 1);
	assert_int_equal(job->snapshots[0].threads, 1);
	job_free(job);
	evidence_release(&evidence);
}

static struct job *job_of(struct hand *hands, size_t nr)
{
	struct evidence evidence = {0};
	struct job *job;

	for (size_t i = 0; i < nr; i++) {
		hands[i].snapshot.threads = &hands[i].thread;
		hand_add(&evidence, &hands[i]);
	}
	job = decode_job(&evidence);
	evidence_release(&evidence);
	assert_int_equal(job->nstacks, 1);
	return job;
}

static void who_has_not_run_is_still(void **state)
{
	struct hand hands[3];
	struct job *job;

	hand_make(&hands[0], 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_make(&hands[1], 1, SNAPSHOT_UNMOVED, 0);
	hand_make(&hands[2], 2, SNAPSHOT_UNMOVED, 0);
	job = job_of(hands, 3);
	assert_int_equal(job->stacks[0].samples, 3);
	assert_int_equal(job->stacks[0].moved, JOB_NO);
	assert_int_equal(job->stacks[0].nframes, 2);
	assert_int_equal(job->stacks[0].still, 2);
	assert_int_equal(job->stacks[0].cpu_delta, 1000);
	assert_int_equal(job->snapshots[0].samples, 3);
	assert_int_equal(job->snapshots[0].span, 2);
	job_free(job);
}

static void who_is_elsewhere_has_moved(void **state)
{
	struct hand hands[2];
	struct job *job;

	hand_make(&hands[0], 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_make(&hands[1], 1, SNAPSHOT_PEEKED, CODE + 0x456);
	hands[1].thread.run_count = 101;
	job = job_of(hands, 2);
	assert_int_equal(job->stacks[0].moved, JOB_YES);
	assert_int_equal(job->stacks[0].still, 0);
	assert_int_equal(job->frames[job->stacks[0].frames[1]].offset, 0x456);
	job_free(job);
}

/* A whole stack is worth more than the word that a thread ran, which is told as well. */
static void a_whole_stack_outlives_a_run(void **state)
{
	struct hand hands[2];
	struct job *job;

	hand_make(&hands[0], 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_make(&hands[1], 1, SNAPSHOT_RUNNING, 0);
	job = job_of(hands, 2);
	assert_int_equal(job->stacks[0].moved, JOB_YES);
	assert_int_equal(job->stacks[0].nframes, 2);
	assert_int_equal(job->stacks[0].still, 0);
	job_free(job);
	job = job_of(&hands[1], 1);
	assert_int_equal(job->stacks[0].how, JOB_STACK_NONE);
	assert_non_null(strstr(job->stacks[0].cut, "it ran"));
	assert_int_equal(job->snapshots[0].cut, 1);
	job_free(job);
}

/* What an earlier look left behind is not taken for a later sample of this one. */
static void samples_of_two_looks_are_kept_apart(void **state)
{
	struct hand hands[3];
	struct job *job;

	hand_make(&hands[0], 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_make(&hands[1], 2, SNAPSHOT_PEEKED, CODE + 0x456);
	hands[1].snapshot.when = 10; /* older */
	job = job_of(hands, 2);
	assert_int_equal(job->stacks[0].samples, 1);
	assert_int_equal(job->frames[job->stacks[0].frames[1]].offset, 0x123);
	job_free(job);
	hand_make(&hands[1], 1, SNAPSHOT_UNMOVED, 0);
	hands[1].snapshot.when = 1000 + 3600 * CLOCK_NS_PER_S; /* much younger */
	job = job_of(hands, 2);
	assert_int_equal(job->stacks[0].how, JOB_STACK_NONE);
	assert_non_null(strstr(job->stacks[0].cut, "lost"));
	job_free(job);
}

/* 'a' to 'm' are Python frames, others native; outermost first. */
static size_t frames_of(struct job_frame *frames, const char *letters)
{
	size_t n = strlen(letters);

	for (size_t i = 0; i < n; i++) {
		char letter = letters[n - 1 - i];

		frames[i] = (struct job_frame){.kind = letter >= 'a' && letter <= 'm'
							       ? JOB_FRAME_PYTHON
							       : JOB_FRAME_NATIVE,
			.function = "f",
			.module = "",
			.file = "",
			.line = letter};
	}
	return n;
}

static size_t common(const char *kept, const char *other, bool partial)
{
	struct job_frame mine[16], theirs[16];
	size_t nmine = frames_of(mine, kept), ntheirs = frames_of(theirs, other);

	return samples_common(mine, nmine, theirs, ntheirs, partial);
}

/* How many outermost frames stood in three samples; "." before one that ran, without native ones */
static size_t still_of(const char *a, const char *b, const char *c)
{
	const struct snapshot_thread thread = {.how = SNAPSHOT_PEEKED};
	const char *const samples[] = {a, b, c};
	struct job_frame frames[3][16];
	struct sampled_thread held = {0};

	for (size_t i = 0; i < 3; i++) {
		bool partial = *samples[i] == '.', hidden = *samples[i] == '-';
		size_t n = frames_of(frames[i], samples[i] + (partial || hidden));
		const struct sampled_thread new = {.partial = partial,
			.hidden = hidden,
			.frames = frames[i],
			.nframes = n,
			.fact.still = n};

		if (i)
			samples_compare(&held, &new, &thread);
		else
			samples_begin(&held, &new, &thread);
	}
	return held.fact.still;
}

/* Two frames of Python that stood in a sample without native ones are four of the whole stack. */
static void what_stood_is_counted_in_frames_of_the_stack_that_is_told(void **state)
{
	assert_int_equal(still_of("xaybz", ".ab", ".ab"), 4);
	assert_int_equal(still_of(".ab", "xaybz", "xaybz"), 4);
	assert_int_equal(still_of(".ab", ".ab", "xaybz"), 4);
	assert_int_equal(still_of(".ab", ".ac", "xaybz"), 2);
	assert_int_equal(still_of(".ac", ".ab", "xaybz"), 2);
	assert_int_equal(still_of(".ab", "xayc", "xayb"), 2);
	assert_int_equal(still_of(".", "xayb", "xayb"), 0);
}

/* What runs in a library without a frame pointer shows but its outer frames, in some samples. */
static void what_a_sample_hides_has_not_moved(void **state)
{
	assert_int_equal(still_of("xayb", "-x", "xayb"), 4);
	assert_int_equal(still_of("-x", "xayb", "xayb"), 4);
	assert_int_equal(still_of("xayb", "xayb", "-x"), 4);
	assert_int_equal(still_of("xayb", "-x", "xazb"), 2);
	assert_int_equal(still_of("xayb", "-z", "xayb"), 0);
}

static void samples_are_compared_from_outside(void **state)
{
	assert_int_equal(common("xayb", "xayb", false), 4);
	assert_int_equal(common("xayb", "xazb", false), 2);
	assert_int_equal(common("xay", "xayb", false), 3);
	assert_int_equal(common("", "xayb", false), 0);
	/* Of one that ran only Python is known: native frames within what is equal are, too. */
	assert_int_equal(common("xaybz", "ab", true), 4);
	assert_int_equal(common("ab", "xaybz", true), 2);
	assert_int_equal(common("xaybz", "ac", true), 2);
	assert_int_equal(common("xaybz", "", true), 0);
	assert_int_equal(common("xyz", "a", true), 0);
}

static void what_failed_says_why(void **state)
{
	static const struct {
		int error;
		const char *words;
	} failures[] = {{ESRCH, "ended"}, {EPERM, "not allowed"}, {ETIMEDOUT, "in time"},
		{EIO, "error 5"}, {0, "nothing"}};
	struct hand hand;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		struct job *job;

		hand_make(&hand, 0, SNAPSHOT_FAILED, 0);
		hand.thread.error = failures[i].error;
		job = job_of(&hand, 1);
		assert_int_equal(job->stacks[0].how, JOB_STACK_NONE);
		assert_non_null(strstr(job->stacks[0].cut, failures[i].words));
		job_free(job);
	}
}

static void what_was_disturbed_is_counted(void **state)
{
	struct hand hands[2];
	struct job *job;

	hand_make(&hands[0], 0, SNAPSHOT_STOPPED, CODE + 0x123);
	hands[0].thread.stopped_ns = 12345;
	hands[0].snapshot.mode = SNAPSHOT_BLOCKED_FALLBACK;
	hands[0].snapshot.missing = "maps: not allowed: run as root";
	hand_make(&hands[1], 1, SNAPSHOT_UNMOVED, 0);
	hands[1].snapshot.mode = SNAPSHOT_BLOCKED_FALLBACK;
	job = job_of(hands, 2);
	assert_int_equal(job->stacks[0].how, JOB_STACK_STOPPED);
	assert_int_equal(job->snapshots[0].mode, JOB_SNAPSHOT_FALLBACK);
	assert_int_equal(job->snapshots[0].stopped, 1);
	assert_int_equal(job->snapshots[0].longest_stop, 12345);
	assert_int_equal(job->nlosses, 1);
	assert_string_equal(job->losses[0].what, "maps: not allowed: run as root");
	assert_string_equal(job->losses[0].cite, "stacks:p20");
	job_free(job);
}

static void system_calls_have_names(void **state)
{
	assert_string_equal(frames_syscall(0), "read");
	assert_string_equal(frames_syscall(202), "futex");
	assert_string_equal(frames_syscall(450), "set_mempolicy_home_node");
	assert_string_equal(frames_syscall(-1), "");
	assert_string_equal(frames_syscall(400), "");
	assert_string_equal(frames_syscall(INT64_MAX), "");
}

/* -- a real child ------------------------------------------------------------------------------ */

static void describe(struct str *into, const struct job *job)
{
	for (size_t i = 0; i < job->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[i];

		str_printf(into, "%u %d %d %zu %s|", stack->tid, stack->how, stack->moved,
			stack->still, stack->cut);
		for (size_t k = 0; k < stack->nframes; k++) {
			const struct job_frame *frame = &job->frames[stack->frames[k]];

			str_printf(into, " %s@%s+%llx:%s:%d", frame->function, frame->module,
				(unsigned long long)frame->offset, frame->file, frame->line);
		}
		str_add(into, "\n");
	}
	for (size_t i = 0; i < job->nlosses; i++)
		str_printf(into, "lost %s\n", job->losses[i].what);
}

static void describe_evidence(struct str *into, const struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	describe(into, job);
	job_free(job);
}

/* The evidence of a child that waits for a signal; ended when this returns. */
static bool take_child(struct evidence *into)
{
	const struct stacks_options options = STACKS_OPTIONS_DEFAULT;
	struct stacks_target target = {.rank = -1};
	struct procstat stat;
	int ready[2];
	pid_t child;
	char byte;

	if (pipe(ready) < 0)
		return false;
	child = fork();
	if (child == 0) {
		(void)!write(ready[1], "x", 1);
		for (;;)
			pause();
	}
	(void)!read(ready[0], &byte, 1);
	while (proc_read_stat((struct proc_id){(uint32_t)child, 0}, &stat) == 0 &&
		stat.state != 'S')
		usleep(1000);
	target.id = (struct proc_id){(uint32_t)child, stat.start_time};
	stacks_gather(into, "a", &target, 1, &options);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	return into->n > 0;
}

static struct evidence child;

static int take_once(void **state)
{
	(void)state;
	take_child(&child);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	evidence_release(&child);
	return 0;
}

static void skip_without_child(void)
{
	struct str text = {0};
	bool stack;

	describe_evidence(&text, &child);
	stack = strstr(str_text(&text), "| ") != NULL;
	str_release(&text);
	if (!stack)
		skip();
}

static void law_1_a_child_s_stack_is_the_same_from_a_bundle(void **state)
{
	struct str first = {0}, again = {0}, bundle = {0};
	struct evidence copy = {0};

	skip_without_child();
	describe_evidence(&first, &child);
	assert_non_null(strstr(str_text(&first), "pause"));
	bundle_pack(&child, &bundle);
	assert_int_equal(bundle_unpack(str_text(&bundle), bundle.len, &copy, NULL), 0);
	describe_evidence(&again, &copy);
	assert_string_equal(str_text(&first), str_text(&again));
	evidence_release(&copy);
	str_release(&first);
	str_release(&again);
	str_release(&bundle);
}

static void law_2_order_changes_nothing(void **state)
{
	struct str first = {0};

	skip_without_child();
	describe_evidence(&first, &child);
	srandom(3);
	for (int round = 0; round < 10; round++) {
		struct str again = {0};

		for (size_t i = child.n - 1; i; i--) {
			size_t k = (size_t)random() % (i + 1);
			struct exhibit was = child.at[i];

			child.at[i] = child.at[k];
			child.at[k] = was;
		}
		describe_evidence(&again, &child);
		assert_string_equal(str_text(&first), str_text(&again));
		str_release(&again);
	}
	str_release(&first);
}

/* A copy of the evidence whose exhibit `which` has `len` bytes, one of them flipped. */
static void damage(struct evidence *into, size_t which, size_t len, size_t flip)
{
	for (size_t i = 0; i < child.n; i++) {
		const struct exhibit *exhibit = &child.at[i];
		size_t keep = i == which ? len : exhibit->len;
		uint8_t *bytes = alloc_copy(exhibit->bytes, keep);

		if (i == which && flip < keep)
			bytes[flip] ^= (uint8_t)(1 + flip % 255);
		evidence_add(into, exhibit, bytes, keep);
	}
}

static void law_4_any_damage_is_survived(void **state)
{
	skip_without_child();
	srandom(5);
	for (int round = 0; round < 600; round++) {
		size_t which = (size_t)random() % child.n;
		size_t len = child.at[which].len;
		struct evidence evidence = {0};
		struct str text = {0};

		if (!len)
			continue;
		if (round % 2)
			damage(&evidence, which, (size_t)random() % len, SIZE_MAX);
		else
			damage(&evidence, which, len, (size_t)random() % (round % 4 ? len : 400));
		describe_evidence(&text, &evidence);
		evidence_release(&evidence);
		str_release(&text);
	}
}

static void law_4_what_stood_before_the_cut_is_there(void **state)
{
	struct evidence evidence = {0};
	struct str text = {0};
	struct hand hand;

	hand_make(&hand, 0, SNAPSHOT_PEEKED, CODE + 0x123);
	hand_add(&evidence, &hand);
	/* Its end is the maps: without them the place has no name, but the thread is there. */
	evidence.at[0].len -= 20;
	describe_evidence(&text, &evidence);
	assert_non_null(strstr(str_text(&text), "20 "));
	assert_non_null(strstr(str_text(&text), "lost stacks: "));
	evidence_release(&evidence);
	str_release(&text);
}

/* How many losses a look at a process that has ended makes, whose parent has noticed, or not. */
static size_t losses_of_one_that_ended(bool noticed, bool passing)
{
	const struct stacks_options options = STACKS_OPTIONS_DEFAULT;
	struct stacks_target target = {.rank = 0, .passing = passing};
	struct evidence evidence = {0};
	siginfo_t info;
	struct job *job;
	pid_t ended = fork();
	size_t losses;

	if (ended == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)ended, &info, WEXITED | (noticed ? 0 : WNOWAIT)), 0);
	target.id.pid = (uint32_t)ended;
	stacks_gather(&evidence, "a", &target, 1, &options);
	job = decode_job(&evidence);
	losses = job->nlosses;
	job_free(job);
	evidence_release(&evidence);
	if (!noticed)
		waitpid(ended, NULL, 0);
	return losses;
}

static void a_helper_that_ends_is_no_loss_a_rank_is(void **state)
{
	for (int noticed = 0; noticed < 2; noticed++) {
		assert_int_equal(losses_of_one_that_ended(noticed, true), 0);
		assert_int_not_equal(losses_of_one_that_ended(noticed, false), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sample_is_a_stack),
		cmocka_unit_test(who_has_not_run_is_still),
		cmocka_unit_test(who_is_elsewhere_has_moved),
		cmocka_unit_test(a_whole_stack_outlives_a_run),
		cmocka_unit_test(samples_of_two_looks_are_kept_apart),
		cmocka_unit_test(what_a_sample_hides_has_not_moved),
		cmocka_unit_test(samples_are_compared_from_outside),
		cmocka_unit_test(what_stood_is_counted_in_frames_of_the_stack_that_is_told),
		cmocka_unit_test(what_failed_says_why),
		cmocka_unit_test(what_was_disturbed_is_counted),
		cmocka_unit_test(system_calls_have_names),
		cmocka_unit_test(a_helper_that_ends_is_no_loss_a_rank_is),
		cmocka_unit_test(law_1_a_child_s_stack_is_the_same_from_a_bundle),
		cmocka_unit_test(law_2_order_changes_nothing),
		cmocka_unit_test(law_4_any_damage_is_survived),
		cmocka_unit_test(law_4_what_stood_before_the_cut_is_there),
	};

	return cmocka_run_group_tests(tests, take_once, forget);
}
