/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First the last place is sought up to which the rank's row of ops repeats itself. What stands
 * behind that place must then be the same row with a piece left out, or a piece of it done again.
 */
#include "job/habit.h"

#include <stdlib.h>

#include "base/array.h"
#include "job/names.h"
#include "job/rank-row.h"

#define HABIT_TAIL 64 /* at most so many ops may stand behind the place where the habit broke */

/* True if row[from..n) is what the habit expects `ahead` places behind its end. */
static bool goes_on(const struct habit *h, size_t from, size_t n, size_t ahead)
{
	for (size_t i = from; i < n; i++) {
		struct usual_op next = usual_next(h->row, h->at, h->period, ahead + i - from);

		if (!usual_same(&h->row[i], &next))
			return false;
	}
	return from < n;
}

/*
 * True if the ops behind the habit's end are the k ops before that end once more, and then go on as
 * ever.
 */
static bool did_again(const struct habit *h, size_t n, size_t k)
{
	for (size_t i = h->at; i < n && i < h->at + k; i++)
		if (!usual_same(&h->row[i], &h->row[i - k]))
			return false;
	return n <= h->at + k || goes_on(h, h->at + k, n, 1);
}

/*
 * True if the op behind the habit's end is a message to or from another peer than ever in its
 * place, and what follows is as ever.
 */
static bool did_with_another(const struct habit *h, size_t n)
{
	struct usual_op next = usual_next(h->row, h->at, h->period, 1);
	const struct usual_op *did = &h->row[h->at];

	return next.op && did->op && next.group == did->group && job_op_is_p2p(did->op->sig.op) &&
	       next.op->sig.op == did->op->sig.op &&
	       !same_group_rank(next.op->sig.peer, did->op->sig.peer) &&
	       (h->at + 1 == n || goes_on(h, h->at + 1, n, 2));
}

/*
 * Finds how the rank went on where its habit ends. Says nothing of a rank that did what it never
 * did before.
 */
static void find_break(struct habit *h, size_t n)
{
	for (size_t k = 1; k < h->period && !h->skipped; k++)
		h->skipped = goes_on(h, h->at, n, 1 + k) ? k : 0;
	for (size_t k = 1; k < h->period && k <= h->at && !h->again; k++)
		h->again = did_again(h, n, k) ? k : 0;
	if (h->skipped || h->again)
		h->kind = HABIT_LEFT;
	else
		h->turned = did_with_another(h, n);
}

/* Finds the last place up to which the row repeats itself, and whether the rank kept to that. */
static void find_habit(struct habit *h, size_t n)
{
	for (size_t tail = 0; tail < HABIT_TAIL && tail < n && !h->period; tail++) {
		h->at = n - tail;
		h->period = usual_period(h->row, h->at);
	}
	if (h->period && h->at == n)
		h->kind = HABIT_KEPT;
	else if (h->period)
		find_break(h, n);
}

/*
 * True if this habit came again for more ops than `held`, and for more steps than `held` ops are of
 * another habit's period.
 */
static bool held_more(const struct habit *h, size_t held, size_t period)
{
	size_t mine = usual_again(h->row, h->at, h->period);

	return mine > held && mine * period > held * h->period;
}

/*
 * Prefers an older habit to a new one that merely looks like one: a step with an op left out, laid
 * over the end of the step before, is twice the same, too ("sssr sssr" of "ssssr sssr"). An older
 * habit wins if it held for longer and through more steps, and explains all but less than one of
 * these two.
 */
static void prefer_older(struct habit *h, size_t n)
{
	size_t held = usual_again(h->row, h->at, h->period);

	if (h->kind != HABIT_KEPT || held >= 2 * h->period)
		return;
	for (size_t tail = 1; tail < h->period && tail < n && tail < HABIT_TAIL; tail++) {
		struct habit older = {.row = h->row, .at = n - tail};

		older.period = usual_period(older.row, older.at);
		if (!older.period || !held_more(&older, held, h->period))
			continue;
		find_break(&older, n);
		if (older.kind != HABIT_LEFT)
			continue;
		*h = older;
		return;
	}
}

struct habit habit_of(
	const struct job *job, const struct by_rank *seats, struct rank_index rank)
{
	struct habit h = {.kind = HABIT_UNKNOWN};
	struct rank_row row = rank_row_make(
		job, &seats->at[seats->first[rank.i]], by_rank_count(seats, rank));

	h.row = row.items;
	find_habit(&h, row.n);
	prefer_older(&h, row.n);
	return h;
}

void habit_release(struct habit *habit)
{
	free(habit->row);
	habit->row = NULL;
}

bool habit_repeats(const struct habit *habit)
{
	return habit->again && (!habit->skipped || habit->again < habit->skipped);
}

const struct job_op *habit_lacks(const struct habit *habit, int group, uint8_t op,
	struct group_rank peer)
{
	size_t n = habit->turned ? 1 : habit->skipped;

	for (size_t i = 1; !habit_repeats(habit) && i <= n; i++) {
		struct usual_op next = usual_next(habit->row, habit->at, habit->period, i);

		if (next.group == group && next.op->sig.op == op &&
			same_group_rank(next.op->sig.peer, peer))
			return next.op;
	}
	return NULL;
}
