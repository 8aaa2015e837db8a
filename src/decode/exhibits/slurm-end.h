/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SLURM_END_H
#define DECODE_SLURM_END_H

/*
 * Why Slurm ended a job, as its daemon writes into the job's log or as its records have it:
 *
 *	"*** JOB 7 ON m1 CANCELLED AT 2026-11-26T07:57:54 DUE TO TIME LIMIT ***"
 *	JobState=NODE_FAIL
 *
 * (Slurm 22.05 slurmstepd _handle_signal_container; its job states are those of job_states.)
 */

#include <stdbool.h>

#include "job/job.h"

/* True if the words of slurmstepd tell of an end, or of what led to it. */
bool slurm_end_tells(const char *words) __attribute__((nonnull));

/* True if by these words of slurmstepd the job or the step is over. */
bool slurm_end_is_over(const char *words) __attribute__((nonnull));

/* The reason, in such words or in a state; JOB_ENDED_UNTOLD where they tell none. */
enum job_ended_by slurm_end_reason(const char *words) __attribute__((nonnull));

#endif
