/* SPDX-License-Identifier: Apache-2.0 */
/* torture-inquest.c: what is left, against what must be. */
#include "tests/ring/torture.h"

#include <stddef.h>
#include <stdio.h>

/* Counts a fault, and says the first ones. */
static void fault(uint64_t *counter, uint64_t n, const char *what)
{
	static int said;

	*counter += n;
	if (n && said++ < 20)
		fprintf(stderr, "torture: %s\n", what);
}

/* Between what was ended and what was begun, and the sums of both over all writers. */
static int between(uint64_t n, struct count c)
{
	return n >= c.ended && n <= c.began;
}

static struct count all(const struct torture *t, enum deed d)
{
	struct count sum = {0};

	for (unsigned who = 1; who <= t->writers; who++) {
		sum.began += t->truth->writer[who].deed[d].began;
		sum.ended += t->truth->writer[who].deed[d].ended;
	}
	return sum;
}

/* Writers that were killed in the middle of a deed: so many things at most are unfinished. */
static uint64_t busy_writers(const struct torture *t)
{
	uint64_t busy = 0;

	for (unsigned who = 1; who <= t->writers; who++)
		for (int d = 0; d < DEEDS; d++)
			if (t->truth->writer[who].deed[d].began !=
				t->truth->writer[who].deed[d].ended) {
				busy++;
				break;
			}
	for (int i = 0; i < LANES; i++)
		busy += t->truth->lane[i].began != t->truth->lane[i].ended;
	return busy;
}

/* --- Is this record what was written? --------------------------------------------------------- */

static int true_shard(const struct ring_slot *s)
{
	return s->count == ROWS && s->sig == shard_elements(s->index);
}

static int true_op(const struct ring_slot *s, uint64_t writers)
{
	return s->aux && s->aux <= writers && s->sig == op_sig(s->count, s->aux);
}

static int true_anchor(const struct ring_slot *s)
{
	uint64_t n = s->tsc >> 8, who = s->tsc & 255;

	return s->index == mix(n, who, 20) && s->count == mix(n, who, 21) &&
	       s->sig == mix(n, who, 22) && s->aux == mix(n, who, 23) && s->more == mix(n, who, 24);
}

/* A span of a writer, open or closed: its CPU time tells which it is, and so its times. */
static int true_span(const struct ring_slot *s)
{
	uint64_t who = s->sig, n = s->tsc;

	if (ring_meta_type(s->meta) != RING_SPAN_BEGIN || s->aux != 8 * (who + 1))
		return 0;
	if ((ring_meta_flags(s->meta) & RING_F_CLOSED) ? s->count != n + 1 : s->count != 0)
		return 0;
	return s->more == mix(n, who, 30);
}

/* Of a lane's records: `k` is the ticket, unless the lane is shared. */
static int true_record(const struct ring_slot *s, uint64_t k)
{
	switch (ring_meta_type(s->meta)) {
	case RING_NOTE:
		return sealed(s) && (k == RING_NO_TICKET || s->index == k + 1);
	case RING_SHARD:
		return true_shard(s);
	case RING_SHAPE:
		return s->aux == op_sig(s->count, s->sig) && s->more == 3;
	case RING_SPAN_BEGIN:
		return s->aux % 8 == 0 && s->more == mix(s->tsc, s->aux / 8 - 1, 30);
	case RING_SPAN_END:
		return s->aux % 8 == 0 && s->more == mix(s->tsc - 1, s->aux / 8 - 1, 30);
	default:
		return 0;
	}
}

/* Reads a board: 1 whole and true, 0 never written, -1 not readable. */
static int board(const void *ab, int (*holds)(const struct ring_slot *), struct findings *found)
{
	struct ring_slot s;
	int state = ring_board_read(ab, &s);

	found->boards += state == 1;
	fault(&found->torn, state == 1 && !holds(&s), "a board is not what was written");
	return state;
}

static int true_lane_board(const struct ring_slot *s)
{
	return ring_meta_type(s->meta) == RING_IDLE || sealed(s);
}

static int true_shape(const struct ring_slot *s)
{
	return true_record(s, RING_NO_TICKET) && ring_meta_type(s->meta) == RING_SHAPE;
}

static int true_any(const struct ring_slot *s)
{
	return true_op(s, WRITERS);
}

/* --- Lanes ------------------------------------------------------------------------------------ */

/* What a writer was told is in the overflow lane is in it. Returns how many of the rest are. */
static uint64_t match_log(
	const struct torture *t, const struct ring_lane_view *lane, struct findings *found)
{
	uint64_t unsaid = 0, k = lane->head > lane->n ? lane->head - lane->n : 0;

	for (; k < lane->head; k++) {
		const struct logged *logged = &t->truth->log[k % LOG];
		int said = logged->key == log_key(t->truth, k);
		struct ring_slot s;
		int there = ring_slot_read(lane->slots + 64 * (k & (lane->n - 1)), &s) ==
				    RING_SLOT_WHOLE &&
			    s.seq == 2 * k + 2;

		fault(&found->absent, said && !there, "a record of the overflow lane is gone");
		fault(&found->torn,
			said && there &&
				(s.index != logged->n || ring_meta_arg(s.meta) != logged->who),
			"a record of the overflow lane is another's");
		unsaid += there && !said;
	}
	return unsaid;
}

static void dead_overflow(const struct torture *t, const struct ring_lane_view *lane,
	const struct ring_tally *tally, struct findings *found)
{
	uint64_t busy = busy_writers(t);

	fault(&found->excess, tally->in_flight > busy, "overflow lane: too many in flight");
	fault(&found->excess, match_log(t, lane, found) > busy,
		"overflow lane: records nobody wrote");
	fault(&found->uncounted, !between(lane->head, all(t, DEED_OVERFLOW)),
		"overflow lane: its head is wrong");
}

static void dead_lane(const struct torture *t, const struct ring_lane_view *lane,
	const struct ring_tally *tally, struct findings *found)
{
	struct count truth = t->truth->lane[lane->number], shown = t->truth->board[lane->number];
	uint64_t open = tally->in_flight + tally->unbegun;

	fault(&found->uncounted, !between(lane->head, truth), "a lane's head is wrong");
	fault(&found->excess, open > truth.began - truth.ended, "a lane: too many in flight");
	fault(&found->absent, tally->lapped, "a lane has a record from beyond its head");
	fault(&found->absent, tally->read + tally->overwritten + open < truth.ended,
		"a record of a lane is gone");
	found->in_flight += open;
	fault(&found->unreadable, shown.ended && lane->board_state != 1, "the board of a lane");
	if (lane->board_state == 1 && ring_meta_type(lane->board.meta) == RING_NOTE)
		fault(&found->absent, !between(lane->board.index, shown),
			"the board of a lane is old");
}

static void look_at_lane(const struct torture *t, const struct ring_lane_view *lane, int dead,
	struct findings *found)
{
	struct ring_cursor c;
	struct ring_slot s;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s)) {
		found->records++;
		fault(&found->torn,
			!true_record(&s, lane->overflow ? RING_NO_TICKET : ring_ticket(&s)),
			"a record of a lane is not what was written");
	}
	fault(&found->unsound,
		lane->head != c.tally.read + c.tally.overwritten + c.tally.lapped +
				      c.tally.in_flight + c.tally.unbegun + c.tally.cut,
		"the arithmetic of a lane");
	fault(&found->torn, lane->board_state == 1 && !true_lane_board(&lane->board),
		"the board of a lane is not what was written");
	found->boards += lane->board_state == 1;
	if (!dead)
		found->open_boards += lane->board_state < 0;
	else if (lane->overflow)
		dead_overflow(t, lane, &c.tally, found);
	else
		dead_lane(t, lane, &c.tally, found);
}

/* --- Pinned records --------------------------------------------------------------------------- */

static void look_at_pins(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	static const unsigned classes[] = {RING_PIN_NOTE, RING_PIN_SIGNAL};

	for (int i = 0; i < 2; i++) {
		struct count truth = all(t, i ? DEED_PIN_ALL : DEED_PIN);
		struct ring_pins pins;
		struct ring_slot s;
		uint64_t open, kept = 0;

		if (ring_view_pins(view, classes[i], &pins)) {
			found->unsound++;
			continue;
		}
		while (ring_pins_next(&pins, &s)) {
			fault(&found->torn, !sealed(&s) || (!i && s.index != ring_ticket(&s) + 1),
				"a pinned record is not what was written");
			kept += ring_ticket(&s) < pins.first;
			found->records++;
		}
		if (!dead)
			continue;
		open = busy_writers(t);
		fault(&found->uncounted, !between(pins.next, truth), "pinned: the count is wrong");
		fault(&found->excess, pins.tally.in_flight > open, "pinned: too many in flight");
		fault(&found->absent,
			kept + open < (pins.next < pins.first ? pins.next : pins.first),
			"one of the first pinned records is gone");
		fault(&found->absent, !i && pins.tally.read + pins.tally.overwritten < truth.ended,
			"a pinned record is gone");
	}
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* The ops of the last stretch that are not there, with what is there being true. */
static uint64_t missing_ops(
	const struct torture *t, const struct ring_group *g, struct findings *found)
{
	uint64_t missing = 0, from = g->op_index > RING_LAST ? g->op_index - RING_LAST + 1 : 1;
	struct ring_slot s;

	for (uint64_t n = from; n <= g->op_index; n++) {
		if (ring_group_op(g, n, &s)) {
			missing++;
			continue;
		}
		found->records++;
		fault(&found->torn, s.index != n || !true_op(&s, t->writers),
			"an op is not what was written");
	}
	for (uint64_t n = 1; n <= RING_FIRST && n < from; n++)
		missing += ring_group_op(g, n, &s) != 0;
	return missing;
}

/* A group of one writer: each op, its hash and both boards are known exactly. */
static void dead_group(
	const struct torture *t, const struct ring_group *g, unsigned who, struct findings *found)
{
	struct count entered = t->truth->writer[who].deed[DEED_ENQUEUE];
	struct count returned = t->truth->writer[who].deed[DEED_RETURN];
	struct count completed = t->truth->writer[who].deed[DEED_COMPLETE];
	uint64_t hash = RING_HASH_START, n = 0;
	struct ring_slot s;
	int done;

	fault(&found->uncounted, !between(g->op_index, entered), "a group's ops are not counted");
	fault(&found->absent,
		missing_ops(t, g, found) > (uint64_t)(entered.began != entered.ended) +
						   (returned.began != returned.ended),
		"an op is gone");
	done = ring_board_read(g->complete, &s);
	fault(&found->unreadable, completed.ended && done != 1, "a board of completions");
	fault(&found->absent, done == 1 && !between(s.index, completed),
		"a board of completions is old");
	if (ring_board_read(g->enqueue, &s) != 1) {
		fault(&found->unreadable, entered.ended > 0, "the board of a group");
		return;
	}
	fault(&found->absent, !between(s.index, entered), "the board of a group is old");
	while (n++ < s.index)
		hash = ring_hash_op(hash, op_sig(n, who), n);
	fault(&found->torn, s.more != hash || s.count != s.index || s.aux != who,
		"the order of a group's ops");
	fault(&found->absent,
		returned.ended == s.index && !(ring_meta_flags(s.meta) & RING_F_RETURNED),
		"that an op has returned");
}

static void dead_shared_group(
	const struct torture *t, const struct ring_group *g, struct findings *found)
{
	struct count entered = all(t, DEED_SHARED);
	uint64_t missed = 0, busy = busy_writers(t);

	for (unsigned who = 1; who <= t->writers; who++)
		missed += t->truth->writer[who].missed;
	fault(&found->uncounted,
		!between(g->op_index, entered) || g->missed < missed || g->missed > missed + busy,
		"shared group: its counts");
	fault(&found->absent, missing_ops(t, g, found) > missed + busy,
		"shared group: an op is gone");
	fault(&found->unreadable, entered.ended > missed && board(g->enqueue, true_any, found) != 1,
		"the board of the shared group");
}

static void look_at_groups(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	static _Thread_local struct ring_group g;

	for (unsigned i = 0; i <= t->writers; i++) {
		if (ring_view_group(view, i, &g) <= 0)
			continue;
		if (!dead) {
			missing_ops(t, &g, found);
			found->open_boards += board(g.enqueue, true_any, found) < 0;
		} else if (i < t->writers) {
			dead_group(t, &g, i + 1, found);
		} else {
			dead_shared_group(t, &g, found);
		}
	}
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void look_at_marks(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	struct count shards = all(t, DEED_SHARD);
	struct ring_mark m;
	uint64_t put;
	int latest, shape;

	if (ring_view_mark(view, 0, &m) <= 0)
		return;
	latest = board(m.latest, true_shard, found);
	shape = board(m.shape, true_shape, found);
	if (!dead) {
		found->open_boards += (latest < 0) + (shape < 0);
		return;
	}
	put = (m.version & ~RING_CLAIM_STUCK) / 2;
	fault(&found->unreadable, put && latest != 1, "the board of a mark");
	fault(&found->uncounted, put + view->header.losses.contended < shards.ended,
		"a mark's board was not written, and nobody says so");
	put = (m.shape_version & ~RING_CLAIM_STUCK) / 2;
	fault(&found->unreadable, put && shape != 1, "the board of a mark's shape");
	fault(&found->uncounted, !between(m.events, shards), "a mark's events");
	fault(&found->uncounted, m.total % ROWS || !between(m.total / ROWS, shards),
		"a mark's total");
}

static void look_at_anchors(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	const uint8_t *at = view->part[RING_S_ANCHORS].at;
	int latest = board(at + 64, true_anchor, found);
	struct ring_slot s;

	fault(&found->torn, ring_slot_read(at, &s) == RING_SLOT_WHOLE && !true_anchor(&s),
		"the first anchor is not what was written");
	fault(&found->unreadable, dead && t->truth->anchored && latest != 1,
		"the board of anchors");
}

static void look_at_spans(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	uint64_t torn = 0, open = 0, lasting = 0;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_SPANS); i++) {
		int state = ring_view_span(view, i, &s);

		torn += state < 0;
		if (state <= 0)
			continue;
		found->records++;
		fault(&found->torn, !true_span(&s), "a span is not what was written");
		open += !(ring_meta_flags(s.meta) & RING_F_CLOSED);
	}
	for (unsigned who = 1; who <= t->writers; who++) {
		const struct count *deed = t->truth->writer[who].deed;

		lasting += deed[DEED_SPAN_BEGIN].ended > deed[DEED_SPAN_END].began;
	}
	if (!dead)
		return;
	fault(&found->excess, torn > busy_writers(t) || open > lasting + busy_writers(t),
		"spans: too many open");
	fault(&found->absent, open + torn < lasting, "an open span is gone");
}

static void look_at_strings(
	const struct torture *t, const struct ring_view *view, int dead, struct findings *found)
{
	unsigned who, n;
	char end;

	for (uint32_t id = 0; (id = ring_view_next_string(view, id));)
		fault(&found->torn,
			sscanf(ring_view_string(view, id), "%u-%2u%c", &who, &n, &end) != 2 ||
				!who || who > t->writers || n >= NAMES,
			"a string is not what was written");
	fault(&found->uncounted, dead && view->header.losses.strings, "a string was lost");
}

/* Records that were lost are counted: those that writers know of, and no others but pins of all. */
static void look_at_losses(
	const struct torture *t, const struct ring_view *view, struct findings *found)
{
	uint64_t known = 0, busy = busy_writers(t), lost = view->header.losses.records;
	struct count pins = all(t, DEED_PIN_ALL), spans = all(t, DEED_SPAN_BEGIN);

	for (unsigned who = 1; who <= t->writers; who++)
		known += t->truth->writer[who].lost + t->truth->writer[who].missed;
	fault(&found->uncounted, lost < known || lost > known + busy + pins.began + 2 * spans.began,
		"lost records are not counted");
	fault(&found->uncounted,
		view->header.losses.groups + view->header.losses.marks + view->header.losses.fatal,
		"groups, marks or deaths were lost");
}

/* --- The whole ring --------------------------------------------------------------------------- */

static void look(
	const struct torture *t, const void *bytes, size_t size, int dead, struct findings *found)
{
	struct ring_lane_view lane;
	struct ring_view view;

	found->rings++;
	if (ring_view_open(&view, bytes, size)) {
		found->unsound++;
		return;
	}
	for (uint64_t i = 0; i < ring_view_count(&view, RING_S_LANES); i++) {
		if (ring_view_lane(&view, i, &lane))
			found->unsound++;
		else
			look_at_lane(t, &lane, dead, found);
	}
	look_at_pins(t, &view, dead, found);
	look_at_groups(t, &view, dead, found);
	look_at_marks(t, &view, dead, found);
	look_at_anchors(t, &view, dead, found);
	look_at_spans(t, &view, dead, found);
	look_at_strings(t, &view, dead, found);
	if (dead)
		look_at_losses(t, &view, found);
}

void inquest_living(const struct torture *t, const void *bytes, size_t size, struct findings *found)
{
	look(t, bytes, size, 0, found);
}

void inquest_dead(const struct torture *t, const void *bytes, size_t size, struct findings *found)
{
	look(t, bytes, size, 1, found);
}

void inquest_in_place(const struct torture *t, struct findings *found)
{
	const struct ring_writer *w = &t->ring.w;
	struct ring_slot s;

	for (uint32_t i = 0; i <= w->nlanes; i++) {
		struct ring_lane *lane = w->lanes + i;

		found->open_boards += board(lane->board, true_lane_board, found) < 0;
		for (uint64_t k = 0; k < lane->n; k++) {
			if (ring_slot_read(w->slots + lane->first + k, &s) != RING_SLOT_WHOLE)
				continue;
			found->records++;
			fault(&found->torn,
				!true_record(&s, i == w->nlanes ? RING_NO_TICKET : ring_ticket(&s)),
				"a record, read in place, is not what was written");
		}
	}
	found->open_boards += board(w->marks->latest, true_shard, found) < 0;
	found->open_boards += board(w->marks->shape, true_shape, found) < 0;
	board(w->anchors + 1, true_anchor, found);
}

int findings_bad(const struct findings *f)
{
	return f->torn || f->absent || f->uncounted || f->unreadable || f->excess || f->unsound;
}
