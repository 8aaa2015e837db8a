/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "proc/sight.h"

/*
 * Appends at most `cap` bytes of an open file of /proc. Returns 0 or an errno, which is positive.
 */
static int proc_drain(int fd, size_t cap, struct str *into)
{
	size_t start = into->len;

	while (into->len - start < cap) {
		size_t left = cap - (into->len - start);
		size_t step = left < 4096 ? left : 4096;
		ssize_t got = read(fd, str_room(into, step), step);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		str_grow(into, (size_t)got);
	}
	return 0;
}

/* Appends the file at `path`. Returns 0 or an errno; on failure `into` is as it was. */
static int proc_slurp(const char *path, struct str *into)
{
	size_t start = into->len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = proc_drain(fd, PROC_READ_CAP, into);
	close(fd);
	if (error)
		str_cut(into, start);
	return error;
}

int proc_read(uint32_t pid, const char *name, struct str *into, struct complaint *why)
{
	char path[128];
	int error;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	error = proc_slurp(path, into);
	return error ? complaint_errno(why, error, "cannot read %s", path) : 0;
}

int proc_read_stat(struct proc_id id, struct procstat *ret)
{
	struct str text = {0};
	int error = proc_read(id.pid, "stat", &text, NULL);

	if (!error && !procstat_parse(str_text(&text), text.len, ret))
		error = -EPROTO;
	if (!error && id.start_time && ret->start_time != id.start_time)
		error = -ESRCH;
	str_release(&text);
	return error == -ENOENT ? -ESRCH : error;
}

static int tid_compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

int proc_read_tasks(uint32_t pid, struct str *into)
{
	ARRAY(uint32_t) tids = {0};
	const struct dirent *entry;
	char path[64];
	uint32_t *tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			*array_add(&tids) = (uint32_t)strtoul(entry->d_name, NULL, 10);
	closedir(dir);
	array_sort(&tids, tid_compare);
	array_for_each(&tids, tid) {
		if (into->len > PROC_READ_CAP)
			break;
		snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, *tid);
		(void)proc_slurp(path, into); /* a thread may end while we look */
	}
	array_release(&tids);
	return 0;
}

bool proc_is_alive(struct proc_id id)
{
	struct procstat stat;

	if (proc_read_stat(id, &stat) < 0)
		return proc_is_unseen(id);
	return stat.state != 'Z' && stat.state != 'X';
}

uint64_t proc_start_time(uint32_t pid)
{
	struct procstat stat;

	return proc_read_stat((struct proc_id){.pid = pid}, &stat) == 0 ? stat.start_time : 0;
}
