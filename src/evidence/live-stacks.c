/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/live-stacks.h"

#include <unistd.h>

#include "base/clock.h"

void live_take_stacks(const struct live_proc_target *target, const struct live_options *options,
	int64_t sampled)
{
	int64_t until = sampled + options->sample_pause_ms * CLOCK_NS_PER_MS;
	int64_t now = clock_monotonic_ns();

	(void)target;
	if (now < until)
		usleep((useconds_t)((until - now) / 1000));
}
