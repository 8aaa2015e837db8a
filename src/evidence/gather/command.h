/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_COMMAND_H
#define EVIDENCE_COMMAND_H

/*
 * The launched command of a job that never had a rank: a launcher that found no program, a script
 * that failed in its first line. The command stands for the job as a rank without number, like a
 * process that was asked for by its pid.
 */

#include "evidence/format/exhibit.h"
#include "proc/read.h"

struct command {
	struct proc_id id;	/* as it knew itself */
	const char *job;	/* id of the job */
	char *const *argv;	/* NULL-ended */
	bool no_logs;		/* what it wrote is left out */
	uint64_t log_from;	/* what stands before that in our stderr is of others */
};

/*
 * Adds the command's identity, and the end of its stderr, which is our own, where that is a plain
 * file.
 */
void command_add(const struct command *command, struct evidence *into) __attribute__((nonnull));

#endif
