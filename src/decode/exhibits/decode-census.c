/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "decode/context.h"
#include "decode/kinds.h"
#include "ring/census-read.h"

/* Returns a time of the census; JOB_UNKNOWN if it is 0 or impossible. */
static int64_t known_time(uint64_t ns)
{
	return ns && ns <= CHECKED_TIME_MOST ? (int64_t)ns : JOB_UNKNOWN;
}

/* Takes the end that an entry tells of, if any. */
static void census_end(struct decode_context *context, struct decode_process *process,
	uint32_t number, const struct census_slot *slot)
{
	bool killed = slot->flags & CENSUS_F_KILLED;
	const struct decode_end end = {
		.witness = killed ? WITNESS_ZOMBIE : WITNESS_GOODBYE,
		.end = killed ? JOB_SIGNALED : JOB_EXITED,
		.status = slot->exit_status & (killed ? 0x7f : 0xff),
		.when = known_time(slot->end_realtime),
		.cite = arena_printf(&context->arena, "census:%u", number),
	};

	if (slot->state == CENSUS_EXITED)
		context_end(process, &end);
}

/* True for an `inquest run` below another one: it carries the probe, but is no rank. */
static bool census_is_agent(const struct census_slot *slot)
{
	const char *base = strrchr(slot->exe, '/');

	return !strcmp(base ? base + 1 : slot->exe, "inquest");
}

static enum job_role census_role(const struct census_slot *slot)
{
	if (census_is_agent(slot))
		return JOB_ROLE_AGENT;
	if (slot->state == CENSUS_RANK || (slot->flags & CENSUS_F_WAS_RANK))
		return JOB_ROLE_RANK;
	return slot->rank >= 0 ? JOB_ROLE_CANDIDATE : JOB_ROLE_UNKNOWN;
}

static void census_trait(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process, const struct job_trait *told)
{
	struct job_trait trait = *told;

	trait.cite = arena_printf(&context->arena, "%s:tools", process->fact.cite);
	job_add_trait(builder, process->who, &trait);
}

/*
 * Adds traits of the compilers and their like that this process owned: how many so far, and the
 * latest.
 */
static void census_tools(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process, const struct census_slot *slot)
{
	const struct census_tools *tools = &slot->tools;
	int64_t when = known_time(tools->latest);

	if (!tools->begun)
		return;
	census_trait(context, builder, process,
		&(const struct job_trait){.key = "tools",
			.text = arena_text(&context->arena, tools->name),
			.number = tools->begun,
			.when = when});
	if (tools->failed)
		census_trait(context, builder, process,
			&(const struct job_trait){.key = "tools-failed",
				.text = "",
				.number = tools->failed,
				.when = when});
	if (tools->killed)
		census_trait(context, builder, process,
			&(const struct job_trait){.key = "tools-killed",
				.text = "",
				.number = tools->killed,
				.when = when});
}

/* Entries that were just being written, so that the numbers of their ranks are not known. */
struct census_unread {
	int64_t nr;
	uint64_t oldest; /* start time of their earliest process; 0: of one it is not known */
};

/* Counts the entries that cannot be read. */
static struct census_unread census_find_unread(const struct census_view *view)
{
	struct census_unread unread = {.oldest = UINT64_MAX};
	struct census_slot slot;

	for (uint32_t i = 0; i < view->slots; i++) {
		if (census_view_slot(view, i, &slot) >= 0)
			continue;
		unread.nr++;
		if (!slot.pid)
			unread.oldest = 0;
		else if (slot.start_time < unread.oldest)
			unread.oldest = slot.start_time;
	}
	return unread;
}

/*
 * True for a process that ended, was never more than a candidate, and left nothing but its entry,
 * as helpers do.
 */
static bool census_is_spent_candidate(const struct census_slot *slot)
{
	return slot->state == CENSUS_EXITED &&
	       !(slot->flags & (CENSUS_F_WAS_RANK | CENSUS_F_HAS_RING));
}

/*
 * True if it may be only a helper of an older process that has the same number, and whose entry
 * cannot be read: then its word about the rank does not count.
 */
static bool census_may_be_helper(const struct census_view *view,
	const struct census_unread *unread, const struct census_slot *slot)
{
	struct census_slot other;

	if (!unread->nr || slot->rank < 0 || slot->start_time < unread->oldest ||
		!census_is_spent_candidate(slot))
		return false;
	for (uint32_t i = 0; i < view->slots; i++)
		if (census_view_slot(view, i, &other) == 1 && other.rank == slot->rank &&
			!census_is_spent_candidate(&other))
			return false;
	return true;
}

/* Who it is, as the slot says. */
static void census_identify(struct decode_context *context, struct decode_process *process,
	uint32_t number, const struct census_slot *slot)
{
	process->fact.role = census_role(slot);
	process->fact.ppid = slot->ppid;
	process->fact.restart = slot->restart > 0 ? slot->restart : 0;
	process->fact.comm = arena_text(&context->arena, slot->comm);
	process->fact.born = known_time(slot->birth_realtime);
	process->fact.cite = arena_printf(&context->arena, "census:%u", number);
	process->identity.world_rank = world_rank(slot->rank >= 0 ? slot->rank : JOB_NONE);
	process->identity.number = context_number(slot->flags);
	process->identity.local_rank = slot->local_rank >= 0 ? slot->local_rank : JOB_NONE;
	process->identity.promoted = process->fact.role == JOB_ROLE_RANK;
	if (slot->generation > process->newest_ring)
		process->newest_ring = slot->generation;
	/*
	 * If it made a ring, that tells what a candidate does; then the slot alone is no evidence.
	 */
	if (!(slot->flags & CENSUS_F_HAS_RING))
		process->identity.knows |= JOB_KNOWS_CENSUS;
}

/* Takes one entry over. */
static void census_slot(struct decode_context *context, struct job_builder *builder,
	const struct exhibit *exhibit, uint32_t number, const struct census_slot *slot)
{
	struct decode_process *process =
		context_process(context, exhibit->host, slot->pid, slot->start_time);

	process->joined = known_time(slot->birth_realtime);
	/*
	 * A process that now runs without probe has a slot from before its exec: it does not count.
	 */
	if (process->identity.promoted)
		return;
	census_identify(context, process, number, slot);
	/* A number of tasks is no number of ranks before one of them shows that it is a rank. */
	if (slot->world_size > 0 && (process->fact.role == JOB_ROLE_RANK ||
					    (process->fact.role == JOB_ROLE_CANDIDATE &&
						    !(slot->flags & CENSUS_F_TASK))))
		job_add_world_size_since(builder, slot->world_size, "environment of the ranks",
			process->fact.restart);
	census_end(context, process, number, slot);
	census_tools(context, builder, process, slot);
	if (slot->flags & CENSUS_F_NO_RING)
		job_add_loss(builder, process->who,
			&(const struct job_loss){.what = "all: no ring could be made",
				.count = JOB_UNKNOWN,
				.of_ops = true,
				.cite = process->fact.cite});
}

/* Removes the number of what may be a helper; the number of ranks that it told stays. */
static void census_disown(struct decode_context *context, const struct exhibit *exhibit,
	const struct census_slot *slot)
{
	struct decode_process *process =
		context_process(context, exhibit->host, slot->pid, slot->start_time);

	process->fact.role = JOB_ROLE_UNKNOWN;
	process->identity.world_rank = NO_WORLD_RANK;
	process->identity.local_rank = JOB_NONE;
}

/* Takes the header over: the job's names, its launch, and its agent. */
static void census_agent(struct decode_context *context, struct job_builder *builder,
	const struct exhibit *exhibit, const struct census_header *header)
{
	struct decode_host *host = context_host(context, exhibit->host);
	const struct decode_gather *gather = context_gather(host, exhibit->when);
	struct decode_process *process;
	int64_t beat;

	if (header->job[0] || header->name[0])
		job_add_identity(builder, context_job_id(host, header->job), header->name);
	if (header->created_realtime)
		job_add_launch(builder, known_time(header->created_realtime));
	if (!header->agent_pid)
		return;
	process = context_process(
		context, exhibit->host, header->agent_pid, header->agent_start_time);
	process->fact.role = JOB_ROLE_AGENT;
	process->fact.cite = arena_printf(&context->arena, "census:%s", host->name);
	if (header->agent_beat && header->agent_beat <= CHECKED_TIME_MOST && gather) {
		beat = gather->realtime - gather->boottime + (int64_t)header->agent_beat;
		host->agent_beat = beat > host->agent_beat ? beat : host->agent_beat;
	}
}

static void census_lost(struct job_builder *builder, const struct exhibit *exhibit,
	const char *what, int64_t count)
{
	const struct job_who who = {.host = exhibit->host};
	const struct job_loss loss = {
		.what = what, .count = count, .of_ops = true, .cite = "census"};

	if (count)
		job_add_loss(builder, who, &loss);
}

static int census_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct census_view view;
	struct census_unread unread;
	struct census_slot slot;
	int error = census_view_open(&view, exhibit->bytes, exhibit->len);

	if (error)
		return complaint_set(why, "%s", census_strerror(error));
	job_add_census_seen(builder);
	census_agent(context, builder, exhibit, &view.header);
	unread = census_find_unread(&view);
	for (uint32_t i = 0; i < view.slots; i++) {
		if (census_view_slot(&view, i, &slot) != 1 || !slot.pid)
			continue;
		census_slot(context, builder, exhibit, i, &slot);
		if (census_may_be_helper(&view, &unread, &slot))
			census_disown(context, exhibit, &slot);
	}
	census_lost(builder, exhibit, "processes that found no place in the census",
		view.header.lost < INT64_MAX ? (int64_t)view.header.lost : INT64_MAX);
	census_lost(builder, exhibit, "census entries cut off", view.cut);
	census_lost(builder, exhibit, "census entries that were just being written",
		unread.nr);
	return 0;
}

const struct decoder decode_census = {EXHIBIT_CENSUS, census_decode};
