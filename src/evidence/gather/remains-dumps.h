/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_DUMPS_H
#define EVIDENCE_REMAINS_DUMPS_H

/*
 * What PyTorch's debug server leaves: it asks all ranks for their stacks, again and again, and
 * writes a file each time. Of one run the ranks have one address each (torch 2.15
 * distributed/debug).
 */

#include "evidence/gather/remains.h"

/* Whose answers a file has, by its begin: file->served and file->asked. */
void remains_dumps_read(struct remains_file *file, const char *head) __attribute__((nonnull));

/*
 * Passes over all of them but the last of each kind of the last run, and logs that told of ends
 * before the ranks of that run were asked.
 */
void remains_dumps_keep(struct remains *remains) __attribute__((nonnull));

/*
 * NCCL RAS that was asked again and again, as Ray Train's hang detector does: when that one was, by
 * its own word.
 */
void remains_polls_read(struct remains_file *file, const char *head) __attribute__((nonnull));

/* Of those in one folder the last tells how it stands; passes over the others. */
void remains_polls_keep(struct remains *remains) __attribute__((nonnull));

#endif
