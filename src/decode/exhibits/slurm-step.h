/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SLURM_STEP_H
#define DECODE_SLURM_STEP_H

/*
 * Tells in which step of Slurm a rank runs, by its own environment: the variables that its launcher
 * gave it, by an agent's history, else those inherited from the launch, by the receipt. Steps of
 * other processes do not count: gathering may run in a step of its own.
 */

#include <json.h>

#include "decode/context.h"

/*
 * Takes the step of a launch on that host. Launches side by side in different steps tell nothing of
 * a rank's.
 */
void slurm_step_launched(struct decode_context *context, struct decode_host *host,
	const struct json_object *receipt) __attribute__((nonnull));

/* Takes the step of one process, as a history has it. */
void slurm_step_given(struct decode_context *context, struct decode_process *process,
	const struct json_object *object) __attribute__((nonnull));

/* Adds the trait "slurm", "33.0" or "33", if the process is a rank that tells it. */
void slurm_step_finish(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process) __attribute__((nonnull));

#endif
