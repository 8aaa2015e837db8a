/* SPDX-License-Identifier: Apache-2.0 */
/* activity-line.h: how a line of a table of activities (activities.h) is written. */
#ifndef VERDICT_ACTIVITY_LINE_H
#define VERDICT_ACTIVITY_LINE_H

#include "verdict/activities/activities.h"

#define DECIDES(activity, function, where, call)                                                   \
	{ACTIVITY_##activity, ACTIVITY_DECIDES, {function, where}, call}
#define SPANS(activity, function, where)                                                           \
	{ACTIVITY_##activity, ACTIVITY_SPANS, {function, where}, ""}
#define HINTS(activity, function, where, call)                                                     \
	{ACTIVITY_##activity, ACTIVITY_HINTS, {function, where}, call}
#define THREADS(function, where)                                                                   \
	{ACTIVITY_USER, ACTIVITY_THREADS, {function, where}, ""}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
