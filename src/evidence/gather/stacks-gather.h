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
	uint32_t as;  /* its pid in exhibits; 0: the one in its own namespace */
	bool passing; /* a short-lived helper: its end is not mentioned */
};

struct stacks_options {
	enum snapshot_mode mode;
	unsigned samples; /* 1 to 3 */
	unsigned first;	  /* number of the first; earlier ones are of another gathering */
	int pause_ms;	  /* between them */
	bool raw_stacks;  /* as capture_options (proc/threads/capture.h) has it, */
	bool no_logs;	  /* and this */
	uint32_t means;	  /* and this */
	int deadline_ms;  /* for each process and sample; one that blocks us becomes a gap */
};

#define STACKS_OPTIONS_DEFAULT                                                                     \
	{.mode = SNAPSHOT_NEVER, .samples = 3, .pause_ms = 40, .deadline_ms = 2000}

/*
 * Takes the stacks of nr processes and adds exhibits and gaps. Runs in helper processes that may be
 * left behind, so that a target whose mmap lock is held blocks only its own helper. Never fails: a
 * missing stack is a gap with words that say what to do.
 */
void stacks_gather(struct evidence *into, const char *host, const struct stacks_target *targets,
	size_t nr, const struct stacks_options *options) __attribute__((nonnull(1, 2, 5)));

#endif
