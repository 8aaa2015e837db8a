/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/allocation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/reach/nodes.h"
#include "proc/program.h"
#include "proc/survey/claims.h"

#define ASK_MS     10000 /* scontrol itself tries for a minute */
#define OUTPUT_CAP ((size_t)4 << 20)
#define DIGITS     "0123456789"

/* -- What is asked for ------------------------------------------------------------------------ */

/* "123_4.0" taken apart. */
struct wanted {
	char name[64]; /* without the step */
	char number[16];
	int step;   /* -1 all */
	bool exact; /* the number is a job's own, never that of an array */
};

/* The number at *at, which is moved behind it; -1: there is none. */
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
		/* As an environment has it. */
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

/* -- What scontrol answers -------------------------------------------------------------------- */

/* What it complains of comes with what it prints: that is all that tells the reasons apart. */
static int ask(const char *what, const char *name, struct str *ret, struct complaint *why)
{
	const char *const argv[] = {
		"sh", "-c", "exec scontrol -o show \"$0\" \"$1\" 2>&1", what, name, NULL};
	int status = program_read(&(struct program){.argv = argv}, ASK_MS, OUTPUT_CAP, ret);
	char *end = strchr(str_text(ret), '\n');

	if (status == PROGRAM_NOT_FOUND)
		return complaint_set(why,
			"no Slurm here: no scontrol in PATH; go to a node that has "
			"it, or say --hosts and a list");
	if (status == -ETIMEDOUT)
		return complaint_set(why,
			"Slurm does not answer: its controller was asked for %s "
			"for %d s; --hosts and a list do without it",
			name, ASK_MS / 1000);
	if (!status || strstr(str_text(ret), "Invalid job id") ||
		strstr(str_text(ret), "not found"))
		return 0;
	return complaint_set(why, "Slurm does not tell of %s: %.*s", name,
		end ? (int)(end - ret->text) : (int)ret->len, str_text(ret));
}

/* The value of a field of one line; false, and "": it has none. */
static bool field(const char *line, const char *name, char *ret, size_t size)
{
	size_t len = strlen(name);
	const char *at = line;

	*ret = '\0';
	while (*at) {
		const char *end = at + strcspn(at, " ");

		if (!strncmp(at, name, len) && at[len] == '=') {
			at += len + 1;
			if ((size_t)(end - at) >= size)
				return false;
			memcpy(ret, at, (size_t)(end - at));
			ret[end - at] = '\0';
			return true;
		}
		at = end + strspn(end, " ");
	}
	return false;
}

static int number_field(const char *line, const char *name)
{
	char text[32];

	return field(line, name, text, sizeof(text)) ? claims_number(text) : -1;
}

/* -- Whether it runs -------------------------------------------------------------------------- */

enum stage { RUNS, NOT_YET, OVER };

/* Of a job that is completing ranks may hang still, but Slurm starts no step of it any more. */
static enum stage stage_of(const char *line, char *state, size_t size)
{
	static const struct {
		const char *state;
		enum stage stage;
	} stages[] = {{"PENDING", NOT_YET}, {"REQUEUED", NOT_YET}, {"REQUEUE_HOLD", NOT_YET},
		{"REQUEUE_FED", NOT_YET}, {"SPECIAL_EXIT", NOT_YET}, {"CONFIGURING", NOT_YET},
		{"COMPLETED", OVER}, {"CANCELLED", OVER}, {"FAILED", OVER}, {"TIMEOUT", OVER},
		{"NODE_FAIL", OVER}, {"PREEMPTED", OVER}, {"BOOT_FAIL", OVER}, {"DEADLINE", OVER},
		{"OUT_OF_MEMORY", OVER}, {"COMPLETING", OVER}, {"REVOKED", OVER}};

	field(line, "JobState", state, size);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		if (!strcmp(state, stages[i].state))
			return stages[i].stage;
	return RUNS;
}

/* "bob(1000)" may be asked by himself and by root. */
static int may_ask(const char *line, const char *name, struct complaint *why)
{
	char user[128], *paren;

	if (!field(line, "UserId", user, sizeof(user)) || !(paren = strchr(user, '(')))
		return 0;
	*paren++ = '\0';
	if (geteuid() == 0 || (uid_t)strtoul(paren, NULL, 10) == geteuid())
		return 0;
	return complaint_set(
		why, "job %s is %s's: only %s and root may look into it", name, user, user);
}

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

/* -- Which nodes ------------------------------------------------------------------------------ */

static int add_nodes(
	struct allocation *allocation, const char *line, int component, struct complaint *why)
{
	char *list = alloc_zeroed(1, strlen(line) + 1);
	struct nodes nodes = {0};
	int error = 0;

	if (field(line, "NodeList", list, strlen(line) + 1) && strcmp(list, "(null)") != 0)
		error = nodes_read_names(&nodes, list, why);
	for (size_t i = 0; i < nodes.names.nr && !error; i++)
		*array_add(&allocation->nodes) = (struct allocation_node){
			.name = alloc_text(nodes.names.items[i]), .component = component};
	nodes_release(&nodes);
	free(list);
	return error;
}

/* True if that line is of a step of this number. */
static bool is_step(const char *line, int step)
{
	char id[64], *dot;

	return field(line, "StepId", id, sizeof(id)) && (dot = strrchr(id, '.')) &&
	       claims_number(dot + 1) == step;
}

/* Those of the wanted step of one job, as Slurm numbers it; none where it has no such step. */
static int add_step(
	struct allocation *allocation, const char *number, int component, struct complaint *why)
{
	struct str name = {0}, text = {0};
	char *rest, *line;
	int error;

	str_printf(&name, "%s.%d", number, allocation->step);
	error = ask("step", str_text(&name), &text, why);
	rest = text.text;
	while (!error && rest && (line = strsep(&rest, "\n")))
		if (is_step(line, allocation->step))
			error = add_nodes(allocation, line, component, why);
	str_release(&name);
	str_release(&text);
	return error;
}

/* -- Which jobs ------------------------------------------------------------------------------- */

struct records {
	ARRAY(const char *) all;
	struct str text;
};

/* What lines are of jobs that are meant. */
static int read_records(const struct wanted *wanted, struct records *records, struct complaint *why)
{
	int error = ask("job", wanted->name, &records->text, why);
	char *rest = records->text.text, *line;
	char id[32];

	while (!error && rest && (line = strsep(&rest, "\n"))) {
		if (!field(line, "JobId", id, sizeof(id)))
			continue;
		if (wanted->exact && number_field(line, "ArrayJobId") >= 0 &&
			!strchr(wanted->name, '_') && strcmp(id, wanted->number) != 0)
			continue;
		*array_add(&records->all) = line;
	}
	if (!error && !records->all.nr)
		error = complaint_set(why,
			"Slurm knows no job %s: `squeue --me' lists yours; of one "
			"that is over, `inquest diagnose FOLDER' judges what its "
			"agents left",
			wanted->name);
	return error;
}

/* Of an array without a task the one that runs; several, and each is a job that could be meant. */
static int tell_tasks(const struct records *records, const char *name, struct complaint *why)
{
	struct str tasks = {0};
	size_t shown = 0;
	int error;

	for (size_t i = 0; i < records->all.nr && shown < 4; i++) {
		int task = number_field(records->all.items[i], "ArrayTaskId");

		if (task >= 0)
			str_printf(&tasks, "%s--slurm %s_%d", shown++ ? ", " : "", name, task);
	}
	error = complaint_set(why, "job %s is an array of which %zu tasks run: say %s%s", name,
		records->all.nr, str_text(&tasks), shown < records->all.nr ? " or another" : "");
	str_release(&tasks);
	return error;
}

/* Leaves those that run; words where none does. */
static int keep_running(struct records *records, const char *name, struct complaint *why)
{
	enum stage stage = RUNS;
	char state[64] = "", last[64] = "";
	size_t kept = 0;

	for (size_t i = 0; i < records->all.nr; i++) {
		enum stage now = stage_of(records->all.items[i], state, sizeof(state));

		if (now == RUNS) {
			records->all.items[kept++] = records->all.items[i];
		} else if (!*last || now == NOT_YET) {
			stage = now;
			memcpy(last, state, sizeof(last));
		}
	}
	records->all.nr = kept;
	return kept ? 0 : tell_stage(name, stage, last, why);
}

static int add_record(struct allocation *allocation, const char *line, struct complaint *why)
{
	int component = number_field(line, "HetJobOffset");
	char number[32];

	field(line, "JobId", number, sizeof(number));
	if (component < 0 || !field(line, "HetJobId", allocation->id, sizeof(allocation->id)))
		memcpy(allocation->id, number, sizeof(number));
	if (allocation->step < 0)
		return add_nodes(allocation, line, component, why);
	return add_step(allocation, number, component, why);
}

static int add_records(struct allocation *allocation, const struct wanted *wanted,
	const struct records *records, struct complaint *why)
{
	const char *first = records->all.items[0];
	int error = 0;

	if (records->all.nr > 1 && number_field(first, "ArrayTaskId") >= 0)
		return tell_tasks(records, wanted->name, why);
	for (size_t i = 0; i < records->all.nr && !error; i++)
		error = add_record(allocation, records->all.items[i], why);
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
 * Who asks from a step of that job (a shell by srun --pty) is no part of what he looks for: where
 * but one other step runs, that is meant.
 */
static int leave_own_step(struct allocation *allocation, struct complaint *why)
{
	const char *job = getenv("SLURM_JOB_ID"), *own = getenv("SLURM_STEP_ID");
	struct str text = {0};
	char *rest, *line, id[64], *dot;
	int error, found = -1, steps = 0;

	if (!job || !own || strcmp(job, allocation->id) != 0)
		return 0;
	error = ask("step", job, &text, why);
	rest = text.text;
	while (!error && rest && (line = strsep(&rest, "\n"))) {
		if (!field(line, "StepId", id, sizeof(id)) || !(dot = strrchr(id, '.')) ||
			claims_number(dot + 1) < 0 || !strcmp(dot + 1, own))
			continue;
		found = claims_number(dot + 1);
		steps++;
	}
	if (steps == 1)
		allocation->step = found;
	str_release(&text);
	return error;
}

int allocation_read(struct allocation *allocation, const char *job, struct complaint *why)
{
	const char *text = job ? job : getenv("SLURM_JOB_ID");
	struct records records = {0};
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
	error = read_records(&wanted, &records, why);
	if (!error)
		error = may_ask(records.all.items[0], wanted.name, why);
	if (!error)
		error = keep_running(&records, wanted.name, why);
	if (!error)
		error = add_records(allocation, &wanted, &records, why);
	if (!error && wanted.step < 0)
		error = leave_own_step(allocation, why);
	str_release(&records.text);
	array_release(&records.all);
	return error;
}

void allocation_release(struct allocation *allocation)
{
	for (size_t i = 0; i < allocation->nodes.nr; i++)
		free(allocation->nodes.items[i].name);
	array_release(&allocation->nodes);
}
