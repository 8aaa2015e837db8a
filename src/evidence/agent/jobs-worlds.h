/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JOBS_WORLDS_H
#define EVIDENCE_JOBS_WORLDS_H

/* Finds which communicators of NCCL the ranks of a folder have. Reads a few KiB of each ring. */

#include "evidence/agent/jobs.h"
#include "evidence/format/folder.h"

/* Fills in entry->worlds; adds nothing where the folder has no readable ring. */
void jobs_read_worlds(struct jobs_entry *entry, const struct folder *folder)
	__attribute__((nonnull));

#endif
