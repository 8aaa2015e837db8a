/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cmd/ring/ring-fields.h"
#include "words/escape.h"
#include "ring/ring-names.h"
#include "ring/ring-traceback.h"

/* --- Values ----------------------------------------------------------------------------------- */

/* Adds under key; the value is taken over, and NULL is null. */
static void put(struct json_object *into, const char *key, struct json_object *value)
{
	json_object_object_add(into, key, value);
}

static struct json_object *number(uint64_t n)
{
	return json_object_new_uint64(n);
}

/* Identities, not amounts: programs that read numbers as doubles would spoil them. */
static struct json_object *hex(uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	return json_object_new_string(text);
}

/* Text from the ring may be any bytes; JSON must be UTF-8. NULL gives null. */
static struct json_object *text(const char *bytes)
{
	struct str utf8 = {0};
	struct json_object *value;

	if (!bytes)
		return NULL;
	escape_to_utf8(&utf8, bytes);
	value = json_object_new_string(str_text(&utf8));
	str_release(&utf8);
	return value;
}

static struct json_object *rank(int32_t n)
{
	return n == RING_UNKNOWN_RANK ? NULL : json_object_new_int(n);
}

/* Realtime ns; null where no anchor dates it. */
static void put_time(
	struct json_object *into, const char *key, const struct ring_view *view, uint64_t tsc)
{
	uint64_t ns;

	put(into, key, ring_view_time(view, RING_TIME_REALTIME, tsc, &ns) ? NULL : number(ns));
}

/* --- Records ---------------------------------------------------------------------------------- */

/* The names of all flags that are set and known here. */
static struct json_object *flags_of(unsigned flags)
{
	struct json_object *array = json_object_new_array();

	for (unsigned bit = 0; bit < 8; bit++)
		if (flags >> bit & 1 && ring_flag_name(bit))
			json_object_array_add(array, json_object_new_string(ring_flag_name(bit)));
	return array;
}

/* A field in the JSON type that keeps it whole. */
static struct json_object *field_value(const struct ring_field *field)
{
	switch (field->form) {
	case RING_FORM_UINT:
		return number(field->value);
	case RING_FORM_INT:
		return json_object_new_int64((int64_t)field->value);
	case RING_FORM_HEX:
		return hex(field->value);
	case RING_FORM_TEXT:
		return text(field->text);
	}
	return NULL;
}

/* A record with all its fields; a type unknown here is given as its number. */
static struct json_object *record(
	const struct ring_view *view, const struct ring_slot *slot, bool in_group)
{
	struct json_object *o = json_object_new_object();
	struct ring_field fields[RING_FIELDS_MOST];
	size_t nr = ring_fields(view, slot, in_group, fields);
	unsigned type = ring_meta_type(slot->meta);

	put(o, "type", ring_type_name(type) ? text(ring_type_name(type)) : number(type));
	put(o, "tsc", number(slot->tsc));
	put_time(o, "time_ns", view, slot->tsc);
	put(o, "flags", flags_of(ring_meta_flags(slot->meta)));
	for (size_t i = 0; i < nr; i++)
		put(o, fields[i].name, field_value(&fields[i]));
	return o;
}

/* Stands for what is there, and is torn, being written, damaged or cut off. */
static struct json_object *unreadable(void)
{
	struct json_object *o = json_object_new_object();

	put(o, "unreadable", json_object_new_boolean(1));
	return o;
}

/* The same, as that one of a table. */
static struct json_object *unreadable_nth(const char *what, uint64_t i)
{
	struct json_object *o = json_object_new_object();

	put(o, what, number(i));
	put(o, "unreadable", json_object_new_boolean(1));
	return o;
}

/* null: nothing yet, or {"unreadable": true}. */
static struct json_object *board(const struct ring_view *view, const void *ab, bool in_group)
{
	struct ring_slot s;
	int state = ring_board_read(ab, &s);

	if (state > 0)
		return record(view, &s, in_group);
	return state ? unreadable() : NULL;
}

static struct json_object *tally_of(const struct ring_tally *t)
{
	struct json_object *o = json_object_new_object();

	put(o, "read", number(t->read));
	put(o, "overwritten", number(t->overwritten));
	put(o, "lapped", number(t->lapped));
	put(o, "in_flight", number(t->in_flight));
	put(o, "unbegun", number(t->unbegun));
	put(o, "cut", number(t->cut));
	return o;
}

/* --- Head ------------------------------------------------------------------------------------- */

static struct json_object *header_of(const struct ring_view *view)
{
	const struct ring_header *h = &view->header;
	struct json_object *o = json_object_new_object();
	char boot[33];

	for (int i = 0; i < 16; i++)
		snprintf(boot + 2 * i, 3, "%02x", h->boot_id[i]);
	put(o, "version_major", number(h->version_major));
	put(o, "version_minor", number(h->version_minor));
	put(o, "file_size", number(h->file_size));
	put(o, "role", text(h->role == RING_CANDIDATE ? "candidate" : "rank"));
	put(o, "place", text(h->place == RING_PLACE_DISK ? "disk" : "shm"));
	put(o, "clock", number(h->clock));
	put(o, "generation", number(h->generation));
	put(o, "profile", number(h->profile));
	put(o, "boot_id", text(boot));
	put(o, "pid", number(h->pid));
	put(o, "ppid", number(h->ppid));
	put(o, "uid", number(h->uid));
	put(o, "pid_ns", number(h->pid_ns));
	put(o, "start_time", number(h->start_time));
	put(o, "rank", rank(h->rank));
	put(o, "local_rank", rank(h->local_rank));
	put(o, "world_size", rank(h->world_size));
	put(o, "restart", json_object_new_int(h->restart));
	put(o, "nccl_version", number(h->nccl_version));
	put(o, "completion", number(h->completion));
	put(o, "birth_tsc", number(h->birth_tsc));
	put_time(o, "birth_ns", view, h->birth_tsc);
	put(o, "job", text(h->job));
	put(o, "host", text(h->host));
	put(o, "comm", text(h->comm));
	return o;
}

static struct json_object *losses_of(const struct ring_view *view)
{
	const struct ring_losses *l = &view->header.losses;
	struct json_object *o = json_object_new_object();

	put(o, "records", number(l->records));
	put(o, "groups", number(l->groups));
	put(o, "strings", number(l->strings));
	put(o, "spans", number(l->spans));
	put(o, "marks", number(l->marks));
	put(o, "fatal", number(l->fatal));
	put(o, "contended", number(l->contended));
	put(o, "unresolved", number(l->unresolved));
	put(o, "forked", number(l->forked));
	put(o, "completions", number(l->completions));
	put(o, "cut_bytes", number(view->cut_bytes));
	put(o, "bad_sections", number(view->bad_sections));
	put(o, "unknown_sections", number(view->unknown_sections));
	return o;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static struct json_object *history_of(const struct ring_view *view, const struct ring_group *g)
{
	struct json_object *array = json_object_new_array();
	uint64_t recent = g->op_index > RING_LAST ? g->op_index - RING_LAST : 0;
	struct ring_slot s;

	for (uint64_t i = 1; i && i <= recent; i += i < RING_FIRST ? 1 : i)
		if (!ring_group_op(g, i, &s))
			json_object_array_add(array, record(view, &s, true));
	for (uint64_t i = recent; i < g->op_index; i++)
		if (!ring_group_op(g, i + 1, &s))
			json_object_array_add(array, record(view, &s, true));
	return array;
}

static struct json_object *p2p_of(const struct ring_view *view, const struct ring_group *g)
{
	struct json_object *array = json_object_new_array();
	uint64_t from = g->p2p_count > RING_P2P ? g->p2p_count - RING_P2P : 0;
	struct ring_slot s;

	for (uint64_t i = from; i < g->p2p_count; i++)
		if (!ring_group_p2p(g, i + 1, &s))
			json_object_array_add(array, record(view, &s, true));
	return array;
}

static struct json_object *group_of(
	const struct ring_view *view, uint64_t i, const struct ring_group *g)
{
	struct json_object *o = json_object_new_object();
	struct json_object *state = json_object_new_array();

	for (unsigned bit = 0; ring_group_state_name(bit); bit++)
		if (g->state >> bit & 1)
			json_object_array_add(state, text(ring_group_state_name(bit)));
	put(o, "group", number(i));
	put(o, "key", hex(g->key));
	put(o, "alias", hex(g->alias));
	put(o, "parent", g->parent ? hex(g->parent) : NULL);
	put(o, "name", text(ring_view_string(view, g->name)));
	put(o, "ranks", text(ring_view_string(view, (uint32_t)g->ranks)));
	put(o, "size", number(g->size));
	put(o, "rank", number(g->rank));
	put(o, "device", json_object_new_int(g->device));
	put(o, "state", state);
	put(o, "init_tsc", number(g->init_tsc));
	put(o, "ready_tsc", number(g->ready_tsc));
	put(o, "op_index", number(g->op_index));
	put(o, "zero_counts", number(g->zero_counts));
	put(o, "hash", hex(g->hash));
	put(o, "p2p_count", number(g->p2p_count));
	put(o, "completed_word", number(g->completed_word));
	put(o, "begun_word", number(g->begun_word));
	put(o, "contended", number(g->contended));
	put(o, "missed", number(g->missed));
	put(o, "enqueue", board(view, g->enqueue, true));
	put(o, "complete", board(view, g->complete, true));
	put(o, "history", history_of(view, g));
	put(o, "p2p", p2p_of(view, g));
	return o;
}

static struct json_object *groups_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_group g;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_GROUPS); i++) {
		int state = ring_view_group(view, i, &g);

		if (state)
			json_object_array_add(array, state > 0 ? group_of(view, i, &g)
							       : unreadable_nth("group", i));
	}
	return array;
}

static struct json_object *spans_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_SPANS); i++) {
		int closed, state = ring_view_span(view, i, &s);
		struct json_object *o;

		if (state < 0)
			json_object_array_add(array, unreadable());
		if (state <= 0)
			continue;
		o = record(view, &s, false);
		closed = ring_meta_flags(s.meta) & RING_F_CLOSED;
		put(o, "open", json_object_new_boolean(!closed));
		put(o, "tid", number(s.sig));
		put(o, "end_tsc", closed ? number(s.count) : NULL);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *marks_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_mark m;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_MARKS); i++) {
		int state = ring_view_mark(view, i, &m);
		struct json_object *o;

		if (state < 0)
			json_object_array_add(array, unreadable());
		if (state <= 0)
			continue;
		o = json_object_new_object();
		put(o, "kind", text((uint32_t)m.claim == RING_MARK_STEP ? "step" : "shard"));
		put(o, "loader", text(ring_view_string(view, (uint32_t)(m.claim >> 32))));
		put(o, "events", number(m.events));
		put(o, "rows", number(m.total));
		put(o, "latest", board(view, m.latest, false));
		put(o, "shape", board(view, m.shape, false));
		put(o, "first", m.first.seq == 2 ? record(view, &m.first, false) : NULL);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *pins_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_pins pins;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_PINNED); i++) {
		struct json_object *o, *records;
		const char *name;

		if (ring_view_pins(view, i, &pins)) {
			json_object_array_add(array, unreadable());
			continue;
		}
		o = json_object_new_object();
		records = json_object_new_array();
		name = ring_pin_name(pins.class);
		while (ring_pins_next(&pins, &s)) {
			struct json_object *r = record(view, &s, false);

			put(r, "ticket", number(pins.ticket - 1));
			json_object_array_add(records, r);
		}
		put(o, "class", name ? text(name) : number(pins.class));
		put(o, "tally", tally_of(&pins.tally));
		put(o, "records", records);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *lane_of(const struct ring_view *view, const struct ring_lane_view *lane)
{
	struct json_object *o = json_object_new_object(), *records = json_object_new_array();
	struct ring_cursor c;
	struct ring_slot s;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s)) {
		struct json_object *r = record(view, &s, false);

		put(r, "ticket", number(ring_ticket(&s)));
		json_object_array_add(records, r);
	}
	put(o, "lane", number(lane->number));
	put(o, "tid", number(lane->tid));
	put(o, "name", text(lane->name));
	put(o, "claimed", json_object_new_boolean(lane->claimed));
	put(o, "overflow", json_object_new_boolean(lane->overflow));
	put(o, "claims", number(lane->claims));
	put(o, "slots", number(lane->n));
	put(o, "head", number(lane->head));
	put(o, "tally", tally_of(&c.tally));
	put(o, "board", lane->board_state > 0 ? record(view, &lane->board, false) : NULL);
	put(o, "board_unreadable", json_object_new_boolean(lane->board_state < 0));
	put(o, "records", records);
	return o;
}

static struct json_object *lanes_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_lane_view lane;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_LANES); i++) {
		if (ring_view_lane(view, i, &lane))
			json_object_array_add(array, unreadable_nth("lane", i));
		else if (lane.head || lane.claimed)
			json_object_array_add(array, lane_of(view, &lane));
	}
	return array;
}

/* A text of a traceback; null for none. */
static struct json_object *trace_text(const struct ring_traceback *t, uint32_t at)
{
	return at ? text(t->text + at) : NULL;
}

static struct json_object *trace_frames_of(const struct ring_traceback *t)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < t->nframes; i++) {
		const struct ring_trace_frame *f = t->frame + i;
		struct json_object *o = json_object_new_object();

		put(o, "pc", hex(f->pc));
		put(o, "sp", hex(f->sp));
		put(o, "module", f->module ? number(f->module - 1) : NULL);
		put(o, "offset", f->module ? hex(f->pc - t->module[f->module - 1].bias) : NULL);
		put(o, "exact", json_object_new_boolean(f->flags & RING_TRACE_F_EXACT));
		put(o, "guessed", json_object_new_boolean(f->flags & RING_TRACE_F_GUESSED));
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *trace_modules_of(const struct ring_traceback *t)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < t->nmodules; i++) {
		const struct ring_trace_module *m = t->module + i;
		struct json_object *o = json_object_new_object();
		char id[2 * RING_TRACE_ID + 1] = "";

		for (uint32_t b = 0; b < m->build_id_len; b++)
			snprintf(id + 2 * b, 3, "%02x", m->build_id[b]);
		put(o, "path", trace_text(t, m->path));
		put(o, "build_id", m->build_id_len ? text(id) : NULL);
		put(o, "start", hex(m->start));
		put(o, "end", hex(m->end));
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *trace_python_of(const struct ring_traceback *t)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < t->npy; i++) {
		struct json_object *o = json_object_new_object();

		put(o, "file", trace_text(t, t->py[i].file));
		put(o, "line", t->py[i].line ? number(t->py[i].line) : NULL);
		put(o, "function", trace_text(t, t->py[i].function));
		json_object_array_add(array, o);
	}
	return array;
}

/* How long its writing took; null where that is not known. */
static struct json_object *trace_took(const struct ring_view *view, const struct ring_traceback *t)
{
	uint64_t begun, done;

	if (t->seq != 2 || ring_view_time(view, RING_TIME_MONOTONIC, t->begun, &begun) ||
		ring_view_time(view, RING_TIME_MONOTONIC, t->done, &done) || done < begun)
		return NULL;
	return number(done - begun);
}

/* Null where the death has none. */
static struct json_object *traceback_of(const struct ring_view *view, uint64_t death)
{
	struct ring_traceback t;
	int state = ring_view_traceback(view, death, &t);
	struct json_object *o;

	if (state <= 0)
		return NULL;
	o = json_object_new_object();
	put(o, "complete", json_object_new_boolean(state == 1));
	put(o, "end", text(ring_trace_end_name(t.end)));
	put(o, "frames", trace_frames_of(&t));
	put(o, "modules", trace_modules_of(&t));
	put(o, "python", text(ring_trace_python_name(t.python)));
	put(o, "python_frames", trace_python_of(&t));
	put(o, "message", trace_text(&t, t.message));
	put(o, "exception", trace_text(&t, t.exception));
	put(o, "took_ns", trace_took(view, &t));
	return o;
}

static struct json_object *deaths_of(const struct ring_view *view)
{
	struct json_object *array = json_object_new_array();
	struct ring_fatal f;

	for (uint64_t i = 0; i < ring_view_count(view, RING_S_FATAL); i++) {
		int state = ring_view_fatal(view, i, &f);
		struct json_object *o;

		if (state < 0)
			json_object_array_add(array, unreadable());
		if (state <= 0)
			continue;
		o = json_object_new_object();
		put(o, "complete", json_object_new_boolean(state == 1));
		put(o, "tsc", number(f.tsc));
		put_time(o, "time_ns", view, f.tsc);
		put(o, "signal", json_object_new_int(f.signo));
		put(o, "code", json_object_new_int(f.code));
		put(o, "sender_pid", f.code <= 0 ? json_object_new_int(f.sender_pid) : NULL);
		put(o, "sender_uid", f.code <= 0 ? number(f.sender_uid) : NULL);
		put(o, "address", hex(f.fault_addr));
		put(o, "tid", number(f.tid));
		put(o, "thread", text(f.thread));
		put(o, "by_abort", json_object_new_boolean(f.via_abort != 0));
		put(o, "sp", hex(f.sp));
		put(o, "stack_bytes", number(f.stack_len));
		put(o, "traceback", traceback_of(view, i));
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *strings_of(const struct ring_view *view)
{
	struct json_object *o = json_object_new_object();
	char id_text[16];

	for (uint32_t id = 0; (id = ring_view_next_string(view, id));) {
		snprintf(id_text, sizeof(id_text), "%" PRIu32, id);
		put(o, id_text, text(ring_view_string(view, id)));
	}
	return o;
}

static struct json_object *stderr_of(const struct ring_view *view)
{
	char bytes[8193];
	size_t size = ring_view_text(view, bytes, sizeof(bytes) - 1);

	bytes[size] = 0;
	for (size_t i = 0; i < size; i++)
		if (!bytes[i])
			bytes[i] = '\n';
	return text(bytes);
}

void ring_dump_json(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options)
{
	struct json_object *o = json_object_new_object();

	put(o, "schema", text("inquest-ring/1"));
	put(o, "file", text(options->path));
	put(o, "header", header_of(view));
	put(o, "losses", losses_of(view));
	put(o, "fatal", deaths_of(view));
	put(o, "groups", groups_of(view));
	put(o, "spans", spans_of(view));
	put(o, "marks", marks_of(view));
	put(o, "pinned", pins_of(view));
	put(o, "lanes", lanes_of(view));
	put(o, "strings", strings_of(view));
	put(o, "stderr", stderr_of(view));
	escape_json(into, json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE));
	str_add_char(into, '\n');
	json_object_put(o);
}
