/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pickle is a program for a stack, and where a text stands is known only when that is carried
 * out. So it is carried out here, as decode/flight/pickle.c does it, and up to the same place. Only
 * texts and lists are told apart; all else is merely there. Where the pickle breaks off, what was
 * complete is read, and so it stays.
 */
#include <endian.h>
#include <string.h>

#include "base/array.h"
#include "base/redact.h"
#include "evidence/format/flight-words.h"
#include "evidence/format/pickle-ops.h"
#include "evidence/gather/flight-redact.h"

#define DEPTH	 64 /* as decode/flight/value.h */
#define WEIGHT	 40 /* bytes of memory for each byte of a pickle: measure.h */
#define SMALL	 ((size_t)1 << 20)
#define PROTOCOL 5

/* Values on the stack: none, something, a dict; else 1 + an index into nodes. */
#define ABSENT ((uint32_t)0)
#define OTHER  (UINT32_MAX - 1)
#define DICT   UINT32_MAX

/* A text, a list or a tuple. */
struct node {
	uint32_t at;  /* of a text: its first byte; of a list or tuple: 1 + the index of its last
		       * link */
	uint32_t len; /* of a text */
	bool text;
	bool kept; /* true if it stands under a name that is read */
	bool name; /* true if it is a name itself */
};

/* One item of a list or tuple. */
struct link {
	uint32_t child;
	uint32_t next; /* 1 + the index of the link before; 0 none */
};

/* The machine that carries a pickle out. */
struct pickle {
	uint8_t *bytes;
	size_t len, at;
	size_t op; /* where the opcode stands that is carried out */
	size_t depth; /* of open marks */
	size_t marks[DEPTH]; /* where on the stack each mark is */
	ARRAY(struct node) nodes;
	ARRAY(struct link) links;
	ARRAY(uint32_t) stack;
	ARRAY(uint32_t) memo;
	ARRAY(uint32_t) todo; /* of keep() */
};

/* -- values ------------------------------------------------------------------------------------ */

static void push(struct pickle *p, uint32_t value)
{
	*array_add(&p->stack) = value;
}

/* Adds a node, and returns its value. */
static uint32_t new_node(struct pickle *p, struct node node)
{
	*array_add(&p->nodes) = node;
	return (uint32_t)p->nodes.nr;
}

static struct node *node_of(const struct pickle *p, uint32_t value)
{
	return value == ABSENT || value >= OTHER ? NULL : &p->nodes.items[value - 1];
}

static bool is_list(const struct pickle *p, uint32_t value)
{
	const struct node *node = node_of(p, value);

	return node && !node->text;
}

/* Returns where the last mark is on the stack. */
static size_t floor_of(const struct pickle *p)
{
	return p->depth ? p->marks[p->depth - 1] : 0;
}

/* Returns how many values lie above the last mark. */
static size_t above(const struct pickle *p)
{
	return p->stack.nr - floor_of(p);
}

/* Notes that the value, and all in it, stands under a name that is read. */
static void keep(struct pickle *p, uint32_t value)
{
	*array_add(&p->todo) = value;
	while (p->todo.nr) {
		struct node *node = node_of(p, p->todo.items[--p->todo.nr]);

		if (!node || node->kept)
			continue;
		node->kept = true;
		for (uint32_t i = node->text ? 0 : node->at; i; i = p->links.items[i - 1].next)
			*array_add(&p->todo) = p->links.items[i - 1].child;
	}
}

/* Appends a value to a list. */
static void put_item(struct pickle *p, uint32_t list, uint32_t value)
{
	struct node *node = node_of(p, list);

	if (!node_of(p, value))
		return;
	*array_add(&p->links) = (struct link){value, node->at};
	node->at = (uint32_t)p->links.nr;
	if (node->kept)
		keep(p, value);
}

/* Notes a name of a dict, and keeps its value if the name is read. */
static void put_pair(struct pickle *p, uint32_t name, uint32_t value)
{
	struct node *node = node_of(p, name);

	if (!node || !node->text)
		return;
	node->name = true;
	if (flight_redact_knows(p->bytes + node->at, node->len))
		keep(p, value);
}

/* Puts the `nr` topmost values into the list or the dict below them. */
static void fill(struct pickle *p, size_t nr)
{
	size_t from = p->stack.nr - nr;
	uint32_t container = p->stack.items[from - 1];

	for (size_t i = from; container != DICT && i < p->stack.nr; i++)
		put_item(p, container, p->stack.items[i]);
	for (size_t i = from; container == DICT && i + 1 < p->stack.nr; i += 2)
		put_pair(p, p->stack.items[i], p->stack.items[i + 1]);
	p->stack.nr = from;
}

/* Makes a tuple of the `nr` topmost values. */
static bool make_tuple(struct pickle *p, size_t nr)
{
	uint32_t tuple;

	if (above(p) < nr)
		return false;
	tuple = new_node(p, (struct node){0});
	for (size_t i = p->stack.nr - nr; i < p->stack.nr; i++)
		put_item(p, tuple, p->stack.items[i]);
	p->stack.nr -= nr;
	push(p, tuple);
	return true;
}

/*
 * Puts the `nr` topmost values into the container below, which must be a dict, or a list. Returns
 * false where it is not.
 */
static bool put(struct pickle *p, bool dict, size_t nr)
{
	uint32_t below = above(p) > nr ? p->stack.items[p->stack.nr - nr - 1] : ABSENT;

	if (dict ? below != DICT : !is_list(p, below))
		return false;
	fill(p, nr);
	return true;
}

/* Puts all that lies above the last mark into the container below that. */
static bool close_mark(struct pickle *p, bool dict)
{
	size_t nr = above(p);

	if (!p->depth || (dict && nr % 2))
		return false;
	p->depth--;
	if (put(p, dict, nr))
		return true;
	p->depth++;
	return false;
}

/* Makes a tuple of all that lies above the last mark. */
static bool close_tuple(struct pickle *p)
{
	size_t nr = above(p);

	if (!p->depth)
		return false;
	p->depth--;
	return make_tuple(p, nr);
}

/*
 * Puts what was complete into the containers that were left open, as decode/flight/value.c reads
 * it.
 */
static void salvage(struct pickle *p, size_t base)
{
	uint32_t container = p->stack.items[base - 1];

	if (container == DICT && (p->stack.nr - base) % 2)
		p->stack.nr--;
	if (container == DICT || is_list(p, container))
		fill(p, p->stack.nr - base);
	else
		p->stack.nr = base;
}

static void salvage_all(struct pickle *p)
{
	while (p->depth) {
		size_t base = p->marks[--p->depth];

		if (base > floor_of(p))
			salvage(p, base);
		else
			p->stack.nr = base;
	}
	if (p->stack.nr > 1)
		salvage(p, 1);
}

/* -- opcodes ----------------------------------------------------------------------------------- */

/* Makes stars of the bytes. */
static void hide(struct pickle *p, size_t from, size_t to)
{
	memset(p->bytes + from, REDACT_STAR, to - from);
}

/* Hides an integer of more than 64 bits: it may be a key, and is read as none. */
static void hide_long(struct pickle *p, size_t at, size_t len)
{
	uint8_t sign = len && p->bytes[at + len - 1] & 0x80 ? 0xff : 0;
	bool wide = len > 8 && (p->bytes[at + 7] ^ sign) & 0x80;

	for (size_t i = 8; i < len; i++)
		wide |= p->bytes[at + i] != sign;
	if (wide)
		hide(p, at, at + len);
}

/* Takes an opcode with bytes behind its argument. Returns false where there are fewer. */
static bool take_announced(struct pickle *p, uint8_t op, size_t at, uint64_t len)
{
	if (len > p->len - at)
		return false;
	p->at = at + (size_t)len;
	switch (op) {
	case OP_BINUNICODE:
	case OP_SHORT_BINUNICODE:
	case OP_BINUNICODE8:
		push(p, new_node(p, (struct node){.at = (uint32_t)at, .len = (uint32_t)len,
					    .text = true}));
		return true;
	case OP_LONG1:
	case OP_LONG4:
		hide_long(p, at, (size_t)len);
		break;
	default:
		hide(p, at, p->at);
	}
	push(p, OTHER);
	return true;
}

/*
 * Stores the topmost value in the memo. A number that is larger than the bytes so far is refused:
 * writers count from 0 without gaps, see decode/flight/pickle.c.
 */
static bool put_memo(struct pickle *p, uint64_t number)
{
	if (!above(p) || number > p->op)
		return false;
	if (number >= p->memo.nr)
		(void)array_add_many(&p->memo, (size_t)number + 1 - p->memo.nr);
	p->memo.items[number] = p->stack.items[p->stack.nr - 1];
	return true;
}

static bool get_memo(struct pickle *p, uint64_t number)
{
	if (number >= p->memo.nr || p->memo.items[number] == ABSENT)
		return false;
	push(p, p->memo.items[number]);
	return true;
}

static bool take_mark(struct pickle *p)
{
	if (p->depth == DEPTH)
		return false;
	p->marks[p->depth++] = p->stack.nr;
	return true;
}

/* Takes an opcode that pushes one value without more bytes. */
static bool take_value(struct pickle *p, uint8_t op)
{
	switch (op) {
	case OP_NONE:
	case OP_NEWTRUE:
	case OP_NEWFALSE:
	case OP_BININT:
	case OP_BININT1:
	case OP_BININT2:
	case OP_BINFLOAT:
		push(p, OTHER);
		return true;
	case OP_EMPTY_DICT:
		push(p, DICT);
		return true;
	case OP_EMPTY_LIST:
		push(p, new_node(p, (struct node){0}));
		return true;
	default:
		return false; /* also for what could run code */
	}
}

/* Takes an opcode with no bytes behind its argument. Returns false if it makes no sense there. */
static bool take_plain(struct pickle *p, uint8_t op, uint64_t number)
{
	switch (op) {
	case OP_MARK:
		return take_mark(p);
	case OP_APPEND:
		return put(p, false, 1);
	case OP_SETITEM:
		return put(p, true, 2);
	case OP_APPENDS:
		return close_mark(p, false);
	case OP_SETITEMS:
		return close_mark(p, true);
	case OP_EMPTY_TUPLE:
		return make_tuple(p, 0);
	case OP_TUPLE:
		return close_tuple(p);
	case OP_TUPLE1:
	case OP_TUPLE2:
	case OP_TUPLE3:
		return make_tuple(p, (size_t)(op - OP_TUPLE1) + 1);
	case OP_BINGET:
	case OP_LONG_BINGET:
		return get_memo(p, number);
	case OP_BINPUT:
	case OP_LONG_BINPUT:
		return put_memo(p, number);
	case OP_MEMOIZE:
		return put_memo(p, p->memo.nr);
	case OP_PROTO:
		return number <= PROTOCOL;
	case OP_FRAME:
		return true;
	default:
		return take_value(p, op);
	}
}

/* True if the opcode's argument tells how many bytes follow it. */
static bool is_announcing(uint8_t op)
{
	return op == OP_BINUNICODE || op == OP_SHORT_BINUNICODE || op == OP_BINUNICODE8 ||
	       op == OP_BINBYTES || op == OP_SHORT_BINBYTES || op == OP_BINBYTES8 ||
	       op == OP_LONG1 || op == OP_LONG4;
}

/* Carries out one opcode. Returns false if none can follow; p->at then stands behind it. */
static bool take_op(struct pickle *p)
{
	uint8_t op = p->bytes[p->op = p->at];
	size_t argument = p->at + 1, width = pickle_arguments[op];
	uint64_t number = 0;

	if (p->len - argument < width) {
		p->at = argument;
		return false;
	}
	memcpy(&number, p->bytes + argument, width);
	number = le64toh(number);
	p->at = argument + width;
	if (is_announcing(op))
		return take_announced(p, op, p->at, number);
	return take_plain(p, op, number);
}

/* -- all of it --------------------------------------------------------------------------------- */

/*
 * True if the machine takes no more memory than a reader of such a dump may. Arrays grow by half.
 */
static bool is_light(const struct pickle *p)
{
	size_t held = p->nodes.nr * sizeof(struct node) + p->links.nr * sizeof(struct link) +
		      (p->stack.nr + p->memo.nr) * sizeof(uint32_t);

	return held / 2 * 3 <= p->len * WEIGHT + SMALL;
}

/* Hides all texts but those that are read, names and numbers. */
static void hide_texts(const struct pickle *p)
{
	const struct node *node;

	array_for_each (&p->nodes, node) {
		uint8_t *text = p->bytes + node->at;

		if (!node->text)
			continue;
		if (node->kept || node->name)
			redact_text((char *)text, node->len);
		else if (!flight_redact_is_number(text, node->len))
			memset(text, REDACT_STAR, node->len);
	}
}

void flight_redact_pickle(uint8_t *bytes, size_t len)
{
	struct pickle p = {.bytes = bytes, .len = len < FLIGHT_MOST ? len : FLIGHT_MOST};

	while (p.at < p.len && take_op(&p) && is_light(&p))
		;
	hide(&p, p.at, len);
	salvage_all(&p);
	hide_texts(&p);
	array_release(&p.nodes);
	array_release(&p.links);
	array_release(&p.stack);
	array_release(&p.memo);
	array_release(&p.todo);
}
