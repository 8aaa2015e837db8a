/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class not-started: a rank never made a communicator, and nothing else explains it. Class
 * node-loss: all that lived on one host fell silent together (lost-hosts.c decides which host).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/pace.h"
#include "verdict/backends/backend.h"
#include "verdict/judge.h"
#include "verdict/outside.h"
#include "verdict/profiles/unnumbered.h"
#include "verdict/rule.h"

/* Returns the fewest ranks that any host was seen to have; SIZE_MAX: none has any. */
static size_t smallest_host(const struct inquiry *q)
{
	size_t *n = alloc_zeroed(q->job->nhosts + 1, sizeof(*n)), smallest = SIZE_MAX;

	job_for_each_rank(q->job, rank)
		if (job_rank(q->job, rank)->host != JOB_NONE)
			n[job_rank(q->job, rank)->host]++;
	for (size_t host = 0; host < q->job->nhosts; host++)
		if (n[host] && n[host] < smallest)
			smallest = n[host];
	free(n);
	return smallest;
}

/*
 * True if some process has its number by guess: neither a RANK nor a group that it sits in tells
 * it. Then nobody knows which number is without a process.
 */
static bool numbers_are_guessed(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank) {
		bool seated = job_rank(q->job, rank)->process == JOB_NONE ||
			      job_rank(q->job, rank)->named_by_env;

		by_rank_each(&q->seats, rank, k)
			seated |= q->job->members[q->seats.at[k]].state != JOB_MEMBER_UNSEEN;
		if (!seated)
			return true;
	}
	return false;
}

/*
 * Finds what the job's table tells of ranks that it does not know. One may live on a host whose
 * evidence is missing; but not if fewer ranks are missing than any host has.
 */
void inquiry_find_unseen(struct inquiry *q)
{
	size_t unseen = 0, twins = 0;

	job_for_each_rank(q->job, rank)
		unseen += job_rank(q->job, rank)->process == JOB_NONE;
	for (size_t i = 0; i < q->job->nprocesses; i++)
		twins += q->job->processes[i].twin != 0;
	q->unseen = (struct inquiry_unseen){.elsewhere = unseen >= smallest_host(q),
		.guessed = numbers_are_guessed(q),
		.given_away = twins && twins == unseen};
}

/*
 * Returns how sure it is that a process which never made a communicator does not all the while wait
 * for the others' one by means that nobody records: by its stack, since nothing is read from
 * silence.
 */
static enum verdict_confidence by_stack(const struct posture *p)
{
	if (!p->stack)
		return VERDICT_SUPPORTED;
	return activities_elsewhere(p->activity) && !p->unsure ? VERDICT_ESTABLISHED
							       : VERDICT_HYPOTHESIS;
}

/*
 * Returns how sure it is that a rank without a process is not there. Absence from the census tells
 * little: the rank may be on a host that nobody looked at, or run without the probe. It tells more
 * only if every host was looked at.
 */
static enum verdict_confidence by_table(const struct job *job)
{
	const struct job_coverage *coverage = &job->coverage;

	return coverage->hosts.n != JOB_NONE && coverage->hosts_seen >= (size_t)coverage->hosts.n &&
			       !*coverage->hosts_part
		       ? VERDICT_SUPPORTED
		       : VERDICT_HYPOTHESIS;
}

/*
 * True if the others are at the start: some group or store of theirs is recorded, or they stand in
 * one. A program that makes its groups by other means has none that is late.
 */
static bool is_the_start(const struct inquiry *q)
{
	if (q->job->ngroups || (q->waits->n && !q->waits->only_told))
		return true;
	job_for_each_rank(q->job, rank)
		if (q->profiles[rank.i].posture.activity == ACTIVITY_INIT ||
			q->profiles[rank.i].posture.activity == ACTIVITY_STORE)
			return true;
	return false;
}

/* -- by stacks alone ------------------------------------------------------------------------- */

bool start_makes_first_group(const struct inquiry *q, struct rank_index rank)
{
	const struct job_stack *stack = q->profiles[rank.i].posture.stack;

	for (size_t i = 0; stack && backends[i]; i++)
		if (backends[i]->nstarts && stackfacts_find(q->job, stack, 0, backends[i]->starts,
						    backends[i]->nstarts) >= 0)
			return true;
	return false;
}

/* True if all ranks that wait do so in the making of their first group. */
static bool all_make_first_group(const struct inquiry *q)
{
	bool any = false;

	job_for_each_rank(q->job, rank) {
		if (!q->waits->told[rank.i].key)
			continue;
		if (!start_makes_first_group(q, rank))
			return false;
		any = true;
	}
	return any;
}

/*
 * True if all threads of the rank's process are known, and none is of those that only a process
 * with a group has.
 */
static bool has_no_group(const struct inquiry *q, struct rank_index rank)
{
	const struct job_stack *own = q->profiles[rank.i].posture.stack;
	const struct job_snapshot *snapshot = stackfacts_snapshot(q->job, own->process);
	size_t from, to, known = 0;

	stackfacts_of_rank(q->job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		if (q->job->stacks[i].process != own->process)
			continue;
		known++;
		for (size_t k = 0; backends[k]; k++)
			if (backend_fits(q->job->stacks[i].thread, backends[k]->threads))
				return false;
	}
	return snapshot && snapshot->threads && known >= snapshot->threads;
}

/*
 * Explains a rank before the start by stacks alone: the others stand in the making of their first
 * group, and this one is elsewhere, without any.
 */
static bool stands_before_start(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!q->waits->only_told || p->ended || p->posture.unsure ||
		!activities_elsewhere(p->posture.activity) || start_makes_first_group(q, rank) ||
		!all_make_first_group(q) || !has_no_group(q, rank))
		return false;
	why->confidence = VERDICT_SUPPORTED;
	why->outlook = p->progress == PROGRESS_YES ? VERDICT_WAIT : VERDICT_OUTLOOK_UNKNOWN;
	why->next = VERDICT_NEXT_LOOK_AT_CODE;
	why->progresses = true;
	return true;
}

/* -- what a ring or the census tells ----------------------------------------------------------- */

bool explains_start(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct job_rank *r = job_rank(q->job, rank);
	const struct profile *p = &q->profiles[rank.i];

	if (!p->readable)
		return stands_before_start(q, rank, why);
	if (!is_the_start(q) || pace_met_without_group(q->job, rank))
		return false;
	if (r->process == JOB_NONE &&
		(!q->job->census_whole || q->unseen.elsewhere || q->unseen.guessed))
		return false;
	if (r->process != JOB_NONE &&
		(!r->candidate_only || r->doubtful || activities_waits(p->posture.activity)))
		return false;
	why->confidence = r->process == JOB_NONE ? by_table(q->job)
			  : p->ended             ? VERDICT_ESTABLISHED
						 : by_stack(&p->posture);
	why->cause = r->process == JOB_NONE && q->unseen.given_away ? VERDICT_BY_NUMBER
								    : VERDICT_NO_CAUSE;
	why->outlook = p->progress == PROGRESS_YES ? VERDICT_WAIT : VERDICT_OUTLOOK_UNKNOWN;
	if (p->ended) /* one that nobody has seen may yet be started */
		why->outlook = VERDICT_KILL;
	why->next = why->cause == VERDICT_BY_NUMBER	  ? VERDICT_NEXT_GIVE_NUMBERS
		    : r->process == JOB_NONE ? VERDICT_NEXT_CHECK_LAUNCHER
		    : p->ended		     ? VERDICT_NEXT_ENDED_BEFORE_INIT
					     : VERDICT_NEXT_STACK_OF_RANK;
	why->progresses = r->process != JOB_NONE;
	return true;
}

/* At most so many of them are named. */
#define TOLD_PIDS 4

/* True if it will have a number when it makes a communicator: it lives. */
static bool has_no_rank_yet(const struct job *job, const struct job_process *process)
{
	return process->end == JOB_ALIVE && unnumbered_is(job, process);
}

/* Makes of them what a fact names; `told` has the first TOLD_PIDS of n. */
static const struct verdict_thing *thing_of_pids(
	struct inquiry *q, const struct job_process **told, size_t n)
{
	return draft_thing(q, (struct verdict_thing){.kind = THING_PIDS,
				      .processes = told,
				      .n = n < TOLD_PIDS ? n : TOLD_PIDS,
				      .more = n > TOLD_PIDS});
}

static bool same_number(const struct job_process *a, const struct job_process *b)
{
	return a->host == b->host && (a->twin ? a->twin : a->pid) == (b->twin ? b->twin : b->pid);
}

/* Adds which processes were started with the number of that one. */
static void tell_twins(struct inquiry *q, const struct job_process *of, struct draft *draft)
{
	const struct job_process **told =
		arena_new_many(q->arena, const struct job_process *, TOLD_PIDS);
	struct rank_index rank = NO_RANK;
	struct verdict_fact *fact;
	size_t n = 0;

	for (size_t i = 0; i < q->job->nprocesses; i++) {
		const struct job_process *process = &q->job->processes[i];

		if (process->end > JOB_ALIVE || !same_number(process, of))
			continue;
		if (!process->twin)
			rank = process->rank;
		if (n < TOLD_PIDS)
			told[n] = process;
		n++;
	}
	fact = draft_fact(q, draft, FACT_NUMBER_TWICE, rank, of->cite);
	fact->a = (int64_t)n;
	fact->thing = thing_of_pids(q, told, n);
}

/* Adds which numbers were given more than once, if that is not told yet. */
static void tell_given_twice(struct inquiry *q, struct draft *draft)
{
	const struct job_process *told[TOLD_CULPRITS];
	size_t n = 0;

	for (size_t i = 0; i < draft->facts.nr; i++)
		if (draft->facts.items[i].kind == FACT_NUMBER_TWICE)
			return;
	for (size_t i = 0; i < q->job->nprocesses && n < TOLD_CULPRITS; i++) {
		const struct job_process *process = &q->job->processes[i];
		bool first = process->twin != 0;

		for (size_t k = 0; first && k < n; k++)
			first = !same_number(told[k], process);
		if (!first)
			continue;
		tell_twins(q, process, draft);
		told[n++] = process;
	}
}

void start_tell_unseen(struct inquiry *q, struct rank_index rank, enum verdict_fact_kind otherwise,
	const char *cite, struct draft *draft)
{
	const struct job_process **told =
		arena_new_many(q->arena, const struct job_process *, TOLD_PIDS);
	struct verdict_fact *fact;
	size_t n = 0;

	for (size_t i = 0; i < q->job->nprocesses; i++) {
		if (!has_no_rank_yet(q->job, &q->job->processes[i]))
			continue;
		if (n < TOLD_PIDS)
			told[n] = &q->job->processes[i];
		n++;
	}
	fact = draft_fact(q, draft, n ? FACT_NO_NUMBER : otherwise, rank, cite);
	if (n) {
		fact->a = (int64_t)n;
		fact->thing = thing_of_pids(q, told, n);
	}
	tell_given_twice(q, draft);
}

void tell_start(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t now = q->waits->now[rank.i];

	if (!p->process) {
		start_tell_unseen(q, rank, FACT_NO_PROCESS, "census", draft);
		return;
	}
	draft_fact(q, draft, FACT_NEVER_INIT, rank,
		p->readable ? p->process->cite : p->posture.stack->cite);
	if (!p->readable) {
		stacks_tell(q, rank, draft);
		outside_tell(q, rank, draft);
	}
	if (p->cpu != JOB_UNKNOWN) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_CPU, rank, p->process->sample_cite);

		fact->a = p->cpu;
		fact->b = p->cpu_span;
	}
	if (now != JOB_UNKNOWN && p->process->born != JOB_UNKNOWN) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_OUTSIDE, rank, p->process->cite);

		fact->a = now - p->process->born;
	}
}

/* An agent says something every second: one that did so many ns before a look was at work then. */
#define AT_WORK (30 * CLOCK_NS_PER_S)

/*
 * Returns how sure it is that a host is lost. An agent that was at work when its host was looked at
 * last is silent since for want of a look, it may be.
 */
static enum verdict_confidence loss_confidence(const struct job_host *host)
{
	if (host->agent_alive == JOB_NO)
		return VERDICT_ESTABLISHED;
	return host->guessed || host->gathered == JOB_UNKNOWN ||
			       host->gathered - host->agent_beat < AT_WORK
		       ? VERDICT_HYPOTHESIS
		       : VERDICT_SUPPORTED;
}

bool explains_loss(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	int host = job_rank(q->job, rank)->host;

	if (host == JOB_NONE || !q->lost_hosts[host])
		return false;
	why->confidence = loss_confidence(&q->job->hosts[host]);
	why->outlook = VERDICT_KILL;
	why->next = VERDICT_NEXT_CHECK_NODE;
	return true;
}

void tell_loss(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_host *host = &q->job->hosts[job_rank(q->job, rank)->host];
	struct verdict_fact *fact;

	for (size_t i = 0; i < draft->facts.nr; i++)
		if (draft->facts.items[i].kind == FACT_AGENT_SILENT &&
			draft->facts.items[i].text == host->name)
			return;
	fact = draft_fact(q, draft, FACT_AGENT_SILENT, NO_RANK, host->cite);
	fact->text = host->name;
	fact->a = inquiry_silence(q, job_rank(q->job, rank)->host);
}

/* -- nobody has made a communicator ------------------------------------------------------------ */

/* True if the probe was in the job: there is a census, or a ring. */
static bool has_probe(const struct job *job)
{
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->knows & (JOB_KNOWS_RING | JOB_KNOWS_CENSUS))
			return true;
	return job->has_census;
}

/* Judges ranks without a communicator: they start, or call NCCL where it is not seen. */
void judge_no_groups(struct inquiry *q)
{
	struct draft *draft;
	size_t left = 0;

	job_for_each_rank(q->job, rank) {
		if (q->profiles[rank.i].death > DEATH_CLEAN)
			return;
		left += q->profiles[rank.i].death == DEATH_CLEAN;
	}
	if (q->job->nranks == left || q->job->ngroups)
		return;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	for (struct rank_index rank = {0}; job_has_rank(q->job, rank) && left; rank.i++)
		if (q->profiles[rank.i].death == DEATH_CLEAN && draft->facts.nr < TOLD_CULPRITS)
			draft_fact(q, draft, FACT_DIED_EXIT, rank,
				q->profiles[rank.i].process->end_cite)
				->a = 0;
	if (has_probe(q->job)) {
		draft_fact(q, draft, FACT_NO_COMMUNICATOR, NO_RANK, "census");
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_CALLS, NO_RANK);
	} else {
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, NEED_RANKS_STACKS, NO_RANK);
	}
}
