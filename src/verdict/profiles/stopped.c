/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/stopped.h"

#include <signal.h>

/*
 * True for signals whose senders also end stopped processes: the signal does so itself, or they
 * continue the process for it.
 */
static bool is_order(int64_t signo)
{
	return signo == SIGKILL || signo == SIGTERM || signo == SIGINT || signo == SIGHUP ||
	       signo == SIGQUIT;
}

/*
 * True if the process came to its end by itself, or had been seen to run until then: launchers
 * continue what is stopped, and end it.
 */
static bool ran_to_its_end(const struct profile *p)
{
	const struct job_process *process = p->process;

	if ((process->end == JOB_EXITED && !p->told) ||
		(process->end == JOB_SIGNALED && !is_order(process->status)))
		return true;
	return process->cpu_used != JOB_UNKNOWN && p->stopped_for == JOB_UNKNOWN;
}

bool stopped_maybe(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (job_rank(q->job, rank)->knows & JOB_KNOWS_DUMP)
		return false;
	if (!p->process)
		return true;
	return p->ended ? !ran_to_its_end(p) : !p->process->state || p->frozen;
}

static void add(const struct inquiry *q, struct rank_index rank, struct rank_list *list)
{
	if (is_rank(rank) && stopped_maybe(q, rank))
		rank_list_add(list, rank);
}

/* Adds all that may be stopped of the ranks that are in what this node stands for. */
static void add_all_in(
	const struct inquiry *q, const struct waitfor_node *node, struct rank_list *list)
{
	const struct job_group *g;

	if (node->kind == WAITFOR_PAIR) {
		const struct wait *wait = &q->waits->at[node->wait];

		add(q, wait->rank, list);
		add(q, q->job->members[wait->peer].rank, list);
		return;
	}
	g = &q->job->groups[node->group];
	for (uint32_t seat = 0; seat < g->size; seat++)
		add(q, q->job->members[g->first_member + (int)seat].rank, list);
}

void stopped_doubt(struct inquiry *q, const struct waitfor_node *node,
	const struct rank_list *behind, struct draft *draft)
{
	struct rank_list unseen = {0};

	for (size_t i = 0; behind && i < behind->list.nr; i++)
		add(q, behind->list.items[i], &unseen);
	if (!behind)
		add_all_in(q, node, &unseen);
	if (unseen.list.nr) {
		draft_at_most(draft, VERDICT_HYPOTHESIS);
		if (draft->verdict.class == VERDICT_TRANSPORT_STALL)
			draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		inquiry_not_judged_each(q, VERDICT_HOST_STALL, NEED_STATE, &unseen);
	}
	array_release(&unseen.list);
}
