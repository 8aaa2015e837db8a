/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/flight/pickle.h"

#include <endian.h>
#include <string.h>

#include "base/array.h"
#include "evidence/format/pickle-ops.h"

#define PICKLE_PROTOCOL 5 /* the newest known */
#define PICKLE_NEAR	256 /* numbers of the memo that fit one byte */

/* Opcodes with which a pickle can make its reader run code, or hand it an object from elsewhere. */
static const char *const pickle_refused[256] = {
	['P'] = "PERSID",
	['Q'] = "BINPERSID",
	['R'] = "REDUCE",
	['b'] = "BUILD",
	['c'] = "GLOBAL",
	['i'] = "INST",
	['o'] = "OBJ",
	[0x81] = "NEWOBJ",
	[0x82] = "EXT1",
	[0x83] = "EXT2",
	[0x84] = "EXT4",
	[0x92] = "NEWOBJ_EX",
	[0x93] = "STACK_GLOBAL",
	[0x97] = "NEXT_BUFFER",
	[0x98] = "READONLY_BUFFER",
};

/* A pickle that is being read. */
struct pickle {
	struct value_stack *stack;
	const uint8_t *bytes;
	const uint8_t *at; /* behind the opcode and its argument */
	const uint8_t *end;
	const uint8_t *op; /* the opcode that is being carried out */
	ARRAY(struct value) memo; /* at least PICKLE_NEAR; VALUE_ABSENT: never put */
	uint64_t numbered;        /* numbers that have been put, or passed over */
	bool stopped;
};

static size_t pickle_offset(const struct pickle *pickle)
{
	return (size_t)(pickle->op - pickle->bytes);
}

/* Tells that the pickle is cut. Always false, as the two below are. */
static bool pickle_cut(struct pickle *pickle)
{
	size_t len = (size_t)(pickle->end - pickle->bytes);

	pickle->at = pickle->end;
	return value_damage(pickle->stack, len, "cut at byte %zu", len);
}

static bool pickle_nonsense(struct pickle *pickle)
{
	return value_damage(pickle->stack, pickle_offset(pickle),
		"opcode 0x%02x at byte %zu makes no sense there", *pickle->op,
		pickle_offset(pickle));
}

static bool pickle_refuse(struct pickle *pickle)
{
	const char *name = pickle_refused[*pickle->op];

	if (name)
		return value_damage(pickle->stack, pickle_offset(pickle),
			"%s at byte %zu, which could run code: refused", name,
			pickle_offset(pickle));
	return value_damage(pickle->stack, pickle_offset(pickle),
		"byte 0x%02x at byte %zu is no opcode of plain data", *pickle->op,
		pickle_offset(pickle));
}

/* Returns up to 8 bytes as a little-endian number; with a constant len it is one load. */
static inline uint64_t pickle_little(const uint8_t *bytes, size_t len)
{
	uint64_t number = 0;

	memcpy(&number, bytes, len);
	return le64toh(number);
}

static inline bool pickle_push(struct pickle *pickle, enum value_type type, int64_t number)
{
	*value_push(pickle->stack) = (struct value){.type = (uint8_t)type, .number = number};
	return true;
}

/* Returns the bytes that the argument announces; NULL if they are more than there are. */
static const uint8_t *pickle_announced(struct pickle *pickle, uint64_t len)
{
	const uint8_t *bytes = pickle->at;

	if (len > (uint64_t)(pickle->end - pickle->at) || len > UINT32_MAX - 1) {
		(void)pickle_cut(pickle);
		return NULL;
	}
	pickle->at += len;
	return bytes;
}

static bool pickle_text(struct pickle *pickle, uint64_t len)
{
	const uint8_t *bytes = pickle_announced(pickle, len);

	if (!bytes)
		return false;
	*value_push(pickle->stack) = value_text(pickle->stack, bytes, (uint32_t)len);
	return true;
}

/* Skips raw bytes, which are no value of ours. */
static bool pickle_raw(struct pickle *pickle, uint64_t len)
{
	return pickle_announced(pickle, len) && pickle_push(pickle, VALUE_ODD, 0);
}

/* Reads an integer of any length; only those that fit into 64 bits are told. */
static bool pickle_long(struct pickle *pickle, uint64_t len)
{
	const uint8_t *bytes = pickle_announced(pickle, len);
	uint64_t number;
	uint8_t sign;

	if (!bytes)
		return false;
	if (!len)
		return pickle_push(pickle, VALUE_INT, 0);
	sign = bytes[len - 1] & 0x80 ? 0xff : 0;
	for (size_t i = 8; i < len; i++) {
		if (bytes[i] != sign || (bytes[7] ^ sign) & 0x80)
			return pickle_push(pickle, VALUE_ODD, 0);
	}
	number = pickle_little(bytes, len < 8 ? len : 8);
	if (sign && len < 8)
		number |= UINT64_MAX << (8 * len);
	return pickle_push(pickle, VALUE_INT, (int64_t)number);
}

static bool pickle_float(struct pickle *pickle, const uint8_t *argument)
{
	uint64_t bits = 0;
	double real;

	for (size_t i = 0; i < sizeof(bits); i++)
		bits = bits << 8 | argument[i];
	memcpy(&real, &bits, sizeof(real));
	*value_push(pickle->stack) = (struct value){.type = VALUE_REAL, .real = real};
	return true;
}

/*
 * Puts the top value into the memo. Writers number it from 0 on without gaps. So a number beyond
 * the pickle's own length so far is a lie, and would be one about memory.
 */
static bool pickle_put(struct pickle *pickle, uint64_t number)
{
	const struct value *top = value_keep(pickle->stack);

	if (!top || number > pickle_offset(pickle))
		return pickle_nonsense(pickle);
	if (number >= pickle->memo.nr)
		(void)array_add_many(&pickle->memo, number + 1 - pickle->memo.nr);
	pickle->memo.items[number] = *top;
	if (number >= pickle->numbered)
		pickle->numbered = number + 1;
	return true;
}

static inline bool pickle_get(struct pickle *pickle, uint64_t number)
{
	if (number >= pickle->memo.nr || pickle->memo.items[number].type == VALUE_ABSENT)
		return pickle_nonsense(pickle);
	*value_push(pickle->stack) = pickle->memo.items[number];
	return true;
}

static bool pickle_open(struct pickle *pickle)
{
	if (!value_open(pickle->stack))
		return value_damage(pickle->stack, pickle_offset(pickle),
			"nested deeper than %d at byte %zu", VALUE_DEPTH, pickle_offset(pickle));
	return true;
}

static bool pickle_proto(struct pickle *pickle, uint8_t protocol)
{
	if (protocol > PICKLE_PROTOCOL)
		return value_damage(pickle->stack, pickle_offset(pickle),
			"pickle protocol %u, of which %d is the newest known", protocol,
			PICKLE_PROTOCOL);
	return true;
}

static bool pickle_stop(struct pickle *pickle)
{
	size_t left = (size_t)(pickle->end - pickle->at);
	size_t at = (size_t)(pickle->at - pickle->bytes);

	if (pickle->stack->nplaces || pickle->stack->items.nr != 1)
		return pickle_nonsense(pickle);
	pickle->stopped = true;
	if (left)
		(void)value_damage(
			pickle->stack, at, "%zu bytes behind its end at byte %zu", left, at);
	return true;
}

/* Bytes of the longest of these opcodes. */
#define PICKLE_PLAIN 10

/*
 * Pushes one value by an opcode that cannot fail, and returns its length; 0 if it is another one.
 */
static inline size_t pickle_plain(const uint8_t *at, struct value *top)
{
	switch (*at) {
	case OP_BININT1:
		*top = (struct value){.type = VALUE_INT, .number = at[1]};
		return 2;
	case OP_BININT2:
		*top = (struct value){
			.type = VALUE_INT, .number = (int64_t)pickle_little(at + 1, 2)};
		return 3;
	case OP_BININT:
		*top = (struct value){
			.type = VALUE_INT, .number = (int32_t)pickle_little(at + 1, 4)};
		return 5;
	case OP_LONG1:
		*top = (struct value){
			.type = VALUE_INT, .number = (int64_t)pickle_little(at + 2, 8)};
		return at[1] == 8 ? 10 : 0;
	case OP_NONE:
		*top = (struct value){.type = VALUE_NONE};
		return 1;
	case OP_NEWTRUE:
	case OP_NEWFALSE:
		*top = (struct value){.type = VALUE_BOOL, .number = *at == OP_NEWTRUE};
		return 1;
	case OP_EMPTY_LIST:
	case OP_EMPTY_DICT:
		*top = (struct value){.type = *at == OP_EMPTY_LIST ? VALUE_LIST : VALUE_DICT};
		return 1;
	default:
		return 0;
	}
}

/*
 * Carries out the most frequent opcodes, with all in registers, and returns where another one
 * comes. Nearly all of a dump are keys from the memo, small numbers, and what opens containers.
 */
static const uint8_t *pickle_run(struct pickle *pickle)
{
	struct value_stack *stack = pickle->stack;
	const struct value *memo = pickle->memo.items;
	const uint8_t *at = pickle->at, *last;
	const struct value *limit;
	struct value *top;

	if (!stack->items.nr || pickle->end - at < PICKLE_PLAIN)
		return at;
	last = pickle->end - PICKLE_PLAIN;
	top = stack->items.items + stack->items.nr;
	limit = stack->items.items + stack->items.room;
	while (at <= last && top < limit) {
		size_t len = 2;

		if (*at == OP_BINGET && memo[at[1]].type != VALUE_ABSENT) { /* every second one */
			*top = memo[at[1]];
		} else if (*at == OP_MARK) {
			stack->items.nr = (size_t)(top - stack->items.items);
			if (!value_open(stack))
				break;
			at++;
			continue;
		} else if ((len = pickle_plain(at, top)) == 0) {
			break;
		}
		at += len;
		top++;
	}
	stack->items.nr = (size_t)(top - stack->items.items);
	return at;
}

/* Carries out an opcode with a text, a number or a name of its own behind it. */
static bool pickle_argued(struct pickle *pickle, const uint8_t *argument)
{
	uint64_t number = pickle_little(argument, pickle_arguments[*pickle->op]);

	switch (*pickle->op) {
	case OP_BINUNICODE:
	case OP_SHORT_BINUNICODE:
	case OP_BINUNICODE8:
		return pickle_text(pickle, number);
	case OP_BINPUT:
	case OP_LONG_BINPUT:
		return pickle_put(pickle, number);
	case OP_LONG1:
	case OP_LONG4:
		return pickle_long(pickle, number);
	case OP_BINBYTES:
	case OP_SHORT_BINBYTES:
	case OP_BINBYTES8:
		return pickle_raw(pickle, number);
	case OP_PROTO:
		return pickle_proto(pickle, argument[0]);
	case OP_FRAME:
		return true;
	default:
		return pickle_refuse(pickle);
	}
}

/* Makes a list of what lies above the mark; there is no container below it. */
static bool close_tuple(struct value_stack *stack)
{
	size_t nr;

	if (!stack->nplaces)
		return false;
	nr = value_above(stack);
	stack->nplaces--;
	return value_tuple(stack, nr);
}

static bool pickle_container(struct pickle *pickle)
{
	struct value_stack *stack = pickle->stack;

	switch (*pickle->op) {
	case OP_APPEND:
		return value_put(stack, VALUE_LIST, 1);
	case OP_SETITEM:
		return value_put(stack, VALUE_DICT, 2);
	case OP_EMPTY_TUPLE:
		return value_tuple(stack, 0);
	case OP_TUPLE1:
		return value_tuple(stack, 1);
	case OP_TUPLE2:
		return value_tuple(stack, 2);
	case OP_TUPLE3:
		return value_tuple(stack, 3);
	default:
		return close_tuple(stack);
	}
}

/*
 * Carries out one opcode, the most frequent ones right here; false ends it, with the damage told.
 */
static inline bool pickle_step(struct pickle *pickle, const uint8_t *argument)
{
	struct value_stack *stack = pickle->stack;

	switch (*pickle->op) {
	case OP_BINGET:
		return pickle_get(pickle, argument[0]);
	case OP_LONG_BINGET:
		return pickle_get(pickle, pickle_little(argument, 4));
	case OP_BININT1:
		return pickle_push(pickle, VALUE_INT, argument[0]);
	case OP_BININT2:
		return pickle_push(pickle, VALUE_INT, (int64_t)pickle_little(argument, 2));
	case OP_BININT:
		return pickle_push(pickle, VALUE_INT, (int32_t)pickle_little(argument, 4));
	case OP_BINFLOAT:
		return pickle_float(pickle, argument);
	case OP_NONE:
		return pickle_push(pickle, VALUE_NONE, 0);
	case OP_NEWTRUE:
	case OP_NEWFALSE:
		return pickle_push(pickle, VALUE_BOOL, *pickle->op == OP_NEWTRUE);
	case OP_EMPTY_LIST:
		return pickle_push(pickle, VALUE_LIST, 0);
	case OP_EMPTY_DICT:
		return pickle_push(pickle, VALUE_DICT, 0);
	case OP_MARK:
		return pickle_open(pickle);
	case OP_APPENDS:
		return value_close(stack, VALUE_LIST) || pickle_nonsense(pickle);
	case OP_SETITEMS:
		return value_close(stack, VALUE_DICT) || pickle_nonsense(pickle);
	case OP_APPEND:
	case OP_SETITEM:
	case OP_EMPTY_TUPLE:
	case OP_TUPLE1:
	case OP_TUPLE2:
	case OP_TUPLE3:
	case OP_TUPLE:
		return pickle_container(pickle) || pickle_nonsense(pickle);
	case OP_MEMOIZE:
		return pickle_put(pickle, pickle->numbered);
	case OP_STOP:
		return pickle_stop(pickle);
	default:
		return pickle_argued(pickle, argument);
	}
}

/* False, with damage told, if values and memo take more memory than the bytes warrant. */
static bool pickle_is_light(struct pickle *pickle, size_t len)
{
	size_t memo = pickle->memo.nr * sizeof(*pickle->memo.items);

	if (value_is_heavy(pickle->stack, len, memo))
		return value_damage(pickle->stack, pickle_offset(pickle),
			"says more than its %zu bytes can hold at byte %zu", len,
			pickle_offset(pickle));
	return true;
}

void pickle_read(const uint8_t *bytes, size_t len, struct value_stack *stack)
{
	struct pickle pickle = {.stack = stack, .bytes = bytes, .at = bytes, .end = bytes + len};
	bool fine = true;

	(void)array_add_many(&pickle.memo, PICKLE_NEAR);
	while (fine && !pickle.stopped) {
		const uint8_t *argument;

		pickle.at = pickle_run(&pickle);
		argument = pickle.at + 1;
		if (pickle.at == pickle.end) {
			(void)pickle_cut(&pickle);
			break;
		}
		pickle.op = pickle.at;
		if ((size_t)(pickle.end - argument) < pickle_arguments[*pickle.op])
			fine = pickle_cut(&pickle);
		else {
			pickle.at = argument + pickle_arguments[*pickle.op];
			fine = pickle_step(&pickle, argument) && pickle_is_light(&pickle, len);
		}
	}
	value_salvage(stack);
	array_release(&pickle.memo);
}
