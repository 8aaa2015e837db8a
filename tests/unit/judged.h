/* SPDX-License-Identifier: Apache-2.0 */
/* judged.h: a made job with what is judged of it. */
#ifndef TESTS_UNIT_JUDGED_H
#define TESTS_UNIT_JUDGED_H

#include "tests/unit/facts.h"

struct judged {
	struct job *job;
	struct verdicts *v;
	const struct verdict *first; /* of v */
};

static inline struct judged judge(const struct facts *f)
{
	struct judged j = {.job = facts_job(f)};

	j.v = verdicts_of(j.job);
	j.first = &j.v->at[0];
	return j;
}

/* Returns the first evidence of that kind in the first verdict; NULL if it has none. */
static inline const struct verdict_fact *told(struct judged j, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < j.first->nevidence; i++)
		if (j.first->evidence[i].kind == kind)
			return &j.first->evidence[i];
	return NULL;
}

/* Its facts stay. */
static inline void dismiss(struct judged j)
{
	verdicts_free(j.v);
	job_free(j.job);
}

static inline void done(struct judged *j, struct facts *f)
{
	dismiss(*j);
	facts_free(f);
}

#endif
