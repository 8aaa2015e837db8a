/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_GATHER_H
#define EVIDENCE_STACKS_GATHER_H

/* Takes stacks of living processes as exhibits (evidence/format/stacks.h says of which kinds). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/format/exhibit.h"
#include "proc/read.h"
#include "stack/snapshot.h"

struct stacks_target {
	struct proc_id id;
	int rank;     /* a hint; -1 none */
	uint32_t as;  /* the pid that exhibits name it by; 0: its `id.pid` */
	bool passing; /* true for a short-lived helper, whose end is not mentioned */
};

struct stacks_options {
	enum snapshot_mode mode;
	unsigned samples; /* 1 to 3 */
	unsigned first;	  /* the number of the first sample; earlier ones are of another
			   * gathering */
	int pause_ms;	  /* between two samples */
	bool raw_stacks;  /* as in capture_options (proc/threads/capture.h), like the next two */
	bool no_logs;	  /* likewise */
	uint32_t means;	  /* likewise */
	int deadline_ms;  /* for each process and sample; a process that blocks us becomes a gap */
};

#define STACKS_OPTIONS_DEFAULT                                                                     \
	{.mode = SNAPSHOT_NEVER, .samples = 3, .pause_ms = 25, .deadline_ms = 2000}

/*
 * Takes the stacks of `nr` processes and adds exhibits and gaps. Works in helper processes that may
 * be left behind, so that a target whose mmap lock is held blocks only its own helper. Never fails:
 * a missing stack is a gap with words that say what to do.
 */
void stacks_gather(struct evidence *into, const char *host, const struct stacks_target *targets,
	size_t nr, const struct stacks_options *options) __attribute__((nonnull(1, 2, 5)));

#endif
