/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals out of events: one sweep over the events of a rank, with the phases that are open on a
 * stack.
 *
 * Of most ops only the begin is known. The records of a rank are dense enough to say that a call
 * lasted at most until the next thing that the rank did, and so it is drawn: from its entry to the
 * rank's next recorded event, whatever that is. What it waits in at the end has no such event; that
 * comes from track-now.c and covers everything since.
 */
#include <stdlib.h>

#include "job/spans.h"
#include "viewer/track-make.h"

struct sweep {
	struct track_maker *maker;
	struct track *track;
	int64_t at;    /* all before is drawn */
	int64_t first; /* where this track's spans begin; nothing before it */
	int64_t outside; /* when it last came back to its own code: no op lasted longer */
	bool recorded; /* what is between records is its own code */
	bool begun;    /* something was recorded of it: it is started */
	const struct track_event *once; /* a thing whose end nobody knows */
	ARRAY(const struct track_event *) open; /* spans, by begin; ended ones go when on top */
	const struct track_hole *hole;
};

/* -- drawing ----------------------------------------------------------------------------------- */

static void put(struct sweep *s, int64_t from, int64_t to, struct track_span span)
{
	struct tracks_made *made = s->maker->made;
	struct track_span *last = NULL;

	if (from < s->first)
		from = s->first;
	if (to > made->tracks.to)
		to = made->tracks.to;
	if (to <= from)
		return;
	if (made->spans + made->nspans > s->track->spans)
		last = &made->spans[made->nspans - 1];
	span.from = from;
	span.to = to;
	if (last && last->state == span.state && last->name == span.name &&
		last->group == span.group && last->to == from) {
		last->to = to;
		last->open = span.open;
		return;
	}
	made->spans[made->nspans++] = span;
}

static struct track_span plain(enum track_state state, const char *name, const char *cite)
{
	return (struct track_span){
		.state = state, .name = name, .group = JOB_NONE, .cite = cite};
}

/* When the top of the stack ended; an open one never. */
static int64_t end_of(const struct track_event *begin)
{
	const struct job_span *span = begin->fact;

	return span->open ? INT64_MAX : span->ended;
}

static const struct track_event *innermost(struct sweep *s)
{
	while (s->open.nr && end_of(s->open.items[s->open.nr - 1]) <= s->at)
		s->open.nr--;
	return s->open.nr ? s->open.items[s->open.nr - 1] : NULL;
}

/* Of a captured op, and of one that nobody followed, completion is not known. */
static enum track_state op_state(const struct job_op *op)
{
	if (op->completed == JOB_YES)
		return TRACK_COMPLETED;
	if (op->completed == JOB_NO && op->returned == JOB_YES)
		return TRACK_PENDING;
	return TRACK_COLLECTIVE;
}

/* What it does from s->at on, as far as is known then. */
static struct track_span current(struct sweep *s)
{
	const struct track_event *span = innermost(s);

	if (s->hole && s->hole->to <= s->at)
		s->hole = NULL;
	if (s->once && !(s->hole && s->once->when <= s->hole->from)) {
		struct track_span drawn = plain(TRACK_COLLECTIVE, s->once->name, s->once->cite);

		drawn.group = s->once->group;
		if (s->once->kind == TRACK_ENTER)
			drawn.state = op_state(s->once->fact);
		if (s->once->kind == TRACK_BEGIN)
			drawn.state = track_span_state(
				((const struct job_span *)s->once->fact)->kind);
		return drawn;
	}
	if (s->hole && !(span && span->when >= s->hole->from)) {
		bool lost = s->maker->job->ranks[s->track->rank].lost_records > 0;

		return plain(lost ? TRACK_LOST
				  : s->hole->completed ? TRACK_COMPLETED
						       : TRACK_COLLECTIVE,
			s->hole->name, s->hole->cite);
	}
	if (span)
		return plain(track_span_state(((const struct job_span *)span->fact)->kind),
			span->name, span->cite);
	if (!s->recorded)
		return plain(TRACK_NODATA,
			s->maker->job->ranks[s->track->rank].knows & JOB_KNOWS_DUMP
				? "not in a dump"
				: "no ring",
			"");
	return s->begun ? plain(TRACK_COMPUTE, "own code", "")
			: plain(TRACK_OTHER, "starting", "");
}

/* Draws up to `to`, before which nothing begins or ends. */
static void draw_to(struct sweep *s, int64_t to)
{
	if (to <= s->at)
		return;
	if (s->once && s->once->kind == TRACK_ENTER && s->once->when <= s->outside &&
		s->outside < to) {
		if (s->outside > s->at) {
			put(s, s->at, s->outside, current(s));
			s->at = s->outside;
		}
		s->once = NULL;
	}
	put(s, s->at, to, current(s));
	s->at = to;
}

/* -- the sweep --------------------------------------------------------------------------------- */

static void take(struct sweep *s, const struct track_event *event)
{
	struct track_maker *maker = s->maker;

	s->once = NULL;
	if (event->kind == TRACK_ENTER)
		s->once = event;
	if (event->kind == TRACK_BEGIN) {
		const struct job_span *span = event->fact;

		if (span->open ? spans_counts(maker->job, span) : span->ended != JOB_UNKNOWN)
			*array_add(&s->open) = event;
		else
			s->once = event;
	}
	s->begun |= event->kind <= TRACK_SHARD;
	while (maker->next_hole < maker->holes.nr) {
		const struct track_hole *hole = &maker->holes.items[maker->next_hole];

		if (hole->rank != s->track->rank || hole->from > event->when)
			break;
		if (!s->hole || hole->to > s->hole->to)
			s->hole = hole;
		maker->next_hole++;
	}
}

static void sweep_to(struct sweep *s, int64_t to)
{
	const struct track *track = s->track;

	for (size_t i = 0; i < track->nevents && track->events[i].when != JOB_UNKNOWN &&
			   track->events[i].when <= to;
		i++) {
		draw_to(s, track->events[i].when);
		take(s, &track->events[i]);
	}
}

static int64_t last_event(const struct track *track)
{
	size_t n = track->nevents;

	while (n && (track->events[n - 1].when == JOB_UNKNOWN ||
			    track->events[n - 1].kind == TRACK_DEATH))
		n--;
	return n ? track->events[n - 1].when : JOB_UNKNOWN;
}

/* It is in nothing: its last op lasted at most until it came back to its own code. */
static void draw_rest(struct sweep *s, const struct track_now *now, int64_t end)
{
	sweep_to(s, end);
	if (s->once && s->once->kind == TRACK_ENTER && !now->moving) {
		if (s->outside < end)
			draw_to(s, s->outside);
		s->once = NULL;
	}
	if (s->at < end) {
		struct track_span span = current(s);

		span.open = true;
		if (*now->name && (span.state <= TRACK_COMPUTE)) {
			span.name = now->name;
			span.cite = now->cite;
		}
		put(s, s->at, end, span);
		s->at = end;
	}
}

/* What it does now covers everything since. */
static void draw_now(struct sweep *s, const struct track_now *now, int64_t end)
{
	int64_t since = now->since;
	struct track_span span = plain(now->state, now->name, now->cite);

	if (since == JOB_UNKNOWN || since < 0)
		since = last_event(s->track);
	if (since == JOB_UNKNOWN || since < s->at)
		since = s->at;
	if (since > end)
		since = end;
	sweep_to(s, since);
	draw_to(s, since);
	span.group = now->group;
	span.open = true;
	if (now->hung != JOB_UNKNOWN && now->hung < end) {
		put(s, since, now->hung, span);
		since = now->hung > since ? now->hung : since;
		span.state = TRACK_HUNG;
	}
	put(s, since, end, span);
	s->at = end;
}

/* -- from birth to death ----------------------------------------------------------------------- */

static const struct job_process *process_of(const struct job *job, int rank)
{
	int process = job->ranks[rank].process;

	return process == JOB_NONE ? NULL : &job->processes[process];
}

/* When its life ends: of a death of unknown time, when it last was heard of. */
static int64_t death_of(const struct track *track, const struct job_process *process)
{
	int64_t last = last_event(track);

	for (size_t i = 0; i < track->nevents; i++)
		if (track->events[i].kind == TRACK_DEATH && track->events[i].when != JOB_UNKNOWN)
			return track->events[i].when;
	return last == JOB_UNKNOWN ? process->born : last;
}

static void draw_death(struct sweep *s, const struct job_process *process)
{
	struct tracks_made *made = s->maker->made;
	struct track_span span = plain(TRACK_DEAD, "gone", track_text(process->cite));

	for (size_t i = 0; i < s->track->nevents; i++)
		if (s->track->events[i].kind == TRACK_DEATH) {
			span.name = s->track->events[i].name;
			span.cite = s->track->events[i].cite;
		}
	if (s->maker->blame[s->track->rank] & BLAME_OOM)
		span.name = track_label(s->maker, span.name, "(OOM)");
	span.open = true;
	if (s->at < made->tracks.to) {
		put(s, s->at, made->tracks.to, span);
	} else {
		span.from = span.to = made->tracks.to;
		made->spans[made->nspans++] = span;
	}
	s->at = made->tracks.to;
}

static void finish(
	struct sweep *s, const struct job_process *process, const struct track_now *now)
{
	struct tracks_made *made = s->maker->made;
	struct track *track = s->track;
	const struct track_span *last;

	if (s->at < made->tracks.to)
		put(s, s->at, made->tracks.to, plain(TRACK_NODATA, "", ""));
	track->nspans = (size_t)(made->spans + made->nspans - track->spans);
	last = track_last(track);
	track->now = last->state;
	/* It may wait since before it was past its limit. */
	track->since = now->known && now->since != JOB_UNKNOWN ? now->since : last->from;
	track->doing = last->name;
	if (last->state == TRACK_DEAD)
		track->since = last->from;
	if (last->state == TRACK_DEAD && (!process || process->ended == JOB_UNKNOWN))
		track->since = JOB_UNKNOWN;
}

/* A rank of which no process and no record is known. */
static void draw_nothing(struct sweep *s)
{
	struct track_span span = plain(TRACK_NODATA, "not seen", "");

	span.open = true;
	put(s, s->at, s->maker->made->tracks.to, span);
	s->at = s->maker->made->tracks.to;
}

static int compare_holes(const void *va, const void *vb)
{
	const struct track_hole *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void sort_holes(struct track_maker *maker, int rank)
{
	size_t from = maker->next_hole, to;

	while (from < maker->holes.nr && maker->holes.items[from].rank < rank)
		from++;
	for (to = from; to < maker->holes.nr && maker->holes.items[to].rank == rank;)
		to++;
	maker->next_hole = from;
	if (to > from)
		array_sort_items(maker->holes.items + from, to - from,
			sizeof(struct track_hole), compare_holes);
}

/* When the rank is first known to be there. */
static int64_t start_of(const struct track *track, const struct job_process *process)
{
	int64_t born = process && process->born > 0 && process->born <= INT64_MAX / 2
			       ? process->born
			       : JOB_UNKNOWN;
	int64_t first = track->nevents ? track->events[0].when : JOB_UNKNOWN;

	if (born == JOB_UNKNOWN || (first != JOB_UNKNOWN && first < born))
		return first;
	return born;
}

void track_make_spans(struct track_maker *maker, int rank)
{
	struct tracks_made *made = maker->made;
	struct track *track = &made->at[rank];
	const struct job_process *process = process_of(maker->job, rank);
	bool dead = process && process->end > JOB_ALIVE;
	struct track_now now = track_find_now(maker, rank);
	int64_t start = start_of(track, process), end = dead ? death_of(track, process) : now.end;
	struct sweep sweep = {.maker = maker,
		.track = track,
		.at = made->tracks.from,
		.first = made->tracks.from,
		.outside = now.outside == JOB_UNKNOWN ? INT64_MAX : now.outside,
		.recorded = track_has_record(maker, rank)};

	track->spans = made->spans + made->nspans;
	sort_holes(maker, rank);
	if (end == JOB_UNKNOWN || end > made->tracks.to)
		end = made->tracks.to;
	if (end < made->tracks.from)
		end = made->tracks.from;
	if (start > sweep.at) {
		put(&sweep, sweep.at, start, plain(TRACK_NODATA, "", ""));
		sweep.at = start < made->tracks.to ? start : made->tracks.to;
	}
	if (!process && !sweep.recorded)
		draw_nothing(&sweep);
	else if (now.known)
		draw_now(&sweep, &now, end);
	else
		draw_rest(&sweep, &now, end);
	if (dead)
		draw_death(&sweep, process);
	finish(&sweep, process, &now);
	array_release(&sweep.open);
}
