/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what the evidence covers. Which ranks should be there is known only from outside of the job
 * (a launcher's variables, Slurm, a list of ranks in a dump). Without that, the largest group tells
 * how many ranks there are at least, and no more is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/seal/seal.h"

/* Returns how many ranks there should be: as was said, else the size of the largest group. */
static struct job_expected expected_ranks(const struct seal *seal)
{
	const struct job *job = seal->job;

	if (job->world_at_least)
		return (struct job_expected){JOB_NONE, ""};
	if (seal->b->ranks.n != JOB_NONE || !job->ngroups ||
		job->groups[0].sized != JOB_SIZE_SAID)
		return seal->b->ranks;
	return (struct job_expected){(int)job->groups[0].size, "size of the largest group"};
}

/*
 * Returns the length of the part of a host's name that counts: what is before the first dot, since
 * launchers and the kernel may name it differently; all of an address.
 */
static size_t short_length(const char *name)
{
	return name[strspn(name, "0123456789.")] ? strcspn(name, ".") : strlen(name);
}

/* A host's name, without what does not count. */
struct short_name {
	const char *name;
	size_t len;
};

static struct short_name short_name(const char *name)
{
	return (struct short_name){name, short_length(name)};
}

static int compare_short(const void *va, const void *vb)
{
	const struct short_name *a = va, *b = vb;

	SEAL_ORDER(a->len, b->len);
	return memcmp(a->name, b->name, a->len);
}

/* Returns the names of the hosts from which something came, in order. */
static struct short_name *hosts_seen(struct seal *seal)
{
	const struct job *job = seal->job;
	struct short_name *seen = arena_new_many(seal->arena, struct short_name, job->nhosts + 1);

	for (size_t i = 0; i < job->nhosts; i++)
		seen[i] = short_name(job->hosts[i].name);
	array_sort_items(seen, job->nhosts, sizeof(*seen), compare_short);
	return seen;
}

static int compare_names(const void *va, const void *vb)
{
	return strcmp(*(const char *const *)va, *(const char *const *)vb);
}

/* Appends a name behind those before it. */
static void add_name(struct str *names, const char *name)
{
	str_printf(names, "%s%.*s", names->len ? "," : "", (int)short_length(name), name);
}

static const char *end_names(struct seal *seal, struct str *names)
{
	const char *text = names->len ? arena_text(seal->arena, str_text(names)) : "";

	str_release(names);
	return text;
}

/* Returns the names of expected hosts from which nothing came, each once. */
static const char *missing_hosts(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct str names = {0};
	const struct short_name *seen = hosts_seen(seal);

	array_sort(&b->host_names, compare_names);
	for (size_t i = 0; i < b->host_names.nr; i++) {
		const char *name = b->host_names.items[i];
		const struct short_name key = short_name(name);

		if ((!i || strcmp(name, b->host_names.items[i - 1]) != 0) &&
			!bsearch(&key, seen, seal->job->nhosts, sizeof(key), compare_short))
			add_name(&names, name);
	}
	return end_names(seal, &names);
}

/* Returns the names of hosts from which a part came, as they were asked by, each once. */
static const char *part_hosts(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct str names = {0};

	array_sort(&b->part_names, compare_names);
	for (size_t i = 0; i < b->part_names.nr; i++)
		if (!i || strcmp(b->part_names.items[i], b->part_names.items[i - 1]) != 0)
			add_name(&names, b->part_names.items[i]);
	return end_names(seal, &names);
}

static void keep_earlier(int64_t *into, int64_t when)
{
	if (when != JOB_UNKNOWN && (*into == JOB_UNKNOWN || when < *into))
		*into = when;
}

/* Returns when the first thing was recorded; JOB_UNKNOWN. */
static int64_t first_record(const struct job *job)
{
	int64_t first = job->launched;

	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *member = &job->members[i];

		keep_earlier(&first, member->init_since);
		if (member->nops)
			keep_earlier(&first, member->ops[0].entered);
	}
	for (size_t i = 0; i < job->nspans; i++)
		keep_earlier(&first, job->spans[i].begun);
	for (size_t i = 0; i < job->nsteps; i++)
		keep_earlier(&first, job->steps[i].first);
	return first;
}

void seal_coverage(struct seal *seal)
{
	const struct job *job = seal->job;
	struct job_coverage coverage = {
		.ranks = expected_ranks(seal),
		.hosts = seal->b->expected_hosts,
		.hosts_seen = job->nhosts,
		.hosts_missing = missing_hosts(seal),
		.hosts_part = part_hosts(seal),
		.from = first_record(job),
		.to = job->gathered,
	};

	job_for_each_rank(job, rank) {
		coverage.ranks_seen += job_rank(job, rank)->process != JOB_NONE;
		coverage.kinds |= job_rank(job, rank)->knows;
	}
	seal->job->coverage = coverage;
}
