/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a line leads. A cite names an exhibit and a place in it ("ring:3:lane0:118"); that place is
 * an event of a rank, or it is not, as with "proc:3". Then what the fact says tells which event was
 * meant: the entry of its op, the begin of its span, the death.
 */
#include <stdio.h>
#include <string.h>

#include "job/names.h"
#include "viewer/pane/pane-words.h"

/* Appends the cite for one rank: "ring:*:g1" is "ring:3:g1" of rank 3. */
static void add_of_rank(
	struct str *into, const struct job *job, const char *cite, struct rank_index rank)
{
	const struct job_rank *r = job_rank(job, rank);

	for (; *cite; cite++) {
		if (cite[0] != '*' || !into->len || into->text[into->len - 1] != ':')
			str_add_char(into, *cite);
		else if (r->numberless && r->process != JOB_NONE)
			str_printf(into, "p%u", job->processes[r->process].pid);
		else
			str_printf(into, "%d", r->world_rank.n);
	}
}

struct pane_goal pane_goal_of_cite(
	const struct scene *scene, const char *cite, struct rank_index rank)
{
	struct pane_goal goal = {rank, JOB_UNKNOWN};
	struct str own = {0};
	ptrdiff_t event = -1;

	if (!is_rank(rank))
		str_add(&own, cite);
	else
		add_of_rank(&own, scene->job, cite, rank);
	if (tracks_cited(scene->tracks, str_text(&own), &goal.rank, &event) && event >= 0)
		goal.when = scene->tracks->at[goal.rank.i].events[event].when;
	str_release(&own);
	return goal;
}

/* True for facts that are about a collective. */
static bool is_about_op(enum verdict_fact_kind kind)
{
	switch (kind) {
	case FACT_WAITS_IN_OP:
	case FACT_ENTERED_OTHER:
	case FACT_FIRST_FORK:
	case FACT_ZERO_COUNT:
	case FACT_LAST_OP:
	case FACT_ALL_ENTERED:
	case FACT_NOT_COMPLETED:
	case FACT_NOT_BEGUN:
	case FACT_BEGUN_REST:
	case FACT_COMPLETED_REST:
	case FACT_CAMP:
	case FACT_SAME_ARGUMENTS:
	case FACT_NEVER_ENTERED:
	case FACT_COUNT:
		return true;
	default:
		return false;
	}
}

/* Returns the kind of events that a fact is about; TRACK_KINDS: none. */
static enum track_kind event_kind(enum verdict_fact_kind kind)
{
	switch (kind) {
	case FACT_SPAN_OPEN:
	case FACT_SPAN_ACTIVE:
	case FACT_SPAN_IDLE:
	case FACT_TOOLS:
	case FACT_RECOMPILES:
	case FACT_GRAPH:
		return TRACK_BEGIN;
	case FACT_SHARD:
	case FACT_BATCHES:
		return TRACK_SHARD;
	case FACT_STEPS:
		return TRACK_STEP;
	case FACT_EXCEPTION:
	case FACT_RAISED_AT:
		return TRACK_EXCEPTION;
	case FACT_DIED_SIGNAL:
	case FACT_DIED_IN:
	case FACT_DIED_EXIT:
	case FACT_TOLD_TO_END:
	case FACT_DIED_GONE:
	case FACT_OOM_KILL:
	case FACT_RSS:
	case FACT_TERMINATED:
		return TRACK_DEATH;
	default:
		return is_about_op(kind) ? TRACK_ENTER : TRACK_KINDS;
	}
}

/* Returns the index of the op; of who never entered it, of the last that it did enter. */
static int64_t op_index(const struct verdict_fact *fact)
{
	return fact->kind == FACT_NEVER_ENTERED ? fact->b
	       : fact->kind == FACT_COUNT       ? fact->c
						: fact->a;
}

/* True if it is this event, of its kind, that the fact is about. */
static bool is_it(const struct track_event *event, const struct verdict_fact *fact, int group)
{
	const struct job_op *op = event->fact;
	const struct job_span *span = event->fact;

	if (event->kind == TRACK_ENTER)
		return (int64_t)event->index == op_index(fact) && !job_op_is_p2p(op->sig.op) &&
		       (group == JOB_NONE || event->group == group);
	if (event->kind == TRACK_BEGIN)
		return fact->kind == FACT_SPAN_OPEN ? span->open && !strcmp(span->name, fact->text)
						    : span->kind == JOB_SPAN_COMPILE;
	return true;
}

struct pane_goal pane_goal_of_fact(
	const struct scene *scene, const struct verdict_fact *fact, int group)
{
	struct rank_index rank = fact->ranks.n ? fact->ranks.at[0] : NO_RANK;
	struct pane_goal goal = pane_goal_of_cite(scene, fact->cite, rank);
	enum track_kind kind = event_kind(fact->kind);
	const struct track *track;

	if (!is_rank(goal.rank) || goal.when != JOB_UNKNOWN || kind == TRACK_KINDS)
		return goal;
	track = &scene->tracks->at[goal.rank.i];
	for (size_t i = track->nevents; i-- > 0;) {
		const struct track_event *event = &track->events[i];

		if (event->kind != kind || event->when == JOB_UNKNOWN ||
			!is_it(event, fact, group))
			continue;
		goal.when = event->when;
		break;
	}
	return goal;
}
