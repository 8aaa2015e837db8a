/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_STACKS_H
#define DECODE_DECODE_STACKS_H

/*
 * The stacks of one process, sample by sample. Exhibits come sorted, all samples of a process one
 * after the other, so that only one process is held at a time: whoever comes next, or the end,
 * sends the one before to the builder.
 */

#include "decode/context.h"

/* Gives the builder what was held of the process so far, if any, and forgets it. */
void stacks_finish(struct decode_context *context, struct job_builder *builder)
	__attribute__((nonnull));

#endif
