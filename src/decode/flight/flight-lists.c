/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/flight/flight-lists.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"

/*
 * At most so many slots are looked at. An attacker who makes texts with equal hashes gains only
 * that they are read again each time.
 */
#define PROBES 8
#define LANES  4 /* hashes that are computed side by side */

/* What a list was made of. */
enum what { TEXT, NUMBERS, CUT_NUMBERS };

/* A list, and what it was made of. */
struct kept {
	const void *bytes;
	size_t len;
	uint64_t hash;
	enum what what;
	struct flight_list list;
};

/* A table of lists by the hash of their bytes. */
struct flight_lists {
	pthread_mutex_t lock; /* guards all below */
	struct arena arena;
	struct kept **slots;
	size_t nslots; /* a power of two */
	size_t nr;
};

struct flight_lists *flight_lists_new(void)
{
	struct flight_lists *lists = alloc_zeroed(1, sizeof(*lists));

	pthread_mutex_init(&lists->lock, NULL);
	lists->nslots = 64;
	lists->slots = alloc_zeroed(lists->nslots, sizeof(struct kept *));
	return lists;
}

void flight_lists_free(struct flight_lists *lists)
{
	if (!lists)
		return;
	pthread_mutex_destroy(&lists->lock);
	arena_release(&lists->arena);
	free(lists->slots);
	free(lists);
}

/* -- making one -------------------------------------------------------------------------------- */

/* Reads the next number of "0, 1, 2]" into *ret: returns 1; 0 if the text ends, -1 if it is odd. */
static int next_rank(const char **text, int64_t *ret)
{
	char *end;

	*text += strspn(*text, " ,");
	if (**text == ']')
		return (*text)[1 + strspn(*text + 1, " ")] ? -1 : 0;
	if (**text < '0' || **text > '9')
		return -1;
	*ret = strtol(*text, &end, 10);
	*text = end;
	return *ret <= INT32_MAX ? 1 : -1;
}

/* Adds a rank, and keeps count of what the list is asked for. */
static void add_rank(struct flight_list *list, int64_t *ranks, int64_t rank)
{
	uint64_t one = (uint64_t)rank * 0x9e3779b97f4a7c15ull;

	ranks[list->nr++] = rank;
	list->ascending &= rank > list->most;
	list->most = rank > list->most ? rank : list->most;
	list->sum += one ^ one >> 29;
}

/* Reads a list as Python prints it, up to where it is odd. */
static struct flight_list list_of_text(const char *text, int64_t *ranks)
{
	struct flight_list list = {.ascending = true, .most = -1};
	int64_t rank;
	int more;

	text += strspn(text, " ");
	if (*text++ != '[')
		return list;
	while ((more = next_rank(&text, &rank)) > 0) {
		add_rank(&list, ranks, rank);
		if (*text != ',' && *text != ' ' && *text != ']')
			return list;
	}
	list.known = !more;
	return list;
}

static struct flight_list list_of_numbers(const int64_t *numbers, size_t nr, int64_t *ranks)
{
	struct flight_list list = {.ascending = true, .most = -1};

	for (size_t i = 0; i < nr; i++)
		add_rank(&list, ranks, numbers[i]);
	return list;
}

/* -- keeping them ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/*
 * Hashes bytes in four lanes: lists of all ranks are gigabytes together, and a single hash waits
 * for itself.
 */
static uint64_t hash_of(const void *bytes, size_t len)
{
	uint64_t hash[LANES] = {len, 1, 2, 3}, last = 0;
	const char *at = bytes;

	for (; len >= LANES * sizeof(last); len -= LANES * sizeof(last))
		for (size_t i = 0; i < LANES; i++, at += sizeof(last))
			hash[i] = mix(hash[i], at);
	for (size_t i = 1; i < LANES; i++)
		hash[0] = mix(hash[0], (const char *)&hash[i]);
	for (; len >= sizeof(last); len -= sizeof(last), at += sizeof(last))
		hash[0] = mix(hash[0], at);
	memcpy(&last, at, len);
	return mix(hash[0], (const char *)&last);
}

static bool may_be(const struct kept *kept, const struct kept *like)
{
	return kept->hash == like->hash && kept->len == like->len && kept->what == like->what;
}

static bool is(const struct kept *kept, const struct kept *like)
{
	return may_be(kept, like) && !memcmp(kept->bytes, like->bytes, like->len);
}

/* Returns the slot of such a list, or a free one for it; NULL if none is near. */
static struct kept **slot_of(struct flight_lists *lists, const struct kept *like)
{
	for (size_t i = 0; i < PROBES; i++) {
		struct kept **slot = &lists->slots[(like->hash + i) & (lists->nslots - 1)];

		if (!*slot || is(*slot, like))
			return slot;
	}
	return NULL;
}

/* Doubles the table. Lists that find no slot near theirs are not found again. */
static void grow(struct flight_lists *lists)
{
	struct kept **old = lists->slots;
	size_t n = lists->nslots;

	lists->nslots *= 2;
	lists->slots = alloc_zeroed(lists->nslots, sizeof(struct kept *));
	for (size_t i = 0; i < n; i++) {
		struct kept **slot = old[i] ? slot_of(lists, old[i]) : NULL;

		if (slot)
			*slot = old[i];
	}
	free(old);
}

/* Makes the list of new bytes, of at most `most` ranks, and keeps both. */
static struct kept *make(struct flight_lists *lists, const struct kept *like, size_t most)
{
	struct kept *kept = arena_new(&lists->arena, struct kept);
	int64_t *ranks = alloc_zeroed(most, sizeof(*ranks));
	struct kept **slot;

	*kept = *like;
	kept->bytes = arena_copy(&lists->arena, like->bytes, like->len);
	kept->list = like->what == TEXT ? list_of_text(like->bytes, ranks)
					: list_of_numbers(like->bytes, most, ranks);
	kept->list.known |= like->what == NUMBERS;
	kept->list.ranks = arena_copy(&lists->arena, ranks, kept->list.nr * sizeof(*ranks));
	free(ranks);
	if (lists->nr++ * 2 >= lists->nslots)
		grow(lists);
	slot = slot_of(lists, kept);
	if (slot)
		*slot = kept;
	return kept;
}

/*
 * Returns the first list that may be it by its hash; NULL if it is another. Kept lists stay, so
 * they are compared without the lock.
 */
static const struct kept *find(struct flight_lists *lists, const struct kept *like)
{
	const struct kept *kept = NULL;

	pthread_mutex_lock(&lists->lock);
	for (size_t i = 0; i < PROBES && !kept; i++) {
		kept = lists->slots[(like->hash + i) & (lists->nslots - 1)];
		if (kept && !may_be(kept, like))
			kept = NULL;
	}
	pthread_mutex_unlock(&lists->lock);
	return kept && is(kept, like) ? kept : NULL;
}

static const struct flight_list *find_or_make(
	struct flight_lists *lists, const struct kept *like, size_t most)
{
	const struct kept *found = find(lists, like);
	struct kept **slot, *kept;

	if (found)
		return &found->list;
	pthread_mutex_lock(&lists->lock);
	slot = slot_of(lists, like);
	kept = slot && *slot ? *slot : make(lists, like, most);
	pthread_mutex_unlock(&lists->lock);
	return &kept->list;
}

const struct flight_list *flight_lists_of_text(
	struct flight_lists *lists, const char *text, size_t len)
{
	const struct kept like = {
		.bytes = text, .len = len, .hash = hash_of(text, len), .what = TEXT};

	/* A number has a digit, and something before it. */
	return find_or_make(lists, &like, len / 2 + 1);
}

const struct flight_list *flight_lists_of_numbers(
	struct flight_lists *lists, const int64_t *numbers, size_t nr, bool known)
{
	size_t len = nr * sizeof(*numbers);
	const struct kept like = {.bytes = numbers,
		.len = len,
		.hash = hash_of(numbers, len),
		.what = known ? NUMBERS : CUT_NUMBERS};

	return find_or_make(lists, &like, nr);
}

/* -- asking one -------------------------------------------------------------------------------- */
