/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/dump-files.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "evidence/format/flight-folder.h"
#include "evidence/format/flight-name.h"

/* One dump that is read. */
struct dump {
	struct evidence evidence;
	struct complaint why; /* no words if it could be read */
};

/* The work of all workers. */
struct reading {
	const struct flight_files *files;
	struct dump *dumps; /* in the order of the names */
	struct budget *budget;
	struct meter meters[CREW_MOST]; /* one for each worker */
};

/* Reads the i-th dump, in that worker. */
static void read_dump(void *context, size_t worker, size_t i)
{
	struct reading *reading = context;
	struct dump *dump = &reading->dumps[i];
	const char *path = reading->files->names.list.items[i];

	budget_reads(reading->budget, path);
	dump->evidence.meter = &reading->meters[worker];
	flight_read(path, flight_files_label(reading->files, i), &dump->evidence, &dump->why);
	budget_reads(reading->budget, NULL);
}

/*
 * Moves all dumps into the evidence; each that could not be read is a gap. Returns how many were
 * read.
 */
static size_t join(struct reading *reading, struct evidence *into)
{
	size_t read = 0;

	for (size_t i = 0; i < reading->files->names.list.nr; i++) {
		struct dump *dump = &reading->dumps[i];

		evidence_move(into, &dump->evidence);
		if (dump->why.words)
			evidence_add_gap(into, "", 0, complaint_text(&dump->why));
		else
			read++;
		complaint_release(&dump->why);
	}
	return read;
}

/* Reads all dumps by several workers. Returns how many were read. */
static size_t read_all(
	const struct flight_files *files, struct evidence *into, struct budget *budget)
{
	struct reading reading = {.files = files, .budget = budget};
	size_t n = files->names.list.nr, workers = crew_size(n), read;

	reading.dumps = alloc_zeroed(n, sizeof(*reading.dumps));
	for (size_t i = 0; i < workers; i++)
		reading.meters[i] = meter_of_worker(into->meter);
	crew_each(workers, n, read_dump, &reading);
	for (size_t i = 0; i < workers; i++)
		meter_join(&reading.meters[i]);
	read = join(&reading, into);
	free(reading.dumps);
	return read;
}

int dump_files_read(const char *path, struct evidence *into, struct budget *budget,
	struct complaint *why)
{
	struct flight_files files = {0};
	size_t read = 0;
	int status;

	if (!flight_is_folder(path))
		return flight_read(path, flight_label_of(path), into, why);
	status = flight_list(path, &files, why);
	if (!status)
		read = read_all(&files, into, budget);
	if (!status && !read)
		status = flight_files_complain(&files, path, why);
	else if (!status)
		flight_files_tell_passed(&files, path, into);
	flight_files_release(&files);
	return status;
}
