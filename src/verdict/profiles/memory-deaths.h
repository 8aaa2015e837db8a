/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-deaths.h: which SIGKILLs were the kernel's, for want of memory. Its log names the process;
 * the counter of a control group says only how many were killed there.
 */
#ifndef VERDICT_MEMORY_DEATHS_H
#define VERDICT_MEMORY_DEATHS_H

#include "verdict/profiles/profile.h"

/* Marks the ranks that the kernel killed for memory; what each death says by itself is known. */
void memory_deaths_find(
	const struct job *job, const struct clocks *clocks, struct profile *profiles);

#endif
