/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt-words.h: what there is to say of a run's receipt: an answer, lines of a key and words, a
 * table of ranks. Report and viewer paint the same. Texts may hold whatever came from outside: who
 * paints escapes them.
 */
#ifndef WORDS_RECEIPT_WORDS_H
#define WORDS_RECEIPT_WORDS_H

#include "base/array.h"
#include "base/str.h"
#include "job/receipt.h"

struct receipt_line {
	const char *key; /* "when"; "" it belongs to the line above */
	char *words;
	const char *cite; /* "" none */
};

struct receipt_page {
	ARRAY(struct receipt_line) lines;
	ARRAY(char *) table; /* its header, then a row for ranks of which the same is said */
};

/* Appends the answer: what the run is called, and how it ended. */
void receipt_title(struct str *into, const struct receipt *receipt);

/* Appends the same in a word or two: "ok", "failed 3", "lost", "hung". */
void receipt_state(struct str *into, const struct receipt *receipt);

/* Fills an empty one; with `all`, each variable that is kept has its line. Release it. */
void receipt_page_of(struct receipt_page *page, const struct receipt *receipt, bool all);
/* Frees its lines. */
void receipt_page_release(struct receipt_page *page);

/* Appends "2026-11-22 10:43:39"; "not known". UTC. */
void receipt_add_date(struct str *into, int64_t when);
/* Appends a duration; "not known". */
void receipt_add_span(struct str *into, int64_t ns);
/* Appends numbers of ranks, ascending, runs folded: "0-2,5"; as numbers, however many. */
void receipt_add_ranks(struct str *into, const int64_t *numbers, size_t n);

#endif
