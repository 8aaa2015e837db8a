/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_MADE_FILE_H
#define TESTS_UNIT_MADE_FILE_H

/* Files without a name, of bytes that a test has made; and how much of them was read. */

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* Returns a descriptor of a file with these bytes, which the caller closes. */
static inline int made_file(const void *bytes, size_t len)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

/* Returns how many bytes this process has read so far; 0 where the kernel does not count. */
static inline uint64_t made_file_read(void)
{
	FILE *io = fopen("/proc/self/io", "re");
	unsigned long long bytes = 0;

	if (!io)
		return 0;
	if (fscanf(io, "rchar: %llu", &bytes) != 1)
		bytes = 0;
	fclose(io);
	return bytes;
}

#endif
