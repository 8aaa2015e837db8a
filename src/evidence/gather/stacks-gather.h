/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_GATHER_H
#define EVIDENCE_STACKS_GATHER_H

/* Stacks of living processes as exhibits (evidence/format/stacks.h says of which kinds). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/format/exhibit.h"
#include "proc/read.h"
#include "stack/snapshot.h"

struct stacks_target {
	struct proc_id id;
	int rank;     /* a hint, -1 none */
	uint32_t as;  /* the pid that it goes by in exhibits; 0: the one it knows itself by */
	bool passing; /* a helper that comes and goes: that it has ended is worth no word */
};

struct stacks_options {
	enum snapshot_mode mode;
	unsigned samples; /* 1 to 3 */
	unsigned first;	  /* number of the first; others were taken before, in another gathering */
	int pause_ms;	  /* between them */
	bool raw_stacks;  /* as capture_options (proc/threads/capture.h) has it, */
	bool no_logs;	  /* and this */
	uint32_t means;	  /* and this */
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
