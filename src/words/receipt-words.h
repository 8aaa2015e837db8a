/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say of a run's receipt: an answer, lines of a key and words, a table of ranks.
 * Report and viewer paint the same. Texts may hold anything that came from outside, so whoever
 * paints must escape them.
 */
#ifndef WORDS_RECEIPT_WORDS_H
#define WORDS_RECEIPT_WORDS_H

#include "base/array.h"
#include "base/str.h"
#include "job/job-receipt.h"

/* A line of the page. */
struct receipt_line {
	const char *key; /* "when"; "" where the line belongs to the one above */
	char *words;
	const char *cite; /* "" none */
};

/* The page: lines, then the table. {0} at first. */
struct receipt_page {
	ARRAY(struct receipt_line) lines;
	ARRAY(char *) table; /* a header, then a row for each set of ranks of which the same is
			      * said */
};

/* Appends the answer: what the run is called, and how it ended. */
void receipt_title(struct str *into, const struct receipt *receipt);

/* Appends the same in a word or two: "ok", "failed 3", "lost", "hung". */
void receipt_state(struct str *into, const struct receipt *receipt);

/*
 * Fills an empty page. With `all`, each variable that is kept has a line. The caller calls
 * receipt_page_release().
 */
void receipt_page_of(struct receipt_page *page, const struct receipt *receipt, bool all);
/* Frees its lines. */
void receipt_page_release(struct receipt_page *page);

/* Appends "2026-11-22 10:43:39", which is UTC; "not known" where it is not. */
void receipt_add_date(struct str *into, int64_t when);
/* Appends a duration; "not known" where it is not. */
void receipt_add_span(struct str *into, int64_t ns);
/*
 * Appends numbers of ranks, ascending, runs folded: "0-2,5". However many they are, all are told.
 */
void receipt_add_ranks(struct str *into, const int64_t *numbers, size_t n);

#endif
