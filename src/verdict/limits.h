/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: the time limit that ends a job if nobody does. */
#ifndef VERDICT_LIMITS_H
#define VERDICT_LIMITS_H

#include "verdict/inquiry.h"

struct limit {
	enum verdict_limit kind; /* VERDICT_NO_LIMIT: there is none, and the rest means nothing */
	int64_t left;            /* ns left; below 0: the time is over */
	const char *cite; /* who says it; "" it is the default of the program's library */
};

/* Returns the limit that strikes first: the job's deadline, or a timeout of a waiting rank. */
struct limit limits_first(const struct inquiry *q, const struct rank_list *waiting);

/* Tells whether a rank's own setting of that name means yes; MAYBE: it has none. For backends. */
enum job_known limits_says(const struct job *job, struct rank_index rank, const char *key);
/* True if the rank runs PyTorch, whose defaults then hold. */
bool limits_is_torch(const struct job *job, struct rank_index rank);
/*
 * Returns for how long, ns, one op of that seat may stand: as its group or its rank says, else
 * `otherwise` if that default is PyTorch's; 0 nobody knows. *ret_cite tells who says it.
 */
int64_t limits_timeout(const struct job *job, const struct job_member *m, int64_t otherwise,
	const char **ret_cite);
/*
 * Returns the limit of a wait that the host gives up by itself; PyTorch's own timeout if no other
 * is known.
 */
struct limit limits_on_host(
	const struct job *job, const struct wait *wait, enum verdict_limit kind);

#endif
