/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of the files are a tree. From its root on each folder is asked whether it is one of
 * several jobs:
 *
 *	logs/slurm-41.out	logs/slurm-42.out	two numbers: the newer one is looked at
 *	out/monday/job.log	out/tuesday/job.log	ranks 0-3 write in both: the newer folder is
 *	out/node0/job.log	out/node1/job.log	ranks 0-7, ranks 8-15: one job of two nodes
 *	train-41.out		train-42.out		ranks 0-3 write in both: the newer one is
 *	train.out		train.err		the same in both: one job, two streams
 *	monday.txt		tuesday.txt		a rank has two pids: the newer one is
 *	rank0.log		rank1.log		one begins hours after the other ended
 */
#include "evidence/gather/remains/remains-jobs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "evidence/gather/log-marks.h"
#include "evidence/gather/log-times.h"
#include "evidence/gather/remains/remains-dumps.h"
#include "evidence/gather/remains/remains-runs.h"

#define DIGITS	  "0123456789"
#define LINE_MOST 256 /* bytes of a line that are searched for marks */

/* -- what a file says -------------------------------------------------------------------------- */

/* Returns the number in the name that Slurm gives to the log of a job, "slurm-41.out"; 0 none. */
static int64_t job_of_name(const char *name)
{
	char *end = NULL;
	int64_t job = strncmp(name, "slurm-", 6) ? 0 : strtoll(name + 6, &end, 10);

	/*
	 * In "slurm-41_7" the second number may be a task of an array, a task of a step, or a node.
	 */
	return job > 0 && *end == '.' ? job : 0;
}

/*
 * Returns the number behind the words, up to the next blank or point; 0 where there is none, as in
 * a part of a job, which has two numbers.
 */
static int64_t number_behind(const char *line, const char *words)
{
	const char *at = strstr(line, words), *newline = strchr(line, '\n');
	char *end = NULL;
	int64_t number = 0;

	if (at && (!newline || at < newline))
		number = strtoll(at + strlen(words), &end, 10);
	return number > 0 && (*end == ' ' || *end == '.') ? number : 0;
}

/* Returns the last number that Slurm's daemon says there, in lines of its own; 0 none. */
static int64_t job_of_text(const char *text)
{
	int64_t job = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		int64_t told;

		line += *line == '\n';
		if (strncmp(line, "slurmstepd", 10))
			continue;
		told = number_behind(line, ": error: *** JOB ");
		if (!told)
			told = number_behind(line, ": error: *** STEP ");
		job = told ? told : job;
	}
	return job;
}

/* Takes the begin of each line in turn, for its marks. Returns false when there is none left. */
static bool next_line(const char **text, char into[static LINE_MOST])
{
	size_t len = strcspn(*text, "\n"), kept = len < LINE_MOST ? len : LINE_MOST - 1;

	if (!**text)
		return false;
	memcpy(into, *text, kept);
	into[kept] = '\0';
	*text += len + ((*text)[len] == '\n');
	return true;
}

/* True if srun -l has numbered all lines but those of Slurm's own programs. */
static bool is_numbered(const char *text)
{
	char line[LINE_MOST];
	size_t n = 0;

	while (next_line(&text, line)) {
		if (log_marks_task(line) >= 0)
			n++;
		else if (*line && strncmp(line, "srun: ", 6) != 0 &&
			 strncmp(line, "slurmstepd", 10) != 0)
			return false;
	}
	return n > 1;
}

/* Returns bits of the ranks below 64 that marks of the lines name. */
static uint64_t writers_in(const char *text)
{
	bool numbered = is_numbered(text);
	struct log_marks marks;
	char line[LINE_MOST];
	uint64_t ranks = 0;

	while (next_line(&text, line)) {
		log_marks_read(line, numbered, &marks);
		if (marks.by == LOG_MARKS_RANK && marks.number < 64)
			ranks |= 1ull << marks.number;
	}
	return ranks;
}

/*
 * Notes from when to when the file's lines are; neither time where one is not known, or clocks were
 * set meanwhile. A log that begins with an error gets none: its rank was silent before, so it began
 * at another time.
 */
static void read_times(struct remains_file *file, const char *head, const char *tail)
{
	time_t seconds = (time_t)(file->when / CLOCK_NS_PER_S);
	struct tm parts;
	int year = gmtime_r(&seconds, &parts) ? parts.tm_year + 1900 : 2000;

	const struct log_time first = log_times_first(head, year);
	const struct log_time last = log_times_last(tail, year);

	if (!first.at || first.error || first.form != last.form || last.at < first.at)
		return;
	file->first = first.at;
	file->last = last.at;
	file->form = first.form;
}

void remains_jobs_read(struct remains_file *file, const char *name, const char *head,
	const char *tail, bool of_worker)
{
	file->job = job_of_name(name);
	if (!file->job)
		file->job = job_of_text(tail);
	if (!file->job)
		file->job = job_of_text(head);
	file->ranks = of_worker ? 0 : writers_in(head);
	read_times(file, head, tail);
}

/* -- folders ----------------------------------------------------------------------------------- */

/* Files that are taken and whose labels begin alike: a folder of the tree, or a single file. */
struct branch {
	const char *label; /* of its first file */
	size_t len;        /* how many bytes of it they have in common: a folder with its slash,
			    * or one whole label */
	bool folder;
	bool of_any; /* true for a record of many jobs, of which its decoder finds what is of
		      * this one */
	int64_t job; /* the number that Slurm gave; 0 not told, -1 several were told */
	uint64_t ranks; /* bits of the ranks below 64 whose lines are in it */
	struct remains_report *report;       /* all reports below it together, owned; NULL none */
	uint64_t run;                        /* the name of torchrun's folder below it, as
					      * reports have it; 0 none */
	int64_t newest; /* when a file of it was last written, realtime ns */
	int64_t first, last; /* times of a single file's lines, in s; 0 not known */
	enum log_time_form form;
};

struct branches {
	ARRAY(struct branch) all;
};

/* True if a file of that label belongs to the branch. */
static bool is_below(const char *label, const struct branch *branch)
{
	return !strncmp(label, branch->label, branch->len) &&
	       (branch->folder || !label[branch->len]);
}

/*
 * Returns the branch below a folder that the label belongs to, made if it is new. The folder's own
 * label has `depth` bytes.
 */
static struct branch *branch_of(struct branches *branches, const char *label, size_t depth)
{
	const char *slash = strchr(label + depth, '/');
	struct branch *branch;

	array_for_each(&branches->all, branch)
		if (is_below(label, branch))
			return branch;
	branch = array_add(&branches->all);
	*branch = (struct branch){.label = label,
		.len = slash ? (size_t)(slash + 1 - label) : strlen(label),
		.folder = slash != NULL,
		.newest = INT64_MIN};
	return branch;
}

/* True for Slurm's accounting and the kernel's log: these are of whatever ran there. */
static bool is_of_many(const struct remains_file *file)
{
	return file->kind->exhibit == EXHIBIT_SLURM_RECORD ||
	       file->kind->exhibit == EXHIBIT_KERNEL_LOG;
}

/* Finds what lies in the folder: each file, and each folder with all below it. */
static void find_branches(const struct remains *remains, const struct branch *folder,
	struct branches *into)
{
	const struct remains_file *file;

	array_for_each(&remains->files, file) {
		struct branch *branch;

		if (!file->kind || !is_below(file->label, folder))
			continue;
		branch = branch_of(into, file->label, folder->len);
		branch->of_any = !branch->folder && is_of_many(file);
		if (file->job && branch->job != file->job && !is_of_many(file))
			branch->job = branch->job ? -1 : file->job;
		branch->ranks |= file->ranks;
		if (file->report && !branch->report)
			branch->report = alloc_zeroed(1, sizeof(*branch->report));
		if (file->report)
			remains_runs_merge(branch->report, file->report);
		if (!branch->run)
			branch->run = remains_runs_name(file);
		if (file->when > branch->newest)
			branch->newest = file->when;
		branch->first = branch->folder ? 0 : file->first;
		branch->last = branch->folder ? 0 : file->last;
		branch->form = file->form;
	}
}

/*
 * True for a folder of one stream: what ranks say and what they complain of often goes to a folder
 * each.
 */
static bool is_of_stream(const struct branch *branch)
{
	static const char *const names[] = {"out/", "err/", "stdout/", "stderr/"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (branch->len >= len &&
			!strncmp(branch->label + branch->len - len, names[i], len))
			return true;
	}
	return false;
}

/*
 * True if two names differ in their numbers alone, and not in one at the end, as a rotation makes
 * them.
 */
static bool are_numbered_alike(const char *a, const char *b)
{
	bool ends_in_number = false;

	while (*a || *b) {
		ends_in_number = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
		if (ends_in_number) {
			a += strspn(a, DIGITS);
			b += strspn(b, DIGITS);
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return !ends_in_number;
}

/*
 * True if the same ranks, and several, wrote in both: logs of nodes and of ranks have each their
 * own.
 */
static bool are_two_wholes(const struct branch *a, const struct branch *b)
{
	if (a->ranks != b->ranks || !(a->ranks & (a->ranks - 1)) || a->folder != b->folder)
		return false;
	return a->folder ? !is_of_stream(a) && !is_of_stream(b)
			 : are_numbered_alike(a->label, b->label);
}

/* True if one of the names is the other with something behind it, as a rotation makes them. */
static bool are_parts(const struct branch *a, const struct branch *b)
{
	return !strncmp(a->label, b->label, a->len < b->len ? a->len : b->len);
}

/*
 * True if one launcher tells of other ends in each, and nothing says that they are parts of one
 * job: neither a name, nor that other ranks wrote in each.
 */
static bool end_otherwise(const struct branch *a, const struct branch *b)
{
	bool apart = a->ranks && b->ranks && !(a->ranks & b->ranks);

	if (!a->report || !b->report)
		return false;
	/*
	 * Where torchrun tells of ranks, srun tells of torchrun's agents, and the lines of two
	 * nodes are alike.
	 */
	apart |= a->report->any && b->report->any;
	return !apart && !are_parts(a, b) && remains_runs_end_otherwise(a->report, b->report);
}

/* True if some rank has another pid in each. */
static bool have_other_pids(const struct branch *a, const struct branch *b)
{
	return a->report && b->report && remains_runs_contradict(a->report, b->report);
}

/*
 * True if the name says that each file or folder of its like is of another rank or node:
 * "rank5.log".
 */
static bool is_of_part(const struct branch *branch)
{
	static const char *const words[] = {"rank", "node", "host", "worker", "task", "proc"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = memmem(branch->label, branch->len, words[i], strlen(words[i]));

		at = at ? at + strlen(words[i]) : NULL;
		if (at && *at && strchr("-_.", *at))
			at++;
		if (at && isdigit((unsigned char)*at))
			return true;
	}
	return false;
}

/*
 * True if both tell of ranks, and one was last written long before the other. Logs of single ranks
 * do not count: a rank that died wrote last long before the others are ended.
 */
static bool are_far(const struct branch *a, const struct branch *b)
{
	int64_t apart = a->newest > b->newest ? a->newest - b->newest : b->newest - a->newest;

	return (a->ranks || a->report) && (b->ranks || b->report) && apart > REMAINS_FAR &&
	       !(is_of_part(a) && is_of_part(b));
}

/*
 * True if both are logs of a rank or node each, and the lines of one begin long after those of the
 * other end. Ranks of one job begin together, whenever each of them ends.
 */
static bool are_one_after_other(const struct branch *a, const struct branch *b)
{
	return a->first && b->first && a->form == b->form && is_of_part(a) && is_of_part(b) &&
	       (a->first > b->last + REMAINS_APART || b->first > a->last + REMAINS_APART);
}

/* True if the two are known to be of different jobs, whatever their files' times are. */
static bool contradict(const struct branch *a, const struct branch *b)
{
	if (have_other_pids(a, b))
		return true;
	if (a->job > 0 && b->job > 0)
		return a->job != b->job;
	return are_two_wholes(a, b) || end_otherwise(a, b) || are_one_after_other(a, b);
}

/*
 * Says why a branch is passed over: because it is of another job, or because nobody knows whether
 * it is. Files that are numbered alike may also be parts of one, which somebody cut off in a way of
 * his own.
 */
static const char *why_passed(const struct branch *branch, const struct branch *chosen)
{
	if (have_other_pids(branch, chosen))
		return REMAINS_OF_ANOTHER;
	if (branch->job > 0 && chosen->job > 0)
		return branch->job != chosen->job ? REMAINS_OF_ANOTHER : REMAINS_OF_UNKNOWN;
	return are_two_wholes(branch, chosen) && branch->folder
		       ? REMAINS_OF_ANOTHER
		       : REMAINS_OF_UNKNOWN;
}

/* True if the branch is of the chosen one's job, where branches are of several jobs. */
static bool goes_with(const struct branch *branch, const struct branch *chosen)
{
	if (chosen->report && chosen->report->run && chosen->report->run == branch->run)
		return true;
	if (branch->first && chosen->first && is_of_part(branch) && is_of_part(chosen))
		return !are_one_after_other(branch, chosen);
	return branch == chosen || branch->of_any ||
	       (branch->job > 0 && branch->job == chosen->job);
}

/* Passes over all files of the branch. */
static void pass_over(struct remains *remains, const struct branch *branch, const char *why)
{
	struct remains_file *file;

	array_for_each(&remains->files, file)
		if (file->kind && is_below(file->label, branch)) {
			file->kind = NULL;
			file->why = why;
		}
}

/*
 * True if `a` is the newer one: by the times of the lines if these tell the two apart, since a
 * copied file is new; else by the times of the files.
 */
static bool is_newer(const struct branch *a, const struct branch *b)
{
	return are_one_after_other(a, b) ? a->last > b->last : a->newest > b->newest;
}

/*
 * Returns the newest of the branches from which another one is told apart by that function; NULL if
 * none is.
 */
static const struct branch *choose(const struct branches *branches,
	bool (*apart)(const struct branch *a, const struct branch *b))
{
	const struct branch *chosen = NULL, *a, *b;

	array_for_each(&branches->all, a)
		array_for_each(&branches->all, b)
			if (a != b && apart(a, b) && (!chosen || is_newer(a, chosen)))
				chosen = a;
	return chosen;
}

/* Where nothing but their times speaks for two jobs, passes over what is older by far. */
static void pass_over_old(struct remains *remains, const struct branches *branches)
{
	const struct branch *chosen = choose(branches, are_far), *branch;

	array_for_each(&branches->all, branch)
		if (chosen && are_far(branch, chosen))
			pass_over(remains, branch, REMAINS_OF_UNKNOWN);
}

/* Tells apart what lies in a folder, and then what lies in each of its folders that is kept. */
static void tell_apart_in(struct remains *remains, const struct branch *folder)
{
	struct branches branches = {0};
	const struct branch *chosen, *branch;

	find_branches(remains, folder, &branches);
	chosen = choose(&branches, contradict);
	if (!chosen)
		pass_over_old(remains, &branches);
	array_for_each(&branches.all, branch) {
		if (chosen && !goes_with(branch, chosen))
			pass_over(remains, branch, why_passed(branch, chosen));
		else if (branch->folder)
			tell_apart_in(remains, branch);
	}
	array_for_each(&branches.all, branch)
		free(branch->report);
	array_release(&branches.all);
}

void remains_jobs_tell_apart(struct remains *remains, int64_t known)
{
	const struct branch root = {.label = "", .folder = true};
	struct remains_file *file;

	array_for_each(&remains->files, file)
		if (known && file->kind && file->job && file->job != known && !is_of_many(file)) {
			file->kind = NULL;
			file->why = REMAINS_OF_ANOTHER;
		}
	remains_settle(remains);
	remains_dumps_keep(remains);
	remains_polls_keep(remains);
	tell_apart_in(remains, &root);
	remains_runs_tell_apart(remains);
}

bool remains_jobs_has_passed_over(const struct remains_file *file)
{
	return file->why && (!strcmp(file->why, REMAINS_OF_ANOTHER) ||
				    !strcmp(file->why, REMAINS_OF_UNKNOWN));
}
