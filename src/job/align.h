/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align.h: whether two sides of a fork go on alike, and by how many places shifted.
 *
 *	others	... a b c d e		the same at the fork and behind it, one place on:
 *	side	... a b d e		the side left out c
 *
 * A shift counts only where nothing that is known contradicts it. It is sure (`seen`) where at
 * least two recorded ops behind the fork agree by it, or one does and both sides then stand at the
 * same op; and it is `alone` where no other shift fits. Where the side went no further, only what
 * the others have done step by step (job/usual.h) can tell: its op must then be much nearer ahead
 * in their step than behind, or the other way round. Up to 64 ops left out or too many are looked
 * for.
 */
#ifndef JOB_ALIGN_H
#define JOB_ALIGN_H

#include "job/forks.h"

/*
 * Finds how the second camp of a fork of two lies against the first. `kind` is SHIFT_UNTOLD where
 * too little is known. The result points into the job.
 */
struct fork_shift align_camps(const struct job *job, const struct fork *fork);

#endif
