/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the selected row's first rank did around the time cursor, a line an event. Below the event
 * that the cursor is at, every field of its fact; in the longer form below each.
 *
 * A rank may have millions of events, and thousands at one moment: each is an item of the pane, and
 * lines are made of those around the user's.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "job/names.h"
#include "job/spans.h"
#include "viewer/pane/pane-words.h"
#include "words/escape.h"
#include "words/rank-names.h"
#include "words/wording.h"

#define WIDE	     72	 /* columns from which the time of day stands on each line */
#define FIELD_COLUMN 13

/* The pane while it is filled, and whose events it shows. */
struct events_fill {
	struct pane_fill fill;
	const struct track *track;
};

/* -- fields of facts, "name value; name value" ------------------------------------------------- */

/* Begins the next field: its name. */
static void next_field(struct str *into, const char *name)
{
	if (into->len)
		str_add(into, "; ");
	str_printf(into, "%s ", name);
}

/* Adds a number. */
static void add_number(struct str *into, const char *name, uint64_t value)
{
	next_field(into, name);
	str_printf(into, "%" PRIu64, value);
}

/* Adds what is known to be so or not. */
static void add_known(struct str *into, const char *name, enum job_known known)
{
	next_field(into, name);
	str_add(into, known == JOB_YES ? "yes" : known == JOB_NO ? "no" : "not known");
}

/* Adds a text; nothing where it is empty. */
static void add_text(struct str *into, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	next_field(into, name);
	str_add(into, text);
}

/* Adds a duration; nothing where it is not known. */
static void add_duration(struct str *into, const char *name, int64_t ns)
{
	char text[CLOCK_TEXT_SIZE];

	if (ns == JOB_UNKNOWN)
		return;
	next_field(into, name);
	str_add(into, clock_format(ns, text));
}

/* Returns how long it was; JOB_UNKNOWN where one end is not known. */
static int64_t between(int64_t from, int64_t to)
{
	return from < 0 || to < from ? JOB_UNKNOWN : to - from;
}

/* Adds an op's arguments. */
static void add_args(struct str *into, const struct job_sig *sig)
{
	next_field(into, "args");
	str_add(into, job_op_name(sig->op));
	if (job_dtype_name(sig->dtype))
		str_printf(into, " %s", job_dtype_name(sig->dtype));
	if (sig->count != JOB_NO_COUNT)
		str_printf(into, " x%" PRIu64, sig->count);
	if (job_redop_name(sig->redop) && !job_op_is_p2p(sig->op))
		str_printf(into, " %s", job_redop_name(sig->redop));
	if (is_group_rank(sig->peer))
		str_printf(into, " %s %" PRIu32, job_op_is_p2p(sig->op) ? "peer seat" : "root seat",
			sig->peer.n);
}

static void add_group(struct str *into, const struct job_group *group)
{
	next_field(into, "group");
	str_printf(into, "%s, %" PRIu32 " ranks, %s, key %016" PRIx64, group->name, group->size,
		group->maker, group->key);
}

/* What was recorded beside it, where anything was. */
static void add_launch(struct str *into, const struct job_op *op)
{
	if (op->launch)
		add_number(into, "launch", op->launch);
	if (op->order)
		add_number(into, "order", op->order);
	if (op->zeros)
		add_number(into, "zero-count so far", op->zeros);
	if (op->hash) {
		next_field(into, "hash");
		str_printf(into, "%016" PRIx64, op->hash);
	}
}

/* Adds the fields of an op that was entered. */
static void add_op(const struct events_fill *e, struct str *into, const struct track_event *event)
{
	const struct job *job = e->fill.scene->job;
	const struct job_op *op = event->fact;

	if (event->group != JOB_NONE)
		add_group(into, &job->groups[event->group]);
	add_args(into, &op->sig);
	add_number(into, job_op_is_p2p(op->sig.op) ? "number" : "index", op->index);
	add_known(into, "returned", op->returned);
	add_known(into, "completed", op->completed);
	if (op->failed)
		next_field(into, "failed: the call returned an error");
	if (op->captured)
		next_field(into, "captured into a graph");
	next_field(into, "stream");
	str_printf(into, "%#" PRIx64, op->stream);
	add_launch(into, op);
	if (op->thread != JOB_NONE && (size_t)op->thread < job->nthreads) {
		next_field(into, "thread");
		str_printf(into, "%s (%" PRIu32 ")", job->threads[op->thread].name,
			job->threads[op->thread].tid);
	}
}

/* Adds the fields of a span. */
static void add_span(const struct events_fill *e, struct str *into, const struct job_span *span)
{
	const struct job *job = e->fill.scene->job;

	add_text(into, "span", span->name);
	add_text(into, "detail", span->detail);
	if (job_span_kind_name(span->kind))
		add_text(into, "kind", job_span_kind_name(span->kind));
	if (span->open)
		add_duration(into, "open", between(span->begun, e->fill.scene->tracks->to));
	else
		add_duration(into, "took", between(span->begun, span->ended));
	if (span->cpu_at_begin != JOB_UNKNOWN && span->cpu_at_end != JOB_UNKNOWN)
		add_duration(into, "CPU", between(span->cpu_at_begin, span->cpu_at_end));
	if (span->process != JOB_NONE && (size_t)span->process < job->nprocesses)
		add_number(into, "pid", job->processes[span->process].pid);
}

/* Adds the fields of a loader's shard. */
static void add_shard(struct str *into, const struct job_shard *shard)
{
	add_text(into, "loader", shard->loader);
	add_number(into, "batch", shard->index);
	add_number(into, "rows", shard->rows);
	add_number(into, "elements", shard->elements);
	if (shard->ndim)
		next_field(into, "shape");
	for (unsigned i = 0; i < shard->ndim && i < 8; i++)
		str_printf(into, i ? "x%" PRIu64 : "%" PRIu64, shard->dims[i]);
	add_number(into, "batches", shard->batches);
	if (shard->total_rows)
		add_number(into, "rows in all", shard->total_rows);
	if (shard->empty)
		next_field(into, "one batch was empty");
}

/* Adds the fields of a signal. */
static void add_signal(struct str *into, const struct job_signal *signal)
{
	next_field(into, "signal");
	wording_signal(into, signal->signo);
	str_printf(into, ", code %d", signal->code);
	if (signal->sender)
		add_number(into, "from pid", signal->sender);
	add_text(into, "thread", signal->thread);
	if (signal->tid)
		add_number(into, "tid", signal->tid);
	next_field(into, signal->fatal ? "fatal" : "not fatal");
	if (signal->from_self)
		next_field(into, "from itself");
	if (signal->abort_call)
		next_field(into, "abort() was called");
}

/* Adds the fields of a process that ended. */
static void add_death(struct str *into, const struct job_process *process)
{
	add_number(into, "pid", process->pid);
	if (process->end == JOB_EXITED)
		add_number(into, "exit status", (uint64_t)process->status);
	add_text(into, "comm", process->comm);
	add_duration(into, "lived", between(process->born, process->ended));
	if (process->rss_before != JOB_UNKNOWN && process->rss != JOB_UNKNOWN) {
		next_field(into, "RSS");
		wording_bytes(into, process->rss_before);
		str_add(into, " -> ");
		wording_bytes(into, process->rss);
	}
}

/* A gap in time, or (of no known time) so many records that are lost. */
static void add_gap(struct str *into, const struct track_event *event)
{
	const struct job_loss *loss = event->fact;
	bool in_time = event->when != JOB_UNKNOWN;

	if (!in_time && loss->count != JOB_UNKNOWN)
		add_number(into, "count", (uint64_t)loss->count);
	if (in_time || loss->of_ops)
		next_field(into, "operations may be among them");
}

static void add_step(struct str *into, const struct track_event *event)
{
	const struct job_step *step = event->fact;

	if (event->index)
		add_number(into, "step", event->index);
	add_number(into, "marks in all", step->events);
}

/* Adds the fields of an event's fact, by its kind. */
static void add_fields(
	const struct events_fill *e, struct str *into, const struct track_event *event)
{
	switch (event->kind) {
	case TRACK_ENTER:
		add_op(e, into, event);
		break;
	case TRACK_BEGIN:
	case TRACK_END:
		add_span(e, into, event->fact);
		break;
	case TRACK_STEP:
		add_step(into, event);
		break;
	case TRACK_SHARD:
		add_shard(into, event->fact);
		break;
	case TRACK_SIGNAL:
		add_signal(into, event->fact);
		break;
	case TRACK_FORK:
	case TRACK_DEATH:
		add_death(into, event->fact);
		break;
	case TRACK_GAP:
		add_gap(into, event);
		break;
	default: /* a note is its text */
		break;
	}
}

/* -- how long it lasted ------------------------------------------------------------------------ */

/*
 * Returns the call in which the op was entered, where calls are told; they stand by entry. Else
 * NULL.
 */
static const struct job_call *call_of(const struct events_fill *e, const struct track_event *event)
{
	const struct job *job = e->fill.scene->job;
	struct spans_range range = calls_of(job, e->track->rank);
	size_t at = bisect(range.from, range.to, i, job->calls[i].entered < event->when);

	for (; at < range.to && job->calls[at].entered == event->when; at++)
		if (job->calls[at].kind == JOB_CALL_INSIDE &&
			job->calls[at].group == event->group &&
			job->calls[at].index == event->index)
			return &job->calls[at];
	return NULL;
}

/*
 * Finds when ended what begins with the event; false: nothing does, or it is not known until when.
 * *ret_end JOB_UNKNOWN: it goes on.
 */
static bool lasts(const struct events_fill *e, const struct track_event *event, int64_t *ret_end)
{
	const struct job_span *span = event->fact;
	const struct job_call *call;

	*ret_end = JOB_UNKNOWN;
	if (event->when == JOB_UNKNOWN)
		return false;
	if (event->kind == TRACK_BEGIN) {
		*ret_end = span->open ? JOB_UNKNOWN : span->ended;
		return span->open || span->ended != JOB_UNKNOWN;
	}
	call = event->kind == TRACK_ENTER ? call_of(e, event) : NULL;
	if (call)
		*ret_end = call->returned;
	return call != NULL;
}

#define BRIEF (CLOCK_NS_PER_MS / 10) /* what is shorter is told in microseconds */

/* Appends "3.2 s"; of what goes on at the end "3.2 s, open". */
static void add_lasts(
	const struct events_fill *e, struct str *into, const struct track_event *event)
{
	const struct track_span *last = track_last(e->track);
	char text[CLOCK_TEXT_SIZE];
	int64_t end, now;

	if (!lasts(e, event, &end))
		return;
	/* Who died was in it until then. */
	now = e->track->now == TRACK_DEAD ? e->track->since : last ? last->to : JOB_UNKNOWN;
	if (end != JOB_UNKNOWN && end >= event->when && end - event->when < BRIEF)
		str_printf(into, ", %d us", (int)((end - event->when) / CLOCK_NS_PER_US));
	else if (end != JOB_UNKNOWN && end >= event->when)
		str_printf(into, ", %s", clock_format(end - event->when, text));
	else if (end == JOB_UNKNOWN && now != JOB_UNKNOWN && now > event->when)
		str_printf(into, ", open %s", clock_format(now - event->when, text));
}

/* -- lines ------------------------------------------------------------------------------------- */

/* Returns 1 + the event's number, as lines have their item. */
static size_t item_of(const struct events_fill *e, const struct track_event *event)
{
	return (size_t)(event - e->track->events) + 1;
}

/* Adds a line with every field. */
static void add_detail(const struct events_fill *e, const struct track_event *event)
{
	struct pane_words line = {.column = FIELD_COLUMN, .cite = "", .item = item_of(e, event)};
	int64_t end;

	line.goal = (struct pane_goal){e->track->rank, event->when};
	str_add(&line.words, "at ");
	pane_add_date(&line.words, event->when);
	str_add(&line.words, " UTC");
	if (lasts(e, event, &end) && end != JOB_UNKNOWN) {
		str_add(&line.words, ", until ");
		pane_add_clock(&line.words, end);
	}
	add_fields(e, &line.words, event);
	pane_words_add(&e->fill, &line);
}

/* Returns the looks of an event's line. */
static enum style style_of(const struct track_event *event)
{
	switch (event->kind) {
	case TRACK_DEATH:
	case TRACK_EXCEPTION:
		return STYLE_ALARM;
	case TRACK_GAP:
	case TRACK_SIGNAL:
		return STYLE_WARN;
	default:
		return STYLE_FAINT;
	}
}

/* Adds a line: " +0:44.120 03:11:52.250 entered    AllReduce #1 world". */
static void add_event(const struct events_fill *e, const struct track_event *event, bool here)
{
	const struct job *job = e->fill.scene->job;
	struct pane_words line = {.cite = event->cite,
		.most = 2,
		.style = style_of(event),
		.item = item_of(e, event)};
	size_t key;

	line.goal = (struct pane_goal){e->track->rank, event->when};
	str_add_char(&line.key, here ? '>' : ' ');
	pane_add_since(&line.key, e->fill.scene, event->when);
	while (line.key.len < 11)
		str_add_char(&line.key, ' ');
	if (e->fill.place->width >= WIDE) {
		str_add_char(&line.key, ' ');
		pane_add_clock(&line.key, event->when);
	}
	key = line.key.len;
	str_printf(&line.key, " %s", track_kind_name(event->kind));
	while (line.key.len < key + 10)
		str_add_char(&line.key, ' ');
	line.column = line.key.len + 1;
	str_add(&line.words, event->name);
	if (event->group != JOB_NONE)
		str_printf(&line.words, " %s", job->groups[event->group].name);
	add_lasts(e, &line.words, event);
	if (here)
		line.style = STYLE_STRONG;
	if (here)
		e->fill.into->here = (ptrdiff_t)e->fill.into->all.nr;
	pane_words_add(&e->fill, &line);
	if (here || e->fill.place->all)
		add_detail(e, event);
}

/* Adds whose events they are, how many, and what the rank does now. */
static void add_head(const struct events_fill *e, struct verdict_ranks row)
{
	const struct job *job = e->fill.scene->job;
	struct pane_words line = {.cite = "", .column = 1, .goal = PANE_NOWHERE};
	const struct job_rank *rank = job_rank(job, e->track->rank);
	int process = rank->process;

	ranks_name(&line.words, job, (struct verdict_ranks){&e->track->rank, 1});
	if (row.n > 1) {
		str_add(&line.words, " of ");
		ranks_fit(&line.words, job, row, 24);
	}
	str_printf(&line.words, ": %zu event%s", e->track->nevents,
		e->track->nevents == 1 ? "" : "s");
	str_printf(&line.words, "; now %s", track_state_name(e->track->now));
	if (*e->track->doing)
		str_printf(&line.words, ", %s", e->track->doing);
	if (rank->host >= 0 && (size_t)rank->host < job->nhosts)
		str_printf(&line.words, "; %s", job->hosts[rank->host].name);
	if (process != JOB_NONE)
		str_printf(&line.words, " pid %" PRIu32, job->processes[process].pid);
	if (rank->lost_records > 0)
		str_printf(&line.words, "; %" PRId64 " records lost", rank->lost_records);
	line.goal.rank = e->track->rank;
	pane_words_add(&e->fill, &line);
}

/*
 * Returns the event that the time cursor is at: of several at that moment the one that the user was
 * at; -1 none.
 */
static ptrdiff_t find_here(const struct events_fill *e)
{
	ptrdiff_t here = track_event_before(e->track, e->fill.place->when);
	size_t item = e->fill.place->item;

	if (here < 0 || item >= e->track->nevents ||
		e->track->events[item].when != e->track->events[here].when)
		return here;
	return (ptrdiff_t)item;
}

/* Adds the events around the user's. */
static void add_events(const struct events_fill *e)
{
	ptrdiff_t here = find_here(e);
	struct pane_lines *into = e->fill.into;

	pane_window(into, e->fill.place, e->track->nevents, here < 0 ? 0 : (size_t)here);
	for (size_t i = into->from; i < into->to; i++)
		add_event(e, &e->track->events[i], (ptrdiff_t)i == here);
}

void pane_fill_events(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct events_fill e = {.fill = {scene, place, into}};
	struct verdict_ranks row = pane_row_ranks(&e.fill);

	into->here = -1;
	if (!is_rank(place->rank) || (size_t)place->rank.i >= scene->tracks->n) {
		pane_add(into, STYLE_PLAIN, " no rank is selected");
		return;
	}
	e.track = &scene->tracks->at[place->rank.i];
	add_head(&e, row);
	add_events(&e);
}

/* -- finding ----------------------------------------------------------------------------------- */

/* What is looked for, and in what. */
struct sought {
	const struct job *job;
	const struct track *track;
	const char *text;
	struct str line;
};

/* True if the text is in that event. */
static bool is_sought(void *context, size_t item)
{
	struct sought *sought = context;
	const struct track_event *event = &sought->track->events[item];

	str_cut(&sought->line, 0);
	str_printf(&sought->line, "%s %s", track_kind_name(event->kind), event->name);
	if (event->group != JOB_NONE)
		str_printf(&sought->line, " %s", sought->job->groups[event->group].name);
	return strcasestr(str_text(&sought->line), sought->text) ||
	       strcasestr(event->cite, sought->text);
}

size_t pane_find_events(const struct scene *scene, const struct pane_place *place,
	const char *text, size_t from, bool back)
{
	struct sought sought = {.job = scene->job, .text = text};
	size_t found;

	if (!is_rank(place->rank) || (size_t)place->rank.i >= scene->tracks->n)
		return PANE_NO_ITEM;
	sought.track = &scene->tracks->at[place->rank.i];
	found = pane_find_item(sought.track->nevents, from, back, is_sought, &sought);
	str_release(&sought.line);
	return found;
}
