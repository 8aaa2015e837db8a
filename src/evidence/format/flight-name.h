/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_NAME_H
#define EVIDENCE_FLIGHT_NAME_H

/* Names of Flight Recorder dumps: they alone tell a dump's rank. */

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the rank at the end of a file's name ("nccl_trace_rank_12", "_dump_3.json"), -1 none.
 * *ret_prefix gets the length of the part before it, which dumps of one job, or of one of its
 * nodes, have in common. name is without folders.
 */
int flight_rank_of(const char *name, size_t *ret_prefix) __attribute__((nonnull));

/*
 * True if the file lies in the folder of dumps that Ray Train's hang detector leaves beside its
 * others, and those are read where the folder above is, or its own ("hang_detector").
 */
bool flight_is_below(const char *path, int depth) __attribute__((nonnull));

#endif
