/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/launch-facts.h"

#include <stdlib.h>
#include <string.h>

#include "evidence/format/json-get.h"
#include "job/job.h"

static const char *text_of(const struct json_object *object, const char *key, struct arena *arena)
{
	const char *text = object ? json_get_text(object, key) : NULL;

	return text ? arena_text(arena, text) : "";
}

static int64_t number_of(const struct json_object *object, const char *key)
{
	int64_t n = JOB_UNKNOWN;

	return json_get_int(object, key, &n) && n >= 0 ? n : JOB_UNKNOWN;
}

/* Reads a list of texts; *known, where asked for, if there is one. */
static struct launch_texts texts_read(
	const struct json_object *object, const char *key, struct arena *arena, bool *known)
{
	size_t nr, n = 0;
	struct json_object *list = json_get_list(object, key, &nr);
	const char **at;

	if (nr > LAUNCH_LIST_MOST)
		nr = LAUNCH_LIST_MOST;
	at = arena_new_many(arena, const char *, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_is_type(one, json_type_string))
			at[n++] = arena_text(arena, json_object_get_string(one));
	}
	if (known)
		*known = list != NULL;
	return (struct launch_texts){at, n};
}

struct launch_cache *launch_caches_read(const struct json_object *object, const char *key,
	struct arena *arena, size_t *ret_n, bool *known)
{
	size_t nr, n = 0;
	struct json_object *list = json_get_list(object, key, &nr);
	struct launch_cache *caches;

	if (nr > LAUNCH_LIST_MOST)
		nr = LAUNCH_LIST_MOST;
	caches = arena_new_many(arena, struct launch_cache, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		struct launch_cache cache = {.path = text_of(one, "path", arena),
			.files = number_of(one, "files"),
			.bytes = number_of(one, "bytes")};
		int64_t complete;

		cache.cut = json_get_int(one, "complete", &complete) && !complete;
		if (*cache.path && cache.files != JOB_UNKNOWN)
			caches[n++] = cache;
	}
	*known = list != NULL;
	*ret_n = n;
	return caches;
}

/* Returns the room for an object's members, never 0. */
static size_t room_of(const struct json_object *object)
{
	int n = json_object_object_length(object);

	return n < 0 ? 1 : n > LAUNCH_LIST_MOST ? LAUNCH_LIST_MOST : (size_t)n + 1;
}

static int by_name(const void *va, const void *vb)
{
	const struct launch_variable *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

const struct launch_variable *launch_variables_read(const struct json_object *object,
	const char *key, struct arena *arena, size_t *ret_n, bool *known)
{
	struct json_object *list = json_get(object, key, json_type_object);
	struct launch_variable *all;
	size_t n = 0;

	*ret_n = 0;
	*known = list;
	if (!list)
		return NULL;
	all = arena_new_many(arena, struct launch_variable, room_of(list));
	json_object_object_foreach (list, name, value) {
		if (n < LAUNCH_LIST_MOST && json_object_is_type(value, json_type_string))
			all[n++] = (struct launch_variable){arena_text(arena, name),
				arena_text(arena, json_object_get_string(value))};
	}
	qsort(all, n, sizeof(*all), by_name);
	*ret_n = n;
	return all;
}

/* Reads resource limits by name. */
static void read_limits(
	const struct json_object *object, struct arena *arena, struct job_launch *ret)
{
	struct json_object *list = json_get(object, "limits", json_type_object);
	struct launch_limit *limits;
	size_t n = 0;

	if (!list)
		return;
	limits = arena_new_many(arena, struct launch_limit, room_of(list));
	json_object_object_foreach (list, name, value) {
		if (n < LAUNCH_LIST_MOST && json_object_is_type(value, json_type_int))
			limits[n++] = (struct launch_limit){
				arena_text(arena, name), json_object_get_int64(value)};
	}
	ret->limits = limits;
	ret->nlimits = n;
}

static int by_role(const void *va, const void *vb)
{
	const struct launch_storage *a = va, *b = vb;
	int order = strcmp(a->role, b->role);

	return order ? order : strcmp(a->type, b->type);
}

/* Reads what kinds of storage the job's folders are on, sorted. */
static void read_storage(
	const struct json_object *object, struct arena *arena, struct job_launch *ret)
{
	size_t nr, n = 0;
	struct json_object *list = json_get_list(object, "storage", &nr);
	struct launch_storage *all;

	if (nr > LAUNCH_STORAGE_MOST)
		nr = LAUNCH_STORAGE_MOST;
	all = arena_new_many(arena, struct launch_storage, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		all[n] = (struct launch_storage){text_of(one, "for", arena),
			text_of(one, "path", arena), text_of(one, "type", arena)};
		n += *all[n].role && *all[n].type;
	}
	qsort(all, n, sizeof(*all), by_role);
	ret->storage = all;
	ret->nstorage = n;
	ret->storage_known = list != NULL;
}

/* Reads the revision of the program's sources. */
static void read_git(const struct json_object *object, struct arena *arena, struct job_launch *ret)
{
	struct json_object *git = json_get(object, "git", json_type_object);
	int64_t dirty;

	ret->revision = text_of(git, "revision", arena);
	ret->branch = text_of(git, "branch", arena);
	ret->dirty = JOB_MAYBE;
	if (git && json_get_int(git, "dirty", &dirty))
		ret->dirty = dirty ? JOB_YES : JOB_NO;
}

void launch_read(const struct json_object *object, struct arena *arena, struct job_launch *ret)
{
	*ret = (struct job_launch){.job = text_of(object, "job", arena),
		.name = text_of(object, "name", arena),
		.host = text_of(object, "host", arena),
		.cwd = text_of(object, "cwd", arena),
		.kernel = text_of(object, "kernel", arena),
		.machine = text_of(object, "machine", arena),
		.image = text_of(object, "image", arena),
		.driver = text_of(object, "driver", arena),
		.launched = JOB_UNKNOWN,
		.memory = number_of(object, "memory"),
		.cpus = number_of(object, "cpus"),
		.cite = ""};
	json_get_time(object, "launched", &ret->launched);
	ret->argv = texts_read(object, "argv", arena, NULL);
	ret->withheld = texts_read(object, "env_withheld", arena, NULL);
	ret->forced = texts_read(object, "env_forced", arena, NULL);
	ret->gpus = texts_read(object, "gpus", arena, &ret->gpus_known);
	ret->caches = launch_caches_read(
		object, "caches", arena, &ret->ncaches, &ret->caches_known);
	ret->env = launch_variables_read(object, "env", arena, &ret->nenv, &ret->env_known);
	read_limits(object, arena, ret);
	read_storage(object, arena, ret);
	read_git(object, arena, ret);
}
