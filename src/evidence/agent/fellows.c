/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders are placed one after the other, each into the job that it fits: those that live come
 * first, from the oldest on; those that are over follow, from the youngest on. So the answers of
 * two agents differ only as long as one of them has not seen a folder yet.
 */
#include "evidence/agent/fellows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"

/*
 * How far apart in time two may have been launched that have no starter in common, if one is over;
 * or that nothing but their starter and program binds.
 */
#define APART_NS (60 * CLOCK_NS_PER_S)
/* An agent has a turn each second. One that has had none for so long is stopped, or stuck. */
#define SILENT_NS (15 * CLOCK_NS_PER_S)

/* The most agents of one job on one host among which strays are looked for. */
#define BROOD_MOST 256

/* How two folders stand to each other. */
enum bond {
	BOND_NONE, /* nothing speaks for one job */
	BOND_MAYBE, /* no launcher named a job for either, and they could be of one */
	BOND_SAME, /* something that names a job is the same */
	BOND_OTHER, /* something differs that is the same in one job */
	BOND_PROVED, /* they share a communicator */
};

/* --- Two of them ------------------------------------------------------------------------------ */

/* True if both are known and not the same. */
static bool differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b) != 0;
}

/* True if both are known and the same. */
static bool agree(const char *a, const char *b)
{
	return *a && !strcmp(a, b);
}

static bool is_over(const struct jobs_entry *entry)
{
	return entry->status == JOBS_ENDED;
}

/* True if both were started by the same process. */
static bool has_starter_of(const struct jobs_entry *a, const struct jobs_entry *b)
{
	return a->fellow.starter && a->fellow.starter == b->fellow.starter &&
	       a->fellow.starter_start == b->fellow.starter_start;
}

/*
 * True if both have ranks in one communicator; with `whole`, in one that all ranks of the job are
 * in.
 */
static bool share_world(const struct jobs_entry *a, const struct jobs_entry *b, bool whole)
{
	for (size_t i = 0; i < a->worlds.nr; i++)
		for (size_t k = 0; k < b->worlds.nr; k++) {
			const struct jobs_world *one = &a->worlds.items[i];
			const struct jobs_world *other = &b->worlds.items[k];

			bool same = one->key == other->key ||
				(one->alias && one->alias == other->alias);

			if (same && (!whole || (one->whole && other->whole)))
				return true;
		}
	return false;
}

static bool has_whole_world(const struct jobs_entry *entry)
{
	for (size_t i = 0; i < entry->worlds.nr; i++)
		if (entry->worlds.items[i].whole)
			return true;
	return false;
}

/* Returns how many ns lie between the two launches. */
static int64_t apart(const struct jobs_entry *a, const struct jobs_entry *b)
{
	return a->launched > b->launched ? a->launched - b->launched : b->launched - a->launched;
}

/*
 * True if the two may have been of one job by their times: where one is over, it must have lasted
 * to the launch of the other, and have the same starter or been launched shortly before or after.
 */
static bool are_of_a_time(const struct jobs_entry *a, const struct jobs_entry *b)
{
	if (is_over(a) && a->until < b->launched)
		return false;
	if (is_over(b) && b->until < a->launched)
		return false;
	return (!is_over(a) && !is_over(b)) || has_starter_of(a, b) || apart(a, b) < APART_NS;
}

/* True if something is known of both that is always the same in one job, and is not the same. */
static bool contradict(const struct jobs_entry *a, const struct jobs_entry *b)
{
	const struct fellow *one = &a->fellow, *other = &b->fellow;

	return a->owner != b->owner || differ(a->given, b->given) ||
	       differ(one->run, other->run) || differ(one->slurm, other->slurm) ||
	       differ(one->step, other->step) || differ(one->master, other->master) ||
	       (one->world_size > 0 && other->world_size > 0 && one->task == other->task &&
		       one->world_size != other->world_size) ||
	       (has_whole_world(a) && has_whole_world(b) && !share_world(a, b, true));
}

/* True if a launcher named the job: by an id, a step, or where its rank 0 is. */
static bool has_key(const struct fellow *fellow)
{
	return *fellow->run || *fellow->step || *fellow->master;
}

/*
 * Judges two that no launcher's key binds. They are of one job if starter, program, world size and
 * launch time agree; they may be if only the starter or the time does not.
 */
static enum bond weak_bond(const struct jobs_entry *a, const struct jobs_entry *b)
{
	const struct fellow *one = &a->fellow, *other = &b->fellow;

	if (has_key(one) || has_key(other) || one->rank < 0 || other->rank < 0 ||
		one->rank == other->rank || one->world_size != other->world_size ||
		one->task != other->task || !one->program || one->program != other->program)
		return BOND_NONE;
	return has_starter_of(a, b) && apart(a, b) < APART_NS ? BOND_SAME : BOND_MAYBE;
}

/* Returns how two folders stand to each other, by the table in fellows.h. */
static enum bond bond_of(const struct jobs_entry *a, const struct jobs_entry *b)
{
	const struct fellow *one = &a->fellow, *other = &b->fellow;

	if (a->owner == b->owner && share_world(a, b, false))
		return BOND_PROVED;
	if (contradict(a, b) || !are_of_a_time(a, b))
		return BOND_OTHER;
	if (agree(one->run, other->run) || agree(one->step, other->step) ||
		agree(one->master, other->master))
		return BOND_SAME;
	return weak_bond(a, b);
}

/* True if a rank of the entry has that number, by its own ring. */
static bool has_number(const struct jobs_entry *entry, int number)
{
	for (size_t i = 0; i < entry->numbers.nr; i++)
		if (entry->numbers.items[i] == number)
			return true;
	return false;
}

/*
 * True if both have the same rank, so that they are of two jobs. A fellow whose rings show no rank
 * yet has the number that its launcher gave.
 */
static bool are_twins(const struct jobs_entry *a, const struct jobs_entry *b)
{
	const struct fellow *one = &a->fellow, *other = &b->fellow;

	if (!a->numbers.nr && !b->numbers.nr)
		return one->rank >= 0 && one->rank == other->rank && one->task == other->task;
	if (!a->numbers.nr)
		return one->rank >= 0 && !one->task && has_number(b, one->rank);
	if (!b->numbers.nr)
		return other->rank >= 0 && !other->task && has_number(a, other->rank);
	for (size_t i = 0; i < a->numbers.nr; i++)
		if (has_number(b, a->numbers.items[i]))
			return true;
	return false;
}

/* --- All of them ------------------------------------------------------------------------------ */

/*
 * How one entry stands to a job that has come together so far: what is true of any of its members.
 */
struct fit {
	bool proved, same, other, maybe, elsewhere; /* elsewhere: some member has another starter */
};

/*
 * Fills `fits` in for an entry: how it stands to the jobs of the `nr` entries that come before it
 * in `order`. The place in `fits` is the number of the job.
 */
static void find_fits(const struct jobs *jobs, const size_t *order, size_t nr,
	const struct jobs_entry *entry, struct fit *fits)
{
	memset(fits, 0, jobs->nr * sizeof(*fits));
	for (size_t i = 0; i < nr; i++) {
		const struct jobs_entry *member = &jobs->items[order[i]];
		struct fit *fit = &fits[member->job];
		enum bond bond = bond_of(entry, member);

		fit->proved = fit->proved || bond == BOND_PROVED;
		fit->same = fit->same || bond == BOND_SAME;
		fit->maybe = fit->maybe || bond == BOND_MAYBE;
		fit->other = fit->other || bond == BOND_OTHER || are_twins(entry, member);
		fit->elsewhere = fit->elsewhere || !has_starter_of(entry, member);
	}
}

/* Makes two jobs one. */
static void move_all(struct jobs *jobs, size_t from, size_t to)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (jobs->items[i].job == from)
			jobs->items[i].job = to;
}

/* Marks all living and dead entries of that job as unsure. */
static void doubt_all(struct jobs *jobs, size_t job)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (jobs->items[i].job == job)
			jobs->items[i].unsure = true;
}

/* The jobs that one entry fits, as counted by place(). */
struct choices {
	/*
	 * fits: how many; of_starter: how many of these have its starter alone; which: the one to
	 * take; proved: the one that shares a communicator, SIZE_MAX none
	 */
	size_t fits, of_starter, which, proved;
	/* a job might be its own, though nothing names either */
	bool maybe;
};

/*
 * Puts the entry at order[at] into the job that it fits, among those of the `nr` that come before
 * it. Two jobs that it shares communicators with become one. Where two jobs fit equally, it stays
 * alone and is unsure.
 */
static void place(
	struct jobs *jobs, const size_t *order, size_t nr, size_t at, struct fit *fits)
{
	struct jobs_entry *entry = &jobs->items[order[at]];
	struct choices found = {.proved = SIZE_MAX};

	find_fits(jobs, order, nr, entry, fits);
	for (size_t i = 0; i < nr; i++) {
		struct fit fit;

		/* A job is known by the number of the first entry that came into it. */
		if (jobs->items[order[i]].job != order[i] || i == at)
			continue;
		fit = fits[order[i]];
		if (fit.proved && found.proved != SIZE_MAX)
			move_all(jobs, order[i], found.proved);
		else if (fit.proved)
			found.proved = order[i];
		found.maybe = found.maybe || (fit.maybe && !fit.other);
		if (fit.other || !fit.same)
			continue;
		found.fits++;
		if (!found.of_starter || !fit.elsewhere)
			found.which = order[i];
		found.of_starter += !fit.elsewhere;
	}
	if (found.proved != SIZE_MAX)
		entry->job = found.proved;
	else if (found.fits == 1 || (found.fits && found.of_starter == 1))
		entry->job = found.which;
	else
		entry->unsure = (found.fits > 1 || found.maybe) && !is_over(entry);
}

/* Marks as unsure also the jobs that an unsure entry might belong to. */
static void doubt_others(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		for (size_t k = 0; entry->unsure && k < jobs->nr; k++) {
			struct jobs_entry *other = &jobs->items[k];
			enum bond bond;

			if (other->unsure || is_over(other) || other->job == entry->job)
				continue;
			bond = bond_of(entry, other);
			if (bond == BOND_SAME || bond == BOND_MAYBE)
				doubt_all(jobs, other->job);
		}
	}
}

/* --- Who looks for the others elsewhere ------------------------------------------------------- */

/*
 * True if `entry` was started together with `of`, with the same program, for a world of the same
 * size.
 */
static bool is_of_brood(const struct jobs_entry *entry, const struct jobs_entry *of)
{
	return !is_over(entry) && entry->owner == of->owner && has_starter_of(entry, of) &&
	       entry->fellow.rank >= 0 && entry->fellow.world_size == of->fellow.world_size &&
	       entry->fellow.program == of->fellow.program &&
	       entry->fellow.task == of->fellow.task && apart(entry, of) < APART_NS &&
	       !differ(entry->fellow.run, of->fellow.run) &&
	       !differ(entry->fellow.step, of->fellow.step) && !differ(entry->given, of->given);
}

/* The entries that were started together with a stray, itself among them. */
struct brood {
	ARRAY(const struct jobs_entry *) all;
};

/* True if two of the brood have the same rank. */
static bool brood_has_twins(const struct brood *brood)
{
	for (size_t i = 0; i < brood->all.nr; i++)
		for (size_t k = 0; k < i; k++)
			if (are_twins(brood->all.items[i], brood->all.items[k]))
				return true;
	return false;
}

/* Returns an entry of the job that most of the brood are of, and sets how many of them are. */
static const struct jobs_entry *usual_of(const struct brood *brood, size_t *ret_together)
{
	const struct jobs_entry *usual = NULL;

	*ret_together = 0;
	for (size_t i = 0; i < brood->all.nr; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < brood->all.nr; k++)
			alike += brood->all.items[k]->job == brood->all.items[i]->job;
		if (alike > *ret_together) {
			*ret_together = alike;
			usual = brood->all.items[i];
		}
	}
	return usual;
}

/*
 * Puts a stray into the job of its brood: if the brood is the whole world, each rank once, and more
 * than half of it are of one job. A stray is one that looks for rank 0 elsewhere.
 */
static void join_stray(struct jobs *jobs, struct jobs_entry *stray)
{
	size_t size = (size_t)stray->fellow.world_size, together;
	const struct jobs_entry *usual;
	struct brood brood = {0};

	for (size_t i = 0; i < jobs->nr; i++)
		if (is_of_brood(&jobs->items[i], stray))
			*array_add(&brood.all) = &jobs->items[i];
	if (brood.all.nr == size && size <= BROOD_MOST && !brood_has_twins(&brood)) {
		usual = usual_of(&brood, &together);
		if (2 * together > size)
			stray->job = usual->job;
	}
	array_release(&brood.all);
}

/* --- In order --------------------------------------------------------------------------------- */

/*
 * True if `one` is placed before `other`: the living from the first launched on, then those that
 * are over from the last launched on.
 */
static bool comes_before(const struct jobs *jobs, size_t one, size_t other)
{
	const struct jobs_entry *a = &jobs->items[one], *b = &jobs->items[other];

	if (is_over(a) != is_over(b))
		return is_over(b);
	if (a->launched != b->launched)
		return is_over(a) != (a->launched < b->launched);
	return strcmp(a->folder, b->folder) < 0;
}

void fellows_settle(struct jobs *jobs)
{
	size_t *order = alloc_zeroed(jobs->nr + 1, sizeof(*order));
	struct fit *fits = alloc_zeroed(jobs->nr + 1, sizeof(*fits));

	for (size_t i = 0; i < jobs->nr; i++) {
		size_t at = i;

		for (; at && comes_before(jobs, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
		jobs->items[i].job = i;
		jobs->items[i].unsure = false;
	}
	for (size_t i = 1; i < jobs->nr; i++)
		place(jobs, order, i, i, fits);
	doubt_others(jobs);
	for (size_t i = 0; i < jobs->nr; i++)
		if (jobs->items[i].fellow.world_size > 2 && !is_over(&jobs->items[i]))
			join_stray(jobs, &jobs->items[i]);
	free(order);
	free(fits);
}

/* --- A job of several ------------------------------------------------------------------------- */

/*
 * True if the agent of the entry can judge: it lives, has had a turn lately, and its command did
 * not end well. One whose command ended well has nothing to say; otherwise it has a last word.
 */
static bool may_speak(const struct jobs_entry *entry)
{
	return entry->agent_alive && entry->exit_status != 0 && entry->keeper.pid &&
	       clock_boottime_ns() - entry->beat < SILENT_NS;
}

/* True if the entry was launched before `than`, or there is no `than`. */
static bool is_before(const struct jobs_entry *entry, const struct jobs_entry *than)
{
	if (!than || entry->launched != than->launched)
		return !than || entry->launched < than->launched;
	return strcmp(entry->folder, than->folder) < 0;
}

const struct jobs_entry *fellows_speaker(const struct jobs *jobs, const struct jobs_entry *of)
{
	const struct jobs_entry *found = NULL;

	for (size_t i = 0; i < jobs->nr; i++)
		if (fellows_are(&jobs->items[i], of) && may_speak(&jobs->items[i]) &&
			is_before(&jobs->items[i], found))
			found = &jobs->items[i];
	return found;
}

const struct jobs_entry *fellows_head(const struct jobs *jobs, const struct jobs_entry *of)
{
	const struct jobs_entry *speaker = fellows_speaker(jobs, of);
	const struct jobs_entry *lives = NULL, *any = NULL;

	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (!fellows_are(entry, of))
			continue;
		if (is_before(entry, any))
			any = entry;
		if (!is_over(entry) && is_before(entry, lives))
			lives = entry;
	}
	return speaker ? speaker : lives ? lives : any;
}

const char *fellows_id(const struct jobs *jobs, const struct jobs_entry *of)
{
	const char *least = of->id;

	for (size_t i = 0; i < jobs->nr; i++)
		if (fellows_are(&jobs->items[i], of) && strcmp(jobs->items[i].id, least) < 0)
			least = jobs->items[i].id;
	return least;
}

/* Adds one folder to the sum of its job. */
static void add_up(struct fellows_sum *sum, const struct jobs_entry *entry)
{
	struct jobs_entry *all = &sum->all;

	sum->folders++;
	sum->agents += entry->agent_alive;
	all->ranks += entry->ranks;
	all->ranks_alive += entry->ranks_alive;
	all->unprobed += entry->unprobed;
	all->agent_alive = all->agent_alive || entry->agent_alive;
	if (entry->launched && entry->launched < all->launched)
		all->launched = entry->launched;
	if (entry->world_size > all->world_size)
		all->world_size = entry->world_size;
	if (entry->exit_status > all->exit_status)
		all->exit_status = entry->exit_status;
	/*
	 * What lives goes before what is over, and what hangs before what runs, as in the table of
	 * `inquest ls`.
	 */
	if (!is_over(entry) && (is_over(all) || entry->status == JOBS_HUNG))
		all->status = entry->status;
}

void fellows_sum(const struct jobs *jobs, const struct jobs_entry *of, struct fellows_sum *ret)
{
	const struct jobs_entry *head = fellows_head(jobs, of);

	*ret = (struct fellows_sum){.all = *head};
	ret->all.id = (char *)fellows_id(jobs, of);
	if (!*head->given)
		ret->all.name = ret->all.id;
	ret->all.ranks = ret->all.ranks_alive = ret->all.unprobed = 0;
	for (size_t i = 0; i < jobs->nr; i++)
		if (fellows_are(&jobs->items[i], of))
			add_up(ret, &jobs->items[i]);
	if (!is_over(&ret->all))
		ret->all.exit_status = -1;
}
