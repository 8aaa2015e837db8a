/* SPDX-License-Identifier: Apache-2.0 */
#include "base/packed.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define UTF16 "text in UTF-16: convert it, iconv -f UTF-16 -t UTF-8"

/*
 * What such files begin with, or have at a place near their begin. A text may begin with some of
 * these bytes by chance: then what stands behind them tells.
 */
struct packer {
	size_t at;
	const char *bytes;
	size_t n;
	const char *how;
	bool (*is)(const char *behind, size_t n); /* what stands behind them; NULL: anything may */
};

/* RFC 1952: the only method, and no flag that is reserved. */
static bool is_gzip(const char *behind, size_t n)
{
	return n < 2 || (behind[0] == 8 && !(behind[1] & 0xe0));
}

/* A level, and the begin of a block or of the end. */
static bool is_bzip2(const char *behind, size_t n)
{
	static const char block[] = "1AY&SY", end[] = "\x17\x72\x45\x38\x50\x90";
	size_t nr = n - 1 < 6 ? n - 1 : 6;

	return n && behind[0] >= '1' && behind[0] <= '9' &&
	       (!memcmp(behind + 1, block, nr) || !memcmp(behind + 1, end, nr));
}

/* RFC 8878: a flag of the frame that is reserved. */
static bool is_zstd(const char *behind, size_t n)
{
	return !n || !(behind[0] & 8);
}

/* POSIX' archives go on with a NUL, GNU's with two blanks and a NUL. */
static bool is_archive(const char *behind, size_t n)
{
	return n && (!behind[0] || (n >= 3 && !memcmp(behind, "  ", 3)));
}

/* Text begins with a letter of ASCII: one of its bytes is a NUL. UTF-32 has three of them. */
static bool is_utf16(const char *behind, size_t n)
{
	return n >= 2 && !behind[0] != !behind[1];
}

static const struct packer tar = {257, "ustar", 5, "packed by tar: unpack it", is_archive};

static const struct packer packers[] = {
	{0, "\x1f\x8b", 2, "packed by gzip: unpack it", is_gzip},
	{0, "\xfd" "7zXZ\0", 6, "packed by xz: unpack it", NULL},
	{0, "BZh", 3, "packed by bzip2: unpack it", is_bzip2},
	{0, "\x28\xb5\x2f\xfd", 4, "packed by zstd: unpack it", is_zstd},
	{0, "PK\3\4", 4, "packed by zip: unpack it", NULL},
	/* With a mark of the order of bytes, as PowerShell's redirection writes. */
	{0, "\xff\xfe", 2, UTF16, is_utf16},
	{0, "\xfe\xff", 2, UTF16, is_utf16},
};

static bool is(const struct packer *packer, const char *bytes, size_t n)
{
	size_t begin = packer->at + packer->n;

	return n >= begin && !memcmp(bytes + packer->at, packer->bytes, packer->n) &&
	       (!packer->is || packer->is(bytes + begin, n - begin));
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
