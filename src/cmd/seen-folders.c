/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/seen-folders.h"

#include <errno.h>

#define ABOVE_MOST 64 /* ancestors of a process that are asked: its parent, and so on */

void seen_folders_add(struct jobs *jobs, const struct survey *survey,
	seen_folders_refused *refused, void *context)
{
	const struct survey_process *process;

	array_for_each (&survey->all, process) {
		struct complaint why = {0};
		int error;

		if (!*process->claims.folder || process->stat.state == 'Z')
			continue;
		error = jobs_add_seen(jobs, process->stat.pid, process->uid,
			process->claims.folder, &why);
		if (error && error != -ENOENT && error != -ENOTDIR && refused)
			refused(context, process, complaint_text(&why));
		complaint_release(&why);
	}
	jobs_settle(jobs);
}

const struct jobs_entry *seen_folders_above(const struct jobs *jobs, const struct survey *survey,
	const struct survey_process *process)
{
	for (int steps = 0; steps < ABOVE_MOST; steps++) {
		const struct jobs_entry *entry = NULL;

		if (*process->claims.folder)
			entry = jobs_find_seen(jobs, process->stat.pid, process->claims.folder);
		if (entry || process->parent == SURVEY_NONE)
			return entry;
		process = &survey->all.items[process->parent];
	}
	return NULL;
}
