/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words at the right of a row. What there is no room for is cut off behind a word, so the one
 * that says most is first: what the worst of its ranks does, then in which group, where there are
 * several, then how much of what was recorded is lost.
 */
#include <inttypes.h>
#include <string.h>

#include "viewer/rows-keys.h"

#define FEW 64 /* of so many ranks groups are compared */

static int worst_of(const struct tracks *tracks, const struct row *row)
{
	int worst = row->ranks[0];

	for (size_t i = 1; i < row->n; i++)
		if (tracks->at[row->ranks[i]].now > tracks->at[worst].now)
			worst = row->ranks[i];
	return worst;
}

/* Whether all of them that are in that state do the same there. */
static bool is_same(const struct tracks *tracks, const struct row *row, const struct track *worst)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct track *track = &tracks->at[row->ranks[i]];

		/* Mostly it is one and the same text. */
		if (track->now == worst->now && track->doing != worst->doing &&
			strcmp(track->doing, worst->doing) != 0)
			return false;
	}
	return true;
}

/* The group of what the rank is in now; JOB_NONE. */
static int group_of(const struct track *track)
{
	const struct track_span *last = track_last(track);

	return last && track->now != TRACK_DEAD ? last->group : JOB_NONE;
}

static bool has_several_groups(const struct job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->ngroups && n < 2; i++)
		n += strcmp(job->groups[i].maker, "bootstrap") != 0;
	return n > 1;
}

/* Two ranks that wait in the first AllReduce may wait for different ones. */
static void add_group(struct str *into, const struct tracks *tracks, const struct row *row,
	const struct track *worst)
{
	int group = group_of(worst);

	if (group == JOB_NONE || row->n > FEW || !has_several_groups(tracks->job))
		return;
	for (size_t i = 0; i < row->n; i++)
		if (group_of(&tracks->at[row->ranks[i]]) != group)
			return;
	str_printf(into, " %s", tracks->job->groups[group].name);
}

static void add_lost(struct str *into, const struct tracks *tracks, struct row *row)
{
	int64_t lost = 0;

	for (size_t i = 0; i < row->n; i++) {
		int64_t more = tracks->at[row->ranks[i]].lost;

		row->loses |= tracks->at[row->ranks[i]].loses;
		if (more == JOB_UNKNOWN || lost == JOB_UNKNOWN || more > INT64_MAX - lost)
			lost = JOB_UNKNOWN;
		else
			lost += more;
	}
	if (!row->loses)
		return;
	str_add(into, into->len ? ", lost" : "lost");
	if (lost > 0)
		str_printf(into, " %" PRId64, lost);
}

void row_words_make(struct arena *arena, const struct tracks *tracks, struct row *row)
{
	const struct track *worst;
	struct str text = {0};

	row->worst = worst_of(tracks, row);
	worst = &tracks->at[row->worst];
	if (is_same(tracks, row, worst))
		str_add(&text, worst->doing);
	else
		str_add(&text, rows_keys_without_ids(arena, worst));
	add_group(&text, tracks, row, worst);
	add_lost(&text, tracks, row);
	row->words = arena_text(arena, str_text(&text));
	str_release(&text);
}
