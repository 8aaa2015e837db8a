/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/bundle-files.h"

#include <sys/stat.h>

#include "evidence/format/bundle.h"

#define LARGE (16ull << 20) /* bytes; a node's bundle is mostly a thousandth of this */

/* The work of all workers. */
struct reading {
	struct bundle_file *files;
	struct budget *budget;
	struct meter *meter;
	struct meter meters[CREW_MOST]; /* one for each worker */
};

/*
 * True for a file that is read alone: the meter does not count the memory that a whole file takes
 * while it is unpacked, which would matter for many at once.
 */
static bool is_large(const struct bundle_file *file, const struct meter *meter)
{
	uint64_t most = meter && meter->most ? meter->most / 2 / CREW_MOST : LARGE;
	struct stat st;

	return stat(file->path, &st) == 0 && (uint64_t)st.st_size > (most < LARGE ? most : LARGE);
}

/* Reads one file, in that worker. */
static void read_file(struct reading *reading, size_t worker, struct bundle_file *file)
{
	struct evidence evidence = {.meter = &reading->meters[worker]};

	budget_reads(reading->budget, file->path);
	file->readable = bundle_read(file->path, &evidence, &file->why) == 0;
	evidence.meter = reading->meter;
	if (file->readable)
		file->part = bundle_part_of(file->path, &evidence);
	evidence_release(&evidence);
	budget_reads(reading->budget, NULL);
}

/* Reads the i-th file, unless it is large. */
static void read_small(void *context, size_t worker, size_t i)
{
	struct reading *reading = context;
	struct bundle_file *file = &reading->files[i];

	budget_reads(reading->budget, file->path);
	file->large = is_large(file, reading->meter);
	if (!file->large)
		read_file(reading, worker, file);
	budget_reads(reading->budget, NULL);
}

void bundle_files_read(struct bundle_file *files, size_t n, struct meter *meter,
	struct budget *budget)
{
	struct reading reading = {.files = files, .budget = budget, .meter = meter};
	size_t workers = crew_size(n);

	for (size_t i = 0; i < workers; i++)
		reading.meters[i] = meter_of_worker(meter);
	crew_each(workers, n, read_small, &reading);
	for (size_t i = 0; i < workers; i++)
		meter_join(&reading.meters[i]);
	for (size_t i = 0; i < n; i++)
		if (files[i].large)
			read_file(&reading, 0, &files[i]);
	if (n)
		meter_join(&reading.meters[0]);
}
