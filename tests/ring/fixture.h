/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RING_FIXTURE_H
#define TESTS_RING_FIXTURE_H

/*
 * What the tests of the ring share: an empty ring in memory, records that know whether they are
 * whole, and a walk that reads all there is and checks the arithmetic of loss on the way.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ring/ring-make.h"
#include "ring/ring-read.h"
#include "ring/ring-traceback.h"
#include "ring/ring-write.h"

struct fixture {
	struct ring_layout layout;
	struct ring_writer w;
	void *base;
};

/* Makes an empty, published ring in `base`: zeroed memory of layout.size bytes. */
static inline void fixture_format(struct fixture *f, void *base)
{
	f->base = base;
	ring_format(base, &f->layout);
	ring_publish(base);
	ring_writer_open(&f->w, base);
}

static inline struct fixture *fixture_new(uint32_t profile, uint32_t role)
{
	struct fixture *f = calloc(1, sizeof(*f));
	void *base;

	if (!f)
		abort();
	ring_layout(profile, role, &f->layout);
	base = aligned_alloc(4096, f->layout.size);
	if (!base)
		abort();
	memset(base, 0, f->layout.size);
	fixture_format(f, base);
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	free(f->base);
	free(f);
}

static inline struct ring_view fixture_view(const struct fixture *f)
{
	struct ring_view view;

	if (ring_view_open(&view, f->base, f->layout.size))
		abort();
	return view;
}

/* --- Records that know whether they are whole ------------------------------------------------- */

static inline uint64_t mix(uint64_t n, uint64_t who, uint64_t word)
{
	uint64_t x = n * 0x9e3779b97f4a7c15ull ^ who * 0xc2b2ae3d27d4eb4full ^
		     word * 0x165667b19e3779f9ull;

	return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}

/* Record n of `who`: every word follows from these two. */
static inline struct ring_record sealed_record(uint64_t n, uint32_t who)
{
	return (struct ring_record){
		.meta = ring_meta(RING_NOTE, 0, RING_NO_GROUP, who),
		.index = n,
		.count = mix(n, who, 1),
		.sig = mix(n, who, 2),
		.aux = mix(n, who, 3),
		.more = mix(n, who, 4),
	};
}

static inline uint64_t sealed_tsc(uint64_t n, uint32_t who)
{
	return mix(n, who, 5);
}

/* Are all words of one record? */
static inline int sealed(const struct ring_slot *s)
{
	uint32_t who = ring_meta_arg(s->meta);
	struct ring_record r = sealed_record(s->index, who);

	return s->meta == r.meta && s->count == r.count && s->sig == r.sig && s->aux == r.aux &&
	       s->more == r.more && s->tsc == sealed_tsc(s->index, who);
}

/* --- Reading all there is --------------------------------------------------------------------- */

struct walk {
	uint64_t records;
	uint64_t pinned;
	uint64_t strings;
	uint64_t groups;
	uint64_t unsound; /* lanes whose arithmetic does not come out: must be 0 */
};

static inline void walk_lanes(const struct ring_view *view, struct walk *walk)
{
	struct ring_lane_view lane;
	struct ring_cursor c;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_LANES); i++) {
		if (ring_view_lane(view, i, &lane))
			continue;
		ring_cursor_open(&c, &lane);
		while (ring_cursor_next(&c, &s))
			walk->records++;
		walk->unsound += lane.head != c.tally.read + c.tally.overwritten + c.tally.lapped +
						      c.tally.in_flight + c.tally.unbegun +
						      c.tally.cut;
	}
}

static inline void walk_pins(const struct ring_view *view, struct walk *walk)
{
	struct ring_pins p;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_PINNED); i++) {
		if (ring_view_pins(view, i, &p))
			continue;
		while (ring_pins_next(&p, &s))
			walk->pinned++;
		walk->unsound += p.next != p.tally.read + p.tally.overwritten + p.tally.lapped +
						   p.tally.in_flight + p.tally.unbegun +
						   p.tally.cut;
	}
}

/* Touches all that is counted; how long its texts are. */
static inline size_t walk_traceback(const struct ring_traceback *t)
{
	size_t sum = strlen(t->text + t->message) + strlen(t->text + t->exception);

	for (uint32_t i = 0; i < t->nframes; i++)
		if (t->frame[i].module)
			sum += strlen(t->text + t->module[t->frame[i].module - 1].path);
	for (uint32_t i = 0; i < t->nmodules; i++)
		for (uint32_t b = 0; b < t->module[i].build_id_len; b++)
			sum += t->module[i].build_id[b];
	for (uint32_t i = 0; i < t->npy; i++)
		sum += strlen(t->text + t->py[i].file) + strlen(t->text + t->py[i].function);
	return sum + (ring_trace_end_name(t->end) != NULL) +
	       (ring_trace_python_name(t->python) != NULL);
}

static inline void walk_tables(const struct ring_view *view, struct walk *walk)
{
	static struct ring_group g;
	static struct ring_fatal fatal;
	static struct ring_traceback trace;
	static char text[8192];
	struct ring_mark m;
	struct ring_slot s;
	uint64_t ns;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_GROUPS); i++) {
		if (ring_view_group(view, i, &g) <= 0)
			continue;
		walk->groups++;
		ring_board_read(g.enqueue, &s);
		for (uint64_t n = 0; n < 300; n++) {
			ring_group_op(&g, n, &s);
			ring_group_p2p(&g, n, &s);
		}
	}
	for (uint64_t i = 0; i < ring_view_count(view, RING_S_MARKS); i++)
		ring_view_mark(view, i, &m);
	for (uint64_t i = 0; i < ring_view_count(view, RING_S_SPANS); i++)
		ring_view_span(view, i, &s);
	for (uint64_t i = 0; i < ring_view_count(view, RING_S_FATAL); i++)
		ring_view_fatal(view, i, &fatal);
	for (uint64_t i = 0; i < ring_view_count(view, RING_S_TRACES); i++)
		if (ring_view_traceback(view, i, &trace) > 0)
			walk->strings += walk_traceback(&trace);
	for (uint32_t id = 0; (id = ring_view_next_string(view, id));)
		walk->strings += strlen(ring_view_string(view, id)) + 1 > 0;
	ring_view_text(view, text, sizeof(text));
	ring_view_time(view, RING_TIME_REALTIME, 12345, &ns);
}

/* Reads everything: 0, or what ring_view_open() said. */
static inline int walk_ring(const void *bytes, size_t size, struct walk *walk)
{
	struct ring_view view;
	int error = ring_view_open(&view, bytes, size);

	*walk = (struct walk){0};
	if (error)
		return error;
	walk_lanes(&view, walk);
	walk_pins(&view, walk);
	walk_tables(&view, walk);
	return 0;
}

/* A death with its traceback: two frames of one module, one of Python's. */
static inline void fixture_furnish_death(struct ring_writer *w)
{
	struct ring_fatal *death = ring_fatal_claim(w);
	struct ring_traceback *t = ring_traceback_begin(w, death);

	death->signo = 11;
	ring_fatal_publish(death);
	t->frame[0] = (struct ring_trace_frame){0x401010, 0x7ff0, 1, RING_TRACE_F_EXACT};
	t->frame[1] = (struct ring_trace_frame){0x401100, 0x7ff8, 1, 0};
	t->nframes = 2;
	t->module[0] = (struct ring_trace_module){
		.bias = 0x400000, .start = 0x400000, .end = 0x500000, .build_id_len = 20};
	t->module[0].path = ring_traceback_text(t, "/usr/bin/python3", 16);
	t->nmodules = 1;
	t->py[0].file = ring_traceback_text(t, "train.py", 8);
	t->py[0].function = ring_traceback_text(t, "step", 4);
	t->py[0].line = 12;
	t->npy = 1;
	t->end = RING_TRACE_OUTERMOST;
	t->python = RING_TRACE_PY_WHOLE;
	ring_traceback_publish(w, t);
}

/* Puts something of every kind into a ring. */
static inline void fixture_furnish(struct fixture *f)
{
	static const uint64_t dims[] = {4, 4096, 3, 2};
	struct ring_writer *w = &f->w;
	struct ring_lane *lane = ring_lane_claim(w, 7, "main");
	uint32_t name = ring_string(w, "inductor codegen", 16);
	struct ring_span span = {.kind = RING_SPAN_COMPILE, .name = name, .tid = 7};
	struct ring_shard shard = {ring_string(w, "train", 5), 3, 0, 0};
	struct ring_shape shape = {shard.loader, 4, 3, dims};
	struct ring_record op = {.count = 8, .sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, 0)};
	struct ring_member member = {.key = 99, .size = 8, .rank = 3};
	struct ring_anchor anchor = {1000000, 5000000, 7000000, 30, 1, 1};
	int g = ring_group_claim(w);

	for (uint64_t n = 0; n < 1000; n++) {
		struct ring_record r = sealed_record(n, 1);

		ring_put(w, n % 10 ? lane : NULL, sealed_tsc(n, 1), &r);
		ring_pin(w, (unsigned)(n % RING_PINS), sealed_tsc(n, 1), &r);
		ring_lane_board(lane, sealed_tsc(n, 1), &r);
		if (g >= 0 && !n)
			ring_group_publish(w, g, 100, &member);
		if (g >= 0)
			ring_group_enqueue(w, g, 0, 200 + n, &op);
	}
	ring_span_begin(w, lane, 2000, &span);
	ring_mark_step(w, lane, 2100, 5);
	ring_mark_shard(w, lane, 2200, &shard);
	ring_mark_shape(w, lane, 2300, &shape);
	ring_anchor_put(w, &anchor);
	anchor.tsc *= 2, anchor.monotonic += 500000, anchor.realtime += 500000;
	ring_anchor_put(w, &anchor);
	ring_text_append(w, "last words\n", 11);
	fixture_furnish_death(w);
}

#endif
