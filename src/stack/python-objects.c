/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way is _PyRuntime -> main interpreter -> sys.modules -> the module's dict -> the object ->
 * its attributes. A dict is gone through from its first entry, since hashes of strings are drawn
 * anew for each process; keys are compared by length before their characters are read.
 *
 * The attributes of an object of a Python class lie in a dict of its own (up to 3.10, and wherever
 * somebody asked for its __dict__), else as bare values whose names the class has (from 3.11 on).
 */
#include "stack/python-objects.h"

#include <string.h>

#include "cpython/layout.h"
#include "stack/python-code.h"
#include "stack/python-layout.h"

#define ENTRIES_MOST 65536 /* entries of a dict that are looked at */
#define ENTRIES_LOT  64	   /* entries read at once */

/* Offsets in any object, in a type, a module. The last three lie likewise from 3.8 to 3.15. */
#define OBJECT_TYPE	 8
#define TYPE_NAME	 24
#define TYPE_SIZE	 32
#define TYPE_FLAGS	 168
#define TYPE_DICT_OFFSET 288
#define MODULE_DICT	 16

#define TYPE_INLINE_VALUES (1u << 2)
#define TYPE_MANAGED_DICT  (1u << 4)

/* Offsets in a dict; in its keys, up to 3.10 and later. */
#define DICT_KEYS	 32
#define DICT_VALUES	 40
#define KEYS_OLD_SIZE	 8
#define KEYS_OLD_ENTRIES 32
#define KEYS_OLD_INDICES 40
#define KEYS_INDEX_LOG	 9
#define KEYS_KIND	 10
#define KEYS_ENTRIES	 24
#define KEYS_INDICES	 32

#define MANAGED_VALUES 32 /* bytes before an object of 3.11: its values */
#define MANAGED_DICT   24 /* bytes before an object from 3.11 on: its dict */
#define VALUES_HEAD    8  /* of the bare values from 3.13 on */

/* Who reads: the layout that everybody here asks for, and texts. */
struct objects {
	struct stack_memory *memory;
	struct python_layout layout;
	uint64_t runtime;
};

/* The names that a dict or a class has, and where the values are. */
struct names {
	uint64_t entries; /* address of the first */
	uint64_t nr;
	unsigned size, key; /* of an entry; the key's place in it, behind which is the value */
	uint64_t values;    /* address of the values, where they do not lie in the entries; 0 */
};

/* Returns the pointer at an address; 0 if it cannot be read. */
static uint64_t pointer_at(const struct objects *objects, uint64_t at)
{
	uint64_t ret;

	return stack_memory_u64(objects->memory, at, &ret) < 0 ? 0 : ret;
}

static unsigned minor(const struct objects *objects)
{
	return PYTHON_MINOR(objects->layout.version) & 0xff;
}

bool python_type_name(
	struct stack_memory *memory, uint64_t object, char name[static PYTHON_TYPE_NAME])
{
	uint64_t type, at;

	if (!object || stack_memory_u64(memory, object + OBJECT_TYPE, &type) < 0 ||
		stack_memory_u64(memory, type + TYPE_NAME, &at) < 0)
		return false;
	for (size_t i = 0; i < PYTHON_TYPE_NAME; i++) {
		if (stack_memory_read(memory, at + i, &name[i], 1) < 0)
			return false;
		if (!name[i])
			return i > 0;
		if (name[i] < ' ' || name[i] > '~')
			return false;
	}
	return false;
}

/* True if an object's type is called so. */
static bool is_a(const struct objects *objects, uint64_t object, const char *type)
{
	char name[PYTHON_TYPE_NAME];

	return python_type_name(objects->memory, object, name) && !strcmp(name, type);
}

/* --- Ints and texts -------------------------------------------------------------------------- */

/*
 * Offsets in an int: the number of its digits (from 3.12 on shifted up by INT_TAG_SIZE bits of
 * flags), and the digits.
 */
#define INT_SIZE     16
#define INT_DIGIT    24
#define INT_TAG_SIZE 3

/*
 * Returns the value of an int of no or one digit, which is not negative; -1 for any other object.
 */
static int64_t small_int(const struct objects *objects, uint64_t at)
{
	uint64_t size;
	uint32_t digit;

	if (!is_a(objects, at, "int") ||
		stack_memory_u64(objects->memory, at + INT_SIZE, &size) < 0 ||
		stack_memory_u32(objects->memory, at + INT_DIGIT, &digit) < 0)
		return -1;
	if (minor(objects) >= 12)
		return size == 1 ? 0 : size == 1 << INT_TAG_SIZE ? (int64_t)digit : -1;
	return size == 0 ? 0 : size == 1 ? (int64_t)digit : -1;
}

/* Returns a str's text in the arena; NULL for any other object. */
static const char *text_of(const struct objects *objects, uint64_t at, struct arena *arena)
{
	struct python_reader reader = {
		.memory = objects->memory, .layout = &objects->layout, .arena = arena};
	const char *ret = is_a(objects, at, "str") ? python_text(&reader, at) : NULL;

	python_reader_release(&reader);
	return ret;
}

/* True if a key is the str `name`, which is ASCII: all names that are asked for are. */
static bool is_name(const struct objects *objects, uint64_t key, const char *name)
{
	const struct python_offsets *of = &objects->layout.at;
	char text[256];
	size_t len = strlen(name);
	uint64_t length;
	uint32_t state;

	return key && len < sizeof(text) &&
	       stack_memory_u64(objects->memory, key + of->str_length, &length) == 0 &&
	       length == len &&
	       stack_memory_u32(objects->memory, key + of->str_state, &state) == 0 &&
	       STR_ASCII(state) && STR_COMPACT(state) &&
	       stack_memory_read(objects->memory, key + of->str_ascii, text, len) == 0 &&
	       !memcmp(text, name, len) && is_a(objects, key, "str");
}

/* --- Names and values ------------------------------------------------------------------------ */

/* Finds what keys of up to 3.10 have. Returns false if they make no sense. */
static bool find_names_old(const struct objects *objects, uint64_t keys, struct names *ret)
{
	uint64_t size = pointer_at(objects, keys + KEYS_OLD_SIZE);
	unsigned width = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;

	if (!size || size & (size - 1) || size > 1u << 30)
		return false;
	*ret = (struct names){.entries = keys + KEYS_OLD_INDICES + size * width,
		.nr = pointer_at(objects, keys + KEYS_OLD_ENTRIES),
		.size = 24,
		.key = 8};
	return true;
}

/* Finds what keys have. Returns false if they make no sense. */
static bool find_names(const struct objects *objects, uint64_t keys, struct names *ret)
{
	uint8_t log, kind;

	if (!keys)
		return false;
	if (minor(objects) <= 10)
		return find_names_old(objects, keys, ret);
	if (stack_memory_read(objects->memory, keys + KEYS_INDEX_LOG, &log, 1) < 0 ||
		stack_memory_read(objects->memory, keys + KEYS_KIND, &kind, 1) < 0 || log > 40 ||
		kind > 2)
		return false;
	/* Of kind 0 are keys of any type, with their hashes. */
	*ret = (struct names){.entries = keys + KEYS_INDICES + (1ull << log),
		.nr = pointer_at(objects, keys + KEYS_ENTRIES),
		.size = kind ? 16 : 24,
		.key = kind ? 0 : 8};
	return true;
}

/* Returns the value behind a name; 0 if it is not there. */
static uint64_t value_of(
	const struct objects *objects, const struct names *names, const char *name)
{
	uint8_t lot[ENTRIES_LOT * 24];
	uint64_t nr = names->nr < ENTRIES_MOST ? names->nr : ENTRIES_MOST, key, value;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t left = nr - i < ENTRIES_LOT ? nr - i : ENTRIES_LOT;
		const uint8_t *entry = lot + i % ENTRIES_LOT * names->size;

		if (i % ENTRIES_LOT == 0 &&
			stack_memory_read(objects->memory, names->entries + i * names->size, lot,
				left * names->size) < 0)
			return 0;
		memcpy(&key, entry + names->key, sizeof(key));
		memcpy(&value, entry + names->key + 8, sizeof(value));
		if (!is_name(objects, key, name))
			continue;
		return names->values ? pointer_at(objects, names->values + 8 * i) : value;
	}
	return 0;
}

/* Returns where the values of a block begin. */
static uint64_t first_value(const struct objects *objects, uint64_t values)
{
	return values && minor(objects) >= 13 ? values + VALUES_HEAD : values;
}

/* Finds the names of a dict. */
static bool find_dict(const struct objects *objects, uint64_t dict, struct names *ret)
{
	if (!is_a(objects, dict, "dict") ||
		!find_names(objects, pointer_at(objects, dict + DICT_KEYS), ret))
		return false;
	ret->values = first_value(objects, pointer_at(objects, dict + DICT_VALUES));
	return true;
}

/* Returns where a class keeps the names of the attributes of its objects. */
static uint64_t cached_keys(const struct objects *objects, uint64_t type)
{
	return pointer_at(objects, type + (minor(objects) >= 12 ? 880 : 872));
}

/* Finds the attributes of an object whose class manages them: from 3.11 on, if it has no slots. */
static bool find_managed(
	const struct objects *objects, uint64_t object, uint64_t type, struct names *ret)
{
	uint64_t dict = pointer_at(objects, object - MANAGED_DICT), values = 0;

	if (minor(objects) == 11)
		values = pointer_at(objects, object - MANAGED_VALUES);
	else if (minor(objects) == 12 && dict & 1)
		values = dict + 1;
	else if (minor(objects) >= 13 && !dict &&
		 pointer_at(objects, type + TYPE_FLAGS) & TYPE_INLINE_VALUES)
		values = object + pointer_at(objects, type + TYPE_SIZE);
	if (!values)
		return find_dict(objects, dict, ret);
	if (!find_names(objects, cached_keys(objects, type), ret))
		return false;
	ret->values = first_value(objects, values);
	return true;
}

/* Finds the attributes of an object. Returns false if it has none that can be found. */
static bool find_attributes(const struct objects *objects, uint64_t object, struct names *ret)
{
	uint64_t type = pointer_at(objects, object + OBJECT_TYPE);
	uint64_t offset = pointer_at(objects, type + TYPE_DICT_OFFSET);

	if (!type)
		return false;
	if (minor(objects) >= 11 && pointer_at(objects, type + TYPE_FLAGS) & TYPE_MANAGED_DICT)
		return find_managed(objects, object, type, ret);
	return offset && offset <= PYTHON_OFFSET_MAX &&
	       find_dict(objects, pointer_at(objects, object + offset), ret);
}

/* --- Who asks -------------------------------------------------------------------------------- */

/* Returns the interpreter number 0; 0 if it is none of the first few. */
static uint64_t main_interpreter(const struct objects *objects)
{
	const struct python_offsets *of = &objects->layout.at;
	uint64_t at = pointer_at(objects, objects->runtime + of->interpreters), number;

	for (int i = 0; at && i < 64; i++) {
		if (stack_memory_u64(objects->memory, at + of->interp_id, &number) < 0)
			return 0;
		if (!number)
			return at;
		at = pointer_at(objects, at + of->interp_next);
	}
	return 0;
}

/* Returns the object that a global name of a module is bound to; 0 if there is none. */
static uint64_t find_global(const struct objects *objects, const char *module, const char *global)
{
	uint64_t interpreter = main_interpreter(objects), at;
	struct names names;

	if (!interpreter || !objects->layout.at.interp_modules)
		return 0;
	at = pointer_at(objects, interpreter + objects->layout.at.interp_modules);
	if (!find_dict(objects, at, &names))
		return 0;
	at = value_of(objects, &names, module);
	if (!is_a(objects, at, "module") ||
		!find_dict(objects, pointer_at(objects, at + MODULE_DICT), &names))
		return 0;
	return value_of(objects, &names, global);
}

bool python_global_attributes(struct stack_memory *memory, const struct python_place *place,
	const char *module, const char *global, struct python_attribute *attributes, size_t n,
	struct arena *arena)
{
	struct objects objects = {.memory = memory, .runtime = place->runtime};
	struct names names;
	uint64_t object;

	for (size_t i = 0; i < n; i++) {
		attributes[i].number = -1;
		attributes[i].text = NULL;
	}
	if (python_layout_find(memory, place->runtime, place->version, &objects.layout, arena))
		return false;
	object = find_global(&objects, module, global);
	if (!object || !find_attributes(&objects, object, &names))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t value = value_of(&objects, &names, attributes[i].name);

		if (!value)
			continue;
		attributes[i].number = small_int(&objects, value);
		attributes[i].text = text_of(&objects, value, arena);
	}
	return true;
}

int64_t python_argument(struct stack_memory *memory, const struct python_place *place,
	const struct python_frame *frame, unsigned n)
{
	struct objects objects = {.memory = memory, .runtime = place->runtime};
	struct arena arena = {0};
	uint64_t object;
	int64_t ret = -1;

	if (!python_layout_find(
		    memory, place->runtime, place->version, &objects.layout, &arena) &&
		stack_memory_u64(memory,
			frame->at + objects.layout.at.frame_locals + 8 * (uint64_t)n,
			&object) == 0)
		ret = small_int(&objects, object & ~(uint64_t)PYTHON_POINTER_TAG);
	arena_release(&arena);
	return ret;
}
