/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_LOGS_H
#define DECODE_LOGS_H

/*
 * The last words of a process, out of the end of its stderr: the last useful line, and the line
 * that names an error. Marks before a line's words are left out (log-marks.h), and so is what
 * frameworks say of themselves, and all that inquest wrote. A line that names another rank is never
 * this rank's; a file that several processes share is nobody's, but for lines that say whose they
 * are ("[rank3]: ...").
 */

#include "decode/context.h"

/* Finds out which processes write to one file; all of them have to be known. */
void logs_find_shared(struct decode_context *context);

/* After that: adds the process' log, if any of its text was seen. */
void logs_finish(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process);

#endif
