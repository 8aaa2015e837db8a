/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each node's agent gives its job an id of its own, so differing ids prove nothing. What joins
 * nodes is a communicator of NCCL that both have; but a job may hang before it has any. So the
 * question is the other way round: two bundles are of different jobs only where they contradict
 * each other.
 *
 * That is asked of the heads of exhibits first, which costs nothing. Only where some do contradict,
 * communicators are looked for, which takes decoding them all.
 */
#include "cmd/bundle-groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "job/backends.h"

#define NAMED_MOST     3 /* jobs that are named one by one */
#define MINUTE	       (60 * 1000000000LL)
#define LAUNCHED_APART MINUTE	    /* nodes of one job are launched within this time */
#define LONG_OVER      (180 * MINUTE) /* a job that ended so long before is another one */

void bundle_groups_add_part(struct bundle_groups *groups, const struct bundle_part *part)
{
	struct bundle_part *added = array_add(&groups->parts);

	*added = *part;
	added->job = groups->parts.nr - 1;
}

void bundle_groups_add(struct bundle_groups *groups, const char *path, struct evidence *evidence)
{
	struct bundle_part part = bundle_part_of(path, evidence);

	bundle_groups_add_part(groups, &part);
}

/* -- Which belong together -------------------------------------------------------------------- */

/* True if both have a process in common. */
static bool share_process(const struct bundle_part *a, const struct bundle_part *b)
{
	for (size_t i = 0, k = 0; i < a->claims.nr && k < b->claims.nr;) {
		int order = bundle_claim_order(&a->claims.items[i], &b->claims.items[k]);

		if (!order)
			return true;
		i += order < 0;
		k += order > 0;
	}
	return false;
}

bool bundle_groups_alike(const struct bundle_groups *groups, size_t one, size_t other)
{
	const struct bundle_part *a = &groups->parts.items[one], *b = &groups->parts.items[other];

	for (size_t i = 0; i < a->claims.nr && a->claims.nr == b->claims.nr; i++)
		if (bundle_claim_order(&a->claims.items[i], &b->claims.items[i]))
			return false;
	return a->claims.nr && a->claims.nr == b->claims.nr;
}

/* True if both have a communicator in common. */
static bool share_group(const struct bundle_part *a, const struct bundle_part *b)
{
	for (size_t i = 0; i < a->groups.nr; i++)
		for (size_t k = 0; k < b->groups.nr; k++)
			if (a->groups.items[i] == b->groups.items[k])
				return true;
	return false;
}

/*
 * True if ranks of both have met all ranks of their job, and not each other. Communicators that
 * were recorded by two routes, of which one has no alias, tell nothing.
 */
static bool worlds_differ(const struct bundle_part *a, const struct bundle_part *b)
{
	for (size_t i = 0; i < a->worlds.nr; i++)
		for (size_t k = 0; k < b->worlds.nr; k++) {
			const struct bundle_world *one = &a->worlds.items[i];
			const struct bundle_world *other = &b->worlds.items[k];

			if (one->key == other->key || !one->alias != !other->alias ||
				(one->alias && one->alias == other->alias))
				return false;
		}
	return a->worlds.nr && b->worlds.nr;
}

/* True if the value is known, and only one. */
static bool is_one(uint64_t run)
{
	return run && run != BUNDLE_SEVERAL;
}

static bool differ(uint64_t a, uint64_t b)
{
	return is_one(a) && is_one(b) && a != b;
}

static bool agree(uint64_t a, uint64_t b)
{
	return is_one(a) && a == b;
}

/*
 * True if both tell how large the job is, and differ. One task may have started many ranks, so
 * numbers of tasks and of ranks are not compared.
 */
static bool sizes_differ(const struct bundle_run *a, const struct bundle_run *b)
{
	return (a->world_size && b->world_size && a->world_size != b->world_size) ||
	       (a->tasks && b->tasks && a->tasks != b->tasks);
}

/* True if both tell where rank 0 is, and have no such place in common. */
static bool masters_differ(const struct bundle_run *a, const struct bundle_run *b)
{
	if (a->nmasters > BUNDLE_MASTERS || b->nmasters > BUNDLE_MASTERS)
		return false;
	for (size_t i = 0; i < a->nmasters; i++)
		for (size_t k = 0; k < b->nmasters; k++)
			if (a->masters[i] == b->masters[k])
				return false;
	return a->nmasters && b->nmasters;
}

/*
 * Returns the ns from one time to a later one, as a stranger's files tell them; 0 where either is
 * not known.
 */
static int64_t time_between(int64_t from, int64_t to)
{
	int64_t ns;

	if (from == INT64_MIN || to == INT64_MIN || from > to)
		return 0;
	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

/*
 * Returns for how many ns one was over when the other was launched. Clocks of two nodes may be
 * hours apart.
 */
static int64_t gap_between(const struct bundle_part *a, const struct bundle_part *b)
{
	const struct bundle_part *first = a->launched <= b->launched ? a : b;
	const struct bundle_part *second = first == a ? b : a;

	if (first->launched == INT64_MIN || first->last < first->launched)
		return 0;
	return time_between(first->last, second->launched);
}

/*
 * True if the launcher gave both the same id. A node may come late; but an id may be given again,
 * once the job that had it is over.
 */
static bool are_of_one_launch(const struct bundle_part *a, const struct bundle_part *b)
{
	return agree(a->run.run, b->run.run) || agree(a->run.step, b->run.step);
}

/*
 * True if they are of different runs. A run of torchrun has one id everywhere. Another address of
 * rank 0, or world size, may be the very mistake that is looked for, unless the nodes were launched
 * at other times. An elastic run changes its size, and a node that joins late knows only the last
 * one.
 */
static bool runs_differ(const struct bundle_part *a, const struct bundle_part *b)
{
	bool apart = time_between(a->launched, b->launched) > LAUNCHED_APART ||
		     time_between(b->launched, a->launched) > LAUNCHED_APART;
	bool one = are_of_one_launch(a, b);
	int64_t gap = gap_between(a, b);

	if (differ(a->run.run, b->run.run) || gap > LONG_OVER)
		return true;
	if (apart && !one && sizes_differ(&a->run, &b->run))
		return true;
	return masters_differ(&a->run, &b->run) &&
	       (differ(a->run.slurm, b->run.slurm) || (apart && (!one || gap)));
}

/* Returns the host of a part; "" not known. */
static const char *host_of(const struct bundle_part *part)
{
	for (size_t i = 0; i < part->evidence.n; i++)
		if (*part->evidence.at[i].host)
			return part->evidence.at[i].host;
	return "";
}

/* True if nothing is left that tells of a job: of a bundle that was cut at its begin. */
static bool is_bare(const struct bundle_part *part)
{
	return !part->claims.nr && !*part->id && !*part->name;
}

/*
 * True if one is of a command that failed before any rank was there: that is no other node of the
 * job, if the job runs on the same node.
 */
static bool is_other_command(const struct bundle_part *a, const struct bundle_part *b)
{
	return (!a->ranks.nr || !b->ranks.nr) && !is_bare(a) && !is_bare(b) && *host_of(a) &&
	       !strcmp(host_of(a), host_of(b));
}

/*
 * True if the two are of different users: whoever knows what a job is called can have his processes
 * say that they are of it. Root's part on one host may be a user's on another, as containers show
 * their users.
 */
static bool owners_differ(const struct bundle_part *a, const struct bundle_part *b)
{
	if (a->owner < 0 || b->owner < 0 || a->owner == b->owner)
		return false;
	return (a->owner && b->owner) || !strcmp(host_of(a), host_of(b));
}

/*
 * True if they cannot be nodes of one job: another user's, another name, another run, another
 * communicator of all ranks, the same rank in other processes, or another command on the same node.
 */
static bool contradict(const struct bundle_part *a, const struct bundle_part *b)
{
	if (owners_differ(a, b) || (*a->name && *b->name && strcmp(a->name, b->name) != 0) ||
		runs_differ(a, b) || worlds_differ(a, b) || is_other_command(a, b))
		return true;
	for (size_t i = 0, k = 0; i < a->ranks.nr && k < b->ranks.nr;) {
		int one = a->ranks.items[i], other = b->ranks.items[k];

		if (one == other)
			return true;
		i += one < other;
		k += one > other;
	}
	return false;
}

/* Makes one job of two. */
static void join(struct bundle_groups *groups, size_t a, size_t b)
{
	size_t from = groups->parts.items[b].job, to = groups->parts.items[a].job;

	if (from < to) {
		size_t swap = from;

		from = to;
		to = swap;
	}
	for (size_t i = 0; i < groups->parts.nr; i++)
		if (groups->parts.items[i].job == from)
			groups->parts.items[i].job = to;
}

/*
 * Joins all pairs for which `is` holds. Returns true if some are left that contradict each other.
 */
static bool join_pairs(struct bundle_groups *groups,
	bool (*is)(const struct bundle_part *, const struct bundle_part *))
{
	struct bundle_part *parts = groups->parts.items;
	bool apart = false;

	for (size_t i = 0; i < groups->parts.nr; i++)
		for (size_t k = i + 1; k < groups->parts.nr; k++)
			if (parts[i].job != parts[k].job &&
				!owners_differ(&parts[i], &parts[k]) &&
				is(&parts[i], &parts[k]))
				join(groups, i, k);
	for (size_t i = 0; !apart && i < groups->parts.nr; i++)
		for (size_t k = i + 1; !apart && k < groups->parts.nr; k++)
			apart = parts[i].job != parts[k].job && contradict(&parts[i], &parts[k]);
	return apart;
}

/* True if both have one id, or a process in common. */
static bool are_surely_one(const struct bundle_part *a, const struct bundle_part *b)
{
	return (*a->id && !strcmp(a->id, b->id)) || share_process(a, b);
}

/* Finds the communicators of a part, for which its evidence is decoded. */
static void find_groups(struct bundle_part *part)
{
	struct job *job = decode_job(&part->evidence);

	for (size_t i = 0; i < job->ngroups; i++)
		if (job->groups[i].key && backend_has(job->groups[i].maker, BACKEND_IDS))
			*array_add(&part->groups) = job->groups[i].key;
	job_free(job);
}

/* True if some part of the one job contradicts some part of the other. */
static bool jobs_contradict(const struct bundle_groups *groups, size_t one, size_t other)
{
	const struct bundle_part *parts = groups->parts.items;

	/* The other job is mostly one bundle. */
	for (size_t i = other; i < groups->parts.nr; i++)
		for (size_t k = one; parts[i].job == other && k < groups->parts.nr; k++)
			if (parts[k].job == one && contradict(&parts[i], &parts[k]))
				return true;
	return false;
}

/*
 * Orders from the newest on; ties by path, so that the order of the command line does not matter.
 */
static int compare_parts(const void *va, const void *vb)
{
	const struct bundle_part *a = va, *b = vb;

	if (a->launched != b->launched)
		return a->launched < b->launched ? 1 : -1;
	return strcmp(a->path, b->path);
}

/* Joins nodes of which nothing tells whose they are to the job that was launched next to them. */
static void join_by_time(struct bundle_groups *groups)
{
	struct bundle_part *parts = groups->parts.items;

	for (size_t i = 1; i < groups->parts.nr; i++) {
		if (parts[i].job != i)
			continue;
		/*
		 * The order is newest first, so these are the ones launched after it, from the
		 * nearest on.
		 */
		for (size_t k = i; k-- > 0;)
			if (parts[k].job == k && !jobs_contradict(groups, k, i)) {
				join(groups, k, i);
				break;
			}
	}
}

/* -- What is judged, and what is not ---------------------------------------------------------- */

/* Lists a job as not judged. */
static void tell_left(struct bundle_groups *groups, size_t job)
{
	struct report_left left = {
		.id = groups->parts.items[job].id, .name = groups->parts.items[job].name};
	size_t n = 0;

	for (size_t i = job; i < groups->parts.nr; i++)
		n += groups->parts.items[i].job == job;
	left.files = alloc_zeroed(n, sizeof(*left.files));
	for (size_t i = job; i < groups->parts.nr; i++)
		if (groups->parts.items[i].job == job)
			left.files[left.nfiles++] = groups->parts.items[i].path;
	*array_add(&groups->left) = left;
}

/* Finds out which parts are of one job. */
static void tell_apart(struct bundle_groups *groups)
{
	array_sort(&groups->parts, compare_parts);
	for (size_t i = 0; i < groups->parts.nr; i++)
		groups->parts.items[i].job = i;
	if (join_pairs(groups, are_surely_one)) {
		for (size_t i = 0; i < groups->parts.nr; i++)
			find_groups(&groups->parts.items[i]);
		join_pairs(groups, share_group);
	}
	join_by_time(groups);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Moves the job's evidence into `into`, and lists the other jobs. */
static void take(struct bundle_groups *groups, size_t job, struct evidence *into)
{
	groups->judged = job;
	for (size_t i = 0; i < groups->parts.nr; i++) {
		struct bundle_part *part = &groups->parts.items[i];

		if (part->job == job && groups->parts.nr > 1)
			bundle_name_gaps(&part->evidence, base_of(part->path));
		if (part->job == job)
			evidence_move(into, &part->evidence);
		else if (part->job == i)
			tell_left(groups, i);
	}
}

/* Returns when a job was read last, realtime ns; INT64_MIN not known. */
static int64_t last_of(const struct bundle_groups *groups, size_t job)
{
	int64_t last = INT64_MIN;

	for (size_t i = job; i < groups->parts.nr; i++)
		if (groups->parts.items[i].job == job && groups->parts.items[i].last > last)
			last = groups->parts.items[i].last;
	return last;
}

/*
 * Returns the newest job: that of the last launch. But nodes of one launch that are two jobs here
 * were read in two attempts of it, and then it does not matter which node's agent was launched
 * first.
 */
static size_t newest(const struct bundle_groups *groups)
{
	const struct bundle_part *parts = groups->parts.items;
	size_t job = 0;

	for (size_t i = 1; i < groups->parts.nr; i++)
		if (parts[i].job == i && are_of_one_launch(&parts[0], &parts[i]) &&
			time_between(parts[i].launched, parts[0].launched) <= LAUNCHED_APART &&
			last_of(groups, i) > last_of(groups, job))
			job = i;
	return job;
}

void bundle_groups_settle(struct bundle_groups *groups, struct evidence *into)
{
	tell_apart(groups);
	take(groups, newest(groups), into);
}

void bundle_groups_settle_for(
	struct bundle_groups *groups, const char *path, struct evidence *into)
{
	size_t job = 0;

	tell_apart(groups);
	for (size_t i = 0; i < groups->parts.nr; i++)
		if (!strcmp(groups->parts.items[i].path, path))
			job = groups->parts.items[i].job;
	take(groups, job, into);
}

int64_t bundle_groups_slurm_job(const struct bundle_groups *groups)
{
	int64_t job = 0;

	for (size_t i = 0; i < groups->parts.nr; i++) {
		const struct bundle_part *part = &groups->parts.items[i];

		if (part->job != groups->judged || !part->slurm_job)
			continue;
		if (part->slurm_job < 0 || (job && job != part->slurm_job))
			return 0;
		job = part->slurm_job;
	}
	return job;
}

void bundle_groups_describe(const struct bundle_groups *groups, struct str *into)
{
	size_t n = groups->left.nr;

	if (!n)
		return;
	str_printf(into, "%zu job%s left out (name a file to see its job): ", n,
		n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < NAMED_MOST; i++) {
		const struct report_left *left = &groups->left.items[i];
		const char *name = *left->name ? left->name : left->id;

		str_printf(into, "%s%s%s%s", i ? ", " : "", name, *name ? " in " : "",
			base_of(left->files[0]));
		if (left->nfiles > 1)
			str_printf(into, " and %zu more", left->nfiles - 1);
	}
	if (n > NAMED_MOST)
		str_printf(into, ", and %zu more", n - NAMED_MOST);
}

void bundle_groups_drop_last(struct bundle_groups *groups)
{
	bundle_part_release(&groups->parts.items[--groups->parts.nr]);
}

void bundle_groups_release(struct bundle_groups *groups)
{
	for (size_t i = 0; i < groups->parts.nr; i++)
		bundle_part_release(&groups->parts.items[i]);
	for (size_t i = 0; i < groups->left.nr; i++)
		free(groups->left.items[i].files);
	array_release(&groups->parts);
	array_release(&groups->left);
}
