/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_NAME_H
#define EVIDENCE_FLIGHT_NAME_H

/* Flight Recorder dumps and their file names, which alone tell a dump's rank. */

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/file.h"
#include "evidence/format/exhibit.h"

#define FLIGHT_NONE_IN "no dump of a flight recorder in " /* begins a complaint */

/*
 * Returns the rank at the end of a file's name ("nccl_trace_rank_12", "_dump_3.json"), -1 if there
 * is none. *ret_prefix gets the length of the part before it, which dumps of one job, or of one of
 * its nodes, have in common. `name` is without folders.
 */
int flight_rank_of(const char *name, size_t *ret_prefix) __attribute__((nonnull));

/*
 * True if the file lies in the folder of dumps that Ray Train's hang detector leaves beside its
 * other files, and `depth` tells that reading began in the folder above that one (1), or above its
 * "hang_detector" (2).
 */
bool flight_is_below(const char *path, int depth) __attribute__((nonnull));

/* True if the path is a folder. */
bool flight_is_folder(const char *path) __attribute__((nonnull));

/*
 * Adds the files of a folder that are dumps, and their namesakes. Where the folder is Ray's, or has
 * one below it, those of Ray's folder of dumps are added. Returns 0, or negative with words.
 */
int flight_list(const char *folder, struct file_names *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Adds the one dump in a file. Returns 0, or negative with words. */
int flight_read(const char *path, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

#endif
