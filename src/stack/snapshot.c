/* SPDX-License-Identifier: Apache-2.0 */
#include "stack/snapshot.h"

#include <string.h>

void snapshot_release(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	excerpt_free(snapshot->memory);
	arena_release(&snapshot->arena);
	memset(snapshot, 0, sizeof(*snapshot));
}
