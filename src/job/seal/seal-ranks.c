/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is a rank. RANK is inherited, so it proves nothing by itself:
 *
 *	- the newest restart generation of each host counts, earlier processes only stay listed, and
 *	  so do those that were seen before all have met in a later one (seal-behind.h), or before
 *	  the last one began (seal-past.h), or in whose places others were started since, with
 *	  other numbers (seal-renumbered.c);
 *	- a process that was started anew alone, and met nobody, is not its rank yet (anew.h);
 *	- a process that made a communicator (promoted) is the rank that its RANK names; of a
 *	  promoted ancestor and its promoted descendant the ancestor is;
 *	- where several unrelated promoted processes with one RANK sit in one group, RANK lies
 *	  about all of them (a spawner's children), and they are named like those without one:
 *	- by their seat in the largest group among them, else by position (host, pid). Each seat of
 *	  a process that holds several in one group is a rank of its own (ncclCommInitAll);
 *	- of several that one parent started with one RANK, while as many RANKs are nobody's, one
 *	  has it, and the others are its twins: the parent's mistake, and no other job;
 *	- the number of a launcher's task is no rank's (seal-numbers.c), and gives way to others;
 *	- a RANK that nobody was promoted for is testified by its candidates, the topmost first. Of
 *	  two whose kinship is lost (a shell's subshell between them makes no entry, and is gone)
 *	  the older is, which had RANK first; a newer one only if the older had ended before;
 *	- the descendants of a rank are its children; the numbers up to the world size that nobody
 *	  claimed are ranks never seen (process JOB_NONE).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/ranks.h"
#include "job/seal/anew.h"
#include "job/seal/holdings.h"
#include "job/seal/seal-behind.h"
#include "job/seal/seal-past.h"
#include "job/seal/seal.h"

/* A process that may be a rank, or one seat of a process that is several ranks. */
struct claim {
	int process;
	int number; /* RANK as far as known, JOB_NONE */
	uint64_t group_key;
	struct group_rank seat;
	bool by_env;
	bool promoted;
	bool numberless;
	int anew; /* process that was started in its place and met nobody; JOB_NONE */
	int restart; /* elastic restart; it and the next two order processes by age */
	int64_t born;
	uint64_t start_time;
};

/* A process beside the one that has got its number, which it lacks itself. */
struct twin {
	int process, kept;
	bool promoted;
};

struct claims {
	ARRAY(struct claim) list;
	ARRAY(struct twin) twins;
	uint64_t rivals; /* ranks of another job beside this one */
	struct holdings holdings;
	struct anew *anew; /* once it was asked for; NULL */
};

/* Finds the newest generation of each host, and marks ranks of earlier ones as stale. */
static void find_stale(struct seal *seal)
{
	struct job *job = seal->job;
	int *newest = alloc_zeroed(job->nhosts + 1, sizeof(*newest));

	for (size_t i = 0; i < job->nprocesses; i++)
		if (seal->processes[i].host != JOB_NONE)
			SEAL_KEEP_MAX(newest[seal->processes[i].host], seal->processes[i].restart);
	job->attempt = 1;
	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &seal->processes[i];
		const struct job_identity *identity = &seal->people[i].identity;

		if (!is_world_rank(identity->world_rank) && !identity->promoted)
			continue;
		seal->people[i].stale =
			process->host != JOB_NONE && process->restart < newest[process->host];
		SEAL_KEEP_MAX(job->attempt, 1 + process->restart);
	}
	free(newest);
}

/* At most so many parents are followed: a longer chain is damage. */
#define MAX_CHAIN 64

/* True if one process descends from another. */
static bool is_below(const struct seal *seal, int process, int ancestor)
{
	int at = seal->people[process].parent;

	for (int step = 0; at != JOB_NONE && step < MAX_CHAIN; step++) {
		if (at == ancestor)
			return true;
		at = seal->people[at].parent;
	}
	return false;
}

/* True unless the process is of an earlier attempt, or the agent. */
static bool may_be_rank(const struct seal *seal, int process)
{
	return !seal->people[process].stale && seal->processes[process].role != JOB_ROLE_AGENT;
}

/* True if an ancestor with the same RANK is as good a claim: then this one is only its child. */
static bool has_better_ancestor(const struct seal *seal, int process)
{
	const struct job_identity *mine = &seal->people[process].identity;
	int at = seal->people[process].parent;

	for (int step = 0; at != JOB_NONE && step < MAX_CHAIN; step++) {
		const struct job_identity *theirs = &seal->people[at].identity;

		if (same_world_rank(theirs->world_rank, mine->world_rank) &&
			may_be_rank(seal, at) && (theirs->promoted || !mine->promoted))
			return true;
		at = seal->people[at].parent;
	}
	return false;
}

/* Orders claims by number; of one number those who made a communicator come first. */
static int compare_claims(const void *va, const void *vb)
{
	const struct claim *a = va, *b = vb;

	SEAL_ORDER(a->number, b->number);
	SEAL_ORDER(b->promoted, a->promoted);
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(a->seat.n, b->seat.n);
	return 0;
}

/* Collects all who may be a rank by themselves, with the number they say. */
static void collect_claims(struct seal *seal, struct claims *claims)
{
	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		const struct job_identity *identity = &seal->people[i].identity;
		int number = identity->world_rank.n;

		if (number < 0)
			number = JOB_NONE;
		if (!may_be_rank(seal, (int)i) || (number == JOB_NONE && !identity->promoted))
			continue;
		if (number != JOB_NONE && has_better_ancestor(seal, (int)i))
			continue;
		*array_add(&claims->list) = (struct claim){.process = (int)i,
			.number = number,
			.by_env = number != JOB_NONE,
			.promoted = identity->promoted,
			.anew = JOB_NONE,
			.restart = seal->processes[i].restart,
			.born = seal->processes[i].born,
			.start_time = seal->processes[i].start_time};
	}
}

/* Orders processes of one number: those that made a communicator first, then the older. */
static int compare_ages(const void *va, const void *vb)
{
	const struct claim *a = va, *b = vb;

	SEAL_ORDER(a->number, b->number);
	SEAL_ORDER(b->promoted, a->promoted);
	SEAL_ORDER(a->restart, b->restart);
	SEAL_ORDER(a->born, b->born);
	SEAL_ORDER(a->start_time, b->start_time);
	return compare_claims(va, vb);
}

/*
 * True if the newer of two processes with one number was started in the older one's place. Where
 * nobody knows when that one ended, what has ended itself may as well have been its helper before.
 * (Their parents do not tell: who adopts the one adopts the other.)
 */
static bool succeeds(const struct job_process *newer, const struct job_process *older)
{
	if (newer->restart != older->restart)
		return true;
	if (older->end <= JOB_ALIVE)
		return false;
	if (older->ended == JOB_UNKNOWN)
		return newer->end <= JOB_ALIVE;
	return newer->born == JOB_UNKNOWN || newer->born >= older->ended;
}

static bool is_anew_alone(
	const struct seal *seal, struct claims *claims, int newer, int older)
{
	if (!claims->anew)
		claims->anew = anew_new(seal, &claims->holdings);
	return anew_is_alone(claims->anew, newer, older);
}

/*
 * Decides who has a number that [from, to), unrelated claims ordered by age, all say. Of processes
 * that made a communicator the newest has it that others have met in one; any other newer process
 * may only be a helper of an older one.
 */
static struct claim settle_number(
	const struct seal *seal, struct claims *claims, size_t from, size_t to)
{
	const struct claim *list = claims->list.items;
	struct claim best = list[from];

	for (size_t i = from + 1; i < to; i++) {
		if (best.promoted &&
			is_anew_alone(seal, claims, list[i].process, best.process))
			best.anew = list[i].process;
		else if (best.promoted || succeeds(&seal->processes[list[i].process],
						  &seal->processes[best.process]))
			best = list[i];
	}
	return best;
}

/* True if nothing tells that the two are of different runs. */
static bool may_be_one_run(const struct job_identity *a, const struct job_identity *b)
{
	return (!a->run || !b->run || a->run == b->run) &&
	       (!a->master || !b->master || a->master == b->master);
}

/*
 * True if the two live, and one parent started the same program twice with one RANK, each time for
 * that process: neither is the other's helper. (A parent 1 may have adopted them.)
 */
static bool are_twins(const struct seal *seal, const struct claim *claim, const struct claim *kept)
{
	const struct job_process *a = &seal->processes[claim->process];
	const struct job_process *b = &seal->processes[kept->process];
	const struct job_identity *one = &seal->people[claim->process].identity;
	const struct job_identity *other = &seal->people[kept->process].identity;

	return claim->process != kept->process && claim->process != kept->anew &&
	       claim->restart == kept->restart && a->end <= JOB_ALIVE && b->end <= JOB_ALIVE &&
	       a->host != JOB_NONE && a->host == b->host && a->ppid > 1 && a->ppid == b->ppid &&
	       !strcmp(a->comm, b->comm) && !one->number && !other->number &&
	       may_be_one_run(one, other);
}

static void collect_twins(const struct seal *seal, struct claims *claims, size_t from, size_t to,
	const struct claim *kept)
{
	const struct claim *list = claims->list.items;

	for (size_t i = from; i < to; i++)
		if (are_twins(seal, &list[i], kept))
			*array_add(&claims->twins) = (struct twin){
				list[i].process, kept->process, list[i].promoted};
}

/*
 * Counts the other claims [from, to) to a number that `kept` has got which made a communicator and
 * live, and are no twins: ranks of another job at the same time (two mpiruns of one script), which
 * are not judged with it. Nobody knows to which of the two jobs `kept` belongs: whatever is made of
 * it is a guess.
 */
static uint64_t count_rivals(const struct seal *seal, const struct claim *list, size_t from,
	size_t to, const struct claim *kept)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		n += list[i].promoted && list[i].process != kept->process &&
		     !are_twins(seal, &list[i], kept) &&
		     list[i].process != kept->anew && list[i].restart == kept->restart &&
		     seal->processes[list[i].process].end <= JOB_ALIVE;
	return n;
}

/*
 * True if the promoted claims [from, to) to one number sit in one group, so that the number lies.
 */
static bool number_lies(const struct claims *claims, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++)
		if (holdings_share_group(&claims->holdings, claims->list.items[from].process,
			    claims->list.items[i].process))
			return true;
	return false;
}

/* Leaves one claim per number; claims whose number lies lose it, and stay without one. */
static void settle_numbers(struct seal *seal, struct claims *claims)
{
	struct claim *list = claims->list.items;
	size_t n = claims->list.nr, kept = 0;

	array_sort(&claims->list, compare_ages);
	for (size_t from = 0, to; from < n; from = to) {
		size_t promoted = from;
		struct claim settled;
		uint64_t beside;

		for (to = from; to < n && list[to].number == list[from].number; to++)
			if (list[to].promoted)
				promoted = to + 1;
		if (list[from].number == JOB_NONE || number_lies(claims, from, promoted)) {
			for (size_t i = from; i < (promoted > from ? promoted : to); i++) {
				list[i].number = JOB_NONE;
				list[i].by_env = false;
				array_keep(list, kept, i);
			}
			continue;
		}
		settled = settle_number(seal, claims, from, promoted > from ? promoted : to);
		collect_twins(seal, claims, from, to, &settled);
		beside = count_rivals(seal, list, from, to, &settled);
		claims->rivals += beside;
		seal->processes[settled.process].other_run |= beside > 0;
		list[kept++] = settled;
	}
	claims->list.nr = kept;
	array_sort(&claims->list, compare_claims);
}

/* A process without a number of its own that holds several seats becomes one claim per seat. */
static void split_shared(struct seal *seal, struct claims *claims)
{
	size_t n = claims->list.nr;

	for (size_t i = 0; i < n; i++) {
		struct claim claim = claims->list.items[i];
		size_t held;
		const struct holding *at = holdings_of(&claims->holdings, claim.process, &held);

		if (claim.number != JOB_NONE || !held)
			continue;
		seal->people[claim.process].shared =
			holdings_several(&claims->holdings, claim.process);
		claim.group_key = at[0].group_key;
		for (size_t k = 0; k < held && at[k].group_key == claim.group_key; k++) {
			if (k && same_group_rank(at[k].seat, claim.seat))
				continue;
			claim.seat = at[k].seat;
			if (k)
				*array_add(&claims->list) = claim;
			else
				claims->list.items[i] = claim;
		}
	}
}

/*
 * Finds the group by whose seats ranks without a number are numbered: the largest, then the
 * smallest key. False where there is none.
 */
static bool find_naming_group(const struct claims *claims, uint64_t *ret_key)
{
	uint32_t size = 0;
	bool found = false;

	for (size_t i = 0; i < claims->list.nr; i++) {
		const struct claim *claim = &claims->list.items[i];
		size_t held;
		const struct holding *at = holdings_of(&claims->holdings, claim->process, &held);

		if (claim->number != JOB_NONE || !held)
			continue;
		if (!found || at->size > size ||
			(at->size == size && claim->group_key < *ret_key)) {
			size = at->size;
			*ret_key = claim->group_key;
			found = true;
		}
	}
	return found;
}

/* Returns which numbers are in use, a flag for each below *ret_bound; to be freed. */
static bool *find_taken(const struct claims *claims, int *ret_bound)
{
	int bound = SEAL_MAX_SEATS + (int)claims->list.nr + 1;
	bool *taken = alloc_zeroed((size_t)bound, sizeof(*taken));

	for (size_t i = 0; i < claims->list.nr; i++) {
		int number = claims->list.items[i].number;

		if (number != JOB_NONE && number < bound)
			taken[number] = true;
	}
	*ret_bound = bound;
	return taken;
}

/*
 * Returns how many ranks there should be: as was said, else the seats of the largest group; 0
 * unknown.
 */
static int expected_ranks(const struct seal *seal, const struct claims *claims)
{
	const struct holding *holding;
	uint32_t largest = 0;

	if (seal->job->world_size > 0)
		return seal->job->world_size <= SEAL_MAX_SEATS ? seal->job->world_size : 0;
	array_for_each(&claims->holdings.list, holding)
		if (!seal->people[holding->process].stale)
			SEAL_KEEP_MAX(largest, holding->size);
	return largest <= SEAL_MAX_SEATS ? (int)largest : 0;
}

/* Returns how many numbers there should be that nobody says, nor may yet be found to have. */
static size_t count_lacking(const struct seal *seal, const struct claims *claims)
{
	int expected = expected_ranks(seal, claims);
	size_t have = 0;
	const struct claim *claim;

	array_for_each(&claims->list, claim)
		have += claim->number < expected; /* JOB_NONE, too */
	return have < (size_t)expected ? (size_t)expected - have : 0;
}

/*
 * Two jobs beside each other have each number twice; a launcher that gives one twice gives another
 * to nobody. Either way nobody knows which of the two the others have met.
 */
static void settle_twins(struct seal *seal, struct claims *claims)
{
	bool lack = claims->twins.nr <= count_lacking(seal, claims);
	struct job_loss loss = {
		.what = "ranks of another job beside this one are left out", .cite = "census"};
	const struct twin *twin;

	array_for_each(&claims->twins, twin) {
		if (lack)
			seal->processes[twin->process].twin = seal->processes[twin->kept].pid;
		else if (twin->promoted)
			claims->rivals++;
		seal->processes[twin->kept].other_run |= twin->promoted;
	}
	loss.count = (int64_t)claims->rivals;
	if (claims->rivals)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
}

/* Puts claims of which nothing tells a number behind all that have a number, or should. */
static void place_the_numberless(const struct seal *seal, struct claims *claims)
{
	int behind = expected_ranks(seal, claims);
	struct claim *claim;

	array_for_each(&claims->list, claim)
		SEAL_KEEP_MAX(behind, claim->number + 1);
	array_for_each(&claims->list, claim) {
		if (claim->number != JOB_NONE)
			continue;
		claim->numberless = true;
		claim->number = behind++;
	}
}

/*
 * Numbers ranks without a number: by their seat in the naming group where that number is free, else
 * by the next free one.
 */
static void name_the_nameless(const struct seal *seal, struct claims *claims)
{
	uint64_t key = 0;
	bool named = find_naming_group(claims, &key);
	int next = 0, bound;
	bool *taken = find_taken(claims, &bound);

	for (size_t i = 0; named && i < claims->list.nr; i++) {
		struct claim *claim = &claims->list.items[i];

		if (claim->number != JOB_NONE || claim->group_key != key ||
			claim->seat.n >= SEAL_MAX_SEATS || taken[claim->seat.n])
			continue;
		claim->number = (int)claim->seat.n;
		taken[claim->seat.n] = true;
	}
	for (size_t i = 0; i < claims->list.nr; i++) {
		const struct claim *claim = &claims->list.items[i];
		size_t held;

		holdings_of(&claims->holdings, claim->process, &held);
		if (claim->number != JOB_NONE || !held)
			continue;
		while (next < bound - 1 && taken[next])
			next++;
		claims->list.items[i].number = next++;
	}
	free(taken);
	place_the_numberless(seal, claims);
}

/* Makes a rank of a claim that has won, and its process a rank's. */
static void fill_rank(struct seal *seal, struct rank_index index, const struct claim *claim)
{
	struct job_rank *rank = &seal->ranks[index.i];
	struct seal_person *person = &seal->people[claim->process];

	*rank = (struct job_rank){.world_rank = world_rank(claim->number),
		.named_by_env = claim->by_env,
		.numberless = claim->numberless,
		.host = seal->processes[claim->process].host,
		.process = claim->process,
		.anew = claim->anew,
		.candidate_only = !claim->promoted,
		.doubtful = person->doubtful,
		.restart = seal->processes[claim->process].restart,
		.knows = person->identity.knows,
		.lost_records = person->identity.lost_records,
		.loses = person->identity.lost_records > 0,
		.shares_process = is_rank(person->rank)};
	if (is_rank(person->rank))
		seal->ranks[person->rank.i].shares_process = true;
	else
		person->rank = index;
	if (person->shared)
		*array_add(&seal->seat_ranks) = (struct seal_seat_rank){.process = claim->process,
			.group_key = claim->group_key,
			.seat = claim->seat,
			.rank = index};
	seal->processes[claim->process].rank = person->rank;
	seal->processes[claim->process].role = claim->promoted ? JOB_ROLE_RANK : JOB_ROLE_CANDIDATE;
}

/*
 * Makes the ranks in order of their numbers; numbers below the expected count that nobody has are
 * ranks never seen.
 */
static void make_ranks(struct seal *seal, struct claims *claims)
{
	int expected = expected_ranks(seal, claims);
	size_t room = claims->list.nr + (size_t)expected + 1, next = 0;
	int n = 0;

	array_sort(&claims->list, compare_claims);
	seal->ranks = arena_new_many(seal->arena, struct job_rank, room);
	for (int number = 0; number < expected || next < claims->list.nr; number++) {
		if (next < claims->list.nr && number >= expected)
			number = claims->list.items[next].number;
		if (next < claims->list.nr && claims->list.items[next].number == number) {
			fill_rank(seal, rank_index(n++), &claims->list.items[next++]);
			continue;
		}
		seal->ranks[n++] = (struct job_rank){
			.world_rank = world_rank(number),
			.host = JOB_NONE,
			.process = JOB_NONE,
			.anew = JOB_NONE};
	}
	seal->job->ranks = seal->ranks;
	seal->job->nranks = (size_t)n;
}

/* Returns the rank with this number if it has a process; NO_RANK. */
static struct rank_index rank_with_process(const struct seal *seal, struct world_rank number)
{
	struct rank_index rank = ranks_find(seal->job, number);

	return is_rank(rank) && seal->ranks[rank.i].process != JOB_NONE ? rank : NO_RANK;
}

/* Gives descendants of a rank to it as its children, and orphans that inherited its RANK. */
static void adopt_children(struct seal *seal)
{
	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		struct job_process *process = &seal->processes[i];
		int at = seal->people[i].parent;
		struct rank_index rank = NO_RANK;

		if (is_rank(process->rank) || !may_be_rank(seal, (int)i))
			continue;
		for (int step = 0; at != JOB_NONE && step < MAX_CHAIN; step++) {
			rank = seal->people[at].rank;
			if (is_rank(rank))
				break;
			at = seal->people[at].parent;
		}
		if (!is_rank(rank) && process->ppid <= 1 && process->ppid)
			rank = rank_with_process(seal, seal->people[i].identity.world_rank);
		if (is_rank(rank) && !is_below(seal, seal->ranks[rank.i].process, (int)i)) {
			process->rank = rank;
			process->role = JOB_ROLE_CHILD;
		}
	}
}

struct rank_index seal_rank_of(const struct seal *seal, int process)
{
	return process == JOB_NONE ? NO_RANK : seal->processes[process].rank;
}

void seal_ranks(struct seal *seal)
{
	struct claims claims = {0};

	holdings_collect(seal, &claims.holdings);
	seal_numbers(seal);
	find_stale(seal);
	seal_renumbered(seal);
	seal_behind(seal, &claims.holdings);
	seal_past(seal, &claims.holdings);
	seal_runs(seal);
	collect_claims(seal, &claims);
	settle_numbers(seal, &claims);
	settle_twins(seal, &claims);
	split_shared(seal, &claims);
	name_the_nameless(seal, &claims);
	make_ranks(seal, &claims);
	adopt_children(seal);
	array_release(&claims.list);
	array_release(&claims.twins);
	holdings_release(&claims.holdings);
	anew_free(claims.anew);
}
