/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/announce.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/stacktree/stackfacts.h"

#define SAID_AT_MOST 20 /* in all of a job's life */
#define FINE_LOOKS   2 /* so many make it resolved */
/* A verdict that takes the place of another must stand so long, not to be a flicker. */
#define CHANGE_NS (3 * CLOCK_NS_PER_S)
/* What lasts for longer is said each time, be it that a job went on from it before. */
#define IDLE_AT_MOST (1800 * CLOCK_NS_PER_S)

bool announce_blames(const struct verdicts *verdicts)
{
	enum verdict_class class = verdicts->at[0].class;

	return class != VERDICT_HEALTHY && class != VERDICT_SLOW && class != VERDICT_INCONCLUSIVE &&
	       class != VERDICT_TOO_EARLY;
}

/*
 * True if somebody was seen to move, and nobody to stand: whoever waits has only come to that, and
 * so it is at any moment of a job that goes on.
 */
static bool goes_on(const struct verdict *verdict)
{
	bool moves = false;

	for (size_t i = 0; i < verdict->nevidence; i++) {
		const struct verdict_fact *fact = &verdict->evidence[i];

		if (fact->kind == FACT_AT || (fact->kind == FACT_WAITS_AT && fact->a > 0))
			return false;
		moves |= fact->kind == FACT_AT_MOVING;
	}
	return moves && verdict->waiting == JOB_UNKNOWN;
}

/* True if the stack of that rank's main thread changed while it was watched. */
static bool moves(const struct job *job, struct rank_index rank)
{
	size_t from, to;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++)
		if (job->stacks[i].main && job->stacks[i].moved == JOB_YES)
			return true;
	return false;
}

/* True if every rank that lives was seen to move: of one that was not seen nothing is known. */
static bool all_move(const struct job *job)
{
	bool any = false;

	job_for_each_rank(job, rank) {
		int process = job_rank(job, rank)->process;

		if (process == JOB_NONE || job->processes[process].end > JOB_ALIVE)
			continue;
		if (!moves(job, job->processes[process].rank))
			return false;
		any = true;
	}
	return any;
}

/* True if it blames nobody for want of evidence, be it that the job moves. */
static bool is_unclear(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];

	return verdict->class == VERDICT_INCONCLUSIVE &&
	       !(goes_on(verdict) && all_move(verdicts->job));
}

bool announce_tells(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];

	if (verdict->class != VERDICT_INCONCLUSIVE || goes_on(verdict))
		return false;
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (verdict->evidence[i].kind == FACT_AT)
			return true;
	return verdict->victims.n > 0;
}

int64_t announce_waited(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];
	int64_t longest = verdict->waiting;

	for (size_t i = 0; i < verdict->nevidence && announce_tells(verdicts); i++)
		if (verdict->evidence[i].kind == FACT_AT && verdict->evidence[i].a > longest)
			longest = verdict->evidence[i].a;
	return longest;
}

/*
 * True if ranks wait, and nothing here tells for whom, or they stand and nobody knows why. What
 * blames somebody is not replaced by that.
 */
static bool is_unexplained(const struct announce *announce, const struct verdicts *verdicts)
{
	return announce_tells(verdicts) && (!announce->stands || announce->unexplained);
}

/*
 * Returns what makes a verdict another one: attempt, class, cause, place, outlook, and behind the
 * colon the culprits. free() it.
 */
static char *key_of(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];
	struct str key = {0};

	str_printf(&key, "%d %d %d %d %d:", verdicts->job->attempt, (int)verdict->class,
		(int)verdict->cause, (int)verdict->where, verdict->outlook == VERDICT_WAIT);
	for (size_t i = 0; i < verdict->culprits.n; i++)
		str_printf(&key, " %d",
			job_rank(verdicts->job, verdict->culprits.at[i])->world_rank.n);
	return str_detach(&key);
}

bool announce_is_same(const struct announce *announce, const struct verdicts *verdicts)
{
	char *key = key_of(verdicts);
	bool same = announce->seen && !strcmp(announce->seen, key);

	free(key);
	return same;
}

/* Returns the part of a key that names the culprits. */
static const char *culprits_of(const char *key)
{
	return strchr(key, ':') + 1;
}

bool announce_is_outlived(const struct announce *announce, const struct verdicts *verdicts)
{
	return announce->stands && verdicts->job->attempt > announce->attempt;
}

bool announce_blames_same(const struct announce *announce, const struct verdicts *verdicts)
{
	char *key = key_of(verdicts);
	bool same = announce_blames(verdicts) && *culprits_of(key) && announce->seen &&
		!strcmp(culprits_of(announce->seen), culprits_of(key));

	free(key);
	return same;
}

/* True if the verdict of that key was said since the job last moved. */
static bool was_said(const struct announce *announce, const char *key)
{
	for (size_t i = 0; i < announce->said.nr; i++)
		if (!strcmp(announce->said.items[i], key))
			return true;
	return false;
}

/* Takes what is seen to stand. SAY the first time, else STILL. */
static enum announce_news say_once(struct announce *announce, const struct verdicts *verdicts)
{
	announce->stands = true;
	announce->attempt = verdicts->job->attempt;
	if (was_said(announce, announce->seen) || announce->said_in_all >= SAID_AT_MOST)
		return ANNOUNCE_STILL;
	*array_add(&announce->said) = strdup(announce->seen);
	announce->said_in_all++;
	return ANNOUNCE_SAY;
}

/* Forgets what was said, so that it may be said again. */
static void forget_said(struct announce *announce)
{
	while (announce->said.nr)
		free(announce->said.items[--announce->said.nr]);
}

void announce_adopt(struct announce *announce, const char *key)
{
	if (*key && announce->said.nr < SAID_AT_MOST && !was_said(announce, key))
		*array_add(&announce->said) = alloc_text(key);
}

void announce_unsay(struct announce *announce)
{
	if (announce->said.nr && announce->seen &&
		!strcmp(announce->said.items[announce->said.nr - 1], announce->seen)) {
		free(announce->said.items[--announce->said.nr]);
		announce->said_in_all--;
	}
}

bool announce_waits(const struct announce *announce)
{
	return announce->seen && !was_said(announce, announce->seen);
}

void announce_keys(const struct announce *announce, struct str *into)
{
	str_cut(into, 0);
	for (size_t i = 0; i < announce->said.nr; i++)
		str_printf(into, "%s%s", i ? "\n" : "", announce->said.items[i]);
}

void announce_forget(struct announce *announce)
{
	forget_said(announce);
	announce->stands = announce->unexplained = false;
}

/* Remembers what the job went on from, and for how long that had stood. */
static void note_passed(struct announce *announce)
{
	const char *last = announce->said.nr ? announce->said.items[announce->said.nr - 1] : NULL;

	if (!last)
		return;
	if (!announce->passed || strcmp(announce->passed, last) != 0)
		announce->passed_after = 0;
	if (announce->stood > announce->passed_after)
		announce->passed_after = announce->stood;
	free(announce->passed);
	announce->passed = alloc_text(last);
}

/* Takes a look that blames nobody. RESOLVED only after a few of them that are sure. */
static enum announce_news take_fine(struct announce *announce, bool unclear)
{
	if (!announce->stands)
		return ANNOUNCE_NOTHING;
	if (unclear || ++announce->fine_looks < FINE_LOOKS)
		return ANNOUNCE_STILL;
	note_passed(announce);
	announce_forget(announce);
	return ANNOUNCE_RESOLVED;
}

/*
 * True if ranks stand in their own code, and nobody is known to wait: so does a server without
 * requests.
 */
static bool is_idle(const struct verdicts *verdicts)
{
	return announce_tells(verdicts) && !verdicts->at[0].victims.n;
}

/* Notes for how long ranks idled, once they go on. Unseen ranks may still idle. */
static void note_idling(struct announce *announce, const struct verdicts *verdicts, int64_t now)
{
	bool unclear = verdicts->at[0].class == VERDICT_INCONCLUSIVE;

	if (is_idle(verdicts) || (unclear && !verdicts->at[0].victims.n)) {
		announce->idle |= is_idle(verdicts);
		return;
	}
	if (announce->idle && !unclear && !announce_blames(verdicts) &&
		now - announce->since > announce->idled)
		announce->idled = now - announce->since;
	announce->idle = false;
}

/* True if it lasts for less than that, which was unusual. */
static bool is_usual(int64_t lasts, int64_t unusual)
{
	return lasts < (unusual < IDLE_AT_MOST ? unusual : IDLE_AT_MOST);
}

/* True if the ranks stand for no more than twice as long as before they went on by themselves. */
static bool idles_as_usual(const struct announce *announce, int64_t seen_for)
{
	return announce->idle && is_usual(seen_for, 2 * announce->idled);
}

/*
 * True if the job went on by itself from what is seen, and has stood in it for little longer than
 * then: a hang of the rank that evaluates now and then must not wait for long.
 * Not what is known to resolve, or not to; nor a rank that somebody stopped, which is no habit.
 */
static bool passes_as_usual(
	const struct announce *announce, const struct verdict *verdict, int64_t waited)
{
	return verdict->outlook == VERDICT_OUTLOOK_UNKNOWN && verdict->where != VERDICT_IN_FROZEN &&
	       announce->passed && !strcmp(announce->passed, announce->seen) &&
	       is_usual(waited, announce->passed_after + announce->passed_after / 2);
}

/* Remembers the verdict as the last that was seen, and since when it is. */
static void see(struct announce *announce, const struct verdicts *verdicts, int64_t now)
{
	announce->fine_looks = 0;
	if (announce_is_same(announce, verdicts))
		return;
	free(announce->seen);
	announce->seen = key_of(verdicts);
	announce->since = now;
}

/* Takes verdicts where what stands is of their attempt. */
static enum announce_news take(
	struct announce *announce, const struct verdicts *verdicts, int64_t now, int64_t hang_after)
{
	const struct verdict *verdict = &verdicts->at[0];
	bool death = verdict->class == VERDICT_RANK_DEATH || verdict->class == VERDICT_NODE_LOSS;
	bool unexplained = is_unexplained(announce, verdicts);
	int64_t seen_for, waited = announce_waited(verdicts);

	note_idling(announce, verdicts, now);
	if (!announce_blames(verdicts) && !unexplained) {
		free(announce->seen);
		announce->seen = NULL;
		return take_fine(announce, is_unclear(verdicts));
	}
	see(announce, verdicts, now);
	seen_for = now - announce->since;
	waited = waited > seen_for ? waited : seen_for;
	if (announce->stands && !death && seen_for < CHANGE_NS && seen_for < hang_after)
		return ANNOUNCE_STILL;
	if (!death && waited < hang_after)
		return announce->stands ? ANNOUNCE_STILL : ANNOUNCE_NOTHING;
	if (!announce->stands && passes_as_usual(announce, verdict, waited))
		return ANNOUNCE_NOTHING;
	announce->stood = waited;
	if (unexplained && !announce->stands &&
		(seen_for < CHANGE_NS || idles_as_usual(announce, seen_for)))
		return ANNOUNCE_NOTHING;
	announce->unexplained = unexplained;
	return say_once(announce, verdicts);
}

enum announce_news announce_take(
	struct announce *announce, const struct verdicts *verdicts, int64_t now, int64_t hang_after)
{
	bool outlived = announce_is_outlived(announce, verdicts);
	enum announce_news news;

	if (outlived)
		announce_forget(announce);
	news = take(announce, verdicts, now, hang_after);
	return outlived && news == ANNOUNCE_NOTHING ? ANNOUNCE_RESOLVED : news;
}

enum announce_news announce_take_last(struct announce *announce, const struct verdicts *verdicts)
{
	if (announce_is_outlived(announce, verdicts))
		announce_forget(announce);
	if (!announce_blames(verdicts))
		return announce->stands ? ANNOUNCE_STILL : ANNOUNCE_NOTHING;
	see(announce, verdicts, 0);
	announce->unexplained = false;
	return say_once(announce, verdicts);
}

void announce_release(struct announce *announce)
{
	forget_said(announce);
	array_release(&announce->said);
	free(announce->seen);
	free(announce->passed);
	announce->seen = announce->passed = NULL;
}
