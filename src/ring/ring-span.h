/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-span.h: spans and marks, written. Part of ring-write.h; include that.
 *
 * A span leaves SPAN_BEGIN and SPAN_END in the lane of whoever says so (compile and checkpoint
 * spans also in the pinned region), and one slot in the SPANS table: open ones are never evicted,
 * of the closed ones the longest closed goes first. Marks keep totals and the latest of each
 * loader, however far the lane has wrapped.
 */
#ifndef RING_SPAN_H
#define RING_SPAN_H

#ifndef RING_WRITE_H
#error "include ring/ring-write.h"
#endif

/* A span as its beginner or ender describes it. */
struct ring_span {
	unsigned kind;   /* enum ring_span_kind */
	uint32_t name;   /* string ids */
	uint32_t detail; /* 0 none */
	uint32_t tid;
	uint64_t cpu_ns; /* of the process and its reaped children, now */
};

/* --- Spans ------------------------------------------------------------------------------------ */

/* Pins the begin or end of a compile or checkpoint span, in its class. */
static inline void ring_span_pin(struct ring_writer *w, uint64_t tsc, const struct ring_record *r)
{
	if (ring_meta_arg(r->meta) == RING_SPAN_COMPILE)
		ring_pin(w, RING_PIN_COMPILE, tsc, r);
	if (ring_meta_arg(r->meta) == RING_SPAN_CHECKPOINT)
		ring_pin(w, RING_PIN_CHECKPOINT, tsc, r);
}

/*
 * Takes a slot to open a span in: a fresh one, else that of the span that has been closed the
 * longest. Returns it claimed (its seq is odd), or NULL if all are open or others were faster.
 */
static inline struct ring_slot *ring_span_take(struct ring_writer *w)
{
	for (int tries = 0; tries < 4; tries++) {
		struct ring_slot *best = NULL;
		uint64_t best_seq = 0, best_end = UINT64_MAX;

		for (uint32_t i = 0; i < w->nspans && best_end; i++) {
			struct ring_slot *s = w->spans + i;
			uint64_t seq = ring_load_acquire(&s->seq);
			uint64_t end = seq ? ring_load(&s->count) : 0;
			int closed = ring_meta_flags(ring_load(&s->meta)) & RING_F_CLOSED;

			if ((seq & 1) || (seq && !closed) || end >= best_end)
				continue;
			best = s;
			best_seq = seq;
			best_end = end;
		}
		if (!best)
			return NULL;
		if (ring_cas(&best->seq, best_seq, best_seq + 1))
			return best;
	}
	return NULL;
}

/* Writes a slot that the caller has claimed, and thereby ends the claim. */
static inline void ring_span_fill(
	struct ring_slot *s, uint64_t tsc, const struct ring_record *r)
{
	uint64_t claimed = ring_load(&s->seq);

	ring_fence_release();
	ring_slot_fill(s, tsc, r);
	ring_publish_word(&s->seq, claimed + 1);
}

/*
 * Records that a span begins. Returns its serial, from 1. If the table is full of open spans, the
 * span is counted as lost there; the lane and the pinned region have it all the same.
 */
static inline uint64_t ring_span_begin(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_span *span)
{
	struct ring_record r = {
		.meta = ring_meta(RING_SPAN_BEGIN, 0, RING_NO_GROUP, span->kind),
		.index = ring_add(&w->span_serial, 1) + 1,
		.aux = span->name | (uint64_t)span->detail << 32,
		.more = span->cpu_ns,
	};
	struct ring_slot *s = ring_span_take(w);

	ring_put(w, lane, tsc, &r);
	ring_span_pin(w, tsc, &r);
	if (!s) {
		ring_lose(&w->header->losses.spans);
		return r.index;
	}
	r.sig = span->tid;
	ring_span_fill(s, tsc, &r);
	return r.index;
}

/*
 * Finds and claims the open span of this kind and name that began last; one of this thread goes
 * before any other. `ret` gets its record. Returns NULL if there is none.
 */
static inline struct ring_slot *ring_span_find(struct ring_writer *w, const struct ring_span *span,
	uint64_t *ret_tsc, struct ring_record *ret)
{
	struct ring_slot *best = NULL;
	uint64_t best_seq = 0, best_rank = 0;

	for (uint32_t i = 0; i < w->nspans; i++) {
		struct ring_slot *s = w->spans + i;
		uint64_t seq = ring_load_acquire(&s->seq);
		uint64_t meta = ring_load(&s->meta);
		uint64_t rank = ring_load(&s->index) | (uint64_t)(ring_load(&s->sig) == span->tid)
							       << 63;

		if (!seq || (seq & 1) || (ring_meta_flags(meta) & RING_F_CLOSED))
			continue;
		if (ring_meta_arg(meta) != span->kind || (uint32_t)ring_load(&s->aux) != span->name)
			continue;
		if (rank < best_rank)
			continue;
		best = s;
		best_seq = seq;
		best_rank = rank;
	}
	if (!best || !ring_cas(&best->seq, best_seq, best_seq + 1))
		return NULL;
	ring_slot_record(best, ret);
	*ret_tsc = ring_load(&best->tsc);
	return best;
}

/*
 * Records that a span ends. Returns the serial it began with; or 0 if no open span matches: nothing
 * is recorded then, and the caller may look in an earlier ring, or count it as a loss in a new one.
 */
static inline uint64_t ring_span_end(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_span *span)
{
	struct ring_record begin, end;
	uint64_t begin_tsc;
	struct ring_slot *s = ring_span_find(w, span, &begin_tsc, &begin);
	unsigned resumed;

	if (!s)
		return 0;
	resumed = begin.sig != span->tid ? RING_F_RESUMED : 0;
	begin.meta |= (uint64_t)(RING_F_CLOSED | resumed) << 8;
	begin.count = tsc;
	ring_span_fill(s, begin_tsc, &begin);
	end = (struct ring_record){
		.meta = ring_meta(RING_SPAN_END, resumed, RING_NO_GROUP, span->kind),
		.index = begin.index,
		.aux = begin.aux,
		.more = span->cpu_ns,
	};
	ring_put(w, lane, tsc, &end);
	ring_span_pin(w, tsc, &end);
	return begin.index;
}

/* --- Marks ------------------------------------------------------------------------------------ */

/*
 * Returns the mark of this kind and loader, taking a free one if there is none yet. NULL if the
 * table is full (counted).
 */
static inline struct ring_mark *ring_mark_find(struct ring_writer *w, unsigned kind, uint32_t id)
{
	uint64_t claim = kind | (uint64_t)id << 32;

	for (uint32_t i = 0; i < w->nmarks; i++) {
		uint64_t *word = &w->marks[i].claim;
		uint64_t seen = ring_load(word);

		if (!seen)
			seen = ring_cas(word, 0, claim) ? claim : ring_load(word);
		if (seen == claim)
			return w->marks + i;
	}
	ring_lose(&w->header->losses.marks);
	return NULL;
}

/* Adds one event to a mark, which keeps the first event for ever and the latest. */
static inline void ring_mark_put(
	struct ring_writer *w, struct ring_mark *m, uint64_t tsc, const struct ring_record *r)
{
	if (!ring_add(&m->events, 1)) {
		ring_store(&m->first_tsc, tsc);
		ring_slot_publish(&m->first, 0, tsc, r);
	}
	ring_add(&m->total, r->count);
	ring_board_put_shared(w, m->latest, &m->version, tsc, r);
}

/* Records that the process begins step n. */
static inline void ring_mark_step(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, uint64_t n)
{
	const struct ring_record r = {
		.meta = ring_meta(RING_STEP, 0, RING_NO_GROUP, 0),
		.index = n,
	};
	struct ring_mark *m = ring_mark_find(w, RING_MARK_STEP, 0);

	ring_put(w, lane, tsc, &r);
	if (m)
		ring_mark_put(w, m, tsc, &r);
}

struct ring_shard {
	uint32_t loader; /* string id */
	uint64_t index;
	uint64_t rows;
	uint64_t elements;
};

/* Records that the process got a shard from its loader. An empty shard is pinned. */
static inline void ring_mark_shard(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_shard *shard)
{
	struct ring_mark *m = ring_mark_find(w, RING_MARK_SHARD, shard->loader);
	const struct ring_record r = {
		.meta = ring_meta(RING_SHARD, 0, RING_NO_GROUP, shard->loader),
		.index = shard->index,
		.count = shard->rows,
		.sig = shard->elements,
		.aux = m ? ring_load(&m->events) + 1 : 0,
	};

	ring_put(w, lane, tsc, &r);
	if (!shard->rows || !shard->elements)
		ring_pin(w, RING_PIN_SHARD, tsc, &r);
	if (m)
		ring_mark_put(w, m, tsc, &r);
}

/* The shape of a shard; `loader` is a string id. */
struct ring_shape {
	uint32_t loader;
	uint32_t ndim;
	uint64_t index;       /* of the shard */
	const uint64_t *dims; /* ndim of them */
};

/* Records the shape of a shard: the mark keeps three dimensions, the lane all of them up to 12. */
static inline void ring_mark_shape(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_shape *shape)
{
	struct ring_mark *m = ring_mark_find(w, RING_MARK_SHARD, shape->loader);

	for (uint32_t d = 0; d == 0 || (d < shape->ndim && d < 12); d += 3) {
		const struct ring_record r = {
			.meta = ring_meta(
				d ? RING_DIMS : RING_SHAPE, 0, RING_NO_GROUP, shape->loader),
			.index = shape->index,
			.count = d < shape->ndim ? shape->dims[d] : 0,
			.sig = d + 1 < shape->ndim ? shape->dims[d + 1] : 0,
			.aux = d + 2 < shape->ndim ? shape->dims[d + 2] : 0,
			.more = d ? d : shape->ndim,
		};

		ring_put(w, lane, tsc, &r);
		if (m && !d)
			ring_board_put_shared(w, m->shape, &m->shape_version, tsc, &r);
	}
}

#endif
