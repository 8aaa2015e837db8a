/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: what ends the job by itself if nothing else does. */
#ifndef VERDICT_LIMITS_H
#define VERDICT_LIMITS_H

#include "verdict/inquiry.h"

struct limit {
	enum verdict_limit kind; /* VERDICT_NO_LIMIT: the rest means nothing */
	int64_t left;            /* ns; below 0: its time is over */
	const char *cite; /* "" nobody says it: the default of the program's library */
};

/* The first that strikes: the job's deadline, or a timeout of one of those who wait. */
struct limit limits_first(const struct inquiry *q, const struct rank_list *waiting);

/*
 * For backends (backend.h): what a rank says of itself by that key, NULL nothing, and whether that
 * is yes or no.
 */
const struct job_trait *limits_trait(
	const struct job *job, struct rank_index rank, const char *key);
bool limits_is_on(const struct job_trait *trait);
bool limits_is_off(const struct job_trait *trait);
/* True if PyTorch runs there, whose defaults then hold. */
bool limits_is_torch(const struct job *job, struct rank_index rank);
/*
 * How long, ns, one op of that seat may stand: as its group or its rank says, else `otherwise` if
 * that is PyTorch's to say; 0 nobody knows. *ret_cite is who says it.
 */
int64_t limits_timeout(const struct job *job, const struct job_member *m, int64_t otherwise,
	const char **ret_cite);
/* Where the host itself gives up, by PyTorch's own timeout if no other is known. */
struct limit limits_on_host(
	const struct job *job, const struct wait *wait, enum verdict_limit kind);

#endif
