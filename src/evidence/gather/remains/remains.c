/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look is at both ends of a file: what a log is of shows at its begin, what it tells of errors
 * mostly at its end. Kinds are asked in the order of the table. The last is a log of any form,
 * which has a line by which a launcher or a library tells of an error.
 */
#include "evidence/gather/remains/remains.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/packed.h"
#include "evidence/format/bundle.h"
#include "evidence/format/flight-folder.h"
#include "evidence/format/worker-folder.h"
#include "evidence/gather/log-sieve.h"
#include "evidence/gather/remains/remains-dumps.h"
#include "evidence/gather/remains/remains-jobs.h"
#include "evidence/gather/remains/remains-runs.h"
#include "evidence/gather/source.h"

#define LOOK_SIZE    (64 << 10) /* bytes at each end */
#define DEPTH_MOST   6 /* folders below the one that was named */
#define FILES_MOST   4096
#define FOLDERS_TOLD 64 /* folders that are listed as not entered */
#define NOT_OPENED   "cannot be opened"
#define NOT_ENTERED  "a link, or too deep: name it"

/* Both ends of a file, as texts, while it is looked at. */
struct sight {
	const char *path, *name;
	char head[LOOK_SIZE + 1], tail[LOOK_SIZE + 1];
	size_t nhead;
};

/* -- kinds ------------------------------------------------------------------------------------- */

/* True if the words stand at either end. */
static bool has(const struct sight *sight, const char *words)
{
	return strstr(sight->head, words) || strstr(sight->tail, words);
}

/* True if the file begins with the words, blanks aside. */
static bool begins(const struct sight *sight, const char *words)
{
	const char *at = sight->head + strspn(sight->head, " \t\r\n");

	return !strncmp(at, words, strlen(words));
}

/*
 * True for torchrun's error file of a worker: {"message": {"message": ..., "extraInfo": ...}}, or a
 * text for the inner object.
 */
static bool is_error_file(const struct sight *sight)
{
	return begins(sight, "{") && has(sight, "\"message\"") &&
	       (has(sight, "\"extraInfo\"") || !strcmp(sight->name, "error.json"));
}

/* True for a report by NCCL RAS, JSON or text. */
static bool is_ras(const struct sight *sight)
{
	if (begins(sight, "{"))
		return has(sight, "\"communicators") && has(sight, "\"ranks");
	return has(sight, "Job summary\n===") && has(sight, "Communicators...");
}

/* True for what scontrol or sacct say. */
static bool is_slurm_record(const struct sight *sight)
{
	return (begins(sight, "JobId=") && has(sight, "JobState=")) ||
	       ((begins(sight, "JobID|") || has(sight, "|JobID|")) && has(sight, "|State"));
}

/* True for stacks that PyTorch's debug server has asked of all ranks. */
static bool is_served(const struct sight *sight)
{
	return (begins(sight, "=== Rank 0: http") || begins(sight, "PARTIAL DATA: ")) &&
	       (has(sight, "/handler/dump_traceback") || has(sight, "/handler/pyspy_dump"));
}

/*
 * True for a file of Ray Train's hang detector: one in its folder of stacks that has nothing by
 * py-spy says why not.
 */
static bool is_of_ray(const struct sight *sight)
{
	static const char folder[] = "stack_traces/";
	size_t before = (size_t)(sight->name - sight->path), len = strlen(folder);

	return begins(sight, "[py-spy unavailable: ") ||
	       (before >= len && !memcmp(sight->name - len, folder, len) &&
		       (begins(sight, "timed out after ") || begins(sight, "failed to launch: ") ||
			       begins(sight, "failed to collect: ")));
}

/* True for stacks by py-spy or faulthandler, whoever asked for them. */
static bool is_stack_text(const struct sight *sight)
{
	return is_served(sight) || is_of_ray(sight) ||
	       (begins(sight, "Process ") && has(sight, "\nPython v") && has(sight, "\nThread ")) ||
	       (begins(sight, "Timeout (") && has(sight, "most recent call first")) ||
	       begins(sight, "Thread 0x") || begins(sight, "Current thread 0x") ||
	       (begins(sight, "Fatal Python error: ") && has(sight, "most recent call first"));
}

/*
 * True for the debug server's tables of Flight Recorders, and for what ranks said of their health
 * where one is not well.
 */
static bool is_served_table(const struct sight *sight)
{
	return (has(sight, "=== FR Trace") && has(sight, "--- Collectives ---")) ||
	       ((has(sight, "/handler/c10d_health_check") ||
			has(sight, "/handler/torchcomms_health_check")) &&
		       has(sight, "\"healthy\":"));
}

/* True for what TORCH_TRACE writes. */
static bool is_compile_log(const struct sight *sight)
{
	return begins(sight, "V") && has(sight, "] {\"") && has(sight, "torch/_");
}

/*
 * True for a log of a job, into which lines of the kernel's were written: a syslog file or a
 * journal begins with a date or dashes.
 */
static bool is_of_job(const struct sight *sight)
{
	static const char months[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
	const char *at = sight->head;

	for (const char *month = months; *month; month += 4)
		if (!strncmp(at, month, 4))
			return false;
	return strncmp(at, "--", 2) != 0 && strspn(at, "0123456789") < 4 &&
	       log_sieve_knows(LOG_SIEVE_JOB, at, strlen(at));
}

/*
 * True for lines such as "[12345.678901] ...", "[Mon Nov 24 ...] ...", "Nov 24 03:11:52 m3 kernel:
 * ...".
 */
static bool is_of_kernel(const struct sight *sight)
{
	const char *at = sight->head;

	if (*at == '[')
		at += 1 + strspn(at + 1, " 0123456789.");
	return (has(sight, " kernel: ") && !is_of_job(sight)) ||
	       (at > sight->head + 2 && *at == ']') ||
	       !strncmp(sight->head, "[Mon ", 5) || !strncmp(sight->head, "[Tue ", 5) ||
	       !strncmp(sight->head, "[Wed ", 5) || !strncmp(sight->head, "[Thu ", 5) ||
	       !strncmp(sight->head, "[Fri ", 5) || !strncmp(sight->head, "[Sat ", 5) ||
	       !strncmp(sight->head, "[Sun ", 5);
}

/* True for a kernel's log that tells something. */
static bool is_kernel_log(const struct sight *sight)
{
	if (!is_of_kernel(sight))
		return false;
	return log_sieve_knows(LOG_SIEVE_KERNEL, sight->head, strlen(sight->head)) ||
	       log_sieve_knows(LOG_SIEVE_KERNEL, sight->tail, strlen(sight->tail));
}

/*
 * True for a log that torchrun keeps for one worker, of which there are two: whatever is in it was
 * said by that worker.
 */
static bool is_of_worker(const struct sight *sight)
{
	struct worker_folder folder;

	return worker_folder_find(sight->path, &folder) &&
	       (!strcmp(sight->name, "stderr.log") || !strcmp(sight->name, "stdout.log"));
}

/* True for the text of a program, which has all that it would print. */
static bool is_program(const struct sight *sight)
{
	static const char *const suffixes[] = {".py", ".sh", ".sbatch", ".c", ".cu", ".ipynb"};
	const char *dot = strrchr(sight->name, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

/* True for a log of any form; docker's own files have a line of JSON for each. */
static bool is_job_log(const struct sight *sight)
{
	if (is_of_worker(sight))
		return true;
	return !is_program(sight) && (!begins(sight, "{") || begins(sight, "{\"log\":\"")) &&
	       (log_sieve_knows(LOG_SIEVE_JOB, sight->head, strlen(sight->head)) ||
		       log_sieve_knows(LOG_SIEVE_JOB, sight->tail, strlen(sight->tail)));
}

/* The kinds, in the order in which they are asked. */
static const struct {
	struct remains_kind kind;
	bool (*is)(const struct sight *sight);
} kinds[] = {
	{{EXHIBIT_ERROR_FILE, "an error file of a worker", false}, is_error_file},
	{{EXHIBIT_RAS, "a RAS report", false}, is_ras},
	{{EXHIBIT_SLURM_RECORD, "a Slurm record", false}, is_slurm_record},
	{{EXHIBIT_STACK_TEXT, "printed stacks", false}, is_stack_text},
	{{EXHIBIT_SERVED, "a table of PyTorch's debug server", false}, is_served_table},
	{{EXHIBIT_COMPILE_LOG, "a compile log", true}, is_compile_log},
	{{EXHIBIT_KERNEL_LOG, "a kernel log", true}, is_kernel_log},
	{{EXHIBIT_JOB_LOG, "a job's log", true}, is_job_log},
};

/* -- a look ------------------------------------------------------------------------------------ */

/* Reads LOOK_SIZE bytes from there on, ended by NUL. Returns false where they cannot be read. */
static bool read_at(int fd, off_t at, char into[static LOOK_SIZE + 1], size_t *ret_n)
{
	ssize_t got = pread(fd, into, LOOK_SIZE, at);

	*ret_n = got > 0 ? (size_t)got : 0;
	into[*ret_n] = '\0';
	return got >= 0;
}

/* True if the bytes have what no text has; then the file is of none of the kinds. */
static bool is_binary(const char *bytes, size_t n)
{
	return n && (memchr(bytes, '\0', n) || *bytes == '\x80');
}

static const struct remains_kind *kind_of(const struct sight *sight)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].is(sight))
			return &kinds[i].kind;
	return NULL;
}

/* Takes a regular file for something by its two ends, or says why not. */
static void look_into(int fd, const struct stat *st, struct sight *sight, struct remains_file *file)
{
	size_t n;

	if (!st->st_size)
		file->why = "empty";
	else if (!read_at(fd, 0, sight->head, &sight->nhead))
		file->why = "cannot be read";
	else if (!(file->why = packed_how(sight->head, sight->nhead)) &&
		 is_binary(sight->head, sight->nhead))
		file->why = "no text";
	if (file->why)
		return;
	read_at(fd, st->st_size > LOOK_SIZE ? st->st_size - LOOK_SIZE : 0, sight->tail, &n);
	for (size_t i = 0; i < n; i++)
		if (!sight->tail[i])
			sight->tail[i] = ' ';
	file->kind = kind_of(sight);
	if (!file->kind) {
		file->why = "nothing known in it";
		return;
	}
	remains_jobs_read(file, sight->name, sight->head, sight->tail, is_of_worker(sight));
	if (file->kind->exhibit == EXHIBIT_STACK_TEXT || file->kind->exhibit == EXHIBIT_SERVED)
		remains_dumps_read(file, sight->head);
	if (file->kind->exhibit == EXHIBIT_RAS)
		remains_polls_read(file, sight->head);
	remains_runs_read(file, sight->head, sight->tail, is_of_worker(sight));
}

/* What a file is that another source takes. */
static const char OTHER_DUMP[] = "a dump of the Flight Recorder";

/* Says what the file is for another source that takes it; NULL if none does. */
static const char *other_of(const char *path)
{
	static const struct {
		const struct source *source;
		const char *is;
	} others[] = {{&source_core, "a core"}, {&source_flight, OTHER_DUMP}};
	size_t len = strlen(path), suffix = strlen(BUNDLE_SUFFIX);

	if (len > suffix && !strcmp(path + len - suffix, BUNDLE_SUFFIX))
		return "a bundle";
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].source->claims(path))
			return others[i].is;
	return NULL;
}

int64_t remains_time(int64_t seconds, int64_t ns)
{
	if (seconds < 0 || seconds > INT64_MAX / 2 / CLOCK_NS_PER_S)
		return 0;
	return seconds * CLOCK_NS_PER_S + ns;
}

/* Returns when the file was made, realtime ns; 0 where the file system does not say. */
static int64_t born_at(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) < 0 || !(st.stx_mask & STATX_BTIME))
		return 0;
	return remains_time(st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
}

/*
 * Looks at one file. `depth` is how many folders it lies below the one that was named: what is
 * another source's is read only in that folder itself; but dumps also below, if there are none.
 */
static void look_at(struct remains_file *file, int depth, bool dumps_below)
{
	struct sight *sight = alloc_zeroed(1, sizeof(*sight));
	const char *slash = strrchr(file->path, '/');
	int fd = file_open(file->path);
	struct stat st;

	sight->path = file->path;
	sight->name = slash ? slash + 1 : file->path;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		file->when = remains_time(st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		file->dev = st.st_dev;
		file->ino = st.st_ino;
		file->born = born_at(fd);
	}
	if (fd < 0)
		file->why = NOT_OPENED;
	else if (!file->ino || !S_ISREG(st.st_mode))
		file->why = "no regular file";
	else if ((file->other = other_of(file->path)))
		file->why = depth && !(dumps_below && depth <= FLIGHT_DEPTH &&
						    file->other == OTHER_DUMP)
				    ? "it lies in a folder below: name it"
				    : NULL;
	else
		look_into(fd, &st, sight, file);
	if (fd >= 0)
		close(fd);
	free(sight);
}

/* True if the last file was looked at before, by another path or the same. */
static bool is_again(const struct remains *remains, const struct remains_file *last)
{
	const struct remains_file *file;

	array_for_each(&remains->files, file)
		if (file != last && file->ino == last->ino && file->dev == last->dev)
			return true;
	return false;
}

/* Adds a file, and looks at it. */
static void add(struct remains *remains, const char *path, size_t root, int depth)
{
	struct remains_file *file;

	if (remains->files.nr >= FILES_MOST) {
		remains->more++;
		return;
	}
	file = array_add(&remains->files);
	file->path = alloc_text(path);
	file->label = file->path + root;
	look_at(file, depth, remains->dumps_below);
	if (file->kind && is_again(remains, file)) {
		file->again = true;
		file->kind = NULL;
		file->why = "named before";
	}
}

/* -- folders ----------------------------------------------------------------------------------- */

static bool is_folder(const char *path, bool follow)
{
	struct stat st;

	return (follow ? stat(path, &st) : lstat(path, &st)) == 0 && S_ISDIR(st.st_mode);
}

/* True if no more files need be looked at: one was enough, or there are too many. */
static bool is_enough(const struct remains *remains)
{
	size_t n = remains->files.nr;

	return remains->more || (remains->one && n && remains->files.items[n - 1].kind);
}

/*
 * Adds a folder below the one asked for that nobody looks into, so that what is in it is not known.
 */
static void pass_folder(struct remains *remains, const char *path, size_t root, const char *why)
{
	struct remains_file *file;

	if (remains->passed_folders++ >= FOLDERS_TOLD || remains->files.nr >= FILES_MOST) {
		remains->unentered++;
		return;
	}
	file = array_add(&remains->files);
	file->path = alloc_text(path);
	file->label = file->path + root;
	file->why = why;
}

/* Looks at a folder: first at what lies in it, then at what lies below. */
static void walk(struct remains *remains, const char *path, size_t root, int depth)
{
	struct file_names names = {0};

	if (file_list(path, &names, NULL) < 0 && depth)
		pass_folder(remains, path, root, NOT_OPENED);
	for (size_t i = 0; i < names.files && !(remains->one && is_enough(remains)); i++)
		add(remains, names.list.items[i], root, depth);
	for (size_t i = names.files; i < names.list.nr && !is_enough(remains); i++) {
		if (depth < DEPTH_MOST && is_folder(names.list.items[i], false))
			walk(remains, names.list.items[i], root, depth + 1);
		else
			pass_folder(remains, names.list.items[i], root, NOT_ENTERED);
	}
	remains->refused += names.refused;
	file_names_release(&names);
}

/* Puts one more folder in front of the label. Returns false where there is none. */
static bool widen_label(struct remains_file *file)
{
	const char *at = file->label;

	if (at - file->path < 2)
		return false;
	for (at--; at > file->path && at[-1] != '/'; at--)
		;
	file->label = at;
	return true;
}

/* Widens the label of the last file, and of those that have the same one, until they differ. */
static void part_labels(struct remains *remains)
{
	struct remains_file *last = &remains->files.items[remains->files.nr - 1], *file;

	for (bool again = true; again;) {
		again = false;
		for (file = remains->files.items; file < last; file++)
			if (!strcmp(file->label, last->label) && strcmp(file->path, last->path) &&
				widen_label(file))
				again = widen_label(last) || again;
	}
}

/* Puts one more folder into the labels of what was found in one folder. */
static bool widen_look(const struct remains *remains, struct remains_look *look)
{
	const char *path = remains->files.items[look->first].path;

	if (look->root < 2)
		return false;
	for (look->root--; look->root && path[look->root - 1] != '/'; look->root--)
		;
	look->named = true;
	return true;
}

/* True if the labels of the two begin alike, and what was looked at is not the same. */
static bool look_alike(const struct remains *remains, const struct remains_look *a,
	const struct remains_look *b)
{
	const char *one = remains->files.items[a->first].path;
	const char *other = remains->files.items[b->first].path;
	size_t len = strcspn(one + a->root, "/");

	if (a->root == b->root && !strncmp(one, other, a->root))
		return false;
	return len == strcspn(other + b->root, "/") &&
	       !strncmp(one + a->root, other + b->root, len);
}

/*
 * Puts the folder's name into the labels of what was found in it, as far as it takes to tell it
 * from other folders.
 */
static void name_look(struct remains *remains, struct remains_look *look)
{
	struct remains_look *other;

	if (!look->named)
		widen_look(remains, look);
	array_for_each(&remains->looks, other)
		while (other != look && other->folder && look_alike(remains, look, other))
			if (!widen_look(remains, look) || !widen_look(remains, other))
				break;
}

/* Gives the files of all folders their labels, where several paths were named. */
static void name_looks(struct remains *remains)
{
	struct remains_look *look;

	array_for_each(&remains->looks, look)
		if (look->folder)
			name_look(remains, look);
	array_for_each(&remains->looks, look)
		for (size_t i = look->first; look->folder && i < look->end; i++)
			remains->files.items[i].label = remains->files.items[i].path + look->root;
}

bool remains_is_unseen(const struct remains_file *file)
{
	return file->why && (!strcmp(file->why, NOT_OPENED) || !strcmp(file->why, NOT_ENTERED));
}

void remains_look(struct remains *remains, const char *path)
{
	struct remains_look look = {.first = remains->files.nr, .folder = is_folder(path, true)};
	const char *slash = strrchr(path, '/');

	if (look.folder) {
		remains->dumps_below = flight_is_below(path);
		look.root = strlen(path) + 1;
		walk(remains, path, look.root, 0);
	} else {
		add(remains, path, slash ? (size_t)(slash + 1 - path) : 0, 0);
		part_labels(remains);
	}
	look.end = remains->files.nr;
	if (look.first < look.end)
		*array_add(&remains->looks) = look;
}

void remains_settle(struct remains *remains)
{
	if (remains->looks.nr > 1)
		name_looks(remains);
	remains_runs_keep_last(remains);
}

bool remains_any(const char *path)
{
	struct remains remains = {.one = true};
	bool any = false;

	remains_look(&remains, path);
	for (size_t i = 0; i < remains.files.nr && !any; i++)
		any = remains.files.items[i].kind != NULL;
	remains_release(&remains);
	return any;
}

void remains_release(struct remains *remains)
{
	for (size_t i = 0; i < remains->files.nr; i++) {
		free(remains->files.items[i].path);
		free(remains->files.items[i].report);
	}
	array_release(&remains->files);
	array_release(&remains->looks);
	remains->more = 0;
}
