/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "ring/census.h"

struct map {
	const struct whole *whole;
	struct heap *heap;
	int n;
};

/* The host, from 0, of a world rank; of none: the first. */
static int host_of(const struct map *map, int world_rank)
{
	int ranks = (int)map->whole->job->nranks;

	return world_rank < 0 || world_rank >= ranks ? 0 : world_rank * map->n / ranks;
}

static int host_of_process(const struct map *map, uint32_t pid, uint64_t start_time)
{
	return host_of(map, whole_rank_of_process(map->whole, NULL, pid, start_time));
}

static char *host_name(const struct map *map, int host)
{
	return arena_printf(&map->heap->arena, "m%d", host + 1);
}

/* --- What is of a host as a whole: each host's part ------------------------------------------- */

static void part_of_census(const struct map *map, struct exhibit *exhibit, int host)
{
	struct census_header *header = heap_own(map->heap, exhibit);
	struct census_slot *slots = (struct census_slot *)(header + 1);

	if (exhibit->len < sizeof(*header))
		return;
	for (size_t i = 0; i < (exhibit->len - sizeof(*header)) / sizeof(*slots); i++)
		if (slots[i].state != CENSUS_FREE &&
			host_of_process(map, slots[i].pid, slots[i].start_time) != host)
			memset(&slots[i], 0, sizeof(slots[i]));
}

/* Of a list of processes those of this host. */
static void part_of_list(
	const struct map *map, struct json_object *document, const char *key, int host)
{
	struct json_object *list, *pid, *start;

	if (!json_object_object_get_ex(document, key, &list))
		return;
	for (size_t i = json_object_array_length(list); i-- > 0;) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_object_get_ex(one, "pid", &pid) &&
			json_object_object_get_ex(one, "start_time", &start) &&
			host_of_process(map, (uint32_t)json_object_get_int64(pid),
				(uint64_t)json_object_get_int64(start)) != host)
			json_object_array_del_idx(list, i, 1);
	}
}

static void part_of_document(const struct map *map, struct exhibit *exhibit, int host)
{
	struct json_object *document = heap_open(exhibit);

	if (!document)
		return;
	if (json_object_object_get_ex(document, "host", NULL))
		json_object_object_add(
			document, "host", json_object_new_string(host_name(map, host)));
	part_of_list(map, document, "processes", host);
	part_of_list(map, document, "exits", host);
	heap_close(map->heap, exhibit, document);
}

static bool is_of_all(const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_GATHER || exhibit->kind == EXHIBIT_CENSUS ||
	       exhibit->kind == EXHIBIT_HISTORY || exhibit->kind == EXHIBIT_EXIT ||
	       exhibit->kind == EXHIBIT_MANIFEST || exhibit->kind == EXHIBIT_RECEIPT ||
	       exhibit->kind == EXHIBIT_CGROUP || exhibit->kind == EXHIBIT_MODULE;
}

/* The agent has no rank, and is on every host. */
static bool is_of_agent(const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_LIVENESS &&
	       memmem(exhibit->bytes, exhibit->len, "\"agent\"", 7);
}

static void give_part(const struct map *map, size_t at, int host)
{
	struct exhibit *exhibit = &map->heap->all.items[at];

	exhibit->host = host_name(map, host);
	if (exhibit->kind == EXHIBIT_CENSUS)
		part_of_census(map, exhibit, host);
	else if (exhibit->kind != EXHIBIT_CGROUP && exhibit->kind != EXHIBIT_MODULE &&
		 exhibit->kind != EXHIBIT_LIVENESS)
		part_of_document(map, exhibit, host);
}

bool spread(const struct whole *whole, struct heap *heap, int n)
{
	const struct map map = {whole, heap, n};
	size_t before = heap->all.nr;
	const char *hosts[2];

	if (n < 2 || spread_hosts(heap, hosts, 2) != 1 || whole->job->nranks < (size_t)n)
		return false;
	for (size_t i = 0; i < before; i++) {
		const struct exhibit exhibit = heap->all.items[i];

		if (exhibit.kind == EXHIBIT_FLIGHT)
			continue;
		if (!is_of_all(&exhibit) && !is_of_agent(&exhibit)) {
			heap->all.items[i].host = host_name(
				&map, host_of_process(&map, exhibit.pid, exhibit.start_time));
			continue;
		}
		for (int host = 1; host < n; host++)
			give_part(&map, heap_add_like(heap, &exhibit), host);
		give_part(&map, i, 0);
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t spread_hosts(const struct heap *heap, const char **hosts, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < heap->all.nr; i++) {
		const char *host = heap->all.items[i].host;
		bool known = !*host;

		for (size_t k = 0; k < n && !known; k++)
			known = !strcmp(hosts[k], host);
		if (!known && n < room)
			hosts[n++] = host;
	}
	qsort(hosts, n, sizeof(*hosts), compare_names);
	return n;
}
