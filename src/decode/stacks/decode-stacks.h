/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_STACKS_H
#define DECODE_DECODE_STACKS_H

/*
 * Collects the stacks of one process, sample by sample. Exhibits come sorted, all samples of a
 * process one after the other, so that only one process is held at a time: the next one, or the
 * end, sends the one before to the builder.
 */

#include "decode/context.h"

/* Gives the builder what is held of a process, if any, and forgets it. */
void stacks_finish(struct decode_context *context, struct job_builder *builder)
	__attribute__((nonnull));

#endif
