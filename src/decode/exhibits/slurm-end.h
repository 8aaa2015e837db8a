/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SLURM_END_H
#define DECODE_SLURM_END_H

/*
 * Tells why Slurm ended a job, as its daemon writes into the job's log or as its records have it:
 *
 *	"*** JOB 7 ON m1 CANCELLED AT 2026-11-26T07:57:54 DUE TO TIME LIMIT ***"
 *	JobState=NODE_FAIL
 *
 * (Slurm 22.05 slurmstepd _handle_signal_container; its job states are those of job_states.)
 */

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"

/* True if the words of slurmstepd tell of an end, or of what led to it. */
bool slurm_end_tells(const char *words) __attribute__((nonnull));

/*
 * True if by that line of a log the job is over for good. Another step may follow a step, and a job
 * that a node or another job ended is often begun again, in the same log.
 */
bool slurm_end_is_over(const char *line) __attribute__((nonnull));

/* Returns why the job ended, by such a line; JOB_ENDED_UNTOLD if it tells no reason. */
enum job_ended_by slurm_end_of_line(const char *line) __attribute__((nonnull));

/* Returns the same by the state of a job in a record; JOB_ENDED_OTHERWISE of all other states. */
enum job_ended_by slurm_end_of_state(const char *state) __attribute__((nonnull));

#endif
