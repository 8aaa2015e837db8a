/* SPDX-License-Identifier: Apache-2.0 */
/* What the panes say of the three families of hangs, and where their lines lead. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/pane_look.h"

static void compile_skew(struct look *look)
{
	struct facts *f = facts_new(8);

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 44);
	for (int i = 0; i < 8; i++) {
		facts_span(f, i, JOB_SPAN_COMPILE, "dynamo", "", 2, i == 3 ? FACTS_OPEN : 40);
		facts_span(f, i, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 8,
			i == 3 ? FACTS_OPEN : 40 - i * 0.1);
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
		facts_trait(f, i, "timeout", "", 1800000000000);
		facts_trait(f, i, "cache", "/tmp/torchinductor_u", i == 3 ? 0 : 412 + i % 4);
		facts_stack(f, i,
			i == 3 ? "futex@kernel < codegen@/me/torch/_inductor/codegen.py:88 < "
				 "step@/me/train.py:12 < <module>@/me/train.py:50"
			       : "poll@libc.so.6 < all_reduce@/me/comm.py:7 < step@/me/train.py:13 "
				 "< <module>@/me/train.py:50");
	}
	facts_cpu(f, 3, 2, 2, 0);
	facts_stack_of(f, 3, "pt_watchdog", 77, "nanosleep@libc.so.6 < watch@libtorch.so");
	look_at(look, f);
}

static void compile_skew_is_told_in_every_pane(void **state)
{
	struct look look;
	(void)state;

	compile_skew(&look);
	look_expect(&look, PANE_VERDICT,
		" WAIT     was still moving, might have resolved; || ring:trait\n"
		"           30:04 were left until the watchdog kills\n"
		" 3        inductor codegen graph 0/0, open 1:38 || ring:span\n"
		" 3        at train.py:12 in step, still for 2.2 s || stacks\n"
		" 3        used 2 s of CPU in the last 2 s || proc\n"
		" 3        cache at start 0 files; peers 412-415 || ring:trait\n"
		"          peers compiled 38 s || ring:*\n"
		" 3        never entered AllReduce #1 world || ring:group\n"
		" 0-2,4-7  in AllReduce #1 world, 56 s || ring:op\n"
		" not      death: all 8 alive, oom_kill +0 || procs\n"
		" not      mismatch: same arguments #1 || ring:group\n"
		" not      network: no collective has everybody in it || ring:*\n"
		" next     seed the cache by one full run of all ranks; not rank by rank\n");
	look_expect(&look, PANE_STACKS,
		" 8 stacks of main threads, 2 classes; 3 samples in 2.2 s; 0 threads stopped\n"
		">3           still in 3 samples || stacks\n"
		" 0-2,4-7     still in 3 samples\n"
		">0-7         <module> || /me/train.py:50\n"
		">3             step  <- own code || /me/train.py:12\n"
		">              codegen || _inductor/codegen.py:88\n"
		">              futex || kernel\n"
		" 0-2,4-7       step || /me/train.py:13\n"
		"               all_reduce || /me/comm.py:7\n"
		"               poll || libc.so.6\n");
	look_expect(&look, PANE_EVENTS,
		" rank 3: 2 events; now compile, codegen 0/0; hostA pid 1003\n"
		" +0:02.000  22:13:22.000 begins    dynamo, open 1:38 || ring:span\n"
		">+0:08.000  22:13:28.000 begins    codegen 0/0, open 1:32 || ring:span\n"
		"             at 2023-11-14 22:13:28.000 UTC; span inductor codegen; detail 0/0;\n"
		"              kind compile; open 1:32; pid 1003\n");
	look_expect(&look, PANE_GROUPS,
		">world: 8 ranks, nccl; AllReduce #1: 7 here, 1 missing; rear #0 || ring:group\n"
		">3        MISSING in #1; has entered nothing; || ring:group\n"
		"           now compile, codegen 0/0\n"
		" 0-2,4-7  entered AllReduce #1, float32 x4096 sum, +0:44.000\n");
	look_expect(&look, PANE_RECEIPT,
		" from     sft-41.inq\n"
		" job      test (job-1): 8/8 ranks, attempt 1, stage FIRST FORWARD\n"
		" first    compile began at 2 s, took 38 s (7 of 8), 1:38 so far;\n"
		"           collective 44 s (7 of 8); no step\n"
		" when     launched 2023-11-14 22:13:20.000;\n"
		"           looked at 2023-11-14 22:15:00.000 UTC\n"
		" limit    watchdog kills in 30:04, when it was looked at || ring:trait\n"
		" read     8/8 rings, 0 records lost\n"
		" disturbed 0 threads stopped\n"
		" known    ring, census, completion of ops, /proc, stacks, life or end\n"
		" host     hostA; oom_kill +0; clock within 1.0 ms;\n"
		"           agent alive, last word 0.0 ms before\n"
		" framework torch 2.15.0\n"
		" timeout  30:00\n"
		" cache    3: 0 files, cold, /tmp/torchinductor_u || ring:trait\n"
		"          0-2,4-7: 412-415 files, warm, /tmp/torchinductor_u\n");
	look_away(&look);
}

/* -- a death ---------------------------------------------------------------------------------- */

static void oom_death(struct look *look)
{
	struct facts *f = facts_new(8);

	facts_rounds(f, 0, 4, 10, 5);
	facts_enter_but(f, 0, 5, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 0; i < 8; i++)
		facts_step(f, i, 812);
	facts_span(f, 5, JOB_SPAN_CHECKPOINT, "save", "", 35, FACTS_OPEN);
	facts_end(f, 5, JOB_SIGNALED, SIGKILL, 52);
	f->hosts[0].oom_kills = 1;
	f->ranks[5].process.rss_before = INT64_C(61) << 30;
	f->ranks[5].process.rss = INT64_C(214) << 30;
	facts_loss(f, 5, "its last words");
	look_at(look, f);
}

static void a_death_is_told_in_every_pane(void **state)
{
	struct look look;
	(void)state;

	oom_death(&look);
	look_expect(&look, PANE_VERDICT,
		" KILL     could not resolve by itself\n"
		" 5        SIGKILL || exit\n"
		" 5        cgroup oom_kill +1 || gather:hostA\n"
		" 5        RSS 61 GiB -> 214 GiB || proc\n"
		" 5        last was AllReduce #4 world || ring:op\n"
		" 5        never entered AllReduce #5 world, last #4 || ring:group\n"
		" 0-4,6-7  in AllReduce #5 world, 1:00 || ring:op\n"
		" next     cut the memory of rank 5, or raise its cgroup's limit\n");
	look_expect(&look, PANE_STACKS,
		" no stack of any rank was taken\n");
	look_expect(&look, PANE_EVENTS,
		" rank 5: 8 events; now dead, SIGKILL (OOM); hostA pid 1005\n"
		" +0:10.000  22:13:30.000 entered   AllReduce #1 world, 1 s || ring:op\n"
		" +0:15.000  22:13:35.000 entered   AllReduce #2 world, 1 s || ring:op\n"
		" +0:20.000  22:13:40.000 entered   AllReduce #3 world, 1 s || ring:op\n"
		" +0:25.000  22:13:45.000 entered   AllReduce #4 world, 1 s || ring:op\n"
		" +0:35.000  22:13:55.000 begins    save, open 17 s || ring:span\n"
		" +0:50.000  22:14:10.000 step      step 812 || ring:step\n"
		">+0:52.000  22:14:12.000 died      SIGKILL || exit\n"
		"             at 2023-11-14 22:14:12.000 UTC; pid 1005; lived 52 s;\n"
		"              RSS 61 GiB -> 214 GiB\n"
		" +?         unknown lost      its last words || ring\n");
	look_expect(&look, PANE_GROUPS,
		">world: 8 ranks, nccl; AllReduce #5: 7 here, 1 missing; rear #4 || ring:group\n"
		">5        MISSING in #5; last AllReduce #4, +0:25.000; || ring:op\n"
		"           now dead, SIGKILL (OOM)\n"
		" 0-4,6-7  entered AllReduce #5, float32 x4096 sum, +0:40.000\n");
	look_expect(&look, PANE_RECEIPT,
		" from     sft-41.inq\n"
		" job      test (job-1): 8/8 ranks, attempt 1, stage STEADY\n"
		" when     launched 2023-11-14 22:13:20.000;\n"
		"           looked at 2023-11-14 22:15:00.000 UTC\n"
		" limit    nothing is known that would end it\n"
		" lost     rank 5: its last words; operations may be among it || ring\n"
		" read     8/8 rings, 0 records lost\n"
		" disturbed by no stop: no stack was taken of a living process\n"
		" known    ring, census, completion of ops, /proc, life or end\n"
		" host     hostA; oom_kill +1; clock within 1.0 ms;\n"
		"           agent alive, last word 0.0 ms before\n"
		" steps    812 done\n");
	look_away(&look);
}

/* -- ranks that do different things ------------------------------------------------------------ */

static void empty_shard(struct look *look)
{
	struct facts *f = facts_new(8);

	facts_round(f, 0, JOB_OP_BROADCAST, 64, 20);
	for (int i = 0; i < 8; i++) {
		facts_shard(f, i, i == 7 ? 0 : 4, 1);
		facts_hold(f, 0, i, i == 7 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 4096, 40);
	}
	look_at(look, f);
}

static void divergence_is_told_in_every_pane(void **state)
{
	struct look look;
	(void)state;

	empty_shard(&look);
	look_expect(&look, PANE_VERDICT,
		" KILL     could not resolve by itself\n"
		" 7        train batch 0: 0 rows, 0 elements || ring:shard0\n"
		"          peers' batches: 4 rows || ring:*\n"
		"          28 rows over 8 ranks = 7 x 4 + 0: not padded || ring:*\n"
		" 7        entered AllReduce sum 4096 float32 as #2; || ring:op\n"
		"           peers AllGather 4096 float32\n"
		" 0-6      in AllGather #2 world, 1:00 || ring:op\n"
		" not      death: all 8 alive, oom_kill +0 || procs\n"
		" not      compile: no open compile span || ring:*\n"
		" next     rerun with rows divisible by ranks: the fastest falsification\n");
	look_expect(&look, PANE_STACKS,
		" no stack of any rank was taken\n");
	look_expect(&look, PANE_EVENTS,
		" rank 7: 3 events; now waiting, AllReduce #2; hostA pid 1007\n"
		" +0:06.000  22:13:26.000 batch     batch 0 of train: 0 rows || ring:shard0\n"
		" +0:20.000  22:13:40.000 entered   Broadcast #1 world, 1 s || ring:op\n"
		">+0:40.000  22:14:00.000 entered   AllReduce #2 world, open 1:00 || ring:op\n"
		"             at 2023-11-14 22:14:00.000 UTC;\n"
		"              group world, 8 ranks, nccl, key 1111000000000007;\n"
		"              args AllReduce float32 x4096 sum; index 2; returned no;\n"
		"              completed not known; stream 0x1; order 2; thread python (1007)\n");
	look_expect(&look, PANE_GROUPS,
		">world: 8 ranks, nccl; #2: 8 here, not the same op || ring:group\n"
		">7        ODD: entered AllReduce #2, float32 x4096 sum, +0:40.000 || ring:op\n"
		" 0-6      entered AllGather #2, float32 x4096, +0:40.000\n");
	look_expect(&look, PANE_RECEIPT,
		" from     sft-41.inq\n"
		" job      test (job-1): 8/8 ranks, attempt 1, stage FIRST FORWARD\n"
		" when     launched 2023-11-14 22:13:20.000;\n"
		"           looked at 2023-11-14 22:15:00.000 UTC\n"
		" limit    nothing is known that would end it\n"
		" read     8/8 rings, 0 records lost\n"
		" disturbed by no stop: no stack was taken of a living process\n"
		" known    ring, census, completion of ops, /proc, life or end\n"
		" host     hostA; oom_kill +0; clock within 1.0 ms;\n"
		"           agent alive, last word 0.0 ms before\n"
		" shard    7: train batch 0: 0 rows, 0 elements || ring:shard0\n"
		"          0-6: train batch 0: 4 rows, 16384 elements\n");
	look_away(&look);
}

/* All went on behind the fork, until one came no more: the roll call of both is there. */
static void the_fork_that_was_left_behind_is_called_as_well(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;
	(void)state;

	for (int i = 0; i < 4; i++) {
		facts_enter(f, 0, i, i ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 4, 20);
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4, 21);
		if (i)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4, 22);
	}
	facts_sync(f, 0, 22);
	look_at(&look, f);
	look_expect(&look, PANE_GROUPS,
		">world: 4 ranks, nccl; AllReduce #3: 3 here, 1 missing; rear #2 || ring:group\n"
		">0        MISSING in #3; last AllReduce #2, +0:21.000; || ring:op\n"
		"           now waiting, AllReduce #1\n"
		" 1-3      entered AllReduce #3, float32 x4 sum, +0:22.000\n"
		" the verdict is about #1: 4 here, not the same op\n"
		">0        ODD: entered AllReduce #1, float32 x4 sum, +0:20.000, went || ring:op\n"
		"           on\n"
		" 1-3      entered AllGather #1, float32 x4, +0:20.000, went on\n");
	look_away(&look);
}

/* -- where a line leads ------------------------------------------------------------------------ */

/* Of two camps of one size neither is called odd. */
static void of_equal_camps_nobody_is_odd(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;
	(void)state;

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i % 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 4, 20);
	look_at(&look, f);
	look_expect(&look, PANE_GROUPS,
		">world: 4 ranks, nccl; #1: 4 here, not the same op || ring:group\n"
		">0,2      entered AllReduce #1, float32 x4 sum, +0:20.000\n"
		" 1,3      entered AllGather #1, float32 x4, +0:20.000\n");
	look_away(&look);
}

/* What a rank waits in is the first call that is not over, not the last that it made. */
static void of_calls_to_peers_the_first_open_one_is_told(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;
	(void)state;

	facts_p2p(f, 0, 1, JOB_OP_RECV, 0, 20, true);
	facts_p2p(f, 0, 1, JOB_OP_SEND, 2, 21, false);
	facts_p2p(f, 0, 2, JOB_OP_RECV, 1, 20, true);
	look_at(&look, f);
	look_expect(&look, PANE_GROUPS,
		">world: 4 ranks, nccl; no collective yet: 4 here || ring:group\n"
		">0-3      has entered nothing\n"
		" 1        in Recv #1 from rank 0, float32 x64 || ring:p2p\n"
		" 2        in Recv #1 from rank 1, float32 x64 || ring:p2p\n");
	look_away(&look);
}

static void evidence_leads_to_its_event(void **state)
{
	struct look look;
	(void)state;

	compile_skew(&look);
	look_expect_goal(&look, PANE_VERDICT, " WAIT", 3, -1);
	look_expect_goal(&look, PANE_VERDICT, " 3        inductor codegen", 3, 8);
	look_expect_goal(&look, PANE_VERDICT, " 0-2,4-7  in AllReduce", 0, 44);
	look_expect_goal(&look, PANE_VERDICT, " 3        cache", 3, -1);
	look_expect_goal(&look, PANE_VERDICT, "          peers", JOB_NONE, -1);
	look_expect_goal(&look, PANE_STACKS, " 0-2,4-7       step", 0, -1);
	look_expect_goal(&look, PANE_GROUPS, " 0-2,4-7  entered", 0, 44);
	look_expect_goal(&look, PANE_EVENTS, " +0:02", 3, 2);
	look_expect_goal(&look, PANE_RECEIPT, "          0-2,4-7: 412", 0, -1);
	look_away(&look);

	oom_death(&look);
	look_expect_goal(&look, PANE_VERDICT, " 5        SIGKILL", 5, 52);
	look_expect_goal(&look, PANE_VERDICT, " 5        cgroup", 5, 52);
	look_expect_goal(&look, PANE_VERDICT, " 5        last was", 5, 25);
	look_expect_goal(&look, PANE_VERDICT, " 5        never", 5, 25);
	look_expect_goal(&look, PANE_GROUPS, ">5        MISSING", 5, 25);
	look_away(&look);
}

/* A cite that names a place is where Enter leads, whatever else the fact is about. */
static void a_cite_of_several_ranks_leads_to_the_first(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;
	(void)state;

	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 16, 30);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			f->members[0][i].ops[0].cite = i == 0   ? "ring:0:g0:1"
						       : i == 1 ? "ring:1:g0:1"
								: "ring:3:g0:1";
	look_at(&look, f);
	look_expect_goal(&look, PANE_VERDICT, " 0-1,3    in AllReduce", 0, 30);
	look_away(&look);
}

static void the_countdown_of_a_live_job_goes_on(void **state)
{
	struct look look;
	char *text;
	(void)state;

	compile_skew(&look);
	look.scene.now += INT64_C(64000000000);
	text = look_page(&look, PANE_VERDICT);
	assert_non_null(strstr(text, "30:04 were left until the watchdog kills"));
	free(text);
	look.scene.live = true;
	text = look_page(&look, PANE_VERDICT);
	assert_non_null(strstr(text, "watchdog kills in 29:00"));
	free(text);
	look.scene.now += INT64_C(1740000000000);
	text = look_page(&look, PANE_VERDICT);
	assert_non_null(strstr(text, "the watchdog's time is over"));
	free(text);
	look_away(&look);
}

/* -- the selected row -------------------------------------------------------------------------- */

static void the_row_is_marked_where_it_is(void **state)
{
	struct look look;
	struct pane_lines lines = {.here = -1};
	const struct rank_index ranks[] = {{4}, {5}};
	const struct row row = {.ranks = ranks, .n = 2, .label = "4-5"};
	const struct rows rows = {.at = &row, .n = 1, .ranks = 2};
	(void)state;

	compile_skew(&look);
	look.scene.rows = &rows;
	look.place.row = 0;
	look.place.rank = rank_index(4);
	panes[PANE_STACKS].fill(&look.scene, &look.place, &lines);
	assert_string_equal(lines.all.items[1].text, " 3           still in 3 samples");
	assert_string_equal(lines.all.items[2].text, ">0-2,4-7     still in 3 samples");
	assert_string_equal(lines.all.items[3].text, ">0-7         <module>");
	assert_string_equal(lines.all.items[4].text, " 3             step");
	/* It scrolls to where the rank's own program is. */
	assert_int_equal(lines.here, 8);
	assert_string_equal(lines.all.items[8].text, ">              all_reduce  <- own code");
	pane_lines_release(&lines);
	panes[PANE_GROUPS].fill(&look.scene, &look.place, &lines);
	assert_int_equal(lines.here, 3);
	assert_int_equal(lines.all.items[3].text[0], '>');
	assert_int_equal(lines.all.items[1].text[0], ' ');
	pane_lines_release(&lines);
	panes[PANE_EVENTS].fill(&look.scene, &look.place, &lines);
	assert_non_null(strstr(lines.all.items[0].text, " rank 4 of 4-5: "));
	pane_lines_release(&lines);
	look_away(&look);
}

static void the_longer_form_has_all_threads(void **state)
{
	struct look look;
	char *text;
	(void)state;

	compile_skew(&look);
	text = look_page(&look, PANE_STACKS);
	assert_null(strstr(text, "nanosleep"));
	free(text);
	look.place.all = true;
	text = look_page(&look, PANE_STACKS);
	assert_non_null(strstr(text, "nanosleep || libc.so.6"));
	free(text);
	/* And the fields of every event. */
	text = look_page(&look, PANE_EVENTS);
	assert_non_null(strstr(text, "span dynamo"));
	free(text);
	look_away(&look);
}

/* Roll calls are made once: whoever comes by other ranks sees what he had seen at first. */
static void groups_of_a_rank_are_the_same_by_any_way(void **state)
{
	struct look fresh[6], gone;
	(void)state;

	for (int i = 0; i < 7; i++) {
		struct facts *f = facts_new(6);
		int pair = facts_group_of(f, 2, 1, 4), three = facts_group_of(f, 3, 0, 2, 4);

		facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 10);
		facts_round(f, pair, JOB_OP_ALLGATHER, 4096, 20);
		facts_round(f, three, JOB_OP_BROADCAST, 4096, 30);
		facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
		look_at(i < 6 ? &fresh[i] : &gone, f);
	}
	for (int i = 0; i < 36; i++) {
		int rank = i * 7 % 6;
		char *expected;

		fresh[rank].place.rank = gone.place.rank = rank_index(rank);
		expected = look_page(&fresh[rank], PANE_GROUPS);
		look_expect(&gone, PANE_GROUPS, expected);
		free(expected);
		gone.place.rank = rank_index(i % 5);
		free(look_page(&gone, PANE_GROUPS));
	}
	for (int i = 0; i < 6; i++)
		look_away(&fresh[i]);
	look_away(&gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compile_skew_is_told_in_every_pane),
		cmocka_unit_test(a_death_is_told_in_every_pane),
		cmocka_unit_test(divergence_is_told_in_every_pane),
		cmocka_unit_test(the_fork_that_was_left_behind_is_called_as_well),
		cmocka_unit_test(of_equal_camps_nobody_is_odd),
		cmocka_unit_test(of_calls_to_peers_the_first_open_one_is_told),
		cmocka_unit_test(evidence_leads_to_its_event),
		cmocka_unit_test(a_cite_of_several_ranks_leads_to_the_first),
		cmocka_unit_test(the_countdown_of_a_live_job_goes_on),
		cmocka_unit_test(the_row_is_marked_where_it_is),
		cmocka_unit_test(the_longer_form_has_all_threads),
		cmocka_unit_test(groups_of_a_rank_are_the_same_by_any_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
