/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backends.h: what differs between the libraries that ranks wait in, as lists/backend.def has it.
 * A group says its own by name (`maker` of struct job_group), since a bundle may name one that this
 * version does not know: that one is "other".
 */
#ifndef JOB_BACKENDS_H
#define JOB_BACKENDS_H

#include <stdbool.h>
#include <stdint.h>

/* See lists/backend.def. */
enum backend_trait {
	BACKEND_IDS = 1,
	BACKEND_NO_OPS = 2,
	BACKEND_APART = 4,
	BACKEND_GIVES_UP = 8,
	BACKEND_EXACT = 16,
	BACKEND_DUMPED = 32,
	BACKEND_RETIRES = 64,
	BACKEND_USUAL = 128,
	BACKEND_TAGS = 256,
	BACKEND_FINALIZES = 512,
	BACKEND_ON_HOST = 1024,
	BACKEND_DRIVEN = 2048,
	BACKEND_UPTO = 4096,
};

/* True if the backend of that name has the trait. */
bool backend_has(const char *name, enum backend_trait trait) __attribute__((nonnull));

/*
 * Returns the name of a backend whose number is in a ring; "other" where no row has it. Never NULL.
 */
const char *backend_name(uint32_t number);

/* Returns the maker to assume for a group whose evidence names none; never NULL. */
const char *backend_usual(void);

/*
 * Returns the backend of an operation as a dump names it ("nccl:all_reduce"); "other" where no row
 * has it. Never NULL.
 */
const char *backend_of_entry(const char *entry) __attribute__((nonnull));

#endif
