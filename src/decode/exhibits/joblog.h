/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_H
#define DECODE_JOBLOG_H

/* The job's own log: whose lines are whose, and how ranks ended as the launcher says. */

#include <stdlib.h>

#include "decode/context.h"

#define JOBLOG_LOCALS 1024 /* local ranks that a log may name */

/*
 * Reads the logs that were collected, when all else is known: where other evidence tells of ranks,
 * a log's lines are given to them, and else each rank that a line names becomes one.
 */
void joblogs_finish(struct decode_context *context, struct job_builder *builder)
	__attribute__((nonnull));

/*
 * A line of an exhibit of kind "job-log" is its number in the file, a tab and its text. Gives the
 * text, and the number where that is asked for; one without a number is all text.
 */
static inline const char *joblog_line(const char *at, int64_t *ret_number)
{
	char *end;
	long long number = strtoll(at, &end, 10);

	if (end == at || *end != '\t')
		return at;
	if (ret_number)
		*ret_number = number;
	return end + 1;
}

#endif
