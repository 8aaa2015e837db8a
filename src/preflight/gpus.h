/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_GPUS_H
#define PREFLIGHT_GPUS_H

/* Which GPUs of a machine a launch would use. */

#include "preflight/check.h"
#include "preflight/nvml.h"

/* GPUs of the machine that the job may use, by index, in the job's own order. */
struct gpus_of_job {
	unsigned nr; /* how many; local rank k has list[k] */
	unsigned list[NVML_GPUS_MOST];
};

/*
 * Finds the job's GPUs: those that CUDA_VISIBLE_DEVICES names, as many as there are ranks, else
 * all. What it names and the machine has not is said, where there is a sink.
 */
void gpus_find(const struct preflight_wish *wish, const struct nvml_machine *machine,
	struct gpus_of_job *ret, struct check_sink *sink) __attribute__((nonnull(1, 2, 3)));

#endif
