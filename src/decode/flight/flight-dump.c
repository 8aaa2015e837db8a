/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/flight/flight-dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/flight/flight-entry.h"
#include "decode/flight/pickle.h"
#include "decode/json-tree.h"

#define FLIGHT_WORD_TEXT(word) {#word, sizeof(#word) - 1},
static const struct value_word flight_word_texts[] = {FLIGHT_WORDS(FLIGHT_WORD_TEXT)};
static const struct value_words flight_words = {
	flight_word_texts, sizeof(flight_word_texts) / sizeof(*flight_word_texts)};

/* Reads a version, "2.10". As a number it would be older than 2.9. */
static void flight_version(const char *text, struct flight_dump *dump)
{
	char *end;
	long major = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
	long minor;

	if (major < 0 || major > INT32_MAX || (*end && *end != '.'))
		return;
	dump->major = (int)major;
	if (*end != '.' || end[1] < '0' || end[1] > '9')
		return;
	minor = strtol(end + 1, &end, 10);
	if (minor <= INT32_MAX && (!*end || *end == '.'))
		dump->minor = (int)minor;
}

/* ------------------------------------------------------------------ groups */

/*
 * Returns the list of ranks in a text. Groups of the same ranks share one text, and a job of very
 * many ranks has some such: in one dump it is read once.
 */
static const struct flight_list *flight_ranks_text(
	struct flight_reading *reading, const struct value *value)
{
	uint64_t hash = (uintptr_t)value->text * 0x9e3779b97f4a7c15ull;
	struct flight_ranks *seen = &reading->ranks[hash >> (64 - FLIGHT_RANKS_BITS)];

	if (seen->text == value->text)
		return seen->list;
	*seen = (struct flight_ranks){.text = value->text};
	if (value->text[strspn(value->text, " ")] == '[' && flight_visit(reading, value->len))
		seen->list = flight_lists_of_text(reading->lists, value->text, value->len);
	return seen->list;
}

/* Returns the list of ranks in a list of numbers. */
static const struct flight_list *flight_ranks_list(
	struct flight_reading *reading, const struct value *value)
{
	size_t nr, said = 0;
	const struct value *items = value_items(value, &nr);
	const struct flight_list *list;
	int64_t *ranks;

	if (!flight_visit(reading, nr))
		return NULL;
	ranks = alloc_zeroed(nr, sizeof(*ranks));
	while (said < nr) {
		ranks[said] = flight_number(&items[said]);
		if (ranks[said] < 0 || ranks[said] > INT32_MAX)
			break;
		said++;
	}
	list = flight_lists_of_numbers(
		reading->lists, ranks, said, said == nr && !value_is_cut(value));
	free(ranks);
	return list;
}

/* Reads one group; false if it is none, or cut. */
static bool flight_group(struct flight_reading *reading, const struct value *key,
	const struct value *value, struct flight_group *group)
{
	size_t nr;
	const struct value *items = value_items(value, &nr);

	if (key->type != VALUE_TEXT || value->type != VALUE_DICT || value_is_cut(value) ||
		!flight_visit(reading, nr))
		return false;
	*group = (struct flight_group){.name = flight_clean_text(reading, key), .desc = ""};
	for (size_t i = 0; i + 1 < nr; i += 2) {
		const struct value *said = &items[i + 1];

		if (items[i].word == FLIGHT_WORD_name && said->type == VALUE_TEXT)
			group->name = flight_clean_text(reading, said);
		else if (items[i].word == FLIGHT_WORD_desc)
			group->desc = flight_clean_text(reading, said);
		else if (items[i].word == FLIGHT_WORD_ranks && said->type == VALUE_TEXT)
			group->list = flight_ranks_text(reading, said);
		else if (items[i].word == FLIGHT_WORD_ranks && said->type == VALUE_LIST)
			group->list = flight_ranks_list(reading, said);
	}
	return true;
}

static void flight_groups(struct flight_reading *reading, const struct value *value)
{
	struct flight_dump *dump = reading->dump;
	size_t nr;
	const struct value *items = value_items(value, &nr);

	if (value->type != VALUE_DICT || dump->has_groups || !flight_visit(reading, nr))
		return;
	dump->has_groups = true;
	dump->groups = arena_new_many(&dump->arena, struct flight_group, nr / 2 + 1);
	for (size_t i = 0; i + 1 < nr; i += 2) {
		if (flight_group(reading, &items[i], &items[i + 1], &dump->groups[dump->ngroups]))
			dump->ngroups++;
		else
			dump->lost_groups++;
	}
}

/* ---------------------------------------------------------------- statuses */

/* Reads one status; false if it is none, or cut. */
static bool flight_status(struct flight_reading *reading, const struct value *key,
	const struct value *value, struct flight_status *status)
{
	size_t nr;
	const struct value *items = value_items(value, &nr);

	*status = (struct flight_status){.pg = flight_number(key),
		.enqueued = FLIGHT_UNKNOWN,
		.started = FLIGHT_UNKNOWN,
		.completed = FLIGHT_UNKNOWN};
	if (status->pg == FLIGHT_UNKNOWN || value->type != VALUE_DICT || value_is_cut(value) ||
		!flight_visit(reading, nr))
		return false;
	for (size_t i = 0; i + 1 < nr; i += 2) {
		int64_t number = flight_number(&items[i + 1]);

		if (items[i].word == FLIGHT_WORD_last_enqueued_collective)
			status->enqueued = number;
		else if (items[i].word == FLIGHT_WORD_last_started_collective)
			status->started = number;
		else if (items[i].word == FLIGHT_WORD_last_completed_collective)
			status->completed = number;
	}
	return true;
}

static void flight_statuses(struct flight_reading *reading, const struct value *value)
{
	struct flight_dump *dump = reading->dump;
	size_t nr;
	const struct value *items = value_items(value, &nr);

	if (value->type != VALUE_DICT || dump->has_statuses || !flight_visit(reading, nr))
		return;
	dump->has_statuses = true;
	dump->statuses = arena_new_many(&dump->arena, struct flight_status, nr / 2 + 1);
	for (size_t i = 0; i + 1 < nr; i += 2) {
		if (flight_status(
			    reading, &items[i], &items[i + 1], &dump->statuses[dump->nstatuses]))
			dump->nstatuses++;
		else
			dump->lost_statuses++;
	}
}

/* ---------------------------------------------------------------- the dump */

/* Reads the entries that flight_make() has not taken already. */
static void flight_entries(struct flight_reading *reading, const struct value *value)
{
	struct flight_dump *dump = reading->dump;
	size_t nr, fields;
	const struct value *items = value_items(value, &nr);

	if (value->type != VALUE_LIST || dump->has_entries)
		return;
	dump->has_entries = true;
	for (size_t i = 0; i < nr; i++) {
		const struct value *entry = value_items(&items[i], &fields);

		if (items[i].type == VALUE_MADE)
			continue;
		if (items[i].type != VALUE_DICT || value_is_cut(&items[i]) ||
			!flight_add_entry(reading, entry, fields))
			dump->lost_entries++;
	}
}

/* Reads the parts of a dump. */
static void flight_top(struct flight_reading *reading, const struct value *root)
{
	size_t nr;
	const struct value *items = value_items(root, &nr);

	for (size_t i = 0; i + 1 < nr; i += 2) {
		switch ((enum flight_word)items[i].word) {
		case FLIGHT_WORD_version:
			flight_version(flight_text(&items[i + 1]), reading->dump);
			break;
		case FLIGHT_WORD_comm_lib_version:
		case FLIGHT_WORD_nccl_version:
		case FLIGHT_WORD_hccl_version:
		case FLIGHT_WORD_xccl_version:
			reading->dump->library = flight_clean_text(reading, &items[i + 1]);
			break;
		case FLIGHT_WORD_pg_config:
			flight_groups(reading, &items[i + 1]);
			break;
		case FLIGHT_WORD_pg_status:
			flight_statuses(reading, &items[i + 1]);
			break;
		case FLIGHT_WORD_entries:
			flight_entries(reading, &items[i + 1]);
			break;
		default:
			break;
		}
	}
}

static void flight_read_tree(struct flight_reading *reading, const uint8_t *bytes, size_t len)
{
	struct flight_dump *dump = reading->dump;
	struct value_stack stack = {.texts = &dump->arena,
		.words = &flight_words,
		.make = flight_make,
		.context = reading};

	if (dump->format == FLIGHT_PICKLE)
		pickle_read(bytes, len, &stack);
	else
		json_tree_read(bytes, len, &stack);
	if (stack.root.type == VALUE_DICT)
		flight_top(reading, &stack.root);
	if (!reading->patience)
		(void)value_damage(&stack, 0, "says more than its %zu bytes can hold", len);
	if (stack.damage) {
		dump->damage = stack.damage;
		dump->damage_at = stack.damage_at;
	}
	value_stack_release(&stack);
}

/*
 * Refuses a dump of an older format, in which one counter numbers messages and collectives, and
 * groups have no names. Returns 0 for others.
 */
static int refuse_older(const struct flight_dump *dump, struct complaint *why)
{
	if (dump->major != 0 && dump->major != 1)
		return 0;
	return complaint_set(why,
		"PyTorch before 2.4 wrote it (format %d.%d); formats from 2.0 on are read",
		dump->major, dump->minor);
}

int flight_dump_read(const uint8_t *bytes, size_t len, struct flight_lists *lists,
	struct flight_dump *dump, struct complaint *why)
{
	size_t read = len < FLIGHT_MOST ? len : FLIGHT_MOST;
	struct flight_lists *own = lists ? NULL : flight_lists_new();
	struct flight_reading reading = {.dump = dump,
		.lists = lists ? lists : own,
		.room = read / 32 + 64,
		.patience = 8 * (uint64_t)read + 65536};

	*dump = (struct flight_dump){
		.major = -1, .minor = -1, .library = "", .damage = "", .own = own};
	if (!len)
		return complaint_set(why, "empty");
	dump->format = bytes[0] == 0x80 ? FLIGHT_PICKLE : FLIGHT_JSON;
	flight_read_tree(&reading, bytes, read);
	dump->entries = reading.entries.items;
	dump->nentries = reading.entries.nr;
	if (dump->has_groups || dump->has_statuses || dump->has_entries || *dump->library)
		return refuse_older(dump, why);
	if (*dump->damage)
		return complaint_set(why, "nothing of a dump in it: %s", dump->damage);
	return complaint_set(why, "no Flight Recorder dump");
}

void flight_dump_release(struct flight_dump *dump)
{
	if (!dump)
		return;
	free(dump->entries);
	flight_lists_free(dump->own);
	arena_release(&dump->arena);
	*dump = (struct flight_dump){0};
}

bool flight_tensors_count(const struct flight_tensors *tensors, uint64_t *ret)
{
	uint64_t all = 0;

	if (!tensors->known)
		return false;
	for (uint32_t i = 0; i < tensors->nr; i++) {
		uint64_t one = 1;

		for (uint32_t k = 0; k < tensors->items[i].ndims; k++) {
			int64_t dim = tensors->items[i].dims[k];

			if (dim < 0 || __builtin_mul_overflow(one, (uint64_t)dim, &one))
				return false;
		}
		if (__builtin_add_overflow(all, one, &all))
			return false;
	}
	*ret = all;
	return true;
}
