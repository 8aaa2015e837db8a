/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SAMPLES_H
#define DECODE_SAMPLES_H

/* How two samples of one thread's stack compare. Frames innermost first, as everywhere. */

#include "job/job.h"

/*
 * How many outermost frames of `kept` are those of `other` too. `partial`: of one of the two only
 * the Python frames are known, so that native ones in between prove nothing; they count only where
 * a Python frame within them is equal.
 */
size_t samples_common(const struct job_frame *kept, size_t nkept, const struct job_frame *other,
	size_t nother, bool partial);

#endif
