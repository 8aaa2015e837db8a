/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "ring/census.h"

/* Doubles the room of the table of hosts. */
static void reindex_hosts(struct decode_context *context)
{
	free(context->host_index);
	context->host_room = context->host_room ? context->host_room * 2 : 16;
	context->host_index = alloc_zeroed(context->host_room, sizeof(*context->host_index));
	for (size_t i = 0; i < context->hosts.nr; i++) {
		size_t at = hash_text(HASH_START, context->hosts.items[i]->name);

		while (context->host_index[at % context->host_room])
			at++;
		context->host_index[at % context->host_room] = i + 1;
	}
}

struct decode_host *context_host(struct decode_context *context, const char *name)
{
	size_t at = hash_text(HASH_START, name);
	struct decode_host *host;

	for (; context->host_room && context->host_index[at % context->host_room]; at++) {
		host = context->hosts.items[context->host_index[at % context->host_room] - 1];
		if (!strcmp(host->name, name))
			return host;
	}
	host = arena_new(&context->arena, struct decode_host);
	host->name = arena_text(&context->arena, name);
	host->earliest = JOB_UNKNOWN;
	host->agent_beat = JOB_UNKNOWN;
	*array_add(&context->hosts) = host;
	if (context->hosts.nr * 2 > context->host_room)
		reindex_hosts(context);
	else
		context->host_index[at % context->host_room] = context->hosts.nr;
	return host;
}

const char *context_job_id(const struct decode_host *host, const char *id)
{
	for (size_t i = 0; id && i < host->aliases.nr; i++)
		if (!strcmp(host->aliases.items[i].id, id))
			return host->aliases.items[i].as;
	return id;
}

/* Adds a folder that is not known yet, under its own name. */
static void add_id(struct decode_context *context, struct decode_host *host, const char *id)
{
	const char *own;

	for (size_t i = 0; i < host->aliases.nr; i++)
		if (!strcmp(host->aliases.items[i].id, id))
			return;
	own = arena_text(&context->arena, id);
	*array_add(&host->aliases) = (struct decode_alias){own, own};
}

void context_join_ids(
	struct decode_context *context, struct decode_host *host, const char *a, const char *b)
{
	const char *one, *other, *least;

	add_id(context, host, a);
	add_id(context, host, b);
	one = context_job_id(host, a);
	other = context_job_id(host, b);
	least = strcmp(one, other) < 0 ? one : other;
	for (size_t i = 0; i < host->aliases.nr; i++)
		if (host->aliases.items[i].as == one || host->aliases.items[i].as == other)
			host->aliases.items[i].as = least;
}

void context_add_gather(struct decode_host *host, const struct decode_gather *gather)
{
	*array_add(&host->gathers) = *gather;
	host->gathers_mixed = true;
}

/* Orders gatherings by their T0; of one moment the one that was read first comes last. */
static int compare_gathers(const void *va, const void *vb)
{
	const struct decode_gather *a = va, *b = vb;

	if (a->realtime != b->realtime)
		return a->realtime < b->realtime ? -1 : 1;
	return (a->when < b->when) - (a->when > b->when);
}

const struct decode_gather *context_gather(struct decode_host *host, int64_t when)
{
	const struct decode_gather *list;
	size_t behind;

	if (host->gathers_mixed)
		array_sort(&host->gathers, compare_gathers);
	host->gathers_mixed = false;
	list = host->gathers.items;
	if (!host->gathers.nr)
		return NULL;
	behind = bisect(0, host->gathers.nr, i, list[i].realtime <= when);
	return &list[behind ? behind - 1 : 0];
}

void context_looked(
	struct decode_context *context, struct decode_process *process, int64_t when)
{
	const struct decode_gather *gather = when <= 0 ? NULL
		: context_gather(context_host(context, process->who.host), when);

	process->fact.looked = gather ? gather->realtime : JOB_UNKNOWN;
}

/* --- Processes ------------------------------------------------------------------------------- */

/* Hashes host, pid and start time, which are a process together. */
static uint64_t process_hash(const char *host, uint32_t pid, uint64_t start_time)
{
	uint64_t hash = hash_text(HASH_START, host);

	hash = (hash ^ pid) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ start_time) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* Puts the process at that place into the table. */
static void context_index(struct decode_context *context, size_t place)
{
	const struct job_who *who = &context->processes.items[place]->who;
	size_t at = process_hash(who->host, who->pid, who->start_time);

	while (context->index[at % context->index_size])
		at++;
	context->index[at % context->index_size] = place + 1;
}

static struct decode_process *context_lookup(const struct decode_context *context,
	const char *host, uint32_t pid, uint64_t start_time)
{
	size_t at = process_hash(host, pid, start_time);

	for (; context->index_size && context->index[at % context->index_size]; at++) {
		struct decode_process *process =
			context->processes.items[context->index[at % context->index_size] - 1];

		if (process->who.pid == pid && process->who.start_time == start_time &&
			!strcmp(process->who.host, host))
			return process;
	}
	return NULL;
}

/* Doubles the room of the table of processes. */
static void context_reindex(struct decode_context *context)
{
	free(context->index);
	context->index_size = context->index_size ? context->index_size * 2 : 64;
	context->index = alloc_zeroed(context->index_size, sizeof(*context->index));
	for (size_t i = 0; i < context->processes.nr; i++)
		context_index(context, i);
}

struct decode_process *context_process(
	struct decode_context *context, const char *host, uint32_t pid, uint64_t start_time)
{
	struct decode_process *process = context_lookup(context, host, pid, start_time);

	if (process)
		return process;
	process = arena_new(&context->arena, struct decode_process);
	process->who.host = context_host(context, host)->name;
	process->who.pid = pid;
	process->who.start_time = start_time;
	process->fact = job_process_unknown;
	process->fact.pid = pid;
	process->fact.start_time = start_time;
	process->identity.world_rank = NO_WORLD_RANK;
	process->identity.local_rank = JOB_NONE;
	process->dump_first = process->dump_last = JOB_UNKNOWN;
	process->alive_at = process->joined = JOB_UNKNOWN;
	*array_add(&context->processes) = process;
	if (context->processes.nr * 2 > context->index_size)
		context_reindex(context);
	else
		context_index(context, context->processes.nr - 1);
	return process;
}

unsigned context_number(uint32_t flags)
{
	return (flags & CENSUS_F_TASK ? JOB_NUMBER_OF_TASK : 0) |
	       (flags & CENSUS_F_ALONE ? JOB_NUMBER_ALONE : 0) |
	       (flags & CENSUS_F_OTHER_TASK ? JOB_NUMBER_OTHER_TASK : 0);
}

const char *context_name(struct decode_context *context, const struct decode_process *process)
{
	if (is_world_rank(process->identity.world_rank))
		return arena_printf(&context->arena, "%d", process->identity.world_rank.n);
	return arena_printf(&context->arena, "p%u", process->who.pid);
}

/*
 * Returns when a process ended, by two witnesses. Of the same end the earlier time is the better
 * one: a process says that it exits just before it does, others notice only afterwards. Of ends
 * that differ the better witness's time counts, unless it does not know it.
 */
static int64_t end_time(const struct decode_end *best, const struct decode_end *other)
{
	bool same = best->end == other->end && best->status == other->status;

	if (best->when == JOB_UNKNOWN)
		return other->when;
	if (same && other->when != JOB_UNKNOWN && other->when < best->when)
		return other->when;
	return best->when;
}

void context_end(struct decode_process *process, const struct decode_end *end)
{
	const struct decode_end known = process->end;

	if (known.witness == WITNESS_NONE) {
		process->end = *end;
	} else if (end->witness > known.witness) {
		process->end = *end;
		process->end.when = end_time(end, &known);
	} else {
		process->end.when = end_time(&known, end);
	}
}

void context_end_watched(struct decode_process *process, const struct decode_end *end)
{
	bool since = process->alive_at != JOB_UNKNOWN && end->when > process->alive_at;

	if (process->alive == JOB_MAYBE || since)
		process->alive = JOB_NO;
	context_end(process, end);
}

/* Frees the table first, since it reads the images. */
static void release_modules(struct decode_host *host)
{
	modules_free(host->modules);
	for (size_t i = 0; i < host->images.nr; i++)
		excerpt_free(host->images.items[i]);
	array_release(&host->images);
}

void context_release(struct decode_context *context)
{
	for (size_t i = 0; i < context->hosts.nr; i++) {
		array_release(&context->hosts.items[i]->aliases);
		array_release(&context->hosts.items[i]->gathers);
		array_release(&context->hosts.items[i]->cgroups);
		array_release(&context->hosts.items[i]->caches.all);
		release_modules(context->hosts.items[i]);
	}
	for (size_t i = 0; i < context->processes.nr; i++) {
		array_release(&context->processes.items[i]->samples);
		array_release(&context->processes.items[i]->caches.all);
		array_release(&context->processes.items[i]->threads);
	}
	array_release(&context->texts);
	array_release(&context->flights);
	array_release(&context->hosts);
	array_release(&context->processes);
	free(context->host_index);
	free(context->index);
	arena_release(&context->arena);
}
