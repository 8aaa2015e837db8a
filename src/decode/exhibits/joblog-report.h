/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_REPORT_H
#define DECODE_JOBLOG_REPORT_H

/*
 * Reads the traceback that torchrun's report has of a rank, indented by two blanks, its frames
 * further:
 *
 *	  traceback : Traceback (most recent call last):
 *	    File "/w/train.py", line 88, in <module>
 *	  ValueError: no rows
 *
 * Before each of these lines may stand the same marks of torchrun's own launcher.
 */

#include <stdbool.h>

#include "base/arena.h"

/* Where such a traceback is. Zero it first. */
struct joblog_trace {
	const char *marks; /* what stands before its lines, in the arena */
	bool inside;
};

/*
 * Takes the next line. Returns the error with which the traceback ends, a part of the line; NULL:
 * it does not end there. `of_rank`: the report has said whose it is.
 */
const char *joblog_report_error(struct joblog_trace *trace, const char *line, bool of_rank,
	struct arena *arena) __attribute__((nonnull));

#endif
