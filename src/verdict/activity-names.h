/* SPDX-License-Identifier: Apache-2.0 */
/* activity-names.h: what a waiting thread waits in, by the frames around the one that tells. */
#ifndef VERDICT_ACTIVITY_NAMES_H
#define VERDICT_ACTIVITY_NAMES_H

#include "verdict/activities.h"

/* The call as the program made it: the outermost before its own frame; "" none. Of the job. */
const char *activity_name_call(const struct job *job, const struct posture *p);

/* What stands further out may say it better: the activity, its call, and who is waited for. */
void activity_better(const struct job *job, struct posture *p);

#endif
