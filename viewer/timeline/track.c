/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/timeline/track.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "base/crew.h"
#include "viewer/timeline/track-make.h"

/* -- the time that all tracks cover ------------------------------------------------------------ */

/* Has the job's time cover that one, if it is known. */
static void stretch(struct tracks *tracks, int64_t when)
{
	if (when == JOB_UNKNOWN || when < 0 || when > INT64_MAX / 2)
		return;
	if (tracks->from == JOB_UNKNOWN || when < tracks->from)
		tracks->from = when;
	if (tracks->to == JOB_UNKNOWN || when > tracks->to)
		tracks->to = when;
}

/*
 * Covers a rank's first event, its last of a known time, the look at it, its birth. True: it may
 * live.
 */
static bool measure_rank(
	struct tracks *tracks, const struct track *track, const struct track_facts *facts)
{
	const struct job *job = tracks->job;
	int process = job_rank(job, track->rank)->process;
	size_t n = track->nevents;

	while (n && track->events[n - 1].when == JOB_UNKNOWN)
		n--;
	if (n) {
		stretch(tracks, track->events[0].when);
		stretch(tracks, track->events[n - 1].when);
	}
	stretch(tracks, facts->waits->now[track->rank.i]);
	if (process != JOB_NONE && job->processes[process].born > 0)
		stretch(tracks, job->processes[process].born);
	return process == JOB_NONE || job->processes[process].end <= JOB_ALIVE;
}

/* Finds the time of all tracks: from the first sign of anybody to the end of the evidence. */
static void measure(struct tracks_made *made, const struct track_maker *makers,
	const struct track_facts *facts)
{
	struct tracks *tracks = &made->tracks;
	bool alive = false;

	tracks->from = tracks->to = JOB_UNKNOWN;
	for (size_t i = 0; i < tracks->n; i++)
		alive |= measure_rank(tracks, &made->at[i], facts);
	for (size_t i = 0; i < made->nheld; i++) {
		stretch(tracks, makers[i].called_from);
		stretch(tracks, makers[i].called_to);
	}
	if (tracks->from == JOB_UNKNOWN)
		tracks->from = tracks->to = 0;
	/* The last deaths shall be seen as well. */
	if (!alive)
		tracks->to += (tracks->to - tracks->from) / 64;
	if (tracks->to <= tracks->from)
		tracks->to = tracks->from + CLOCK_NS_PER_S;
}

/*
 * Finds ranks that died for memory. Only the name of such a death comes from a verdict: the signal
 * alone does not say it. The caller frees them.
 */
static bool *find_oom(const struct verdicts *verdicts)
{
	bool *oom = alloc_zeroed(verdicts->job->nranks + 1, sizeof(*oom));

	for (size_t i = 0; i < verdicts->n; i++) {
		const struct verdict *verdict = &verdicts->at[i];

		for (size_t k = 0; verdict->cause == VERDICT_BY_OOM_KILL && k < verdict->culprits.n;
			k++)
			oom[verdict->culprits.at[k].i] = true;
	}
	return oom;
}

/* True if something is lost that was of no rank. */
static bool has_common_losses(const struct job *job)
{
	for (size_t i = 0; i < job->nlosses; i++)
		if (!is_rank(job->losses[i].rank))
			return true;
	return false;
}

/* -- shares of time ---------------------------------------------------------------------------- */

/* True for states of waiting for others or the GPU. */
static bool is_waiting(enum track_state state)
{
	return state == TRACK_COLLECTIVE || state == TRACK_DEVICE || state == TRACK_WAITING;
}

/* True for states of a life of which something is known. */
static bool is_known(enum track_state state)
{
	return state != TRACK_NODATA && state != TRACK_LOST && state != TRACK_DEAD;
}

#define SHARED 16 /* spans, before each of which all is summed up */

/* Adds a span up to that time. */
static void add_share(struct track_share *share, const struct track_span *span, int64_t to)
{
	int64_t lasts = (to < span->to ? to : span->to) - span->from;

	share->waited += is_waiting(span->state) ? lasts : 0;
	share->known += is_known(span->state) ? lasts : 0;
}

/* Sums up before every SHARED spans. */
static void sum_spans(struct track *track, struct track_room *room)
{
	size_t n = track->nspans / SHARED + 1;
	struct track_share sum = {0, 0}, *shares = track_take(room, n, sizeof(*shares));

	track_keep(room, n, sizeof(*shares));
	track->shares = shares;
	for (size_t i = 0; i < track->nspans; i++) {
		if (i % SHARED == 0)
			shares[i / SHARED] = sum;
		add_share(&sum, &track->spans[i], INT64_MAX);
	}
}

/* Returns the shares of all before that time. */
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

/* True if its evidence ends before the job's time does. */
static bool is_short(const struct track *track)
{
	return track->nspans && track_last(track) != &track->spans[track->nspans - 1];
}

/* Makes what all ranks' tracks are made from. */
static void facts_make(struct track_facts *facts, const struct verdicts *verdicts)
{
	const struct job *job = verdicts->job;

	facts->oom = find_oom(verdicts);
	by_rank_make(&facts->seats, job, members);
	by_rank_make(&facts->signals, job, signals);
	by_rank_make(&facts->losses, job, losses);
	by_rank_make(&facts->logs, job, logs);
	by_rank_make(&facts->processes, job, processes);
}

/* Frees that. */
static void facts_release(struct track_facts *facts)
{
	waits_free(facts->waits);
	free(facts->oom);
	by_rank_release(&facts->seats);
	by_rank_release(&facts->signals);
	by_rank_release(&facts->losses);
	by_rank_release(&facts->logs);
	by_rank_release(&facts->processes);
}

/* Makes a maker for each worker. */
static struct track_maker *makers_new(
	struct tracks_made *made, const struct verdicts *verdicts, const struct track_facts *facts)
{
	struct track_maker *makers = alloc_zeroed(made->nheld, sizeof(*makers));
	size_t most = track_count_events(verdicts->job);

	for (size_t i = 0; i < made->nheld; i++) {
		struct track_held *held = &made->held[i];

		track_room_make(&held->room,
			most * (sizeof(struct track_event) + 2 * sizeof(struct track_span)));
		makers[i] = (struct track_maker){.job = verdicts->job,
			.verdicts = verdicts,
			.facts = facts,
			.made = made,
			.room = &held->room,
			.labels = {.arena = &held->arena, .most = most},
			.called_from = JOB_UNKNOWN,
			.called_to = JOB_UNKNOWN};
	}
	return makers;
}

/* Frees the makers; what they have made stays. */
static void makers_free(struct track_maker *makers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		array_release(&makers[i].pieces);
		array_release(&makers[i].open);
		track_labels_release(&makers[i].labels);
	}
	free(makers);
}

/* What workers share. */
struct making {
	struct track_maker *makers;
	struct track_facts *facts;
};

/*
 * Makes the events of a rank. The first thing is what ranks wait in, which is asked for only when
 * all events are made.
 */
static void make_events(void *context, size_t worker, size_t i)
{
	struct making *making = context;
	struct track_maker *maker = &making->makers[worker];

	if (i)
		track_make_events(maker, rank_index((int)i - 1));
	else
		making->facts->waits = waits_new(maker->job, NULL);
}

/* Makes the spans of a rank. */
static void make_spans(void *context, size_t worker, size_t i)
{
	struct making *making = context;
	struct track_maker *maker = &making->makers[worker];

	track_make_spans(maker, rank_index((int)i));
	sum_spans(&maker->made->at[i], maker->room);
	array_release(&maker->store->holes);
}

struct tracks *tracks_new(const struct verdicts *verdicts)
{
	const struct job *job = verdicts->job;
	struct tracks_made *made = alloc_zeroed(1, sizeof(*made));
	struct track_facts facts = {0};
	struct making making = {.facts = &facts};

	made->at = alloc_zeroed(job->nranks + 1, sizeof(*made->at));
	made->stores = alloc_zeroed(job->nranks + 1, sizeof(*made->stores));
	made->nheld = crew_size(job->nranks + 1);
	made->held = alloc_zeroed(made->nheld, sizeof(*made->held));
	made->tracks.job = job;
	made->tracks.at = made->at;
	made->tracks.n = job->nranks;
	made->tracks.loses = has_common_losses(job);
	facts_make(&facts, verdicts);
	making.makers = makers_new(made, verdicts, &facts);
	crew_each(made->nheld, job->nranks + 1, make_events, &making);
	measure(made, making.makers, &facts);
	crew_each(made->nheld, job->nranks, make_spans, &making);
	for (size_t i = 0; i < job->nranks; i++)
		made->tracks.uneven |= is_short(&made->at[i]);
	track_list_phases(&making.makers[0]);
	makers_free(making.makers, made->nheld);
	facts_release(&facts);
	return &made->tracks;
}

void tracks_free(struct tracks *tracks)
{
	struct tracks_made *made = (struct tracks_made *)tracks;

	if (!made)
		return;
	for (size_t i = 0; i < made->nheld; i++) {
		arena_release(&made->held[i].arena);
		track_room_release(&made->held[i].room);
	}
	free(made->held);
	free(made->stores);
	free(made->at);
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
	/* The first that begins after it; the one before that covers it. */
	size_t behind = bisect(0, track->nspans, i, track->spans[i].from <= when);

	return behind && track->spans[behind - 1].to >= when ? &track->spans[behind - 1] : NULL;
}

ptrdiff_t track_event_before(const struct track *track, int64_t when)
{
	const struct track_event *list = track->events;
	size_t behind =
		bisect(0, track->nevents, i, list[i].when != JOB_UNKNOWN && list[i].when <= when);

	return (ptrdiff_t)behind - 1;
}

/* What each state is called, as the legend has it, and what that means. */
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

/* What each kind of event is called. */
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
