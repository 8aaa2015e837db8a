/* SPDX-License-Identifier: Apache-2.0 */
#include "words/disturbed.h"

#include "base/clock.h"

struct disturbed disturbed_by(const struct job *job)
{
	struct disturbed all = {0};

	for (size_t i = 0; i < job->nsnapshots; i++) {
		const struct job_snapshot *one = &job->snapshots[i];

		if (one->mode == JOB_SNAPSHOT_CORE)
			continue;
		all.live = true;
		all.threads += one->threads;
		all.stopped += one->stopped;
		all.cut += one->cut;
		if (one->mode > all.mode)
			all.mode = one->mode;
		if (one->samples > all.samples)
			all.samples = one->samples;
		if (one->longest_stop > all.longest_stop)
			all.longest_stop = one->longest_stop;
		if (one->span > all.span)
			all.span = one->span;
	}
	return all;
}

const char *disturbed_mode(enum job_snapshot_mode mode)
{
	static const char *const names[] = {
		[JOB_SNAPSHOT_NEVER] = "never",
		[JOB_SNAPSHOT_FALLBACK] = "blocked-fallback",
		[JOB_SNAPSHOT_CONSISTENT] = "consistent",
		[JOB_SNAPSHOT_CORE] = "core",
	};

	return names[mode];
}

void disturbed_add_stops(struct str *into, const struct disturbed *disturbed)
{
	char text[CLOCK_TEXT_SIZE];

	str_printf(into, "%u thread%s stopped", disturbed->stopped,
		disturbed->stopped == 1 ? "" : "s");
	if (disturbed->stopped)
		str_printf(into, ", for %s at most", clock_format(disturbed->longest_stop, text));
}

void disturbed_add_cut(struct str *into, const struct disturbed *disturbed)
{
	if (disturbed->cut && disturbed->mode == JOB_SNAPSHOT_NEVER)
		str_printf(into, "%u thread%s cut; --stop=blocked-fallback would read %s",
			disturbed->cut, disturbed->cut == 1 ? "" : "s",
			disturbed->cut == 1 ? "it" : "them");
}
