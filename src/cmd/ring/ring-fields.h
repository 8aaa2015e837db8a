/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-fields.h: what a record of a ring says, as named fields: the same for text and JSON. One
 * table, that of ring.h, says which word of which type means what.
 */
#ifndef CMD_RING_FIELDS_H
#define CMD_RING_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "ring/ring-read.h"

enum ring_form { RING_FORM_UINT, RING_FORM_INT, RING_FORM_HEX, RING_FORM_TEXT };

/* `text` is from outside: escape it. It lies in the view, or lasts for ever. */
struct ring_field {
	const char *name;
	enum ring_form form;
	uint64_t value;
	const char *text;
};

#define RING_FIELDS_MOST 20

/*
 * Fills `fields` with what the record says; how many there are. Types unknown here give raw words.
 * `in_group`: it stands on a group's board or in its history, where OP_ENTERED names the lane.
 */
size_t ring_fields(const struct ring_view *view, const struct ring_slot *slot, bool in_group,
	struct ring_field fields[RING_FIELDS_MOST]);

/* Appends the names of the flags that are set, each with `before` in front. */
void ring_fields_flags(struct str *into, unsigned flags, const char *before);

struct ring_dump_options {
	const char *path;
	bool utf8;
};

/* Appends the ring for people, all text escaped: of lanes the latest records, of pins both ends. */
void ring_dump_text(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options);
/* Appends all of it as one line with one JSON object (schema inquest-ring/1), newline included. */
void ring_dump_json(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options);

#endif
