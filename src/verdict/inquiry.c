/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions to the job before any rule speaks. Each answer stands on those before: waits and
 * forks; profiles, which need waits; then how long a wait must be in each group, which ranks stand
 * on their own, which forks explain waits; then the graph; and from it who is wanted by others.
 *
 * How long is long depends on the group: one that meets every millisecond hangs after two seconds,
 * one that meets every minute is not even late by then. So thresholds are multiples of the group's
 * own usual gap; one constant for all would be wrong for either kind.
 */
#include "verdict/inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/names.h"
#include "job/pace.h"
#include "job/rollcall.h"
#include "verdict/demands.h"
#include "verdict/forks/strays.h"
#include "verdict/looks/looks.h"
#include "verdict/looks/looks-ends.h"
#include "verdict/profiles/earlier.h"

/* No wait is a hang before this time, ns, nor before so many of the group's usual gaps. */
#define HANG_AT_LEAST (2 * CLOCK_NS_PER_S)
#define HANG_GAPS     5
/*
 * An init is a hang after so many usual starts: ranks that start on crowded cores come one by one,
 * the last one after twice the median. Once they have met, the slowest init so far is the measure.
 * Where all have come, and not to one place, nobody comes later.
 */
#define HANG_STARTS 3

/* -- how long is long -------------------------------------------------------------------------- */

static int64_t threshold_of(int64_t usual, int times)
{
	if (usual <= HANG_AT_LEAST / times)
		return HANG_AT_LEAST;
	return usual < INT64_MAX / times ? usual * times : INT64_MAX;
}

/* `apart`: the threshold where some never meet the others. */
static int64_t threshold_of_start(int64_t usual, int64_t apart)
{
	int64_t late = threshold_of(usual, HANG_STARTS);

	return late < apart ? late : apart;
}

static void find_thresholds(struct inquiry *q)
{
	bool met = pace_all_met(q->job);
	int64_t init = met ? pace_slowest_init(q->job) : 0;
	int64_t apart = met ? INT64_MAX : address_threshold(q->job, q->waits, q->profiles);
	size_t n = q->job->ngroups;

	q->gaps = alloc_zeroed(n + 1, sizeof(*q->gaps));
	q->threshold = alloc_zeroed(n + 1, sizeof(*q->threshold));
	q->threshold_p2p = alloc_zeroed(n + 1, sizeof(*q->threshold_p2p));
	q->threshold_init = alloc_zeroed(n + 1, sizeof(*q->threshold_init));
	for (size_t i = 0; i < n; i++) {
		int64_t start = met ? init : pace_median_start(q->job, (int)i);
		int64_t messages = pace_median_gap(q->job, (int)i, true);

		q->gaps[i] = pace_median_gap(q->job, (int)i, false);
		q->threshold[i] = threshold_of(q->gaps[i], HANG_GAPS);
		q->threshold_p2p[i] = threshold_of(messages > q->gaps[i] ? messages : q->gaps[i],
			HANG_GAPS);
		q->threshold_init[i] = threshold_of_start(start, apart);
	}
}

/*
 * Returns the threshold for keys of the store. They are waited for at any time; but before anybody
 * has made a group, ranks come to the store as they start, one by one.
 */
static int64_t threshold_of_store(const struct inquiry *q)
{
	const struct job *job = q->job;
	int64_t usual = 0;

	if (pace_all_met(job))
		return HANG_AT_LEAST;
	for (size_t i = 0; i < job->nmembers; i++)
		if (job->members[i].state >= JOB_MEMBER_READY)
			return HANG_AT_LEAST;
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		int process = job_rank(job, wait->rank)->process;
		int64_t born = process == JOB_NONE ? JOB_UNKNOWN : job->processes[process].born;

		if (wait->kind == WAIT_STORE && !waits_is_told(wait) &&
			wait->since != JOB_UNKNOWN && born != JOB_UNKNOWN &&
			wait->since - born > usual)
			usual = wait->since - born;
	}
	return threshold_of_start(usual, address_threshold(job, q->waits, q->profiles));
}

/*
 * Returns the threshold of the slowest group: an operation of which only stacks tell may be one of
 * it.
 */
static int64_t slowest_threshold(const struct inquiry *q)
{
	int64_t slowest = HANG_AT_LEAST;

	for (size_t i = 0; i < q->job->ngroups; i++)
		if (q->threshold[i] > slowest)
			slowest = q->threshold[i];
	return slowest;
}

/* -- who stands on their own ------------------------------------------------------------------- */

static enum waitfor_stand stand_of(const struct profile *p)
{
	if (p->death == DEATH_OWN || p->death == DEATH_CLEAN || p->usual_address)
		return WAITFOR_FINAL;
	if (p->device_victim)
		return p->frozen ? WAITFOR_STANDS : WAITFOR_FOLLOW;
	if (p->compile.bracket || p->input || p->checkpoint || p->frozen ||
		p->stopped_for != JOB_UNKNOWN)
		return WAITFOR_STANDS;
	return WAITFOR_FOLLOW;
}

/* Returns since when the rank itself had been held, when it ended; JOB_UNKNOWN: it was not. */
static int64_t held_since(const struct inquiry *q, struct rank_index rank)
{
	int64_t since = JOB_UNKNOWN;

	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->held && wait->since != JOB_UNKNOWN &&
			(since == JOB_UNKNOWN || wait->since < since))
			since = wait->since;
	}
	return since;
}

/*
 * True if a rank that ended may be why an op that all have entered stands still. A rank that was
 * ended after the op had stood for long was ended for that.
 */
static bool death_holds(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t since;

	if (p->death == DEATH_OWN || p->death == DEATH_CLEAN)
		return true;
	if ((p->death != DEATH_KILLED && p->death != DEATH_UNSURE) || ends_gave_up(q, rank))
		return false;
	since = held_since(q, rank);
	return since == JOB_UNKNOWN || p->fault == JOB_UNKNOWN || p->fault - since <= HANG_AT_LEAST;
}

static void find_stands(struct inquiry *q)
{
	size_t n = q->job->nranks;

	q->stands = alloc_zeroed(n + 1, sizeof(*q->stands));
	q->stopped = alloc_zeroed(n + 1, sizeof(*q->stopped));
	for (size_t i = 0; i < n; i++) {
		const struct profile *p = &q->profiles[i];

		q->stands[i] = stand_of(p);
		q->stopped[i] = p->frozen || p->stopped_for != JOB_UNKNOWN ||
				death_holds(q, rank_index(i));
	}
}

/* Returns the latest collective of that group for which the rank waits; 0 none. */
static uint64_t waited_for(const struct inquiry *q, int group, struct rank_index rank)
{
	uint64_t latest = 0;

	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind == WAIT_COLLECTIVE && wait->member != JOB_NONE &&
			q->job->members[wait->member].group == group && wait->index > latest)
			latest = wait->index;
	}
	return latest;
}

/*
 * True if a rank of the camp waits for another one of it, which has not come and waits for nothing
 * there: they agreed, so the fork is not why.
 */
static bool lacks_one_of_its_own(
	const struct inquiry *q, const struct fork *fork, const struct fork_camp *camp)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index rank = q->job->members[camp->members[i]].rank;
		uint64_t index = is_rank(rank) ? waited_for(q, fork->group, rank) : 0;

		latest = index > latest ? index : latest;
	}
	for (size_t i = 0; latest && i < camp->n; i++) {
		const struct job_member *m = &q->job->members[camp->members[i]];

		if (is_rank(m->rank) && !waited_for(q, fork->group, m->rank) &&
			rollcall_of(q->job, m, latest) == ROLL_ABSENT)
			return true;
	}
	return false;
}

/*
 * True if the fork is why ranks of its group wait. A fork whose details are gone is not, if ranks
 * that agreed there wait for each other.
 */
static bool explains_waits(const struct inquiry *q, const struct fork *fork)
{
	if (fork->completed && fork->kind != FORK_ZERO)
		return false;
	for (size_t i = 0; !fork->exact && i < fork->ncamps; i++)
		if (lacks_one_of_its_own(q, fork, &fork->camps[i]))
			return false;
	return true;
}

static void find_forked(struct inquiry *q)
{
	q->forked = alloc_zeroed(q->job->ngroups + 1, sizeof(*q->forked));
	for (size_t i = 0; i < q->forks->n; i++) {
		const struct fork *fork = &q->forks->at[i];

		if (explains_waits(q, fork))
			q->forked[fork->group] = fork->index;
	}
}

/* -- the longest wait of each rank ------------------------------------------------------------- */

bool inquiry_waits_longer(const struct wait *a, const struct wait *b)
{
	if (a->age != b->age)
		return a->age > b->age;
	return a->age == JOB_UNKNOWN && a->since != JOB_UNKNOWN &&
	       (b->since == JOB_UNKNOWN || a->since < b->since);
}

static const struct wait *find_longest_wait(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *longest = NULL;

	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (!waitfor_stands(q->job, wait, &q->given))
			continue;
		if (!longest || (wait->held && !longest->held) ||
			(wait->held == longest->held && inquiry_waits_longer(wait, longest)))
			longest = wait;
	}
	return longest;
}

bool inquiry_has_gone_elsewhere(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *wait = q->longest_wait[rank.i];

	if (!wait || wait->kind == WAIT_SYNC || wait->kind == WAIT_OTHER)
		return wait && wait->op;
	return !waits_is_for(wait, WAITS_SOME_OP);
}

static void find_longest_waits(struct inquiry *q)
{
	q->longest_wait = alloc_zeroed(q->job->nranks + 1, sizeof(*q->longest_wait));
	job_for_each_rank(q->job, rank)
		q->longest_wait[rank.i] = find_longest_wait(q, rank);
}

/*
 * A rank that lives and is in its own code gives no evidence of a fork, nor does one whose
 * operation is not known. (One that has ended does not come; one that waits elsewhere has gone
 * another way.)
 */
bool inquiry_may_come_to(
	const struct inquiry *q, const struct fork *fork, const struct job_member *m)
{
	return is_rank(m->rank) && q->profiles[m->rank.i].process &&
	       !q->profiles[m->rank.i].ended && !inquiry_has_gone_elsewhere(q, m->rank) &&
	       rollcall_of(q->job, m, fork->index) == ROLL_ABSENT;
}

static void count_undecided(struct inquiry *q)
{
	for (size_t i = 0; i < q->forks->n; i++) {
		struct fork *fork = &q->forks->at[i];
		const struct job_group *g = &q->job->groups[fork->group];

		for (uint32_t seat = 0; seat < g->size; seat++)
			fork->unknown += inquiry_may_come_to(
				q, fork, &q->job->members[g->first_member + (int)seat]);
	}
}

/* -- the graph --------------------------------------------------------------------------------- */

static void find_wanted(struct inquiry *q)
{
	const struct waitfor *graph = q->graph;

	q->wanted = alloc_zeroed(q->job->nranks + 1, sizeof(*q->wanted));
	for (size_t i = 0; i < graph->nnodes; i++) {
		if (graph->nodes[i].kind == WAITFOR_RANK || graph->nodes[i].reached == JOB_UNKNOWN)
			continue;
		for (size_t e = graph->first_edge[i]; e < graph->first_edge[i + 1]; e++)
			if (graph->nodes[graph->edges[e]].kind <= WAITFOR_STOPPED)
				q->wanted[graph->nodes[graph->edges[e]].rank.i] = true;
	}
}

/* Finds waits and profiles. Stacks come first: what they tell is waited in like what rings tell. */
static void find_waits(struct inquiry *q)
{
	struct posture *postures = activities_new(q->job);
	struct waits_told *told = activities_told(q->job, postures);

	q->waits = waits_new(q->job, q->job->nstacks ? told : NULL);
	q->profiles = profiles_new(q->job, q->waits, q->clocks, postures);
	free(told);
	free(postures);
}

struct inquiry *inquiry_new(const struct job *job)
{
	struct inquiry *q = alloc_zeroed(1, sizeof(*q));

	q->job = job;
	q->arena = alloc_zeroed(1, sizeof(*q->arena));
	q->clocks = clocks_new(job);
	find_waits(q);
	q->forks = forks_new(job);
	by_rank_make(&q->seats, job, members);
	by_rank_make(&q->losses, job, losses);
	q->habits = alloc_zeroed(job->nranks + 1, sizeof(*q->habits));
	find_thresholds(q);
	find_stands(q);
	find_forked(q);
	q->given = (struct waitfor_given){.stands = q->stands,
		.stopped = q->stopped,
		.forked = q->forked,
		.threshold = q->threshold,
		.threshold_p2p = q->threshold_p2p,
		.threshold_init = q->threshold_init,
		.threshold_store = threshold_of_store(q),
		.threshold_told = slowest_threshold(q),
		.threshold_else = HANG_AT_LEAST};
	inquiry_find_lost_hosts(q);
	inquiry_find_unseen(q);
	q->graph = waitfor_new(job, q->waits, &q->given);
	find_wanted(q);
	find_longest_waits(q);
	count_undecided(q);
	q->demands = demands_new(q);
	q->looks = looks_new(q);
	q->bad_ends = earlier_others_new(job, q->clocks, q->profiles);
	return q;
}

static void release_drafts(struct inquiry *q)
{
	while (q->drafts.nr)
		inquiry_drop_draft(q);
	array_release(&q->drafts);
	array_release(&q->not_judged);
}

void inquiry_free(struct inquiry *q)
{
	release_drafts(q);
	if (q->stray)
		array_release(&q->stray->agree.list);
	free(q->stray);
	demands_free(q->demands);
	looks_free(q->looks);
	earlier_others_free(q->bad_ends);
	waitfor_free(q->graph);
	profiles_free(q->profiles);
	forks_free(q->forks);
	waits_free(q->waits);
	clocks_free(q->clocks);
	free(q->wanted);
	free(q->longest_wait);
	free(q->lost_hosts);
	free(q->forked);
	free(q->stopped);
	free(q->stands);
	free(q->threshold);
	free(q->threshold_p2p);
	free(q->threshold_init);
	free(q->gaps);
	job_for_each_rank(q->job, rank)
		if (q->habits[rank.i].made)
			habit_release(&q->habits[rank.i].is);
	free(q->habits);
	by_rank_release(&q->seats);
	by_rank_release(&q->losses);
	free(q);
}

/* -- what rules often ask ---------------------------------------------------------------------- */

const struct wait *inquiry_longest_wait(const struct inquiry *q, struct rank_index rank)
{
	return q->longest_wait[rank.i];
}

bool inquiry_held_in(
	const struct inquiry *q, struct rank_index rank, enum wait_kind kind, int64_t *ret_age)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->kind != kind || !wait->held)
			continue;
		if (ret_age)
			*ret_age = wait->age;
		return true;
	}
	return false;
}

/* Returns when a wait began, by the clock of another rank, and by how much that may be off. */
static int64_t begun_by(const struct inquiry *q, const struct wait *wait,
	struct rank_index rank, int64_t *ret_error)
{
	int theirs = clocks_of_rank(q->clocks, wait->rank), own = clocks_of_rank(q->clocks, rank);
	int64_t begun = clocks_move(q->clocks, wait->since, theirs, own);

	*ret_error = begun == JOB_UNKNOWN ? 0 : clocks_error(q->clocks, theirs, own);
	return begun;
}

/* A time that may be off by more ns tells nothing. */
#define ROUGHLY (10 * CLOCK_NS_PER_S)

int64_t inquiry_wanted_since(const struct inquiry *q, struct rank_index rank)
{
	struct demand_list demands = demands_of(q->demands, rank, false);
	int64_t since = JOB_UNKNOWN;

	for (size_t i = 0; i < demands.n; i++) {
		const struct wait *wait = &q->waits->at[demands.at[i]];
		int64_t error, begun = begun_by(q, wait, rank, &error);

		if (begun != JOB_UNKNOWN && error <= ROUGHLY &&
			(since == JOB_UNKNOWN || begun < since))
			since = begun;
	}
	return since;
}

/*
 * Tells whether `when`, by the clock of a rank, is more than `by` ns after the begin of a wait,
 * whatever the error of their clocks; MAYBE: their clocks do not tell.
 */
static enum job_known is_later(const struct inquiry *q, const struct wait *wait,
	struct rank_index rank, int64_t when, int64_t by)
{
	int64_t error, begun = begun_by(q, wait, rank, &error);

	if (begun == JOB_UNKNOWN || when == JOB_UNKNOWN)
		return JOB_MAYBE;
	if (when - begun - error > by)
		return JOB_YES;
	return when - begun + error > by ? JOB_MAYBE : JOB_NO;
}

/* True if both ranks were seen in one look. */
static bool are_seen_together(const struct inquiry *q, struct rank_index a, struct rank_index b)
{
	return clocks_of_rank(q->clocks, a) == clocks_of_rank(q->clocks, b) &&
	       job_looked_at(q->job, a) == job_looked_at(q->job, b);
}

/*
 * True if dumps alone tell of both ranks, and this one's was written before the wait had lasted: if
 * clocks of which nothing else tells are set by one source, as most are.
 */
static bool was_written_before(
	const struct inquiry *q, const struct wait *wait, struct rank_index rank, int64_t by)
{
	int64_t now = q->waits->now[rank.i];

	return waits_are_by_dump(job_rank(q->job, rank)) &&
	       waits_are_by_dump(job_rank(q->job, wait->rank)) &&
	       now != JOB_UNKNOWN && wait->since != JOB_UNKNOWN && now - wait->since <= by;
}

/*
 * Tells whether one wait for a rank had lasted when the rank was looked at. A rank seen in one look
 * with a rank that is known to stand needs no time.
 */
static enum job_known had_lasted(
	const struct inquiry *q, const struct wait *wait, struct rank_index rank)
{
	int64_t by = waitfor_threshold(q->job, wait, &q->given) / 2 - 1;
	enum job_known later;

	if (wait->since == JOB_UNKNOWN && are_seen_together(q, wait->rank, rank))
		return JOB_YES;
	later = is_later(q, wait, rank, q->waits->now[rank.i], by);
	return later == JOB_MAYBE && was_written_before(q, wait, rank, by) ? JOB_NO : later;
}

enum inquiry_look inquiry_look_alive(const struct inquiry *q, struct rank_index rank)
{
	enum inquiry_look look = LOOKED_SINCE;
	struct demand_list demands;

	if (looks_are_outdated(q, rank))
		return LOOKED_BEFORE;
	if (looks_are_one(q, rank))
		return LOOKED_SINCE;
	demands = demands_of(q->demands, rank, true);
	for (size_t i = 0; i < demands.n; i++) {
		enum job_known lasted = had_lasted(q, &q->waits->at[demands.at[i]], rank);

		if (lasted == JOB_YES)
			return LOOKED_SINCE;
		if (lasted == JOB_MAYBE || look == LOOKED_SINCE)
			look = lasted == JOB_MAYBE ? LOOKED_WHENEVER : LOOKED_BEFORE;
	}
	return look;
}

enum inquiry_look inquiry_look(const struct inquiry *q, struct rank_index rank)
{
	if (q->profiles[rank.i].ended || !q->wanted[rank.i])
		return LOOKED_SINCE;
	return inquiry_look_alive(q, rank);
}

/*
 * Others may have waited so many ns when a rank ended, without anything else being wrong with it. A
 * rank that ended alone may well have computed or saved for longer: whoever ends a single rank
 * because it hangs looks at it first.
 */
#define SHORT_WAIT       (2 * CLOCK_NS_PER_S)
#define SHORT_WAIT_ALONE (10 * CLOCK_NS_PER_S)

enum job_known inquiry_ended_after_another(const struct inquiry *q, struct rank_index rank)
{
	return earlier_others_ended(q->bad_ends, rank);
}

/*
 * Tells whether the rank ended when one wait for it was no short one any more. `after`: another had
 * ended badly before.
 */
static enum job_known is_after_wait(const struct inquiry *q, const struct wait *wait,
	struct rank_index rank, enum job_known after)
{
	int64_t fault = q->profiles[rank.i].fault;
	enum job_known later = is_later(q, wait, rank, fault, SHORT_WAIT);
	int64_t timeout = wait->member == JOB_NONE ? JOB_UNKNOWN
						   : q->job->members[wait->member].timeout;

	if (after == JOB_YES || later == JOB_NO)
		return later;
	/* A waiting rank ends by itself after its timeout: that may be why this one ended, too. */
	if (timeout != JOB_UNKNOWN && timeout > 0 && timeout < SHORT_WAIT_ALONE)
		return is_later(q, wait, rank, fault, timeout);
	if (is_later(q, wait, rank, fault, SHORT_WAIT_ALONE) != JOB_NO)
		return is_later(q, wait, rank, fault, SHORT_WAIT_ALONE);
	return after == JOB_NO ? JOB_NO : JOB_MAYBE;
}

enum job_known inquiry_late_before_end(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	bool ended = p->death == DEATH_KILLED || p->death == DEATH_UNSURE;
	enum job_known after = ended ? inquiry_ended_after_another(q, rank) : JOB_YES;
	enum job_known late = JOB_NO;
	struct demand_list demands = demands_of(q->demands, rank, false);

	for (size_t i = 0; i < demands.n; i++) {
		const struct wait *wait = &q->waits->at[demands.at[i]];
		enum job_known later = is_after_wait(q, wait, rank, after);

		if (later == JOB_YES)
			return JOB_YES;
		late = later == JOB_MAYBE ? JOB_MAYBE : late;
	}
	return late == JOB_MAYBE && ends_was_late(q, rank) ? JOB_YES : late;
}

const struct habit *inquiry_habit(const struct inquiry *q, struct rank_index rank)
{
	struct inquiry_habit *habit = &q->habits[rank.i];

	if (!habit->made)
		*habit = (struct inquiry_habit){habit_of(q->job, &q->seats, rank), true};
	return &habit->is;
}

const char *inquiry_op_name(const struct job_op *op)
{
	return op ? job_op_name(op->sig.op) : "operation";
}

bool inquiry_lost_ops(const struct inquiry *q, struct rank_index rank)
{
	if (job_rank(q->job, rank)->lost_records > 0)
		return true;
	by_rank_each(&q->losses, rank, k)
		if (q->job->losses[q->losses.at[k]].of_ops)
			return true;
	return false;
}

const struct job_op *draft_last_op(
	struct inquiry *q, struct draft *draft, struct rank_index rank)
{
	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];
		const struct job_op *op = m->head_known ? rollcall_op(m, m->head) : NULL;
		struct verdict_fact *fact;

		if (!op)
			continue;
		fact = draft_fact(q, draft, FACT_LAST_OP, rank, op->cite);
		fact->text = inquiry_op_name(op);
		fact->text2 = q->job->groups[m->group].name;
		fact->a = (int64_t)op->index;
		return op;
	}
	return NULL;
}

size_t inquiry_unreadable(const struct inquiry *q)
{
	size_t n = 0;

	job_for_each_rank(q->job, rank)
		n += !q->profiles[rank.i].readable || !q->profiles[rank.i].process;
	if (q->job->coverage.ranks.n > (int)q->job->nranks)
		n += (size_t)q->job->coverage.ranks.n - q->job->nranks;
	return n;
}

size_t inquiry_unseen_members(const struct inquiry *q, int group)
{
	const struct job_group *g = &q->job->groups[group];
	size_t n = rollcall_unseen(q->job, g);

	for (uint32_t seat = 0; seat < g->size; seat++) {
		struct rank_index rank = q->job->members[g->first_member + (int)seat].rank;

		n += !is_rank(rank) || !q->profiles[rank.i].readable ||
		     !q->profiles[rank.i].process ||
		     inquiry_look(q, rank) != LOOKED_SINCE;
	}
	return n;
}

bool inquiry_all_seen(const struct inquiry *q)
{
	int expected = q->job->coverage.ranks.n;

	job_for_each_rank(q->job, rank)
		if (!q->profiles[rank.i].process)
			return false;
	return expected != JOB_NONE && (int)q->job->nranks >= expected;
}

bool inquiry_by_dumps(const struct inquiry *q)
{
	bool dumps = false;

	job_for_each_rank(q->job, rank) {
		if (job_rank(q->job, rank)->knows & JOB_KNOWS_RING)
			return false;
		dumps |= (job_rank(q->job, rank)->knows & JOB_KNOWS_DUMP) != 0;
	}
	return dumps;
}

const char *inquiry_cite_all(const struct inquiry *q)
{
	return inquiry_by_dumps(q) ? "flight:*" : "ring:*";
}
