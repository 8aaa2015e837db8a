/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/remains-runs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "evidence/gather/log-marks.h"
#include "evidence/gather/remains-jobs.h"

#define DIGITS "0123456789"
#define MARKS  64 /* bytes of a line in which its marks are looked for */

/* -- paths ------------------------------------------------------------------------------------- */

/* Where in a path torchrun's folder of an attempt stands: ".../none_x1/attempt_N/LOCAL/...". */
struct place {
	size_t run;   /* bytes in front of it, the run's folder with its slash */
	long attempt; /* -1 it stands nowhere */
	int local;    /* the worker's rank on its node; -1 not told */
};

static struct place place_of(const char *path)
{
	const char *at = strstr(path, "/attempt_"), *end;
	struct place place = {.attempt = -1, .local = -1};

	if (!at && !strncmp(path, "attempt_", 8))
		at = path - 1;
	if (!at || !isdigit((unsigned char)at[9]))
		return place;
	place.run = (size_t)(at + 1 - path);
	place.attempt = strtol(at + 9, NULL, 10);
	end = at + 9 + strspn(at + 9, DIGITS);
	if (*end == '/' && strspn(end + 1, DIGITS) && strspn(end + 1, DIGITS) < 6)
		place.local = atoi(end + 1);
	return place;
}

/* The name of the run's folder: a hash, never 0. */
static uint64_t name_of(const char *path, size_t run)
{
	size_t from = run ? run - 1 : 0;

	while (from && path[from - 1] != '/')
		from--;
	return hash_bytes(HASH_START, path + from, run ? run - 1 - from : 0) | 1;
}

/* -- what files say ---------------------------------------------------------------------------- */

/* The number behind the words in that line; -1 none. */
static int64_t number_behind(const char *line, size_t len, const char *words)
{
	const char *at = memmem(line, len, words, strlen(words));

	return at && isdigit((unsigned char)at[strlen(words)])
		       ? strtoll(at + strlen(words), NULL, 10)
		       : -1;
}

/* "  rank      : 5 (local_rank: 5)", "  exitcode  : 1 (pid: 4715)", "  error_file: /..." */
static void read_report_line(
	const char *line, size_t len, int64_t *rank, struct remains_report *report)
{
	static const char error_file[] = "  error_file: /";
	const char *file = memmem(line, len, error_file, strlen(error_file));
	int64_t pid = number_behind(line, len, "(pid: ");

	if (memmem(line, len, " (local_rank: ", 14))
		*rank = number_behind(line, len, "  rank      : ");
	if (*rank < 0)
		return;
	if (pid > 0 && *rank < REMAINS_REPORTED) {
		report->ranks |= 1ull << *rank;
		report->pids[*rank] = pid;
	} else if (file && (size_t)(line + len - file) < 4096) {
		char path[4096] = "";
		struct place place;

		memcpy(path, file + 14, (size_t)(line + len - file) - 14);
		place = place_of(path);
		if (place.attempt >= 0)
			report->run = name_of(path, place.run);
	}
}

/* "srun: error: m3: tasks 0,4-6: Killed", "mpirun noticed that process rank 5 with PID ..." */
static void read_end_line(const char *line, size_t len, struct remains_report *report)
{
	const char *at = memmem(line, len, "srun: error: ", 13);

	if (at && !memmem(at, (size_t)(line + len - at), ": task", 6))
		at = NULL;
	if (!at)
		at = memmem(line, len, "mpirun noticed that process rank ", 33);
	if (at)
		report->ends[report->nends++ % REMAINS_ENDS] =
			hash_bytes(HASH_START, at, (size_t)(line + len - at));
}

/* Of several reports the last one of each rank counts. */
static struct remains_report *read_report(const char *text)
{
	struct remains_report *report = alloc_zeroed(1, sizeof(*report));
	int64_t rank = -1;

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		read_report_line(line, len, &rank, report);
		read_end_line(line, len, report);
		line += len + (line[len] == '\n');
	}
	if (report->ranks || report->nends)
		return report;
	free(report);
	return NULL;
}

/* "[rank5]: ..." in front of a line: PyTorch's hook and its libraries mark their words so. */
static int hook_rank(const char *line, size_t len)
{
	char begin[MARKS];
	struct log_marks marks;
	const char *at;
	size_t before;

	len = len < MARKS ? len : MARKS - 1;
	memcpy(begin, line, len);
	begin[len] = '\0';
	before = log_marks_read(begin, false, &marks);
	at = strstr(begin, "[rank");
	return at && at < begin + before && isdigit((unsigned char)at[5]) ? atoi(at + 5) : -1;
}

/* The one rank that a worker's file is by its hook; -1 none, or several. */
static int owner_in(const char *text)
{
	int owner = -1;

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		int rank = hook_rank(line, len);

		if (rank >= 0 && owner >= 0 && rank != owner)
			return -1;
		owner = rank >= 0 ? rank : owner;
		line += len + (line[len] == '\n');
	}
	return owner;
}

void remains_runs_read(
	struct remains_file *file, const char *head, const char *tail, bool of_worker)
{
	file->owner = -1;
	if (!of_worker) {
		file->report = read_report(tail);
		return;
	}
	file->owner = owner_in(head);
	if (file->owner < 0)
		file->owner = owner_in(tail);
}

uint64_t remains_runs_name(const struct remains_file *file)
{
	struct place place = place_of(file->path);

	return place.attempt >= 0 ? name_of(file->path, place.run) : 0;
}

bool remains_runs_end_otherwise(const struct remains_report *a, const struct remains_report *b)
{
	for (size_t i = 0; i < a->nends && i < REMAINS_ENDS; i++)
		for (size_t k = 0; k < b->nends && k < REMAINS_ENDS; k++)
			if (a->ends[i] == b->ends[k])
				return false;
	return a->nends && b->nends;
}

bool remains_runs_contradict(const struct remains_report *a, const struct remains_report *b)
{
	for (int rank = 0; rank < REMAINS_REPORTED; rank++)
		if ((a->ranks & b->ranks) >> rank & 1 && a->pids[rank] != b->pids[rank])
			return true;
	return false;
}

/* -- attempts ---------------------------------------------------------------------------------- */

static bool is_earlier(const struct remains *remains, const struct place *places, size_t i)
{
	const char *path = remains->files.items[i].path;

	for (size_t k = 0; places[i].attempt >= 0 && k < remains->files.nr; k++)
		if (places[k].attempt > places[i].attempt && places[k].run == places[i].run &&
			!strncmp(remains->files.items[k].path, path, places[i].run))
			return true;
	return false;
}

/* True if all files of attempts are of one run. */
static bool are_of_one(const struct remains *remains, const struct place *places)
{
	size_t first = remains->files.nr;

	for (size_t i = 0; i < remains->files.nr; i++) {
		if (places[i].attempt < 0)
			continue;
		if (first == remains->files.nr)
			first = i;
		if (places[i].run != places[first].run ||
			strncmp(remains->files.items[i].path, remains->files.items[first].path,
				places[i].run) != 0)
			return false;
	}
	return true;
}

/* Of one run alone its name, which nobody chose, is left out; of several each file has it. */
static const char *label_of(const struct remains_file *file, size_t run, bool one)
{
	const char *label = file->path + run;

	if (one)
		return file->label < label ? label : file->label;
	if (file->label != label || label == file->path)
		return file->label;
	for (label--; label > file->path && label[-1] != '/'; label--)
		;
	return label;
}

void remains_runs_keep_last(struct remains *remains)
{
	struct place *places = alloc_zeroed(remains->files.nr + 1, sizeof(*places));
	bool one;

	for (size_t i = 0; i < remains->files.nr; i++)
		places[i] = place_of(remains->files.items[i].path);
	one = are_of_one(remains, places);
	for (size_t i = 0; i < remains->files.nr; i++) {
		struct remains_file *file = &remains->files.items[i];

		if (places[i].attempt < 0)
			continue;
		file->label = label_of(file, places[i].run, one);
		if (file->kind && is_earlier(remains, places, i)) {
			file->kind = NULL;
			file->why = "of an earlier attempt";
		}
	}
	free(places);
}

/* -- runs -------------------------------------------------------------------------------------- */

enum { BASE_UNKNOWN = -1, BASE_SEVERAL = -2 };

struct run {
	const char *path;
	size_t len;     /* so many bytes of it are the run's folder, with its slash */
	size_t scope;   /* so many the deepest folder that has a job's log beside it, or above */
	bool beside;    /* there is such a log */
	bool named;     /* by a report */
	int base;       /* rank less local rank of its workers: of each node another */
	int64_t newest; /* when a file of it was last written */
	const char *why; /* it is passed over; NULL it is not */
};

struct runs {
	ARRAY(struct run) all;
	bool logs; /* a job's log is taken, wherever it lies */
};

static struct run *run_of(struct runs *runs, const char *path, size_t len)
{
	struct run *run;

	array_for_each(&runs->all, run)
		if (run->len == len && !strncmp(run->path, path, len))
			return run;
	run = array_add(&runs->all);
	*run = (struct run){
		.path = path, .len = len, .base = BASE_UNKNOWN, .newest = INT64_MIN};
	return run;
}

/* Also those whose workers left nothing but empty files: a log may be of one that was silent. */
static void find_runs(const struct remains *remains, struct runs *into)
{
	const struct remains_file *file;

	array_for_each(&remains->files, file) {
		struct place place = place_of(file->path);
		struct run *run;

		if (place.attempt < 0 || remains_jobs_has_passed_over(file))
			continue;
		run = run_of(into, file->path, place.run);
		if (file->when > run->newest)
			run->newest = file->when;
		if (!file->kind || file->owner < 0 || place.local < 0)
			continue;
		if (run->base == BASE_UNKNOWN)
			run->base = file->owner - place.local;
		else if (run->base != file->owner - place.local)
			run->base = BASE_SEVERAL;
	}
}

/* What a job's log tells of a run's folder: that it is the log's own, or might be. */
static void take_log(const struct remains_file *log, struct run *run)
{
	const char *slash = strrchr(log->path, '/');
	size_t len = slash ? (size_t)(slash + 1 - log->path) : 0;

	if (log->report && log->report->run == name_of(run->path, run->len))
		run->named = true;
	if (len > run->len || strncmp(log->path, run->path, len) != 0)
		return;
	run->beside = true;
	run->scope = len > run->scope ? len : run->scope;
}

static void take_logs(const struct remains *remains, struct runs *runs)
{
	const struct remains_file *file;
	struct run *run;

	array_for_each(&remains->files, file) {
		if (!file->kind || file->kind->exhibit != EXHIBIT_JOB_LOG ||
			place_of(file->path).attempt >= 0)
			continue;
		runs->logs = true;
		array_for_each(&runs->all, run)
			take_log(file, run);
	}
}

/* True if a log that may be of the run may as well be of the other one. */
static bool is_mate(const struct run *run, const struct run *other)
{
	if (run == other || !run->beside)
		return run != other;
	return other->beside && run->scope == other->scope &&
	       !strncmp(run->path, other->path, run->scope);
}

/* Why a run is not looked at where there are logs; NULL it is. */
static const char *why_logged(const struct runs *runs, const struct run *run)
{
	const struct run *mate;
	bool alone = true, named = false, apart = run->base >= 0;

	array_for_each(&runs->all, mate) {
		if (!is_mate(run, mate))
			continue;
		alone = false;
		named |= mate->named;
		apart &= mate->base >= 0 && mate->base != run->base;
	}
	return alone || run->named || (!named && apart) ? NULL : REMAINS_OF_UNKNOWN;
}

/* Where there is no log: the newest of which it is known that it is not the only one; NULL none. */
static const struct run *choose(const struct runs *runs)
{
	const struct run *chosen = NULL, *a, *b;

	array_for_each(&runs->all, a)
		array_for_each(&runs->all, b)
			if (a != b && a->base >= 0 && a->base == b->base &&
				(!chosen || a->newest > chosen->newest))
				chosen = a;
	return chosen;
}

static const char *why_bare(const struct run *run, const struct run *chosen)
{
	if (!chosen || chosen == run)
		return NULL;
	return chosen->base == run->base ? REMAINS_OF_ANOTHER : REMAINS_OF_UNKNOWN;
}

static void pass_over(struct remains *remains, struct runs *runs)
{
	struct remains_file *file;

	array_for_each(&remains->files, file) {
		struct place place = place_of(file->path);
		const char *why = file->kind && place.attempt >= 0
					  ? run_of(runs, file->path, place.run)->why
					  : NULL;

		if (why) {
			file->kind = NULL;
			file->why = why;
		}
	}
}

void remains_runs_tell_apart(struct remains *remains)
{
	struct runs runs = {0};
	const struct run *chosen;
	struct run *run;

	find_runs(remains, &runs);
	take_logs(remains, &runs);
	chosen = runs.logs ? NULL : choose(&runs);
	array_for_each(&runs.all, run)
		run->why = runs.logs ? why_logged(&runs, run) : why_bare(run, chosen);
	pass_over(remains, &runs);
	array_release(&runs.all);
}
