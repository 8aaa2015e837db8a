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
};

/* The traits of a call: of enum call_trait, or-ed; 0 of an unknown one. */
unsigned call_traits(const char *name) __attribute__((nonnull));

/* True if the host itself waits in it, for no device. */
bool call_is_on_host(const char *name) __attribute__((nonnull));

/*
 * True if it is a call of some maker that no record names: of a thread that is in it rings say that
 * it is outside. What rings have no name for at all ("all_reduce" of Python) is none of these.
 */
bool call_is_unrecorded(const char *name) __attribute__((nonnull));

/* Its name as people say it: "CommSplit", "store_get"; the name itself where they say it whole. */
const char *call_plain_name(const char *name) __attribute__((nonnull));

#endif
