/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks of a circle tell nothing about orders. Each is held against all nodes of the circle
 * at once, by its seats: a circle may have ten thousands of both.
 */
#include "base/bisect.h"
#include "job/rollcall.h"
#include "verdict/circles/circle.h"

/* A node of the circle, each once, by group: operations first, by index. */
struct stop {
	int group;
	bool is_op;
	uint64_t index;
	int node;
};

struct stops {
	ARRAY(struct stop) list;
};

static int compare_stops(const void *va, const void *vb)
{
	const struct stop *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->is_op != b->is_op)
		return a->is_op ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Lists the nodes of holders that are of groups; holders of one node stand together. */
static void list_stops(const struct inquiry *q, const struct circle *circle, struct stops *stops)
{
	const struct holder *list = circle->holders.items;

	for (size_t i = 0; i < circle->holders.nr; i++) {
		const struct waitfor_node *op = &q->graph->nodes[list[i].node];

		if (op->group != JOB_NONE && (!i || list[i - 1].node != list[i].node))
			*array_add(&stops->list) = (struct stop){
				op->group, op->kind == WAITFOR_OP, op->index, list[i].node};
	}
	array_sort(&stops->list, compare_stops);
}

/* Returns the first stop of that group, or of one behind it. */
static size_t first_stop(const struct stops *stops, int group)
{
	return bisect(0, stops->list.nr, i, stops->list.items[i].group < group);
}

/*
 * True if the rank has entered the first operation of that seat's group but its own: who has not
 * entered that one has entered none.
 */
static bool entered_one(const struct inquiry *q, const struct stops *stops, size_t from,
	size_t to, int own, const struct job_member *seat)
{
	for (size_t i = from; i < to && stops->list.items[i].is_op; i++)
		if (stops->list.items[i].node != own)
			return rollcall_of(q->job, seat, stops->list.items[i].index) >= ROLL_HERE;
	return false;
}

/*
 * True if the holder has no seat in the group of another node, or has entered it as well, by
 * another thread or on another stream; who launched several has, and only its seats count.
 */
static bool lacks_no_op(const struct inquiry *q, const struct circle *circle,
	const struct stops *stops, const struct holder *holder)
{
	bool own = q->graph->nodes[holder->node].group != JOB_NONE;
	size_t seated = 0, others = stops->list.nr - own;
	int last = JOB_NONE;

	by_rank_each(&q->seats, holder->rank, i) {
		const struct job_member *seat = &q->job->members[q->seats.at[i]];
		size_t from = first_stop(stops, seat->group);
		size_t to = first_stop(stops, seat->group + 1);

		if (!circle->of_launches && !holder->launched &&
			entered_one(q, stops, from, to, holder->node, seat))
			return true;
		if (seat->group != last)
			seated += to - from;
		last = seat->group;
		if (own && seat->group == q->graph->nodes[holder->node].group) {
			seated--;
			own = false;
		}
	}
	return seated < others;
}

void circle_set_apart(const struct inquiry *q, struct circle *circle)
{
	struct stops stops = {0};
	struct holder *holder;

	list_stops(q, circle, &stops);
	array_for_each(&circle->holders, holder)
		holder->apart |= lacks_no_op(q, circle, &stops, holder);
	array_release(&stops.list);
}
