/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/core/core-unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"

#define UNPACK_STEP  (1u << 18) /* bytes of one buffer */
#define UNPACK_HOLE  4096 /* aligned pieces of zeros that are not written: cores are full of them */
#define UNPACK_CAP   (256ull << 30) /* bytes of an unpacked core */
#define UNPACK_MAGIC 6 /* bytes that tell how a file is packed */

enum core_packing core_packing(int fd)
{
	static const struct {
		const char *magic;
		size_t len;
		enum core_packing packing;
	} known[] = {
		{"\x28\xb5\x2f\xfd", 4, CORE_ZSTD},
		{"\x04\x22\x4d\x18", 4, CORE_LZ4},
		{"\xfd"
		 "7zXZ",
			6, CORE_XZ},
	};
	char head[UNPACK_MAGIC] = {0};

	if (pread(fd, head, sizeof(head), 0) <= 0)
		return CORE_PLAIN;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (memcmp(head, known[i].magic, known[i].len) == 0)
			return known[i].packing;
	return CORE_PLAIN;
}

/* An unpacking at work. */
struct unpacking {
	int from, to;
	uint64_t at; /* bytes unpacked */
	uint64_t cap;
	ZSTD_DStream *stream;
	char *packed, *plain;
};

/*
 * Writes `len` bytes, at most UNPACK_STEP, but leaves out whole holes. Returns 0 or -errno; -EFBIG
 * beyond the cap.
 */
static int unpack_write(struct unpacking *state, const char *bytes, size_t len)
{
	static const char zeros[UNPACK_HOLE];

	while (len) {
		size_t part = UNPACK_HOLE - state->at % UNPACK_HOLE;
		ssize_t done;

		if (part > len)
			part = len;
		if (memcmp(bytes, zeros, part) == 0) {
			done = (ssize_t)part;
		} else {
			done = pwrite(state->to, bytes, part, (off_t)state->at);
			if (done < 0 && errno == EINTR)
				continue;
			if (done <= 0)
				return done < 0 ? -errno : -ENOSPC;
		}
		bytes += done;
		len -= (size_t)done;
		state->at += (uint64_t)done;
		if (state->at > state->cap)
			return -EFBIG;
	}
	return 0;
}

/* Unpacks all. Returns NULL, or why it ended before the end. */
static const char *unpack_all(struct unpacking *state)
{
	size_t left = 1;
	uint64_t from = 0;
	ssize_t got;

	while ((got = pread(state->from, state->packed, UNPACK_STEP, (off_t)from)) > 0) {
		ZSTD_inBuffer in = {state->packed, (size_t)got, 0};

		from += (uint64_t)got;
		while (in.pos < in.size) {
			ZSTD_outBuffer out = {state->plain, UNPACK_STEP, 0};
			int error;

			left = ZSTD_decompressStream(state->stream, &out, &in);
			if (ZSTD_isError(left))
				return "it is damaged there";
			error = unpack_write(state, state->plain, out.pos);
			if (error)
				return error == -EFBIG ? "there is no room for more"
						       : strerror(-error);
		}
	}
	return left ? "it is cut short" : NULL;
}

/*
 * Opens a file without a name where there is room, and tells how much is free there. Returns its
 * descriptor, or negative.
 */
static int unpack_place(uint64_t *ret_room)
{
	const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	struct statvfs room;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i])
			fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	*ret_room = 0;
	if (fd >= 0 && fstatvfs(fd, &room) == 0)
		*ret_room = (uint64_t)room.f_bavail * room.f_frsize;
	return fd;
}

int core_unpack_head(int fd, void *to, size_t len)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	char packed[4096];
	ssize_t got = pread(fd, packed, sizeof(packed), 0);
	ZSTD_inBuffer in = {packed, got > 0 ? (size_t)got : 0, 0};
	ZSTD_outBuffer out = {to, len, 0};

	while (stream && in.pos < in.size && out.pos < out.size)
		if (ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
			break;
	ZSTD_freeDStream(stream);
	return out.pos == len ? 0 : -ENODATA;
}

int core_unpack(int fd, enum core_packing packing, struct str *missing, struct complaint *why)
{
	struct unpacking state = {.from = fd};
	const char *fault;
	uint64_t room;

	if (packing != CORE_ZSTD)
		return complaint_set(why, "it is packed: unpack it first, by %s or `coredumpctl "
					  "dump -o FILE`",
			packing == CORE_XZ ? "`xz -d`" : "`lz4 -d`");
	state.to = unpack_place(&room);
	if (state.to < 0)
		return complaint_errno(why, errno, "no room to unpack it (in TMPDIR, /var/tmp)");
	state.cap = room / 2 < UNPACK_CAP ? room / 2 : UNPACK_CAP;
	state.stream = ZSTD_createDStream();
	state.packed = alloc_zeroed(UNPACK_STEP, 1);
	state.plain = alloc_zeroed(UNPACK_STEP, 1);
	fault = state.stream ? unpack_all(&state) : "there is no memory";
	if (fault)
		str_printf(missing, "the packed core was read up to byte %llu: %s\n",
			(unsigned long long)state.at, fault);
	/* A hole at the end was not written: this makes the file as long as it should be. */
	if (ftruncate(state.to, (off_t)state.at) < 0)
		str_add(missing, "the end of the packed core could not be written\n");
	ZSTD_freeDStream(state.stream);
	free(state.packed);
	free(state.plain);
	return state.to;
}
