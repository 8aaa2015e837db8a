/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-stacks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/run/announce.h"
#include "evidence/gather/live/live.h"
#include "job/job.h"

/* ms after which a target that blocks us is left: it keeps us from passing the job's signals on. */
#define CALM_MS	 400
#define BRIEF_MS 150
/* How many ranks can be looked at within the time that a signal has. */
#define BRIEF_RANKS 8
/* What was held for longer is no look from just before. */
#define HELD_NS (15 * CLOCK_NS_PER_S)

bool agent_stacks_are_wanted(const struct look *look)
{
	switch (look->verdicts->at[0].class) {
	case VERDICT_RANK_DEATH:
	case VERDICT_NODE_LOSS:
	case VERDICT_EARLY_EXIT:
		return false;
	default:
		return true;
	}
}

void agent_stacks_add(const struct evidence *kept, struct look *look)
{
	size_t before = look->evidence.n;
	bool blamed = announce_blames(look->verdicts);

	if (!kept->n)
		return;
	for (size_t i = 0; i < kept->n; i++) {
		const struct exhibit *one = &kept->at[i];

		evidence_add(&look->evidence, one, alloc_copy(one->bytes, one->len), one->len);
	}
	look_judge_again(look);
	if (!blamed || announce_blames(look->verdicts))
		return;
	evidence_cut(&look->evidence, before);
	look_judge_again(look);
}

/*
 * Lists the pids of the blamed ranks and of their children; none where all may be looked at.
 * Returns how many.
 */
static size_t find_blamed(const struct look *look, uint32_t **ret_pids)
{
	const struct job *job = look->job;
	const struct verdict *verdict = &look->verdicts->at[0];
	uint32_t *pids = alloc_zeroed(job->nprocesses + 1, sizeof(*pids));
	size_t nr = 0;

	for (size_t i = 0; job->nranks > BRIEF_RANKS && i < job->nprocesses; i++)
		if (is_rank(job->processes[i].rank) &&
			job->processes[i].end <= JOB_ALIVE &&
			ranks_have(verdict->culprits, job->processes[i].rank))
			pids[nr++] = job->processes[i].pid;
	*ret_pids = pids;
	return nr;
}

void agent_stacks_take(struct evidence *kept, const struct agent_quiet_job *of, struct look *look,
	enum agent_stacks_haste haste)
{
	struct live_options options = agent_quiet_options(of);
	struct evidence fresh = {0};
	uint32_t *blamed = NULL;

	options.stacks.deadline_ms = haste == AGENT_STACKS_BRIEF ? BRIEF_MS : CALM_MS;
	if (haste == AGENT_STACKS_BRIEF) {
		options.stacks.samples = 1;
		options.nstacks_of = find_blamed(look, &blamed);
		options.stacks_of = options.nstacks_of ? blamed : NULL;
	}
	if (live_gather_stacks(of->folder, &options, &fresh, NULL) == 0 && fresh.n) {
		evidence_release(kept);
		*kept = fresh;
	} else {
		evidence_release(&fresh);
	}
	free(blamed);
	agent_stacks_add(kept, look);
}

void agent_held_take(struct agent_held *held, struct look *look, bool worth, int64_t now)
{
	if (look_shows_death(look))
		return;
	agent_held_release(held);
	if (!worth || look->job->ngroups)
		return;
	held->evidence = look->evidence;
	held->at = now;
	look->evidence = (struct evidence){0};
}

bool agent_held_put(struct agent_held *held, struct look *look, int64_t now)
{
	if (!held->evidence.n || now - held->at > HELD_NS || !look_shows_death(look))
		return false;
	evidence_release(&look->evidence);
	look->evidence = held->evidence;
	*held = (struct agent_held){0};
	look_judge_again(look);
	return true;
}

void agent_held_release(struct agent_held *held)
{
	evidence_release(&held->evidence);
	*held = (struct agent_held){0};
}
