/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over all entries, with a place for each collective in a hash: how many have come, who
 * last, and when the one before. Of those that are whole a list is made by rank and time, with sums
 * up to each, so that any window is two searches; and another by group and number, so that it is
 * known how many came after one.
 */
#include "viewer/timeline/lates.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "job/clocks.h"

/* A collective, as far as its members have been looked at. */
struct meeting {
	int group; /* below 0: a free place */
	uint64_t index;
	uint32_t n;	/* have come */
	bool unknown;	/* two clocks that cannot be compared */
	int clock;	/* by which the next two are */
	int64_t last, before;
	struct rank_index rank; /* who came last */
	int64_t when; /* by its own clock */
};

/* A collective to which somebody was last. */
struct last {
	struct rank_index rank;
	int64_t when;
	int64_t late;
	int64_t sum; /* of the rank's up to and with this one */
	int group;
	uint64_t index; /* of the collective */
};

/* A collective to which all came. */
struct whole {
	int group;
	uint64_t index;
};

/* Who was last. */
struct lates {
	ARRAY(struct last) all; /* by rank, then time */
	ARRAY(struct whole) wholes; /* by group, then index */
	size_t *first;		/* of each rank */
};

/* A hash of collectives, at most half full. */
struct meetings {
	struct meeting *at;
	size_t room; /* a power of two */
};

/* Orders by rank, then time. */
static int compare_lasts(const void *va, const void *vb)
{
	const struct last *a = va, *b = vb;

	if (!same_rank(a->rank, b->rank))
		return a->rank.i < b->rank.i ? -1 : 1;
	return (a->when > b->when) - (a->when < b->when);
}

/* Orders by group, then index. */
static int compare_wholes(const void *va, const void *vb)
{
	const struct whole *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* True for the entry into a collective of which time and group are known. */
static bool is_entry(const struct track_event *event)
{
	return event->kind == TRACK_ENTER && !event->p2p && event->when != JOB_UNKNOWN &&
	       event->group != JOB_NONE;
}

/* Makes an empty hash, for about so many as one rank has events. */
static void meetings_make(struct meetings *meetings, const struct tracks *tracks)
{
	size_t n = 0;

	for (size_t i = 0; i < tracks->n; i++)
		n += tracks->at[i].nevents;
	for (meetings->room = 64; meetings->room < n / (tracks->n ? tracks->n : 1) * 4;)
		meetings->room *= 2;
	meetings->at = alloc_zeroed(meetings->room, sizeof(*meetings->at));
	for (size_t i = 0; i < meetings->room; i++)
		meetings->at[i].group = -1;
}

/* Returns a collective's place, or the free one where it would be. */
static struct meeting *find_meeting(const struct meetings *meetings, int group, uint64_t index)
{
	/* Eight that follow on one another lie side by side: so they are asked for. */
	uint64_t hash = (index / 8 + 1) * 0x9e3779b97f4a7c15ull ^
			(uint64_t)group * 0xff51afd7ed558ccdull;
	size_t at = (size_t)((hash ^ hash >> 32) * 8 + index % 8) & (meetings->room - 1);

	while (meetings->at[at].group >= 0 &&
		(meetings->at[at].group != group || meetings->at[at].index != index))
		at = (at + 1) & (meetings->room - 1);
	return &meetings->at[at];
}

/* Makes the hash twice as large. */
static void grow(struct meetings *meetings)
{
	struct meetings old = *meetings;

	meetings->room *= 2;
	meetings->at = alloc_zeroed(meetings->room, sizeof(*meetings->at));
	for (size_t i = 0; i < meetings->room; i++)
		meetings->at[i].group = -1;
	for (size_t i = 0; i < old.room; i++)
		if (old.at[i].group >= 0)
			*find_meeting(meetings, old.at[i].group, old.at[i].index) = old.at[i];
	free(old.at);
}

/* Notes that a rank has come, at that time by its own clock. */
static void come(
	struct meeting *meeting, const struct clocks *clocks, struct rank_index rank, int64_t own)
{
	int64_t when = clocks_move(clocks, own, clocks_of_rank(clocks, rank), meeting->clock);

	meeting->n++;
	meeting->unknown |= when == JOB_UNKNOWN;
	if (when > meeting->last) {
		meeting->before = meeting->last;
		meeting->last = when;
		meeting->rank = rank;
		meeting->when = own;
	} else if (when > meeting->before) {
		meeting->before = when;
	}
}

/* Goes through all entries. */
static void hold_meetings(
	struct meetings *meetings, const struct tracks *tracks, const struct clocks *clocks)
{
	size_t n = 0;

	job_for_each_rank(tracks->job, rank)
		for (size_t k = 0; k < tracks->at[rank.i].nevents; k++) {
			const struct track_event *event = &tracks->at[rank.i].events[k];
			struct meeting *meeting;

			if (!is_entry(event))
				continue;
			meeting = find_meeting(meetings, event->group, event->index);
			if (meeting->group < 0 && ++n * 2 > meetings->room) {
				grow(meetings);
				meeting = find_meeting(meetings, event->group, event->index);
			}
			if (meeting->group < 0)
				*meeting = (struct meeting){.group = event->group,
					.index = event->index,
					.clock = clocks_of_rank(clocks, rank),
					.last = INT64_MIN,
					.before = INT64_MIN};
			come(meeting, clocks, rank, event->when);
		}
}

/* Takes those to which all came: of these it is known who was last. */
static void take_whole(
	struct lates *lates, const struct meetings *meetings, const struct job *job)
{
	for (size_t i = 0; i < meetings->room; i++) {
		const struct meeting *meeting = &meetings->at[i];
		const struct job_group *group;

		if (meeting->group < 0 || meeting->unknown || meeting->n < 2)
			continue;
		group = &job->groups[meeting->group];
		if (group->sized == JOB_SIZE_UNKNOWN || meeting->n != group->size)
			continue;
		*array_add(&lates->wholes) = (struct whole){meeting->group, meeting->index};
		if (meeting->last <= meeting->before)
			continue;
		*array_add(&lates->all) = (struct last){.rank = meeting->rank,
			.when = meeting->when,
			.late = meeting->last - meeting->before,
			.group = meeting->group,
			.index = meeting->index};
	}
}

/* Sorts both lists, and sums up. */
static void index_lasts(struct lates *lates, size_t nranks)
{
	size_t at = 0;

	lates->first = alloc_zeroed(nranks + 1, sizeof(*lates->first));
	array_sort(&lates->all, compare_lasts);
	array_sort(&lates->wholes, compare_wholes);
	for (size_t rank = 0; rank < nranks; rank++) {
		int64_t sum = 0;

		lates->first[rank] = at;
		for (; at < lates->all.nr && lates->all.items[at].rank.i == (int)rank; at++) {
			sum += lates->all.items[at].late;
			lates->all.items[at].sum = sum;
		}
	}
	lates->first[nranks] = at;
}

struct lates *lates_new(const struct tracks *tracks)
{
	struct lates *lates = alloc_zeroed(1, sizeof(*lates));
	struct clocks *clocks = clocks_new(tracks->job);
	struct meetings meetings;

	meetings_make(&meetings, tracks);
	hold_meetings(&meetings, tracks, clocks);
	take_whole(lates, &meetings, tracks->job);
	index_lasts(lates, tracks->n);
	free(meetings.at);
	clocks_free(clocks);
	return lates;
}

void lates_free(struct lates *lates)
{
	if (!lates)
		return;
	array_release(&lates->all);
	array_release(&lates->wholes);
	free(lates->first);
	free(lates);
}

/* Returns the first of the rank's that is not before that time. */
static size_t find(const struct lates *lates, struct rank_index rank, int64_t when)
{
	return bisect(lates->first[rank.i], lates->first[rank.i + 1], i,
		lates->all.items[i].when < when);
}

/* Returns how many collectives of the group all entered, behind that one. */
static uint64_t count_behind(const struct lates *lates, int group, uint64_t index)
{
	const struct whole behind = {group, index};
	const struct whole *list = lates->wholes.items;
	size_t n = lates->wholes.nr;
	size_t first = bisect(0, n, i, compare_wholes(&list[i], &behind) <= 0);

	return bisect(first, n, i, list[i].group <= group) - first;
}

#define LATE_LEAST 10 /* a part of its worst, below which it was not late but only last */

struct late lates_of(const struct lates *lates, struct rank_index rank, int64_t from, int64_t to)
{
	size_t first = find(lates, rank, from), end = find(lates, rank, to), latest = end;
	struct late late = {.latest = JOB_UNKNOWN};

	if (end <= first)
		return late;
	late.sum = lates->all.items[end - 1].sum - lates->all.items[first].sum +
		   lates->all.items[first].late;
	for (size_t i = first; i < end; i++)
		if (lates->all.items[i].late > late.most)
			late.most = lates->all.items[i].late;
	for (size_t i = first; i < end; i++)
		if (lates->all.items[i].late >= late.most / LATE_LEAST) {
			late.times++;
			latest = i;
		}
	late.latest = lates->all.items[latest].when;
	late.since = count_behind(
		lates, lates->all.items[latest].group, lates->all.items[latest].index);
	return late;
}
