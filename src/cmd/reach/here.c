/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/here.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/reach/key.h"
#include "cmd/seen-folders.h"
#include "evidence/agent/fellows.h"

/* -- Who is here ------------------------------------------------------------------------------ */

/*
 * Adds the first refusal of each user: whoever has one such folder may have a process for each of
 * thousands.
 */
static void add_refusal(struct here *here, uid_t uid, const char *words)
{
	const struct here_refusal *refusal;

	array_for_each (&here->refusals, refusal)
		if (refusal->uid == uid)
			return;
	*array_add(&here->refusals) = (struct here_refusal){uid, alloc_text(words)};
}

/* Whom a refusal is told to. */
struct asked {
	struct here *here;
	const char *key;
};

/* Notes a refusal, of a process that does not say that it is of another job. */
static void note_refused(void *context, const struct survey_process *process, const char *words)
{
	const struct asked *asked = context;

	if (!key_is_not_of_process(asked->key, process))
		add_refusal(asked->here, process->uid, words);
}

/* Returns the user whose part that is; -1 where the process has gone. */
static uid_t owner_of(struct here *here, const struct here_part *part)
{
	struct survey *survey = &here->pick.foreign.survey;
	const struct survey_process *process;

	if (part->own != HERE_NONE)
		return here->pick.jobs.items[part->own].owner;
	if (part->foreign != SURVEY_NONE)
		return survey->jobs.items[part->foreign].uid;
	process = survey_find(survey, part->pid);
	return process ? process->uid : (uid_t)-1;
}

/*
 * True if a refusal of that user may be of what was asked for. A job that was found is one user's:
 * what another's folder has is none of it.
 */
static bool may_be_of_it(struct here *here, const char *key, uid_t uid)
{
	const struct here_part *part;

	array_for_each (&here->parts, part)
		if (owner_of(here, part) == uid)
			return true;
	return !here->parts.nr || !strcmp(key, "all");
}

/* Lists in here->refused those refusals that may matter. */
static void tell_refused(struct here *here, const char *key)
{
	const struct here_refusal *refusal;

	array_for_each (&here->refusals, refusal)
		if (may_be_of_it(here, key, refusal->uid))
			str_printf(&here->refused, "%s\n", refusal->words);
}

/* -- What matches ----------------------------------------------------------------------------- */

/* Adds the job that a folder is of, unless it is there already. */
static void add_own(struct here *here, const struct jobs_entry *entry)
{
	const struct jobs *jobs = &here->pick.jobs;
	size_t head = (size_t)(fellows_head(jobs, entry) - jobs->items);

	for (size_t i = 0; i < here->parts.nr; i++)
		if (here->parts.items[i].own == head)
			return;
	*array_add(&here->parts) = (struct here_part){.own = head, .foreign = SURVEY_NONE};
}

/* Adds a job of the survey, unless it is there already. */
static void add_foreign(struct here *here, int job)
{
	for (size_t i = 0; i < here->parts.nr; i++)
		if (here->parts.items[i].own == HERE_NONE && here->parts.items[i].foreign == job)
			return;
	*array_add(&here->parts) = (struct here_part){.own = HERE_NONE, .foreign = job};
}

/*
 * Returns the folder that such a process is in; NULL: none. For a rank whose launcher ran under an
 * agent on another node: that agent's folder is not here.
 */
static const struct jobs_entry *folder_with(const struct here *here, uint32_t pid)
{
	return jobs_people_find(&here->people, &here->pick.jobs, pid, JOBS_PEOPLE_ANY);
}

/*
 * Adds what a process is of: the job with folders above it, else the one without a probe, else it
 * alone. False where there is no such process.
 */
static bool matches_pid(struct here *here, uint32_t pid)
{
	struct survey *survey = &here->pick.foreign.survey;
	struct survey_process *process = survey_find(survey, pid);
	const struct jobs_entry *entry =
		process ? seen_folders_above(&here->pick.jobs, survey, process) : NULL;
	int job;

	if (!entry)
		entry = folder_with(here, pid);
	if (entry) {
		add_own(here, entry);
		return true;
	}
	job = survey_job_of(survey, pid);
	if (job != SURVEY_NONE)
		add_foreign(here, job);
	else if (process && process->stat.state != 'Z')
		*array_add(&here->parts) =
			(struct here_part){.own = HERE_NONE, .foreign = SURVEY_NONE, .pid = pid};
	return process != NULL;
}

/* Adds jobs with folders, by what their agents wrote, and by what those say who live in them. */
static void match_own(struct here *here, const char *key)
{
	struct jobs *jobs = &here->pick.jobs;
	struct survey *survey = &here->pick.foreign.survey;
	const struct survey_process *process;

	for (size_t i = 0; i < jobs->nr; i++)
		if (key_is_of_folder(key, &jobs->items[i]) ||
			!strcmp(key, fellows_id(jobs, &jobs->items[i])))
			add_own(here, &jobs->items[i]);
	array_for_each (&survey->all, process) {
		const struct jobs_entry *entry;

		if (!*process->claims.folder || process->ourselves ||
			!key_is_of_process(key, process))
			continue;
		entry = jobs_find_seen(jobs, process->stat.pid, process->claims.folder);
		if (!entry)
			entry = folder_with(here, process->stat.pid);
		if (entry)
			add_own(here, entry);
	}
}

/* Adds jobs without folders by what their ranks say. */
static void match_foreign(struct here *here, const char *key)
{
	const struct survey *survey = &here->pick.foreign.survey;

	for (size_t i = 0; i < survey->jobs.nr; i++)
		if (!survey->jobs.items[i].own &&
			key_is_of_job(key, survey, i))
			add_foreign(here, (int)i);
}

/* True if the part has ended. */
static bool is_over(const struct here *here, const struct here_part *part)
{
	struct fellows_sum sum = {.all.status = JOBS_RUNNING};

	if (part->own != HERE_NONE)
		fellows_sum(&here->pick.jobs, &here->pick.jobs.items[part->own], &sum);
	return sum.all.status == JOBS_ENDED;
}

/*
 * Drops what has ended. "all" is what lives: of the dead nobody knows any more whom they were meant
 * for.
 */
static void drop_ended(struct here *here)
{
	size_t kept = 0;

	for (size_t i = 0; i < here->parts.nr; i++)
		if (!is_over(here, &here->parts.items[i]))
			here->parts.items[kept++] = here->parts.items[i];
	here->parts.nr = kept;
}

/* Takes a number that a process has to mean that; any other key may be a name. */
int here_find(struct here *here, const char *key)
{
	struct complaint why = {0};
	uint32_t pid = key_pid(key);
	int status;

	here->pick.verb = "attach";
	here->pick.foreign.job = SURVEY_NONE;
	if (jobs_list(&here->pick.jobs, &why) < 0) {
		cmd_complain("cannot list jobs: %s", complaint_text(&why));
		complaint_release(&why);
		return CMD_UNREADABLE;
	}
	status = foreign_survey(&here->pick.foreign.survey);
	if (status)
		return status;
	seen_folders_add(&here->pick.jobs, &here->pick.foreign.survey, note_refused,
		&(struct asked){here, key});
	jobs_people_take(&here->pick.jobs, &here->people);
	foreign_mark_own(&here->pick.foreign.survey, &here->pick.jobs);
	if (!pid || !matches_pid(here, pid)) {
		match_own(here, key);
		match_foreign(here, key);
	}
	if (!strcmp(key, "all"))
		drop_ended(here);
	tell_refused(here, key);
	return CMD_FINE;
}

/* -- What is of it ---------------------------------------------------------------------------- */

int here_gather(struct here *here, size_t which, const struct live_options *options,
	struct evidence *into, struct complaint *why)
{
	const struct here_part *part = &here->parts.items[which];
	struct job_pick *pick = &here->pick;

	pick->foreign.job = part->foreign;
	pick->foreign.pids.nr = 0;
	if (part->pid)
		*array_add(&pick->foreign.pids) = part->pid;
	job_pick_take(pick, part->own == HERE_NONE ? NULL : &pick->jobs.items[part->own]);
	return job_pick_gather(pick, options, into, why);
}

const char *here_id(const struct here *here, size_t which)
{
	const struct here_part *part = &here->parts.items[which];

	if (part->own != HERE_NONE)
		return fellows_id(&here->pick.jobs, &here->pick.jobs.items[part->own]);
	if (part->foreign != SURVEY_NONE)
		return here->pick.foreign.survey.jobs.items[part->foreign].id;
	return "process";
}

/* -- What it is called elsewhere -------------------------------------------------------------- */

/* Appends the key that other nodes have for that part. False, and nothing, where it has none. */
static bool part_key(const struct here *here, const struct here_part *part, struct str *into)
{
	const struct survey *survey = &here->pick.foreign.survey;
	const struct survey_process *process;

	if (part->own != HERE_NONE)
		return key_of_folder(&here->pick.jobs.items[part->own], into);
	array_for_each (&survey->all, process)
		if (part->foreign != SURVEY_NONE && process->is_rank &&
			process->job == part->foreign)
			return key_of_process(process, into);
	return false;
}

/* Adds a key, and takes it over, unless it is there already or empty. */
static void add_key(struct here_keys *keys, struct str *key)
{
	for (size_t i = 0; i < keys->all.nr && key->len; i++)
		if (!strcmp(str_text(&keys->all.items[i]), str_text(key)))
			str_cut(key, 0);
	if (key->len)
		*array_add(&keys->all) = *key;
	else
		str_release(key);
}

void here_wide_keys(const struct here *here, struct here_keys *keys)
{
	const struct here_part *part;

	for (int over = 0; over < 2 && !keys->all.nr; over++)
		array_for_each (&here->parts, part) {
			struct str key = {0};

			if (is_over(here, part) == over && part_key(here, part, &key))
				add_key(keys, &key);
		}
}

void here_keys_release(struct here_keys *keys)
{
	struct str *key;

	array_for_each (&keys->all, key)
		str_release(key);
	array_release(&keys->all);
}

void here_release(struct here *here)
{
	struct here_refusal *refusal;

	array_for_each (&here->refusals, refusal)
		free(refusal->words);
	array_release(&here->refusals);
	job_pick_release(&here->pick);
	array_release(&here->parts);
	jobs_people_release(&here->people);
	str_release(&here->refused);
}
