/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_DUMP_FILES_H
#define CMD_DUMP_FILES_H

/*
 * Dumps of the Flight Recorder. There are as many as ranks, and each may be large, so several
 * threads read them. Which of them are left out where memory is short cannot be foreseen.
 */

#include "base/complaint.h"
#include "cmd/budget.h"
#include "evidence/format/exhibit.h"

/*
 * Adds the dumps of a path in the order of their names, as source_flight does. Returns 0, or
 * negative with words if there is none. The budget may be NULL.
 */
int dump_files_read(const char *path, struct evidence *into, struct budget *budget,
	struct complaint *why) __attribute__((nonnull(1, 2)));

#endif
