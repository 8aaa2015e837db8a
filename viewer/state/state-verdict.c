/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the verdict points: the culprit, and the moment from which on its job could not go on: what
 * the headline cites, else the first entry into the op that waits, else since when the culprit is
 * what it is. The first screen is there, and ! goes there; the axis is broken there.
 */
#include "viewer/state/state-private.h"

#include <string.h>

#include "words/wording.h"

/* Returns when the first entry into the verdict's op was; JOB_UNKNOWN. */
static int64_t first_entry(const struct job *job, const struct verdict *verdict)
{
	const struct job_group *group;
	int64_t first = JOB_UNKNOWN;

	if (verdict->group < 0 || (size_t)verdict->group >= job->ngroups || !verdict->op_index)
		return JOB_UNKNOWN;
	group = &job->groups[verdict->group];
	for (size_t i = 0; i < group->size && group->first_member >= 0; i++) {
		size_t at = (size_t)group->first_member + i;
		const struct job_member *member = at < job->nmembers ? &job->members[at] : NULL;

		for (size_t j = 0; member && j < member->nops; j++) {
			const struct job_op *op = &member->ops[j];

			if (op->index == verdict->op_index && op->entered != JOB_UNKNOWN &&
				(first == JOB_UNKNOWN || op->entered < first))
				first = op->entered;
		}
	}
	return first;
}

/* Returns when the event was that a cite names, and whose it is; JOB_UNKNOWN. */
static int64_t cited_time(const struct state *state, const char *cite, struct rank_index *rank)
{
	ptrdiff_t event = -1;
	struct rank_index cited = NO_RANK;

	if (!cite || !*cite || !tracks_cited(state->tracks, cite, &cited, &event))
		return JOB_UNKNOWN;
	if (!is_rank(cited) || (size_t)cited.i >= state->tracks->n)
		return JOB_UNKNOWN;
	*rank = cited;
	if (event < 0 || (size_t)event >= state->tracks->at[cited.i].nevents)
		return JOB_UNKNOWN;
	return state->tracks->at[cited.i].events[event].when;
}

/* Returns the rank that a verdict is about first; NO_RANK. */
static struct rank_index rank_of(const struct verdict *verdict)
{
	if (verdict->culprits.n)
		return verdict->culprits.at[0];
	if (verdict->camp_a.n)
		return verdict->camp_a.at[0];
	if (verdict->headline.ranks.n)
		return verdict->headline.ranks.at[0];
	return verdict->victims.n ? verdict->victims.at[0] : NO_RANK;
}

/* Returns since when the first of those waits who wait for it, as records have it; JOB_UNKNOWN. */
static int64_t first_wait(const struct state *state, const struct verdict *verdict)
{
	int64_t first = JOB_UNKNOWN;

	for (size_t i = 0; i < verdict->victims.n; i++) {
		const struct track *track = &state->tracks->at[verdict->victims.at[i].i];
		const struct track_span *span = track_last(track);

		if (track->now != TRACK_WAITING || track->at_least)
			continue;
		/* A call may lie in another that has not come back either. */
		while (span > track->spans && span[-1].state == TRACK_WAITING)
			span--;
		if (first == JOB_UNKNOWN || span->from < first)
			first = span->from;
	}
	return first;
}

/* Returns the moment of a verdict; JOB_UNKNOWN. */
static int64_t moment_of(
	const struct state *state, const struct verdict *verdict, struct rank_index rank)
{
	struct rank_index cited = NO_RANK;
	int64_t when = first_entry(state->scene.job, verdict);

	if (when == JOB_UNKNOWN)
		when = cited_time(state, verdict->headline.cite, &cited);
	/* What only a look at it says may have begun long before. */
	if (when == JOB_UNKNOWN && is_rank(rank) && state->tracks->at[rank.i].at_least)
		when = first_wait(state, verdict);
	if (when == JOB_UNKNOWN && is_rank(rank))
		when = state->tracks->at[rank.i].since;
	return when;
}

/* False for classes in which nothing stands: there is no moment from which on all is different. */
static bool is_hang(enum verdict_class class)
{
	return class != VERDICT_HEALTHY && class != VERDICT_SLOW && class != VERDICT_TOO_EARLY &&
	       class != VERDICT_INCONCLUSIVE;
}

void state_find_fork(struct state *state)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	struct rank_index rank = rank_of(verdict);
	const struct track *track = is_rank(rank) ? &state->tracks->at[rank.i] : NULL;

	state->forked = is_hang(verdict->class) ? moment_of(state, verdict, rank) : JOB_UNKNOWN;
	state->by_death = false;
	if (state->forked == JOB_UNKNOWN)
		return;
	/* Who died was missed only later. */
	if (track && track->now == TRACK_DEAD && track->since != JOB_UNKNOWN &&
		track->since <= state->forked) {
		state->forked = track->since;
		state->by_death = true;
	}
	if (state->forked <= state->bounds.from || state->forked >= state->bounds.to)
		state->forked = JOB_UNKNOWN;
}

int64_t state_entry_before(
	const struct state *state, struct rank_index rank, int64_t when, size_t n)
{
	const struct track *track = is_rank(rank) ? &state->tracks->at[rank.i] : NULL;
	ptrdiff_t at = track ? track_event_before(track, when) : -1;

	for (; at >= 0; at--)
		if (track->events[at].kind == TRACK_ENTER && track->events[at].when < when &&
			!--n)
			return track->events[at].when;
	return JOB_UNKNOWN;
}

#define LONG_HISTORY 8 /* times what is behind the moment */
#define ENTRY_COLUMNS 4 /* of the screen, for each op before the moment */

/*
 * Shows what is behind the moment, and of what was before it as much as can be told apart: where
 * there were more ops than there are columns for, the last of them. Of a job that stood long before
 * it as much as is behind it, so that the moment stands in the middle; and on one scale where it
 * can.
 */
static void show_moment(struct state *state)
{
	uint64_t all = window_span(state->bounds), least = all / 64 + 500;
	uint64_t behind = window_between(state->when, state->bounds.to);
	size_t most = (size_t)state->w / ENTRY_COLUMNS + 1;
	int64_t from = state_entry_before(state, state->rank, state->when, most);

	behind = behind > least ? behind : least;
	if (state_entry_before(state, state->rank, state->when, 3 * most) == JOB_UNKNOWN)
		from = state->bounds.from;
	state->window = (struct window){from, state->bounds.to};
	if (window_between(from, state->when) / LONG_HISTORY >= behind)
		state->window = window_within(
			state->bounds, window_earlier(state->when, behind), 2 * behind);
	state_break(state);
}

void state_open(struct state *state)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	struct rank_index rank = rank_of(verdict);
	int64_t when = moment_of(state, verdict, rank);

	state->rank = is_rank(rank) ? rank : state->nranks ? rank_index(0) : NO_RANK;
	state->window = state->bounds;
	state->when = when < state->bounds.from || when > state->bounds.to ? state->bounds.to :
									     when;
	state->pane = PANE_VERDICT;
	if (when != JOB_UNKNOWN)
		show_moment(state);
}

/* Returns the n-th piece of evidence of all verdicts; NULL behind the last. */
static const struct verdict_fact *evidence_at(const struct verdicts *verdicts, size_t n)
{
	for (size_t i = 0; i < verdicts->n; i++) {
		if (n < verdicts->at[i].nevidence)
			return &verdicts->at[i].evidence[n];
		n -= verdicts->at[i].nevidence;
	}
	return NULL;
}

/* Goes to whom the verdict is about. */
static void jump_to_culprit(struct state *state)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	struct rank_index rank = rank_of(verdict);

	if (!is_rank(rank)) {
		state_tell(state, "%s: nobody is blamed", verdict_class_name(verdict->class));
		return;
	}
	state_go(state, rank, moment_of(state, verdict, rank));
	state_tell(state, "%s %d; ! again: the evidence",
		verdict->culprits.n ? "the culprit, rank" : "rank", state->worlds[rank.i]);
}

void state_jump_verdict(struct state *state)
{
	const struct verdict_fact *fact;
	struct str words = {0};
	struct rank_index rank;
	int64_t when;

	fact = state->evidence ? evidence_at(state->scene.verdicts, state->evidence - 1) : NULL;
	if (!fact) {
		state->evidence = 1;
		jump_to_culprit(state);
		return;
	}
	rank = fact->ranks.n ? fact->ranks.at[0] : NO_RANK;
	when = cited_time(state, fact->cite, &rank);
	state_go(state, rank, when);
	wording_fact(&words, fact);
	state_tell(state, "evidence %zu: %s  %s", state->evidence, str_text(&words), fact->cite);
	str_release(&words);
	state->evidence++;
}
