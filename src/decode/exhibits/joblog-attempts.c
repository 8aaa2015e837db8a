/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-attempts.h"

#include <stdlib.h>
#include <string.h>

/* Of "... 07:45:31.029000 15584 torch/x.py:1002] failed" the number before the file. */
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

/* The agent's, made on first sight; NULL there are too many. */
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

/* True if it is the end of another process than that of which the same was told before. */
static bool is_of_next_run(const struct joblog_attempts *attempts,
	const struct joblog_ended *before, const struct joblog_end *end, int64_t number)
{
	if (end->alone && attempts->alone)
		return true;
	if (!before->line || before->rank != end->rank || before->line == number)
		return false;
	return end->pid != before->pid || !end->pid;
}

void joblog_attempts_end(
	struct joblog_attempts *attempts, const struct joblog_end *end, int64_t number)
{
	struct joblog_ended *before = &attempts->ended[end->rank % JOBLOG_ENDED];

	if (is_of_next_run(attempts, before, end, number)) {
		/* The report of the run before ends with a ruler, if it is here. */
		attempts->run_past = attempts->ruler ? attempts->ruler : attempts->last_end;
		attempts->runs++;
		memset(attempts->ended, 0, sizeof(attempts->ended));
	}
	*before = (struct joblog_ended){end->rank, end->pid, number};
	attempts->alone = end->alone;
	attempts->last_end = number;
	attempts->ruler = 0;
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
