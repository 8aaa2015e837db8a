/* SPDX-License-Identifier: Apache-2.0 */
#include "base/packed.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* What such files begin with, or have at a place near their begin. */
struct packer {
	size_t at;
	const char *bytes;
	size_t n;
	const char *how;
};

static const struct packer tar = {257, "ustar", 5, "packed by tar: unpack it"};

static const struct packer packers[] = {
	{0, "\x1f\x8b", 2, "packed by gzip: unpack it"},
	{0, "\xfd" "7zXZ\0", 6, "packed by xz: unpack it"},
	{0, "BZh", 3, "packed by bzip2: unpack it"},
	{0, "\x28\xb5\x2f\xfd", 4, "packed by zstd: unpack it"},
	{0, "PK\3\4", 4, "packed by zip: unpack it"},
};

static bool is(const struct packer *packer, const char *bytes, size_t n)
{
	return n >= packer->at + packer->n &&
	       !memcmp(bytes + packer->at, packer->bytes, packer->n);
}

static const char *hides(const char *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is(&packers[i], bytes, n))
			return packers[i].how;
	return NULL;
}

const char *packed_how(const char *bytes, size_t n)
{
	return is(&tar, bytes, n) ? tar.how : hides(bytes, n);
}

/* Reads a file's begin. Returns how many bytes. */
static size_t read_begin(const char *path, char into[static PACKED_BYTES])
{
	int fd = file_open(path);
	ssize_t got = fd < 0 ? 0 : read(fd, into, PACKED_BYTES);

	if (fd >= 0)
		close(fd);
	return got > 0 ? (size_t)got : 0;
}

const char *packed_hides(const char *path)
{
	char bytes[PACKED_BYTES];

	return hides(bytes, read_begin(path, bytes));
}

const char *packed_how_file(const char *path)
{
	char bytes[PACKED_BYTES];

	return packed_how(bytes, read_begin(path, bytes));
}
