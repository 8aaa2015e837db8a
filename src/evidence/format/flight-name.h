/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_NAME_H
#define EVIDENCE_FLIGHT_NAME_H

/* Names of Flight Recorder dumps: they alone tell a dump's rank. */

#include <stddef.h>

/*
 * Returns the rank at the end of a file's name ("nccl_trace_rank_12", "_dump_3.json"), -1 none.
 * *ret_prefix gets the length of the part before it, which dumps of one job, or of one of its
 * nodes, have in common. name is without folders.
 */
int flight_rank_of(const char *name, size_t *ret_prefix) __attribute__((nonnull));

#endif
