/* SPDX-License-Identifier: Apache-2.0 */
/* What the panes say of the three families of hangs, and of strangers' names and many ranks. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/spans.h"
#include "tests/unit/facts.h"
#include "viewer/pane.h"
#include "words/escape.h"

struct look {
	struct job *job;
	struct verdicts *verdicts;
	struct tracks *tracks;
	struct stacktree *tree, *mains;
	struct scene scene;
	struct pane_place place;
};

static void look_at_job(struct look *look, struct job *job)
{
	*look = (struct look){.job = job};
	look->verdicts = verdicts_of(job);
	look->tracks = tracks_new(look->verdicts);
	look->tree = stacktree_new(job, &(struct stacktree_options){.all = true});
	look->mains = stacktree_new(job, &(struct stacktree_options){0});
	look->scene = (struct scene){.job = job,
		.verdicts = look->verdicts,
		.tracks = look->tracks,
		.tree = look->tree,
		.mains = look->mains,
		.origin = "sft-41.inq",
		.now = job->gathered};
	look->place = (struct pane_place){
		.rank = look->verdicts->at[0].culprits.n ? look->verdicts->at[0].culprits.at[0]
							 : 0,
		.row = -1,
		.when = look->tracks->to,
		.width = 80};
}

static void look_at(struct look *look, struct facts *f)
{
	look_at_job(look, facts_job(f));
	facts_free(f);
}

static void look_away(struct look *look)
{
	stacktree_free(look->tree);
	stacktree_free(look->mains);
	tracks_free(look->tracks);
	verdicts_free(look->verdicts);
	job_free(look->job);
}

/* The pane as text: its lines, two bars and the cite. The caller frees. */
static char *page(const struct look *look, enum pane_number pane)
{
	struct pane_lines lines = {.here = -1};
	struct str text = {0};
	const struct pane_line *line;

	panes[pane].fill(&look->scene, &look->place, &lines);
	array_for_each (&lines.all, line) {
		assert_non_null(line->text);
		assert_non_null(line->right);
		assert_true(line->strong <= strlen(line->text));
		assert_true(line->rank >= JOB_NONE && line->rank < (int)look->job->nranks);
		str_add(&text, line->text);
		if (*line->right)
			str_printf(&text, " || %s", line->right);
		str_add_char(&text, '\n');
	}
	pane_lines_release(&lines);
	return str_detach(&text);
}

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

static void expect_page(const struct look *look, enum pane_number pane, const char *expected)
{
	char *text = page(look, pane);

	assert_string_equal(text, expected);
	free(text);
}

static void compile_skew_is_told_in_every_pane(void **state)
{
	struct look look;
	(void)state;

	compile_skew(&look);
	expect_page(&look, PANE_VERDICT,
		" WAIT     still moving, may resolve; watchdog kills in 30:04 || ring:trait\n"
		" 3        inductor codegen 0/0, open 1:38 || ring:span\n"
		" 3        at train.py:12 in step, still for 2.2 s || stacks\n"
		" 3        used 2 s of CPU in the last 2 s || proc\n"
		" 3        cache at start 0 files; peers 412-415 || ring:trait\n"
		"          peers compiled 38 s || ring:*\n"
		" 3        never entered AllReduce #1 world || ring:group\n"
		" 0-2,4-7  in AllReduce #1 world, 56 s || ring:op\n"
		" not      death: 8 alive, oom_kill +0 || procs\n"
		" not      mismatch: same arguments #1 || ring:group\n"
		" not      network: no open operation has all its members || ring:*\n"
		" next     seed the cache by one full run of all ranks; not rank by rank\n");
	expect_page(&look, PANE_STACKS,
		" 8 stacks of main threads, 2 classes; 3 samples in 2.2 s; 0 threads stopped\n"
		">3           still in 3 samples || stacks\n"
		" 0-2,4-7     still in 3 samples\n"
		">0-7         <module> || /me/train.py:50\n"
		">3             step || /me/train.py:12\n"
		">              codegen || /me/torch/_inductor/codegen.py:88\n"
		">              futex || kernel\n"
		" 0-2,4-7       step || /me/train.py:13\n"
		"               all_reduce || /me/comm.py:7\n"
		"               poll || libc.so.6\n");
	expect_page(&look, PANE_EVENTS,
		" rank 3: 2 events; now compile, codegen 0/0; hostA pid 1003\n"
		" +0:02.000  22:13:22.000 begins    dynamo || ring:span\n"
		">+0:08.000  22:13:28.000 begins    codegen 0/0 || ring:span\n"
		"             at 2023-11-14 22:13:28.000 UTC; span inductor codegen; detail 0/0;\n"
		"              kind compile; open 1:32; pid 1003\n");
	expect_page(&look, PANE_GROUPS,
		">world: 8 ranks, nccl; front AllReduce #1, rear #0: 7 here, 1 missing "
		"|| ring:group\n"
		">3        MISSING in #1; has entered nothing; || ring:group\n"
		"           now compile, codegen 0/0\n"
		" 0-2,4-7  entered AllReduce #1, float32 x4096 sum, +0:44.000\n");
	expect_page(&look, PANE_RECEIPT,
		" from     sft-41.inq\n"
		" job      test (job-1), 8 of 8 ranks, attempt 1, stage first-forward\n"
		" first    compile after 2 s for 38 s-1:38; collective 44 s (7 of 8); no step\n"
		" when     launched 2023-11-14 22:13:20.000;\n"
		"           looked at 2023-11-14 22:15:00.000 UTC\n"
		" limit    watchdog kills in 30:04, when it was looked at || ring:trait\n"
		" read     8 of 8 rings read, 0 records lost\n"
		" disturbed 0 threads stopped\n"
		" known    ring, /proc, how it ended or that it lives, completion of ops, census\n"
		"           alone, stacks\n"
		" host     hostA; agent alive, last word 0.0 ms before; oom_kill +0;\n"
		"           clock within 1.0 ms\n"
		" framework torch 2.15.0\n"
		" timeout  30:00\n"
		" cache    3: 0 files, cold, /tmp/torchinductor_u || ring:trait\n"
		"          0-2,4-7: 412-415 files, warm, /tmp/torchinductor_u\n");
	look_away(&look);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compile_skew_is_told_in_every_pane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
