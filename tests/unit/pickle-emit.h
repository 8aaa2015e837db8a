/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PICKLE_EMIT_H
#define TESTS_PICKLE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum emit_writer {
	EMIT_CPP,     /* torch::jit::Pickler */
	EMIT_PYTHON2, /* pickle.dumps() of the same, protocols 2, 4 and 5 */
	EMIT_PYTHON4,
	EMIT_PYTHON5,
	EMIT_JSON, /* nlohmann::json */
};
#define EMIT_WRITERS 5

/*
 * Any document at all, as its writers write it, byte for byte. Nodes live in an arena; a list is
 * filled by emit_add(), a dict by a text and a value in turn. A node that is added in several
 * places is one that is shared.
 */
enum emit_type {
	EMIT_NONE,
	EMIT_BOOL,
	EMIT_INT,
	EMIT_REAL,
	EMIT_TEXT,
	EMIT_LIST,
	EMIT_DICT,
	EMIT_PAIR
};

struct emit_node;

struct emit_node *emit_node(struct arena *arena, enum emit_type type);
struct emit_node *emit_bool(struct arena *arena, bool yes);
struct emit_node *emit_int(struct arena *arena, int64_t number);
struct emit_node *emit_real(struct arena *arena, double real);
struct emit_node *emit_text(struct arena *arena, const char *text);
/* "[[1, 2], []]" */
struct emit_node *emit_list(struct arena *arena, const char *text);
void emit_add(struct arena *arena, struct emit_node *container, struct emit_node *item);
void emit_set(
	struct arena *arena, struct emit_node *dict, const char *key, struct emit_node *value);
/* How many items are in a container. */
size_t emit_nr(const struct emit_node *container);
struct str emit_document(struct emit_node *root, enum emit_writer writer);

#endif
