/* SPDX-License-Identifier: Apache-2.0 */
/* phrases.h: what a headline says that the culprits of a verdict do: "is stuck at the GIL". */
#ifndef WORDS_PHRASES_H
#define WORDS_PHRASES_H

#include <stdbool.h>

#include "verdict/verdict.h"

/*
 * The words of a headline: what one culprit does, what several do, and what is said where nobody is
 * blamed and camps are named. Then (_once) what one and several did who have died since, or in a
 * job that is over; NULL where the present form is used for that, too.
 */
struct phrase {
	const char *one, *many, *nobody;
	const char *one_once, *many_once;
};

/* Returns the words for the verdict: special ones by its cause, else those of its class. */
const struct phrase *phrase_of(const struct verdict *verdict);

/* Returns what verdicts of that class say where camps are named, and nobody blamed; NULL none. */
const char *phrase_of_nobody(enum verdict_class class);

/* Returns what one or many do, or, if it is over, did. */
const char *phrase_words(const struct phrase *phrase, bool many, bool over);

#endif
