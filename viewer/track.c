/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/track.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "viewer/track-make.h"

/* -- the time that all tracks cover ------------------------------------------------------------ */

static void stretch(struct tracks *tracks, int64_t when)
{
	if (when == JOB_UNKNOWN || when < 0 || when > INT64_MAX / 2)
		return;
	if (tracks->from == JOB_UNKNOWN || when < tracks->from)
		tracks->from = when;
	if (tracks->to == JOB_UNKNOWN || when > tracks->to)
		tracks->to = when;
}

/* From the first sign of anybody to the end of the evidence. */
static void measure(struct track_maker *maker)
{
	const struct job *job = maker->job;
	struct tracks *tracks = &maker->made->tracks;
	bool alive = false;

	tracks->from = tracks->to = JOB_UNKNOWN;
	for (size_t i = 0; i < job->nranks; i++) {
		const struct track *track = &maker->made->at[i];
		int process = job->ranks[i].process;
		size_t n = track->nevents;

		while (n && track->events[n - 1].when == JOB_UNKNOWN)
			n--;
		if (n) {
			stretch(tracks, track->events[0].when);
			stretch(tracks, track->events[n - 1].when);
		}
		stretch(tracks, maker->waits->now[i]);
		if (process != JOB_NONE && job->processes[process].born > 0)
			stretch(tracks, job->processes[process].born);
		alive |= process == JOB_NONE || job->processes[process].end <= JOB_ALIVE;
	}
	if (tracks->from == JOB_UNKNOWN)
		tracks->from = tracks->to = 0;
	/* The last deaths shall be seen as well. */
	if (!alive)
		tracks->to += (tracks->to - tracks->from) / 64;
	if (tracks->to <= tracks->from)
		tracks->to = tracks->from + CLOCK_NS_PER_S;
}

/* -- by rank ----------------------------------------------------------------------------------- */

static int rank_of_seat(const struct job *job, size_t i)
{
	return job->members[i].rank;
}

static int rank_of_signal(const struct job *job, size_t i)
{
	return job->signals[i].rank;
}

static int rank_of_loss(const struct job *job, size_t i)
{
	return job->losses[i].rank;
}

/* By counting: what has no rank is left out. */
static void index_make(struct track_index *index, const struct job *job, size_t n,
	int (*rank_of)(const struct job *job, size_t i))
{
	size_t *next;

	index->first = alloc_zeroed(job->nranks + 2, sizeof(*index->first));
	index->at = alloc_zeroed(n + 1, sizeof(*index->at));
	next = alloc_zeroed(job->nranks + 1, sizeof(*next));
	for (size_t i = 0; i < n; i++)
		if (rank_of(job, i) >= 0)
			index->first[rank_of(job, i) + 1]++;
	for (size_t i = 0; i < job->nranks; i++)
		index->first[i + 1] += index->first[i];
	for (size_t i = 0; i < n; i++) {
		int rank = rank_of(job, i);

		if (rank >= 0)
			index->at[index->first[rank] + next[rank]++] = i;
	}
	free(next);
}

static void index_release(struct track_index *index)
{
	free(index->first);
	free(index->at);
}

static void blame_ranks(struct track_maker *maker, struct verdict_ranks ranks, uint8_t blame)
{
	for (size_t i = 0; i < ranks.n; i++)
		maker->blame[ranks.at[i]] |= blame;
}

/* Of each rank that a verdict says to be idle, for how long. */
static void find_idle(struct track_maker *maker, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nevidence; i++) {
		const struct verdict_fact *fact = &verdict->evidence[i];

		for (size_t k = 0; fact->kind == FACT_SPAN_IDLE && k < fact->ranks.n; k++)
			maker->idle[fact->ranks.at[k]] = fact->a > 0 ? fact->a : JOB_UNKNOWN;
	}
}

/* Who may come by itself is not stuck; whose program stands still, stands still everywhere. */
static void find_blame(struct track_maker *maker)
{
	maker->blame = alloc_zeroed(maker->job->nranks + 1, 1);
	maker->idle = alloc_zeroed(maker->job->nranks + 1, sizeof(*maker->idle));
	for (size_t i = 0; i < maker->job->nranks; i++)
		maker->idle[i] = JOB_UNKNOWN;
	for (size_t i = 0; i < maker->verdicts->n; i++) {
		const struct verdict *verdict = &maker->verdicts->at[i];

		if (verdict->class == VERDICT_TOO_EARLY)
			continue; /* whoever waits, waits in an op that is drawn anyway */
		find_idle(maker, verdict);
		blame_ranks(maker, verdict->victims, BLAME_VICTIM);
		if (verdict->cause == VERDICT_BY_OOM_KILL)
			blame_ranks(maker, verdict->culprits, BLAME_OOM);
		if (verdict->outlook == VERDICT_WAIT)
			continue;
		if (verdict->class == VERDICT_HOST_STALL ||
			verdict->class == VERDICT_COMPILE_STUCK)
			blame_ranks(maker, verdict->culprits, BLAME_STALLED);
		else if (verdict->class != VERDICT_SLOW)
			blame_ranks(maker, verdict->culprits, BLAME_STUCK);
	}
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Each event ends what was before it; at the end of a track stand five more at the most. */
static void make_spans(struct track_maker *maker)
{
	struct tracks_made *made = maker->made;
	size_t ranks = maker->job->nranks, room = made->nevents + 8 * ranks + 1;
	const struct track_span *old;

	made->spans = alloc_zeroed(room, sizeof(*made->spans));
	for (size_t i = 0; i < ranks; i++)
		track_make_spans(maker, (int)i);
	old = made->spans;
	made->spans = alloc_resize(made->spans, made->nspans + 1, sizeof(*made->spans));
	for (size_t i = 0; i < ranks; i++) {
		made->at[i].spans = made->spans + (made->at[i].spans - old);
		if (made->at[i].nspans)
			made->tracks.uneven |= track_last(&made->at[i]) !=
					       &made->at[i].spans[made->at[i].nspans - 1];
	}
}

struct tracks *tracks_new(const struct verdicts *verdicts)
{
	const struct job *job = verdicts->job;
	struct tracks_made *made = alloc_zeroed(1, sizeof(*made));
	struct track_maker maker = {.job = job,
		.verdicts = verdicts,
		.waits = waits_new(job, NULL),
		.made = made,
		.labels.arena = &made->arena};

	made->at = alloc_zeroed(job->nranks + 1, sizeof(*made->at));
	made->tracks.job = job;
	made->tracks.at = made->at;
	made->tracks.n = job->nranks;
	index_make(&maker.seats, job, job->nmembers, rank_of_seat);
	index_make(&maker.signals, job, job->nsignals, rank_of_signal);
	index_make(&maker.losses, job, job->nlosses, rank_of_loss);
	find_blame(&maker);
	track_make_events(&maker);
	measure(&maker);
	make_spans(&maker);
	track_list_phases(&maker);
	index_release(&maker.seats);
	index_release(&maker.signals);
	index_release(&maker.losses);
	array_release(&maker.holes);
	track_labels_release(&maker.labels);
	waits_free(maker.waits);
	free(maker.blame);
	free(maker.idle);
	return &made->tracks;
}

void tracks_free(struct tracks *tracks)
{
	struct tracks_made *made = (struct tracks_made *)tracks;

	if (!made)
		return;
	free(made->at);
	free(made->events);
	free(made->spans);
	arena_release(&made->arena);
	free(made);
}

/* -- looking things up ------------------------------------------------------------------------- */

const struct track_span *track_last(const struct track *track)
{
	const struct track_span *last;

	if (!track->nspans)
		return NULL;
	last = &track->spans[track->nspans - 1];
	return last->state == TRACK_NODATA && !last->open && track->nspans > 1 ? last - 1 : last;
}

const struct track_span *track_at(const struct track *track, int64_t when)
{
	size_t low = 0, high = track->nspans;

	/* The first that begins after it; the one before that covers it. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (track->spans[middle].from <= when)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || (track->spans[low - 1].to < when))
		return NULL;
	return &track->spans[low - 1];
}

ptrdiff_t track_event_before(const struct track *track, int64_t when)
{
	size_t low = 0, high = track->nevents;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int64_t at = track->events[middle].when;

		if (at != JOB_UNKNOWN && at <= when)
			low = middle + 1;
		else
			high = middle;
	}
	return (ptrdiff_t)low - 1;
}

static const char *const state_names[TRACK_STATES] = {
	[TRACK_NODATA] = "no data",
	[TRACK_OTHER] = "starting",
	[TRACK_COMPUTE] = "own code",
	[TRACK_COMPLETED] = "completed",
	[TRACK_COLLECTIVE] = "collective",
	[TRACK_PENDING] = "not completed",
	[TRACK_INPUT] = "input",
	[TRACK_CHECKPOINT] = "checkpoint",
	[TRACK_USER] = "span",
	[TRACK_COMPILE] = "compile",
	[TRACK_WAITING] = "waiting",
	[TRACK_HUNG] = "hung",
	[TRACK_LOST] = "lost",
	[TRACK_DEAD] = "dead",
};

const char *track_state_name(enum track_state state)
{
	return (unsigned)state < TRACK_STATES ? state_names[state] : "unknown";
}

static const char *const kind_names[TRACK_KINDS] = {
	[TRACK_ENTER] = "entered",
	[TRACK_BEGIN] = "begins",
	[TRACK_END] = "ends",
	[TRACK_STEP] = "step",
	[TRACK_SHARD] = "batch",
	[TRACK_NOTE] = "note",
	[TRACK_EXCEPTION] = "exception",
	[TRACK_SIGNAL] = "signal",
	[TRACK_DEATH] = "died",
	[TRACK_GAP] = "lost",
};

const char *track_kind_name(enum track_kind kind)
{
	return (unsigned)kind < TRACK_KINDS ? kind_names[kind] : "unknown";
}
