/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines lie in one array and are found by a hash of their number; a mask says which bytes of a line
 * are known. Packing sorts the lines once. Copied stacks are lines like all others: 1 MiB of them
 * makes 16,384 lines, which still costs less than walking them does.
 */
#include "stack/excerpt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

struct excerpt_line {
	uint64_t number; /* address / EXCERPT_LINE */
	uint64_t known;  /* a bit for each byte that it has */
	uint64_t told;   /* a bit for each byte that somebody has read */
	uint8_t bytes[EXCERPT_LINE];
};

struct excerpt {
	struct stack_memory memory; /* first: the vtable's `self` */
	struct stack_memory *source;
	bool reticent;
	bool unpacked; /* from packed bytes, and not reticent: reading leaves no mark */
	struct {
		uint64_t from, to;
	} bars[EXCERPT_BARS];
	size_t nbars;
	ARRAY(struct excerpt_line) lines;
	uint32_t *index; /* 1 + place in lines, 0 free; a power of two */
	size_t index_size;
};

#define EXCERPT_RUN_HEAD 16 /* bytes: the address and length of a packed run */
#define EXCERPT_FIRST	 1024 /* slots of the first index */

/* Returns the first slot that a line number is sought in. */
static size_t excerpt_hash(uint64_t number, size_t size)
{
	return (size_t)(number * 0x9e3779b97f4a7c15ull >> 20) & (size - 1);
}

/* Puts a line into the index, which has a free slot. `place` is 1 + its place in lines. */
static void excerpt_index_put(struct excerpt *excerpt, uint64_t number, uint32_t place)
{
	size_t i = excerpt_hash(number, excerpt->index_size);

	while (excerpt->index[i])
		i = (i + 1) & (excerpt->index_size - 1);
	excerpt->index[i] = place;
}

/* Doubles the index and puts all lines in again. */
static void excerpt_index_grow(struct excerpt *excerpt)
{
	free(excerpt->index);
	excerpt->index_size = excerpt->index_size ? excerpt->index_size * 2 : EXCERPT_FIRST;
	excerpt->index = alloc_zeroed(excerpt->index_size, sizeof(*excerpt->index));
	for (size_t i = 0; i < excerpt->lines.nr; i++)
		excerpt_index_put(excerpt, excerpt->lines.items[i].number, (uint32_t)i + 1);
}

/* Returns the line of a number; NULL if there is none. */
static struct excerpt_line *excerpt_find(const struct excerpt *excerpt, uint64_t number)
{
	size_t i;

	if (!excerpt->index_size)
		return NULL;
	for (i = excerpt_hash(number, excerpt->index_size); excerpt->index[i];
		i = (i + 1) & (excerpt->index_size - 1)) {
		struct excerpt_line *line = &excerpt->lines.items[excerpt->index[i] - 1];

		if (line->number == number)
			return line;
	}
	return NULL;
}

/* Returns the line of a number, made if there is none; NULL if the excerpt is full. */
static struct excerpt_line *excerpt_line(struct excerpt *excerpt, uint64_t number)
{
	struct excerpt_line *line = excerpt_find(excerpt, number);

	if (line)
		return line;
	if (excerpt->lines.nr >= EXCERPT_CAP / EXCERPT_LINE)
		return NULL;
	if (excerpt->lines.nr * 2 >= excerpt->index_size)
		excerpt_index_grow(excerpt);
	line = array_add(&excerpt->lines);
	line->number = number;
	excerpt_index_put(excerpt, number, (uint32_t)excerpt->lines.nr);
	return line;
}

/* Returns the mask of the bytes [from, from + len) of a line. */
static uint64_t excerpt_bits(size_t from, size_t len)
{
	uint64_t bits = len >= EXCERPT_LINE ? ~0ull : (1ull << len) - 1;

	return bits << from;
}

/* Puts bytes into a line. Bytes that are known already stay. */
static void excerpt_fill(
	struct excerpt_line *line, size_t from, const uint8_t *bytes, size_t len)
{
	uint64_t bits = excerpt_bits(from, len);

	if (!(line->known & bits))
		memcpy(line->bytes + from, bytes, len);
	else
		for (size_t i = 0; i < len; i++)
			if (!(line->known >> (from + i) & 1))
				line->bytes[from + i] = bytes[i];
	line->known |= bits;
}

void excerpt_be_reticent(struct excerpt *excerpt)
{
	excerpt->reticent = true;
	excerpt->unpacked = false;
}

void excerpt_bar(struct excerpt *excerpt, uint64_t from, uint64_t to)
{
	size_t last = excerpt->nbars - 1;

	if (from >= to)
		return;
	if (excerpt->nbars < EXCERPT_BARS) {
		excerpt->bars[excerpt->nbars].from = from;
		excerpt->bars[excerpt->nbars++].to = to;
		return;
	}
	if (from < excerpt->bars[last].from)
		excerpt->bars[last].from = from;
	if (to > excerpt->bars[last].to)
		excerpt->bars[last].to = to;
}

/* True if any byte of [at, at + len) is barred. */
static bool excerpt_is_barred(const struct excerpt *excerpt, uint64_t at, size_t len)
{
	for (size_t i = 0; i < excerpt->nbars; i++)
		if (at < excerpt->bars[i].to && at + len > excerpt->bars[i].from)
			return true;
	return false;
}

/* Returns the mask of a line's bytes that may be packed. */
static uint64_t excerpt_packable(const struct excerpt *excerpt, const struct excerpt_line *line)
{
	uint64_t bits = excerpt->reticent ? line->known & line->told : line->known;
	uint64_t at = line->number * EXCERPT_LINE;

	if (!excerpt_is_barred(excerpt, at, EXCERPT_LINE))
		return bits;
	for (size_t i = 0; i < EXCERPT_LINE; i++)
		if (excerpt_is_barred(excerpt, at + i, 1))
			bits &= ~(1ull << i);
	return bits;
}

void excerpt_forget(struct excerpt *excerpt)
{
	excerpt->lines.nr = 0;
	if (excerpt->index_size)
		memset(excerpt->index, 0, excerpt->index_size * sizeof(*excerpt->index));
}

int excerpt_put(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
{
	const uint8_t *next = bytes;

	while (len) {
		size_t from = at % EXCERPT_LINE;
		size_t part = len < EXCERPT_LINE - from ? len : EXCERPT_LINE - from;
		struct excerpt_line *line = excerpt_line(excerpt, at / EXCERPT_LINE);

		if (!line)
			return -ENOSPC;
		excerpt_fill(line, from, next, part);
		next += part;
		at += part;
		len -= part;
	}
	return 0;
}

void excerpt_overwrite(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
{
	const uint8_t *next = bytes;

	for (size_t i = 0; i < len; i++) {
		struct excerpt_line *line = excerpt_find(excerpt, (at + i) / EXCERPT_LINE);
		size_t from = (at + i) % EXCERPT_LINE;

		if (line && line->known >> from & 1)
			line->bytes[from] = next[i];
	}
}

/*
 * Takes from the source what a line lacks of [from, from + len): the whole line if it can be read,
 * else just those bytes. (A page has whole lines, but a file may end in the middle of one.) Returns
 * 0 or -errno.
 */
static int excerpt_take(struct excerpt *excerpt, uint64_t number, size_t from, size_t len)
{
	uint8_t bytes[EXCERPT_LINE];
	uint64_t at = number * EXCERPT_LINE;
	int error;

	if (!excerpt->source)
		return -EFAULT;
	error = stack_memory_read(excerpt->source, at, bytes, EXCERPT_LINE);
	if (!error)
		return excerpt_put(excerpt, at, bytes, EXCERPT_LINE);
	error = stack_memory_read(excerpt->source, at + from, bytes, len);
	return error ? error : excerpt_put(excerpt, at + from, bytes, len);
}

/*
 * Copies `len` bytes out, taken from the source where they are not here yet. With `tells` they
 * count as read, and so may be packed. Returns 0 or -errno.
 */
static int excerpt_give(struct excerpt *excerpt, uint64_t at, void *to, size_t len, bool tells)
{
	uint8_t *next = to;

	if (at + len < at || excerpt_is_barred(excerpt, at, len))
		return -EFAULT;
	while (len) {
		size_t from = at % EXCERPT_LINE;
		size_t part = len < EXCERPT_LINE - from ? len : EXCERPT_LINE - from;
		uint64_t bits = excerpt_bits(from, part);
		struct excerpt_line *line = excerpt_find(excerpt, at / EXCERPT_LINE);

		if (!line || (line->known & bits) != bits) {
			int error = excerpt_take(excerpt, at / EXCERPT_LINE, from, part);

			if (error)
				return error;
			line = excerpt_find(excerpt, at / EXCERPT_LINE);
		}
		if (tells && !excerpt->unpacked)
			line->told |= bits;
		memcpy(next, line->bytes + from, part);
		next += part;
		at += part;
		len -= part;
	}
	return 0;
}

/* The excerpt's functions as a memory (stack/memory.h). */
static int excerpt_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	return excerpt_give((struct excerpt *)memory, at, to, len, true);
}

static int excerpt_glance(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	return excerpt_give((struct excerpt *)memory, at, to, len, false);
}

struct excerpt *excerpt_new(struct stack_memory *source)
{
	struct excerpt *excerpt = alloc_zeroed(1, sizeof(*excerpt));

	excerpt->memory.read = excerpt_read;
	excerpt->memory.glance = excerpt_glance;
	excerpt->source = source;
	return excerpt;
}

void excerpt_close(struct excerpt *excerpt)
{
	excerpt->source = NULL;
}

struct stack_memory *excerpt_memory(struct excerpt *excerpt)
{
	return &excerpt->memory;
}

size_t excerpt_size(const struct excerpt *excerpt)
{
	size_t size = 0;

	for (size_t i = 0; i < excerpt->lines.nr; i++)
		size += (size_t)__builtin_popcountll(
			excerpt_packable(excerpt, &excerpt->lines.items[i]));
	return size;
}

/* Orders pointers to lines by the lines' numbers. */
static int compare_lines(const void *va, const void *vb)
{
	const struct excerpt_line *a = *(const struct excerpt_line *const *)va;
	const struct excerpt_line *b = *(const struct excerpt_line *const *)vb;

	return (a->number > b->number) - (a->number < b->number);
}

/* Returns pointers to the lines in the order of addresses; free() it. */
static const struct excerpt_line **excerpt_sorted(const struct excerpt *excerpt)
{
	size_t n = excerpt->lines.nr;
	const struct excerpt_line **sorted = alloc_zeroed(n + 1, sizeof(struct excerpt_line *));
	bool in_order = true;

	for (size_t i = 0; i < n; i++) {
		sorted[i] = &excerpt->lines.items[i];
		in_order = in_order && (!i || sorted[i - 1]->number < sorted[i]->number);
	}
	if (!in_order)
		qsort(sorted, n, sizeof(struct excerpt_line *), compare_lines);
	return sorted;
}

/*
 * A run that is being packed. `len_at` is where in `into` its length stands, `end` the address
 * behind its last byte.
 */
struct excerpt_run {
	struct str *into;
	size_t len_at;
	uint64_t end, len;
};

/*
 * Appends bytes: to the run that they follow upon, else as a new run. The length in its head always
 * holds.
 */
static void excerpt_run_add(
	struct excerpt_run *run, uint64_t at, const uint8_t *bytes, size_t len)
{
	if (!run->len || run->end != at) {
		run->len = 0;
		str_add_bytes(run->into, &at, sizeof(at));
		run->len_at = run->into->len;
		str_add_bytes(run->into, &run->len, sizeof(run->len));
	}
	str_add_bytes(run->into, bytes, len);
	run->end = at + len;
	run->len += len;
	memcpy(run->into->text + run->len_at, &run->len, sizeof(run->len));
}

/* Packs what may be packed of a line, each gapless part of it by itself. */
static void excerpt_pack_line(
	const struct excerpt *excerpt, const struct excerpt_line *line, struct excerpt_run *run)
{
	uint64_t left = excerpt_packable(excerpt, line);

	while (left) {
		size_t from = (size_t)__builtin_ctzll(left);
		uint64_t gap = ~(left >> from);
		size_t len = gap ? (size_t)__builtin_ctzll(gap) : EXCERPT_LINE - from;

		excerpt_run_add(
			run, line->number * EXCERPT_LINE + from, line->bytes + from, len);
		left &= ~excerpt_bits(from, len);
	}
}

void excerpt_pack(const struct excerpt *excerpt, struct str *into)
{
	const struct excerpt_line **sorted = excerpt_sorted(excerpt);
	struct excerpt_run run = {.into = into};

	for (size_t i = 0; i < excerpt->lines.nr; i++)
		excerpt_pack_line(excerpt, sorted[i], &run);
	free(sorted);
}

struct excerpt *excerpt_unpack(const void *bytes, size_t len, struct complaint *why)
{
	struct excerpt *excerpt = excerpt_new(NULL);
	const uint8_t *at = bytes, *end = len ? at + len : at; /* bytes may be NULL then */

	while (at < end) {
		uint64_t address, size;

		if (end - at < EXCERPT_RUN_HEAD)
			goto broken;
		memcpy(&address, at, sizeof(address));
		memcpy(&size, at + sizeof(address), sizeof(size));
		at += EXCERPT_RUN_HEAD;
		if (size > (uint64_t)(end - at) || address + size < address)
			goto broken;
		if (excerpt_put(excerpt, address, at, size) < 0)
			goto broken;
		at += size;
	}
	excerpt->unpacked = true;
	return excerpt;
broken:
	complaint_set(why, "an excerpt of memory is cut or damaged");
	excerpt_free(excerpt);
	return NULL;
}

void excerpt_free(struct excerpt *excerpt)
{
	if (!excerpt)
		return;
	array_release(&excerpt->lines);
	free(excerpt->index);
	free(excerpt);
}
