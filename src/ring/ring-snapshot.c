/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-snapshot.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/ring-read.h"

#define CHUNK 65536ul
#define LINE  64ul

/* A copy in the making. */
struct copy {
	int fd;
	uint8_t *bytes;
	size_t size;
	uint8_t *pass; /* a chunk for A, a chunk for C */
	size_t budget; /* bytes that may still be guarded: forged lanes could overlap without end */
};

/* --- Reading ---------------------------------------------------------------------------------- */

/* Reads [offset, offset + len) of the file; what the file no longer has becomes zeros. */
static void copy_read(const struct copy *copy, void *to, size_t offset, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n =
			pread(copy->fd, (uint8_t *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	memset((uint8_t *)to + done, 0, len - done);
}

/* Returns how much of [offset, offset + len) lies within the copy. */
static size_t copy_clip(const struct copy *copy, uint64_t offset, uint64_t len)
{
	if (offset >= copy->size)
		return 0;
	return len < copy->size - offset ? (size_t)len : (size_t)(copy->size - offset);
}

/* Copies a part of the file that has no slots, by one read. */
static void copy_plain(const struct copy *copy, uint64_t offset, uint64_t len)
{
	size_t n = copy_clip(copy, offset, len);

	if (n)
		copy_read(copy, copy->bytes + offset, (size_t)offset, n);
}

/* --- Guarding --------------------------------------------------------------------------------- */

/* True if this 64-byte line of an element carries a seq in its first word. */
static int is_slot(enum ring_section_id id, size_t line)
{
	switch (id) {
	case RING_S_LANES:
		return line * LINE >= offsetof(struct ring_lane, board) &&
		       line * LINE < sizeof(struct ring_lane);
	case RING_S_MARKS:
		return line * LINE >= offsetof(struct ring_mark, latest) &&
		       line * LINE < sizeof(struct ring_mark);
	case RING_S_GROUPS:
		if (line * LINE >= sizeof(struct ring_group))
			return 0;
		return line == 0 ||
		       (line * LINE >= offsetof(struct ring_group, enqueue) &&
			       line * LINE != offsetof(struct ring_group, enqueue_version));
	case RING_S_FATAL:
	case RING_S_TRACES:
		return line == 0;
	default:
		return 1;
	}
}

/*
 * Returns the seq to store for a slot that read `a` before its words were copied, `b` with them and
 * `c` after them: an odd one unless all three agree.
 */
static uint64_t guarded_seq(uint64_t a, uint64_t b, uint64_t c)
{
	if (a == c && b == a)
		return b;
	return (c & 1) ? c : c - 1;
}

/* A chunk: where it lies in the file and inside its section, whose elements are `elem` long. */
struct chunk {
	enum ring_section_id id;
	size_t elem;
	size_t offset;
	size_t inside;
	size_t len;
};

/* Compares the three passes over a chunk and marks the slots that changed between them. */
static void guard_chunk(const struct copy *copy, const struct chunk *chunk)
{
	uint8_t *a = copy->pass, *c = copy->pass + CHUNK, *b = copy->bytes + chunk->offset;

	for (size_t at = 0; at + LINE <= chunk->len; at += LINE) {
		uint64_t seq[3];

		if (!is_slot(chunk->id, (chunk->inside + at) % chunk->elem / LINE))
			continue;
		memcpy(&seq[0], a + at, 8);
		memcpy(&seq[1], b + at, 8);
		memcpy(&seq[2], c + at, 8);
		seq[1] = guarded_seq(seq[0], seq[1], seq[2]);
		memcpy(b + at, &seq[1], 8);
	}
}

/*
 * Reads a chunk three times, as the essay in the header says. Returns -1 if the budget for that is
 * spent.
 */
static int copy_chunk(struct copy *copy, const struct chunk *chunk)
{
	if (copy->budget < chunk->len)
		return -1;
	copy->budget -= chunk->len;
	copy_read(copy, copy->pass, chunk->offset, chunk->len);
	copy_read(copy, copy->bytes + chunk->offset, chunk->offset, chunk->len);
	copy_read(copy, copy->pass + CHUNK, chunk->offset, chunk->len);
	guard_chunk(copy, chunk);
	return 0;
}

/* Copies `count` elements of a section, from element `first`. */
static void copy_guarded(struct copy *copy, const struct ring_part *part, enum ring_section_id id,
	uint64_t first, uint64_t count)
{
	size_t elem = part->elem_size, start, end;

	if (first >= part->count)
		return;
	count = count < part->count - first ? count : part->count - first;
	start = (size_t)(part->at - copy->bytes);
	end = start + (size_t)(first + count) * elem;
	if (elem % LINE) {
		copy_plain(copy, start + first * elem, count * elem);
		return;
	}
	for (size_t at = start + (size_t)first * elem; at < end; at += CHUNK) {
		size_t len = end - at < CHUNK ? end - at : CHUNK;

		if (copy_chunk(copy, &(struct chunk){id, elem, at, at - start, len}))
			return;
	}
}

/*
 * Reads each board of a section again, by itself, while neither half is whole. A busy writer may
 * have written both halves while a whole chunk was read; the board alone is read faster. Only a
 * living writer's board needs this: of a dead writer's board one half is whole.
 */
static void settle_boards(struct copy *copy, const struct ring_view *view, enum ring_section_id id,
	size_t board)
{
	const struct ring_part *part = &view->part[id];

	for (uint64_t i = 0; i < part->count && !(part->elem_size % LINE); i++) {
		size_t inside = (size_t)i * part->elem_size + board;
		const struct chunk chunk = {.id = id,
			.elem = part->elem_size,
			.offset = (size_t)(part->at - copy->bytes) + inside,
			.inside = inside,
			.len = 2 * LINE};
		struct ring_slot s;

		for (int tries = 0; tries < 16; tries++)
			if (ring_board_read(copy->bytes + chunk.offset, &s) >= 0 ||
				copy_chunk(copy, &chunk))
				break;
	}
}

/* --- Sections --------------------------------------------------------------------------------- */

static void copy_section(struct copy *copy, const struct ring_view *view, enum ring_section_id id)
{
	copy_guarded(copy, &view->part[id], id, 0, UINT64_MAX);
}

/* Copies the entries of a table that were used: an entry whose first word is 0 never was. */
static void copy_used(struct copy *copy, const struct ring_view *view, enum ring_section_id id)
{
	const struct ring_part *part = &view->part[id];

	for (uint64_t i = 0; i < part->count; i++) {
		size_t at = (size_t)(part->at - copy->bytes) + (size_t)i * part->elem_size;
		uint64_t word = 0;

		copy_read(copy, &word, at, sizeof(word));
		if (word)
			copy_guarded(copy, part, id, i, 1);
	}
}

/* Copies of each lane the slots that its head, which was copied before, has reached. */
static void copy_lanes(struct copy *copy, const struct ring_view *view)
{
	struct ring_lane_view lane;

	for (uint64_t i = 0; i < view->part[RING_S_LANES].count; i++) {
		uint64_t first;

		if (ring_view_lane(view, i, &lane) || !lane.have || !lane.head)
			continue;
		first = (uint64_t)(lane.slots - view->part[RING_S_SLOTS].at) / LINE;
		copy_guarded(copy, &view->part[RING_S_SLOTS], RING_S_SLOTS, first,
			lane.head < lane.have ? lane.head : lane.have);
	}
}

/*
 * Copies the append-only section as far as it was reserved: all strings, but for what was reserved
 * last and not written yet.
 */
static void copy_strings(const struct copy *copy, const struct ring_view *view)
{
	const struct ring_part *part = &view->part[RING_S_STRINGS];
	uint64_t used = 0;

	if (part->count < sizeof(used))
		return;
	copy_read(copy, &used, (size_t)(part->at - copy->bytes), sizeof(used));
	used = used < part->count ? used : part->count;
	copy_plain(copy, (uint64_t)(part->at - copy->bytes), used < 8 ? 8 : used);
}

static void copy_text(
	const struct copy *copy, const struct ring_view *view, enum ring_section_id id)
{
	const struct ring_part *part = &view->part[id];

	if (!part->count)
		return;
	copy_plain(copy, (uint64_t)(part->at - copy->bytes), part->count * part->elem_size);
}

static void copy_ring(struct copy *copy, const struct ring_view *view)
{
	copy_plain(copy, 0, view->header.header_size);
	copy_section(copy, view, RING_S_LANES);
	settle_boards(copy, view, RING_S_LANES, offsetof(struct ring_lane, board));
	copy_used(copy, view, RING_S_GROUPS);
	settle_boards(copy, view, RING_S_GROUPS, offsetof(struct ring_group, enqueue));
	settle_boards(copy, view, RING_S_GROUPS, offsetof(struct ring_group, complete));
	copy_used(copy, view, RING_S_MARKS);
	settle_boards(copy, view, RING_S_MARKS, offsetof(struct ring_mark, latest));
	copy_section(copy, view, RING_S_SPANS);
	copy_text(copy, view, RING_S_PINNED);
	copy_section(copy, view, RING_S_PINSLOTS);
	copy_lanes(copy, view);
	copy_section(copy, view, RING_S_ANCHORS);
	copy_used(copy, view, RING_S_FATAL);
	copy_used(copy, view, RING_S_TRACES);
	copy_text(copy, view, RING_S_STDERR);
	copy_strings(copy, view);
	copy_text(copy, view, RING_S_STRINDEX);
}

int ring_snapshot(int fd, void **ret_bytes, size_t *ret_size)
{
	struct copy copy = {.fd = fd, .budget = 2 * RING_FILE_MAX};
	struct ring_view view;
	struct stat st;
	int error = -ENOMEM;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	copy.size = (uint64_t)st.st_size < RING_FILE_MAX ? (size_t)st.st_size : RING_FILE_MAX;
	copy.bytes = calloc(1, copy.size ? copy.size : 1);
	copy.pass = malloc(2 * CHUNK);
	if (!copy.bytes || !copy.pass)
		goto out;
	copy_plain(&copy, 0, RING_HEADER_SIZE);
	if (ring_view_open(&view, copy.bytes, copy.size) < 0)
		copy_plain(&copy, 0, copy.size);
	else
		copy_ring(&copy, &view);
	*ret_bytes = copy.bytes;
	*ret_size = copy.size;
	copy.bytes = NULL;
	error = 0;
out:
	free(copy.pass);
	free(copy.bytes);
	return error;
}

bool ring_glance_group(
	int fd, const struct ring_header *header, uint64_t i, struct ring_group *ret)
{
	const size_t head = offsetof(struct ring_group, enqueue);

	for (size_t k = 0; k < RING_SECTIONS; k++) {
		const struct ring_section *section = &header->section[k];

		if (section->id == RING_S_GROUPS && i < section->count &&
			section->offset < INT64_MAX / 2 && section->elem_size >= sizeof(*ret) &&
			section->elem_size < UINT32_MAX && i < UINT32_MAX)
			return pread(fd, ret, head,
				       (off_t)(section->offset + i * section->elem_size)) ==
				       (ssize_t)head &&
			       ret->seq;
	}
	return false;
}
