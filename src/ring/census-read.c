/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/census-read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int census_pass(int fd, uint8_t *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, to + done, size - done, (off_t)done);

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

/* As for rings: data of pass B; a slot whose state differs between A and C was being changed. */
static void census_guard(const uint8_t *a, uint8_t *b, const uint8_t *c, size_t size)
{
	const uint32_t claiming = CENSUS_CLAIMING;

	for (size_t at = sizeof(struct census_header); at + sizeof(struct census_slot) <= size;
		at += sizeof(struct census_slot))
		if (memcmp(a + at, c + at, sizeof(claiming)) ||
			memcmp(a + at, b + at, sizeof(claiming)))
			memcpy(b + at, &claiming, sizeof(claiming));
}

int census_snapshot(int fd, void **ret_bytes, size_t *ret_size)
{
	const size_t most =
		sizeof(struct census_header) + CENSUS_SLOTS * sizeof(struct census_slot);
	uint8_t *pass[3] = {NULL, NULL, NULL};
	struct stat st;
	size_t size;
	int error = 0;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	size = (uint64_t)st.st_size < most ? (size_t)st.st_size : most;
	for (int p = 0; p < 3 && !error; p++) {
		pass[p] = malloc(size ? size : 1);
		error = pass[p] ? census_pass(fd, pass[p], size) : -ENOMEM;
	}
	if (!error) {
		census_guard(pass[0], pass[1], pass[2], size);
		*ret_bytes = pass[1];
		*ret_size = size;
		pass[1] = NULL;
	}
	for (int p = 0; p < 3; p++)
		free(pass[p]);
	return error;
}
