/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes empty-shard, uneven-shard and early-exit: a rank brought no work, another amount of work,
 * or was done while the others still wait for it. By counts of an operation they show as a fork, by
 * marks (shards, batches, steps) as a rank that is not there.
 */
#include <string.h>

#include "job/backends.h"
#include "job/names.h"
#include "job/spans.h"
#include "verdict/rule.h"
#include "verdict/shards/shards.h"

/* -- a rank that is not there ------------------------------------------------------------------ */

/*
 * A rank is away for an empty shard if its latest batch was empty while the peers' were not; or
 * some batch was, and it is done; or it got none at all, on its own word.
 */
bool explains_empty(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!(p->empty_now || (p->empty_once && shards_has_left(p))))
		return false;
	if (p->death != DEATH_NONE && p->death != DEATH_CLEAN && p->death != DEATH_ECHO &&
		p->death != DEATH_END)
		return false;
	why->cause = p->death == DEATH_CLEAN ? VERDICT_BY_EARLY_EXIT : VERDICT_NO_CAUSE;
	why->confidence = p->no_batch ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	why->outlook = VERDICT_KILL;
	why->next = p->no_batch ? VERDICT_NEXT_SPLIT_INPUT : VERDICT_NEXT_DIVISIBLE_ROWS;
	why->by_absence = !p->no_batch;
	return true;
}

static bool has_fewer(struct amount amount)
{
	return amount.known && amount.mine < amount.most;
}

/*
 * True if loaders of this job tell when they have no more: one batch less then proves nothing by
 * itself.
 */
static bool loaders_tell_ends(const struct inquiry *q)
{
	for (size_t i = 0; i < q->job->ntraits; i++)
		if (!strcmp(q->job->traits[i].key, "input-end") ||
			(!strcmp(q->job->traits[i].key, "framework") &&
				!strncmp(q->job->traits[i].text, "torch", 5)))
			return true;
	return false;
}

/*
 * True if the rank had less work than others. One that ended in the middle of its work had as much.
 */
static bool did_less(const struct inquiry *q, struct rank_index rank)
{
	if (loaders_tell_ends(q))
		return shards_ended_otherwise(q, rank);
	return has_fewer(shards_batches(q, rank)) || has_fewer(shards_steps(q, rank));
}

static bool has_other(struct amount amount)
{
	return amount.known && (amount.mine < amount.most || amount.mine > amount.least);
}

/*
 * A rank is away for an uneven shard if it is done, and did less than others: amounts that differ
 * establish that. Or it has not left, but its loader had another end than those of the others.
 */
bool explains_uneven(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!shards_has_left(p) && (p->death != DEATH_NONE || !shards_ended_otherwise(q, rank)))
		return false;
	if (shards_has_left(p) && !did_less(q, rank))
		return false;
	why->cause = p->death == DEATH_CLEAN ? VERDICT_BY_EARLY_EXIT : VERDICT_NO_CAUSE;
	why->confidence = has_other(shards_batches(q, rank)) || has_other(shards_steps(q, rank))
				  ? VERDICT_ESTABLISHED
				  : VERDICT_SUPPORTED;
	why->outlook = VERDICT_KILL;
	why->next = VERDICT_NEXT_SAME_BATCHES;
	why->left = shards_has_left(p);
	return true;
}

/* A rank that exited with status 0 while others wait for it; no mark tells why. */
bool explains_early_exit(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	if (q->profiles[rank.i].death != DEATH_CLEAN)
		return false;
	why->cause = VERDICT_BY_EARLY_EXIT;
	why->confidence = VERDICT_ESTABLISHED;
	why->outlook = VERDICT_KILL;
	why->next = q->profiles[rank.i].exception          ? VERDICT_NEXT_READ_TRACEBACK
		    : job_rank(q->job, rank)->candidate_only ? VERDICT_NEXT_ENDED_BEFORE_INIT
							 : VERDICT_NEXT_SAME_BATCHES;
	why->left = true;
	return true;
}

bool seat_is_closed(const struct job_member *m)
{
	return m->state == JOB_MEMBER_CLOSING || m->state == JOB_MEMBER_GONE;
}

/* True if somebody waits in that seat's group for an operation that the seat has not entered. */
static bool is_awaited(const struct inquiry *q, const struct job_member *m)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind == WAIT_COLLECTIVE && wait->member != JOB_NONE &&
			q->job->members[wait->member].group == m->group &&
			(!m->head_known || m->head < wait->index) &&
			waitfor_stands(q->job, wait, &q->given))
			return true;
	}
	return false;
}

/*
 * Returns the seat in the largest group that the rank closed, or is closing; `awaited`: only of
 * groups in which others wait; NULL.
 */
static const struct job_member *closed_seat(
	const struct inquiry *q, struct rank_index rank, bool awaited)
{
	const struct job_member *closed = NULL;

	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (seat_is_closed(m) && (!awaited || is_awaited(q, m)) &&
			(!closed || q->job->groups[m->group].size >
					    q->job->groups[closed->group].size))
			closed = m;
	}
	return closed;
}

const struct job_member *left_seat(const struct inquiry *q, struct rank_index rank)
{
	const struct job_member *seat = closed_seat(q, rank, true);

	return seat && !seat->aborted && q->profiles[rank.i].death == DEATH_NONE ? seat : NULL;
}

/*
 * True if the rank had left its group before others, who could not go on without it, made an end of
 * it. A handler of the signal that ends a rank may close its groups, too.
 */
static bool left_before_end(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t now = q->waits->now[rank.i];

	return (p->death == DEATH_ECHO || p->death == DEATH_END) && closed_seat(q, rank, true) &&
	       p->told && p->told->when != JOB_UNKNOWN && p->outside != JOB_UNKNOWN &&
	       now != JOB_UNKNOWN && now - p->outside < p->told->when &&
	       inquiry_late_before_end(q, rank) == JOB_YES;
}

/*
 * A rank that lives, or whom only the failing of the others has ended, and is done with a group in
 * which others wait; no mark tells why. That it closed other groups, in good order, is no reason to
 * be away.
 */
bool explains_left_group(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];
	bool ended = p->death != DEATH_NONE;

	if (!p->leaving || (ended && !left_before_end(q, rank)))
		return false;
	if (closed_seat(q, rank, false) && !closed_seat(q, rank, true))
		return false;
	why->cause = VERDICT_BY_LEFT_GROUP;
	why->confidence = ended ? VERDICT_SUPPORTED : VERDICT_ESTABLISHED;
	why->by_absence = true; /* that it had come to the operation may be lost */
	why->outlook = VERDICT_KILL;
	why->next = VERDICT_NEXT_SAME_CALLS;
	why->left = true;
	return true;
}

/* True if some thread of the rank is still in the call that closes the group. */
static bool is_closing(const struct inquiry *q, const struct job_member *m)
{
	for (size_t i = q->waits->first[m->rank.i]; i < q->waits->first[m->rank.i + 1]; i++)
		if (q->waits->at[i].kind == WAIT_CLOSE &&
			q->waits->at[i].member == (int)(m - q->job->members))
			return true;
	return false;
}

/*
 * Returns the fact that tells how the seat was closed. If a backend has no finalize of its own,
 * what is recorded as one is the program's destroy.
 */
static enum verdict_fact_kind how_closed(const struct inquiry *q, const struct job_member *m)
{
	if (is_closing(q, m))
		return FACT_DONE_WITH_GROUP;
	return m->state == JOB_MEMBER_CLOSING &&
			       backend_has(q->job->groups[m->group].maker, BACKEND_FINALIZES)
		       ? FACT_FINALIZED_GROUP
		       : FACT_LEFT_GROUP;
}

/* It says where the rank went only if its stack tells. */
void left_tell_seat(struct inquiry *q, const struct job_member *m, struct draft *draft)
{
	struct verdict_fact *fact = draft_fact(q, draft, how_closed(q, m), m->rank, m->cite);

	if (fact->kind != FACT_DONE_WITH_GROUP) {
		fact->text2 = q->job->groups[m->group].name;
		if (m->head_known && m->head)
			fact->a = (int64_t)m->head;
	}
	stacks_tell(q, m->rank, draft);
}

void left_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_member *m = closed_seat(q, rank, true);

	if (m) {
		left_tell_seat(q, m, draft);
		return;
	}
	draft_fact(q, draft, FACT_DONE_WITH_GROUP, rank, q->profiles[rank.i].outside_cite);
	stacks_tell(q, rank, draft);
}

/* The facts: how it left, how much it had done, and the last op that it took part in. */
void tell_left(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->death == DEATH_CLEAN && p->process->end == JOB_SIGNALED) {
		draft_fact(q, draft, FACT_TEARDOWN, rank, p->fatal->cite);
	} else if (p->death == DEATH_CLEAN) {
		draft_fact(q, draft, FACT_DIED_EXIT, rank, p->process->end_cite)->a = 0;
	}
	if (job_rank(q->job, rank)->candidate_only)
		draft_fact(q, draft, FACT_NEVER_INIT, rank, p->process->cite);
	if (p->exception && p->death == DEATH_CLEAN)
		draft_fact(q, draft, FACT_EXCEPTION, rank, p->exception->cite)->text =
			p->exception->text;
	if (p->leaving && p->death != DEATH_CLEAN && !did_less(q, rank)) {
		left_tell(q, rank, draft);
		shards_tell(q, rank, draft);
	} else {
		shards_tell(q, rank, draft);
		if (p->leaving && p->death != DEATH_CLEAN)
			left_tell(q, rank, draft);
	}
	draft_last_op(q, draft, rank);
}

/* -- counts of an operation -------------------------------------------------------------------- */

/* Returns how many brought nothing, the last such camp, and whether it is the only one. */
static size_t count_zero(const struct fork *fork, bool *ret_single, size_t *ret_camp)
{
	size_t n = 0, camps = 0;

	for (size_t i = 0; i < fork->ncamps; i++) {
		if (!fork->camps[i].zero)
			continue;
		n += fork->camps[i].n;
		*ret_camp = i;
		camps++;
	}
	*ret_single = camps == 1;
	return n;
}

/* Returns what the largest camp that brought something brought. */
static int64_t peers_count(const struct fork *fork)
{
	for (size_t i = 0; i < fork->ncamps; i++)
		if (!fork->camps[i].zero)
			return (int64_t)fork->camps[i].sig.count;
	return 0;
}

/* Adds a fact for each rank that brought nothing; what the peers brought only where it is known. */
static void tell_zero(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	for (size_t i = 0; i < fork->ncamps; i++) {
		const struct fork_camp *camp = &fork->camps[i];

		for (size_t k = 0; camp->zero && k < camp->n; k++) {
			struct verdict_fact *fact = draft_fact(q, draft, FACT_ZERO_COUNT,
				q->job->members[camp->members[k]].rank, camp->op->cite);

			fact->text = inquiry_op_name(camp->op);
			fact->a = (int64_t)fork->index;
			if (fork->exact)
				fact->b = peers_count(fork);
		}
	}
}

/* Returns how many are in some camp. */
static size_t camp_sizes(const struct fork *fork)
{
	size_t n = 0;

	for (size_t i = 0; i < fork->ncamps; i++)
		n += fork->camps[i].n;
	return n;
}

/*
 * Writes a fork of kind ZERO: ranks that brought nothing are the odd ones, unless more than half
 * did.
 */
static void zero_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	bool single = false;
	size_t camp = 0, zeros = count_zero(fork, &single, &camp);
	size_t others = camp_sizes(fork) - zeros;

	/* Where the details are gone, nobody knows that the others brought something. */
	draft->verdict.confidence = fork->exact ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_DIVISIBLE_ROWS;
	fork_share_out(q, fork, single && zeros + fork->unknown <= others ? camp : SIZE_MAX, draft);
	tell_zero(q, fork, draft);
}

/* Returns the only camp whose members all had an empty shard; SIZE_MAX: there is no such camp. */
static size_t marked_camp(const struct inquiry *q, const struct fork *fork)
{
	size_t found = SIZE_MAX, total = camp_sizes(fork);

	for (size_t i = 0; i < fork->ncamps; i++) {
		const struct fork_camp *camp = &fork->camps[i];
		size_t empty = 0;

		for (size_t k = 0; k < camp->n; k++) {
			struct rank_index rank = q->job->members[camp->members[k]].rank;

			empty += is_rank(rank) && q->profiles[rank.i].empty_once;
		}
		if (empty && (empty < camp->n || found != SIZE_MAX))
			return SIZE_MAX;
		if (empty)
			found = i;
	}
	if (found != SIZE_MAX &&
		fork->camps[found].n + fork->unknown > total - fork->camps[found].n)
		return SIZE_MAX;
	return found;
}

/* True if all of a camp got no batch at all. */
static bool got_no_batch(const struct inquiry *q, const struct fork_camp *camp)
{
	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index rank = q->job->members[camp->members[i]].rank;

		if (!is_rank(rank) || !q->profiles[rank.i].no_batch)
			return false;
	}
	return true;
}

/*
 * True if all of a camp had an empty batch a short time ago. One that is longer past has to do with
 * a fork only by what it made them leave out then.
 */
static bool is_emptied_lately(const struct inquiry *q, const struct fork_camp *camp)
{
	for (size_t i = 0; i < camp->n; i++)
		if (!q->profiles[q->job->members[camp->members[i]].rank.i].empty_lately)
			return false;
	return true;
}

/* True if the side may have left ops out before it came to where it is. */
static bool may_lack_ops(const struct fork *fork)
{
	return fork->shift.kind == SHIFT_SKIPPED || fork->shift.kind == SHIFT_UNTOLD ||
	       fork->shift.kind == SHIFT_UNCLEAR;
}

/* Adds what the side entered, and what the largest side did. */
static void tell_other_op(
	struct inquiry *q, const struct fork *fork, size_t camp, struct draft *draft)
{
	struct verdict_fact *fact;

	if (!fork->exact)
		return;
	fact = draft_fact_of(
		q, draft, FACT_ENTERED_OTHER, &draft->culprits, fork->camps[camp].op->cite);
	fact->thing = draft_sig(q, &fork->camps[camp].sig);
	fact->thing2 = draft_sig(q, &fork->camps[camp ? 0 : 1].sig);
	fact->a = (int64_t)fork->index;
}

/*
 * True if the zero is lawful: an op to which all bring nothing, and which one side left out or met
 * too early.
 */
static bool is_lawful_zero(const struct fork *fork)
{
	return fork->exact && fork->shift.seen && fork->shift.kind == SHIFT_SKIPPED;
}

/* It is empty by the op's own counts, or by the marks of all who took the other way. */
bool is_empty_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	bool lately;
	size_t camp;

	if (fork->kind == FORK_ZERO && !is_lawful_zero(fork)) {
		zero_fork(q, fork, draft);
		return true;
	}
	camp = marked_camp(q, fork);
	if (camp == SIZE_MAX)
		return false;
	lately = is_emptied_lately(q, &fork->camps[camp]);
	if (!lately && !may_lack_ops(fork))
		return false;
	draft->verdict.confidence =
		lately && fork->exact ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = got_no_batch(q, &fork->camps[camp]) ? VERDICT_NEXT_SPLIT_INPUT
								  : VERDICT_NEXT_DIVISIBLE_ROWS;
	fork_share_out(q, fork, camp, draft);
	for (size_t i = 0; i < draft->culprits.list.nr && i < TOLD_CULPRITS; i++)
		shards_tell(q, draft->culprits.list.items[i], draft);
	fork_tell_graphs(q, fork, camp, draft);
	tell_other_op(q, fork, camp, draft);
	return true;
}

static void tell_count(struct inquiry *q, const struct fork *fork, size_t camp,
	struct rank_index rank, struct draft *draft)
{
	if (fork->kind == FORK_COUNT) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_COUNT, rank, fork->camps[camp].op->cite);

		fact->a = (int64_t)fork->camps[camp].sig.count;
		fact->b = (int64_t)fork->camps[0].sig.count;
		fact->c = (int64_t)fork->index;
	}
	shards_tell(q, rank, draft);
	if (q->profiles[rank.i].ended && q->profiles[rank.i].cause == VERDICT_BY_ABORT)
		tell_death(q, rank, draft);
}

/* True if no rank did more than this one, and some did less. */
static bool is_ahead(struct amount amount)
{
	return amount.known && amount.mine >= amount.most && amount.mine > amount.least;
}

/* True if no rank did less than this one, and some did more. */
static bool is_behind(struct amount amount)
{
	return amount.known && amount.mine <= amount.least && amount.mine < amount.most;
}

/*
 * True if a batch more or less than all others explains that the rank stands elsewhere. A rank that
 * left out an op runs ahead, and gets its next batch before the others do: then that is an effect;
 * and so is being behind with an op too many.
 */
static bool has_other_batches(
	const struct inquiry *q, const struct fork *fork, struct rank_index rank)
{
	struct amount batches = shards_batches(q, rank);

	if (is_ahead(batches))
		return fork->shift.kind != SHIFT_SKIPPED;
	return is_behind(batches) && fork->shift.kind != SHIFT_EXTRA;
}

/*
 * True if the smaller side stands in another operation because it is a batch or more behind or
 * ahead.
 */
static bool is_another_batch(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	bool ends = loaders_tell_ends(q);

	if (camp == SIZE_MAX || fork->passed || !fork->exact)
		return false;
	for (size_t i = 0; i < fork->camps[camp].n; i++) {
		struct rank_index rank = q->job->members[fork->camps[camp].members[i]].rank;

		if (!is_rank(rank) || !(ends ? shards_ended_otherwise(q, rank)
					       : has_other_batches(q, fork, rank)))
			return false;
	}
	return true;
}

/*
 * True if the latest batches of the side have other numbers of rows than some others': evidence of
 * its own.
 */
static bool has_other_rows(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	if (camp == SIZE_MAX)
		return false;
	for (size_t i = 0; i < fork->camps[camp].n; i++) {
		struct rank_index rank = q->job->members[fork->camps[camp].members[i]].rank;

		if (!is_rank(rank) || !has_other(shards_rows(q, rank)))
			return false;
	}
	return true;
}

/* Fewer elements than these may be a share of a small batch. */
#define SURELY_MANY 64

/* True if one side brings a single element, a loss or a flag, and the other one a tensor. */
static bool is_scalar(const struct fork *fork, size_t camp)
{
	uint64_t mine = fork->camps[camp].sig.count, most = fork->camps[0].sig.count;

	return (mine == 1 && most >= SURELY_MANY) || (most == 1 && mine >= SURELY_MANY);
}

/*
 * True if elements are added up, and one side brings fewer than a row of the other side's tensor
 * has: a sum of metrics beside one of gradients. (What is gathered may have a single row.)
 */
static bool is_less_than_a_row(const struct fork *fork, size_t camp)
{
	uint64_t mine = fork->camps[camp].sig.count, most = fork->camps[0].sig.count;
	uint64_t less = mine < most ? mine : most, more = mine < most ? most : mine;
	uint8_t op = fork->camps[camp].sig.op;

	return (op == JOB_OP_ALLREDUCE || op == JOB_OP_REDUCE) && less < SURELY_MANY &&
	       more / SURELY_MANY >= less;
}

/* True if the smaller side made another call than the others, by its amount or its line. */
static bool is_another_call(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	enum job_known differ = fork_calls_differ(q, fork, camp);

	return differ == JOB_YES || is_scalar(fork, camp) ||
	       (differ != JOB_NO && is_less_than_a_row(fork, camp));
}

/*
 * True if counts differ, and neither a shift of the one side's operations nor another call explains
 * it: a shard has another amount at the line at which all others are; if its rows are others, at
 * any line.
 */
static bool is_another_amount(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	if (fork->kind != FORK_COUNT)
		return false;
	if (camp != SIZE_MAX && !has_other_rows(q, fork, camp) &&
		(is_another_call(q, fork, camp) || fork_is_for_another_group(q, fork, camp)))
		return false;
	if (fork->shift.kind == SHIFT_NONE || fork->shift.kind == SHIFT_UNTOLD)
		return true;
	return !fork->shift.seen && has_other_rows(q, fork, camp);
}

/*
 * True if the two sides' amounts are of one size: a share with some rows less. An amount that is
 * far from the others' may be another call, one too many of its rank.
 */
static bool is_near(const struct fork *fork)
{
	uint64_t a = fork->camps[0].sig.count, b = fork->camps[1].sig.count;

	return fork->kind != FORK_COUNT || (a / 2 <= b && b / 2 <= a);
}

/*
 * True if nothing tells where the smaller side called its operation: its ranks ended there, and no
 * record has the place. That call may be one too many, of an amount that only looks alike.
 */
static bool is_call_lost(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	if (camp == SIZE_MAX || (fork->camps[camp].op && *fork->camps[camp].op->place))
		return false;
	for (size_t i = 0; i < fork->camps[camp].n; i++) {
		struct rank_index rank = q->job->members[fork->camps[camp].members[i]].rank;

		if (!is_rank(rank) || !q->profiles[rank.i].ended)
			return false;
	}
	return fork->camps[camp].n > 0;
}

bool is_uneven_fork(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	size_t camp = fork_minority(fork);
	bool batch = is_another_batch(q, fork, camp), amount = is_another_amount(q, fork, camp);
	bool aligned = fork->shift.kind == SHIFT_NONE && fork->shift.alone;
	bool lost = is_call_lost(q, fork, camp);
	bool sure = batch || (aligned && is_near(fork) && !lost) || has_other_rows(q, fork, camp);

	if (!batch && !amount)
		return false;
	draft->verdict.confidence = sure ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = amount ? VERDICT_NEXT_SAME_COUNTS : VERDICT_NEXT_SAME_BATCHES;
	if (amount && lost && !sure)
		draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	fork_share_out(q, fork, camp, draft);
	for (size_t i = 0; camp != SIZE_MAX && i < draft->culprits.list.nr && i < TOLD_CULPRITS;
		i++)
		tell_count(q, fork, camp, draft->culprits.list.items[i], draft);
	if (camp != SIZE_MAX && fork->kind != FORK_COUNT)
		tell_other_op(q, fork, camp, draft);
	if (!draft->facts.nr)
		fork_tell_camps(q, fork, draft);
	if (!sure)
		fork_tell_unaligned(q, fork, draft);
	return true;
}

/* -- looking like shards, and not -------------------------------------------------------------- */

/* Returns the rank's mark of that loader; NULL where it has none. */
static const struct job_shard *shard_of(
	const struct inquiry *q, struct rank_index rank, const char *loader)
{
	struct spans_range range = shards_of(q->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (!strcmp(q->job->shards[i].loader, loader))
			return &q->job->shards[i];
	return NULL;
}

/* True if the rank got as much as another one did, from each loader that either has. */
static bool got_the_same(const struct inquiry *q, struct rank_index rank, struct rank_index other)
{
	struct spans_range mine = shards_of(q->job, rank), theirs = shards_of(q->job, other);

	for (size_t i = theirs.from; i < theirs.to; i++) {
		const struct job_shard *a = &q->job->shards[i], *b = shard_of(q, rank, a->loader);

		if (!b || b->empty || b->rows != a->rows || b->elements != a->elements ||
			shards_ended_at(q, a) != shards_ended_at(q, b))
			return false;
	}
	return mine.to - mine.from == theirs.to - theirs.from;
}

/* Excludes them only if each rank has told what it got from each loader that anybody has. */
void rule_out_shards(struct inquiry *q, struct draft *draft)
{
	struct verdict_fact *fact;

	if (draft->verdict.class == VERDICT_EMPTY_SHARD ||
		draft->verdict.class == VERDICT_UNEVEN_SHARD || !q->job->nshards ||
		!inquiry_all_seen(q))
		return;
	job_for_each_rank(q->job, rank)
		if (!got_the_same(q, rank, rank_index(0)))
			return;
	fact = draft_rule_out(draft, VERDICT_EMPTY_SHARD, FACT_NO_SHARD_CAUSE, "ring:*");
	fact->a = (int64_t)q->job->shards[0].rows;
	fact->b = (int64_t)q->job->shards[0].elements;
}
