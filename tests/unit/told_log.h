/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TOLD_LOG_H
#define TESTS_UNIT_TOLD_LOG_H

/* Logs as launchers collect them, and what is made of one alone. */

#include "base/str.h"
#include "decode/decode.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"
#include "verdict/verdict.h"

/* The hook of PyTorch prints this of a rank that dies of an exception. */
#define HOOK(r, error)                                                                             \
	"[rank" #r "]: Traceback (most recent call last):\n"                                       \
	"[rank" #r "]:   File \"/w/train.py\", line 88, in <module>\n"                           \
	"[rank" #r "]:     loss.backward()\n"                                                      \
	"[rank" #r "]: " error "\n"

/* An entry of torchrun's report. */
#define REPORT(r, code)                                                                            \
	"  time      : 2026-11-23_23:38:52\n  host      : m1\n"                                   \
	"  rank      : " #r " (local_rank: " #r ")\n"                                              \
	"  exitcode  : " #code " (pid: 471" #r ")\n  error_file: <N/A>\n"

/* What is made of it; see forget(). */
struct told {
	struct job *job;
	struct verdicts *verdicts;
	const struct verdict *first;
};

/* The log as the sieve gives it, line by line. */
static inline void add_file(struct evidence *evidence, const char *label, const char *text)
{
	const struct exhibit about = {.kind = EXHIBIT_JOB_LOG,
		.rank = -1,
		.label = (char *)label,
		.when = FORGE_T0_REAL};
	struct str lines = {0};
	int number = 0;
	size_t len;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		str_printf(&lines, "%d\t%.*s\n", ++number, (int)strcspn(at, "\n"), at);
	len = lines.len;
	evidence_add(evidence, &about, (uint8_t *)str_detach(&lines), len);
}

/* Adds the log of a launcher. */
static inline void add_log(struct evidence *evidence, const char *text)
{
	add_file(evidence, "job.log", text);
}

/* Judges the evidence, and releases it. */
static inline struct told told_of(struct evidence *evidence)
{
	struct told told = {.job = decode_job(evidence)};

	told.verdicts = verdicts_of(told.job);
	told.first = &told.verdicts->at[0];
	evidence_release(evidence);
	return told;
}

/* Judges a log alone. */
static inline struct told tell(const char *text)
{
	struct evidence evidence = {0};

	add_log(&evidence, text);
	return told_of(&evidence);
}

static inline void forget(struct told *told)
{
	verdicts_free(told->verdicts);
	job_free(told->job);
}

/* True if some verdict names the rank. */
static inline bool blames(const struct told *told, int rank)
{
	for (size_t v = 0; v < told->verdicts->n; v++)
		for (size_t i = 0; i < told->verdicts->at[v].culprits.n; i++) {
			struct rank_index at = told->verdicts->at[v].culprits.at[i];

			if (told->job->ranks[at.i].world_rank.n == rank)
				return true;
		}
	return false;
}

static inline void assert_inconclusive(const char *text)
{
	struct told told = tell(text);

	assert_int_equal(told.first->class, VERDICT_INCONCLUSIVE);
	for (int rank = 0; rank < 8; rank++)
		assert_false(blames(&told, rank));
	forget(&told);
}

#endif
