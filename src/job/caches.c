/* SPDX-License-Identifier: Apache-2.0 */
#include "job/caches.h"

#include <string.h>

#include "job/spans.h"

#define TRAIT_FILES "cache"	  /* path, files; "none" alone */
#define TRAIT_BYTES "cache-bytes" /* "at least" or nothing, bytes */

/*
 * Takes what the process counted itself. True if it says anything: found->path stays NULL where it
 * says that it has no cache.
 */
static bool find_told(const struct job *job, struct rank_index rank, struct cache_found *found)
{
	struct spans_range traits = traits_of(job, rank);
	bool none = false;

	for (size_t i = traits.from; i < traits.to; i++) {
		const struct job_trait *trait = &job->traits[i];

		if (!strcmp(trait->key, TRAIT_FILES) && trait->number == JOB_UNKNOWN) {
			none = !strcmp(trait->text, "none");
		} else if (!strcmp(trait->key, TRAIT_FILES)) {
			found->path = trait->text;
			found->files = trait->number;
			found->cite = trait->cite;
		} else if (!strcmp(trait->key, TRAIT_BYTES)) {
			found->bytes = trait->number;
			found->cut = *trait->text != '\0';
		}
	}
	return found->path || none;
}

/* True if the path is that of a cache from which PyTorch takes its kernels. */
static bool is_of_torch(const char *path)
{
	return strstr(path, "torchinductor") || strstr(path, "triton") ||
	       strstr(path, "ComputeCache");
}

/* True if the rank names its frameworks, and PyTorch is none of them. */
static bool knows_no_torch(const struct job *job, struct rank_index rank)
{
	struct spans_range traits = traits_of(job, rank);
	bool other = false;

	for (size_t i = traits.from; i < traits.to; i++) {
		if (strcmp(job->traits[i].key, "framework") != 0)
			continue;
		if (!strncmp(job->traits[i].text, "torch", strlen("torch")))
			return false;
		other = true;
	}
	return other;
}

struct cache_found caches_found(const struct job *job, struct rank_index rank)
{
	struct cache_found found = {.files = JOB_UNKNOWN, .bytes = JOB_UNKNOWN, .cite = "caches"};
	struct spans_range caches = caches_of(job, rank);
	bool other = knows_no_torch(job, rank);

	if (find_told(job, rank, &found))
		return found;
	for (size_t i = caches.from; i < caches.to; i++) {
		const struct job_cache *cache = &job->caches[i];

		if (cache->files != JOB_UNKNOWN && cache->files > found.files &&
			!(other && is_of_torch(cache->path)))
			found = (struct cache_found){.path = cache->path,
				.files = cache->files,
				.bytes = cache->bytes,
				.cite = cache->cite};
	}
	return found;
}

void caches_of_others(
	const struct job *job, struct rank_index rank, int64_t *ret_least, int64_t *ret_most)
{
	*ret_least = *ret_most = JOB_UNKNOWN;
	job_for_each_rank(job, at) {
		struct cache_found other = caches_found(job, at);

		if (same_rank(at, rank) || !other.path || other.files == JOB_UNKNOWN)
			continue;
		if (*ret_least == JOB_UNKNOWN || other.files < *ret_least)
			*ret_least = other.files;
		if (other.files > *ret_most)
			*ret_most = other.files;
	}
}

int64_t caches_most(const struct job *job)
{
	int64_t least, most;

	caches_of_others(job, NO_RANK, &least, &most);
	return most;
}

enum cache_state caches_state(const struct cache_found *found, int64_t most)
{
	if (!found->path || found->files == JOB_UNKNOWN)
		return CACHE_UNKNOWN;
	if (!found->files)
		return CACHE_COLD;
	return !found->cut && most != JOB_UNKNOWN && found->files < most / 2 ? CACHE_PARTIAL
									      : CACHE_WARM;
}

const char *caches_state_name(enum cache_state state)
{
	static const char *const names[] = {NULL, "cold", "partial", "warm"};

	return names[state];
}
