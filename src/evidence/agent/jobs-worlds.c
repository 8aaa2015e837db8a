/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/jobs-worlds.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/makers.h"
#include "ring/ring-snapshot.h"

/* How many communicators are read of one ring, and of a folder: as many as tell it from others. */
#define WORLDS_OF_RING 32u
#define WORLDS_MOST    256u
#define RINGS_MOST     8192u /* files looked at in one folder, rings or not */

/*
 * Adds a communicator, once. It is the whole world's if it is ready and has as many members as the
 * job has ranks.
 */
static void worlds_add(struct jobs_entry *entry, const struct ring_group *group, int world_size)
{
	struct jobs_world *world;

	array_for_each(&entry->worlds, world)
		if (world->key == group->key)
			return;
	*array_add(&entry->worlds) = (struct jobs_world){.key = group->key,
		.alias = group->alias,
		.whole = (group->state & RING_G_READY) && group->size > 1 &&
			(int64_t)group->size == world_size};
}

/*
 * Adds the communicators of one ring, as it is now. Anything odd in the ring ends the reading: it
 * may be half written, or forged.
 */
static void worlds_of_ring(struct jobs_entry *entry, int fd)
{
	struct ring_header header;
	struct ring_group group;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
		header.magic != RING_MAGIC || header.role != RING_RANK)
		return;
	for (uint64_t i = 0; i < WORLDS_OF_RING && ring_glance_group(fd, &header, i, &group); i++)
		if (!(group.seq & 1) && group.key && ring_maker_draws_ids(group.maker))
			worlds_add(entry, &group, header.world_size);
}

void jobs_read_worlds(struct jobs_entry *entry, const struct folder *folder)
{
	int again = dup(folder->fd);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *file;

	while (dir && entry->worlds.nr < WORLDS_MOST && entry->cost.rings < RINGS_MOST &&
		(file = readdir(dir))) {
		size_t len = strlen(file->d_name);
		int fd;

		entry->cost.rings++;
		if (len <= 5 || strcmp(file->d_name + len - 5, ".ring") != 0)
			continue;
		fd = folder_open_file(folder, file->d_name, NULL);
		if (fd < 0)
			continue;
		worlds_of_ring(entry, fd);
		close(fd);
	}
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
}
