/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells apart what inquest itself writes into a job's log and what the job writes, so that our
 * lines are never taken for a rank's last words. A page of verdicts follows a line that says how
 * many lines it has; everything else of ours is a single line with a known beginning. A launcher's
 * mark may stand before any of them.
 */
#ifndef EVIDENCE_OWN_WORDS_H
#define EVIDENCE_OWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define OWN_WORDS_VERDICT   "INQUEST_VERDICT "
#define OWN_WORDS_SAYS      "INQUEST: "
#define OWN_WORDS_COMPLAINT "inquest: "

/* Appends the page, with the line before it that says how long it is. */
void own_words_add_page(struct str *into, const char *page);

/* True if any line of ours is in it. */
bool own_words_are_in(const char *text, size_t len);

/*
 * Takes our lines out of the end of a log and returns how much is left. Where the log begins within
 * a page of ours, the text before that page's verdict goes with it: nobody can tell who wrote that.
 */
size_t own_words_drop(char *text, size_t len);

#endif
