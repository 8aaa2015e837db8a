/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_JOBS_H
#define EVIDENCE_REMAINS_JOBS_H

/*
 * Of which job a file is that somebody left, and which of several jobs is looked at. Files of two
 * jobs that were read as one would accuse people of things that never happened.
 */

#include <stdbool.h>

#include "evidence/gather/remains.h"

/*
 * What both ends of a file say of that; file->job and file->ranks from them and from its name. A
 * worker's own file is no log of all: what it quotes of others tells nothing.
 */
void remains_jobs_read(struct remains_file *file, const char *name, const char *head,
	const char *tail, bool of_worker) __attribute__((nonnull));

/*
 * Passes over what is of other jobs than the one of the newest file; where bundles have told the
 * number that Slurm gave to the job, than that one; `known` is 0 where they have not. Two files
 * are of different jobs if the numbers differ that Slurm gave them in their names, or its daemon in
 * their text. Where the same several ranks have written in both, so are two folders of which
 * neither lies in the other, and two files of one folder whose names differ in their numbers alone.
 * So are two whose launchers say other things of the same ranks (remains-runs.h), and two of which
 * one was last written long before the other. Of what lies beside them then, and is of neither,
 * nobody knows of which job it is: it is passed over. Records of whatever ran there are kept.
 */
void remains_jobs_tell_apart(struct remains *remains, int64_t known)
	__attribute__((nonnull));

/* True if that is why the file was passed over. */
bool remains_jobs_has_passed_over(const struct remains_file *file) __attribute__((nonnull));

#endif
