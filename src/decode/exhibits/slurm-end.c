/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/slurm-end.h"

#include <string.h>

/*
 * Reasons by the first of these words that stands there: "CANCELLED AT" stands beside a reason,
 * too.
 */
struct end_told {
	const char *words;
	enum job_ended_by reason;
};

static const struct end_told in_lines[] = {
	{"REQUEUE", JOB_ENDED_UNTOLD},
	{"DUE TO TIME LIMIT", JOB_ENDED_BY_LIMIT},
	{"DUE TO NODE FAILURE", JOB_ENDED_BY_NODE},
	{"DUE TO PREEMPTION", JOB_ENDED_BY_PREEMPTION},
	{"DUE TO", JOB_ENDED_UNTOLD},
	{"CANCELLED AT", JOB_ENDED_BY_CANCEL},
	{"oom", JOB_ENDED_OTHERWISE},
	{"memory", JOB_ENDED_OTHERWISE},
};

static const struct end_told in_states[] = {
	{"TIMEOUT", JOB_ENDED_BY_LIMIT},
	{"DEADLINE", JOB_ENDED_BY_LIMIT},
	{"NODE_FAIL", JOB_ENDED_BY_NODE},
	{"PREEMPTED", JOB_ENDED_BY_PREEMPTION},
	{"CANCELLED", JOB_ENDED_BY_CANCEL},
};

bool slurm_end_tells(const char *words)
{
	return strstr(words, "oom_kill event") || strstr(words, "oom-kill event") ||
	       strstr(words, "memory limit") || strstr(words, "DUE TO") ||
	       strstr(words, "CANCELLED AT");
}

enum job_ended_by slurm_end_of_line(const char *line)
{
	/* A quoted line does not begin so; a step ends for reasons of its own. */
	if (strncmp(line, "slurmstepd", 10) != 0 ||
		(strstr(line, "*** STEP ") && strstr(line, "CANCELLED AT")))
		return JOB_ENDED_UNTOLD;
	for (size_t i = 0; i < sizeof(in_lines) / sizeof(in_lines[0]); i++)
		if (strstr(line, in_lines[i].words))
			return in_lines[i].reason;
	return JOB_ENDED_UNTOLD;
}

bool slurm_end_is_over(const char *line)
{
	enum job_ended_by reason = slurm_end_of_line(line);

	return reason == JOB_ENDED_BY_LIMIT || reason == JOB_ENDED_BY_CANCEL;
}

enum job_ended_by slurm_end_of_state(const char *state)
{
	for (size_t i = 0; i < sizeof(in_states) / sizeof(in_states[0]); i++)
		if (!strncmp(state, in_states[i].words, strlen(in_states[i].words)))
			return in_states[i].reason;
	return JOB_ENDED_OTHERWISE;
}
