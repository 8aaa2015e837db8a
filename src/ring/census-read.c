/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/census-read.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/ring-cpu.h"

#define CENSUS_TRIES 4  /* after which a slot that is always being changed is said to be */
#define CENSUS_ROOM  16 /* slots that are copied beyond those in use */

const char *census_strerror(int error)
{
	static const char *const words[] = {
		[-CENSUS_E_SHORT] = "too short for a census",
		[-CENSUS_E_FOREIGN] = "not a census",
		[-CENSUS_E_UNFINISHED] = "a census that was never finished",
		[-CENSUS_E_VERSION] = "a census of another major version",
		[-CENSUS_E_HEADER] = "a census whose header is damaged",
	};

	if (error >= 0 || error < CENSUS_E_HEADER)
		return "unknown error";
	return words[-error];
}

static int census_check_header(const struct census_header *h)
{
	if (!h->magic)
		return CENSUS_E_UNFINISHED;
	if (h->magic != CENSUS_MAGIC)
		return CENSUS_E_FOREIGN;
	if (h->version_major != CENSUS_VERSION_MAJOR)
		return CENSUS_E_VERSION;
	if (h->slot_size != sizeof(struct census_slot))
		return CENSUS_E_HEADER;
	return 0;
}

int census_view_open(struct census_view *view, const void *bytes, size_t size)
{
	struct census_header *h = &view->header;
	uint64_t here;
	uint32_t used;
	int error;

	*view = (struct census_view){.bytes = bytes, .size = size};
	if (size < sizeof(*h))
		return CENSUS_E_SHORT;
	memcpy(h, bytes, sizeof(*h));
	error = census_check_header(h);
	if (error)
		return error;
	h->job[sizeof(h->job) - 1] = 0;
	h->name[sizeof(h->name) - 1] = 0;
	here = (size - sizeof(*h)) / sizeof(struct census_slot);
	used = h->high < CENSUS_SLOTS ? h->high : CENSUS_SLOTS;
	view->slots = here < used ? (uint32_t)here : used;
	view->cut = used - view->slots;
	return 0;
}

int census_view_slot(const struct census_view *view, uint32_t i, struct census_slot *ret)
{
	if (i >= view->slots)
		return 0;
	memcpy(ret, view->bytes + census_slot_offset(i), sizeof(*ret));
	ret->comm[sizeof(ret->comm) - 1] = 0;
	ret->exe[sizeof(ret->exe) - 1] = 0;
	ret->tools.name[sizeof(ret->tools.name) - 1] = 0;
	if (ret->state == CENSUS_FREE)
		return 0;
	return ret->state == CENSUS_CLAIMING || ret->state > CENSUS_EXITED ? -1 : 1;
}

/* --- Snapshot --------------------------------------------------------------------------------- */

/* Three copies of the table, each as one pass read it. */
struct census_passes {
	uint8_t *of[3];
};

/* Reads one part of the table once. What the file does not have becomes zeros. */
static int census_pass(int fd, uint8_t *to, size_t from, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, to + done, size - done, (off_t)(from + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	memset(to + done, 0, size - done);
	return 0;
}

/*
 * Reads a part of the table three times, one after the other. As for rings, the data are those of
 * the second pass.
 */
static int census_read(int fd, const struct census_passes *passes, size_t from, size_t size)
{
	int error = census_pass(fd, passes->of[0] + from, from, size);

	ring_fence_acquire();
	if (!error)
		error = census_pass(fd, passes->of[1] + from, from, size);
	ring_fence_acquire();
	if (!error)
		error = census_pass(fd, passes->of[2] + from, from, size);
	return error;
}

/* True if two copies of a slot are of the same process. */
static int census_is_one(const struct census_slot *a, const struct census_slot *b)
{
	return a->pid == b->pid && a->start_time == b->start_time && a->pid_ns == b->pid_ns;
}

/* True if the slot was the same process's in two passes, and nothing of it was being changed. */
static int census_is_steady(const struct census_slot *a, const struct census_slot *b)
{
	return !((a->head ^ b->head) & ~((uint64_t)CENSUS_FLAGS << 32)) && census_is_one(a, b);
}

/*
 * Reads a slot again until three passes agree on whose it is and in what state. If it changed at
 * every look, the copy says CLAIMING, and whose the slot is only if that is clear.
 */
static int census_settle(int fd, const struct census_passes *passes, size_t at)
{
	struct census_slot *a = (void *)(passes->of[0] + at), *b = (void *)(passes->of[1] + at),
			   *c = (void *)(passes->of[2] + at);
	int error = 0;

	for (int tries = 0; tries < CENSUS_TRIES && !error; tries++) {
		if (census_is_steady(a, b) && census_is_steady(b, c))
			return 0;
		error = census_read(fd, passes, at, sizeof(*b));
	}
	if (census_is_steady(a, b) && census_is_steady(b, c))
		return error;
	if (!census_is_one(a, b) || !census_is_one(b, c))
		b->pid = 0, b->start_time = 0, b->pid_ns = 0;
	b->state = CENSUS_CLAIMING;
	return error;
}

/*
 * Returns how many bytes of the file, which has `whole`, hold slots that are in use, with room for
 * those that are claimed meanwhile. The others, which are nearly all, hold nothing.
 */
static size_t census_in_use(int fd, size_t whole)
{
	uint32_t high;
	uint64_t end;

	if (pread(fd, &high, sizeof(high), offsetof(struct census_header, high)) != sizeof(high) ||
		high >= CENSUS_SLOTS)
		return whole;
	end = census_slot_offset(high + CENSUS_ROOM);
	return end < whole ? (size_t)end : whole;
}

/* True if the copy lacks slots that were in use when its header was read. */
static bool census_is_cut(const uint8_t *bytes, size_t size)
{
	uint32_t high;

	if (size < sizeof(struct census_header))
		return false;
	memcpy(&high, bytes + offsetof(struct census_header, high), sizeof(high));
	return high >= CENSUS_SLOTS || census_slot_offset(high) > size;
}

/* Copies that much of the table. Returns 0, or a negative errno; frees nothing. */
static int census_copy(int fd, struct census_passes *passes, size_t size)
{
	int error = 0;

	for (int p = 0; p < 3; p++) {
		uint8_t *grown = realloc(passes->of[p], size ? size : 1);

		if (!grown)
			return -ENOMEM;
		passes->of[p] = grown;
	}
	error = census_read(fd, passes, 0, size);
	for (uint32_t i = 0; !error && census_slot_offset(i + 1) <= size; i++)
		error = census_settle(fd, passes, census_slot_offset(i));
	return error;
}

int census_snapshot(int fd, void **ret_bytes, size_t *ret_size)
{
	const size_t most = census_slot_offset(CENSUS_SLOTS);
	struct census_passes passes = {{NULL, NULL, NULL}};
	struct stat st;
	size_t size, whole;
	int error;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	whole = (uint64_t)st.st_size < most ? (size_t)st.st_size : most;
	size = census_in_use(fd, whole);
	error = census_copy(fd, &passes, size);
	if (!error && size < whole && census_is_cut(passes.of[1], size)) {
		size = whole;
		error = census_copy(fd, &passes, size);
	}
	if (!error) {
		*ret_bytes = passes.of[1];
		*ret_size = size;
		passes.of[1] = NULL;
	}
	for (int p = 0; p < 3; p++)
		free(passes.of[p]);
	return error;
}
