/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_NODES_H
#define CMD_REACH_NODES_H

/*
 * Lists of nodes: "m[1-4,7],head" (as Slurm and pdsh write them, zeros kept: m[01-04]), "a b c", a
 * file with such words (lines that begin with # are none; a path has a slash in it, or `@FILE`), or
 * "@mpirun": the hosts in the MPIR_proctable of the one mpirun or srun here, "@mpirun:PID" of that
 * one. Each name once, in the order given. No name, and no part of one behind a slash or an @, is
 * empty or begins with a dash: launchers would take it for an option.
 */

#include "base/array.h"
#include "base/complaint.h"

struct nodes {
	ARRAY(char *) names;
};

/*
 * Adds the nodes of a list. 0, or -1 with words: a bracket that does not close, no file, no names.
 */
int nodes_read(struct nodes *nodes, const char *list, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Adds them where names have slashes in them: only "@FILE" is a file. */
int nodes_read_names(struct nodes *nodes, const char *list, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Frees the names. */
void nodes_release(struct nodes *nodes) __attribute__((nonnull));

#endif
