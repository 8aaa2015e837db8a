/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/timeline/track.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "viewer/timeline/track-make.h"

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
	job_for_each_rank(job, rank) {
		const struct track *track = &maker->made->at[rank.i];
		int process = job_rank(job, rank)->process;
		size_t n = track->nevents;

		while (n && track->events[n - 1].when == JOB_UNKNOWN)
			n--;
		if (n) {
			stretch(tracks, track->events[0].when);
			stretch(tracks, track->events[n - 1].when);
		}
		stretch(tracks, maker->waits->now[rank.i]);
		if (process != JOB_NONE && job->processes[process].born > 0)
			stretch(tracks, job->processes[process].born);
		alive |= process == JOB_NONE || job->processes[process].end <= JOB_ALIVE;
	}
	stretch(tracks, maker->called_from);
	stretch(tracks, maker->called_to);
	if (tracks->from == JOB_UNKNOWN)
		tracks->from = tracks->to = 0;
	/* The last deaths shall be seen as well. */
	if (!alive)
		tracks->to += (tracks->to - tracks->from) / 64;
	if (tracks->to <= tracks->from)
		tracks->to = tracks->from + CLOCK_NS_PER_S;
}

/* Only the name of such a death comes from a verdict: the signal alone does not say it. */
static void find_oom(struct track_maker *maker)
{
	maker->oom = alloc_zeroed(maker->job->nranks + 1, sizeof(*maker->oom));
	for (size_t i = 0; i < maker->verdicts->n; i++) {
		const struct verdict *verdict = &maker->verdicts->at[i];

		for (size_t k = 0; verdict->cause == VERDICT_BY_OOM_KILL && k < verdict->culprits.n;
			k++)
			maker->oom[verdict->culprits.at[k].i] = true;
	}
}

/* -- shares of time ---------------------------------------------------------------------------- */

static bool is_waiting(enum track_state state)
{
	return state == TRACK_COLLECTIVE || state == TRACK_DEVICE || state == TRACK_WAITING;
}

static bool is_known(enum track_state state)
{
	return state != TRACK_NODATA && state != TRACK_LOST && state != TRACK_DEAD;
}

#define SHARED 16 /* spans, before each of which all is summed up */

static void add_share(struct track_share *share, const struct track_span *span, int64_t to)
{
	int64_t lasts = (to < span->to ? to : span->to) - span->from;

	share->waited += is_waiting(span->state) ? lasts : 0;
	share->known += is_known(span->state) ? lasts : 0;
}

/* How many sums so many spans need. */
static size_t count_shares(size_t nspans)
{
	return nspans / SHARED + 1;
}

static void sum_spans(struct track *track, struct track_share *shares)
{
	struct track_share sum = {0, 0};

	track->shares = shares;
	for (size_t i = 0; i < track->nspans; i++) {
		if (i % SHARED == 0)
			shares[i / SHARED] = sum;
		add_share(&sum, &track->spans[i], INT64_MAX);
	}
}

static struct track_share share_before(const struct track *track, int64_t when)
{
	const struct track_span *last = track->nspans ? &track->spans[track->nspans - 1] : NULL;
	const struct track_span *span;
	struct track_share share;
	size_t n;

	/* All of it is what is asked most: nothing is to be searched for it. */
	if (last && when <= track->spans[0].from)
		return (struct track_share){0, 0};
	span = last && when >= last->from ? last : track_at(track, when);
	if (!span && track->nspans && when > track->spans[0].from)
		span = last;
	if (!span)
		return (struct track_share){0, 0};
	n = (size_t)(span - track->spans);
	share = track->shares[n / SHARED];
	for (size_t i = n / SHARED * SHARED; i < n; i++)
		add_share(&share, &track->spans[i], INT64_MAX);
	add_share(&share, span, when);
	return share;
}

struct track_share track_share(const struct track *track, int64_t from, int64_t to)
{
	struct track_share before = share_before(track, from), all = share_before(track, to);

	return (struct track_share){all.waited - before.waited, all.known - before.known};
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Each interval begins one span and ends one; around them stand a few more. */
static void make_spans(struct track_maker *maker)
{
	struct tracks_made *made = maker->made;
	size_t ranks = maker->job->nranks;
	size_t room = 2 * (made->nevents + maker->job->ncalls + maker->holes.nr) + 16 * ranks + 1;
	const struct track_span *old;

	made->spans = alloc_zeroed(room, sizeof(*made->spans));
	for (size_t i = 0; i < ranks; i++)
		track_make_spans(maker, rank_index(i));
	old = made->spans;
	made->spans = alloc_resize(made->spans, made->nspans + 1, sizeof(*made->spans));
	made->shares = alloc_zeroed(
		count_shares(made->nspans) + ranks, sizeof(*made->shares));
	for (size_t i = 0, share = 0; i < ranks; i++) {
		struct track *track = &made->at[i];

		track->spans = made->spans + (track->spans - old);
		sum_spans(track, made->shares + share);
		share += count_shares(track->nspans);
		if (track->nspans)
			made->tracks.uneven |=
				track_last(track) != &track->spans[track->nspans - 1];
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
	by_rank_make(&maker.seats, job, members);
	by_rank_make(&maker.signals, job, signals);
	by_rank_make(&maker.losses, job, losses);
	by_rank_make(&maker.logs, job, logs);
	by_rank_make(&maker.processes, job, processes);
	find_oom(&maker);
	track_make_events(&maker);
	measure(&maker);
	make_spans(&maker);
	track_list_phases(&maker);
	by_rank_release(&maker.seats);
	by_rank_release(&maker.signals);
	by_rank_release(&maker.losses);
	by_rank_release(&maker.logs);
	by_rank_release(&maker.processes);
	array_release(&maker.holes);
	array_release(&maker.pieces);
	array_release(&maker.open);
	track_labels_release(&maker.labels);
	waits_free(maker.waits);
	free(maker.first_hole);
	free(maker.oom);
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
	free(made->shares);
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

/* As the legend has it, and what that means. */
static const struct {
	const char *name, *meaning;
} states[TRACK_STATES] = {
	[TRACK_NODATA] = {"no data", "a time of which nothing is known"},
	[TRACK_OTHER] = {"starting", "alive, and nothing was recorded yet"},
	[TRACK_COMPUTE] = {"own code", "the program's own code, between calls"},
	[TRACK_COLLECTIVE] = {"in a call",
		"a collective, or a call of its group, until it returned"},
	[TRACK_DEVICE] = {"on the GPU", "a wait for the GPU, from its call to its return"},
	[TRACK_PENDING] = {"not completed",
		"own code, while what it launched is known not to be complete"},
	[TRACK_INPUT] = {"input", "a span of waiting for input"},
	[TRACK_CHECKPOINT] = {"checkpoint", "a span of reading or writing a checkpoint"},
	[TRACK_USER] = {"span", "a span that the program has marked"},
	[TRACK_COMPILE] = {"compile", "compiling; its phases have letters of their own"},
	[TRACK_WAITING] = {"waiting", "a call that has not come back when the evidence ends"},
	[TRACK_BLOCKED] = {"blocked", "stopped, or in a lock, the GIL or a file"},
	[TRACK_LOST] = {"not kept", "records of that time are gone: overwritten or not readable"},
	[TRACK_DEAD] = {"dead", "after its end"},
};

const char *track_state_name(enum track_state state)
{
	return (unsigned)state < TRACK_STATES ? states[state].name : "unknown";
}

const char *track_state_meaning(enum track_state state)
{
	return (unsigned)state < TRACK_STATES ? states[state].meaning : "";
}

static const char *const kind_names[TRACK_KINDS] = {
	[TRACK_ENTER] = "entered",
	[TRACK_BEGIN] = "begins",
	[TRACK_END] = "ends",
	[TRACK_STEP] = "step",
	[TRACK_SHARD] = "batch",
	[TRACK_NOTE] = "note",
	[TRACK_LOG] = "wrote",
	[TRACK_FORK] = "started",
	[TRACK_EXCEPTION] = "exception",
	[TRACK_SIGNAL] = "signal",
	[TRACK_DEATH] = "died",
	[TRACK_GAP] = "lost",
};

const char *track_kind_name(enum track_kind kind)
{
	return (unsigned)kind < TRACK_KINDS ? kind_names[kind] : "unknown";
}
