/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-abi.h: what the c10d route must know about PyTorch's C++ objects: how libstdc++ lays out
 * strings and vectors, and where the options of a call have the values that we read. Nothing here
 * is taken from its headers. A value that is not certain is given as unknown.
 *
 * All reads stay inside the object that was given. Objects are only looked at while the call that
 * got them is under way.
 */
#ifndef PROBES_C10D_ABI_H
#define PROBES_C10D_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the word-th 64-bit word of an object, from 0. */
static inline uint64_t abi_word(const void *object, unsigned word)
{
	uint64_t value;

	memcpy(&value, (const char *)object + 8 * (size_t)word, sizeof(value));
	return value;
}

/*
 * Returns what an object points to that is an intrusive_ptr, or anything else that is one pointer.
 */
static inline void *abi_pointer(const void *object)
{
	return (void *)(uintptr_t)abi_word(object, 0);
}

/* --- Strings --------------------------------------------------------------------------------- */

/*
 * libstdc++ has two kinds: the one since GCC 5, and the one before it, which wheels before 2.7 were
 * built for.
 */
enum abi_strings { ABI_CXX11, ABI_COW };

struct abi_text {
	const char *bytes;
	size_t len;
};

static inline struct abi_text abi_string(const void *string, enum abi_strings kind)
{
	struct abi_text text = {abi_pointer(string), 0};

	if (kind == ABI_CXX11)
		text.len = abi_word(string, 1);
	else if (text.bytes)
		text.len = abi_word(text.bytes - 24, 0);
	return text;
}

/* Returns the distance between the strings of a vector, in bytes. */
static inline size_t abi_string_size(enum abi_strings kind)
{
	return kind == ABI_CXX11 ? 32 : 8;
}

/* --- Vectors --------------------------------------------------------------------------------- */

static inline const char *abi_begin(const void *vector)
{
	return abi_pointer(vector);
}

static inline size_t abi_bytes(const void *vector)
{
	return (size_t)(abi_word(vector, 1) - abi_word(vector, 0));
}

/* --- Options --------------------------------------------------------------------------------- */

/*
 * A ReduceOp is an object with a vtable, reference counts, the operation and a supplement. Once
 * there were two words of counts, now there is one; behind it all options have a time in
 * milliseconds (-1 unset, never 0), where the older layout has something else:
 *
 *	word			0	1	2	3	 4	 5	 6	 7
 *	new   AllreduceOptions	vtable	counts	op	supplem. timeout
 *	old   AllreduceOptions	vtable	count	count	op	 supplem. timeout
 *	new   ReduceOptions	vtable	counts	op	supplem. root	 0	 timeout
 *	old   ReduceOptions	vtable	count	count	op	 supplem. root	 0	 timeout
 *
 * The supplement is NULL or a pointer, which no time in milliseconds is as large as.
 */
static inline int abi_is_time(uint64_t word)
{
	return word == UINT64_MAX || (word && word < 1ull << 40);
}

/* Returns where the operation is, in options that have the timeout right behind it. */
static inline unsigned abi_redop_word(const void *options)
{
	return abi_is_time(abi_word(options, 4)) ? 2 : 3;
}

/* Returns the same for ReduceOptions; the root is two words behind it. */
static inline unsigned abi_reduce_word(const void *options)
{
	return abi_is_time(abi_word(options, 6)) ? 2 : 3;
}

/* Turns ReduceOp's numbers into those of nccl.h; `unknown` for those that it does not have. */
static inline unsigned abi_redop(const void *options, unsigned word, unsigned unknown)
{
	static const unsigned char numbers[] = {
		0 /* SUM */, 4 /* AVG */, 1 /* PRODUCT */, 3 /* MIN */, 2 /* MAX */};
	uint64_t op = abi_word(options, word) & 0xff;

	return op < sizeof(numbers) ? numbers[op] : unknown;
}

/*
 * Returns the timeout of a Backend::Options that lives behind a pointer, in nanoseconds; 0 unknown.
 * Its second count is 1 in the older layout, and no timeout is as short.
 */
static inline uint64_t abi_backend_timeout(const void *options)
{
	uint64_t ms = options ? abi_word(options, 2) : 0;

	if (ms == 1)
		ms = abi_word(options, 3);
	return ms && ms < 1ull << 40 ? ms * 1000000 : 0;
}

/* --- Tensors --------------------------------------------------------------------------------- */

/* Turns ScalarType's numbers into those of nccl.h; `unknown` for those that it does not have. */
static inline unsigned abi_dtype(int32_t scalar, unsigned unknown)
{
	switch (scalar) {
	case 0: /* uint8 */
		return 1;
	case 1: /* int8 */
		return 0;
	case 3: /* int32 */
		return 2;
	case 4: /* int64 */
		return 4;
	case 5: /* float16 */
		return 6;
	case 6: /* float32 */
		return 7;
	case 7: /* float64 */
		return 8;
	case 15: /* bfloat16 */
		return 9;
	case 23: /* float8_e5m2 */
		return 11;
	case 24: /* float8_e4m3fn */
		return 10;
	case 28: /* uint32 */
		return 3;
	case 29: /* uint64 */
		return 5;
	default:
		return unknown;
	}
}

#endif
