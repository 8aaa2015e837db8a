/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which job is meant where nobody says so: the only one that hangs. A job hangs if its agent says
 * so; a job whose agent does not (yet, or because there is none) is looked at, which takes
 * milliseconds and disturbs nobody. Jobs without probe are looked for only where they are asked
 * for, by a pid or by --all, since that asks every process of the machine.
 */
#include "cmd/job-pick.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/job-words.h"
#include "cmd/look.h"
#include "cmd/reach/key.h"
#include "cmd/seeing.h"
#include "cmd/seen-folders.h"
#include "evidence/agent/fellows.h"
#include "evidence/gather/foreign.h"
#include "evidence/gather/unprobed.h"
#include "proc/program.h"
#include "proc/threads/permit.h"

#define LOOKS_AT_MOST 16 /* jobs that are looked at before one is chosen */
#define ASK_MS	      250 /* deadline for each file of a process */

static bool is_live(const struct jobs_entry *entry)
{
	return entry->status != JOBS_ENDED;
}

/* True for the head of a job, by which each job is counted once, however many folders it has. */
static bool is_head(const struct jobs *jobs, const struct jobs_entry *entry)
{
	return fellows_head(jobs, entry) == entry;
}

/* Returns the status of the whole job. */
static enum jobs_status status_of(const struct jobs *jobs, const struct jobs_entry *entry)
{
	struct fellows_sum sum;

	fellows_sum(jobs, entry, &sum);
	return sum.all.status;
}

/* Lists the folders of that job beside its own. */
static void list_fellows(const struct jobs *jobs, const struct jobs_entry *of,
	struct job_pick *into)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (&jobs->items[i] != of && fellows_are(&jobs->items[i], of))
			*array_add(&into->fellows) = jobs->items[i].folder;
}

int job_pick_look(const struct jobs *jobs, const struct jobs_entry *entry)
{
	struct live_options options = LIVE_OPTIONS_DEFAULT;
	struct job_pick pick = {0};
	int status = CMD_UNREADABLE;
	struct look look = {0};

	list_fellows(jobs, entry, &pick);
	options.fellows = pick.fellows.items;
	options.nfellows = pick.fellows.nr;
	if (live_gather(entry->folder, &options, &look.evidence, NULL) == 0) {
		look_judge(&look);
		status = look_status(&look);
	}
	look_release(&look);
	array_release(&pick.fellows);
	return status;
}

/*
 * Returns the only job, by its head, for which `is` holds; NULL if there is none, or several.
 * *ret_count is how many there are.
 */
static const struct jobs_entry *the_only(const struct jobs *jobs,
	bool (*is)(const struct jobs *, const struct jobs_entry *), size_t *ret_count)
{
	const struct jobs_entry *found = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < jobs->nr; i++)
		if (is_head(jobs, &jobs->items[i]) && is(jobs, &jobs->items[i])) {
			found = &jobs->items[i];
			++*ret_count;
		}
	return *ret_count == 1 ? found : NULL;
}

static bool lives(const struct jobs *jobs, const struct jobs_entry *entry)
{
	return status_of(jobs, entry) != JOBS_ENDED;
}

static bool says_hung(const struct jobs *jobs, const struct jobs_entry *entry)
{
	return status_of(jobs, entry) == JOBS_HUNG;
}

static bool is_found_hung(const struct jobs *jobs, const struct jobs_entry *entry)
{
	return lives(jobs, entry) && job_pick_look(jobs, entry) == CMD_VERDICT;
}

/*
 * Appends whose folder root could not enter, which may be why there is no such job, and what to
 * type then.
 */
static void add_barred(const struct jobs *jobs, const char *command, struct str *into)
{
	struct permit_facts facts = {.owner = jobs->barred_uid, .group = jobs->barred_gid};

	permit_look_at_us(&facts);
	str_add(into, "; a folder of jobs could not be entered: ");
	permit_words_as(&facts, "CAP_DAC_READ_SEARCH", command, into);
}

/*
 * Says that no such job is known, and what may be the reason: a folder that is not trusted is not
 * looked at, and of others' jobs we know only that there are any.
 */
static void complain_unknown(
	const struct jobs *jobs, const char *why, const char *verb, const char *name)
{
	struct str words = {0}, command = {0};

	str_printf(&command, "%s%s%s", verb, *name ? " " : "", name);
	str_add(&words, why);
	key_add_fault(name, &words);
	if (jobs->barred)
		add_barred(jobs, str_text(&command), &words);
	else if (jobs->refused.len)
		str_printf(&words, "; not trusted, so not looked at: %.*s",
			(int)strcspn(jobs->refused.text, "\n"), jobs->refused.text);
	else if (jobs->others)
		str_printf(&words, ": sudo inquest %s", str_text(&command));
	else
		str_add(&words, ": `inquest ls --all' lists the jobs here");
	cmd_complain("%s", str_text(&words));
	str_release(&words);
	str_release(&command);
}

/* Returns how a job of Slurm is looked at from here; "" where there is no Slurm. */
static const char *slurm_hint(void)
{
	return program_is_here("squeue")
		       ? ", or at a job of Slurm: `inquest attach --slurm JOB'"
		       : "";
}

/* Says that no job here lives, and what to do. */
static void complain_none(const struct jobs *jobs, const char *verb)
{
	if (jobs->barred)
		complain_unknown(jobs, "no live job here", verb, "");
	else if (jobs->nr)
		cmd_complain(
			"no live job here; the newest, %s, is over: say `inquest %s %s', or "
			"%s its bundle; `inquest %s --all' looks for one without probe%s",
			jobs->items[0].name, verb, jobs->items[0].id,
			strcmp(verb, "attach") ? verb : "diagnose", verb, slurm_hint());
	else if (jobs->refused.len)
		complain_unknown(jobs, "no job here", verb, "");
	else if (jobs->others)
		cmd_complain("no job of ours here, and other users have some: `sudo inquest %s' "
			     "looks at theirs, `inquest %s --all' for one without probe",
			verb, verb);
	else
		cmd_complain("no job here: start one with `inquest run -- COMMAND', or look for "
			     "one without probe: `inquest %s --all'%s",
			verb, slurm_hint());
}

/* Says which command means this job; by its folder if another user's job has the same id. */
static void list_own(const struct jobs *jobs, const struct jobs_entry *entry, const char *verb)
{
	const char *id = fellows_id(jobs, entry);
	struct str words = {0};

	job_words_add_own(jobs, entry, &words);
	cmd_complain("  inquest %s %s   # %s", verb,
		jobs_several_are(jobs, id) ? entry->folder : id, str_text(&words));
	str_release(&words);
}

/* True if the job has that id or name; each job once, however many folders it has. */
static bool is_called(const struct jobs *jobs, const struct jobs_entry *entry, const char *name)
{
	return is_head(jobs, entry) && (!strcmp(entry->id, name) || !strcmp(entry->name, name));
}

/* Says which jobs may be meant by that id or name: those that live, if several do. */
static void list_called(const struct jobs *jobs, const char *name, const char *verb)
{
	size_t live = 0;

	for (size_t i = 0; i < jobs->nr; i++)
		live += is_called(jobs, &jobs->items[i], name) && lives(jobs, &jobs->items[i]);
	for (size_t i = 0; i < jobs->nr; i++)
		if (is_called(jobs, &jobs->items[i], name) &&
			(live < 2 || lives(jobs, &jobs->items[i])))
			list_own(jobs, &jobs->items[i], verb);
}

/* Says which jobs there are to choose from: if some hang, those. */
static void complain_several(const struct jobs *jobs, size_t hung, const char *verb)
{
	cmd_complain(
		hung ? "several jobs hang: say which" : "several jobs and none hangs: say which");
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];
		enum jobs_status status = status_of(jobs, entry);

		if (is_head(jobs, entry) && status != JOBS_ENDED && (!hung || status == JOBS_HUNG))
			list_own(jobs, entry, verb);
	}
}

/* Chooses the only job that lives, else the only one that hangs; NULL after a complaint. */
static const struct jobs_entry *choose(
	const struct jobs *jobs, const char *verb, int *ret_status)
{
	const struct jobs_entry *entry;
	size_t live, hung;

	entry = the_only(jobs, lives, &live);
	*ret_status = live ? CMD_USAGE : CMD_UNREADABLE;
	if (entry)
		return entry;
	if (!live) {
		complain_none(jobs, verb);
		return NULL;
	}
	entry = the_only(jobs, says_hung, &hung);
	if (!entry && !hung && live <= LOOKS_AT_MOST)
		entry = the_only(jobs, is_found_hung, &hung);
	if (!entry)
		complain_several(jobs, hung, verb);
	return entry;
}

/*
 * Finds the job that all names mean; NULL after a complaint if there is none, or they mean several.
 */
static const struct jobs_entry *find(
	const struct job_pick *pick, const char *const *names, size_t n, int *ret_status)
{
	const struct jobs *jobs = &pick->jobs;
	const struct jobs_entry *found = NULL;

	for (size_t i = 0; i < n; i++) {
		struct complaint why = {0};
		const struct jobs_entry *entry = jobs_find(jobs, names[i], &why);
		bool several = !entry && jobs_several_are(jobs, names[i]);

		*ret_status = entry || several ? CMD_USAGE : CMD_UNREADABLE;
		if (several) {
			cmd_complain("%s", complaint_text(&why));
			list_called(jobs, names[i], pick->verb);
		} else if (!entry) {
			complain_unknown(jobs, complaint_text(&why), pick->verb, names[i]);
		}
		complaint_release(&why);
		if (!entry)
			return NULL;
		if (found && !fellows_are(found, entry)) {
			cmd_complain("%s and %s are different jobs: %s one at a time", found->id,
				entry->id, strcmp(pick->verb, "view") ? "attach to" : "view");
			return NULL;
		}
		found = entry;
	}
	return found;
}

/* True if the job lives and has that key; each job once. */
static bool has_key(const struct jobs *jobs, const struct jobs_entry *entry, const char *key)
{
	return is_head(jobs, entry) && lives(jobs, entry) && key_is_of_folder(key, entry);
}

/* True if the job of the survey has no probe and has that key. */
static bool is_foreign_of(struct survey *survey, size_t job, const char *key)
{
	return !survey->jobs.items[job].own && key_is_of_job(key, survey, job);
}

/* Says the command for each of the jobs that have that key. */
static void complain_keys(struct job_pick *pick, const char *key, size_t found)
{
	struct survey *survey = &pick->foreign.survey;
	const struct jobs *jobs = &pick->jobs;

	cmd_complain("%zu jobs here are %s: say which", found, key);
	for (size_t i = 0; i < jobs->nr; i++)
		if (has_key(jobs, &jobs->items[i], key))
			list_own(jobs, &jobs->items[i], pick->verb);
	for (size_t i = 0; i < survey->jobs.nr; i++)
		if (is_foreign_of(survey, i, key))
			foreign_list(survey, &survey->jobs.items[i], pick->verb);
}

/*
 * Chooses a job by a key, such as slurm:5.0, or what `ls --all' prints of one without probe.
 * Returns CMD_FINE; CMD_USAGE after a complaint if several jobs have it; CMD_UNREADABLE, and says
 * nothing, if none has.
 */
static int choose_by_key(struct job_pick *pick, const char *key)
{
	struct survey *survey = &pick->foreign.survey;
	struct jobs *jobs = &pick->jobs;
	size_t found = 0;

	pick->foreign.job = SURVEY_NONE;
	if (foreign_survey(survey))
		return CMD_USAGE;
	seen_folders_add(jobs, survey, NULL, NULL);
	foreign_mark_own(survey, jobs);
	for (size_t i = 0; i < jobs->nr; i++)
		if (has_key(jobs, &jobs->items[i], key)) {
			pick->own = &jobs->items[i];
			found++;
		}
	for (size_t i = 0; i < survey->jobs.nr; i++)
		if (is_foreign_of(survey, i, key)) {
			pick->foreign.job = (int)i;
			found++;
		}
	if (found > 1)
		complain_keys(pick, key, found);
	return found == 1 ? CMD_FINE : found ? CMD_USAGE : CMD_UNREADABLE;
}

/* Chooses the job by names. Only a single one may be a key. */
static int choose_named(struct job_pick *pick, const char *const *names, size_t n)
{
	int status = CMD_UNREADABLE;

	if (n == 1 && !jobs_find(&pick->jobs, names[0], NULL) &&
		!jobs_several_are(&pick->jobs, names[0]))
		status = choose_by_key(pick, names[0]);
	if (status != CMD_UNREADABLE)
		return status;
	pick->own = find(pick, names, n, &status);
	return pick->own ? CMD_FINE : status;
}

/* True for digits that are short enough for a pid. */
static bool is_pid(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/* True if the names are pids, and none is of a job with probe. */
static bool means_foreign(const struct jobs *jobs, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_pid(names[i]) || jobs_find(jobs, names[i], NULL))
			return false;
	return n > 0;
}

/*
 * Chooses the job of these pids. A process of a pod may have its folder in the pod's mounts, where
 * our list did not look: the job is then what its own records say.
 */
static int choose_pids(struct job_pick *pick, const char *const *pids, size_t n)
{
	int status = foreign_choose_pids(&pick->foreign, pids, n);

	if (status)
		return status;
	seen_folders_add(&pick->jobs, &pick->foreign.survey, NULL, NULL);
	pick->own = foreign_find_own(&pick->foreign, &pick->jobs);
	return CMD_FINE;
}

/* -- a number ---------------------------------------------------------------------------------- */

/* Slurm and torchrun may call a job by a number, which may be some process' pid as well. */
struct numbered {
	struct job_pick *pick;
	const char *number;
	char slurm[32], run[32]; /* keys */
};

static struct numbered numbered_of(struct job_pick *pick, const char *number)
{
	struct numbered it = {.pick = pick, .number = number};

	snprintf(it.slurm, sizeof(it.slurm), "slurm:%s", number);
	snprintf(it.run, sizeof(it.run), "run:%s", number);
	return it;
}

/* True if that job with probe is called by the number. */
static bool own_is_called(const struct numbered *it, size_t i)
{
	const struct jobs *jobs = &it->pick->jobs;

	return has_key(jobs, &jobs->items[i], it->slurm) || has_key(jobs, &jobs->items[i], it->run);
}

/* True if that job without probe is. */
static bool foreign_is_called(const struct numbered *it, size_t i)
{
	struct survey *survey = &it->pick->foreign.survey;

	return is_foreign_of(survey, i, it->slurm) || is_foreign_of(survey, i, it->run) ||
	       (!survey->jobs.items[i].own && !strcmp(survey->jobs.items[i].id, it->number));
}

/* Picks the last job that is called by the number; returns how many are. */
static size_t pick_called(const struct numbered *it)
{
	struct job_pick *pick = it->pick;
	size_t found = 0;

	pick->own = NULL;
	pick->foreign.job = SURVEY_NONE;
	for (size_t i = 0; i < pick->jobs.nr; i++)
		if (own_is_called(it, i)) {
			pick->own = &pick->jobs.items[i];
			found++;
		}
	for (size_t i = 0; i < pick->foreign.survey.jobs.nr; i++)
		if (foreign_is_called(it, i)) {
			pick->foreign.job = (int)i;
			found++;
		}
	return found;
}

/* Says the command for each that the number may mean; `process`: NULL where it is no pid. */
static void complain_number(const struct numbered *it, const struct survey_process *process)
{
	struct job_pick *pick = it->pick;
	struct survey *survey = &pick->foreign.survey;

	cmd_complain(process ? "%s is a process here, and a job is called so: say which"
			     : "several jobs here are called %s: say which",
		it->number);
	if (process)
		cmd_complain("  inquest %s pid:%s   # process %s", pick->verb, it->number,
			process->stat.comm);
	for (size_t i = 0; i < pick->jobs.nr; i++)
		if (own_is_called(it, i))
			list_own(&pick->jobs, &pick->jobs.items[i], pick->verb);
	for (size_t i = 0; i < survey->jobs.nr; i++)
		if (foreign_is_called(it, i))
			foreign_list(survey, &survey->jobs.items[i], pick->verb);
}

/*
 * Chooses what a number means: a process, unless there is a job that is called so. Of both the user
 * says which.
 */
static int choose_number(struct job_pick *pick, const char *const *number)
{
	struct numbered it = numbered_of(pick, *number);
	struct survey *survey = &pick->foreign.survey;
	uint32_t pid = key_pid(*number);
	int status = foreign_survey(survey), called;
	size_t found;

	if (status)
		return status;
	seen_folders_add(&pick->jobs, survey, NULL, NULL);
	foreign_mark_own(survey, &pick->jobs);
	found = pick_called(&it);
	called = pick->foreign.job;
	if (found == 1 && !survey_find(survey, pid))
		return CMD_FINE;
	if (found && (found > 1 || called == SURVEY_NONE || called != survey_job_of(survey, pid))) {
		complain_number(&it, survey_find(survey, pid));
		return CMD_USAGE;
	}
	status = foreign_take_pids(&pick->foreign, number, 1);
	pick->own = status ? NULL : foreign_find_own(&pick->foreign, &pick->jobs);
	return status;
}

/* Returns what stands behind "pid:" if that is a pid; NULL. */
static const char *plain_pid(const char *name)
{
	return !strncmp(name, "pid:", 4) && is_pid(name + 4) ? name + 4 : NULL;
}

/*
 * Finds ranks without probe, unless all ranks that the job should have show themselves: asking
 * costs milliseconds.
 */
static void find_unprobed(struct job_pick *pick)
{
	const struct jobs *jobs = &pick->jobs;
	struct fellows_sum sum;

	if (!pick->own)
		return;
	fellows_sum(jobs, pick->own, &sum);
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (fellows_are(entry, pick->own) && entry->wrapper && is_live(entry) &&
			(sum.all.unprobed || sum.all.world_size <= 0 ||
				sum.all.ranks_alive < (unsigned int)sum.all.world_size))
			unprobed_find(entry->folder, ASK_MS, &pick->unprobed);
	}
}

void job_pick_take(struct job_pick *pick, const struct jobs_entry *entry)
{
	pick->own = entry ? fellows_head(&pick->jobs, entry) : NULL;
	pick->fellows.nr = 0;
	evidence_release(&pick->unprobed);
	if (pick->own)
		list_fellows(&pick->jobs, pick->own, pick);
	find_unprobed(pick);
}

/* Takes the whole job that the chosen folder is a part of. */
static void take_whole(struct job_pick *pick)
{
	job_pick_take(pick, pick->own);
	if (!pick->own)
		return;
	if (pick->own->unsure)
		cmd_complain("others here may be ranks of %s, and nothing tells: it is "
			     "looked at by itself",
			pick->own->name);
}

int job_pick_make(struct job_pick *pick, const char *const *names, size_t n, bool all)
{
	const char *const every[] = {"--all"};
	struct complaint why = {0};
	struct str command = {0};
	const char *plain;
	int status = CMD_UNREADABLE, seen;

	seeing_command(&command, pick->verb, all ? every : names, all ? 1 : n);
	seen = seeing_check(str_text(&command));
	str_release(&command);
	if (seen)
		return seen;
	if (all && n) {
		cmd_complain("--all looks for jobs, and one was named: say either");
		status = CMD_USAGE;
	} else if (jobs_list(&pick->jobs, &why) < 0) {
		cmd_complain("cannot list jobs: %s", complaint_text(&why));
	} else if (all) {
		status = foreign_choose_all(&pick->foreign, &pick->jobs, &pick->own);
	} else if (n == 1 && plain_pid(names[0])) {
		plain = plain_pid(names[0]);
		status = choose_pids(pick, &plain, 1);
	} else if (means_foreign(&pick->jobs, names, n)) {
		status = n == 1 ? choose_number(pick, names) : choose_pids(pick, names, n);
	} else if (n) {
		status = choose_named(pick, names, n);
	} else {
		pick->own = choose(&pick->jobs, pick->verb, &status);
		status = pick->own ? CMD_FINE : status;
	}
	complaint_release(&why);
	if (!status)
		take_whole(pick);
	return status;
}

size_t job_pick_describe_others(struct job_pick *pick, struct str *into)
{
	const struct jobs *jobs = &pick->jobs;
	size_t hung = 0, others = 0;

	if (!pick->own)
		return foreign_describe_others(&pick->foreign, jobs, into);
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (!fellows_are(entry, pick->own) && is_head(jobs, entry) &&
			lives(jobs, entry)) {
			others++;
			hung += says_hung(jobs, entry);
		}
	}
	if (others)
		str_printf(into, "%zu other job%s here, %zu hung", others, others == 1 ? "" : "s",
			hung);
	return others;
}

bool job_pick_is_live(const struct job_pick *pick)
{
	return !pick->own || lives(&pick->jobs, pick->own);
}

static struct foreign_target target_of(struct job_pick *pick)
{
	return (struct foreign_target){&pick->foreign.survey, pick->foreign.job,
		pick->foreign.pids.items, pick->foreign.pids.nr};
}

int job_pick_gather(struct job_pick *pick, const struct live_options *options,
	struct evidence *into, struct complaint *why)
{
	const struct foreign_target target = target_of(pick);
	struct live_options with = options ? *options : (struct live_options)LIVE_OPTIONS_DEFAULT;

	with.fellows = pick->fellows.items;
	with.nfellows = pick->fellows.nr;
	if (pick->unprobed.n) {
		with = foreign_stretch(&with);
		with.unprobed = &pick->unprobed;
	}
	if (pick->own && live_gather(pick->own->folder, &with, into, why) < 0)
		return complaint_context(why, "cannot look at %s", pick->own->id);
	if (!pick->own && foreign_gather(&target, options, into, why) < 0)
		return complaint_context(why, "cannot look at the job");
	return 0;
}

bool job_pick_has_glance(const struct job_pick *pick)
{
	return !pick->own;
}

int job_pick_gather_glance(struct job_pick *pick, const struct live_options *options,
	int64_t *ret_began, struct evidence *into, struct complaint *why)
{
	const struct foreign_target target = target_of(pick);

	if (foreign_gather_glance(&target, options, ret_began, into, why) < 0)
		return complaint_context(why, "cannot look at the job");
	return 0;
}

void job_pick_gather_rest(struct job_pick *pick, const struct live_options *options,
	int64_t began, struct evidence *into)
{
	const struct foreign_target target = target_of(pick);

	foreign_gather_rest(&target, options, began, into);
}

void job_pick_release(struct job_pick *pick)
{
	foreign_release(&pick->foreign);
	array_release(&pick->fellows);
	evidence_release(&pick->unprobed);
	jobs_release(&pick->jobs);
	pick->own = NULL;
}
