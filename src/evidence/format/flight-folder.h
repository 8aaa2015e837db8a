/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_FOLDER_H
#define EVIDENCE_FLIGHT_FOLDER_H

/* Flight Recorder dumps in files and folders. */

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/file.h"
#include "evidence/format/exhibit.h"

#define FLIGHT_NONE_IN "no dump of a flight recorder in " /* begins a complaint */
#define FLIGHT_DEPTH   3 /* so many folders below the one that was named are searched */

/* The dumps of a folder. {} is none; flight_files_release() it. */
struct flight_files {
	struct file_names names;
	size_t root;   /* bytes of each path that precede its label */
	size_t passed; /* so many folders and links were not looked into */
	size_t unnamed;	     /* dumps that are not among the names, which tell no rank */
	char *unnamed_first; /* the first of them; NULL none */
	bool stopped;  /* there were too many files that are no dumps */
	bool by_base;  /* files tell their ranks, whatever folders they are in */
};

/* True if the path is a folder. */
bool flight_is_folder(const char *path) __attribute__((nonnull));

/*
 * True if a folder's dumps, as flight_list() lists them, lie in folders below it, down to
 * FLIGHT_DEPTH.
 */
bool flight_is_below(const char *path) __attribute__((nonnull));

/*
 * Adds the files of a folder that are dumps, and their namesakes. If it has neither dumps nor
 * bundles, those of the folders below are added. Returns 0, or negative with words.
 */
int flight_list(const char *folder, struct flight_files *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Returns what the i-th file is called in evidence: its path below the folder, or its name. */
const char *flight_files_label(const struct flight_files *files, size_t i)
	__attribute__((nonnull));

/* Adds gaps for what was not looked into, and for dumps whose names tell no rank. */
void flight_files_tell_passed(const struct flight_files *files, const char *folder,
	struct evidence *into) __attribute__((nonnull));

/* Says why a folder has no dump that can be read. Returns -1. */
int flight_files_complain(const struct flight_files *files, const char *folder,
	struct complaint *why) __attribute__((nonnull(1, 2)));

/* Returns how many folders and links below this folder nobody looks into for dumps. */
size_t flight_passed(const char *folder) __attribute__((nonnull));

void flight_files_release(struct flight_files *files) __attribute__((nonnull));

/* Adds the one dump in a file, under that label. Returns 0, or negative with words. */
int flight_read(const char *path, const char *label, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2, 3)));

#endif
