/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_BANDWIDTH_H
#define PREFLIGHT_BANDWIDTH_H

/* all_reduce_perf of NVIDIA's nccl-tests, where it is installed; we have no such test. */

/*
 * Returns what the line "# Avg bus bandwidth    : 478.2" of its output says, in GB/s; below 0 where
 * there is none.
 */
double bandwidth_of(const char *output) __attribute__((nonnull));

#endif
