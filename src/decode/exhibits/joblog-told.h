/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_TOLD_H
#define DECODE_JOBLOG_TOLD_H

/* Gives the job what a log tells of the end of a rank. */

#include <stdbool.h>

#include "decode/exhibits/joblog-ends.h"
#include "decode/exhibits/texts.h"

/*
 * Adds that the launcher told a rank to end: what follows is an effect. Does nothing for a process
 * that was gathered while it lived: that knows its signals.
 */
void joblog_told_order(struct texts *texts, struct decode_process *process, const char *cite)
	__attribute__((nonnull));

/* Adds how a rank ended. Nothing else may tell so: then its end is known by a text alone. */
void joblog_told_end(const struct texts *texts, struct decode_process *process,
	const struct decode_end *end) __attribute__((nonnull));

/*
 * Adds the error of which a rank says that it dies. A KeyboardInterrupt is none: somebody pressed
 * Ctrl-C, or sent SIGINT.
 */
void joblog_told_error(struct texts *texts, struct decode_process *process, const char *error,
	const char *cite) __attribute__((nonnull));

#endif
