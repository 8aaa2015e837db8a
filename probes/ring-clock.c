/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/ring-clock.h"

#include <string.h>
#include <sys/timex.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "probes/sys.h"

#define CLOCK_TRIES 4

static uint64_t clock_ns(clockid_t which)
{
	struct timespec now;

	if (clock_gettime(which, &now))
		return UINT64_MAX;
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static uint64_t clock_monotonic(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Returns 1 if the kernel trusts the TSC, 0 if not, -1 if it does not say. */
static int clock_kernel_trusts(void)
{
#if defined(__x86_64__)
	static const char source[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char name[16] = "";
	int fd = sys_openat(AT_FDCWD, source, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	sys_read(fd, name, sizeof(name) - 1);
	sys_close(fd);
	return !strncmp(name, "tsc", 3);
#else
	return 1; /* the architecture's counter is one for all cores */
#endif
}

static int clock_processor_promises(void)
{
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
#else
	return 1;
#endif
}

void clock_choose(struct ring_writer *w)
{
	int trusted = clock_kernel_trusts();

	if (trusted < 0)
		trusted = clock_processor_promises();
	if (trusted)
		return;
	w->clock = clock_monotonic;
	w->header->clock = RING_CLOCK_MONOTONIC_NS;
}

void clock_anchor(struct ring_writer *w)
{
	struct ring_anchor best = {.bracket = UINT64_MAX};
	struct timex sync;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = ring_writer_now(w);
		uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
		uint64_t realtime = clock_ns(CLOCK_REALTIME);
		uint64_t bracket = ring_writer_now(w) - before;

		if (bracket >= best.bracket)
			continue;
		best = (struct ring_anchor){
			.tsc = before + bracket / 2,
			.monotonic = monotonic,
			.realtime = realtime,
			.bracket = bracket,
		};
	}
	memset(&sync, 0, sizeof(sync));
	best.maxerror = best.esterror = UINT64_MAX;
	if (!w->anchor_tsc && sys_call(SYS_adjtimex, &sync) >= 0) {
		best.maxerror = (uint64_t)sync.maxerror * 1000;
		best.esterror = (uint64_t)sync.esterror * 1000;
	}
	ring_anchor_put(w, &best);
}
