/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the processes found are ranks, and which numbers they have.
 *
 * All that is there are claims: numbers in environments, on command lines, in what a launcher keeps
 * of its children. A child inherits its parent's environment, so a claim is found on the rank, on
 * the shell that started it, on its data loader's workers and on the `tee' beside it. So a claim is
 * held by one process of those that have it:
 *
 *	launchers, and what is a launcher since others below it have other numbers: never
 *	the topmost of a chain that has it; but a wrapper (a shell, `time', `numactl') only where
 *	nobody below it has
 *	of what one shell ran beside each other the likeliest: a Python before any other program
 *
 * Claims differ in worth, and stand in that order (insert_claim()): a rank's own number, then that
 * of a task (Slurm's, MPI's: it may be that of a torchrun), then that of a node. A number of a node
 * counts only where nothing else does, last of all (settle_node_claims()).
 *
 * Who cannot be asked gets a number only where his siblings leave one place for him: a launcher
 * that starts its workers in order (place_brood()). A number that was found so is CLAIM_SUPPORTED.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/numbers.h"
#include "proc/survey/places.h"
#include "proc/survey/siblings.h"
#include "proc/survey/survey.h"

#define CLIMB_MOST 64 /* generations: a longer chain of parents is damage */

/* --- Order ----------------------------------------------------------------------------------- */

/* Orders by pid, then by start time. */
static int compare_pids(const void *a, const void *b)
{
	const struct survey_process *left = a, *right = b;

	if (left->stat.pid != right->stat.pid)
		return left->stat.pid < right->stat.pid ? -1 : 1;
	return (left->stat.start_time > right->stat.start_time) -
	       (left->stat.start_time < right->stat.start_time);
}

struct survey_process *survey_find(struct survey *survey, uint32_t pid)
{
	struct survey_process *list = survey->all.items;
	size_t place = bisect(0, survey->all.nr, i, list[i].stat.pid < pid);

	return place < survey->all.nr && list[place].stat.pid == pid ? &list[place] : NULL;
}

/* Returns the index of a process; SURVEY_NONE for NULL. */
static int index_of(const struct survey *survey, const struct survey_process *process)
{
	return process ? (int)(process - survey->all.items) : SURVEY_NONE;
}

/* Finds our own program under another file name: it is whoever forked one of its parts. */
static void find_renamed(struct survey *survey)
{
	const struct survey_process *process;

	array_for_each(&survey->all, process) {
		struct survey_process *above;

		if (process->parent == SURVEY_NONE || !launcher_is_part(process->stat.comm))
			continue;
		above = &survey->all.items[process->parent];
		if (*process->command && !strcmp(process->command, above->command))
			above->inquest = above->wrapper = true;
	}
}

void survey_sort(struct survey *survey)
{
	struct survey_process *process;

	array_sort(&survey->all, compare_pids);
	array_for_each(&survey->all, process) {
		process->parent = index_of(survey, survey_find(survey, process->stat.ppid));
		if (process->parent == index_of(survey, process))
			process->parent = SURVEY_NONE;
	}
	find_renamed(survey);
	array_for_each(&survey->all, process) {
		int at = process->parent;

		for (int step = 0; at != SURVEY_NONE && step < CLIMB_MOST; step++) {
			if (survey->all.items[at].launcher) {
				process->under = at;
				break;
			}
			at = survey->all.items[at].parent;
		}
	}
}

/* --- Claims ---------------------------------------------------------------------------------- */

/*
 * Inserts a claim behind those of the process' own, and before those of tasks and nodes and
 * guesses.
 */
static void insert_claim(struct claims *claims, const struct rank_claim *claim)
{
	size_t at = 0;

	if (claims->nr == CLAIMS_MOST)
		return;
	while (at < claims->nr && !claims->all[at].of_task && !claims->all[at].of_node &&
		claims->all[at].trust != CLAIM_HYPOTHESIS)
		at++;
	memmove(&claims->all[at + 1], &claims->all[at],
		(claims->nr - at) * sizeof(claims->all[0]));
	claims->all[at] = *claim;
	claims->nr++;
}

/*
 * Returns what a process runs: its only child, parts of ours not counted; SURVEY_NONE if it has no
 * such child, or several.
 */
static int only_child(const struct survey *survey, int parent)
{
	int found = SURVEY_NONE;

	for (size_t i = 0; i < survey->all.nr; i++) {
		if (survey->all.items[i].parent != parent ||
			launcher_is_part(survey->all.items[i].stat.comm))
			continue;
		if (found != SURVEY_NONE)
			return SURVEY_NONE;
		found = (int)i;
	}
	return found;
}

void survey_add_word(
	struct survey *survey, uint32_t pid, const struct rank_claim *claim, uid_t whose)
{
	int at = index_of(survey, survey_find(survey, pid));

	/*
	 * A launcher knows the process that it started, which may be a shell: the word is passed on
	 * to what that runs.
	 */
	for (int step = 0; at != SURVEY_NONE && step < CLIMB_MOST; step++) {
		struct survey_process *process = &survey->all.items[at];

		if (whose && whose != process->uid)
			return;
		insert_claim(&process->claims, claim);
		if (!process->wrapper)
			break;
		at = only_child(survey, at);
	}
}

/* Returns the claim of a process that counts; NULL if it has none but that of its node. */
static const struct rank_claim *best_claim(
	const struct survey *survey, const struct survey_process *process)
{
	if (process->ourselves || process->launcher || process->inquest)
		return NULL;
	for (size_t i = 0; i < process->claims.nr; i++) {
		const struct rank_claim *claim = &process->claims.all[i];
		bool own_step = !strcmp(claim->launcher, "slurm") && *survey->step &&
				!strcmp(survey->step, process->claims.step);

		if (!claim->of_node && !own_step)
			return claim;
	}
	return NULL;
}

/* True for a claim by which torchrun or a program itself tells ranks apart: no task's number. */
static bool is_own_claim(const struct rank_claim *claim)
{
	return claim && !claim->of_task;
}

/* --- Variables that only helpers show -------------------------------------------------------- */

/* Gives the claim of a process' helpers to the process, if they all say the same. */
static void ask_helpers(struct survey *survey, int parent)
{
	struct survey_process *process = &survey->all.items[parent];
	const struct survey_process *teller = NULL;
	struct rank_claim said = {0};

	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *child = &survey->all.items[i];
		const struct rank_claim *claim;

		if (child->parent != parent || !child->helper)
			continue;
		claim = best_claim(survey, child);
		if (!is_own_claim(claim))
			continue;
		if (teller && claim->rank != said.rank)
			return;
		if (!teller) {
			teller = child;
			said = *claim;
		}
	}
	if (!teller)
		return;
	said.source = arena_printf(
		&survey->arena, "%s, of its child %u", said.source, teller->stat.pid);
	said.trust = CLAIM_SUPPORTED;
	insert_claim(&process->claims, &said);
	if (!*process->claims.master)
		strcpy(process->claims.master, teller->claims.master);
	if (!*process->claims.job)
		strcpy(process->claims.job, teller->claims.job);
}

/* Asks the helpers of each process that says nothing itself. */
static void hear_helpers(struct survey *survey)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *child = &survey->all.items[i];
		const struct survey_process *parent;

		if (!child->helper || child->parent == SURVEY_NONE)
			continue;
		parent = &survey->all.items[child->parent];
		if (!parent->launcher && !parent->wrapper && !parent->helper &&
			!is_own_claim(best_claim(survey, parent)))
			ask_helpers(survey, child->parent);
	}
}

/* --- Children in order ----------------------------------------------------------------------- */

/* The children of one launcher. */
struct brood {
	ARRAY(struct survey_process *) all; /* in the order in which they were started */
};

/* Orders pointers to processes by birth. */
static int compare_births(const void *a, const void *b)
{
	const struct survey_process *left = *(struct survey_process *const *)a;
	const struct survey_process *right = *(struct survey_process *const *)b;

	if (left->stat.start_time != right->stat.start_time)
		return left->stat.start_time < right->stat.start_time ? -1 : 1;
	return compare_pids(left, right);
}

/* Lists what a launcher runs: workers with claims of their own, and those who cannot be asked. */
static void find_brood(struct survey *survey, int launcher, struct brood *brood)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		struct survey_process *child = &survey->all.items[i];
		bool silent = child->error || child->stat.state == 'Z';

		if (child->parent == launcher &&
			(silent || is_own_claim(best_claim(survey, child))))
			*array_add(&brood->all) = child;
	}
	array_sort(&brood->all, compare_births);
}

/*
 * Finds what siblings say: the rank of the first one, and the world. Returns false if their places
 * do not fit.
 */
static bool brood_agrees(
	const struct survey *survey, const struct brood *brood, int *ret_base, int *ret_world)
{
	for (size_t i = 0; i < brood->all.nr; i++) {
		const struct rank_claim *claim = best_claim(survey, brood->all.items[i]);

		if (!is_own_claim(claim))
			continue;
		if (claim->local_rank != (int)i || claim->rank < (int)i)
			return false;
		*ret_base = claim->rank - (int)i;
		*ret_world = claim->world_size;
	}
	return true;
}

/* Gives the silent children of a launcher claims by their place among those that speak. */
static void place_brood(struct survey *survey, struct survey_process *launcher)
{
	struct brood brood = {0};
	int base = CLAIM_UNKNOWN, world = CLAIM_UNKNOWN;
	const char *source = arena_printf(&survey->arena, "its place among the children of %s %u",
		launcher->launcher->name, launcher->stat.pid);

	find_brood(survey, index_of(survey, launcher), &brood);
	if (!brood_agrees(survey, &brood, &base, &world))
		brood.all.nr = 0;
	/* If nobody speaks, as many must be there as the launcher was to start. */
	if (base == CLAIM_UNKNOWN && launcher->node_rank != CLAIM_UNKNOWN &&
		(int)brood.all.nr == launcher->per_node)
		base = launcher->node_rank * launcher->per_node;
	for (size_t i = 0; base != CLAIM_UNKNOWN && i < brood.all.nr; i++) {
		const struct rank_claim claim = {.rank = base + (int)i,
			.local_rank = (int)i,
			.world_size = world,
			.node_rank = launcher->node_rank,
			.restart = CLAIM_UNKNOWN,
			.launcher = launcher->launcher->name,
			.source = source,
			.trust = CLAIM_SUPPORTED};

		if (!best_claim(survey, brood.all.items[i]))
			insert_claim(&brood.all.items[i]->claims, &claim);
	}
	array_release(&brood.all);
}

/* --- Who is one ------------------------------------------------------------------------------ */

/* True if two names do not contradict each other. */
static bool names_agree(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

/*
 * True if a process has its claim by inheritance from one above. A task's number below a rank is no
 * news.
 */
static bool is_inherited(const struct survey_process *above, const struct rank_claim *theirs,
	const struct survey_process *below, const struct rank_claim *mine)
{
	if (!theirs)
		return false;
	if (is_own_claim(theirs) && mine->of_task)
		return true;
	return theirs->rank == mine->rank &&
	       names_agree(above->claims.master, below->claims.master) &&
	       (theirs->of_task || names_agree(above->claims.job, below->claims.job));
}

/*
 * Finds launchers that nobody knows: a process with a task's number, and a descendant with another
 * number.
 */
static void find_unknown_launchers(struct survey *survey)
{
	struct number *numbers = alloc_zeroed(survey->all.nr + 1, sizeof(*numbers));

	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *process = &survey->all.items[i];
		const struct rank_claim *claim = best_claim(survey, process);

		numbers[i] = (struct number){.parent = process->parent,
			.rank = claim ? claim->rank : NUMBER_NONE,
			.kind = claim && claim->of_task ? NUMBER_OF_TASK : NUMBER_OWN};
	}
	numbers_find_launchers(numbers, survey->all.nr);
	for (size_t i = 0; i < survey->all.nr; i++)
		survey->all.items[i].torch_below = numbers[i].launcher;
	free(numbers);
}

/*
 * Returns who holds a process' claim: the topmost, of the process and those above it, that has the
 * same claim and is no wrapper; the process itself if it is a wrapper and nobody else has the
 * claim.
 */
static int claim_holder(const struct survey *survey, int start)
{
	const struct survey_process *process = &survey->all.items[start];
	const struct rank_claim *mine = best_claim(survey, process);
	int holder = start, at = process->parent;

	for (int step = 0; at != SURVEY_NONE && step < CLIMB_MOST; step++) {
		const struct survey_process *above = &survey->all.items[at];

		if (above->launcher || above->torch_below)
			break;
		if (is_inherited(above, best_claim(survey, above), process, mine) &&
			(!above->wrapper || survey->all.items[holder].wrapper))
			holder = at;
		at = above->parent;
	}
	return holder;
}

/* True if `above` is an ancestor of the process. */
static bool is_below(const struct survey *survey, int process, int above)
{
	for (int step = 0; process != SURVEY_NONE && step < CLIMB_MOST; step++) {
		process = survey->all.items[process].parent;
		if (process == above)
			return true;
	}
	return false;
}

/*
 * True if somebody below a wrapper has a claim, so that the wrapper is none. What inquest runs
 * counts as somebody.
 */
static bool has_heir(const struct survey *survey, int wrapper)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *process = &survey->all.items[i];

		if ((process->inquest || (!process->wrapper && best_claim(survey, process))) &&
			is_below(survey, (int)i, wrapper))
			return true;
	}
	return false;
}

/*
 * Returns how likely a process is the one that computes, among those that one shell gave the same
 * number.
 */
static int weight(const struct survey_process *process)
{
	return process->wrapper ? 0 : process->python ? 2 : 1;
}

/*
 * True if one shell gave both processes the same claim: a rank of another job never has all of that
 * alike.
 */
static bool is_same_claim(const struct survey_process *a, const struct rank_claim *mine,
	const struct survey_process *b, const struct rank_claim *theirs)
{
	return a->uid == b->uid && mine->rank == theirs->rank &&
	       mine->world_size == theirs->world_size &&
	       mine->local_rank == theirs->local_rank &&
	       !strcmp(a->claims.master, b->claims.master) &&
	       !strcmp(a->claims.job, b->claims.job);
}

/*
 * True for what only reads the output of a rank: a shell that sets a rank's number gives it to all
 * that it runs, as in `RANK=3 python train.py | tee log'.
 */
static bool is_beside_heir(const struct survey *survey, int at)
{
	const struct survey_process *process = &survey->all.items[at];
	const struct rank_claim *mine = best_claim(survey, process);

	if (process->parent == SURVEY_NONE || !survey->all.items[process->parent].wrapper)
		return false;
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *other = &survey->all.items[i];
		const struct rank_claim *theirs = best_claim(survey, other);

		if (theirs && is_same_claim(process, mine, other, theirs) &&
			weight(other) > weight(process) &&
			is_below(survey, (int)i, process->parent) &&
			!is_below(survey, (int)i, at))
			return true;
	}
	return false;
}

/* Decides by claims of their own and of tasks who is a rank. */
static void settle_ranks(struct survey *survey)
{
	find_unknown_launchers(survey);
	for (size_t i = 0; i < survey->all.nr; i++) {
		struct survey_process *process = &survey->all.items[i];
		const struct rank_claim *claim = best_claim(survey, process);

		if (!claim || process->torch_below || claim_holder(survey, (int)i) != (int)i)
			continue;
		if (process->wrapper && (process->session || has_heir(survey, (int)i)))
			continue;
		if (is_beside_heir(survey, (int)i))
			continue;
		process->is_rank = true;
		process->rank = *claim;
	}
}

/* --- RANK alone ------------------------------------------------------------------------------ */

/* Returns a process' claim that may be its node's; NULL none. */
static const struct rank_claim *node_claim(const struct survey_process *process)
{
	for (size_t i = 0; i < process->claims.nr; i++)
		if (process->claims.all[i].of_node)
			return &process->claims.all[i];
	return NULL;
}

/* True if somebody above the process is a rank or a launcher, or claims the same. */
static bool node_claim_is_taken(const struct survey *survey, int start)
{
	int at = survey->all.items[start].parent;

	for (int step = 0; at != SURVEY_NONE && step < CLIMB_MOST; step++) {
		const struct survey_process *above = &survey->all.items[at];
		const struct rank_claim *theirs = node_claim(above);

		if (above->is_rank || above->launcher ||
			(theirs && above->python && !above->ourselves &&
				theirs->rank == node_claim(&survey->all.items[start])->rank))
			return true;
		at = above->parent;
	}
	return false;
}

/* True if a rank or a launcher descends from the process. */
static bool starts_others(const struct survey *survey, int start)
{
	for (size_t i = 0; i < survey->all.nr; i++)
		if ((survey->all.items[i].is_rank || survey->all.items[i].launcher) &&
			is_below(survey, (int)i, start))
			return true;
	return false;
}

/*
 * True if several processes of one world here differ in RANK: then it is theirs, and not that of
 * the node.
 */
static bool differs_here(const struct survey *survey, const struct survey_process *process)
{
	const struct rank_claim *mine = node_claim(process);

	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *other = &survey->all.items[i];
		const struct rank_claim *theirs = node_claim(other);

		if (theirs && theirs->rank != mine->rank && !other->ourselves && other->python &&
			other->uid == process->uid && theirs->world_size == mine->world_size &&
			!strcmp(other->claims.master, process->claims.master))
			return true;
	}
	return false;
}

/* Decides about those who have RANK alone. */
static void settle_node_claims(struct survey *survey)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		struct survey_process *process = &survey->all.items[i];
		const struct rank_claim *claim = node_claim(process);

		if (!claim || process->is_rank || process->ourselves || process->launcher ||
			process->inquest || !process->python || best_claim(survey, process) ||
			node_claim_is_taken(survey, (int)i) || starts_others(survey, (int)i))
			continue;
		process->rank = *claim;
		if (differs_here(survey, process)) {
			process->rank.source = "environ: RANK, which differs here";
			process->rank.trust = CLAIM_SUPPORTED;
		}
		process->is_rank = true;
	}
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Says which other numbers a rank was given. A task's number that is its node's is none of them. */
static void find_conflicts(struct survey *survey, struct survey_process *process)
{
	for (size_t i = 0; i < process->claims.nr; i++) {
		const struct rank_claim *claim = &process->claims.all[i];

		if (claim->rank == process->rank.rank || claim->of_node ||
			(claim->of_task && claim->rank == process->rank.node_rank))
			continue;
		process->conflict = arena_printf(&survey->arena, "%s%s%s says %d",
			process->conflict, *process->conflict ? "; " : "", claim->source,
			claim->rank);
	}
}

void survey_settle(struct survey *survey)
{
	struct survey_process *process;

	places_number(survey);
	hear_helpers(survey);
	array_for_each(&survey->all, process)
		if (process->launcher && process->launcher->in_order)
			place_brood(survey, process);
	settle_ranks(survey);
	settle_node_claims(survey);
	siblings_join(survey);
	array_for_each(&survey->all, process)
		if (process->is_rank)
			find_conflicts(survey, process);
	survey_make_jobs(survey);
}
