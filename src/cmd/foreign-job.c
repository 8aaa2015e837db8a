/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user names a pid, or nothing at all; what he means is a job. A pid may be a rank, anything that
 * a rank has started, the launcher, or the shell of a script that started some programs: the survey
 * (proc/survey/) knows the first three, and add_started() finds the last. What is of no job is
 * looked at alone.
 *
 * A job that `inquest run' started is in the survey as well, since its ranks look like any others:
 * it is left to its folder, which knows more (foreign_mark_own()). Whether a process is of a folder
 * is decided by the census and by who started it, and not by its environment, which anybody can
 * set.
 */
#include "cmd/foreign-job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/job-words.h"
#include "cmd/seeing.h"
#include "cmd/seen-folders.h"
#include "evidence/agent/fellows.h"
#include "evidence/agent/jobs-people.h"
#include "proc/program.h"
#include "proc/survey/siblings.h"
#include "proc/survey/standing.h"
#include "proc/threads/permit.h"

#define ASK_MS 250 /* deadline for each process' environment */

/*
 * Returns the folder of the job that the process is a rank of, or below whose `inquest run' it is;
 * NULL none.
 */
static const struct jobs_entry *owner_of(const struct survey *survey,
	const struct survey_process *process, const struct jobs *jobs,
	const struct jobs_people *people)
{
	const struct jobs_entry *found =
		jobs_people_find(people, jobs, process->stat.pid, JOBS_PEOPLE_LIVE);
	int at = process->parent;

	for (int steps = 0; !found && at != SURVEY_NONE && steps < 64; steps++) {
		found = jobs_people_find(people, jobs, survey->all.items[at].stat.pid,
			JOBS_PEOPLE_WRAPPER);
		at = survey->all.items[at].parent;
	}
	return found;
}

void foreign_mark_own(struct survey *survey, const struct jobs *jobs)
{
	const struct survey_process *process;
	struct jobs_people people = {0};
	struct survey_job *job;

	array_for_each (&survey->jobs, job)
		job->own = false;
	if (survey->jobs.nr)
		jobs_people_take(jobs, &people);
	array_for_each (&survey->all, process)
		if (people.all.nr && process->is_rank && process->job != SURVEY_NONE &&
			!survey->jobs.items[process->job].own)
			survey->jobs.items[process->job].own =
				owner_of(survey, process, jobs, &people) != NULL;
	jobs_people_release(&people);
}

int foreign_survey(struct survey *survey)
{
	if (survey_take(survey, ASK_MS) == 0)
		return CMD_FINE;
	cmd_complain("cannot list the processes here: is /proc mounted?");
	return CMD_UNREADABLE;
}

/* True if the process can be looked at alone; complains if not. */
static bool may_look(struct survey *survey, uint32_t pid)
{
	const struct survey_process *process = survey_find(survey, pid);

	if (!process && seeing_is_hidden(pid))
		return false;
	if (!process && program_is_here("squeue")) {
		cmd_complain("no process %u here: if that is a job of Slurm, `inquest attach "
			     "--slurm %u'", pid, pid);
		return false;
	}
	if (!process || process->stat.state == 'Z') {
		cmd_complain(process ? "process %u is over: nothing of it can be looked at"
				     : "no process %u here, and no job has that name: `inquest ls "
				       "--all' lists jobs",
			pid);
		return false;
	}
	if (process->error == EACCES || process->error == EPERM) {
		struct permit_facts facts;
		struct str words = {0};

		permit_look(pid, &facts);
		permit_words(&facts, &words);
		cmd_complain("process %u may not be looked at: %s", pid, str_text(&words));
		str_release(&words);
		return false;
	}
	return true;
}

/*
 * True if the process only starts others: by its name; for a script, by the name of what runs it.
 */
static bool is_script(const struct survey_process *process)
{
	char runs[256];
	const char *name;

	if (process->wrapper || process->python || process->launcher)
		return process->wrapper;
	snprintf(runs, sizeof(runs), "%.*s", (int)strcspn(process->command, " "),
		process->command);
	name = strrchr(runs, '/');
	return launcher_is_wrapper(name ? name + 1 : runs);
}

/*
 * True if it is a living Python that this process started, by itself or by a wrapper. `starter` is
 * an index into the survey.
 */
static bool is_started_by(
	const struct survey *survey, const struct survey_process *process, int starter)
{
	int at = process->parent;

	if (!process->python || process->wrapper || process->launcher || process->ourselves ||
		process->error || process->stat.state == 'Z')
		return false;
	for (int steps = 0; at != SURVEY_NONE && at != starter && steps < 64; steps++) {
		if (!is_script(&survey->all.items[at]))
			return false;
		at = survey->all.items[at].parent;
	}
	return at == starter;
}

/*
 * Adds the processes of a script that has started the same program several times, in a loop: they
 * are meant, and not the shell that waits for them. Nobody knows which ranks they are. Returns how
 * many; 0 if it is no such script, or one of several programs.
 */
static size_t add_started(struct foreign_pick *pick, uint32_t pid)
{
	const struct survey_process *script = survey_find(&pick->survey, pid), *process;
	const struct survey_process *first = NULL;
	size_t before = pick->pids.nr;

	if (!script || !is_script(script) || script->session)
		return 0;
	array_for_each(&pick->survey.all, process) {
		if (!is_started_by(&pick->survey, process,
			    (int)(script - pick->survey.all.items)))
			continue;
		first = first ? first : process;
		if (!siblings_run_same(first, process)) {
			pick->pids.nr = before;
			return 0;
		}
		*array_add(&pick->pids) = process->stat.pid;
	}
	if (pick->pids.nr - before < 2)
		pick->pids.nr = before;
	return pick->pids.nr - before;
}

int foreign_choose_pids(struct foreign_pick *pick, const char *const *pids, size_t nr)
{
	int status = foreign_survey(&pick->survey);

	return status ? status : foreign_take_pids(pick, pids, nr);
}

int foreign_take_pids(struct foreign_pick *pick, const char *const *pids, size_t nr)
{
	int status = CMD_FINE;

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
			if (job == SURVEY_NONE && !add_started(pick, pid))
				*array_add(&pick->pids) = pid;
		}
	}
	return status;
}

/* True if the process was picked: as a rank of that job, or by its pid. */
static bool is_picked(const struct foreign_pick *pick, const struct survey_process *process)
{
	if (pick->job != SURVEY_NONE)
		return process->is_rank && process->job == pick->job;
	for (size_t i = 0; i < pick->pids.nr; i++)
		if (pick->pids.items[i] == process->stat.pid)
			return true;
	return false;
}

const struct jobs_entry *foreign_find_own(
	const struct foreign_pick *pick, const struct jobs *jobs)
{
	const struct jobs_entry *found = NULL;
	const struct survey_process *process;
	struct jobs_people people = {0};

	jobs_people_take(jobs, &people);
	array_for_each (&pick->survey.all, process)
		if (!found && is_picked(pick, process))
			found = owner_of(&pick->survey, process, jobs, &people);
	jobs_people_release(&people);
	return found;
}

static void complain_none(const struct survey *survey)
{
	struct str words = {0};

	if (seeing_add_hidden("no rank is seen here: ", "attach --all", &words))
		cmd_complain("%s", str_text(&words));
	else if (survey->unreadable)
		cmd_complain("no rank here: no process that may be asked has RANK, SLURM_PROCID "
			     "or the like; %zu of other users may not: try as root",
			survey->unreadable);
	else
		cmd_complain("no rank here: no process has RANK, SLURM_PROCID or the like; "
			     "`inquest attach PID' looks at any%s",
			program_is_here("squeue")
				? ", `inquest attach --slurm JOB' at a job of Slurm"
				: "");
	str_release(&words);
}

void foreign_list(struct survey *survey, const struct survey_job *job, const char *verb)
{
	struct str words = {0};

	job_words_add_foreign(survey, job, &words);
	cmd_complain("  inquest %s %u   # %s", verb, job->first_pid, str_text(&words));
	str_release(&words);
}

static void list_own(const struct jobs *jobs, const struct jobs_entry *entry)
{
	struct str words = {0};

	job_words_add_own(jobs, entry, &words);
	cmd_complain("  inquest attach %s   # %s", fellows_id(jobs, entry), str_text(&words));
	str_release(&words);
}

/* True for one folder of each job that lives: its head, which lives if any of them does. */
static bool is_live_head(const struct jobs *jobs, const struct jobs_entry *entry)
{
	struct fellows_sum sum;

	if (fellows_head(jobs, entry) != entry)
		return false;
	fellows_sum(jobs, entry, &sum);
	return sum.all.status != JOBS_ENDED;
}

/* Lists all jobs here, with the command that looks at each. */
static void list_all(struct foreign_pick *pick, const struct jobs *jobs)
{
	const struct survey_job *job;

	cmd_complain("several jobs here: say which");
	standing_look(&pick->survey, FOREIGN_GLANCE_MS);
	for (size_t i = 0; i < jobs->nr; i++)
		if (is_live_head(jobs, &jobs->items[i]))
			list_own(jobs, &jobs->items[i]);
	array_for_each(&pick->survey.jobs, job)
		if (!job->own)
			foreign_list(&pick->survey, job, "attach");
}

int foreign_choose_all(struct foreign_pick *pick, struct jobs *jobs,
	const struct jobs_entry **ret_own)
{
	int status = foreign_survey(&pick->survey);
	size_t found = 0;

	*ret_own = NULL;
	pick->job = SURVEY_NONE;
	if (!status) {
		seen_folders_add(jobs, &pick->survey, NULL, NULL);
		foreign_mark_own(&pick->survey, jobs);
	}
	for (size_t i = 0; !status && i < jobs->nr; i++)
		if (is_live_head(jobs, &jobs->items[i])) {
			*ret_own = &jobs->items[i];
			found++;
		}
	for (size_t i = 0; !status && i < pick->survey.jobs.nr; i++)
		if (!pick->survey.jobs.items[i].own) {
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
	struct foreign_pick *pick, const struct jobs *jobs, struct str *into)
{
	size_t others = 0;

	foreign_mark_own(&pick->survey, jobs);
	for (size_t i = 0; i < jobs->nr; i++)
		others += is_live_head(jobs, &jobs->items[i]);
	for (size_t i = 0; i < pick->survey.jobs.nr; i++)
		others += (int)i != pick->job &&
			  !pick->survey.jobs.items[i].own;
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
