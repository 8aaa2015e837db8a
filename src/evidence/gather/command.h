/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_COMMAND_H
#define EVIDENCE_COMMAND_H

/*
 * The launched command of a job in which no rank ever was: a launcher that found no program, a
 * script that failed in its first line. It stands for the job, as a process that was asked for by
 * its pid does: a rank without number.
 */

#include "evidence/format/exhibit.h"
#include "proc/read.h"

struct command {
	struct proc_id id;	/* as it knew itself */
	const char *job;	/* id of the job */
	char *const *argv;	/* NULL-ended */
	bool no_logs;		/* what it wrote is left out */
};

/*
 * Adds who it was, and the end of what is behind our own stderr, which is the command's, where that
 * is a plain file.
 */
void command_add(const struct command *command, struct evidence *into) __attribute__((nonnull));

#endif
