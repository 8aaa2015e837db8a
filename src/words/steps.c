/* SPDX-License-Identifier: Apache-2.0 */
#include "words/steps.h"

#include <stdlib.h>

void steps_add(struct steps *steps, struct str *words, struct str *command)
{
	if (words->len || command->len)
		*array_add(&steps->all) = (struct step){str_detach(words), str_detach(command)};
	str_release(words);
	str_release(command);
}

void steps_add_text(struct str *into, const struct steps *steps)
{
	const struct step *step;

	array_for_each (&steps->all, step) {
		if (step != steps->all.items)
			str_add(into, "; ");
		str_printf(into, "%s%s%s", step->words,
			*step->words && *step->command ? ": " : "", step->command);
	}
}

void steps_release(struct steps *steps)
{
	struct step *step;

	array_for_each (&steps->all, step) {
		free(step->words);
		free(step->command);
	}
	array_release(&steps->all);
}
