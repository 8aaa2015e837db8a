/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rank gets a key: pinned, culprit, and what it is folded by. Ranks of equal keys are a row.
 * Of classes the small ones come first: who differs from the many is whom one looks for.
 */
#include "viewer/state/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "viewer/state/rows-filter.h"
#include "viewer/state/rows-keys.h"
#include "words/escape.h"
#include "words/rank-names.h"

#define LABEL_WIDTH 64 /* of a set of ranks: the screen cuts further */

/* Rows, and what they are made of; rows.h shows the first member only. */
struct rows_made {
	struct rows rows;
	struct arena arena;
	ARRAY(struct row) list;
	ptrdiff_t *row_of; /* by rank */
	size_t nranks;
};

/* -- rows -------------------------------------------------------------------------------------- */

/* Appends a text of anybody, escaped. */
static void add_text(struct str *into, const char *text)
{
	escape_text(into, text ? text : "", true);
}

/* Returns a row's label. `whole`: nobody else stands in the same place, whose name will do then. */
static const char *label_of(struct rows_made *made, const struct job *job, const struct row *row,
	const struct row_key *key, bool whole)
{
	struct verdict_ranks ranks = {row->ranks, row->n};
	const char *label;
	struct str text = {0};

	if (made->rows.by == ROWS_BY_HOST && row->depth == 0) {
		add_text(&text, key->place >= 0 && (size_t)key->place < job->nhosts
					? job->hosts[key->place].name
					: "no host");
		if (!whole)
			str_add(&text, ": ");
	} else if (made->rows.by == ROWS_BY_GROUP && row->depth == 0) {
		add_text(&text, key->place >= 0 ? job->groups[key->place].name : "no group");
		str_add(&text, ": ");
		whole = false;
	} else {
		whole = false;
	}
	if (!whole)
		ranks_fit(&text, job, ranks, LABEL_WIDTH);
	label = arena_text(&made->arena, str_text(&text));
	str_release(&text);
	return label;
}

/* Adds rows of one rank each, below the fold that they come from. */
static void add_open(struct rows_made *made, const struct job *job, const struct row_key *keys,
	const struct row *fold)
{
	for (size_t i = 0; i < fold->n; i++) {
		struct row row = {.ranks = fold->ranks + i,
			.n = 1,
			.culprit = keys[i].culprit,
			.victim = keys[i].victim,
			.depth = 1,
			.tagged = fold->tagged};

		row.label = label_of(made, job, &row, &keys[i], false);
		*array_add(&made->list) = row;
	}
}

#define LANES_MOST 32

/* Lists the groups that anything of the rank is of, ascending, JOB_NONE last. Returns how many. */
static size_t list_lanes(const struct track *track, int groups[LANES_MOST])
{
	size_t n = 0, at;

	for (size_t i = 0; i < track->nspans + track->nevents; i++) {
		int group = i < track->nspans ? track->spans[i].group
					      : track->events[i - track->nspans].group;

		if (n && groups[n - 1] == group)
			continue;
		for (at = 0; at < n && groups[at] != group; at++)
			;
		if (at == n && n < LANES_MOST - 1 && group != JOB_NONE)
			groups[n++] = group;
	}
	for (size_t i = 1; i < n; i++)
		for (at = i; at && groups[at - 1] > groups[at]; at--) {
			int group = groups[at];

			groups[at] = groups[at - 1];
			groups[at - 1] = group;
		}
	groups[n++] = JOB_NONE;
	return n;
}

size_t rows_count_lanes(const struct track *track)
{
	int groups[LANES_MOST];

	return list_lanes(track, groups);
}

/* Returns what the rank does in that group, else what it did last there. */
static const char *last_in(struct rows_made *made, const struct track *track, int group)
{
	const struct track_span *now = track_last(track);

	for (size_t i = track->nspans; i-- > 0;) {
		const struct track_span *span = &track->spans[i];

		if (span->group != group || span->state < TRACK_COMPUTE ||
			span->state >= TRACK_LOST)
			continue;
		return span == now ? span->name
				   : arena_printf(&made->arena, "last %s", span->name);
	}
	return "";
}

/* Adds a row for each group of the rank, below its own. */
static void add_lanes(struct rows_made *made, const struct tracks *tracks, const struct row *of)
{
	const struct track *track = &tracks->at[of->ranks[0].i];
	int groups[LANES_MOST];
	size_t n = list_lanes(track, groups);

	for (size_t i = 0; i < n; i++) {
		struct row row = {.ranks = of->ranks,
			.n = 1,
			.worst = of->ranks[0],
			.depth = 1,
			.tagged = of->tagged,
			.is_lane = true,
			.group = groups[i]};
		struct str label = {0};

		add_text(&label, groups[i] == JOB_NONE ? "no group"
						       : tracks->job->groups[groups[i]].name);
		row.label = arena_text(&made->arena, str_text(&label));
		row.words = last_in(made, track, groups[i]);
		str_release(&label);
		*array_add(&made->list) = row;
	}
}

/* Ranks of equal keys. */
struct fold {
	const struct row_key *keys;
	size_t n;
	bool sized; /* small ones come first */
	bool whole; /* nobody else stands in the same place */
};

/* Orders folds: pinned ones, culprits, then small ones or by rank. */
static int compare_orders(const void *va, const void *vb)
{
	const struct fold *a = va, *b = vb;

	if (a->keys->tagged != b->keys->tagged)
		return a->keys->tagged ? -1 : 1;
	if (a->keys->culprit != b->keys->culprit)
		return a->keys->culprit ? -1 : 1;
	if (a->sized && a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->keys->rank.i - b->keys->rank.i;
}

/* Adds a fold's row, and those below it where it is open. */
static void add_fold(struct rows_made *made, const struct tracks *tracks, const struct fold *fold,
	const struct rows_wish *wish)
{
	const struct job *job = tracks->job;
	struct rank_index *ranks = arena_new_many(&made->arena, struct rank_index, fold->n);
	struct row row = {.ranks = ranks,
		.n = fold->n,
		.culprit = fold->keys->culprit,
		.victim = true,
		.tagged = fold->keys->tagged};

	for (size_t i = 0; i < fold->n; i++) {
		ranks[i] = fold->keys[i].rank;
		row.victim &= fold->keys[i].victim;
	}
	row.open = fold->n > 1 &&
		   (wish->all_expanded || (wish->expanded && wish->expanded[ranks[0].i]));
	row.laned = fold->n == 1 && wish->laned && same_rank(ranks[0], *wish->laned);
	row.label = label_of(made, job, &row, fold->keys, fold->whole);
	*array_add(&made->list) = row;
	if (row.open)
		add_open(made, job, fold->keys, &row);
	if (row.laned)
		add_lanes(made, tracks, &row);
}

/* Finds folds whose host is one row: its name is enough then. */
static void find_whole(struct fold *folds, size_t n, size_t nhosts)
{
	unsigned *shares = alloc_zeroed(nhosts + 1, sizeof(*shares));

	/* Those of no host stand behind the hosts. */
	for (size_t i = 0; i < n; i++) {
		int place = folds[i].keys->place;

		shares[place < 0 ? nhosts : (size_t)place]++;
	}
	for (size_t i = 0; i < n; i++) {
		int place = folds[i].keys->place;

		folds[i].whole = shares[place < 0 ? nhosts : (size_t)place] == 1;
	}
	free(shares);
}

/* Sorts the keys, and adds a row for each that is another. */
static void fold_keys(struct rows_made *made, const struct tracks *tracks, struct row_key *keys,
	size_t n, const struct rows_wish *wish)
{
	ARRAY(struct fold) folds = {0};
	struct fold *fold;

	rows_keys_sort(keys, n);
	for (size_t i = 0; i < n; i++) {
		if (!i || rows_keys_compare(&keys[i - 1], &keys[i]) != 0)
			*array_add(&folds) = (struct fold){.keys = &keys[i],
				.sized = made->rows.by == ROWS_BY_CLASS};
		folds.items[folds.nr - 1].n++;
	}
	if (made->rows.by == ROWS_BY_HOST)
		find_whole(folds.items, folds.nr, tracks->job->nhosts);
	array_sort(&folds, compare_orders);
	array_for_each (&folds, fold)
		add_fold(made, tracks, fold, wish);
	array_release(&folds);
}

/* In which row each rank is. Of an open fold the later rows are the ranks' own; lanes are parts. */
static void index_ranks(struct rows_made *made, size_t nranks)
{
	made->nranks = nranks;
	made->row_of = alloc_zeroed(nranks + 1, sizeof(*made->row_of));
	for (size_t i = 0; i < nranks; i++)
		made->row_of[i] = -1;
	for (size_t i = 0; i < made->list.nr; i++)
		for (size_t k = 0; !made->list.items[i].is_lane && k < made->list.items[i].n; k++)
			made->row_of[made->list.items[i].ranks[k].i] = (ptrdiff_t)i;
}

struct rows *rows_new(const struct tracks *tracks, const struct verdicts *verdicts,
	const struct rows_wish *wish)
{
	struct rows_made *made = alloc_zeroed(1, sizeof(*made));
	bool *keep = alloc_zeroed(tracks->n + 1, sizeof(*keep));
	struct row_words *words = row_words_new(tracks, verdicts);
	struct row_key *keys;

	memset(keep, true, tracks->n);
	if (wish->filter)
		rows_filter_apply(tracks, wish->filter, keep);
	for (size_t i = 0; i < tracks->n; i++)
		made->rows.ranks += keep[i];
	made->rows.hidden = tracks->n - made->rows.ranks;
	made->rows.by = wish->by_chosen		       ? wish->by
			: made->rows.ranks <= wish->room ? ROWS_FLAT
						       : ROWS_BY_CLASS;
	keys = rows_keys_make(&made->arena, tracks, verdicts, wish, made->rows.by, keep);
	fold_keys(made, tracks, keys, made->rows.ranks, wish);
	for (size_t i = 0; i < made->list.nr; i++)
		if (!made->list.items[i].is_lane)
			row_words_make(words, &made->arena, tracks, &made->list.items[i]);
	row_words_free(words);
	made->rows.at = made->list.items;
	made->rows.n = made->list.nr;
	index_ranks(made, tracks->n);
	free(keys);
	free(keep);
	return &made->rows;
}

void rows_free(struct rows *rows)
{
	struct rows_made *made = (struct rows_made *)rows;

	if (!made)
		return;
	array_release(&made->list);
	arena_release(&made->arena);
	free(made->row_of);
	free(made);
}

ptrdiff_t rows_of_rank(const struct rows *rows, struct rank_index rank)
{
	const struct rows_made *made = (const struct rows_made *)rows;

	return is_rank(rank) && (size_t)rank.i < made->nranks ? made->row_of[rank.i] : -1;
}

const char *rows_by_name(enum rows_by by)
{
	static const char *const names[ROWS_BYS] = {
		[ROWS_BY_CLASS] = "class",
		[ROWS_BY_HOST] = "host",
		[ROWS_BY_GROUP] = "group",
		[ROWS_FLAT] = "flat",
	};

	return (unsigned)by < ROWS_BYS ? names[by] : "unknown";
}
