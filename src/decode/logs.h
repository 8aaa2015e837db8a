/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_LOGS_H
#define DECODE_LOGS_H

/*
 * The last words of a process, out of the end of its stderr: the last useful line, and the line
 * that names an error. A file that several processes share belongs to none of them, but for lines
 * that a launcher marked with the rank ("[rank3]: ...").
 */

#include "decode/context.h"

/* Adds the process' log, if any of its text was seen. */
void logs_finish(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process);

#endif
