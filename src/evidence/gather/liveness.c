/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/liveness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "proc/read.h"
#include "proc/sight.h"
#include "ring/census-read.h"

/* Looks for the process by the pid that we see, without a lock. */
static struct liveness liveness_look(struct proc_id here)
{
	struct liveness ret = {.here = here.pid};
	struct procstat stat;

	if (here.pid && proc_read_stat(here, &stat) == 0) {
		ret.there = true;
		ret.state = stat.state;
	} else if (here.pid) {
		ret.unseen = proc_is_unseen(here);
	}
	return ret;
}

struct liveness liveness_of_process(uint32_t pid, uint64_t start_time)
{
	return liveness_look((struct proc_id){pid, start_time});
}

/*
 * True if the pid that the slot tells may be another process' by now, with nothing to tell the two
 * apart: of a child that was killed its parent knows no start time.
 */
static bool liveness_left_pid(const struct census_slot *slot)
{
	return slot->state == CENSUS_EXITED && !slot->start_time;
}

struct liveness liveness_of_slot(
	struct proc_ns_seen *seen, int census_fd, uint32_t i, const struct census_slot *slot)
{
	struct proc_id id = {slot->pid, slot->start_time};
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)census_slot_offset(i),
		.l_len = 1,
	};
	bool told = fcntl(census_fd, F_GETLK, &lock) == 0;
	bool held = told && lock.l_type != F_UNLCK;
	struct liveness ret;

	/* The kernel names the lock's owner by the pid that we see, so it need not be searched. */
	id.pid = held && lock.l_pid > 0 ? (uint32_t)lock.l_pid
					: proc_ns_find(seen, id, slot->pid_ns);
	ret = liveness_left_pid(slot) ? (struct liveness){.here = id.pid} : liveness_look(id);
	if (told)
		ret.lock = held ? LIVENESS_LOCK_HELD : LIVENESS_LOCK_FREE;
	return ret;
}

#define LIVENESS_TRIES 4 /* how often a census is copied anew in which somebody ends at every
			  * look */

/* True if the slot has changed hands, or its owner has said how it ended, since it was copied. */
static bool liveness_is_news(int census_fd, uint32_t i, const struct census_slot *slot)
{
	const uint64_t flags = (uint64_t)CENSUS_FLAGS << 32;
	uint64_t head;

	if (pread(census_fd, &head, sizeof(head), (off_t)census_slot_offset(i)) != sizeof(head))
		return false;
	return (head & ~flags) != (slot->head & ~flags);
}

/*
 * Looks who of a copy lives. Returns true if somebody has ended who told how only after it was
 * copied.
 */
static bool liveness_look_at(
	struct proc_ns_seen *seen, int census_fd, const struct liveness_census *census)
{
	struct census_view view;
	struct census_slot slot;
	bool late = false;

	if (census_view_open(&view, census->bytes, census->size) < 0)
		return false;
	for (uint32_t i = 0; i < view.slots; i++) {
		if (census_view_slot(&view, i, &slot) != 1)
			continue;
		census->of[i] = liveness_of_slot(seen, census_fd, i, &slot);
		late |= slot.state != CENSUS_EXITED && !liveness_is_alive(&census->of[i]) &&
			liveness_is_news(census_fd, i, &slot);
	}
	return late;
}

int liveness_take_census(struct proc_ns_seen *seen, int census_fd, struct liveness_census *ret)
{
	struct liveness_census census = {
		.of = alloc_zeroed(CENSUS_SLOTS, sizeof(*census.of))};
	int error = 0;

	for (int tries = 0; !error && tries < LIVENESS_TRIES; tries++) {
		free(census.bytes);
		census.bytes = NULL;
		error = census_snapshot(census_fd, &census.bytes, &census.size);
		if (!error && !liveness_look_at(seen, census_fd, &census))
			break;
	}
	if (error)
		free(census.of);
	else
		*ret = census;
	return error;
}

bool liveness_is_alive(const struct liveness *liveness)
{
	if (liveness->there)
		return liveness->state != 'Z' && liveness->state != 'X';
	return liveness->unseen || liveness->lock == LIVENESS_LOCK_HELD;
}

/*
 * Tells which file a process runs, as the kernel has it in memory: a file server that is gone is
 * not asked.
 */
static bool program_of(uint32_t pid, struct statx *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return !statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, ret);
}

bool liveness_same_program(uint32_t a, uint32_t b)
{
	struct statx one, other;

	return program_of(a, &one) && program_of(b, &other) && one.stx_ino == other.stx_ino &&
	       one.stx_dev_major == other.stx_dev_major &&
	       one.stx_dev_minor == other.stx_dev_minor;
}
