/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/reach/nodes.h"
#include "cmd/reach/squeue.h"
#include "proc/survey/claims.h"

#define DIGITS "0123456789"

/* -- What is asked for ------------------------------------------------------------------------ */

/* What a text asks for: "123_4.0" taken apart. */
struct wanted {
	char name[64]; /* the job, without the step */
	char number[16]; /* what it begins with: "123" */
	int step;   /* -1: all steps */
	bool exact; /* the number is a job's own, never that of an array */
};

/* Takes the number at *at, which is moved behind it. Returns -1 where there is none. */
static int take_number(const char **at, char *ret, size_t size)
{
	size_t len = strspn(*at, DIGITS);

	if (!len || len >= size)
		return -1;
	memcpy(ret, *at, len);
	ret[len] = '\0';
	*at += len;
	return claims_number(ret);
}

/* Takes a text apart. Returns false if it names no job. */
static bool parse(const char *text, struct wanted *ret)
{
	const char *at = text;
	char digits[10];

	*ret = (struct wanted){.step = -1};
	if (take_number(&at, ret->number, sizeof(digits)) < 0)
		return false;
	if ((*at == '_' || *at == '+') && (at++, take_number(&at, digits, sizeof(digits)) < 0))
		return false;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(at - text), text);
	if (*at == '.') {
		at++;
		ret->step = take_number(&at, digits, sizeof(digits));
		/* With a step the number is as an environment has it. */
		ret->exact = true;
		if (ret->step < 0)
			return false;
	}
	return !*at;
}

bool allocation_is_job(const char *text)
{
	struct wanted wanted;

	return parse(text, &wanted);
}

/* -- Whether it runs -------------------------------------------------------------------------- */

/* How far a job is. */
enum stage { RUNS, NOT_YET, OVER };

/*
 * Returns how far a job of that state is. Ranks of a completing job may still hang, but Slurm
 * starts no step of it any more.
 */
static enum stage stage_of(const char *state)
{
	static const struct {
		const char *state;
		enum stage stage;
	} stages[] = {{"PENDING", NOT_YET}, {"REQUEUED", NOT_YET}, {"REQUEUE_HOLD", NOT_YET},
		{"REQUEUE_FED", NOT_YET}, {"SPECIAL_EXIT", NOT_YET}, {"CONFIGURING", NOT_YET},
		{"COMPLETED", OVER}, {"CANCELLED", OVER}, {"FAILED", OVER}, {"TIMEOUT", OVER},
		{"NODE_FAIL", OVER}, {"PREEMPTED", OVER}, {"BOOT_FAIL", OVER}, {"DEADLINE", OVER},
		{"OUT_OF_MEMORY", OVER}, {"COMPLETING", OVER}, {"REVOKED", OVER}};

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		if (!strcmp(state, stages[i].state))
			return stages[i].stage;
	return RUNS;
}

/* Returns 0 if we are the job's owner or root, who may look into it; else negative with words. */
static int may_ask(const struct squeue_job *job, const char *name, struct complaint *why)
{
	if (geteuid() == 0 || (uid_t)strtoul(job->uid, NULL, 10) == geteuid())
		return 0;
	return complaint_set(why, "job %s is %s's: only %s and root may look into it", name,
		job->user, job->user);
}

/* Says that a job has not begun, or is over. Returns negative. */
static int tell_stage(const char *name, enum stage stage, const char *state, struct complaint *why)
{
	if (stage == NOT_YET)
		return complaint_set(why,
			"job %s has not begun: %s; `squeue --job %s --start' says "
			"when",
			name, state, name);
	return complaint_set(why,
		"job %s is over: %s; what its agents left is judged by `inquest "
		"diagnose FOLDER', inquest-out unless -o or INQUEST_OUT said "
		"otherwise",
		name, state);
}

/* -- Which jobs ------------------------------------------------------------------------------- */

/*
 * Returns the number behind the plus in the name of a component of a heterogeneous job; -1: it is
 * none.
 */
static int component_of(const struct squeue_job *job)
{
	const char *plus = strchr(job->name, '+');

	return plus ? claims_number(plus + 1) : -1;
}

/* True if the job is the wanted one, or a part of it. */
static bool is_meant(const struct wanted *wanted, const struct squeue_job *job)
{
	size_t len = strlen(wanted->number);

	/* Tasks that wait are one row, which squeue prints only if the wanted one is among them. */
	if (strchr(wanted->name, '_'))
		return !strcmp(job->name, wanted->name) ||
		       (job->task < 0 && !strcmp(job->array, wanted->number));
	if (strchr(wanted->name, '+'))
		return !strcmp(job->name, wanted->name);
	if (!strcmp(job->number, wanted->number))
		return true;
	if (component_of(job) >= 0)
		return !strncmp(job->name, wanted->number, len) && job->name[len] == '+';
	return !wanted->exact && !strcmp(job->array, wanted->number);
}

/* Keeps the jobs that are meant. Returns 0, or negative with words if there is none. */
static int keep_meant(struct squeue *squeue, const struct wanted *wanted, struct complaint *why)
{
	size_t kept = 0;

	for (size_t i = 0; i < squeue->jobs.nr; i++)
		if (is_meant(wanted, &squeue->jobs.items[i]))
			squeue->jobs.items[kept++] = squeue->jobs.items[i];
	squeue->jobs.nr = kept;
	if (kept)
		return 0;
	return complaint_set(why,
		"Slurm knows no job %s: `squeue --me' lists yours; of one "
		"that is over, `inquest diagnose FOLDER' judges what its "
		"agents left",
		wanted->name);
}

/* Keeps the jobs that run. Returns 0, or negative with words if none does. */
static int keep_running(struct squeue *squeue, const char *name, struct complaint *why)
{
	const char *last = NULL;
	enum stage stage = RUNS;
	size_t kept = 0;

	for (size_t i = 0; i < squeue->jobs.nr; i++) {
		const struct squeue_job *job = &squeue->jobs.items[i];
		enum stage now = stage_of(job->state);

		if (now == RUNS) {
			squeue->jobs.items[kept++] = *job;
		} else if (!last || now == NOT_YET) {
			stage = now;
			last = job->state;
		}
	}
	squeue->jobs.nr = kept;
	return kept ? 0 : tell_stage(name, stage, last, why);
}

/* Says which tasks of an array run: each is a job that could be meant. Returns negative. */
static int tell_tasks(const struct squeue *squeue, const char *name, struct complaint *why)
{
	struct str tasks = {0};
	size_t shown = 0;
	int error;

	for (size_t i = 0; i < squeue->jobs.nr && shown < 4; i++)
		str_printf(&tasks, "%s--slurm %s", shown++ ? ", " : "", squeue->jobs.items[i].name);
	error = complaint_set(why, "job %s is an array of which %zu tasks run: say %s%s", name,
		squeue->jobs.nr, str_text(&tasks), shown < squeue->jobs.nr ? " or another" : "");
	str_release(&tasks);
	return error;
}

/* -- Which nodes ------------------------------------------------------------------------------ */

/* Adds the nodes of one of Slurm's lists. Returns 0, or negative with words. */
static int add_nodes(
	struct allocation *allocation, const char *list, int component, struct complaint *why)
{
	struct nodes nodes = {0};
	int error = *list ? nodes_read_names(&nodes, list, why) : 0;

	for (size_t i = 0; i < nodes.names.nr && !error; i++)
		*array_add(&allocation->nodes) = (struct allocation_node){
			.name = alloc_text(nodes.names.items[i]), .component = component};
	nodes_release(&nodes);
	return error;
}

/*
 * Adds the nodes of the wanted step of one job, by the number that Slurm gave to the job; none
 * where it has no such step.
 */
static int add_step(
	struct allocation *allocation, const char *number, int component, struct complaint *why)
{
	struct squeue squeue = {0};
	struct str name = {0};
	int error;

	str_printf(&name, "%s.%d", number, allocation->step);
	error = squeue_ask_steps(&squeue, str_text(&name), why);
	for (size_t i = 0; i < squeue.steps.nr && !error; i++)
		if (squeue.steps.items[i].number == allocation->step)
			error = add_nodes(allocation, squeue.steps.items[i].nodes, component, why);
	str_release(&name);
	squeue_release(&squeue);
	return error;
}

/* Adds the nodes of a job, or of the wanted step of it. */
static int add_job(
	struct allocation *allocation, const struct squeue_job *job, struct complaint *why)
{
	int component = component_of(job);

	snprintf(allocation->id, sizeof(allocation->id), "%.*s",
		component < 0 ? (int)strlen(job->number) : (int)strcspn(job->name, "+"),
		component < 0 ? job->number : job->name);
	if (allocation->step < 0)
		return add_nodes(allocation, job->nodes, component, why);
	return add_step(allocation, job->number, component, why);
}

/* Adds the nodes of all jobs that are meant. Returns 0, or negative with words. */
static int add_jobs(struct allocation *allocation, const struct wanted *wanted,
	const struct squeue *squeue, struct complaint *why)
{
	int error = 0;

	if (squeue->jobs.nr > 1 && squeue->jobs.items[0].task >= 0)
		return tell_tasks(squeue, wanted->name, why);
	for (size_t i = 0; i < squeue->jobs.nr && !error; i++)
		error = add_job(allocation, &squeue->jobs.items[i], why);
	if (!error && !allocation->nodes.nr && wanted->step >= 0)
		error = complaint_set(why,
			"job %s runs no step %d now: `squeue --steps --job %s' "
			"lists them",
			wanted->name, wanted->step, wanted->name);
	else if (!error && !allocation->nodes.nr)
		error = complaint_set(why, "Slurm names no node of job %s", wanted->name);
	return error;
}

/*
 * Leaves out the step that we run in: a user who asks from a step of that job (a shell by srun
 * --pty) does not mean that. If only one other step runs, it is taken.
 */
static int leave_own_step(struct allocation *allocation, struct complaint *why)
{
	const char *job = getenv("SLURM_JOB_ID"), *own = getenv("SLURM_STEP_ID");
	struct squeue squeue = {0};
	int error, found = -1, steps = 0;

	if (!job || !own || strcmp(job, allocation->id) != 0)
		return 0;
	error = squeue_ask_steps(&squeue, job, why);
	for (size_t i = 0; i < squeue.steps.nr && !error; i++) {
		int number = squeue.steps.items[i].number;

		if (number < 0 || number == claims_number(own) || number == found)
			continue;
		found = number;
		steps++;
	}
	if (steps == 1)
		allocation->step = found;
	squeue_release(&squeue);
	return error;
}

int allocation_read(struct allocation *allocation, const char *job, struct complaint *why)
{
	const char *text = job ? job : getenv("SLURM_JOB_ID");
	struct squeue squeue = {0};
	struct wanted wanted;
	int error;

	if (!text)
		return complaint_set(why, "which job? Say --slurm JOB, as squeue lists it: this is "
					  "no job of Slurm itself");
	if (!parse(text, &wanted))
		return complaint_set(
			why, "%s is no job of Slurm: say 123, 123.0, 123_4 or 123+1", text);
	wanted.exact = wanted.exact || !job;
	allocation->step = wanted.step;
	error = squeue_ask_jobs(&squeue, wanted.name, why);
	if (!error)
		error = keep_meant(&squeue, &wanted, why);
	if (!error)
		error = may_ask(&squeue.jobs.items[0], wanted.name, why);
	if (!error)
		error = keep_running(&squeue, wanted.name, why);
	if (!error)
		error = add_jobs(allocation, &wanted, &squeue, why);
	if (!error && wanted.step < 0)
		error = leave_own_step(allocation, why);
	squeue_release(&squeue);
	return error;
}

void allocation_release(struct allocation *allocation)
{
	for (size_t i = 0; i < allocation->nodes.nr; i++)
		free(allocation->nodes.items[i].name);
	array_release(&allocation->nodes);
}
