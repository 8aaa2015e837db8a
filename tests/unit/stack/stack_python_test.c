/* SPDX-License-Identifier: Apache-2.0 */
/* Python's frames out of memory: well-made, and made by somebody who means harm. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpython/lines.h"
#include "stack/python-frames.h"
#include "tests/unit/python-fake.h"
#include "tests/unit/unit.h"

static const uint32_t versions[] = {
	0x030812f0, 0x030912f0, 0x030a0df0, 0x030b07f0, 0x030c01f0, 0x030d00f0, 0x030e0af0,
	0x030f02f0};

#define NVERSIONS (sizeof(versions) / sizeof(versions[0]))

/* More than this no reading of a small memory may ask for, whatever it says. */
#define READS_MAX 2000000u

#define RANDOM_SIZE 32768u

static int read_fake(struct python_fake *fake, struct python_stacks *stacks, struct complaint *why)
{
	struct python_place place = {.runtime = fake->runtime, .version = fake->version};

	return python_stacks_read(&fake->memory, &place, stacks, why);
}

/* One thread, 4711, with main -> work -> wait, of which C called work. Gives the fake. */
static struct python_fake *fake_job(uint32_t version)
{
	struct python_fake *fake = python_fake_new(version);
	uint64_t interpreter = python_fake_interpreter(fake, 0);
	uint64_t thread = python_fake_thread(fake, interpreter, 4711);
	uint64_t wait = python_fake_code(fake, "/job/lib.py", "Loader.wait", 20);

	python_fake_run(fake, thread);
	python_fake_frame(fake, thread, python_fake_code(fake, "/job/train.py", "<module>", 1));
	python_fake_run(fake, thread);
	python_fake_frame(fake, thread, python_fake_code(fake, "/job/train.py", "work", 7));
	python_fake_frame(fake, thread, wait);
	python_fake_gil(fake, interpreter, thread);
	return fake;
}

static void frames_of_every_version_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = fake_job(versions[i]);
		struct python_stacks stacks;
		const struct python_frame *frames;

		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_null(stacks.refused);
		assert_int_equal(stacks.version, versions[i]);
		assert_int_equal(stacks.nthreads, 1);
		assert_int_equal(stacks.threads[0].tid, 4711);
		assert_null(stacks.threads[0].cut);
		assert_int_equal(stacks.threads[0].nframes, 3);
		frames = stacks.threads[0].frames;
		assert_string_equal(frames[0].file, "/job/lib.py");
		assert_string_equal(frames[0].function, "Loader.wait");
		assert_int_equal(frames[0].line, 20);
		assert_string_equal(frames[1].function, "work");
		assert_int_equal(frames[1].line, 7);
		assert_string_equal(frames[2].function, "<module>");
		python_stacks_release(&stacks);
		free(fake);
	}
}

/* Also where a generator has a stack of handlers of its own, in which there is none. */
static void what_a_thread_handles_is_told(void **state)
{
	static const uint32_t known[] = {0x03080000, 0x030a0000, 0x030b0000, 0x030c0000};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct python_fake *fake = python_fake_new(known[i]);
		uint64_t interpreter = python_fake_interpreter(fake, 0);
		uint64_t idle = python_fake_thread(fake, interpreter, 11);
		uint64_t handles = python_fake_thread(fake, interpreter, 12);
		struct python_place place = {.runtime = fake->runtime, .version = known[i]};
		struct python_stacks stacks;
		struct complaint why = {0};

		python_fake_handler(fake, idle, NULL, NULL);
		python_fake_handler(fake, idle, "NoneType", "");
		python_fake_handler(fake, handles, "ValueError", "token 999 of 128");
		python_fake_handler(fake, handles, NULL, NULL);
		assert_int_equal(python_stacks_read(&fake->memory, &place, &stacks, &why), 0);
		assert_int_equal(stacks.nthreads, 2);
		for (size_t k = 0; k < 2; k++)
			if (stacks.threads[k].tid == 12)
				assert_string_equal(
					stacks.threads[k].handling, "ValueError: token 999 of 128");
			else
				assert_null(stacks.threads[k].handling);
		python_stacks_release(&stacks);
		free(fake);
	}
	(void)state;
}

static void the_outermost_frame_of_each_run_has_the_anchor(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = python_fake_new(versions[i]);
		uint64_t interpreter = python_fake_interpreter(fake, 0);
		uint64_t thread = python_fake_thread(fake, interpreter, 1);
		uint64_t code = python_fake_code(fake, "/a.py", "f", 1), outer, inner;
		struct python_stacks stacks;
		const struct python_frame *frames;

		outer = python_fake_run(fake, thread);
		python_fake_frame(fake, thread, code);
		python_fake_frame(fake, thread, code);
		inner = python_fake_run(fake, thread);
		python_fake_frame(fake, thread, code);
		python_fake_frame(fake, thread, code);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_int_equal(stacks.threads[0].nframes, 4);
		frames = stacks.threads[0].frames;
		assert_int_equal(frames[0].anchor, 0);
		assert_int_equal(frames[1].anchor, inner);
		assert_int_equal(frames[2].anchor, 0);
		assert_int_equal(frames[3].anchor, outer);
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void who_has_the_gil_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = python_fake_new(versions[i]);
		uint64_t interpreter = python_fake_interpreter(fake, 0);
		uint64_t first = python_fake_thread(fake, interpreter, 10);
		struct python_stacks stacks;

		python_fake_thread(fake, interpreter, 11);
		python_fake_gil(fake, interpreter, first);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_true(stacks.gil_known);
		assert_true(stacks.gil_locked);
		assert_int_equal(stacks.gil_holder, 10);
		assert_int_equal(stacks.threads[0].tid, 11);
		assert_false(stacks.threads[0].holds_gil);
		assert_true(stacks.threads[1].holds_gil);
		python_stacks_release(&stacks);

		python_fake_gil(fake, interpreter, 0);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_true(stacks.gil_known);
		assert_false(stacks.gil_locked);
		assert_int_equal(stacks.gil_holder, 0);
		assert_false(stacks.threads[1].holds_gil);
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void threads_of_all_interpreters_are_read_with_their_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = python_fake_new(versions[i]);
		uint64_t code = python_fake_code(fake, "/a.py", "f", 1);
		uint64_t first = python_fake_interpreter(fake, 0);
		uint64_t mine = python_fake_thread(fake, first, 5), second, its;
		struct python_stacks stacks;

		second = python_fake_interpreter(fake, 3);
		its = python_fake_thread(fake, second, 6);
		python_fake_frame(fake, mine, code);
		python_fake_frame(fake, its, code);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_int_equal(stacks.nthreads, 2);
		assert_int_equal(stacks.threads[0].interpreter, 3);
		assert_int_equal(stacks.threads[0].tid, 6);
		assert_int_equal(stacks.threads[1].interpreter, 0);
		assert_int_equal(stacks.threads[1].nframes, 1);
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void names_of_every_kind_are_utf8(void **state)
{
	static const uint16_t wide[] = {0x6f22, 0x5b57, 0xdc80, 'x'};
	static const uint32_t wider[] = {0x1f40d, 0, 0x110000, 'y'};

	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = python_fake_new(versions[i]);
		uint64_t thread = python_fake_thread(fake, python_fake_interpreter(fake, 0), 1);
		uint64_t codes[3];
		struct python_stacks stacks;

		for (size_t k = 0; k < 3; k++) {
			codes[k] = python_fake_code(fake, "/a.py", "f", 1);
			python_fake_frame(fake, thread, codes[k]);
		}
		python_fake_put(fake, codes[0] + fake->layout.at.code_name,
			python_fake_text(fake, "caf\xe9", 4, 1), 8);
		python_fake_put(fake, codes[1] + fake->layout.at.code_name,
			python_fake_text(fake, wide, 4, 2), 8);
		python_fake_put(fake, codes[2] + fake->layout.at.code_name,
			python_fake_text(fake, wider, 4, 4), 8);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_string_equal(stacks.threads[0].frames[2].function, "caf\xc3\xa9");
		assert_string_equal(stacks.threads[0].frames[1].function,
			"\xe6\xbc\xa2\xe5\xad\x97\xef\xbf\xbdx");
		assert_string_equal(stacks.threads[0].frames[0].function,
			"\xf0\x9f\x90\x8d\xef\xbf\xbd\xef\xbf\xbdy");
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void flags_in_a_pointer_of_3_14_are_no_part_of_it(void **state)
{
	struct python_fake *fake = python_fake_new(0x030e00f0);
	uint64_t thread = python_fake_thread(fake, python_fake_interpreter(fake, 0), 1);
	uint64_t code = python_fake_code(fake, "/a.py", "f", 33);
	uint64_t frame = python_fake_frame(fake, thread, code);
	struct python_stacks stacks;

	(void)state;
	python_fake_put(fake, frame + fake->layout.at.frame_code, code | 1, 8);
	assert_int_equal(read_fake(fake, &stacks, NULL), 0);
	assert_int_equal(stacks.threads[0].nframes, 1);
	assert_int_equal(stacks.threads[0].frames[0].line, 33);
	python_stacks_release(&stacks);
	free(fake);
}

static void the_interpreters_own_code_is_nobodys_frame(void **state)
{
	struct python_fake *fake = python_fake_new(0x030d00f0);
	uint64_t thread = python_fake_thread(fake, python_fake_interpreter(fake, 0), 1);
	struct python_stacks stacks;

	(void)state;
	python_fake_run(fake, thread);
	python_fake_frame(fake, thread, python_fake_code(fake, "/a.py", "make", 1));
	python_fake_frame(fake, thread, python_fake_code(fake, "__init__", "__init__", 0));
	python_fake_frame(fake, thread, python_fake_code(fake, "/a.py", "Thing.__init__", 9));
	assert_int_equal(read_fake(fake, &stacks, NULL), 0);
	assert_int_equal(stacks.threads[0].nframes, 2);
	assert_string_equal(stacks.threads[0].frames[1].function, "make");
	python_stacks_release(&stacks);
	free(fake);
}

/* Reads what is refused, and looks whether it is refused with these words. */
static void assert_refused(struct python_fake *fake, const char *words)
{
	struct python_stacks stacks;

	assert_int_equal(read_fake(fake, &stacks, NULL), 0);
	assert_non_null(stacks.refused);
	if (!strstr(stacks.refused, words))
		fail_msg("refused: %s, not: %s", stacks.refused, words);
	assert_int_equal(stacks.nthreads, 0);
	assert_false(stacks.gil_known);
	python_stacks_release(&stacks);
	free(fake);
}

static void what_is_not_known_is_refused(void **state)
{
	struct python_fake *fake;

	(void)state;
	assert_refused(python_fake_new(0x030710f0), "3.7");
	assert_refused(python_fake_new(0), "version");
	fake = fake_job(0x030d00f0);
	python_fake_put(fake, fake->runtime + 16, 1, 8);
	assert_refused(fake, "free-threaded");
	fake = fake_job(0x030d00f0);
	python_fake_put(fake, fake->runtime + 8, 0x031000f0, 8);
	assert_refused(fake, "3.16");
	fake = fake_job(0x030d00f0);
	python_fake_put(fake, fake->runtime, 0, 8);
	assert_refused(fake, "lacks the table");
	fake = fake_job(0x030e00f0);
	python_fake_put(fake, fake->runtime + 26 * 8, 1u << 30, 8);
	assert_refused(fake, "makes no sense");
}

static void a_version_that_only_the_interpreter_tells_is_enough(void **state)
{
	struct python_fake *fake = fake_job(0x030d00f0);
	struct python_stacks stacks;

	(void)state;
	fake->version = 0;
	assert_int_equal(read_fake(fake, &stacks, NULL), 0);
	assert_int_equal(stacks.version, 0x030d00f0);
	assert_int_equal(stacks.threads[0].nframes, 3);
	python_stacks_release(&stacks);
	free(fake);
}

static void circles_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = fake_job(versions[i]);
		const struct python_offsets *of = &fake->layout.at;
		uint64_t interpreter = python_fake_get(fake, fake->runtime + of->interpreters);
		uint64_t thread = python_fake_get(fake, interpreter + of->interp_threads);
		uint64_t frame = python_fake_get(fake, thread + of->thread_frame);
		struct python_stacks stacks;
		struct complaint why = {0};

		if (fake->layout.cframes)
			frame = python_fake_get(fake, frame + of->cframe_frame);
		python_fake_put(fake,
			python_fake_get(fake, frame + of->frame_back) + of->frame_back, frame, 8);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_string_equal(stacks.threads[0].cut, "its frames go in a circle");
		assert_in_range(stacks.threads[0].nframes, 2, 8);
		python_stacks_release(&stacks);

		python_fake_put(fake, thread + of->thread_next, thread, 8);
		assert_true(read_fake(fake, &stacks, &why) < 0);
		assert_non_null(strstr(complaint_text(&why), "threads that goes in a circle"));
		assert_in_range(stacks.nthreads, 1, 4);
		python_stacks_release(&stacks);

		python_fake_put(fake, thread + of->thread_next, 0, 8);
		python_fake_put(fake, interpreter + of->interp_next, interpreter, 8);
		assert_true(read_fake(fake, &stacks, &why) < 0);
		assert_non_null(strstr(complaint_text(&why), "interpreters that goes in a circle"));
		python_stacks_release(&stacks);
		complaint_release(&why);
		free(fake);
	}
}

static void threads_before_a_broken_one_are_there_all_the_same(void **state)
{
	struct python_fake *fake = python_fake_new(0x030b00f0);
	uint64_t interpreter = python_fake_interpreter(fake, 0);
	uint64_t broken = python_fake_thread(fake, interpreter, 1);
	struct python_stacks stacks;
	struct complaint why = {0};

	(void)state;
	python_fake_thread(fake, interpreter, 2);
	python_fake_put(fake, broken + fake->layout.at.thread_interp, FAKE_BASE, 8);
	assert_true(read_fake(fake, &stacks, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "does not lead back"));
	assert_int_equal(stacks.nthreads, 1);
	assert_int_equal(stacks.threads[0].tid, 2);
	python_stacks_release(&stacks);
	complaint_release(&why);
	free(fake);
}

static void there_may_be_no_interpreter(void **state)
{
	struct python_fake *fake = python_fake_new(0x030c00f0);
	struct python_place nowhere = {.runtime = UINT64_MAX - 4, .version = 0x030c00f0};
	struct python_stacks stacks;
	struct complaint why = {0};

	(void)state;
	assert_true(read_fake(fake, &stacks, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "no interpreter"));
	python_stacks_release(&stacks);
	assert_true(python_stacks_read(&fake->memory, &nowhere, &stacks, &why) < 0);
	python_stacks_release(&stacks);
	complaint_release(&why);
	free(fake);
}

static void a_deep_stack_is_cut_and_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = python_fake_new(versions[i]);
		uint64_t thread = python_fake_thread(fake, python_fake_interpreter(fake, 0), 1);
		uint64_t code = python_fake_code(fake, "/a.py", "f", 1);
		struct python_stacks stacks;

		for (size_t k = 0; k < PYTHON_FRAMES; k++)
			python_fake_frame(fake, thread, code);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_int_equal(stacks.threads[0].nframes, PYTHON_FRAMES);
		assert_null(stacks.threads[0].cut);
		python_stacks_release(&stacks);

		python_fake_frame(fake, thread, code);
		assert_int_equal(read_fake(fake, &stacks, NULL), 0);
		assert_int_equal(stacks.threads[0].nframes, PYTHON_FRAMES);
		assert_string_equal(stacks.threads[0].cut, "more than 4096 frames");
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void huge_lengths_do_not_matter(void **state)
{
	static const uint64_t lengths[] = {
		4097, 1u << 20, 1ull << 31, 1ull << 40, INT64_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++)
		for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			struct python_fake *fake = fake_job(versions[i]);
			const struct python_offsets *of = &fake->layout.at;
			uint64_t thread = python_fake_thread(
				fake, python_fake_get(fake, fake->runtime + of->interpreters), 2);
			uint64_t code = python_fake_code(fake, "/a.py", "f", 5);
			struct python_stacks stacks;

			python_fake_frame(fake, thread, code);
			python_fake_put(fake,
				python_fake_get(fake, code + of->code_lines) + of->bytes_size,
				lengths[k], 8);
			assert_int_equal(read_fake(fake, &stacks, NULL), 0);
			assert_int_equal(stacks.threads[0].nframes, 1);
			python_stacks_release(&stacks);

			python_fake_put(fake,
				python_fake_get(fake, code + of->code_name) + of->str_length,
				lengths[k], 8);
			assert_int_equal(read_fake(fake, &stacks, NULL), 0);
			if (stacks.threads[0].nframes)
				assert_true(strlen(stacks.threads[0].frames[0].function) < 20000);
			else
				assert_non_null(stacks.threads[0].cut);
			assert_int_equal(stacks.threads[1].nframes, 3);
			python_stacks_release(&stacks);
			free(fake);
		}
}

/* Any byte of it may be any other: reading ends, in good order. */
static void flipped_bytes_do_no_harm(void **state)
{
	static const uint8_t flips[] = {0x01, 0x10, 0xff};

	(void)state;
	for (size_t i = 0; i < NVERSIONS; i++) {
		struct python_fake *fake = fake_job(versions[i]);
		size_t used = fake->next - FAKE_BASE;

		for (size_t at = 0; at < used; at++) {
			struct python_stacks stacks;
			uint8_t flip = flips[at % sizeof(flips)];

			fake->bytes[at] ^= flip;
			fake->nreads = 0;
			read_fake(fake, &stacks, NULL);
			assert_in_range(fake->nreads, 1, READS_MAX);
			python_stacks_release(&stacks);
			fake->bytes[at] ^= flip;
		}
		free(fake);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Memory where every word is a number or leads to some place in it. */
static void random_memory_does_no_harm(void **state)
{
	uint64_t seed = 88172645463325252ull;

	(void)state;
	for (size_t round = 0; round < 40 * NVERSIONS; round++) {
		struct python_fake *fake = fake_job(versions[round % NVERSIONS]);
		size_t skip = round % NVERSIONS < 5 ? 0 : 1024; /* keep the table */
		struct python_stacks stacks;

		for (size_t at = skip; at < RANDOM_SIZE; at += 8) {
			uint64_t word = next_random(&seed);

			if (word & 1)
				word = FAKE_BASE + word % RANDOM_SIZE / 8 * 8;
			else if (word & 2)
				word %= 32;
			memcpy(fake->bytes + at, &word, 8);
		}
		if (skip) /* and an interpreter to begin with */
			python_fake_put(fake, fake->runtime + fake->layout.at.interpreters,
				FAKE_BASE + 2048, 8);
		read_fake(fake, &stacks, NULL);
		assert_in_range(fake->nreads, 1, READS_MAX);
		python_stacks_release(&stacks);
		free(fake);
	}
}

static void lines_of_lnotab(void **state)
{
	/* x = 1; y = 2 on the next; back 3 lines; 300 lines on in two steps */
	static const uint8_t table[] = {4, 1, 4, (uint8_t)-3, 8, 127, 0, 127, 0, 46};

	(void)state;
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 10, -1), 10);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 10, 0), 10);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 10, 4), 11);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 10, 8), 8);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 10, 99), 308);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, 0, 10, 4), 10);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, table, sizeof(table), 2, 8), 0);
}

static void lines_of_ranges(void **state)
{
	/* two instructions of the first line, one of none, one of the line two further on */
	static const uint8_t table[] = {4, 0, 2, (uint8_t)-128, 2, 2};

	(void)state;
	assert_int_equal(python_line(PYTHON_LINES_RANGES, table, sizeof(table), 10, -1), 10);
	assert_int_equal(python_line(PYTHON_LINES_RANGES, table, sizeof(table), 10, 1), 10);
	assert_int_equal(python_line(PYTHON_LINES_RANGES, table, sizeof(table), 10, 2), 0);
	assert_int_equal(python_line(PYTHON_LINES_RANGES, table, sizeof(table), 10, 3), 12);
	assert_int_equal(python_line(PYTHON_LINES_RANGES, table, sizeof(table), 10, 4), 0);
}

static void lines_of_locations(void **state)
{
	static const uint8_t table[] = {
		0x80 | 3 << 3 | 1, 0x12,                        /* 0,1: this line */
		0x80 | 12 << 3 | 0, 1, 2,                       /* 2: two lines on */
		0x80 | 15 << 3 | 0,                             /* 3: none */
		0x80 | 13 << 3 | 0, 0x40 | 0x0d, 0x04,          /* 4: -(0x10d >> 1) + ... */
		0x80 | 14 << 3 | 7, 0x40 | 0x08, 0x0a, 0, 1, 2, /* 5 to 12 */
	};
	const size_t len = sizeof(table);

	(void)state;
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, -1), 500);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 0), 500);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 1), 500);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 2), 502);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 3), 0);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 4), 502 - 134);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 12), 368 + 324);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, 13), 0);
	assert_int_equal(python_line(PYTHON_LINES_LOCATIONS, table, len, 500, INT64_MAX), 0);
}

/* Any table, cut anywhere, gives some line or none. */
static void any_bytes_will_do_for_a_table_of_lines(void **state)
{
	uint64_t seed = 2463534242u;
	uint8_t table[256];

	(void)state;
	for (size_t round = 0; round < 3000; round++) {
		size_t len = next_random(&seed) % (sizeof(table) + 1);
		uint8_t *exact;

		for (size_t i = 0; i < sizeof(table); i++)
			table[i] = (uint8_t)next_random(&seed);
		exact = malloc(len ? len : 1); /* so that one byte too far is seen */
		assert_non_null(exact);
		memcpy(exact, table, len);
		for (int how = PYTHON_LINES_LNOTAB; how <= PYTHON_LINES_LOCATIONS; how++)
			assert_true(python_line((enum python_lines)how, exact, len, UINT32_MAX,
					    (int64_t)(next_random(&seed) % 600)) <= INT32_MAX);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_every_version_are_read),
		cmocka_unit_test(what_a_thread_handles_is_told),
		cmocka_unit_test(the_outermost_frame_of_each_run_has_the_anchor),
		cmocka_unit_test(who_has_the_gil_is_told),
		cmocka_unit_test(threads_of_all_interpreters_are_read_with_their_number),
		cmocka_unit_test(names_of_every_kind_are_utf8),
		cmocka_unit_test(flags_in_a_pointer_of_3_14_are_no_part_of_it),
		cmocka_unit_test(the_interpreters_own_code_is_nobodys_frame),
		cmocka_unit_test(what_is_not_known_is_refused),
		cmocka_unit_test(a_version_that_only_the_interpreter_tells_is_enough),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(threads_before_a_broken_one_are_there_all_the_same),
		cmocka_unit_test(there_may_be_no_interpreter),
		cmocka_unit_test(a_deep_stack_is_cut_and_says_so),
		cmocka_unit_test(huge_lengths_do_not_matter),
		cmocka_unit_test(flipped_bytes_do_no_harm),
		cmocka_unit_test(random_memory_does_no_harm),
		cmocka_unit_test(lines_of_lnotab),
		cmocka_unit_test(lines_of_ranges),
		cmocka_unit_test(lines_of_locations),
		cmocka_unit_test(any_bytes_will_do_for_a_table_of_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
