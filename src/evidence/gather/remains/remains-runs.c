/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/remains/remains-runs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "evidence/format/worker-folder.h"
#include "evidence/gather/log-marks.h"
#include "evidence/gather/remains/remains-jobs.h"

#define PATH_MOST 4096
/* ns: things that are copied or begun together are so within this time. */
#define AT_ONCE   (600 * CLOCK_NS_PER_S)
#define MARKS     64 /* bytes of a line that are searched for its marks */

/* -- paths ------------------------------------------------------------------------------------- */

/*
 * Returns the name of the run's folder, the first `run` bytes of the path, as a hash that is never
 * 0.
 */
static uint64_t name_of(const char *path, size_t run)
{
	const char *begin = worker_folder_name(path, run);

	return hash_bytes(HASH_START, begin, run ? (size_t)(path + run - 1 - begin) : 0) | 1;
}

/* -- what files say ---------------------------------------------------------------------------- */

/* Returns the number behind the words in that line; -1 none. */
static int64_t number_behind(const char *line, size_t len, const char *words)
{
	const char *at = memmem(line, len, words, strlen(words));

	return at && isdigit((unsigned char)at[strlen(words)])
		       ? strtoll(at + strlen(words), NULL, 10)
		       : -1;
}

/*
 * Reads a line of torchrun's report: "  rank      : 5 (local_rank: 5)", "  exitcode  : 1 (pid:
 * 4715)", "  error_file: /...". *rank is that of the lines before.
 */
static void read_report_line(
	const char *line, size_t len, int64_t *rank, struct remains_report *report)
{
	static const char error_file[] = "  error_file: /";
	const char *file = memmem(line, len, error_file, strlen(error_file));
	int64_t pid = memmem(line, len, "  exitcode  : ", 14) ? number_behind(line, len, "(pid: ")
							    : -1;

	if (memmem(line, len, " (local_rank: ", 14))
		*rank = number_behind(line, len, "  rank      : ");
	if (*rank < 0)
		return;
	if (pid > 0) {
		struct remains_end *end = &report->at[*rank % REMAINS_REPORTED];

		/* Another process of that rank is of another run, which names its own folder. */
		if (end->pid && end->rank == *rank && end->pid != pid)
			*report = (struct remains_report){.any = true};
		*end = (struct remains_end){*rank, pid};
		report->any = true;
	} else if (file && (size_t)(line + len - file) < PATH_MOST) {
		char path[PATH_MOST] = "";
		struct worker_folder folder;

		memcpy(path, file + 14, (size_t)(line + len - file) - 14);
		if (worker_folder_find(path, &folder))
			report->run = name_of(path, folder.run);
	}
}

/*
 * Reads a launcher's line that tells of an end: "srun: error: m3: tasks 0,4-6: Killed", "mpirun
 * noticed that process rank 5 with PID ...".
 */
static void read_end_line(const char *line, size_t len, struct remains_report *report)
{
	static const char noticed[] = " noticed that process rank "; /* mpirun or mpiexec */
	const char *at = memmem(line, len, "srun: error: ", 13);

	if (at && !memmem(at, (size_t)(line + len - at), ": task", 6))
		at = NULL;
	if (!at)
		at = memmem(line, len, noticed, strlen(noticed));
	if (at)
		report->ends[report->nends++ % REMAINS_ENDS] =
			hash_bytes(HASH_START, at, (size_t)(line + len - at));
}

/* Reads all reports in a text. Of several the last one of each rank counts. */
static void read_report(const char *text, struct remains_report *report)
{
	int64_t rank = -1;

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		read_report_line(line, len, &rank, report);
		read_end_line(line, len, report);
		line += len + (line[len] == '\n');
	}
}

/*
 * Reads the reports at both ends of a log, which may be the same bytes. NULL: there is none. The
 * caller frees it.
 */
static struct remains_report *read_reports(const char *head, const char *tail)
{
	struct remains_report *report = alloc_zeroed(1, sizeof(*report));

	if (strcmp(head, tail) != 0)
		read_report(head, report);
	read_report(tail, report);
	if (report->any || report->run || report->nends)
		return report;
	free(report);
	return NULL;
}

/*
 * Returns the rank that PyTorch's hook and its libraries mark a line with, "[rank5]: ..."; -1 none.
 */
static int hook_rank(const char *line, size_t len)
{
	char begin[MARKS];
	struct log_marks marks;

	len = len < MARKS ? len : MARKS - 1;
	memcpy(begin, line, len);
	begin[len] = '\0';
	return log_marks_hook(begin, log_marks_read(begin, false, &marks));
}

/* Returns the one rank that the hook names in a worker's file; -1 none, or several. */
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
		file->report = read_reports(head, tail);
		return;
	}
	file->owner = owner_in(head);
	if (file->owner < 0)
		file->owner = owner_in(tail);
}

uint64_t remains_runs_name(const struct remains_file *file)
{
	struct worker_folder folder;

	return worker_folder_find(file->path, &folder) ? name_of(file->path, folder.run) : 0;
}

bool remains_runs_end_otherwise(const struct remains_report *a, const struct remains_report *b)
{
	if (a->nends > REMAINS_ENDS || b->nends > REMAINS_ENDS)
		return false;
	for (size_t i = 0; i < a->nends; i++)
		for (size_t k = 0; k < b->nends; k++)
			if (a->ends[i] == b->ends[k])
				return false;
	return a->nends && b->nends;
}

bool remains_runs_contradict(const struct remains_report *a, const struct remains_report *b)
{
	for (int i = 0; i < REMAINS_REPORTED; i++)
		if (a->at[i].pid && b->at[i].pid && a->at[i].rank == b->at[i].rank &&
			a->at[i].pid != b->at[i].pid)
			return true;
	return false;
}

void remains_runs_merge(struct remains_report *into, const struct remains_report *from)
{
	for (int i = 0; i < REMAINS_REPORTED; i++)
		if (!into->at[i].pid)
			into->at[i] = from->at[i];
	into->any |= from->any;
	into->run = into->run ? into->run : from->run;
	for (size_t i = 0; i < from->nends && i < REMAINS_ENDS; i++)
		into->ends[into->nends++ % REMAINS_ENDS] = from->ends[i];
	if (from->nends > REMAINS_ENDS)
		into->nends = REMAINS_ENDS + 1;
}

bool remains_runs_is_log(const struct remains_file *file)
{
	struct worker_folder folder;

	return file->kind && file->kind->exhibit == EXHIBIT_JOB_LOG &&
	       !worker_folder_find(file->path, &folder);
}

/* -- runs -------------------------------------------------------------------------------------- */

enum { BASE_UNKNOWN = -1, BASE_SEVERAL = -2 };

/* One of torchrun's folders. */
struct run {
	const char *path;
	size_t len;        /* how many bytes of it are the run's folder, with its slash */
	const char *label; /* of one of its files: the path below what was looked at */
	size_t label_len;  /* how many bytes of that are the run's folder */
	size_t scope;      /* how many are the deepest folder beside or above it that has a job's
			    * log */
	bool beside;       /* true if there is such a log */
	bool named;        /* true if a report names it */
	bool foreign;      /* true if a log beside it names another one, or was made long after
			    * it fell silent */
	int base;          /* rank less local rank of its workers, which is another number on
			    * each node; or BASE_* */
	long attempt;      /* the last one */
	int64_t start;     /* when its last attempt began, realtime ns; 0 not known */
	int64_t newest;    /* when a file of it was last written, realtime ns */
	const char *why;   /* why it is passed over; NULL it is not */
};

struct runs {
	ARRAY(struct run) all;
	bool logs; /* true if a job's log is taken, wherever it lies */
};

/* Returns the entry of that folder, made if it is new. */
static struct run *run_of(struct runs *runs, const char *path, size_t len)
{
	struct run *run;

	array_for_each(&runs->all, run)
		if (run->len == len && !strncmp(run->path, path, len))
			return run;
	run = array_add(&runs->all);
	*run = (struct run){
		.path = path, .len = len, .base = BASE_UNKNOWN};
	return run;
}

/*
 * Returns when the last folder of a worker was made in that of the attempt, which is when it began;
 * realtime ns, 0 not known.
 */
static int64_t started_at(const char *path, const struct worker_folder *folder)
{
	char attempt[PATH_MOST];
	size_t len = folder->len;
	struct stat st;

	while (len && path[len - 1] != '/')
		len--;
	if (len >= sizeof(attempt))
		return 0;
	memcpy(attempt, path, len);
	attempt[len] = '\0';
	return stat(attempt, &st) < 0 ? 0
				      : remains_time(st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/*
 * Finds all runs, also those whose workers left nothing but empty files: a log may be of one that
 * was silent.
 */
static void find_runs(const struct remains *remains, struct runs *into)
{
	const struct remains_file *file;

	array_for_each(&remains->files, file) {
		struct worker_folder folder;
		struct run *run;

		if (file->again || remains_jobs_has_passed_over(file) ||
			!worker_folder_find(file->path, &folder))
			continue;
		run = run_of(into, file->path, folder.run);
		run->label = file->label;
		run->label_len = file->label < file->path + folder.run
					 ? (size_t)(file->path + folder.run - file->label)
					 : 0;
		if (folder.attempt >= run->attempt) {
			run->attempt = folder.attempt;
			run->start = started_at(file->path, &folder);
		}
		if (file->when > run->newest)
			run->newest = file->when;
		if (!file->kind || file->owner < 0)
			continue;
		if (run->base == BASE_UNKNOWN)
			run->base = file->owner - folder.local;
		else if (run->base != file->owner - folder.local)
			run->base = BASE_SEVERAL;
	}
}

/*
 * True if the log was made when the run had long been silent. The time of a log that was copied
 * does not count: it tells nothing of when the log was made.
 */
static bool is_younger(const struct remains_file *log, const struct run *run)
{
	return log->born && log->born <= log->when && log->born - run->newest > AT_ONCE;
}

/*
 * Notes what a job's log tells of a run's folder: that it is the log's own, or might be, or is not.
 */
static void take_log(const struct remains_file *log, struct run *run)
{
	const char *slash = strrchr(log->label, '/');
	size_t len = slash ? (size_t)(slash + 1 - log->label) : 0;
	uint64_t named = log->report ? log->report->run : 0;

	run->named |= named && named == name_of(run->path, run->len);
	if (*log->label == '/' && *run->label != '/')
		return;
	if (len > run->label_len || strncmp(log->label, run->label, len) != 0)
		return;
	run->foreign |= named && named != name_of(run->path, run->len);
	run->foreign |= is_younger(log, run);
	run->beside = true;
	run->scope = len > run->scope ? len : run->scope;
}

static void take_logs(const struct remains *remains, struct runs *runs)
{
	const struct remains_file *file;
	struct run *run;

	array_for_each(&remains->files, file) {
		if (!remains_runs_is_log(file))
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
	       !strncmp(run->label, other->label, run->scope);
}

/* True if the two began at different times. The nodes of one job begin nearly together. */
static bool began_apart(const struct run *a, const struct run *b)
{
	int64_t apart = a->start > b->start ? a->start - b->start : b->start - a->start;

	return a->start && b->start && apart > AT_ONCE;
}

/* Says why a run is passed over where there are logs; NULL if it is not. */
static const char *why_logged(const struct runs *runs, const struct run *run)
{
	const struct run *mate;
	bool alone = run->beside && !run->foreign, named = false, apart = run->base >= 0;

	array_for_each(&runs->all, mate) {
		if (!is_mate(run, mate))
			continue;
		alone = false;
		named |= mate->named;
		apart &= mate->base >= 0 && mate->base != run->base && !began_apart(run, mate);
	}
	return alone || run->named || (!named && !run->foreign && apart) ? NULL
									 : REMAINS_OF_UNKNOWN;
}

/*
 * Returns the run that is taken where there is no log and some run was made on the same node as
 * another: the newest of these; NULL if there are none.
 */
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

/* True if some began at other times than others, so that nobody knows of how many runs they are. */
static bool are_parted(const struct runs *runs)
{
	const struct run *a, *b;

	array_for_each(&runs->all, a)
		array_for_each(&runs->all, b)
			if (a->base >= 0 && b->base >= 0 && began_apart(a, b))
				return true;
	return false;
}

/* Says why a run is passed over where there is no log; NULL if it is not. */
static const char *why_bare(const struct run *run, const struct run *chosen, bool parted)
{
	if (!chosen && parted)
		return REMAINS_OF_UNKNOWN;
	if (!chosen || chosen == run)
		return NULL;
	return chosen->base == run->base ? REMAINS_OF_ANOTHER : REMAINS_OF_UNKNOWN;
}

/* Returns a file's label. It has the name of the run's folder, unless that is the only one. */
static const char *label_of(const struct remains_file *file, size_t run, bool alone)
{
	const char *begin = worker_folder_name(file->path, run);

	if (alone)
		return file->path + run;
	return file->label < begin ? file->label : begin;
}

/* Passes over the files of the runs that are not looked at. */
static void pass_over(struct remains *remains, struct runs *runs)
{
	struct remains_file *file;

	array_for_each(&remains->files, file) {
		struct worker_folder folder;
		const char *why = file->kind && worker_folder_find(file->path, &folder)
					  ? run_of(runs, file->path, folder.run)->why
					  : NULL;

		if (why) {
			file->kind = NULL;
			file->why = why;
		}
		/* Whoever is to name it must find it, so its label has the run's name. */
		if (remains_jobs_has_passed_over(file) && worker_folder_find(file->path, &folder))
			file->label = label_of(file, folder.run, false);
	}
}

void remains_runs_tell_apart(struct remains *remains)
{
	struct runs runs = {0};
	const struct run *chosen;
	struct run *run;
	bool parted;

	find_runs(remains, &runs);
	take_logs(remains, &runs);
	chosen = runs.logs ? NULL : choose(&runs);
	parted = !runs.logs && are_parted(&runs);
	array_for_each(&runs.all, run)
		run->why = runs.logs ? why_logged(&runs, run) : why_bare(run, chosen, parted);
	pass_over(remains, &runs);
	array_release(&runs.all);
}

/* -- attempts ---------------------------------------------------------------------------------- */

/* True if all logs of jobs lie at the root of what was looked at. */
static bool are_logs_on_top(const struct remains *remains)
{
	const struct remains_file *file;

	array_for_each(&remains->files, file)
		if (remains_runs_is_log(file) && strchr(file->label, '/'))
			return false;
	return true;
}

void remains_runs_keep_last(struct remains *remains)
{
	struct runs runs = {0};
	struct remains_file *file;
	bool alone;

	find_runs(remains, &runs);
	alone = runs.all.nr == 1 && are_logs_on_top(remains);
	array_for_each(&remains->files, file) {
		struct worker_folder folder;

		if (!worker_folder_find(file->path, &folder))
			continue;
		file->label = label_of(file, folder.run, alone);
		if (file->kind && folder.attempt < run_of(&runs, file->path, folder.run)->attempt) {
			file->kind = NULL;
			file->why = "of an earlier attempt";
		}
	}
	array_release(&runs.all);
}
