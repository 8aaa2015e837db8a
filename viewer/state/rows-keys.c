/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/state/rows-keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

/* Leaves "AllReduce", "Send to", "codegen". */
const char *rows_keys_without_ids(struct arena *arena, const struct track *track)
{
	char *text = arena_text(arena, track->doing), *to = text;

	if (track->now == TRACK_DEAD)
		return text;
	if (!strncmp(text, "store key", 9))
		return "store key";
	for (const char *word = text; *word;) {
		size_t length = strcspn(word, " "), whole = length + strspn(word + length, " ");

		if (*word != '#' && !(*word >= '0' && *word <= '9')) {
			memmove(to, word, whole);
			to += whole;
		}
		word += whole;
	}
	*to = '\0';
	return text;
}

/*
 * Returns of each rank the largest group that is not all of the job; else the largest; JOB_NONE.
 * The caller frees it.
 */
static int *groups_of(const struct job *job)
{
	int *groups = alloc_zeroed(job->nranks + 1, sizeof(*groups));
	bool *fixed = alloc_zeroed(job->nranks + 1, sizeof(*fixed));

	job_for_each_rank(job, rank)
		groups[rank.i] = JOB_NONE;
	/* Members stand by group, and groups by size. */
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *member = &job->members[i];
		uint32_t size = job->groups[member->group].size;

		if (!is_rank(member->rank) || fixed[member->rank.i])
			continue;
		if (groups[member->rank.i] == JOB_NONE || (size > 1 && size < job->nranks)) {
			groups[member->rank.i] = member->group;
			fixed[member->rank.i] = size > 1 && size < job->nranks;
		}
	}
	free(fixed);
	return groups;
}

/* Sets a mark on each of those ranks. */
static void mark(const struct verdict_ranks *ranks, uint8_t *marks, uint8_t as)
{
	for (size_t i = 0; i < ranks->n; i++)
		marks[ranks->at[i].i] |= as;
}

/* Where the row of a rank stands; `groups` by rank, NULL where rows are not by group. */
static void place_key(struct row_key *key, struct arena *arena, const struct tracks *tracks,
	enum rows_by by, const int *groups)
{
	const struct track *track = &tracks->at[key->rank.i];

	key->place = key->rank.i;
	key->doing = "";
	if (by == ROWS_BY_CLASS) {
		key->place = (int)track->now;
		key->doing = rows_keys_without_ids(arena, track);
	} else if (by == ROWS_BY_HOST) {
		key->place = job_rank(tracks->job, key->rank)->host;
	} else if (groups) {
		key->place = groups[key->rank.i];
	}
}

struct row_key *rows_keys_make(struct arena *arena, const struct tracks *tracks,
	const struct verdicts *verdicts, const struct rows_wish *wish, enum rows_by by,
	const bool *keep)
{
	struct row_key *keys = alloc_zeroed(tracks->n + 1, sizeof(*keys));
	int *groups = by == ROWS_BY_GROUP ? groups_of(tracks->job) : NULL;
	uint8_t *marks = alloc_zeroed(tracks->n + 1, 1);
	size_t n = 0;

	if (verdicts->n) {
		mark(&verdicts->at[0].culprits, marks, 1);
		mark(&verdicts->at[0].victims, marks, 2);
	}
	job_for_each_rank(tracks->job, rank) {
		if (!keep[rank.i])
			continue;
		keys[n] = (struct row_key){.rank = rank,
			.tagged = wish->tagged && wish->tagged[rank.i],
			.culprit = marks[rank.i] & 1,
			.victim = marks[rank.i] & 2};
		place_key(&keys[n++], arena, tracks, by, groups);
	}
	free(marks);
	free(groups);
	return keys;
}

/* Keys that are equal in all but the rank share a row. */
int rows_keys_compare(const struct row_key *a, const struct row_key *b)
{
	if (a->tagged != b->tagged)
		return a->tagged ? -1 : 1;
	if (a->culprit != b->culprit)
		return a->culprit ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return strcmp(a->doing, b->doing);
}

/* Orders keys, those that share a row by rank. */
static int compare_keys(const void *va, const void *vb)
{
	const struct row_key *a = va, *b = vb;
	int order = rows_keys_compare(a, b);

	return order ? order : a->rank.i - b->rank.i;
}

void rows_keys_sort(struct row_key *keys, size_t n)
{
	array_sort_items(keys, n, sizeof(*keys), compare_keys);
}
