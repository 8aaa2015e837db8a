/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.h: what killed processes of ours have left among the folders of jobs, that is no job's.
 *
 *	ROOT/.begun-PID-START-N	a folder that was never made whole, or is half removed. Its
 *				maker holds a lock on it for as long as it lives.
 *	/tmp/inquest-UID/ID	rings that found no room in their job's folder
 *				(probes/place.h), which is no more. `.job' in it says where
 *				that was.
 *
 * Nothing is removed that might be somebody's: not what is locked, not what a living process began,
 * not what may belong to another pid namespace, where nobody can tell here who lives.
 */
#ifndef CMD_SWEEP_H
#define CMD_SWEEP_H

#include "base/str.h"

/*
 * Makes a `.begun-' folder below root, and appends its path to ret_path. Returns a descriptor that
 * holds it for as long as it is open, or -errno.
 */
int sweep_begin(const char *root, struct str *ret_path) __attribute__((nonnull));

/* Removes those `.begun-' folders below root that are nobody's. */
void sweep_begun(const char *root) __attribute__((nonnull));

/* Removes the folders of spilled rings, of this user, that are no job's any more. */
void sweep_spilled(void);

/*
 * Removes a folder with the plain files in it. Enters nothing below it, follows no link. Killed in
 * between we leave no half of a job's folder, but one of those above.
 */
void sweep_remove(const char *path) __attribute__((nonnull));

#endif
