/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists addresses on stacks by module: they are sorted, so that each module is gone through once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gather/stacks-module.h"
#include "proc/symbols/symbols.h"
#include "proc/threads/walk.h"

/* An address on a stack. */
struct stacks_place {
	struct module *module;
	uint64_t at; /* relative to the module */
	uint32_t pid;
};

struct stacks_places {
	ARRAY(struct stacks_place) all;
};

/* Adds an address, if a module has it. */
static void want_address(struct stacks_places *places, const struct modules *modules,
	const struct stack_maps *maps, uint64_t pc, uint32_t pid)
{
	const struct stack_map *map = stack_maps_find(maps, pc);
	struct module *module = map ? modules_find(modules, map) : NULL;
	struct stacks_place *place;
	uint64_t bias;

	if (!module || !module_bias(module, map, &bias))
		return;
	place = array_add(&places->all);
	place->module = module;
	place->at = pc - bias;
	place->pid = pid;
}

/* Adds all addresses on the stacks of a snapshot, which is walked if it was not before. */
static void want_snapshot(
	struct stacks_places *places, struct images *images, const struct snapshot *snapshot)
{
	/*
	 * Walking puts its findings into an arena: a separate one, since this snapshot is not ours.
	 */
	struct snapshot walked = *snapshot;
	struct stack_maps maps = {0};
	/*
	 * The process of a core is gone, and its pid may be another's: debug files are looked for
	 * as we see them.
	 */
	uint32_t pid = snapshot->mode == SNAPSHOT_OF_CORE ? 0 : snapshot->pid;

	if (snapshot->pcs && !snapshot->npcs)
		return;
	walked.arena = (struct arena){0};
	stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
	if (!walked.pcs)
		walk_snapshot(&walked, &maps, images);
	for (size_t i = 0; i < walked.npcs; i++)
		want_address(places, images_modules(images), &maps, walked.pcs[i], pid);
	stack_maps_release(&maps);
	arena_release(&walked.arena);
}

/* Orders by module, then by address. */
static int compare_places(const void *va, const void *vb)
{
	const struct stacks_place *a = va, *b = vb;

	if (a->module != b->module) {
		if (a->module->dev != b->module->dev)
			return a->module->dev < b->module->dev ? -1 : 1;
		if (a->module->ino != b->module->ino)
			return a->module->ino < b->module->ino ? -1 : 1;
		return strcmp(a->module->path, b->module->path);
	}
	return (a->at > b->at) - (a->at < b->at);
}

/* Takes over the run of equal modules from `from` on. Returns where it ends. */
static size_t want_module(
	struct stacks_wanteds *into, const struct stacks_places *places, size_t from)
{
	const struct stacks_place *first = &places->all.items[from];
	struct stacks_wanted *wanted = array_add(&into->all);
	size_t to = from;

	while (to < places->all.nr && places->all.items[to].module == first->module)
		to++;
	wanted->module = first->module;
	wanted->pid = first->pid;
	wanted->addresses = arena_new_many(&into->arena, uint64_t, to - from);
	for (size_t i = from; i < to; i++) {
		uint64_t at = places->all.items[i].at;

		if (!wanted->nr || wanted->addresses[wanted->nr - 1] != at)
			wanted->addresses[wanted->nr++] = at;
	}
	return to;
}

void stacks_want(struct stacks_wanteds *ret, struct images *images,
	const struct snapshot *snapshots, size_t nr)
{
	struct stacks_places places = {0};

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < nr; i++)
		want_snapshot(&places, images, &snapshots[i]);
	array_sort(&places.all, compare_places);
	for (size_t i = 0; i < places.all.nr;)
		i = want_module(ret, &places, i);
	array_release(&places.all);
}

void stacks_wanted_release(struct stacks_wanteds *wanteds)
{
	array_release(&wanteds->all);
	arena_release(&wanteds->arena);
}

void stacks_name(struct images *images, const struct stacks_wanted *wanted, struct arena *arena)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%u/root", wanted->pid);
	symbols_find(wanted->module, images_file(images, wanted->module),
		wanted->pid ? root : NULL, wanted->addresses, wanted->nr, arena);
}
