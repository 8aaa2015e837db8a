/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges the end of a process that had no rank's number yet: it was started beside the ranks, and
 * their launcher ended them once it had seen that. No rank tells of it, and all that is seen of the
 * ranks is that they were ended.
 */
#include "verdict/profiles/unnumbered.h"

#include <signal.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "verdict/judge.h"
#include "verdict/profiles/told.h"

/* Returns the process of a rank; NULL: none was seen. */
static const struct job_process *own_of(const struct job *job, struct rank_index rank)
{
	int process = job_rank(job, rank)->process;

	return process == JOB_NONE ? NULL : &job->processes[process];
}

/* True if it is nobody's child or helper, and has no number: whoever started it. */
static bool is_of_nobody(const struct job_process *process)
{
	return !is_rank(process->rank) && !*process->what && !process->twin && process->ppid &&
	       (process->role == JOB_ROLE_UNKNOWN || process->role == JOB_ROLE_CANDIDATE);
}

static int compare_beside(const void *va, const void *vb)
{
	const struct job_process *a = *(const struct job_process *const *)va;
	const struct job_process *b = *(const struct job_process *const *)vb;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return a->ppid < b->ppid ? -1 : a->ppid > b->ppid;
}

/* The processes of ranks, by who started them: there are as many as ranks, and all are asked of. */
struct ranks_own {
	ARRAY(const struct job_process *) all;
};

static struct ranks_own ranks_own(const struct job *job)
{
	struct ranks_own own = {0};

	job_for_each_rank(job, rank)
		if (own_of(job, rank))
			*array_add(&own.all) = own_of(job, rank);
	array_sort(&own.all, compare_beside);
	return own;
}

/* True if it was started by who started a rank, and runs what that one runs. */
static bool runs_the_same(const struct ranks_own *own, const struct job_process *process)
{
	size_t n = own->all.nr, at;

	if (!is_of_nobody(process))
		return false;
	at = bisect(0, n, i, compare_beside(&own->all.items[i], &process) < 0);
	for (; at < n && !compare_beside(&own->all.items[at], &process); at++)
		if (!strcmp(own->all.items[at]->comm, process->comm))
			return true;
	return false;
}

bool unnumbered_is(const struct job *job, const struct job_process *process)
{
	if (!is_of_nobody(process))
		return false;
	job_for_each_rank(job, rank) {
		const struct job_process *own = own_of(job, rank);

		if (own && own->host == process->host && own->ppid == process->ppid)
			return true;
	}
	return false;
}

size_t unnumbered_count(const struct job *job)
{
	struct ranks_own own = ranks_own(job);
	size_t n = 0;

	for (size_t i = 0; i < job->nprocesses; i++)
		n += runs_the_same(&own, &job->processes[i]);
	array_release(&own.all);
	return n;
}

/* True if it ended badly, and not by an order, as far as is known: 143 is a shell's for SIGTERM. */
static bool ended_badly(const struct job_process *process)
{
	if (process->ended == JOB_UNKNOWN)
		return false;
	if (process->end == JOB_EXITED)
		return process->status && !told_is_order(process->status - 128);
	return process->end == JOB_SIGNALED && !told_is_order(process->status);
}

/*
 * True if it may have become one of the ranks, and no rank is elsewhere: some have not been seen,
 * and there are as many processes for all of them. How many there should be may be unknown.
 */
static bool may_be_lacking(const struct inquiry *q)
{
	struct rank_list lacking = {0};
	enum verdict_lack lack = inquiry_lack(q, &lacking);
	size_t n = lacking.list.nr;

	array_release(&lacking.list);
	if (lack != VERDICT_LACKS_RANKS)
		return lack == VERDICT_LACKS_SIZE;
	return n && n <= unnumbered_count(q->job) && !*q->job->coverage.hosts_missing;
}

/* True if that rank ended for an order that came behind the end of the process. */
static bool was_ended_behind(
	const struct inquiry *q, struct rank_index rank, const struct job_process *process)
{
	const struct job_process *own = own_of(q->job, rank);
	const struct profile *p = &q->profiles[rank.i];

	if (!own || own->host != process->host || own->end == JOB_ALIVE)
		return !own || own->host == process->host;
	if (p->told)
		return told_by_launcher(q->job, p->told) && p->told->when > process->ended;
	return own->end == JOB_SIGNALED && told_is_order(own->status) &&
	       own->ended > process->ended;
}

/* True if such a process ended, and when is not known: it may have been before all others. */
static bool one_ended_unseen(const struct job *job, const struct ranks_own *own)
{
	for (size_t i = 0; i < job->nprocesses; i++)
		if (job->processes[i].end != JOB_ALIVE && job->processes[i].ended == JOB_UNKNOWN &&
			runs_the_same(own, &job->processes[i]))
			return true;
	return false;
}

/* True if it ended while ranks were there, and all of them were ended for that or live on. */
static bool is_first_end(const struct inquiry *q, const struct job_process *process)
{
	bool beside = false;

	job_for_each_rank(q->job, rank) {
		const struct job_process *own = own_of(q->job, rank);

		if (!was_ended_behind(q, rank, process))
			return false;
		beside |= own && own->born != JOB_UNKNOWN && own->born < process->ended;
	}
	return beside;
}

/* Returns the first such process that ended so; NULL: none did. */
static const struct job_process *find_first(const struct inquiry *q)
{
	const struct job_process *first = NULL;
	struct ranks_own own = ranks_own(q->job);

	for (size_t i = 0; i < q->job->nprocesses; i++) {
		const struct job_process *process = &q->job->processes[i];

		if (ended_badly(process) && runs_the_same(&own, process) &&
			(!first || process->ended < first->ended) && is_first_end(q, process))
			first = process;
	}
	if (first && one_ended_unseen(q->job, &own))
		first = NULL;
	array_release(&own.all);
	return first;
}

/*
 * Returns what torch.multiprocessing says of its process; NULL: nothing, or of several of them.
 */
static const struct job_saying *spawn_says(const struct job *job)
{
	const struct job_saying *one = NULL;

	for (size_t i = 0; i < job->nsayings; i++) {
		if (job->sayings[i].kind != JOB_SAYS_SPAWN)
			continue;
		if (one && one->a != job->sayings[i].a)
			return NULL;
		one = &job->sayings[i];
	}
	return one;
}

/*
 * Returns the rank that it would have been: the only one that was not seen, while it is the only
 * one without a number, and its launcher counts it so; NO_RANK: that is not known.
 */
static struct rank_index rank_of(const struct inquiry *q)
{
	const struct job_saying *said = spawn_says(q->job);
	struct rank_index one = NO_RANK;
	struct rank_list lacking = {0};

	if (said && unnumbered_count(q->job) == 1 &&
		inquiry_lack(q, &lacking) == VERDICT_LACKS_RANKS && lacking.list.nr == 1)
		one = lacking.list.items[0];
	array_release(&lacking.list);
	return is_rank(one) && job_rank(q->job, one)->world_rank.n == said->a ? one : NO_RANK;
}

static enum verdict_cause cause_of(const struct inquiry *q, const struct job_process *process)
{
	if (process->end == JOB_SIGNALED)
		return process->status == SIGKILL   ? VERDICT_BY_KILLED
		       : process->status == SIGABRT ? VERDICT_BY_ABORT
						    : VERDICT_BY_SIGNAL;
	return spawn_says(q->job) ? VERDICT_BY_EXCEPTION : VERDICT_NO_CAUSE;
}

/* What to do next; where no rank is named, it is about the process. */
static enum verdict_next next_of(enum verdict_cause cause, bool named)
{
	if (named && cause == VERDICT_BY_EXCEPTION)
		return VERDICT_NEXT_READ_TRACEBACK;
	return named && cause == VERDICT_BY_KILLED ? VERDICT_NEXT_WHO_KILLED
						   : VERDICT_NEXT_END_OF_PROCESS;
}

void judge_unnumbered(struct inquiry *q)
{
	const struct job_process *process = find_first(q);
	struct rank_index rank = NO_RANK;
	struct verdict_fact *fact;
	struct draft *draft;

	if (!process || !may_be_lacking(q))
		return;
	rank = rank_of(q);
	draft = inquiry_draft(q, VERDICT_RANK_DEATH);
	if (is_rank(rank))
		rank_list_add(&draft->culprits, rank);
	draft->verdict.cause = cause_of(q, process);
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = next_of(draft->verdict.cause, is_rank(rank));
	fact = draft_fact(q, draft, FACT_UNNUMBERED_DIED, rank, process->end_cite);
	fact->a = process->pid;
	fact->b = process->end == JOB_EXITED ? process->status : JOB_UNKNOWN;
	fact->c = process->end == JOB_SIGNALED ? process->status : JOB_UNKNOWN;
}
