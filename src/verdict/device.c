/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes gpu-stall and transport-stall: all ranks are in an op, with equal arguments, and it does
 * not complete. One rank's GPU is behind if its op alone is open while the others' completed, if it
 * alone never began what the others' GPUs began (something before it on its stream never ends), or
 * if the rank synchronises for nothing that others know of (device-sync.c). Where neither
 * completion nor begin is tracked, the first class cannot be told from the second. In a backend
 * without devices it is the rank's process that is behind.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/backends.h"
#include "job/messages.h"
#include "job/rollcall.h"
#include "verdict/completions.h"
#include "verdict/judge.h"
#include "verdict/looks/looks.h"
#include "verdict/profiles/earlier.h"
#include "verdict/profiles/stopped.h"
#include "verdict/rule.h"
#include "verdict/shards/uneven-pairs.h"
#include "verdict/unmet.h"

/*
 * True if it is known what each member gave to that op: by the op's record, or by the hash of a
 * later one. A rank that is only known to have come that far may have come to something else; and
 * one whose record lacks the amount, where others' have it, may have come with another.
 */
static bool arguments_are_known(const struct inquiry *q, int group, uint64_t index)
{
	const struct job_group *g = &q->job->groups[group];
	bool counted = false, uncounted = false;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];
		const struct job_op *op = rollcall_op(m, index);
		bool known = op != NULL;

		counted |= op && op->sig.count != JOB_NO_COUNT;
		uncounted |= op && op->sig.count == JOB_NO_COUNT;
		for (size_t i = 0; i < m->nops && !known; i++)
			known = m->ops[i].index > index && m->ops[i].hash;
		if (!known)
			return false;
	}
	return !counted || !uncounted;
}

/* Returns the other side of the message that is waited for; NULL where it is not known. */
static const struct job_op *met_by(const struct inquiry *q, const struct wait *wait)
{
	return wait->op ? message_met(q->job, wait->member, wait->op) : NULL;
}

/* True if the message is complete on its other side. */
static bool is_half_done(const struct inquiry *q, const struct wait *wait)
{
	const struct job_op *met = met_by(q, wait);

	return met && met->completed == JOB_YES;
}

/*
 * True if both nodes are one finding: sides of one message, or of one exchange of which no side is
 * complete.
 */
static bool are_one(const struct inquiry *q, size_t a, size_t b)
{
	const struct waitfor_node *nodes = q->graph->nodes;
	const struct wait *one, *other;

	if (nodes[a].kind != WAITFOR_PAIR || nodes[b].kind != WAITFOR_PAIR)
		return a == b;
	one = &q->waits->at[nodes[a].wait];
	other = &q->waits->at[nodes[b].wait];
	return a == b ||
	       (one->exchange == other->exchange && !is_half_done(q, one) &&
		       !is_half_done(q, other));
}

/* Marks all nodes that are one finding with this one; to be freed. */
static bool *mark_all_of(const struct inquiry *q, size_t node)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));

	for (size_t i = 0; i < q->graph->nnodes; i++)
		marked[i] = are_one(q, i, node);
	return marked;
}

/* Adds as victims those who wait, directly or not, for what this node stands for. */
static void find_waiting(struct inquiry *q, size_t node, struct draft *draft)
{
	bool *marked = mark_all_of(q, node);

	find_victims(q, marked, draft);
	free(marked);
}

/*
 * True for a send and a receive that may be of different tags, and then wait for others than each
 * other.
 */
static bool may_be_unmet(const struct inquiry *q, const struct waitfor_node *node)
{
	const struct wait *wait = node->wait < 0 ? NULL : &q->waits->at[node->wait];

	return node->kind == WAITFOR_PAIR && wait && wait->op &&
	       !message_is_sure(q->job, wait->member, wait->op);
}

/* Returns with what members came to the op: alike, each with its own, or nobody knows any more. */
static enum verdict_fact_kind how_all_came(
	const struct inquiry *q, const struct waitfor_node *node)
{
	const struct job_group *g = &q->job->groups[node->group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_op *op =
			rollcall_op(&q->job->members[g->first_member + (int)seat], node->index);

		if (op && amounts_are_own(g, &op->sig))
			return FACT_ALL_WITH_OWN;
	}
	return arguments_are_known(q, node->group, node->index) ? FACT_ALL_ENTERED : FACT_ALL_CAME;
}

/* Tells that nobody is missing: without it a finding about devices would be a guess. */
static void tell_all_in(struct inquiry *q, const struct waitfor_node *node, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[node->group];
	struct verdict_fact *fact;

	if (node->kind == WAITFOR_INIT) {
		draft_fact(q, draft, FACT_ALL_IN_INIT, NO_RANK, g->cite)->text2 = g->name;
		return;
	}
	if (node->kind == WAITFOR_PAIR) {
		draft_fact(q, draft, FACT_BOTH_ENTERED, NO_RANK, g->cite);
		return;
	}
	fact = draft_fact(q, draft, how_all_came(q, node), NO_RANK, g->cite);
	fact->text2 = g->name;
	fact->a = (int64_t)node->index;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_op *op =
			rollcall_op(&q->job->members[g->first_member + (int)seat], node->index);

		if (!op)
			continue;
		fact->text = inquiry_op_name(op);
		draft->verdict.op = op->sig;
		break;
	}
}

/* True if its members' own processes run its operations. */
static bool is_on_host(const struct inquiry *q, const struct waitfor_node *node)
{
	return backend_has(q->job->groups[node->group].maker, BACKEND_ON_HOST);
}

/* Adds where the op is still open, where it is done, and whose word on that is lacking. */
static void tell_completion(struct inquiry *q, const struct waitfor_node *node,
	const struct completion *c, struct draft *draft)
{
	struct verdict_fact *fact;

	if (c->open.list.nr) {
		fact = draft_fact_of(q, draft, FACT_NOT_COMPLETED, &c->open, inquiry_cite_all(q));
		fact->a = (int64_t)node->index;
		fact->b = node->reached > 0 ? node->reached : JOB_UNKNOWN;
	}
	if (c->done.list.nr) {
		fact = draft_fact_of(q, draft, FACT_COMPLETED_REST, &c->done, inquiry_cite_all(q));
		fact->a = (int64_t)node->index;
	}
	if (c->begun.list.nr && c->waiting.list.nr) {
		draft_fact_of(q, draft, FACT_NOT_BEGUN, &c->waiting, inquiry_cite_all(q))->a =
			(int64_t)node->index;
		draft_fact_of(q, draft, FACT_BEGUN_REST, &c->begun, inquiry_cite_all(q))->a =
			(int64_t)node->index;
	}
	if (is_on_host(q, node))
		return;
	if (c->open.list.nr && c->open.list.nr >= c->done.list.nr + c->beyond &&
		!c->unknown.list.nr && !c->begun.list.nr && !c->waiting.list.nr)
		inquiry_not_judged_of(q, VERDICT_GPU_STALL, NEED_BEGUN, "", node->index);
	for (size_t i = 0; i < c->unknown.list.nr && i < 4; i++)
		inquiry_not_judged(q, VERDICT_GPU_STALL, NEED_COMPLETION, c->unknown.list.items[i]);
}

/*
 * Returns the ranks whose GPUs are behind: a minority whose op is open while the rest's is done (or
 * a half, if the rest completed later ops as well: then no link is broken), or that never began
 * what the rest began. Half is enough for a guess; of what is open only if dumps alone tell: they
 * hold a rank's own word, and its peer's. NULL: nobody's; the cause lies between them.
 */
static const struct rank_list *find_behind(
	const struct inquiry *q, const struct waitfor_node *node, const struct completion *c)
{
	bool by_dumps = inquiry_by_dumps(q);

	/* No device has a part in what hosts drive. */
	if (node->group != JOB_NONE &&
		backend_has(q->job->groups[node->group].maker, BACKEND_DRIVEN))
		return NULL;
	if (by_dumps && c->open.list.nr && !c->unknown.list.nr &&
		c->open.list.nr <= c->done.list.nr)
		return &c->open;
	if (c->open.list.nr && !c->unknown.list.nr &&
		c->open.list.nr < c->done.list.nr + c->beyond)
		return &c->open;
	if (c->waiting.list.nr && c->waiting.list.nr <= c->begun.list.nr)
		return &c->waiting;
	return NULL;
}

static bool has_all(const struct rank_list *list, const struct rank_list *of)
{
	for (size_t i = 0; i < of->list.nr; i++)
		if (!rank_list_has(list, of->list.items[i]))
			return false;
	return true;
}

/*
 * Returns an earlier finding with the same culprits: GPUs that are behind in several groups are one
 * finding only if they are the same ones, since what tells of one rank is no evidence for another.
 * NULL: there is none yet.
 */
static struct draft *find_draft(struct inquiry *q, const struct rank_list *behind)
{
	for (size_t i = 0; i < q->drafts.nr; i++) {
		struct draft *draft = &q->drafts.items[i];

		if (draft->verdict.class == VERDICT_GPU_STALL &&
			draft->verdict.next == VERDICT_NEXT_CHECK_GPU &&
			has_all(&draft->culprits, behind) && has_all(behind, &draft->culprits))
			return draft;
	}
	return NULL;
}

/*
 * True if no dump has an entry of the op: a status counts ops, and may count messages among them.
 */
static bool is_only_counted(const struct inquiry *q, const struct waitfor_node *node)
{
	const struct job_group *g;

	if (node->kind != WAITFOR_OP || node->group == JOB_NONE)
		return false;
	g = &q->job->groups[node->group];
	for (size_t seat = 0; seat < g->size; seat++)
		if (rollcall_op(&q->job->members[g->first_member + (int)seat], node->index))
			return false;
	return true;
}

/*
 * True if a dump may have been written before others completed what is open in it, which may be
 * complete since: it had not been open for long then, or nobody knows when that was.
 */
static bool may_be_past(const struct inquiry *q, const struct rank_list *behind)
{
	for (size_t i = 0; i < behind->list.nr; i++) {
		const struct wait *wait = inquiry_longest_wait(q, behind->list.items[i]);

		if (!wait || wait->age_unknown)
			return true;
	}
	return false;
}

/*
 * True if nobody tells that each GPU began it: one that is held up by what was launched before
 * looks as the network does then.
 */
static bool may_be_gpu(const struct inquiry *q, const struct waitfor_node *node,
	const struct completion *c, const struct rank_list *behind)
{
	return !behind && node->kind != WAITFOR_INIT && !is_on_host(q, node) &&
	       (!c->begun.list.nr || c->waiting.list.nr);
}

/*
 * True if the finding can only be a guess, since half of the members have not begun it, or nobody
 * knows whether each GPU began it. By dumps it is one also where half of them have it open, or all
 * have it open for an unknown time; or those behind may be of the past; or only counts tell that
 * they are in one op; or some may wait for amounts of their own, which others have not given.
 */
static bool is_guess(const struct inquiry *q, const struct waitfor_node *node,
	const struct completion *c, const struct rank_list *behind)
{
	if ((behind == &c->waiting && c->waiting.list.nr >= c->begun.list.nr) ||
		may_be_gpu(q, node, c, behind))
		return true;
	if (!inquiry_by_dumps(q))
		return false;
	if (is_only_counted(q, node) || (behind && may_be_past(q, behind)) ||
		(behind == &c->open && node->kind == WAITFOR_OP &&
			how_all_came(q, node) == FACT_ALL_WITH_OWN))
		return true;
	return !node->reached ||
	       (behind == &c->open && c->open.list.nr >= c->done.list.nr + c->beyond);
}

/*
 * True for a message of devices of which one side does not tell whether it is complete: it may be
 * behind something else there, as an op may be whose completion a member does not tell.
 */
static bool is_half_told(const struct inquiry *q, const struct waitfor_node *node)
{
	const struct wait *wait = node->kind == WAITFOR_PAIR ? &q->waits->at[node->wait] : NULL;
	const struct job_op *met = wait ? met_by(q, wait) : NULL;

	return met && !inquiry_by_dumps(q) && !is_on_host(q, node) &&
	       (wait->op->completed == JOB_MAYBE || met->completed == JOB_MAYBE);
}

/* Begins a finding of which only is known what is waited in, and what to do next. */
static struct draft *begin_untold(
	struct inquiry *q, const struct waitfor_node *node, enum verdict_next next)
{
	struct draft *draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);

	draft->verdict.group = node->group;
	draft->verdict.op_index = node->index;
	draft->verdict.next = next;
	return draft;
}

/*
 * Judges an op to which all came while what they gave is overwritten: one of them may have called
 * something else.
 */
static void judge_overwritten(struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	struct draft *draft = begin_untold(q, node, VERDICT_NEXT_LARGER_RING);

	find_waiting(q, at, draft);
	tell_all_in(q, node, draft);
	inquiry_not_judged_of(
		q, VERDICT_COLLECTIVE_MISMATCH, NEED_ARGUMENTS, "", node->index);
}

/* Judges a message both sides of which were called, and which may not be for each other. */
static void judge_tags(struct inquiry *q, size_t at)
{
	bool *marked = mark_all_of(q, at);

	unmet_write_tags(q, &q->waits->at[q->graph->nodes[at].wait], marked);
	free(marked);
}

/*
 * True if one of those behind may hold the others: what hosts run goes from process to process, and
 * a rank that waits for a neighbour that stands has not completed it either.
 */
static bool may_hold_each_other(
	const struct inquiry *q, const struct waitfor_node *node, const struct rank_list *behind)
{
	return behind && behind->list.nr > 1 && is_on_host(q, node);
}

/*
 * Begins a finding of an op that all are in and that does not complete: a device lags, or nothing
 * moves. Without devices a process lags, or its host's link: a guess. `lags`: whose; NULL nobody's.
 */
static struct draft *begin(
	struct inquiry *q, const struct waitfor_node *node, const struct rank_list *lags)
{
	bool host = lags && is_on_host(q, node);
	struct draft *draft = lags && !host ? find_draft(q, lags) : NULL;

	if (draft)
		return draft;
	draft = inquiry_draft(q, host	? VERDICT_HOST_STALL
				 : lags ? VERDICT_GPU_STALL
					: VERDICT_TRANSPORT_STALL);
	draft->verdict.group = node->group;
	draft->verdict.op_index = node->index;
	draft->verdict.confidence = host ? VERDICT_HYPOTHESIS : VERDICT_SUPPORTED;
	draft->verdict.where = host ? VERDICT_WHERE_UNKNOWN : VERDICT_NOWHERE;
	draft->verdict.next = host   ? VERDICT_NEXT_STACK_OF_RANK
			      : lags ? VERDICT_NEXT_CHECK_GPU
				     : VERDICT_NEXT_CHECK_FABRIC;
	return draft;
}

/*
 * True if hosts drive the op, and it is done at some members: then nothing keeps it from going on
 * but what else those do that are left.
 */
static bool is_left_to_hosts(
	const struct inquiry *q, const struct waitfor_node *node, const struct completion *c)
{
	return c->done.list.nr && node->group != JOB_NONE &&
	       backend_has(q->job->groups[node->group].maker, BACKEND_DRIVEN);
}

/* Begins a finding in which it is unknown which of those behind holds the others. */
static struct draft *begin_open(
	struct inquiry *q, const struct waitfor_node *node, const struct rank_list *behind)
{
	struct draft *draft = begin_untold(q, node, VERDICT_NEXT_MORE_EVIDENCE);

	inquiry_not_judged_each(q, VERDICT_HOST_STALL, NEED_STATE, behind);
	return draft;
}

/*
 * Judges a group whose threads raced for operations: all are in some operation, and nobody knows
 * which of them are the same. It is told only if no other finding is about the group.
 */
static void judge_unordered(struct inquiry *q, size_t at)
{
	for (size_t i = 0; i < q->drafts.nr; i++)
		if (q->drafts.items[i].verdict.group == q->graph->nodes[at].group)
			return;
	find_waiting(
		q, at, begin_untold(q, &q->graph->nodes[at], VERDICT_NEXT_MORE_EVIDENCE));
}

/*
 * Makes the finding a guess if some of those behind were looked at long before others were seen to
 * be done, or to have begun: they may be so themselves by then.
 */
static void doubt_looks(struct inquiry *q, const struct waitfor_node *node,
	const struct completion *c, const struct rank_list *behind, struct draft *draft)
{
	const struct rank_list *ahead = behind == &c->open ? &c->done : &c->begun;
	int64_t by = node->group == JOB_NONE ? 0 : q->threshold[node->group] / 2;
	struct rank_list early = {0};

	looks_find_before(q, behind, ahead, by, &early);
	if (early.list.nr)
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	inquiry_not_judged_each(q, VERDICT_GPU_STALL, NEED_LOOK, &early);
	array_release(&early.list);
}

/* Judges an op, init or message that nobody known is missing in. */
static void judge_op(struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	struct completion c = {0};
	const struct rank_list *behind;
	struct draft *draft;
	bool open, left;

	if (may_be_unmet(q, node)) {
		judge_tags(q, at);
		return;
	}
	if (node->kind == WAITFOR_OP && q->job->groups[node->group].unordered) {
		judge_unordered(q, at);
		return;
	}
	if (node->kind == WAITFOR_OP)
		completion_look_at(q, node->group, node->index, &c);
	else if (node->kind == WAITFOR_PAIR && inquiry_by_dumps(q))
		completion_look_at_pair(q, &q->waits->at[node->wait], &c);
	behind = find_behind(q, node, &c);
	if (!behind && !c.done.list.nr && node->kind == WAITFOR_OP &&
		!arguments_are_known(q, node->group, node->index)) {
		judge_overwritten(q, at);
		completion_release(&c);
		return;
	}
	left = is_left_to_hosts(q, node, &c);
	open = left || may_hold_each_other(q, node, behind);
	draft = open ? begin_open(q, node, left ? &c.open : behind) : begin(q, node, behind);
	if (c.unknown.list.nr || is_half_told(q, node) || is_guess(q, node, &c, behind))
		draft_at_most(draft, VERDICT_HYPOTHESIS);
	if (!open && may_be_gpu(q, node, &c, behind))
		draft->verdict.next = inquiry_by_dumps(q) ? VERDICT_NEXT_TIME_COLLECTIVES
							  : VERDICT_NEXT_PROFILE_COLLECTIVES;
	if (!open)
		stopped_doubt(q, node, behind, draft);
	if (behind && !open)
		doubt_looks(q, node, &c, behind, draft);
	for (size_t i = 0; behind && !open && i < behind->list.nr; i++)
		rank_list_add(&draft->culprits, behind->list.items[i]);
	find_waiting(q, at, draft);
	tell_all_in(q, node, draft);
	tell_completion(q, node, &c, draft);
	completion_release(&c);
}

/*
 * Finds the ranks that have a message open of which nobody knows whether its peer came, or one of
 * the same exchange as such a message: a flag per rank.
 */
static bool *find_dark(const struct inquiry *q)
{
	bool *dark = arena_new_many(q->arena, bool, q->job->nranks + 1);
	bool *exchanges = arena_new_many(q->arena, bool, q->waits->n + 1);

	for (size_t i = 0; i < q->waits->n; i++)
		if (q->waits->at[i].kind == WAIT_P2P && q->waits->at[i].peer_unknown)
			exchanges[q->waits->at[i].exchange] = true;
	for (size_t i = 0; i < q->waits->n; i++)
		if (q->waits->at[i].kind == WAIT_P2P && exchanges[q->waits->at[i].exchange])
			dark[q->waits->at[i].rank.i] = true;
	return dark;
}

/*
 * True if an unknown message may hold this one: messages that were launched together complete
 * together.
 */
static bool may_be_held(
	const struct inquiry *q, const bool *dark, const struct waitfor_node *node)
{
	const struct wait *wait;
	struct rank_index peer;

	if (node->kind != WAITFOR_PAIR)
		return false;
	wait = &q->waits->at[node->wait];
	peer = q->job->members[wait->peer].rank;
	return dark[wait->rank.i] || (is_rank(peer) && dark[peer.i]);
}

/*
 * True if the node is of a group that others made otherwise: then nobody knows who met whom there.
 */
static bool is_of_clash(const struct inquiry *q, const struct waitfor_node *node)
{
	return node->group != JOB_NONE && q->job->groups[node->group].made_as;
}

/* True if the rank of `last` came a moment ago, by the clocks of all who have long waited there. */
static bool came_just_now(const struct inquiry *q, size_t at, const struct wait *last)
{
	int64_t usual = waitfor_threshold(q->job, last, &q->given);

	if (q->profiles[last->rank.i].ended || last->age_unknown || last->age == JOB_UNKNOWN ||
		last->age > usual)
		return false;
	waitfor_each_wait(q->graph, at, i) {
		const struct wait *wait = &q->waits->at[q->graph->waits_at[i]];
		int64_t since;

		if (!waitfor_stands(q->job, wait, &q->given))
			continue;
		since = earlier_by(q->clocks, wait->rank, q->waits->now[wait->rank.i], last->rank,
			last->since);
		if (since == JOB_UNKNOWN || since > usual)
			return false;
	}
	return true;
}

/*
 * True if somebody came there a moment ago: however long the others had waited for that rank, what
 * all are in since then takes its time. (Or all came a moment ago: a thread of one of them goes on,
 * while another thread keeps those whose long wait led here.)
 */
static bool is_of_a_moment(const struct inquiry *q, size_t at)
{
	waitfor_each_wait(q->graph, at, i)
		if (came_just_now(q, at, &q->waits->at[q->graph->waits_at[i]]))
			return true;
	return false;
}

/* True if all who are known to wait there have gone on since: then it is over for all. */
static bool is_outdated(const struct inquiry *q, size_t at)
{
	waitfor_each_wait(q->graph, at, i)
		if (!looks_are_outdated(q, q->waits->at[q->graph->waits_at[i]].rank))
			return false;
	return q->graph->first_wait[at] < q->graph->first_wait[at + 1];
}

/*
 * True if nobody known is missing at the node, nothing else was launched before, and nobody died in
 * it.
 */
static bool is_open_end(const struct inquiry *q, const bool *dark, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];

	return (node->kind == WAITFOR_OP || node->kind == WAITFOR_INIT ||
		       node->kind == WAITFOR_PAIR) &&
	       node->reached != JOB_UNKNOWN && !node->unsure && !node->absent &&
	       !is_of_clash(q, node) && !may_be_held(q, dark, node) && !is_of_a_moment(q, at) &&
	       !is_outdated(q, at) &&
	       q->graph->first_edge[at] == q->graph->first_edge[at + 1];
}

/* True if a finding already tells why that operation does not complete. */
static bool is_told_of_op(const struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];

	for (size_t i = 0; node->kind == WAITFOR_OP && i < q->drafts.nr; i++)
		if (q->drafts.items[i].verdict.class == VERDICT_UNEVEN_SHARD &&
			q->drafts.items[i].verdict.group == node->group &&
			q->drafts.items[i].verdict.op_index == node->index)
			return true;
	return false;
}

/* True if an earlier node that was asked for belongs to the same finding. `told`: by exchange. */
static bool is_told(const struct inquiry *q, bool *told, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	const struct wait *wait = node->kind == WAITFOR_PAIR ? &q->waits->at[node->wait] : NULL;
	bool was;

	if (!wait || is_half_done(q, wait))
		return false;
	was = told[wait->exchange];
	told[wait->exchange] = true;
	return was;
}

/* True if it is known that the op at this node is not complete. */
static bool is_sure(const struct inquiry *q, size_t at)
{
	bool sure = q->graph->nodes[at].kind != WAITFOR_OP;

	waitfor_each_wait(q->graph, at, i)
		sure |= q->waits->at[q->graph->waits_at[i]].sure;
	return sure;
}

/* True if a rank that waits at both nodes launched `at` after `than`: no clock tells that. */
static bool is_newer(const struct inquiry *q, size_t at, size_t than)
{
	waitfor_each_wait(q->graph, at, i) {
		const struct wait *wait = &q->waits->at[q->graph->waits_at[i]];
		size_t k = waitfor_first_of(q->graph, than, wait->rank);

		for (; k < q->graph->first_wait[than + 1] && wait->op && wait->op->order; k++) {
			const struct wait *other = &q->waits->at[q->graph->waits_at[k]];

			if (!same_rank(other->rank, wait->rank))
				break;
			if (other->op && other->op->order && other->op->order < wait->op->order)
				return true;
		}
	}
	return false;
}

/*
 * Of ops that nobody tracks only the newest may be what all synchronise for, and only if nothing
 * surer was found.
 */
void judge_devices(struct inquiry *q)
{
	size_t told = 0, newest = SIZE_MAX;
	bool uneven = judge_uneven_pairs(q);
	const bool *dark = find_dark(q);
	bool *exchanges = arena_new_many(q->arena, bool, q->waits->n + 1);

	for (size_t i = 0; i < q->graph->nnodes && told < 4; i++) {
		if (!is_open_end(q, dark, i) || is_told(q, exchanges, i) ||
			q->graph->nodes[i].unknown || is_told_of_op(q, i) ||
			(uneven && q->graph->nodes[i].kind == WAITFOR_PAIR))
			continue;
		if (is_sure(q, i)) {
			judge_op(q, i);
			told++;
		} else if (newest == SIZE_MAX || is_newer(q, i, newest)) {
			newest = i;
		}
	}
	if (!q->drafts.nr && newest != SIZE_MAX)
		judge_op(q, newest);
}

/* -- not the network --------------------------------------------------------------------------- */

void rule_out_transport(struct inquiry *q, struct draft *draft)
{
	if (draft->verdict.class == VERDICT_TRANSPORT_STALL ||
		draft->verdict.class == VERDICT_GPU_STALL || q->forks->n || !q->job->ngroups ||
		!inquiry_all_seen(q) || inquiry_unreadable(q))
		return;
	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];

		if (node->reached != JOB_UNKNOWN && !node->absent &&
			(node->kind == WAITFOR_OP || node->kind == WAITFOR_PAIR))
			return;
	}
	draft_rule_out(
		draft, VERDICT_TRANSPORT_STALL, FACT_NOWHERE_ALL_IN, inquiry_cite_all(q));
}
