/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "clocks.h"
#include "past.h"
#include "ring/census.h"
#include "spread.h"

#define HOSTS  16
#define OLD_NS (120 * CLOCK_NS_PER_S)
#define WORD   256

struct walk {
	const struct whole *whole;
	struct heap *heap;
	const char *words; /* behind the step's colon */
};

/* True if a list "1+3" has this number, a list "ring+census" this word. */
static bool lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at; at = strchr(at, '+')) {
		at += *at == '+';
		if (!strncmp(at, word, len) && (!at[len] || at[len] == '+' || at[len] == ':'))
			return true;
	}
	return false;
}

static bool lists_number(const char *list, int number)
{
	char word[16];

	snprintf(word, sizeof(word), "%d", number);
	return lists(list, word);
}

/* Leaves out all of which `is` holds. */
static bool drop_each(
	struct walk *walk, bool (*is)(const struct walk *walk, const struct exhibit *exhibit))
{
	for (size_t i = walk->heap->all.nr; i-- > 0;)
		if (is(walk, &walk->heap->all.items[i]))
			heap_drop(walk->heap, i);
	return true;
}

/* --- Hosts ------------------------------------------------------------------------------------ */

static bool step_spread(struct walk *walk)
{
	return spread(walk->whole, walk->heap, atoi(walk->words));
}

static bool step_hosts(struct walk *walk)
{
	const char *hosts[HOSTS];
	size_t n = spread_hosts(walk->heap, hosts, HOSTS);

	for (size_t h = 0; h < n; h++)
		for (size_t i = walk->heap->all.nr; i-- > 0;)
			if (!lists_number(walk->words, (int)h) &&
				!strcmp(walk->heap->all.items[i].host, hosts[h]))
				heap_drop(walk->heap, i);
	return n > 1;
}

static bool step_clock(struct walk *walk)
{
	const char *hosts[HOSTS];
	size_t n = spread_hosts(walk->heap, hosts, HOSTS), host = (size_t)atoi(walk->words);
	const char *by = strchr(walk->words, ':');

	if (host >= n || !by)
		return false;
	clocks_shift(walk->heap, hosts[host], atoll(by + 1) * CLOCK_NS_PER_MS);
	return true;
}

/* --- Ranks ------------------------------------------------------------------------------------ */

static bool is_of_listed(const struct walk *walk, const struct exhibit *exhibit)
{
	int rank = whole_rank_of(walk->whole, exhibit);

	return rank >= 0 && lists_number(walk->words, rank);
}

static bool is_of_others(const struct walk *walk, const struct exhibit *exhibit)
{
	int rank = whole_rank_of(walk->whole, exhibit);

	return rank >= 0 && !lists_number(walk->words, rank);
}

static bool is_proc(const struct exhibit *exhibit)
{
	return !strncmp(exhibit->kind_name, "proc-", 5) || exhibit->kind == EXHIBIT_LIVENESS;
}

static bool is_of_listed_not_ring(const struct walk *walk, const struct exhibit *exhibit)
{
	return is_of_listed(walk, exhibit) && exhibit->kind != EXHIBIT_RING;
}

static bool is_of_listed_not_proc(const struct walk *walk, const struct exhibit *exhibit)
{
	return is_of_listed(walk, exhibit) && !is_proc(exhibit);
}

static bool is_of_listed_not_stacks(const struct walk *walk, const struct exhibit *exhibit)
{
	return is_of_listed(walk, exhibit) && exhibit->kind != EXHIBIT_STACKS;
}

static bool step_rank(struct walk *walk)
{
	return drop_each(walk, is_of_listed);
}

static bool step_only(struct walk *walk)
{
	return drop_each(walk, is_of_others);
}

static bool step_ring_of(struct walk *walk)
{
	return drop_each(walk, is_of_listed_not_ring);
}

static bool step_proc_of(struct walk *walk)
{
	return drop_each(walk, is_of_listed_not_proc);
}

static bool step_stacks_of(struct walk *walk)
{
	return drop_each(walk, is_of_listed_not_stacks);
}

static bool is_listed_process(const struct walk *walk, uint32_t pid, uint64_t start_time)
{
	int rank = whole_rank_of_process(walk->whole, NULL, pid, start_time);

	return rank >= 0 && lists_number(walk->words, rank);
}

static void forget_in_census(struct walk *walk, struct exhibit *exhibit)
{
	struct census_header *header = heap_own(walk->heap, exhibit);
	struct census_slot *slots = (struct census_slot *)(header + 1);

	if (exhibit->len < sizeof(*header))
		return;
	for (size_t i = 0; i < (exhibit->len - sizeof(*header)) / sizeof(*slots); i++)
		if (slots[i].state != CENSUS_FREE &&
			is_listed_process(walk, slots[i].pid, slots[i].start_time))
			memset(&slots[i], 0, sizeof(slots[i]));
}

static void forget_in_list(struct walk *walk, struct exhibit *exhibit, const char *key)
{
	struct json_object *document = heap_open(exhibit);
	struct json_object *list, *pid, *start;

	if (!json_object_object_get_ex(document, key, &list)) {
		json_object_put(document);
		return;
	}
	for (size_t i = json_object_array_length(list); i-- > 0;) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_object_get_ex(one, "pid", &pid) &&
			json_object_object_get_ex(one, "start_time", &start) &&
			is_listed_process(walk, (uint32_t)json_object_get_int64(pid),
				(uint64_t)json_object_get_int64(start)))
			json_object_array_del_idx(list, i, 1);
	}
	heap_close(walk->heap, exhibit, document);
}

static bool step_gone(struct walk *walk)
{
	for (size_t i = 0; i < walk->heap->all.nr; i++) {
		struct exhibit *exhibit = &walk->heap->all.items[i];

		if (exhibit->kind == EXHIBIT_CENSUS)
			forget_in_census(walk, exhibit);
		if (exhibit->kind == EXHIBIT_HISTORY)
			forget_in_list(walk, exhibit, "processes");
		if (exhibit->kind == EXHIBIT_EXIT)
			forget_in_list(walk, exhibit, "exits");
	}
	return drop_each(walk, is_of_listed);
}

/* --- Kinds ------------------------------------------------------------------------------------ */

static bool is_listed_kind(const struct walk *walk, const struct exhibit *exhibit)
{
	return lists(walk->words, exhibit->kind_name);
}

static bool is_other_kind(const struct walk *walk, const struct exhibit *exhibit)
{
	return !lists(walk->words, exhibit->kind_name);
}

static bool step_kind(struct walk *walk)
{
	return drop_each(walk, is_listed_kind);
}

static bool step_only_kind(struct walk *walk)
{
	return drop_each(walk, is_other_kind);
}

/* --- Time ------------------------------------------------------------------------------------- */

int64_t steps_moment(const struct whole *whole, int cut)
{
	return whole->first + (whole->job->gathered - whole->first) / (CUTS + 1) * (cut + 1);
}

static bool step_cut(struct walk *walk)
{
	if (walk->whole->first == JOB_UNKNOWN || walk->whole->job->gathered == JOB_UNKNOWN)
		return false;
	past_go(walk->whole, walk->heap, steps_moment(walk->whole, atoi(walk->words)));
	return true;
}

static bool is_of_listed_gather(const struct walk *walk, const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_GATHER || is_of_listed(walk, exhibit);
}

static bool is_ring_of_listed(const struct walk *walk, const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_RING && is_of_listed(walk, exhibit);
}

static bool is_ring_or_gather(const struct walk *walk, const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_GATHER || is_ring_of_listed(walk, exhibit);
}

/*
 * Looks twice at one host: instead of what `now` holds for there is what `then` holds for, of the
 * moment that the words say.
 */
static bool look_before(struct walk *walk,
	bool (*now)(const struct walk *walk, const struct exhibit *exhibit),
	bool (*then)(const struct walk *walk, const struct exhibit *exhibit))
{
	const char *cut = strstr(walk->words, ":cut:");
	struct heap older;

	if (!cut || walk->whole->first == JOB_UNKNOWN || walk->whole->job->gathered == JOB_UNKNOWN)
		return false;
	heap_fill(&older, &walk->whole->evidence);
	past_go(walk->whole, &older, steps_moment(walk->whole, atoi(cut + strlen(":cut:"))));
	drop_each(walk, now);
	for (size_t i = 0; i < older.all.nr; i++)
		if (then(walk, &older.all.items[i])) {
			size_t at = heap_add_like(walk->heap, &older.all.items[i]);

			heap_own(walk->heap, &walk->heap->all.items[at]);
		}
	heap_release(&older);
	return true;
}

static bool step_looked(struct walk *walk)
{
	return look_before(walk, is_of_listed, is_of_listed_gather);
}

static bool step_ring_then(struct walk *walk)
{
	return look_before(walk, is_ring_of_listed, is_ring_or_gather);
}

/* --- Agents ----------------------------------------------------------------------------------- */

static bool is_of_agent(const struct walk *walk, const struct exhibit *exhibit)
{
	(void)walk;
	return exhibit->kind == EXHIBIT_MANIFEST || exhibit->kind == EXHIBIT_RECEIPT ||
	       exhibit->kind == EXHIBIT_HISTORY || exhibit->kind == EXHIBIT_EXIT ||
	       (exhibit->kind == EXHIBIT_LIVENESS &&
		       memmem(exhibit->bytes, exhibit->len, "\"agent\"", 7));
}

static bool step_silent(struct walk *walk)
{
	bool old = !strcmp(walk->words, "old");

	for (size_t i = 0; i < walk->heap->all.nr; i++) {
		struct exhibit *exhibit = &walk->heap->all.items[i];
		struct census_header *header;

		if (exhibit->kind != EXHIBIT_CENSUS || exhibit->len < sizeof(*header))
			continue;
		header = heap_own(walk->heap, exhibit);
		if (!old)
			header->agent_pid = 0, header->agent_beat = 0;
		else if (header->agent_beat > (uint64_t)OLD_NS)
			header->agent_beat -= (uint64_t)OLD_NS;
	}
	return old || drop_each(walk, is_of_agent);
}

/* --- All of them ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool (*take)(struct walk *walk);
} table[] = {
	{"spread", step_spread},
	{"hosts", step_hosts},
	{"rank", step_rank},
	{"gone", step_gone},
	{"only", step_only},
	{"ring-of", step_ring_of},
	{"proc-of", step_proc_of},
	{"stacks-of", step_stacks_of},
	{"kind", step_kind},
	{"only-kind", step_only_kind},
	{"cut", step_cut},
	{"looked", step_looked},
	{"ring-then", step_ring_then},
	{"clock", step_clock},
	{"silent", step_silent},
};

static int take_one(struct walk *walk, const char *step, struct complaint *why)
{
	size_t len = strcspn(step, ":");

	walk->words = step[len] ? step + len + 1 : "";
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strlen(table[i].name) == len && !strncmp(table[i].name, step, len))
			return table[i].take(walk)
				       ? 0
				       : complaint_set(why, "%s does not apply here", step);
	return complaint_set(why, "there is no step %s", step);
}

int steps_take(
	const struct whole *whole, struct heap *heap, const char *steps, struct complaint *why)
{
	struct walk walk = {whole, heap, ""};
	int error = 0;

	while (*steps && !error) {
		size_t len = strcspn(steps, "/");
		char step[WORD];

		snprintf(step, sizeof(step), "%.*s", (int)len, steps);
		error = take_one(&walk, step, why);
		steps += len + (steps[len] == '/');
	}
	return error;
}
