/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_LOGS_H
#define DECODE_LOGS_H

/*
 * Finds the last words of a process in the end of its stderr: the last useful line, and the line
 * that names an error. Marks before a line's words are left out (log-marks.h), and so is what
 * frameworks say of themselves, and all that inquest wrote. A line that names another rank is never
 * this rank's. Of a file that several processes share only lines that say whose they are ("[rank3]:
 * ...") count.
 */

#include "decode/context.h"

/* Finds which processes write to one file. Call it when all processes are known. */
void logs_find_shared(struct decode_context *context);

/* Adds the process' log, if any of its text was seen. Call logs_find_shared() first. */
void logs_finish(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process);

#endif
