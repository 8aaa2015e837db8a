/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fds.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* close_range() exists from Linux 5.9 on, under one number on all machines. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* How many numbers are tried where even /proc is missing: those beyond are hardly used. */
#define MOST_NUMBERS 65536

/* Makes fd /dev/null; if that fails, closes it. */
static void put_null(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, fd) < 0)
		close(fd);
	if (null >= 0 && null != fd)
		close(null);
}

/*
 * Closes [first, last] on an older kernel, or one that refuses close_range(): those that /proc
 * lists, else all numbers there may be.
 */
static void close_one_by_one(unsigned first, unsigned last)
{
	DIR *list = opendir("/proc/self/fd");
	struct rlimit limit = {.rlim_cur = MOST_NUMBERS};
	const struct dirent *entry;

	if (!list) {
		getrlimit(RLIMIT_NOFILE, &limit);
		if (limit.rlim_cur > MOST_NUMBERS)
			limit.rlim_cur = MOST_NUMBERS;
		for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; fd++)
			close((int)fd);
		return;
	}
	while ((entry = readdir(list))) {
		unsigned long fd = strtoul(entry->d_name, NULL, 10);

		if (*entry->d_name != '.' && fd >= first && fd <= last && (int)fd != dirfd(list))
			close((int)fd);
	}
	closedir(list);
}

static void close_span(unsigned first, unsigned last)
{
	if (first <= last && syscall(SYS_close_range, first, last, 0) < 0)
		close_one_by_one(first, last);
}

void fds_keep(const int *keep, size_t n)
{
	unsigned first = STDERR_FILENO + 1;

	for (;;) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)first && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next == UINT_MAX)
			break;
		close_span(first, next - 1);
		first = next + 1;
	}
	close_span(first, INT_MAX);
	put_null(STDIN_FILENO);
	put_null(STDOUT_FILENO);
}

void fds_silence(void)
{
	put_null(STDERR_FILENO);
}
