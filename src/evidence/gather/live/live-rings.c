/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/live/live-rings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "evidence/gather/ring-redact.h"
#include "ring/census.h"
#include "ring/ring-read.h"
#include "ring/ring-snapshot.h"

#define LIVE_RINGS_CAP 4096

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The ring of this process was found; of generation 0 it is only the candidate's. */
static void live_ring_found(struct live_processes *processes, uint32_t pid, uint64_t start_time,
	unsigned int generation)
{
	struct live_process *process;

	array_for_each(&processes->all, process)
		if (generation >= 1 && process->pid == pid && process->start_time == start_time)
			process->ring_due = false;
}

void live_rings_miss(
	const struct live_processes *processes, struct evidence *into, const char *host)
{
	const struct live_process *process;

	array_for_each(&processes->all, process)
		if (process->ring_due)
			evidence_add_gap(
				into, host, process->pid, "its ring: the file is not there");
}

/*
 * True if somebody has cut the ring's file: its process then writes into memory of its own, and
 * what is left tells of a moment that nobody knows, as if it were now.
 */
static bool live_ring_is_cut(const void *bytes, size_t size)
{
	struct ring_view view;

	return ring_view_open(&view, bytes, size) == 0 && view.cut_bytes;
}

/* 0; or -ENOMEM where so large a file has no room left, or another -errno. */
static int live_read_ring(
	const struct live_rings *rings, int fd, void **ret_bytes, size_t *ret_size)
{
	struct stat about;

	if (fstat(fd, &about) == 0 &&
		!meter_admits(rings->meter,
			(uint64_t)about.st_size < RING_FILE_MAX ? (uint64_t)about.st_size
								: RING_FILE_MAX,
			METER_READING))
		return -ENOMEM;
	return ring_snapshot(fd, ret_bytes, ret_size);
}

/* Its bytes as an exhibit, which takes them over, without what is not to leave. */
static void live_add_ring(const struct live_rings *rings, const struct exhibit *about,
	uint8_t *bytes, size_t size)
{
	struct exhibit full = *about;

	ring_redact(bytes, size,
		&(struct ring_redact_options){.raw_stacks = rings->options->stacks.raw_stacks,
			.no_logs = rings->options->no_logs});
	full.kind = EXHIBIT_RING;
	full.rank = -1;
	full.host = (char *)rings->host;
	full.when = clock_realtime_ns();
	evidence_add(rings->into, &full, bytes, size);
}

static const char *words_of(int error, const struct complaint *why)
{
	if (why->words)
		return why->words;
	return error == -ENOMEM ? METER_REFUSED : strerror(-error);
}

static void live_take_ring(
	const struct live_rings *rings, const struct folder *folder, const char *name)
{
	unsigned long long start_time;
	unsigned int pid, generation;
	struct complaint why = {0};
	struct str gap = {0};
	void *bytes = NULL;
	size_t size = 0;
	int error, fd;

	if (sscanf(name, CENSUS_RING_FORMAT, &pid, &start_time, &generation) != 3)
		return;
	fd = folder_open_file(folder, name, &why);
	error = fd < 0 ? fd : live_read_ring(rings, fd, &bytes, &size);
	if (fd >= 0)
		close(fd);
	pid = twins_pid(rings->twins, bytes, size, pid, start_time);
	if (error != -ENOENT)
		live_ring_found(rings->processes, pid, start_time, generation);
	if (!error && live_ring_is_cut(bytes, size)) {
		str_printf(&gap, "its ring %s: its file was cut", name);
		free(bytes);
	} else if (!error) {
		live_add_ring(rings,
			&(struct exhibit){
				.pid = pid, .start_time = start_time, .label = (char *)name},
			bytes, size);
	} else if (error != -ENOENT) { /* a clean exit unlinks its ring: no loss */
		str_printf(&gap, "its ring %s (%s)", name, words_of(error, &why));
	}
	if (gap.len)
		evidence_add_gap(rings->into, rings->host, pid, gap.text);
	str_release(&gap);
	complaint_release(&why);
}

/* All rings of one folder, in the order of their names. */
static void live_take_rings(const struct live_rings *rings, const struct folder *folder)
{
	ARRAY(char *) names = {0};
	const struct dirent *entry;
	char **name;
	int fd = dup(folder->fd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	while (dir && names.nr < LIVE_RINGS_CAP && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len > 5 && !strcmp(entry->d_name + len - 5, ".ring"))
			*array_add(&names) = alloc_text(entry->d_name);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	array_sort(&names, name_compare);
	array_for_each(&names, name) {
		live_take_ring(rings, folder, *name);
		free(*name);
	}
	array_release(&names);
}

/* Rings that found no room in shared memory lie in the same job's folder elsewhere. */
static void live_take_spilled(
	const struct live_rings *rings, const struct folder *beside, const char *id)
{
	const char *dir = getenv("INQUEST_DIR");
	struct str places[2] = {{0}, {0}};

	if (dir && dir[0] == '/')
		str_printf(&places[0], "%s/%s", dir, id);
	str_printf(&places[1], "/tmp/inquest-%u/%s", (unsigned int)beside->uid, id);
	for (int i = 0; i < 2; i++) {
		struct folder folder = {.fd = -1};

		if (places[i].len && strcmp(places[i].text, beside->path) &&
			folder_open(&folder, places[i].text, beside->uid, NULL) == 0)
			live_take_rings(rings, &folder);
		folder_close(&folder);
		str_release(&places[i]);
	}
}

void live_rings_take(const struct live_rings *rings, const struct folder *folder, const char *id)
{
	live_take_rings(rings, folder);
	live_take_spilled(rings, folder, id);
}
