/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_ENTRY_H
#define DECODE_FLIGHT_ENTRY_H

/* Turns the values of a dump into its entries. Private to flight-dump.c. */

#include "decode/flight/flight-dump.h"
#include "decode/flight/value.h"
#include "evidence/format/flight-words.h"

#define FLIGHT_WORD_NUMBER(word) FLIGHT_WORD_##word,
enum flight_word { FLIGHT_NO_WORD, FLIGHT_WORDS(FLIGHT_WORD_NUMBER) };

/*
 * Slots, as powers of 2, for what was seen lately: clean texts; places in a program and shapes;
 * lists of ranks.
 */
#define FLIGHT_CLEAN_BITS 10
#define FLIGHT_SEEN_BITS  10
#define FLIGHT_RANKS_BITS 6

/* A stack that entries share. */
struct flight_frames {
	const struct flight_frame *const *frames;
	uint32_t nr;
};

/* A list of ranks that was read lately. */
struct flight_ranks {
	const char *text; /* the text that lists them */
	const struct flight_list *list; /* NULL: it lists none */
};

/* A dump that is being read. */
struct flight_reading {
	struct flight_dump *dump;
	struct flight_lists *lists;
	ARRAY(struct flight_entry) entries;
	size_t room; /* the most entries there may be: each needs its bytes */
	/*
	 * How many values may still be visited. A pickle can say that one value is in a million
	 * places; an honest one has bytes for nearly each.
	 */
	uint64_t patience;
	/* Shapes, stacks and lists made lately. */
	struct flight_tensors shapes[1 << FLIGHT_SEEN_BITS];
	struct flight_frames stacks[1 << FLIGHT_SEEN_BITS];
	struct flight_ranks ranks[1 << FLIGHT_RANKS_BITS];
	const char *clean[1 << FLIGHT_CLEAN_BITS]; /* texts whose secrets are gone */
};

/* Returns a value as a number, even if it is written as text; FLIGHT_UNKNOWN for anything else. */
int64_t flight_number(const struct value *value);
/* Returns a value's text, "" for anything else. */
const char *flight_text(const struct value *value);

/*
 * Returns the text as it may be shown: its secrets become stars, as in a dump that comes out of a
 * bundle (evidence/gather/flight-redact.h).
 */
const char *flight_clean_text(struct flight_reading *reading, const struct value *value);

/* Takes nr visits from the patience; false if it is at its end. */
bool flight_visit(struct flight_reading *reading, size_t nr);

/* Makes entries and frames of dicts. */
value_make_fn flight_make;

/* Adds the entry that a dict is; false if it is none, or one too many. */
bool flight_add_entry(struct flight_reading *reading, const struct value *items, size_t nr);

#endif
