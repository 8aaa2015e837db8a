/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_LISTS_H
#define DECODE_FLIGHT_LISTS_H

/*
 * Lists of ranks that many dumps have in common: each dump of 16,384 ranks lists all of them, in
 * 108 KB of text. So a list is read once, whoever has it, and what is asked of it again and again
 * is found out then. Lists are told apart by their bytes, all of them: the hash only finds them.
 *
 * Several threads may ask at once. Memory is linear in the bytes of the lists that differ, and time
 * in the bytes of all, whatever they say.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rank.h"

struct flight_list {
	const int64_t
		*ranks; /* world ranks in the order of their seats, as said; none is negative */
	size_t nr;
	bool known;     /* all of it could be read */
	bool ascending; /* each rank is larger than the one before */
	int64_t most;   /* the largest rank; -1 none */
	uint64_t sum;   /* a hash that does not depend on the order */
};

struct flight_lists;

/* Release it by flight_lists_free(), which takes NULL. */
struct flight_lists *flight_lists_new(void);
void flight_lists_free(struct flight_lists *lists);

/* The list of "[0, 1, 2]", up to where that is odd; valid as long as `lists`. Never NULL. */
const struct flight_list *flight_lists_of_text(
	struct flight_lists *lists, const char *text, size_t len);
/* The same for numbers; `known`: the list is complete. None of them is negative. */
const struct flight_list *flight_lists_of_numbers(
	struct flight_lists *lists, const int64_t *numbers, size_t nr, bool known);

/* How many are in it; 0 for NULL. */
static inline size_t flight_list_size(const struct flight_list *list)
{
	return list ? list->nr : 0;
}

#endif
