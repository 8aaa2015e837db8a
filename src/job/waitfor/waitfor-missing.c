/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds edges to ranks that have not come: each seat that has not entered hangs on the first waited
 * op that it lacks. Where all have come, members that died or froze hold the op.
 */
#include <stdlib.h>
#include <string.h>

#include "job/backends.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/waitfor/waitfor-make.h"

/* A member that has not entered some waited op. Each seat hangs on one node. */
struct missing {
	uint64_t head;
	const struct job_member *member;
};

static int compare_missing(const void *va, const void *vb)
{
	const struct missing *a = va, *b = vb;

	if (a->head != b->head)
		return a->head < b->head ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

struct seats {
	ARRAY(struct missing) missing; /* by head */
	bool unknown; /* some member may be missing without evidence */
};

/* Collects the seats that have not entered the group's furthest waited op, by their own word. */
static void collect_missing(
	struct waitfor_maker *m, int group, uint64_t furthest, struct seats *seats)
{
	const struct job_group *g = &m->job->groups[group];

	seats->unknown = !rollcall_lists_all(g);
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];
		enum roll roll = rollcall_of(m->job, member, furthest);

		if (roll == ROLL_ABSENT)
			*array_add(&seats->missing) = (struct missing){member->head, member};
		if (roll == ROLL_UNKNOWN)
			seats->unknown = true;
	}
	array_sort(&seats->missing, compare_missing);
}

/* Joins an op that all have entered to the members that died or froze in it. */
static void hold_by_stopped(struct waitfor_maker *m, int node, int group)
{
	const struct job_group *g = &m->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		struct rank_index rank = m->job->members[g->first_member + (int)seat].rank;

		if (is_rank(rank) && m->given->stopped[rank.i]) {
			int stopped = waitfor_stopped_node(m, rank);

			waitfor_add_edge(m, node, stopped);
		}
	}
}

/* True if the rank is held in no wait. */
static bool is_free(const struct waitfor_maker *m, struct rank_index rank)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (m->waits->at[i].held)
			return false;
	return true;
}

/*
 * True if the op is known to be open. In a group that tells when its ops end, a message is also
 * open while no end of it is told.
 */
static bool is_open(const struct job_member *member, const struct job_op *op)
{
	return op->completed == JOB_NO ||
	       (op->completed == JOB_MAYBE && member->done_known &&
		       (op->sig.op == JOB_OP_SEND || op->sig.op == JOB_OP_RECV));
}

/* True if the rank began the op and is in no wait, while only its host can bring the op further. */
static bool is_left_open(const struct waitfor_maker *m, const struct job_member *member,
	const struct job_op *op)
{
	return backend_has(m->job->groups[member->group].maker, BACKEND_DRIVEN) &&
	       rollcall_speaks(m->job, member) && op && op->returned == JOB_YES &&
	       is_open(member, op) && !op->failed && is_free(m, member->rank);
}

/*
 * Joins an op to members that began it and left it open: it goes no further while their hosts are
 * elsewhere, if only hosts drive it. Returns whether there are any.
 */
static bool hold_by_left_open(struct waitfor_maker *m, int node, int group, uint64_t index)
{
	const struct job_group *g = &m->job->groups[group];
	bool any = false;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (!is_left_open(m, member, rollcall_op(member, index)))
			continue;
		waitfor_add_edge(m, node, member->rank.i);
		any = true;
	}
	return any;
}

/*
 * True if an op that all have entered waits for the group's op before it, which somebody there has
 * not completed: a group's collectives complete in their order.
 */
static bool is_behind_open(const struct waitfor_maker *m, size_t op, size_t missing)
{
	return !missing && m->ops.items[op - 1].sure;
}

/* True if a dump tells that the rank waits in nothing. */
static bool is_idle(const struct waitfor_maker *m, struct rank_index rank)
{
	return waits_are_by_dump(job_rank(m->job, rank)) &&
	       m->waits->first[rank.i] == m->waits->first[rank.i + 1];
}

/* True if some wait of the rank is surely one. */
static bool waits_surely(const struct waitfor_maker *m, struct rank_index rank)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (m->waits->at[i].sure)
			return true;
	return false;
}

/* True if dumps tell of each rank, and fewer ranks wait in nothing than wait. */
static bool tells_by_idle(const struct waitfor_maker *m)
{
	size_t idle = 0;

	job_for_each_rank(m->job, rank) {
		if (!is_idle(m, rank) && !waits_surely(m, rank))
			return false;
		idle += is_idle(m, rank);
	}
	return idle && idle < m->job->nranks - idle;
}

static bool has_seat(const struct waitfor_maker *m, int group, struct rank_index rank)
{
	const struct job_group *g = &m->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++)
		if (same_rank(m->job->members[g->first_member + (int)seat].rank, rank))
			return true;
	return false;
}

/*
 * Joins an op to ranks that may be missing there though all known members have come: the other
 * ranks, which wait in nothing.
 */
static void guess_missing(struct waitfor_maker *m, int node, int group)
{
	if (!tells_by_idle(m))
		return;
	job_for_each_rank(m->job, rank) {
		if (!is_idle(m, rank) || has_seat(m, group, rank))
			continue;
		waitfor_add_edge(m, node, rank.i);
		m->nodes.items[node].absent = m->nodes.items[node].guessed = true;
	}
}

/*
 * True if members wait in that op only for some of the others: of several missing ones nobody knows
 * which.
 */
static bool is_for_some(const struct waitfor_maker *m, int group, uint64_t index)
{
	const struct job_group *g = &m->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_op *op =
			rollcall_op(&m->job->members[g->first_member + (int)seat], index);

		if (op)
			return job_op_is_for_some(op->sig.op);
	}
	return false;
}

/*
 * Joins the waited ops of one group, ops.items[from, to), each to its missing seats and to the op
 * before it.
 */
static void join_group_ops(struct waitfor_maker *m, size_t from, size_t to)
{
	int group = m->ops.items[from].group;
	struct seats seats = {0};
	size_t at = 0;

	collect_missing(m, group, m->ops.items[to - 1].index, &seats);
	for (size_t i = from; i < to; i++) {
		int node = m->ops.items[i].node;
		size_t before = at;

		while (at < seats.missing.nr &&
			seats.missing.items[at].head < m->ops.items[i].index)
			waitfor_add_edge(m, node,
				waitfor_seat_node(m, seats.missing.items[at++].member, false));
		if (i > from && (before || is_behind_open(m, i, at)))
			waitfor_add_edge(m, node, m->ops.items[i - 1].node);
		m->nodes.items[node].absent = at > 0;
		m->nodes.items[node].unknown = seats.unknown;
		m->nodes.items[node].guessed =
			at > 1 && is_for_some(m, group, m->ops.items[i].index);
		if (!at) {
			hold_by_stopped(m, node, group);
			/* It may be one of whom nothing is known that holds all up. */
			if (hold_by_left_open(m, node, group, m->ops.items[i].index))
				m->nodes.items[node].guessed |= seats.unknown;
		}
		if (!at && m->ops.items[i].sure && !rollcall_lists_all(&m->job->groups[group]))
			guess_missing(m, node, group);
	}
	array_release(&seats.missing);
}

static void join_ops(struct waitfor_maker *m)
{
	for (size_t from = 0, to; from < m->ops.nr; from = to) {
		for (to = from;
			to < m->ops.nr && m->ops.items[to].group == m->ops.items[from].group; to++)
			;
		join_group_ops(m, from, to);
	}
}

/*
 * True if all that is known of the seat is that its rank's stack stands elsewhere. Nobody leaves an
 * init before all have come to it. (An operation, though, may have been left to the device.)
 */
static bool is_elsewhere(const struct waitfor_maker *m, const struct job_member *member)
{
	return is_rank(member->rank) && m->waits->told[member->rank.i].elsewhere &&
	       !(job_rank(m->job, member->rank)->knows & JOB_KNOWS_BOARDS);
}

/*
 * Joins an init to a seat that has not come to it: an edge by the seat's own word, else it is
 * unknown.
 */
static void join_late(struct waitfor_maker *m, int node, const struct job_member *member)
{
	if (rollcall_never_came(m->job, member) || is_elsewhere(m, member)) {
		waitfor_add_edge(m, node, member->rank.i);
		m->nodes.items[node].absent = true;
		return;
	}
	m->nodes.items[node].unknown = true;
	if (is_rank(member->rank) && m->given->stopped[member->rank.i])
		waitfor_add_edge(m, node, waitfor_stopped_node(m, member->rank));
}

/*
 * Joins the exchange of an id to seat 0 alone, which gives it. Once seat 0 has come, only the store
 * knows why others have not got the id.
 */
static void join_bootstrap(struct waitfor_maker *m, int node, const struct job_group *g)
{
	const struct job_member *giver = &m->job->members[g->first_member];

	if (giver->state == JOB_MEMBER_UNSEEN) {
		join_late(m, node, giver);
		return;
	}
	m->nodes.items[node].unknown = true;
	if (is_rank(giver->rank) && m->given->stopped[giver->rank.i])
		waitfor_add_edge(m, node, waitfor_stopped_node(m, giver->rank));
}

/* The last of those still in the init to begin it; NULL: nobody is, or it is not known. */
static const struct job_member *last_to_begin(
	const struct waitfor_maker *m, const struct job_group *g)
{
	const struct job_member *last = NULL;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (member->state == JOB_MEMBER_IN_INIT && is_rank(member->rank) &&
			member->init_since > (last ? last->init_since : JOB_UNKNOWN))
			last = member;
	}
	return last;
}

/* Joins those who had left the init before somebody began it: they do not come again. */
static void join_past(struct waitfor_maker *m, int node, const struct job_group *g)
{
	const struct job_member *last = last_to_begin(m, g);

	for (uint32_t seat = 0; last && seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (!rollcall_left_before(m->job, member, last))
			continue;
		waitfor_add_edge(m, node, member->rank.i);
		m->nodes.items[node].absent = true;
	}
}

/*
 * Joins an init to the seats that never came to it; if all came, to those that died or froze in it.
 */
static void join_init(struct waitfor_maker *m, int group)
{
	const struct job_group *g = &m->job->groups[group];
	int node = m->init_node[group];

	if (rollcall_is_bootstrap(g)) {
		join_bootstrap(m, node, g);
		return;
	}
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (member->state == JOB_MEMBER_UNSEEN)
			join_late(m, node, member);
	}
	join_past(m, node, g);
	m->nodes.items[node].unknown |= !rollcall_lists_all(g);
	if (!m->nodes.items[node].absent)
		hold_by_stopped(m, node, group);
}

/* Returns the number of the group's furthest split that somebody is in. */
static uint64_t furthest_split(const struct waitfor_maker *m, int group)
{
	uint64_t furthest = 0;

	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];

		if (wait->kind == WAIT_SPLIT && waitfor_group_of(m->job, wait) == group &&
			wait->index > furthest)
			furthest = wait->index;
	}
	return furthest;
}

/*
 * Joins a split to members that have not come. It needs all of the old group: whoever began fewer
 * splits is missing.
 */
static void join_split(struct waitfor_maker *m, int group)
{
	const struct job_group *g = &m->job->groups[group];
	uint64_t furthest = furthest_split(m, group);
	int node = m->split_node[group];

	m->nodes.items[node].index = furthest;
	m->nodes.items[node].unknown = !rollcall_lists_all(g);
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (member->splits >= furthest)
			continue;
		if (!is_rank(member->rank) ||
			!(job_rank(m->job, member->rank)->knows & JOB_KNOWS_RING)) {
			m->nodes.items[node].unknown = true;
			continue;
		}
		waitfor_add_edge(m, node, member->rank.i);
		m->nodes.items[node].absent = true;
	}
	if (!m->nodes.items[node].absent)
		hold_by_stopped(m, node, group);
}

void waitfor_join_missing(struct waitfor_maker *m)
{
	join_ops(m);
	for (size_t group = 0; group < m->job->ngroups; group++) {
		if (m->init_node[group] != JOB_NONE)
			join_init(m, (int)group);
		if (m->split_node[group] != JOB_NONE)
			join_split(m, (int)group);
	}
}

/*
 * Joins a fork to the members that have not come to it, if hosts drive the group's ops: all who are
 * at the fork wait for those, too, and what they will do there is unknown. On a device a fork never
 * resolves, whoever comes.
 */
static void join_fork(struct waitfor_maker *m, int group)
{
	const struct job_group *g = &m->job->groups[group];
	int node = m->fork_node[group];

	if (!backend_has(g->maker, BACKEND_DRIVEN))
		return;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (rollcall_of(m->job, member, m->given->forked[group]) != ROLL_ABSENT)
			continue;
		waitfor_add_edge(m, node, member->rank.i);
		m->nodes.items[node].absent = true;
	}
}

void waitfor_join_forks(struct waitfor_maker *m)
{
	for (size_t group = 0; group < m->job->ngroups; group++)
		if (m->fork_node[group] != JOB_NONE)
			join_fork(m, (int)group);
}

/* Returns the peer's side of the message that is waited for; NULL. */
static const struct job_op *met_by(const struct waitfor_maker *m, const struct wait *wait)
{
	return message_met(m->job, wait->member, wait->op);
}

/*
 * True if the peer is done with its side of the message: how it ended later does not hold the
 * message.
 */
static bool is_done_with(const struct job *job, const struct wait *wait)
{
	const struct job_op *met = message_met(job, wait->member, wait->op);

	return met && met->completed == JOB_YES;
}

/*
 * The edge leads to a peer that has not made the matching call; or that did, and died or froze in
 * it, or left it open.
 */
void waitfor_join_pair(struct waitfor_maker *m, int node, const struct wait *wait)
{
	struct rank_index peer = m->job->members[wait->peer].rank;

	m->nodes.items[node].absent = wait->lacking && is_rank(peer);
	m->nodes.items[node].unknown = wait->peer_unknown || (wait->lacking && !is_rank(peer));
	if (m->nodes.items[node].absent)
		waitfor_add_edge(m, node,
			waitfor_seat_node(m, &m->job->members[wait->peer], true));
	else if (is_rank(peer) && m->given->stopped[peer.i] && !is_done_with(m->job, wait))
		waitfor_add_edge(m, node, waitfor_stopped_node(m, peer));
	else if (is_left_open(m, &m->job->members[wait->peer], met_by(m, wait)))
		waitfor_add_edge(m, node, peer.i);
}

