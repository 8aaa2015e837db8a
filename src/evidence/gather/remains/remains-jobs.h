/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_JOBS_H
#define EVIDENCE_REMAINS_JOBS_H

/*
 * Tells of which job a file is that somebody left, and which of several jobs is looked at. Files of
 * two jobs that were read as one would accuse people of things that never happened.
 */

#include <stdbool.h>

#include "evidence/gather/remains/remains.h"

/*
 * Reads from both ends of a file and from its name of which job it is: fills in file->job and
 * file->ranks. A worker's own file (`of_worker`) is no log of all ranks: what it quotes of others
 * tells nothing.
 */
void remains_jobs_read(struct remains_file *file, const char *name, const char *head,
	const char *tail, bool of_worker) __attribute__((nonnull));

/*
 * Passes over what is of other jobs than the one of the newest file; if bundles have told the
 * number that Slurm gave to the job, than that one. `known` is that number, 0 where they have not.
 *
 * Two files are of different jobs if the numbers differ that Slurm gave them in their names, or its
 * daemon in their text. Where the same several ranks have written in both, so are files of two
 * folders of which neither lies in the other, and two files of one folder whose names differ in
 * their numbers alone. So are two whose launchers say other things of the same ranks
 * (remains-runs.h), and two of which one was last written long before the other. Where there are
 * such, nobody knows of which job a file beside them is that belongs to neither: it is passed over.
 * Records of whatever ran there are kept.
 */
void remains_jobs_tell_apart(struct remains *remains, int64_t known)
	__attribute__((nonnull));

/* True if the file was passed over because it is of another job, or may be. */
bool remains_jobs_has_passed_over(const struct remains_file *file) __attribute__((nonnull));

#endif
