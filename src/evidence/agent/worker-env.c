/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/worker-env.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/env.h"
#include "base/redact.h"
#include "base/str.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/cache-places.h"
#include "evidence/gather/receipt-gather.h"

/* An environment, as pointers into one block of text. */
struct worker_env {
	ARRAY(char *) all; /* NULL-ended */
	char *text;
};

/* Splits the bytes into variables. The caller releases `all` and frees `text`. */
static void worker_parse(struct worker_env *env, const char *bytes, size_t len)
{
	env->text = alloc_zeroed(1, len + 1);
	memcpy(env->text, bytes, len);
	for (size_t at = 0; at < len; at += strlen(env->text + at) + 1)
		if (strchr(env->text + at, '='))
			*array_add(&env->all) = env->text + at;
	*array_add(&env->all) = NULL;
}

/* Adds one variable ("NAME=VALUE"), if a receipt may hold it and the launch has not the same. */
static void worker_put_one(
	struct json_object *object, const char *variable, char *const *launch)
{
	const char *value = strchr(variable, '=') + 1, *before;
	struct str name = {0};

	str_add_bytes(&name, variable, (size_t)(value - variable) - 1);
	before = env_value(launch, str_text(&name));
	if (redact_keeps_variable(str_text(&name)) && (!before || strcmp(before, value) != 0))
		json_put_value(object, name.text, value);
	str_release(&name);
}

/* True if a variable differs that tells where compile caches are. */
static bool worker_has_own_caches(char *const *envp, char *const *launch)
{
	static const char *const names[] = {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
		"TRITON_HOME", "CUDA_CACHE_PATH", "HOME", "TMPDIR", "USER", "LOGNAME"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *mine = env_value(envp, names[i]);
		const char *its = env_value(launch, names[i]);

		if (!mine != !its || (mine && strcmp(mine, its) != 0))
			return true;
	}
	return false;
}

void worker_env_put(struct json_object *object, const char *bytes, size_t len, char *const *launch)
{
	struct json_object *list = json_object_new_object();
	struct worker_env env = {0};

	worker_parse(&env, bytes, len);
	for (size_t i = 0; i + 1 < env.all.nr; i++)
		worker_put_one(list, env.all.items[i], launch);
	json_object_object_add(object, "env", list);
	if (env.all.nr > 1 && worker_has_own_caches(env.all.items, launch))
		caches_put(object, env.all.items);
	array_release(&env.all);
	free(env.text);
}
