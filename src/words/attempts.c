/* SPDX-License-Identifier: Apache-2.0 */
#include "words/attempts.h"

#include <inttypes.h>

#include "base/clock.h"
#include "job/attempts.h"
#include "words/wording.h"

#define DAY_S 86400

void attempts_add(struct str *into, const struct job *job)
{
	struct attempt before = attempts_at(job, job->attempt - 1);
	int64_t s = before.ended / CLOCK_NS_PER_S % DAY_S;

	str_printf(into, "attempt %d", job->attempt);
	if (job->attempt < 2 || before.ended == JOB_UNKNOWN || before.ended < 0)
		return;
	str_printf(into, " (%d ended %02" PRId64 ":%02" PRId64 ":%02" PRId64 " UTC",
		job->attempt - 1, s / 3600, s / 60 % 60, s % 60);
	if (before.first && before.first->end == JOB_SIGNALED) {
		str_add(into, ", ");
		wording_signal(into, before.first->status);
	} else if (before.first) {
		str_printf(into, ", exit %d", before.first->status);
	}
	str_add_char(into, ')');
}
