/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int64_t clock_read(clockid_t which)
{
	struct timespec now = {0};

	clock_gettime(which, &now);
	return now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

int64_t clock_realtime_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

int64_t clock_monotonic_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

int64_t clock_boottime_ns(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

int64_t clock_cpu_ns(void)
{
	struct rusage children = {0};

	getrusage(RUSAGE_CHILDREN, &children);
	return clock_read(CLOCK_PROCESS_CPUTIME_ID) +
	       (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * CLOCK_NS_PER_S +
	       (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * CLOCK_NS_PER_US;
}

int clock_ms_until(int64_t then)
{
	int64_t left = then - clock_monotonic_ns();

	return left <= 0 ? 0 : (int)(left / CLOCK_NS_PER_MS) + 1;
}

const char *clock_format(int64_t ns, char text[static CLOCK_TEXT_SIZE])
{
	const char *sign = ns < 0 ? "-" : "";
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t tenths_ms = size / (CLOCK_NS_PER_MS / 10);
	uint64_t tenths_s = size / (CLOCK_NS_PER_S / 10);
	uint64_t s = size / CLOCK_NS_PER_S;

	if (tenths_ms < 100)
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 ".%" PRIu64 " ms", sign,
			tenths_ms / 10, tenths_ms % 10);
	else if (s < 1)
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 " ms", sign, tenths_ms / 10);
	else if (s < 60 && tenths_s % 10)
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 ".%" PRIu64 " s", sign, s,
			tenths_s % 10);
	else if (s < 60)
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 " s", sign, s);
	else if (s < 3600)
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 ":%02" PRIu64, sign, s / 60, s % 60);
	else
		snprintf(text, CLOCK_TEXT_SIZE, "%s%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, sign,
			s / 3600, s / 60 % 60, s % 60);
	return text;
}

bool clock_read_seconds(const char *text, double least, double most, double *ret)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	size_t len = strspn(text, "0123456789.");
	char *end;
	double value = strtod(text, &end);

	if (!len || end != text + len)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		*ret = value * units[i].seconds;
		return *ret >= least && *ret <= most;
	}
	return false;
}
