/* SPDX-License-Identifier: Apache-2.0 */
/* What to do next about a verdict: the steps of lists/next.def, by what is known of the job. */
#ifndef WORDS_NEXT_H
#define WORDS_NEXT_H

#include "verdict/verdict.h"
#include "words/steps.h"
#include "words/tense.h"

/*
 * Adds the next step of a verdict, with what follows it; nothing where it has none. `tense` tells
 * whether the job goes on.
 */
void next_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict,
	enum tense tense);

/* Appends the same as one text. */
void next_add_text(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense);

/* True if the loss is that somebody may not look. Then it ends with what to do about that. */
bool next_is_refusal(const char *loss);

#endif
