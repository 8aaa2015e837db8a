/* SPDX-License-Identifier: Apache-2.0 */
/* Last words: whose a line is, what of it are words, which line tells most, and never our own. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "decode/decode.h"
#include "evidence/gather/log-marks.h"
#include "evidence/agent/own-words.h"
#include "tests/decode/forge.h"

/* Lines with marks: their words, whose they are, how loud. */
static const struct {
	const char *line, *words;
	enum log_marks_by by;
	int number;
	char level;
} lines[] = {
	{"step 3 done", "step 3 done", LOG_MARKS_NOBODY, 0, 0},
	{"[rank3]: step 3", "step 3", LOG_MARKS_RANK, 3, 0},
	{"[rank3]:   File \"x.py\"", "  File \"x.py\"", LOG_MARKS_RANK, 3, 0},
	{"[rank3] step 199", "step 199", LOG_MARKS_RANK, 3, 0},
	{"[Rank 12] step 199", "step 199", LOG_MARKS_RANK, 12, 0},
	{"[rank 2/8] step", "step", LOG_MARKS_RANK, 2, 0},
	{"(rank 2) step", "step", LOG_MARKS_RANK, 2, 0},
	{"Rank 5: step", "step", LOG_MARKS_RANK, 5, 0},
	{"rank 5 step 7", "rank 5 step 7", LOG_MARKS_RANK, 5, 0},
	{"ranks 5 and 6", "ranks 5 and 6", LOG_MARKS_NOBODY, 0, 0},
	{"rank5th", "rank5th", LOG_MARKS_NOBODY, 0, 0},
	{"[default3]:  File \"x.py\"", "  File \"x.py\"", LOG_MARKS_LOCAL, 3, 0},
	{"[default1]:[rank9]: boom", "boom", LOG_MARKS_LOCAL, 1, 0},
	{"[step3]: boom", "[step3]: boom", LOG_MARKS_NOBODY, 0, 0},
	{"(RankWorker pid=4711) loaded", "loaded", LOG_MARKS_PID, 4711, 0},
	{"(RankWorker pid=4711, ip=10.0.0.1)   File", "  File", LOG_MARKS_PID, 4711, 0},
	{"(pid=4711, ip=10.0.0.1) loaded", "loaded", LOG_MARKS_PID, 4711, 0},
	{"(see pid 3)", "(see pid 3)", LOG_MARKS_NOBODY, 0, 0},
	{"[1,3]<stderr>:boom", "boom", LOG_MARKS_RANK, 3, 0},
	{"[1,mpirank:3,algo-1]<stderr>:boom", "boom", LOG_MARKS_RANK, 3, 0},
	{"[1,3] is a list", "[1,3] is a list", LOG_MARKS_NOBODY, 0, 0},
	{"W1122 10:43:51.191000 2998 torch/distributed/run.py:792] bad env", "bad env",
		LOG_MARKS_NOBODY, 0, 'W'},
	{"[rank3]:[E1122 10:43:51.191 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught",
		"Watchdog caught", LOG_MARKS_RANK, 3, 'E'},
	{"[rank3]:[E321 10:43:51.191 ProcessGroupNCCL.cpp:683] [Rank 1] Watchdog caught",
		"Watchdog caught", LOG_MARKS_RANK, 3, 'E'},
	{"[E321 10:43:51.191 ProcessGroupNCCL.cpp:683] [Rank 1] Watchdog caught",
		"Watchdog caught", LOG_MARKS_NOBODY, 0, 'E'},
	{"[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught", "Watchdog caught",
		LOG_MARKS_NOBODY, 0, 'E'},
	{"[E x] y.cpp:1] z", "[E x] y.cpp:1] z", LOG_MARKS_NOBODY, 0, 0},
	{"[E", "[E", LOG_MARKS_NOBODY, 0, 0},
	{"[E1122", "[E1122", LOG_MARKS_NOBODY, 0, 0},
	{"I1122 10:43:51.191 2998 train.py:12] [Rank 1] step", "step", LOG_MARKS_RANK, 1, 'I'},
	{"[I1122 10:43:51.19 x.cpp:1] [PG ID 0 PG GUID 0(default_pg) Rank 3] up", "up",
		LOG_MARKS_NOBODY, 0, 'I'},
	{"2026-11-22T10:43:51.191Z step", "step", LOG_MARKS_NOBODY, 0, 0},
	{"2026-11-22 10:43:51,191 - INFO - root - step", "step", LOG_MARKS_NOBODY, 0, 'I'},
	{"2026-11-22 10:43:51,191 - root - INFO - step", "step", LOG_MARKS_NOBODY, 0, 'I'},
	{"2026-11-22 10:43:51+00:00 [rank3] step", "step", LOG_MARKS_RANK, 3, 0},
	{"[2026-11-22 10:43:51,191] [INFO] [engine.py:12:step] [Rank 3] step", "step",
		LOG_MARKS_RANK, 3, 'I'},
	{"2026-11-22 10:43:51.191 | INFO     | __main__:run:12 - step", "step",
		LOG_MARKS_NOBODY, 0, 'I'},
	{"11/22/2026 10:43:51 - WARNING - __main__ - step", "step", LOG_MARKS_NOBODY, 0,
		'W'},
	{"INFO 11-22 10:43:51 engine.py:12] step", "step", LOG_MARKS_NOBODY, 0, 'I'},
	{"[INFO|trainer.py:12] 2026-11-22 10:43:51,191 >> step", "step", LOG_MARKS_NOBODY,
		0, 'I'},
	{"INFO:root:step", "step", LOG_MARKS_NOBODY, 0, 'I'},
	{"WARNING: step", "step", LOG_MARKS_NOBODY, 0, 'W'},
	{"ERROR: no space", "ERROR: no space", LOG_MARKS_NOBODY, 0, 'E'},
	{"INFORMATION", "INFORMATION", LOG_MARKS_NOBODY, 0, 0},
	{"10:43:51 step", "step", LOG_MARKS_NOBODY, 0, 0},
	{"10 of 12 done", "10 of 12 done", LOG_MARKS_NOBODY, 0, 0},
	{"2026-11-22 is a date", "2026-11-22 is a date", LOG_MARKS_NOBODY, 0, 0},
	{"ValueError: bad", "ValueError: bad", LOG_MARKS_NOBODY, 0, 0},
	{"3: step", "3: step", LOG_MARKS_NOBODY, 0, 0},
	{" 3: [rank11]: step", "step", LOG_MARKS_RANK, 11, 0},
	{"1: [default3]:[rank11]: step", "step", LOG_MARKS_LOCAL, 3, 0},
	{"", "", LOG_MARKS_NOBODY, 0, 0},
	{"[", "[", LOG_MARKS_NOBODY, 0, 0},
	{"[rank", "[rank", LOG_MARKS_NOBODY, 0, 0},
	{"[rank99999999999999999999]: x", "[rank99999999999999999999]: x", LOG_MARKS_NOBODY,
		0, 0},
};

static void marks_are_told_from_words(void **state)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct log_marks marks;
		size_t len = log_marks_read(lines[i].line, false, &marks);

		assert_string_equal(lines[i].line + len, lines[i].words);
		if (marks.by != lines[i].by || marks.number != lines[i].number ||
			marks.level != lines[i].level)
			fail_msg("%s: %d %d '%c'", lines[i].line, (int)marks.by, (int)marks.number,
				marks.level);
	}
}

/* The log of rank 0 of two, alone in its file (label NULL) or in one that both have. */
static struct job *job_of_log(const char *text, const char *label)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	for (uint32_t r = 0; r < (label ? 2 : 1); r++) {
		struct exhibit about = {.kind = EXHIBIT_STDERR,
			.host = (char *)FORGE_HOST,
			.rank = -1,
			.pid = FORGE_PID(r),
			.start_time = FORGE_START(r),
			.label = (char *)(label ? label : "")};

		evidence_add(&evidence, &about, alloc_copy(text, strlen(text)), strlen(text));
	}
	job = decode_job(&evidence);
	evidence_release(&evidence);
	return job;
}

static const char *last_of(const struct job *job, int rank)
{
	for (size_t i = 0; i < job->nlogs; i++)
		if (job_rank(job, job->logs[i].rank)->world_rank.n == rank)
			return job->logs[i].last_line;
	return "";
}

static void assert_last(const char *text, const char *label, int rank, const char *words)
{
	struct job *job = job_of_log(text, label);

	assert_string_equal(last_of(job, rank), words);
	job_free(job);
}

static void a_line_of_another_rank_is_never_this_ranks(void **state)
{
	static const char named[] = "[rank0] step 18\n[rank1] step 18\n[rank0] step 199\n"
				    "[rank1] port 29501\n";
	static const char plain[] = "rank 0 step 18\nrank 1 step 199\n";
	static const char numbered[] = "0: step 18\n1: step 18\n0: step 199\n1: port 29501\n";

	assert_last(named, NULL, 0, "step 199");
	assert_last(named, "file 1:2", 0, "step 199");
	assert_last(named, "file 1:2", 1, "port 29501");
	assert_last(plain, NULL, 0, "rank 0 step 18");
	assert_last(plain, "file 1:2", 1, "rank 1 step 199");
	assert_last(numbered, "file 1:2", 0, "step 199");
	assert_last(numbered, "file 1:2", 1, "port 29501");
	assert_last(numbered, NULL, 0, "step 199");
	/* Where the number counts steps it is no rank. */
	assert_last("0: loss 3\n1: loss 2\n2: loss 1\n", NULL, 0, "2: loss 1");
	assert_last("1: one line has it\nthe other has not\n", NULL, 0, "the other has not");
	/* In a file of several, what names nobody is nobody's. */
	assert_last("step 18\n", "file 1:2", 0, "");
}

/*
 * Two attempts of two ranks each that wrote into one file: pids 100 and 101, then 102 and 103.
 */
static struct job *job_of_attempts(const char *text)
{
	struct evidence evidence = {0};
	const struct exhibit *census;
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 4, CENSUS_RANK);
	census = &evidence.at[evidence.n - 1];
	for (int i = 0; i < 4; i++) {
		struct census_slot *slot = census_slot_at(census->bytes, i);

		slot->rank = slot->local_rank = i % 2;
		slot->restart = i / 2;
		slot->world_size = 2;
	}
	for (uint32_t r = 0; r < 4; r++) {
		struct exhibit *log =
			forge_text(&evidence, EXHIBIT_STDERR, FORGE_PID(r), text);

		free(log->label);
		log->label = alloc_text("file 1:2");
	}
	job = decode_job(&evidence);
	evidence_release(&evidence);
	return job;
}

static void what_an_earlier_attempt_wrote_is_not_this_ones(void **state)
{
	static const char first[] =
		"[rank1]: Traceback (most recent call last):\n"
		"[rank1]: RuntimeError: flaky disk\n"
		"[rank0]: RuntimeError: Connection closed by peer\n"
		"W1130 09:29:41.960000 79 torch/distributed/elastic/multiprocessing/api.py:1028] "
		"Sending process 100 closing signal SIGTERM\n"
		"[rank0]: bye\n"
		"E1130 09:29:42.238000 79 torch/distributed/elastic/multiprocessing/api.py:1002] "
		"failed (exitcode: 1) local_rank: 1 (pid: 101) of binary: /usr/bin/python3\n";
	static const char second[] = "[rank1]: step 3\n";
	/* An end that is of this attempt takes nothing away from what it wrote. */
	static const char end[] =
		"E1130 09:29:52.238000 79 torch/distributed/elastic/multiprocessing/api.py:1002] "
		"failed (exitcode: 1) local_rank: 1 (pid: 103) of binary: /usr/bin/python3\n";
	struct str text = {0};
	struct job *job;

	(void)state;
	str_add(&text, first);
	str_add(&text, second);
	str_add(&text, end);
	job = job_of_attempts(str_text(&text));
	assert_int_equal(job->attempt, 2);
	assert_string_equal(last_of(job, 1), "step 3");
	assert_string_equal(last_of(job, 0), "");
	for (size_t i = 0; i < job->nlogs; i++)
		if (job_rank(job, job->logs[i].rank)->world_rank.n == 1)
			assert_string_equal(job->logs[i].error, "");
	job_free(job);
	str_release(&text);
}

static void the_line_that_is_shown_is_of_use(void **state)
{
	assert_last(
		"step 7\n*****\nW1122 10:43:51.191000 29 torch/x.py:12] slow\n", NULL, 0, "step 7");
	assert_last("step 7\nx.py:3: UserWarning: old\n  warnings.warn(\n", NULL, 0, "step 7");
	assert_last("step 7\nm0:29:30 [0] NCCL INFO Channel 00\n", NULL, 0, "step 7");
	assert_last("step 7\n 10%|#   | 1/10 [00:01<00:09, 1.0it/s]\n", NULL, 0, "step 7");
	/* Noise is better than nothing, a bar better than noise; of a bar the last state counts. */
	assert_last("x.py:3: UserWarning: old\n", NULL, 0, "x.py:3: UserWarning: old");
	assert_last("a 10%| 1/10 [00:01, 1.0it/s]\ra 20%| 2/10 [00:02, 1.0it/s]\n"
		    "x.py:3: UserWarning: old\n",
		NULL, 0, "a 20%| 2/10 [00:02, 1.0it/s]");
	assert_last("E1122 10:43:51.191000 29 torch/x.py:12] failed\n", NULL, 0, "failed");
	assert_last("\x1b[36m(W pid=1)\x1b[0m not mine\n\x1b[31mmine\x1b[0m\n", NULL, 0, "mine");
}

/* A log as the agent leaves it: the job's lines, a page, the line for collectors, more of the job.
 */
static void add_verdict(struct str *log, const char *page)
{
	str_add_char(log, '\n');
	own_words_add_page(log, page);
	str_add(log, "\n" OWN_WORDS_VERDICT "{\"schema\":\"inquest/1\"}\n");
}

static void what_we_say_is_no_word_of_the_job(void **state)
{
	static const char page[] = "RANK 1 DIED OF AN EXCEPTION\n 1  ValueError: bad\nnext  x\n";
	struct str log = {0};
	size_t begin, head;

	str_add(&log, "step 7\n");
	begin = log.len;
	add_verdict(&log, page);
	head = (size_t)(strstr(log.text + begin, "RANK 1") - log.text);
	str_add(&log, OWN_WORDS_COMPLAINT "the job moves again\n" OWN_WORDS_SAYS "it ended\n");
	assert_last(log.text, NULL, 0, "step 7");
	/* What the job says between two of our writes stays its own. */
	str_cut(&log, begin);
	own_words_add_page(&log, page);
	str_add(&log, "step 8\n" OWN_WORDS_VERDICT "{}\n");
	assert_last(log.text, NULL, 0, "step 8");
	/* The log's end begins within a page. */
	str_cut(&log, begin);
	add_verdict(&log, page);
	str_add(&log, "step 9\n");
	assert_last(log.text + head, NULL, 0, "step 9");
	/* A launcher marks our lines too. */
	assert_last("[rank0]: step 7\n[default0]:" OWN_WORDS_SAYS "verdict in 1 lines\n"
		    "[default0]:RANK 1 DIED\n[default0]:" OWN_WORDS_VERDICT "{}\n0: " OWN_WORDS_SAYS
		    "it ended\n",
		NULL, 0, "step 7");
	/* And nobody's words are ours because they name us. */
	assert_last("running inquest: it helps\n", NULL, 0, "running inquest: it helps");
	str_release(&log);
}

static void our_words_are_cut_out_of_any_text(void **state)
{
	unsigned seed = 7;
	char text[400];

	for (int round = 0; round < 20000; round++) {
		size_t len = 0, left;

		while (len < sizeof(text) - 64) {
			static const char *const parts[] = {"\n", "INQUEST: verdict in ", "3 lines",
				"99999999999999999999 lines\n", "INQUEST_VERDICT ", "a\n",
				"inquest: ", "[rank0]: ", "\r", "0: "};
			const char *part = parts[(seed = seed * 1103515245 + 12345) / 65536 % 10];

			memcpy(text + len, part, strlen(part));
			len += strlen(part);
			if ((seed = seed * 1103515245 + 12345) / 65536 % 20 == 0)
				break;
		}
		left = own_words_drop(text, len);
		assert_true(left <= len);
		assert_int_equal(own_words_drop(text, left) <= left, 1);
		assert_null(memmem(text, left, "\nINQUEST_VERDICT ", 17));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_told_from_words),
		cmocka_unit_test(a_line_of_another_rank_is_never_this_ranks),
		cmocka_unit_test(what_an_earlier_attempt_wrote_is_not_this_ones),
		cmocka_unit_test(the_line_that_is_shown_is_of_use),
		cmocka_unit_test(what_we_say_is_no_word_of_the_job),
		cmocka_unit_test(our_words_are_cut_out_of_any_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
