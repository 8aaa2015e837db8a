/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the waits of a job of which only stacks tell: inquest's probe is not in it, or what it
 * calls is not recorded. Groups and operations are unknown then. What is known is which ranks are
 * inside something that waits for others, and which are seen to be elsewhere: those elsewhere keep
 * the others waiting. If one of these has ended, or looks for the others where they never are, it
 * is that one.
 *
 * A rank whose stack does not tell is never pointed at, and counts as one of those who may be late.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/waitfor/waitfor-make.h"

enum place {
	PLACE_DARK, /* nothing tells where it is */
	PLACE_WAITS,
	PLACE_ELSEWHERE,
	PLACE_LOCKED, /* elsewhere, in a file's lock that another rank may have */
	PLACE_OVER,   /* it can never come to where the others are */
	PLACES
};

/* What stacks tell of all ranks. */
struct sight {
	const struct waitfor_maker *m;
	enum place *places; /* per rank */
	size_t n[PLACES];
};

static bool has_ended(const struct job *job, struct rank_index rank)
{
	int process = job_rank(job, rank)->process;

	return process != JOB_NONE && job->processes[process].end > JOB_ALIVE;
}

/* Returns where a rank is, by its stack and its end. */
static enum place place_of(const struct waitfor_maker *m, struct rank_index rank)
{
	const struct waits_told *told = &m->waits->told[rank.i];
	bool final = m->given->stands[rank.i] == WAITFOR_FINAL;

	if (has_ended(m->job, rank))
		return final || m->given->stopped[rank.i] ? PLACE_OVER : PLACE_DARK;
	if (job_rank(m->job, rank)->process == JOB_NONE || !(told->key || told->elsewhere))
		return PLACE_DARK;
	if (final)
		return PLACE_OVER;
	return told->key ? PLACE_WAITS : PLACE_ELSEWHERE;
}

static bool is_zero(const struct waitfor_maker *m, struct rank_index rank)
{
	return !job_rank(m->job, rank)->world_rank.n && !job_rank(m->job, rank)->numberless;
}

/* True if rank `other`, which is not seen to wait, may have the lock that `rank` waits for. */
static bool may_have_lock(
	const struct sight *sight, struct rank_index rank, struct rank_index other)
{
	const struct job_rank *ranks = sight->m->job->ranks;

	if (ranks[other.i].process != JOB_NONE && ranks[rank.i].host != ranks[other.i].host)
		return false;
	return sight->places[other.i] == PLACE_DARK ||
	       (sight->places[other.i] == PLACE_ELSEWHERE &&
		       !sight->m->waits->told[other.i].in_lock);
}

/*
 * Finds ranks that wait for a file's lock which another rank of their host may have. Nobody is
 * pointed at for it, unless the holder is known, or all the others are known not to have it.
 */
static void set_locked_apart(struct sight *sight)
{
	job_for_each_rank(sight->m->job, rank) {
		const struct waits_told *told = &sight->m->waits->told[rank.i];

		if (sight->places[rank.i] != PLACE_ELSEWHERE || !told->in_lock || told->lock_known)
			continue;
		for (struct rank_index at = {0};
			job_has_rank(sight->m->job, at) && sight->places[rank.i] == PLACE_ELSEWHERE;
			at.i++)
			if (may_have_lock(sight, rank, at))
				sight->places[rank.i] = PLACE_LOCKED;
	}
}

/*
 * Finds ranks that ask again and again, and may wait for the others so. It is not told whom such a
 * rank waits for; so if the others may wait for one that is dark, nobody is pointed at for it.
 */
static void set_asking_apart(struct sight *sight)
{
	bool dark = false;

	job_for_each_rank(sight->m->job, rank)
		dark |= sight->places[rank.i] == PLACE_DARK;
	job_for_each_rank(sight->m->job, rank)
		if (dark && sight->places[rank.i] == PLACE_ELSEWHERE &&
			sight->m->waits->told[rank.i].asks)
			sight->places[rank.i] = PLACE_DARK;
}

/* Finds where all ranks are, and counts them. */
static void look(struct sight *sight)
{
	job_for_each_rank(sight->m->job, rank)
		sight->places[rank.i] = place_of(sight->m, rank);
	set_locked_apart(sight);
	set_asking_apart(sight);
	job_for_each_rank(sight->m->job, rank)
		sight->n[sight->places[rank.i]]++;
}

/* True if all ranks that wait may wait for what rank 0 gives, and rank 0 is none of them. */
static bool is_all_for_zero(const struct sight *sight)
{
	job_for_each_rank(sight->m->job, rank)
		if (sight->places[rank.i] == PLACE_WAITS &&
			(!sight->m->waits->told[rank.i].maybe_zero || is_zero(sight->m, rank)))
			return false;
	return true;
}

/* True if they certainly wait for rank 0, and it is known where each rank is. */
static bool is_surely_for_zero(const struct sight *sight)
{
	job_for_each_rank(sight->m->job, rank)
		if (sight->places[rank.i] == PLACE_WAITS && !sight->m->waits->told[rank.i].for_zero)
			return false;
	return !sight->n[PLACE_DARK];
}

/*
 * True if the others wait for this rank. Where a rank is over, they wait for such ranks only. If
 * all may wait for what rank 0 gives (`zero`: the store, or the unique id of a communicator), rank
 * 0 is waited for if it is elsewhere, and nobody else ever is.
 */
static bool is_waited_for(const struct sight *sight, struct rank_index rank, bool zero)
{
	if (sight->n[PLACE_OVER])
		return sight->places[rank.i] == PLACE_OVER;
	return sight->places[rank.i] == PLACE_ELSEWHERE && (!zero || is_zero(sight->m, rank));
}

/*
 * Returns how many ranks may be late, known ones or not; all, where the size of the job is unknown.
 */
static size_t count_late(const struct sight *sight, bool zero)
{
	const bool surely = zero && is_surely_for_zero(sight);
	size_t elsewhere = 0;

	if (sight->n[PLACE_OVER])
		return sight->n[PLACE_OVER];
	if (sight->m->job->world_size < 0)
		return sight->m->job->nranks;
	job_for_each_rank(sight->m->job, rank)
		elsewhere += is_waited_for(sight, rank, surely);
	return elsewhere + sight->n[PLACE_LOCKED] + sight->n[PLACE_DARK];
}

void waitfor_join_told(struct waitfor_maker *m)
{
	struct sight sight = {.m = m};
	size_t late;
	bool zero;

	sight.places = alloc_zeroed(m->job->nranks + 1, sizeof(*sight.places));
	look(&sight);
	zero = is_all_for_zero(&sight);
	late = count_late(&sight, zero);
	for (size_t i = 0; i < m->keys.nr; i++) {
		int at = m->keys.items[i].node;
		struct waitfor_node *node = &m->nodes.items[at];

		node->late = late;
		node->unknown = sight.n[PLACE_DARK] + sight.n[PLACE_LOCKED] > 0;
		job_for_each_rank(m->job, rank) {
			if (!is_waited_for(&sight, rank, zero))
				continue;
			waitfor_add_edge(m, at, rank.i);
			node->absent = true;
		}
	}
	free(sight.places);
}
