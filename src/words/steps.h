/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h: steps for people to take, each with the one command that does it. A command runs as it
 * is printed, alone, in a shell: who paints never breaks, cuts or joins it.
 */
#ifndef WORDS_STEPS_H
#define WORDS_STEPS_H

#include "base/array.h"
#include "base/str.h"

struct step {
	char *words;   /* "" where the command says it */
	char *command; /* "" where no command does it */
};

struct steps {
	ARRAY(struct step) all;
};

/* Adds a step, unless both are empty; empties both. */
void steps_add(struct steps *steps, struct str *words, struct str *command);

/* Appends all of them as one text: "look at it: inquest attach; or on m4: inquest attach --all". */
void steps_add_text(struct str *into, const struct steps *steps);

/* Frees all steps and leaves none. */
void steps_release(struct steps *steps);

#endif
