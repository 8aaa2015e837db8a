/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where facts become words. Facts come as a kind and values (verdict/verdict.h); each
 * kind has one template in a const table.
 *
 * Text from outside is appended here as it came: the caller escapes the whole for its reader
 * (words/escape.h). The words never name whom a fact is about, since a report shows that beside
 * them.
 */
#ifndef WORDS_WORDING_H
#define WORDS_WORDING_H

#include "base/str.h"
#include "verdict/verdict.h"
#include "words/tense.h"

/* Appends the words of a fact. */
void wording_fact(struct str *into, const struct verdict_fact *fact);

/* Appends what a rule needs that could not be judged: "ring of rank 3". */
void wording_need(
	struct str *into, const struct job *job, const struct verdict_not_judged *not_judged);

/* The words for what ends the job if nobody does. None is NULL. */
struct wording_limit {
	const char *ahead;    /* stands before the time that is left: "watchdog kills in" */
	const char *over;     /* its time is over */
	const char *was_over; /* its time was over when the job was looked at */
	const char *then;     /* what it would have done; stands behind "were left until" */
};
/* Returns the words for that limit. */
const struct wording_limit *wording_limit(enum verdict_limit limit)
	__attribute__((returns_nonnull));

/* Returns the cite of a verdict's limit, or that it is a default. Never NULL. */
const char *wording_limit_cite(const struct verdict *verdict);

/* The words for an outlook. None is NULL. */
struct wording_outlook {
	const char *word; /* "WAIT", "KILL", "UNKNOWN", "OVER" */
	const char *live; /* what it means for a live job: "cannot resolve by itself" */
	const char *then; /* the same for a record, in the past */
};
/* Returns the words for that outlook. */
const struct wording_outlook *wording_outlook(enum verdict_outlook outlook)
	__attribute__((returns_nonnull));
/* Stands for UNKNOWN where there is more room. */
#define WORDING_UNKNOWN_LONG "UNKNOWN if it resolves"

/*
 * Returns the name of a class in "ruled out death": the question that the class answers. Never
 * NULL.
 */
const char *wording_question(enum verdict_class class);

/* Appends "SIGSEGV" where the number has a name, else "signal N". */
void wording_signal(struct str *into, int64_t signo);

/* Appends "61 GiB", with three digits at most. */
void wording_bytes(struct str *into, int64_t bytes);

/* Returns the template of a fact, for tests to look at; NULL where the table has a hole. */
const char *wording_template(enum verdict_fact_kind kind);

#endif
