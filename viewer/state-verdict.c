/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the verdict points: the culprit, and the moment from which on its job could not go on: what
 * the headline cites, else the first entry into the op that waits, else since when the culprit is
 * what it is. The first screen is there, and ! goes there.
 */
#include "viewer/state-private.h"

#include <string.h>

#include "words/wording.h"

/* Where the first entry into the verdict's op was; JOB_UNKNOWN. */
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

static int64_t cited_time(const struct state *state, const char *cite, int *rank)
{
	ptrdiff_t event = -1;
	int cited = JOB_NONE;

	if (!cite || !*cite || !tracks_cited(state->tracks, cite, &cited, &event))
		return JOB_UNKNOWN;
	if (cited < 0 || (size_t)cited >= state->tracks->n)
		return JOB_UNKNOWN;
	*rank = cited;
	if (event < 0 || (size_t)event >= state->tracks->at[cited].nevents)
		return JOB_UNKNOWN;
	return state->tracks->at[cited].events[event].when;
}

static int rank_of(const struct verdict *verdict)
{
	if (verdict->culprits.n)
		return verdict->culprits.at[0];
	if (verdict->camp_a.n)
		return verdict->camp_a.at[0];
	if (verdict->headline.ranks.n)
		return verdict->headline.ranks.at[0];
	return verdict->victims.n ? verdict->victims.at[0] : JOB_NONE;
}

static int64_t moment_of(const struct state *state, const struct verdict *verdict, int rank)
{
	int cited = JOB_NONE;
	int64_t when = first_entry(state->scene.job, verdict);

	if (when == JOB_UNKNOWN)
		when = cited_time(state, verdict->headline.cite, &cited);
	if (when == JOB_UNKNOWN && rank >= 0)
		when = state->tracks->at[rank].since;
	return when;
}

/*
 * The whole job, where what went wrong has at least an eighth of it; of a longer one as much before
 * the moment as is behind it, or a little more: so that it stands in the middle.
 */
static void show_moment(struct state *state)
{
	uint64_t all = window_span(state->bounds), least = all / 64 + 500;
	uint64_t behind = window_between(state->when, state->bounds.to);

	if (behind >= all / 8) {
		state_fit(state);
		return;
	}
	behind = behind > least ? behind : least;
	state->window = window_within(
		state->bounds, window_earlier(state->when, behind), 2 * behind);
}

void state_open(struct state *state)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	int rank = rank_of(verdict);
	int64_t when = moment_of(state, verdict, rank);

	state->rank = rank >= 0 ? rank : state->nranks ? 0 : JOB_NONE;
	state->window = state->bounds;
	state->when = when < state->bounds.from || when > state->bounds.to ? state->bounds.to :
									     when;
	state->pane = PANE_VERDICT;
	if (when != JOB_UNKNOWN)
		show_moment(state);
}

/* The n-th piece of evidence of all verdicts; NULL behind the last. */
static const struct verdict_fact *evidence_at(const struct verdicts *verdicts, size_t n)
{
	for (size_t i = 0; i < verdicts->n; i++) {
		if (n < verdicts->at[i].nevidence)
			return &verdicts->at[i].evidence[n];
		n -= verdicts->at[i].nevidence;
	}
	return NULL;
}

static void jump_to_culprit(struct state *state)
{
	const struct verdict *verdict = &state->scene.verdicts->at[0];
	int rank = rank_of(verdict);

	if (rank < 0) {
		state_tell(state, "%s: nobody is blamed", verdict_class_name(verdict->class));
		return;
	}
	state_go(state, rank, moment_of(state, verdict, rank));
	state_tell(state, "%s %d; ! again: the evidence",
		verdict->culprits.n ? "the culprit, rank" : "rank", state->worlds[rank]);
}

void state_jump_verdict(struct state *state)
{
	const struct verdict_fact *fact;
	struct str words = {0};
	int rank;
	int64_t when;

	fact = state->evidence ? evidence_at(state->scene.verdicts, state->evidence - 1) : NULL;
	if (!fact) {
		state->evidence = 1;
		jump_to_culprit(state);
		return;
	}
	rank = fact->ranks.n ? fact->ranks.at[0] : JOB_NONE;
	when = cited_time(state, fact->cite, &rank);
	state_go(state, rank, when);
	wording_fact(&words, fact);
	state_tell(state, "evidence %zu: %s  %s", state->evidence, str_text(&words), fact->cite);
	str_release(&words);
	state->evidence++;
}
