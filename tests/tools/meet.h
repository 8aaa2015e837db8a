/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TOOLS_MEET_H
#define TESTS_TOOLS_MEET_H

/* How ranks of tests meet: rank 0 has drawn an id, which all others read from a file. */

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Rank 0 writes the id to the file, which appears under its name only when it is whole; all others
 * wait for it and read the id. Returns false if that failed.
 */
static inline bool meet_by(const char *path, int rank, void *id, size_t size)
{
	char fresh[544];
	bool whole;
	int fd;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	if (!rank) {
		fd = open(fresh, O_CREAT | O_WRONLY | O_TRUNC, 0600);
		return fd >= 0 && write(fd, id, size) == (ssize_t)size && !close(fd) &&
		       !rename(fresh, path);
	}
	while ((fd = open(path, O_RDONLY)) < 0)
		usleep(10000);
	whole = read(fd, id, size) == (ssize_t)size;
	close(fd);
	return whole;
}

#endif
