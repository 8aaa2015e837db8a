/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds trees of values on a stack. Values live in a pool: chunks that are never zeroed and
 * forgotten together. A dict that value_make_fn has taken gives its part of the pool back at once,
 * so that a dump of any length is read within a few kilobytes, which stay in the cache. That is
 * sound as long as nothing older points in there. Two things could make it so: a container in there
 * was kept (a memo has it), or an older one that was kept has grown, and its items are in there
 * now. Both are counted in `kept`; where it has changed since the dict was opened, nothing is given
 * back.
 */
#include "decode/flight/value.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* Bytes of a usual chunk. */
#define VALUE_CHUNK ((size_t)64 * 1024)

struct value_chunk {
	struct value_chunk *older;
	size_t used;
	size_t size;
	max_align_t bytes[];
};

/* Gives back all that was taken of the pool since then. */
static void value_pool_cut(struct value_stack *stack, struct value_chunk *chunk, size_t used)
{
	while (stack->chunk != chunk) {
		struct value_chunk *older = stack->chunk->older;

		stack->pooled -= stack->chunk->size;
		free(stack->chunk);
		stack->chunk = older;
	}
	if (chunk)
		chunk->used = used;
}

static void value_pool_add(struct value_stack *stack, size_t wanted)
{
	size_t room = wanted > VALUE_CHUNK ? wanted : VALUE_CHUNK;
	struct value_chunk *chunk = alloc_resize(NULL, 1, sizeof(*chunk) + room);

	*chunk = (struct value_chunk){.older = stack->chunk, .size = room};
	stack->chunk = chunk;
	stack->pooled += room;
}

/* Takes a piece of the pool: all of it is at most 16 times the document, which is in memory. */
static inline void *value_pool(struct value_stack *stack, size_t wanted)
{
	void *piece;

	if (!stack->chunk || stack->chunk->size - stack->chunk->used < wanted)
		value_pool_add(stack, wanted);
	piece = (char *)stack->chunk->bytes + stack->chunk->used;
	stack->chunk->used += wanted;
	return piece;
}

void value_stack_release(struct value_stack *stack)
{
	value_pool_cut(stack, NULL, 0);
	array_release(&stack->items);
	stack->root = (struct value){.type = VALUE_ABSENT};
}

/* Returns the number of a text in the vocabulary, 0 if it is not in there. */
static size_t value_word(const struct value_words *words, const uint8_t *text, size_t len)
{
	size_t low = 0, high = words ? words->nr : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct value_word *word = &words->items[middle];
		int order = memcmp(text, word->text, len < word->len ? len : word->len);

		if (!order && len == word->len)
			return middle + 1;
		if (order < 0 || (!order && len < word->len))
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

struct value value_text(struct value_stack *stack, const uint8_t *bytes, uint32_t len)
{
	size_t word = value_word(stack->words, bytes, len);
	struct value value = {.type = VALUE_TEXT, .word = (uint16_t)word, .len = len};
	char *copy;

	if (word) {
		value.text = stack->words->items[word - 1].text;
		return value;
	}
	copy = arena_alloc(stack->texts, (size_t)len + 1, 1);
	if (len)
		memcpy(copy, bytes, len);
	value.text = copy;
	return value;
}

/* Makes a container's box; its items lie right behind it. */
static inline struct value_box *value_box_new(struct value_stack *stack, size_t room)
{
	struct value_box *box = value_pool(stack, sizeof(*box) + room * sizeof(*box->items));

	*box = (struct value_box){
		.room = (uint32_t)room, .items = room ? (struct value *)(box + 1) : NULL};
	return box;
}

/* Copies values, nearly always a few, for which a call would take longer. */
static inline void value_copy(struct value *to, const struct value *from, size_t nr)
{
	if (nr > 8)
		memcpy(to, from, nr * sizeof(*to));
	else
		for (size_t i = 0; i < nr; i++)
			to[i] = from[i];
}

/* Makes room for more items. A list may be filled piece by piece, so its room doubles. */
static void value_box_grow(struct value_stack *stack, struct value_box *box, size_t more)
{
	size_t room = (size_t)box->nr + more;
	struct value *items;

	if (room <= box->room)
		return;
	if (box->nr)
		room *= 2;
	if (box->kept)
		stack->kept++;
	items = value_pool(stack, room * sizeof(*items));
	if (box->nr)
		memcpy(items, box->items, box->nr * sizeof(*items));
	box->items = items;
	box->room = (uint32_t)room;
}

/* Moves the nr topmost values into the container right below them. */
static bool value_fill(struct value_stack *stack, size_t nr)
{
	struct value *items = stack->items.items + stack->items.nr - nr;
	struct value *container = items - 1;

	stack->items.nr -= nr;
	if (!nr)
		return true;
	if (!container->box)
		container->box = value_box_new(stack, nr);
	if (container->box->nr + nr > UINT32_MAX / 4)
		return false;
	value_box_grow(stack, container->box, nr);
	value_copy(container->box->items + container->box->nr, items, nr);
	container->box->nr += (uint32_t)nr;
	return true;
}

/*
 * Returns the word of the key under which the container on top stands, if it stands in a dict; else
 * 0.
 */
static uint16_t value_key(const struct value_stack *stack)
{
	const struct value *key;

	if (value_above(stack) < 2)
		return 0;
	key = stack->items.items + stack->items.nr - 2;
	return key->type == VALUE_TEXT ? key->word : 0;
}

bool value_open(struct value_stack *stack)
{
	struct value_place *place;
	uint16_t key;

	if (stack->nplaces == VALUE_DEPTH)
		return false;
	if (!stack->chunk)
		(void)value_pool(stack, 0);
	key = value_key(stack);
	place = &stack->places[stack->nplaces++];
	*place = (struct value_place){.base = stack->items.nr,
		.key = key,
		.kept = stack->kept,
		.chunk = stack->chunk,
		.used = stack->chunk->used};
	return true;
}

/* True if the container of the innermost place is there, and of the type. */
static bool value_container(const struct value_stack *stack, enum value_type type)
{
	size_t base = stack->places[stack->nplaces - 1].base;
	size_t floor = stack->nplaces > 1 ? stack->places[stack->nplaces - 2].base : 0;

	return base > floor && stack->items.items[base - 1].type == type;
}

/* Offers a complete dict to stack->make(); true if it was taken. */
static bool value_make(struct value_stack *stack)
{
	const struct value_place *place = &stack->places[stack->nplaces - 1];
	struct value *items = stack->items.items + place->base;
	struct value made = {.type = VALUE_MADE};

	if (!stack->make || items[-1].box ||
		!stack->make(stack->context, stack, items, stack->items.nr - place->base, &made))
		return false;
	if (place->kept == stack->kept)
		value_pool_cut(stack, place->chunk, place->used);
	items[-1] = made;
	stack->items.nr = place->base;
	stack->nplaces--;
	return true;
}

bool value_close(struct value_stack *stack, enum value_type type)
{
	size_t nr;

	if (!stack->nplaces || !value_container(stack, type))
		return false;
	nr = value_above(stack);
	if (type == VALUE_DICT && nr % 2)
		return false;
	if (type == VALUE_DICT && value_make(stack))
		return true;
	stack->nplaces--;
	return value_fill(stack, nr);
}

bool value_tuple(struct value_stack *stack, size_t nr)
{
	struct value tuple = {.type = VALUE_LIST};

	if (value_above(stack) < nr || nr > UINT32_MAX / 4)
		return false;
	if (nr) {
		tuple.box = value_box_new(stack, nr);
		tuple.box->nr = (uint32_t)nr;
		stack->items.nr -= nr;
		value_copy(tuple.box->items, stack->items.items + stack->items.nr, nr);
	}
	*value_push(stack) = tuple;
	return true;
}

bool value_put(struct value_stack *stack, enum value_type type, size_t nr)
{
	if (value_above(stack) < nr + 1 ||
		stack->items.items[stack->items.nr - nr - 1].type != type)
		return false;
	return value_fill(stack, nr);
}

const struct value *value_keep(struct value_stack *stack)
{
	struct value *top;

	if (!value_above(stack))
		return NULL;
	top = stack->items.items + stack->items.nr - 1;
	if (top->type == VALUE_LIST || top->type == VALUE_DICT) {
		if (!top->box)
			top->box = value_box_new(stack, 0);
		top->box->kept = true;
		stack->kept++;
	}
	return top;
}

bool value_damage(struct value_stack *stack, size_t at, const char *format, ...)
{
	struct str words = {0};
	va_list args;

	if (stack->damage)
		return false;
	va_start(args, format);
	str_vprintf(&words, format, args);
	va_end(args);
	stack->damage = arena_text(stack->texts, str_text(&words));
	stack->damage_at = at;
	str_release(&words);
	return false;
}

/* Puts what lies above base into the container below it, as far as it is complete. */
static void value_cut(struct value_stack *stack, size_t base)
{
	struct value *container = stack->items.items + base - 1;
	size_t nr = stack->items.nr - base;

	if (container->type == VALUE_DICT) {
		stack->items.nr -= nr % 2;
		nr -= nr % 2;
	}
	if (container->type != VALUE_DICT && container->type != VALUE_LIST) {
		stack->items.nr = base;
		return;
	}
	if (!container->box)
		container->box = value_box_new(stack, nr);
	container->box->cut = true;
	if (!value_fill(stack, nr))
		stack->items.nr = base;
}

/* Marks an empty container on top as cut: it would have been filled next. */
static void value_cut_top(struct value_stack *stack)
{
	struct value *top;

	if (!value_above(stack))
		return;
	top = stack->items.items + stack->items.nr - 1;
	if (top->type != VALUE_DICT && top->type != VALUE_LIST)
		return;
	if (!top->box)
		top->box = value_box_new(stack, 0);
	top->box->cut |= !top->box->nr;
}

void value_salvage(struct value_stack *stack)
{
	if (stack->damage)
		value_cut_top(stack);
	while (stack->nplaces) {
		size_t base = stack->places[--stack->nplaces].base;
		size_t floor = stack->nplaces ? stack->places[stack->nplaces - 1].base : 0;

		if (base > floor)
			value_cut(stack, base);
		else
			stack->items.nr = base;
	}
	if (stack->items.nr > 1)
		value_cut(stack, 1);
	if (stack->items.nr)
		stack->root = stack->items.items[0];
}
