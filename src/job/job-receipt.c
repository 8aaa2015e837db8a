/* SPDX-License-Identifier: Apache-2.0 */
#include "job/job-receipt.h"

#include <stdlib.h>
#include <string.h>

#include "job/firsts.h"
#include "job/spans.h"

struct receipt receipt_nothing(void)
{
	return (struct receipt){
		.launch = {.job = "", .name = "", .host = "", .cwd = "", .kernel = "",
			.machine = "", .image = "", .driver = "", .revision = "", .branch = "",
			.launched = JOB_UNKNOWN, .memory = JOB_UNKNOWN, .cpus = JOB_UNKNOWN,
			.cite = ""},
		.state = "",
		.seen = JOB_UNKNOWN,
		.ended = JOB_UNKNOWN,
		.exit_status = JOB_UNKNOWN,
		.agent_pid = JOB_UNKNOWN,
		.agent_start_time = JOB_UNKNOWN,
		.world_size = JOB_UNKNOWN,
		.attempts = JOB_UNKNOWN,
		.hangs = JOB_UNKNOWN,
		.framework = "",
		.backend = "",
		.mode = "",
		.python = "",
		.verdict = "",
		.bundle = "",
		.last_words = "",
		.compiled = JOB_UNKNOWN,
		.path = "",
	};
}

/* A rank of which nothing is known. */
static const struct receipt_rank unknown = {
	.cache = "",
#define NUMBER(member, key) .member = JOB_UNKNOWN,
#include "lists/receipt.def"
#undef NUMBER
};

/* -- of one rank ------------------------------------------------------------------------------- */

/*
 * Returns the ns in spans of that kind of the rank's own process that ended at `from` or later,
 * nested ones counted once, and how many they are; JOB_UNKNOWN where there is none. Spans come
 * sorted by begin.
 */
static int64_t in_spans(const struct job *job, struct rank_index rank, enum job_span_kind kind,
	int64_t from, int64_t *ret_n)
{
	struct spans_range range = spans_of(job, rank);
	int64_t until = from, sum = JOB_UNKNOWN;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];
		int64_t begin = span->begun > until ? span->begun : until;

		if (span->kind != kind || span->process != job_rank(job, rank)->process)
			continue;
		if (sum == JOB_UNKNOWN)
			sum = *ret_n = 0;
		if (span->open || span->ended == JOB_UNKNOWN || span->ended <= begin)
			continue;
		sum += span->ended - begin;
		until = span->ended;
		++*ret_n;
	}
	return sum;
}

static void measure_spans(
	const struct job *job, struct rank_index rank, struct receipt_rank *into)
{
	struct spans_range steps = steps_of(job, rank);
	int64_t n;

	into->checkpoint =
		in_spans(job, rank, JOB_SPAN_CHECKPOINT, JOB_UNKNOWN, &into->checkpoints);
	if (into->compiling != JOB_UNKNOWN && steps.from < steps.to &&
		job->steps[steps.from].first != JOB_UNKNOWN)
		into->recompiling = in_spans(
			job, rank, JOB_SPAN_COMPILE, job->steps[steps.from].first, &n);
}

/* Adds up what all loaders gave, and the waits for them: each loader has a wait of its own. */
static void measure_input(
	const struct job *job, struct rank_index rank, struct receipt_rank *into)
{
	struct spans_range shards = shards_of(job, rank);

	for (size_t i = shards.from; i < shards.to; i++) {
		const struct job_shard *shard = &job->shards[i];

		if (into->batches == JOB_UNKNOWN)
			into->batches = into->inputs = into->input = 0;
		into->batches += (int64_t)(shard->batches & INT32_MAX);
		into->inputs += (int64_t)(shard->waits & INT32_MAX);
		into->input += shard->waited;
	}
	if (!into->inputs)
		into->input = JOB_UNKNOWN;
}

static void measure_steps(
	const struct job *job, struct rank_index rank, struct receipt_rank *into)
{
	struct spans_range steps = steps_of(job, rank);
	const struct job_step *step = &job->steps[steps.from];

	if (steps.from == steps.to)
		return;
	into->steps = step->n <= INT64_MAX ? (int64_t)step->n : JOB_UNKNOWN;
	if (!step->timed)
		return;
	into->timed = (int64_t)(step->timed & INT32_MAX);
	into->usual = step->usual;
	into->low = step->low;
	into->high = step->high;
}

static void measure_traits(
	const struct job *job, struct rank_index rank, struct receipt_rank *into)
{
	const struct {
		const char *key;
		int64_t *number;
	} table[] = {{"memory-allocated", &into->allocated}, {"memory-reserved", &into->reserved},
		{"rss-peak", &into->rss}, {"fx-cache", &into->missed},
		{"jax-cache", &into->missed}, {"gpus", &into->gpus}};
	bool answered = false;
	struct spans_range traits = traits_of(job, rank);

	for (size_t i = traits.from; i < traits.to; i++)
		for (size_t k = 0; k < sizeof(table) / sizeof(*table); k++)
			if (!strcmp(job->traits[i].key, table[k].key))
				*table[k].number = job->traits[i].number;
	for (size_t i = traits.from; i < traits.to; i++)
		answered |= (!strcmp(job->traits[i].key, "fx-cache") ||
				    !strcmp(job->traits[i].key, "jax-cache")) &&
			    !strcmp(job->traits[i].text, "hit");
	/* A cache that was passed by has neither found nor missed anything. */
	if (into->missed == 0 && !answered)
		into->missed = JOB_UNKNOWN;
}

/* How the process ended, and its peak memory: by its own word, else by the agent's samples. */
static void measure_process(
	const struct job *job, struct rank_index rank, struct receipt_rank *into)
{
	const struct job_process *process;

	if (job_rank(job, rank)->process == JOB_NONE)
		return;
	process = &job->processes[job_rank(job, rank)->process];
	into->pid = process->pid;
	if (process->end != JOB_END_UNKNOWN)
		into->end = process->end;
	if (process->end == JOB_EXITED || process->end == JOB_SIGNALED)
		into->status = process->status;
	into->rss_sampled = into->rss == JOB_UNKNOWN && process->rss_most != JOB_UNKNOWN;
	if (into->rss_sampled)
		into->rss = process->rss_most;
}

static void measure_rank(const struct job *job, struct rank_index rank,
	const struct firsts *firsts, struct receipt_rank *into)
{
	*into = unknown;
	if (!job_rank(job, rank)->numberless)
		into->number = job_rank(job, rank)->world_rank.n;
	into->compile_at = firsts->compile;
	into->compiling = firsts->compiling;
	into->collective = firsts->collective;
	into->first_step = firsts->step;
	if (firsts->cache.path && firsts->cache.files != JOB_UNKNOWN) {
		into->cache = firsts->cache.path;
		into->cache_files = firsts->cache.files;
		into->cache_cut = firsts->cache.cut;
	}
	measure_steps(job, rank, into);
	measure_traits(job, rank, into);
	measure_process(job, rank, into);
	measure_spans(job, rank, into);
	measure_input(job, rank, into);
}

/* -- of the job -------------------------------------------------------------------------------- */

struct stretch {
	int64_t begun, ended;
};

static int by_begin(const void *va, const void *vb)
{
	const struct stretch *a = va, *b = vb;

	return (a->begun > b->begun) - (a->begun < b->begun);
}

/*
 * Returns the ns in which at least one rank compiled, as far as their hosts' clocks agree;
 * JOB_UNKNOWN.
 */
static int64_t any_compiled(const struct job *job, struct arena *arena)
{
	struct stretch *all = arena_new_many(arena, struct stretch, job->nspans + 1);
	int64_t until = JOB_UNKNOWN, sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < job->nspans; i++) {
		const struct job_span *span = &job->spans[i];
		int64_t ended = span->open ? job->gathered : span->ended;

		if (span->kind == JOB_SPAN_COMPILE && span->begun != JOB_UNKNOWN &&
			ended != JOB_UNKNOWN)
			all[n++] = (struct stretch){span->begun, ended};
	}
	qsort(all, n, sizeof(*all), by_begin);
	for (size_t i = 0; i < n; i++) {
		int64_t begin = all[i].begun > until ? all[i].begun : until;

		if (all[i].ended <= begin)
			continue;
		sum += all[i].ended - begin;
		until = all[i].ended;
	}
	return n ? sum : JOB_UNKNOWN;
}

/*
 * Returns the text of a trait on which all ranks that have it agree; "" where they differ, or none
 * has it.
 */
static const char *common(const struct job *job, const char *key)
{
	const char *text = NULL;

	for (size_t i = 0; i < job->ntraits; i++) {
		if (strcmp(job->traits[i].key, key) != 0)
			continue;
		if (text && strcmp(text, job->traits[i].text) != 0)
			return "";
		text = job->traits[i].text;
	}
	return text ? text : "";
}

static void take_launch(const struct job *job, const char *id, struct receipt *ret)
{
	if (!job->nlaunches)
		return;
	ret->launch = job->launches[0];
	for (size_t i = 0; i < job->nlaunches; i++)
		if (id && !strcmp(job->launches[i].job, id))
			ret->launch = job->launches[i];
}

static void take_state(const struct job *job, struct receipt *ret)
{
	if (job->ended == JOB_YES) {
		ret->state = job->exit_status ? "error" : "ok";
		ret->exit_status = job->exit_status >= 0 ? job->exit_status : JOB_UNKNOWN;
	} else {
		ret->state = "recorded";
	}
	ret->seen = job->gathered;
}

/* True if this is no rank but a command that ended before any rank was there: it left a process. */
static bool is_of_command(const struct job_rank *rank)
{
	return rank->numberless && !(rank->knows & JOB_KNOWS_BOARDS);
}

void receipt_measure(
	const struct job *job, const char *id, struct arena *arena, struct receipt *ret)
{
	struct firsts *firsts = firsts_new(job);
	struct receipt_rank *ranks = arena_new_many(arena, struct receipt_rank, job->nranks + 1);

	*ret = receipt_nothing();
	take_launch(job, id, ret);
	take_state(job, ret);
	if (!*ret->launch.job)
		ret->launch.job = job->id;
	if (!*ret->launch.name)
		ret->launch.name = job->name;
	if (ret->launch.launched == JOB_UNKNOWN)
		ret->launch.launched = job->launched;
	ret->world_size = job->world_size == JOB_NONE ? JOB_UNKNOWN : job->world_size;
	ret->attempts = job->attempt;
	ret->framework = common(job, "framework");
	ret->backend = common(job, "backend");
	ret->mode = common(job, "mode");
	ret->python = common(job, "python");
	ret->compiled = any_compiled(job, arena);
	job_for_each_rank(job, rank)
		if (!is_of_command(job_rank(job, rank)))
			measure_rank(job, rank, &firsts[rank.i], &ranks[ret->nranks++]);
	ret->ranks = ranks;
	ret->left_out = 0;
	firsts_free(firsts);
}

/* -- what that means --------------------------------------------------------------------------- */

enum cache_state receipt_cache(const struct receipt *receipt, const struct receipt_rank *rank)
{
	const struct cache_found found = {.path = *rank->cache ? rank->cache : NULL,
		.files = rank->cache_files,
		.cut = rank->cache_cut == 1};
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].cache_files > most)
			most = receipt->ranks[i].cache_files;
	return caches_state(&found, most);
}

enum job_known receipt_reused(const struct receipt *receipt, const struct receipt_rank *rank)
{
	if (rank->compiling == JOB_UNKNOWN)
		return JOB_MAYBE;
	if (rank->missed != JOB_UNKNOWN)
		return rank->missed ? JOB_NO : JOB_YES;
	return receipt_cache(receipt, rank) == CACHE_COLD ? JOB_NO : JOB_MAYBE;
}

int64_t receipt_took(const struct receipt *receipt)
{
	int64_t until = receipt->ended != JOB_UNKNOWN ? receipt->ended : receipt->seen;

	if (until == JOB_UNKNOWN || receipt->launch.launched == JOB_UNKNOWN ||
		until < receipt->launch.launched)
		return JOB_UNKNOWN;
	return until - receipt->launch.launched;
}
