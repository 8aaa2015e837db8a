/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_VALUE_H
#define DECODE_VALUE_H

/*
 * A document that is not trusted, as a tree of values, whatever its format: decode/flight/pickle.h
 * and decode/json-tree.h both build it, on the stack that this header has for them. Damage is dealt
 * with here as well: of a cut document stays what was complete.
 *
 * Containers in a tree may be shared, and those of a pickle may even hold themselves. So do not
 * walk it to its leaves; go down by keys that you know, and count what you visit.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"

/* At most so many containers may be nested. */
#define VALUE_DEPTH 64

enum value_type {
	VALUE_ABSENT, /* no value at all */
	VALUE_NONE,   /* None, null */
	VALUE_ODD,    /* a value of no type here: a number of 100 bits, raw bytes */
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
	bool kept;        /* may be referred to again from elsewhere */
	bool cut;         /* the document ended within it */
	const void *made; /* what the reader of the tree made of it; NULL at first */
};

/* A value of the document. */
struct value {
	uint8_t type;  /* enum value_type */
	uint16_t word; /* of a text its number in the vocabulary; of a made value its maker's;
		        * else 0 */
	uint32_t len;  /* of a text, in bytes */
	union {
		int64_t number; /* also of a bool */
		double real;
		const char *text;      /* ends with a NUL; may have others, and be no UTF-8 */
		struct value_box *box; /* NULL: empty */
		const void *made;
	};
};

/*
 * The vocabulary: texts that the reader of the tree asks for, sorted by strcmp(); number 1 is the
 * first.
 */
struct value_words {
	const struct value_word {
		const char *text;
		size_t len;
	} * items;
	size_t nr;
};

/* An open container: its items lie on the stack from base on, itself just below. */
struct value_place {
	size_t base;
	uint16_t key; /* the word of the key it stands under; 0 under none, or under no word */
	unsigned kept;
	struct value_chunk *chunk; /* where the pool ended when it was opened */
	size_t used;
};

struct value_stack;

/*
 * Makes something of a dict. It is called for a dict that is complete, and that nothing refers to
 * yet, with the places that lead to it, its own last. If it fills *made and returns true, that
 * takes the dict's place in the tree and the dict is forgotten. So a long list of small dicts needs
 * no tree at all.
 */
typedef bool value_make_fn(void *context, const struct value_stack *stack,
	const struct value *items, size_t nr, struct value *made);

/* A tree may take so much memory for each byte of its document, and so much for a small one. */
#define VALUE_WEIGHT 24
#define VALUE_SMALL  ((size_t)1 << 20)

/* The state of a reader. The caller sets the first four members, and all others to {0}. */
struct value_stack {
	struct arena *texts; /* where texts and `damage` are allocated */
	const struct value_words *words;
	value_make_fn *make; /* may be NULL */
	void *context;

	struct value root;  /* what was read; VALUE_ABSENT: nothing at all */
	const char *damage; /* why reading ended early, and at which byte; NULL it did not */
	size_t damage_at;

	ARRAY(struct value) items;
	struct value_place places[VALUE_DEPTH];
	size_t nplaces;
	unsigned kept; /* how many values of the pool were given a second reference */
	struct value_chunk *chunk;
	size_t pooled; /* bytes of all chunks */
};

/*
 * True if the values, and `more` bytes of a reader's own, take more than a document of `len` bytes
 * may: one byte can be enough for an empty list, and a list within a list within a list needs no
 * more.
 */
static inline bool value_is_heavy(const struct value_stack *stack, size_t len, size_t more)
{
	size_t held = stack->items.nr * sizeof(*stack->items.items);

	return stack->pooled + (held + more) / 2 * 3 > len * VALUE_WEIGHT + VALUE_SMALL;
}

/* Frees the tree, but nothing in `texts`: texts and made values stay. */
void value_stack_release(struct value_stack *stack);

/*
 * The functions below return false if the document's bytes make no sense; the reader then calls
 * value_damage() and value_salvage().
 */

/* Returns room for one more value on top; the caller fills all of it. */
static inline struct value *value_push(struct value_stack *stack)
{
	if (__builtin_expect(stack->items.nr == stack->items.room, 0))
		return array_add(&stack->items);
	return &stack->items.items[stack->items.nr++];
}

/* Returns how many values lie above the innermost open container. */
static inline size_t value_above(const struct value_stack *stack)
{
	size_t base = stack->nplaces ? stack->places[stack->nplaces - 1].base : 0;

	return stack->items.nr - base;
}

/* Returns a text of the document as a value; a word of the vocabulary needs no memory. */
struct value value_text(struct value_stack *stack, const uint8_t *bytes, uint32_t len);

/* Opens the container that is on top: values pushed from now on belong to it. */
bool value_open(struct value_stack *stack);
/* Closes it: it gets its values, and is on top again; it has to be of this type. */
bool value_close(struct value_stack *stack, enum value_type type);
/* Makes a list of the nr topmost values. */
bool value_tuple(struct value_stack *stack, size_t nr);
/* Puts the nr topmost values into the container of this type below them. */
bool value_put(struct value_stack *stack, enum value_type type, size_t nr);
/* Keeps the value on top to be used again: a container becomes a shared one. */
const struct value *value_keep(struct value_stack *stack);

/* Notes why reading ends here; only the first reason counts. Returns false. */
bool value_damage(struct value_stack *stack, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Closes what is open, as cut, and makes the outermost value the root. */
void value_salvage(struct value_stack *stack);

/* Returns a container's items, and their number; of other values NULL and 0. */
static inline const struct value *value_items(const struct value *value, size_t *nr)
{
	bool full = (value->type == VALUE_LIST || value->type == VALUE_DICT) && value->box;

	*nr = full ? value->box->nr : 0;
	return full ? value->box->items : NULL;
}

/* True if the document ended within this container. */
static inline bool value_is_cut(const struct value *value)
{
	return (value->type == VALUE_LIST || value->type == VALUE_DICT) && value->box &&
	       value->box->cut;
}

#endif
