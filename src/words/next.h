/* SPDX-License-Identifier: Apache-2.0 */
/*
 * next.h: what to do next about a verdict, as lists/next.def has it, by what is known of the job.
 */
#ifndef WORDS_NEXT_H
#define WORDS_NEXT_H

#include "verdict/verdict.h"
#include "words/steps.h"
#include "words/tense.h"

/* Adds the next step of a verdict, with what follows it; nothing where it has none. */
void next_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict,
	enum tense tense);

/* The same as one text. */
void next_add_text(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense);

/* True if that is lost because somebody may not look: it ends with what to do about it. */
bool next_is_refusal(const char *loss);

#endif
