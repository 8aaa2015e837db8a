/* SPDX-License-Identifier: Apache-2.0 */
/* A bundle gives back what went in, and of a damaged one all but the damage. */
#include "evidence/format/bundle.h"

#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/gather/source.h"
#include "tests/unit/unit.h"

#define EXHIBITS 12
#define WHOLE	 (EXHIBITS - 1) /* one is put in as damaged */

/* Numbers that repeat from run to run. */
static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void fill(struct evidence *evidence)
{
	uint64_t seed = 42;

	for (int i = 0; i < EXHIBITS; i++) {
		size_t len = i == 3 ? 0 : 100 + draw(&seed) % 3000;
		uint8_t *bytes = alloc_zeroed(1, len + 1);
		char label[16];
		struct exhibit about = {
			.kind = (enum exhibit_kind)(i % EXHIBIT_UNKNOWN_KIND),
			.kind_name = i == 5 ? (char *)"of-next-year" : NULL,
			.host = (char *)(i % 2 ? "host-a" : "host-b"),
			.rank = i - 1,
			.pid = 4000000000u + (uint32_t)i,
			.start_time = 1ull << 40,
			.when = 1790000000000000000 + i,
			.label = label,
			.damaged = i == 7,
		};

		snprintf(label, sizeof(label), "label %d", i);
		for (size_t at = 0; at < len; at++)
			bytes[at] = i == 2 ? 0 : (uint8_t)draw(&seed);
		evidence_add(evidence, &about, bytes, len);
	}
	evidence_add_gap(evidence, "host-a", 77, "its ring was being written");
}

static void assert_same_exhibit(const struct exhibit *a, const struct exhibit *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_string_equal(a->kind_name, b->kind_name);
	assert_string_equal(a->host, b->host);
	assert_int_equal(a->rank, b->rank);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->start_time, b->start_time);
	assert_int_equal(a->when, b->when);
	assert_string_equal(a->label, b->label);
	assert_int_equal(a->damaged, b->damaged);
	assert_int_equal(a->len, b->len);
	if (a->len)
		assert_memory_equal(a->bytes, b->bytes, a->len);
}

static void what_goes_in_comes_out(void **state)
{
	struct evidence in = {0}, out = {0};
	struct str bytes = {0}, again = {0};

	fill(&in);
	bundle_pack(&in, &bytes);
	assert_int_equal(bundle_unpack(bytes.text, bytes.len, &out, NULL), 0);
	assert_int_equal(out.n, EXHIBITS);
	for (size_t i = 0; i < out.n; i++)
		assert_same_exhibit(&in.at[i], &out.at[i]);
	assert_int_equal(out.at[5].kind, EXHIBIT_UNKNOWN_KIND);
	assert_int_equal(out.ngaps, 1);
	assert_string_equal(out.gaps[0].host, "host-a");
	assert_int_equal(out.gaps[0].pid, 77);
	assert_string_equal(out.gaps[0].what, "its ring was being written");
	bundle_pack(&out, &again); /* unknown kinds, damage and gaps too */
	assert_int_equal(again.len, bytes.len);
	assert_memory_equal(again.text, bytes.text, bytes.len);
	str_release(&bytes);
	str_release(&again);
	evidence_release(&in);
	evidence_release(&out);
}

/* The page says so: a stream of objects, for readers that know nothing of inquest. */
static void any_reader_of_msgpack_can_walk_it(void **state)
{
	struct evidence in = {0};
	struct str bytes = {0};
	msgpack_unpacked object;
	size_t at = 0, objects = 0;

	fill(&in);
	bundle_pack(&in, &bytes);
	msgpack_unpacked_init(&object);
	while (msgpack_unpack_next(&object, bytes.text, bytes.len, &at) == MSGPACK_UNPACK_SUCCESS) {
		assert_int_equal(object.data.type, MSGPACK_OBJECT_ARRAY);
		assert_int_equal(object.data.via.array.size, 4);
		objects++;
	}
	assert_int_equal(at, bytes.len);
	assert_int_equal(objects, EXHIBITS + 3); /* a gap, the opening, the closing */
	msgpack_unpacked_destroy(&object);
	str_release(&bytes);
	evidence_release(&in);
}

/* A ring as bundles have it: islands in megabytes of zeros. */
static void fill_sparse(struct evidence *in, size_t len, size_t first, size_t every)
{
	struct exhibit about = {.kind = EXHIBIT_RING, .host = (char *)"h"};
	uint8_t *bytes = alloc_zeroed(1, len + 1);
	uint64_t seed = len;

	for (size_t at = first; at < len; at += every)
		for (size_t i = at; i < len && i < at + 300; i++)
			bytes[i] = (uint8_t)draw(&seed);
	evidence_add(in, &about, bytes, len);
}

static void long_runs_of_zeros_are_not_packed(void **state)
{
	static const struct {
		size_t len, first, every;
	} cases[] = {
		{6 << 20, 100, 1 << 20},
		{(6 << 20) + 17, 4095, 333333},
		{1 << 20, 1 << 19, 1 << 20},
		{1 << 20, 1 << 20, 1},
		{BUNDLE_HOLE_LEAST, BUNDLE_HOLE_LEAST, 1},
		{BUNDLE_HOLE_LEAST - 1, 1 << 20, 1},
		{3, 3, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct evidence in = {0}, out = {0};
		struct str bytes = {0};
		const char *hole;

		fill_sparse(&in, cases[i].len, cases[i].first, cases[i].every);
		bundle_pack(&in, &bytes);
		assert_true(bytes.len < 20000);
		hole = memmem(bytes.text, bytes.len, BUNDLE_HOLE, BUNDLE_HOLE_TAG);
		assert_int_equal(hole != NULL, cases[i].len >= BUNDLE_HOLE_LEAST);
		assert_int_equal(bundle_unpack(bytes.text, bytes.len, &out, NULL), 0);
		assert_int_equal(out.n, 1);
		assert_same_exhibit(&in.at[0], &out.at[0]);
		str_release(&bytes);
		evidence_release(&out);
		evidence_release(&in);
	}
}

/* What is behind a damaged hole would be read at another place: it is not kept. */
static void a_flipped_hole_moves_nothing(void **state)
{
	struct evidence in = {0};
	struct str bytes = {0};
	char *hole;

	fill_sparse(&in, 1 << 20, 0, 1 << 19);
	bundle_pack(&in, &bytes);
	hole = memmem(bytes.text, bytes.len, BUNDLE_HOLE, BUNDLE_HOLE_TAG);
	assert_non_null(hole);
	for (int bit = 0; bit < BUNDLE_HOLE_SIZE * 8; bit++) {
		struct evidence out = {0};

		hole[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(bundle_unpack(bytes.text, bytes.len, &out, NULL), 0);
		hole[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(out.n, 1);
		assert_true(out.at[0].damaged);
		assert_true(out.at[0].len >= 300 && out.at[0].len <= 8192);
		assert_memory_equal(in.at[0].bytes, out.at[0].bytes, out.at[0].len);
		evidence_release(&out);
	}
	str_release(&bytes);
	evidence_release(&in);
}

/* Unpacks a copy whose memory ends with the bytes, so that ASan sees any step beyond. */
static int unpack_exactly(const char *bytes, size_t size, struct evidence *out)
{
	char *copy = malloc(size ? size : 1);
	int error;

	memcpy(copy, bytes, size);
	error = bundle_unpack(copy, size, out, NULL);
	free(copy);
	return error;
}

/* Of each exhibit that is there and not marked, every byte must be as it was. */
static size_t count_whole(const struct evidence *in, const struct evidence *out)
{
	size_t whole = 0, next = 0;

	for (size_t i = 0; i < out->n; i++) {
		while (next < in->n && in->at[next].when != out->at[i].when)
			next++;
		assert_true(next < in->n);
		if (out->at[i].damaged)
			continue;
		assert_same_exhibit(&in->at[next], &out->at[i]);
		whole++;
	}
	return whole;
}

static void a_cut_costs_only_what_is_behind_it(void **state)
{
	struct evidence in = {0};
	struct str bytes = {0};
	size_t before = 0;

	fill(&in);
	bundle_pack(&in, &bytes);
	for (size_t len = 0; len < bytes.len; len += len < 2000 ? 1 : 7) {
		struct evidence out = {0};
		int error = unpack_exactly(bytes.text, len, &out);
		size_t whole = count_whole(&in, &out);

		assert_true(whole >= before);
		before = whole;
		assert_int_equal(error != 0, len < BUNDLE_OPENING_SIZE);
		assert_true(error || out.ngaps > 0); /* never silent */
		evidence_release(&out);
	}
	assert_int_equal(before, WHOLE);
	str_release(&bytes);
	evidence_release(&in);
}

static void a_flipped_bit_costs_one_exhibit_at_most(void **state)
{
	struct evidence in = {0};
	struct str bytes = {0};
	uint64_t seed = 7;

	fill(&in);
	bundle_pack(&in, &bytes);
	for (int round = 0; round < 4000; round++) {
		struct evidence out = {0};
		size_t at = (size_t)draw(&seed) % bytes.len;
		char bit = (char)(1 << draw(&seed) % 8);

		bytes.text[at] ^= bit;
		assert_int_equal(unpack_exactly(bytes.text, bytes.len, &out), 0);
		assert_true(count_whole(&in, &out) >= WHOLE - 1);
		bytes.text[at] ^= bit;
		evidence_release(&out);
	}
	str_release(&bytes);
	evidence_release(&in);
}

static void flips_all_over_never_crash(void **state)
{
	struct evidence in = {0};
	struct str bytes = {0};
	uint64_t seed = 11;

	fill(&in);
	bundle_pack(&in, &bytes);
	for (int round = 0; round < 500; round++) {
		struct evidence out = {0};

		for (int flips = 0; flips < 20; flips++)
			bytes.text[draw(&seed) % bytes.len] ^= (char)(1 << draw(&seed) % 8);
		(void)unpack_exactly(bytes.text, bytes.len, &out);
		evidence_release(&out);
	}
	str_release(&bytes);
	evidence_release(&in);
}

static const char *refusal(const void *bytes, size_t size)
{
	static char text[256];
	struct complaint why = {0};
	struct evidence out = {0};

	assert_true(bundle_unpack(bytes, size, &out, &why) < 0);
	snprintf(text, sizeof(text), "%s", complaint_text(&why));
	assert_int_equal(out.n, 0);
	evidence_release(&out);
	complaint_release(&why);
	return text;
}

static void what_is_no_bundle_is_refused_in_one_line(void **state)
{
	static const uint8_t zeros[4096];
	struct evidence in = {0};
	struct str bytes = {0};
	uint32_t crc;

	assert_string_equal(refusal("", 0), "the bundle is empty");
	assert_string_equal(refusal("\x7f" "ELF", 4), "this is no inquest bundle");
	assert_string_equal(refusal(zeros, sizeof(zeros)), "this is no inquest bundle");
	fill(&in);
	bundle_pack(&in, &bytes);
	bytes.text[17] = BUNDLE_VERSION_MAJOR + 1;
	crc = bundle_crc(bytes.text, BUNDLE_OPENING_CRC);
	for (int i = 0; i < 4; i++)
		bytes.text[BUNDLE_OPENING_CRC + 1 + i] = (char)(crc >> (24 - 8 * i));
	assert_string_equal(refusal(bytes.text, bytes.len),
		"the bundle is of version 2.1, and this inquest reads only up to 1.x: "
		"use a newer one");
	str_release(&bytes);
	evidence_release(&in);
}

/* 320 MiB of zeros pack into some 20 KiB: no exhibit may unpack to that, and it is not tried. */
static void a_bomb_does_not_go_off(void **state)
{
	struct evidence in = {0}, out = {0};
	struct exhibit about = {.kind = EXHIBIT_RING, .host = (char *)"h"};
	size_t size = (size_t)BUNDLE_EXHIBIT_CAP + (64 << 20);
	struct str bytes = {0};

	evidence_add(&in, &about, alloc_zeroed(1, size), size);
	bundle_pack(&in, &bytes);
	evidence_release(&in);
	assert_int_equal(bundle_unpack(bytes.text, bytes.len, &out, NULL), 0);
	assert_int_equal(out.n, 0);
	assert_int_equal(out.ngaps, 1);
	assert_non_null(strstr(out.gaps[0].what, "it is said to be larger than any"));
	str_release(&bytes);
	evidence_release(&out);
}

static void a_folder_gives_all_its_bundles_and_nothing_else(void **state)
{
	char folder[] = "/tmp/inquest-bundles-XXXXXX";
	struct evidence in = {0}, out = {0};
	struct complaint why = {0};
	struct str path = {0};

	assert_non_null(mkdtemp(folder));
	assert_true(bundle_read_folder(folder, &out, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "no readable bundle"));
	fill(&in);
	str_printf(&path, "%s/a.inq", folder);
	assert_int_equal(bundle_write(&in, path.text, NULL), 0);
	str_cut(&path, 0);
	str_printf(&path, "%s/of-another-name", folder);
	assert_int_equal(bundle_write(&in, path.text, NULL), 0);
	str_cut(&path, 0);
	str_printf(&path, "%s/truth.json", folder);
	assert_int_equal(file_write(path.text, "{}", 2, 0600, NULL), 0);
	assert_ptr_equal(source_of(folder), &source_bundle);
	assert_int_equal(source_bundle.gather(folder, &out, NULL), 0);
	assert_int_equal(out.n, 2 * EXHIBITS);
	assert_int_equal(out.ngaps, 2);
	str_cut(&path, 0);
	str_printf(&path, "rm -r %s", folder);
	assert_int_equal(system(path.text), 0);
	str_release(&path);
	complaint_release(&why);
	evidence_release(&in);
	evidence_release(&out);
}

static void what_is_cut_off_leaves_room_for_others(void **state)
{
	const struct exhibit about = {.kind = EXHIBIT_STDERR, .host = (char *)"a", .rank = -1};
	struct evidence evidence = {0};

	for (int i = 0; i < 3; i++)
		evidence_add(&evidence, &about, alloc_copy("text", 4), 4);
	evidence_cut(&evidence, 1);
	assert_int_equal(evidence.n, 1);
	evidence_cut(&evidence, 5);
	assert_int_equal(evidence.n, 1);
	evidence_add(&evidence, &about, alloc_copy("more", 4), 4);
	assert_int_equal(evidence.n, 2);
	assert_memory_equal(evidence.at[0].bytes, "text", 4);
	assert_memory_equal(evidence.at[1].bytes, "more", 4);
	evidence_release(&evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out),
		cmocka_unit_test(any_reader_of_msgpack_can_walk_it),
		cmocka_unit_test(long_runs_of_zeros_are_not_packed),
		cmocka_unit_test(a_flipped_hole_moves_nothing),
		cmocka_unit_test(a_cut_costs_only_what_is_behind_it),
		cmocka_unit_test(a_flipped_bit_costs_one_exhibit_at_most),
		cmocka_unit_test(flips_all_over_never_crash),
		cmocka_unit_test(what_is_no_bundle_is_refused_in_one_line),
		cmocka_unit_test(a_bomb_does_not_go_off),
		cmocka_unit_test(a_folder_gives_all_its_bundles_and_nothing_else),
		cmocka_unit_test(what_is_cut_off_leaves_room_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
