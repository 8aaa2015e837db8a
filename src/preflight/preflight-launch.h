/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_LAUNCH_H
#define PREFLIGHT_LAUNCH_H

/* What a launcher's command line says of the ranks that it will start; it is read, not run. */

/*
 * Returns the ranks on this machine, by --nproc_per_node (torchrun), --nproc-per-node,
 * --num_processes on one machine (accelerate), --num_gpus (deepspeed), --ntasks-per-node (srun). -1
 * where it is not said, or not as a number.
 */
int launch_ranks(char *const *argv) __attribute__((nonnull));

/*
 * Returns the machines, by --nnodes, --num_machines, --nodes. -1 where it is not said as one
 * number.
 */
int launch_hosts(char *const *argv) __attribute__((nonnull));

#endif
