/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each node's agent gives its job an id of its own, so that differing ids prove nothing. What
 * joins nodes is a communicator of NCCL that both have; but a job may hang before it has any. So
 * the question is the other way round: two bundles are of different jobs only where they contradict
 * each other.
 *
 * That is asked of the heads of exhibits first, which costs nothing. Only where some do contradict,
 * communicators are looked for, which takes decoding them all.
 */
#include "cmd/bundle-groups.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "decode/json-get.h"
#include "job/backends.h"
#include "ring/census-read.h"
#include "ring/makers.h"
#include "ring/ring-read.h"

#define NAMED_MOST     3 /* jobs that are named one by one */
#define WORLDS_READ    64 /* groups of each ring that are looked at for those of all ranks */
#define MINUTE	       (60 * 1000000000LL)
#define LAUNCHED_APART MINUTE	    /* nodes of one job are launched within */
#define LONG_OVER      (180 * MINUTE) /* a job that ended so long before is another */

/* -- What a bundle says of itself ------------------------------------------------------------- */

static void take_text(char **held, const char *told)
{
	if (**held || !told)
		return;
	free(*held);
	*held = alloc_text(told);
}

/* What all ranks say alike; 0 once two differ. `seen` says that there was one before. */
static void take_run(uint64_t *held, uint64_t told, bool seen)
{
	if (!seen)
		*held = told;
	else if (*held != told)
		*held = 0;
}

static void take_master(struct bundle_run *run, uint64_t master)
{
	for (size_t i = 0; i < run->nmasters && i < BUNDLE_MASTERS; i++)
		if (run->masters[i] == master)
			return;
	if (master && run->nmasters < BUNDLE_MASTERS)
		run->masters[run->nmasters] = master;
	if (master && run->nmasters <= BUNDLE_MASTERS)
		run->nmasters++;
}

/* The largest: a rank may not know of the others yet, or believe to be alone. */
static void take_world_size(struct bundle_run *run, int64_t told)
{
	if (told > run->world_size)
		run->world_size = told;
}

/* The environment of a launch or of a rank may tell it. */
static void read_slurm_job(struct bundle_part *part, const struct json_object *object)
{
	struct json_object *env = NULL;
	const char *text = json_object_object_get_ex(object, "env", &env)
				   ? json_get_text(env, "SLURM_JOB_ID")
				   : NULL;
	int64_t job = text && strspn(text, "0123456789") == strlen(text)
			      ? strtoll(text, NULL, 10)
			      : 0;

	if (job && part->slurm_job != job)
		part->slurm_job = part->slurm_job ? -1 : job;
}

static uint64_t run_hash(const char *text)
{
	return ring_run_hash(RING_RUN_START, text, text ? strlen(text) : 0);
}

/* Of a rank without a ring, by its environment. */
static void read_run(struct bundle_part *part, const struct json_object *object)
{
	const char *role = json_get_text(object, "role"), *slurm = json_get_text(object, "slurm");
	const char *master = json_get_text(object, "master");
	const char *port = master ? strrchr(master, ':') : NULL;
	uint64_t hash = 0;
	int64_t world_size;

	if (!role || strcmp(role, "rank") != 0)
		return;
	if (port)
		hash = ring_run_hash(RING_RUN_START, master, (size_t)(port - master));
	if (port)
		hash = ring_run_hash(hash, port + 1, strlen(port + 1));
	take_master(&part->run, hash);
	take_run(&part->run.run, run_hash(json_get_text(object, "run")), part->run.seen);
	/* A step: "8841.0". */
	hash = slurm ? ring_run_hash(RING_RUN_START, slurm, strcspn(slurm, ".")) : 0;
	take_run(&part->run.slurm, hash, part->run.seen);
	if (json_get_int(object, "world_size", &world_size))
		take_world_size(&part->run, world_size);
	part->run.seen = true;
}

/* When the host was booted, by which the births of its processes are told. */
static void read_boot(struct bundle_part *part, const struct json_object *object)
{
	int64_t realtime, boottime, ticks;

	if (part->tick || !json_get_time(object, "realtime", &realtime) ||
		!json_get_time(object, "boottime", &boottime) ||
		!json_get_int(object, "clk_tck", &ticks) || ticks <= 0 || ticks > 1000000 ||
		__builtin_sub_overflow(realtime, boottime, &part->booted))
		return;
	part->tick = 1000000000LL / ticks;
}

static void read_document(struct bundle_part *part, const struct exhibit *exhibit)
{
	struct complaint why = {0};
	struct json_object *object = json_get_document(exhibit, &why);
	int64_t launched, owner;

	complaint_release(&why);
	if (!object)
		return;
	if (exhibit->kind == EXHIBIT_GATHER && json_get_int(object, "owner", &owner) &&
		part->owner < 0)
		part->owner = owner;
	if (exhibit->kind == EXHIBIT_GATHER)
		read_boot(part, object);
	if (exhibit->kind == EXHIBIT_IDENTITY)
		read_run(part, object);
	read_slurm_job(part, object);
	take_text(&part->id, json_get_text(object, "job"));
	take_text(&part->name, json_get_text(object, "name"));
	if (json_get_time(object, "launched", &launched))
		part->launched = launched;
	json_object_put(object);
}

/* Numbers of tasks and nodes are no ranks, unless the process has shown that it is one. */
static bool is_claim(const struct census_slot *slot)
{
	bool rank = slot->state == CENSUS_RANK || (slot->flags & CENSUS_F_WAS_RANK);

	return slot->rank >= 0 && (rank || !(slot->flags & (CENSUS_F_TASK | CENSUS_F_ALONE)));
}

/* Of ranks that are gone only their slots in the process table tell which they were. */
static void read_census(struct bundle_part *part, const struct exhibit *exhibit)
{
	struct census_view view;

	if (census_view_open(&view, exhibit->bytes, exhibit->len) < 0)
		return;
	for (uint32_t i = 0; i < view.slots; i++) {
		struct census_slot slot;

		if (census_view_slot(&view, i, &slot) != 1 || !is_claim(&slot))
			continue;
		*array_add(&part->claims) = (struct bundle_claim){
			slot.rank, slot.pid, slot.start_time, exhibit->host};
		take_world_size(&part->run, slot.world_size);
	}
}

static int compare_claims(const void *va, const void *vb)
{
	const struct bundle_claim *a = va, *b = vb;
	int order = strcmp(a->host, b->host);

	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	if (!order)
		order = (a->start_time > b->start_time) - (a->start_time < b->start_time);
	return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_ranks(const void *va, const void *vb)
{
	const int *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Each process once, with its rank where that is known. */
static void settle_claims(struct bundle_part *part)
{
	size_t kept = 0;

	array_sort(&part->claims, compare_claims);
	for (size_t i = 0; i < part->claims.nr; i++) {
		const struct bundle_claim *claim = &part->claims.items[i];
		struct bundle_claim *last = kept ? &part->claims.items[kept - 1] : NULL;

		if (last && !strcmp(last->host, claim->host) && last->pid == claim->pid &&
			last->start_time == claim->start_time)
			last->rank = claim->rank >= 0 ? claim->rank : last->rank;
		else
			part->claims.items[kept++] = *claim;
	}
	part->claims.nr = kept;
	for (size_t i = 0; i < kept; i++)
		if (part->claims.items[i].rank >= 0)
			*array_add(&part->ranks) = part->claims.items[i].rank;
	array_sort(&part->ranks, compare_ranks);
}

/* Communicators of all ranks: one that is ready was met by each of them, on every node. */
static void read_worlds(struct bundle_part *part, const struct ring_view *view)
{
	const struct ring_part *groups = &view->part[RING_S_GROUPS];

	for (uint64_t i = 0; i < WORLDS_READ && i < groups->count; i++) {
		struct ring_group group;

		/* Its history is not asked: thousands of rings are looked at. */
		memcpy(&group, groups->at + i * groups->elem_size,
			offsetof(struct ring_group, enqueue));
		if (group.seq && !(group.seq & 1) && ring_maker_draws_ids(group.maker) &&
			(group.state & RING_G_READY) && group.size > 1 &&
			(int64_t)group.size == view->header.world_size)
			*array_add(&part->worlds) = (struct bundle_world){group.key, group.alias};
	}
}

static void read_ring(struct bundle_part *part, const struct exhibit *exhibit)
{
	struct ring_view view;

	if (ring_view_open(&view, exhibit->bytes, exhibit->len) < 0 ||
		view.header.role != RING_RANK)
		return;
	read_worlds(part, &view);
	take_run(&part->run.run, view.header.run, part->run.seen);
	take_run(&part->run.slurm, view.header.slurm, part->run.seen);
	take_master(&part->run, view.header.master);
	take_world_size(&part->run, view.header.world_size);
	part->run.seen = true;
}

/* The birth of its first rank; else the first reading. */
static int64_t first_birth(const struct bundle_part *part)
{
	int64_t first = INT64_MIN;

	for (size_t i = 0; part->tick && i < part->claims.nr; i++) {
		const struct bundle_claim *claim = &part->claims.items[i];
		int64_t born;

		if (claim->rank < 0 || !claim->start_time || claim->start_time > INT64_MAX ||
			__builtin_mul_overflow((int64_t)claim->start_time, part->tick, &born) ||
			__builtin_add_overflow(born, part->booted, &born))
			continue;
		if (first == INT64_MIN || born < first)
			first = born;
	}
	for (size_t i = 0; first == INT64_MIN && i < part->evidence.n; i++)
		first = part->evidence.at[i].when;
	return first;
}

static void read_part(struct bundle_part *part)
{
	part->launched = part->last = INT64_MIN;
	part->owner = -1;
	for (size_t i = 0; i < part->evidence.n; i++) {
		const struct exhibit *exhibit = &part->evidence.at[i];

		if (exhibit->damaged)
			continue;
		if (exhibit->kind == EXHIBIT_MANIFEST || exhibit->kind == EXHIBIT_RECEIPT ||
			exhibit->kind == EXHIBIT_IDENTITY || exhibit->kind == EXHIBIT_GATHER)
			read_document(part, exhibit);
		if (exhibit->kind == EXHIBIT_CENSUS)
			read_census(part, exhibit);
		if (exhibit->kind == EXHIBIT_RING)
			read_ring(part, exhibit);
		if (exhibit->when > part->last)
			part->last = exhibit->when;
		if (exhibit->pid && exhibit->kind != EXHIBIT_STACKS)
			*array_add(&part->claims) = (struct bundle_claim){exhibit->rank,
				exhibit->pid, exhibit->start_time, exhibit->host};
	}
	/* An id that stands for a name is none. */
	if (!strcmp(part->name, part->id))
		*part->name = '\0';
	settle_claims(part);
	if (part->launched == INT64_MIN)
		part->launched = first_birth(part);
}

void bundle_groups_add(struct bundle_groups *groups, const char *path, struct evidence *evidence)
{
	struct bundle_part *part = array_add(&groups->parts);

	*part = (struct bundle_part){.path = alloc_text(path),
		.evidence = *evidence,
		.id = alloc_text(""),
		.name = alloc_text(""),
		.job = groups->parts.nr - 1};
	*evidence = (struct evidence){0};
	read_part(part);
}

/* -- Which belong together -------------------------------------------------------------------- */

static bool share_process(const struct bundle_part *a, const struct bundle_part *b)
{
	for (size_t i = 0, k = 0; i < a->claims.nr && k < b->claims.nr;) {
		const struct bundle_claim *one = &a->claims.items[i], *other = &b->claims.items[k];
		struct bundle_claim left = *one, right = *other;
		int order;

		left.rank = right.rank = -1;
		order = compare_claims(&left, &right);
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

	for (size_t i = 0; i < a->claims.nr && a->claims.nr == b->claims.nr; i++) {
		struct bundle_claim left = a->claims.items[i], right = b->claims.items[i];

		left.rank = right.rank = -1;
		if (compare_claims(&left, &right))
			return false;
	}
	return a->claims.nr && a->claims.nr == b->claims.nr;
}

static bool share_group(const struct bundle_part *a, const struct bundle_part *b)
{
	for (size_t i = 0; i < a->groups.nr; i++)
		for (size_t k = 0; k < b->groups.nr; k++)
			if (a->groups.items[i] == b->groups.items[k])
				return true;
	return false;
}

/* Both have met all ranks of their job, and not each other. What came by two routes is mute. */
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

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

/* An elastic run changes its size, and who joins late knows of the last one only. */
static bool sizes_differ(const struct bundle_run *a, const struct bundle_run *b)
{
	return a->world_size && b->world_size && a->world_size != b->world_size &&
	       !(a->run && a->run == b->run);
}

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

/* ns from one time to a later one, as a stranger's files say them; 0 where either is not known. */
static int64_t time_between(int64_t from, int64_t to)
{
	int64_t ns;

	if (from == INT64_MIN || to == INT64_MIN || from > to)
		return 0;
	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

/* How long one was over when the other was launched; ns. Clocks of two nodes may be hours apart. */
static int64_t gap_between(const struct bundle_part *a, const struct bundle_part *b)
{
	const struct bundle_part *first = a->launched <= b->launched ? a : b;
	const struct bundle_part *second = first == a ? b : a;

	if (first->launched == INT64_MIN || first->last < first->launched)
		return 0;
	return time_between(first->last, second->launched);
}

/*
 * True if they are of different runs. That of torchrun has one id everywhere. Another address of
 * rank 0, or world size, may be the very mistake that is looked for, unless the nodes were launched
 * at other times.
 */
static bool runs_differ(const struct bundle_part *a, const struct bundle_part *b)
{
	int64_t apart = a->launched > b->launched ? time_between(b->launched, a->launched)
						  : time_between(a->launched, b->launched);

	if (differ(a->run.run, b->run.run) || gap_between(a, b) > LONG_OVER)
		return true;
	if (apart > LAUNCHED_APART && sizes_differ(&a->run, &b->run))
		return true;
	return masters_differ(&a->run, &b->run) &&
	       (differ(a->run.slurm, b->run.slurm) || apart > LAUNCHED_APART);
}

static const char *host_of(const struct bundle_part *part)
{
	for (size_t i = 0; i < part->evidence.n; i++)
		if (*part->evidence.at[i].host)
			return part->evidence.at[i].host;
	return "";
}

/* A command that failed before any rank was there is no other's node on the node of that other. */
static bool is_other_command(const struct bundle_part *a, const struct bundle_part *b)
{
	return (!a->ranks.nr || !b->ranks.nr) && *host_of(a) && !strcmp(host_of(a), host_of(b));
}

/*
 * Whoever knows what a job is called may have his processes say that they are of it. Root's part on
 * one host may be a user's on another: as containers show their users.
 */
static bool owners_differ(const struct bundle_part *a, const struct bundle_part *b)
{
	if (a->owner < 0 || b->owner < 0 || a->owner == b->owner)
		return false;
	return (a->owner && b->owner) || !strcmp(host_of(a), host_of(b));
}

/*
 * True if they cannot be nodes of one job: another user's, another name, another run, another
 * communicator of all ranks, the same rank in other processes, or another command of the same node.
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

/* Joins all of which `is` holds; whether two are left that contradict each other. */
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

static bool are_surely_one(const struct bundle_part *a, const struct bundle_part *b)
{
	return (*a->id && !strcmp(a->id, b->id)) || share_process(a, b);
}

static void find_groups(struct bundle_part *part)
{
	struct job *job = decode_job(&part->evidence);

	for (size_t i = 0; i < job->ngroups; i++)
		if (job->groups[i].key && backend_has(job->groups[i].maker, BACKEND_IDS))
			*array_add(&part->groups) = job->groups[i].key;
	job_free(job);
}

static bool jobs_contradict(const struct bundle_groups *groups, size_t one, size_t other)
{
	const struct bundle_part *parts = groups->parts.items;

	/* The other is mostly one bundle. */
	for (size_t i = other; i < groups->parts.nr; i++)
		for (size_t k = one; parts[i].job == other && k < groups->parts.nr; k++)
			if (parts[k].job == one && contradict(&parts[i], &parts[k]))
				return true;
	return false;
}

/* Newest first; of equal ones by path, so that the order of the command line does not matter. */
static int compare_parts(const void *va, const void *vb)
{
	const struct bundle_part *a = va, *b = vb;

	if (a->launched != b->launched)
		return a->launched < b->launched ? 1 : -1;
	return strcmp(a->path, b->path);
}

/* Nodes of which nothing tells whose they are go to the job that was launched next to them. */
static void join_by_time(struct bundle_groups *groups)
{
	struct bundle_part *parts = groups->parts.items;

	for (size_t i = 1; i < groups->parts.nr; i++) {
		if (parts[i].job != i)
			continue;
		/* Newest first: those before it, from the nearest on. */
		for (size_t k = i; k-- > 0;)
			if (parts[k].job == k && !jobs_contradict(groups, k, i)) {
				join(groups, k, i);
				break;
			}
	}
}

/* -- What is judged, and what is not ---------------------------------------------------------- */

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

static void take(struct bundle_groups *groups, size_t job, struct evidence *into)
{
	groups->judged = job;
	for (size_t i = 0; i < groups->parts.nr; i++) {
		if (groups->parts.items[i].job == job)
			evidence_move(into, &groups->parts.items[i].evidence);
		else if (groups->parts.items[i].job == i)
			tell_left(groups, i);
	}
}

void bundle_groups_settle(struct bundle_groups *groups, struct evidence *into)
{
	tell_apart(groups);
	take(groups, 0, into);
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

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
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

static void part_release(struct bundle_part *part)
{
	free(part->path);
	free(part->id);
	free(part->name);
	evidence_release(&part->evidence);
	array_release(&part->claims);
	array_release(&part->ranks);
	array_release(&part->groups);
	array_release(&part->worlds);
}

void bundle_groups_drop_last(struct bundle_groups *groups)
{
	part_release(&groups->parts.items[--groups->parts.nr]);
}

void bundle_groups_release(struct bundle_groups *groups)
{
	for (size_t i = 0; i < groups->parts.nr; i++)
		part_release(&groups->parts.items[i]);
	for (size_t i = 0; i < groups->left.nr; i++)
		free(groups->left.items[i].files);
	array_release(&groups->parts);
	array_release(&groups->left);
}
