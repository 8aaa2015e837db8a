/* SPDX-License-Identifier: Apache-2.0 */
#include "words/headline.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/names.h"
#include "verdict/activities/activities.h"
#include "words/escape.h"
#include "words/phrases.h"
#include "words/rank-names.h"
#include "words/things.h"
#include "words/wording.h"

/* Returns the fact that tells the signal of a rank-death; NULL where none does. */
static const struct verdict_fact *signal_of(const struct verdict *verdict)
{
	if (verdict->class != VERDICT_RANK_DEATH || verdict->cause != VERDICT_BY_SIGNAL)
		return NULL;
	if (verdict->headline.kind == FACT_DIED_SIGNAL)
		return &verdict->headline;
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (verdict->evidence[i].kind == FACT_DIED_SIGNAL)
			return &verdict->evidence[i];
	return NULL;
}

/* True if all culprits have died since, of something else than the verdict is about. */
static bool died_since(const struct verdict *verdict)
{
	size_t dead = 0;

	if (verdict->class == VERDICT_RANK_DEATH)
		return false;
	for (size_t i = 0; i < verdict->nevidence; i++)
		dead += verdict->evidence[i].kind == FACT_DIED_SIGNAL ||
			verdict->evidence[i].kind == FACT_DIED_GONE;
	return dead && dead >= verdict->culprits.n;
}

/* So many ranks whose numbers were given twice are told at most: as many as facts tell. */
#define GIVEN_TWICE 8

static int compare_indexes(const void *va, const void *vb)
{
	const struct rank_index *a = va, *b = vb;

	return a->i < b->i ? -1 : a->i > b->i;
}

/* Appends whose numbers were given twice, which is why others have none. */
static void add_given_twice(struct str *into, const struct job *job, const struct verdict *verdict)
{
	struct rank_index at[GIVEN_TWICE];
	struct verdict_ranks ranks = {at, 0};

	if (verdict->class != VERDICT_NOT_STARTED || verdict->cause != VERDICT_BY_NUMBER)
		return;
	for (size_t i = 0; i < verdict->nevidence && ranks.n < GIVEN_TWICE; i++)
		if (verdict->evidence[i].kind == FACT_NUMBER_TWICE && verdict->evidence[i].ranks.n)
			at[ranks.n++] = verdict->evidence[i].ranks.at[0];
	qsort(at, ranks.n, sizeof(*at), compare_indexes);
	str_add(into, ranks.n > 1 ? ", the numbers of " : ", ");
	ranks_name(into, job, ranks);
	str_add(into, !ranks.n	   ? "another number was given twice"
		      : ranks.n == 1 ? "'s number was given twice"
				     : " were given twice");
}

/* Appends what the culprits do, or did before their death. */
static void add_phrase(struct str *into, const struct job *job, const struct verdict *verdict)
{
	bool many = verdict->culprits.n + verdict->nunknown > 1, once = died_since(verdict);

	str_printf(into, " %s%s",
		phrase_words(phrase_of(verdict), many, once || verdict->outlook == VERDICT_OVER),
		once ? ", now dead" : "");
	add_given_twice(into, job, verdict);
}

/* Appends the seats that are to blame, by group. */
static void add_seats(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	int group = verdict->unknown_members[0].group;

	str_add(into, verdict->nunknown == 1 ? "seat " : "seats ");
	for (size_t i = 0; i < verdict->nunknown; i++)
		str_printf(into, "%s%" PRIu32, i ? "," : "", verdict->unknown_members[i].seat.n);
	if (group >= 0 && (size_t)group < verdicts->job->ngroups)
		str_printf(into, " of %s", verdicts->job->groups[group].name);
}

/* True if some rank ended badly, so that "nothing is wrong" would be a strange word. */
static bool somebody_was_lost(const struct job *job)
{
	job_for_each_rank(job, rank) {
		const struct job_process *process =
			job_rank(job, rank)->process < 0
				? NULL
				: &job->processes[job_rank(job, rank)->process];

		if (process && (process->end == JOB_SIGNALED || process->end == JOB_GONE ||
				(process->end == JOB_EXITED && process->status)))
			return true;
	}
	return false;
}

/* True if nothing of any rank was seen, so that nobody is known to wait. */
static bool has_no_rank(const struct verdicts *verdicts, const struct verdict *verdict)
{
	return verdict->class == VERDICT_INCONCLUSIVE && !verdict->victims.n &&
	       !verdict->ended_by && !ranks_were_seen(verdicts->job);
}

/* Appends what is known of a job without ranks: whether it is over, and that it failed. */
static void add_no_rank(struct str *into, const struct job *job)
{
	for (size_t i = 0; i < job->nsayings; i++)
		if (job->sayings[i].kind == JOB_SAYS_SPAWN) {
			str_printf(into, "process %lld of mp.spawn failed, which rank is not told",
				(long long)job->sayings[i].a);
			return;
		}
	if (ranks_only_sayings(job)) {
		str_add(into, "no rank is named");
		return;
	}
	if (job->ended == JOB_YES && job->exit_status > 0)
		str_printf(into, "the command ended with status %d, ", job->exit_status);
	str_add(into, job->ended == JOB_YES ? "no rank was seen" : "no rank yet");
}

/* Appends ", 2.6 s after launch", for a job that goes on. */
static void add_since_launch(struct str *into, const struct job *job)
{
	char text[CLOCK_TEXT_SIZE];

	if (job->ended != JOB_YES && job->launched != JOB_UNKNOWN && job->gathered != JOB_UNKNOWN)
		str_printf(into, ", %s after launch",
			clock_format(job->gathered - job->launched, text));
}

/* What a scheduler ended the job for, where that is all that is known. */
static const char *const endings[JOB_ENDED_REASONS] = {
	[JOB_ENDED_BY_LIMIT] = "Slurm ended it: its time was over",
	[JOB_ENDED_BY_NODE] = "Slurm ended it: a node failed",
	[JOB_ENDED_BY_PREEMPTION] = "Slurm ended it: it was preempted",
	[JOB_ENDED_BY_CANCEL] = "Slurm ended it: it was cancelled",
};

/* Returns what is said where nobody is blamed and no camps are named. */
static const char *nobody_of(const struct verdicts *verdicts, const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY && somebody_was_lost(verdicts->job))
		return "nobody waits";
	if (verdict->ended_by)
		return endings[verdict->ended_by];
	if (verdict->class == VERDICT_INCONCLUSIVE && !verdict->victims.n &&
		verdicts->lack == VERDICT_LACKS_RANKS)
		return "cannot tell: part of the job was not seen";
	if (verdict->class == VERDICT_INCONCLUSIVE && !verdict->victims.n && !verdict->nevidence &&
		!verdicts->over && !somebody_was_lost(verdicts->job))
		return "cannot tell whether anything is wrong";
	return phrase_of_nobody(verdict->class);
}

/*
 * True if camps are those who are late and those who wait: nobody is blamed then, but it is known
 * who is which.
 */
static bool says_who_is_late(const struct verdict *verdict)
{
	if (verdict->cause == VERDICT_BY_WORLD_SIZE)
		return false;
	return verdict->class == VERDICT_HOST_STALL || verdict->class == VERDICT_COMPILE_SKEW ||
	       verdict->class == VERDICT_NOT_STARTED || verdict->class == VERDICT_SLOW ||
	       verdict->headline.kind == FACT_KEY_UNSET;
}

/* Appends "rank 3 still compiles". */
static void add_who_does(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	const struct phrase *phrase = phrase_of(verdict);
	const struct verdict_fact *signal = signal_of(verdict);

	if (has_no_rank(verdicts, verdict)) {
		add_no_rank(into, verdicts->job);
		return;
	}
	if (verdict->culprits.n) {
		ranks_name(into, verdicts->job, verdict->culprits);
	} else if (verdict->camp_a.n && says_who_is_late(verdict)) {
		ranks_name(into, verdicts->job, verdict->camp_a);
		str_printf(into, " %s",
			phrase_words(phrase, verdict->camp_a.n > 1,
				verdict->outlook == VERDICT_OVER));
		add_given_twice(into, verdicts->job, verdict);
		if (verdict->camp_b.n)
			str_add(into, ", not ");
		ranks_add(into, verdicts->job, verdict->camp_b);
		return;
	} else if (verdict->camp_a.n) {
		str_printf(into, "%s: ",
			phrase->nobody ? phrase->nobody : phrase_of_nobody(verdict->class));
		ranks_name(into, verdicts->job, verdict->camp_a);
		if (verdict->camp_b.n)
			str_add(into, " / ");
		ranks_add(into, verdicts->job, verdict->camp_b);
		return;
	} else if (verdict->nunknown) {
		add_seats(into, verdicts, verdict);
	} else {
		str_add(into, nobody_of(verdicts, verdict));
		return;
	}
	if (signal) {
		str_add(into, " died of ");
		wording_signal(into, signal->a);
		return;
	}
	add_phrase(into, verdicts->job, verdict);
}

/* Appends the headline's fact in brackets, unless the sentence says it already. */
static void add_detail(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	const struct verdict_fact *fact = &verdict->headline;
	/* What a launcher did to a rank in the end is not what the verdict is about. */
	bool effect = fact->kind == FACT_TERMINATED;

	if (has_no_rank(verdicts, verdict)) {
		add_since_launch(into, verdicts->job);
		return;
	}
	if (fact->kind == FACT_NONE || effect || fact == signal_of(verdict))
		return;
	str_add(into, " (");
	wording_fact(into, fact);
	str_add_char(into, ')');
}

/*
 * Appends in short where the stack says that the rank is: the line of the program, with its
 * function if asked for.
 */
static void add_place(struct str *into, const struct verdict_fact *fact, bool function)
{
	const struct verdict_thing *thing = fact->thing2 ? fact->thing2 : fact->thing;
	struct str place = {0};

	if ((fact->kind != FACT_AT && fact->kind != FACT_AT_MOVING &&
		    fact->kind != FACT_THREAD_AT && fact->kind != FACT_GIL_HELD) ||
		!thing)
		return;
	things_add(&place, thing);
	if (!function && strstr(str_text(&place), " in "))
		str_cut(&place, (size_t)(strstr(str_text(&place), " in ") - place.text));
	if (place.len)
		str_printf(into, " (%s)", str_text(&place));
	str_release(&place);
}

/* How ranks are told: each by its number, or how many they are. */
enum naming { BY_NUMBER, BY_COUNT };

static void add_named(
	struct str *into, const struct job *job, struct verdict_ranks ranks, enum naming naming)
{
	if (naming == BY_NUMBER || ranks.n == 1)
		ranks_name(into, job, ranks);
	else
		str_printf(into, "%zu ranks", ranks.n);
}

/* Appends " (2.1 s); ranks 1-7 wait for rank 0". */
static void add_early(struct str *into, const struct verdicts *verdicts, enum naming waiting,
	enum naming awaited)
{
	const struct verdict_early *early = &verdicts->early;
	char text[CLOCK_TEXT_SIZE];

	str_printf(into, " (%s); ", clock_format(early->age, text));
	add_named(into, verdicts->job, early->ranks, waiting);
	str_add(into, early->ranks.n == 1 ? " waits" : " wait");
	if (!early->awaited.n)
		return;
	str_add(into, " for ");
	add_named(into, verdicts->job, early->awaited, awaited);
}

void headline_threshold(struct str *into, const struct verdicts *verdicts)
{
	char text[CLOCK_TEXT_SIZE];

	str_printf(
		into, "would be a hang from %s on", clock_format(verdicts->early.threshold, text));
}

/* Where a fact says that its ranks wait. */
enum waiting_place {
	WAITING_NOWHERE,
	WAITING_IN_OPS,    /* in an operation, of that group or of another */
	WAITING_ELSEWHERE, /* in the store, or for a group to be made */
};

/* Returns where a fact says that its ranks wait. */
static enum waiting_place place_of(const struct verdict_fact *fact)
{
	switch (fact->kind) {
	case FACT_WAITS_IN_OP:
	case FACT_WAITS_FOR_PEER:
		return WAITING_IN_OPS;
	case FACT_WAITS_IN_INIT:
	case FACT_WAITS_FOR_ID:
	case FACT_WAITS_IN_STORE:
	case FACT_KEY_UNSET:
	case FACT_WAITS_FOR_STORE:
	case FACT_WAITS_FOR_RANKS:
		return WAITING_ELSEWHERE;
	case FACT_WAITS_AT:
		return fact->thing && fact->thing->kind == THING_CALL &&
				       fact->thing->activity == ACTIVITY_STORE
			       ? WAITING_ELSEWHERE
			       : WAITING_NOWHERE;
	default:
		return WAITING_NOWHERE;
	}
}

/* True if all that is told of where that rank waits is that it waits in no operation. */
static bool waits_elsewhere(const struct verdict *verdict, struct rank_index rank)
{
	enum waiting_place place = WAITING_NOWHERE;

	for (size_t i = 0; i < verdict->nevidence && place != WAITING_IN_OPS; i++)
		if (place_of(&verdict->evidence[i]) != WAITING_NOWHERE &&
			ranks_have(verdict->evidence[i].ranks, rank))
			place = place_of(&verdict->evidence[i]);
	return place == WAITING_ELSEWHERE;
}

/*
 * Returns how many of those who wait do not wait in the operation that the verdict is about; 0
 * where none does, since then the operation is not told anyway.
 */
static size_t count_elsewhere(const struct verdict *verdict)
{
	size_t n = 0;

	for (size_t i = 0; verdict->op_index && i < verdict->victims.n; i++)
		n += waits_elsewhere(verdict, verdict->victims.at[i]);
	return n < verdict->victims.n ? n : 0;
}

/*
 * Appends how many ranks wait, and in which operation if asked for: "; 7 ranks wait in the first
 * AllReduce".
 */
static void add_waiters(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, bool with_op)
{
	size_t all = verdict->victims.n, n = all - count_elsewhere(verdict);
	const char *verb = verdicts->over ? "waited" : n == 1 ? "waits" : "wait";

	if (!all)
		return;
	str_printf(into, "; %zu", n);
	if (n < all)
		str_printf(into, " of %zu", all);
	str_printf(into, " rank%s %s", all == 1 ? "" : "s", verb);
	if (!with_op || !verdict->op_index)
		return;
	if (verdict->op_index == 1)
		str_printf(into, " in the first %s", job_op_name(verdict->op.op));
	else
		str_printf(
			into, " in %s #%" PRIu64, job_op_name(verdict->op.op), verdict->op_index);
}

void headline_sentence(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	add_who_does(into, verdicts, verdict);
	if (verdict->class == VERDICT_TOO_EARLY) {
		add_early(into, verdicts, BY_NUMBER, BY_NUMBER);
		return;
	}
	add_detail(into, verdicts, verdict);
	add_waiters(into, verdicts, verdict, true);
}

void headline_tag(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	char text[CLOCK_TEXT_SIZE];

	if (verdict->class == VERDICT_TOO_EARLY)
		str_printf(into, "a hang from %s on",
			clock_format(verdicts->early.threshold, text));
	else
		str_printf(into, "%s, %s", verdict_class_name(verdict->class),
			verdict_confidence_name(verdict->confidence));
}

/*
 * Appends `part`, escaped, if the text from `from` on then still fits. Returns whether it does.
 * Empties `part`.
 */
static bool add_if_fits(struct str *into, size_t from, struct str *part, size_t width, bool utf8)
{
	struct str escaped = {0};
	bool fits;

	escape_text(&escaped, str_text(part), utf8);
	fits = part->len &&
	       escape_width(str_text(into) + from) + escape_width(str_text(&escaped)) <= width;
	if (fits)
		str_add(into, str_text(&escaped));
	str_release(&escaped);
	str_cut(part, 0);
	return fits;
}

/*
 * Appends the first of these that fits: the whole detail, the program's line with its function, the
 * line alone.
 */
static void shout_detail(struct str *into, size_t from, const struct verdicts *verdicts,
	const struct verdict *verdict, size_t width, bool utf8)
{
	struct str part = {0};

	add_detail(&part, verdicts, verdict);
	if (!add_if_fits(into, from, &part, width, utf8)) {
		add_place(&part, &verdict->headline, true);
		if (!add_if_fits(into, from, &part, width, utf8)) {
			add_place(&part, &verdict->headline, false);
			add_if_fits(into, from, &part, width, utf8);
		}
	}
	str_release(&part);
}

/* Appends the first of these that fits: all by number, those waited for by number, only counts. */
static void shout_early(
	struct str *into, size_t from, const struct verdicts *verdicts, size_t width, bool utf8)
{
	struct str part = {0};

	add_early(&part, verdicts, BY_NUMBER, BY_NUMBER);
	if (!add_if_fits(into, from, &part, width, utf8)) {
		add_early(&part, verdicts, BY_COUNT, BY_NUMBER);
		if (!add_if_fits(into, from, &part, width, utf8)) {
			add_early(&part, verdicts, BY_COUNT, BY_COUNT);
			escape_fit(into, str_text(&part), width - (into->len - from));
		}
	}
	str_release(&part);
}

/* Appends the shouted form of a verdict whose headline is the fact to be told. */
static void shout(struct str *into, const struct verdicts *verdicts, const struct verdict *verdict,
	size_t width, bool utf8)
{
	size_t from = into->len, before;
	struct str part = {0}, waiters = {0};

	add_who_does(&part, verdicts, verdict);
	for (size_t i = 0; i < part.len; i++)
		part.text[i] = (char)toupper((unsigned char)part.text[i]);
	escape_text(&waiters, str_text(&part), utf8);
	escape_fit(into, str_text(&waiters), width);
	str_cut(&waiters, 0);
	if (verdict->class == VERDICT_TOO_EARLY) {
		shout_early(into, from, verdicts, width, utf8);
		str_release(&part);
		str_release(&waiters);
		return;
	}
	add_waiters(&waiters, verdicts, verdict, false);
	before = waiters.len < width ? width - waiters.len : 0;
	shout_detail(into, from, verdicts, verdict, before, utf8);
	add_if_fits(into, from, &waiters, width, utf8);
	str_release(&part);
	str_release(&waiters);
}

/* -- what decides ------------------------------------------------------------------------------ */

/* True for a fact that tells by what amount a shard is uneven. */
static bool is_amount(enum verdict_fact_kind kind)
{
	return kind == FACT_COUNT || kind == FACT_ZERO_COUNT || kind == FACT_SHARD ||
	       kind == FACT_NO_BATCH || kind == FACT_BATCHES || kind == FACT_STEPS;
}

/* Returns the fact that decides: for a shard the amount, not how it was noticed. */
static struct verdict_fact proof_of(const struct verdict *verdict)
{
	if (verdict->class != VERDICT_UNEVEN_SHARD || is_amount(verdict->headline.kind))
		return verdict->headline;
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (is_amount(verdict->evidence[i].kind))
			return verdict->evidence[i];
	return verdict->headline;
}

/* Appends what is not the same in two signatures: "#46 float16; peers float32". */
static void add_fork(struct str *into, int64_t index, const char *a, const char *b)
{
	size_t same = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == ' ')
			same = i + 1;
	/* The word before a number goes with it: "root 1" says more than "1". */
	if (same && a[same] >= '0' && a[same] <= '9')
		for (same--; same && a[same - 1] != ' ';)
			same--;
	if (index > 0)
		str_printf(into, "#%" PRId64 " ", index);
	if (same)
		str_printf(into, "%s; peers %s", a + same, b + same);
	else /* another operation altogether: its name is enough */
		str_printf(into, "%.*s; peers %.*s", (int)strcspn(a, " "), a,
			(int)strcspn(b, " "), b);
}

/* Appends what one side of a fact is: its thing, or its text. */
static void add_side(struct str *into, const struct verdict_thing *thing, const char *text)
{
	if (thing)
		things_add(into, thing);
	else if (text)
		str_add(into, text);
}

/* A fork that has no room in full is told by what differs alone. */
void headline_shout(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, size_t width, bool utf8)
{
	struct verdict shown = *verdict;
	struct verdict_fact *fact = &shown.headline;
	struct str own = {0}, others = {0}, fork = {0};
	size_t from = into->len;

	*fact = proof_of(&shown);
	shout(into, verdicts, &shown, width, utf8);
	if (fact->kind == FACT_FIRST_FORK && !strchr(str_text(into) + from, '(')) {
		add_side(&own, fact->thing, fact->text);
		add_side(&others, fact->thing2, fact->text2);
	}
	if (own.len && others.len) {
		add_fork(&fork, fact->a, own.text, others.text);
		fact->kind = FACT_DIFFERENCE;
		fact->text = str_text(&fork);
		fact->thing = fact->thing2 = NULL;
		str_cut(into, from);
		shout(into, verdicts, &shown, width, utf8);
	}
	str_release(&own);
	str_release(&others);
	str_release(&fork);
}
