/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PAST_H
#define WEAK_PAST_H

/*
 * A job's evidence as it was earlier: every ring rewound (rewind.h), what was read after the moment
 * left out, and the gathering's T0 put there. Who is alive was known then too: of a process whose
 * end came later, or that lives, it is said that it is there; of one whose end is known without a
 * time nothing is said. What tells of moments (census, history, ends, manifest) keeps those before.
 *
 * All hosts are taken for one clock, as the recorded ones are.
 */

#include "heap.h"
#include "whole.h"

/* Takes the heap back to `moment`, realtime ns. */
void past_go(const struct whole *whole, struct heap *heap, int64_t moment);

#endif
