/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals side by side out of those that lie inside of each other. Each has its begin and its end
 * from a record: phases, calls from entry to return, waits for the device likewise, holes where
 * records are gone, and what the rank does when its evidence ends. At each moment the one that
 * began last is drawn; where none is, the rank was in its own code, if a record could have said
 * otherwise, and else nothing is known.
 */
#include <stdlib.h>
#include <string.h>

#include "job/calls.h"
#include "job/spans.h"
#include "viewer/timeline/track-make.h"

/* The making of one track. */
struct sweep {
	struct track_maker *maker;
	struct track *track;
	int64_t at;	/* all before is drawn */
	int64_t first;	/* where this track's spans begin; nothing before it */
	int64_t end;	/* of its evidence, or life */
	int64_t begun;	/* the first thing that was recorded of it; JOB_UNKNOWN */
	int64_t newest; /* when the last thing was that was recorded; JOB_UNKNOWN */
	bool recorded;	/* what is between records is its own code */
	const struct track_now *now;
};

/* -- drawing ----------------------------------------------------------------------------------- */

/* Returns the last span that was put; NULL: none is. */
static struct track_span *last_put(const struct sweep *s)
{
	struct track_store *store = s->maker->store;

	return store->nspans ? &store->spans[store->nspans - 1] : NULL;
}

/* Puts a span behind all others; it goes on with the last if that is the same. */
static void put(struct sweep *s, int64_t from, int64_t to, struct track_span span)
{
	struct track_store *store = s->maker->store;
	struct track_span *last = last_put(s);

	if (from < s->first)
		from = s->first;
	if (to > s->maker->made->tracks.to)
		to = s->maker->made->tracks.to;
	if (to <= from)
		return;
	span.from = from;
	span.to = to;
	if (last && last->state == span.state && last->name == span.name &&
		last->group == span.group && last->to == from) {
		last->to = to;
		last->open = span.open;
		return;
	}
	store->spans[store->nspans++] = span;
}

/* Puts what is known of one moment only. */
static void put_point(struct sweep *s, struct track_span span)
{
	struct track_store *store = s->maker->store;

	span.from = span.to = s->at;
	store->spans[store->nspans++] = span;
}

/* Returns a span of no group. */
static struct track_span plain(enum track_state state, const char *name, const char *cite)
{
	return (struct track_span){
		.state = state, .name = name, .group = JOB_NONE, .cite = cite};
}

/* Returns what it does where no interval is. */
static struct track_span background(const struct sweep *s)
{
	bool dump = job_rank(s->maker->job, s->track->rank)->knows & JOB_KNOWS_DUMP;

	if (!s->recorded)
		return plain(TRACK_NODATA, dump ? "not in a dump" : "no ring", "");
	return s->begun != JOB_UNKNOWN && s->begun <= s->at
		       ? plain(TRACK_COMPUTE, "own code", "")
		       : plain(TRACK_OTHER, "starting", "");
}

/* Puts that, up to a time. */
static void draw_background(struct sweep *s, int64_t to)
{
	if (s->begun != JOB_UNKNOWN && s->at < s->begun && s->begun < to) {
		put(s, s->at, s->begun, background(s));
		s->at = s->begun;
	}
	put(s, s->at, to, background(s));
	s->at = to;
}

/* -- what lies inside of what ------------------------------------------------------------------ */

/*
 * Returns the one that began last of those that are open; NULL none. Ended ones go when they are on
 * top.
 */
static const struct track_span *innermost(struct track_maker *maker, int64_t at)
{
	while (maker->open.nr) {
		const struct track_span *top =
			&maker->pieces.items[maker->open.items[maker->open.nr - 1]];

		if (top->to > at)
			return top;
		maker->open.nr--;
	}
	return NULL;
}

/* Draws up to `to`, before which nothing begins. */
static void draw_to(struct sweep *s, int64_t to)
{
	while (s->at < to) {
		const struct track_span *top = innermost(s->maker, s->at);
		int64_t stop = top && top->to < to ? top->to : to;

		if (top) {
			struct track_span span = *top;

			span.open = top->open && stop == top->to;
			put(s, s->at, stop, span);
			s->at = stop;
		} else {
			draw_background(s, stop);
		}
	}
}

/* Orders by begin; of one moment the longer first, since the shorter lies in it. */
static int compare_pieces(const void *va, const void *vb)
{
	const struct track_span *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to > b->to ? -1 : 1;
	return (int)a->state - (int)b->state;
}

/* True for a hole of no length, which stays one, and for what is known of the very end only. */
static bool is_point(const struct sweep *s, const struct track_span *piece)
{
	return piece->from == piece->to &&
	       (piece->state == TRACK_LOST || (piece->open && piece->to == s->end));
}

/* Draws all pieces side by side. */
static void sweep_pieces(struct sweep *s)
{
	struct track_maker *maker = s->maker;
	struct track_span *pieces = maker->pieces.items;
	size_t n = maker->pieces.nr;

	array_sort_items(pieces, n, sizeof(*pieces), compare_pieces);
	maker->open.nr = 0;
	for (size_t i = 0; i < n; i++) {
		draw_to(s, pieces[i].from);
		if (is_point(s, &pieces[i]) && pieces[i].from >= s->first)
			put_point(s, pieces[i]);
		else
			*array_add(&maker->open) = i;
	}
	draw_to(s, s->end);
}

/* -- what there is ----------------------------------------------------------------------------- */

/*
 * Adds a piece, cut at the end of what is known of the rank; what begins behind it is not there:
 * NULL.
 */
static struct track_span *add(struct sweep *s, int64_t from, int64_t to, struct track_span piece)
{
	struct track_span *added;

	if (from > s->end || to < from)
		return NULL;
	added = array_add(&s->maker->pieces);
	*added = piece;
	added->from = from;
	added->to = to > s->end ? s->end : to;
	return added;
}

/* Notes when something was recorded of the rank. */
static void note_record(struct sweep *s, int64_t when)
{
	if (when == JOB_UNKNOWN || when > s->end)
		return;
	if (s->begun == JOB_UNKNOWN || when < s->begun)
		s->begun = when;
	if (s->newest == JOB_UNKNOWN || when > s->newest)
		s->newest = when;
}

/* True if a span is the rank's: a loader's wait is not, a compile in a child is. */
static bool is_of_rank(const struct job *job, const struct job_span *span)
{
	return span->process == JOB_NONE || span->kind == JOB_SPAN_COMPILE ||
	       span->process == job_rank(job, span->rank)->process;
}

/* Adds a span that counts. */
static void add_phase(struct sweep *s, const struct track_event *begin)
{
	const struct job_span *span = begin->fact;
	struct track_span piece = plain(track_span_state(span->kind), begin->name, begin->cite);

	if (span->open && spans_counts(s->maker->job, span)) {
		piece.open = true;
		add(s, begin->when, INT64_MAX, piece);
	} else if (!span->open && span->ended != JOB_UNKNOWN && is_of_rank(s->maker->job, span)) {
		add(s, begin->when, span->ended, piece);
	}
}

/* Adds all spans that count. */
static void add_phases(struct sweep *s)
{
	for (size_t i = 0; i < s->track->nevents; i++) {
		const struct track_event *event = &s->track->events[i];

		if (event->when == JOB_UNKNOWN)
			break;
		if (event->kind == TRACK_BEGIN)
			add_phase(s, event);
		if (event->kind <= TRACK_SHARD)
			note_record(s, event->when);
	}
}

/* Returns how a call is drawn. */
static enum track_state call_state(const struct job_call *call)
{
	if (call->kind == JOB_CALL_HOLE)
		return TRACK_LOST;
	if (call->returned == JOB_UNKNOWN)
		return TRACK_WAITING;
	return call->kind == JOB_CALL_WAIT && !call_is_on_host(call->name) ? TRACK_DEVICE
									   : TRACK_COLLECTIVE;
}

/* Adds the rank's calls, and the holes among them. */
static void add_calls(struct sweep *s)
{
	const struct job *job = s->maker->job;
	struct spans_range range = calls_of(job, s->track->rank);

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_call *call = &job->calls[i];
		struct track_span piece;

		if (call->kind == JOB_CALL_ENTERED || call->kind == JOB_CALL_STEP)
			continue;
		piece = plain(call_state(call), track_label_call(s->maker, call),
			track_text(call->cite));
		piece.group = call->group;
		piece.open = call->returned == JOB_UNKNOWN;
		add(s, call->entered, piece.open ? INT64_MAX : call->returned, piece);
		if (call->kind != JOB_CALL_HOLE)
			note_record(s, call->entered);
		if (!piece.open)
			note_record(s, call->returned);
	}
}

/* Adds the holes between its ops. */
static void add_holes(struct sweep *s)
{
	const struct track_store *store = s->maker->store;

	for (size_t i = 0; i < store->holes.nr; i++) {
		const struct track_hole *hole = &store->holes.items[i];

		add(s, hole->from, hole->to, plain(TRACK_LOST, hole->name, hole->cite));
	}
}

/*
 * Adds what it does at the end. Where only its stack tells, or that it is stopped, no record says
 * since when but that it did nothing else that was recorded; and where not even that, it is known
 * of the last moment only.
 */
static void add_now(struct sweep *s)
{
	const struct track_now *now = s->now;
	struct track_span piece = plain(now->state, now->name, now->cite);
	int64_t since = now->since;

	if (!now->known)
		return;
	if (since == JOB_UNKNOWN || since < 0 || since > s->end)
		since = s->end;
	if (now->by_look && s->newest != JOB_UNKNOWN && since < s->newest)
		since = s->newest;
	piece.group = now->group;
	piece.open = true;
	add(s, since, INT64_MAX, piece);
}

/* -- from birth to death ----------------------------------------------------------------------- */

/* Returns a rank's own process; NULL: not known. */
static const struct job_process *process_of(const struct job *job, struct rank_index rank)
{
	int process = job_rank(job, rank)->process;

	return process == JOB_NONE ? NULL : &job->processes[process];
}

/* Returns when the last event was, but for its death; JOB_UNKNOWN. */
static int64_t last_event(const struct track *track)
{
	size_t n = track->nevents;

	/* A child may be born of a child, when it is gone already. */
	while (n && (track->events[n - 1].when == JOB_UNKNOWN ||
			    track->events[n - 1].kind == TRACK_DEATH ||
			    track->events[n - 1].kind == TRACK_FORK))
		n--;
	return n ? track->events[n - 1].when : JOB_UNKNOWN;
}

/* Returns when the last return was that is recorded of it; JOB_UNKNOWN. */
static int64_t last_call(const struct job *job, struct rank_index rank)
{
	struct spans_range range = calls_of(job, rank);
	int64_t last = JOB_UNKNOWN;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_call *call = &job->calls[i];
		int64_t when = call->returned == JOB_UNKNOWN ? call->entered : call->returned;

		if (call->kind != JOB_CALL_HOLE && when > last)
			last = when;
	}
	return last;
}

/* Returns the later of two times. */
static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b; /* JOB_UNKNOWN is before all */
}

/* Returns when its life ends: of a death of unknown time, when it last was heard of. */
static int64_t death_of(
	const struct job *job, const struct track *track, const struct job_process *process)
{
	int64_t last = later_of(last_event(track), last_call(job, track->rank));

	for (size_t i = 0; i < track->nevents; i++)
		if (track->events[i].kind == TRACK_DEATH && track->events[i].when != JOB_UNKNOWN)
			return track->events[i].when;
	return last == JOB_UNKNOWN ? process->born : last;
}

/* Draws that it is dead, from there on. */
static void draw_death(struct sweep *s, const struct job_process *process)
{
	struct tracks_made *made = s->maker->made;
	struct track_span span = plain(TRACK_DEAD, "gone", track_text(process->cite));

	for (size_t i = 0; i < s->track->nevents; i++)
		if (s->track->events[i].kind == TRACK_DEATH) {
			span.name = s->track->events[i].name;
			span.cite = s->track->events[i].cite;
		}
	if (s->maker->facts->oom[s->track->rank.i])
		span.name = track_label(s->maker, span.name, "(OOM)");
	/* What it was in until then is over. */
	if (last_put(s))
		last_put(s)->open = false;
	span.open = true;
	if (s->at < made->tracks.to)
		put(s, s->at, made->tracks.to, span);
	else
		put_point(s, span);
	s->at = made->tracks.to;
}

/* Gives the last of its own code the name of the place where its stack is. */
static void name_last(struct sweep *s)
{
	struct track_span *last = last_put(s);

	if (!last || last->state > TRACK_COMPUTE || last->to < s->end)
		return;
	last->open = true;
	if (*s->now->name && !s->now->known) {
		last->name = s->now->name;
		last->cite = s->now->cite;
	}
}

/* Draws that nothing is known of the rest, and says what the rank does now. */
static void finish(struct sweep *s, const struct job_process *process)
{
	const struct tracks *tracks = &s->maker->made->tracks;
	struct track_store *store = s->maker->store;
	struct track *track = s->track;
	const struct track_span *last;

	if (s->at < tracks->to)
		put(s, s->at, tracks->to, plain(TRACK_NODATA, "", ""));
	track_keep(s->maker->room, store->nspans, sizeof(*store->spans));
	track->spans = store->spans;
	track->nspans = store->nspans;
	last = track_last(track);
	track->now = last->state;
	track->since = last->from;
	track->doing = last->name;
	track->op = s->now->known && last->state == s->now->state ? s->now->op : NULL;
	track->at_least = s->now->known && s->now->by_look && last->state == s->now->state;
	if (last->from == last->to)
		track->since = JOB_UNKNOWN;
	if (last->state == TRACK_DEAD)
		track->since = !process || process->ended == JOB_UNKNOWN ? JOB_UNKNOWN : last->from;
}

/* Draws a rank of which no process and no record is known. */
static void draw_nothing(struct sweep *s)
{
	struct track_span span = plain(TRACK_NODATA, "not seen", "");

	span.open = true;
	put(s, s->at, s->maker->made->tracks.to, span);
	s->at = s->maker->made->tracks.to;
}

/* Returns when the rank is first known to be there; JOB_UNKNOWN. */
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

/* Returns the last sign of life: a look at it alive, else its last record. */
static int64_t end_of(const struct sweep *s, const struct job_process *process)
{
	int64_t end = s->now->end, last = JOB_UNKNOWN;

	if (process && process->end > JOB_ALIVE)
		return death_of(s->maker->job, s->track, process);
	if (process && process->end == JOB_END_UNKNOWN && process->pid && !process->state &&
		!s->now->by_look)
		last = later_of(last_event(s->track), last_call(s->maker->job, s->track->rank));
	return last == JOB_UNKNOWN || (end != JOB_UNKNOWN && end < last) ? end : last;
}

/* Draws all that is known of its life. */
static void draw_life(struct sweep *s)
{
	s->maker->pieces.nr = 0;
	add_phases(s);
	add_calls(s);
	add_holes(s);
	add_now(s);
	sweep_pieces(s);
	name_last(s);
}

/*
 * Returns how many spans there are at most: each interval begins one span and ends one, and around
 * them stand a few more.
 */
static size_t count_spans(const struct track_maker *maker, struct rank_index rank)
{
	struct spans_range calls = calls_of(maker->job, rank);

	return 2 * (maker->store->nevents + (calls.to - calls.from) + maker->store->holes.nr) + 16;
}

void track_make_spans(struct track_maker *maker, struct rank_index rank)
{
	struct tracks_made *made = maker->made;
	struct track *track = &made->at[rank.i];
	const struct job_process *process = process_of(maker->job, rank);
	struct track_now now = track_find_now(maker, rank);
	int64_t start = start_of(track, process);
	struct sweep sweep = {.maker = maker,
		.track = track,
		.at = made->tracks.from,
		.first = made->tracks.from,
		.begun = JOB_UNKNOWN,
		.newest = JOB_UNKNOWN,
		.recorded = track_has_record(maker, rank),
		.now = &now};

	maker->store = &made->stores[rank.i];
	maker->store->spans =
		track_take(maker->room, count_spans(maker, rank), sizeof(struct track_span));
	sweep.end = end_of(&sweep, process);
	if (sweep.end == JOB_UNKNOWN || sweep.end > made->tracks.to)
		sweep.end = made->tracks.to;
	if (sweep.end < made->tracks.from)
		sweep.end = made->tracks.from;
	if (start > sweep.at) {
		put(&sweep, sweep.at, start, plain(TRACK_NODATA, "", ""));
		sweep.at = start < made->tracks.to ? start : made->tracks.to;
	}
	if (!process && !sweep.recorded)
		draw_nothing(&sweep);
	else
		draw_life(&sweep);
	if (process && process->end > JOB_ALIVE)
		draw_death(&sweep, process);
	finish(&sweep, process);
}
