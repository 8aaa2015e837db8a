/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "proc/symbols/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "base/alloc.h"
#include "base/str.h"

#define DEBUGFILE_PLACE	    "/usr/lib/debug"
#define DEBUGFILE_ID	    32 /* bytes of a build id, at most */
#define DEBUGFILE_LINK_CAP  4096 /* bytes of .gnu_debuglink */
#define DEBUGFILE_SUM_CAP   (1ull << 30) /* bytes of a file to sum up: more takes seconds */
#define DEBUGFILE_PACK_CAP  (64u << 20) /* bytes of .gnu_debugdata, */
#define DEBUGFILE_PACK_OUT  (256u << 20) /* of what comes out of it, */
#define DEBUGFILE_PACK_WORK (128ull << 20) /* and of liblzma's memory */

/* What proves a debug file to be the right one: its build id, else its checksum. */
struct debugfile_wanted {
	uint8_t id[DEBUGFILE_ID];
	size_t id_len;
	bool has_sum;
	uint32_t sum;
};

/* Carries on the CRC-32 that .gnu_debuglink has, four bits at a time. */
static uint32_t sum_add(uint32_t sum, const uint8_t *bytes, size_t len)
{
	static const uint32_t table[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190,
		0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

	for (size_t i = 0; i < len; i++) {
		sum = table[(sum ^ bytes[i]) & 15] ^ sum >> 4;
		sum = table[(sum ^ bytes[i] >> 4) & 15] ^ sum >> 4;
	}
	return sum;
}

/* True if a file has that checksum. */
static bool sum_is(int fd, uint32_t wanted)
{
	size_t room = 1 << 18;
	uint8_t *bytes = alloc_zeroed(room, 1);
	uint32_t sum = ~0u;
	uint64_t at = 0;
	ssize_t got;

	while (at <= DEBUGFILE_SUM_CAP && (got = pread(fd, bytes, room, (off_t)at)) > 0) {
		sum = sum_add(sum, bytes, (size_t)got);
		at += (uint64_t)got;
	}
	free(bytes);
	return ~sum == wanted && at <= DEBUGFILE_SUM_CAP;
}

/* True if the file behind `fd` has the symbols of that very build, and is not the file itself. */
static bool debugfile_fits(
	const struct elf_file *of, int fd, const struct debugfile_wanted *wanted)
{
	uint8_t id[DEBUGFILE_ID];
	struct elf_file file;
	struct stat here, there;
	bool fits = false;
	size_t len;

	if (of->fd >= 0 && fstat(of->fd, &here) == 0 && fstat(fd, &there) == 0 &&
		here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return false;
	if (elf_file_open(&file, fd) == 0) {
		len = elf_file_build_id(&file, id, sizeof(id));
		if (len && wanted->id_len)
			fits = len == wanted->id_len && memcmp(id, wanted->id, len) == 0;
		else
			fits = wanted->has_sum && sum_is(fd, wanted->sum);
	}
	elf_file_close(&file);
	return fits;
}

/* Opens the file at `path` if it is the right one; else -1. */
static int debugfile_try(
	const struct elf_file *of, const struct str *path, const struct debugfile_wanted *wanted)
{
	int fd = open(str_text(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !debugfile_fits(of, fd, wanted)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Opens the debug file by build id; -1 none. */
static int debugfile_by_id(
	const struct elf_file *file, const char *root, const struct debugfile_wanted *wanted)
{
	struct str path = {0};
	int fd;

	if (wanted->id_len < 2)
		return -1;
	str_printf(&path, "%s%s/.build-id/%02x/", root, DEBUGFILE_PLACE, wanted->id[0]);
	for (size_t i = 1; i < wanted->id_len; i++)
		str_printf(&path, "%02x", wanted->id[i]);
	str_add(&path, ".debug");
	fd = debugfile_try(file, &path, wanted);
	str_release(&path);
	return fd;
}

/*
 * Reads the name in .gnu_debuglink and the checksum behind it; the name stays empty if there is
 * none, or one that leads elsewhere.
 */
static void debugfile_link(
	const struct elf_file *file, struct str *name, struct debugfile_wanted *wanted)
{
	const Elf64_Shdr *section = elf_file_named(file, ".gnu_debuglink");
	Elf_Data *data = section ? elf_file_data(file, section, DEBUGFILE_LINK_CAP) : NULL;
	const char *text = data ? data->d_buf : NULL;
	size_t len = text ? strnlen(text, data->d_size) : 0, at = (len + 4) & ~(size_t)3;

	if (!len || at + 4 > data->d_size || memchr(text, '/', len) || strcmp(text, "..") == 0)
		return;
	str_add_bytes(name, text, len);
	memcpy(&wanted->sum, text + at, sizeof(wanted->sum));
	wanted->has_sum = true;
}

/* Opens the debug file by that name, in each of its places; -1 none. */
static int debugfile_by_link(const struct elf_file *file, const char *path, const char *root,
	const struct debugfile_wanted *wanted, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) : 0;
	const char *const places[][2] = {{"", "/"}, {"", "/.debug/"}, {DEBUGFILE_PLACE, "/"}};
	int fd = -1;

	for (size_t i = 0; fd < 0 && slash && i < sizeof(places) / sizeof(places[0]); i++) {
		struct str at = {0};

		str_printf(&at, "%s%s", root, places[i][0]);
		str_add_bytes(&at, path, folder);
		str_printf(&at, "%s%s", places[i][1], name);
		fd = debugfile_try(file, &at, wanted);
		str_release(&at);
	}
	return fd;
}

int debugfile_open(const struct elf_file *file, const char *path, const char *root)
{
	struct debugfile_wanted wanted = {0};
	struct str name = {0};
	int fd;

	wanted.id_len = elf_file_build_id(file, wanted.id, sizeof(wanted.id));
	fd = debugfile_by_id(file, root, &wanted);
	if (fd < 0) {
		debugfile_link(file, &name, &wanted);
		if (name.len)
			fd = debugfile_by_link(file, path, root, &wanted, name.text);
	}
	str_release(&name);
	return fd;
}

#ifdef HAVE_LZMA
/* Unpacks an .xz stream. Returns 0 or negative. */
static int unpack(const Elf_Data *packed, struct str *into)
{
	uint64_t work = DEBUGFILE_PACK_WORK;
	lzma_ret result = LZMA_BUF_ERROR;

	/* How large it becomes only its end tells, so this tries with more and more room. */
	for (size_t room = packed->d_size * 8; result == LZMA_BUF_ERROR; room *= 2) {
		size_t from = 0, to = 0;

		if (room > DEBUGFILE_PACK_OUT)
			return -EFBIG;
		result = lzma_stream_buffer_decode(&work, 0, NULL, packed->d_buf,
			&from, packed->d_size, (uint8_t *)str_room(into, room), &to, room);
		if (result == LZMA_OK)
			str_grow(into, to);
	}
	return result == LZMA_OK ? 0 : -EINVAL;
}

int debugfile_packed(const struct elf_file *file)
{
	const Elf64_Shdr *section = elf_file_named(file, ".gnu_debugdata");
	Elf_Data *packed = section ? elf_file_data(file, section, DEBUGFILE_PACK_CAP) : NULL;
	struct str bytes = {0};
	int fd = -1;

	if (packed && packed->d_size && unpack(packed, &bytes) == 0)
		fd = memfd_create("symbols", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes.text, bytes.len) != (ssize_t)bytes.len) {
		close(fd);
		fd = -1;
	}
	str_release(&bytes);
	return fd;
}
#else
int debugfile_packed(const struct elf_file *file)
{
	(void)file;
	return -1;
}
#endif
