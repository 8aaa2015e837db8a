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
 *
 * So it reads what DeepSpeed's launcher says, once it has ended the others of its node:
 *
 *	[2026-11-22 10:43:51,219] [ERROR] [launch.py:259:sigkill_handler] ['python', 'train.py',
 *		'--local_rank=2'] exits with return code = -9
 *
 * (0.19 launcher/launch.py). The command is that of the last rank that it started, whoever failed.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "job/job.h"

/* What the lines so far say. Zero it first. */
struct joblog_spawn {
	bool known;
	int64_t number; /* -1: DeepSpeed's launcher says it, and not of whom */
	int64_t line;   /* that names it */
	struct str how; /* "terminated with signal SIGKILL", "return code -9", or the error */
	bool traces;    /* an error is to come, and its traceback */
	bool expects;   /* in a traceback: the next line that is not indented is the error */
};

/*
 * Returns the code with which a rank failed, as DeepSpeed's launcher says it, a part of the line;
 * NULL if the line says no such thing.
 */
const char *joblog_spawn_code(const char *line) __attribute__((nonnull));

/* Takes a line without a rank's mark, and its number. */
void joblog_spawn_take(struct joblog_spawn *spawn, const char *line, int64_t number)
	__attribute__((nonnull));

/* Returns what it says of its process, in the arena, as much of it as a page has room for. */
struct job_saying joblog_spawn_saying(
	const struct joblog_spawn *spawn, struct arena *arena, const char *cite)
	__attribute__((nonnull));

/* Forgets what was said: the job went on behind it, as after another try. */
void joblog_spawn_forget(struct joblog_spawn *spawn) __attribute__((nonnull));

#endif
