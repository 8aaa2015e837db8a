/* SPDX-License-Identifier: Apache-2.0 */
/* Joins what the context has collected, and gives it to the builder. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/checked.h"
#include "base/clock.h"
#include "decode/context.h"
#include "decode/exhibits/logs.h"
#include "decode/exhibits/slurm-step.h"
#include "decode/exhibits/texts.h"
#include "decode/flight/decode-flight.h"
#include "decode/stacks/decode-stacks.h"

#define SAMPLE_SPAN  (2500 * CLOCK_NS_PER_MS) /* a sample to compare with is at most so much
					       * older, ns */
#define STILL_PERCENT 2			      /* less CPU use than that is none */

/* --- Samples --------------------------------------------------------------------------------- */

/*
 * Orders samples by time. Two of one moment may come from two sources: the rest makes the order
 * total.
 */
static int sample_compare(const void *a, const void *b)
{
	const struct decode_sample *left = a, *right = b;

	if (left->when != right->when)
		return left->when < right->when ? -1 : 1;
	if (left->cpu_ticks != right->cpu_ticks)
		return left->cpu_ticks < right->cpu_ticks ? -1 : 1;
	if (left->written != right->written)
		return left->written < right->written ? -1 : 1;
	return (left->state > right->state) - (left->state < right->state);
}

static int64_t ticks_to_ns(int64_t ticks, int64_t clk_tck)
{
	return clk_tck > 0 ? checked_mul(ticks, CLOCK_NS_PER_S / clk_tck) : JOB_UNKNOWN;
}

/*
 * Returns the sample to compare the newest with: the oldest within SAMPLE_SPAN, else the one
 * before; NULL none.
 */
static const struct decode_sample *sample_older(const struct decode_process *process)
{
	const struct decode_sample *newest = &process->samples.items[process->samples.nr - 1];
	const struct decode_sample *found = NULL;

	for (const struct decode_sample *at = newest; at-- != process->samples.items;) {
		if (at->when == newest->when)
			continue;
		if (found && newest->when - at->when > SAMPLE_SPAN)
			break;
		found = at;
	}
	return found;
}

/* Returns how long the process has used no CPU, in ns, as far as samples tell. */
static int64_t samples_idle(const struct decode_process *process, int64_t clk_tck)
{
	const struct decode_sample *items = process->samples.items;
	const struct decode_sample *newest = &items[process->samples.nr - 1];
	const struct decode_sample *still = newest;

	for (const struct decode_sample *at = newest; at-- != items;) {
		int64_t used;

		if (at->when == still->when)
			continue;
		used = ticks_to_ns(checked_sub(still->cpu_ticks, at->cpu_ticks), clk_tck);
		if (used > (still->when - at->when) / 100 * STILL_PERCENT)
			break;
		still = at;
	}
	return newest->when - still->when;
}

/*
 * Sets since when the first thread has not run, as far as samples tell: its count stays as it is.
 */
static void samples_asleep(const struct decode_process *process, struct job_process *fact)
{
	const struct decode_sample *items = process->samples.items;

	for (size_t i = process->samples.nr; i-- > 0;) {
		if (items[i].runs == JOB_UNKNOWN)
			continue;
		if (fact->runs == JOB_UNKNOWN)
			fact->runs = items[i].runs;
		if (items[i].runs != fact->runs)
			break;
		fact->asleep_since = items[i].when;
	}
}

/*
 * Returns since when the process has been stopped, by a signal or a debugger, as far as samples
 * tell: until the newest one in which it lived. JOB_UNKNOWN if it is not.
 */
static int64_t samples_stopped(const struct decode_process *process)
{
	const struct decode_sample *items = process->samples.items;
	int64_t since = JOB_UNKNOWN;

	for (size_t i = process->samples.nr; i-- > 0;) {
		if (items[i].state == 'Z' || items[i].state == 'X')
			continue;
		if (items[i].state != 'T' && items[i].state != 't')
			break;
		since = items[i].when;
	}
	return since;
}

/* Returns the most memory that any sample saw, in bytes. */
static int64_t samples_most(const struct decode_process *process, int64_t page_size)
{
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < process->samples.nr; i++)
		if (process->samples.items[i].rss_pages > most)
			most = process->samples.items[i].rss_pages;
	return most == JOB_UNKNOWN ? most : checked_mul(most, page_size);
}

/* Sets what two or more samples say of a process: CPU, memory, writes, how long it was idle. */
static void finish_samples(struct decode_context *context, struct decode_process *process,
	const struct decode_gather *gather)
{
	struct job_process *fact = &process->fact;
	int64_t clk_tck = gather && gather->clk_tck > 0 ? gather->clk_tck : 100;
	int64_t page_size = gather && gather->page_size > 0 ? gather->page_size : 4096;
	const struct decode_sample *newest, *older;

	array_sort(&process->samples, sample_compare);
	if (!process->samples.nr)
		return;
	newest = &process->samples.items[process->samples.nr - 1];
	fact->sample_cite =
		arena_printf(&context->arena, "proc:%s", context_name(context, process));
	if (newest->rss_pages != JOB_UNKNOWN)
		fact->rss = checked_mul(newest->rss_pages, page_size);
	fact->rss_most = samples_most(process, page_size);
	fact->stopped_since = samples_stopped(process);
	fact->cpu_used = ticks_to_ns(newest->cpu_ticks, clk_tck);
	older = sample_older(process);
	if (!older)
		return;
	process->identity.knows |= JOB_KNOWS_SAMPLES;
	fact->sample_span = newest->when - older->when;
	fact->cpu_delta = ticks_to_ns(checked_sub(newest->cpu_ticks, older->cpu_ticks), clk_tck);
	fact->idle_for = samples_idle(process, clk_tck);
	samples_asleep(process, fact);
	if (older->rss_pages != JOB_UNKNOWN)
		fact->rss_before = checked_mul(older->rss_pages, page_size);
	if (newest->written != JOB_UNKNOWN && older->written != JOB_UNKNOWN)
		fact->write_delta = checked_sub(newest->written, older->written);
}

/* --- Processes ------------------------------------------------------------------------------- */

/*
 * Sets how the process ended: the best witness counts, but none against a process that was seen to
 * live.
 */
static void finish_end(struct decode_context *context, struct decode_process *process)
{
	struct job_process *fact = &process->fact;
	bool ended = process->end.witness != WITNESS_NONE;

	if (process->alive == JOB_YES) {
		fact->end = JOB_ALIVE;
	} else if (ended && (process->alive == JOB_NO || process->end.witness > WITNESS_ABORT)) {
		fact->end = process->end.end;
		fact->status = process->end.status;
		fact->ended = process->end.when;
		fact->end_cite = process->end.cite;
	} else if (process->alive == JOB_NO) {
		fact->end = JOB_GONE;
	}
	if (fact->end == JOB_END_UNKNOWN)
		return;
	process->identity.knows |= JOB_KNOWS_EXIT;
	if (!*fact->end_cite)
		fact->end_cite = arena_printf(
			&context->arena, "proc:%s", context_name(context, process));
}

/* A process as it is looked up by pid and host; equal ones stay in the order in which they came. */
struct finish_seen {
	uint32_t pid;
	const char *host; /* the context's own text: of one name there is one */
	size_t order;
	const struct decode_process *process;
};

struct finish_pids {
	ARRAY(struct finish_seen) all;
};

/* The processes of all hosts, sorted, to find parents in. */
struct finish_table {
	struct finish_pids here;    /* by the pid that the gatherer saw */
	struct finish_pids renamed; /* by their own pid, where that is another */
};

static int compare_seen(const void *va, const void *vb)
{
	const struct finish_seen *a = va, *b = vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->host != b->host)
		return (uintptr_t)a->host < (uintptr_t)b->host ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Fills the table with the context's processes. */
static void finish_index(const struct decode_context *context, struct finish_table *table)
{
	for (size_t i = 0; i < context->processes.nr; i++) {
		const struct decode_process *process = context->processes.items[i];

		struct finish_seen seen = {process->here, process->who.host, i, process};

		*array_add(&table->here.all) = seen;
		if (!process->here || process->here == process->who.pid)
			continue;
		seen.pid = process->who.pid;
		*array_add(&table->renamed.all) = seen;
	}
	array_sort(&table->here.all, compare_seen);
	array_sort(&table->renamed.all, compare_seen);
}

/*
 * Returns the first process of that pid on the host, whose name is the context's own text; NULL if
 * there is none.
 */
static const struct decode_process *finish_find(
	const struct finish_pids *pids, uint32_t pid, const char *host)
{
	const struct finish_seen sought = {.pid = pid, .host = host};
	const struct finish_seen *seen = pids->all.items;
	size_t place = bisect(0, pids->all.nr, i, compare_seen(&seen[i], &sought) < 0);

	if (place == pids->all.nr || seen[place].pid != pid || seen[place].host != host)
		return NULL;
	return seen[place].process;
}

/*
 * Sets the parent's pid as the parent itself knows it: the pid that we see may be another. If no
 * process of the job has that pid here, it stands as it is, unless it is the own pid of a process
 * in a namespace.
 */
static void finish_parent(const struct finish_table *table, struct decode_process *process)
{
	uint32_t parent = process->ppid_here;
	const struct decode_process *other;

	if (!parent)
		return;
	other = finish_find(&table->here, parent, process->who.host);
	if (other)
		process->fact.ppid = other->who.pid;
	else if (!finish_find(&table->renamed, parent, process->who.host))
		process->fact.ppid = parent;
}

/* Sets when processes were born, by their start times in ticks since boot. */
static void finish_births(struct decode_context *context)
{
	for (size_t i = 0; i < context->processes.nr; i++) {
		struct decode_process *process = context->processes.items[i];
		const struct decode_gather *gather = context_gather(
			context_host(context, process->who.host), INT64_MAX);
		int64_t ticks = (int64_t)process->who.start_time;

		if (process->fact.born != JOB_UNKNOWN || !gather || gather->clk_tck <= 0 ||
			ticks <= 0 || ticks > INT64_MAX / CLOCK_NS_PER_S)
			continue;
		process->fact.born =
			checked_add(checked_sub(gather->realtime, gather->boottime),
				ticks_to_ns(ticks, gather->clk_tck));
	}
}

/*
 * Sets which program was the rank, where the process runs another one now. Its ring tells only that
 * it was about to: another name, or another program in the census, shows that it does.
 */
static void finish_exec(struct decode_process *process)
{
	const struct decode_exec *exec = &process->exec;
	bool renamed = exec->program && process->comm_now &&
		       strcmp(process->comm_now, exec->program) != 0;
	bool joined = process->joined != JOB_UNKNOWN && exec->at != JOB_UNKNOWN &&
		      process->joined > exec->at;

	if (!exec->program || !*exec->program || exec->failed || !process->identity.promoted ||
		exec->generation < process->rank_ring || !(renamed || joined))
		return;
	process->fact.was = exec->program;
	process->fact.was_cite = exec->cite;
	if (process->comm_now)
		process->fact.comm = process->comm_now;
}

static void finish_process(struct decode_context *context, struct job_builder *builder,
	const struct finish_table *table, struct decode_process *process)
{
	struct decode_host *host = context_host(context, process->who.host);
	const struct decode_gather *gather = context_gather(host, INT64_MAX);
	const struct decode_thread *thread;

	finish_samples(context, process, gather);
	finish_end(context, process);
	finish_parent(table, process);
	finish_exec(process);
	logs_finish(context, builder, process);
	if (!*process->fact.cite)
		process->fact.cite = arena_printf(
			&context->arena, "proc:%s", context_name(context, process));
	job_add_process(builder, process->who, &process->fact, &process->identity);
	array_for_each(&process->threads, thread)
		job_add_thread(builder, process->who, &thread->fact, thread->group_key);
}

/* Adds the caches of a rank: its own, else those of its host. */
static void finish_caches(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process)
{
	const struct decode_host *host = context_host(context, process->who.host);
	const struct decode_caches *caches =
		process->caches.all.nr ? &process->caches : &host->caches;

	if (!is_world_rank(process->identity.world_rank))
		return;
	for (size_t i = 0; i < caches->all.nr; i++) {
		const struct job_cache cache = {
			.path = caches->all.items[i].path,
			.files = caches->all.items[i].files,
			.bytes = caches->all.items[i].bytes,
			.cite = arena_printf(&context->arena, "caches:%s",
				context_name(context, process)),
		};

		job_add_cache(builder, process->who, &cache);
	}
}

/* --- Hosts ----------------------------------------------------------------------------------- */

/*
 * Returns how many processes were killed for memory since the launch; JOB_UNKNOWN if no group told.
 */
static int64_t host_oom_kills(const struct decode_host *host)
{
	int64_t kills = JOB_UNKNOWN;

	/* The largest counts, not the sum: a group's counter may hold those of the groups below. */
	for (size_t i = 0; i < host->cgroups.nr; i++) {
		const struct decode_cgroup *cgroup = &host->cgroups.items[i];

		if (cgroup->before == JOB_UNKNOWN || cgroup->after == JOB_UNKNOWN)
			continue;
		if (checked_sub(cgroup->after, cgroup->before) > kills)
			kills = checked_sub(cgroup->after, cgroup->before);
	}
	return kills;
}

static void finish_host(struct decode_context *context, struct job_builder *builder,
	struct decode_host *host)
{
	const struct decode_gather *gather = context_gather(host, INT64_MAX);
	struct job_host fact = job_host_unknown;

	fact.name = host->name;
	fact.gathered = gather ? gather->realtime : host->earliest;
	fact.guessed = !gather;
	fact.agent_beat = host->agent_beat;
	fact.agent_alive = host->agent_alive;
	fact.over = host->endings && host->endings == host->manifests;
	fact.oom_kills = host_oom_kills(host);
	if (gather)
		fact.clock_error = gather->clock_error;
	fact.cite = arena_printf(&context->arena, "gather:%s", host->name);
	fact.cgroup_cite = arena_printf(&context->arena, "cgroup:%s", host->name);
	job_add_host(builder, &fact);
}

/*
 * Tells how the job ended. Each node, and each rank, may have a launch of its own: the job is over
 * when all of those that are known are.
 */
static void finish_ending(const struct decode_context *context, struct job_builder *builder)
{
	size_t endings = 0, manifests = 0;
	int status = 0;

	for (size_t i = 0; i < context->hosts.nr; i++) {
		const struct decode_host *host = context->hosts.items[i];

		endings += host->endings;
		manifests += host->manifests;
		status = host->exit_status > status ? host->exit_status : status;
	}
	if (endings && endings == manifests)
		job_add_ending(builder, status);
	else if (endings)
		job_add_part_ending(builder, status);
}

void context_finish(struct decode_context *context, struct job_builder *builder)
{
	struct finish_table table = {0};

	finish_births(context);
	flight_finish(context, builder);
	texts_finish(context, builder);
	finish_index(context, &table);
	logs_find_shared(context);
	finish_ending(context, builder);
	for (size_t i = 0; i < context->hosts.nr; i++)
		if (*context->hosts.items[i]->name)
			finish_host(context, builder, context->hosts.items[i]);
	for (size_t i = 0; i < context->processes.nr; i++) {
		struct decode_process *process = context->processes.items[i];

		finish_process(context, builder, &table, process);
		finish_caches(context, builder, process);
		slurm_step_finish(context, builder, process);
	}
	array_release(&table.here.all);
	array_release(&table.renamed.all);
	stacks_finish(context, builder);
}
