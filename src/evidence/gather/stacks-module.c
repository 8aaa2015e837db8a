/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/stacks-module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "evidence/format/fields.h"
#include "evidence/format/stacks.h"
#include "proc/symbols/symbols.h"
#include "proc/threads/walk.h"

#define MODULE_SCHEMA  "inquest-module/1"
#define MODULE_SYMBOLS (1u << 20) /* the most symbols of one exhibit that are read; no honest one
				   * has more */
#define MODULE_SYMBOL  5	  /* items of one symbol */

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A parsed exhibit. Its image and build id lie in the exhibit's bytes. */
struct module_exhibit {
	struct arena arena;
	uint64_t dev, ino;
	const char *path;
	bool replaced; /* by another file of that path, since it was mapped */
	const uint8_t *build_id;
	size_t build_id_len;
	const uint8_t *image;
	size_t image_len;
	ARRAY(struct module_symbol) symbols;
};

static const struct field module_fields[] = {
	FIELD(module_exhibit, dev, FIELD_U64),
	FIELD(module_exhibit, ino, FIELD_U64),
	FIELD(module_exhibit, path, FIELD_TEXT),
	FIELD(module_exhibit, replaced, FIELD_BOOL),
};

/* --- Writing ---------------------------------------------------------------------------------- */

/* Packs symbols, each as [address, start of the function, function, file, line]. */
static void put_symbols(msgpack_packer *packer, const struct module_symbol *symbols, size_t nr)
{
	fields_put_text(packer, "symbols");
	msgpack_pack_array(packer, nr);
	for (size_t i = 0; i < nr; i++) {
		msgpack_pack_array(packer, MODULE_SYMBOL);
		msgpack_pack_uint64(packer, symbols[i].at);
		msgpack_pack_uint64(packer, symbols[i].start);
		fields_put_text(packer, symbols[i].function);
		fields_put_text(packer, symbols[i].file);
		msgpack_pack_uint32(packer, symbols[i].line);
	}
}

static void module_pack(const struct module_exhibit *module, struct str *into)
{
	msgpack_packer packer;

	msgpack_packer_init(&packer, into, fields_append);
	msgpack_pack_map(&packer, 1 + fields_count(module_fields, NR(module_fields), module) +
					  (module->build_id_len != 0) + (module->symbols.nr != 0) +
					  (module->image_len != 0));
	fields_put_text(&packer, "schema");
	fields_put_text(&packer, MODULE_SCHEMA);
	fields_put(&packer, module_fields, NR(module_fields), module);
	if (module->build_id_len) {
		fields_put_text(&packer, "build_id");
		fields_put_bytes(&packer, module->build_id, module->build_id_len);
	}
	if (module->symbols.nr)
		put_symbols(&packer, module->symbols.items, module->symbols.nr);
	if (module->image_len) {
		fields_put_text(&packer, "image");
		fields_put_bytes(&packer, module->image, module->image_len);
	}
}

void stacks_add_module(struct evidence *into, const char *host, const struct module *module,
	const struct excerpt *image)
{
	struct str bytes = {0}, label = {0}, packed = {0};
	struct module_exhibit told = {
		.dev = module->dev,
		.ino = module->ino,
		.path = module->path,
		.replaced = module->replaced,
		.build_id = module->build_id,
		.build_id_len = module->build_id_len,
		.symbols = {.items = module->symbols, .nr = module->nsymbols},
	};
	struct exhibit about = {.kind = EXHIBIT_MODULE, .host = (char *)host, .rank = -1};
	size_t len;

	if (image)
		excerpt_pack(image, &packed);
	told.image = (const uint8_t *)str_text(&packed);
	told.image_len = packed.len;
	module_pack(&told, &bytes);
	str_printf(&label, "%llx:%llx ", (unsigned long long)module->dev,
		(unsigned long long)module->ino);
	str_add(&label, module->path);
	about.label = label.text;
	len = bytes.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&bytes), len);
	str_release(&label);
	str_release(&packed);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Returns the item's text, "" if it is none. */
static const char *item_text(struct module_exhibit *module, const struct unpack_item *item)
{
	if (item->type != UNPACK_BYTES)
		return "";
	return arena_text_max(&module->arena, (const char *)item->bytes, item->len);
}

/* Reads a symbol. Later versions may put more behind the five items. */
static void read_symbol(
	struct module_exhibit *module, struct unpack *unpack, const struct unpack_item *array)
{
	struct unpack_item item[MODULE_SYMBOL], more;
	struct module_symbol *symbol;

	for (size_t i = 0; i < array->len; i++)
		if (!unpack_next(unpack, i < MODULE_SYMBOL ? &item[i] : &more) ||
			!unpack_skip(unpack, i < MODULE_SYMBOL ? &item[i] : &more))
			return;
	if (array->len < MODULE_SYMBOL || module->symbols.nr >= MODULE_SYMBOLS)
		return;
	symbol = array_add(&module->symbols);
	symbol->at = item[0].type == UNPACK_INT ? item[0].number : 0;
	symbol->start = item[1].type == UNPACK_INT ? item[1].number : 0;
	symbol->function = item_text(module, &item[2]);
	symbol->file = item_text(module, &item[3]);
	symbol->line = item[4].type == UNPACK_INT && item[4].number <= UINT32_MAX ?
			       (uint32_t)item[4].number :
			       0;
}

static void read_symbols(
	struct module_exhibit *module, struct unpack *unpack, const struct unpack_item *array)
{
	struct unpack_item item;

	for (size_t i = 0; i < array->len && unpack_next(unpack, &item); i++) {
		if (item.type == UNPACK_ARRAY)
			read_symbol(module, unpack, &item);
		else
			unpack_skip(unpack, &item);
	}
}

/* Reads one pair of the module's map. */
static void read_pair(struct module_exhibit *module, struct unpack *unpack,
	const struct unpack_item *key, const struct unpack_item *value)
{
	if (unpack_is(key, "symbols") && value->type == UNPACK_ARRAY) {
		read_symbols(module, unpack, value);
	} else if (unpack_is(key, "image") && value->type == UNPACK_BYTES) {
		module->image = value->bytes;
		module->image_len = value->len;
	} else if (unpack_is(key, "build_id") && value->type == UNPACK_BYTES) {
		module->build_id = value->bytes;
		module->build_id_len =
			value->len < MODULE_BUILD_ID ? value->len : MODULE_BUILD_ID;
	} else {
		fields_take(module_fields, NR(module_fields), key, value, module, &module->arena);
		unpack_skip(unpack, value);
	}
}

/*
 * Parses an exhibit. Returns 0, or negative with words. The caller calls module_exhibit_release()
 * in any case.
 */
static int module_parse(
	const struct exhibit *exhibit, struct module_exhibit *ret, struct complaint *why)
{
	struct unpack unpack = unpack_of(exhibit->bytes, exhibit->len);
	struct unpack_item map, key, value;

	*ret = (struct module_exhibit){.path = ""};
	if (!unpack_next(&unpack, &map) || map.type != UNPACK_MAP || !unpack_next(&unpack, &key) ||
		!unpack_is(&key, "schema") || !unpack_next(&unpack, &value) ||
		!unpack_is(&value, MODULE_SCHEMA))
		return complaint_set(why, "no module that this inquest can read");
	for (size_t i = 1; i < map.len && !unpack.broken; i++) {
		if (unpack_next(&unpack, &key) && unpack_skip(&unpack, &key) &&
			unpack_next(&unpack, &value))
			read_pair(ret, &unpack, &key, &value);
		else
			unpack.broken = true;
	}
	return unpack.broken ? complaint_set(why, "a module is cut or damaged") : 0;
}

static void module_exhibit_release(struct module_exhibit *module)
{
	array_release(&module->symbols);
	arena_release(&module->arena);
}

int stacks_read_module(const struct exhibit *exhibit, struct modules *into,
	struct excerpt **ret_image, struct complaint *why)
{
	struct module_exhibit told;
	struct module *module = NULL;
	int error = module_parse(exhibit, &told, why);

	*ret_image = error ? NULL : excerpt_unpack(told.image, told.image_len, why);
	if (*ret_image)
		module = modules_add(into, told.dev, told.ino, told.path,
			excerpt_memory(*ret_image), why);
	if (module) {
		module->replaced = told.replaced;
		if (!module->build_id_len && told.build_id_len) {
			memcpy(module->build_id, told.build_id, told.build_id_len);
			module->build_id_len = told.build_id_len;
		}
		module_set_symbols(module, told.symbols.items, told.symbols.nr);
	} else {
		excerpt_free(*ret_image);
		*ret_image = NULL;
	}
	module_exhibit_release(&told);
	return module ? 0 : -1;
}

/* --- Out of two, one -------------------------------------------------------------------------- */

static int compare_symbols(const void *va, const void *vb)
{
	const struct module_symbol *a = va, *b = vb;

	return (a->at > b->at) - (a->at < b->at);
}

/* Adds the other's symbols. Of two with the same address the one that has a function is kept. */
static void merge_symbols(struct module_exhibit *into, const struct module_exhibit *other)
{
	size_t nr = 0;

	for (size_t i = 0; i < other->symbols.nr; i++)
		*array_add(&into->symbols) = other->symbols.items[i];
	array_sort(&into->symbols, compare_symbols);
	for (size_t i = 0; i < into->symbols.nr; i++) {
		struct module_symbol *symbols = into->symbols.items;

		if (!nr || symbols[nr - 1].at != symbols[i].at)
			symbols[nr++] = symbols[i];
		else if (!*symbols[nr - 1].function)
			symbols[nr - 1] = symbols[i];
	}
	into->symbols.nr = nr;
}

/* Merges two images. The runs of both, one behind the other, are an excerpt of both. */
static int merge_images(struct module_exhibit *into, const struct module_exhibit *other,
	struct str *bytes)
{
	struct str both = {0};
	struct excerpt *excerpt;

	str_add_bytes(&both, into->image, into->image_len);
	str_add_bytes(&both, other->image, other->image_len);
	excerpt = excerpt_unpack(str_text(&both), both.len, NULL);
	str_release(&both);
	if (!excerpt)
		return -1;
	excerpt_pack(excerpt, bytes);
	excerpt_free(excerpt);
	into->image = (const uint8_t *)str_text(bytes);
	into->image_len = bytes->len;
	return 0;
}

int stacks_merge_module(struct exhibit *into, const struct exhibit *other)
{
	struct module_exhibit one, two;
	struct str bytes = {0}, image = {0};
	int error = module_parse(into, &one, NULL);

	error = module_parse(other, &two, NULL) < 0 ? -1 : error;
	if (!error && !one.image_len) {
		one.image = two.image;
		one.image_len = two.image_len;
	} else if (!error && two.image_len) {
		error = merge_images(&one, &two, &image);
	}
	if (!error) {
		merge_symbols(&one, &two);
		module_pack(&one, &bytes);
		free(into->bytes);
		into->len = bytes.len;
		into->bytes = (uint8_t *)str_detach(&bytes);
	}
	module_exhibit_release(&one);
	module_exhibit_release(&two);
	str_release(&image);
	return error;
}

void stacks_put(struct evidence *into, const char *host, const struct exhibit *exhibit)
{
	struct exhibit about = *exhibit;

	for (size_t i = 0; exhibit->kind == EXHIBIT_MODULE && i < into->n; i++) {
		struct exhibit *known = &into->at[i];

		if (known->kind == EXHIBIT_MODULE && !strcmp(known->host, host) &&
			!strcmp(known->label, exhibit->label)) {
			(void)stacks_merge_module(known, exhibit);
			return;
		}
	}
	about.host = (char *)host;
	evidence_add(into, &about, alloc_copy(exhibit->bytes, exhibit->len), exhibit->len);
}
