/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_NAME_H
#define EVIDENCE_FLIGHT_NAME_H

/* Names of Flight Recorder dumps, which alone tell a dump's rank. */

#include <stdbool.h>
#include <stddef.h>

/* What a dump's name tells. The offsets are into the name. */
struct flight_name {
	int rank;    /* -1: it tells none, and nothing else is set */
	size_t from; /* begin of the part that tells the rank: the file, or a folder above it */
	size_t digits, behind; /* the rank's number is [digits, behind) */
	size_t end;  /* end of the name, without an ending that only tells the format */
};

/*
 * Reads a name such as "nccl_trace_rank_12", "_dump_3.json", "rank_3/trace.pkl". Folders before the
 * file's name may stand there or not.
 */
void flight_name_read(const char *label, struct flight_name *ret) __attribute__((nonnull));

/*
 * Does so by the number at the end of the file's name alone, for dumps all of which have the same
 * one behind the word "rank".
 */
void flight_name_by_end(const char *label, struct flight_name *ret) __attribute__((nonnull));

/* True if both names tell a rank, and what stands before and behind their numbers is the same. */
bool flight_names_alike(const char *a, const struct flight_name *name_a, const char *b,
	const struct flight_name *name_b) __attribute__((nonnull));

/*
 * Returns the last part of a path, which is enough to know the file by: its name, and the folder
 * that tells the rank if the name does not.
 */
const char *flight_label_of(const char *path) __attribute__((nonnull));

#endif
