/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/bundle-files.h"

#include "evidence/format/bundle.h"

struct reading {
	struct bundle_file *files;
	struct budget *budget;
	struct meter *meter;
	struct meter meters[CREW_MOST]; /* each worker's */
};

static void read_file(void *context, size_t worker, size_t i)
{
	struct reading *reading = context;
	struct bundle_file *file = &reading->files[i];
	struct evidence evidence = {.meter = &reading->meters[worker]};

	budget_reads(reading->budget, file->path);
	file->readable = bundle_read(file->path, &evidence, &file->why) == 0;
	evidence.meter = reading->meter;
	if (file->readable)
		file->part = bundle_part_of(file->path, &evidence);
	evidence_release(&evidence);
	budget_reads(reading->budget, NULL);
}

void bundle_files_read(struct bundle_file *files, size_t n, struct meter *meter,
	struct budget *budget)
{
	struct reading reading = {.files = files, .budget = budget, .meter = meter};
	size_t workers = crew_size(n);

	for (size_t i = 0; i < workers; i++)
		reading.meters[i] = meter_of_worker(meter);
	crew_each(workers, n, read_file, &reading);
	for (size_t i = 0; i < workers; i++)
		meter_join(&reading.meters[i]);
}
