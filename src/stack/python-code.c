/* SPDX-License-Identifier: Apache-2.0 */
#include "stack/python-code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpython/layout.h"

#define PYTHON_CODES_FIRST 256
#define UNICODE_MAX        0x10ffff
#define UNICODE_REPLACED   0xfffd

/* True if a code point can stand in a C string of UTF-8. */
static bool is_character(uint32_t c)
{
	return c && c <= UNICODE_MAX && (c < 0xd800 || c > 0xdfff);
}

/* Appends one code point as UTF-8. */
static void str_add_character(struct str *into, uint32_t c)
{
	if (!is_character(c))
		c = UNICODE_REPLACED;
	if (c < 0x80) {
		str_add_char(into, (char)c);
		return;
	}
	if (c < 0x800) {
		str_add_char(into, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		str_add_char(into, (char)(0xe0 | c >> 12));
		str_add_char(into, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		str_add_char(into, (char)(0xf0 | c >> 18));
		str_add_char(into, (char)(0x80 | (c >> 12 & 0x3f)));
		str_add_char(into, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	str_add_char(into, (char)(0x80 | (c & 0x3f)));
}

/* Appends `nr` characters of `kind` bytes each, little-endian. */
static void str_add_characters(struct str *into, const uint8_t *bytes, size_t nr, unsigned kind)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * kind, kind);
		str_add_character(into, c);
	}
}

/* Finds where the characters of a str lie. Returns false if its state makes no sense. */
static bool python_text_data(
	struct python_reader *reader, uint64_t at, uint32_t state, uint64_t *ret)
{
	const struct python_layout *layout = reader->layout;
	unsigned kind = STR_KIND(state);

	if (kind != 1 && kind != 2 && kind != 4)
		return false;
	if (STR_ASCII(state) && kind != 1)
		return false;
	if (!STR_COMPACT(state))
		return stack_memory_u64(reader->memory, at + layout->str_compact, ret) == 0;
	*ret = at + (STR_ASCII(state) ? layout->at.str_ascii : layout->str_compact);
	return true;
}

const char *python_text(struct python_reader *reader, uint64_t at)
{
	const struct python_offsets *of = &reader->layout->at;
	uint8_t bytes[PYTHON_NAME_CAP * 4];
	struct str text = {0};
	const char *copy;
	uint64_t length, data;
	uint32_t state;
	size_t nr;

	if (stack_memory_u64(reader->memory, at + of->str_length, &length) < 0 ||
		stack_memory_u32(reader->memory, at + of->str_state, &state) < 0)
		return NULL;
	if (length > INT64_MAX || !python_text_data(reader, at, state, &data))
		return NULL;
	nr = length < PYTHON_NAME_CAP ? (size_t)length : PYTHON_NAME_CAP;
	if (nr && stack_memory_read(reader->memory, data, bytes, nr * STR_KIND(state)) < 0)
		return NULL;
	str_add_characters(&text, bytes, nr, STR_KIND(state));
	if (nr < length)
		str_add(&text, "...");
	reader->bytes += text.len;
	reader->text_at = data;
	reader->text_nr = (uint32_t)nr;
	reader->text_kind = STR_KIND(state);
	copy = arena_text(reader->arena, str_text(&text));
	str_release(&text);
	return copy;
}

/* Returns the pointer at an address; 0 if it cannot be read. */
static uint64_t python_pointer(struct python_reader *reader, uint64_t at)
{
	uint64_t pointer;

	return stack_memory_u64(reader->memory, at, &pointer) < 0 ? 0 : pointer;
}

/*
 * Reads the line table of a code object. A function without it still has a name and a first line,
 * so that a failure is none of the code object.
 */
static void python_code_lines(struct python_reader *reader, struct python_code *code)
{
	const struct python_offsets *of = &reader->layout->at;
	uint64_t table = python_pointer(reader, code->at + of->code_lines), size;
	uint8_t *bytes;

	if (!table || stack_memory_u64(reader->memory, table + of->bytes_size, &size) < 0)
		return;
	if (!size || size > PYTHON_LINES_CAP || reader->bytes + size > PYTHON_BYTES_CAP)
		return;
	bytes = alloc_zeroed(size, 1);
	if (stack_memory_read(reader->memory, table + of->bytes_data, bytes, size) == 0) {
		reader->bytes += size;
		code->lines = arena_copy(reader->arena, bytes, size);
		code->lines_len = size;
	}
	free(bytes);
}

/*
 * True for the code that the interpreter puts between a class and its __init__, which is in no
 * file: in 3.12 it has no names at all, from 3.13 on it has these.
 */
static bool python_is_trampoline(const struct python_code *code)
{
	return !code->file[0] ||
	       (!strcmp(code->file, "__init__") && !strcmp(code->function, "__init__"));
}

/* Reads the code object at code->at; `sane` says afterwards whether it could be read. */
static void python_code_read(struct python_reader *reader, struct python_code *code)
{
	const struct python_offsets *of = &reader->layout->at;
	uint64_t file = python_pointer(reader, code->at + of->code_file);
	uint64_t name = python_pointer(reader, code->at + of->code_name);

	if (stack_memory_u32(reader->memory, code->at + of->code_line, &code->first_line) < 0)
		return;
	code->file = file ? python_text(reader, file) : "";
	code->function = name ? python_text(reader, name) : "";
	if (!code->file || !code->function)
		return;
	code->trampoline = python_is_trampoline(code);
	python_code_lines(reader, code);
	code->sane = true;
}

/* Returns the slot of the index where a code object is, or would go. */
static size_t python_code_slot(const struct python_reader *reader, uint64_t at)
{
	size_t i = (size_t)(at * 0x9e3779b97f4a7c15ull >> 24) & (reader->index_size - 1);

	while (reader->index[i] && reader->codes.items[reader->index[i] - 1].at != at)
		i = (i + 1) & (reader->index_size - 1);
	return i;
}

/* Doubles the index and puts all code objects in again. */
static void python_codes_grow(struct python_reader *reader)
{
	free(reader->index);
	reader->index_size = reader->index_size ? reader->index_size * 2 : PYTHON_CODES_FIRST;
	reader->index = alloc_zeroed(reader->index_size, sizeof(*reader->index));
	for (size_t i = 0; i < reader->codes.nr; i++)
		reader->index[python_code_slot(reader, reader->codes.items[i].at)] =
			(uint32_t)i + 1;
}

const struct python_code *python_code_at(struct python_reader *reader, uint64_t at)
{
	struct python_code *code;
	size_t slot;

	at &= ~(uint64_t)PYTHON_POINTER_TAG;
	if (reader->codes.nr * 2 >= reader->index_size)
		python_codes_grow(reader);
	slot = python_code_slot(reader, at);
	if (!reader->index[slot]) {
		if (reader->codes.nr >= PYTHON_CODES_CAP || reader->bytes >= PYTHON_BYTES_CAP)
			return NULL;
		code = array_add(&reader->codes);
		code->at = at;
		python_code_read(reader, code);
		reader->index[slot] = (uint32_t)reader->codes.nr;
	}
	code = &reader->codes.items[reader->index[slot] - 1];
	return code->sane ? code : NULL;
}

void python_reader_release(struct python_reader *reader)
{
	array_release(&reader->codes);
	free(reader->index);
	reader->index = NULL;
	reader->index_size = 0;
}
