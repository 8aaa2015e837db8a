/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/shards/shards.h"

#include <string.h>

#include "job/spans.h"

/* Takes one rank's value into the comparison; `mine`: of the rank that is compared. */
static void compare(struct amount *amount, int64_t value, bool mine, const char *cite)
{
	if (mine) {
		amount->mine = value;
		amount->cite = cite;
		return;
	}
	if (amount->least == JOB_UNKNOWN || value < amount->least)
		amount->least = value;
	if (value > amount->most)
		amount->most = value;
}

static struct amount none(void)
{
	return (struct amount){
		.mine = JOB_UNKNOWN, .least = JOB_UNKNOWN, .most = JOB_UNKNOWN, .cite = "ring"};
}

static struct amount settle(struct amount amount)
{
	amount.known = amount.mine != JOB_UNKNOWN && amount.most != JOB_UNKNOWN;
	return amount;
}

/*
 * Returns the rank's mark of the loader in which it differs most from its peers, else of its first;
 * NULL.
 */
static const struct job_shard *main_shard(const struct inquiry *q, struct rank_index rank)
{
	struct spans_range range = shards_of(q->job, rank);

	if (q->profiles[rank.i].shard)
		return q->profiles[rank.i].shard;
	return range.from < range.to ? &q->job->shards[range.from] : NULL;
}

static struct amount compare_shards(
	const struct inquiry *q, struct rank_index rank, int64_t (*value)(const struct job_shard *))
{
	const struct job_shard *mine = main_shard(q, rank);
	const struct job_trait *no_batch = q->profiles[rank.i].no_batch;
	const char *loader = mine ? mine->loader : no_batch ? no_batch->text : NULL;
	struct amount amount = none();

	if (!mine && no_batch)
		compare(&amount, 0, true, no_batch->cite);
	for (size_t i = 0; loader && i < q->job->nshards; i++) {
		const struct job_shard *shard = &q->job->shards[i];

		if (strcmp(shard->loader, loader) == 0)
			compare(&amount, value(shard), shard == mine, shard->cite);
	}
	return settle(amount);
}

static int64_t batches_of(const struct job_shard *shard)
{
	return (int64_t)shard->batches;
}

static int64_t rows_of(const struct job_shard *shard)
{
	return (int64_t)shard->rows;
}

struct amount shards_batches(const struct inquiry *q, struct rank_index rank)
{
	return compare_shards(q, rank, batches_of);
}

struct amount shards_rows(const struct inquiry *q, struct rank_index rank)
{
	return compare_shards(q, rank, rows_of);
}

struct amount shards_steps(const struct inquiry *q, struct rank_index rank)
{
	struct amount amount = none();

	for (size_t i = 0; i < q->job->nsteps; i++) {
		const struct job_step *step = &q->job->steps[i];

		compare(&amount, (int64_t)step->n, same_rank(step->rank, rank), step->cite);
	}
	/* Without a mark a rank completed no step, if its marks could be read. */
	if (amount.mine == JOB_UNKNOWN && amount.most != JOB_UNKNOWN &&
		q->profiles[rank.i].readable && !inquiry_lost_ops(q, rank)) {
		amount.mine = 0;
		amount.cite = "ring";
	}
	return settle(amount);
}

/*
 * Returns the end of the rank's latest pass that is told, be it before or after its latest batch;
 * NULL where none is.
 */
static const struct job_trait *end_of(
	const struct inquiry *q, struct rank_index rank, const char *loader)
{
	struct spans_range traits = traits_of(q->job, rank);

	for (size_t i = traits.from; i < traits.to; i++) {
		const struct job_trait *trait = &q->job->traits[i];

		if (!strcmp(trait->key, "input-end") && !strcmp(trait->text, loader) &&
			trait->number != JOB_UNKNOWN && trait->when != JOB_UNKNOWN)
			return trait;
	}
	return NULL;
}

int64_t shards_ended_at(const struct inquiry *q, const struct job_shard *shard)
{
	const struct job_trait *end = end_of(q, shard->rank, shard->loader);

	return end && end->when >= shard->when ? end->number : JOB_UNKNOWN;
}

/*
 * Returns the most batches that one pass of this loader, which is in the middle of one, is known to
 * have had.
 */
static int64_t longest_pass(const struct inquiry *q, const struct job_shard *shard)
{
	const struct job_trait *end = end_of(q, shard->rank, shard->loader);
	int64_t now = (int64_t)shard->index + 1;

	return end && end->number > now ? end->number : now;
}

bool shards_ended_otherwise(const struct inquiry *q, struct rank_index rank)
{
	const struct job_shard *mine = main_shard(q, rank);
	int64_t end = mine ? shards_ended_at(q, mine) : JOB_UNKNOWN;
	size_t fewer = 0, peers = 0;

	for (size_t i = 0; mine && i < q->job->nshards; i++) {
		const struct job_shard *other = &q->job->shards[i];
		int64_t other_end;

		if (same_rank(other->rank, rank) || strcmp(other->loader, mine->loader) != 0)
			continue;
		other_end = shards_ended_at(q, other);
		if (end != JOB_UNKNOWN &&
			(other_end != JOB_UNKNOWN ? other_end : longest_pass(q, other)) > end)
			return true;
		fewer += other_end != JOB_UNKNOWN && other_end < (int64_t)mine->index + 1;
		peers++;
	}
	return mine && end == JOB_UNKNOWN && peers && fewer == peers;
}

bool shards_has_left(const struct profile *p)
{
	return p->death == DEATH_CLEAN || (p->leaving && p->death == DEATH_NONE);
}

const struct job_shard *shards_shape(const struct inquiry *q, struct rank_index rank)
{
	const struct job_shard *shard = main_shard(q, rank);

	return shard && shard->ndim ? shard : NULL;
}

static bool differs(const struct amount *amount)
{
	return amount->known && (amount->mine != amount->least || amount->mine != amount->most);
}

static void tell(struct inquiry *q, struct draft *draft, enum verdict_fact_kind kind,
	struct rank_index rank, const struct amount *amount)
{
	struct verdict_fact *fact;

	if (!differs(amount))
		return;
	fact = draft_fact(q, draft, kind, rank, amount->cite);
	fact->a = amount->mine;
	fact->b = amount->least;
	fact->c = amount->most;
}

/* Adds the rank's latest batch, and the peers'. */
static void tell_rows(
	struct inquiry *q, struct rank_index rank, const struct amount *rows, struct draft *draft)
{
	const struct job_shard *shard = main_shard(q, rank);
	struct verdict_fact *fact;

	if (!shard || !rows->known)
		return;
	fact = draft_fact(q, draft, FACT_SHARD, rank, shard->cite);
	fact->text = shard->loader;
	fact->a = (int64_t)shard->rows;
	fact->b = (int64_t)shard->elements;
	fact->c = (int64_t)shard->index;
	fact = draft_fact(q, draft, FACT_SHARD_PEERS, NO_RANK, "ring:*");
	fact->a = rows->least;
	fact->b = rows->most;
}

/*
 * Finds how the rows of a batch were dealt out. False: not of every rank's share is known, they are
 * not of one batch, or they were dealt out otherwise.
 */
static bool deal_of(const struct inquiry *q, const struct job_shard *mine, int64_t *ret_total,
	struct verdict_deal *ret)
{
	size_t n = 0;

	*ret_total = 0;
	*ret = (struct verdict_deal){.rest = -1};
	for (size_t i = 0; i < q->job->nshards; i++) {
		const struct job_shard *shard = &q->job->shards[i];

		if (strcmp(shard->loader, mine->loader) != 0)
			continue;
		if (shard->index != mine->index || shard->rows > INT32_MAX)
			return false;
		*ret_total += (int64_t)shard->rows;
		ret->most = (int64_t)shard->rows > ret->most ? (int64_t)shard->rows : ret->most;
		n++;
	}
	for (size_t i = 0; i < q->job->nshards; i++) {
		const struct job_shard *shard = &q->job->shards[i];
		int64_t rows = (int64_t)shard->rows;

		if (strcmp(shard->loader, mine->loader) != 0)
			continue;
		ret->full += rows == ret->most;
		ret->none += rows == 0;
		if (rows == ret->most || rows == 0)
			continue;
		if (ret->rest >= 0)
			return false;
		ret->rest = rows;
	}
	return ret->most > 0 && n == q->job->nranks && ret->full < (int64_t)n &&
	       inquiry_all_seen(q);
}

/* Adds how the rows were dealt out: "28 rows over 8 ranks = 7 x 4 + 0". */
static void tell_deal(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_shard *mine = main_shard(q, rank);
	struct verdict_fact *fact;
	struct verdict_deal deal;
	int64_t total;

	for (size_t i = 0; i < draft->facts.nr; i++)
		if (draft->facts.items[i].kind == FACT_SHARD_SUM)
			return;
	if (!mine || !deal_of(q, mine, &total, &deal))
		return;
	fact = draft_fact(q, draft, FACT_SHARD_SUM, NO_RANK, "ring:*");
	fact->a = total;
	fact->b = (int64_t)q->job->nranks;
	fact->thing = draft_thing(q, (struct verdict_thing){.kind = THING_DEAL, .deal = deal});
}

/* Adds that a pass gave no batch, on the rank's own word. */
static void tell_no_batch(struct inquiry *q, struct rank_index rank, const struct amount *batches,
	struct draft *draft)
{
	const struct job_trait *end = q->profiles[rank.i].no_batch;
	struct verdict_fact *fact = draft_fact(q, draft, FACT_NO_BATCH, rank, end->cite);

	fact->text = end->text;
	if (batches->known && !batches->mine) {
		fact->b = batches->least;
		fact->c = batches->most;
	}
}

/* Rows that are the same everywhere tell nothing where something else differs. */
void shards_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	struct amount batches = shards_batches(q, rank), steps = shards_steps(q, rank);
	struct amount rows = shards_rows(q, rank);

	if (q->profiles[rank.i].no_batch) {
		tell_no_batch(q, rank, &batches, draft);
		tell(q, draft, FACT_STEPS, rank, &steps);
		return;
	}
	if (differs(&rows) || (!differs(&batches) && !differs(&steps)))
		tell_rows(q, rank, &rows, draft);
	if (differs(&rows))
		tell_deal(q, rank, draft);
	tell(q, draft, FACT_BATCHES, rank, &batches);
	tell(q, draft, FACT_STEPS, rank, &steps);
}
