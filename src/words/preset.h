/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reduced run that narrows down causes where nothing else told: no compile, two ranks, one
 * step. What hangs there as well is the program's own, and small enough to be read; what does not
 * was due to the compile, the scale or a later step.
 */
#ifndef WORDS_PRESET_H
#define WORDS_PRESET_H

#include "verdict/verdict.h"
#include "words/steps.h"

/*
 * Adds that step, behind a verdict that could not be reached, for a job that had ranks. If the
 * launch's command line is torchrun's, the step has that line, changed accordingly; if it is
 * another, or a part of it is withheld, the step has just words. Adds nothing where no launch is
 * known.
 */
void preset_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict);

#endif
