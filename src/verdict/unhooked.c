/* SPDX-License-Identifier: Apache-2.0 */
/* What of a program could not be hooked, and is not judged for that. */
#include <string.h>

#include "verdict/judge.h"

void judge_unhooked(struct inquiry *q)
{
	static const struct {
		const char *part; /* of the name that is missing */
		enum verdict_class class;
		const char *needs;
	} table[] = {
		{"dataloader", VERDICT_EMPTY_SHARD, "batches: the loader is not hooked"},
		{"_dynamo", VERDICT_COMPILE_SKEW, "compile phases: torch's are not hooked"},
		{"_inductor", VERDICT_COMPILE_STUCK, "compile workers: torch's are not hooked"},
		{"output_graph", VERDICT_GRAPH_DIVERGENCE, "graphs: torch's are not hooked"},
	};

	for (size_t i = 0; i < q->job->ntraits && q->drafts.nr; i++) {
		const struct job_trait *trait = &q->job->traits[i];

		if (strcmp(trait->key, "missing") != 0 ||
			q->drafts.items[0].verdict.class == VERDICT_HEALTHY)
			continue;
		for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
			if (strstr(trait->text, table[k].part))
				inquiry_not_judged(q, table[k].class, JOB_NONE, table[k].needs);
	}
}
