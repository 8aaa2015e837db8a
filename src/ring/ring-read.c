/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-read.h"

#include <string.h>

#include "ring/ring-traceback.h"

const char *ring_strerror(int error)
{
	static const char *const words[] = {
		[-RING_E_SHORT] = "too short for a ring",
		[-RING_E_FOREIGN] = "not a ring",
		[-RING_E_UNFINISHED] = "a ring that was never finished",
		[-RING_E_VERSION] = "a ring of another major version",
		[-RING_E_FLAGS] = "a ring with features unknown here",
		[-RING_E_HEADER] = "a ring whose header is damaged",
	};

	if (error >= 0 || error < RING_E_HEADER)
		return "unknown error";
	return words[-error];
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* The least size of an element of each section; 0: a section unknown here. */
static const uint32_t ring_elem_size[RING_PARTS] = {
	[RING_S_ANCHORS] = sizeof(struct ring_slot),
	[RING_S_LANES] = sizeof(struct ring_lane),
	[RING_S_SLOTS] = sizeof(struct ring_slot),
	[RING_S_SPANS] = sizeof(struct ring_slot),
	[RING_S_MARKS] = sizeof(struct ring_mark),
	[RING_S_GROUPS] = sizeof(struct ring_group),
	[RING_S_PINNED] = sizeof(struct ring_pinned),
	[RING_S_PINSLOTS] = sizeof(struct ring_slot),
	[RING_S_STRINGS] = 1,
	[RING_S_STRINDEX] = sizeof(uint32_t),
	[RING_S_FATAL] = sizeof(struct ring_fatal),
	[RING_S_STDERR] = 1,
	[RING_S_TRACES] = sizeof(struct ring_traceback),
};

/*
 * Notes a section, as far as it lies within the bytes. Returns -1 if what the table says of it
 * cannot be true.
 */
static int ring_open_section(struct ring_view *view, const struct ring_section *s)
{
	struct ring_part *part = &view->part[s->id];
	uint64_t file = view->size + view->cut_bytes, here;

	if (part->elem_size || s->elem_size < ring_elem_size[s->id])
		return -1;
	if (ring_elem_size[s->id] == sizeof(struct ring_slot) &&
		s->elem_size != sizeof(struct ring_slot) && s->id != RING_S_PINNED)
		return -1;
	if (s->offset < sizeof(struct ring_header) || s->offset > file ||
		s->count > (file - s->offset) / s->elem_size)
		return -1;
	here = s->offset < view->size ? (view->size - s->offset) / s->elem_size : 0;
	part->at = here ? view->bytes + s->offset : view->bytes;
	part->count = here < s->count ? here : s->count;
	part->declared = s->count;
	part->elem_size = s->elem_size;
	return 0;
}

static void ring_open_sections(struct ring_view *view)
{
	for (int i = 0; i < RING_SECTIONS; i++) {
		const struct ring_section *s = &view->header.section[i];

		if (s->id == RING_S_END)
			continue;
		if (s->id >= RING_PARTS)
			view->unknown_sections++;
		else if (ring_open_section(view, s))
			view->bad_sections++;
	}
}

/* Returns 0, or the enum ring_error that says why the header cannot be used. */
static int ring_check_header(const struct ring_header *h)
{
	if (!h->magic)
		return RING_E_UNFINISHED;
	if (h->magic != RING_MAGIC)
		return RING_E_FOREIGN;
	if (h->version_major != RING_VERSION_MAJOR)
		return RING_E_VERSION;
	if (h->incompat_flags)
		return RING_E_FLAGS;
	if (h->header_size < sizeof(*h) || h->file_size < h->header_size)
		return RING_E_HEADER;
	return 0;
}

/* Returns element i of a section, or NULL if it is not at hand. */
static const uint8_t *ring_element(
	const struct ring_view *view, enum ring_section_id id, uint64_t i)
{
	const struct ring_part *part = &view->part[id];

	return i < part->count ? part->at + i * part->elem_size : NULL;
}

/*
 * Returns how many of the `n` elements from `first` on are at hand; -1 if the file could not hold
 * them.
 */
static int64_t ring_part_have(const struct ring_part *part, uint64_t first, uint64_t n)
{
	if (n > part->declared || first > part->declared - n)
		return -1;
	if (first >= part->count)
		return 0;
	return (int64_t)(n < part->count - first ? n : part->count - first);
}

/* True if a lane may have this many slots: a power of two. */
static int ring_lane_sane(uint64_t n)
{
	return n && !(n & (n - 1));
}

/*
 * Counts the leading lanes (and classes) that together need no more slots than there are. Forged
 * ones could all claim the same slots, and reading them would take for ever.
 */
static void ring_open_quotas(struct ring_view *view)
{
	const struct ring_part *slots = &view->part[RING_S_SLOTS];
	const struct ring_part *pins = &view->part[RING_S_PINSLOTS];
	uint64_t left = slots->count;
	const uint8_t *at;
	int64_t have;

	for (; (at = ring_element(view, RING_S_LANES, view->lanes)); view->lanes++) {
		uint64_t n = ring_loose(at + offsetof(struct ring_lane, n));

		have = ring_part_have(slots, ring_loose(at + offsetof(struct ring_lane, first)), n);
		if (!ring_lane_sane(n) || have < 0)
			continue;
		if ((uint64_t)have > left)
			break;
		left -= (uint64_t)have;
	}
	left = pins->count;
	for (; (at = ring_element(view, RING_S_PINNED, view->classes)); view->classes++) {
		struct ring_pinned p;

		memcpy(&p, at, sizeof(p));
		have = ring_part_have(pins, p.start, (uint64_t)p.first + p.latest);
		if (have > 0 && (uint64_t)have > left)
			break;
		left -= have > 0 ? (uint64_t)have : 0;
	}
}

/* Takes in the ring's own anchors: the one of the start, and the latest. */
static void ring_open_anchors(struct ring_view *view)
{
	struct ring_slot a;

	if (ring_view_count(view, RING_S_ANCHORS) > 0 &&
		ring_slot_read(ring_element(view, RING_S_ANCHORS, 0), &a) == RING_SLOT_WHOLE)
		ring_view_add_anchor(view, a.tsc, a.index, a.count);
	if (ring_view_count(view, RING_S_ANCHORS) > 2 &&
		ring_board_read(ring_element(view, RING_S_ANCHORS, 1), &a) > 0)
		ring_view_add_anchor(view, a.tsc, a.index, a.count);
}

int ring_view_open(struct ring_view *view, const void *bytes, size_t size)
{
	struct ring_header *h = &view->header;
	int error;

	*view = (struct ring_view){.bytes = bytes, .size = size};
	if (size >= sizeof(h->magic)) {
		memcpy(&h->magic, bytes, sizeof(h->magic));
		if (h->magic && h->magic != RING_MAGIC)
			return RING_E_FOREIGN;
	}
	if (size < sizeof(*h))
		return RING_E_SHORT;
	memcpy(h, bytes, sizeof(*h));
	error = ring_check_header(h);
	if (error)
		return error;
	h->job[sizeof(h->job) - 1] = 0;
	h->host[sizeof(h->host) - 1] = 0;
	h->comm[sizeof(h->comm) - 1] = 0;
	if (h->file_size > size)
		view->cut_bytes = h->file_size - size;
	else
		view->size = h->file_size;
	ring_open_sections(view);
	ring_open_quotas(view);
	ring_open_anchors(view);
	return 0;
}

uint64_t ring_view_count(const struct ring_view *view, enum ring_section_id id)
{
	return view->part[id].count;
}

/* --- Slots, lanes, pinned records ------------------------------------------------------------- */

int ring_board_read(const void *ab, struct ring_slot *ret)
{
	struct ring_slot half[2];
	int a = ring_slot_read(ab, &half[0]);
	int b = ring_slot_read((const uint8_t *)ab + sizeof(struct ring_slot), &half[1]);
	int newer = b == RING_SLOT_WHOLE && (a != RING_SLOT_WHOLE || half[1].seq > half[0].seq);

	*ret = half[newer];
	if (a == RING_SLOT_WHOLE || b == RING_SLOT_WHOLE)
		return 1;
	return a == RING_SLOT_EMPTY && b == RING_SLOT_EMPTY ? 0 : -1;
}

int ring_view_lane(const struct ring_view *view, uint64_t i, struct ring_lane_view *ret)
{
	const struct ring_part *slots = &view->part[RING_S_SLOTS];
	const uint8_t *at = ring_element(view, RING_S_LANES, i);
	struct ring_lane lane;
	int64_t have;

	if (i >= view->lanes)
		return -1;
	memcpy(&lane, at, sizeof(lane));
	have = ring_part_have(slots, lane.first, lane.n);
	if (!ring_lane_sane(lane.n) || have < 0)
		return -1;
	*ret = (struct ring_lane_view){
		.number = (uint32_t)i,
		.tid = lane.tid,
		.claimed = lane.claim != 0,
		.overflow = i + 1 == view->part[RING_S_LANES].declared,
		.claims = lane.claims,
		.head = lane.head,
		.n = lane.n,
		.have = (uint64_t)have,
		.slots = have ? slots->at + lane.first * sizeof(struct ring_slot) : slots->at,
	};
	memcpy(ret->name, lane.name, sizeof(lane.name));
	ret->board_state = ring_board_read(at + offsetof(struct ring_lane, board), &ret->board);
	return 0;
}

void ring_cursor_open(struct ring_cursor *cursor, const struct ring_lane_view *lane)
{
	uint64_t lost = lane->head > lane->n ? lane->head - lane->n : 0;

	*cursor = (struct ring_cursor){
		.slots = lane->slots,
		.mask = lane->n - 1,
		.have = lane->have,
		.ticket = lost,
		.end = lane->head,
		.tally.overwritten = lost,
	};
}

/*
 * Counts ticket k as missed, by the rule in ring.h. `seq` is what its slot has, which is not 2k + 2
 * (or is, in a torn copy).
 */
static void ring_tally_miss(struct ring_tally *tally, uint64_t k, uint64_t seq)
{
	if (seq > 2 * k + 2)
		tally->lapped++;
	else if (seq < 2 * k + 1)
		tally->unbegun++;
	else
		tally->in_flight++;
}

void ring_cursor_miss(struct ring_cursor *cursor, uint64_t seq)
{
	ring_tally_miss(&cursor->tally, cursor->ticket - 1, seq);
}

/* Skips all tickets up to the lane's wrap at once: a forged lane may be 2^50 slots long. */
void ring_cursor_cut(struct ring_cursor *cursor)
{
	uint64_t skip = cursor->mask - (cursor->ticket & cursor->mask) + 1;
	uint64_t left = cursor->end - cursor->ticket;

	skip = skip < left ? skip : left;
	cursor->tally.cut += skip;
	cursor->ticket += skip;
}

int ring_view_pins(const struct ring_view *view, uint64_t i, struct ring_pins *pins)
{
	const struct ring_part *slots = &view->part[RING_S_PINSLOTS];
	const uint8_t *at = ring_element(view, RING_S_PINNED, i);
	struct ring_pinned p;
	int64_t have;

	if (i >= view->classes)
		return -1;
	memcpy(&p, at, sizeof(p));
	have = ring_part_have(slots, p.start, (uint64_t)p.first + p.latest);
	if (have < 0)
		return -1;
	*pins = (struct ring_pins){
		.class = p.class,
		.first = p.first,
		.latest = p.latest,
		.next = p.next,
		.have = (uint64_t)have,
		.slots = have ? slots->at + p.start * sizeof(struct ring_slot) : slots->at,
	};
	return 0;
}

/*
 * Skips, behind the first records, those that were overwritten: what follows there are the latest.
 */
static void ring_pins_skip(struct ring_pins *pins)
{
	uint64_t oldest = pins->next > pins->latest ? pins->next - pins->latest : 0;

	if (pins->ticket == pins->first && pins->ticket < oldest) {
		pins->tally.overwritten = oldest - pins->ticket;
		pins->ticket = oldest;
	}
}

/*
 * Skips from ticket k, whose place is cut, to the end of its part (first or latest), whose further
 * places are cut as well.
 */
static void ring_pins_cut(struct ring_pins *pins, uint64_t k, uint64_t place)
{
	uint64_t part = k < pins->first ? pins->first : pins->first + pins->latest;
	uint64_t skip = part - place, left = pins->next - k;

	skip = skip < left ? skip : left;
	pins->tally.cut += skip;
	pins->ticket = k + skip;
}

int ring_pins_next(struct ring_pins *pins, struct ring_slot *ret)
{
	while (ring_pins_skip(pins), pins->ticket < pins->next) {
		uint64_t k = pins->ticket++;
		uint64_t place =
			k < pins->first ? k : pins->first + (k - pins->first) % pins->latest;

		if (place >= pins->have) {
			ring_pins_cut(pins, k, place);
			continue;
		}
		if (ring_slot_read(pins->slots + place * sizeof(*ret), ret) == RING_SLOT_WHOLE &&
			ret->seq == 2 * k + 2) {
			pins->tally.read++;
			return 1;
		}
		ring_tally_miss(&pins->tally, k, ret->seq);
	}
	return 0;
}

/* --- Tables ----------------------------------------------------------------------------------- */

#define GROUPS_UNUSED 8 /* so many in a row, and there are no groups behind them */

uint64_t ring_view_groups(const struct ring_view *view)
{
	uint64_t count = ring_view_count(view, RING_S_GROUPS), end = 0;

	for (uint64_t i = 0; i < count && i < end + GROUPS_UNUSED; i++)
		if (!ring_is_unused(ring_element(view, RING_S_GROUPS, i)))
			end = i + 1;
	return end;
}

int ring_view_group(const struct ring_view *view, uint64_t i, struct ring_group *ret)
{
	const uint8_t *at = ring_element(view, RING_S_GROUPS, i);

	if (!at)
		return -1;
	if (ring_is_unused(at))
		return 0;
	memcpy(ret, at, sizeof(*ret));
	return ret->seq & 1 ? -1 : 1;
}

int ring_view_mark(const struct ring_view *view, uint64_t i, struct ring_mark *ret)
{
	const uint8_t *at = ring_element(view, RING_S_MARKS, i);

	if (!at)
		return -1;
	memcpy(ret, at, sizeof(*ret));
	return ret->claim != 0;
}

int ring_view_span(const struct ring_view *view, uint64_t i, struct ring_slot *ret)
{
	const uint8_t *at = ring_element(view, RING_S_SPANS, i);

	return at ? (int)ring_slot_read(at, ret) : -1;
}

int ring_view_fatal(const struct ring_view *view, uint64_t i, struct ring_fatal *ret)
{
	const uint8_t *at = ring_element(view, RING_S_FATAL, i);

	if (!at)
		return -1;
	if (ring_is_unused(at))
		return 0;
	memcpy(ret, at, sizeof(*ret));
	if (ret->nregs > RING_FATAL_REGS)
		ret->nregs = RING_FATAL_REGS;
	if (ret->stack_len > RING_FATAL_STACK)
		ret->stack_len = RING_FATAL_STACK;
	ret->thread[sizeof(ret->thread) - 1] = 0;
	return ret->seq == 2 ? 1 : 2;
}

/*
 * True if this history slot is whole and of op n, which is then copied. Writes to it are numbered
 * 2n and 2n + 1.
 */
static int ring_history_is(const struct ring_slot *s, uint64_t n, struct ring_slot *ret)
{
	if (ring_slot_read(s, ret) != RING_SLOT_WHOLE || ring_ticket(ret) / 2 != n)
		return 0;
	return ring_meta_type(ret->meta) == RING_OP_ENTERED;
}

int ring_group_op(const struct ring_group *group, uint64_t index, struct ring_slot *ret)
{
	unsigned log2;

	if (!index)
		return -1;
	log2 = 63 - (unsigned)__builtin_clzll(index);
	if (ring_history_is(&group->last[index % RING_LAST], index, ret))
		return 0;
	if (index <= RING_FIRST && ring_history_is(&group->first[index - 1], index, ret))
		return 0;
	if (!(index & (index - 1)) && log2 < RING_POW2 &&
		ring_history_is(&group->pow2[log2], index, ret))
		return 0;
	return -1;
}

int ring_group_p2p(const struct ring_group *group, uint64_t n, struct ring_slot *ret)
{
	return n && ring_history_is(&group->p2p[n % RING_P2P], n, ret) ? 0 : -1;
}

/* --- Strings and text ------------------------------------------------------------------------- */

const char *ring_view_string(const struct ring_view *view, uint32_t id)
{
	const struct ring_part *part = &view->part[RING_S_STRINGS];
	struct ring_string s;
	uint64_t end;

	if (id < 8 || id % 8 || id + sizeof(s) > part->count)
		return NULL;
	memcpy(&s, part->at + id, sizeof(s));
	end = id + sizeof(s) + s.len;
	if (!s.len || end > part->count || part->at[end - 1])
		return NULL;
	return (const char *)part->at + id + sizeof(s);
}

uint32_t ring_view_next_string(const struct ring_view *view, uint32_t id)
{
	const struct ring_part *part = &view->part[RING_S_STRINGS];
	struct ring_string s;

	if (!id)
		return ring_view_string(view, 8) ? 8 : 0;
	if (!ring_view_string(view, id))
		return 0;
	memcpy(&s, part->at + id, sizeof(s));
	id += (uint32_t)((sizeof(s) + s.len + 7) & ~7ull);
	return ring_view_string(view, id) ? id : 0;
}

size_t ring_view_text(const struct ring_view *view, char *ret, size_t room)
{
	const struct ring_part *part = &view->part[RING_S_STDERR];
	struct ring_text t;
	uint64_t size, from, n;

	if (part->count <= sizeof(t))
		return 0;
	memcpy(&t, part->at, sizeof(t));
	size = part->declared - sizeof(t);
	if (t.size != size)
		return 0;
	n = t.head < size ? t.head : size;
	n = n < room ? n : room;
	from = t.head - n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = sizeof(t) + (from + i) % size;

		ret[i] = at < part->count ? (char)part->at[at] : '?';
	}
	return n;
}

/* --- Time ------------------------------------------------------------------------------------- */

void ring_view_add_anchor(
	struct ring_view *view, uint64_t tsc, uint64_t monotonic, uint64_t realtime)
{
	uint32_t i = view->anchors;

	if (i == sizeof(view->anchor) / sizeof(*view->anchor))
		return;
	for (; i && view->anchor[i - 1].tsc > tsc; i--)
		view->anchor[i] = view->anchor[i - 1];
	view->anchor[i] = (struct ring_slot){.tsc = tsc, .index = monotonic, .count = realtime};
	view->anchors++;
}

/*
 * Gives the ticks and nanoseconds between the outermost anchors, for a rate. Returns -1 if they
 * make no sane one.
 */
static int ring_rate(const struct ring_view *view, uint64_t *ret_ticks, uint64_t *ret_ns)
{
	const struct ring_slot *a = &view->anchor[0], *b = &view->anchor[view->anchors - 1];

	*ret_ticks = *ret_ns = 1;
	if (view->header.clock == RING_CLOCK_MONOTONIC_NS)
		return 0;
	*ret_ticks = b->tsc - a->tsc;
	*ret_ns = b->index - a->index;
	if (b->index <= a->index || b->tsc - a->tsc < 1000)
		return -1;
	return *ret_ns / *ret_ticks > 1000 || *ret_ticks / *ret_ns > 100 ? -1 : 0;
}

/* Returns n * mul / div, without overflow in between. */
static uint64_t ring_scale(uint64_t n, uint64_t mul, uint64_t div)
{
	__extension__ const unsigned __int128 product = (unsigned __int128)n * mul;

	return (uint64_t)(product / div);
}

int ring_view_time(
	const struct ring_view *view, enum ring_time clock, uint64_t tsc, uint64_t *ret_ns)
{
	const struct ring_slot *base = &view->anchor[0];
	uint64_t ticks, ns, at;

	if (!view->anchors || !tsc || ring_rate(view, &ticks, &ns))
		return -1;
	for (uint32_t i = 1; i < view->anchors; i++)
		if (view->anchor[i].tsc <= tsc)
			base = &view->anchor[i];
	at = clock == RING_TIME_REALTIME ? base->count : base->index;
	if (tsc >= base->tsc)
		*ret_ns = at + ring_scale(tsc - base->tsc, ns, ticks);
	else
		*ret_ns = at - ring_scale(base->tsc - tsc, ns, ticks);
	return 0;
}
