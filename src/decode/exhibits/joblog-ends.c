/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-ends.h"

#include <ctype.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* --- torchrun --------------------------------------------------------------------------------- */

/*
 * Returns the value behind a name and a colon, as in " rank : 5 (local_rank: 5)"; NULL: another
 * line.
 */
static const char *field(const char *line, const char *name)
{
	/* Before it stand only blanks and a launcher's own marks, which may have the same word. */
	for (const char *at = strstr(line, name); at; at = strstr(at, name)) {
		bool apart = at == line || at[-1] == ' ';

		at += strlen(name);
		at += apart ? strspn(at, " ") : 0;
		if (apart && *at == ':')
			return at + 1;
	}
	return NULL;
}

const char *joblog_ends_host(const char *line)
{
	const char *value = strstr(line, "  host      : ") ? field(line, "host") : NULL;

	return value ? value + strspn(value, " ") : NULL;
}

/* Reads a line of torchrun's report: the rank, which is kept, or its exit code, which is an end. */
static size_t read_torchrun(const char *line, struct joblog_report *report, struct joblog_end *end)
{
	const char *value = field(line, "rank");
	int rank, local, code, pid;

	if (value && sscanf(value, " %7d (local_rank: %7d)", &rank, &local) == 2 && rank >= 0 &&
		local >= 0 && rank < JOBLOG_RANKS) {
		*report = (struct joblog_report){
			.rank = rank, .local_rank = local, .by = report->now, .now = report->now};
		return 0;
	}
	value = field(line, "exitcode");
	if (!value || report->rank < 0 || report->by != report->now ||
		sscanf(value, " %7d (pid: %9d", &code, &pid) != 2)
		return 0;
	*end = (struct joblog_end){.rank = report->rank,
		.local_rank = report->local_rank,
		.pid = pid,
		.signaled = code < 0,
		.status = code < 0 ? -code : code};
	*report = (struct joblog_report){
		.rank = -1, .local_rank = -1, .by = report->now, .now = report->now};
	return 1;
}

int64_t joblog_ends_closed(const char *line)
{
	static const struct {
		const char *before, *behind;
	} phrases[] = {
		{"Sending process ", " closing signal "},
		{"Unable to shutdown process ", " via "},
	};

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		const char *at = strstr(line, phrases[i].before);
		char *end;
		long pid = at ? strtol(at + strlen(phrases[i].before), &end, 10) : 0;

		if (pid > 0 && !strncmp(end, phrases[i].behind, strlen(phrases[i].behind)))
			return pid;
	}
	return 0;
}

int64_t joblog_ends_failed(const char *line)
{
	static const char before[] = "(pid: ";
	const char *failed = strstr(line, "failed (exitcode: ");
	const char *at = failed && strstr(failed, "local_rank: ") ? strstr(failed, before) : NULL;
	long pid = at ? strtol(at + strlen(before), NULL, 10) : 0;

	return pid > 0 ? pid : 0;
}

/* --- srun ------------------------------------------------------------------------------------- */

static const char no_memory[] = "Out Of Memory";

/* srun's words for signals. Of "Exited with exit code N" the number counts. */
static const struct {
	const char *words;
	int signo;
} srun_signals[] = {
	{"Killed", SIGKILL},
	{"Segmentation fault", SIGSEGV},
	{"Aborted", SIGABRT},
	{"Terminated", SIGTERM},
	{"Bus error", SIGBUS},
	{"Floating point exception", SIGFPE},
	{"Illegal instruction", SIGILL},
	{"Hangup", SIGHUP},
	{"Interrupt", SIGINT},
	{no_memory, SIGKILL},
};

bool joblog_ends_is_order(const struct joblog_end *end)
{
	if (end->local_rank < 0 && !end->signaled)
		return end->aborted || end->alone;
	return end->local_rank < 0 && (end->status == SIGTERM || end->status == SIGKILL);
}

bool joblog_ends_by_memory(
	const struct joblog_end *ends, size_t n, const struct joblog_end *end, int64_t past)
{
	size_t told = 0;

	for (size_t i = 0; i < n && told < 2 && end->memory && !end->ordered; i++)
		told += ends[i].memory && !ends[i].ordered && ends[i].line > past &&
			ends[i].host == end->host;
	return told == 1;
}

/* Reads what stands behind the list of tasks; false if it tells of no end. */
static bool read_srun_end(const char *words, struct joblog_end *end)
{
	static const char exited[] = "Exited with exit code ";

	if (!strncmp(words, exited, strlen(exited))) {
		end->signaled = false;
		end->status = atoi(words + strlen(exited));
		return true;
	}
	end->memory = !strncmp(words, no_memory, strlen(no_memory));
	for (size_t i = 0; i < sizeof(srun_signals) / sizeof(srun_signals[0]); i++)
		if (!strncmp(words, srun_signals[i].words, strlen(srun_signals[i].words))) {
			end->signaled = true;
			end->status = srun_signals[i].signo;
			return true;
		}
	return false;
}

const char *joblog_ends_slurmstepd(const char *line)
{
	static const char name[] = "slurmstepd", error[] = ": error: ";
	const char *at = strstr(line, name);

	if (!at)
		return NULL;
	at += strlen(name);
	at += strcspn(at, ": ");
	return strncmp(at, error, strlen(error)) ? NULL : at + strlen(error);
}

long joblog_ends_slurm_job(const char *line)
{
	static const char *const before[] = {"StepId=", "*** STEP ", "*** JOB "};
	const char *words = joblog_ends_slurmstepd(line);
	long job = 0;

	words = words ? words : strstr(line, "srun: ");
	for (size_t i = 0; words && !job && i < sizeof(before) / sizeof(before[0]); i++) {
		const char *at = strstr(words, before[i]);

		job = at ? strtol(at + strlen(before[i]), NULL, 10) : 0;
	}
	return job > 0 && job < LONG_MAX ? job : 0;
}

bool joblog_ends_all(const char *line)
{
	static const char *const words[] = {"Terminating StepId=", "Terminating job step",
		"Force Terminated", "forcing job termination", "Job step aborted"};
	const char *srun = strstr(line, "srun: "), *stepd = joblog_ends_slurmstepd(line);

	for (size_t i = 0; srun && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(srun, words[i]))
			return true;
	return stepd && strstr(stepd, "CANCELLED AT");
}

/* Reads "4-6" or "4"; false if it is no range of ranks. */
static bool read_range(const char **at, long *ret_first, long *ret_last)
{
	char *next;

	if (!isdigit((unsigned char)**at))
		return false;
	*ret_first = *ret_last = strtol(*at, &next, 10);
	if (next[0] == '-' && isdigit((unsigned char)next[1]))
		*ret_last = strtol(next + 1, &next, 10);
	*at = next;
	return *ret_last < JOBLOG_RANKS && *ret_first <= *ret_last;
}

const char *joblog_ends_task_host(const char *line)
{
	static const char srun[] = "srun: error: ", mpirun[] = "noticed that process rank ";
	const char *at = strstr(line, srun), *node = strstr(line, mpirun);

	at = at ? at + strlen(srun) : NULL;
	if (at && strstr(at, ": task"))
		return at;
	node = node ? strstr(node, " on node ") : NULL;
	return node ? node + strlen(" on node ") : NULL;
}

/* Reads "srun: error: m3: tasks 0,4-6: Killed". */
static size_t read_srun(const char *line, struct joblog_end ends[static JOBLOG_ENDS])
{
	const char *at = strstr(line, "srun: error: "), *words, *host = at ? at + 13 : NULL;
	struct joblog_end end = {.local_rank = -1};
	size_t nr = 0;

	at = at ? strstr(at + 13, ": task") : NULL;
	if (!at)
		return 0;
	at += strlen(": task");
	at += *at == 's';
	words = strstr(at, ": ");
	if (*at != ' ' || !words || !read_srun_end(words + 2, &end))
		return 0;
	end.host = hash_bytes(HASH_START, host, strcspn(host, ":"));
	for (at++; at < words; at += *at == ',') {
		long first, last;

		if (!read_range(&at, &first, &last))
			return nr;
		for (long rank = first; rank <= last && nr < JOBLOG_ENDS; rank++) {
			ends[nr] = end;
			ends[nr++].rank = (int)rank;
		}
		if (*at != ',' && at < words)
			return nr;
	}
	return nr;
}

/* --- mpirun ----------------------------------------------------------------------------------- */

/* Reads "mpirun noticed that process rank 5 with PID 4711 on node m3 exited on signal 9". */
static size_t read_mpirun(const char *line, struct joblog_end *end)
{
	const char *at = strstr(line, "noticed that process rank ");
	const char *signal = at ? strstr(at, " exited on signal ") : NULL;
	int rank, signo;

	if (!signal || sscanf(at, "noticed that process rank %7d", &rank) != 1 ||
		sscanf(signal, " exited on signal %3d", &signo) != 1 || rank < 0 ||
		rank >= JOBLOG_RANKS)
		return 0;
	*end = (struct joblog_end){.rank = rank,
		.local_rank = -1,
		.signaled = true,
		.status = signo,
		.alone = true,
		.first = true};
	return 1;
}

/*
 * Reads a line of mpirun's report of who exited first: its rank, which is kept, or its status,
 * which is an end.
 */
static size_t read_mpirun_exit(
	const char *line, struct joblog_report *report, struct joblog_end *end)
{
	static const char name[] = "  Process name: [", code[] = "  Exit code: ";
	const char *at = strstr(line, name), *comma = at ? strrchr(at, ',') : NULL;
	int rank = report->process - 1, number;

	if (comma && sscanf(comma, ",%7d]", &number) == 1 && number >= 0 && number < JOBLOG_RANKS)
		report->process = 1 + number;
	at = strstr(line, code);
	if (!at || rank < 0 || sscanf(at + strlen(code), "%9d", &number) != 1)
		return 0;
	report->process = 0;
	*end = (struct joblog_end){
		.rank = rank, .local_rank = -1, .status = number, .alone = true, .first = true};
	return 1;
}

/* --- Hydra ------------------------------------------------------------------------------------ */

/* Reads "=   RANK 5 PID 4711 RUNNING AT m3"; false if the line is another one. */
static bool read_hydra_place(const char *line, struct joblog_place *place)
{
	static const char at[] = " RUNNING AT ";
	const char *host = strstr(line, at);
	int rank, pid;

	if (!host || sscanf(line, "= RANK %7d PID %9d RUNNING", &rank, &pid) != 2 || rank < 0 ||
		rank >= JOBLOG_RANKS || pid <= 0)
		return false;
	host += strlen(at);
	*place = (struct joblog_place){.rank = 1 + rank,
		.pid = pid,
		.host = hash_bytes(HASH_START, host, strcspn(host, " \r\n"))};
	return true;
}

/*
 * Reads a line of Intel MPI's report of a process: who it is, which is kept, or how it ended. By
 * SIGTERM, and by SIGKILL if that does not do, Hydra ends all others where one has exited, of which
 * it has no line: of these two nobody knows whose they were.
 */
static size_t read_hydra(const char *line, struct joblog_report *report, struct joblog_end *end)
{
	const struct joblog_place at = report->hydra;
	int number;
	bool signaled;

	line += strspn(line, " ");
	if (*line != '=' || read_hydra_place(line, &report->hydra))
		return 0;
	signaled = sscanf(line, "= KILLED BY SIGNAL: %3d", &number) == 1;
	if (!at.rank || (!signaled && sscanf(line, "= EXIT STATUS: %3d", &number) != 1))
		return 0;
	report->hydra = (struct joblog_place){0};
	*end = (struct joblog_end){.rank = at.rank - 1,
		.local_rank = -1,
		.pid = at.pid,
		.host = at.host,
		.signaled = signaled,
		.status = number};
	end->ordered = joblog_ends_is_order(end);
	return 1;
}

/* --- MPI's own -------------------------------------------------------------------------------- */

/* The words of libraries, called_words and so on. */
#define ABORT_WORDS(name, text) static const char name##_words[] = text;
#include "lists/log-words.def"

static bool is_rank(int rank)
{
	return rank >= 0 && rank < JOBLOG_RANKS;
}

/* Reads MPICH's line, of either form. */
static bool read_called(const char *line, struct joblog_end *end)
{
	const char *at = strstr(line, called_words), *node = strstr(line, "Abort(");
	int rank, code;

	if (!at)
		return false;
	if (sscanf(node, "Abort(%11d) on node %7d (rank ", &code, &rank) != 2) {
		at += strlen(called_words);
		if (strncmp(at, all_words, strlen(all_words)) != 0 ||
			sscanf(at + strlen(all_words), ", %11d) - process %7d", &code, &rank) != 2)
			return false;
	}
	*end = (struct joblog_end){
		.rank = rank, .local_rank = -1, .aborted = true, .status = code};
	return is_rank(rank);
}

/* Reads Open MPI's lines: the rank, which is kept, or the code, which is an end. */
static bool read_invoked(const char *line, struct joblog_report *report, struct joblog_end *end)
{
	static const char group[] = " in communicator ";
	const char *at = strstr(line, invoked_words), *in = at ? strstr(at, group) : NULL;
	const char *code = strstr(line, "with errorcode ");
	int rank = report->aborting - 1;

	if (at) {
		report->aborting = 0;
		if (sscanf(at + strlen(invoked_words), "%7d", &rank) == 1 && is_rank(rank) && in &&
			!strncmp(in + strlen(group), all_words, strlen(all_words)))
			report->aborting = 1 + rank;
		return false;
	}
	code = code ? code + strlen("with errorcode ") : strstr(line, "  Errorcode: ");
	code = code && *code == ' ' ? code + strlen("  Errorcode: ") : code;
	*end = (struct joblog_end){
		.rank = rank, .local_rank = -1, .aborted = true, .shown = true};
	if (rank < 0 || !code || sscanf(code, "%11d", &end->status) != 1)
		return false;
	report->aborting = 0;
	return true;
}

/* Reads mpirun's words on a rank that ended without MPI_Finalize, and with status 0. */
static bool read_left(const char *line, struct joblog_report *report, struct joblog_end *end)
{
	static const char before[] = " has exited due to process rank ";
	const char *at = strstr(line, before);
	int rank;

	if (at && sscanf(at + strlen(before), "%7d with PID", &rank) == 1 && is_rank(rank))
		report->leaving = 1 + rank;
	else if (at || !strncmp(line, "-----", 5))
		report->leaving = 0;
	if (!report->leaving || !strstr(line, " exiting improperly"))
		return false;
	*end = (struct joblog_end){
		.rank = report->leaving - 1, .local_rank = -1, .alone = true, .first = true};
	report->leaving = 0;
	return true;
}

static size_t read_abort(const char *line, struct joblog_report *report, struct joblog_end *end)
{
	return read_called(line, end) || read_invoked(line, report, end) ||
	       read_left(line, report, end);
}

bool joblog_ends_more_aborts(const char *line)
{
	return strstr(line, " more process") && strstr(line, " sent help message ") &&
	       strstr(line, others_words);
}

bool joblog_ends_show_several(const struct joblog_end *ends, size_t n, int64_t past)
{
	const struct joblog_end *one = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!ends[i].shown || ends[i].rank < 0 || ends[i].line <= past)
			continue;
		if (one && one->rank != ends[i].rank)
			return true;
		one = &ends[i];
	}
	return false;
}

void joblog_ends_forget_shown(struct joblog_end *ends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ends[i].shown)
			ends[i].rank = -1;
}

char *joblog_ends_abort_error(struct arena *arena, int code)
{
	return arena_printf(arena, "%s(%d)", call_words, code);
}

size_t joblog_ends_read(const char *line, struct joblog_report *report,
	struct joblog_end ends[static JOBLOG_ENDS])
{
	size_t nr = read_torchrun(line, report, ends);

	if (!nr)
		nr = read_srun(line, ends);
	if (!nr)
		nr = read_mpirun(line, ends);
	if (!nr)
		nr = read_mpirun_exit(line, report, ends);
	if (!nr)
		nr = read_abort(line, report, ends);
	return nr ? nr : read_hydra(line, report, ends);
}
