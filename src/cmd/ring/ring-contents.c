/* SPDX-License-Identifier: Apache-2.0 */
/* ring-contents.c: reads a ring into fields, in the order in which inquest-ring/1 has them. */
#include <inttypes.h>
#include <string.h>

#include "cmd/ring/ring-fields.h"
#include "ring/ring-names.h"
#include "ring/ring-traceback.h"

/* What is read, and how much of it. */
struct reading {
	const struct ring_view *view;
	bool all; /* also what only programs read */
};

/* Adds a number; the next ones add one with a sign, an identity, a bool, and what is not known. */
static void add_uint(struct ring_fields *into, const char *name, uint64_t value)
{
	field_add(into, name, RING_FORM_UINT, value);
}

static void add_int(struct ring_fields *into, const char *name, int64_t value)
{
	field_add(into, name, RING_FORM_INT, (uint64_t)value);
}

static void add_hex(struct ring_fields *into, const char *name, uint64_t value)
{
	field_add(into, name, RING_FORM_HEX, value);
}

static void add_bool(struct ring_fields *into, const char *name, bool value)
{
	field_add(into, name, RING_FORM_BOOL, value);
}

static void add_none(struct ring_fields *into, const char *name)
{
	field_add(into, name, RING_FORM_NONE, 0);
}

/* Adds a value that may be unknown. */
static void add_if(
	struct ring_fields *into, const char *name, bool known, enum ring_form form, uint64_t value)
{
	field_add(into, name, known ? form : RING_FORM_NONE, known ? value : 0);
}

/* Adds a rank; none where it is not known. */
static void add_rank(struct ring_fields *into, const char *name, int32_t rank)
{
	add_if(into, name, rank != RING_UNKNOWN_RANK, RING_FORM_INT, (uint64_t)(int64_t)rank);
}

/* Adds a time as realtime in ns; none where no anchor dates it. */
static void add_time(
	const struct reading *r, struct ring_fields *into, const char *name, uint64_t tsc)
{
	uint64_t ns = 0;
	int error = ring_view_time(r->view, RING_TIME_REALTIME, tsc, &ns);

	add_if(into, name, !error, RING_FORM_UINT, ns);
}

/* Adds bytes as hex digits, two each. */
static void add_digits(
	struct ring_fields *into, const char *name, const uint8_t *bytes, uint32_t nr)
{
	static const char digits[] = "0123456789abcdef";
	char *text = arena_new_many(into->arena, char, 2 * nr + 1);

	for (uint32_t i = 0; i < nr; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	field_add_text(into, name, text);
}

/* --- Records ---------------------------------------------------------------------------------- */

/* Adds an array of the names of all bits that are set and known here. */
static void add_bits(struct ring_fields *into, const char *name, unsigned nr, uint64_t bits,
	enum ring_list list)
{
	struct ring_fields *names = field_add_array(into, name);

	for (unsigned bit = 0; bit < nr; bit++)
		if (bits >> bit & 1 && ring_name(list, bit))
			field_add_name(names, NULL, ring_name(list, bit), bit);
}

/* Adds a record: its type, when it was, its flags and its words. */
static struct ring_fields *add_record(const struct reading *r, struct ring_fields *into,
	const char *name, const struct ring_slot *slot, bool in_group)
{
	struct ring_fields *o = field_add_object(into, name);
	unsigned type = ring_meta_type(slot->meta);

	field_add_name(o, "type", ring_name(RING_LIST_TYPES, type), type);
	add_uint(o, "tsc", slot->tsc);
	add_time(r, o, "time_ns", slot->tsc);
	add_bits(o, "flags", 8, ring_meta_flags(slot->meta),
		ring_meta_type(slot->meta) == RING_OP_ENTERED ? RING_LIST_OP_FLAGS
							      : RING_LIST_FLAGS);
	record_add_words(o, r->view, slot, in_group);
	return o;
}

/* Stands for what is there, and is torn, being written, damaged or cut off. */
static void add_unreadable(struct ring_fields *into, const char *name)
{
	add_bool(field_add_object(into, name), "unreadable", true);
}

/* Adds the same, as entry i of a table. */
static void add_unreadable_nth(struct ring_fields *into, const char *what, uint64_t i)
{
	struct ring_fields *o = field_add_object(into, NULL);

	add_uint(o, what, i);
	add_bool(o, "unreadable", true);
}

/* Adds the record on a board; none where nothing was written yet. */
static void add_board(const struct reading *r, struct ring_fields *into, const char *name,
	const void *ab, bool in_group)
{
	struct ring_slot s;
	int state = ring_board_read(ab, &s);

	if (state > 0)
		add_record(r, into, name, &s, in_group);
	else if (state)
		add_unreadable(into, name);
	else
		add_none(into, name);
}

/* Adds how many records were read, and how many were lost on which way. */
static void add_tally(struct ring_fields *into, const struct ring_tally *t)
{
	struct ring_fields *o = field_add_object(into, "tally");

	add_uint(o, "read", t->read);
	add_uint(o, "overwritten", t->overwritten);
	add_uint(o, "lapped", t->lapped);
	add_uint(o, "in_flight", t->in_flight);
	add_uint(o, "unbegun", t->unbegun);
	add_uint(o, "cut", t->cut);
}

/* --- Head ------------------------------------------------------------------------------------- */

/* Adds whose ring it is, and how it was made. */
static void add_header(const struct reading *r, struct ring_fields *into)
{
	const struct ring_header *h = &r->view->header;
	struct ring_fields *o = field_add_object(into, "header");

	add_uint(o, "version_major", h->version_major);
	add_uint(o, "version_minor", h->version_minor);
	add_uint(o, "file_size", h->file_size);
	field_add_name(o, "role", h->role == RING_CANDIDATE ? "candidate" : "rank", h->role);
	field_add_name(o, "place", h->place == RING_PLACE_DISK ? "disk" : "shm", h->place);
	add_uint(o, "clock", h->clock);
	add_uint(o, "generation", h->generation);
	add_uint(o, "profile", h->profile);
	add_digits(o, "boot_id", h->boot_id, sizeof(h->boot_id));
	add_uint(o, "pid", h->pid);
	add_uint(o, "ppid", h->ppid);
	add_uint(o, "uid", h->uid);
	add_uint(o, "pid_ns", h->pid_ns);
	add_uint(o, "start_time", h->start_time);
	add_rank(o, "rank", h->rank);
	add_rank(o, "local_rank", h->local_rank);
	add_rank(o, "world_size", h->world_size);
	add_int(o, "restart", h->restart);
	add_uint(o, "nccl_version", h->nccl_version);
	add_uint(o, "completion", h->completion);
	add_uint(o, "birth_tsc", h->birth_tsc);
	add_time(r, o, "birth_ns", h->birth_tsc);
	field_add_text(o, "job", h->job);
	field_add_text(o, "host", h->host);
	field_add_text(o, "comm", h->comm);
}

/* Adds what the probe could not write down, and what was lost of the file. */
static void add_losses(const struct reading *r, struct ring_fields *into)
{
	const struct ring_losses *l = &r->view->header.losses;
	struct ring_fields *o = field_add_object(into, "losses");

	add_uint(o, "records", l->records);
	add_uint(o, "groups", l->groups);
	add_uint(o, "strings", l->strings);
	add_uint(o, "spans", l->spans);
	add_uint(o, "marks", l->marks);
	add_uint(o, "fatal", l->fatal);
	add_uint(o, "contended", l->contended);
	add_uint(o, "unresolved", l->unresolved);
	add_uint(o, "forked", l->forked);
	add_uint(o, "completions", l->completions);
	add_uint(o, "cut_bytes", r->view->cut_bytes);
	add_uint(o, "bad_sections", r->view->bad_sections);
	add_uint(o, "unknown_sections", r->view->unknown_sections);
}

/* --- Deaths ----------------------------------------------------------------------------------- */

/* Adds a text of a traceback; none for 0. */
static void add_trace_text(
	struct ring_fields *into, const char *name, const struct ring_traceback *t, uint32_t at)
{
	field_add_text(into, name, at ? arena_text(into->arena, t->text + at) : NULL);
}

/* Adds its native frames; an offset is the address that the file's own tools know. */
static void add_trace_frames(struct ring_fields *into, const struct ring_traceback *t)
{
	struct ring_fields *frames = field_add_array(into, "frames");

	for (uint32_t i = 0; i < t->nframes; i++) {
		const struct ring_trace_frame *f = t->frame + i;
		uint64_t bias = f->module ? t->module[f->module - 1].bias : 0;
		struct ring_fields *o = field_add_object(frames, NULL);

		add_hex(o, "pc", f->pc);
		add_hex(o, "sp", f->sp);
		add_if(o, "module", f->module, RING_FORM_UINT, f->module - 1);
		add_if(o, "offset", f->module, RING_FORM_HEX, f->pc - bias);
		add_bool(o, "exact", f->flags & RING_TRACE_F_EXACT);
		add_bool(o, "guessed", f->flags & RING_TRACE_F_GUESSED);
	}
}

/* Adds the files that the frames lie in. */
static void add_trace_modules(struct ring_fields *into, const struct ring_traceback *t)
{
	struct ring_fields *modules = field_add_array(into, "modules");

	for (uint32_t i = 0; i < t->nmodules; i++) {
		const struct ring_trace_module *m = t->module + i;
		struct ring_fields *o = field_add_object(modules, NULL);

		add_trace_text(o, "path", t, m->path);
		if (m->build_id_len)
			add_digits(o, "build_id", m->build_id, m->build_id_len);
		else
			add_none(o, "build_id");
		add_hex(o, "start", m->start);
		add_hex(o, "end", m->end);
	}
}

/* Adds its Python frames. */
static void add_trace_python(struct ring_fields *into, const struct ring_traceback *t)
{
	struct ring_fields *frames = field_add_array(into, "python_frames");

	for (uint32_t i = 0; i < t->npy; i++) {
		struct ring_fields *o = field_add_object(frames, NULL);

		add_trace_text(o, "file", t, t->py[i].file);
		add_if(o, "line", t->py[i].line, RING_FORM_UINT, t->py[i].line);
		add_trace_text(o, "function", t, t->py[i].function);
	}
}

/* Adds how long its writing took, in ns; none where that is not known. */
static void add_trace_took(
	const struct reading *r, struct ring_fields *into, const struct ring_traceback *t)
{
	uint64_t begun = 0, done = 0;
	bool known = t->seq == 2 &&
		     !ring_view_time(r->view, RING_TIME_MONOTONIC, t->begun, &begun) &&
		     !ring_view_time(r->view, RING_TIME_MONOTONIC, t->done, &done) && done >= begun;

	add_if(into, "took_ns", known, RING_FORM_UINT, done - begun);
}

/* Adds the traceback of a death; none where it has none. */
static void add_traceback(const struct reading *r, struct ring_fields *into, uint64_t death)
{
	struct ring_traceback t;
	int state = ring_view_traceback(r->view, death, &t);
	struct ring_fields *o;

	if (state <= 0) {
		add_none(into, "traceback");
		return;
	}
	o = field_add_object(into, "traceback");
	add_bool(o, "complete", state == 1);
	field_add_name(o, "end", ring_trace_end_name(t.end), t.end);
	add_trace_frames(o, &t);
	add_trace_modules(o, &t);
	field_add_name(o, "python", ring_trace_python_name(t.python), t.python);
	add_trace_python(o, &t);
	add_trace_text(o, "message", &t, t.message);
	add_trace_text(o, "exception", &t, t.exception);
	add_trace_took(r, o, &t);
}

/* Adds one death. A signal that a process has sent has that process's ids. */
static void add_death(const struct reading *r, struct ring_fields *into, uint64_t i,
	const struct ring_fatal *f, bool complete)
{
	struct ring_fields *o = field_add_object(into, NULL);
	bool sent = f->code <= 0;

	add_bool(o, "complete", complete);
	add_uint(o, "tsc", f->tsc);
	add_time(r, o, "time_ns", f->tsc);
	add_int(o, "signal", f->signo);
	add_int(o, "code", f->code);
	add_if(o, "sender_pid", sent, RING_FORM_INT, (uint64_t)(int64_t)f->sender_pid);
	add_if(o, "sender_uid", sent, RING_FORM_UINT, f->sender_uid);
	add_hex(o, "address", f->fault_addr);
	add_uint(o, "tid", f->tid);
	field_add_text(o, "thread", arena_text(o->arena, f->thread));
	add_bool(o, "by_abort", f->via_abort != 0);
	add_hex(o, "sp", f->sp);
	add_uint(o, "stack_bytes", f->stack_len);
	add_traceback(r, o, i);
}

/* Adds all deaths. */
static void add_deaths(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *deaths = field_add_array(into, "fatal");
	struct ring_fatal f;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_FATAL); i++) {
		int state = ring_view_fatal(r->view, i, &f);

		if (state < 0)
			add_unreadable(deaths, NULL);
		else if (state)
			add_death(r, deaths, i, &f, state == 1);
	}
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Adds what is kept of the group's collectives: the first, powers of two, the latest. */
static void add_history(
	const struct reading *r, struct ring_fields *into, const struct ring_group *g)
{
	struct ring_fields *ops = field_add_array(into, "history");
	uint64_t recent = g->op_index > RING_LAST ? g->op_index - RING_LAST : 0;
	struct ring_slot s;

	for (uint64_t i = 1; i && i <= recent; i += i < RING_FIRST ? 1 : i)
		if (!ring_group_op(g, i, &s))
			add_record(r, ops, NULL, &s, true);
	for (uint64_t i = recent; i < g->op_index; i++)
		if (!ring_group_op(g, i + 1, &s))
			add_record(r, ops, NULL, &s, true);
}

/* Adds the latest sends and receives of a group. */
static void add_p2p(const struct reading *r, struct ring_fields *into, const struct ring_group *g)
{
	struct ring_fields *ops = field_add_array(into, "p2p");
	uint64_t from = g->p2p_count > RING_P2P ? g->p2p_count - RING_P2P : 0;
	struct ring_slot s;

	for (uint64_t i = from; i < g->p2p_count; i++)
		if (!ring_group_p2p(g, i + 1, &s))
			add_record(r, ops, NULL, &s, true);
}

/* Adds one group; only with `all` its history. */
static void add_group(
	const struct reading *r, struct ring_fields *into, uint64_t i, const struct ring_group *g)
{
	struct ring_fields *o = field_add_object(into, NULL);

	add_uint(o, "group", i);
	add_hex(o, "key", g->key);
	add_hex(o, "alias", g->alias);
	add_if(o, "parent", g->parent, RING_FORM_HEX, g->parent);
	field_add_text(o, "name", ring_view_string(r->view, g->name));
	field_add_text(o, "ranks", ring_view_string(r->view, (uint32_t)g->ranks));
	add_uint(o, "size", g->size);
	add_uint(o, "rank", g->rank);
	add_int(o, "device", g->device);
	add_bits(o, "state", 64, g->state, RING_LIST_GROUP_STATES);
	add_uint(o, "init_tsc", g->init_tsc);
	add_uint(o, "ready_tsc", g->ready_tsc);
	add_uint(o, "op_index", g->op_index);
	add_uint(o, "zero_counts", g->zero_counts);
	add_hex(o, "hash", g->hash);
	add_uint(o, "p2p_count", g->p2p_count);
	add_uint(o, "completed_word", g->completed_word);
	add_uint(o, "begun_word", g->begun_word);
	add_uint(o, "contended", g->contended);
	add_uint(o, "missed", g->missed);
	add_board(r, o, "enqueue", g->enqueue, true);
	add_board(r, o, "complete", g->complete, true);
	if (r->all) {
		add_history(r, o, g);
		add_p2p(r, o, g);
	}
}

/* Adds all groups, in the order in which they were made. */
static void add_groups(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *groups = field_add_array(into, "groups");
	struct ring_group g;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_GROUPS); i++) {
		int state = ring_view_group(r->view, i, &g);

		if (state < 0)
			add_unreadable_nth(groups, "group", i);
		else if (state)
			add_group(r, groups, i, &g);
	}
}

/* Adds the spans, those that are open and those that are over. */
static void add_spans(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *spans = field_add_array(into, "spans"), *o;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_SPANS); i++) {
		int closed, state = ring_view_span(r->view, i, &s);

		if (state < 0)
			add_unreadable(spans, NULL);
		if (state <= 0)
			continue;
		o = add_record(r, spans, NULL, &s, false);
		closed = ring_meta_flags(s.meta) & RING_F_CLOSED;
		add_bool(o, "open", !closed);
		add_uint(o, "tid", s.sig);
		add_if(o, "end_tsc", closed, RING_FORM_UINT, s.count);
	}
}

/* Adds the marks: what was counted of steps and of loaders' shards. */
static void add_marks(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *marks = field_add_array(into, "marks"), *o;
	struct ring_mark m;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_MARKS); i++) {
		int state = ring_view_mark(r->view, i, &m);

		if (state < 0)
			add_unreadable(marks, NULL);
		if (state <= 0)
			continue;
		o = field_add_object(marks, NULL);
		field_add_name(
			o, "kind", (uint32_t)m.claim == RING_MARK_STEP ? "step" : "shard", 0);
		field_add_text(o, "loader", ring_view_string(r->view, (uint32_t)(m.claim >> 32)));
		add_uint(o, "events", m.events);
		add_uint(o, "rows", m.total);
		add_board(r, o, "latest", m.latest, false);
		add_board(r, o, "shape", m.shape, false);
		if (m.first.seq == 2)
			add_record(r, o, "first", &m.first, false);
		else
			add_none(o, "first");
	}
}

/*
 * True if the record that the pins have just given is of the first or latest that people are shown.
 */
static bool is_at_an_end(const struct ring_pins *pins)
{
	return pins->ticket <= RING_SHOWN / 2 || pins->ticket + RING_SHOWN / 2 > pins->next;
}

/*
 * Adds the pinned records by their classes. They are counted first, since the tally stands before
 * them.
 */
static void add_pins(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *classes = field_add_array(into, "pinned");
	struct ring_pins pins, counted;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_PINNED); i++) {
		struct ring_fields *o, *records;

		if (ring_view_pins(r->view, i, &pins)) {
			add_unreadable(classes, NULL);
			continue;
		}
		counted = pins;
		while (ring_pins_next(&counted, &s))
			;
		o = field_add_object(classes, NULL);
		field_add_name(o, "class", ring_name(RING_LIST_PINS, pins.class), pins.class);
		add_tally(o, &counted.tally);
		records = field_add_array(o, "records");
		while (ring_pins_next(&pins, &s))
			if (r->all || is_at_an_end(&pins))
				add_uint(add_record(r, records, NULL, &s, false), "ticket",
					pins.ticket - 1);
	}
}

/* Adds the records of a lane, all or the latest. */
static void add_lane_records(
	const struct reading *r, struct ring_fields *into, const struct ring_lane_view *lane)
{
	struct ring_fields *records = field_add_array(into, "records");
	struct ring_cursor c;
	struct ring_slot s;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s))
		if (r->all || ring_ticket(&s) + RING_SHOWN >= lane->head)
			add_uint(
				add_record(r, records, NULL, &s, false), "ticket", ring_ticket(&s));
}

/* Adds one lane: a thread's records, and its board. */
static void add_lane(
	const struct reading *r, struct ring_fields *into, const struct ring_lane_view *lane)
{
	struct ring_fields *o = field_add_object(into, NULL);
	struct ring_cursor c;
	struct ring_slot s;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s))
		;
	add_uint(o, "lane", lane->number);
	add_uint(o, "tid", lane->tid);
	field_add_text(o, "name", arena_text(o->arena, lane->name));
	add_bool(o, "claimed", lane->claimed);
	add_bool(o, "overflow", lane->overflow);
	add_uint(o, "claims", lane->claims);
	add_uint(o, "slots", lane->n);
	add_uint(o, "head", lane->head);
	add_tally(o, &c.tally);
	if (lane->board_state > 0)
		add_record(r, o, "board", &lane->board, false);
	else
		add_none(o, "board");
	add_bool(o, "board_unreadable", lane->board_state < 0);
	add_lane_records(r, o, lane);
}

/* Adds the lanes that anybody has used. */
static void add_lanes(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *lanes = field_add_array(into, "lanes");
	struct ring_lane_view lane;

	for (uint64_t i = 0; i < ring_view_count(r->view, RING_S_LANES); i++) {
		if (ring_view_lane(r->view, i, &lane))
			add_unreadable_nth(lanes, "lane", i);
		else if (lane.head || lane.claimed)
			add_lane(r, lanes, &lane);
	}
}

/* Adds all strings, by their ids. */
static void add_strings(const struct reading *r, struct ring_fields *into)
{
	struct ring_fields *o = field_add_object(into, "strings");

	for (uint32_t id = 0; (id = ring_view_next_string(r->view, id));)
		field_add_text(
			o, arena_printf(o->arena, "%" PRIu32, id), ring_view_string(r->view, id));
}

/* Adds the end of what went to stderr; a NUL among it ends a line. */
static void add_stderr(const struct reading *r, struct ring_fields *into)
{
	char bytes[8193];
	size_t size = ring_view_text(r->view, bytes, sizeof(bytes) - 1);

	bytes[size] = 0;
	for (size_t i = 0; i < size; i++)
		if (!bytes[i])
			bytes[i] = '\n';
	field_add_text(into, "stderr", arena_text(into->arena, bytes));
}

const struct ring_fields *ring_contents(
	struct arena *arena, const struct ring_view *view, const char *path, bool all)
{
	const struct reading r = {view, all};
	struct ring_fields *o = arena_new(arena, struct ring_fields);

	o->arena = arena;
	field_add_name(o, "schema", "inquest-ring/1", 0);
	field_add_text(o, "file", path);
	add_header(&r, o);
	add_losses(&r, o);
	add_deaths(&r, o);
	add_groups(&r, o);
	add_spans(&r, o);
	add_marks(&r, o);
	add_pins(&r, o);
	add_lanes(&r, o);
	add_strings(&r, o);
	add_stderr(&r, o);
	return o;
}
