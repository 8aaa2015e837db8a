/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_H
#define EVIDENCE_STACKS_H

/*
 * Stacks as exhibits, msgpack each, fields in inquest-bundle(5):
 *
 *	stacks	one snapshot of one process (stack/snapshot.h); the label is its sample, "0" to "2"
 *	module	one ELF object of a host: what walks read of it, and names for the addresses on the
 *		stacks; the label is "DEV:INO PATH", so that of one object there is one
 */

#include "evidence/exhibit.h"
#include "proc/capture.h"

/* -- writing ----------------------------------------------------------------------------------- */

/* Adds the exhibit of a snapshot. host: whose exhibit; rank: a hint, -1 none. */
void stacks_add(struct evidence *into, const char *host, int rank, const struct snapshot *snapshot)
	__attribute__((nonnull));

/*
 * Looks up the names of all addresses that the snapshots' walks have met, and adds an exhibit per
 * module that stands on a stack. Once, after all snapshots of a gathering.
 */
void stacks_add_modules(struct evidence *into, const char *host, struct images *images,
	const struct snapshot *snapshots, size_t nr) __attribute__((nonnull(1, 2, 3)));

/* -- reading ----------------------------------------------------------------------------------- */

/* Fills ret from an exhibit's bytes; 0, or negative with words. snapshot_release() in any case. */
int stacks_read(const struct exhibit *exhibit, struct snapshot *ret, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Adds the module of an exhibit to the table, with its symbols. 0, or negative with words. The
 * image belongs to *ret_image, which excerpt_free() frees after the table.
 */
int stacks_read_module(const struct exhibit *exhibit, struct modules *into,
	struct excerpt **ret_image, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/* -- gathering --------------------------------------------------------------------------------- */

struct stacks_target {
	struct proc_id id;
	int rank;     /* a hint, -1 none */
	uint32_t as;  /* the pid that it goes by in exhibits; 0: the one it knows itself by */
	bool passing; /* a helper that comes and goes: that it has ended is worth no word */
};

struct stacks_options {
	enum snapshot_mode mode;
	unsigned samples; /* 1 to 3 */
	int pause_ms;	  /* between them */
	bool raw_stacks;  /* as capture_options has it, */
	bool no_logs;	  /* and this */
	int deadline_ms;  /* for each process and sample: one that blocks us is left: a gap */
};

#define STACKS_OPTIONS_DEFAULT                                                                     \
	{.mode = SNAPSHOT_NEVER, .samples = 3, .pause_ms = 40, .deadline_ms = 2000}

/*
 * Takes the stacks of nr processes and adds exhibits and gaps. Runs in helper processes that may be
 * left behind, so that a target whose mmap lock is held blocks only its own. Never fails: what
 * could not be had is a gap with words that say what to do.
 */
void stacks_gather(struct evidence *into, const char *host, const struct stacks_target *targets,
	size_t nr, const struct stacks_options *options) __attribute__((nonnull(1, 2, 5)));

#endif
