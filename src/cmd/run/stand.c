/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/stand.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

#define SAID_AT_MOST 20
#define FINE_LOOKS   2
/* A verdict that takes the place of another must not be a flicker. */
#define CHANGE_NS (3 * CLOCK_NS_PER_S)

bool stand_blames(const struct verdicts *verdicts)
{
	enum verdict_class class = verdicts->at[0].class;

	return class != VERDICT_HEALTHY && class != VERDICT_SLOW && class != VERDICT_INCONCLUSIVE &&
	       class != VERDICT_TOO_EARLY;
}

bool stand_tells(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];

	if (verdict->class != VERDICT_INCONCLUSIVE)
		return false;
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (verdict->evidence[i].kind == FACT_AT)
			return true;
	return verdict->victims.n > 0;
}

/*
 * Ranks wait, and nothing here tells for whom, or they stand and nobody knows why. What blames
 * somebody is not replaced by that.
 */
static bool is_unexplained(const struct stand *stand, const struct verdicts *verdicts)
{
	return stand_tells(verdicts) && (!stand->stands || stand->unexplained);
}

static char *key_of(const struct verdicts *verdicts)
{
	const struct verdict *verdict = &verdicts->at[0];
	struct str key = {0};

	str_printf(&key, "%d %d %d %d %d:", verdicts->job->attempt, (int)verdict->class,
		(int)verdict->cause, (int)verdict->where, verdict->outlook == VERDICT_WAIT);
	for (size_t i = 0; i < verdict->culprits.n; i++)
		str_printf(&key, " %d", verdicts->job->ranks[verdict->culprits.at[i]].world_rank.n);
	return str_detach(&key);
}

bool stand_is_same(const struct stand *stand, const struct verdicts *verdicts)
{
	char *key = key_of(verdicts);
	bool same = stand->seen && !strcmp(stand->seen, key);

	free(key);
	return same;
}

/* The part of a key that names the culprits. */
static const char *culprits_of(const char *key)
{
	return strchr(key, ':') + 1;
}

bool stand_blames_same(const struct stand *stand, const struct verdicts *verdicts)
{
	char *key = key_of(verdicts);
	bool same = stand_blames(verdicts) && *culprits_of(key) && stand->seen &&
		!strcmp(culprits_of(stand->seen), culprits_of(key));

	free(key);
	return same;
}

static bool was_said(const struct stand *stand, const char *key)
{
	for (size_t i = 0; i < stand->said.nr; i++)
		if (!strcmp(stand->said.items[i], key))
			return true;
	return false;
}

static enum stand_news say_once(struct stand *stand)
{
	stand->stands = true;
	if (was_said(stand, stand->seen) || stand->said_in_all >= SAID_AT_MOST)
		return STAND_STILL;
	*array_add(&stand->said) = strdup(stand->seen);
	stand->said_in_all++;
	return STAND_SAY;
}

static void forget_said(struct stand *stand)
{
	while (stand->said.nr)
		free(stand->said.items[--stand->said.nr]);
}

void stand_adopt(struct stand *stand, const char *key)
{
	if (*key && !was_said(stand, key))
		*array_add(&stand->said) = alloc_text(key);
}

void stand_unsay(struct stand *stand)
{
	if (stand->said.nr && stand->seen &&
		!strcmp(stand->said.items[stand->said.nr - 1], stand->seen)) {
		free(stand->said.items[--stand->said.nr]);
		stand->said_in_all--;
	}
}

void stand_keys(const struct stand *stand, struct str *into)
{
	str_cut(into, 0);
	for (size_t i = 0; i < stand->said.nr; i++)
		str_printf(into, "%s%s", i ? "\n" : "", stand->said.items[i]);
}

void stand_forget(struct stand *stand)
{
	forget_said(stand);
	stand->stands = stand->unexplained = false;
}

static enum stand_news take_fine(struct stand *stand, bool inconclusive)
{
	if (!stand->stands)
		return STAND_NOTHING;
	if (inconclusive || ++stand->fine_looks < FINE_LOOKS)
		return STAND_STILL;
	stand->stands = stand->unexplained = false;
	forget_said(stand);
	return STAND_RESOLVED;
}

static void see(struct stand *stand, const struct verdicts *verdicts, int64_t now)
{
	stand->fine_looks = 0;
	if (stand_is_same(stand, verdicts))
		return;
	free(stand->seen);
	stand->seen = key_of(verdicts);
	stand->since = now;
}

enum stand_news stand_take(
	struct stand *stand, const struct verdicts *verdicts, int64_t now, int64_t hang_after)
{
	const struct verdict *verdict = &verdicts->at[0];
	bool death = verdict->class == VERDICT_RANK_DEATH || verdict->class == VERDICT_NODE_LOSS;
	bool unexplained = is_unexplained(stand, verdicts);
	int64_t seen_for, waited;

	if (!stand_blames(verdicts) && !unexplained) {
		free(stand->seen);
		stand->seen = NULL;
		return take_fine(stand, verdict->class == VERDICT_INCONCLUSIVE);
	}
	see(stand, verdicts, now);
	seen_for = now - stand->since;
	waited = verdict->waiting > seen_for ? verdict->waiting : seen_for;
	if (stand->stands && !death && seen_for < CHANGE_NS && seen_for < hang_after)
		return STAND_STILL;
	if (!death && waited < hang_after)
		return stand->stands ? STAND_STILL : STAND_NOTHING;
	if (unexplained && !stand->stands && seen_for < CHANGE_NS)
		return STAND_NOTHING;
	stand->unexplained = unexplained;
	return say_once(stand);
}

enum stand_news stand_take_last(struct stand *stand, const struct verdicts *verdicts)
{
	if (!stand_blames(verdicts))
		return stand->stands ? STAND_STILL : STAND_NOTHING;
	see(stand, verdicts, 0);
	stand->unexplained = false;
	return say_once(stand);
}

void stand_release(struct stand *stand)
{
	forget_said(stand);
	array_release(&stand->said);
	free(stand->seen);
	stand->seen = NULL;
}
