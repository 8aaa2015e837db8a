/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges a job of which only stacks tell, where the wait-for graph leads to nobody (whom it leads
 * to, job/waitfor/waitfor-told.c says): who is in another call than most; who stalls while nobody
 * is seen to wait; that all go on; or that nothing is proved. Where rings tell, too, and nobody
 * waits in them, stacks still tell whether the ranks stand: what all of them wait for, such as
 * storage, is in no ring.
 *
 * In a job that is well, some rank is always a little ahead and waits. So a wait counts only if the
 * samples prove that it stood for two seconds (job/waitfor/waits.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "verdict/backends/backend.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

#define STANDS_AT_LEAST (2 * CLOCK_NS_PER_S)

/* All ranks, by what their stacks say. */
struct roll {
	struct rank_list waiting, elsewhere, unknown;
	bool stand; /* some rank that waits is known to have stood long enough */
	bool all_stand; /* each rank that waits has stood so long by itself */
};

static void release(struct roll *roll)
{
	array_release(&roll->waiting.list);
	array_release(&roll->elsewhere.list);
	array_release(&roll->unknown.list);
}

/* Calls the roll. */
static void look(const struct inquiry *q, struct roll *roll)
{
	*roll = (struct roll){.all_stand = true};
	job_for_each_rank(q->job, rank) {
		const struct waits_told *told = &q->waits->told[rank.i];

		if (!q->profiles[rank.i].process || q->profiles[rank.i].ended ||
			!(told->key || told->elsewhere)) {
			rank_list_add(&roll->unknown, rank);
			continue;
		}
		if (told->key) {
			roll->all_stand &= told->stands >= STANDS_AT_LEAST;
			roll->stand |= inquiry_longest_wait(q, rank) != NULL;
		}
		rank_list_add(told->key ? &roll->waiting : &roll->elsewhere, rank);
	}
}

/* -- nobody is elsewhere ----------------------------------------------------------------------- */

/* Returns how many of those who wait do so at the same place as this rank. */
static size_t camp_size(const struct inquiry *q, const struct roll *roll, struct rank_index rank)
{
	size_t n = 0;

	for (size_t i = 0; i < roll->waiting.list.nr; i++)
		n += stacks_same_site(q, rank, roll->waiting.list.items[i]);
	return n;
}

/* True if each rank that waits at another place is in another call, too. */
static bool other_calls(const struct inquiry *q, const struct roll *roll, struct rank_index usual)
{
	const struct posture *call = &q->profiles[usual.i].posture;

	for (size_t i = 0; i < roll->waiting.list.nr; i++) {
		struct rank_index rank = roll->waiting.list.items[i];

		if (!stacks_same_site(q, usual, rank) &&
			activities_may_be_one_call(&q->profiles[rank.i].posture, call))
			return false;
	}
	return true;
}

/* True if the rank waits for all of a group, in an operation or in making one. */
static bool is_in_call_of_all(const struct posture *p)
{
	return p->activity == ACTIVITY_COLLECTIVE ||
	       (p->activity == ACTIVITY_INIT &&
		       (!strcmp(p->call, "new_group") || !strcmp(p->call, "init")));
}

/* Returns how many threads the rank's process has that only groups have: so many for each group. */
static size_t threads_of_groups(const struct inquiry *q, struct rank_index rank)
{
	const struct job_stack *main = stackfacts_main(q->job, rank);
	size_t from, to, n = 0;

	stackfacts_of_rank(q->job, rank, &from, &to);
	for (size_t i = from; main && i < to; i++) {
		const struct job_stack *stack = &q->job->stacks[i];

		for (size_t k = 0; backends[k] && stack->process == main->process; k++)
			n += backend_fits(stack->thread, backends[k]->threads);
	}
	return n;
}

/*
 * Judges a job in which all are inside collectives, and a few in another call at another place than
 * most: perhaps the program's fork. Making a group is a call of all ranks, too, which some may
 * leave out. It stays a hypothesis, since they may be of different groups, and two places of a
 * program may well call one operation. Who is in fewer groups than most is not named: its call is
 * another one by rights; nor is anybody where some have not come out of the making of the first
 * group, which is no fork: others are ahead of them. False if any rank is unknown: that one may be
 * what all wait for.
 */
static bool judge_sites(struct inquiry *q, const struct roll *roll)
{
	size_t n = roll->waiting.list.nr, largest = 0;
	struct rank_index usual = NO_RANK;
	bool makes = false, alike = true;
	struct draft *draft;

	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = roll->waiting.list.items[i];
		size_t size = camp_size(q, roll, rank);

		if (!is_in_call_of_all(&q->profiles[rank.i].posture))
			return false;
		if (start_makes_first_group(q, rank))
			return false;
		makes |= q->profiles[rank.i].posture.activity == ACTIVITY_INIT;
		alike &= threads_of_groups(q, rank) ==
			 threads_of_groups(q, roll->waiting.list.items[0]);
		if (size > largest) {
			largest = size;
			usual = rank;
		}
	}
	if (!roll->all_stand || largest == n || n - largest >= largest || !(alike || makes) ||
		q->job->world_size < 0 || roll->unknown.list.nr || roll->elsewhere.list.nr ||
		!other_calls(q, roll, usual))
		return false;
	draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
	draft->verdict.confidence = VERDICT_HYPOTHESIS;
	draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	for (size_t i = 0; i < n; i++) {
		struct rank_index rank = roll->waiting.list.items[i];
		bool same = stacks_same_site(q, usual, rank);

		rank_list_add(same ? &draft->victims : &draft->culprits, rank);
		if (!same && draft->culprits.list.nr <= TOLD_CULPRITS)
			stacks_tell(q, rank, draft);
	}
	return true;
}

/* -- what cannot be told ----------------------------------------------------------------------- */

/* Tells which ranks are unknown, and what is lacking of each. */
static void tell_unknown(struct inquiry *q, const struct roll *roll, struct draft *draft)
{
	for (size_t i = 0; i < roll->unknown.list.nr && i < TOLD_CULPRITS; i++) {
		struct rank_index rank = roll->unknown.list.items[i];
		bool seen = q->profiles[rank.i].process != NULL;

		if (!seen)
			start_tell_unseen(q, rank, FACT_NOT_FOUND, "procs", draft);
		else
			stacks_tell(q, rank, draft);
		inquiry_not_judged(
			q, VERDICT_INCONCLUSIVE, seen ? NEED_STACK : NEED_PROCESS, rank);
	}
}

/* Notes which ranks need a longer look: not those that are known to have stood long enough. */
static void tell_unsteady(struct inquiry *q, const struct roll *roll)
{
	struct rank_list moving = {0};

	for (size_t i = 0; i < roll->waiting.list.nr; i++) {
		struct rank_index rank = roll->waiting.list.items[i];

		if (q->waits->told[rank.i].stands < STANDS_AT_LEAST)
			rank_list_add(&moving, rank);
	}
	for (size_t i = 0; i < roll->elsewhere.list.nr; i++) {
		struct rank_index rank = roll->elsewhere.list.items[i];

		if (q->profiles[rank.i].posture.stands < STANDS_AT_LEAST)
			rank_list_add(&moving, rank);
	}
	rank_list_settle(&moving);
	inquiry_not_judged_each(q, VERDICT_HOST_STALL, NEED_STANDING_STACKS, &moving);
	array_release(&moving.list);
}

/* Judges a job in which some wait, and it is not proved who keeps them: tells their places. */
static void judge_unproved(struct inquiry *q, const struct roll *roll)
{
	struct draft *draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);

	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	for (size_t i = 0; i < roll->waiting.list.nr; i++)
		rank_list_add(&draft->victims, roll->waiting.list.items[i]);
	for (size_t i = 0; i < roll->elsewhere.list.nr && i < TOLD_CULPRITS; i++)
		stacks_tell(q, roll->elsewhere.list.items[i], draft);
	if (!roll->stand)
		tell_unsteady(q, roll);
	tell_unknown(q, roll, draft);
}

/* True if the rank stands where a program stands for no good reason, whoever waits for it. */
static bool is_trouble(const struct posture *p)
{
	return p->stands >= STANDS_AT_LEAST &&
	       (p->activity == ACTIVITY_LOCK || p->activity == ACTIVITY_GIL ||
		       p->activity == ACTIVITY_IO || p->activity == ACTIVITY_FROZEN);
}

/*
 * A rank that uses less CPU than this part of the time only asks, every few seconds, whether
 * anything has come.
 */
#define WORKS_SHARE 100

/* CPU that a process took in so many ns since its birth counts as its start's. */
#define STARTS_FOR CLOCK_NS_PER_S

/* True if the rank and its children used a processor while that was counted. */
static bool uses_processor(const struct inquiry *q, const struct profile *p)
{
	int64_t now = q->waits->now[p - q->profiles];
	bool of_start = p->process && p->process->born != JOB_UNKNOWN && now != JOB_UNKNOWN &&
			now - p->process->born < p->cpu_span + STARTS_FOR;

	return p->cpu != JOB_UNKNOWN && p->cpu_span > 0 && !of_start &&
	       p->cpu >= p->cpu_span / WORKS_SHARE;
}

/*
 * True if nothing tells whether the rank used a processor: neither its process, nor the thread that
 * tells. Of a rank that no agent watches only the process tells.
 */
static bool may_use_processor(const struct inquiry *q, const struct profile *p)
{
	const struct rank_index at = rank_index((int)(p - q->profiles));
	const struct job_rank *rank = job_rank(q->job, at);
	const struct job_stack *stack = p->posture.stack;

	return p->cpu == JOB_UNKNOWN &&
	       (!stack || !(rank->knows & JOB_KNOWS_CENSUS) ||
		       stack->cpu_delta == JOB_UNKNOWN || p->posture.lingers == JOB_UNKNOWN ||
		       stack->cpu_delta >= p->posture.lingers / WORKS_SHARE);
}

/*
 * True if the rank was seen to work: by the processor time of it and its children, by its compile
 * or its files, or since it went from one line of its program to another.
 */
static bool is_at_work(const struct inquiry *q, const struct profile *p)
{
	const struct posture *at = &p->posture;

	return uses_processor(q, p) || profile_writes(p) ||
	       (p->compile.bracket && p->progress == PROGRESS_YES) ||
	       (at->moved == JOB_YES && (at->lingers == JOB_UNKNOWN || may_use_processor(q, p)));
}

/*
 * True if the rank slept there for long enough; or came back there each time it was looked at for
 * as long, and took next to no CPU: it asks again and again for what does not come.
 */
static bool stands_there(const struct inquiry *q, const struct profile *p)
{
	return p->posture.stands >= STANDS_AT_LEAST ||
	       (p->posture.lingers != JOB_UNKNOWN && !is_at_work(q, p) &&
		       (q->standstill || p->posture.lingers >= STANDS_AT_LEAST));
}

/*
 * Finds all ranks of a list that are at the place of `rank`; returns the least ns that any of them
 * has stood there.
 */
static int64_t find_place(const struct inquiry *q, struct rank_index rank,
	const struct rank_list *list, struct rank_list *ret)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < list->list.nr; i++) {
		struct rank_index other = list->list.items[i];

		if (!stacks_same_site(q, rank, other))
			continue;
		rank_list_add(ret, other);
		if (q->profiles[other.i].posture.stands < least)
			least = q->profiles[other.i].posture.stands;
	}
	return least;
}

/*
 * Adds where ranks stand, with all ranks at that place in one fact. How long is told only where it
 * holds for each of them.
 */
static void tell_places(struct inquiry *q, const struct rank_list *standing,
	const struct rank_list *all, struct draft *draft)
{
	bool *told = alloc_zeroed(q->job->nranks + 1, sizeof(*told));

	for (size_t i = 0, places = 0; i < standing->list.nr && places < TOLD_CULPRITS; i++) {
		struct rank_index rank = standing->list.items[i];
		struct rank_list ranks = {0};
		struct verdict_fact *fact;
		int64_t least;

		if (told[rank.i])
			continue;
		least = find_place(q, rank, all, &ranks);
		for (size_t k = 0; k < ranks.list.nr; k++)
			told[ranks.list.items[k].i] = true;
		fact = draft_fact_of(
			q, draft, FACT_AT, &ranks, q->profiles[rank.i].posture.stack->cite);
		stacks_tell_place(q, rank, fact);
		fact->a = least >= STANDS_AT_LEAST ? least : JOB_UNKNOWN;
		array_release(&ranks.list);
		places++;
	}
	free(told);
}

/*
 * Adds the ranks that stand: those that slept all the time (`slept`), or those that ask again and
 * again.
 */
static void add_standing(
	const struct inquiry *q, const struct roll *roll, bool slept, struct rank_list *into)
{
	for (size_t i = 0; i < roll->elsewhere.list.nr; i++) {
		struct rank_index rank = roll->elsewhere.list.items[i];
		const struct profile *p = &q->profiles[rank.i];

		if (stands_there(q, p) && (p->posture.stands >= STANDS_AT_LEAST) == slept)
			rank_list_add(into, rank);
	}
}

/*
 * Judges a job in which nobody is in anything known to wait for others, and yet some stand asleep
 * in their own code. They may serve a queue, or wait for others by means that nobody knows: both
 * look like this.
 */
static bool judge_standing(struct inquiry *q, const struct roll *roll)
{
	struct rank_list standing = {0};
	struct draft *draft;

	add_standing(q, roll, true, &standing);
	add_standing(q, roll, false, &standing);
	if (standing.list.nr) {
		draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		tell_places(q, &standing, &roll->elsewhere, draft);
		draft_fact(q, draft, FACT_NO_COLLECTIVE, NO_RANK, "stacks:*");
		inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_WHO_FOR_WHOM, NO_RANK);
	}
	array_release(&standing.list);
	return q->drafts.nr > 0;
}

/* True if any rank was seen to go on: a single look shows none. */
static bool somebody_moved(const struct inquiry *q, const struct roll *roll)
{
	for (size_t i = 0; i < roll->elsewhere.list.nr; i++)
		if (q->profiles[roll->elsewhere.list.items[i].i].posture.moved == JOB_YES)
			return true;
	return false;
}

/* A thread that serves beside the program's work may be in a collective for so many ns. */
#define ASIDE_AT_LEAST (10 * CLOCK_NS_PER_S)

/* Adds where that thread of a rank stands. */
static void tell_aside(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	struct verdict_fact *fact = draft_fact(q, draft, FACT_WAITS_AT, rank, p->aside->cite);

	fact->thing = draft_thing(q, (struct verdict_thing){.kind = THING_CALL,
					     .name = p->aside_call,
					     .activity = (int)ACTIVITY_COLLECTIVE});
	fact->thing2 = draft_frame(q, p->aside, p->aside_program);
	fact->a = p->aside_stands;
}

/* Lists the ranks of which such a thread has stood for so long. */
static void find_aside(const struct inquiry *q, int64_t least, struct rank_list *into)
{
	job_for_each_rank(q->job, rank) {
		const struct posture *p = &q->profiles[rank.i].posture;

		if (p->aside && p->aside_stands >= least)
			rank_list_add(into, rank);
	}
}

/* Adds where such threads stand. False: there are none. */
static bool tell_asides(struct inquiry *q, const struct rank_list *ranks, struct draft *draft)
{
	for (size_t i = 0; i < ranks->list.nr && i < TOLD_CULPRITS; i++)
		tell_aside(q, ranks->list.items[i], draft);
	return ranks->list.nr > 0;
}

/*
 * Judges a job in which all go on, and yet some have a thread that has long stood in a collective,
 * perhaps in a group of its own: no stack tells for whom it waits there. That nobody waits is said
 * only where no such thread is.
 */
static bool judge_aside(struct inquiry *q)
{
	struct rank_list ranks = {0};
	struct draft *draft;

	find_aside(q, ASIDE_AT_LEAST, &ranks);
	if (!ranks.list.nr)
		return false;
	draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
	tell_asides(q, &ranks, draft);
	draft->victims = ranks;
	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	inquiry_not_judged(q, VERDICT_HOST_STALL, NEED_WHO_IN_OP, NO_RANK);
	return true;
}

/*
 * A rank that went on when stacks were taken, so many ns before the end of the evidence, may hang
 * since.
 */
#define OLD_AFTER (10 * CLOCK_NS_PER_S)

/* Judges a job whose stacks are old: they do not tell how it is now. False: they are not old. */
static bool judge_old(struct inquiry *q)
{
	struct rank_list old = {0};

	job_for_each_rank(q->job, rank) {
		const struct job_stack *stack = q->profiles[rank.i].posture.stack;
		int64_t now = q->waits->now[rank.i];

		if (stack && !q->profiles[rank.i].ended && now != JOB_UNKNOWN &&
			stack->when != JOB_UNKNOWN && now - stack->when > OLD_AFTER)
			rank_list_add(&old, rank);
	}
	if (old.list.nr) {
		inquiry_draft(q, VERDICT_INCONCLUSIVE)->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		inquiry_not_judged_each(q, VERDICT_INCONCLUSIVE, NEED_YOUNGER_STACKS, &old);
	}
	array_release(&old.list);
	return q->drafts.nr > 0;
}

/*
 * Writes that the job is well, as far as its stacks tell; but not that nobody waits, or that all go
 * on, where a thread does stand, though not for long.
 */
static void judge_well(struct inquiry *q, const struct roll *roll, enum verdict_fact_kind why)
{
	struct rank_list aside = {0};
	struct draft *draft;

	if (judge_aside(q) || judge_old(q))
		return;
	find_aside(q, STANDS_AT_LEAST, &aside);
	draft = inquiry_draft(q, VERDICT_HEALTHY);
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft_fact(q, draft, FACT_ALIVE, NO_RANK, "procs")->a =
		(int64_t)(roll->waiting.list.nr + roll->elsewhere.list.nr);
	if (!tell_asides(q, &aside, draft))
		draft_fact(q, draft, why, NO_RANK, "stacks:*");
	array_release(&aside.list);
}

/*
 * True if each rank was seen to go on between samples: those in a collective came there from
 * another place of the program. (A store is asked again and again by programs that hang, too.)
 */
static bool all_go_on(const struct inquiry *q, const struct roll *roll)
{
	for (size_t i = 0; i < roll->waiting.list.nr; i++) {
		const struct posture *p = &q->profiles[roll->waiting.list.items[i].i].posture;

		if (!p->passed ||
			(p->activity != ACTIVITY_COLLECTIVE && p->activity != ACTIVITY_P2P))
			return false;
	}
	for (size_t i = 0; i < roll->elsewhere.list.nr; i++)
		if (q->profiles[roll->elsewhere.list.items[i].i].posture.moved != JOB_YES)
			return false;
	return !roll->unknown.list.nr;
}

/*
 * Judges a job in which nobody waits for another rank: some may stand all the same; else it is
 * well.
 */
static void judge_nobody_waits(struct inquiry *q, const struct roll *roll)
{
	struct rank_list standing = {0};

	for (size_t i = 0; i < roll->elsewhere.list.nr; i++)
		if (is_trouble(&q->profiles[roll->elsewhere.list.items[i].i].posture))
			rank_list_add(&standing, roll->elsewhere.list.items[i]);
	if (standing.list.nr)
		judge_idle(q, &standing);
	array_release(&standing.list);
	if (q->drafts.nr)
		return;
	if (!roll->unknown.list.nr && judge_standing(q, roll))
		return;
	if (roll->unknown.list.nr || !somebody_moved(q, roll))
		judge_unproved(q, roll);
	else
		judge_well(q, roll, FACT_NOBODY_WAITS);
}

/* -- beside rings ------------------------------------------------------------------------------ */

/*
 * A rank stands only after longer than would be a hang in the slowest group; and after no less than
 * the first of these, ns, if the job's usual time between operations is known, else the second: a
 * program may read for long before its first step.
 */
#define QUIET_AT_LEAST	     (10 * CLOCK_NS_PER_S)
#define QUIET_WITHOUT_RHYTHM (30 * CLOCK_NS_PER_S)

static int64_t quiet_after(const struct inquiry *q)
{
	int64_t longest = 0;
	bool rhythm = false;

	for (size_t i = 0; i < q->job->ngroups; i++) {
		rhythm |= q->gaps[i] > 0;
		longest = q->threshold[i] > longest ? q->threshold[i] : longest;
	}
	if (!rhythm)
		return QUIET_WITHOUT_RHYTHM;
	return longest > QUIET_AT_LEAST ? longest : QUIET_AT_LEAST;
}

/* Returns the lesser of `quiet` and the time since `when`. */
static int64_t less_of(int64_t quiet, int64_t now, int64_t when)
{
	return when != JOB_UNKNOWN && when <= now && now - when < quiet ? now - when : quiet;
}

/*
 * Returns the ns for which the rank has done nothing that its ring tells; JOB_UNKNOWN while it is
 * in a call.
 */
static int64_t quiet_for(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t now = q->waits->now[rank.i], quiet = p->outside;

	if (quiet == JOB_UNKNOWN || now == JOB_UNKNOWN)
		return JOB_UNKNOWN;
	by_rank_each(&q->seats, rank, k) {
		const struct job_member *m = &q->job->members[q->seats.at[k]];

		if (m->nops)
			quiet = less_of(quiet, now, m->ops[m->nops - 1].entered);
		if (m->np2p)
			quiet = less_of(quiet, now, m->p2p[m->np2p - 1].entered);
	}
	if (p->step)
		quiet = less_of(quiet, now, p->step->when);
	if (p->shard)
		quiet = less_of(quiet, now, p->shard->when);
	return quiet;
}

bool standstill_may_be(const struct inquiry *q)
{
	int64_t quiet = quiet_after(q);

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (p->process && !p->ended && quiet_for(q, rank) > quiet && !is_at_work(q, p))
			return true;
	}
	return false;
}

/* Lists the ranks that live; true if each of them has long stood in its own code. */
static bool all_stand(const struct inquiry *q, struct rank_list *into)
{
	int64_t quiet = quiet_after(q);

	job_for_each_rank(q->job, rank) {
		const struct profile *p = &q->profiles[rank.i];

		if (!p->process || p->ended)
			continue;
		if (!p->posture.stack ||
			(p->posture.stands < STANDS_AT_LEAST &&
				p->posture.lingers == JOB_UNKNOWN) ||
			quiet_for(q, rank) <= quiet || is_at_work(q, p))
			return false;
		rank_list_add(into, rank);
	}
	return into->list.nr > 0;
}

/*
 * Judges a job whose rings tell of groups and of nobody who waits in them, though all that live
 * stand.
 */
void judge_standstill(struct inquiry *q)
{
	struct roll roll = {0};

	if (!q->waits->only_told && q->job->ngroups && all_stand(q, &roll.elsewhere)) {
		q->standstill = true;
		judge_nobody_waits(q, &roll);
	}
	release(&roll);
}

/* -- all of it --------------------------------------------------------------------------------- */

void judge_by_stacks(struct inquiry *q)
{
	struct roll roll;

	if (!q->waits->only_told)
		return;
	look(q, &roll);
	if (!roll.waiting.list.nr && roll.elsewhere.list.nr)
		judge_nobody_waits(q, &roll);
	else if (roll.waiting.list.nr && !roll.stand && all_go_on(q, &roll))
		judge_well(q, &roll, FACT_ALL_GO_ON);
	else if (roll.waiting.list.nr && !judge_sites(q, &roll))
		judge_unproved(q, &roll);
	release(&roll);
}
