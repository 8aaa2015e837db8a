/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows. Those up to 3.12 are compared with the headers of every Python at hand by
 * tests/stack/python-layout.test, those of 3.13 on too.
 */
#include "cpython/layout.h"

#include <stddef.h>
#include <string.h>

/* The fields of str and bytes: up to 3.11, and in 3.12. */
#define PYTHON_TEXTS                                                                               \
	.str_length = 16, .str_state = 32, .str_ascii = 48, .bytes_size = 16, .bytes_data = 32
#define PYTHON_TEXTS_312                                                                           \
	.str_length = 16, .str_state = 32, .str_ascii = 40, .bytes_size = 16, .bytes_data = 32

/* The fields that 3.8, 3.9 and 3.10 have in common. */
#define PYTHON_OLD                                                                                 \
	.interpreters = 32, .interp_next = 0, .interp_threads = 8, .thread_next = 8,               \
	.thread_interp = 16, .thread_frame = 24, .thread_ident = 176, .thread_exc = 144,           \
	.frame_back = 24,                                                                          \
	.frame_code = 32, .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120,  \
	PYTHON_TEXTS

static const struct python_layout python_rows[] = {
	{
		.version = 0x03080000,
		.lines = PYTHON_LINES_LNOTAB,
		.str_compact = 72,
		.at = {PYTHON_OLD, .current = 1368, .gil = 1152, .interp_id = 16,
			.interp_modules = 56, .frame_at = 104, .frame_locals = 360},
	},
	{
		.version = 0x03090000,
		.lines = PYTHON_LINES_LNOTAB,
		.str_compact = 72,
		.at = {PYTHON_OLD, .current = 568, .gil = 352, .interp_id = 24,
			.interp_modules = 856, .frame_at = 104, .frame_locals = 360},
	},
	{
		.version = 0x030a0000,
		.lines = PYTHON_LINES_RANGES,
		.str_compact = 72,
		.at = {PYTHON_OLD, .current = 568, .gil = 352, .interp_id = 24,
			.interp_modules = 856, .frame_at = 96, .frame_locals = 352},
	},
	{
		.version = 0x030b0000,
		.runs = PYTHON_RUNS_CFRAMES,
		.lines = PYTHON_LINES_LOCATIONS,
		.cframes = true,
		.str_compact = 72,
		.at = {.interpreters = 40,
			.current = 576, .gil = 360,
			.interp_next = 0,
			.interp_id = 48,
			.interp_threads = 16,
			.interp_modules = 888,
			.thread_next = 8,
			.thread_interp = 16,
			.thread_frame = 56,
			.thread_ident = 152,
			.thread_tid = 160,
			.thread_exc = 120,
			.cframe_frame = 8,
			.cframe_previous = 16,
			.frame_back = 48,
			.frame_code = 32,
			.frame_at = 56,
			.frame_entry = 68,
			.frame_locals = 72,
			.code_file = 112,
			.code_name = 128,
			.code_line = 72,
			.code_lines = 136,
			.code_start = 184,
			PYTHON_TEXTS},
	},
	{
		.version = 0x030c0000,
		.runs = PYTHON_RUNS_SHIMS,
		.lines = PYTHON_LINES_LOCATIONS,
		.cframes = true,
		.str_compact = 56,
		.at = {.interpreters = 40,
			.interp_next = 0,
			.interp_id = 8,
			.interp_threads = 72,
			.interp_modules = 944,
			.interp_gil = 384,
			.gil_holder = 8,
			.gil_locked = 16,
			.thread_next = 8,
			.thread_interp = 16,
			.thread_frame = 56,
			.thread_ident = 136,
			.thread_tid = 144,
			.thread_exc = 104,
			.cframe_frame = 0,
			.cframe_previous = 8,
			.frame_back = 8,
			.frame_code = 0,
			.frame_at = 56,
			.frame_entry = 70,
			.frame_locals = 72,
			.code_file = 112,
			.code_name = 128,
			.code_line = 68,
			.code_lines = 136,
			.code_start = 192,
			PYTHON_TEXTS_312},
	},
};

/* Numbers of words in the interpreter's own table. */
static const struct {
	uint32_t version;
	struct python_offsets words;
} python_word_rows[] = {
	{0x030d0000, {.interpreters = 5,
			     .interp_next = 8,
			     .interp_id = 7,
			     .interp_threads = 9,
			     .interp_modules = 11,
			     .interp_gil = 14,
			     .gil_at = 15,
			     .gil_holder = 18,
			     .gil_locked = 17,
			     .thread_next = 21,
			     .thread_interp = 22,
			     .thread_frame = 23,
			     .thread_ident = 24,
			     .thread_tid = 25,
			     .frame_back = 29,
			     .frame_code = 30,
			     .frame_at = 31,
			     .frame_entry = 33,
			     .frame_locals = 32,
			     .code_file = 35,
			     .code_name = 37,
			     .code_line = 39,
			     .code_lines = 38,
			     .code_start = 43,
			     .str_length = 69,
			     .str_state = 68,
			     .str_ascii = 70,
			     .bytes_size = 65,
			     .bytes_data = 66}},
	{0x030e0000, {.interpreters = 5,
			     .interp_next = 8,
			     .interp_id = 7,
			     .interp_threads = 9,
			     .interp_modules = 12,
			     .interp_gil = 15,
			     .gil_at = 16,
			     .gil_holder = 19,
			     .gil_locked = 18,
			     .thread_next = 24,
			     .thread_interp = 25,
			     .thread_frame = 26,
			     .thread_ident = 27,
			     .thread_tid = 28,
			     .frame_back = 32,
			     .frame_code = 33,
			     .frame_at = 34,
			     .frame_entry = 36,
			     .frame_locals = 35,
			     .code_file = 40,
			     .code_name = 42,
			     .code_line = 44,
			     .code_lines = 43,
			     .code_start = 48,
			     .str_length = 79,
			     .str_state = 78,
			     .str_ascii = 80,
			     .bytes_size = 75,
			     .bytes_data = 76}},
	{0x030f0000, {.interpreters = 5,
			     .interp_next = 8,
			     .interp_id = 7,
			     .interp_threads = 9,
			     .interp_modules = 12,
			     .interp_gil = 15,
			     .gil_at = 16,
			     .gil_holder = 19,
			     .gil_locked = 18,
			     .thread_next = 24,
			     .thread_interp = 25,
			     .thread_frame = 26,
			     .thread_ident = 30,
			     .thread_tid = 31,
			     .frame_back = 40,
			     .frame_code = 41,
			     .frame_at = 42,
			     .frame_entry = 44,
			     .frame_locals = 43,
			     .code_file = 48,
			     .code_name = 50,
			     .code_line = 52,
			     .code_lines = 51,
			     .code_start = 56,
			     .str_length = 91,
			     .str_state = 90,
			     .str_ascii = 92,
			     .bytes_size = 87,
			     .bytes_data = 88}},
};

#define PYTHON_ROWS      (sizeof(python_rows) / sizeof(python_rows[0]))
#define PYTHON_WORD_ROWS (sizeof(python_word_rows) / sizeof(python_word_rows[0]))

const struct python_layout *python_layout_row(uint32_t version)
{
	for (size_t i = 0; i < PYTHON_ROWS; i++)
		if (PYTHON_MINOR(python_rows[i].version) == PYTHON_MINOR(version))
			return &python_rows[i];
	return NULL;
}

const struct python_offsets *python_layout_words(uint32_t version)
{
	for (size_t i = 0; i < PYTHON_WORD_ROWS; i++)
		if (PYTHON_MINOR(python_word_rows[i].version) == PYTHON_MINOR(version))
			return &python_word_rows[i].words;
	return NULL;
}

/*
 * Takes the offsets out of the interpreter's own table. The struct is looked at as the array of
 * uint32_t that it is: each field of the row names the word that the same field of `at` is to hold.
 * Returns false if a word is missing or too large.
 */
static bool python_layout_take(const uint64_t *words, uint32_t nr,
	const struct python_offsets *row, struct python_offsets *at)
{
	uint32_t numbers[sizeof(*row) / sizeof(uint32_t)];
	uint32_t offsets[sizeof(*row) / sizeof(uint32_t)] = {0};

	memcpy(numbers, row, sizeof(*row));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!numbers[i])
			continue;
		if (numbers[i] >= nr || words[numbers[i]] > PYTHON_OFFSET_MAX)
			return false;
		offsets[i] = (uint32_t)words[numbers[i]];
	}
	memcpy(at, offsets, sizeof(*at));
	return at->gil_holder >= at->gil_at && at->gil_locked >= at->gil_at;
}

bool python_layout_of_words(const uint64_t *words, uint32_t nr, struct python_layout *ret)
{
	const struct python_offsets *row =
		nr > PYTHON_WORD_VERSION
			? python_layout_words((uint32_t)words[PYTHON_WORD_VERSION])
			: NULL;

	if (!row || !python_layout_take(words, nr, row, &ret->at))
		return false;
	ret->version = (uint32_t)words[PYTHON_WORD_VERSION];
	ret->at.gil_holder -= ret->at.gil_at;
	ret->at.gil_locked -= ret->at.gil_at;
	ret->runs = PYTHON_RUNS_SHIMS;
	ret->lines = PYTHON_LINES_LOCATIONS;
	ret->cframes = false;
	ret->str_compact = ret->at.str_ascii + 16; /* and the cached UTF-8, its length */
	return true;
}
