/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of the launch that explain a finding: each is told beside it, as a fact of the launch,
 * and is no verdict by itself. What each changes, and since when, is the table of src/envrules/.
 */
#include <string.h>

#include "verdict/judge.h"

#define IS(class) (UINT32_C(1) << VERDICT_##class)
#define AT_DEVICE (IS(ORDER_INVERSION) | IS(GPU_STALL) | IS(TRANSPORT_STALL))

static const struct {
	const char *variable, *value;
	enum verdict_fact_kind fact;
	uint32_t classes;
	bool at_start; /* it explains nothing after the start */
} settings[] = {
	{"CUDA_DEVICE_MAX_CONNECTIONS", "1", FACT_ONE_QUEUE, AT_DEVICE, false},
	{"CUDA_LAUNCH_BLOCKING", "1", FACT_LAUNCH_BLOCKS, AT_DEVICE, false},
	{"TORCH_DISTRIBUTED_DEBUG", "DETAIL", FACT_DEBUG_DETAIL,
		IS(RANK_DEATH) | IS(NOT_STARTED) | IS(HOST_STALL) | IS(INCONCLUSIVE), true},
};

/* Returns the launch that set the variable so; NULL: none is known to have. */
static const struct job_launch *launch_with(
	const struct job *job, const char *variable, const char *value)
{
	for (size_t i = 0; i < job->nlaunches; i++) {
		const char *is = launch_variable(&job->launches[i], variable);

		if (is && !strcmp(is, value))
			return &job->launches[i];
	}
	return NULL;
}

void judge_settings(struct inquiry *q)
{
	bool start = judge_stage(q) == VERDICT_BOOTSTRAP;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const struct job_launch *launch =
			launch_with(q->job, settings[i].variable, settings[i].value);

		for (size_t d = 0; launch && (start || !settings[i].at_start) && d < q->drafts.nr;
			d++)
			if (settings[i].classes >> q->drafts.items[d].verdict.class & 1)
				draft_fact(q, &q->drafts.items[d], settings[i].fact, NO_RANK,
					launch->cite);
	}
}
