/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins waits for keys of the store. Nothing records which rank has to set a key. But where all
 * ranks but a few wait for one key, and those few are seen to be outside of every wait, one of the
 * few has to set it, or keeps another rank from that: the edges lead to them. Where it is unknown
 * of any of them, or where they are not the fewer, no rank is pointed at. If such ranks also wait
 * for each other in what nobody records, it is the stack that has to show that one is outside.
 * Where the wait says for whom it is, only these count, and they need not be the fewer: half of
 * them may keep the other half.
 *
 * The store itself is rank 0's. Until it is open all others wait for rank 0; and rank 0, which has
 * opened it, waits for those who have not come to it. A rank that made a group has come.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "job/calls.h"
#include "job/spans.h"
#include "job/waitfor/waitfor-make.h"

#define SOME_MOST (1ul << 24) /* ranks that a wait names in one run */

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
		int node = waitfor_add_node(m, WAITFOR_STORE, NO_RANK, JOB_NONE);

		m->nodes.items[node].wait = (int)keys[i].wait;
		keys[i].node = node;
	}
}

/* Searches the sorted keys. */
int waitfor_key_node(const struct waitfor_maker *m, const char *key)
{
	size_t place = bisect(0, m->keys.nr, i, strcmp(m->keys.items[i].key, key) < 0);

	return m->keys.items[place].node;
}

/*
 * True if the rank itself shows that it waits in nothing: it ended, never came, or says so, which
 * it does not where it may wait in what is not recorded.
 */
static bool is_outside(const struct waitfor_maker *m, struct rank_index rank, bool recorded)
{
	const struct job_rank *r = job_rank(m->job, rank);
	struct spans_range threads = threads_of(m->job, rank);

	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (m->waits->at[i].kind != WAIT_LOCK)
			return false;
	if (m->waits->told[rank.i].elsewhere)
		return true;
	if (r->process == JOB_NONE)
		return m->job->census_whole;
	if (m->job->processes[r->process].end > JOB_ALIVE)
		return true;
	if (!recorded)
		return false;
	if (r->candidate_only && (r->knows & JOB_KNOWS_CENSUS))
		return true;
	for (size_t i = threads.from; i < threads.to; i++)
		if (m->job->threads[i].state == JOB_THREAD_UNKNOWN)
			return false;
	return r->knows & JOB_KNOWS_RING;
}

/* True if all in which ranks like that which waits may wait is recorded. */
static bool is_all_recorded(const struct waitfor_maker *m, const struct wait *wait)
{
	return wait->thread == JOB_NONE ||
	       !(call_traits(m->job->threads[wait->thread].call) & CALL_AMONG);
}

/* True if the rank waits for that key. */
static bool waits_for_key(const struct waitfor_maker *m, struct rank_index rank, int node)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (m->graph->node_of_wait[i] == node)
			return true;
	return false;
}

/*
 * Reads the next numbers of "0,2-5": *first to *last, moves behind them and returns true; false if
 * there are none.
 */
static bool next_numbers(const char **at, unsigned long *first, unsigned long *last)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*first = *last = strtoul(*at, &end, 10);
	if (*end == '-')
		*last = strtoul(end + 1, &end, 10);
	*at = *end == ',' && end[1] ? end + 1 : end;
	return true;
}

/* Returns whom the wait is for, as "0,2-5"; NULL if it does not say, so that it is for all. */
static const char *named_by(const struct waitfor_maker *m, const struct wait *wait)
{
	const char *of = NULL;

	if (wait->thread == JOB_NONE ||
		!(call_traits(m->job->threads[wait->thread].call) & CALL_SOME))
		return NULL;
	for (const char *at = wait->key; (at = strstr(at, " of ")); at++)
		of = at + strlen(" of ");
	return of ? of : "";
}

static bool is_named(const struct waitfor_maker *m, const char *names, struct rank_index rank)
{
	unsigned long number = job_rank(m->job, rank)->world_rank.n, first, last;

	while (next_numbers(&names, &first, &last))
		if (number >= first && number <= last)
			return !job_rank(m->job, rank)->numberless;
	return false;
}

/* Returns how many are named; 0 if that makes no sense. */
static size_t count_names(const char *names)
{
	unsigned long first, last;
	size_t n = 0;

	while (next_numbers(&names, &first, &last)) {
		if (last < first || last - first >= SOME_MOST)
			return 0;
		n += last - first + 1;
	}
	return *names ? 0 : n;
}

/* Joins a wait that says for whom it is to those of them who are outside, if all others wait. */
static void join_named(
	struct waitfor_maker *m, const struct waitfor_key *key, const char *names)
{
	struct waitfor_node *node = &m->nodes.items[key->node];
	size_t seen = 0, outside = 0, named = count_names(names);

	node->unknown = true;
	job_for_each_rank(m->job, rank) {
		bool waits = waits_for_key(m, rank, key->node);

		if (!is_named(m, names, rank)) {
			if (waits)
				return;
			continue;
		}
		if (!waits && !is_outside(m, rank, false))
			return;
		seen++;
		outside += !waits;
	}
	if (seen != named || !outside || outside > key->n)
		return;
	node->unknown = false;
	node->absent = true;
	job_for_each_rank(m->job, rank)
		if (is_named(m, names, rank) && !waits_for_key(m, rank, key->node))
			waitfor_add_edge(m, key->node, rank.i);
}

/* Joins a key to the few ranks outside, if all other ranks wait for it. */
static void join_key(struct waitfor_maker *m, const struct waitfor_key *key)
{
	struct waitfor_node *node = &m->nodes.items[key->node];
	const char *names = named_by(m, &m->waits->at[key->wait]);
	size_t outside = m->job->nranks - key->n;
	bool recorded = is_all_recorded(m, &m->waits->at[key->wait]);

	if (names) {
		join_named(m, key, names);
		return;
	}
	node->unknown = true;
	if (key->n > m->job->nranks || !outside || outside >= key->n)
		return;
	job_for_each_rank(m->job, rank)
		if (!waits_for_key(m, rank, key->node) && !is_outside(m, rank, recorded))
			return;
	node->unknown = false;
	node->absent = true;
	job_for_each_rank(m->job, rank)
		if (!waits_for_key(m, rank, key->node))
			waitfor_add_edge(m, key->node, rank.i);
}

/* True if the rank is number 0. */
static bool is_zero(const struct waitfor_maker *m, struct rank_index rank)
{
	return !job_rank(m->job, rank)->world_rank.n && !job_rank(m->job, rank)->numberless;
}

/* True if the rank has come to the store: it made a group there, or waits in it for something. */
static bool has_come(const struct waitfor_maker *m, struct rank_index rank)
{
	if (!job_rank(m->job, rank)->candidate_only &&
		job_rank(m->job, rank)->process != JOB_NONE &&
		(job_rank(m->job, rank)->knows & JOB_KNOWS_RING))
		return true;
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (m->waits->at[i].kind != WAIT_LOCK &&
			!waits_is_for(&m->waits->at[i], WAITS_FOR_STORE))
			return true;
	return false;
}

/* True if the rank is still on its way to the store, or cannot find it. */
static bool is_on_its_way(const struct waitfor_maker *m, struct rank_index rank)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++)
		if (waits_is_for(&m->waits->at[i], WAITS_FOR_STORE))
			return true;
	return is_outside(m, rank, true);
}

/*
 * Joins the store to rank 0, if that does something else and has not opened it. Where the store is
 * open, or where rank 0 asks for it like all others (it is a launcher's), nobody knows why they do
 * not find it.
 */
static void join_store(struct waitfor_maker *m, const struct waitfor_key *key)
{
	m->nodes.items[key->node].unknown = true;
	job_for_each_rank(m->job, rank) {
		bool final = m->given->stands[rank.i] == WAITFOR_FINAL;

		if (!is_zero(m, rank) ||
			(!final && (has_come(m, rank) || !is_outside(m, rank, true))))
			continue;
		m->nodes.items[key->node].unknown = false;
		m->nodes.items[key->node].absent = true;
		waitfor_add_edge(m, key->node, rank.i);
	}
}

/* Joins an open store, in which rank 0 waits, to the ranks that have not come to it yet. */
static void join_ranks(struct waitfor_maker *m, const struct waitfor_key *key)
{
	job_for_each_rank(m->job, rank) {
		if (is_zero(m, rank) || has_come(m, rank))
			continue;
		if (!is_on_its_way(m, rank)) {
			m->nodes.items[key->node].unknown = true;
			continue;
		}
		m->nodes.items[key->node].absent = true;
		waitfor_add_edge(m, key->node, rank.i);
	}
	if (!m->nodes.items[key->node].absent)
		m->nodes.items[key->node].unknown = true;
}

void waitfor_join_keys(struct waitfor_maker *m)
{
	if (m->waits->only_told) {
		waitfor_join_told(m);
		return;
	}
	for (size_t i = 0; i < m->keys.nr; i++) {
		const struct waitfor_key *key = &m->keys.items[i];

		if (!strcmp(key->key, WAITS_FOR_STORE))
			join_store(m, key);
		else if (!strcmp(key->key, WAITS_FOR_RANKS))
			join_ranks(m, key);
		else
			join_key(m, key);
	}
}
