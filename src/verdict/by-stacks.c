/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of which only stacks tell: nothing of ours is in them, or what they call is not recorded.
 * Groups and operations are unknown then. Known is which ranks are inside something that waits for
 * others, and which are seen to be elsewhere: those who are elsewhere keep the others waiting.
 *
 * In a job that is well, some rank is always a little ahead and waits. So a wait counts only where
 * the samples prove that it stood for two seconds: of somebody who waits, or of the one waited for,
 * whom nobody can have passed in that time. A rank whose stack does not tell is never blamed, and
 * counts as one of those who are late.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "verdict/judge.h"

#define STANDS_AT_LEAST (2 * CLOCK_NS_PER_S)

/* All ranks, by what their stacks say. */
struct scene {
	struct rank_list waiting, elsewhere, unknown;
	struct rank_list locked; /* elsewhere in a file's lock that some other rank may have */
	struct rank_list strayed; /* in the store, at another address than the most */
	int64_t stood;  /* the longest standing that is proved, of whom it matters */
	bool all_stand; /* each of those who wait */
	bool held;	/* one of them at least was not elsewhere a moment before */
};

static void release(struct scene *scene)
{
	array_release(&scene->waiting.list);
	array_release(&scene->elsewhere.list);
	array_release(&scene->unknown.list);
	array_release(&scene->locked.list);
	array_release(&scene->strayed.list);
}

static void look(const struct inquiry *q, struct scene *scene)
{
	*scene = (struct scene){.stood = JOB_UNKNOWN, .all_stand = true};
	for (size_t i = 0; i < q->job->nranks; i++) {
		const struct profile *p = &q->profiles[i];
		int64_t stands = p->posture.stands;

		if (p->ended || !p->process || p->posture.pose == POSE_UNKNOWN ||
			p->posture.unsure) {
			rank_list_add(&scene->unknown, (int)i);
			continue;
		}
		if (p->usual_address) {
			rank_list_add(&scene->strayed, (int)i);
			continue;
		}
		if (poses_waits(p->posture.pose)) {
			scene->all_stand &= stands >= STANDS_AT_LEAST;
			scene->held |= stands >= STANDS_AT_LEAST ||
				       (p->posture.stack->samples > 1 && !p->posture.passed);
		}
		rank_list_add(
			poses_waits(p->posture.pose) ? &scene->waiting : &scene->elsewhere, (int)i);
		if (stands > scene->stood)
			scene->stood = stands;
	}
}

/* -- who is waited for ------------------------------------------------------------------------- */

static bool is_zero(const struct inquiry *q, int rank)
{
	return !q->job->ranks[rank].world_rank && !q->job->ranks[rank].numberless;
}

static bool has_zero(const struct inquiry *q, const struct rank_list *list)
{
	for (size_t i = 0; i < list->list.nr; i++)
		if (is_zero(q, list->list.items[i]))
			return true;
	return false;
}

/*
 * All wait for what rank 0 gives, the store or the unique id of a communicator: where rank 0 is
 * elsewhere, it is waited for, and nobody else is; where nobody knows what it does, nobody is. So
 * also where they only may do, by what their stacks do not show. Returns whether it is certain.
 */
static bool narrow_to_zero(const struct inquiry *q, struct scene *scene)
{
	struct rank_list *elsewhere = &scene->elsewhere;
	bool certain = !scene->unknown.list.nr;
	size_t kept = 0;

	for (size_t i = 0; i < scene->waiting.list.nr; i++) {
		const struct posture *p = &q->profiles[scene->waiting.list.items[i]].posture;

		if (!p->maybe_zero)
			return false;
		certain &= p->for_zero;
	}
	if (has_zero(q, &scene->waiting))
		return false;
	for (size_t i = 0; i < elsewhere->list.nr; i++)
		if (!q->job->ranks[elsewhere->list.items[i]].world_rank)
			elsewhere->list.items[kept++] = elsewhere->list.items[i];
	elsewhere->list.nr = kept;
	return certain;
}

static bool on_host_of(const struct inquiry *q, int rank, int other)
{
	return !q->profiles[other].process ||
	       q->job->ranks[rank].host == q->job->ranks[other].host;
}

/* Whether a rank that is not where all wait, for another reason, may have that lock. */
static bool may_have_lock(const struct inquiry *q, const struct scene *scene, int rank)
{
	for (size_t i = 0; i < scene->unknown.list.nr; i++)
		if (on_host_of(q, rank, scene->unknown.list.items[i]))
			return true;
	for (size_t i = 0; i < scene->elsewhere.list.nr; i++) {
		int other = scene->elsewhere.list.items[i];

		if (on_host_of(q, rank, other) &&
			!poses_in_file_lock(&q->profiles[other].posture))
			return true;
	}
	return false;
}

/*
 * Who waits for a file's lock may wait for another rank of its host: it is not blamed, unless all
 * the others are known not to have it.
 */
static void set_locked_apart(const struct inquiry *q, struct scene *scene)
{
	struct rank_list *elsewhere = &scene->elsewhere;
	size_t kept = 0;

	for (size_t i = 0; i < elsewhere->list.nr; i++) {
		int rank = elsewhere->list.items[i];

		if (poses_in_file_lock(&q->profiles[rank].posture) && may_have_lock(q, scene, rank))
			rank_list_add(&scene->locked, rank);
	}
	for (size_t i = 0, at = 0; i < elsewhere->list.nr; i++) {
		if (at < scene->locked.list.nr &&
			scene->locked.list.items[at] == elsewhere->list.items[i])
			at++;
		else
			elsewhere->list.items[kept++] = elsewhere->list.items[i];
	}
	elsewhere->list.nr = kept;
}

/* How many may be late, known ones or not; where nobody knows how many there are, all. */
static size_t may_be_late(const struct inquiry *q, const struct scene *scene)
{
	return q->job->world_size < 0 ? q->job->nranks
				      : scene->elsewhere.list.nr + scene->locked.list.nr +
						scene->unknown.list.nr;
}

/* -- nobody is elsewhere ----------------------------------------------------------------------- */

/* How many of those who wait do so at the same place as this one. */
static size_t camp_size(const struct inquiry *q, const struct scene *scene, int rank)
{
	size_t n = 0;

	for (size_t i = 0; i < scene->waiting.list.nr; i++)
		n += stacks_same_site(q, rank, scene->waiting.list.items[i]);
	return n;
}

/* Whether each of those at another place is in another call, too. */
static bool other_calls(const struct inquiry *q, const struct scene *scene, int usual)
{
	const struct posture *call = &q->profiles[usual].posture;

	for (size_t i = 0; i < scene->waiting.list.nr; i++) {
		int rank = scene->waiting.list.items[i];

		if (!stacks_same_site(q, usual, rank) &&
			poses_may_be_one_call(&q->profiles[rank].posture, call))
			return false;
	}
	return true;
}

/*
 * All are inside collectives, and a few at another place than the most, in another call: the
 * program's fork, maybe. (They may be of different groups, so it stays a hypothesis; and two places
 * of one program may well call one operation.) With any rank unknown that one may be what all wait
 * for.
 */
static bool judge_sites(struct inquiry *q, const struct scene *scene)
{
	size_t n = scene->waiting.list.nr, largest = 0;
	int usual = JOB_NONE;
	struct draft *draft;

	for (size_t i = 0; i < n; i++) {
		int rank = scene->waiting.list.items[i];
		size_t size = camp_size(q, scene, rank);

		if (q->profiles[rank].posture.pose != POSE_COLLECTIVE)
			return false;
		if (size > largest) {
			largest = size;
			usual = rank;
		}
	}
	if (!scene->all_stand || largest == n || n - largest >= largest ||
		may_be_late(q, scene) || !other_calls(q, scene, usual))
		return false;
	draft = inquiry_draft(q, VERDICT_COLLECTIVE_MISMATCH);
	draft->verdict.confidence = VERDICT_HYPOTHESIS;
	draft->verdict.next = VERDICT_NEXT_COMPARE_CALL_SITES;
	draft->verdict.waiting = scene->stood;
	for (size_t i = 0; i < n; i++) {
		int rank = scene->waiting.list.items[i];
		bool same = stacks_same_site(q, usual, rank);

		rank_list_add(same ? &draft->victims : &draft->culprits, rank);
		if (!same && draft->culprits.list.nr <= TOLD_CULPRITS)
			stacks_tell(q, rank, draft);
	}
	return true;
}

/* -- what cannot be told ----------------------------------------------------------------------- */

/* Names what is not known of whom. */
static void tell_unknown(struct inquiry *q, const struct scene *scene, struct draft *draft)
{
	for (size_t i = 0; i < scene->unknown.list.nr && i < TOLD_CULPRITS; i++) {
		int rank = scene->unknown.list.items[i];
		bool seen = q->profiles[rank].process != NULL;

		if (!seen)
			draft_fact(q, draft, FACT_OTHER, rank, "procs")->text =
				"no process of this rank was found";
		else
			stacks_tell(q, rank, draft);
		inquiry_not_judged(q, VERDICT_INCONCLUSIVE, rank,
			inquiry_of_rank(q, seen ? "a telling stack" : "any process", rank));
	}
}

/* Some wait, and who keeps them is not proved: their places are told. */
static void judge_unproved(struct inquiry *q, const struct scene *scene)
{
	struct draft *draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);

	draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
	for (size_t i = 0; i < scene->waiting.list.nr; i++)
		rank_list_add(&draft->victims, scene->waiting.list.items[i]);
	for (size_t i = 0; i < scene->elsewhere.list.nr && i < TOLD_CULPRITS; i++)
		stacks_tell(q, scene->elsewhere.list.items[i], draft);
	if (scene->stood < STANDS_AT_LEAST || !scene->held)
		inquiry_not_judged(q, VERDICT_HOST_STALL, JOB_NONE,
			"stacks that stand still for 2 s and more");
	tell_unknown(q, scene, draft);
}

/* Poses in which a program stands for no good reason, whoever waits for it. */
static bool is_trouble(const struct posture *p)
{
	return p->stands >= STANDS_AT_LEAST &&
	       (p->pose == POSE_LOCK || p->pose == POSE_GIL || p->pose == POSE_IO ||
		       p->pose == POSE_FROZEN);
}

/* Where those of a list stand, those at one place in one line. */
static void tell_places(struct inquiry *q, const struct rank_list *list, struct draft *draft)
{
	bool *told = alloc_zeroed(list->list.nr + 1, sizeof(*told));

	for (size_t i = 0, places = 0; i < list->list.nr && places < TOLD_CULPRITS; i++) {
		int rank = list->list.items[i];
		const struct posture *p = &q->profiles[rank].posture;
		struct rank_list ranks = {0};
		struct verdict_fact *fact;

		if (told[i])
			continue;
		for (size_t k = i; k < list->list.nr; k++) {
			if (told[k] || !stacks_same_site(q, rank, list->list.items[k]))
				continue;
			told[k] = true;
			rank_list_add(&ranks, list->list.items[k]);
		}
		fact = draft_fact_of(q, draft, FACT_AT, &ranks, p->stack->cite);
		stacks_tell_place(q, rank, fact);
		fact->a = p->stands;
		array_release(&ranks.list);
		places++;
	}
	free(told);
}

/*
 * Nobody is in anything known to wait for others, and yet some stand asleep in their own code. They
 * may serve a queue, or wait for others by means that nobody knows: both look like this.
 */
static bool judge_standing(struct inquiry *q, const struct scene *scene)
{
	struct rank_list standing = {0};
	struct draft *draft;

	for (size_t i = 0; i < scene->elsewhere.list.nr; i++) {
		int rank = scene->elsewhere.list.items[i];

		if (q->profiles[rank].posture.stands >= STANDS_AT_LEAST)
			rank_list_add(&standing, rank);
	}
	if (standing.list.nr) {
		draft = inquiry_draft(q, VERDICT_INCONCLUSIVE);
		draft->verdict.next = VERDICT_NEXT_MORE_EVIDENCE;
		tell_places(q, &standing, draft);
		draft_fact(q, draft, FACT_OTHER, JOB_NONE, "stacks:*")->text =
			"nobody is in a collective";
		inquiry_not_judged(q, VERDICT_HOST_STALL, JOB_NONE,
			"who waits for whom: no collective is on any stack");
	}
	array_release(&standing.list);
	return q->drafts.nr > 0;
}

/* Whether anybody was seen to go on: of one look alone nobody is. */
static bool somebody_moved(const struct inquiry *q, const struct scene *scene)
{
	for (size_t i = 0; i < scene->elsewhere.list.nr; i++)
		if (q->profiles[scene->elsewhere.list.items[i]].posture.moved == JOB_YES)
			return true;
	return false;
}

/* The job goes its way, so far as its stacks tell. */
static void judge_well(struct inquiry *q, const struct scene *scene, const char *why)
{
	struct draft *draft = inquiry_draft(q, VERDICT_HEALTHY);

	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft_fact(q, draft, FACT_ALIVE, JOB_NONE, "procs")->a =
		(int64_t)(scene->waiting.list.nr + scene->elsewhere.list.nr);
	draft_fact(q, draft, FACT_OTHER, JOB_NONE, "stacks:*")->text = why;
}

/*
 * Whether each rank was seen to go on while we looked: those in a collective came there from
 * another place of the program. (A store is asked again and again by programs that hang, too.)
 */
static bool all_go_on(const struct inquiry *q, const struct scene *scene)
{
	for (size_t i = 0; i < scene->waiting.list.nr; i++) {
		const struct posture *p = &q->profiles[scene->waiting.list.items[i]].posture;

		if (!p->passed || (p->pose != POSE_COLLECTIVE && p->pose != POSE_P2P))
			return false;
	}
	for (size_t i = 0; i < scene->elsewhere.list.nr; i++)
		if (q->profiles[scene->elsewhere.list.items[i]].posture.moved != JOB_YES)
			return false;
	return !scene->unknown.list.nr && !scene->locked.list.nr;
}

/* Nobody waits for another rank. Some may stand all the same; else all goes its way. */
static void judge_nobody_waits(struct inquiry *q, const struct scene *scene)
{
	struct rank_list standing = {0};

	for (size_t i = 0; i < scene->elsewhere.list.nr; i++)
		if (is_trouble(&q->profiles[scene->elsewhere.list.items[i]].posture))
			rank_list_add(&standing, scene->elsewhere.list.items[i]);
	if (standing.list.nr)
		judge_given_sinks(q, &standing, &scene->waiting, may_be_late(q, scene));
	array_release(&standing.list);
	if (q->drafts.nr)
		return;
	if (!scene->unknown.list.nr && judge_standing(q, scene))
		return;
	if (scene->unknown.list.nr || !somebody_moved(q, scene))
		judge_unproved(q, scene);
	else
		judge_well(q, scene, "nobody waits");
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Those in a lock that a culprit may have. */
static void tell_locked(struct inquiry *q, const struct scene *scene, struct draft *draft)
{
	for (size_t i = 0; i < scene->locked.list.nr && i < TOLD_CULPRITS; i++)
		stacks_tell(q, scene->locked.list.items[i], draft);
}

/* Whether rings tell of any operation or wait: then they are asked, not the stacks. */
static bool rings_speak(const struct inquiry *q)
{
	return q->job->ngroups || q->waits->n;
}

/* Deaths that were found by themselves: those who stand in a wait now are their victims. */
static void give_victims(struct inquiry *q, const struct scene *scene)
{
	for (size_t i = 0; i < q->drafts.nr; i++) {
		struct draft *draft = &q->drafts.items[i];

		if (draft->verdict.class != VERDICT_RANK_DEATH || draft->victims.list.nr)
			continue;
		for (size_t k = 0; k < scene->waiting.list.nr; k++)
			rank_list_add(&draft->victims, scene->waiting.list.items[k]);
	}
}

void judge_by_stacks(struct inquiry *q)
{
	struct scene scene;

	if (!q->job->nstacks || rings_speak(q))
		return;
	look(q, &scene);
	set_locked_apart(q, &scene);
	if (q->drafts.nr) {
		give_victims(q, &scene);
	} else if (scene.strayed.list.nr && scene.waiting.list.nr &&
		   scene.stood >= STANDS_AT_LEAST) {
		judge_given_sinks(
			q, &scene.strayed, &scene.waiting, scene.strayed.list.nr);
		for (size_t i = 0; i < q->drafts.nr; i++)
			q->drafts.items[i].verdict.waiting = scene.stood;
	} else if (!scene.waiting.list.nr && scene.elsewhere.list.nr) {
		judge_nobody_waits(q, &scene);
	} else if (scene.waiting.list.nr && scene.elsewhere.list.nr &&
		   scene.stood >= STANDS_AT_LEAST && scene.held) {
		size_t late = may_be_late(q, &scene);

		if (narrow_to_zero(q, &scene))
			late = may_be_late(q, &scene);
		judge_given_sinks(q, &scene.elsewhere, &scene.waiting, late);
		for (size_t i = 0; i < q->drafts.nr; i++) {
			q->drafts.items[i].verdict.waiting = scene.stood;
			tell_locked(q, &scene, &q->drafts.items[i]);
		}
		if (!q->drafts.nr)
			judge_unproved(q, &scene);
	} else if (scene.waiting.list.nr && all_go_on(q, &scene)) {
		judge_well(q, &scene, "all were seen to go on");
	} else if (scene.waiting.list.nr && !judge_sites(q, &scene)) {
		judge_unproved(q, &scene);
	}
	release(&scene);
}
