/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what Slurm has recorded of a job: the fields of "scontrol show job" ("JobId=7 JobName=x
 * ..."), or the table of "sacct -P" (a line of names, then one for the job and for each step, with
 * bars between). How the job ended is told; a step that Slurm killed for memory is a rank's end if
 * its launcher says of one rank alone that SIGKILL ended it.
 */
#include <signal.h>
#include <string.h>

#include "base/str.h"
#include "decode/exhibits/slurm-end.h"
#include "decode/exhibits/texts.h"

#define COLUMNS    64
#define FIELD_MOST 64
#define JOB_ID     "JobId="

/* What was read so far. */
struct slurm {
	struct texts *texts;
	const struct exhibit *exhibit;
	int64_t line;
	bool of_memory;
	const char *job_state, *job_code; /* state and code of the job itself; NULL none yet */
	/* Columns of the table; -1 none: */
	int id, state, code, tasks;
	bool is_table;
	long first;   /* number of the last job counted; 0 none */
	long task;    /* number of its task in an array; -1 none */
	bool several;
};

/* True if a job in that state has ended. */
static bool is_over(const char *state)
{
	static const char *const going[] = {
		"RUNNING", "PENDING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"};

	for (size_t i = 0; i < sizeof(going) / sizeof(going[0]); i++)
		if (!strncmp(state, going[i], strlen(going[i])))
			return false;
	return *state != '\0';
}

/* Returns the status as a shell has it; a job that did not end well never has 0. */
static int status_of(const char *state, const char *code)
{
	int status = atoi(code) & 255;

	return status || !strncmp(state, "COMPLETED", 9) ? status : 1;
}

/* True for a step that ended well, or as its job did. */
static bool tells_no_more(const struct slurm *slurm, const char *state, const char *code)
{
	return !strncmp(state, "COMPLETED", 9) ||
	       (slurm->job_state && !strcmp(state, slurm->job_state) &&
		       !strcmp(code, slurm->job_code));
}

/*
 * True if a log is of that job; where a task of its array is told, only if it is of that task. A
 * log's number may mean the whole array.
 */
static bool is_of_log(const struct texts *texts, long job, long task)
{
	bool is = false;

	for (int i = 0; i < texts->njobs; i++) {
		if (texts->jobs[i].job != job)
			continue;
		if (task >= 0 && texts->jobs[i].task >= 0)
			return texts->jobs[i].task == task;
		is = true;
	}
	return is;
}

/*
 * True if the job is meant: a record may be of all jobs of a user. Those that logs name are meant;
 * if logs name none, the record's only job, and none if there are several.
 */
static bool is_meant(const struct slurm *slurm, const char *id)
{
	char *end;
	long job = strtol(id, &end, 10);
	bool task = *end == '_' && end[1] >= '0' && end[1] <= '9';

	return is_of_log(slurm->texts, job, task ? strtol(end + 1, NULL, 10) : -1) ||
	       (!slurm->texts->njobs && !slurm->several);
}

/* Takes one job or step: "8841.0", its state, its exit code; "" not known. */
static void take(struct slurm *slurm, const char *id, const char *state, const char *code)
{
	struct arena *arena = &slurm->texts->context->arena;
	struct job_saying saying = {
		.kind = JOB_SAYS_SLURM, .a = JOB_ENDED_UNTOLD, .b = JOB_UNKNOWN};
	bool step = strchr(id, '.') != NULL;

	if (!is_meant(slurm, id))
		return;
	slurm->of_memory |= !strncmp(state, "OUT_OF_ME", 9);
	if (!step) {
		saying.a = slurm_end_of_state(state);
		slurm->job_state = state;
		slurm->job_code = code;
		if (is_over(state))
			job_add_ending(slurm->texts->builder, status_of(state, code));
	}
	if (!*state || (step && tells_no_more(slurm, state, code)))
		return;
	saying.text = arena_printf(arena, "%s %s is %s", step ? "step" : "job", id, state);
	saying.text2 = !strcmp(code, "0:0") ? "" : arena_text(arena, code);
	saying.cite = texts_cite(slurm->texts, slurm->exhibit, slurm->line);
	texts_say(slurm->texts, JOB_NONE, &saying);
}

/* -- scontrol ---------------------------------------------------------------------------------- */

/* Returns the value of " NAME=" up to the next blank; "" there is none. */
static const char *field(struct slurm *slurm, const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len)
		if ((at == text || strchr(" \t\n", at[-1])) && at[len] == '=') {
			size_t most = strcspn(at + len + 1, " \t\n");

			return arena_text_max(&slurm->texts->context->arena, at + len + 1,
				most < FIELD_MOST ? most : FIELD_MOST);
		}
	return "";
}

static bool is_block(const char *text, const char *at)
{
	return at == text || strchr(" \t\n", at[-1]);
}

/* Reads the fields of scontrol, where each job begins with its number. */
static void read_fields(struct slurm *slurm, const char *text)
{
	const char *next;

	slurm->line = 1;
	for (const char *at = strstr(text, JOB_ID); at; at = next) {
		const char *one;

		next = strstr(at + 1, "\n" JOB_ID);
		one = arena_text_max(&slurm->texts->context->arena, at,
			next ? (size_t)(next - at) : strlen(at));
		if (is_block(text, at))
			take(slurm, field(slurm, one, "JobId"), field(slurm, one, "JobState"),
				field(slurm, one, "ExitCode"));
		for (; next && at <= next; at++)
			slurm->line += *at == '\n';
		next += next != NULL;
	}
}

/* -- sacct ------------------------------------------------------------------------------------- */

/* Splits a line into the texts between bars, and returns how many there are. */
static size_t split(struct slurm *slurm, const char *line, const char *parts[COLUMNS])
{
	size_t n = 0;

	for (const char *at = line; n < COLUMNS; at++) {
		size_t len = strcspn(at, "|");

		parts[n++] = arena_text_max(
			&slurm->texts->context->arena, at, len < FIELD_MOST ? len : FIELD_MOST);
		at += len;
		if (!*at)
			break;
	}
	return n;
}

static int column(const char *const *parts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(parts[i], name))
			return (int)i;
	return -1;
}

static const char *cell(const char *const *parts, size_t n, int at)
{
	return at >= 0 && (size_t)at < n ? parts[at] : "";
}

/*
 * Takes the number of the first step's tasks, which are the ranks if srun itself started them, and
 * no torchrun did.
 */
static void take_tasks(struct slurm *slurm, const char *id, const char *tasks)
{
	size_t len = strlen(id);
	int n = atoi(tasks);

	if (n > 0 && len > 2 && !strcmp(id + len - 2, ".0") && !slurm->texts->torchrun &&
		slurm->texts->tasks)
		job_add_world_size(slurm->texts->builder, n, "Slurm record");
}

static void take_row(void *with, const char *line, int64_t number)
{
	struct slurm *slurm = with;
	const char *parts[COLUMNS];
	size_t n;

	slurm->line = number;
	if (!strchr(line, '|'))
		return;
	n = split(slurm, line, parts);
	if (column(parts, n, "JobID") >= 0) {
		slurm->is_table = true;
		slurm->id = column(parts, n, "JobID");
		slurm->state = column(parts, n, "State");
		slurm->code = column(parts, n, "ExitCode");
		slurm->tasks = column(parts, n, "NTasks");
	} else if (slurm->is_table) {
		take(slurm, cell(parts, n, slurm->id), cell(parts, n, slurm->state),
			cell(parts, n, slurm->code));
		take_tasks(slurm, cell(parts, n, slurm->id), cell(parts, n, slurm->tasks));
	}
}

/* -- memory ------------------------------------------------------------------------------------ */

/* Returns the one rank that SIGKILL ended; NULL none, or several. */
static struct decode_process *one_killed(const struct texts *texts)
{
	struct decode_process *found = NULL;

	for (size_t i = 0; i < texts->context->processes.nr; i++) {
		struct decode_process *process = texts->context->processes.items[i];

		if (!process->fact.by_texts || process->end.end != JOB_SIGNALED ||
			process->end.status != SIGKILL)
			continue;
		if (found)
			return NULL;
		found = process;
	}
	return found;
}

static void count_job(void *with, const char *line, int64_t number)
{
	struct slurm *slurm = with;
	size_t before = strncmp(line, JOB_ID, strlen(JOB_ID)) ? 0 : strlen(JOB_ID);
	char *end;
	long job = strtol(line + before, &end, 10);
	long task = *end == '_' ? strtol(end + 1, NULL, 10) : -1;

	(void)number;
	if (job <= 0 || (!before && !strchr(line, '|')))
		return;
	slurm->several |= slurm->first && (slurm->first != job || slurm->task != task);
	slurm->first = job;
	slurm->task = task;
}

/*
 * Finds whether the record is of several jobs. In a table the number has to stand in the first
 * column.
 */
static void count_jobs(struct slurm *slurm, const char *text)
{
	texts_each_line(text, count_job, slurm);
}

void texts_read_slurm(struct texts *texts, const struct exhibit *exhibit)
{
	struct slurm slurm = {.texts = texts, .exhibit = exhibit};
	const char *text = texts_of(texts, exhibit);
	struct decode_process *killed;

	count_jobs(&slurm, text);
	if (strstr(text, JOB_ID))
		read_fields(&slurm, text);
	else
		texts_each_line(text, take_row, &slurm);
	killed = slurm.of_memory ? one_killed(texts) : NULL;
	if (!killed)
		return;
	killed->fact.by_texts |= TEXTS_SLURM;
	if (!*killed->fact.oom_cite)
		killed->fact.oom_cite = texts_cite(texts, exhibit, slurm.line);
}
