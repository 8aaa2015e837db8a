/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds exchanges: sends and receives that stand or fall together. Both sides of a message are of
 * one exchange, and so is all that a rank launched in one go: it completes as one.
 *
 *	0 launches	 send 1, recv 2	0>1 and 2>0 by 0's launch,
 *	1 launches	 recv 0, send 2	1>2 by 1's, which has the other side of 0>1:
 *	2 launches	 recv 1, send 0	one exchange
 */
#include "base/alloc.h"
#include "job/messages.h"
#include "job/waitfor/waits.h"

/* Returns the wait that stands for an exchange. */
static int root_of(const struct waits *waits, int at)
{
	while (waits->at[at].exchange != at)
		at = waits->at[at].exchange;
	return at;
}

/* Unites the exchanges of two waits; the lower number stands for both. */
static void unite(struct waits *waits, int a, int b)
{
	int low, high;

	a = root_of(waits, a);
	b = root_of(waits, b);
	low = a < b ? a : b;
	high = a < b ? b : a;
	waits->at[high].exchange = low;
}

static bool is_one_launch(const struct wait *a, const struct wait *b)
{
	return a->op && b->op && a->op->launch && a->op->launch == b->op->launch;
}

static bool are_sides(const struct wait *a, const struct wait *b)
{
	return a->member == b->peer && a->peer == b->member && a->op && b->op &&
	       a->op->sig.op != b->op->sig.op && message_is_same(a->op, b->op);
}

/* Unites a wait with all waits of that rank before it that belong to the same exchange. */
static void unite_with(struct waits *waits, int at, struct rank_index rank,
	bool (*belong)(const struct wait *a, const struct wait *b))
{
	for (size_t k = waits->first[rank.i]; k < waits->first[rank.i + 1] && k < (size_t)at; k++)
		if (waits->at[k].kind == WAIT_P2P && belong(&waits->at[k], &waits->at[at]))
			unite(waits, (int)k, at);
}

void waits_join_exchanges(struct waits *waits, const struct job *job)
{
	for (size_t i = 0; i < waits->n; i++)
		waits->at[i].exchange = waits->at[i].kind == WAIT_P2P ? (int)i : JOB_NONE;
	for (size_t i = 0; i < waits->n; i++) {
		const struct wait *wait = &waits->at[i];
		struct rank_index peer;

		if (wait->kind != WAIT_P2P)
			continue;
		unite_with(waits, (int)i, wait->rank, is_one_launch);
		peer = job->members[wait->peer].rank;
		if (is_rank(peer))
			unite_with(waits, (int)i, peer, are_sides);
	}
	for (size_t i = 0; i < waits->n; i++)
		if (waits->at[i].kind == WAIT_P2P)
			waits->at[i].exchange = root_of(waits, (int)i);
}
