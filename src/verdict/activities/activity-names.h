/* SPDX-License-Identifier: Apache-2.0 */
/* activity-names.h: what a waiting thread waits in, by the frames around the one that tells. */
#ifndef VERDICT_ACTIVITY_NAMES_H
#define VERDICT_ACTIVITY_NAMES_H

#include "verdict/activities/activities.h"

/*
 * Returns the call as the program made it: the outermost function of a backend further in than the
 * program's own frame; "" none. The text is the job's.
 */
const char *activity_name_call(const struct job *job, const struct posture *p);

/* Improves the posture by frames further out: the activity, its call, and who is waited for. */
void activity_better(const struct job *job, struct posture *p);

#endif
