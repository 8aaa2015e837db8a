/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_BUNDLE_FILES_H
#define CMD_BUNDLE_FILES_H

/*
 * Files that may be bundles. There are as many as nodes, and none has anything to do with another,
 * so several threads read them. What one says of its job (cmd/bundle-part.h) is read with it.
 *
 *	struct bundle_file files[] = {{.path = "night/a.inq"}, {.path = "night/b.inq"}};
 *
 *	bundle_files_read(files, 2, &meter, &budget);
 *	... for each in order: files[i].readable, part or why
 *
 * Where memory is short, what was asked for last is left out (base/meter.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "cmd/budget.h"
#include "cmd/bundle-part.h"

/* One file. */
struct bundle_file {
	const char *path; /* borrowed */
	/* Set by reading: */
	bool large; /* it was read when nothing else was read */
	bool readable;
	struct bundle_part part; /* if it is readable; the caller calls bundle_part_release() */
	struct complaint why;	 /* else why not; the caller calls complaint_release() */
};

/* Reads all files. The meter and the budget may be NULL. */
void bundle_files_read(struct bundle_file *files, size_t n, struct meter *meter,
	struct budget *budget);

#endif
