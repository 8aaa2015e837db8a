/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/storage-places.h"

#include <string.h>

#include "base/env.h"
#include "base/file.h"
#include "base/redact.h"
#include "base/str.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/cache-places.h"
#include "proc/mounts.h"

#define MOUNTINFO_CAP (4 << 20)

const struct storage_variable storage_variables[] = {
	{"DATA_DIR", STORAGE_FOR_DATA},
	{"HF_DATASETS_CACHE", STORAGE_FOR_DATA},
	{"HF_HOME", STORAGE_FOR_DATA},
	{"CHECKPOINT_DIR", STORAGE_FOR_CHECKPOINT},
	{"OUTPUT_DIR", STORAGE_FOR_CHECKPOINT},
	{"TORCHINDUCTOR_CACHE_DIR", STORAGE_FOR_CACHE},
	{"TRITON_CACHE_DIR", STORAGE_FOR_CACHE},
	{"TORCH_EXTENSIONS_DIR", STORAGE_FOR_CACHE},
	{"CUDA_CACHE_PATH", STORAGE_FOR_CACHE},
};
const size_t storage_nr_variables = sizeof(storage_variables) / sizeof(storage_variables[0]);

const char *storage_role_name(enum storage_role role)
{
	static const char *const names[STORAGE_ROLES] = {"data", "checkpoint", "cache", "work"};

	return names[role];
}

/* The list that is filled, and what paths are looked up in. */
struct listing {
	struct json_object *list;
	const char *mountinfo;
	const char *cwd;
};

/* Adds one path. `told` is false where the path itself may not be told. */
static void put_one(
	const struct listing *listing, enum storage_role role, const char *path, bool told)
{
	struct str named = {0}, whole = {0};
	char type[64], mount[256];

	if (!path || !*path)
		return;
	if (path[0] != '/')
		str_printf(&named, "%s/", listing->cwd);
	str_add(&named, path);
	mounts_follow(listing->mountinfo, named.text, &whole);
	/* What autofs will mount there is not known before somebody goes there. */
	if (mounts_of(listing->mountinfo, whole.text, type, mount) && strcmp(type, "autofs") != 0) {
		struct json_object *one = json_object_new_object();

		json_put_text(one, "for", storage_role_name(role));
		if (told)
			json_put_value(one, "path", named.text);
		json_put_text(one, "type", type);
		json_object_array_add(listing->list, one);
	}
	str_release(&named);
	str_release(&whole);
}

void storage_put(struct json_object *object, char *const *envp, const char *cwd)
{
	struct listing listing = {.cwd = cwd};
	struct cache_place place;
	struct str mountinfo = {0};

	if (file_read("/proc/self/mountinfo", MOUNTINFO_CAP, &mountinfo, NULL) < 0)
		return;
	listing.mountinfo = str_text(&mountinfo);
	listing.list = json_object_new_array();
	for (size_t i = 0; i < storage_nr_variables; i++)
		put_one(&listing, storage_variables[i].role,
			env_value(envp, storage_variables[i].name),
			redact_keeps_variable(storage_variables[i].name));
	for (size_t i = 0; caches_at(envp, i, &place); i++) {
		if (!place.given)
			put_one(&listing, STORAGE_FOR_CACHE, str_text(&place.path), true);
		str_release(&place.path);
	}
	put_one(&listing, STORAGE_FOR_WORK, cwd, true);
	json_object_object_add(object, "storage", listing.list);
	str_release(&mountinfo);
}
