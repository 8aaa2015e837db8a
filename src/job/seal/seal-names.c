/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names groups for people: by what their makers called them, and by what ranks tell of them in
 * traits ("group-desc:NAME" is what people call the group of that name).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/backends.h"
#include "job/rollcall.h"
#include "job/seal/seal.h"

#define TOLD "group-desc:"

/* -- what is told ------------------------------------------------------------------------------ */

/* What is told of one group: the trait's key and text. */
struct telling {
	const char *key;
	const char *text;
};

struct tellings {
	ARRAY(struct telling) list; /* by key, each once */
};

static int compare_tellings(const void *va, const void *vb)
{
	const struct telling *a = va, *b = vb;

	SEAL_ORDER_TEXT(a->key, b->key);
	SEAL_ORDER_TEXT(a->text, b->text);
	return 0;
}

/*
 * Collects what is told, one text per key: the smallest, since ranks should agree, and the order of
 * arrival must not matter.
 */
static void collect_tellings(const struct seal *seal, struct tellings *all)
{
	size_t n = 0;

	for (size_t i = 0; i < seal->b->traits.nr; i++) {
		const struct job_trait *trait = &seal->b->traits.items[i].fact;

		if (!strncmp(trait->key, TOLD, strlen(TOLD)) && *trait->text)
			*array_add(&all->list) = (struct telling){trait->key, trait->text};
	}
	array_sort(&all->list, compare_tellings);
	for (size_t i = 0; i < all->list.nr; i++)
		if (!n || strcmp(all->list.items[n - 1].key, all->list.items[i].key) != 0)
			array_keep(all->list.items, n, i);
	all->list.nr = n;
}

/* Returns what is told of the group with that name; "" nothing. */
static const char *told_of(const struct tellings *all, const char *name)
{
	const struct telling *list = all->list.items;
	size_t at = bisect(0, all->list.nr, i, strcmp(list[i].key + strlen(TOLD), name) < 0);

	return *name && at < all->list.nr && !strcmp(list[at].key + strlen(TOLD), name)
		       ? list[at].text
		       : "";
}

/* -- names ------------------------------------------------------------------------------------- */

/* True if the name tells people nothing: it is a number, or PyTorch's name of the first group. */
static bool is_plain_name(const char *name)
{
	return !strcmp(name, "default_pg") || name[strspn(name, "0123456789")] == '\0';
}

/* True if a group is of all ranks, and has no name of its own. */
static bool is_world(const struct seal *seal, const struct job_group *group)
{
	return group->sized && group->size == seal->job->nranks && is_plain_name(group->name);
}

/* Groups of all ranks of one maker. */
struct worlds {
	const char *maker;
	int roots;     /* those that were not split off */
	int before[2]; /* of those before the one at hand: not split off, split off */
};

struct all_worlds {
	ARRAY(struct worlds) list;
};

static struct worlds *worlds_of(struct all_worlds *all, const char *maker)
{
	struct worlds *worlds;

	array_for_each(&all->list, worlds)
		if (!strcmp(worlds->maker, maker))
			return worlds;
	worlds = array_add(&all->list);
	worlds->maker = maker;
	return worlds;
}

static void count_worlds(const struct seal *seal, struct all_worlds *all)
{
	for (size_t i = 0; i < seal->job->ngroups; i++)
		if (!seal->groups[i].parent && is_world(seal, &seal->groups[i]))
			worlds_of(all, seal->groups[i].maker)->roots++;
}

/*
 * Returns how many groups of all ranks come before this one, of those asked for in order, and would
 * be called "world", too: of the same maker, made likewise or before any split.
 */
static int worlds_before(struct all_worlds *all, const struct job_group *group)
{
	struct worlds *worlds = worlds_of(all, group->maker);
	int before = worlds->before[group->parent != 0]++;

	return group->parent ? worlds->roots + before : before;
}

/*
 * Returns a group's name: what is told of it; "world" for a group of all ranks; else its own name,
 * or the head of its key.
 */
static const char *name_of(const struct seal *seal, const struct tellings *all,
	struct all_worlds *worlds, size_t at)
{
	const struct job_group *group = &seal->groups[at];
	const char *desc = told_of(all, group->name);
	bool plain = is_plain_name(group->name), world = is_world(seal, group);
	int before = world ? worlds_before(worlds, group) : 0;

	if (*desc && !is_plain_name(desc) && strcmp(desc, "undefined") != 0)
		return desc;
	if (world && group->size >= 2)
		return before ? arena_printf(seal->arena, "world#%d", before + 1) : "world";
	if (!*group->name)
		return arena_printf(seal->arena, "g%04x", (unsigned)(group->key >> 48));
	return plain ? arena_printf(seal->arena, "pg %s", group->name) : group->name;
}

/*
 * True if groups of several makers exist, so that a name alone would not tell which one is meant.
 */
static bool makers_differ(const struct seal *seal)
{
	const char *first = NULL;

	for (size_t i = 0; i < seal->job->ngroups; i++) {
		const struct job_group *group = &seal->groups[i];

		if (rollcall_is_bootstrap(group))
			continue;
		if (first && strcmp(first, group->maker) != 0)
			return true;
		first = group->maker;
	}
	return false;
}

static void name_groups(struct seal *seal, const struct tellings *all)
{
	size_t n = seal->job->ngroups;
	const char **names = alloc_zeroed(n + 1, sizeof(*names));
	bool differ = makers_differ(seal);
	struct all_worlds worlds = {0};

	count_worlds(seal, &worlds);
	for (size_t i = 0; i < n; i++) {
		const struct job_group *group = &seal->groups[i];

		names[i] = name_of(seal, all, &worlds, i);
		if (differ && !backend_has(group->maker, BACKEND_USUAL) &&
			!rollcall_is_bootstrap(group))
			names[i] = arena_printf(seal->arena, "%s (%s)", names[i], group->maker);
	}
	for (size_t i = 0; i < n; i++)
		seal->groups[i].name = names[i];
	array_release(&worlds.list);
	free(names);
}

void seal_names(struct seal *seal)
{
	struct tellings all = {0};

	collect_tellings(seal, &all);
	name_groups(seal, &all);
	array_release(&all.list);
}
