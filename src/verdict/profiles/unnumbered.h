/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unnumbered.h: processes that were started beside the ranks, and have no rank's number yet: those
 * of torch.multiprocessing.spawn() get theirs from their own program.
 */
#ifndef VERDICT_UNNUMBERED_H
#define VERDICT_UNNUMBERED_H

#include "verdict/inquiry.h"

/*
 * True if the process is nobody's child or helper, was started by who started the ranks, and has no
 * number; whether it lives or not.
 */
bool unnumbered_is(const struct job *job, const struct job_process *process);

/* Returns how many of the job's processes, of the ranks' own program, are so. */
size_t unnumbered_count(const struct job *job);

#endif
