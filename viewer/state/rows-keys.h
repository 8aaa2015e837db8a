/* SPDX-License-Identifier: Apache-2.0 */
/* rows-keys.h: what a rank is folded by, among the files row*.c only. Equal keys share a row. */
#ifndef VIEWER_ROWS_KEYS_H
#define VIEWER_ROWS_KEYS_H

#include "base/arena.h"
#include "viewer/state/rows.h"

struct row_key {
	struct rank_index rank;
	bool tagged, culprit, victim;
	int place;	    /* host or group; by class: the state */
	const char *doing; /* by class: without ids; else "" */
};

/*
 * Makes the key of each rank that is kept, in their order; the caller frees them, and owns the
 * arena.
 */
struct row_key *rows_keys_make(struct arena *arena, const struct tracks *tracks,
	const struct verdicts *verdicts, const struct rows_wish *wish, enum rows_by by,
	const bool *keep);

/* Returns what a rank does, without the numbers that differ from rank to rank. */
const char *rows_keys_without_ids(struct arena *arena, const struct track *track);

/*
 * Makes words of rows (row-words.c): what the row does, its worst rank, its losses. Kept for all
 * rows.
 */
struct row_words;
/* Returns a keep, which knows where ranks parted. row_words_free() it. */
struct row_words *row_words_new(const struct tracks *tracks, const struct verdicts *verdicts);
/* Frees it; NULL is fine. */
void row_words_free(struct row_words *kept);
/* Gives the row its words; they live in the arena. */
void row_words_make(struct row_words *kept, struct arena *arena, const struct tracks *tracks,
	struct row *row);

/* Orders keys by all but the rank: 0 where they share a row. */
int rows_keys_compare(const struct row_key *a, const struct row_key *b);

/* Sorts keys, side by side those that share a row, by rank. */
void rows_keys_sort(struct row_key *keys, size_t n);

#endif
