/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/stacks/walked.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static bool has_news(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nthreads; i++)
		if (snapshot->threads[i].how != SNAPSHOT_UNMOVED)
			return true;
	return false;
}

/* Returns the names of the files whose code is mapped, as job.h has them. */
static const char *modules_of(const struct stack_maps *maps, struct arena *arena)
{
	const struct stack_map *map;
	const char *before = "", *ret;
	struct str names = {0};

	array_for_each (&maps->all, map) {
		const char *name = strrchr(map->path, '/');

		if (!map->executable || !name || !strcmp(name, before))
			continue;
		str_add(&names, name);
		before = name;
	}
	if (names.len)
		str_add_char(&names, '/');
	ret = arena_text(arena, str_text(&names));
	str_release(&names);
	return ret;
}

struct walked *walked_new(const struct exhibit *exhibit, const struct decode_host *host)
{
	struct walked *walked = alloc_zeroed(1, sizeof(*walked));
	struct snapshot *snapshot = &walked->snapshot;

	walked->status = stacks_read(exhibit, snapshot, &walked->why);
	snapshot->when = exhibit->when;
	walked->walking = (struct walking){.snapshot = snapshot, .arena = &walked->arena};
	walked->news = has_news(snapshot);
	if (!walked->news)
		return walked;
	walked->threads = alloc_zeroed(snapshot->nthreads, sizeof(*walked->threads));
	walking_begin(&walked->walking, host);
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		walked->threads[i].fact.cut = "";
		if (snapshot->threads[i].how != SNAPSHOT_UNMOVED)
			walking_read(&walked->walking, &snapshot->threads[i], &walked->threads[i]);
	}
	if (walked->walking.maps.all.nr)
		walked->modules = modules_of(&walked->walking.maps, &walked->arena);
	walking_stop(&walked->walking);
	excerpt_free(snapshot->memory);
	snapshot->memory = NULL;
	return walked;
}

void walked_free(struct walked *walked)
{
	if (!walked)
		return;
	if (walked->news)
		walking_end(&walked->walking);
	snapshot_release(&walked->snapshot);
	complaint_release(&walked->why);
	arena_release(&walked->arena);
	free(walked->threads);
	free(walked);
}
