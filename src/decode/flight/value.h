/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_VALUE_H
#define DECODE_VALUE_H

/*
 * A stranger's document as a tree of values, whatever the format: decode/flight/pickle.h and
 * decode/json-tree.h both build it, on a stack that this header has for them. Damage to a document
 * is dealt with here as well: a cut one keeps what was complete.
 *
 * A reader of a tree must know that containers may be shared, and those of a pickle may even hold
 * themselves. So do not walk it to its leaves; go down by keys that you know, and count what you
 * visit.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"

/* Deeper than this nothing is read. */
#define VALUE_DEPTH 64

enum value_type {
	VALUE_ABSENT, /* no value at all */
	VALUE_NONE,   /* None, null */
	VALUE_ODD,    /* something that none of these holds: a number of 100 bits, raw bytes */
	VALUE_BOOL,
	VALUE_INT,
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_LIST, /* also tuples */
	VALUE_DICT,
	VALUE_MADE, /* what value_make_fn has made of a dict */
};

/* The items of a container: in a dict key, value, key, value, ... */
struct value_box {
	struct value *items;
	uint32_t nr;
	uint32_t room;
	bool kept;        /* may be found again from elsewhere */
	bool cut;         /* the document ended in the midst of it */
	const void *made; /* for who reads the tree: what he has made of it, NULL at first */
};

struct value {
	uint8_t type;  /* enum value_type */
	uint16_t word; /* a text: its number in the vocabulary; made: for its maker; else 0 */
	uint32_t len;  /* of a text */
	union {
		int64_t number; /* also of a bool */
		double real;
		const char *text;      /* with a NUL behind it; may have others, and be no UTF-8 */
		struct value_box *box; /* NULL: empty */
		const void *made;
	};
};

/* Texts that the reader of the tree asks for, sorted by strcmp(); number 1 is the first. */
struct value_words {
	const struct value_word {
		const char *text;
		size_t len;
	} * items;
	size_t nr;
};

/* An open container: its items lie from base on, itself just below. */
struct value_place {
	size_t base;
	uint16_t key; /* the word of the key it stands under, 0 if it does not, or of no word */
	unsigned kept;
	struct value_chunk *chunk; /* where the pool stood */
	size_t used;
};

struct value_stack;

/*
 * Called for a dict that is complete, and that nothing refers to yet, with the places that lead to
 * it, its own last. Where it fills *made, that takes the dict's place in the tree and the dict is
 * forgotten. So a long list of small dicts needs no tree at all.
 */
typedef bool value_make_fn(void *context, const struct value_stack *stack,
	const struct value *items, size_t nr, struct value *made);

/* So much memory a tree may take for each byte of its document, and for a small one. */
#define VALUE_WEIGHT 24
#define VALUE_SMALL  ((size_t)1 << 20)

/* The workings of a reader. The first four are the caller's to set, all else {0} before. */
struct value_stack {
	struct arena *texts; /* what texts and `damage` are allocated in */
	const struct value_words *words;
	value_make_fn *make; /* may be NULL */
	void *context;

	struct value root;  /* what was read; VALUE_ABSENT for nothing at all */
	const char *damage; /* NULL, or why it was not read to its end, and at which byte */
	size_t damage_at;

	ARRAY(struct value) items;
	struct value_place places[VALUE_DEPTH];
	size_t nplaces;
	unsigned kept; /* how often something in the pool was given a second way to be found */
	struct value_chunk *chunk;
	size_t pooled; /* bytes of all chunks */
};

/*
 * True if values and `more` bytes of a reader's own take more than a document of `len` bytes may: a
 * byte can be enough for an empty list, and a list within a list within a list needs no more.
 */
static inline bool value_is_heavy(const struct value_stack *stack, size_t len, size_t more)
{
	size_t held = stack->items.nr * sizeof(*stack->items.items);

	return stack->pooled + (held + more) / 2 * 3 > len * VALUE_WEIGHT + VALUE_SMALL;
}

/* Frees all but what lies in `texts`: the tree is gone, texts and what was made are not. */
void value_stack_release(struct value_stack *stack);

/*
 * All that follow return false where the document's bytes make no sense; the reader then says
 * value_damage() and value_salvage().
 */

/* The room for one more value on top; all of it is the caller's to fill. */
static inline struct value *value_push(struct value_stack *stack)
{
	if (__builtin_expect(stack->items.nr == stack->items.room, 0))
		return array_add(&stack->items);
	return &stack->items.items[stack->items.nr++];
}

/* How many values lie above the innermost open container. */
static inline size_t value_above(const struct value_stack *stack)
{
	size_t base = stack->nplaces ? stack->places[stack->nplaces - 1].base : 0;

	return stack->items.nr - base;
}

/* A text of the document, as a value; a word of the vocabulary needs no memory. */
struct value value_text(struct value_stack *stack, const uint8_t *bytes, uint32_t len);

/* Values that are pushed from here on belong to the container that is on top now. */
bool value_open(struct value_stack *stack);
/* Puts it there; the container, of this type, is on top again. */
bool value_close(struct value_stack *stack, enum value_type type);
/* Makes a list of the nr topmost values. */
bool value_tuple(struct value_stack *stack, size_t nr);
/* Puts the nr topmost values into the container of this type below them. */
bool value_put(struct value_stack *stack, enum value_type type, size_t nr);
/* The value on top may be used again: a container becomes one that is shared. */
const struct value *value_keep(struct value_stack *stack);

/* Notes why reading ends here. The first one counts. Returns false. */
bool value_damage(struct value_stack *stack, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Closes what is open, as cut, and makes the outermost value the root. */
void value_salvage(struct value_stack *stack);

/* A container's items, and how many; of anything else none. */
static inline const struct value *value_items(const struct value *value, size_t *nr)
{
	bool full = (value->type == VALUE_LIST || value->type == VALUE_DICT) && value->box;

	*nr = full ? value->box->nr : 0;
	return full ? value->box->items : NULL;
}

static inline bool value_is_cut(const struct value *value)
{
	return (value->type == VALUE_LIST || value->type == VALUE_DICT) && value->box &&
	       value->box->cut;
}

#endif
