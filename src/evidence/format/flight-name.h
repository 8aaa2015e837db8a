/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_NAME_H
#define EVIDENCE_FLIGHT_NAME_H

/* Names of Flight Recorder dumps: the only place that says whose a dump is. */

#include <stddef.h>

/*
 * The rank that a file's name ends in ("nccl_trace_rank_12", "_dump_3.json"), -1 none; to
 * *ret_prefix how long the part before it is, which dumps of one job have in common, or dumps of
 * one node of it. name is without folders.
 */
int flight_rank_of(const char *name, size_t *ret_prefix) __attribute__((nonnull));

#endif
