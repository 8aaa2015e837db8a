/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes spans, steps, shards and notes.
 *
 * A span is known from three places: the table of spans, which never drops an open one; pinned
 * begin records, which outlive the table; end records in lanes. The table speaks first, and a
 * pinned begin is a span of its own only if the table has forgotten it and its end is known.
 */
#include <string.h>

#include "base/redact.h"
#include "decode/exhibits/joblog-spawn.h"
#include "decode/ring/ring-source.h"

#define NOTE_EXCEPTION "exception: "

/* --- Spans ----------------------------------------------------------------------------------- */

/* Returns the newest record about the span with that serial number; NULL none. */
static const struct ring_slot *span_find(const struct ring_notes *notes, uint64_t serial)
{
	for (size_t i = notes->all.nr; i-- > 0;)
		if (notes->all.items[i].slot.index == serial)
			return &notes->all.items[i].slot;
	return NULL;
}

/* Returns a CPU time; JOB_UNKNOWN for 0, which a probe writes that could not ask. */
static int64_t cpu_known(uint64_t ns)
{
	return ns && ns < INT64_MAX ? (int64_t)ns : JOB_UNKNOWN;
}

/* Adds a span by its begin record; `ended` is the TSC of its end, 0 if it is open. */
static void spans_give(struct ring_source *source, const struct ring_slot *begin, uint64_t ended)
{
	const struct ring_slot *end = span_find(&source->span_ends, begin->index);
	struct job_span span = {
		.kind = (enum job_span_kind)ring_meta_arg(begin->meta),
		.name = ring_source_text(source, (uint32_t)begin->aux),
		.detail = ring_source_text(source, (uint32_t)(begin->aux >> 32)),
		.begun = ring_source_time(source, begin->tsc),
		.ended = JOB_UNKNOWN,
		.cpu_at_begin = cpu_known(begin->more),
		.cpu_at_end = JOB_UNKNOWN,
		.cite = ring_source_cite(source, "span%llu", (unsigned long long)begin->index),
	};

	if (begin->tsc > source->t0 || span.kind <= JOB_SPAN_NONE || span.kind >= JOB_SPAN_KINDS)
		return;
	if (!ended && end)
		ended = end->tsc;
	span.open = !ended || ended > source->t0;
	if (!span.open) {
		span.ended = ring_source_time(source, ended);
		span.cpu_at_end = end ? cpu_known(end->more) : JOB_UNKNOWN;
	}
	job_add_span(source->builder, source->who, &span);
}

static bool spans_have(const struct ring_notes *notes, uint64_t serial)
{
	return span_find(notes, serial) != NULL;
}

static void decode_spans(struct ring_source *source)
{
	uint64_t spans = ring_view_count(&source->view, RING_S_SPANS);
	const struct ring_note_seen *begin;
	struct ring_notes table = {0};
	uint64_t torn = 0;

	for (uint64_t i = 0; i < spans; i++) {
		struct ring_slot slot;
		int state = ring_view_span(&source->view, i, &slot);

		torn += state < 0;
		if (state != 1)
			continue;
		*array_add(&table.all) = (struct ring_note_seen){slot, 0, 0};
		spans_give(source, &slot,
			ring_meta_flags(slot.meta) & RING_F_CLOSED ? slot.count : 0);
	}
	/* Pinned spans that have left the table have ended: it never drops an open one. */
	array_for_each(&source->span_begins.all, begin)
		if (!spans_have(&table, begin->slot.index) &&
			spans_have(&source->span_ends, begin->slot.index))
			spans_give(source, &begin->slot, 0);
	array_release(&table.all);
	ring_source_lose(source, "spans that were just being written", torn, false);
}

/* --- Steps and shards ------------------------------------------------------------------------ */

static int times_compare(const void *va, const void *vb)
{
	int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

	return (a > b) - (a < b);
}

/* Finds median and tenths of the single steps on record. */
static void marks_time_steps(struct ring_source *source, struct job_step *step)
{
	size_t n = source->step_times.nr;

	if (!n)
		return;
	array_sort(&source->step_times, times_compare);
	step->timed = n;
	step->usual = source->step_times.items[n / 2];
	step->low = source->step_times.items[n / 10];
	step->high = source->step_times.items[n - 1 - n / 10];
}

/* Adds the latest step, and how many were marked. */
static void marks_step(struct ring_source *source, const struct ring_mark *mark,
	const struct ring_slot *latest)
{
	struct job_step step = {
		.n = latest->index,
		.events = mark->events,
		.first = ring_source_time(source, mark->first_tsc),
		.when = ring_source_time(source, latest->tsc),
		.cite = ring_source_cite(source, "step"),
	};

	marks_time_steps(source, &step);
	job_add_step(source->builder, source->who, &step);
}

/* Finds the dimensions of the latest shard: three in the mark, more in the lanes. */
static void marks_shape(const struct ring_source *source, const struct ring_mark *mark,
	struct job_shard *shard)
{
	const struct ring_note_seen *note;
	struct ring_slot shape;

	if (ring_board_read(mark->shape, &shape) <= 0 || shape.index != shard->index)
		return;
	shard->ndim = shape.more < 8 ? (unsigned)shape.more : 8;
	shard->dims[0] = shape.count;
	shard->dims[1] = shape.sig;
	shard->dims[2] = shape.aux;
	array_for_each(&source->dims.all, note) {
		const struct ring_slot *more = &note->slot;

		if (ring_meta_arg(more->meta) != ring_meta_arg(shape.meta) ||
			more->index != shape.index || more->more >= 6)
			continue;
		shard->dims[more->more] = more->count;
		shard->dims[more->more + 1] = more->sig;
		if (more->more + 2 < 8)
			shard->dims[more->more + 2] = more->aux;
	}
}

static bool shard_is_empty(const struct ring_slot *slot)
{
	return !slot->count || !slot->sig;
}

/* Returns the latest empty batch of that loader, each of which is pinned; NULL: none was. */
static const struct ring_slot *shard_emptied(const struct ring_source *source, const char *loader)
{
	const struct ring_slot *latest = NULL;
	const struct ring_note_seen *note;

	array_for_each(&source->empties.all, note)
		if (note->slot.tsc <= source->t0 && shard_is_empty(&note->slot) &&
			(!latest || note->slot.tsc >= latest->tsc) &&
			!strcmp(ring_source_text(source, ring_meta_arg(note->slot.meta)), loader))
			latest = &note->slot;
	return latest;
}

/* Finds the waits for a loader, whose spans have its name. */
static void marks_waits(
	const struct ring_source *source, uint32_t loader, struct job_shard *shard)
{
	const struct ring_wait_seen *wait;

	array_for_each(&source->waits, wait)
		if (wait->name == loader) {
			shard->waits = wait->n;
			shard->waited = wait->ns;
		}
}

/* Adds a loader's latest batch, and whether any was empty. */
static void marks_shard(struct ring_source *source, const struct ring_mark *mark,
	const struct ring_slot *latest, unsigned number)
{
	struct job_shard shard = {
		.loader = ring_source_text(source, (uint32_t)(mark->claim >> 32)),
		.index = latest->index,
		.rows = latest->count,
		.elements = latest->sig,
		.batches = mark->events,
		.total_rows = mark->total,
		.empty = shard_is_empty(latest),
		.emptied = latest->index,
		.when = ring_source_time(source, latest->tsc),
		.cite = ring_source_cite(source, "shard%u", number),
	};
	const struct ring_slot *emptied = shard_emptied(source, shard.loader);

	if (!shard.empty && emptied) {
		shard.empty = true;
		shard.emptied = emptied->index;
	}
	marks_shape(source, mark, &shard);
	marks_waits(source, (uint32_t)(mark->claim >> 32), &shard);
	job_add_shard(source->builder, source->who, &shard);
}

void ring_decode_marks(struct ring_source *source)
{
	uint64_t marks = ring_view_count(&source->view, RING_S_MARKS);
	unsigned shards = 0;

	decode_spans(source);
	for (uint64_t i = 0; i < marks; i++) {
		struct ring_slot latest;
		struct ring_mark mark;

		if (ring_view_mark(&source->view, i, &mark) != 1 ||
			ring_board_read(mark.latest, &latest) <= 0)
			continue;
		if ((mark.claim & UINT32_MAX) == RING_MARK_STEP)
			marks_step(source, &mark, &latest);
		else if ((mark.claim & UINT32_MAX) == RING_MARK_SHARD)
			marks_shard(source, &mark, &latest, shards++);
	}
}

/* --- Pinned records -------------------------------------------------------------------------- */

/* Adds what a launcher's last exception says of a process that it spawned. */
static void tell_spawn(struct ring_source *source, const char *text, const char *cite)
{
	static const struct job_who nobody = {"", 0, 0};
	struct joblog_spawn spawn = {0};

	for (const char *line = text; line; line = strchr(line, '\n')) {
		struct str one = {0};

		line += *line == '\n';
		str_add_bytes(&one, line, strcspn(line, "\n"));
		joblog_spawn_take(&spawn, str_text(&one), 0);
		str_release(&one);
	}
	if (spawn.known) {
		struct job_saying saying =
			joblog_spawn_saying(&spawn, &source->context->arena, cite);

		job_add_saying(source->builder, nobody, &saying);
	}
	joblog_spawn_forget(&spawn);
}

static void pins_note(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	const char *told = ring_source_text(source, ring_meta_arg(slot->meta));
	char *text = arena_copy(&source->context->arena, told, strlen(told) + 1);
	const struct job_note note = {
		.text = text,
		.exception = !strncmp(text, NOTE_EXCEPTION, strlen(NOTE_EXCEPTION)),
		.when = ring_source_time(source, slot->tsc),
		.cite = ring_source_cite(source, "note%llu", (unsigned long long)n),
	};

	/* A ring from an older bundle may have secrets in it. */
	redact_text(text, strlen(text));
	if (*text)
		job_add_note(source->builder, source->who, &note);
	if (note.exception)
		tell_spawn(source, text, note.cite);
}

static void pins_trait(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	const struct job_trait trait = {
		.key = ring_source_text(source, ring_meta_arg(slot->meta)),
		.text = ring_source_text(source, (uint32_t)slot->aux),
		.number = slot->index <= INT64_MAX ? (int64_t)slot->index : JOB_UNKNOWN,
		.when = ring_source_time(source, slot->tsc),
		.cite = ring_source_cite(source, "trait%llu", (unsigned long long)n),
	};

	if (*trait.key)
		job_add_trait(source->builder, source->who, &trait);
}

static void pins_signal(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	int code = (int)(int64_t)slot->index;
	const struct job_signal signal = {
		.signo = (int)ring_meta_arg(slot->meta),
		.code = code,
		.sender = code <= 0 ? (uint32_t)slot->count : 0,
		.sender_role = JOB_NONE,
		.from_self = code <= 0 && slot->count == source->who.pid,
		.thread = "",
		.when = ring_source_time(source, slot->tsc),
		.cite = ring_source_cite(source, "signal%llu", (unsigned long long)n),
	};

	job_add_signal(source->builder, source->who, &signal);
}

/* Takes that the process was about to run another program, or that this came to nothing. */
static void pins_exec(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	struct decode_exec *exec = &source->process->exec;
	const struct ring_header *header = &source->view.header;
	int64_t when = ring_source_time(source, slot->tsc);

	if (exec->program && (header->generation < exec->generation ||
				     (header->generation == exec->generation && when < exec->at)))
		return;
	*exec = (struct decode_exec){
		.program = arena_text(&source->context->arena, header->comm),
		.generation = header->generation,
		.failed = slot->index != 0,
		.at = when,
		.cite = ring_source_cite(source, "proc%llu", (unsigned long long)n)};
}

/* Takes what the process said of its own end. */
static void pins_milestone(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	uint32_t what = ring_meta_arg(slot->meta);
	struct decode_end end = {
		.when = ring_source_time(source, slot->tsc),
		.cite = ring_source_cite(source, "proc%llu", (unsigned long long)n),
	};

	if (what == RING_PROC_EXIT || what == RING_PROC__EXIT) {
		end.witness = WITNESS_GOODBYE;
		end.end = JOB_EXITED;
		end.status = (int)(slot->index & 0xff);
		context_end(source->process, &end);
	} else if (what == RING_PROC_ABORT) {
		end.witness = WITNESS_ABORT;
		end.end = JOB_SIGNALED;
		end.status = 6; /* SIGABRT */
		context_end(source->process, &end);
	} else if (what == RING_PROC_EXEC) {
		pins_exec(source, slot, n);
	}
}

static void pins_take(struct ring_source *source, const struct ring_slot *slot, uint64_t n)
{
	const struct ring_note_seen seen = {*slot, n, 0};

	switch (ring_meta_type(slot->meta)) {
	case RING_NOTE:
		pins_note(source, slot, n);
		break;
	case RING_TRAIT:
		pins_trait(source, slot, n);
		break;
	case RING_SIGNAL:
		pins_signal(source, slot, n);
		break;
	case RING_PROC:
		pins_milestone(source, slot, n);
		break;
	case RING_SPAN_BEGIN:
		*array_add(&source->span_begins.all) = seen;
		break;
	case RING_SPAN_END:
		*array_add(&source->span_ends.all) = seen;
		break;
	case RING_SHARD:
		*array_add(&source->empties.all) = seen;
		break;
	}
}

void ring_decode_pins(struct ring_source *source)
{
	uint64_t classes = ring_view_count(&source->view, RING_S_PINNED);

	for (uint64_t i = 0; i < classes; i++) {
		struct ring_slot slot;
		struct ring_pins pins;

		if (ring_view_pins(&source->view, i, &pins) < 0)
			continue;
		while (ring_pins_next(&pins, &slot))
			pins_take(source, &slot, ring_ticket(&slot));
		source->lost += (int64_t)(pins.tally.cut & INT32_MAX);
	}
}
