/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_COMMAND_H
#define EVIDENCE_COMMAND_H

/*
 * The launched command of a job that never had a rank: a launcher that found no program, a script
 * that failed in its first line. The command stands for the job as a rank without a number, like a
 * process that was asked for by its pid.
 */

#include "evidence/format/exhibit.h"
#include "proc/read.h"

struct command {
	struct proc_id id;	/* as the command itself saw its pid */
	const char *job;	/* the job's id */
	char *const *argv;	/* NULL-ended */
	bool no_logs;		/* true if what it wrote is to be left out */
	uint64_t log_from;	/* how many bytes stood in our stderr before: they are of others */
};

/*
 * Adds the command's identity, and the end of its stderr, which is ours as well, if that is a plain
 * file.
 */
void command_add(const struct command *command, struct evidence *into) __attribute__((nonnull));

#endif
