/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_DUMP_FILES_H
#define CMD_DUMP_FILES_H

/*
 * Dumps of the Flight Recorder: there are as many as ranks, and each may be large, so that several
 * threads read them. Which it is that is left out where memory is short, nobody can say before.
 */

#include "base/complaint.h"
#include "cmd/budget.h"
#include "evidence/format/exhibit.h"

/*
 * Adds those of a path in the order of their names, as source_flight has it: 0, or negative with
 * words if there is none. The budget may be NULL.
 */
int dump_files_read(const char *path, struct evidence *into, struct budget *budget,
	struct complaint *why) __attribute__((nonnull(1, 2)));

#endif
