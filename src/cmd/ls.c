/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "cmd/job-pick.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/foreign-job.h"
#include "cmd/job-words.h"
#include "cmd/outlet.h"
#include "cmd/owner.h"
#include "cmd/receipts.h"
#include "cmd/seeing.h"
#include "cmd/seen-folders.h"
#include "evidence/agent/fellows.h"
#include "evidence/agent/jobs.h"
#include "proc/survey/standing.h"
#include "report/json-parts.h"
#include "words/escape.h"
#include "words/receipt-words.h"
#include "words/wording.h"

/* --- Runs that are over ----------------------------------------------------------------------- */

/*
 * Runs of which there is no job folder any more, or none on this machine: known by the receipts
 * that they left where bundles are kept (cmd/receipts.h).
 */

/* True if a job folder has that id. */
static bool is_listed(const struct jobs *jobs, const struct receipt *receipt)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].id, receipt->launch.job))
			return true;
	return false;
}

/*
 * Fills an empty list with the runs that are not among these jobs, the newest first. Says nothing
 * on stderr.
 */
static void ls_past_find(struct receipts *past, const struct jobs *jobs)
{
	struct stat about;
	size_t n = 0;

	past->quiet = past->no_bundles = true;
	if (stat(receipts_folder(), &about) == 0 && S_ISDIR(about.st_mode))
		receipts_add(past, receipts_folder());
	receipts_sort(past);
	for (size_t i = 0; i < past->all.nr; i++)
		if (!is_listed(jobs, &past->all.items[i]))
			past->all.items[n++] = past->all.items[i];
	past->all.nr = n;
}

/* Of a run that is over no rank lives; of another run only how many there should be is known. */
static void ls_past_ranks(struct str *into, const struct receipt *receipt)
{
	if (receipt->ended != JOB_UNKNOWN)
		str_add(into, "0/");
	else
		str_add(into, "?/");
	if (receipt->world_size != JOB_UNKNOWN)
		str_printf(into, "%" PRId64, receipt->world_size);
	else
		str_add(into, receipt->nranks || receipt->ended == JOB_UNKNOWN ? "?" : "0");
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, *text ? json_text(text) : NULL);
}

static void put_number(struct json_object *object, const char *key, int64_t n)
{
	json_object_object_add(object, key, n == JOB_UNKNOWN ? NULL : json_object_new_int64(n));
}

/*
 * Adds what kind of an end it was: a status, a signal as a shell tells it, or none that was
 * recorded.
 */
static void put_error(struct json_object *object, const struct receipt *receipt)
{
	struct str words = {0};

	if (receipt->lost)
		str_add(&words, "no end recorded");
	else if (receipt->exit_status > 128 && receipt->exit_status < 128 + 65)
		wording_signal(&words, receipt->exit_status - 128);
	else if (receipt->exit_status > 0)
		str_printf(&words, "status %" PRId64, receipt->exit_status);
	put_text(object, "error", str_text(&words));
	str_release(&words);
}

/* Returns how many steps the rank has made that came the furthest; JOB_UNKNOWN. */
static int64_t ls_past_steps(const struct receipt *receipt)
{
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].steps > most)
			most = receipt->ranks[i].steps;
	return most;
}

/* Makes the run an object of the list in JSON. The caller owns it. */
static struct json_object *ls_past_object(const struct receipt *receipt)
{
	struct json_object *object = json_object_new_object();
	const char *state = receipt->lost		      ? "lost"
			    : !strcmp(receipt->state, "error") ? "failed"
							       : receipt->state;

	put_text(object, "id", receipt->launch.job);
	put_text(object, "name", receipt->launch.name);
	put_text(object, "host", receipt->launch.host);
	put_text(object, "state", state);
	put_error(object, receipt);
	put_number(object, "world_size", receipt->world_size);
	put_number(object, "exit_status", receipt->exit_status);
	put_number(object, "launched_ns", receipt->launch.launched);
	put_number(object, "ended_ns", receipt->ended);
	put_number(object, "seen_ns", receipt->seen);
	put_number(object, "steps", ls_past_steps(receipt));
	put_text(object, "verdict", receipt->verdict);
	put_text(object, "bundle", receipt->bundle);
	put_text(object, "receipt", receipt->path);
	return object;
}

/* --- The command line ------------------------------------------------------------------------- */

#define ORPHANS_MOST 16 /* jobs without an agent that are looked at */

struct arguments {
	bool json;
	bool all;
	struct budget budget;
};

static const struct argp_child children[] = {{&budget_argp, 0, NULL, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (key == 'j')
		arguments->json = true;
	else if (key == 'a')
		arguments->all = true;
	else if (key == ARGP_KEY_INIT)
		cmd_give(state, children, &budget_argp, &arguments->budget);
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "no argument is expected: %s", arg);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "A JSON array instead of a table", 0},
	{"all", 'a', NULL, 0,
		"Jobs without probe as well: asks all processes here; each command that failed "
		"before any rank; and runs that left a receipt in INQUEST_OUT or ./inquest-out",
		0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "List the jobs of this machine.",
};

static int64_t age_of(const struct jobs_entry *entry)
{
	return entry->launched ? clock_realtime_ns() - entry->launched : 0;
}

/* The cells of a job's row. */
struct row {
	const char *id, *name, *ranks;
	const struct str *state;
	const char *age, *owner;
};

/* A state is never cut: it is what the table is asked for. */
static void print_row(const struct row *row, bool utf8)
{
	struct str line = {0};

	escape_cell(&line, row->id, 24, utf8);
	escape_cell(&line, row->name, 18, utf8);
	escape_cell(&line, row->ranks, 7, utf8);
	escape_cell(&line, str_text(row->state), row->state->len > 8 ? row->state->len : 8, utf8);
	escape_cell(&line, row->age, 7, utf8);
	str_add(&line, row->owner);
	puts(str_text(&line));
	str_release(&line);
}

/*
 * Appends the state for the table: with the exit status if the job is over, and with a note if the
 * word of an agent that is gone is old.
 */
static void add_state(const struct jobs_entry *entry, struct str *into)
{
	if (entry->status == JOBS_RUNNING && entry->unprobed &&
		entry->unprobed == entry->ranks_alive)
		str_add(into, "no probe");
	else
		str_add(into, jobs_status_name(entry->status));
	if (entry->status == JOBS_HUNG && !entry->agent_alive)
		str_add(into, " (agent gone)");
	if (entry->status == JOBS_ENDED && entry->exit_status > 0)
		str_printf(into, " %d", entry->exit_status);
	/* The launcher ended with 0, but what was told of its ranks still stands. */
	if (entry->status == JOBS_ENDED && !entry->exit_status && *entry->keys)
		str_add(into, " 0, not well");
}

/*
 * Appends what a person knows a job by: its name, else what it runs, since its id stands beside
 * that.
 */
static void add_name(const struct jobs_entry *entry, struct str *into)
{
	if (*entry->given || !*entry->command)
		str_add(into, entry->name);
	else
		job_words_program(entry->command, into);
}

static void print_own_row(const struct fellows_sum *sum, bool utf8)
{
	const struct jobs_entry *entry = &sum->all;
	char ranks[48], age[CLOCK_TEXT_SIZE] = "-", number[OWNER_SIZE];
	struct str state = {0}, name = {0};

	add_name(entry, &name);
	add_state(entry, &state);
	if (sum->folders > 1)
		str_printf(&state, " (%zu of %zu agents)", sum->agents, sum->folders);
	if (entry->world_size >= 0)
		snprintf(ranks, sizeof(ranks), "%u/%d", entry->ranks_alive, entry->world_size);
	else
		snprintf(ranks, sizeof(ranks), "%u/%u", entry->ranks_alive, entry->ranks);
	if (entry->launched)
		clock_format(age_of(entry), age);
	print_row(&(struct row){entry->id, str_text(&name), ranks, &state, age,
			  owner_name(entry->owner, number)},
		utf8);
	str_release(&state);
	str_release(&name);
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_text(text));
}

/* Makes the list of a job's folders. */
static struct json_object *folders_of(const struct jobs *jobs, const struct jobs_entry *of)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = jobs->nr; i-- > 0;)
		if (fellows_are(&jobs->items[i], of))
			json_object_array_add(list, json_text(jobs->items[i].folder));
	return list;
}

/* Makes a job with folders as a JSON object. */
static struct json_object *sum_object(const struct jobs *jobs, const struct fellows_sum *sum)
{
	struct json_object *object = json_object_new_object();
	const struct jobs_entry *entry = &sum->all;
	struct str program = {0};
	char number[OWNER_SIZE];

	add_text(object, "id", entry->id);
	add_text(object, "name", entry->name);
	job_words_program(entry->command, &program);
	add_text(object, "program", str_text(&program));
	str_release(&program);
	add_text(object, "folder", entry->folder);
	json_object_object_add(object, "folders", folders_of(jobs, entry));
	json_object_object_add(object, "agents", json_object_new_int((int)sum->agents));
	add_text(object, "state", jobs_status_name(entry->status));
	json_object_object_add(object, "world_size",
		entry->world_size >= 0 ? json_object_new_int(entry->world_size) : NULL);
	json_object_object_add(object, "ranks", json_object_new_int((int)entry->ranks));
	json_object_object_add(object, "ranks_alive", json_object_new_int((int)entry->ranks_alive));
	json_object_object_add(object, "unprobed", json_object_new_int((int)entry->unprobed));
	json_object_object_add(object, "exit_status",
		entry->exit_status >= 0 ? json_object_new_int(entry->exit_status) : NULL);
	json_object_object_add(object, "agent_alive", json_object_new_boolean(entry->agent_alive));
	json_object_object_add(object, "agent_pid",
		entry->agent_pid ? json_object_new_int64(entry->agent_pid) : NULL);
	json_object_object_add(object, "launched_ns",
		entry->launched ? json_object_new_int64(entry->launched) : NULL);
	add_text(object, "user", owner_name(entry->owner, number));
	return object;
}

/*
 * Prints the row of a job without probe. It is named by the pid of its first rank, which is what
 * attach takes.
 */
static void print_foreign_row(struct survey *survey, const struct survey_job *job, bool utf8)
{
	char ranks[48], age[CLOCK_TEXT_SIZE] = "-", number[OWNER_SIZE];
	struct str name = {0}, state = {0};

	if (job->world_size >= 0)
		snprintf(ranks, sizeof(ranks), "%zu/%d", job->ranks, job->world_size);
	else
		snprintf(ranks, sizeof(ranks), "%zu/?", job->ranks);
	if (job_words_age(survey, job) > 0)
		clock_format(job_words_age(survey, job), age);
	str_printf(&name, "pid %u ", job->first_pid);
	job_words_program_of(survey, job, &name);
	str_printf(&state, "no probe%s%s", job->standing ? ", " : "",
		standing_name(job->standing));
	print_row(&(struct row){job->id, str_text(&name), ranks, &state, age,
			  owner_name(job->uid, number)},
		utf8);
	str_release(&name);
	str_release(&state);
}

static struct json_object *foreign_object(struct survey *survey, const struct survey_job *job)
{
	struct json_object *object = json_object_new_object();
	int64_t age = job_words_age(survey, job);
	const char *standing = standing_name(job->standing);
	struct str program = {0};
	char number[OWNER_SIZE];

	add_text(object, "id", job->id);
	json_object_object_add(object, "name", NULL);
	json_object_object_add(object, "folder", NULL);
	add_text(object, "state", "no probe");
	json_object_object_add(
		object, "standing", *standing ? json_object_new_string(standing) : NULL);
	json_object_object_add(object, "world_size",
		job->world_size >= 0 ? json_object_new_int(job->world_size) : NULL);
	json_object_object_add(object, "ranks", json_object_new_int((int)job->ranks));
	add_text(object, "launcher", job->launcher);
	json_object_object_add(object, "first_pid", json_object_new_int64(job->first_pid));
	job_words_program_of(survey, job, &program);
	add_text(object, "program", str_text(&program));
	str_release(&program);
	json_object_object_add(
		object, "age_s", age > 0 ? json_object_new_int64(age / CLOCK_NS_PER_S) : NULL);
	add_text(object, "user", owner_name(job->uid, number));
	return object;
}

/* Prints the row of a run that left only a receipt. */
static void print_past_row(const struct receipt *receipt, bool utf8)
{
	struct str state = {0}, ranks = {0};
	char age[CLOCK_TEXT_SIZE] = "-", number[OWNER_SIZE];
	struct stat about;

	receipt_state(&state, receipt);
	if (ls_past_steps(receipt) >= 0)
		str_printf(&state, ", step %" PRId64, ls_past_steps(receipt));
	ls_past_ranks(&ranks, receipt);
	if (receipt->launch.launched != JOB_UNKNOWN)
		clock_format(clock_realtime_ns() - receipt->launch.launched, age);
	print_row(&(struct row){receipt->launch.job, receipt->launch.name, str_text(&ranks),
			  &state, age,
			  stat(receipt->path, &about) == 0 ? owner_name(about.st_uid, number)
							   : "-"},
		utf8);
	str_release(&state);
	str_release(&ranks);
}

static void print_json(
	const struct jobs *jobs, struct survey *survey, const struct receipts *past)
{
	struct json_object *array = json_object_new_array();
	const struct survey_job *job;
	struct str text = {0};

	for (size_t i = 0; i < jobs->nr; i++) {
		struct fellows_sum sum;

		if (fellows_head(jobs, &jobs->items[i]) != &jobs->items[i])
			continue;
		fellows_sum(jobs, &jobs->items[i], &sum);
		json_object_array_add(array, sum_object(jobs, &sum));
	}
	array_for_each(&survey->jobs, job)
		if (!job->own)
			json_object_array_add(array, foreign_object(survey, job));
	for (size_t i = 0; i < past->all.nr; i++)
		json_object_array_add(array, ls_past_object(&past->all.items[i]));
	escape_json(&text, json_object_to_json_string_ext(
				   array, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	puts(str_text(&text));
	str_release(&text);
	json_object_put(array);
}

/* Commands that failed before any rank was there: they are no jobs to look at. */
struct failed {
	const struct jobs_entry *newest;
	/* how many others there are */
	size_t more;
};

/* True if the job is over and never had ranks, since its command failed before. */
static bool failed_early(const struct jobs_entry *entry)
{
	return entry->status == JOBS_ENDED && !entry->ranks && entry->world_size < 0 &&
	       entry->exit_status > 0;
}

/*
 * Prints the rows of jobs with folders. Of those that failed early only the newest has a row,
 * unless all are asked for.
 */
static void print_own(const struct jobs *jobs, bool all, struct failed *failed)
{
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];
		struct fellows_sum sum;

		if (fellows_head(jobs, entry) != entry)
			continue;
		fellows_sum(jobs, entry, &sum);
		if (!failed_early(entry) || all || !failed->newest)
			print_own_row(&sum, outlet_is_utf8());
		else
			failed->more++;
		if (!failed->newest && failed_early(entry))
			failed->newest = entry;
	}
}

/* Prints why the newest of those failed, and how many more there are. */
static void print_failed(const struct failed *failed)
{
	struct str words = {0};

	if (failed->newest && *failed->newest->last_words) {
		escape_text(&words, failed->newest->last_words, outlet_is_utf8());
		printf("%s failed before any rank was there; its last words: \"%s\"\n",
			failed->newest->id, str_text(&words));
	}
	if (failed->more)
		printf("%zu more command%s failed so: `inquest ls --all' lists %s\n",
			failed->more, failed->more == 1 ? "" : "s",
			failed->more == 1 ? "it" : "them");
	str_release(&words);
}

/* Says that nothing is listed, and where more may be. */
static void complain_none(bool all)
{
	struct str hidden = {0};

	if (all && seeing_add_hidden("no job is seen here: ", "ls --all", &hidden))
		cmd_complain("%s", str_text(&hidden));
	else
		cmd_complain("no job here: start one with `inquest run -- COMMAND'%s",
			all ? "" : "; `inquest ls --all' has those without probe");
	str_release(&hidden);
}

static void print_table(const struct jobs *jobs, struct survey *survey,
	const struct receipts *past, bool all)
{
	struct failed failed = {0};
	const struct survey_job *job;
	size_t foreign = 0;

	array_for_each(&survey->jobs, job)
		foreign += !job->own;
	if (jobs->nr || foreign || past->all.nr)
		printf("%-26s%-20s%-9s%-10s%-9s%s\n", "JOB", "NAME", "RANKS", "STATE", "AGE",
			"USER");
	else
		complain_none(all);
	print_own(jobs, all, &failed);
	array_for_each(&survey->jobs, job)
		if (!job->own)
			print_foreign_row(survey, job, outlet_is_utf8());
	for (size_t i = 0; i < past->all.nr; i++)
		print_past_row(&past->all.items[i], outlet_is_utf8());
	print_failed(&failed);
}

/* Prints the list. Returns the exit status. */
static int list(struct jobs *jobs, const struct arguments *arguments)
{
	struct survey survey = {0};
	struct receipts past = {0};
	int status = CMD_FINE;

	if (arguments->all) {
		status = foreign_survey(&survey);
		seen_folders_add(jobs, &survey, NULL, NULL);
		ls_past_find(&past, jobs);
	}
	foreign_mark_own(&survey, jobs);
	standing_look(&survey, FOREIGN_GLANCE_MS);
	if (arguments->json)
		print_json(jobs, &survey, &past);
	else
		print_table(jobs, &survey, &past, arguments->all);
	if (fflush(stdout) || ferror(stdout)) {
		cmd_complain("cannot write the list to stdout: %s", strerror(errno));
		status = CMD_UNREADABLE;
	}
	receipts_release(&past);
	survey_release(&survey);
	return status;
}

/*
 * Looks at jobs of which no agent says any more how they stand, as an attach without stacks would.
 */
static void look_after_orphans(struct jobs *jobs)
{
	int looks = 0;

	for (size_t i = 0; i < jobs->nr; i++) {
		struct jobs_entry *entry = &jobs->items[i];
		int found;

		if (entry->status == JOBS_ENDED || entry->agent_alive ||
			fellows_speaker(jobs, entry) || fellows_head(jobs, entry) != entry ||
			looks++ >= ORPHANS_MOST)
			continue;
		found = job_pick_look(jobs, entry);
		if (found == CMD_VERDICT)
			entry->status = JOBS_HUNG;
		else if (found == CMD_FINE)
			entry->status = JOBS_RUNNING;
	}
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct complaint why = {0};
	struct jobs jobs = {0};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	budget_watch(&arguments.budget);
	if (seeing_check(arguments.all ? "ls --all" : "ls"))
		status = CMD_UNREADABLE;
	else if (jobs_list(&jobs, &why) < 0)
		cmd_complain("cannot list jobs: %s", complaint_text(&why));
	else {
		look_after_orphans(&jobs);
		status = list(&jobs, &arguments);
	}
	if (jobs.refused.len)
		cmd_complain("not trusted, so not listed: %.*s",
			(int)strcspn(jobs.refused.text, "\n"), jobs.refused.text);
	budget_unwatch(&arguments.budget);
	jobs_release(&jobs);
	complaint_release(&why);
	return status;
}

const struct verb verb_ls = {"ls", "list the jobs of this machine", run};
