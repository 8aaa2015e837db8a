/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict: whether to wait, the evidence with its cites, what it is not and by which facts,
 * what could not be judged, what to do next. Then every further verdict with its evidence. The
 * words are those of the text report; here each line leads to the event that it cites. What to do
 * next must not have to be looked for: it stands last, where all is seen at once, else at the top.
 */
#include <inttypes.h>
#include <string.h>

#include "viewer/pane/pane-words.h"
#include "words/headline.h"
#include "words/evidence-lines.h"
#include "words/rank-names.h"
#include "words/tense.h"
#include "words/wording.h"

#define OTHERS_MOST 32 /* further verdicts; how many more there are is said */
#define SEATS_MOST  8

static enum style outlook_style(const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY)
		return STYLE_GOOD;
	return verdict->outlook == VERDICT_KILL ? STYLE_ALARM : STYLE_WARN;
}

static bool are_culprits(const struct verdict *verdict, struct verdict_ranks ranks)
{
	if (!ranks.n || ranks.n > verdict->culprits.n)
		return false;
	for (size_t i = 0, k = 0; i < ranks.n; i++, k++) {
		while (k < verdict->culprits.n && verdict->culprits.at[k] < ranks.at[i])
			k++;
		if (k == verdict->culprits.n || verdict->culprits.at[k] != ranks.at[i])
			return false;
	}
	return true;
}

/* Of a live job time has passed since it was judged. */
static int64_t left_now(const struct scene *scene, const struct verdict *verdict)
{
	int64_t then = scene->job->gathered;

	if (verdict->watchdog_left == JOB_UNKNOWN || !scene->live || then == JOB_UNKNOWN ||
		scene->now == JOB_UNKNOWN || scene->now < then)
		return verdict->watchdog_left;
	return verdict->watchdog_left - (scene->now - then);
}

static void add_outlook(const struct pane_fill *fill, const struct verdict *verdict)
{
	struct pane_words line = pane_words_of(wording_outlook_word(verdict->outlook));
	int64_t left = left_now(fill->scene, verdict);

	if (verdict->class == VERDICT_HEALTHY) {
		str_cut(&line.key, 1);
		str_add(&line.key, "HEALTHY");
		headline_sentence(&line.words, fill->scene->verdicts, verdict);
	} else if (verdict->class == VERDICT_TOO_EARLY) {
		str_cut(&line.key, 1);
		str_add(&line.key, "EARLY");
		headline_threshold(&line.words, fill->scene->verdicts);
	} else {
		tense_add_prospect(
			&line.words, fill->scene->verdicts, verdict, left, fill->scene->live);
	}
	if (left != JOB_UNKNOWN)
		line.cite = verdict->watchdog_cite;
	line.style = outlook_style(verdict);
	if (verdict->culprits.n)
		line.goal.rank = verdict->culprits.at[0];
	pane_words_add(fill, &line);
}

/* Other jobs were there as well: which, and how to see them. */
static void add_left_out(const struct pane_fill *fill)
{
	struct pane_words line;

	if (!fill->scene->left_out || !*fill->scene->left_out)
		return;
	line = pane_words_of("others");
	str_add(&line.words, fill->scene->left_out);
	line.style = STYLE_WARN;
	pane_words_add(fill, &line);
}

static void add_evidence(const struct pane_fill *fill, const struct verdict *verdict)
{
	struct merged merged = {0};
	struct merged_fact *fact;

	merge_facts(&merged, verdict->evidence, verdict->nevidence);
	array_for_each (&merged.facts, fact) {
		struct verdict_ranks ranks = {fact->ranks.items, fact->ranks.nr};
		struct pane_words line = pane_words_of_ranks(fill->scene->job, ranks);

		str_add(&line.words, str_text(&fact->words));
		line.cite = str_text(&fact->cite);
		line.style = are_culprits(verdict, ranks) ? STYLE_ALARM : STYLE_STRONG;
		line.goal = pane_goal_of_fact(fill->scene, fact->first, verdict->group);
		pane_words_add(fill, &line);
	}
	merge_release(&merged);
}

static void add_seats(const struct pane_fill *fill, const struct verdict *verdict)
{
	const struct job *job = fill->scene->job;

	for (size_t i = 0; i < verdict->nunknown && i < SEATS_MOST; i++) {
		const struct verdict_seat *seat = &verdict->unknown_members[i];
		struct pane_words line = pane_words_of("who");

		str_printf(&line.words,
			"seat %" PRIu32 " of %s is somebody of whom nothing is known", seat->seat.n,
			job->groups[seat->group].name);
		line.cite = job->groups[seat->group].cite;
		pane_words_add(fill, &line);
	}
	if (verdict->nunknown > SEATS_MOST) {
		struct pane_words line = pane_words_of("");

		str_printf(&line.words, "and %zu seats more", verdict->nunknown - SEATS_MOST);
		pane_words_add(fill, &line);
	}
}

static void add_ruled_out(const struct pane_fill *fill, const struct verdict *verdict)
{
	const struct job *job = fill->scene->job;

	for (size_t i = 0; i < verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &verdict->ruled_out[i];
		struct pane_words line = pane_words_of("not");

		str_printf(&line.words, "%s: ", wording_question(out->class));
		if (out->why.ranks.n && out->why.ranks.n < job->nranks) {
			ranks_fit(&line.words, job, out->why.ranks, PANE_KEY);
			str_add(&line.words, ": ");
		}
		wording_fact(&line.words, &out->why);
		line.cite = out->why.cite;
		line.style = STYLE_FAINT;
		line.goal = pane_goal_of_fact(fill->scene, &out->why, JOB_NONE);
		pane_words_add(fill, &line);
	}
}

static void add_unjudged(const struct pane_fill *fill)
{
	const struct verdicts *verdicts = fill->scene->verdicts;

	for (size_t i = 0; i < verdicts->nnot_judged; i++) {
		const struct verdict_not_judged *not = &verdicts->not_judged[i];
		struct pane_words line = pane_words_of("unjudged");

		if (not->class != VERDICT_INCONCLUSIVE) /* that one is: anything at all */
			str_printf(&line.words, "%s: ", verdict_class_name(not->class));
		str_add(&line.words, "needs ");
		wording_need(&line.words, verdicts->job, not);
		line.style = STYLE_FAINT;
		if (not->ranks.n)
			line.goal.rank = not->ranks.at[0];
		pane_words_add(fill, &line);
	}
}

static void add_next(const struct pane_fill *fill, const struct verdict *verdict)
{
	struct pane_words line = pane_words_of("next");

	wording_next(&line.words, fill->scene->verdicts, verdict);
	line.style = STYLE_STRONG;
	if (line.words.len)
		pane_words_add(fill, &line);
	str_release(&line.key);
	str_release(&line.words);
}

static bool was_said(const struct verdicts *verdicts, size_t i)
{
	for (size_t j = 1; j < i; j++)
		if (headline_same(verdicts, &verdicts->at[i], &verdicts->at[j]))
			return true;
	return false;
}

static void add_other(const struct pane_fill *fill, const struct verdict *verdict)
{
	struct pane_words line = pane_words_of("also");

	headline_sentence(&line.words, fill->scene->verdicts, verdict);
	str_printf(&line.words, " (%s, %s)", verdict_class_name(verdict->class),
		verdict_confidence_name(verdict->confidence));
	line.style = outlook_style(verdict);
	if (verdict->culprits.n)
		line.goal.rank = verdict->culprits.at[0];
	pane_words_add(fill, &line);
	add_evidence(fill, verdict);
	add_seats(fill, verdict);
	add_next(fill, verdict);
}

/* The verdicts behind the first, each sentence once. */
static void add_others(const struct pane_fill *fill)
{
	const struct verdicts *verdicts = fill->scene->verdicts;
	size_t i;

	for (i = 1; i < verdicts->n && i <= OTHERS_MOST; i++)
		if (!was_said(verdicts, i))
			add_other(fill, &verdicts->at[i]);
	if (i < verdicts->n)
		pane_add(fill->into, STYLE_FAINT, " ... and %zu verdicts more", verdicts->n - i);
}

/* Moves the lines behind `end` to before those behind `to`. */
static void move_lines(struct pane_lines *lines, size_t to, size_t end)
{
	for (size_t from = end; from < lines->all.nr; from++, to++) {
		const struct pane_line line = lines->all.items[from];

		memmove(&lines->all.items[to + 1], &lines->all.items[to],
			(from - to) * sizeof(line));
		lines->all.items[to] = line;
	}
}

void pane_fill_verdict(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	const struct pane_fill fill = {scene, place, into};
	const struct verdict *first = &scene->verdicts->at[0];
	size_t top, end;

	into->here = -1;
	if (!scene->verdicts->n)
		return;
	add_outlook(&fill, first);
	add_left_out(&fill);
	top = into->all.nr;
	add_evidence(&fill, first);
	add_seats(&fill, first);
	add_ruled_out(&fill, first);
	add_unjudged(&fill);
	end = into->all.nr;
	add_next(&fill, first);
	if (place->height > 0 && into->all.nr > (size_t)place->height)
		move_lines(into, top, end);
	add_others(&fill);
}
