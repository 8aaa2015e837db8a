/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RING_REDACT_H
#define EVIDENCE_RING_REDACT_H

/*
 * Takes out of a ring what may not leave the machine: secrets in its texts (base/redact.h), and
 * unless they are asked for, copies of stacks. In place. Only the header stays of a ring that
 * cannot be read here, which says why: nobody can tell what else is in it.
 */

#include <stdbool.h>
#include <stddef.h>

struct ring_redact_options {
	bool raw_stacks; /* copies of stacks at a death stay, as far as they hold no arguments */
	bool no_logs;    /* what the job wrote, and what its errors say, goes */
};

void ring_redact(void *bytes, size_t size, const struct ring_redact_options *options)
	__attribute__((nonnull(3)));

#endif
