/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_PICKLE_OPS_H
#define EVIDENCE_PICKLE_OPS_H

/*
 * The opcodes of pickles of plain data: decode/flight/pickle.c reads by them, and flight-redact.h
 * hides by them.
 */

#include <stdint.h>

enum pickle_op {
	OP_MARK = '(',
	OP_EMPTY_TUPLE = ')',
	OP_STOP = '.',
	OP_BINBYTES = 'B',
	OP_SHORT_BINBYTES = 'C',
	OP_BINFLOAT = 'G',
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_NONE = 'N',
	OP_BINUNICODE = 'X',
	OP_EMPTY_LIST = ']',
	OP_APPEND = 'a',
	OP_APPENDS = 'e',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_BINPUT = 'q',
	OP_LONG_BINPUT = 'r',
	OP_SETITEM = 's',
	OP_TUPLE = 't',
	OP_SETITEMS = 'u',
	OP_EMPTY_DICT = '}',
	OP_PROTO = 0x80,
	OP_TUPLE1 = 0x85,
	OP_TUPLE2,
	OP_TUPLE3,
	OP_NEWTRUE,
	OP_NEWFALSE,
	OP_LONG1,
	OP_LONG4,
	OP_SHORT_BINUNICODE = 0x8c,
	OP_BINUNICODE8,
	OP_BINBYTES8,
	OP_MEMOIZE = 0x94,
	OP_FRAME = 0x95,
};

/* How many bytes of argument an opcode has, not counting those whose number its argument tells. */
static const uint8_t pickle_arguments[256] = {
	[OP_BINBYTES] = 4,
	[OP_SHORT_BINBYTES] = 1,
	[OP_BINFLOAT] = 8,
	[OP_BININT] = 4,
	[OP_BININT1] = 1,
	[OP_BININT2] = 2,
	[OP_BINUNICODE] = 4,
	[OP_BINGET] = 1,
	[OP_LONG_BINGET] = 4,
	[OP_BINPUT] = 1,
	[OP_LONG_BINPUT] = 4,
	[OP_PROTO] = 1,
	[OP_LONG1] = 1,
	[OP_LONG4] = 4,
	[OP_SHORT_BINUNICODE] = 1,
	[OP_BINUNICODE8] = 8,
	[OP_BINBYTES8] = 8,
	[OP_FRAME] = 8,
};

#endif
