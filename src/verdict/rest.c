/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left: healthy jobs, and those of which too little is known. An inconclusive verdict says
 * what it would need.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "verdict/rule.h"

/* -- who waits, told for every finding --------------------------------------------------------- */

/* True if a wait is in something that others may wait in, too. */
static bool has_place(const struct wait *wait)
{
	return wait && !waits_is_told(wait) &&
	       (wait->member != JOB_NONE || wait->kind == WAIT_STORE);
}

/* True if two waits are for the same; at a fork there are different ops at one index. */
static bool same_place(const struct inquiry *q, const struct wait *a, const struct wait *b)
{
	if (!has_place(a) || !has_place(b) || a->kind != b->kind || a->index != b->index)
		return false;
	if (a->kind == WAIT_STORE)
		return strcmp(a->key, b->key) == 0;
	if (q->job->members[a->member].group != q->job->members[b->member].group)
		return false;
	if (a->kind == WAIT_P2P && a->peer != b->peer)
		return false;
	return !a->op || !b->op || a->op->sig.op == b->op->sig.op;
}

/* True if the wait is for an id that seat 0 of its group has to give. */
static bool is_for_id(const struct inquiry *q, const struct wait *wait)
{
	return wait->kind == WAIT_INIT &&
	       rollcall_is_bootstrap(&q->job->groups[q->job->members[wait->member].group]);
}

/* What is waited in, where, for how long; of P2P also for whom. */
static void fill_wait_fact(
	struct inquiry *q, const struct wait *wait, int64_t age, struct verdict_fact *fact)
{
	const struct job_member *m =
		wait->member == JOB_NONE ? NULL : &q->job->members[wait->member];

	fact->b = age;
	if (m)
		fact->text2 = q->job->groups[m->group].name;
	if (wait->kind == WAIT_COLLECTIVE) {
		fact->text = inquiry_op_name(wait->op);
		fact->a = (int64_t)wait->index;
	} else if (wait->kind == WAIT_SPLIT) {
		fact->text = "CommSplit";
		fact->a = (int64_t)wait->index;
	} else if (waits_is_for(wait, WAITS_FOR_STORE) || waits_is_for(wait, WAITS_FOR_RANKS)) {
		fact->text = q->job->threads[wait->thread].detail;
	} else if (wait->kind == WAIT_STORE && !waits_in_some_init(wait)) {
		fact->text = wait->key;
	} else if (wait->kind == WAIT_P2P) {
		int peer = q->job->members[wait->peer].rank;

		fact->text = inquiry_op_name(wait->op);
		if (peer != JOB_NONE)
			fact->a = q->job->ranks[peer].world_rank.n;
	}
}

/* Which fact tells of such a wait. */
static enum verdict_fact_kind kind_of_wait(const struct inquiry *q, const struct wait *wait)
{
	static const enum verdict_fact_kind kinds[] = {
		[WAIT_COLLECTIVE] = FACT_WAITS_IN_OP,
		[WAIT_P2P] = FACT_WAITS_FOR_PEER,
		[WAIT_SPLIT] = FACT_WAITS_IN_OP,
		[WAIT_INIT] = FACT_WAITS_IN_INIT,
		[WAIT_STORE] = FACT_WAITS_IN_STORE,
		[WAIT_SYNC] = FACT_NONE,
		[WAIT_CLOSE] = FACT_NONE,
		[WAIT_OTHER] = FACT_NONE,
	};

	if (waits_in_some_init(wait))
		return FACT_WAITS_IN_INIT;
	if (waits_is_for(wait, WAITS_FOR_STORE))
		return FACT_WAITS_FOR_STORE;
	if (waits_is_for(wait, WAITS_FOR_RANKS))
		return FACT_WAITS_FOR_RANKS;
	return is_for_id(q, wait) ? FACT_WAITS_FOR_ID : kinds[wait->kind];
}

/* One fact for all victims that wait at the same place. */
static void tell_place(struct inquiry *q, struct draft *draft, const struct wait *place,
	const struct wait *const *waits)
{
	struct rank_list ranks = {0};
	int64_t age = JOB_UNKNOWN;
	struct verdict_fact *fact;
	size_t n = draft->victims.list.nr;

	for (size_t i = 0; i < n; i++) {
		if (!same_place(q, place, waits[i]))
			continue;
		rank_list_add(&ranks, draft->victims.list.items[i]);
		age = waits[i]->age > age ? waits[i]->age : age;
	}
	fact = draft_fact_of(q, draft, kind_of_wait(q, place), &ranks, place->cite);
	fill_wait_fact(q, place, age, fact);
	if (place->op && *place->op->place)
		draft_fact_of(q, draft, FACT_CALLED_AT, &ranks, place->cite)->text =
			place->op->place;
	array_release(&ranks.list);
}

/* Places told before, to tell each once. */
static bool told_before(const struct inquiry *q, const struct wait *const *waits, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_place(q, waits[i], waits[at]))
			return true;
	return false;
}

void tell_victims(struct inquiry *q, struct draft *draft)
{
	size_t n = draft->victims.list.nr, places = 0;
	const struct wait **waits = alloc_zeroed(n + 1, sizeof(*waits));

	for (size_t i = 0; i < n; i++)
		waits[i] = inquiry_longest_wait(q, draft->victims.list.items[i]);
	for (size_t i = 0; i < n && places < 6; i++) {
		if (!has_place(waits[i]) || told_before(q, waits, i))
			continue;
		tell_place(q, draft, waits[i], waits);
		places++;
	}
	free(waits);
	stacks_tell_waiters(q, draft);
}

/* -- nothing wrong, or nothing known ----------------------------------------------------------- */

/* Names the seats of the group that nobody knows, or the ranks whose ring would tell. */
static void name_unknown(struct inquiry *q, int group, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[group];
	bool by_dumps = inquiry_by_dumps(q), all = rollcall_lists_all(g), others = !g->sized;
	size_t told = 0;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		if (m->state != JOB_MEMBER_UNSEEN && m->head_known)
			continue;
		others |= m->rank == JOB_NONE && !all;
		if (m->rank == JOB_NONE && all && draft->unknown.nr < 64)
			*array_add(&draft->unknown) = (struct verdict_seat){group, m->seat};
		else if (m->rank != JOB_NONE && !q->profiles[m->rank].readable) {
			inquiry_not_judged(q, VERDICT_INCONCLUSIVE, m->rank,
				inquiry_of_rank(q, by_dumps ? "dump" : "ring", m->rank));
			if (told++ < TOLD_CULPRITS)
				stacks_tell(q, m->rank, draft);
		}
	}
	if (others)
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE,
			arena_printf(q->arena, "who else is in %s", g->name));
}

/* Ends of the graph about which nothing can be said. */
static bool is_unknown_end(const struct inquiry *q, size_t at)
{
	const struct waitfor_node *node = &q->graph->nodes[at];
	bool ends = q->graph->first_edge[at] == q->graph->first_edge[at + 1];

	if (node->reached == JOB_UNKNOWN)
		return false;
	if (node->kind == WAITFOR_RANK)
		return ends && q->wanted[node->rank];
	if (node->kind == WAITFOR_SYNC)
		return q->wanted[node->rank];
	return node->unknown && !node->absent && ends;
}

/* What would tell who is waited for in PyTorch's store. */
static const char *needs_of_store(const struct wait *wait)
{
	if (waits_in_some_init(wait))
		return "who is missing in the communicator's init";
	if (waits_is_for(wait, WAITS_SOME_OP))
		return "who is missing in the operation";
	if (waits_is_for(wait, WAITS_FOR_STORE))
		return "why the store is not found at its address";
	if (waits_is_for(wait, WAITS_FOR_RANKS))
		return "who has not come to the store";
	return "who has to set the key of the store";
}

/* One inconclusive finding for all ends about which nothing can be said, with what it needs. */
static void judge_unknown(struct inquiry *q)
{
	bool *marked = alloc_zeroed(q->graph->nnodes + 1, sizeof(*marked));
	bool *victims = alloc_zeroed(q->job->nranks + 1, sizeof(*victims));
	bool any = false;
	struct draft *draft;

	for (size_t i = 0; i < q->graph->nnodes; i++)
		any |= marked[i] = is_unknown_end(q, i);
	if (any) {
		draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		draft->verdict.next = inquiry_by_dumps(q) ? VERDICT_NEXT_FIND_DUMPS
							  : VERDICT_NEXT_MORE_EVIDENCE;
		waitfor_victims(q->graph, &q->given, marked, victims);
		for (size_t i = 0; i < q->job->nranks; i++)
			if (victims[i])
				rank_list_add(&draft->victims, (int)i);
		for (size_t i = 0; i < q->graph->nnodes; i++) {
			const struct waitfor_node *node = &q->graph->nodes[i];

			if (!marked[i])
				continue;
			if (node->group != JOB_NONE) {
				name_unknown(q, node->group, draft);
				draft->verdict.group = node->group;
				draft->verdict.op_index = node->index;
			} else if (node->kind == WAITFOR_STORE) {
				inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE,
					needs_of_store(&q->waits->at[node->wait]));
			} else if (node->rank != JOB_NONE) {
				inquiry_not_judged(q, VERDICT_INCONCLUSIVE, node->rank,
					inquiry_of_rank(q,
						q->profiles[node->rank].ended
							? "the reason of the end"
							: "state",
						node->rank));
			}
		}
	}
	free(marked);
	free(victims);
}

/* True if any wait in NCCL is long enough to ask why. */
static bool somebody_stands(const struct inquiry *q)
{
	for (size_t i = 0; i < q->waits->n; i++)
		if (waitfor_stands(q->job, &q->waits->at[i], &q->given) &&
			q->waits->at[i].kind <= WAIT_STORE)
			return true;
	return false;
}

/*
 * True if somebody waits, and nobody says when that was seen: it may be for long. What came late
 * before then must not be blamed for it, and the job must not be called well.
 */
static bool somebody_waits_untimed(const struct inquiry *q)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		int host = q->job->ranks[wait->rank].host;

		if (wait->kind <= WAIT_STORE && wait->sure && host != JOB_NONE &&
			q->job->hosts[host].guessed)
			return true;
	}
	return false;
}

/* A seat that captured once may replay ever after, and replays are not recorded. */
static bool replays_graphs(const struct inquiry *q, int rank)
{
	for (size_t k = q->first_seat[rank]; k < q->first_seat[rank + 1]; k++)
		if (q->job->members[q->seats[k]].saw_capture)
			return true;
	return false;
}

/* Held in a synchronisation, by what may be a replayed graph: its operations are not recorded. */
static bool judge_replays(struct inquiry *q)
{
	struct draft *draft = NULL;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind == WAIT_P2P || !wait->held || wait->age == JOB_UNKNOWN ||
			wait->age <= q->given.threshold_else || !replays_graphs(q, wait->rank) ||
			(wait->kind != WAIT_SYNC && wait->sure))
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		rank_list_add(&draft->victims, wait->rank);
		draft->verdict.waiting = wait->age;
	}
	if (!draft)
		return false;
	draft->verdict.next = VERDICT_NEXT_STACK_OF_RANK;
	rank_list_settle(&draft->victims);
	draft_fact_of(q, draft, FACT_IN_REPLAY, &draft->victims, inquiry_cite_all(q));
	inquiry_not_judged(q, VERDICT_HOST_STALL, JOB_NONE, "operations of replayed graphs");
	return true;
}

/* True if something of ours was in the job: a census, or a ring. */
static bool has_probe(const struct job *job)
{
	for (size_t i = 0; i < job->nranks; i++)
		if (job->ranks[i].knows & (JOB_KNOWS_RING | JOB_KNOWS_CENSUS))
			return true;
	return job->has_census;
}

/* Ranks, and no communicator of theirs: they start, or call NCCL where it is not seen. */
static bool judge_unseen(struct inquiry *q)
{
	struct draft *draft;
	size_t left = 0;

	for (size_t i = 0; i < q->job->nranks; i++) {
		if (q->profiles[i].death > DEATH_CLEAN)
			return false;
		left += q->profiles[i].death == DEATH_CLEAN;
	}
	if (q->job->nranks == left || q->job->ngroups)
		return false;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	for (size_t i = 0; i < q->job->nranks && left; i++)
		if (q->profiles[i].death == DEATH_CLEAN && draft->facts.nr < TOLD_CULPRITS)
			draft_fact(q, draft, FACT_DIED_EXIT, (int)i,
				q->profiles[i].process->end_cite)
				->a = 0;
	if (has_probe(q->job)) {
		draft_fact(q, draft, FACT_NO_COMMUNICATOR, JOB_NONE, "census");
		inquiry_not_judged(
			q, VERDICT_INCONCLUSIVE, JOB_NONE, "any NCCL call of the ranks");
	} else {
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE, "stacks of the ranks");
	}
	return true;
}

/* Nobody can be seen to wait where nobody can be seen. */
static bool judge_unreadable(struct inquiry *q)
{
	bool clean = q->job->nranks > 0;

	for (size_t i = 0; i < q->job->nranks; i++) {
		const struct profile *p = &q->profiles[i];

		/* Of who came no further than its start, a living one shows that it waits not. */
		if (p->process && p->readable &&
			(!p->ended || (q->job->ranks[i].knows & JOB_KNOWS_BOARDS)))
			return false;
		clean &= p->death == DEATH_CLEAN;
	}
	if (clean)
		return false;
	inquiry_draft(q, VERDICT_INCONCLUSIVE)->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE, "a readable ring of any rank");
	return true;
}

/* Ranks that ended badly, and not all at once: the job is not well, though nobody is to blame. */
static bool judge_bad_ends(struct inquiry *q)
{
	struct draft *draft = NULL;

	for (size_t i = 0; i < q->job->nranks; i++) {
		const struct profile *p = &q->profiles[i];

		if (p->death <= DEATH_CLEAN || p->death == DEATH_END)
			continue;
		if (!draft)
			draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		if (p->exception)
			draft_fact(q, draft, FACT_EXCEPTION, (int)i, p->exception->cite)->text =
				p->exception->text;
	}
	if (!draft)
		return false;
	draft->verdict.next = VERDICT_NEXT_READ_TRACEBACK;
	draft_fact(q, draft, FACT_NO_FIRST_CAUSE, JOB_NONE, "procs");
	return true;
}

/* Dumps without any op: before a job's first collective nobody has made an entry yet. */
static bool judge_blind(struct inquiry *q)
{
	struct draft *draft;

	if (!inquiry_by_dumps(q))
		return false;
	for (size_t i = 0; i < q->job->nmembers; i++)
		if (q->job->members[i].nops || q->job->members[i].np2p || q->job->members[i].head)
			return false;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_RUN_NEXT_TIME;
	draft_fact(q, draft, FACT_DUMPS_EMPTY, JOB_NONE, inquiry_cite_all(q));
	inquiry_not_judged(q, VERDICT_COMPILE_SKEW, JOB_NONE, "a recording by the probe");
	return true;
}

/* Ranks whose last op is over, and whether it is complete or failed nobody says. */
static void tell_unsaid(struct inquiry *q, struct draft *draft)
{
	size_t told = 0;

	for (size_t i = 0; i < q->job->nmembers && told < TOLD_CULPRITS; i++) {
		const struct job_member *m = &q->job->members[i];
		const struct job_op *op = m->nops ? &m->ops[m->nops - 1] : NULL;
		struct verdict_fact *fact;

		if (!op || m->done_known || m->rank == JOB_NONE || op->captured ||
			op->completed != JOB_MAYBE || op->index != m->head ||
			!q->profiles[m->rank].readable)
			continue;
		fact = draft_fact(q, draft, FACT_OVER_UNSAID, m->rank, op->cite);
		fact->text = inquiry_op_name(op);
		fact->text2 = q->job->groups[m->group].name;
		fact->a = (int64_t)op->index;
		told++;
	}
}

/* Dumps of some ranks only, or of nobody knows how many: nobody in them waits, others may. */
static bool judge_some_dumps(struct inquiry *q)
{
	struct draft *draft;
	size_t told = 0;

	if (!inquiry_by_dumps(q) || (!inquiry_unreadable(q) && !q->job->world_at_least))
		return false;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_FIND_DUMPS;
	tell_unsaid(q, draft);
	for (size_t i = 0; i < q->job->nranks; i++)
		if (!q->profiles[i].readable && told++ < TOLD_CULPRITS)
			inquiry_not_judged(q, VERDICT_INCONCLUSIVE, (int)i,
				inquiry_of_rank(q, "dump", (int)i));
	if (q->job->world_at_least)
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, JOB_NONE, "how many ranks the job has");
	return true;
}

static void tell_healthy(struct inquiry *q, struct draft *draft)
{
	int64_t alive = 0, ended = 0;
	struct verdict_fact *fact;

	for (size_t i = 0; i < q->job->nranks; i++) {
		alive += q->profiles[i].process && q->profiles[i].process->end == JOB_ALIVE;
		ended += q->profiles[i].death == DEATH_END;
	}
	if (alive) {
		fact = draft_fact(q, draft, FACT_ALIVE, JOB_NONE, "procs");
		fact->a = alive;
	}
	if (ended) {
		draft_fact(q, draft, FACT_ENDED_TOGETHER, JOB_NONE, "procs");
		return;
	}
	draft_fact(q, draft, inquiry_by_dumps(q) ? FACT_DUMPS_COMPLETE : FACT_NOBODY_WAITS,
		JOB_NONE, inquiry_cite_all(q));
}

void judge_rest(struct inquiry *q)
{
	struct draft *draft;

	if (judge_told_mismatch(q))
		return;
	judge_unknown(q);
	if (q->drafts.nr)
		return;
	if (somebody_stands(q) || somebody_waits_untimed(q) || !q->job->nranks) {
		draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		for (size_t i = 0; i < q->job->nranks; i++)
			if (inquiry_longest_wait(q, (int)i))
				rank_list_add(&draft->victims, (int)i);
		return;
	}
	judge_slow(q);
	if (q->drafts.nr || judge_blind(q) || judge_replays(q) || judge_unreadable(q) ||
		judge_bad_ends(q) || judge_some_dumps(q) || judge_early(q) || judge_unseen(q))
		return;
	draft = inquiry_draft(q, VERDICT_HEALTHY);
	draft->verdict.confidence = inquiry_unreadable(q) || inquiry_by_dumps(q)
					    ? VERDICT_SUPPORTED
					    : VERDICT_ESTABLISHED;
	tell_healthy(q, draft);
	tell_past_lateness(q, draft);
}

void judge_missing(struct inquiry *q)
{
	static const struct {
		const char *part; /* of the name that is missing */
		enum verdict_class class;
		const char *needs;
	} table[] = {
		{"dataloader", VERDICT_EMPTY_SHARD, "batches: the loader is not hooked"},
		{"_dynamo", VERDICT_COMPILE_SKEW, "compile phases: torch's are not hooked"},
		{"_inductor", VERDICT_COMPILE_STUCK, "compile workers: torch's are not hooked"},
		{"output_graph", VERDICT_GRAPH_DIVERGENCE, "graphs: torch's are not hooked"},
	};

	for (size_t i = 0; i < q->job->ntraits && q->drafts.nr; i++) {
		const struct job_trait *trait = &q->job->traits[i];

		if (strcmp(trait->key, "missing") != 0 ||
			q->drafts.items[0].verdict.class == VERDICT_HEALTHY)
			continue;
		for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
			if (strstr(trait->text, table[k].part))
				inquiry_not_judged(q, table[k].class, JOB_NONE, table[k].needs);
	}
}
