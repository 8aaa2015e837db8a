/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FOREIGN_H
#define EVIDENCE_FOREIGN_H

/*
 * Gathering a job that has nothing of ours: no folder, no census, no ring. Its processes come from
 * a survey of the machine (proc/survey/survey.h), and goes into the evidence as exhibits of kind
 * "identity"; then /proc of each rank, its launcher and its descendants, control groups, the tail
 * of stderr where that is a file, what torchrun's workers wrote before they died, and stacks.
 * Peeking only, unless stacks were asked for with another mode.
 */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/live.h"
#include "proc/survey/survey.h"

/*
 * No ring tells since when such a rank waits, and shorter waits than two seconds blame nobody: so
 * two and more samples of stacks, and those of /proc around them, span at least this long. One
 * sample, or none, is a quick look.
 */
#define FOREIGN_SPAN_MS 2200

struct foreign_target {
	struct survey *survey; /* settled */
	int job;	       /* index; SURVEY_NONE: only those of `pids` */
	const uint32_t *pids;  /* processes of no job that were asked for: ranks without number */
	size_t npids;
};

/* These options, with samples so far apart. */
struct live_options foreign_stretch(const struct live_options *options) __attribute__((nonnull));

/*
 * Adds the evidence. 0, or negative with words where none of the processes is there any more.
 * options NULL: the default.
 */
int foreign_gather(const struct foreign_target *target, const struct live_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 3)));

/*
 * The same in two parts, for whoever can tell whether the first suffices: a quick look, of two
 * samples of everything FOREIGN_QUICK_MS apart, and the last of three samples, FOREIGN_SPAN_MS
 * after the first, into the same evidence. *ret_began is for the second part.
 */
#define FOREIGN_QUICK_MS 100

int foreign_gather_glance(const struct foreign_target *target, const struct live_options *options,
	int64_t *ret_began, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2, 3, 4)));
void foreign_gather_rest(const struct foreign_target *target, const struct live_options *options,
	int64_t began, struct evidence *into) __attribute__((nonnull));

#endif
