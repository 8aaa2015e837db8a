/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/cache-seed.h"

#include <dirent.h>
#include <string.h>

#include "base/str.h"
#include "evidence/gather/cache-places.h"
#include "evidence/gather/receipt-look.h"
#include "preflight/check.h"

int cache_seed_devices(const char *inductor)
{
	struct str path = {0};
	const struct dirent *entry;
	int nr = 0;
	DIR *dir;

	str_printf(&path, "%s/triton", inductor);
	dir = opendir(path.text);
	str_release(&path);
	while (dir && (entry = readdir(dir)))
		nr += strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
	if (dir)
		closedir(dir);
	return nr ? nr : -1;
}

/* Returns what compiles into the place of this variable. */
static const char *compiler_of(const char *variable)
{
	return !strncmp(variable, "TORCHINDUCTOR", 13) ? "Inductor"
		: !strncmp(variable, "TRITON", 6)      ? "Triton"
							: "CUDA";
}

/*
 * Adds a cold cache to those that are told together: "Inductor cache is empty, Triton cache is not
 * there".
 */
static void add_cold(const char *compiler, const struct look_tree *tree, struct str *cold)
{
	str_printf(cold, "%s%s cache is %s", cold->len ? ", " : "", compiler,
		tree->exists ? "empty" : "not there");
}

/* Says how full one cache is; or adds it to the cold ones. */
static void judge_seed(const struct preflight_wish *wish, const struct cache_place *place,
	const struct look_tree *tree, struct str *cold, struct check_sink *sink)
{
	const char *compiler = compiler_of(place->variable), *path = place->path.text;
	int devices = !strcmp(compiler, "Inductor") ? cache_seed_devices(path) : -1;
	const char *more = tree->complete ? "" : "more than ";

	if (tree->files == 0)
		add_cold(compiler, tree, cold);
	else if (devices > 0 && wish->ranks > devices)
		check_say(sink, PREFLIGHT_WARN, path,
			"let each rank compile once before the run that counts",
			"%s cache: %s%lld files, made by %d rank%s: %d of %d ranks compile cold",
			compiler, more, (long long)tree->files, devices, devices == 1 ? "" : "s",
			wish->ranks - devices, wish->ranks);
	else if (devices > 0)
		check_say(sink, PREFLIGHT_OK, path, NULL,
			"%s cache: %s%lld files, made by %d ranks", compiler, more,
			(long long)tree->files, devices);
	else
		check_say(sink, PREFLIGHT_OK, path, NULL,
			"%s cache: %s%lld files, %.1f MB; made by how many ranks is not known",
			compiler, more, (long long)tree->files, (double)tree->bytes / 1e6);
}

void check_caches(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	struct cache_place place;
	struct str cold = {0};

	(void)arg;
	for (size_t i = 0; caches_at(wish->env, i, &place); i++) {
		if (place.path.len) {
			struct look_tree tree = look_at_tree(place.path.text);

			judge_seed(wish, &place, &tree, &cold, sink);
		}
		str_release(&place.path);
	}
	if (cold.len)
		check_say(sink, PREFLIGHT_NONE, "caches", NULL,
			"%s: what is compiled for them starts cold on all ranks", cold.text);
	str_release(&cold);
}
