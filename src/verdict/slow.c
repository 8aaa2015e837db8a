/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class slow: progress is late but goes on. Either the rank waited for was just seen to move, or to
 * work; or a rank came late to an operation a short time ago. Lateness after which all was on time
 * for long is past: it is told, and the job is well.
 */
#include "base/clock.h"
#include "job/names.h"
#include "job/pace.h"
#include "verdict/circles/callers.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

/* A rank that left its last call no more than so many ns ago is moving. */
#define JUST_NOW CLOCK_NS_PER_S

/*
 * Nobody is merely late for longer, ns; but a rank that computes or writes all along is, for so
 * many of the usual times between two operations.
 */
#define MERELY_LATE (30 * CLOCK_NS_PER_S)
#define LATE_GAPS   30

/* Lateness, ns, that people notice. */
#define LATE (2 * CLOCK_NS_PER_S)

/*
 * A rank that came late is late no more when so many times its lateness has gone by, and so many
 * times the usual time between two latenesses of it.
 */
#define PAST_LATENESSES 3
#define PAST_PERIODS    2

/* Returns the ns since that arrival, by the clock of the rank's own host. */
static int64_t ago(const struct inquiry *q, const struct pace_late *late)
{
	int64_t now = q->waits->now[late->rank.i];

	return now == JOB_UNKNOWN || now < late->entered ? 0 : now - late->entered;
}

static bool is_past(const struct inquiry *q, const struct pace_late *late)
{
	int64_t since = ago(q, late);

	if (!late->since || since / PAST_LATENESSES <= late->late)
		return false;
	return late->apart == JOB_UNKNOWN || since / PAST_PERIODS > late->apart;
}

/*
 * Returns the longest usual time between operations, ns, of the groups in which others wait for the
 * rank.
 */
static int64_t usual_gap(const struct inquiry *q, struct rank_index rank)
{
	int64_t usual = 0;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		int group = wait->member == JOB_NONE ? JOB_NONE
						     : q->job->members[wait->member].group;

		if (group == JOB_NONE || q->gaps[group] <= usual ||
			!waitfor_stands(q->job, wait, &q->given))
			continue;
		by_rank_each(&q->seats, rank, k)
			if (q->job->members[q->seats.at[k]].group == group)
				usual = q->gaps[group];
	}
	return usual;
}

/* True if the rank was seen to stand still since its ring was read. */
static bool stood_since(const struct inquiry *q, struct rank_index rank)
{
	const struct posture *p = &q->profiles[rank.i].posture;

	return p->stack && p->moved == JOB_NO && p->stands >= JUST_NOW &&
	       p->stack->when - p->stands >= q->waits->now[rank.i];
}

/* True if the rank left a call just now, by the thread that calls where the rank is waited for. */
static bool left_a_call(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_thread *caller = callers_awaited(q, rank);
	int64_t now = q->waits->now[rank.i];

	if (p->outside == JOB_UNKNOWN || p->outside > JUST_NOW || stood_since(q, rank))
		return false;
	return !caller || caller->since == JOB_UNKNOWN || now - caller->since <= JUST_NOW;
}

/* True if the rank computes or writes, and that may be what brings it to the others. */
static bool works(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	return (profile_is_busy(p) || profile_writes(p)) && !callers_asleep(q, rank);
}

bool slow_goes_on(const struct inquiry *q, struct rank_index rank, bool usual)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t since = inquiry_wanted_since(q, rank), now = q->waits->now[rank.i];

	/* Who raised what ends it is on its way out, however busily, and comes to no call. */
	if (!p->readable || p->ended || p->frozen || p->death != DEATH_NONE)
		return false;
	if (since == JOB_UNKNOWN || now == JOB_UNKNOWN)
		return false;
	if (!usual && now - since <= MERELY_LATE &&
		(left_a_call(q, rank) || works(q, rank)))
		return true;
	return works(q, rank) && (now - since) / LATE_GAPS <= usual_gap(q, rank);
}

/*
 * True if the rank waits itself: in a call that nothing else explains, or, by its stack, for
 * others.
 */
static bool waits_itself(const struct inquiry *q, struct rank_index rank)
{
	return inquiry_held_in(q, rank, WAIT_SYNC, NULL) ||
	       inquiry_held_in(q, rank, WAIT_OTHER, NULL) || waits_unrecorded(q, rank) ||
	       may_wait_unrecorded(q, rank);
}

bool explains_slow(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	if (waits_itself(q, rank) || !slow_goes_on(q, rank, false))
		return false;
	why->confidence = VERDICT_SUPPORTED;
	why->outlook = VERDICT_WAIT;
	why->next = VERDICT_NEXT_STACK_OF_RANK;
	why->progresses = true;
	return true;
}

void tell_slow(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];

	stacks_tell(q, rank, draft);
	if (profile_is_busy(p)) {
		struct verdict_fact *fact =
			draft_fact(q, draft, FACT_CPU, rank, p->process->sample_cite);

		fact->a = p->cpu;
		fact->b = p->cpu_span;
	}
	if (p->outside != JOB_UNKNOWN)
		draft_fact(q, draft, FACT_OUTSIDE, rank, p->outside_cite)->a = p->outside;
}

/* Returns the last late arrival in any group; of several groups in the largest. */
static struct pace_late last_of(const struct inquiry *q, int *ret_group)
{
	struct pace_late last = {.rank = NO_RANK};

	for (size_t i = 0; i < q->job->ngroups; i++) {
		struct pace_late late = pace_last_late(q->job, q->clocks, (int)i, LATE);

		if (!is_rank(late.rank) ||
			(is_rank(last.rank) && ago(q, &late) >= ago(q, &last)))
			continue;
		last = late;
		*ret_group = (int)i;
	}
	return last;
}

/* Adds who was late, and when; `kind` says whether it still is. */
static void tell_late(struct inquiry *q, const struct pace_late *late, int group,
	enum verdict_fact_kind kind, struct draft *draft)
{
	struct verdict_fact *fact = draft_fact(q, draft, kind, late->rank, late->cite);

	fact->text2 = q->job->groups[group].name;
	fact->a = late->late;
	fact->b = (int64_t)late->index;
	if (kind == FACT_WAS_LATE)
		fact->c = (int64_t)late->since;
	else if (late->times > 1)
		fact->c = late->times;
}

void judge_slow(struct inquiry *q)
{
	int group = JOB_NONE;
	struct pace_late late = last_of(q, &group);
	struct draft *draft;

	if (!is_rank(late.rank) || is_past(q, &late))
		return;
	draft = inquiry_draft(q, VERDICT_SLOW);
	draft->verdict.outlook = VERDICT_WAIT;
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.next = VERDICT_NEXT_STACK_OF_RANK;
	draft->verdict.group = group;
	draft->verdict.op_index = late.index;
	rank_list_add(&draft->culprits, late.rank);
	tell_late(q, &late, group, FACT_CAME_LATE, draft);
}

void tell_straggler(struct inquiry *q, struct draft *draft)
{
	struct pace_straggler most = {.rank = NO_RANK};
	struct verdict_fact *fact;
	int group = JOB_NONE;

	for (size_t i = 0; i < q->job->ngroups; i++) {
		struct pace_straggler one = pace_straggler(q->job, q->clocks, (int)i);

		if (!is_rank(one.rank) || (is_rank(most.rank) && one.percent <= most.percent))
			continue;
		most = one;
		group = (int)i;
	}
	if (!is_rank(most.rank))
		return;
	fact = draft_fact(q, draft, FACT_STRAGGLES, most.rank, most.cite);
	fact->a = (int64_t)most.last;
	fact->b = (int64_t)most.of;
	fact->c = most.percent;
	fact->text2 = q->job->groups[group].name;
}

void tell_past_lateness(struct inquiry *q, struct draft *draft)
{
	int group = JOB_NONE;
	struct pace_late late = last_of(q, &group);

	if (is_rank(late.rank) && is_past(q, &late))
		tell_late(q, &late, group, FACT_WAS_LATE, draft);
}
