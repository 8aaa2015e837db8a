/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "cmd/agent/agent-people.h"

#include <stdlib.h>

#include "cmd/agent/agent.h"
#include "proc/ns.h"
#include "ring/census-read.h"

/* True for a process that is or was a rank, or by its environment may become one. */
static bool slot_is_rank(const struct census_slot *slot)
{
	return slot->state == CENSUS_RANK || slot->rank >= 0 || (slot->flags & CENSUS_F_WAS_RANK);
}

/*
 * Returns the process as we see it; pid 0 where it is gone or in a namespace that we do not see
 * into.
 */
static struct proc_id id_of(struct proc_ns_seen *seen, const struct census_slot *slot)
{
	struct proc_id inner = {.pid = slot->pid, .start_time = slot->start_time};

	return (struct proc_id){
		.pid = proc_ns_find(seen, inner, slot->pid_ns), .start_time = slot->start_time};
}

/* What is done with each slot. `seen` serves all slots of the same moment. */
typedef void (*slot_work)(
	struct agent *agent, struct proc_ns_seen *seen, const struct census_slot *slot);

/* Calls `with` for every process in that census. */
static void for_each_slot_of(struct agent *agent, int census, slot_work with)
{
	struct proc_ns_seen seen = {0};
	struct census_view view;
	struct census_slot slot;
	void *bytes = NULL;
	size_t size = 0;

	if (census_snapshot(census, &bytes, &size) < 0)
		return;
	if (census_view_open(&view, bytes, size) == 0)
		for (uint32_t i = 0; i < view.slots; i++)
			if (census_view_slot(&view, i, &slot) > 0)
				with(agent, &seen, &slot);
	proc_ns_seen_release(&seen);
	free(bytes);
}

/* Does the same for the own folder and, where the agent speaks for them, those of its fellows. */
static void for_each_slot(struct agent *agent, slot_work with)
{
	const struct agent_fellow *fellow;

	for_each_slot_of(agent, agent->dir->census_fd, with);
	array_for_each (&agent->fellows.all, fellow)
		if (agent->fellows.speaks && fellow->census >= 0)
			for_each_slot_of(agent, fellow->census, with);
}

/* Counts a rank, and watches for its end if it is there. */
static void watch_slot(
	struct agent *agent, struct proc_ns_seen *seen, const struct census_slot *slot)
{
	struct proc_id id;

	if (!slot_is_rank(slot))
		return;
	agent->ranks++;
	id = id_of(seen, slot);
	if (id.pid)
		exits_watch(&agent->exits, id, slot->pid);
	exits_note_listed(&agent->exits, slot->pid, slot->start_time);
}

/* Watches for the end of a fellow's rank, without counting it. */
static void watch_fellow(
	struct agent *agent, struct proc_ns_seen *seen, const struct census_slot *slot)
{
	watch_slot(agent, seen, slot);
	agent->ranks -= slot_is_rank(slot);
}

void agent_people_watch_fellows(struct agent *agent)
{
	const struct agent_fellow *fellow;

	array_for_each (&agent->fellows.all, fellow)
		if (fellow->census >= 0)
			for_each_slot_of(agent, fellow->census, watch_fellow);
}

void agent_people_scan(struct agent *agent)
{
	const struct unprobed_rank *rank;

	agent->ranks = 0;
	exits_unlist(&agent->exits);
	for_each_slot(agent, watch_slot);
	array_for_each (&agent->unprobed.ranks, rank)
		exits_watch(&agent->exits, (struct proc_id){rank->here, rank->start_time},
			rank->pid);
	agent->ranks += agent->unprobed.ranks.nr;
}

/* Notes the end of a process that said goodbye with status 0. */
static void note_goodbye(
	struct agent *agent, struct proc_ns_seen *seen, const struct census_slot *slot)
{
	(void)seen;
	if (slot->state == CENSUS_EXITED && !slot->exit_status &&
		!(slot->flags & CENSUS_F_KILLED))
		exits_note_goodbye(&agent->exits, slot->pid, slot->start_time);
}

bool agent_people_died(struct agent *agent)
{
	agent_people_scan(agent);
	for_each_slot(agent, note_goodbye);
	return exits_take_unclean(&agent->exits);
}

void agent_people_sample(struct agent *agent)
{
	ARRAY(struct proc_id) ids = {0};
	const struct exits_watched *watched;
	int64_t before = clock_cpu_ns();

	array_for_each (&agent->exits.watched, watched)
		if (!watched->ended)
			*array_add(&ids) = watched->watch.id;
	if (ids.nr)
		history_sample(agent->history, ids.items, ids.nr);
	array_release(&ids);
	agent->sample_cost = clock_cpu_ns() - before;
}

/* Counts a slot's rank, and its process if it lives. */
static void count_living(
	struct agent *agent, struct proc_ns_seen *seen, const struct census_slot *slot)
{
	struct proc_id id = id_of(seen, slot);

	agent->ranks += slot_is_rank(slot);
	agent->living += slot->state != CENSUS_EXITED && id.pid && proc_is_alive(id);
}

void agent_people_count_left(struct agent *agent)
{
	agent->ranks = agent->living = 0;
	for_each_slot_of(agent, agent->dir->census_fd, count_living);
}
