/* SPDX-License-Identifier: Apache-2.0 */
#include "job/message-index.h"

#include "base/array.h"
#include "base/bisect.h"

/* -- making it --------------------------------------------------------------------------------- */

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int compare_pairs(const struct job_op *a, const struct job_op *b)
{
	ORDER(a->sig.op, b->sig.op);
	ORDER(a->sig.peer.n, b->sig.peer.n);
	return 0;
}

static int compare_numbers(const struct job_op *a, const struct job_op *b)
{
	int order = compare_pairs(a, b);

	if (order)
		return order;
	ORDER(a->index, b->index);
	return 0;
}

static int compare_tags(const struct job_op *a, const struct job_op *b)
{
	int order = compare_pairs(a, b);

	if (order)
		return order;
	ORDER(a->tag, b->tag);
	ORDER(a->turn, b->turn);
	return 0;
}

/* Of two alike the one that the seat lists first comes first. */
static int compare_by_number(const void *va, const void *vb)
{
	const struct job_message *a = va, *b = vb;
	int order = compare_numbers(a->op, b->op);

	return order ? order : (a->op > b->op) - (a->op < b->op);
}

static int compare_by_tag(const void *va, const void *vb)
{
	const struct job_op *a = *(const struct job_op *const *)va;
	const struct job_op *b = *(const struct job_op *const *)vb;
	int order = compare_tags(a, b);

	return order ? order : (a > b) - (a < b);
}

/* Tells each call whether one before it is open. Returns how often the seat called, in all. */
static uint64_t follow_pairs(struct job_message *list, size_t n)
{
	uint64_t called = 0;
	bool open = false;

	for (size_t i = 0; i < n; i++) {
		if (i && compare_pairs(list[i - 1].op, list[i].op) != 0) {
			called += list[i - 1].op->index;
			open = false;
		}
		list[i].after_open = open;
		open |= list[i].op->completed != JOB_YES;
	}
	return n ? called + list[n - 1].op->index : 0;
}

const struct job_message_index *message_index_new(
	struct arena *arena, const struct job_op *p2p, size_t np2p)
{
	struct job_message_index *index = arena_new(arena, struct job_message_index);
	struct job_message *by_number = arena_new_many(arena, struct job_message, np2p);
	const struct job_op **by_tag;

	for (size_t i = 0; i < np2p; i++) {
		by_number[i].op = &p2p[i];
		index->ntagged += p2p[i].tagged;
	}
	by_tag = arena_new_many(arena, const struct job_op *, index->ntagged);
	for (size_t i = 0, n = 0; i < np2p; i++)
		if (p2p[i].tagged)
			by_tag[n++] = &p2p[i];
	array_sort_items(by_number, np2p, sizeof(*by_number), compare_by_number);
	array_sort_items(by_tag, index->ntagged, sizeof(*by_tag), compare_by_tag);
	index->counted = follow_pairs(by_number, np2p) == np2p;
	index->by_number = by_number;
	index->by_tag = by_tag;
	return index;
}

/* -- asking it --------------------------------------------------------------------------------- */

/* Returns the first place whose call is not before that one. */
static size_t place_by_number(const struct job_member *m, const struct job_op *key)
{
	return bisect(0, m->np2p, i, compare_numbers(m->messages->by_number[i].op, key) < 0);
}

static size_t place_by_tag(const struct job_member *m, const struct job_op *key)
{
	return bisect(0, m->np2p ? m->messages->ntagged : 0, i,
		compare_tags(m->messages->by_tag[i], key) < 0);
}

static struct job_op key_of(uint8_t op, struct group_rank peer)
{
	return (struct job_op){.sig = {.op = op, .peer = peer}};
}

/* Returns the call at that place if it is of the key's kind and peer; NULL. */
static const struct job_op *tagged_at(
	const struct job_member *m, size_t place, const struct job_op *key)
{
	const struct job_op *op =
		m->np2p && place < m->messages->ntagged ? m->messages->by_tag[place] : NULL;

	return op && compare_pairs(op, key) == 0 ? op : NULL;
}

uint64_t message_last(const struct job_member *m, uint8_t op, struct group_rank peer)
{
	struct job_op key = key_of(op, peer);
	const struct job_op *last;
	size_t place;

	key.index = UINT64_MAX;
	place = place_by_number(m, &key);
	if (place < m->np2p && compare_numbers(m->messages->by_number[place].op, &key) == 0)
		return UINT64_MAX;
	last = place ? m->messages->by_number[place - 1].op : NULL;
	return last && compare_pairs(last, &key) == 0 ? last->index : 0;
}

const struct job_message *message_find(
	const struct job_member *m, uint8_t op, struct group_rank peer, uint64_t index)
{
	struct job_op key = key_of(op, peer);
	size_t place;

	key.index = index;
	place = place_by_number(m, &key);
	return place < m->np2p && compare_numbers(m->messages->by_number[place].op, &key) == 0
		       ? &m->messages->by_number[place]
		       : NULL;
}

bool message_tells_tags(const struct job_member *m, uint8_t op, struct group_rank peer)
{
	struct job_op key = key_of(op, peer);

	return tagged_at(m, place_by_tag(m, &key), &key);
}

const struct job_op *message_find_tag(const struct job_member *m, uint8_t op,
	struct group_rank peer, uint64_t tag, uint64_t turn)
{
	struct job_op key = key_of(op, peer);
	const struct job_op *found;

	key.tag = tag;
	key.turn = turn;
	found = tagged_at(m, place_by_tag(m, &key), &key);
	return found && compare_tags(found, &key) == 0 ? found : NULL;
}

uint64_t message_last_turn(const struct job_member *m, uint8_t op, struct group_rank peer,
	uint64_t tag, bool *ret_any)
{
	struct job_op key = key_of(op, peer);
	const struct job_op *last;
	size_t place;

	key.tag = tag;
	key.turn = UINT64_MAX;
	place = place_by_tag(m, &key);
	last = tagged_at(m, place, &key);
	if ((!last || compare_tags(last, &key) != 0) && place)
		last = tagged_at(m, place - 1, &key);
	*ret_any = last && last->tag == tag;
	return *ret_any ? last->turn : 0;
}
