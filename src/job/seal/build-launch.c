/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal/raw.h"

static struct launch_texts keep_texts(struct job_builder *b, const struct launch_texts *from)
{
	const char **at = arena_new_many(&b->arena, const char *, from->n + 1);

	for (size_t i = 0; i < from->n; i++)
		at[i] = raw_intern(b, from->at[i]);
	return (struct launch_texts){at, from->n};
}

static void keep_env(struct job_builder *b, struct job_launch *into, const struct job_launch *from)
{
	struct launch_variable *env =
		arena_new_many(&b->arena, struct launch_variable, from->nenv + 1);

	for (size_t i = 0; i < from->nenv; i++)
		env[i] = (struct launch_variable){
			raw_intern(b, from->env[i].name), raw_intern(b, from->env[i].value)};
	into->env = env;
}

static void keep_lists(
	struct job_builder *b, struct job_launch *into, const struct job_launch *from)
{
	struct launch_cache *caches =
		arena_copy(&b->arena, from->caches, from->ncaches * sizeof(*caches));
	struct launch_limit *limits =
		arena_copy(&b->arena, from->limits, from->nlimits * sizeof(*limits));
	struct launch_storage *storage =
		arena_copy(&b->arena, from->storage, from->nstorage * sizeof(*storage));

	for (size_t i = 0; i < from->nstorage; i++)
		storage[i] = (struct launch_storage){raw_intern(b, storage[i].role),
			raw_intern(b, storage[i].path), raw_intern(b, storage[i].type)};
	for (size_t i = 0; i < from->ncaches; i++)
		caches[i].path = raw_intern(b, caches[i].path);
	for (size_t i = 0; i < from->nlimits; i++)
		limits[i].name = raw_intern(b, limits[i].name);
	into->caches = caches;
	into->limits = limits;
	into->storage = storage;
}

void job_add_launched(struct job_builder *b, const struct job_launch *launch)
{
	struct job_launch *into = array_add(&b->launches);
	const char **const texts[] = {&into->job, &into->name, &into->host, &into->cwd,
		&into->kernel, &into->machine, &into->image, &into->driver, &into->revision,
		&into->branch, &into->cite};

	*into = *launch;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		*texts[i] = raw_intern(b, *texts[i]);
	into->argv = keep_texts(b, &launch->argv);
	into->withheld = keep_texts(b, &launch->withheld);
	into->forced = keep_texts(b, &launch->forced);
	into->gpus = keep_texts(b, &launch->gpus);
	keep_env(b, into, launch);
	keep_lists(b, into, launch);
}
