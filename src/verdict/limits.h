/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: what ends the job by itself if nothing else does. */
#ifndef VERDICT_LIMITS_H
#define VERDICT_LIMITS_H

#include "verdict/inquiry.h"

struct limit {
	enum verdict_limit kind; /* VERDICT_NO_LIMIT: the rest means nothing */
	int64_t left;            /* ns; below 0: its time is over */
	const char *cite;
};

/* The first that strikes: the job's deadline, or a timeout of one of those who wait. */
struct limit limits_first(const struct inquiry *q, const struct rank_list *waiting);

#endif
