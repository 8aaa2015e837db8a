/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FOREIGN_H
#define EVIDENCE_FOREIGN_H

/*
 * Gathering a job that has nothing of ours: no folder, no census, no ring. Its processes come from
 * a survey of the machine (proc/survey/survey.h), and go into the evidence as exhibits of kind
 * "identity"; then come /proc of each rank, its launcher and its descendants, control groups, the
 * tail of stderr where that is a file, the error files of torchrun's workers, and stacks. It only
 * peeks, unless stacks were asked for with another mode.
 */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/live/live.h"
#include "proc/survey/survey.h"

/*
 * No ring tells since when such a rank waits, and a wait of less than two seconds blames nobody. So
 * several samples of stacks, and those of /proc around them, span at least this long. One sample,
 * or none, is a quick look.
 */
#define FOREIGN_SPAN_MS 2200

/* What to gather. */
struct foreign_target {
	struct survey *survey; /* settled */
	int job;	       /* index of the survey's job; SURVEY_NONE: only the processes of
			        * `pids` */
	const uint32_t *pids;  /* processes outside of any job that were asked for: ranks without
			        * a number */
	size_t npids;
};

/* Returns these options with samples so far apart that they span FOREIGN_SPAN_MS. */
struct live_options foreign_stretch(const struct live_options *options) __attribute__((nonnull));

/*
 * Adds the evidence. Returns 0, or negative with words if all of the processes are gone. NULL
 * options are the default.
 */
int foreign_gather(const struct foreign_target *target, const struct live_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 3)));

/*
 * Gathers the same in two parts, for callers that can tell whether the first suffices. The first
 * takes two samples of everything, FOREIGN_QUICK_MS apart; the second adds a third sample to the
 * same evidence, FOREIGN_SPAN_MS after the first. *ret_began is what the second part needs as
 * `began`.
 */
#define FOREIGN_QUICK_MS 100

int foreign_gather_glance(const struct foreign_target *target, const struct live_options *options,
	int64_t *ret_began, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2, 3, 4)));
void foreign_gather_rest(const struct foreign_target *target, const struct live_options *options,
	int64_t began, struct evidence *into) __attribute__((nonnull));

#endif
