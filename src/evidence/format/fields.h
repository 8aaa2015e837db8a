/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FIELDS_H
#define EVIDENCE_FIELDS_H

/*
 * Members of a struct as pairs of a msgpack map. Writing and reading use one table, so they agree.
 * Members that are 0 or "" are left out. A key that is not in the table is for the caller to
 * handle.
 */

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "evidence/format/unpack.h"

enum field_type {
	FIELD_U32,
	FIELD_U64,
	FIELD_I64,
	FIELD_INT,
	FIELD_BOOL,
	FIELD_TEXT,  /* const char *, never NULL */
	FIELD_NAMED, /* an enum, written as its name in `names` */
};

/* One member of a struct. */
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	const char *const *names; /* of a FIELD_NAMED, which is always written */
	int nr;			  /* how many names there are */
};

#define FIELD(struct_type, member, field_type)                                                     \
	{                                                                                          \
		.key = #member, .type = field_type, .offset = offsetof(struct struct_type, member) \
	}

/* Appends to a struct str: a write function for msgpack_packer_init(). Returns 0. */
int fields_append(void *into, const char *bytes, size_t size);

/* Packs a text. */
void fields_put_text(msgpack_packer *packer, const char *text) __attribute__((nonnull));
/* Packs bytes, which may be NULL if there are none. */
void fields_put_bytes(msgpack_packer *packer, const void *bytes, size_t len)
	__attribute__((nonnull(1)));

/* Returns how many pairs fields_put() will put. */
size_t fields_count(const struct field *fields, size_t nr, const void *of)
	__attribute__((nonnull));
/* Packs the fields that have a value, as pairs of key and value. */
void fields_put(msgpack_packer *packer, const struct field *fields, size_t nr, const void *of)
	__attribute__((nonnull));

/*
 * Stores the value in the member with that key. Returns false if the table has no such key, or the
 * value does not fit the member. Texts are copied to the arena.
 */
bool fields_take(const struct field *fields, size_t nr, const struct unpack_item *key,
	const struct unpack_item *value, void *into, struct arena *arena) __attribute__((nonnull));

#endif
