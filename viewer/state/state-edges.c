/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom, as jumps: from a rank to one that its wait leads to, and back.
 *
 * The wait-for graph (job/waitfor/waitfor.h) holds ranks and what they wait in. A step goes from a
 * rank through anything that is no rank to the nearest that are; of those a culprit, else the
 * lowest. It is made for each step and dropped: a step is one key, and the graph is linear in the
 * job. All waits count here, however short: the question is where this leads, not who is to blame.
 * Only where all have come to an operation, and one brought something else, the graph leads
 * nowhere: then it is the verdict's culprit that its victims wait for.
 */
#include "viewer/state/state-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/names.h"
#include "job/waitfor/waitfor.h"
#include "words/rank-names.h"

/* What the graph is made from. */
struct given {
	enum waitfor_stand *stands;
	bool *stopped;
	uint64_t *forked;
	int64_t *threshold;
};

/* True if the rank's process has ended, or is frozen. */
static bool is_over(const struct job *job, struct rank_index rank)
{
	int process = job_rank(job, rank)->process;

	if (process < 0)
		return false;
	switch (job->processes[process].end) {
	case JOB_EXITED:
	case JOB_SIGNALED:
	case JOB_GONE:
		return true;
	default:
		return job->processes[process].frozen == JOB_YES;
	}
}

/* Makes the graph of all waits; waitfor_free() it. */
static struct waitfor *graph_of(struct state *state)
{
	const struct job *job = state->scene.job;
	struct given own = {alloc_zeroed(job->nranks + 1, sizeof(*own.stands)),
		alloc_zeroed(job->nranks + 1, sizeof(*own.stopped)),
		alloc_zeroed(job->ngroups + 1, sizeof(*own.forked)),
		alloc_zeroed(job->ngroups + 1, sizeof(*own.threshold))};
	struct waitfor_given given = {.stands = own.stands,
		.stopped = own.stopped,
		.forked = own.forked,
		.threshold = own.threshold,
		.threshold_p2p = own.threshold,
		.threshold_init = own.threshold};
	struct waitfor *graph;

	job_for_each_rank(job, rank)
		own.stopped[rank.i] = is_over(job, rank);
	if (!state->waits)
		state->waits = waits_new(job, NULL);
	graph = waitfor_new(job, state->waits, &given);
	free(own.stands);
	free(own.stopped);
	free(own.forked);
	free(own.threshold);
	return graph;
}

/* -- Walking the graph ------------------------------------------------------------------------ */

/* A walk over the graph, breadth first, along these edges. */
struct walk {
	const struct waitfor *graph;
	const int *edges;
	const size_t *first;
	bool *seen;
	int *queue;
	size_t n;
};

/* True if a node is a rank. */
static bool node_is_rank(const struct waitfor_node *node)
{
	return node->kind == WAITFOR_RANK || node->kind == WAITFOR_STOPPED;
}

/* True if the first verdict blames the rank. */
static bool is_culprit(const struct state *state, struct rank_index rank)
{
	return ranks_have(state->scene.verdicts->at[0].culprits, rank);
}

/* Queues a node that was not seen yet. */
static void queue(struct walk *walk, int node)
{
	if (walk->seen[node])
		return;
	walk->seen[node] = true;
	walk->queue[walk->n++] = node;
}

/* Returns the best rank at the end of a step from the nodes that are queued; NO_RANK none. */
static struct rank_index nearest(
	const struct state *state, struct walk *walk, struct rank_index from)
{
	struct rank_index best = NO_RANK;
	size_t stop = SIZE_MAX; /* the nearest ones only: those queued when the first was found */

	for (size_t i = 0; i < walk->n && i < stop; i++) {
		int node = walk->queue[i];
		const struct waitfor_node *at = &walk->graph->nodes[node];

		if (node_is_rank(at) && !same_rank(at->rank, from)) {
			bool better = !is_rank(best) || (is_culprit(state, at->rank) &&
							  !is_culprit(state, best));

			if (is_rank(best) && !better && is_culprit(state, at->rank) ==
							    is_culprit(state, best))
				better = at->rank.i < best.i;
			best = better ? at->rank : best;
			continue;
		}
		for (size_t j = walk->first[node]; j < walk->first[node + 1]; j++)
			queue(walk, walk->edges[j]);
	}
	return best;
}

/* Queues the nodes that are that rank. */
static void queue_rank(struct walk *walk, struct rank_index rank)
{
	for (size_t i = 0; i < walk->graph->nnodes; i++)
		if (node_is_rank(&walk->graph->nodes[i]) &&
			same_rank(walk->graph->nodes[i].rank, rank))
			queue(walk, (int)i);
}

/* Returns where a step along these edges leads; NO_RANK nowhere. */
static struct rank_index step(const struct state *state, const struct waitfor *graph,
	const int *edges, const size_t *first, struct rank_index from)
{
	struct walk walk = {.graph = graph,
		.edges = edges,
		.first = first,
		.seen = alloc_zeroed(graph->nnodes + 1, sizeof(*walk.seen)),
		.queue = alloc_zeroed(graph->nnodes + 1, sizeof(*walk.queue))};
	struct rank_index to;

	queue_rank(&walk, from);
	to = nearest(state, &walk, from);
	free(walk.seen);
	free(walk.queue);
	return to;
}

/* Returns where a step along the same edges leads from their targets. */
static struct rank_index step_back(
	const struct state *state, const struct waitfor *graph, struct rank_index from)
{
	size_t n = graph->nnodes, nedges = graph->first_edge[n];
	size_t *first = alloc_zeroed(n + 2, sizeof(*first));
	int *edges = alloc_zeroed(nedges + 1, sizeof(*edges));
	struct rank_index to;

	for (size_t i = 0; i < nedges; i++)
		first[graph->edges[i] + 2]++;
	for (size_t i = 1; i < n + 2; i++)
		first[i] += first[i - 1];
	/* first[i + 1] is where the next edge of i goes; in the end, where those of i + 1 begin. */
	for (size_t i = 0; i < n; i++)
		for (size_t j = graph->first_edge[i]; j < graph->first_edge[i + 1]; j++)
			edges[first[graph->edges[j] + 1]++] = (int)i;
	to = step(state, graph, edges, first, from);
	free(first);
	free(edges);
	return to;
}

/* -- Requests --------------------------------------------------------------------------------- */

/* Returns the wait that holds the rank, else any of it; NULL none. */
static const struct wait *wait_of(const struct state *state, struct rank_index rank)
{
	const struct waits *waits = state->waits;
	const struct wait *found = NULL;

	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++)
		if (!found || (waits->at[i].held && !found->held))
			found = &waits->at[i];
	return found;
}

/* Appends what a rank waits in. */
static void add_wait(struct str *into, const struct job *job, const struct wait *wait)
{
	int group = wait->member < 0 ? JOB_NONE : job->members[wait->member].group;

	if (wait->op)
		str_add(into, job_op_name(wait->op->sig.op));
	else
		str_add(into, wait->kind == WAIT_INIT  ? "init" :
			      wait->kind == WAIT_STORE ? "the store" :
			      wait->kind == WAIT_SPLIT ? "a split" :
							 "a call");
	if (wait->kind == WAIT_COLLECTIVE)
		str_printf(into, " #%llu", (unsigned long long)wait->index);
	if (group >= 0)
		str_printf(into, " of %s", job->groups[group].name);
}

/* Returns a culprit of the first verdict that has this rank for a victim; NO_RANK none. */
static struct rank_index blamed_for(const struct state *state, struct rank_index rank)
{
	const struct verdicts *verdicts = state->scene.verdicts;

	for (size_t i = 0; i < verdicts->n; i++)
		if (verdicts->at[i].culprits.n && ranks_have(verdicts->at[i].victims, rank))
			return verdicts->at[i].culprits.at[0];
	return NO_RANK;
}

/* Returns whom the rank waits for, else who is blamed for it; NO_RANK nobody is known. */
static struct rank_index awaited_by(struct state *state, struct rank_index rank)
{
	struct waitfor *graph = graph_of(state);
	struct rank_index to = step(state, graph, graph->edges, graph->first_edge, rank);

	waitfor_free(graph);
	return is_rank(to) ? to : blamed_for(state, rank);
}

/* Goes to whom the rank waits for, and remembers from where. */
static void edge_to(struct state *state)
{
	struct waitfor *graph = graph_of(state);
	const struct wait *wait = wait_of(state, state->rank);
	struct state_place from = state_here(state);
	struct rank_index old = state->rank,
			  to = step(state, graph, graph->edges, graph->first_edge, old);
	struct str in = {0};

	waitfor_free(graph);
	if (wait && !is_rank(to))
		to = blamed_for(state, old);
	if (wait)
		add_wait(&in, state->scene.job, wait);
	if (!wait && !is_rank(to)) {
		state_tell(state, "rank %d waits for nobody", state->worlds[old.i]);
	} else if (!is_rank(to)) {
		state_tell(state, "rank %d waits in %s: nobody is known to be missing there",
			state->worlds[old.i], str_text(&in));
	} else {
		if (state->nedges == STATE_BACK)
			memmove(state->edges, state->edges + 1,
				--state->nedges * sizeof(*state->edges));
		state->edges[state->nedges++] = from;
		state_go(state, to,
			wait && wait->since != JOB_UNKNOWN && wait->since > state->when ?
				wait->since :
				JOB_UNKNOWN);
		state_tell(state, "rank %d waits%s%s for rank %d%s%s; [ goes back",
			state->worlds[old.i], wait ? " in " : "", str_text(&in),
			state->worlds[to.i], *state->tracks->at[to.i].doing ? ": " : "",
			state->tracks->at[to.i].doing);
	}
	str_release(&in);
}

/* Goes back where ] was pressed, else to one who waits for the rank. */
static void edge_back(struct state *state)
{
	struct waitfor *graph;
	struct rank_index from = state->rank, to;

	if (state->nedges) {
		struct state_place *place = &state->edges[--state->nedges];

		state_go(state, place->rank, place->when);
		return;
	}
	graph = graph_of(state);
	to = step_back(state, graph, from);
	waitfor_free(graph);
	if (!is_rank(to)) {
		state_tell(state, "nobody waits for rank %d", state->worlds[from.i]);
		return;
	}
	state_go(state, to, JOB_UNKNOWN);
	state_tell(state, "rank %d waits for rank %d", state->worlds[to.i], state->worlds[from.i]);
}

/* -- Two ranks, and no others ----------------------------------------------------------------- */

/* Returns the first rank that is pinned and is not this one; NO_RANK. */
static struct rank_index pinned_beside(const struct state *state)
{
	for (size_t i = 0; i < state->nranks; i++)
		if (state->tagged[i] && i != (size_t)state->rank.i)
			return rank_index(i);
	return NO_RANK;
}

/* Returns a victim of whoever is blamed, where that is what is selected. */
static struct rank_index victim_beside(const struct state *state)
{
	const struct verdict *first = &state->scene.verdicts->at[0];

	for (size_t i = 0; i < first->victims.n; i++)
		if (!same_rank(first->victims.at[i], state->rank))
			return first->victims.at[i];
	return NO_RANK;
}

/* Shows the rank and another, and no others. */
static void stand_beside(struct state *state)
{
	struct rank_index rank = state->rank, other = pinned_beside(state);
	struct str filter = {0};

	if (!is_rank(other))
		other = awaited_by(state, rank);
	if (!is_rank(other))
		other = victim_beside(state);
	if (!is_rank(other)) {
		state_tell(state, "beside whom? pin another rank first: %s there, then %s here",
			keys_of(REQUEST_TAG), keys_of(REQUEST_BESIDE));
		return;
	}
	if (state->worlds[rank.i] < 0 || state->worlds[other.i] < 0) {
		state_tell(state, "of one of them nobody knows the number");
		return;
	}
	str_cut(&state->unfiltered, 0);
	str_add(&state->unfiltered, str_text(&state->filter));
	str_printf(&filter, "rank:%d,%d", state->worlds[rank.i], state->worlds[other.i]);
	state->beside = state_set_filter(state, str_text(&filter));
	str_release(&filter);
	if (!state->beside)
		return;
	state->rank = rank;
	state_find_row(state);
	state_tell(state, "rank %d beside rank %d; %s shows all again", state->worlds[rank.i],
		state->worlds[other.i], keys_of(REQUEST_BESIDE));
}

/* Shows two ranks, or all again. */
static void toggle_beside(struct state *state)
{
	struct str all = {0};

	if (!state->beside) {
		stand_beside(state);
		return;
	}
	str_add(&all, str_text(&state->unfiltered));
	state_set_filter(state, str_text(&all));
	str_release(&all);
}

bool state_do_edge(struct state *state, enum request request)
{
	if (request != REQUEST_EDGE_TO && request != REQUEST_EDGE_BACK &&
		request != REQUEST_BESIDE)
		return false;
	if (!is_rank(state->rank) && !(request == REQUEST_BESIDE && state->beside))
		state_tell(state, "there is no rank");
	else if (request == REQUEST_BESIDE)
		toggle_beside(state);
	else if (request == REQUEST_EDGE_TO)
		edge_to(state);
	else
		edge_back(state);
	return true;
}
