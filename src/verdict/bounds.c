/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds what may be said by what was not seen. Rules look at what is there; whether that is all,
 * is asked here, once and for all of them. While the size of the job is unknown, or any of its
 * ranks has not testified, a finding is supported at most, and a job is not called well because
 * nobody seen waits.
 *
 * A rank has testified if its own boards were read, or it is known to have ended, or its stack
 * tells what it does. A process that was merely seen to live gives no testimony, and neither does
 * evidence that may be of another run of the job: whatever is made of that is a guess.
 */
#include <string.h>

#include "verdict/judge.h"
#include "verdict/looks/looks.h"
#include "verdict/rule.h"

static bool has_testified(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!p->process || p->process->other_run)
		return false;
	return p->readable || p->ended ||
	       (p->posture.activity != ACTIVITY_UNKNOWN && !p->posture.unsure);
}

/* True if the ranks of the job are fewer than somebody says that there should be. */
static bool lacks_unlisted(const struct job *job)
{
	return (int64_t)job->coverage.ranks.n > (int64_t)job->nranks;
}

/* True if this rank is one for which that is lacking. */
static bool lacks(const struct inquiry *q, struct rank_index rank, enum verdict_lack lack)
{
	if (lack == VERDICT_LACKS_RANKS)
		return !q->profiles[rank.i].process;
	return lack == VERDICT_LACKS_TESTIMONY ? !has_testified(q, rank)
					       : inquiry_look(q, rank) != LOOKED_SINCE;
}

enum verdict_lack inquiry_lack(const struct inquiry *q, struct rank_list *lacking)
{
	const struct job *job = q->job;
	if (job->coverage.ranks.n == JOB_NONE)
		return VERDICT_LACKS_SIZE;
	for (enum verdict_lack lack = VERDICT_LACKS_RANKS; lack <= VERDICT_LACKS_LOOK; lack++) {
		bool any = lack == VERDICT_LACKS_RANKS && lacks_unlisted(job);

		job_for_each_rank(job, rank) {
			if (!lacks(q, rank, lack))
				continue;
			any = true;
			if (lacking)
				rank_list_add(lacking, rank);
		}
		if (any)
			return lack;
	}
	return job->coverage.hosts_part && *job->coverage.hosts_part ? VERDICT_LACKS_PART
								     : VERDICT_LACKS_NOTHING;
}

/* True if some rank was ended, and it is unknown what it did before: it may have waited. */
static bool somebody_was_ended_unseen(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->process && p->ended && !p->readable && p->death != DEATH_CLEAN)
			return true;
	}
	return false;
}

/*
 * Adds a finding that nothing can be judged, if no rank can be seen: nobody can be seen to wait
 * then.
 */
void judge_unreadable(struct inquiry *q)
{
	bool clean = q->job->nranks > 0;

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		/*
		 * A living process that came no further than its start shows that it does not wait.
		 */
		if (p->process && p->readable &&
			(!p->ended || (job_rank(q->job, rank)->knows & JOB_KNOWS_BOARDS)))
			return;
		clean &= p->death == DEATH_CLEAN;
	}
	if (clean)
		return;
	inquiry_draft(q, VERDICT_INCONCLUSIVE)->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_TRUSTED_RING, NO_RANK);
}

/* True if the evidence of some rank may be of another run of the job. */
static bool may_be_mixed(const struct job *job)
{
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->process != JOB_NONE &&
			job->processes[job_rank(job, rank)->process].other_run)
			return true;
	return false;
}

/* Makes all findings guesses if evidence may be of two runs. */
static void doubt_mixture(struct inquiry *q)
{
	for (size_t i = 0; may_be_mixed(q->job) && i < q->drafts.nr; i++) {
		draft_at_most(&q->drafts.items[i], VERDICT_HYPOTHESIS);
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_ONE_RUN, NO_RANK);
	}
}

/*
 * Makes findings about a group less sure if its ranks differed before, and nobody knows how: that
 * may have led to them.
 */
static void doubt_after_forks(struct inquiry *q)
{
	for (size_t i = 0; i < q->forks->n; i++) {
		const struct fork *fork = &q->forks->at[i];

		if (!fork_is_gone(q, fork))
			continue;
		for (size_t k = 0; k < q->drafts.nr; k++)
			if (q->drafts.items[k].verdict.group == fork->group)
				draft_at_most(&q->drafts.items[k], VERDICT_SUPPORTED);
	}
}

/* Returns what would have to be there. */
static enum verdict_need need_of(enum verdict_lack lack)
{
	static const enum verdict_need needs[] = {
		[VERDICT_LACKS_SIZE] = NEED_WORLD_SIZE_SAID,
		[VERDICT_LACKS_RANKS] = NEED_UNSEEN_RANKS,
		[VERDICT_LACKS_TESTIMONY] = NEED_TESTIMONY,
		[VERDICT_LACKS_LOOK] = NEED_LOOK, /* judge_looks() says of whom */
		[VERDICT_LACKS_PART] = NEED_WHOLE_ANSWERS,
	};

	return needs[lack];
}

/*
 * Turns a healthy verdict into an inconclusive one: nobody seen waits, which tells nothing of the
 * others.
 */
static void withdraw_health(struct inquiry *q, struct draft *draft, enum verdict_lack lack)
{
	bool mixed = may_be_mixed(q->job);

	draft->verdict.class = VERDICT_INCONCLUSIVE;
	draft->verdict.confidence = VERDICT_UNKNOWN;
	draft->verdict.next = lack == VERDICT_LACKS_RANKS || lack == VERDICT_LACKS_PART
				      ? VERDICT_NEXT_GET_REST
			      : mixed && !inquiry_by_dumps(q) ? VERDICT_NEXT_RUN_APART
							      : VERDICT_NEXT_MORE_EVIDENCE;
	/* If runs may be mixed, doubt_mixture() tells what is needed. */
	if (!mixed)
		inquiry_not_judged(q, VERDICT_HEALTHY, need_of(lack), NO_RANK);
}

/* At most so many workers are named. */
#define TOLD_WORKERS 4

/*
 * True for a worker of Ray, by the name that it gives itself ("ray::RayTrainWorker", "ray::IDLE"
 * while it has nothing to do). The driver, of which it is a descendant, only waits for what it
 * gives. Ray's own agents have such names as well, and are there as long as Ray is.
 */
static bool is_worker(const struct job_process *process)
{
	static const char *const others[] = {"IDLE", "DashboardA", "RuntimeEnv"};

	if (process->role != JOB_ROLE_CHILD || process->end > JOB_ALIVE ||
		strncmp(process->comm, "ray::", 5) != 0)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(process->comm + 5, others[i]))
			return false;
	return true;
}

/* Finds the workers, of which only names are known; returns how many there are. */
static int64_t find_workers(
	const struct inquiry *q, const struct job_process *into[TOLD_WORKERS], size_t *ret_told)
{
	const struct job *job = q->job;
	int64_t n = 0;

	*ret_told = 0;
	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (!is_rank(process->rank) || !is_worker(process) || n++ >= TOLD_WORKERS)
			continue;
		into[(*ret_told)++] = process;
	}
	return n;
}

/*
 * Adds the workers of a driver that is taken for a rank. That the driver is well is not said: it
 * does not do the work.
 */
static void tell_workers(struct inquiry *q, struct draft *draft)
{
	const struct job_process **told =
		arena_new_many(q->arena, const struct job_process *, TOLD_WORKERS);
	struct verdict_fact *fact;
	size_t ntold;
	int64_t n = find_workers(q, told, &ntold);

	if (n && draft->verdict.class == VERDICT_HEALTHY) {
		draft->verdict.class = VERDICT_INCONCLUSIVE;
		draft->verdict.confidence = VERDICT_UNKNOWN;
		draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		draft->facts.nr = 0;
	}
	if (n) {
		fact = draft_fact(q, draft, FACT_WORKERS_UNSEEN, NO_RANK, "procs");
		fact->thing = draft_thing(q, (struct verdict_thing){.kind = THING_PROCESSES,
						     .processes = told,
						     .n = ntold});
		fact->a = n;
		inquiry_not_judged(q, VERDICT_HEALTHY, NEED_WORKERS_STACKS, NO_RANK);
	}
}

/* True if the rank waits by its look, and has gone on since. */
static bool waited_once(const struct inquiry *q, struct rank_index rank)
{
	return inquiry_longest_wait(q, rank) && !q->profiles[rank.i].ended &&
	       looks_are_outdated(q, rank);
}

/*
 * Notes which ranks were looked at too early, or at an unknown time. The next step is then another
 * look, unless a finding has another step; where the time is unknown, another look would tell no
 * more.
 */
static void judge_looks(struct inquiry *q)
{
	struct rank_list before = {0}, whenever = {0};

	job_for_each_rank(q->job, rank) {
		enum inquiry_look look = inquiry_look(q, rank);

		if (look == LOOKED_SINCE && waited_once(q, rank))
			look = LOOKED_BEFORE;
		if (look != LOOKED_SINCE)
			rank_list_add(look == LOOKED_BEFORE ? &before : &whenever, rank);
	}
	inquiry_not_judged_each(q, VERDICT_INCONCLUSIVE, NEED_LOOK, &before);
	inquiry_not_judged_each(q, VERDICT_INCONCLUSIVE, NEED_TIMES, &whenever);
	for (size_t i = 0; before.list.nr && i < q->drafts.nr; i++)
		if (q->drafts.items[i].verdict.next == VERDICT_NEXT_MORE_EVIDENCE)
			q->drafts.items[i].verdict.next = VERDICT_NEXT_LOOK_AGAIN;
	array_release(&before.list);
	array_release(&whenever.list);
}

/* True if all that is known of some rank is a dump of which a part is lost: the rank may wait. */
static bool somebody_is_cut(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank)
		if (waits_are_by_dump(job_rank(q->job, rank)) &&
			dumps_are_cut(q, rank))
			return true;
	return false;
}

void judge_bounds(struct inquiry *q)
{
	enum verdict_lack lack = inquiry_lack(q, NULL);
	bool unseen = somebody_was_ended_unseen(q) || somebody_is_cut(q);

	for (size_t i = 0; i < q->drafts.nr; i++)
		if (q->drafts.items[i].verdict.class == VERDICT_HEALTHY ||
			q->drafts.items[i].verdict.class == VERDICT_INCONCLUSIVE)
			tell_workers(q, &q->drafts.items[i]);
	for (size_t i = 0; i < q->drafts.nr; i++) {
		struct draft *draft = &q->drafts.items[i];

		if (draft->verdict.class == VERDICT_HEALTHY) {
			if (unseen || lack != VERDICT_LACKS_NOTHING)
				withdraw_health(q, draft,
					lack != VERDICT_LACKS_NOTHING ? lack
								      : VERDICT_LACKS_TESTIMONY);
		} else if (lack != VERDICT_LACKS_NOTHING &&
			   draft->verdict.confidence == VERDICT_ESTABLISHED) {
			draft->verdict.confidence = VERDICT_SUPPORTED;
			if (lack != VERDICT_LACKS_LOOK)
				inquiry_not_judged(
					q, VERDICT_INCONCLUSIVE, need_of(lack), NO_RANK);
		}
	}
	judge_looks(q);
	doubt_after_forks(q);
	doubt_mixture(q);
}
