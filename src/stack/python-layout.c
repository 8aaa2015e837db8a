/* SPDX-License-Identifier: Apache-2.0 */
#include "stack/python-layout.h"

#include <string.h>

#include "cpython/layout.h"

uint32_t python_layout_version(struct stack_memory *memory, uint64_t runtime)
{
	uint64_t head[2];

	if (stack_memory_read(memory, runtime, head, sizeof(head)) < 0)
		return 0;
	if (memcmp(&head[0], PYTHON_COOKIE, sizeof(head[0])) != 0)
		return 0;
	return PYTHON_MINOR(head[PYTHON_WORD_VERSION]) >> 8 == 3 ? (uint32_t)head[1] : 0;
}

/*
 * Reads those words of the interpreter's table of offsets that its version gives a meaning to; the
 * others stay. Returns 0 or negative.
 */
static int python_layout_read(struct stack_memory *memory, uint64_t runtime, uint32_t version,
	uint64_t words[PYTHON_WORDS])
{
	const struct python_offsets *row = python_layout_words(version);
	uint32_t numbers[sizeof(*row) / sizeof(uint32_t)] = {0};

	words[PYTHON_WORD_VERSION] = version;
	if (row)
		memcpy(numbers, row, sizeof(*row));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] && numbers[i] < PYTHON_WORDS &&
			stack_memory_u64(memory, runtime + numbers[i] * sizeof(*words),
				&words[numbers[i]]) < 0)
			return -1;
	return stack_memory_u64(memory, runtime + PYTHON_WORD_FREE_THREADED * sizeof(*words),
		&words[PYTHON_WORD_FREE_THREADED]);
}

/*
 * Makes the layout of an interpreter that has a table of its own; ret->version is known. Returns
 * NULL, or why it cannot be read.
 */
static const char *python_layout_own(
	struct stack_memory *memory, uint64_t runtime, struct python_layout *ret)
{
	uint64_t words[PYTHON_WORDS] = {0};

	if (python_layout_read(memory, runtime, ret->version, words) < 0)
		return "its table of offsets cannot be read";
	if (words[PYTHON_WORD_FREE_THREADED])
		return "a free-threaded build, which has no GIL";
	if (!python_layout_of_words(words, PYTHON_WORDS, ret))
		return "its table of offsets makes no sense";
	return NULL;
}

const char *python_layout_find(struct stack_memory *memory, uint64_t runtime, uint32_t version,
	struct python_layout *ret, struct arena *arena)
{
	uint32_t own = python_layout_version(memory, runtime);
	const struct python_layout *row = own ? NULL : python_layout_row(version);

	*ret = row ? *row : (struct python_layout){0};
	ret->version = own ? own : version;
	if (row)
		return NULL;
	if (!ret->version)
		return "a CPython whose version is not known";
	if (own && python_layout_words(own))
		return python_layout_own(memory, runtime, ret);
	if (!own && python_layout_words(version))
		return "it lacks the table of offsets that its version has";
	return arena_printf(arena, "CPython %u.%u; known are 3.8 to 3.15", ret->version >> 24,
		ret->version >> 16 & 0xff);
}
