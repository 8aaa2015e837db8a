/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h: what is known about calls by their names ("ncclCommSplit"), as in lists/call.def.
 * Nothing is known about a name without a row.
 */
#ifndef JOB_CALLS_H
#define JOB_CALLS_H

#include <stdbool.h>

/* See lists/call.def. */
enum call_trait {
	CALL_INIT = 1,
	CALL_SPLIT = 2,
	CALL_CLOSES = 4,
	CALL_LAUNCHES = 8,
	CALL_DEVICE = 16,
	CALL_KEYED = 32,
	CALL_OPENS = 64,
	CALL_SERVES = 128,
	CALL_TEXT = 256,
	CALL_AMONG = 512,
	CALL_SOME = 1024,
};

/* Returns the traits of a call (enum call_trait), or-ed; 0 for a name without a row. */
unsigned call_traits(const char *name) __attribute__((nonnull));

/* True if the host itself waits inside the call, and for no device. */
bool call_is_on_host(const char *name) __attribute__((nonnull));

/*
 * True if the name is of a known family of calls, but no record is made of it: a ring says of a
 * thread inside such a call that it is outside. Names of no family ("all_reduce" of Python) are
 * none of these.
 */
bool call_is_unrecorded(const char *name) __attribute__((nonnull));

/*
 * Returns the name as people say it, without its family's prefix: "CommSplit", "store_get"; the
 * whole name where people say it whole. Points into `name`.
 */
const char *call_plain_name(const char *name) __attribute__((nonnull));

#endif
