/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of the Flight Recorder without secrets: all that is read of them is there, and no more. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/paths.h"
#include "decode/flight/flight-dump.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/flight-redact.h"
#include "tests/unit/flight-emit.h"

static struct str redacted(const struct str *bytes)
{
	struct str copy = {0};

	str_add_bytes(&copy, bytes->text, bytes->len);
	flight_redact((uint8_t *)copy.text, copy.len);
	return copy;
}

/* -- what is read ------------------------------------------------------------------------------ */

static void same_entry(const struct flight_entry *a, const struct flight_entry *b)
{
	assert_int_equal(a->record, b->record);
	assert_int_equal(a->pg, b->pg);
	assert_int_equal(a->collective_seq, b->collective_seq);
	assert_int_equal(a->created_ns, b->created_ns);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->retired, b->retired);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->group, b->group);
	assert_string_equal(a->desc, b->desc);
	assert_int_equal(a->inputs.nr, b->inputs.nr);
	assert_int_equal(a->nframes, b->nframes);
	for (uint32_t i = 0; i < a->nframes; i++) {
		assert_string_equal(a->frames[i]->name, b->frames[i]->name);
		assert_string_equal(a->frames[i]->file, b->frames[i]->file);
	}
}

/* Of a dump and of what leaves the machine of it the same is read, and the same is damaged. */
static void reads_alike(const struct str *bytes)
{
	struct str left = redacted(bytes), again = redacted(&left);
	struct complaint why_a = {0}, why_b = {0};
	struct flight_dump a, b;
	int error = flight_dump_read((uint8_t *)bytes->text, bytes->len, NULL, &a, &why_a);

	assert_int_equal(left.len, bytes->len);
	if (left.len)
		assert_memory_equal(left.text, again.text, left.len);
	if (flight_dump_read((uint8_t *)left.text, left.len, NULL, &b, &why_b) != error)
		fail_msg("%s: %.*s, %s: %.*s", complaint_text(&why_a), (int)bytes->len,
			bytes->text, complaint_text(&why_b), (int)left.len, left.text);
	assert_string_equal(complaint_text(&why_a), complaint_text(&why_b));
	if (!error) {
		assert_string_equal(a.damage, b.damage);
		assert_string_equal(a.library, b.library);
		assert_int_equal(a.ngroups, b.ngroups);
		for (size_t i = 0; i < a.ngroups; i++) {
			assert_string_equal(a.groups[i].name, b.groups[i].name);
			assert_string_equal(a.groups[i].desc, b.groups[i].desc);
			assert_int_equal(flight_list_size(a.groups[i].list),
				flight_list_size(b.groups[i].list));
		}
		assert_int_equal(a.nstatuses, b.nstatuses);
		assert_int_equal(a.nentries, b.nentries);
		for (size_t i = 0; i < a.nentries; i++)
			same_entry(&a.entries[i], &b.entries[i]);
	}
	flight_dump_release(&a);
	flight_dump_release(&b);
	complaint_release(&why_a);
	complaint_release(&why_b);
	str_release(&left);
	str_release(&again);
}

/* A dump with frames, one of which lies where somebody logs in. */
static struct emit_dump make_sample(void)
{
	static const struct emit_frame frames[] = {{"step", "/home/me/train.py", 7},
		{"main", "https://me:canary-login@site/train.py", 9}};
	struct emit_dump emit = emit_sample("2.10");

	emit.entries.items[0].frames = frames;
	emit.entries.items[0].nframes = 2;
	emit_group(&emit, "7", "token=canary0token1canary", "[0, 1]");
	return emit;
}

static void a_dump_of_pytorch_stays_as_it_is(void **state)
{
	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = emit_sample("2.10");
		struct str bytes = emit_bytes(&emit, writer), left = redacted(&bytes);

		assert_memory_equal(bytes.text, left.text, bytes.len);
		str_release(&bytes);
		str_release(&left);
		emit_release(&emit);
	}
}

static void what_is_left_is_read_alike_cut_anywhere_and_flipped(void **state)
{
	uint64_t seed = 7;

	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = make_sample();
		struct str whole = emit_bytes(&emit, writer);

		reads_alike(&whole);
		for (size_t len = 0; len < whole.len; len++) {
			struct str part = {0};

			str_add_bytes(&part, whole.text, len);
			reads_alike(&part);
			str_release(&part);
		}
		for (size_t i = 0; i < 3 * whole.len; i++) {
			char *at = &whole.text[i % whole.len], was = *at;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			*at = (char)(seed >> 33);
			reads_alike(&whole);
			*at = was;
		}
		str_release(&whole);
		emit_release(&emit);
	}
}

/* -- what is not ------------------------------------------------------------------------------- */

static void has_no_canary(const struct str *bytes)
{
	assert_null(memmem(bytes->text, bytes->len, "canary", 6));
}

static void secrets_of_texts_that_are_read_go(void **state)
{
	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = make_sample();
		struct str bytes = emit_bytes(&emit, writer), left = redacted(&bytes);

		has_no_canary(&left);
		if (writer != EMIT_JSON)
			assert_non_null(memmem(left.text, left.len, "/home/me/train.py", 17));
		str_release(&bytes);
		str_release(&left);
		emit_release(&emit);
	}
}

/* Whatever else a program has put into its dump. */
static const struct {
	const char *bytes;
	size_t len;
} others[] = {
#define BYTES(text) {text, sizeof(text) - 1}
	/* {"env": "canary"}, {"pg_config": {"0": {"name": "0", "env": ["canary"]}}} */
	BYTES("\x80\x02}(\x8c\x03"
	      "env\x8c\x06"
	      "canaryu."),
	BYTES("\x80\x02}(\x8c\x09pg_config}(\x8c\x01"
	      "0}(\x8c\x04name\x8c\x01"
	      "0\x8c\x03"
	      "env](\x8c\x06"
	      "canaryeuuu."),
	/* In bytes, in a long number, behind the end, in what is no plain data, in a cut text. */
	BYTES("\x80\x03}(\x8c\x04nameC\x06"
	      "canaryu."),
	BYTES("\x80\x02}(\x8c\x04name\x8a\x0c"
	      "canarycanaryu."),
	BYTES("\x80\x02}.canary"),
	BYTES("\x80\x02}ccanary\ncanary\n."),
	BYTES("\x80\x02}(\x8c\x04name\x8c\x10"
	      "canary"),
	/* A text that nothing names; one that is another's value by way of the memo. */
	BYTES("\x80\x02\x8c\x06"
	      "canary."),
	BYTES("\x80\x02}(\x8c\x05"
	      "other\x8c\x06"
	      "canary\x94\x8c\x05"
	      "thirdh\x00u."),
	BYTES("{\"env\": \"canary\", \"entries\": [{\"exception\": {\"name_\": \"canary\"}}]}"),
	BYTES("{\"pg_config\": {\"0\": {\"desc\": \"x\", \"env\": [\"canary\", [\"canary\"]]}}}"),
	BYTES("{\"env\": \"\\u0041canary\\\"canary\\q canary\"}"),
	BYTES("{\"entries\": [], canary \"x\": \"canary"),
	BYTES("\"canary\" canary"),
	BYTES("{\"desc\": \"password=canary\"}"),
};

static void all_else_goes(void **state)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct str bytes = {0}, left;

		str_add_bytes(&bytes, others[i].bytes, others[i].len);
		left = redacted(&bytes);
		if (memmem(left.text, left.len, "canary", 6))
			fail_msg("number %zu: %.*s", i, (int)left.len, left.text);
		reads_alike(&bytes);
		str_release(&bytes);
		str_release(&left);
	}
}

/* Shared lists, as Python's pickler writes them: what is read under one name is not hidden. */
static void what_is_read_under_any_name_stays(void **state)
{
	static const char shared[] = "\x80\x02}(\x8c\x05other](\x8c\x04"
				     "kepte\x94\x8c\x0dprocess_grouph\x00u.";
	struct str bytes = {0}, left;

	str_add_bytes(&bytes, shared, sizeof(shared) - 1);
	left = redacted(&bytes);
	assert_non_null(memmem(left.text, left.len, "kept", 4));
	str_release(&bytes);
	str_release(&left);
}

/* -- where it is asked ------------------------------------------------------------------------- */

static void a_bundle_has_dumps_without_secrets(void **state)
{
	const struct exhibit about = {
		.kind = EXHIBIT_FLIGHT, .rank = 0, .label = (char *)"trace_0", .when = 5};
	struct evidence in = {0}, out = {0};
	struct emit_dump emit = make_sample();
	struct str bytes = emit_bytes(&emit, EMIT_CPP), bundle = {0};

	evidence_add(&in, &about, alloc_copy(bytes.text, bytes.len), bytes.len);
	bundle_pack(&in, &bundle);
	assert_int_equal(bundle_unpack(bundle.text, bundle.len, &out, NULL), 0);
	assert_int_equal(out.n, 1);
	assert_int_equal(out.at[0].len, bytes.len);
	assert_null(memmem(out.at[0].bytes, out.at[0].len, "canary", 6));
	assert_memory_equal(in.at[0].bytes, bytes.text, bytes.len);
	evidence_release(&in);
	evidence_release(&out);
	str_release(&bytes);
	str_release(&bundle);
	emit_release(&emit);
}

static void what_is_shown_of_a_file_has_none(void **state)
{
	struct emit_dump emit = make_sample();
	struct str bytes = emit_bytes(&emit, EMIT_CPP);
	struct flight_dump dump;

	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	for (size_t i = 0; i < dump.ngroups; i++)
		assert_null(strstr(dump.groups[i].desc, "canary"));
	assert_int_equal(dump.entries[0].nframes, 2);
	assert_null(strstr(dump.entries[0].frames[1]->file, "canary"));
	flight_dump_release(&dump);
	str_release(&bytes);
	emit_release(&emit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_of_pytorch_stays_as_it_is),
		cmocka_unit_test(what_is_left_is_read_alike_cut_anywhere_and_flipped),
		cmocka_unit_test(secrets_of_texts_that_are_read_go),
		cmocka_unit_test(all_else_goes),
		cmocka_unit_test(what_is_read_under_any_name_stays),
		cmocka_unit_test(a_bundle_has_dumps_without_secrets),
		cmocka_unit_test(what_is_shown_of_a_file_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
