/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for events and spans. How many a rank has is known only when they are made, and how many
 * it can have at most is twice that and more; so it takes that much, and gives the rest back for
 * the next rank. Blocks are large, for the kernel gives large ones in large pages (base/alloc.h).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "viewer/timeline/track-make.h"

#define BLOCK ((size_t)64 << 20) /* bytes; what is never written costs nothing */

void *track_take(struct track_room *room, size_t nr, size_t size)
{
	size_t bytes = nr * size;

	if (bytes > room->left) {
		room->left = bytes > room->usual ? bytes : room->usual;
		room->at = *array_add(&room->blocks) = alloc_zeroed(1, room->left);
	}
	room->taken = bytes;
	room->at += bytes;
	room->left -= bytes;
	return room->at - bytes;
}

void track_keep(struct track_room *room, size_t nr, size_t size)
{
	size_t spare = room->taken - nr * size;

	room->at -= spare;
	room->left += spare;
	room->taken = 0;
}

void track_room_make(struct track_room *room, size_t most)
{
	*room = (struct track_room){.usual = most < BLOCK ? most : BLOCK};
}

void track_room_release(struct track_room *room)
{
	for (size_t i = 0; i < room->blocks.nr; i++)
		free(room->blocks.items[i]);
	array_release(&room->blocks);
}
