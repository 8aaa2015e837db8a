/* SPDX-License-Identifier: Apache-2.0 */
/* The source `live': a job, found by what it is called. */
#include <string.h>

#include "base/array.h"
#include "evidence/agent/fellows.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/source.h"

/* Returns the job that the argument means, which `jobs` then holds; NULL with words. */
static const struct jobs_entry *live_job_of(
	const char *arg, struct jobs *jobs, struct complaint *why)
{
	const struct jobs_entry *entry;

	if (strchr(arg, '/'))
		return jobs_open(jobs, arg, why) == 0 ? &jobs->items[0] : NULL;
	if (jobs_list(jobs, why) < 0)
		return NULL;
	entry = jobs_find(jobs, arg, why);
	return entry ? fellows_head(jobs, entry) : NULL;
}

static bool live_claims(const char *arg)
{
	struct jobs jobs = {0};
	bool claims = live_job_of(arg, &jobs, NULL) != NULL;

	jobs_release(&jobs);
	return claims;
}

static int live_gather_arg(const char *arg, struct evidence *into, struct complaint *why)
{
	struct live_options options = LIVE_OPTIONS_DEFAULT;
	ARRAY(const char *) folders = {0};
	const struct jobs_entry *entry;
	struct jobs jobs = {0};
	int error = -1;

	entry = live_job_of(arg, &jobs, why);
	for (size_t i = 0; entry && i < jobs.nr; i++)
		if (&jobs.items[i] != entry && fellows_are(&jobs.items[i], entry))
			*array_add(&folders) = jobs.items[i].folder;
	options.fellows = folders.items;
	options.nfellows = folders.nr;
	if (entry)
		error = live_gather(entry->folder, &options, into, why);
	array_release(&folders);
	jobs_release(&jobs);
	return error;
}

const struct source source_live = {
	.name = "live", .claims = live_claims, .gather = live_gather_arg};
