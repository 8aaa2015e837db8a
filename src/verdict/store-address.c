/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class not-started, cause address: a rank that looks for the others where they are not. The call
 * that opens the store tells which address the rank uses, else its environment does. It is compared
 * with the address of most: a rank that differs from more than half of those that are known, and is
 * not past the store yet, can never meet them. A host may have many names, so another name alone
 * means nothing, unless the rank finds no store there while others are at it.
 *
 * An environment is that of a process' start. It tells where a rank met the others for the first
 * time: a program that meets anew (a group destroyed and made again) chooses another port, and
 * writes it where nobody outside reads it. So no rank is judged by its environment that has met the
 * others already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/spans.h"
#include "verdict/rule.h"

/*
 * Who stands for so long in the call that opens the store, ns, does not try one after another. So
 * long a program may look at what is not the job's store, too, before it goes on.
 */
#define STANDS_APART (10 * CLOCK_NS_PER_S)

/* Returns the rank's wait at the store itself, in a call that tells where; NULL none. */
static const struct wait *wait_at_store(const struct waits *waits, struct rank_index rank)
{
	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &waits->at[i];

		if (wait->thread != JOB_NONE && (waits_is_for(wait, WAITS_FOR_STORE) ||
							waits_is_for(wait, WAITS_FOR_RANKS)))
			return wait;
	}
	return NULL;
}

/* Finds where the rank looks for the store, by its call, else by its environment. */
static void find_address(
	const struct job *job, const struct waits *waits, struct rank_index rank, struct profile *p)
{
	const struct wait *wait = wait_at_store(waits, rank);
	struct spans_range range = traits_of(job, rank);

	p->address = p->address_cite = "";
	if (wait) {
		p->address = job->threads[wait->thread].detail;
		p->address_cite = job->threads[wait->thread].cite;
		p->address_used = *p->address != '\0';
	}
	for (size_t i = range.from; i < range.to && !*p->address; i++)
		if (!strcmp(job->traits[i].key, "master")) {
			p->address = job->traits[i].text;
			p->address_cite = job->traits[i].cite;
		}
}

/* Returns what is behind the last colon; "" where there is none. */
static const char *port_of(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon ? colon + 1 : "";
}

/* Orders addresses by port, then as a whole. */
static int compare_addresses(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;
	int order = strcmp(port_of(*a), port_of(*b));

	return order ? order : strcmp(*a, *b);
}

static bool same_port(const char *a, const char *b)
{
	return !strcmp(port_of(a), port_of(b));
}

/* True if the rank has met the others before: it is recorded that it made a group, past a store. */
static bool has_met(const struct job *job, struct rank_index rank)
{
	return (job_rank(job, rank)->knows & JOB_KNOWS_BOARDS) &&
	       !job_rank(job, rank)->candidate_only;
}

/*
 * True if the known address is where the rank looks, or where it met the others for the first time.
 * A recorded rank that has not come to any store may still choose its address.
 */
static bool is_address(const struct job *job, struct rank_index rank, const struct profile *p)
{
	const struct job_rank *r = job_rank(job, rank);

	return *port_of(p->address) &&
	       (p->address_used || !(r->knows & JOB_KNOWS_BOARDS) || !r->candidate_only ||
		       p->posture.for_store || p->posture.for_ranks);
}

/*
 * Returns an address whose port more than half of the known ones have, by the name in the middle of
 * all; NULL none.
 */
static const char *usual_address(const struct job *job, const struct profile *profiles)
{
	const char **all = alloc_zeroed(job->nranks + 1, sizeof(*all)), *usual;
	size_t nr = 0, same = 0;

	job_for_each_rank(job, rank)
		if (is_address(job, rank, &profiles[rank.i]))
			all[nr++] = profiles[rank.i].address;
	if (nr)
		qsort(all, nr, sizeof(*all), compare_addresses);
	usual = nr ? all[nr / 2] : NULL;
	for (size_t i = 0; i < nr; i++)
		same += same_port(all[i], usual);
	free(all);
	return 2 * same > nr && same > 1 ? usual : NULL;
}

/*
 * True if the rank is not past the store: it is in it, or has made no group. Its stack tells where
 * nothing is recorded of it.
 */
static bool is_at_start(const struct job *job, const struct waits *waits, struct rank_index rank,
	const struct posture *posture)
{
	if (job_rank(job, rank)->process == JOB_NONE)
		return false;
	if (wait_at_store(waits, rank) || job_rank(job, rank)->candidate_only)
		return true;
	return !(job_rank(job, rank)->knows & JOB_KNOWS_BOARDS) && !posture->unsure &&
	       (posture->for_store || posture->for_ranks);
}

/* True if the store of that address is open: some rank serves it, or is past it. */
static bool is_open(const struct job *job, const struct waits *waits,
	const struct profile *profiles, const char *address)
{
	job_for_each_rank(job, rank) {
		const struct wait *wait = wait_at_store(waits, rank);

		if (strcmp(profiles[rank.i].address, address) != 0)
			continue;
		if (wait ? waits_is_for(wait, WAITS_FOR_RANKS)
			 : !job_rank(job, rank)->candidate_only)
			return true;
	}
	return false;
}

/* True if the rank asks for the store under a name by which it does not find it. */
static bool asks_in_vain(
	const struct waits *waits, struct rank_index rank, const char *address, const char *usual)
{
	const struct wait *wait = wait_at_store(waits, rank);

	return strcmp(address, usual) != 0 && wait && waits_is_for(wait, WAITS_FOR_STORE);
}

void address_find(const struct job *job, const struct waits *waits, struct profile *profiles)
{
	bool open;
	const char *usual;

	job_for_each_rank(job, rank)
		find_address(job, waits, rank, &profiles[rank.i]);
	usual = usual_address(job, profiles);
	open = usual && is_open(job, waits, profiles, usual);
	for (struct rank_index rank = {0}; usual && job_has_rank(job, rank); rank.i++) {
		struct profile *p = &profiles[rank.i];

		if (!is_address(job, rank, p) || p->ended || has_met(job, rank) ||
			!is_at_start(job, waits, rank, &p->posture))
			continue;
		if (!same_port(p->address, usual) ||
			(open && asks_in_vain(waits, rank, p->address, usual)))
			p->usual_address = usual;
	}
}

/* True if the rank stands in the call by which it looks for the others where they are not. */
static bool stands_apart(
	const struct waits *waits, struct rank_index rank, const struct profile *p)
{
	const struct wait *wait = wait_at_store(waits, rank);

	return p->address_used && wait && wait->age != JOB_UNKNOWN && wait->age > STANDS_APART;
}

static bool is_held(const struct waits *waits, struct rank_index rank)
{
	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++)
		if (waits->at[i].held)
			return true;
	return false;
}

int64_t address_threshold(
	const struct job *job, const struct waits *waits, const struct profile *profiles)
{
	bool apart = false;

	if (job->world_size <= 0 || (size_t)job->world_size > job->nranks)
		return INT64_MAX;
	job_for_each_rank(job, rank) {
		const struct profile *p = &profiles[rank.i];

		if (p->usual_address ? !stands_apart(waits, rank, p) : !is_held(waits, rank))
			return INT64_MAX;
		apart |= p->usual_address != NULL;
	}
	return apart ? STANDS_APART : INT64_MAX;
}

bool explains_address(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!p->usual_address)
		return false;
	why->cause = VERDICT_BY_ADDRESS;
	why->confidence = p->address_used && !same_port(p->address, p->usual_address)
				  ? VERDICT_ESTABLISHED
				  : VERDICT_SUPPORTED;
	why->outlook = VERDICT_KILL;
	why->next = VERDICT_NEXT_SAME_ADDRESS;
	return true;
}

void tell_address(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	struct verdict_fact *fact = draft_fact(q, draft, FACT_ADDRESS, rank, p->address_cite);

	fact->text = p->address;
	fact->text2 = p->usual_address;
	stacks_tell(q, rank, draft);
}
