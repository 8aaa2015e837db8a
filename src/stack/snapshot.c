/* SPDX-License-Identifier: Apache-2.0 */
#include "stack/snapshot.h"

#include <errno.h>
#include <string.h>

void snapshot_release(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	excerpt_free(snapshot->memory);
	arena_release(&snapshot->arena);
	memset(snapshot, 0, sizeof(*snapshot));
}

bool snapshot_of_ended(const struct snapshot *snapshot)
{
	size_t ended = 0;

	for (size_t i = 0; i < snapshot->nthreads; i++)
		ended += snapshot->threads[i].error == ESRCH;
	return ended && ended == snapshot->nthreads;
}
