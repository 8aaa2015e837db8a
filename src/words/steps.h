/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps for people to take, each with the one command that does it. A command runs as it is
 * printed, alone, in a shell: whoever paints must never break, cut or join it.
 */
#ifndef WORDS_STEPS_H
#define WORDS_STEPS_H

#include "base/array.h"
#include "base/str.h"

/* A step. */
struct step {
	char *words;   /* "" where the command says all */
	char *command; /* "" where no command does it */
};

/* Steps, in order. {0} at first; steps_release() it. */
struct steps {
	ARRAY(struct step) all;
};

/* Adds a step, unless both are empty; empties both. */
void steps_add(struct steps *steps, struct str *words, struct str *command);

/* Appends all steps as one text: "look at it: inquest attach; or on m4: inquest attach --all". */
void steps_add_text(struct str *into, const struct steps *steps);

/* Frees all steps and leaves an empty list. */
void steps_release(struct steps *steps);

#endif
