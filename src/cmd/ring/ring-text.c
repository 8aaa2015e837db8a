/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cmd/ring/ring-fields.h"
#include "words/escape.h"
#include "ring/ring-names.h"
#include "ring/ring-traceback.h"

#define SHOWN 12 /* of a lane or class the latest; --json has all */

struct dump {
	struct str *out;
	const struct ring_view *view;
	bool utf8;
};

/* --- Pieces ----------------------------------------------------------------------------------- */

/* Text of the ring, in quotes and made safe to print. */
static void dump_text(const struct dump *d, const char *text)
{
	str_add_char(d->out, '"');
	escape_text(d->out, text, d->utf8);
	str_add_char(d->out, '"');
}

/* The time of day in UTC, or the ticks where nothing dates them. */
static void dump_time(const struct dump *d, uint64_t tsc)
{
	uint64_t ns;
	time_t seconds;
	struct tm tm;

	if (ring_view_time(d->view, RING_TIME_REALTIME, tsc, &ns)) {
		str_printf(d->out, "tsc %-14" PRIu64, tsc);
		return;
	}
	seconds = (time_t)(ns / 1000000000);
	gmtime_r(&seconds, &tm);
	str_printf(d->out, "%02d:%02d:%02d.%06u", tm.tm_hour, tm.tm_min, tm.tm_sec,
		(unsigned)(ns % 1000000000 / 1000));
}

/* " name value", by the field's form. */
static void dump_field(const struct dump *d, const struct ring_field *field)
{
	str_printf(d->out, " %s ", field->name);
	switch (field->form) {
	case RING_FORM_UINT:
		str_printf(d->out, "%" PRIu64, field->value);
		return;
	case RING_FORM_INT:
		str_printf(d->out, "%" PRId64, (int64_t)field->value);
		return;
	case RING_FORM_HEX:
		str_printf(d->out, "0x%" PRIx64, field->value);
		return;
	case RING_FORM_TEXT:
		escape_text(d->out, field->text, d->utf8);
		return;
	}
}

/* Fields that say nothing by being 0 are left out. */
static bool field_is_dull(const struct ring_field *field)
{
	static const char *const dull[] = {"group_ticket", "zero_counts", "stream", "event"};

	for (size_t i = 0; !field->value && i < sizeof(dull) / sizeof(*dull); i++)
		if (!strcmp(field->name, dull[i]))
			return true;
	return false;
}

/* One record on one line: when, what, the fields that say something, the flags. */
static void dump_record(const struct dump *d, const struct ring_slot *slot, bool in_group)
{
	struct ring_field fields[RING_FIELDS_MOST];
	size_t nr = ring_fields(d->view, slot, in_group, fields);
	const char *type = ring_type_name(ring_meta_type(slot->meta));

	dump_time(d, slot->tsc);
	if (type)
		str_printf(d->out, "  %-10s", type);
	else
		str_printf(d->out, "  type %-5u", ring_meta_type(slot->meta));
	for (size_t i = 0; i < nr; i++)
		if (!field_is_dull(&fields[i]))
			dump_field(d, &fields[i]);
	ring_fields_flags(d->out, ring_meta_flags(slot->meta), ", ");
	str_add_char(d->out, '\n');
}

/* A board by its name; one that is torn says so. */
static void dump_board(const struct dump *d, const char *what, const void *ab)
{
	struct ring_slot s;
	int state = ring_board_read(ab, &s);

	str_printf(d->out, "    %-8s  ", what);
	if (state > 0)
		dump_record(d, &s, true);
	else
		str_add(d->out, state ? "unreadable\n" : "nothing yet\n");
}

/* --- The head --------------------------------------------------------------------------------- */

/* A rank or size, or "unknown". */
static void dump_number(const struct dump *d, const char *before, int32_t n)
{
	if (n == RING_UNKNOWN_RANK)
		str_printf(d->out, "%sunknown", before);
	else
		str_printf(d->out, "%s%" PRId32, before, n);
}

/* Whose ring it is: rank, process, host, job. */
static void dump_identity(const struct dump *d)
{
	const struct ring_header *h = &d->view->header;

	dump_number(d, "rank ", h->rank);
	dump_number(d, " of ", h->world_size);
	dump_number(d, ", local rank ", h->local_rank);
	str_printf(d->out, ", attempt %" PRId32 "; %s, generation %" PRIu32 "\n", h->restart + 1,
		h->role == RING_CANDIDATE ? "a candidate" : "a rank", h->generation);
	str_printf(d->out, "process  pid %" PRIu32 " ", h->pid);
	dump_text(d, h->comm);
	str_printf(d->out, ", parent %" PRIu32 ", uid %" PRIu32 ", start %" PRIu64 ", host ",
		h->ppid, h->uid, h->start_time);
	dump_text(d, h->host);
	str_add(d->out, "\njob      ");
	dump_text(d, h->job);
	str_add(d->out, ", recorded from ");
	dump_time(d, h->birth_tsc);
	str_printf(d->out, " UTC\n");
}

static const char *ring_clock_name(uint32_t clock)
{
	static const char *const names[] = {"unknown clock", "tsc", "monotonic clock", "cntvct"};

	return names[clock <= RING_CLOCK_CNTVCT ? clock : 0];
}

static void dump_format(const struct dump *d)
{
	const struct ring_header *h = &d->view->header;

	str_printf(d->out, "format   %u.%u, profile %" PRIu32 ", %" PRIu64 " KiB %s, %s",
		h->version_major, h->version_minor, h->profile, h->file_size / 1024,
		h->place == RING_PLACE_DISK ? "on disk" : "in memory", ring_clock_name(h->clock));
	if (h->nccl_version)
		str_printf(d->out, ", NCCL %" PRIu32, h->nccl_version);
	str_add_char(d->out, '\n');
}

static void dump_losses(const struct dump *d)
{
	const struct ring_losses *l = &d->view->header.losses;
	const struct {
		const char *name;
		uint64_t n;
	} counted[] = {
		{"records", l->records},
		{"groups", l->groups},
		{"strings", l->strings},
		{"spans", l->spans},
		{"marks", l->marks},
		{"deaths", l->fatal},
		{"contended boards", l->contended},
		{"unresolved calls", l->unresolved},
		{"calls of forked children", l->forked},
		{"completions", l->completions},
		{"bytes cut off", d->view->cut_bytes},
		{"damaged sections", d->view->bad_sections},
		{"unknown sections", d->view->unknown_sections},
	};
	bool any = false;

	str_add(d->out, "losses  ");
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
		if (!counted[i].n)
			continue;
		str_printf(
			d->out, "%s %" PRIu64 " %s", any ? "," : "", counted[i].n, counted[i].name);
		any = true;
	}
	str_add(d->out, any ? "\n" : " none\n");
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void dump_group_head(const struct dump *d, uint64_t i, const struct ring_group *g)
{
	const char *name = ring_view_string(d->view, g->name);
	const char *ranks = ring_view_string(d->view, (uint32_t)g->ranks);

	str_printf(d->out, "group %" PRIu64 "  key 0x%016" PRIx64 ", rank %" PRIu32 " of %" PRIu32,
		i, g->key, g->rank, g->size);
	if (name) {
		str_add(d->out, ", ");
		dump_text(d, name);
	}
	if (ranks) {
		str_add(d->out, ", ranks ");
		dump_text(d, ranks);
	}
	if (g->parent)
		str_printf(d->out, ", split from 0x%016" PRIx64, g->parent);
	for (unsigned bit = 0; ring_group_state_name(bit); bit++)
		if (g->state >> bit & 1)
			str_printf(d->out, ", %s", ring_group_state_name(bit));
	str_printf(d->out, "\n    %" PRIu64 " collectives (%" PRIu64 " empty), %" PRIu64 " p2p",
		g->op_index, g->zero_counts, g->p2p_count);
	if (g->contended || g->missed)
		str_printf(d->out, "; threads met %" PRIu64 " times, %" PRIu64 " ops missed",
			g->contended, g->missed);
	str_add_char(d->out, '\n');
}

static void dump_groups(const struct dump *d)
{
	struct ring_group g;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_GROUPS); i++) {
		int state = ring_view_group(d->view, i, &g);

		if (state < 0)
			str_printf(d->out, "group %" PRIu64 "  being written\n", i);
		if (state <= 0)
			continue;
		dump_group_head(d, i, &g);
		dump_board(d, "entered", g.enqueue);
		dump_board(d, "complete", g.complete);
	}
}

static void dump_spans(const struct dump *d)
{
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_SPANS); i++) {
		int state = ring_view_span(d->view, i, &s);

		if (state < 0)
			str_add(d->out, "span   being written\n");
		if (state <= 0)
			continue;
		if (ring_meta_flags(s.meta) & RING_F_CLOSED) {
			str_add(d->out, "span   ended ");
			dump_time(d, s.count);
			str_add(d->out, "  began ");
		} else {
			str_printf(d->out, "span   OPEN, by tid %" PRIu64 "  began ", s.sig);
		}
		dump_record(d, &s, false);
	}
}

static void dump_marks(const struct dump *d)
{
	struct ring_mark m;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_MARKS); i++) {
		int state = ring_view_mark(d->view, i, &m);

		if (state < 0)
			str_add(d->out, "mark   unreadable\n");
		if (state <= 0)
			continue;
		str_printf(
			d->out, "mark   %" PRIu64 " events, %" PRIu64 " rows\n", m.events, m.total);
		dump_board(d, "latest", m.latest);
		if (ring_board_read(m.shape, &s))
			dump_board(d, "shape", m.shape);
	}
}

static void dump_pins(const struct dump *d)
{
	struct ring_pins pins;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_PINNED); i++) {
		const char *name;

		if (ring_view_pins(d->view, i, &pins)) {
			str_add(d->out, "pinned unreadable\n");
			continue;
		}
		if (!pins.next)
			continue;
		name = ring_pin_name(pins.class);
		str_printf(d->out, "pinned %s, %" PRIu64 " records\n", name ? name : "(unknown)",
			pins.next);
		while (ring_pins_next(&pins, &s)) {
			if (pins.ticket > SHOWN / 2 && pins.ticket + SHOWN / 2 <= pins.next)
				continue;
			str_printf(d->out, "  %8" PRIu64 "  ", pins.ticket - 1);
			dump_record(d, &s, false);
		}
	}
}

static void dump_tally(const struct dump *d, const struct ring_tally *t)
{
	if (t->overwritten)
		str_printf(d->out, ", %" PRIu64 " overwritten", t->overwritten);
	if (t->lapped)
		str_printf(d->out, ", %" PRIu64 " lapped", t->lapped);
	if (t->in_flight)
		str_printf(d->out, ", %" PRIu64 " in flight", t->in_flight);
	if (t->unbegun)
		str_printf(d->out, ", %" PRIu64 " never begun", t->unbegun);
	if (t->cut)
		str_printf(d->out, ", %" PRIu64 " cut off", t->cut);
}

static void dump_lane(const struct dump *d, const struct ring_lane_view *lane)
{
	struct ring_cursor c;
	struct ring_slot s;

	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s))
		;
	str_printf(d->out, "lane %" PRIu32, lane->number);
	if (lane->overflow) {
		str_add(d->out, "  shared by threads without one");
	} else {
		str_printf(d->out, "  tid %" PRIu32 " ", lane->tid);
		dump_text(d, lane->name);
		str_add(d->out, lane->claimed ? "" : " (ended)");
	}
	str_printf(d->out, ": %" PRIu64 " records of %" PRIu64, c.tally.read, lane->head);
	dump_tally(d, &c.tally);
	str_add_char(d->out, '\n');
	if (lane->board_state)
		str_printf(d->out, "    now       ");
	if (lane->board_state > 0)
		dump_record(d, &lane->board, false);
	else if (lane->board_state < 0)
		str_add(d->out, "unreadable\n");
	ring_cursor_open(&c, lane);
	while (ring_cursor_next(&c, &s)) {
		if (ring_ticket(&s) + SHOWN < lane->head)
			continue;
		str_printf(d->out, "  %8" PRIu64 "  ", ring_ticket(&s));
		dump_record(d, &s, false);
	}
}

static void dump_lanes(const struct dump *d)
{
	struct ring_lane_view lane;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_LANES); i++) {
		if (ring_view_lane(d->view, i, &lane))
			str_printf(d->out, "lane %" PRIu64 "  damaged\n", i);
		else if (lane.head || lane.claimed)
			dump_lane(d, &lane);
	}
}

/* " path+0xoffset", or what is known instead. */
static void dump_trace_place(
	const struct dump *d, const struct ring_traceback *t, const struct ring_trace_frame *f)
{
	const struct ring_trace_module *m = f->module ? t->module + f->module - 1 : NULL;

	if (!m) {
		str_printf(d->out, "0x%" PRIx64, f->pc);
		return;
	}
	escape_text(d->out, t->text + m->path, d->utf8);
	str_printf(d->out, "+0x%" PRIx64, f->pc - m->bias);
}

static void dump_trace_frames(const struct dump *d, const struct ring_traceback *t)
{
	for (uint32_t i = 0; i < t->npy; i++) {
		str_printf(d->out, "  python %2" PRIu32 "  ", i);
		escape_text(d->out, t->text + t->py[i].file, d->utf8);
		str_printf(d->out, ":%" PRIu32 " in ", t->py[i].line);
		escape_text(d->out, t->text + t->py[i].function, d->utf8);
		str_add_char(d->out, '\n');
	}
	for (uint32_t i = 0; i < t->nframes; i++) {
		str_printf(d->out, "  native %2" PRIu32 "  ", i);
		dump_trace_place(d, t, t->frame + i);
		str_add(d->out, t->frame[i].flags & RING_TRACE_F_GUESSED ? "  guessed\n" : "\n");
	}
}

static void dump_traceback(const struct dump *d, uint64_t death)
{
	struct ring_traceback t;
	int state = ring_view_traceback(d->view, death, &t);

	if (state <= 0)
		return;
	str_printf(d->out, "traceback  %" PRIu32 " native frames (end: %s), %" PRIu32
			   " of Python (%s)%s\n",
		t.nframes, ring_trace_end_name(t.end), t.npy, ring_trace_python_name(t.python),
		state == 2 ? ", cut short" : "");
	if (t.message) {
		str_add(d->out, "  libc says ");
		dump_text(d, t.text + t.message);
		str_add_char(d->out, '\n');
	}
	if (t.exception) {
		str_add(d->out, "  nobody caught a C++ exception of type ");
		dump_text(d, t.text + t.exception);
		str_add_char(d->out, '\n');
	}
	dump_trace_frames(d, &t);
}

static void dump_deaths(const struct dump *d)
{
	struct ring_fatal f;

	for (uint64_t i = 0; i < ring_view_count(d->view, RING_S_FATAL); i++) {
		int state = ring_view_fatal(d->view, i, &f);

		if (state < 0)
			str_add(d->out, "death  unreadable\n");
		if (state <= 0)
			continue;
		str_add(d->out, "death  ");
		dump_time(d, f.tsc);
		str_printf(d->out, "  signal %" PRId32 ", code %" PRId32 ", address 0x%" PRIx64,
			f.signo, f.code, f.fault_addr);
		if (f.code <= 0)
			str_printf(d->out, ", sent by pid %" PRId32 " uid %" PRIu32, f.sender_pid,
				f.sender_uid);
		str_printf(d->out, ", tid %" PRIu32 " ", f.tid);
		dump_text(d, f.thread);
		str_printf(d->out, "%s, %" PRIu32 " bytes of stack at 0x%" PRIx64 "%s\n",
			f.via_abort ? ", by abort()" : "", f.stack_len, f.sp,
			state == 2 ? ", cut short" : "");
		dump_traceback(d, i);
	}
}

static void dump_strings(const struct dump *d)
{
	unsigned nr = 0;

	for (uint32_t id = 0; (id = ring_view_next_string(d->view, id));) {
		str_add(d->out, nr++ ? ", " : "strings  ");
		dump_text(d, ring_view_string(d->view, id));
	}
	if (nr)
		str_add_char(d->out, '\n');
}

/* The last lines that went to stderr, each escaped by itself. */
static void dump_stderr(const struct dump *d)
{
	char text[2049], *line = text, *end;
	size_t size = ring_view_text(d->view, text, sizeof(text) - 1);

	text[size] = 0;
	if (size)
		str_add(d->out, "stderr\n");
	for (size_t i = 0; i < size; i++)
		if (!text[i])
			text[i] = '\n';
	while (*line) {
		end = line + strcspn(line, "\n");
		if (end > line) {
			size_t length = (size_t)(end - line);
			bool last = !*end;

			line[length] = 0;
			str_add(d->out, "  | ");
			escape_text(d->out, line, d->utf8);
			str_add_char(d->out, '\n');
			if (last)
				return;
		}
		line = end + 1;
	}
}

void ring_dump_text(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options)
{
	const struct dump d = {into, view, options->utf8};

	str_add(into, "ring     ");
	escape_text(into, options->path, options->utf8);
	str_add(into, ": ");
	dump_identity(&d);
	dump_format(&d);
	dump_losses(&d);
	dump_deaths(&d);
	dump_groups(&d);
	dump_spans(&d);
	dump_marks(&d);
	dump_pins(&d);
	dump_lanes(&d);
	dump_strings(&d);
	dump_stderr(&d);
}
