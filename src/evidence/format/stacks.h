/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_H
#define EVIDENCE_STACKS_H

/*
 * Stacks as exhibits. Each is msgpack, with the fields of inquest-bundle(5):
 *
 *	stacks	one snapshot of one process (stack/snapshot.h); the label is its sample, "0" to "2"
 *	module	one ELF object of a host: what walks read of it, and names for the addresses on the
 *		stacks; the label is "DEV:INO PATH", so that there is one of each object
 *
 * Both are packed and read here; evidence/gather/stacks-gather.h takes them from processes.
 */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "stack/module.h"
#include "stack/snapshot.h"

/* -- writing ----------------------------------------------------------------------------------- */

/* Adds a snapshot as an exhibit of that host. `rank` is a hint, -1 none. */
void stacks_add(struct evidence *into, const char *host, int rank, const struct snapshot *snapshot)
	__attribute__((nonnull));

/* -- reading ----------------------------------------------------------------------------------- */

/*
 * Fills `ret` from an exhibit's bytes. Returns 0, or negative with words. The caller calls
 * snapshot_release() in any case.
 */
int stacks_read(const struct exhibit *exhibit, struct snapshot *ret, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Adds the module of an exhibit to the table, with its symbols. Returns 0, or negative with words.
 * *ret_image owns the module's bytes; the caller frees it by excerpt_free(), after the table.
 */
int stacks_read_module(const struct exhibit *exhibit, struct modules *into,
	struct excerpt **ret_image, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

#endif
