/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outside.h: what a rank waits for outside of the job: a socket's other end, a file, a child. That
 * may come at any time, so such a wait never proves that a job cannot resolve.
 */
#ifndef VERDICT_OUTSIDE_H
#define VERDICT_OUTSIDE_H

#include "verdict/inquiry.h"

/* Adds what the rank, and its children, wait for in the kernel, where that is known. */
void outside_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);

#endif
