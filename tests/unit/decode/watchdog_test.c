/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of a log in which watchdogs of PyTorch gave up, or ranks aborted, as torch 2.1
 * to 2.9 write it.
 */
#include "tests/unit/told_log.h"

#include <stdlib.h>
#include <string.h>

static void add(
	struct evidence *evidence, enum exhibit_kind kind, const char *label, const char *text)
{
	const struct exhibit about = {
		.kind = kind, .rank = -1, .label = (char *)label, .when = FORGE_T0_REAL};

	evidence_add(evidence, &about, (uint8_t *)strdup(text), strlen(text));
}

static size_t blamed(const struct told *told)
{
	size_t n = 0;

	for (size_t v = 0; v < told->verdicts->n; v++)
		n += told->verdicts->at[v].culprits.n;
	return n;
}

/* The fact of that kind in the first verdict; NULL: it has none. */
static const struct verdict_fact *fact_of(const struct told *told, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < told->first->nevidence; i++)
		if (told->first->evidence[i].kind == kind)
			return &told->first->evidence[i];
	return NULL;
}

#define WATCHDOG(r, seq)                                                                           \
	"[rank" #r "]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank " #r "] Watchdog "  \
	"caught collective operation timeout: WorkNCCL(SeqNum=" #seq ", OpType=ALLREDUCE, "        \
	"NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 60006" #r                              \
	" milliseconds before timing out.\n"

static void assert_aborted(const char *words, bool named)
{
	struct evidence evidence = {0};
	struct str text = {0};
	struct told told;

	str_printf(&text, "%s", words);
	str_add(&text, WATCHDOG(0, 7) WATCHDOG(1, 7) REPORT(0, -6) REPORT(1, -6) REPORT(2, -6));
	add(&evidence, EXHIBIT_JOB_LOG, "job.log", str_text(&text));
	told = told_of(&evidence);
	if (blamed(&told) != (named ? 1 : 0) ||
		(named && (told.first->class != VERDICT_RANK_DEATH ||
				  told.first->confidence != VERDICT_SUPPORTED)))
		fail_msg("%d blamed: %s", (int)blamed(&told), words);
	forget(&told);
	str_release(&text);
}

/*
 * Whom glibc or libstdc++ ended died of itself, unless its watchdog had given up, and whatever it
 * says of others is no reason.
 */
static void who_aborted_of_itself_is_named(void **state)
{
	static const char *const own[] = {"[rank2]:double free or corruption (out)\n",
		"[rank2]:malloc(): invalid size (unsorted)\n",
		"[rank2]:python: /w/k.cpp:12: void f(): Assertion `n > 0' failed.\n",
		"[rank2]:terminate called after throwing an instance of 'std::bad_alloc'\n"
		"[rank2]:  what():  std::bad_alloc\n"};
	static const char *const others[] = {WATCHDOG(2, 7) "[rank2]:double free or corruption\n",
		"[rank2]:terminate called after throwing an instance of 'c10::DistBackendError'\n",
		"[rank2]:  what():  NCCL error in: ProcessGroupNCCL.cpp:1970, internal error\n",
		"[rank2]:step 7\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_aborted(own[i], true);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_aborted(others[i], false);
}

/* The only line of a rank is known to be numbered by the others, and it does not hide its words. */
static void what_one_numbered_line_tells_is_read(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "job.log",
		" 4: \n14: corrupted size vs. prev_size\n 4: step 2\n"
		"srun: error: m2: task 14: Aborted (core dumped)\n");
	told = told_of(&evidence);
	assert_int_equal(told.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(blamed(&told), 1);
	forget(&told);
}

/* Before a watchdog's words stands a rank of some group: which rank of the job, only a mark tells.
 */
static void a_rank_of_a_group_is_none_of_the_job(void **state)
{
	static const char caught[] =
		"Watchdog caught collective operation timeout: WorkNCCL("
		"SeqNum=7, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800116 milliseconds\n";
	struct evidence evidence = {0};
	const struct verdict_fact *fact;
	struct str text = {0};
	struct told told;

	(void)state;
	str_printf(&text,
		"[rank6]: step 1\n[rank7]: step 1\n[E ProcessGroupNCCL.cpp:475] [Rank 1] %s",
		caught);
	str_printf(&text, "[E ProcessGroupNCCL.cpp:475] [Rank 0] %s", caught);
	str_printf(&text, "  what():  [Rank 1] %s", caught);
	add(&evidence, EXHIBIT_JOB_LOG, "job.log", str_text(&text));
	told = told_of(&evidence);
	fact = fact_of(&told, FACT_WATCHDOG);
	assert_non_null(fact);
	assert_int_equal(fact->ranks.n, 0);
	assert_int_equal(fact->a, 7);
	assert_int_equal(told.job->nsayings, 1);
	for (size_t i = 0; i < told.job->nranks; i++)
		assert_true(told.job->ranks[i].world_rank.n >= 6);
	forget(&told);

	str_cut(&text, 0);
	str_printf(
		&text, "[rank6]:[E810 03:04:11.06 ProcessGroupNCCL.cpp:683] [Rank 1] %s", caught);
	str_printf(&text,
		"  what():  [PG ID 1 PG GUID 1(tp) Rank 1] Process group watchdog thread "
		"terminated with exception: [Rank 1] %s",
		caught);
	add(&evidence, EXHIBIT_JOB_LOG, "job.log", str_text(&text));
	told = told_of(&evidence);
	assert_int_equal(told.job->nsayings, 1);
	assert_int_equal(told.job->nranks, 1);
	assert_int_equal(told.job->ranks[0].world_rank.n, 6);
	forget(&told);
	str_release(&text);
}

/* A device's error belongs to a rank of a group as well: no rank is named for it. */
static void an_error_of_a_rank_of_a_group_accuses_nobody(void **state)
{
	struct evidence evidence = {0};
	struct told told;

	(void)state;
	add(&evidence, EXHIBIT_JOB_LOG, "job.log",
		"[rank6]: step 1\n[rank7]: step 1\n"
		"[E ProcessGroupNCCL.cpp:1182] [Rank 1] NCCL watchdog thread terminated with "
		"exception: CUDA error: an illegal memory access was encountered\n" REPORT(1, -6)
			REPORT(7, -6));
	told = told_of(&evidence);
	for (size_t i = 0; i < told.job->nlogs; i++)
		assert_null(strstr(told.job->logs[i].error, "CUDA error"));
	assert_int_equal(blamed(&told), 0);
	forget(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_aborted_of_itself_is_named),
		cmocka_unit_test(what_one_numbered_line_tells_is_read),
		cmocka_unit_test(a_rank_of_a_group_is_none_of_the_job),
		cmocka_unit_test(an_error_of_a_rank_of_a_group_accuses_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
