/* SPDX-License-Identifier: Apache-2.0 */
#include "job/firsts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/spans.h"

/*
 * Returns the time from birth to a moment, ns; JOB_UNKNOWN where either is, or the order is wrong.
 */
static int64_t since(int64_t born, int64_t when)
{
	return born == JOB_UNKNOWN || when == JOB_UNKNOWN || when < born ? JOB_UNKNOWN
									 : when - born;
}

/* Returns the end of a rank's evidence, realtime ns: until then its open spans are counted. */
static int64_t now_of(
	const struct job *job, struct rank_index rank, const struct job_process *process)
{
	if (process->end > JOB_ALIVE && process->ended != JOB_UNKNOWN)
		return process->ended;
	return job_looked_at(job, rank);
}

/*
 * Finds when a rank first compiled, and for how long in all. Spans come sorted by begin: each adds
 * only what lies beyond all before it.
 */
static void look_at_compiles(const struct job *job, struct rank_index rank, struct firsts *firsts)
{
	const struct job_rank *r = job_rank(job, rank);
	struct spans_range range = spans_of(job, rank);
	int64_t until = JOB_UNKNOWN, now;

	if (r->process == JOB_NONE)
		return;
	now = now_of(job, rank, &job->processes[r->process]);

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];
		int64_t end = span->open ? now : span->ended, begin = span->begun;

		if (span->kind != JOB_SPAN_COMPILE || begin == JOB_UNKNOWN ||
			span->process != job_rank(job, rank)->process)
			continue;
		if (firsts->compile == JOB_UNKNOWN) {
			firsts->compile = begin;
			firsts->compiling = 0;
		}
		firsts->compiles_on |= span->open;
		begin = begin < until ? until : begin;
		if (end == JOB_UNKNOWN || end <= begin)
			continue;
		firsts->compiling += end - begin;
		until = end;
	}
}

/*
 * Returns when this seat entered its first op at `from` or later; JOB_UNKNOWN where it has not, or
 * where ops before that one are no longer known.
 */
static int64_t first_op(const struct job_member *m, int64_t from)
{
	for (size_t i = 0; i < m->nops && m->ops[i].index == i + 1; i++)
		if (m->ops[i].entered != JOB_UNKNOWN &&
			(from == JOB_UNKNOWN || m->ops[i].entered >= from))
			return m->ops[i].entered;
	return JOB_UNKNOWN;
}

/*
 * Finds when each rank entered its first op. Where ranks compile, ops before the compile are no
 * forward: what makes a model parallel compares and hands out parameters.
 */
static void look_at_ops(const struct job *job, struct firsts *all)
{
	bool compiles = false;

	job_for_each_rank(job, rank)
		compiles |= all[rank.i].compile != JOB_UNKNOWN;
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];
		int64_t entered;

		if (!is_rank(m->rank) || (compiles && all[m->rank.i].compile == JOB_UNKNOWN))
			continue;
		entered = first_op(m, all[m->rank.i].compile);
		if (entered != JOB_UNKNOWN && (all[m->rank.i].collective == JOB_UNKNOWN ||
						      entered < all[m->rank.i].collective))
			all[m->rank.i].collective = entered;
	}
}

static void look_at_traits(const struct job *job, struct rank_index rank, struct firsts *firsts)
{
	struct spans_range range = traits_of(job, rank);
	const struct {
		const char *key;
		const char **text;
		int64_t *number;
	} table[] = {
		{"mode", &firsts->mode, NULL},
		{"framework", &firsts->framework, NULL},
		{"backend", &firsts->backend, NULL},
		{"gpus", NULL, &firsts->gpus},
		{"timeout", NULL, &firsts->timeout},
		{"heartbeat", NULL, &firsts->heartbeat},
	};

	for (size_t i = range.from; i < range.to; i++)
		for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
			if (strcmp(job->traits[i].key, table[k].key) != 0)
				continue;
			if (table[k].text)
				*table[k].text = job->traits[i].text;
			if (table[k].number)
				*table[k].number = job->traits[i].number;
		}
}

static const struct firsts nothing = {.compile = JOB_UNKNOWN,
	.compiling = JOB_UNKNOWN,
	.collective = JOB_UNKNOWN,
	.step = JOB_UNKNOWN,
	.mode = "",
	.framework = "",
	.backend = "",
	.gpus = JOB_UNKNOWN,
	.timeout = JOB_UNKNOWN,
	.heartbeat = JOB_UNKNOWN};

/* Turns the moments of one rank into times since its process began. */
static void finish(const struct job *job, struct rank_index rank, struct firsts *firsts)
{
	const struct job_rank *r = job_rank(job, rank);
	struct spans_range steps = steps_of(job, rank);
	const struct job_process *process =
		r->process == JOB_NONE ? NULL : &job->processes[r->process];
	int64_t born = process ? process->born : JOB_UNKNOWN;

	firsts->compile = since(born, firsts->compile);
	firsts->collective = since(born, firsts->collective);
	if (steps.from < steps.to)
		firsts->step = since(born, job->steps[steps.from].first);
}

struct firsts *firsts_new(const struct job *job)
{
	struct firsts *all = alloc_zeroed(job->nranks + 1, sizeof(*all));

	job_for_each_rank(job, rank) {
		all[rank.i] = nothing;
		all[rank.i].cache = caches_found(job, rank);
		look_at_traits(job, rank, &all[rank.i]);
		look_at_compiles(job, rank, &all[rank.i]);
	}
	look_at_ops(job, all);
	job_for_each_rank(job, rank)
		finish(job, rank, &all[rank.i]);
	return all;
}

void firsts_free(struct firsts *firsts)
{
	free(firsts);
}
