/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/livemem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"

#define LIVEMEM_PAGE  4096u
#define LIVEMEM_PAGES 16384u /* pages in the cache, which then starts anew */
#define LIVEMEM_BATCH 64     /* pieces per call */

struct livemem_page {
	uint64_t number; /* address / LIVEMEM_PAGE */
	uint8_t *bytes;
};

struct livemem {
	struct stack_memory memory; /* first: the vtable's `self` */
	uint32_t pid;
	int file;     /* /proc/PID/mem; -1 not open */
	bool by_file; /* process_vm_readv is not to be had */
	int refused; /* as livemem_refused() returns it */
	ARRAY(struct livemem_piece) copies; /* by address, not overlapping; their bytes are owned */
	ARRAY(struct livemem_page) pages;
	uint32_t *index; /* 1 + place in pages, 0 free; 2 * LIVEMEM_PAGES of them */
};

/* --- Reading ---------------------------------------------------------------------------------- */

static void livemem_note_refusal(struct livemem *livemem, int error)
{
	if (!livemem->refused && (error == EPERM || error == EACCES))
		livemem->refused = error;
}

/*
 * Reads by /proc/PID/mem. Returns how many bytes, or -errno; -ESRCH at its end, which a process
 * that is gone has.
 */
static ssize_t livemem_pread(struct livemem *livemem, uint64_t at, void *to, size_t len)
{
	char path[64];
	ssize_t got;

	if (at > INT64_MAX)
		return -EFAULT;
	if (livemem->file < 0) {
		snprintf(path, sizeof(path), "/proc/%u/mem", livemem->pid);
		livemem->file = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (livemem->file < 0) {
		got = -errno;
		livemem_note_refusal(livemem, errno);
		return got == -ENOENT ? -ESRCH : got;
	}
	got = pread(livemem->file, to, len, (off_t)at);
	if (got < 0)
		return errno == EIO ? -EFAULT : -errno;
	return got ? got : -ESRCH;
}

/* True if an error means that the call itself is not to be had here, rather than this memory. */
static bool livemem_lacks_call(int error)
{
	return error == ENOSYS || error == EPERM || error == EACCES;
}

/* Reads up to `len` bytes at `at`, past cache and copies. Returns how many, or -errno. */
static ssize_t livemem_fetch(struct livemem *livemem, uint64_t at, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)at, len};
	ssize_t got;

	if (!livemem->by_file) {
		got = process_vm_readv((pid_t)livemem->pid, &local, 1, &remote, 1, 0);
		if (got > 0)
			return got;
		if (got == 0 || !livemem_lacks_call(errno))
			return got == 0 ? -EFAULT : -errno;
		livemem->by_file = true;
	}
	return livemem_pread(livemem, at, to, len);
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* Order pieces, by pointer and by value, by their address. */
static int compare_pieces(const void *va, const void *vb)
{
	const struct livemem_piece *a = *(struct livemem_piece *const *)va;
	const struct livemem_piece *b = *(struct livemem_piece *const *)vb;

	return (a->at > b->at) - (a->at < b->at);
}

static int compare_copies(const void *va, const void *vb)
{
	const struct livemem_piece *a = va, *b = vb;

	return (a->at > b->at) - (a->at < b->at);
}

/* Drops the older copies that a new piece covers part of. */
static void livemem_supersede(struct livemem *livemem, const struct livemem_piece *piece)
{
	size_t kept = 0;

	for (size_t i = 0; i < livemem->copies.nr; i++) {
		struct livemem_piece *copy = &livemem->copies.items[i];

		if (copy->at < piece->at + piece->len && piece->at < copy->at + copy->len)
			free(copy->bytes);
		else
			livemem->copies.items[kept++] = *copy;
	}
	livemem->copies.nr = kept;
}

/*
 * Reads what one piece still lacks, page by page, up to where memory ends. Returns 0, or the -errno
 * that ended it.
 */
static int livemem_copy_rest(struct livemem *livemem, struct livemem_piece *piece)
{
	while (piece->got < piece->len) {
		uint64_t at = piece->at + piece->got;
		size_t page = LIVEMEM_PAGE - at % LIVEMEM_PAGE;
		size_t left = piece->len - piece->got;
		ssize_t got = livemem_fetch(
			livemem, at, piece->bytes + piece->got, left < page ? left : page);

		if (got < 0)
			return (int)got;
		piece->got += (size_t)got;
	}
	return 0;
}

/*
 * Reads at most LIVEMEM_BATCH pieces in one call, and what that leaves out one by one. Returns 0,
 * or the first -errno.
 */
static int livemem_copy_batch(
	struct livemem *livemem, struct livemem_piece *const *pieces, size_t nr)
{
	struct iovec local[LIVEMEM_BATCH], remote[LIVEMEM_BATCH];
	ssize_t got = 0;
	int error = 0;

	for (size_t i = 0; i < nr; i++) {
		local[i] = (struct iovec){pieces[i]->bytes, pieces[i]->len};
		remote[i] = (struct iovec){(void *)(uintptr_t)pieces[i]->at, pieces[i]->len};
	}
	if (!livemem->by_file)
		got = process_vm_readv((pid_t)livemem->pid, local, nr, remote, nr, 0);
	for (size_t i = 0; i < nr; i++) {
		size_t whole = pieces[i]->len;

		pieces[i]->got = got <= 0 ? 0 : (size_t)got < whole ? (size_t)got : whole;
		got -= got > 0 ? (ssize_t)pieces[i]->got : 0;
		if (pieces[i]->got < whole) {
			int rest = livemem_copy_rest(livemem, pieces[i]);

			error = error ? error : rest;
		}
	}
	return error;
}

int livemem_copy(struct livemem *livemem, struct livemem_piece *pieces, size_t nr)
{
	struct livemem_piece **sorted = alloc_zeroed(nr + 1, sizeof(struct livemem_piece *));
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = &pieces[i];
	qsort(sorted, nr, sizeof(struct livemem_piece *), compare_pieces);
	for (size_t i = 0; i < nr; i++) {
		struct livemem_piece *piece = sorted[i];

		if (i + 1 < nr && sorted[i + 1]->at - piece->at < piece->len)
			piece->len = sorted[i + 1]->at - piece->at;
		piece->bytes = alloc_resize(NULL, piece->len, 1);
		livemem_supersede(livemem, piece);
	}
	for (size_t i = 0; i < nr; i += LIVEMEM_BATCH) {
		size_t some = nr - i < LIVEMEM_BATCH ? nr - i : LIVEMEM_BATCH;
		int one = livemem_copy_batch(livemem, sorted + i, some);

		error = error ? error : one;
	}
	for (size_t i = 0; i < nr; i++) {
		if (pieces[i].got) {
			*array_add(&livemem->copies) = pieces[i];
			any = true;
		} else {
			free(pieces[i].bytes);
			pieces[i].bytes = NULL;
		}
	}
	array_sort(&livemem->copies, compare_copies);
	free(sorted);
	return any ? 0 : error;
}

ssize_t livemem_again(struct livemem *livemem, uint64_t at, void *to, size_t len)
{
	return livemem_fetch(livemem, at, to, len);
}

void livemem_put(struct livemem *livemem, uint64_t at, const void *bytes, size_t len)
{
	struct livemem_piece piece = {at, len, alloc_copy(bytes, len), len};

	livemem_supersede(livemem, &piece);
	*array_add(&livemem->copies) = piece;
	array_sort(&livemem->copies, compare_copies);
}

void livemem_drop(struct livemem *livemem, uint64_t at)
{
	const struct livemem_piece piece = {.at = at, .len = 1};

	livemem_supersede(livemem, &piece);
}

/* Copies as many of `len` bytes at `at` as a copy has. Returns how many; 0 none. */
static size_t livemem_from_copy(
	const struct livemem *livemem, uint64_t at, void *to, size_t len)
{
	size_t behind = bisect(0, livemem->copies.nr, i, livemem->copies.items[i].at <= at);
	const struct livemem_piece *copy;
	size_t part;

	if (!behind)
		return 0;
	copy = &livemem->copies.items[behind - 1];
	if (at - copy->at >= copy->got)
		return 0;
	part = copy->got - (size_t)(at - copy->at);
	part = part < len ? part : len;
	memcpy(to, copy->bytes + (at - copy->at), part);
	return part;
}

/* --- Pages ------------------------------------------------------------------------------------ */

/* Returns the slot of the index where a page is, or would go. */
static uint32_t *livemem_slot(const struct livemem *livemem, uint64_t number)
{
	size_t mask = 2 * LIVEMEM_PAGES - 1;
	size_t i = (size_t)(number * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (livemem->index[i] && livemem->pages.items[livemem->index[i] - 1].number != number)
		i = (i + 1) & mask;
	return &livemem->index[i];
}

/* Finds the bytes of a page, which is read now if it was not. Returns 0 or -errno. */
static int livemem_page(struct livemem *livemem, uint64_t number, const uint8_t **ret)
{
	uint8_t bytes[LIVEMEM_PAGE];
	struct livemem_page *page;
	uint32_t *slot;
	ssize_t got;

	if (livemem->pages.nr >= LIVEMEM_PAGES)
		livemem_refresh(livemem);
	slot = livemem_slot(livemem, number);
	if (!*slot) {
		got = livemem_fetch(livemem, number * LIVEMEM_PAGE, bytes, sizeof(bytes));
		if (got < 0)
			return (int)got;
		if ((size_t)got < sizeof(bytes))
			return -EFAULT;
		page = array_add(&livemem->pages);
		page->number = number;
		page->bytes = alloc_copy(bytes, sizeof(bytes));
		*slot = (uint32_t)livemem->pages.nr;
	}
	*ret = livemem->pages.items[*slot - 1].bytes;
	return 0;
}

/* Reads from copies, else from pages. */
static int livemem_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct livemem *livemem = (struct livemem *)memory;
	uint8_t *next = to;

	if (at + len < at)
		return -EFAULT;
	while (len) {
		size_t part = livemem_from_copy(livemem, at, next, len);

		if (!part) {
			const uint8_t *page;
			size_t from = at % LIVEMEM_PAGE;
			int error = livemem_page(livemem, at / LIVEMEM_PAGE, &page);

			if (error)
				return error;
			part = LIVEMEM_PAGE - from < len ? LIVEMEM_PAGE - from : len;
			memcpy(next, page + from, part);
		}
		next += part;
		at += part;
		len -= part;
	}
	return 0;
}

/* --- Life ------------------------------------------------------------------------------------- */

struct livemem *livemem_new(uint32_t pid)
{
	struct livemem *livemem = alloc_zeroed(1, sizeof(*livemem));

	livemem->memory.read = livemem_read;
	livemem->pid = pid;
	livemem->file = -1;
	livemem->index = alloc_zeroed(2 * LIVEMEM_PAGES, sizeof(*livemem->index));
	return livemem;
}

struct stack_memory *livemem_memory(struct livemem *livemem)
{
	return &livemem->memory;
}

int livemem_refused(const struct livemem *livemem)
{
	return livemem->refused;
}

void livemem_refresh(struct livemem *livemem)
{
	for (size_t i = 0; i < livemem->pages.nr; i++)
		free(livemem->pages.items[i].bytes);
	if (livemem->pages.nr)
		memset(livemem->index, 0, 2 * LIVEMEM_PAGES * sizeof(*livemem->index));
	livemem->pages.nr = 0;
}

void livemem_forget(struct livemem *livemem)
{
	livemem_refresh(livemem);
	for (size_t i = 0; i < livemem->copies.nr; i++)
		free(livemem->copies.items[i].bytes);
	livemem->copies.nr = 0;
}

void livemem_free(struct livemem *livemem)
{
	if (!livemem)
		return;
	livemem_forget(livemem);
	array_release(&livemem->copies);
	array_release(&livemem->pages);
	if (livemem->file >= 0)
		close(livemem->file);
	free(livemem->index);
	free(livemem);
}
