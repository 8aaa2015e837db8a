/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_WORKER_FOLDER_H
#define EVIDENCE_WORKER_FOLDER_H

/*
 * The folders that torchrun makes for what its workers write: ".../none_x1/attempt_0/5/stderr.log"
 * (torch 2.15 elastic/multiprocessing/api.py). Folders above may have any names.
 */

#include <stdbool.h>
#include <stddef.h>

struct worker_folder {
	size_t run; /* how many bytes of the path precede "attempt_0": the run's folder with its
		     * slash; 0 none */
	size_t len; /* how many precede the slash behind the worker's folder */
	long attempt;
	int local; /* the worker's rank on its node */
};

/* Finds the last such folder in the path of a file. Returns false where there is none. */
bool worker_folder_find(const char *path, struct worker_folder *ret) __attribute__((nonnull));

/*
 * Returns where the name of the run's folder begins in the path, of which the first `run` bytes are
 * that folder with its slash.
 */
const char *worker_folder_name(const char *path, size_t run) __attribute__((nonnull));

#endif
