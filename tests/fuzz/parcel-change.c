/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parcels are changed one at a time: the others still are where they were, and a length says what
 * it said of. Mostly within one run of plain bytes, which is where a decoder reads.
 */
#include <string.h>

#include "change.h"
#include "parcel.h"

#define PARCELS 512
#define GROWTH  64 /* bytes at most that a run becomes longer by at once */

struct input {
	uint8_t *bytes;
	size_t size, most;
};

/* Makes the n bytes at `at` m: what is behind them moves. There is room for them. */
static void move_rest(struct input *input, size_t at, size_t n, size_t m)
{
	memmove(input->bytes + at + m, input->bytes + at + n, input->size - at - n);
	input->size += m - n;
}

static size_t room(const struct input *input)
{
	return input->most - input->size;
}

/* Where one of the parcels begins and ends; false where there is none. */
static int pick_parcel(const struct input *input, uint32_t *chance, size_t *at, size_t *end)
{
	size_t begins[PARCELS + 1], n = 0;
	const uint8_t *next = input->bytes;

	begins[0] = 0;
	while (n < PARCELS && parcel_skip(&next, input->bytes + input->size))
		begins[++n] = (size_t)(next - input->bytes);
	if (!n)
		return 0;
	n = draw_below(chance, (uint32_t)n);
	*at = begins[n];
	*end = begins[n + 1];
	return 1;
}

/* What is before the bytes: kind, rank, host, process, times. The label is as long as it was. */
static void change_head(struct input *input, size_t at)
{
	uint8_t *head = input->bytes + at, label = head[3];
	size_t size = parcel_head_size(head) - sizeof(uint32_t);

	LLVMFuzzerMutate(head, size, size);
	head[3] = label;
}

/* Where one of the runs begins, behind its length. */
static size_t pick_run(const struct input *input, uint32_t *chance, size_t at, size_t end)
{
	size_t from = at, picked = 0;
	uint32_t seen = 0;
	uint16_t n;

	while (end - from >= sizeof(n)) {
		memcpy(&n, input->bytes + from, sizeof(n));
		from += sizeof(n);
		if (n && n <= end - from && !draw_below(chance, ++seen))
			picked = from;
		if (n + sizeof(n) > end - from)
			break;
		from += n + sizeof(n);
	}
	return picked;
}

static void change_run(struct input *input, uint32_t *chance, size_t at, size_t end)
{
	size_t data = at + parcel_head_size(input->bytes + at);
	size_t run = pick_run(input, chance, data, end), most, now;
	uint32_t len = (uint32_t)(end - data);
	uint8_t changed[UINT16_MAX];
	uint16_t n;

	if (!run)
		return;
	memcpy(&n, input->bytes + run - sizeof(n), sizeof(n));
	most = (size_t)n + (room(input) < GROWTH ? room(input) : GROWTH);
	most = most < sizeof(changed) ? most : sizeof(changed);
	memcpy(changed, input->bytes + run, n);
	now = LLVMFuzzerMutate(changed, n, most);
	move_rest(input, run, n, now);
	memcpy(input->bytes + run, changed, now);
	len = (uint32_t)(len - n + now);
	n = (uint16_t)now;
	memcpy(input->bytes + run - sizeof(n), &n, sizeof(n));
	memcpy(input->bytes + data - sizeof(len), &len, sizeof(len));
}

/* A second one of it, which says the same or, later, something else. */
static void repeat(struct input *input, size_t at, size_t end)
{
	size_t n = end - at;

	if (n > room(input))
		return;
	move_rest(input, at, 0, n);
	memmove(input->bytes + at, input->bytes + end, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
	struct input input = {bytes, size, most};
	uint32_t chance = seed;
	size_t at, end;

	if (!draw_below(&chance, 16) || size > most || !pick_parcel(&input, &chance, &at, &end))
		return LLVMFuzzerMutate(bytes, size, most);
	switch (draw_below(&chance, 12)) {
	case 0:
		change_head(&input, at);
		break;
	case 1:
		repeat(&input, at, end);
		break;
	case 2:
		if (end - at < size)
			move_rest(&input, at, end - at, 0);
		break;
	default:
		change_run(&input, &chance, at, end);
	}
	return input.size;
}
