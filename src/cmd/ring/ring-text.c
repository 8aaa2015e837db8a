/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cmd/ring/ring-fields.h"
#include "words/escape.h"

/* Where a ring is printed, and how. */
struct dump {
	struct str *out;
	const struct ring_view *view;
	bool utf8;
};

/* --- Pieces ----------------------------------------------------------------------------------- */

/*
 * Returns the field of that name, the last of several; one of RING_FORM_NONE where there is none.
 */
static const struct ring_field *find_field(const struct ring_fields *fields, const char *name)
{
	static const struct ring_field none = {.form = RING_FORM_NONE};
	const struct ring_field *found = &none;

	ring_fields_each (field, fields)
		if (field->name && !strcmp(field->name, name))
			found = field;
	return found;
}

/* Returns a field's number; 0 where it has none. */
static uint64_t amount(const struct ring_fields *fields, const char *name)
{
	return find_field(fields, name)->value;
}

/* Returns a field's text, "" where it has none. */
static const char *text_of(const struct ring_fields *fields, const char *name)
{
	const char *text = find_field(fields, name)->text;

	return text ? text : "";
}

/* Returns the object or array of that name; an empty one where there is none. */
static const struct ring_fields *part(const struct ring_fields *fields, const char *name)
{
	static const struct ring_fields none = {0};
	const struct ring_fields *in = find_field(fields, name)->in;

	return in ? in : &none;
}

/* Appends the time of day in UTC, or the ticks where nothing dates them. */
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

/* Appends a field's value; nothing for one that is no single value. */
static void dump_value(const struct dump *d, const struct ring_field *field)
{
	switch (field->form) {
	case RING_FORM_NONE:
		str_add(d->out, "unknown");
		return;
	case RING_FORM_UINT:
		str_printf(d->out, "%" PRIu64, field->value);
		return;
	case RING_FORM_INT:
		str_printf(d->out, "%" PRId64, (int64_t)field->value);
		return;
	case RING_FORM_HEX:
		str_printf(d->out, "0x%" PRIx64, field->value);
		return;
	case RING_FORM_NAME:
	case RING_FORM_TEXT:
		escape_text(d->out, field->text, d->utf8);
		return;
	case RING_FORM_BOOL:
	case RING_FORM_OBJECT:
	case RING_FORM_ARRAY:
		return;
	}
}

/* Returns the field named from there up to '#', '@' or '}', whose place is given. */
static const struct ring_field *named(
	const struct ring_fields *fields, const char *words, const char **ret_end)
{
	char name[32] = "";
	size_t length = strcspn(words, "#@}");

	memcpy(name, words, length < sizeof(name) ? length : sizeof(name) - 1);
	*ret_end = words + length;
	return find_field(fields, name);
}

/*
 * Appends the value of the field that is named from there up to the '}', whose place is returned.
 */
static const char *say_field(
	const struct dump *d, const struct ring_fields *fields, const char *words)
{
	const char *how;
	const struct ring_field *field = named(fields, words, &how);
	const char *quote = field->form == RING_FORM_TEXT ? "\"" : "";

	str_add(d->out, quote);
	if (*how == '#')
		str_printf(d->out, "0x%016" PRIx64, field->value);
	else if (*how == '@')
		dump_time(d, field->value);
	else
		dump_value(d, field);
	str_add(d->out, quote);
	return strchr(how, '}');
}

/* True if the first field that is named from there on is known, and not false. */
static bool has_first(const struct ring_fields *fields, const char *words)
{
	const char *end;
	const struct ring_field *field = named(fields, strchr(words, '{') + 1, &end);

	return field->form == RING_FORM_BOOL ? field->value : field->form != RING_FORM_NONE;
}

/*
 * Appends words of ours with fields in them: {name} is the value, text in quotes, {name#} all
 * sixteen digits, {name@} the time of day. What stands in [] is left out where its first field is
 * not known, or false.
 */
static void say(const struct dump *d, const struct ring_fields *fields, const char *words)
{
	for (const char *at = words; *at; at++) {
		if (*at == '[' && !has_first(fields, at))
			at = strchr(at, ']');
		else if (*at == '{')
			at = say_field(d, fields, at + 1);
		else if (*at != '[' && *at != ']')
			str_add_char(d->out, *at);
	}
}

/* Says words where that field is not 0. */
static void say_amount(
	const struct dump *d, const struct ring_fields *fields, const char *name, const char *words)
{
	if (amount(fields, name))
		say(d, fields, words);
}

/* True if this stands in the place of something that cannot be read. */
static bool is_unreadable(const struct ring_fields *fields)
{
	return amount(fields, "unreadable") != 0;
}

/* --- Records ---------------------------------------------------------------------------------- */

/* True for a field that says nothing by being 0: it is left out. */
static bool field_is_dull(const struct ring_field *field)
{
	static const char *const dull[] = {"group_ticket", "zero_counts", "stream", "event"};

	for (size_t i = 0; !field->value && i < sizeof(dull) / sizeof(*dull); i++)
		if (!strcmp(field->name, dull[i]))
			return true;
	return false;
}

/* Appends one record on one line: when, what, the fields that say something, the flags. */
static void dump_record(const struct dump *d, const struct ring_fields *record)
{
	const struct ring_field *type = find_field(record, "type");

	dump_time(d, amount(record, "tsc"));
	if (type->text)
		str_printf(d->out, "  %-10s", type->text);
	else
		str_printf(d->out, "  type %-5" PRIu64, type->value);
	ring_fields_each (field, record) {
		if (!field->word || field_is_dull(field))
			continue;
		str_printf(d->out, " %s ", field->name);
		dump_value(d, field);
	}
	ring_fields_each (flag, part(record, "flags"))
		str_printf(d->out, ", %s", flag->text);
	str_add_char(d->out, '\n');
}

/* Appends records, each with its ticket. */
static void dump_records(const struct dump *d, const struct ring_fields *records)
{
	ring_fields_each (record, records) {
		str_printf(d->out, "  %8" PRIu64 "  ", amount(record->in, "ticket"));
		dump_record(d, record->in);
	}
}

/* Appends a board by its name; one that is torn says so. */
static void dump_board(const struct dump *d, const char *what, const struct ring_field *board)
{
	str_printf(d->out, "    %-8s  ", what);
	if (board->form == RING_FORM_NONE)
		str_add(d->out, "nothing yet\n");
	else if (is_unreadable(board->in))
		str_add(d->out, "unreadable\n");
	else
		dump_record(d, board->in);
}

/* --- The head --------------------------------------------------------------------------------- */

/* Appends whose ring it is: rank, process, host, job. */
static void dump_identity(const struct dump *d, const struct ring_fields *header)
{
	say(d, header, "rank {rank} of {world_size}, local rank {local_rank}, ");
	str_printf(d->out, "attempt %" PRId64, (int64_t)amount(header, "restart") + 1);
	say(d, header,
		"; a {role}, generation {generation}\n"
		"process  pid {pid} {comm}, parent {ppid}, uid {uid}, start {start_time}, "
		"host {host}\n"
		"job      {job}, recorded from {birth_tsc@} UTC\n");
}

/* Returns the name of the clock that the ring's ticks are of. */
static const char *ring_clock_name(uint64_t clock)
{
	static const char *const names[] = {"unknown clock", "tsc", "monotonic clock", "cntvct"};

	return names[clock <= RING_CLOCK_CNTVCT ? clock : 0];
}

/* Appends in which format the ring is, its size, its place, its clock. */
static void dump_format(const struct dump *d, const struct ring_fields *header)
{
	say(d, header, "format   {version_major}.{version_minor}, profile {profile}, ");
	str_printf(d->out, "%" PRIu64 " KiB %s, %s", amount(header, "file_size") / 1024,
		strcmp(text_of(header, "place"), "disk") ? "in memory" : "on disk",
		ring_clock_name(amount(header, "clock")));
	say_amount(d, header, "nccl_version", ", NCCL {nccl_version}");
	str_add_char(d->out, '\n');
}

/* Appends how much of each kind was lost. */
static void dump_losses(const struct dump *d, const struct ring_fields *losses)
{
	/* Those whose name in JSON is not for people. */
	static const char *const words[][2] = {
		{"fatal", "deaths"},
		{"contended", "contended boards"},
		{"unresolved", "unresolved calls"},
		{"forked", "calls of forked children"},
		{"cut_bytes", "bytes cut off"},
		{"bad_sections", "damaged sections"},
		{"unknown_sections", "unknown sections"},
	};
	const char *before = " ";

	str_add(d->out, "losses  ");
	ring_fields_each (loss, losses) {
		const char *what = loss->name;

		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			what = strcmp(loss->name, words[i][0]) ? what : words[i][1];
		if (!loss->value)
			continue;
		str_printf(d->out, "%s%" PRIu64 " %s", before, loss->value, what);
		before = ", ";
	}
	str_add(d->out, *before == ',' ? "\n" : " none\n");
}

/* --- Deaths ----------------------------------------------------------------------------------- */

/* Returns the path of module `nr` of the traceback; "" where there is none. */
static const char *module_path(const struct ring_fields *modules, uint64_t nr)
{
	const struct ring_field *module = modules->first;

	for (; module && nr; nr--)
		module = module->next;
	return module ? text_of(module->in, "path") : "";
}

/* Appends the native frames of a traceback: file and offset, or the address. */
static void dump_native_frames(const struct dump *d, const struct ring_fields *trace)
{
	unsigned nr = 0;

	ring_fields_each (frame, part(trace, "frames")) {
		const struct ring_field *module = find_field(frame->in, "module");

		str_printf(d->out, "  native %2u  ", nr++);
		if (module->form == RING_FORM_NONE) {
			say(d, frame->in, "{pc}");
		} else {
			escape_text(d->out, module_path(part(trace, "modules"), module->value),
				d->utf8);
			say(d, frame->in, "+{offset}");
		}
		say(d, frame->in, "[{guessed}  guessed]\n");
	}
}

/* Appends the Python frames of a traceback. */
static void dump_python_frames(const struct dump *d, const struct ring_fields *frames)
{
	unsigned nr = 0;

	ring_fields_each (frame, frames) {
		str_printf(d->out, "  python %2u  ", nr++);
		escape_text(d->out, text_of(frame->in, "file"), d->utf8);
		str_printf(d->out, ":%" PRIu64 " in ", amount(frame->in, "line"));
		escape_text(d->out, text_of(frame->in, "function"), d->utf8);
		str_add_char(d->out, '\n');
	}
}

/* Returns the end of a line that says if it was written to its end. */
static const char *dump_cut_short(const struct ring_fields *fields)
{
	return amount(fields, "complete") ? "\n" : ", cut short\n";
}

/* Appends a traceback: what libc and C++ said, then its frames. */
static void dump_traceback(const struct dump *d, const struct ring_fields *trace)
{
	const struct ring_fields *python = part(trace, "python_frames");

	str_printf(d->out, "traceback  %zu native frames (end: %s), %zu of Python (%s)%s",
		part(trace, "frames")->nr, text_of(trace, "end"), python->nr,
		text_of(trace, "python"), dump_cut_short(trace));
	say(d, trace, "[  libc says {message}\n]");
	say(d, trace, "[  nobody caught a C++ exception of type {exception}\n]");
	dump_python_frames(d, python);
	dump_native_frames(d, trace);
}

/* Appends one death. */
static void dump_death(const struct dump *d, const struct ring_fields *death)
{
	const struct ring_fields *trace = find_field(death, "traceback")->in;

	say(d, death,
		"death  {tsc@}  signal {signal}, code {code}, address {address}"
		"[, sent by pid {sender_pid} uid {sender_uid}], tid {tid} {thread}"
		"[{by_abort}, by abort()], {stack_bytes} bytes of stack at {sp}");
	str_add(d->out, dump_cut_short(death));
	if (trace)
		dump_traceback(d, trace);
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Appends one group, with its boards. */
static void dump_group(const struct dump *d, const struct ring_fields *group)
{
	say(d, group,
		"group {group}  key {key#}, rank {rank} of {size}[, {name}][, ranks {ranks}]"
		"[, split from {parent#}]");
	ring_fields_each (state, part(group, "state"))
		str_printf(d->out, ", %s", state->text);
	say(d, group, "\n    {op_index} collectives ({zero_counts} empty), {p2p_count} p2p");
	if (amount(group, "contended") || amount(group, "missed"))
		say(d, group, "; threads met {contended} times, {missed} ops missed");
	str_add_char(d->out, '\n');
	dump_board(d, "entered", find_field(group, "enqueue"));
	dump_board(d, "complete", find_field(group, "complete"));
}

/* Appends one span, open or over. */
static void dump_span(const struct dump *d, const struct ring_fields *span)
{
	if (amount(span, "open"))
		say(d, span, "span   OPEN, by tid {tid}  began ");
	else
		say(d, span, "span   ended {end_tsc@}  began ");
	dump_record(d, span);
}

/* Appends one mark. */
static void dump_mark(const struct dump *d, const struct ring_fields *mark)
{
	const struct ring_field *shape = find_field(mark, "shape");

	say(d, mark, "mark   {events} events, {rows} rows\n");
	dump_board(d, "latest", find_field(mark, "latest"));
	if (shape->form != RING_FORM_NONE)
		dump_board(d, "shape", shape);
}

/* Appends the pinned records of one class; nothing where none was ever offered. */
static void dump_pins(const struct dump *d, const struct ring_fields *pins)
{
	uint64_t offered = 0;

	ring_fields_each (tally, part(pins, "tally"))
		offered += tally->value;
	if (!offered)
		return;
	str_printf(d->out, "pinned %s, %" PRIu64 " records\n",
		find_field(pins, "class")->text ? text_of(pins, "class") : "(unknown)", offered);
	dump_records(d, part(pins, "records"));
}

/* Appends how many records were lost, and why. */
static void dump_tally(const struct dump *d, const struct ring_fields *tally)
{
	say_amount(d, tally, "overwritten", ", {overwritten} overwritten");
	say_amount(d, tally, "lapped", ", {lapped} lapped");
	say_amount(d, tally, "in_flight", ", {in_flight} in flight");
	say_amount(d, tally, "unbegun", ", {unbegun} never begun");
	say_amount(d, tally, "cut", ", {cut} cut off");
}

/* Appends one lane: whose it is, its board, its latest records. */
static void dump_lane(const struct dump *d, const struct ring_fields *lane)
{
	const struct ring_fields *board = find_field(lane, "board")->in;

	if (amount(lane, "overflow"))
		say(d, lane, "lane {lane}  shared by threads without one");
	else
		say(d, lane,
			amount(lane, "claimed") ? "lane {lane}  tid {tid} {name}"
						: "lane {lane}  tid {tid} {name} (ended)");
	say(d, part(lane, "tally"), ": {read} records of ");
	say(d, lane, "{head}");
	dump_tally(d, part(lane, "tally"));
	str_add_char(d->out, '\n');
	if (board || amount(lane, "board_unreadable"))
		str_add(d->out, "    now       ");
	if (board)
		dump_record(d, board);
	else if (amount(lane, "board_unreadable"))
		str_add(d->out, "unreadable\n");
	dump_records(d, part(lane, "records"));
}

/* Appends all strings, in quotes. */
static void dump_strings(const struct dump *d, const struct ring_fields *strings)
{
	const char *before = "strings  ";

	ring_fields_each (string, strings) {
		str_printf(d->out, "%s\"", before);
		escape_text(d->out, string->text, d->utf8);
		str_add_char(d->out, '"');
		before = ", ";
	}
	if (strings->first)
		str_add_char(d->out, '\n');
}

/* Appends the last lines that went to stderr, each escaped by itself. */
static void dump_stderr(const struct dump *d, const char *text)
{
	const size_t most = 2048;
	size_t size = strlen(text), length;
	struct str line = {0};

	if (size)
		str_add(d->out, "stderr\n");
	for (const char *at = size > most ? text + size - most : text; *at; at += length) {
		length = strcspn(at, "\n");
		str_cut(&line, 0);
		str_add_bytes(&line, at, length);
		if (length) {
			str_add(d->out, "  | ");
			escape_text(d->out, str_text(&line), d->utf8);
			str_add_char(d->out, '\n');
		}
		length += at[length] == '\n';
	}
	str_release(&line);
}

void ring_dump_text(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options)
{
	static const struct {
		const char *name, *unreadable;
		void (*dump)(const struct dump *, const struct ring_fields *);
	} tables[] = {
		{"fatal", "death  unreadable\n", dump_death},
		{"groups", "group {group}  being written\n", dump_group},
		{"spans", "span   being written\n", dump_span},
		{"marks", "mark   unreadable\n", dump_mark},
		{"pinned", "pinned unreadable\n", dump_pins},
		{"lanes", "lane {lane}  damaged\n", dump_lane},
	};
	const struct dump d = {into, view, options->utf8};
	struct arena arena = {0};
	const struct ring_fields *ring = ring_contents(&arena, view, options->path, false);

	str_add(into, "ring     ");
	dump_value(&d, find_field(ring, "file"));
	str_add(into, ": ");
	dump_identity(&d, part(ring, "header"));
	dump_format(&d, part(ring, "header"));
	dump_losses(&d, part(ring, "losses"));
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		ring_fields_each (entry, part(ring, tables[i].name)) {
			if (is_unreadable(entry->in))
				say(&d, entry->in, tables[i].unreadable);
			else
				tables[i].dump(&d, entry->in);
		}
	}
	dump_strings(&d, part(ring, "strings"));
	dump_stderr(&d, text_of(ring, "stderr"));
	arena_release(&arena);
}
