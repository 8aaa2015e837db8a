/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_ENTRY_H
#define DECODE_FLIGHT_ENTRY_H

/* From the values of a dump to its entries. Private to flight-dump.c. */

#include "decode/flight/flight-dump.h"
#include "decode/flight/value.h"
#include "evidence/format/flight-words.h"

#define FLIGHT_WORD_NUMBER(word) FLIGHT_WORD_##word,
enum flight_word { FLIGHT_NO_WORD, FLIGHT_WORDS(FLIGHT_WORD_NUMBER) };

/* As slots of what was seen lately: places in a program and shapes, groups of many ranks. */
#define FLIGHT_CLEAN_BITS 10
#define FLIGHT_SEEN_BITS  10
#define FLIGHT_RANKS_BITS 6

struct flight_frames {
	const struct flight_frame *const *frames;
	uint32_t nr;
};

struct flight_ranks {
	const char *text; /* that says them */
	const struct flight_list *list; /* NULL: it says none */
};

struct flight_reading {
	struct flight_dump *dump;
	struct flight_lists *lists;
	ARRAY(struct flight_entry) entries;
	size_t room; /* so many entries at most: each needs its bytes */
	/* How many values may still be visited. A pickle can say that one value is in a million
	 * places; an honest one has bytes for nearly each. */
	uint64_t patience;
	/* Shapes made lately. */
	struct flight_tensors shapes[1 << FLIGHT_SEEN_BITS];
	struct flight_frames stacks[1 << FLIGHT_SEEN_BITS];
	struct flight_ranks ranks[1 << FLIGHT_RANKS_BITS];
	const char *clean[1 << FLIGHT_CLEAN_BITS]; /* texts that have no secrets any more */
};

/* A value as a number, also one that is written as text; FLIGHT_UNKNOWN for anything else. */
int64_t flight_number(const struct value *value);
/* Its text, "" for anything else. */
const char *flight_text(const struct value *value);

/*
 * The same for one that may be shown: its secrets become stars, as in a dump that comes out of a
 * bundle (evidence/gather/flight-redact.h).
 */
const char *flight_clean_text(struct flight_reading *reading, const struct value *value);

/* Takes nr visits from the patience; false where it is at its end. */
bool flight_visit(struct flight_reading *reading, size_t nr);

/* The value_make_fn that makes entries and frames. */
value_make_fn flight_make;

/* Adds the entry that a dict is; false where it is none, or one too many. */
bool flight_add_entry(struct flight_reading *reading, const struct value *items, size_t nr);

#endif
