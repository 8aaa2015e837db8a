/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/cache-places.h"

#include <string.h>

#include "base/env.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/receipt-look.h"

/* Returns the value of the first of these variables that is set and not empty. */
static const char *caches_first(
	char *const *envp, const char *const *names, const char *otherwise)
{
	for (; *names; names++) {
		const char *value = env_value(envp, *names);

		if (value && *value)
			return value;
	}
	return otherwise;
}

/*
 * Appends Inductor's default: in Python's temporary folder, by the user that the variables of
 * getpass name.
 */
static void caches_of_inductor(char *const *envp, struct str *path)
{
	static const char *const folders[] = {"TMPDIR", "TEMP", "TMP", NULL};
	static const char *const users[] = {"LOGNAME", "USER", "LNAME", "USERNAME", NULL};

	str_printf(path, "%s/torchinductor_%s", caches_first(envp, folders, "/tmp"),
		caches_first(envp, users, "root"));
}

static void caches_of_triton(char *const *envp, struct str *path)
{
	static const char *const homes[] = {"TRITON_HOME", "HOME", NULL};
	const char *home = caches_first(envp, homes, NULL);

	if (home)
		str_printf(path, "%s/.triton/cache", home);
}

static void caches_of_cuda(char *const *envp, struct str *path)
{
	const char *home = env_value(envp, "HOME");

	if (home)
		str_printf(path, "%s/.nv/ComputeCache", home);
}

/* How each compiler finds its cache: by a variable, else by a rule of its own. */
static const struct {
	const char *variable;
	void (*otherwise)(char *const *envp, struct str *path);
} caches[] = {
	{"TORCHINDUCTOR_CACHE_DIR", caches_of_inductor},
	{"TRITON_CACHE_DIR", caches_of_triton},
	{"CUDA_CACHE_PATH", caches_of_cuda},
};

bool caches_at(char *const *envp, size_t i, struct cache_place *ret)
{
	const char *given;

	if (i >= sizeof(caches) / sizeof(caches[0]))
		return false;
	given = env_value(envp, caches[i].variable);
	*ret = (struct cache_place){.variable = caches[i].variable, .given = given && *given};
	if (ret->given)
		str_add(&ret->path, given);
	else
		caches[i].otherwise(envp, &ret->path);
	return true;
}

static struct json_object *cache_object(const struct cache_place *place)
{
	struct json_object *one = json_object_new_object();
	struct look_tree tree = look_at_tree(place->path.text);

	json_put_text(one, "variable", place->variable);
	json_put_text(one, "path", place->path.text);
	json_put_int(one, "given", place->given);
	json_put_int(one, "exists", tree.exists);
	json_put_int(one, "files", tree.files);
	json_put_int(one, "bytes", tree.bytes);
	json_put_int(one, "complete", tree.complete);
	return one;
}

void caches_put(struct json_object *object, char *const *envp)
{
	struct json_object *list = json_object_new_array();
	struct cache_place place;

	for (size_t i = 0; caches_at(envp, i, &place); i++) {
		if (place.path.len)
			json_object_array_add(list, cache_object(&place));
		str_release(&place.path);
	}
	json_object_object_add(object, "caches", list);
}
