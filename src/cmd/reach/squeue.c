/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/squeue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proc/program.h"
#include "proc/survey/claims.h"

#define ASK_MS     10000 /* Slurm's own commands try for a minute */
#define OUTPUT_CAP ((size_t)4 << 20)

/* -- Asking ----------------------------------------------------------------------------------- */

/* Variables by which a user may have told squeue to leave things out, or to do them otherwise. */
static const char *const unset[] = {"SQUEUE_ACCOUNT", "SQUEUE_ALL", "SQUEUE_ARRAY",
	"SQUEUE_FEDERATION", "SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_LICENSES", "SQUEUE_LOCAL",
	"SQUEUE_NAMES", "SQUEUE_PARTITION", "SQUEUE_PRIORITY", "SQUEUE_QOS", "SQUEUE_SIBLING",
	"SQUEUE_SORT", "SQUEUE_STATES", "SQUEUE_USERS", NULL};

/* Returns the first line of what squeue has printed; borrowed, and valid until the text changes. */
static const char *first_line(struct str *text)
{
	char *end = text->len ? strchr(text->text, '\n') : NULL;

	if (end)
		*end = '\0';
	return str_text(text);
}

/* Says why squeue could not be asked, by program_read()'s status. Always -1. */
static int tell_failure(int status, const char *job, struct str *text, struct complaint *why)
{
	if (status == PROGRAM_NOT_FOUND)
		return complaint_set(why, "no Slurm here: no squeue in PATH; go to a node that has "
					  "it, or say --hosts and a list");
	if (status == -ETIMEDOUT)
		return complaint_set(why,
			"Slurm does not answer: its controller was asked for %s "
			"for %d s; --hosts and a list do without it",
			job, ASK_MS / 1000);
	if (status == -EFBIG)
		return complaint_set(why,
			"job %s has more tasks than are read: say one of them, "
			"--slurm %s_TASK, as `squeue --me --array' lists them",
			job, job);
	if (status < 0)
		return complaint_errno(why, -status, "squeue cannot be asked for %s", job);
	return complaint_set(why, "Slurm does not tell of %s: %s", job, first_line(text));
}

/*
 * Asks squeue. What it complains of comes with what it prints: that is all that tells the reasons
 * apart. 0, also where Slurm knows no such job, or -1 with words.
 */
static int ask(const char *const *argv, const char *job, struct str *text, struct complaint *why)
{
	const struct program program = {.argv = argv, .env = unset};
	int status = program_read(&program, ASK_MS, OUTPUT_CAP, text);

	if (!status || (status > 0 && strstr(str_text(text), "Invalid job id")))
		return 0;
	return tell_failure(status, job, text, why);
}

#define ASK "exec squeue --noheader --all " /* and the fields, and whose */

/* -- Rows ------------------------------------------------------------------------------------- */

/* Takes a row apart at its bars, the last field is what is left. False: it has fewer fields. */
static bool split(char *line, char **fields, size_t nr)
{
	char *rest = line;

	for (size_t i = 0; i < nr; i++)
		if (!(fields[i] = i + 1 < nr ? strsep(&rest, "|") : rest))
			return false;
	return true;
}

/* Adds a row of `squeue`: one job. False if it is none. */
static bool add_job(struct squeue *squeue, char *line)
{
	char *fields[8];

	if (!split(line, fields, 8) || claims_number(fields[0]) < 0)
		return false;
	*array_add(&squeue->jobs) = (struct squeue_job){
		.number = fields[0],
		.name = fields[1],
		.array = fields[2],
		.task = claims_number(fields[3]),
		.state = fields[4],
		.uid = fields[5],
		.user = fields[6],
		.nodes = fields[7],
	};
	return true;
}

/*
 * Returns the number in a step's name: "2_0.1", "1.0+1" (of one step's components); -1 for
 * "1.batch".
 */
static int step_number(char *name)
{
	char *number = strrchr(name, '.');

	if (!number)
		return -1;
	number[strcspn(number, "+")] = '\0';
	return claims_number(number + 1);
}

/* Adds a row of `squeue --steps`. False if it is none. */
static bool add_step(struct squeue *squeue, char *line)
{
	char *fields[2];

	if (!split(line, fields, 2))
		return false;
	*array_add(&squeue->steps) =
		(struct squeue_step){.number = step_number(fields[0]), .nodes = fields[1]};
	return true;
}

/*
 * Adds all rows. Lines that are no rows (a cluster's name, a warning) are left out, unless there is
 * nothing else. 0, or -1 with words.
 */
static int read_rows(struct squeue *squeue, bool (*add)(struct squeue *squeue, char *line),
	const char *job, struct complaint *why)
{
	char *rest = squeue->text.text, *line;
	const char *odd = NULL;
	size_t rows = 0;

	while (rest && (line = strsep(&rest, "\n"))) {
		if (add(squeue, line))
			rows++;
		else if (*line && !odd)
			odd = line;
	}
	if (rows || !odd || strstr(odd, "Invalid job id"))
		return 0;
	return complaint_set(why,
		"squeue answers otherwise than Slurm's own: %s: asked for %s; "
		"--hosts and a list do without it",
		odd, job);
}

int squeue_ask_jobs(struct squeue *squeue, const char *job, struct complaint *why)
{
	const char *const argv[] = {"sh", "-c",
		ASK "--states=all --format='%A|%i|%F|%K|%T|%U|%u|%N' --jobs=\"$0\" 2>&1", job,
		NULL};

	if (ask(argv, job, &squeue->text, why) < 0)
		return -1;
	return read_rows(squeue, add_job, job, why);
}

int squeue_ask_steps(struct squeue *squeue, const char *job, struct complaint *why)
{
	const char *const all[] = {
		"sh", "-c", ASK "--format='%i|%N' --steps --jobs=\"$0\" 2>&1", job, NULL};
	const char *const one[] = {
		"sh", "-c", ASK "--format='%i|%N' --steps=\"$0\" 2>&1", job, NULL};

	if (ask(strchr(job, '.') ? one : all, job, &squeue->text, why) < 0)
		return -1;
	return read_rows(squeue, add_step, job, why);
}

void squeue_release(struct squeue *squeue)
{
	array_release(&squeue->jobs);
	array_release(&squeue->steps);
	str_release(&squeue->text);
}
