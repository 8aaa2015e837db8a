/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_DUMPS_H
#define EVIDENCE_REMAINS_DUMPS_H

/*
 * What PyTorch's debug server leaves: it asks all ranks for their stacks, again and again, and
 * writes a file each time. The ranks of one run have one address each, which tells runs apart
 * (torch 2.15 distributed/debug).
 */

#include "evidence/gather/remains/remains.h"

/* Reads at a file's begin whose answers it has: fills in file->served and file->asked. */
void remains_dumps_read(struct remains_file *file, const char *head) __attribute__((nonnull));

/*
 * Passes over all such files but the last of each kind of the last run; and over logs that told of
 * ends before the ranks of that run were asked.
 */
void remains_dumps_keep(struct remains *remains) __attribute__((nonnull));

/*
 * Fills in file->polled: when NCCL RAS was asked, by its own word. Ray Train's hang detector asks
 * it again and again.
 */
void remains_polls_read(struct remains_file *file, const char *head) __attribute__((nonnull));

/* Of the reports in one folder only the last tells how the job stands; passes over the others. */
void remains_polls_keep(struct remains *remains) __attribute__((nonnull));

#endif
