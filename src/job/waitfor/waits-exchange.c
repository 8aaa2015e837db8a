/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds exchanges: sends and receives that stand or fall together. Both sides of a message are of
 * one exchange, and so is all that a rank launched in one go: it completes as one.
 *
 *	0 launches	 send 1, recv 2	0>1 and 2>0 by 0's launch,
 *	1 launches	 recv 0, send 2	1>2 by 1's, which has the other side of 0>1:
 *	2 launches	 recv 1, send 0	one exchange
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "job/message-index.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/waitfor/waits.h"

/* Returns the wait that stands for an exchange; halves the way to it for who asks next. */
static int root_of(struct waits *waits, int at)
{
	while (waits->at[at].exchange != at) {
		int up = waits->at[at].exchange;

		waits->at[at].exchange = waits->at[up].exchange;
		at = up;
	}
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

/* -- waits by their ops ------------------------------------------------------------------------ */

static int compare_ops(const void *va, const void *vb)
{
	const struct wait_of_op *a = va, *b = vb;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

int waits_for_message(const struct waits *waits, const struct job_op *op)
{
	size_t place = bisect(0, waits->nof_ops, i, waits->of_ops[i].op < op);

	return place < waits->nof_ops && waits->of_ops[place].op == op ? waits->of_ops[place].at
								       : JOB_NONE;
}

/* Lists the waits for messages by their ops. */
static void list_messages(struct waits *waits)
{
	waits->of_ops = alloc_zeroed(waits->n + 1, sizeof(*waits->of_ops));
	for (size_t i = 0; i < waits->n; i++)
		if (waits->at[i].kind == WAIT_P2P && waits->at[i].op)
			waits->of_ops[waits->nof_ops++] =
				(struct wait_of_op){waits->at[i].op, (int)i};
	array_sort_items(waits->of_ops, waits->nof_ops, sizeof(*waits->of_ops), compare_ops);
}

/* -- what belongs together --------------------------------------------------------------------- */

/* A message that is waited for, by who launched it together with others. */
struct launched {
	int rank;
	uint64_t launch;
	int at; /* its wait */
};

static int compare_launches(const void *va, const void *vb)
{
	const struct launched *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Unites the waits for what one rank launched in one go. */
static void unite_launches(struct waits *waits)
{
	struct launched *list = alloc_zeroed(waits->nof_ops + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < waits->nof_ops; i++) {
		const struct wait_of_op *of = &waits->of_ops[i];

		if (of->op->launch)
			list[n++] = (struct launched){
				waits->at[of->at].rank.i, of->op->launch, of->at};
	}
	array_sort_items(list, n, sizeof(*list), compare_launches);
	for (size_t i = 1; i < n; i++)
		if (list[i - 1].rank == list[i].rank && list[i - 1].launch == list[i].launch)
			unite(waits, list[i - 1].at, list[i].at);
	free(list);
}

/* Unites a wait with the one for that op of its peer, if there is one. */
static void unite_sides(struct waits *waits, int at, const struct job_op *theirs)
{
	int other = theirs && message_is_same(theirs, waits->at[at].op)
			    ? waits_for_message(waits, theirs)
			    : JOB_NONE;

	if (other != JOB_NONE)
		unite(waits, other, at);
}

/* Unites a wait with the other side of its message: by tag, or by number where one tells none. */
static void unite_with_peer(struct waits *waits, const struct job *job, int at)
{
	const struct wait *wait = &waits->at[at];
	const struct job_member *peer = &job->members[wait->peer];
	struct group_rank seat = job->members[wait->member].seat;
	uint8_t kind = wait->op->sig.op == JOB_OP_SEND ? JOB_OP_RECV : JOB_OP_SEND;
	const struct job_message *met = message_find(peer, kind, seat, wait->op->index);

	unite_sides(waits, at, met ? met->op : NULL);
	if (wait->op->tagged)
		unite_sides(waits, at,
			message_find_tag(peer, kind, seat, wait->op->tag, wait->op->turn));
}

void waits_join_exchanges(struct waits *waits, const struct job *job)
{
	for (size_t i = 0; i < waits->n; i++)
		waits->at[i].exchange = waits->at[i].kind == WAIT_P2P ? (int)i : JOB_NONE;
	list_messages(waits);
	unite_launches(waits);
	for (size_t i = 0; i < waits->nof_ops; i++)
		unite_with_peer(waits, job, waits->of_ops[i].at);
	for (size_t i = 0; i < waits->n; i++)
		if (waits->at[i].kind == WAIT_P2P)
			waits->at[i].exchange = root_of(waits, (int)i);
}
