/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/demands.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "job/rollcall.h"

/* A standing wait, at one of the slots of a table. */
struct demand {
	int slot;
	int clock;     /* which its time is compared by: common_clock() */
	int64_t since; /* by that clock */
	int64_t timeout;
	size_t at;
	const struct wait *wait;
};

/* Demands by slot: those of one slot are items[first[slot] .. first[slot + 1]). */
struct table {
	ARRAY(struct demand) list;
	size_t *first;
};

/* An edge of the graph from a node of which `by_node` has any, to a rank. */
struct lead {
	struct rank_index rank;
	size_t node;
};

struct demands {
	const struct inquiry *q;
	bool made;
	struct table by_seat;  /* messages, by the seat that has not made its side */
	struct table by_group; /* what all of a group have to come to */
	struct table by_node;  /* all, by the node of the graph to which they lead */
	ARRAY(struct lead) leads;
	struct by_rank leads_to; /* indexes of leads */
	ARRAY(size_t) found;
};

/* -- tables ------------------------------------------------------------------------------------ */

#define ORDER(a, b)                                                                                \
	if ((a) != (b))                                                                            \
	return (a) < (b) ? -1 : 1

/* Orders demands; 0: they are alike. */
static int compare_alike(const struct demand *a, const struct demand *b)
{
	ORDER(a->slot, b->slot);
	ORDER(a->wait->kind, b->wait->kind);
	ORDER(a->wait->index, b->wait->index);
	ORDER(a->clock, b->clock);
	ORDER(a->timeout, b->timeout);
	ORDER(a->wait->aside, b->wait->aside);
	ORDER(a->since == JOB_UNKNOWN, b->since == JOB_UNKNOWN);
	return 0;
}

static int compare_demands(const void *va, const void *vb)
{
	const struct demand *a = va, *b = vb;
	int order = compare_alike(a, b);

	if (order)
		return order;
	ORDER(a->since, b->since);
	ORDER(a->at, b->at);
	return 0;
}

/*
 * Returns the clock by which a wait is compared with those of other hosts: the one in which its own
 * meets theirs, where nothing is lost by that. A wait of unknown time is of its own host, and so is
 * one that a dump alone tells of, whose clock may be taken for another's though they never met.
 */
static int common_clock(const struct inquiry *q, const struct wait *wait)
{
	int own = clocks_of_rank(q->clocks, wait->rank);
	int common = clocks_common(q->clocks, own);

	if (wait->since == JOB_UNKNOWN || clocks_error(q->clocks, own, common) ||
		waits_are_by_dump(job_rank(q->job, wait->rank)) ||
		clocks_move(q->clocks, wait->since, own, common) == JOB_UNKNOWN)
		return own;
	return common;
}

static void add(const struct inquiry *q, struct table *table, int slot, size_t at)
{
	const struct wait *wait = &q->waits->at[at];
	int own = clocks_of_rank(q->clocks, wait->rank), clock = common_clock(q, wait);

	*array_add(&table->list) = (struct demand){.slot = slot,
		.clock = clock,
		.since = clocks_move(q->clocks, wait->since, own, clock),
		.timeout = wait->member == JOB_NONE ? JOB_UNKNOWN
						    : q->job->members[wait->member].timeout,
		.at = at,
		.wait = wait};
}

/* Leaves the first of those that are alike, and finds where each slot begins. */
static void settle(struct table *table, size_t nslots)
{
	struct demand *list = table->list.items;
	size_t n = 0, at = 0;

	array_sort(&table->list, compare_demands);
	for (size_t i = 0; i < table->list.nr; i++)
		if (!n || compare_alike(&list[n - 1], &list[i]) != 0)
			list[n++] = list[i];
	table->list.nr = n;
	table->first = alloc_zeroed(nslots + 1, sizeof(*table->first));
	for (size_t slot = 0; slot <= nslots; slot++) {
		while (at < n && (size_t)list[at].slot < slot)
			at++;
		table->first[slot] = at;
	}
}

static void release(struct table *table)
{
	array_release(&table->list);
	free(table->first);
}

/* -- the index --------------------------------------------------------------------------------- */

static void collect(struct demands *d)
{
	const struct inquiry *q = d->q;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (!waitfor_stands(q->job, wait, &q->given))
			continue;
		if (wait->kind == WAIT_P2P && wait->peer != JOB_NONE)
			add(q, &d->by_seat, wait->peer, i);
		else if (wait->kind != WAIT_P2P && wait->member != JOB_NONE)
			add(q, &d->by_group, q->job->members[wait->member].group, i);
		if (q->graph->node_of_wait[i] != JOB_NONE)
			add(q, &d->by_node, q->graph->node_of_wait[i], i);
	}
	settle(&d->by_seat, q->job->nmembers);
	settle(&d->by_group, q->job->ngroups);
	settle(&d->by_node, q->graph->nnodes);
}

/* Finds to which ranks an edge leads from a node that standing waits are in. */
static void find_leads(struct demands *d)
{
	const struct waitfor *graph = d->q->graph;
	const struct job *job = d->q->job;

	for (size_t i = 0; i < graph->nnodes; i++) {
		if (d->by_node.first[i] == d->by_node.first[i + 1])
			continue;
		for (size_t e = graph->first_edge[i]; e < graph->first_edge[i + 1]; e++)
			if ((size_t)graph->edges[e] < job->nranks)
				*array_add(&d->leads) =
					(struct lead){rank_index(graph->edges[e]), i};
	}
	by_rank_index(&d->leads_to, job, d->leads.items, d->leads.nr, sizeof(struct lead),
		offsetof(struct lead, rank));
}

struct demands *demands_new(const struct inquiry *q)
{
	struct demands *demands = alloc_zeroed(1, sizeof(*demands));

	demands->q = q;
	return demands;
}

void demands_free(struct demands *demands)
{
	if (!demands)
		return;
	release(&demands->by_seat);
	release(&demands->by_group);
	release(&demands->by_node);
	array_release(&demands->leads);
	by_rank_release(&demands->leads_to);
	array_release(&demands->found);
	free(demands);
}

/* -- what is for a rank ------------------------------------------------------------------------ */

/* True if a wait in a group of this seat is for it: in an op, init or split that it lacks. */
static bool wants_seat(const struct job *job, const struct wait *wait, int seat)
{
	const struct job_member *member = &job->members[seat];

	if (wait->kind == WAIT_COLLECTIVE)
		return !member->head_known || member->head < wait->index;
	if (wait->kind == WAIT_SPLIT)
		return member->splits < wait->index;
	return wait->kind == WAIT_INIT && member->state == JOB_MEMBER_UNSEEN &&
	       (!member->seat.n || !rollcall_is_bootstrap(&job->groups[member->group]));
}

static void find_of_seat(struct demands *d, int seat)
{
	const struct job *job = d->q->job;
	const struct table *groups = &d->by_group, *seats = &d->by_seat;
	int group = job->members[seat].group;

	for (size_t i = seats->first[seat]; i < seats->first[seat + 1]; i++)
		*array_add(&d->found) = seats->list.items[i].at;
	for (size_t i = groups->first[group]; i < groups->first[group + 1]; i++)
		if (wants_seat(job, groups->list.items[i].wait, seat))
			*array_add(&d->found) = groups->list.items[i].at;
}

static void find_of_node(struct demands *d, size_t node, bool led)
{
	const struct table *nodes = &d->by_node;

	for (size_t i = nodes->first[node]; i < nodes->first[node + 1]; i++)
		if (led || nodes->list.items[i].wait->kind == WAIT_STORE)
			*array_add(&d->found) = nodes->list.items[i].at;
}

struct demand_list demands_of(struct demands *d, struct rank_index rank, bool led)
{
	const struct by_rank *seats = &d->q->seats;

	if (!d->made) {
		collect(d);
		find_leads(d);
		d->made = true;
	}
	d->found.nr = 0;
	by_rank_each(seats, rank, k)
		find_of_seat(d, (int)seats->at[k]);
	by_rank_each(&d->leads_to, rank, k)
		find_of_node(d, d->leads.items[d->leads_to.at[k]].node, led);
	return (struct demand_list){d->found.items, d->found.nr};
}
