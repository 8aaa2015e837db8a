/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/foreign-job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "evidence/agent/fellows.h"
#include "proc/read.h"

#define ASK_MS 250 /* for each process' environment */

bool foreign_is_pid(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

static bool descends_from(const struct survey *survey, const struct survey_process *process,
	uint32_t above)
{
	int at = process->parent;

	for (int steps = 0; at != SURVEY_NONE && steps < 64; steps++) {
		if (survey->all.items[at].stat.pid == above)
			return true;
		at = survey->all.items[at].parent;
	}
	return false;
}

bool foreign_is_own(
	const struct survey *survey, const struct survey_job *job, const struct jobs *jobs)
{
	int which = (int)(job - survey->jobs.items);
	const struct survey_process *process;

	array_for_each(&survey->all, process)
		for (size_t i = 0; i < jobs->nr; i++) {
			const struct jobs_entry *entry = &jobs->items[i];

			if (!process->is_rank || process->job != which ||
				entry->status == JOBS_ENDED)
				continue;
			if (entry->wrapper && descends_from(survey, process, entry->wrapper))
				return true;
			if (process->stat.pid == job->first_pid &&
				jobs_has_pid(entry, job->first_pid))
				return true;
		}
	return false;
}

int foreign_survey(struct survey *survey)
{
	if (survey_take(survey, ASK_MS) == 0)
		return CMD_FINE;
	cmd_complain("cannot list the processes here: is /proc mounted?");
	return CMD_UNREADABLE;
}

/* True if it can be looked at alone; complains where not. */
static bool may_look(struct survey *survey, uint32_t pid)
{
	const struct survey_process *process = survey_find(survey, pid);

	if (!process || process->stat.state == 'Z') {
		cmd_complain(process ? "process %u is over: nothing of it can be looked at"
				     : "no process %u here, and no job has that name: `inquest ls "
				       "--all' lists jobs",
			pid);
		return false;
	}
	if (process->error == EACCES || process->error == EPERM) {
		cmd_complain("process %u may be looked at by its own user and by root only: "
			     "try as one of them",
			pid);
		return false;
	}
	return true;
}

int foreign_choose_pids(struct foreign_pick *pick, const char *const *pids, size_t nr)
{
	int status = foreign_survey(&pick->survey);

	pick->job = SURVEY_NONE;
	for (size_t i = 0; !status && i < nr; i++) {
		uint32_t pid = (uint32_t)strtoul(pids[i], NULL, 10);
		int job = survey_job_of(&pick->survey, pid);

		if (job == SURVEY_NONE && !may_look(&pick->survey, pid)) {
			status = CMD_UNREADABLE;
		} else if (i && (job != pick->job)) {
			cmd_complain("%s and %s are of different jobs: attach to one at a time",
				pids[0], pids[i]);
			status = CMD_USAGE;
		} else {
			pick->job = job;
			if (job == SURVEY_NONE)
				*array_add(&pick->pids) = pid;
		}
	}
	return status;
}

/* The word behind one, by blanks, and its length; 0 behind the last. */
static const char *next_word(const char *word, size_t *len)
{
	word += *len + (word[*len] == ' ');
	*len = strcspn(word, " ");
	return word;
}

/* What an interpreter runs: the word behind its options; itself where that is none. */
static const char *script_of(const char *command, size_t *len)
{
	const char *word = command;
	size_t size = *len;
	bool taken = false, module = false;

	while (word = next_word(word, &size), size) {
		bool option = *word == '-' && size >= 2;

		if (module || (!option && !taken)) {
			*len = size;
			return word;
		}
		if (option && word[1] == 'c')
			break;
		module = option && word[1] == 'm' && size == 2;
		taken = option && strchr("XW", word[1]) && size == 2;
	}
	return command;
}

void foreign_program(struct survey *survey, const struct survey_job *job, struct str *into)
{
	const struct survey_process *process = survey_find(survey, job->first_pid);
	const char *word = process ? process->command : "", *slash;
	size_t len = strcspn(word, " ");

	if (process && process->python)
		word = script_of(word, &len);
	slash = memrchr(word, '/', len);
	if (slash && slash + 1 < word + len) {
		len -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	str_add_bytes(into, word, len);
}

int64_t foreign_age(struct survey *survey, const struct survey_job *job)
{
	const struct survey_process *process = survey_find(survey, job->first_pid);
	int64_t tick = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);

	return process ? clock_boottime_ns() - (int64_t)process->stat.start_time * tick : 0;
}

static void complain_none(const struct survey *survey)
{
	if (survey->unreadable)
		cmd_complain("no rank here: no process that may be asked has RANK, SLURM_PROCID "
			     "or the like; %zu of other users may not: try as root",
			survey->unreadable);
	else
		cmd_complain("no rank here: no process has RANK, SLURM_PROCID or the like; "
			     "`inquest attach PID' looks at any");
}

static void list_foreign(struct survey *survey, const struct survey_job *job)
{
	int64_t age = foreign_age(survey, job);
	char text[CLOCK_TEXT_SIZE];
	struct str program = {0};

	foreign_program(survey, job, &program);
	cmd_complain("  inquest attach %u   # %s%s%s, %zu rank%s here, no probe%s%s",
		job->first_pid, job->id, program.len ? ": " : "", str_text(&program), job->ranks,
		job->ranks == 1 ? "" : "s", age > 0 ? ", for " : "",
		age > 0 ? clock_format(age, text) : "");
	str_release(&program);
}

/* One folder of each job that lives: the head lives if anybody does. */
static bool is_live_head(const struct jobs *jobs, const struct jobs_entry *entry)
{
	struct fellows_sum sum;

	if (fellows_head(jobs, entry) != entry)
		return false;
	fellows_sum(jobs, entry, &sum);
	return sum.all.status != JOBS_ENDED;
}

static void list_all(struct foreign_pick *pick, const struct jobs *jobs)
{
	const struct survey_job *job;

	cmd_complain("several jobs here: say which");
	for (size_t i = 0; i < jobs->nr; i++)
		if (is_live_head(jobs, &jobs->items[i]))
			cmd_complain("  inquest attach %s   # %s, %s",
				fellows_id(jobs, &jobs->items[i]), jobs->items[i].name,
				jobs_status_name(jobs->items[i].status));
	array_for_each(&pick->survey.jobs, job)
		if (!foreign_is_own(&pick->survey, job, jobs))
			list_foreign(&pick->survey, job);
}

int foreign_choose_all(struct foreign_pick *pick, const struct jobs *jobs,
	const struct jobs_entry **ret_own)
{
	int status = foreign_survey(&pick->survey);
	size_t found = 0;

	*ret_own = NULL;
	pick->job = SURVEY_NONE;
	for (size_t i = 0; !status && i < jobs->nr; i++)
		if (is_live_head(jobs, &jobs->items[i])) {
			*ret_own = &jobs->items[i];
			found++;
		}
	for (size_t i = 0; !status && i < pick->survey.jobs.nr; i++)
		if (!foreign_is_own(&pick->survey, &pick->survey.jobs.items[i], jobs)) {
			pick->job = (int)i;
			found++;
		}
	if (status || found == 1)
		return status;
	if (found)
		list_all(pick, jobs);
	else
		complain_none(&pick->survey);
	return found ? CMD_USAGE : CMD_UNREADABLE;
}

size_t foreign_describe_others(
	const struct foreign_pick *pick, const struct jobs *jobs, struct str *into)
{
	size_t others = 0;

	for (size_t i = 0; i < jobs->nr; i++)
		others += is_live_head(jobs, &jobs->items[i]);
	for (size_t i = 0; i < pick->survey.jobs.nr; i++)
		others += (int)i != pick->job &&
			  !foreign_is_own(&pick->survey, &pick->survey.jobs.items[i], jobs);
	if (others)
		str_printf(into, "%zu other job%s here", others, others == 1 ? "" : "s");
	return others;
}

void foreign_release(struct foreign_pick *pick)
{
	if (!pick)
		return;
	survey_release(&pick->survey);
	array_release(&pick->pids);
}
