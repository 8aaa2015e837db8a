/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/slurm-end.h"

#include <string.h>

/* By the first of these words that stands there: "CANCELLED AT" stands beside a reason, too. */
static const struct {
	const char *words;
	enum job_ended_by reason;
} reasons[] = {
	{"DUE TO TIME LIMIT", JOB_ENDED_BY_LIMIT},
	{"DUE TO NODE FAILURE", JOB_ENDED_BY_NODE},
	{"DUE TO PREEMPTION", JOB_ENDED_BY_PREEMPTION},
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
	       slurm_end_is_over(words);
}

bool slurm_end_is_over(const char *words)
{
	return strstr(words, "CANCELLED AT") != NULL;
}

enum job_ended_by slurm_end_reason(const char *words)
{
	/* srun cancels a step by itself where one of its tasks failed: that is no reason. */
	bool step = strstr(words, "*** STEP ") && !strstr(words, "DUE TO");

	for (size_t i = 0; !step && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strstr(words, reasons[i].words))
			return reasons[i].reason;
	return JOB_ENDED_UNTOLD;
}
