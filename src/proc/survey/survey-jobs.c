/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which ranks are one job. Two containers may both say 127.0.0.1:29500, and a job without
 * any name may be there twice: what shows that is one rank that is there twice. Then launchers tell
 * the jobs apart, or parents; and where even these are the same, the order of births does.
 */
#include <stdlib.h>
#include <string.h>

#include "proc/survey/survey.h"

#define CLIMB_MOST 64 /* generations: a longer chain of parents is damage */

/* A rank on its way into a job. */
struct member {
	struct survey_process *process;
	const char *key;  /* names its job: equal for members of one job */
	int starter;	  /* index of its launcher, else of its parent; SURVEY_NONE */
	unsigned cohort;  /* number of its job among those that nothing else tells apart */
};

struct members {
	ARRAY(struct member) all;
};

/* Returns a rank's key, by the best of what names its job. */
static const char *key_of(struct survey *survey, const struct survey_process *process)
{
	const struct claims *claims = &process->claims;

	if (*claims->folder)
		return arena_printf(&survey->arena, "folder %s", claims->folder);
	if (*claims->master)
		return arena_printf(
			&survey->arena, "master %s %s", claims->master, claims->job);
	if (*claims->job)
		return arena_printf(&survey->arena, "job %s", claims->job);
	if (!strcmp(process->rank.launcher, "spawn"))
		return arena_printf(&survey->arena, "spawn %u", process->stat.ppid);
	if (process->under != SURVEY_NONE)
		return arena_printf(&survey->arena, "launcher %u",
			survey->all.items[process->under].stat.pid);
	return arena_printf(&survey->arena, "world %d", process->rank.world_size);
}

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

/* Orders by owner and key; 0 if two may be of one job. */
static int compare_keys(const struct member *a, const struct member *b)
{
	ORDER(a->process->uid, b->process->uid);
	return strcmp(a->key, b->key);
}

/* Orders by owner and key, then by birth. */
static int compare_names(const void *va, const void *vb)
{
	const struct member *a = va, *b = vb;
	int order = compare_keys(a, b);

	if (order)
		return order;
	ORDER(a->process->stat.start_time, b->process->stat.start_time);
	ORDER(a->process->stat.pid, b->process->stat.pid);
	return 0;
}

/* Orders by owner and key, by starter, then by birth. */
static int compare_starters(const void *va, const void *vb)
{
	const struct member *a = va, *b = vb;
	int order = compare_keys(a, b);

	if (order)
		return order;
	ORDER(a->starter, b->starter);
	return compare_names(va, vb);
}

/* True if two claim the same rank of the same restart. */
static bool is_same_seat(const struct member *a, const struct member *b)
{
	return a->process->rank.rank == b->process->rank.rank &&
	       a->process->rank.rank != CLAIM_UNKNOWN &&
	       a->process->rank.restart == b->process->rank.restart;
}

/* Orders by who started them and by how many they say that they are. */
static int compare_broods(const void *va, const void *vb)
{
	const struct member *a = va, *b = vb;

	ORDER(a->process->uid, b->process->uid);
	ORDER(a->starter, b->starter);
	ORDER(a->process->rank.world_size, b->process->rank.world_size);
	ORDER(a->process->stat.pid, b->process->stat.pid);
	return 0;
}

/* True if two were started by the same process and say the same world size. */
static bool is_same_brood(const struct member *a, const struct member *b)
{
	return a->process->uid == b->process->uid && a->starter == b->starter &&
	       a->process->rank.world_size == b->process->rank.world_size;
}

/* True if a rank is there twice among [from, to). */
static bool has_twins(const struct members *members, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = from; k < i; k++)
			if (is_same_seat(&members->all.items[i], &members->all.items[k]))
				return true;
	return false;
}

/* Returns the key that more than half of [from, to) have; NULL if there is none. */
static const char *usual_key(const struct members *members, size_t from, size_t to)
{
	const struct member *list = members->all.items;

	for (size_t i = from; i < to; i++) {
		size_t same = 0;

		for (size_t k = from; k < to; k++)
			same += !strcmp(list[i].key, list[k].key);
		if (2 * same > to - from)
			return list[i].key;
		if (i - from > (to - from) / 2)
			break; /* too few are left for a key of more than half */
	}
	return NULL;
}

/*
 * Gives the key of its siblings to a process that was started with them and has the one number that
 * they lack: it is of their job, even if it looks for them at another address. That is known only
 * if all ranks of the job are here.
 */
static void join_strays(struct members *members)
{
	struct member *list = members->all.items;

	array_sort(&members->all, compare_broods);
	for (size_t from = 0, to; from < members->all.nr; from = to) {
		const char *usual;

		for (to = from; to < members->all.nr && is_same_brood(&list[from], &list[to]); to++)
			;
		if (list[from].starter == SURVEY_NONE ||
			(int64_t)(to - from) != list[from].process->rank.world_size ||
			has_twins(members, from, to))
			continue;
		usual = usual_key(members, from, to);
		for (size_t i = from; usual && i < to; i++)
			list[i].key = usual;
	}
}

/*
 * Puts each of [from, to), in the order of birth, into the first cohort that has no such rank yet.
 */
static void split_cohorts(struct members *members, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct member *mine = &members->all.items[i];

		for (size_t k = from; k < i; k++)
			if (is_same_seat(mine, &members->all.items[k]) &&
				members->all.items[k].cohort >= mine->cohort)
				mine->cohort = members->all.items[k].cohort + 1;
	}
}

/*
 * Returns what a job is called: its launcher's name for it (unless it was split), else its
 * launcher, else its first rank.
 */
static const char *id_of(struct survey *survey, const struct member *first, bool split)
{
	const struct survey_process *process = first->process;
	const struct survey_process *starter =
		process->under == SURVEY_NONE ? NULL : &survey->all.items[process->under];

	if (*process->claims.job && !split)
		return arena_text(&survey->arena, process->claims.job);
	if (starter)
		return arena_printf(&survey->arena, "%s-%u", starter->launcher->name,
			starter->stat.pid);
	return arena_printf(&survey->arena, "pid-%u", process->stat.pid);
}

/* True if a rank is before another one: those without a number come last. */
static bool is_lower(const struct rank_claim *a, const struct rank_claim *b)
{
	return a->rank != CLAIM_UNKNOWN && (b->rank == CLAIM_UNKNOWN || a->rank < b->rank);
}

/* Makes one job of those in [from, to) that are of this cohort. */
static void make_job(struct survey *survey, const struct members *members, size_t from, size_t to,
	unsigned cohort, bool split)
{
	struct survey_job job = {.world_size = CLAIM_UNKNOWN, .folder = ""};
	const struct member *first = NULL;

	for (size_t i = from; i < to; i++) {
		const struct member *member = &members->all.items[i];
		const struct rank_claim *rank = &member->process->rank;

		if (member->cohort != cohort)
			continue;
		if (!first || is_lower(rank, &first->process->rank))
			first = member;
		if (rank->world_size > job.world_size)
			job.world_size = rank->world_size;
		if (*member->process->claims.folder)
			job.folder = arena_text(&survey->arena, member->process->claims.folder);
		member->process->job = (int)survey->jobs.nr;
		job.ranks++;
	}
	if (!first)
		return;
	job.id = id_of(survey, first, split);
	job.launcher = first->process->rank.launcher;
	job.uid = first->process->uid;
	job.first_pid = first->process->stat.pid;
	*array_add(&survey->jobs) = job;
}

/* Makes a job of each cohort of [from, to). */
static void make_cohorts(
	struct survey *survey, struct members *members, size_t from, size_t to, bool split)
{
	unsigned last = 0;

	split_cohorts(members, from, to);
	for (size_t i = from; i < to; i++)
		if (members->all.items[i].cohort > last)
			last = members->all.items[i].cohort;
	for (unsigned cohort = 0; cohort <= last; cohort++)
		make_job(survey, members, from, to, cohort, split || last);
}

/*
 * Returns the end of the run that begins at `from`: of one owner and key, with by_starter also of
 * one starter.
 */
static size_t run_end(const struct members *members, size_t from, bool by_starter)
{
	size_t to = from;

	while (to < members->all.nr &&
		!compare_keys(&members->all.items[from], &members->all.items[to]) &&
		(!by_starter ||
			members->all.items[from].starter == members->all.items[to].starter))
		to++;
	return to;
}

void survey_make_jobs(struct survey *survey)
{
	struct members members = {0};

	for (size_t i = 0; i < survey->all.nr; i++) {
		struct survey_process *process = &survey->all.items[i];

		if (process->is_rank)
			*array_add(&members.all) = (struct member){.process = process,
				.key = key_of(survey, process),
				.starter = process->under != SURVEY_NONE ? process->under
									 : process->parent};
	}
	join_strays(&members);
	array_sort(&members.all, compare_starters);
	for (size_t from = 0, to; from < members.all.nr; from = to) {
		to = run_end(&members, from, false);
		if (!has_twins(&members, from, to)) {
			make_job(survey, &members, from, to, 0, false);
			continue;
		}
		for (size_t part = from, end; part < to; part = end) {
			end = run_end(&members, part, true);
			make_cohorts(survey, &members, part, end, true);
		}
	}
	array_release(&members.all);
}

/* Returns the job of the process at an index, or of the rank that it descends from; SURVEY_NONE. */
static int job_above(const struct survey *survey, int at)
{
	for (int step = 0; at != SURVEY_NONE && step < CLIMB_MOST; step++) {
		if (survey->all.items[at].is_rank)
			return survey->all.items[at].job;
		at = survey->all.items[at].parent;
	}
	return SURVEY_NONE;
}

int survey_job_of(struct survey *survey, uint32_t pid)
{
	struct survey_process *process = survey_find(survey, pid);
	int start = process ? (int)(process - survey->all.items) : SURVEY_NONE;
	int found = job_above(survey, start);

	if (found != SURVEY_NONE || start == SURVEY_NONE || process->ourselves)
		return found;
	for (size_t i = 0; i < survey->all.nr; i++) {
		int at = survey->all.items[i].parent;

		if (!survey->all.items[i].is_rank)
			continue;
		for (int step = 0; at != SURVEY_NONE && at != start && step < CLIMB_MOST; step++)
			at = survey->all.items[at].parent;
		if (at != start)
			continue;
		if (found != SURVEY_NONE && found != survey->all.items[i].job)
			return SURVEY_NONE;
		found = survey->all.items[i].job;
	}
	return found;
}
