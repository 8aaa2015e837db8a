/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h: what may be drawn of a rank, worked out from the job's facts by another way than the
 * viewer's, and slowly. It knows nothing of tracks or pyramids: of each moment it says which states
 * the records allow, of each cell whether what is drawn in it is one of those, hides nothing worse,
 * and is what took longest where all are ordinary.
 */
#ifndef TESTS_VIEWER_ORACLE_H
#define TESTS_VIEWER_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job.h"

/* The letters of the ASCII screen, in the order of the legend, the least first. */
#define ORACLE_STATES "?:#=g-ikucwb~X"
#define ORACLE_MARKS  "|+EFLRK"
#define ORACLE_POINTS "EFLRK" /* marks that stand for one thing each */

struct oracle;

/* Returns the oracle of one rank, which points into the job. oracle_free() it. */
struct oracle *oracle_new(const struct job *job, struct rank_index rank, int64_t from, int64_t to);
void oracle_free(struct oracle *oracle);

/*
 * Returns what is wrong with a cell of [from, to) that shows the letter `drawn` (one of
 * ORACLE_STATES, 'c' for all phases of compiles, or of ORACLE_MARKS) between neighbours that show
 * `before` and `behind`; NULL: nothing is wrong.
 */
const char *oracle_objects(const struct oracle *oracle, int64_t from, int64_t to, char drawn,
	char before, char behind);

/*
 * For a rank that shares its row with others: true if the letter hides something of this rank that
 * is worse, and not ordinary. That the letter is of another rank is no objection.
 */
bool oracle_is_hidden(const struct oracle *oracle, int64_t from, int64_t to, char drawn,
	char before, char behind);

#endif
