/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for a key of the store. Who has to set it is nowhere written down. But where every rank but
 * a few waits for one key, and those few are seen to be outside of every wait, one of them will be
 * the one, or keeps the one from it: the edge leads there. With anybody of whom that is not known,
 * and where those outside are not the fewer, nobody is pointed at.
 */
#include <string.h>

#include "job/spans.h"
#include "job/waitfor-make.h"

static int compare_keys(const void *va, const void *vb)
{
	const struct waitfor_key *a = va, *b = vb;
	int order = strcmp(a->key, b->key);

	if (order)
		return order;
	return a->wait < b->wait ? -1 : a->wait > b->wait;
}

void waitfor_collect_keys(struct waitfor_maker *m)
{
	struct waitfor_key *keys;
	size_t n = 0;

	for (size_t i = 0; i < m->waits->n; i++)
		if (m->waits->at[i].kind == WAIT_STORE)
			*array_add(&m->keys) = (struct waitfor_key){m->waits->at[i].key, i, 1, 0};
	array_sort(&m->keys, compare_keys);
	keys = m->keys.items;
	for (size_t i = 0; i < m->keys.nr; i++) {
		if (n && strcmp(keys[n - 1].key, keys[i].key) == 0)
			keys[n - 1].n++;
		else
			keys[n++] = keys[i];
	}
	m->keys.nr = n;
	for (size_t i = 0; i < n; i++) {
		int node = waitfor_add_node(m, WAITFOR_STORE, JOB_NONE, JOB_NONE);

		m->nodes.items[node].wait = (int)keys[i].wait;
		keys[i].node = node;
	}
}

/* The node of a key that waitfor_collect_keys() has seen; asked for no other. */
int waitfor_key_node(const struct waitfor_maker *m, const char *key)
{
	size_t low = 0, high = m->keys.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(m->keys.items[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return m->keys.items[low].node;
}

/* Whether the rank itself shows that it waits in nothing: it ended, never came, or says so. */
static bool is_outside(const struct waitfor_maker *m, int rank)
{
	const struct job_rank *r = &m->job->ranks[rank];
	struct spans_range threads = threads_of(m->job, rank);

	if (m->waits->first[rank] < m->waits->first[rank + 1])
		return false;
	if (r->process == JOB_NONE)
		return m->job->has_census;
	if (m->job->processes[r->process].end > JOB_ALIVE)
		return true;
	if (r->candidate_only && (r->knows & JOB_KNOWS_CENSUS))
		return true;
	for (size_t i = threads.from; i < threads.to; i++)
		if (m->job->threads[i].state == JOB_THREAD_UNKNOWN)
			return false;
	return r->knows & JOB_KNOWS_RING;
}

/* Whether the rank waits for that key. */
static bool waits_for_key(const struct waitfor_maker *m, int rank, int node)
{
	for (size_t i = m->waits->first[rank]; i < m->waits->first[rank + 1]; i++)
		if (m->graph->node_of_wait[i] == node)
			return true;
	return false;
}

/* A few outside while all others wait: fewer than those who wait, and nobody else. */
static void join_key(struct waitfor_maker *m, const struct waitfor_key *key)
{
	struct waitfor_node *node = &m->nodes.items[key->node];
	size_t outside = m->job->nranks - key->n;

	node->unknown = true;
	if (key->n > m->job->nranks || !outside || outside >= key->n)
		return;
	for (size_t rank = 0; rank < m->job->nranks; rank++)
		if (!waits_for_key(m, (int)rank, key->node) && !is_outside(m, (int)rank))
			return;
	node->unknown = false;
	node->absent = true;
	for (size_t rank = 0; rank < m->job->nranks; rank++)
		if (!waits_for_key(m, (int)rank, key->node))
			waitfor_add_edge(m, key->node, (int)rank);
}

void waitfor_join_keys(struct waitfor_maker *m)
{
	for (size_t i = 0; i < m->keys.nr; i++)
		join_key(m, &m->keys.items[i]);
}
