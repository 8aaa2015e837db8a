/* SPDX-License-Identifier: Apache-2.0 */
/* losses.h: what is lost, and of whom: ranks that lost the same are one line. */
#ifndef WORDS_LOSSES_H
#define WORDS_LOSSES_H

#include "base/array.h"
#include "base/str.h"
#include "job/job.h"

struct losses_alike {
	const char *what;
	const char *cite; /* of the first */
	int64_t count;	  /* JOB_UNKNOWN */
	bool of_ops;
	ARRAY(int) ranks; /* indexes, ascending; empty: it is not of a rank */
};

struct losses {
	ARRAY(struct losses_alike) all; /* by what is lost */
};

/* All losses of a job. Texts are the job's; the caller releases. */
struct losses losses_of(const struct job *job);
void losses_release(struct losses *losses);

/* Appends what, and how many: "records (2)"; of whom is shown beside it. */
void losses_add(struct str *into, const struct losses_alike *alike);

#endif
