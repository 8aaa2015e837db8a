/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a bundle that may be cut, flipped, forged or no bundle at all.
 *
 * Frames are walked one behind the other. Where the next bytes are no frame, or its head fails its
 * checksum, the walk looks for the next tag from there on: the damage is one gap, whatever it hit.
 * Only a head with a right checksum is believed, and even then every number is checked.
 */
#include "evidence/format/bundle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/meter.h"
#include "base/packed.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/format/unpack.h"
#include "evidence/gather/measure.h"

/* --- The head of a frame: a msgpack map of scalars (bundle.h) --------------------------------- */

/*
 * What a head says. It owns its texts, which are NULL where it has none; numbers that it does not
 * tell are 0, if nothing else is said.
 */
struct bundle_head {
	char *kind;
	char *host;
	char *label;
	int64_t rank; /* -1 where the head does not tell */
	int64_t pid;
	int64_t start_time;
	int64_t when; /* realtime ns */
	int64_t damaged; /* 1: the exhibit was damaged before it was packed */
	int64_t size; /* bytes of the exhibit */
	int64_t packed; /* bytes of the body */
	int64_t frames; /* of the closing: how many frames there are */
};

/* The keys of a head, with the fields that they fill. */
static const struct {
	const char *key;
	size_t offset;
	bool text;
} keys[] = {
	{"kind", offsetof(struct bundle_head, kind), true},
	{"host", offsetof(struct bundle_head, host), true},
	{"label", offsetof(struct bundle_head, label), true},
	{"rank", offsetof(struct bundle_head, rank), false},
	{"pid", offsetof(struct bundle_head, pid), false},
	{"start_time", offsetof(struct bundle_head, start_time), false},
	{"when", offsetof(struct bundle_head, when), false},
	{"damaged", offsetof(struct bundle_head, damaged), false},
	{"size", offsetof(struct bundle_head, size), false},
	{"packed", offsetof(struct bundle_head, packed), false},
	{"frames", offsetof(struct bundle_head, frames), false},
};

static void take_text(char **text, const struct unpack_item *value)
{
	free(*text);
	*text = alloc_copy(value->bytes, value->len);
}

/* Stores the value in the field of that key, if the key is known and the type is right. */
static void take(
	struct bundle_head *head, const struct unpack_item *key, const struct unpack_item *value)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		void *field = (char *)head + keys[i].offset;

		if (!unpack_is(key, keys[i].key))
			continue;
		if (keys[i].text && value->type == UNPACK_BYTES)
			take_text(field, value);
		else if (!keys[i].text && value->type == UNPACK_INT)
			*(int64_t *)field = (int64_t)(value->negative ? value->number
								      : value->number & INT64_MAX);
		return;
	}
}

/*
 * Reads the next item. Returns false where it is an array or a map: what those of a forged head say
 * to hold would have to be skipped, or believed.
 */
static bool next_scalar(struct unpack *unpack, struct unpack_item *ret)
{
	return unpack_next(unpack, ret) && ret->type != UNPACK_ARRAY && ret->type != UNPACK_MAP;
}

/*
 * Parses a head: a map of at most 65535 pairs, none of which nests. Keys that are unknown here are
 * passed over. Returns false if it is none. The caller calls bundle_head_release() in any case.
 */
static bool bundle_head_parse(const uint8_t *bytes, size_t size, struct bundle_head *ret)
{
	struct unpack unpack = unpack_of(bytes, size);
	struct unpack_item map, key, value;

	*ret = (struct bundle_head){.rank = -1};
	if (!unpack_next(&unpack, &map) || map.type != UNPACK_MAP || map.len > UINT16_MAX)
		return false;
	for (size_t i = 0; i < map.len; i++) {
		if (!next_scalar(&unpack, &key) || !next_scalar(&unpack, &value))
			return false;
		take(ret, &key, &value);
	}
	return true;
}

static void bundle_head_release(struct bundle_head *head)
{
	free(head->kind);
	free(head->host);
	free(head->label);
}

#define BUNDLE_CHUNK  (64 * 1024) /* bytes unpacked at a time */
#define BUNDLE_WINDOW 23   /* log2 of how far back unpacking may look; packing looks back 2^21 at
			    * most */
#define BUNDLE_HOLLOW (64u << 20) /* a larger file must not be mostly holes */
#define BUNDLE_PIECE  (256u << 10) /* bytes that a file is searched by */
#define BUNDLE_EXHIBIT_COST 512 /* bytes that one exhibit costs, however small */

/* A walk over the frames of one bundle. */
struct bundle_walk {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	struct evidence *into;
	ZSTD_DCtx *zstd;
	uint8_t *chunk;	 /* room for BUNDLE_CHUNK unpacked bytes */
	uint64_t total;	 /* bytes set aside for exhibits so far */
	int64_t frames;	 /* how many frames were good */
	size_t lost;	 /* how many stretches of damage there were */
	bool lost_here;	 /* true while the walk is inside of one */
	int64_t closing; /* how many frames the closing tells of; -1: none was seen yet */
};

/* --- Bodies ----------------------------------------------------------------------------------- */

/* What an exhibit's bytes become: zeroed memory of `room` bytes, `len` of them unpacked. */
struct bundle_bytes {
	uint8_t *at;
	size_t room;
	size_t len;
};

/*
 * Returns how many of the `size` bytes from this place on lie in its page. Pages that stay zero
 * need no memory.
 */
static size_t bytes_to_page_end(const uint8_t *place, size_t size)
{
	size_t room = BUNDLE_PAGE - (uintptr_t)place % BUNDLE_PAGE;

	return room < size ? room : size;
}

/*
 * Takes a chunk over. Zeros, which a ring mostly is, are not written, so that their pages stay the
 * kernel's. Returns false if there is more than the head told.
 */
static bool bytes_take(struct bundle_bytes *bytes, const uint8_t *chunk, size_t size)
{
	size_t left = bytes->room - bytes->len;
	size_t taken = size < left ? size : left, piece;

	if (bundle_is_zero(chunk, taken)) {
		bytes->len += taken;
		return taken == size;
	}
	for (size_t at = 0; at < taken; at += piece) {
		uint8_t *place = bytes->at + bytes->len;

		piece = bytes_to_page_end(place, taken - at);
		if (!bundle_is_zero(chunk + at, piece))
			memcpy(place, chunk + at, piece);
		bytes->len += piece;
	}
	return taken == size;
}

/*
 * Skips a hole, whose zeros the memory has already. Returns false if the hole is damaged: what is
 * behind it would get another place than it had.
 */
static bool bytes_skip(struct bundle_bytes *bytes, const uint8_t *hole)
{
	uint64_t zeros = 0;

	for (int i = BUNDLE_HOLE_CRC; i-- > BUNDLE_HOLE_TAG;)
		zeros = zeros << 8 | hole[i];
	if (bundle_crc(hole + BUNDLE_HOLE_TAG, BUNDLE_HOLE_CRC - BUNDLE_HOLE_TAG) !=
			bundle_get32(hole + BUNDLE_HOLE_CRC) ||
		zeros > bytes->room - bytes->len)
		return false;
	bytes->len += zeros;
	return true;
}

/* Unpacks one zstd frame. Returns true if it is whole. */
static bool bundle_unzip_frame(
	struct bundle_walk *walk, ZSTD_inBuffer *in, struct bundle_bytes *bytes)
{
	size_t left = 1;

	ZSTD_DCtx_reset(walk->zstd, ZSTD_reset_session_only);
	while (left) {
		ZSTD_outBuffer out = {walk->chunk, BUNDLE_CHUNK, 0};
		size_t before = in->pos;

		left = ZSTD_decompressStream(walk->zstd, &out, in);
		if (ZSTD_isError(left) || !bytes_take(bytes, walk->chunk, out.pos))
			return false;
		if (left && in->pos == before && out.pos == 0)
			return false; /* cut */
	}
	return true;
}

/* Unpacks a body. Returns true if it is whole; what zstd gave before the damage is kept. */
static bool bundle_unzip(
	struct bundle_walk *walk, const uint8_t *body, size_t size, struct bundle_bytes *bytes)
{
	ZSTD_inBuffer in = {body, size, 0};
	bool good;

	do {
		const uint8_t *part = body + in.pos;

		if (size - in.pos >= BUNDLE_HOLE_SIZE &&
			!memcmp(part, BUNDLE_HOLE, BUNDLE_HOLE_TAG)) {
			good = bytes_skip(bytes, part);
			in.pos += BUNDLE_HOLE_SIZE;
		} else {
			/* zstd skips other frames, too, but only ours is known to be a hole. */
			good = size - in.pos >= 4 && !memcmp(part, BUNDLE_ZSTD, 4) &&
			       bundle_unzip_frame(walk, &in, bytes);
		}
	} while (good && in.pos < size);
	return good && bytes->len == bytes->room;
}

/*
 * Says why the exhibit may not be unpacked; NULL if it may. What counts is the size that the head
 * tells, even if less comes, since memory is set aside for it.
 */
static const char *bundle_refuses(struct bundle_walk *walk, const struct bundle_head *head)
{
	uint64_t size = (uint64_t)head->size;

	if (size > measure_of(exhibit_kind_of(head->kind))->most)
		return "it is said to be larger than any";
	if (size > BUNDLE_TOTAL_CAP - walk->total)
		return "its bundle unpacks to more than any";
	if (!meter_admits(walk->into->meter, size + BUNDLE_EXHIBIT_COST, METER_READING))
		return METER_REFUSED;
	walk->total += size;
	return NULL;
}

/* Adds a gap for an exhibit that was refused. */
static void bundle_lose_exhibit(
	struct bundle_walk *walk, const struct bundle_head *head, const char *why)
{
	struct str what = {0};

	str_printf(&what, "%s of %lld bytes: %s", head->kind, (long long)head->size, why);
	evidence_add_gap(walk->into, head->host, (uint32_t)head->pid, str_text(&what));
	str_release(&what);
}

/* Unpacks an exhibit and adds it, marked as damaged if its body is not whole. */
static void bundle_take_exhibit(struct bundle_walk *walk, const struct bundle_head *head,
	const uint8_t *body, size_t size)
{
	const char *refused = bundle_refuses(walk, head);
	struct exhibit about = {
		.kind_name = head->kind,
		.host = head->host,
		.label = head->label,
		.rank = head->rank >= 0 && head->rank <= INT32_MAX ? (int)head->rank : -1,
		.pid = (uint32_t)head->pid,
		.start_time = (uint64_t)head->start_time,
		.when = head->when,
		.damaged = head->damaged != 0,
	};
	struct bundle_bytes bytes = {.room = (size_t)head->size};

	if (refused) {
		bundle_lose_exhibit(walk, head, refused);
		return;
	}
	bytes.at = alloc_zeroed(1, bytes.room + 1);
	if (!bundle_unzip(walk, body, size, &bytes))
		about.damaged = true;
	evidence_add(walk->into, &about, bytes.at, bytes.len);
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* Takes the frame, whose head is good. Returns how many bytes it covers. */
static size_t bundle_take(struct bundle_walk *walk, const uint8_t *frame, size_t left,
	const struct bundle_head *head, size_t head_size)
{
	size_t body_at = BUNDLE_FRAME_SIZE + head_size + 5;
	uint64_t size = (uint64_t)head->packed;
	size_t have;

	have = left < body_at ? 0 : left - body_at;
	if (size < have)
		have = size;
	walk->lost_here = false;
	if (!memcmp(frame, BUNDLE_CLOSING, BUNDLE_TAG_SIZE)) {
		walk->closing = head->frames;
		return body_at < left ? body_at : left;
	}
	walk->frames++;
	if (head->kind && !strcmp(head->kind, BUNDLE_GAP))
		evidence_add_gap(walk->into, head->host, (uint32_t)head->pid,
			head->label ? head->label : "");
	else
		bundle_take_exhibit(walk, head, frame + (body_at < left ? body_at : left), have);
	return left < body_at ? left : body_at + have;
}

/*
 * Takes the frame at walk->at. Returns how many bytes it covers, or 0 if there is none with a good
 * head.
 */
static size_t bundle_frame(struct bundle_walk *walk)
{
	const uint8_t *frame = walk->bytes + walk->at;
	size_t left = walk->size - walk->at;
	struct bundle_head head = {0};
	uint32_t head_size;
	size_t covered = 0;

	if (left < BUNDLE_FRAME_SIZE || (memcmp(frame, BUNDLE_EXHIBIT, BUNDLE_TAG_SIZE) &&
						memcmp(frame, BUNDLE_CLOSING, BUNDLE_TAG_SIZE)))
		return 0;
	head_size = bundle_get32(frame + 20);
	if (frame[14] != BUNDLE_UINT32 || frame[19] != BUNDLE_BIN32 ||
		head_size > BUNDLE_HEAD_CAP || head_size > left - BUNDLE_FRAME_SIZE)
		return 0;
	if (bundle_crc(frame + BUNDLE_FRAME_SIZE, head_size) != bundle_get32(frame + 15))
		return 0;
	if (bundle_head_parse(frame + BUNDLE_FRAME_SIZE, head_size, &head) && head.packed >= 0 &&
		head.size >= 0 && (head.kind || !memcmp(frame, BUNDLE_CLOSING, BUNDLE_TAG_SIZE)))
		covered = bundle_take(walk, frame, left, &head, head_size);
	bundle_head_release(&head);
	return covered;
}

/* Returns the next place behind walk->at that looks like a frame, or the end. */
static size_t bundle_seek(const struct bundle_walk *walk)
{
	const uint8_t *from = walk->bytes + walk->at + 1;
	size_t left = walk->size - walk->at - 1;
	const uint8_t *exhibit = memmem(from, left, BUNDLE_EXHIBIT, BUNDLE_TAG_SIZE);
	const uint8_t *closing = memmem(from, exhibit ? (size_t)(exhibit - from) : left,
		BUNDLE_CLOSING, BUNDLE_TAG_SIZE);

	if (closing)
		exhibit = closing;
	return exhibit ? (size_t)(exhibit - walk->bytes) : walk->size;
}

static void bundle_walk_frames(struct bundle_walk *walk)
{
	while (walk->at < walk->size) {
		size_t covered = bundle_frame(walk);

		if (covered) {
			walk->at += covered;
			continue;
		}
		if (!walk->lost_here)
			walk->lost++;
		walk->lost_here = true;
		walk->at = bundle_seek(walk);
	}
}

/*
 * Checks the opening. Returns 1 if it is good, 0 if it is damaged or none, negative with words if
 * it is good but of a version that is not for us.
 */
static int bundle_opening(const uint8_t *bytes, size_t size, struct complaint *why)
{
	if (size < BUNDLE_OPENING_SIZE || memcmp(bytes + 2, BUNDLE_NAME, strlen(BUNDLE_NAME)) ||
		bundle_crc(bytes, BUNDLE_OPENING_CRC) !=
			bundle_get32(bytes + BUNDLE_OPENING_CRC + 1))
		return 0;
	if (bytes[17] > BUNDLE_VERSION_MAJOR)
		return complaint_set(why,
			"the bundle is of version %u.%u, and this inquest reads only up to %u.x: "
			"use a newer one",
			bytes[17], bytes[19], BUNDLE_VERSION_MAJOR);
	return 1;
}

/* By these words gaps name what they are of. */
#define BUNDLE_ITSELF "the bundle"

void bundle_name_gaps(struct evidence *evidence, const char *name)
{
	for (size_t i = 0; i < evidence->ngaps; i++) {
		struct exhibit_gap *gap = &evidence->gaps[i];
		bool whose = *gap->host || gap->pid;
		const char *itself = whose ? NULL : strstr(gap->what, BUNDLE_ITSELF);
		struct str what = {0};

		if (!itself)
			continue;
		str_printf(&what, "%.*s%s%s", (int)(itself - gap->what), gap->what, name,
			itself + strlen(BUNDLE_ITSELF));
		free(gap->what);
		gap->what = str_detach(&what);
	}
}

/* Adds a gap for each thing that is known to be missing. */
static void bundle_conclude(struct bundle_walk *walk)
{
	struct str what = {0};

	for (size_t i = 0; i < walk->lost; i++)
		evidence_add_gap(walk->into, "", 0, "a damaged stretch of " BUNDLE_ITSELF);
	if (walk->closing < 0)
		evidence_add_gap(walk->into, "", 0, "the end of " BUNDLE_ITSELF ": it is cut");
	else if (walk->closing > walk->frames)
		str_printf(&what, "%lld of the %lld exhibits of " BUNDLE_ITSELF,
			(long long)(walk->closing - walk->frames), (long long)walk->closing);
	if (what.len)
		evidence_add_gap(walk->into, "", 0, what.text);
	str_release(&what);
}

int bundle_unpack(const void *bytes, size_t size, struct evidence *into, struct complaint *why)
{
	struct bundle_walk walk = {.bytes = bytes, .size = size, .into = into, .closing = -1};
	int opening;

	if (size == 0)
		return complaint_set(why, "the bundle is empty");
	opening = bundle_opening(bytes, size, why);
	if (opening < 0)
		return opening;
	walk.zstd = ZSTD_createDCtx();
	if (!walk.zstd)
		return complaint_set(why, "out of memory");
	ZSTD_DCtx_setParameter(walk.zstd, ZSTD_d_windowLogMax, BUNDLE_WINDOW);
	walk.chunk = alloc_zeroed(1, BUNDLE_CHUNK);
	walk.at = opening ? BUNDLE_OPENING_SIZE : 0;
	bundle_walk_frames(&walk);
	ZSTD_freeDCtx(walk.zstd);
	free(walk.chunk);
	if (!opening && walk.frames == 0)
		return complaint_set(why, "this is no inquest bundle");
	bundle_conclude(&walk);
	return 0;
}

/*
 * True if more of the file was never written than was. A bundle is packed, so such a file is a
 * damaged one at best, and it costs nothing to make a huge one.
 */
static bool bundle_is_hollow(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size > (off_t)BUNDLE_HOLLOW && st.st_blocks < st.st_size / 512 / 2;
}

/* True if a frame may begin in these bytes. */
static bool has_frame(const uint8_t *bytes, size_t size)
{
	return memmem(bytes, size, BUNDLE_EXHIBIT, BUNDLE_TAG_SIZE) ||
	       memmem(bytes, size, BUNDLE_CLOSING, BUNDLE_TAG_SIZE);
}

/*
 * Returns false if nothing of a bundle begins anywhere in a large file, which is then a log or
 * whatever else: it is searched piece by piece, and nothing of it kept. Returns true for a small
 * file, and for one that is too large, is no regular file or cannot be read: whoever reads it says
 * so.
 */
static bool bundle_may_be(const char *path)
{
	int fd = file_open(path);
	size_t kept = 0, all = 0;
	ssize_t got = 0;
	struct stat st;
	bool found = fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		     st.st_size < (off_t)BUNDLE_PIECE || st.st_size > (off_t)BUNDLE_TOTAL_CAP;
	uint8_t *piece = found ? NULL : alloc_zeroed(1, BUNDLE_PIECE);

	while (!found && (got = read(fd, piece + kept, BUNDLE_PIECE - kept)) > 0) {
		size_t size = kept + (size_t)got;

		found = has_frame(piece, size) ||
			(!all && memmem(piece, size, BUNDLE_NAME, strlen(BUNDLE_NAME)));
		kept = size < BUNDLE_TAG_SIZE ? size : BUNDLE_TAG_SIZE - 1;
		memmove(piece, piece + size - kept, kept);
		all += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	free(piece);
	return found || got < 0 || all < BUNDLE_PIECE;
}

/* Says of a file in which nothing of a bundle is what it is. Returns negative. */
static int complain_of_none(const char *path, struct complaint *why)
{
	const char *packed = packed_how_file(path);

	if (packed)
		return complaint_set(why, "%s is %s", path, packed);
	return complaint_set(why, "%s: this is no inquest bundle", path);
}

int bundle_read(const char *path, struct evidence *into, struct complaint *why)
{
	const char *packed = packed_hides(path);
	struct str bytes = {0};
	int error;

	if (packed)
		return complaint_set(why, "%s is %s", path, packed);
	if (bundle_is_hollow(path))
		return complaint_set(why, "%s was written in part only: it is mostly holes", path);
	if (!bundle_may_be(path))
		return complain_of_none(path, why);
	error = file_read(path, evidence_room(into, BUNDLE_TOTAL_CAP), &bytes, why);

	if (!error) {
		error = bundle_unpack(str_text(&bytes), bytes.len, into, why);
		if (error && packed_how(str_text(&bytes), bytes.len))
			complain_of_none(path, why);
		else if (error)
			complaint_context(why, "%s", path);
	}
	str_release(&bytes);
	return error;
}
