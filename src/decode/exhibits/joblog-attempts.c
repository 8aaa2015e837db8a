/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-attempts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "evidence/gather/log-marks.h"
#include "job/job.h"

#define TRACE_START   "Traceback (most recent call last)"
#define LETTERS_LEAST 8 /* in words that tell the beginning of a run */

/*
 * Returns the number before the file, the pid in "... 07:45:31.029000 15584 torch/x.py:1002]
 * failed"; 0 none.
 */
static int64_t pid_before(const char *line, const char *end)
{
	const char *file = end;
	long long pid;
	char *behind;

	while (file > line && file[-1] != ' ')
		file--;
	for (file -= file > line; file > line && file[-1] != ' '; file--)
		;
	pid = strtoll(file, &behind, 10);
	return behind > file && *behind == ' ' && pid > 0 ? pid : 0;
}

/* Returns the agent of that pid, made on first sight; NULL there are too many. */
static struct joblog_agent *agent_of(struct joblog_attempts *attempts, int64_t pid)
{
	for (int i = 0; i < attempts->nr; i++)
		if (attempts->agents[i].pid == pid)
			return &attempts->agents[i];
	if (attempts->nr == JOBLOG_AGENTS)
		return NULL;
	attempts->agents[attempts->nr] = (struct joblog_agent){.pid = pid};
	return &attempts->agents[attempts->nr++];
}

static bool has_ended(const struct joblog_attempts *attempts, int rank, int64_t pid)
{
	const struct joblog_ended *one;

	array_for_each(&attempts->ended, one)
		if (one->rank == rank && one->pid == pid)
			return true;
	return false;
}

/*
 * True if it is the end of another process than an end that was told before. One srun tells of a
 * task once; of two that run at a time each tells of its own hosts.
 */
static bool is_of_next_run(
	const struct joblog_attempts *attempts, const struct joblog_end *end, int64_t number)
{
	const struct joblog_ended *one;

	if (end->alone)
		return attempts->alone;
	array_for_each(&attempts->ended, one)
		if (one->rank == end->rank && one->line != number &&
			(end->pid ? one->pid != end->pid : one->host == end->host))
			return true;
	return attempts->at_root && end->host && attempts->root_host == end->host &&
	       attempts->root_base == end->rank - end->local_rank &&
	       !has_ended(attempts, end->rank, end->pid);
}

/* Begins a run behind that line: all before is of earlier ones. */
static void begin_run_behind(struct joblog_attempts *attempts, int64_t line)
{
	for (int i = 0; attempts->speakers && i < JOBLOG_ENDED; i++)
		attempts->speakers[i].ended = false;
	attempts->all_ended = false;
	attempts->last_task = 0;
	attempts->run_past = line;
	attempts->runs++;
	attempts->ended.nr = 0;
	attempts->root_host = 0;
	attempts->boundary = 0;
	attempts->alone = false;
}

/* Begins a run behind the last report, or the last end. */
static void begin_run(struct joblog_attempts *attempts)
{
	begin_run_behind(
		attempts, attempts->boundary ? attempts->boundary : attempts->last_end);
}

/*
 * True for an end of an agent: from the first report of torchrun's on, what srun and mpirun tell is
 * of its agents.
 */
static bool is_of_agent(struct joblog_attempts *attempts, const struct joblog_end *end)
{
	if (end->local_rank < 0)
		return attempts->torchrun;
	if (!attempts->torchrun) {
		attempts->ended.nr = 0;
		attempts->run_past = 0;
		attempts->runs = 0;
	}
	attempts->torchrun = true;
	return false;
}

void joblog_attempts_end(
	struct joblog_attempts *attempts, const struct joblog_end *end, int64_t number)
{
	if (end->rank < 0 || is_of_agent(attempts, end))
		return;
	if (attempts->ruler)
		attempts->boundary = attempts->ruler;
	attempts->ruler = 0;
	if (is_of_next_run(attempts, end, number))
		begin_run(attempts);
	if (attempts->ended.nr < JOBLOG_ENDED)
		*array_add(&attempts->ended) =
			(struct joblog_ended){end->rank, end->pid, number, end->host};
	if (attempts->at_root) {
		attempts->root_host = end->host;
		attempts->root_base = end->rank - end->local_rank;
	}
	attempts->at_root = false;
	joblog_attempts_dies(attempts, end->rank, number);
	attempts->alone |= end->alone;
	attempts->all_ended |= end->alone || end->aborted;
	attempts->last_end = number;
}

/* Begins a run if torchrun has told the end of a rank that speaks, and the report is over. */
static void take_rank(struct joblog_attempts *attempts, int rank, int64_t number)
{
	const struct joblog_ended *one;

	if (rank < 0 || number <= attempts->ruler)
		return;
	array_for_each(&attempts->ended, one)
		if (one->rank == rank) {
			attempts->boundary = attempts->ruler;
			attempts->ruler = 0;
			begin_run(attempts);
			return;
		}
}

static struct joblog_speaker *speaker_of(struct joblog_attempts *attempts, int64_t rank)
{
	if (rank < 0 || rank >= JOBLOG_ENDED)
		return NULL;
	if (!attempts->speakers)
		attempts->speakers = alloc_zeroed(JOBLOG_ENDED, sizeof(*attempts->speakers));
	return &attempts->speakers[rank];
}

void joblog_attempts_dies(struct joblog_attempts *attempts, int64_t rank, int64_t number)
{
	struct joblog_speaker *speaker = speaker_of(attempts, rank);

	attempts->all_ended |= rank == JOB_NONE;
	if (speaker)
		speaker->ended = true;
	attempts->last_task = number;
}

/* True if by this line of PyTorch's hook the rank has ended: the line behind its traceback. */
static bool dies_of(struct joblog_attempts *attempts, int64_t rank, const char *words)
{
	bool begins = strstr(words, TRACE_START) != NULL;
	bool ends = attempts->in_traceback == rank + 1 && !begins && isalpha((unsigned char)*words);

	if (begins || ends)
		attempts->in_traceback = begins ? (int)rank + 1 : 0;
	return ends;
}

/* True for words that do not recur by chance, as a line of stars or "ok" does. */
static bool tell_apart(const char *words)
{
	size_t letters = 0;

	for (const char *at = words; *at; at++)
		letters += isalpha((unsigned char)*at) != 0;
	return letters >= LETTERS_LEAST;
}

/*
 * Takes words, behind their marks: a rank's, or of nobody who is known. They begin a run if the
 * speaker had begun with them before, and has ended since; whom mpirun has told to have ended has
 * no words behind that.
 */
static void take_words(
	struct joblog_attempts *attempts, struct joblog_speaker *speaker, const char *words)
{
	uint64_t hash = hash_text(HASH_START, words);

	if (!speaker || !isgraph((unsigned char)*words) || strstr(words, TRACE_START))
		return;
	if (attempts->alone && speaker->ended && isalpha((unsigned char)*words)) {
		begin_run_behind(attempts, attempts->last_task);
		return;
	}
	if (!tell_apart(words))
		return;
	if (!speaker->first && !speaker->ended && !attempts->all_ended)
		speaker->first = hash;
	else if (speaker->first == hash && attempts->last_task &&
		 (speaker->ended || attempts->all_ended))
		begin_run_behind(attempts, attempts->last_task);
}

void joblog_attempts_speaks(
	struct joblog_attempts *attempts, const char *line, bool numbered, int64_t number)
{
	bool reported = attempts->torchrun && attempts->ruler;
	struct log_marks marks;
	size_t before;
	int hook;

	before = log_marks_read(line, numbered && !reported, &marks);
	hook = log_marks_hook(line, before);
	if (reported)
		take_rank(attempts, hook, number);
	else if (numbered && hook >= 0 && dies_of(attempts, hook, line + before))
		joblog_attempts_dies(attempts, hook, number);
	else if (!attempts->torchrun && marks.by == LOG_MARKS_RANK && !marks.of_framework)
		take_words(attempts, speaker_of(attempts, marks.number), line + before);
	else if (!attempts->torchrun && marks.by == LOG_MARKS_NOBODY && !marks.of_framework)
		take_words(attempts, &attempts->nobody, line + before);
}

void joblog_attempts_take(struct joblog_attempts *attempts, const char *line, int64_t number)
{
	const char *failed = strstr(line, "failed (exitcode: ");
	struct joblog_agent *agent;

	if (failed && strstr(failed, "local_rank: ")) {
		attempts->reported = attempts->followed = false;
		agent = agent_of(attempts, failed > line ? pid_before(line, failed - 1) : 0);
		if (!agent)
			return;
		agent->before = agent->last;
		agent->last = number;
		agent->failed++;
	} else {
		attempts->reported |= strstr(line, "ChildFailedError") ||
				      strstr(line, "(first observed failure)");
		attempts->followed |= *line != '\0';
	}
	attempts->at_root |= strstr(line, "Root Cause (first observed failure)") != NULL;
	if (attempts->last_end && !attempts->ruler && strstr(line, "====="))
		attempts->ruler = number;
}

int64_t joblog_attempts_past(const struct joblog_attempts *attempts, int *ret_restarts)
{
	bool goes_on = attempts->followed && !attempts->reported;
	int64_t past = 0;

	*ret_restarts = 0;
	for (int i = 0; i < attempts->nr; i++) {
		const struct joblog_agent *agent = &attempts->agents[i];
		int64_t until = goes_on ? agent->last : agent->before;
		int restarts = agent->failed - !goes_on;

		past = until > past ? until : past;
		*ret_restarts = restarts > *ret_restarts ? restarts : *ret_restarts;
	}
	*ret_restarts += attempts->runs;
	return attempts->run_past > past ? attempts->run_past : past;
}

void joblog_attempts_release(struct joblog_attempts *attempts)
{
	array_release(&attempts->ended);
	free(attempts->speakers);
}
