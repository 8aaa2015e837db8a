/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-make.h"

#include "ring/ring-traceback.h"
#include "ring/ring-write.h"

static const struct ring_layout ring_profile[RING_PROFILES] = {
	{.big = {32768, 16384},
		.lanes = 16,
		.small = 1024,
		.groups = 64,
		.spans = 64,
		.marks = 16,
		.strings = 65536,
		.strindex = 4096,
		.fatal = 4,
		.traces = 4,
		.text = 4096},
	{.big = {8192, 4096},
		.lanes = 16,
		.small = 256,
		.groups = 16,
		.spans = 64,
		.marks = 16,
		.strings = 32768,
		.strindex = 2048,
		.fatal = 3,
		.traces = 2,
		.text = 4096,
		.pin_shift = 1},
	{.big = {2048, 1024},
		.lanes = 16,
		.small = 64,
		.groups = 8,
		.spans = 32,
		.marks = 8,
		.strings = 16384,
		.strindex = 1024,
		.fatal = 2,
		.traces = 1,
		.text = 4096,
		.pin_shift = 2},
};

static const struct ring_layout ring_candidate = {
	.big = {256, 64},
	.lanes = 6,
	.small = 32,
	.spans = 32,
	.marks = 16,
	.strings = 16384,
	.strindex = 1024,
	.fatal = 1,
	.traces = 1,
	.text = 4096,
	.pin_shift = 2,
};

/* How many records of each pinned class are kept: the first ones for ever, and the latest. */
static const struct {
	uint32_t first, latest;
} ring_quota[RING_PINS] = {
	[RING_PIN_PROC] = {32, 32},
	[RING_PIN_COMM] = {128, 128},
	[RING_PIN_COMPILE] = {64, 64},
	[RING_PIN_CHECKPOINT] = {16, 32},
	[RING_PIN_SIGNAL] = {16, 16},
	[RING_PIN_NOTE] = {16, 48},
	[RING_PIN_SHARD] = {16, 48},
	[RING_PIN_TRAIT] = {48, 48},
};

static uint32_t ring_lane_slots(const struct ring_layout *l, uint32_t lane)
{
	return lane < 2 ? l->big[lane] : l->small;
}

static uint64_t ring_total_slots(const struct ring_layout *l)
{
	uint64_t slots = 0;

	for (uint32_t i = 0; i <= l->lanes; i++)
		slots += ring_lane_slots(l, i);
	return slots;
}

static uint64_t ring_total_pins(const struct ring_layout *l)
{
	uint64_t pins = 0;

	for (int c = 0; c < RING_PINS; c++)
		pins += (ring_quota[c].first >> l->pin_shift) +
			(ring_quota[c].latest >> l->pin_shift);
	return pins;
}

/*
 * The tables come first, so that a reader that has only the front of the file has all but the
 * lanes' history. The slots are last: a file that is cut loses the least that way.
 */
void ring_layout(uint32_t profile, uint32_t role, struct ring_layout *ret)
{
	uint64_t at = RING_HEADER_SIZE;

	if (profile >= RING_PROFILES)
		profile = RING_PROFILES - 1;
	*ret = role == RING_CANDIDATE ? ring_candidate : ring_profile[profile];
	ret->profile = profile;
	ret->role = role;

	const struct ring_section section[] = {
		{RING_S_ANCHORS, sizeof(struct ring_slot), 0, 3},
		{RING_S_LANES, sizeof(struct ring_lane), 0, ret->lanes + 1},
		{RING_S_SPANS, sizeof(struct ring_slot), 0, ret->spans},
		{RING_S_MARKS, sizeof(struct ring_mark), 0, ret->marks},
		{RING_S_PINNED, sizeof(struct ring_pinned), 0, RING_PINS},
		{RING_S_PINSLOTS, sizeof(struct ring_slot), 0, ring_total_pins(ret)},
		{RING_S_STRINGS, 1, 0, ret->strings},
		{RING_S_STRINDEX, sizeof(uint32_t), 0, ret->strindex},
		{RING_S_FATAL, sizeof(struct ring_fatal), 0, ret->fatal},
		{RING_S_TRACES, sizeof(struct ring_traceback), 0, ret->traces},
		{RING_S_STDERR, 1, 0, sizeof(struct ring_text) + ret->text},
		{RING_S_GROUPS, sizeof(struct ring_group), 0, ret->groups},
		{RING_S_SLOTS, sizeof(struct ring_slot), 0, ring_total_slots(ret)},
	};

	_Static_assert(sizeof(section) <= sizeof(ret->section), "section table");
	for (unsigned i = 0; i < sizeof(section) / sizeof(*section); i++) {
		ret->section[i] = section[i];
		ret->section[i].offset = at;
		at += (section[i].elem_size * section[i].count + 63) & ~63ull;
	}
	ret->size = (at + 4095) & ~4095ull;
}

static void ring_format_lanes(struct ring_writer *w, const struct ring_layout *layout)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i <= layout->lanes; i++) {
		w->lanes[i].first = first;
		w->lanes[i].n = ring_lane_slots(layout, i);
		first += w->lanes[i].n;
	}
}

static void ring_format_pinned(struct ring_writer *w, const struct ring_layout *layout)
{
	uint64_t start = 0;

	for (uint32_t c = 0; c < RING_PINS; c++) {
		w->pinned[c].class = c;
		w->pinned[c].start = start;
		w->pinned[c].first = ring_quota[c].first >> layout->pin_shift;
		w->pinned[c].latest = ring_quota[c].latest >> layout->pin_shift;
		start += w->pinned[c].first + w->pinned[c].latest;
	}
}

void ring_format(void *base, const struct ring_layout *layout)
{
	struct ring_header *h = base;
	struct ring_writer w;

	h->version_major = RING_VERSION_MAJOR;
	h->version_minor = RING_VERSION_MINOR;
	h->header_size = RING_HEADER_SIZE;
	h->file_size = layout->size;
	h->role = layout->role;
	h->profile = layout->profile;
	h->clock = ring_now_clock();
	h->rank = h->local_rank = h->world_size = RING_UNKNOWN_RANK;
	for (int i = 0; i < RING_SECTIONS; i++)
		h->section[i] = layout->section[i];
	ring_writer_open(&w, base);
	ring_format_lanes(&w, layout);
	ring_format_pinned(&w, layout);
	*(uint64_t *)(void *)w.strings = 8;
	w.text->size = layout->text;
}

void ring_publish(void *base)
{
	ring_publish_word(&((struct ring_header *)base)->magic, RING_MAGIC);
}
