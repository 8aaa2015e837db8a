/* SPDX-License-Identifier: Apache-2.0 */
/* Names what of a program could not be hooked, and so is not judged. */
#include <string.h>

#include "verdict/judge.h"

void judge_unhooked(struct inquiry *q)
{
	static const struct {
		const char *part; /* part of the missing function's name */
		enum verdict_class class;
		enum verdict_need need;
	} table[] = {
		{"dataloader", VERDICT_EMPTY_SHARD, NEED_LOADER_HOOK},
		{"_dynamo", VERDICT_COMPILE_SKEW, NEED_COMPILE_HOOK},
		{"_inductor", VERDICT_COMPILE_STUCK, NEED_WORKER_HOOK},
		{"output_graph", VERDICT_GRAPH_DIVERGENCE, NEED_GRAPH_HOOK},
	};

	for (size_t i = 0; i < q->job->ntraits && q->drafts.nr; i++) {
		const struct job_trait *trait = &q->job->traits[i];

		if (strcmp(trait->key, "missing") != 0 ||
			q->drafts.items[0].verdict.class == VERDICT_HEALTHY)
			continue;
		for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
			if (strstr(trait->text, table[k].part))
				inquiry_not_judged(q, table[k].class, table[k].need, NO_RANK);
	}
}
