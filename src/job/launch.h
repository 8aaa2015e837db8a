/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h: what was launched, where and with what, as the agent saw it before the first import.
 * Each host of a job has its own, and so has each `inquest run` on it.
 *
 * Texts are never NULL; "" is unknown, as are JOB_UNKNOWN and JOB_MAYBE. An environment is known by
 * an allow-list: what is neither here nor withheld was not set, if `env_known` says so.
 */
#ifndef JOB_LAUNCH_H
#define JOB_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_variable {
	const char *name, *value;
};

/* A limit of the process (ulimit); what is unlimited has no row. */
struct launch_limit {
	const char *name;
	int64_t n;
};

/* A compile cache at one moment. */
struct launch_cache {
	const char *path;
	int64_t files, bytes;
	bool cut; /* counting was cut short: there are more */
};

/* What a path of the job lies on: a role ("data", "cache"), and the type of a file system. */
struct launch_storage {
	const char *role, *path, *type; /* path: "" where it is not told */
};

struct launch_texts {
	const char *const *at;
	size_t n;
};

struct job_launch {
	const char *job, *name, *host;
	const char *cwd, *kernel, *machine, *image, *driver;
	const char *revision, *branch;
	int dirty; /* tracked files were changed: enum job_known */
	int64_t launched; /* realtime ns */
	int64_t memory, cpus;
	struct launch_texts argv;
	bool env_known;
	const struct launch_variable *env; /* by name */
	size_t nenv;
	struct launch_texts withheld; /* names of variables whose values are not kept */
	struct launch_texts forced;   /* names of those that inquest has set for its probe */
	bool caches_known;
	const struct launch_cache *caches;
	size_t ncaches;
	const struct launch_limit *limits;
	size_t nlimits;
	bool storage_known;
	const struct launch_storage *storage; /* by role, then by type */
	size_t nstorage;
	bool gpus_known;
	struct launch_texts gpus; /* models, a text for each device of the host */
	const char *cite;
};

/*
 * Returns the i-th type of file system on which paths of that role lie, each once, by name; NULL:
 * there are no more.
 */
const char *launch_storage_type(const struct job_launch *launch, const char *role, size_t i);

/* Returns the value of a variable; NULL where it was not set, or is not known. */
const char *launch_variable(const struct job_launch *launch, const char *name);

/* Returns the cache at that path among these; NULL where nobody has counted it. */
const struct launch_cache *launch_cache(
	const struct launch_cache *caches, size_t ncaches, const char *path);

#endif
