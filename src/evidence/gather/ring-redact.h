/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RING_REDACT_H
#define EVIDENCE_RING_REDACT_H

/*
 * Takes out of a ring, in place, what may not leave the machine: secrets in its texts
 * (base/redact.h), and copies of stacks unless they are asked for. A ring that cannot be read here
 * keeps only its header, which says why: nobody can tell what else is in it.
 */

#include <stdbool.h>
#include <stddef.h>

struct ring_redact_options {
	bool raw_stacks; /* true to keep copies of stacks at a death, which have no arguments */
	bool no_logs;    /* true to remove texts that the job wrote, and those of its errors */
};

/* Redacts a ring of `size` bytes. */
void ring_redact(void *bytes, size_t size, const struct ring_redact_options *options)
	__attribute__((nonnull(3)));

#endif
