/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes compile-skew and compile-stuck: a rank that others wait for has an open compile span, or
 * stands in a compiler by its stack. It is stuck if it showed no CPU, no child and no span event
 * for 5 s, or lost a worker and does not move. Quiet is not dead: it may wait for the network, a
 * file, or a lock that somebody gives back. So it is said that it cannot end only if there is a
 * reason.
 */
#include <string.h>

#include "base/clock.h"
#include "job/caches.h"
#include "job/spans.h"
#include "verdict/outside.h"
#include "verdict/rule.h"
#include "verdict/shards/shards.h"

/*
 * A stack that stood in a lock for so many ns does not merely wait shortly for another rank's
 * compile.
 */
#define STANDS_AT_LEAST (2 * CLOCK_NS_PER_S)

/*
 * A compile that takes so many times as long as the peers' is no slow one any more (more times, if
 * its cache was colder); below TOO_LONG ns none is too long.
 */
#define TOO_MANY     10
#define FAR_TOO_MANY 100
#define TOO_LONG     (10 * CLOCK_NS_PER_S)

/* True if no span tells that the rank compiles, but its stack does. */
static bool by_stack(const struct profile *p)
{
	return !p->compile.bracket && p->posture.activity == ACTIVITY_COMPILE && !p->ended;
}

/*
 * True if the rank compiles. A span left open by an exit in good order is no compile, nor is one
 * that waits behind an op.
 */
static bool compiles(const struct profile *p)
{
	return (p->compile.bracket || by_stack(p)) && p->death != DEATH_CLEAN &&
	       !p->device_victim;
}

static bool is_locked(const struct profile *p)
{
	return p->compile.lock || (by_stack(p) && p->posture.locked);
}

/*
 * True if nothing of it moves; or its compiler processes died and nothing proves that the rest goes
 * on; or it was seen to stand in a lock.
 */
static bool is_stuck(const struct profile *p)
{
	if (p->progress == PROGRESS_NO)
		return true;
	if (by_stack(p) && p->posture.locked && p->posture.lock_stands >= STANDS_AT_LEAST)
		return true;
	return (p->dead_child || p->pool) && p->progress != PROGRESS_YES;
}

/*
 * True if something tells that the compile cannot end: it is dead, frozen, or its workers are gone.
 */
static bool cannot_end(const struct profile *p)
{
	return p->ended || p->frozen || p->dead_child || p->pool;
}

/*
 * True if the compile moves: by CPU, children and spans; where those are unknown, by its stack at
 * two times.
 */
static bool moves(const struct profile *p)
{
	return p->progress == PROGRESS_YES ||
	       (p->progress == PROGRESS_UNKNOWN && by_stack(p) && p->posture.moved == JOB_YES);
}

/*
 * True if nothing of it moves and nothing tells why: it may wait for a lock that nobody sees.
 * PyTorch 2.6 takes the locks of its cache in processes that compile for a rank (codecache.py
 * _worker_compile_cpp), and polls them asleep.
 */
static bool may_be_locked(const struct profile *p)
{
	return p->progress == PROGRESS_NO && !p->frozen && !p->dead_child && !p->pool;
}

/*
 * True if another rank of the host may hold the lock that this one's compile waits for: it compiles
 * without waiting for one, and so is the one that is late. Where the lock itself is not seen, that
 * other rank must be seen to move.
 */
static bool has_pace_maker(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!is_locked(p) && !may_be_locked(p))
		return false;
	job_for_each_rank(q->job, at) {
		const struct profile *other = &q->profiles[at.i];

		if (!same_rank(at, rank) &&
			job_rank(q->job, at)->host == job_rank(q->job, rank)->host &&
			compiles(other) && !is_locked(other) && (is_locked(p) || moves(other)))
			return true;
	}
	return false;
}

static enum verdict_where place_of(const struct profile *p)
{
	return p->frozen ? VERDICT_IN_FROZEN : is_locked(p) ? VERDICT_IN_LOCK : VERDICT_NOWHERE;
}

/*
 * True if somebody saw that the rank lives, or how it ended. A ring alone goes on telling that its
 * owner compiles, also once that was killed.
 */
static bool fate_is_known(const struct profile *p)
{
	return p->process && p->process->end != JOB_END_UNKNOWN && p->process->end != JOB_GONE;
}

/* It is asked before skew, which any open compile would fit. */
bool explains_stuck(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!compiles(p) || !is_stuck(p) || has_pace_maker(q, rank))
		return false;
	why->confidence = cannot_end(p) && p->progress == PROGRESS_NO && !by_stack(p)
				  ? VERDICT_ESTABLISHED
				  : VERDICT_SUPPORTED;
	why->outlook = cannot_end(p) ? VERDICT_KILL : VERDICT_OUTLOOK_UNKNOWN;
	why->cause = p->dead_child || p->pool ? VERDICT_BY_CHILD_DEATH : VERDICT_NO_CAUSE;
	why->where = place_of(p);
	why->next = p->traced	? VERDICT_NEXT_DETACH_DEBUGGER
		    : p->frozen ? VERDICT_NEXT_CONTINUE_PROCESS
				: VERDICT_NEXT_LOOK_AT_COMPILER;
	return true;
}

/* A rank that still compiles is worth waiting for only if it is seen to move. */
bool explains_skew(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!compiles(p))
		return false;
	why->confidence = p->progress == PROGRESS_YES && !by_stack(p) && fate_is_known(p)
				  ? VERDICT_ESTABLISHED
				  : VERDICT_SUPPORTED;
	why->outlook = p->ended   ? VERDICT_KILL
		       : moves(p) ? VERDICT_WAIT
				  : VERDICT_OUTLOOK_UNKNOWN;
	why->next = VERDICT_NEXT_SEED_CACHE;
	why->progresses = true;
	why->follows = has_pace_maker(q, rank);
	return true;
}

static int64_t age_of(const struct inquiry *q, struct rank_index rank, const struct job_span *span)
{
	int64_t now = q->waits->now[rank.i];

	return now == JOB_UNKNOWN || span->begun == JOB_UNKNOWN ? JOB_UNKNOWN : now - span->begun;
}

/* Returns what is compiled: the graph's id if it has one, else what the program said of it. */
static const char *subject_of(const struct compiling *compile)
{
	return compile->graph ? compiles_graph_id(compile->graph) : compile->phase->detail;
}

/*
 * Adds which phase is open, and of what. For how long it compiles already is the age of the
 * outermost span.
 */
static void tell_span(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct compiling *compile = &q->profiles[rank.i].compile;
	struct verdict_fact *fact =
		draft_fact(q, draft, FACT_SPAN_OPEN, rank, compile->phase->cite);

	fact->text = compile->phase->name;
	fact->text2 = subject_of(compile);
	fact->a = age_of(q, rank, compile->bracket);
	fact->b = compile->phase->kind;
	if (!compile->device)
		return;
	fact = draft_fact(q, draft, FACT_SPAN_OPEN, rank, compile->device->cite);
	fact->text = compile->device->name;
	fact->a = age_of(q, rank, compile->device);
	fact->b = compile->device->kind;
}

/* True if some span of that rank is about the graph with this id. */
static bool compiled_it(const struct inquiry *q, struct rank_index rank, const char *id)
{
	struct spans_range range = spans_of(q->job, rank);

	for (size_t i = range.from; i < range.to; i++) {
		const char *other = compiles_graph_id(&q->job->spans[i]);

		if (other && !strcmp(other, id))
			return true;
	}
	return false;
}

static const struct verdict_thing *thing_of(struct inquiry *q, const struct job_shard *shard)
{
	return draft_thing(q, (struct verdict_thing){.kind = THING_SHAPE, .shard = shard});
}

/* True if both batches are of one shape. */
static bool same_shape(const struct job_shard *a, const struct job_shard *b)
{
	return a->ndim == b->ndim && !memcmp(a->dims, b->dims, a->ndim * sizeof(*a->dims));
}

/* Adds the shape of the rank's batch, beside another shape that a peer has. */
static void tell_new_shape(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_shard *other = NULL, *mine = shards_shape(q, rank);

	for (struct rank_index at = {0}; mine && job_has_rank(q->job, at); at.i++) {
		const struct job_shard *theirs =
			same_rank(at, rank) ? NULL : shards_shape(q, at);

		if (theirs && !same_shape(theirs, mine))
			other = theirs;
	}
	if (other) {
		struct verdict_fact *fact = draft_fact(
			q, draft, FACT_SHAPES, rank, q->profiles[rank.i].shard->cite);

		fact->thing = thing_of(q, mine);
		fact->thing2 = thing_of(q, other);
	}
}

/* Adds that a graph is compiled though steps were done already. */
static void tell_recompile(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_step *step = q->profiles[rank.i].step;
	const struct job_span *graph = q->profiles[rank.i].compile.graph;
	struct verdict_fact *fact;
	size_t peers = 0;

	if (!step || !step->n)
		return;
	fact = draft_fact(q, draft, FACT_RECOMPILES, rank,
		graph ? graph->cite : q->profiles[rank.i].compile.bracket->cite);
	fact->text = graph ? compiles_graph_id(graph) : "";
	fact->a = (int64_t)step->n;
	for (struct rank_index at = {0}; graph && job_has_rank(q->job, at); at.i++)
		peers += !same_rank(at, rank) && compiled_it(q, at, fact->text);
	if (graph)
		fact->b = (int64_t)peers;
	tell_new_shape(q, rank, draft);
}

/* Adds the compilers that it started; by now none may be left. */
static void tell_tools(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_trait *tools = q->profiles[rank.i].tools;
	int64_t now = q->waits->now[rank.i];
	struct verdict_fact *fact;

	if (!tools)
		return;
	fact = draft_fact(q, draft, FACT_TOOLS, rank, tools->cite);
	fact->text = tools->text;
	fact->a = tools->number;
	if (now != JOB_UNKNOWN && tools->when != JOB_UNKNOWN)
		fact->b = now > tools->when ? now - tools->when : 0;
}

/*
 * Adds how many times as long as any peer's compile it takes, if that is too many. A cold cache
 * makes a compile longer: then it must be far more.
 */
static void tell_proportion(
	struct inquiry *q, struct rank_index rank, int64_t peers, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	struct cache_found mine = caches_found(q->job, rank);
	enum cache_state state = caches_state(&mine, caches_most(q->job));
	bool colder =
		caches_most(q->job) > mine.files && (state == CACHE_COLD || state == CACHE_PARTIAL);
	int64_t open = p->compile.bracket ? age_of(q, rank, p->compile.bracket) : JOB_UNKNOWN;
	int64_t many = colder ? FAR_TOO_MANY : TOO_MANY;
	struct verdict_fact *fact;

	if (p->ended || open < TOO_LONG || peers <= 0 || open / many < peers)
		return;
	fact = draft_fact(q, draft, FACT_MANY_TIMES, rank, p->compile.bracket->cite);
	fact->a = open;
	fact->b = peers;
	fact->c = open / peers;
}

/* Adds how long the peers' compiles took, by the longest span of each. */
static void tell_peers(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	int64_t least = INT64_MAX, most = JOB_UNKNOWN;

	job_for_each_rank(q->job, at) {
		struct spans_range range = spans_of(q->job, at);
		int64_t longest = JOB_UNKNOWN;

		for (size_t k = range.from; !same_rank(at, rank) && k < range.to; k++) {
			const struct job_span *span = &q->job->spans[k];

			if (span->kind == JOB_SPAN_COMPILE && !span->open &&
				span->ended != JOB_UNKNOWN && span->begun != JOB_UNKNOWN &&
				span->ended - span->begun > longest)
				longest = span->ended - span->begun;
		}
		if (longest == JOB_UNKNOWN)
			continue;
		least = longest < least ? longest : least;
		most = longest > most ? longest : most;
	}
	if (most != JOB_UNKNOWN) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_PEERS_COMPILED, NO_RANK, "ring:*");

		fact->a = least;
		fact->b = most;
		tell_proportion(q, rank, most, draft);
	}
}

/* Returns how many ranks found something in their cache; -1 where it is unknown of some rank. */
static int64_t count_warm(const struct inquiry *q)
{
	int64_t warm = 0;

	job_for_each_rank(q->job, rank) {
		struct cache_found found = caches_found(q->job, rank);

		if (!found.path || found.files == JOB_UNKNOWN)
			return -1;
		warm += found.files > 0 || found.cut;
	}
	return warm;
}

/* Adds what all caches are together: once, and not for each rank that compiles. */
static void tell_seed(struct inquiry *q, struct draft *draft)
{
	int64_t warm = count_warm(q), ranks = (int64_t)q->job->nranks;
	struct verdict_fact *fact;

	if (warm < 0 || warm == ranks || ranks < 2 || !inquiry_all_seen(q))
		return;
	for (size_t i = 0; i < draft->facts.nr; i++)
		if (draft->facts.items[i].kind == FACT_ALL_COLD ||
			draft->facts.items[i].kind == FACT_SEED_SMALL)
			return;
	/* One cold rank among warm ones is told by its own cache. */
	if (warm && warm + 1 >= ranks)
		return;
	fact = draft_fact(q, draft, warm ? FACT_SEED_SMALL : FACT_ALL_COLD, NO_RANK, "caches:*");
	fact->a = warm ? warm : ranks;
	fact->b = ranks;
}

/* Adds the rank's cache beside the others'; if all had the same, the cache explains nothing. */
static void tell_cache(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	struct cache_found mine = caches_found(q->job, rank);
	const char *state = caches_state_name(caches_state(&mine, caches_most(q->job)));
	struct verdict_fact *fact;
	int64_t least, most;

	caches_of_others(q->job, rank, &least, &most);
	if (!state || (mine.cut && mine.files) || most == JOB_UNKNOWN ||
		(mine.files == least && mine.files == most))
		return;
	fact = draft_fact(q, draft, FACT_CACHE, rank, mine.cite);
	fact->text = mine.files ? state : "";
	fact->a = mine.files;
	fact->b = least;
	fact->c = most;
}

/* Adds whether it moves, and how much CPU it used; nothing where samples do not tell. */
static void tell_activity(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const char *cite = p->process ? p->process->sample_cite
						     : p->compile.bracket->cite;
	struct verdict_fact *fact;

	if (p->progress == PROGRESS_NO) {
		fact = draft_fact(q, draft, FACT_SPAN_IDLE, rank, cite);
		fact->a = p->idle;
	} else if (p->progress == PROGRESS_YES && p->cpu != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_SPAN_ACTIVE, rank, cite);
		fact->a = p->cpu;
		fact->b = p->cpu_span;
	}
	if (p->frozen)
		draft_frozen(q, draft, rank, cite);
}

void tell_compile(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];

	if (p->compile.bracket)
		tell_span(q, rank, draft);
	stacks_tell(q, rank, draft);
	tell_activity(q, rank, draft);
	outside_tell(q, rank, draft);
	tell_tools(q, rank, draft);
	if (p->compile.bracket)
		tell_recompile(q, rank, draft);
	draft_dead_child(q, draft, rank);
	if (p->pool)
		draft_fact(q, draft, FACT_POOL_DIED, rank, p->pool->cite)->text = p->pool->text;
	tell_cache(q, rank, draft);
	tell_seed(q, draft);
	tell_peers(q, rank, draft);
	if (p->progress == PROGRESS_UNKNOWN && !p->ended && !moves(p))
		inquiry_not_judged(q, VERDICT_COMPILE_STUCK, NEED_CPU_SAMPLES, rank);
}

/*
 * True if the rank's ring would tell of an open span: a dump has none, what was lost may be its
 * begin, and it may have begun since a look from before others waited for the rank.
 */
static bool tells_of_compiles(const struct inquiry *q, struct rank_index rank)
{
	const struct job_rank *r = job_rank(q->job, rank);

	return q->profiles[rank.i].readable && !inquiry_lost_ops(q, rank) &&
	       inquiry_look(q, rank) != LOOKED_BEFORE &&
	       (r->knows & (JOB_KNOWS_RING | JOB_KNOWS_CENSUS));
}

/* True if no rank compiles, and each rank that should be there could tell. */
static bool none_compiles(const struct inquiry *q)
{
	if (!inquiry_all_seen(q))
		return false;
	job_for_each_rank(q->job, rank)
		if (!tells_of_compiles(q, rank) || q->profiles[rank.i].compile.bracket ||
			by_stack(&q->profiles[rank.i]))
			return false;
	return true;
}

void rule_out_compile(struct inquiry *q, struct draft *draft)
{
	if (draft->verdict.class == VERDICT_COMPILE_SKEW ||
		draft->verdict.class == VERDICT_COMPILE_STUCK)
		return;
	if (!q->none_compiles.made)
		q->none_compiles = (struct inquiry_once){true, none_compiles(q)};
	if (q->none_compiles.holds)
		draft_rule_out(draft, VERDICT_COMPILE_SKEW, FACT_NO_OPEN_SPAN, "ring:*")->b =
			JOB_SPAN_COMPILE;
}
