/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_BUNDLE_GROUPS_H
#define CMD_BUNDLE_GROUPS_H

/*
 * Bundles of several jobs, mixed: which belong together, and which job is judged. Taking ranks of
 * two jobs for one would accuse people of things that never happened.
 *
 *	struct bundle_groups groups = {0};
 *
 *	bundle_groups_add(&groups, "night/a.inq", &evidence);	once per bundle; takes what is in it
 *	bundle_groups_settle(&groups, &into);			leaves the newest job's in `into`
 *	... groups.left ...
 *	bundle_groups_release(&groups);
 */

#include "base/array.h"
#include "base/str.h"
#include "cmd/bundle-part.h"
#include "report/report.h"

/* The bundles, and what was found out about them. */
struct bundle_groups {
	ARRAY(struct bundle_part) parts;
	ARRAY(struct report_left) left; /* the jobs that are not judged, newest first */
	size_t judged; /* index of the first part of the job that is judged, if there are parts */
};

/* Takes the evidence of one bundle over, and leaves it empty. */
void bundle_groups_add(struct bundle_groups *groups, const char *path, struct evidence *evidence)
	__attribute__((nonnull));

/* Takes over a bundle that was read before. */
void bundle_groups_add_part(struct bundle_groups *groups, const struct bundle_part *part)
	__attribute__((nonnull));

/* True if both parts have the same processes, and no others: both are looks at the same machine. */
bool bundle_groups_alike(const struct bundle_groups *groups, size_t one, size_t other)
	__attribute__((nonnull));

/* Removes the part added last, and frees its evidence. */
void bundle_groups_drop_last(struct bundle_groups *groups) __attribute__((nonnull));

/*
 * Tells the jobs apart and moves all evidence of the newest into `into`: that of the last launch,
 * and of two attempts of one launch that of which somebody was read last. Bundles that share an id,
 * a process or a communicator of NCCL are one job; process groups of PyTorch have no identity that
 * another run of the same program has not. What one user's processes say makes them no part of
 * another's job. Of the rest, a bundle is another job if it claims the same rank, or has another
 * name, another run of torchrun, another communicator of all ranks, or a time long before. A bundle
 * without any of these is taken for another node of the job that was launched at about the same
 * time.
 */
void bundle_groups_settle(struct bundle_groups *groups, struct evidence *into)
	__attribute__((nonnull));

/* Does the same for the job of the bundle with that path, in place of the newest. */
void bundle_groups_settle_for(struct bundle_groups *groups, const char *path,
	struct evidence *into) __attribute__((nonnull));

/*
 * Returns Slurm's number of the job that was left in `into`; 0 where none, or more than one, is
 * told.
 */
int64_t bundle_groups_slurm_job(const struct bundle_groups *groups) __attribute__((nonnull));

/*
 * Appends "2 jobs left out (...): sft-40 in a.inq, moe-7 in b.inq and 3 more"; nothing if none is.
 */
void bundle_groups_describe(const struct bundle_groups *groups, struct str *into)
	__attribute__((nonnull));

/* Frees all parts. */
void bundle_groups_release(struct bundle_groups *groups);

#endif
