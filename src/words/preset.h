/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preset.h: the reduced run that divides what is left of causes where nothing else told: no
 * compile, two ranks, one step. What hangs there as well is the program's own, and small enough to
 * be read; what does not, was the compile's, the scale's or a later step's.
 */
#ifndef WORDS_PRESET_H
#define WORDS_PRESET_H

#include "verdict/verdict.h"
#include "words/steps.h"

/*
 * Adds that step behind a verdict that could not be reached, of a job that had ranks: with the
 * launch's own command line changed so where it is one of torchrun's; in words alone where it is
 * another, or where a part of it is withheld. Nothing where no launch is known.
 */
void preset_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict);

#endif
