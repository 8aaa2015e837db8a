/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/liveness.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "proc/read.h"
#include "ring/census-read.h"

static struct liveness liveness_look(struct proc_id here)
{
	struct liveness ret = {LIVENESS_LOCK_UNKNOWN, here.pid, false, 0};
	struct procstat stat;

	if (here.pid && proc_read_stat(here, &stat) == 0) {
		ret.there = true;
		ret.state = stat.state;
	}
	return ret;
}

struct liveness liveness_of_process(uint32_t pid, uint64_t start_time)
{
	return liveness_look((struct proc_id){pid, start_time});
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

	/* The kernel names the lock's owner by the pid that we know: no need to search for it. */
	id.pid = held && lock.l_pid > 0 ? (uint32_t)lock.l_pid
					: proc_ns_find(seen, id, slot->pid_ns);
	ret = liveness_look(id);
	if (told)
		ret.lock = held ? LIVENESS_LOCK_HELD : LIVENESS_LOCK_FREE;
	return ret;
}

bool liveness_is_alive(const struct liveness *liveness)
{
	if (liveness->there)
		return liveness->state != 'Z' && liveness->state != 'X';
	return liveness->lock == LIVENESS_LOCK_HELD;
}

/* Which file a process runs, as the kernel has it in memory: a server that is gone is not asked. */
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
