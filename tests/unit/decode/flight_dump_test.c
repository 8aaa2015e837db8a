/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of the Flight Recorder, by any writer and of any version; and files that are none. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flight/flight-dump.h"
#include "tests/unit/flight-emit.h"

static void assert_text(const char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
}

static void assert_groups(const struct flight_dump *dump, int minor)
{
	assert_int_equal(dump->ngroups, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct flight_group *group = &dump->groups[i];
		bool world = strcmp(group->name, "0") == 0;

		assert_text(group->name, world ? "0" : "17");
		assert_text(group->desc, world ? "default_pg" : "mesh_tp");
		assert_true(group->list->known);
		assert_int_equal(group->list->nr, world ? 4 : 2);
		assert_int_equal(group->list->ranks[1], world ? 1 : 3);
	}
	assert_int_equal(dump->nstatuses, minor >= 3 ? 2 : 0);
	assert_int_equal(dump->has_statuses, minor >= 3);
	if (minor < 3)
		return;
	assert_int_equal(dump->statuses[0].pg, 0);
	assert_int_equal(dump->statuses[0].enqueued, 5000000000);
	assert_int_equal(dump->statuses[0].started, FLIGHT_NONE);
	assert_int_equal(dump->statuses[0].completed, 4);
	assert_int_equal(dump->statuses[1].pg, 1);
	assert_int_equal(dump->statuses[1].completed, FLIGHT_NONE);
}

static void assert_tensors(const struct flight_entry *entry)
{
	const struct flight_tensors *inputs = &entry->inputs;
	uint64_t elements;

	assert_true(inputs->known && entry->outputs.known);
	assert_int_equal(inputs->nr, 2);
	assert_int_equal(inputs->items[0].ndims, 3);
	assert_int_equal(inputs->items[0].dims[2], 5120);
	assert_text(inputs->items[0].dtype, "BFloat16");
	assert_int_equal(inputs->items[1].ndims, 1);
	assert_int_equal(inputs->items[1].dims[0], 7);
	assert_int_equal(entry->outputs.nr, 1);
	assert_int_equal(entry->outputs.items[0].ndims, 0);
	assert_true(flight_tensors_count(inputs, &elements));
	assert_int_equal(elements, 4096 * 5120 + 7);
}

static void assert_done(const struct flight_entry *entry, int minor)
{
	assert_int_equal(entry->record, 70000);
	assert_int_equal(entry->pg, 0);
	assert_int_equal(entry->collective_seq, 4);
	assert_int_equal(entry->p2p_seq, 1);
	assert_int_equal(entry->op, 5);
	assert_text(entry->name, "nccl:all_reduce");
	assert_text(entry->group, "0");
	assert_text(entry->desc, "default_pg");
	assert_text(entry->thread, minor >= 9 ? "pt_autograd_4" : "");
	assert_text(entry->thread_id, minor >= 9 ? "23437656749760" : "");
	assert_int_equal(entry->created_ns, 1758610505880883597);
	assert_int_equal(entry->started_ns, 1758610505880883600);
	assert_int_equal(entry->completed_ns, 1758610505880883700);
	assert_int_equal(entry->timeout_ms, minor >= 4 ? 180000 : FLIGHT_UNKNOWN);
	assert_true(entry->duration_ms == 0.125);
	assert_int_equal(entry->state, FLIGHT_COMPLETED);
	assert_int_equal(entry->retired, FLIGHT_YES);
	assert_int_equal(entry->is_p2p, FLIGHT_NO);
	assert_tensors(entry);
}

static void assert_entries(const struct flight_dump *dump, int minor)
{
	const struct flight_entry *entries = dump->entries;
	bool json = dump->format == FLIGHT_JSON;

	assert_int_equal(dump->nentries, 3);
	assert_done(&entries[0], minor);
	assert_int_equal(entries[0].nframes, json ? 0 : 3);
	if (!json) {
		assert_text(entries[0].frames[0]->name, "all_reduce");
		assert_text(entries[0].frames[2]->file, "train.py");
		assert_int_equal(entries[0].frames[2]->line, 7);
		assert_ptr_equal(entries[1].frames[1], entries[0].frames[1]);
	}
	assert_text(entries[1].group, "17");
	assert_int_equal(entries[1].pg, 1);
	assert_int_equal(entries[1].state, FLIGHT_SCHEDULED);
	assert_int_equal(entries[1].started_ns, 0);
	assert_int_equal(entries[1].completed_ns, 0);
	assert_int_equal(entries[1].retired, FLIGHT_NO);
	assert_true(isnan(entries[1].duration_ms));
	assert_int_equal(entries[2].is_p2p, FLIGHT_YES);
}

static const struct {
	const char *text;
	int minor;
} versions[] = {{"2.0", 0}, {"2.3", 3}, {"2.4", 4}, {"2.7", 7}, {"2.9", 9}, {"2.10", 10}};

static void every_writer_and_version_says_the_same(void **state)
{
	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
			int minor = versions[i].minor;
			struct emit_dump emit = emit_sample(versions[i].text);
			struct str bytes = emit_bytes(&emit, writer);
			struct flight_dump dump;

			assert_int_equal(
				flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump,
					NULL),
				0);
			memset(bytes.text, 'x', bytes.len); /* nothing of it is needed */
			assert_int_equal(
				dump.format, writer == EMIT_JSON ? FLIGHT_JSON : FLIGHT_PICKLE);
			assert_int_equal(dump.major, 2);
			assert_int_equal(dump.minor, minor);
			assert_text(dump.library, minor >= 7 ? "2.27.3" : "");
			assert_text(dump.damage, "");
			assert_true(dump.has_groups && dump.has_entries);
			assert_int_equal(
				dump.lost_groups + dump.lost_statuses + dump.lost_entries, 0);
			assert_groups(&dump, minor);
			assert_entries(&dump, minor);
			flight_dump_release(&dump);
			str_release(&bytes);
			emit_release(&emit);
		}
	}
}

/* A rank that has not come to its first collective: the dump is whole and has nothing to say. */
static void an_empty_ring_is_a_dump(void **state)
{
	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct emit_dump emit = {.version = "2.8"};
		struct str bytes = emit_bytes(&emit, writer);
		struct flight_dump dump;

		assert_int_equal(
			flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
		assert_text(dump.damage, "");
		assert_true(dump.has_groups && dump.has_statuses);
		/* JSON leaves out what is empty: there "no entries" is not said */
		assert_int_equal(dump.has_entries, writer != EMIT_JSON);
		assert_int_equal(dump.nentries + dump.ngroups + dump.nstatuses, 0);
		flight_dump_release(&dump);
		str_release(&bytes);
		emit_release(&emit);
	}
}

static void numbers_may_be_digits(void **state)
{
	struct emit_dump emit = emit_sample("2.8");
	struct flight_dump dump;
	struct str bytes;

	for (size_t i = 0; i < emit.entries.nr; i++)
		emit.entries.items[i].digits = true;
	bytes = emit_bytes(&emit, EMIT_PYTHON4);
	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	assert_entries(&dump, 8);
	flight_dump_release(&dump);
	str_release(&bytes);
	emit_release(&emit);
}

/* ---------------------------------------------------------------- odd ones */

static int read_text(const char *text, struct flight_dump *dump)
{
	return flight_dump_read((const uint8_t *)text, strlen(text), NULL, dump, NULL);
}

static void assert_ranks(const char *ranks, size_t nr, bool known)
{
	char text[256];
	struct flight_dump dump;

	snprintf(text, sizeof(text), "{\"pg_config\":{\"0\":{\"ranks\":%s}}}", ranks);
	assert_int_equal(read_text(text, &dump), 0);
	assert_int_equal(flight_list_size(dump.groups[0].list), nr);
	assert_int_equal(dump.groups[0].list && dump.groups[0].list->known, known);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(dump.groups[0].list->ranks[i], i);
	assert_text(dump.groups[0].name, "0");
	flight_dump_release(&dump);
}

static void ranks_are_read_as_far_as_they_are_ranks(void **state)
{
	assert_ranks("\"[0, 1, 2]\"", 3, true);
	assert_ranks("\" [0,1,2,]  \"", 3, true);
	assert_ranks("\"[]\"", 0, true);
	assert_ranks("[0, 1, 2]", 3, true);
	assert_ranks("[\"0\", \"1\"]", 2, true);
	assert_ranks("\"[0, 1, 2\"", 3, false);
	assert_ranks("\"[0, 1] or so\"", 2, false);
	assert_ranks("\"[0, 1, __import__('os')]\"", 2, false);
	assert_ranks("\"[0-7]\"", 1, false);
	assert_ranks("\"[0, -1]\"", 1, false);
	assert_ranks("\"[0, 1, 99999999999999999999]\"", 2, false);
	assert_ranks("[0, 1, 4294967296]", 2, false);
	assert_ranks("[0, null]", 1, false);
	assert_ranks("\"\"", 0, false);
	assert_ranks("\"0, 1\"", 0, false);
	assert_ranks("7", 0, false);
	assert_ranks("null", 0, false);
}

static void assert_version(const char *version, int major, int minor)
{
	char text[128];
	struct flight_dump dump;

	snprintf(text, sizeof(text), "{\"entries\":[],\"version\":%s}", version);
	assert_int_equal(read_text(text, &dump), 0);
	assert_int_equal(dump.major, major);
	assert_int_equal(dump.minor, minor);
	flight_dump_release(&dump);
}

static void versions_are_two_numbers(void **state)
{
	assert_version("\"2.10\"", 2, 10);
	assert_version("\"2.9\"", 2, 9);
	assert_version("\"3\"", 3, -1);
	assert_version("\"2.10.1\"", 2, 10);
	assert_version("\"2.x\"", 2, -1);
	assert_version("\"two\"", -1, -1);
	assert_version("\"99999999999.1\"", -1, -1);
	assert_version("2.1", -1, -1);
	assert_version("\"\"", -1, -1);
}

/* Whatever is of another type than it should be is unknown, and so is what is not there. */
static void what_is_not_said_is_unknown(void **state)
{
	struct flight_dump dump;
	const struct flight_entry *entry;
	uint64_t elements;

	assert_int_equal(
		read_text("{\"entries\":[{\"record_id\":7},{\"op_id\":true,\"state\":1,"
			  "\"profiling_name\":\"x\",\"process_group\":[3],\"retired\":\"y\","
			  "\"input_sizes\":[[1,-2]],\"output_sizes\":[[4611686018427387904,"
			  "4]],\"time_created_ns\":{},\"frames\":[1,{\"line\":[]}]},"
			  "7,null,{},{\"state\":\"completed\"}],\"more\":[{}]}",
			&dump),
		0);
	assert_text(dump.damage, "");
	assert_int_equal(dump.nentries, 2);
	assert_int_equal(dump.lost_entries, 4);
	entry = &dump.entries[0];
	assert_int_equal(entry->record, 7);
	assert_int_equal(entry->pg, FLIGHT_UNKNOWN);
	assert_int_equal(entry->started_ns, FLIGHT_UNKNOWN);
	assert_int_equal(entry->retired, FLIGHT_MAYBE);
	assert_int_equal(entry->state, FLIGHT_STATE_UNKNOWN);
	assert_text(entry->group, "");
	assert_false(entry->inputs.known);
	assert_false(flight_tensors_count(&entry->inputs, &elements));
	entry = &dump.entries[1];
	assert_int_equal(entry->op, FLIGHT_UNKNOWN);
	assert_int_equal(entry->created_ns, FLIGHT_UNKNOWN);
	assert_int_equal(entry->retired, FLIGHT_MAYBE);
	assert_true(entry->inputs.known);
	assert_text(entry->inputs.items[0].dtype, "");
	assert_false(flight_tensors_count(&entry->inputs, &elements));
	assert_false(flight_tensors_count(&entry->outputs, &elements));
	assert_int_equal(entry->nframes, 1);
	assert_int_equal(entry->frames[0]->line, FLIGHT_UNKNOWN);
	flight_dump_release(&dump);
}

static void assert_no_dump(const char *bytes, size_t len, const char *words)
{
	struct complaint why = {0};
	struct flight_dump dump;

	assert_int_equal(flight_dump_read((const uint8_t *)bytes, len, NULL, &dump, &why), -1);
	assert_string_equal(complaint_text(&why), words);
	complaint_release(&why);
	flight_dump_release(&dump);
}

#define assert_literal_is_no_dump(bytes, words) assert_no_dump(bytes, sizeof(bytes) - 1, words)

static void what_is_no_dump_is_refused_in_words(void **state)
{
	assert_literal_is_no_dump("", "empty");
	assert_literal_is_no_dump("\x80\x02](e.", "no Flight Recorder dump");
	assert_literal_is_no_dump("\x80\x02}(NNu.", "no Flight Recorder dump");
	assert_literal_is_no_dump(
		"{\"name\":\"inquest\",\"version\":\"1.0\"}", "no Flight Recorder dump");
	assert_literal_is_no_dump("[1, 2]", "no Flight Recorder dump");
	assert_literal_is_no_dump("\x7f"
				  "ELF\x02\x01\x01",
		"nothing of a dump in it: no JSON at byte 0");
	assert_literal_is_no_dump("\x80\x02", "nothing of a dump in it: cut at byte 2");
	assert_literal_is_no_dump("\x80\x02"
				  "cos\nsystem\n(X\x02\x00\x00\x00idtR.",
		"nothing of a dump in it: GLOBAL at byte 2, which could run code: refused");
}

/* What comes before the opcode that is refused is still worth something. */
static void code_is_never_run_and_the_rest_kept(void **state)
{
	struct emit_dump emit = emit_sample("2.10");
	struct str bytes = emit_bytes(&emit, EMIT_CPP);
	struct flight_dump dump;

	bytes.text[bytes.len - 3] = 'c'; /* of the end "eu." */
	assert_int_equal(flight_dump_read((uint8_t *)bytes.text, bytes.len, NULL, &dump, NULL), 0);
	assert_non_null(strstr(dump.damage, "GLOBAL at byte"));
	assert_int_equal(dump.damage_at, bytes.len - 3);
	assert_int_equal(dump.nentries, 3);
	flight_dump_release(&dump);
	str_release(&bytes);
	emit_release(&emit);
}

static void texts_are_any_bytes_and_end_at_a_nul(void **state)
{
	static const char bytes[] = "\x80\x04}(\x8c\x07"
				    "entries](}(\x8c\x0eprofiling_name\x8c\x05"
				    "\xff\x1b[\0zueu.";
	struct flight_dump dump;

	assert_int_equal(
		flight_dump_read((const uint8_t *)bytes, sizeof(bytes) - 1, NULL, &dump, NULL), 0);
	assert_text(dump.damage, "");
	assert_text(dump.entries[0].name, "\xff\x1b[");
	flight_dump_release(&dump);
}

/* ------------------------------------------------------------------ Python */

/* Python's own pickle of what Python has read of the C++ one. */
static const char python_program[] =
	"import pickle, sys; d = pickle.load(open(sys.argv[1], 'rb')); "
	"assert d['entries'][0]['frames'][0] is d['entries'][1]['frames'][0]; "
	"open(sys.argv[1], 'wb').write(pickle.dumps(d, int(sys.argv[2])))";

static struct str through_python(const struct str *bytes, int protocol)
{
	char path[] = "/tmp/flight-dump-XXXXXX", command[1024];
	struct str back = {0};
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	fwrite(bytes->text, 1, bytes->len, file);
	fclose(file);
	snprintf(command, sizeof(command), "python3 -c \"%s\" %s %d 2>/dev/null", python_program,
		path, protocol);
	if (system(command) == 0) {
		char block[65536];

		file = fopen(path, "r");
		str_add_bytes(&back, block, fread(block, 1, sizeof(block), file));
		fclose(file);
	}
	remove(path);
	return back;
}

static void python_reads_the_same_and_writes_the_same(void **state)
{
	static const enum emit_writer writers[] = {EMIT_PYTHON2, EMIT_PYTHON4, EMIT_PYTHON5};
	static const int protocols[] = {2, 4, 5};

	if (system("python3 -c 'import pickle' 2>/dev/null") != 0)
		skip();
	for (size_t i = 0; i < 3; i++) {
		struct emit_dump emit = emit_sample("2.10");
		struct str cpp = emit_bytes(&emit, EMIT_CPP);
		struct str ours = emit_bytes(&emit, writers[i]);
		struct str theirs = through_python(&cpp, protocols[i]);

		if (protocols[i] < 5 || theirs.len) { /* Python 3.7 knows no protocol 5 */
			assert_int_equal(ours.len, theirs.len);
			assert_memory_equal(ours.text, theirs.text, ours.len);
		}
		str_release(&cpp);
		str_release(&ours);
		str_release(&theirs);
		emit_release(&emit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_writer_and_version_says_the_same),
		cmocka_unit_test(an_empty_ring_is_a_dump),
		cmocka_unit_test(numbers_may_be_digits),
		cmocka_unit_test(ranks_are_read_as_far_as_they_are_ranks),
		cmocka_unit_test(versions_are_two_numbers),
		cmocka_unit_test(what_is_not_said_is_unknown),
		cmocka_unit_test(what_is_no_dump_is_refused_in_words),
		cmocka_unit_test(code_is_never_run_and_the_rest_kept),
		cmocka_unit_test(texts_are_any_bytes_and_end_at_a_nul),
		cmocka_unit_test(python_reads_the_same_and_writes_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
