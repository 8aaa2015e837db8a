/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_LISTS_H
#define DECODE_FLIGHT_LISTS_H

/*
 * Lists of ranks, which many dumps have in common: each dump of 16,384 ranks lists all of them, in
 * 108 KB of text. So a list is read once for all dumps, and what is asked of it again and again is
 * found then. Lists are told apart by all of their bytes: the hash only finds them.
 *
 * Several threads may ask at once. Memory is linear in the bytes of the lists that differ, and time
 * in the bytes of all, whatever they say.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rank.h"

/* One list. */
struct flight_list {
	const int64_t
		*ranks; /* world ranks in the order of their seats; none is negative */
	size_t nr;
	bool known;     /* all of the list could be read */
	bool ascending; /* each rank is larger than the one before */
	int64_t most;   /* the largest rank; -1 none */
	uint64_t sum;   /* a hash that does not depend on the order */
};

struct flight_lists;

/* Returns an empty set of lists; flight_lists_free() it, which takes NULL. */
struct flight_lists *flight_lists_new(void);
void flight_lists_free(struct flight_lists *lists);

/*
 * Returns the list that "[0, 1, 2]" is, up to where the text is odd. Valid as long as `lists`,
 * never NULL.
 */
const struct flight_list *flight_lists_of_text(
	struct flight_lists *lists, const char *text, size_t len);
/* Does the same for numbers, none of which is negative; `known`: the list is complete. */
const struct flight_list *flight_lists_of_numbers(
	struct flight_lists *lists, const int64_t *numbers, size_t nr, bool known);

/* Returns how many ranks are in the list; 0 for NULL. */
static inline size_t flight_list_size(const struct flight_list *list)
{
	return list ? list->nr : 0;
}

#endif
