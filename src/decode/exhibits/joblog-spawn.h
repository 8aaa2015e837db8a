/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_SPAWN_H
#define DECODE_JOBLOG_SPAWN_H

/*
 * Reads what torch.multiprocessing says of a process that it spawned, once it has ended the others:
 *
 *	...ProcessExitedException: process 3 terminated with signal SIGKILL
 *	...ProcessExitedException: process 3 terminated with exit code 1
 *	-- Process 3 terminated with the following error:
 *
 * and a traceback behind the last (PyTorch 2.15 multiprocessing/spawn.py, alike since 1.6). Which
 * rank that process is the program alone knows: on each node the numbers begin at 0.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What the lines so far say. Zero it first. */
struct joblog_spawn {
	bool known;
	int64_t number;
	int64_t line;   /* that names it */
	struct str how; /* "terminated with signal SIGKILL", or the error */
	bool traces;    /* an error is to come, and its traceback */
	bool expects;   /* in a traceback: the next line that is not indented is the error */
};

/* Takes a line without a rank's mark, and its number. */
void joblog_spawn_take(struct joblog_spawn *spawn, const char *line, int64_t number)
	__attribute__((nonnull));

/* Forgets what was said: the job went on behind it, as after another try. */
void joblog_spawn_forget(struct joblog_spawn *spawn) __attribute__((nonnull));

#endif
