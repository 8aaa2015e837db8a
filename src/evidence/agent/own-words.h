/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells apart what inquest itself writes into a job's log and what the job writes, so that our
 * lines are never taken for a rank's last words. A page of verdicts follows a line that says how
 * many lines it has; everything else of ours is a single line with a known beginning. A launcher's
 * mark may stand before any of these lines.
 */
#ifndef EVIDENCE_OWN_WORDS_H
#define EVIDENCE_OWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define OWN_WORDS_VERDICT   "INQUEST_VERDICT "
#define OWN_WORDS_SAYS      "INQUEST: "
#define OWN_WORDS_COMPLAINT "inquest: "

/* Appends a page of verdicts, behind the line that says how long it is. */
void own_words_add_page(struct str *into, const char *page);

/* True if the text has any line of ours. */
bool own_words_are_in(const char *text, size_t len);

/*
 * Takes our lines out of the end of a log, in place, and returns how many bytes are left. Where the
 * text begins within a page of ours, all before that page's verdict goes with it, since nobody can
 * tell who wrote that.
 */
size_t own_words_drop(char *text, size_t len);

#endif
