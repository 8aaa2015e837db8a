/* SPDX-License-Identifier: Apache-2.0 */
#include "words/read.h"

void read_add(struct str *into, const struct job *job, const char *between)
{
	size_t rings = 0, dumps = 0;

	for (size_t i = 0; i < job->nranks; i++) {
		rings += (job->ranks[i].knows & JOB_KNOWS_RING) != 0;
		dumps += (job->ranks[i].knows & JOB_KNOWS_DUMP) != 0;
	}
	str_printf(into, "%zu%s%zu %s", rings || !dumps ? rings : dumps, between,
		job->world_size == JOB_NONE ? job->nranks : (size_t)job->world_size,
		rings || !dumps ? "rings" : "dumps of the Flight Recorder");
}
