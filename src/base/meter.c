/* SPDX-License-Identifier: Apache-2.0 */
#include "base/meter.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_LIMIT "/sys/fs/cgroup/memory.max"

/* Reads a small file of the kernel's as a string, "" where it cannot be read. */
static void read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

uint64_t meter_held(void)
{
	unsigned long long size, resident;
	char text[128];

	read_line("/proc/self/statm", text, sizeof(text));
	if (sscanf(text, "%llu %llu", &size, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t meter_quarter(void)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char text[64], *end;
	uint64_t limit;

	read_line(CGROUP_LIMIT, text, sizeof(text));
	limit = strtoull(text, &end, 10);
	return (end != text && limit && limit < all ? limit : all) / 4;
}

/* Returns up to how many bytes this use may fill the budget. */
static uint64_t limit_of(const struct meter *meter, enum meter_for what)
{
	return what == METER_READING ? meter->most / 2 : meter->most / 4 * 3;
}

/*
 * True if the bytes fit. /proc is asked only where what was asked for since the last look does not
 * fit.
 */
static bool admits(struct meter *meter, uint64_t bytes, enum meter_for what)
{
	uint64_t limit = limit_of(meter, what);

	if (bytes > limit)
		return false;
	if (meter->held + meter->since > limit - bytes) {
		meter->held = meter_held();
		meter->since = meter->taken;
		if (meter->held + meter->since > limit - bytes)
			return false;
	}
	meter->since += bytes;
	return true;
}

/*
 * Notes that a worker has taken what it was admitted last: it is held by now, and is seen with the
 * rest at the next look.
 */
static void settle(struct meter *worker)
{
	worker->of->taken -= worker->since;
	worker->since = 0;
}

/* meter_admits() for one of several threads. */
static bool admits_worker(struct meter *worker, uint64_t bytes, enum meter_for what)
{
	struct meter *all = worker->of;
	bool admitted;

	pthread_mutex_lock(&all->lock);
	settle(worker);
	admitted = admits(all, bytes, what);
	if (admitted) {
		worker->since = bytes;
		all->taken += bytes;
	}
	pthread_mutex_unlock(&all->lock);
	return admitted;
}

bool meter_admits(struct meter *meter, uint64_t bytes, enum meter_for what)
{
	if (!meter || !meter->most)
		return true;
	return meter->of ? admits_worker(meter, bytes, what) : admits(meter, bytes, what);
}

struct meter meter_of_worker(struct meter *meter)
{
	return (struct meter){.most = meter ? meter->most : 0, .of = meter};
}

void meter_join(struct meter *worker)
{
	if (!worker->of)
		return;
	pthread_mutex_lock(&worker->of->lock);
	settle(worker);
	pthread_mutex_unlock(&worker->of->lock);
}

bool meter_parse(const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *unit;
	double number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	number = strtod(text, &end);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (*end && !unit)
		return false;
	if (unit) {
		number = ldexp(number, 10 * (int)(unit - units + 1));
		end++;
		if (*end == 'i')
			end++;
		if (*end == 'B')
			end++;
	}
	if (*end || !(number >= 1 && number < 0x1p60))
		return false;
	*ret = (uint64_t)number;
	return true;
}
