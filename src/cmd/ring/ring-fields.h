/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-fields.h: what a ring holds, as named fields in the order of the schema inquest-ring/1.
 * ring_contents() reads it once; text and JSON are two printers of the same fields.
 *
 * A field lives as long as the arena of its ring_contents(), and its text no longer than the view.
 */
#ifndef CMD_RING_FIELDS_H
#define CMD_RING_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "ring/ring-read.h"

/* What a field's value is. */
enum ring_form {
	RING_FORM_NONE, /* not known, or there is none: null */
	RING_FORM_UINT,
	RING_FORM_INT, /* value is an int64_t */
	RING_FORM_HEX, /* an identity, not an amount */
	RING_FORM_BOOL,
	RING_FORM_NAME, /* text is a word of ours */
	RING_FORM_TEXT, /* text is from outside, any bytes: escape it */
	RING_FORM_OBJECT,
	RING_FORM_ARRAY,
};

/* One field. */
struct ring_field {
	const char *name; /* NULL in an array */
	enum ring_form form;
	bool word; /* one of those that say what a record means, the flags not among them */
	uint64_t value;
	const char *text; /* of names and texts; borrowed */
	struct ring_fields *in; /* of objects and arrays */
	struct ring_field *next;
};

/* The fields of an object, or of an array, in order. */
struct ring_fields {
	struct arena *arena;
	struct ring_field *first, *last;
	size_t nr;
};

/* Walks over the fields, in order. */
#define ring_fields_each(field, fields)                                                            \
	for (const struct ring_field *field = (fields)->first; field; field = field->next)

/*
 * Adds a field at the end, and returns it; names are borrowed, and NULL where `into` is an array.
 */
struct ring_field *field_add(
	struct ring_fields *into, const char *name, enum ring_form form, uint64_t value);
/* Adds a text, which is borrowed; RING_FORM_NONE where it is NULL. */
struct ring_field *field_add_text(struct ring_fields *into, const char *name, const char *text);
/* Adds a word of ours for a number, which stands there itself where it has none. */
struct ring_field *field_add_name(
	struct ring_fields *into, const char *name, const char *text, uint64_t value);
/* Adds an empty object, and returns what is to be filled. */
struct ring_fields *field_add_object(struct ring_fields *into, const char *name);
/* Adds an empty array: its fields have no names. */
struct ring_fields *field_add_array(struct ring_fields *into, const char *name);

/*
 * Adds what the record says, in its six words; a type that is unknown here gives them raw.
 * `in_group`: it stands on a group's board or in its history, where OP_ENTERED names the lane.
 */
void record_add_words(struct ring_fields *into, const struct ring_view *view,
	const struct ring_slot *slot, bool in_group);

/* How many records of a lane, and of each end of pinned ones, are for people. */
#define RING_SHOWN 12

/*
 * Returns all that the ring holds. Without `all`, what only programs read is left out: of a lane
 * all but the latest records, of pinned ones all but both ends, the histories of groups.
 */
const struct ring_fields *ring_contents(
	struct arena *arena, const struct ring_view *view, const char *path, bool all);

/* How a ring is printed. */
struct ring_dump_options {
	const char *path; /* as it was given, for the fields */
	bool utf8;
};

/* Appends the ring for people, all text escaped. */
void ring_dump_text(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options);
/* Appends all of it as one line with one JSON object (schema inquest-ring/1), newline included. */
void ring_dump_json(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options);

#endif
