/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of the Flight Recorder that were cut, or changed, or made to do harm. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "decode/flight/flight-dump.h"
#include "tests/unit/flight-emit.h"

static bool same_entry(const struct flight_entry *a, const struct flight_entry *b)
{
	return a->record == b->record && a->pg == b->pg && a->collective_seq == b->collective_seq &&
	       a->created_ns == b->created_ns && a->state == b->state && a->retired == b->retired &&
	       a->is_p2p == b->is_p2p && a->timeout_ms == b->timeout_ms &&
	       a->completed_ns == b->completed_ns && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->group, b->group) == 0 && strcmp(a->thread_id, b->thread_id) == 0 &&
	       a->nframes == b->nframes && a->inputs.nr == b->inputs.nr;
}

/* Cut anywhere: what is there is as it was, never more, never another. */
static void a_cut_dump_says_less_and_nothing_else(void **state)
{
	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = emit_sample("2.10");
		struct str bytes = emit_bytes(&emit, writer);
		struct flight_dump whole, part;
		size_t most = 0;

		flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &whole, NULL);
		for (size_t len = 0; len < bytes.len; len++) {
			uint8_t *copy = malloc(len + 1);

			memcpy(copy, bytes.text, len);
			if (flight_dump_read(copy, len, NULL, &part, NULL) == 0) {
				assert_non_null(strstr(part.damage, "cut at byte"));
				assert_int_equal(part.damage_at, len);
			}
			assert_true(part.nentries <= whole.nentries && part.nentries >= most);
			most = part.nentries;
			for (size_t i = 0; i < part.nentries; i++)
				assert_true(same_entry(&part.entries[i], &whole.entries[i]));
			for (size_t i = 0; i < part.nstatuses; i++)
				assert_memory_equal(&part.statuses[i], &whole.statuses[i],
					sizeof(*part.statuses));
			for (size_t i = 0; i < part.ngroups; i++)
				assert_int_equal(flight_list_size(part.groups[i].list),
					flight_list_size(whole.groups[i].list));
			flight_dump_release(&part);
			free(copy);
		}
		assert_int_equal(most, 3);
		flight_dump_release(&whole);
		str_release(&bytes);
		emit_release(&emit);
	}
}

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Reads all of it: what is not there is seen by the sanitizers. */
static size_t visit(const struct flight_dump *dump)
{
	size_t sum = strlen(dump->library) + strlen(dump->damage);

	for (size_t i = 0; i < dump->ngroups; i++) {
		sum += strlen(dump->groups[i].name) + strlen(dump->groups[i].desc);
		for (size_t k = 0; k < flight_list_size(dump->groups[i].list); k++)
			sum += (size_t)dump->groups[i].list->ranks[k];
	}
	for (size_t i = 0; i < dump->nentries; i++) {
		const struct flight_entry *entry = &dump->entries[i];
		uint64_t elements;

		sum += strlen(entry->name) + strlen(entry->group) + strlen(entry->desc) +
		       strlen(entry->thread) + strlen(entry->thread_id);
		sum += flight_tensors_count(&entry->inputs, &elements);
		for (uint32_t k = 0; k < entry->inputs.nr; k++)
			sum += strlen(entry->inputs.items[k].dtype);
		for (uint32_t k = 0; k < entry->nframes; k++)
			sum += strlen(entry->frames[k]->name) + strlen(entry->frames[k]->file);
	}
	return sum;
}

static void a_flipped_dump_is_read_somehow(void **state)
{
	uint64_t seed = 3;

	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = emit_sample("2.10");
		struct str bytes = emit_bytes(&emit, writer);

		for (size_t i = 0; i < 4 * bytes.len; i++) {
			size_t at = i % bytes.len;
			char was = bytes.text[at];
			struct flight_dump dump;

			bytes.text[at] = (char)draw(&seed);
			if (flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump,
				    NULL) == 0)
				(void)visit(&dump);
			flight_dump_release(&dump);
			bytes.text[at] = was;
		}
		str_release(&bytes);
		emit_release(&emit);
	}
}

/* ----------------------------------------------------------------- hostile */

/* {key: [`filling`, then the same again from the memo, `times` times]} */
static struct str repeated(const char *key, const char *filling, size_t len, size_t times)
{
	struct str bytes = {0};

	str_add_bytes(&bytes, "\x80\x04}(\x8c", 5);
	str_add_char(&bytes, (char)strlen(key));
	str_add(&bytes, key);
	str_add_bytes(&bytes, "](", 2);
	str_add_bytes(&bytes, filling, len);
	str_add_bytes(&bytes, "q\x00", 2);
	for (size_t i = 0; i < times; i++)
		str_add_bytes(&bytes, "h\x00", 2);
	str_add_bytes(&bytes, "eu.", 3);
	return bytes;
}

/* One entry said 100,000 times: of 200 kB not 20 MB are made. */
static void an_entry_that_is_repeated_is_not_multiplied(void **state)
{
	static const char entry[] = "}q\x01(\x8c\x09record_idK\x05\x8c\x05op_idK\x01u";
	struct str bytes = repeated("entries", entry, sizeof(entry) - 1, 100000);
	struct flight_dump dump;

	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	assert_true(dump.nentries > 0 && dump.nentries <= bytes.len / 32 + 64);
	assert_int_equal(dump.nentries + dump.lost_entries, 100001);
	flight_dump_release(&dump);
	str_release(&bytes);
}

/* A dict of 20,000 unknown keys, said 20,000 times: 400 million visits, if one would make them. */
static void patience_has_an_end(void **state)
{
	struct str entry = {0}, bytes;
	struct flight_dump dump;

	str_add_bytes(&entry, "}q\x01(\x8c\x09record_idK\x05", 17);
	for (int i = 0; i < 20000; i++)
		str_add_bytes(&entry, "NN", 2);
	str_add_char(&entry, 'u');
	bytes = repeated("entries", entry.text, entry.len, 20000);
	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	assert_non_null(strstr(dump.damage, "says more than its"));
	assert_true(dump.nentries < 100);
	flight_dump_release(&dump);
	str_release(&bytes);
	str_release(&entry);
}

/* All entries share one list of 20,000 frames, or of 20,000 dims. */
static void shared_parts_are_not_multiplied(void **state)
{
	static const char *const parts[] = {"frames", "input_sizes"};

	for (size_t i = 0; i < 2; i++) {
		struct str bytes = {0};
		struct flight_dump dump;

		str_add_bytes(&bytes,
			"\x80\x04}(\x8c\x07"
			"entries](}(",
			17);
		str_add_bytes(&bytes, "\x8c\x05op_idK\x01\x8c", 10);
		str_add_char(&bytes, (char)strlen(parts[i]));
		str_add(&bytes, parts[i]);
		str_add_bytes(&bytes, i ? "](](" : "](", i ? 4 : 2);
		for (int k = 0; k < 20000; k++)
			str_add_bytes(&bytes, i ? "K\x01" : "}(u", i ? 2 : 3);
		str_add_bytes(&bytes, i ? "eeq\x00u" : "eq\x00u", i ? 5 : 4);
		for (int k = 0; k < 20000; k++) {
			str_add_bytes(&bytes, "}(\x8c\x05op_idK\x01\x8c", 12);
			str_add_char(&bytes, (char)strlen(parts[i]));
			str_add(&bytes, parts[i]);
			str_add_bytes(&bytes, "h\x00u", 3);
		}
		str_add_bytes(&bytes, "eu.", 3);
		assert_int_equal(
			flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
		assert_non_null(strstr(dump.damage, "says more than its"));
		assert_true(dump.nentries > 0);
		flight_dump_release(&dump);
		str_release(&bytes);
	}
}

/* Not a lie: a hundred groups of the same 20,000 ranks, whose text is there once. */
static void many_groups_of_all_ranks_are_no_damage(void **state)
{
	struct emit_dump emit = {.version = "2.10"};
	struct str ranks = {0}, bytes;
	struct flight_dump dump;

	str_add(&ranks, "[0");
	for (int i = 1; i < 20000; i++)
		str_printf(&ranks, ", %d", i);
	str_add_char(&ranks, ']');
	for (int i = 0; i < 100; i++)
		emit_group(&emit, arena_printf(&emit.arena, "%d", i), "", ranks.text);
	bytes = emit_bytes(&emit, EMIT_CPP);
	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	assert_string_equal(dump.damage, "");
	assert_int_equal(dump.ngroups, 100);
	for (size_t i = 0; i < dump.ngroups; i++) {
		assert_true(dump.groups[i].list->known);
		assert_int_equal(dump.groups[i].list->nr, 20000);
		assert_int_equal(dump.groups[i].list->ranks[19999], 19999);
	}
	flight_dump_release(&dump);
	str_release(&bytes);
	str_release(&ranks);
	emit_release(&emit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_dump_says_less_and_nothing_else),
		cmocka_unit_test(a_flipped_dump_is_read_somehow),
		cmocka_unit_test(an_entry_that_is_repeated_is_not_multiplied),
		cmocka_unit_test(patience_has_an_end),
		cmocka_unit_test(shared_parts_are_not_multiplied),
		cmocka_unit_test(many_groups_of_all_ranks_are_no_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
