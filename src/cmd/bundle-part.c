/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several exhibits of a bundle name the job that it is of, and none has to be there: the manifest
 * and the receipt give its id, rings and environments the run (the address where ranks met, Slurm's
 * job and step), the census who was which rank, rings the communicators of all ranks. All that is
 * found is kept; whether two bundles are of one job is bundle-groups.c' to say, which trusts them
 * differently.
 *
 * Where ranks of one bundle contradict each other, the answer is "several" (BUNDLE_SEVERAL, -1) and
 * never one of the two. Times are turned into realtime here: start times count ticks from the boot
 * of their host, and a host may have been booted between two readings.
 */
#include "cmd/bundle-part.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "evidence/format/json-get.h"
#include "proc/survey/claims.h"
#include "ring/census-read.h"
#include "ring/makers.h"
#include "ring/ring-read.h"

#define STEP_DIGITS 9  /* a step of more digits has no number of its own: a batch script's, an
		        * interactive one's */
#define WORLDS_READ 64 /* groups of each ring that are looked at for those of all ranks */

/* Takes the first text that is told. */
static void take_text(char **held, const char *told)
{
	if (**held || !told)
		return;
	free(*held);
	*held = alloc_text(told);
}

/* Takes what one rank tells, if all tell the same. A rank that tells nothing changes nothing. */
static void take_run(uint64_t *held, uint64_t told)
{
	if (told && *held != told)
		*held = *held ? BUNDLE_SEVERAL : told;
}

/* Takes one more place where rank 0 is said to be. */
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

/* Takes the largest size: a rank may not know of the others yet, or believe that it is alone. */
static void take_size(int64_t *held, int64_t told)
{
	if (told > *held)
		*held = told;
}

static uint64_t run_hash(const char *text)
{
	return ring_run_hash(RING_RUN_START, text, text ? strlen(text) : 0);
}

static bool is_number(const char *text)
{
	return text && *text && strspn(text, "0123456789") == strlen(text);
}

/* Reads Slurm's job and step from the environment of a launch or of a rank. */
static void read_slurm(struct bundle_part *part, const struct json_object *object)
{
	struct json_object *env = NULL;
	const char *text, *step;
	int64_t job;

	if (!json_object_object_get_ex(object, "env", &env))
		return;
	text = json_get_text(env, "SLURM_JOB_ID");
	step = json_get_text(env, "SLURM_STEP_ID");
	job = is_number(text) ? strtoll(text, NULL, 10) : 0;
	if (job && part->slurm_job != job)
		part->slurm_job = part->slurm_job ? -1 : job;
	if (job && is_number(step) && strlen(step) <= STEP_DIGITS)
		take_run(&part->run.step, ring_run_hash(ring_run_hash(run_hash(text), ".", 1),
						  step, strlen(step)));
}

/* Reads the run of a rank without a ring, by its environment. */
static void read_run(struct bundle_part *part, const struct json_object *object)
{
	const char *role = json_get_text(object, "role"), *slurm = json_get_text(object, "slurm");
	const char *master = json_get_text(object, "master");
	const char *port = master ? strrchr(master, ':') : NULL;
	uint64_t hash = 0;
	int64_t size;

	if (!role || strcmp(role, "rank") != 0)
		return;
	if (port)
		hash = ring_run_hash(RING_RUN_START, master, (size_t)(port - master));
	if (port)
		hash = ring_run_hash(hash, port + 1, strlen(port + 1));
	take_master(&part->run, hash);
	take_run(&part->run.run, run_hash(json_get_text(object, "run")));
	/* It may name a step: "8841.0". */
	hash = slurm ? ring_run_hash(RING_RUN_START, slurm, strcspn(slurm, ".")) : 0;
	take_run(&part->run.slurm, hash);
	if (slurm && strchr(slurm, '.'))
		take_run(&part->run.step, run_hash(slurm));
	if (json_get_int(object, "world_size", &size))
		take_size(claims_are_of_tasks(json_get_text(object, "launcher"))
				  ? &part->run.tasks
				  : &part->run.world_size,
			size);
}

/* Reads when a host was booted, from which births of processes there follow. */
static void read_boot(
	struct bundle_part *part, const struct exhibit *exhibit, const struct json_object *object)
{
	struct bundle_boot boot = {.host = exhibit->host};
	int64_t boottime, ticks;

	if (!json_get_time(object, "realtime", &boot.when) ||
		!json_get_time(object, "boottime", &boottime) ||
		!json_get_int(object, "clk_tck", &ticks) || ticks <= 0 || ticks > 1000000 ||
		__builtin_sub_overflow(boot.when, boottime, &boot.booted))
		return;
	boot.tick = 1000000000LL / ticks;
	*array_add(&part->boots) = boot;
}

/* Reads a JSON document of the agent or of a gathering. */
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
		read_boot(part, exhibit, object);
	if (exhibit->kind == EXHIBIT_IDENTITY)
		read_run(part, object);
	read_slurm(part, object);
	take_text(&part->id, json_get_text(object, "job"));
	take_text(&part->name, json_get_text(object, "name"));
	if (json_get_time(object, "launched", &launched))
		part->launched = launched;
	json_object_put(object);
}

/*
 * True if the slot tells a rank. Numbers of tasks and nodes are no ranks, unless the process has
 * shown that it is one.
 */
static bool is_claim(const struct census_slot *slot)
{
	bool rank = slot->state == CENSUS_RANK || (slot->flags & CENSUS_F_WAS_RANK);

	return slot->rank >= 0 && (rank || !(slot->flags & (CENSUS_F_TASK | CENSUS_F_ALONE)));
}

/* Reads the census: of ranks that are gone only their slots tell which ranks they were. */
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
		take_size(&part->run.world_size, slot.world_size);
	}
}

int bundle_claim_order(const struct bundle_claim *a, const struct bundle_claim *b)
{
	int order = strcmp(a->host, b->host);

	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	return order ? order : (a->start_time > b->start_time) - (a->start_time < b->start_time);
}

static int compare_claims(const void *va, const void *vb)
{
	const struct bundle_claim *a = va, *b = vb;
	int order = bundle_claim_order(a, b);

	return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_ranks(const void *va, const void *vb)
{
	const int *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Keeps each process once, with its rank if that is known, and lists the ranks. */
static void settle_claims(struct bundle_part *part)
{
	size_t kept = 0;

	array_sort(&part->claims, compare_claims);
	for (size_t i = 0; i < part->claims.nr; i++) {
		const struct bundle_claim *claim = &part->claims.items[i];
		struct bundle_claim *last = kept ? &part->claims.items[kept - 1] : NULL;

		if (last && !bundle_claim_order(last, claim))
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

/* Reads communicators of all ranks: one that is ready was met by each of them, on every node. */
static void read_worlds(struct bundle_part *part, const struct ring_view *view)
{
	const struct ring_part *groups = &view->part[RING_S_GROUPS];
	uint64_t n = ring_view_groups(view);

	for (uint64_t i = 0; i < WORLDS_READ && i < n; i++) {
		const uint8_t *at = groups->at + i * groups->elem_size;
		struct ring_group group;

		if (ring_is_unused(at))
			continue;
		/* Its history is left out, since thousands of rings are looked at. */
		memcpy(&group, at, offsetof(struct ring_group, enqueue));
		if (!(group.seq & 1) && ring_maker_draws_ids(group.maker) &&
			(group.state & RING_G_READY) && group.size > 1 &&
			(int64_t)group.size == view->header.world_size)
			*array_add(&part->worlds) = (struct bundle_world){group.key, group.alias};
	}
}

/* Reads what a rank's ring tells of its run. */
static void read_ring(struct bundle_part *part, const struct exhibit *exhibit)
{
	struct ring_view view;

	if (ring_view_open(&view, exhibit->bytes, exhibit->len) < 0 ||
		view.header.role != RING_RANK)
		return;
	read_worlds(part, &view);
	take_run(&part->run.run, view.header.run);
	take_run(&part->run.slurm, view.header.slurm);
	take_master(&part->run, view.header.master);
	take_size(&part->run.world_size, view.header.world_size);
}

/* Orders by host, then by time. */
static int compare_boots(const void *va, const void *vb)
{
	const struct bundle_boot *a = va, *b = vb;
	int order = strcmp(a->host, b->host);

	if (!order)
		order = (a->when > b->when) - (a->when < b->when);
	if (!order)
		order = (a->booted > b->booted) - (a->booted < b->booted);
	return order ? order : (a->tick > b->tick) - (a->tick < b->tick);
}

/*
 * Computes when a process was born, realtime ns. Returns false where it is of no rank, or the time
 * is none.
 */
static bool birth_of(const struct bundle_claim *claim, const struct bundle_boot *boot, int64_t *ret)
{
	return claim->rank >= 0 && claim->start_time && claim->start_time <= INT64_MAX &&
	       !__builtin_mul_overflow((int64_t)claim->start_time, boot->tick, ret) &&
	       !__builtin_add_overflow(*ret, boot->booted, ret);
}

/*
 * Returns when the first rank was born; INT64_MIN not known. Each birth is told by the last boot of
 * its own host.
 */
static int64_t first_birth(struct bundle_part *part)
{
	const struct bundle_boot *boots = part->boots.items;
	int64_t first = INT64_MIN, born;

	array_sort(&part->boots, compare_boots);
	/* Claims are in the order of hosts, too. */
	for (size_t i = 0, k = 0; part->boots.nr && i < part->claims.nr; i++) {
		const struct bundle_claim *claim = &part->claims.items[i];

		while (k + 1 < part->boots.nr && strcmp(boots[k + 1].host, claim->host) <= 0)
			k++;
		if (!strcmp(boots[k].host, claim->host) && birth_of(claim, &boots[k], &born) &&
			(first == INT64_MIN || born < first))
			first = born;
	}
	return first;
}

/* Returns when the first exhibit was read; INT64_MIN not known. */
static int64_t first_reading(const struct evidence *evidence)
{
	int64_t first = INT64_MIN;

	for (size_t i = 0; i < evidence->n; i++) {
		int64_t when = evidence->at[i].when;

		if (when && (first == INT64_MIN || when < first))
			first = when;
	}
	return first;
}

static void read_exhibits(struct bundle_part *part)
{
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
}

struct bundle_part bundle_part_of(const char *path, struct evidence *evidence)
{
	struct bundle_part part = {.path = alloc_text(path),
		.evidence = *evidence,
		.id = alloc_text(""),
		.name = alloc_text(""),
		.launched = INT64_MIN,
		.last = INT64_MIN,
		.owner = -1};

	*evidence = (struct evidence){0};
	read_exhibits(&part);
	/* An id in place of a name is no name. */
	if (!strcmp(part.name, part.id))
		*part.name = '\0';
	settle_claims(&part);
	if (part.launched == INT64_MIN)
		part.launched = first_birth(&part);
	if (part.launched == INT64_MIN)
		part.launched = first_reading(&part.evidence);
	return part;
}

void bundle_part_release(struct bundle_part *part)
{
	free(part->path);
	free(part->id);
	free(part->name);
	evidence_release(&part->evidence);
	array_release(&part->boots);
	array_release(&part->claims);
	array_release(&part->ranks);
	array_release(&part->groups);
	array_release(&part->worlds);
}
