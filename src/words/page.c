/* SPDX-License-Identifier: Apache-2.0 */
#include "words/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/str.h"
#include "job/spans.h"
#include "words/coverage.h"
#include "words/evidence-lines.h"
#include "words/headline.h"
#include "words/last-quotes.h"
#include "words/next.h"
#include "words/preset.h"
#include "words/rank-names.h"
#include "words/source-places.h"
#include "words/summary.h"
#include "words/tense.h"
#include "words/wording.h"

#define SEATS_MOST  8 /* seats that are told */
#define RANKS_WIDTH 24 /* columns of a set of ranks that stands among words */
#define PLACE_MOST  44 /* bytes of a place in the source code that stands among words */

/* A section that is being made. */
struct making {
	struct page *page;
	const struct verdict *verdict;
	ARRAY(struct page_line) lines;
};

/*
 * Adds a line of these words, which are emptied. The result is valid until the next line is added.
 */
static struct page_line *add(struct making *m, const char *key, struct str *words)
{
	struct page_line *line = array_add(&m->lines);

	*line = (struct page_line){.key = key,
		.words = arena_text(&m->page->arena, str_text(words)),
		.command = "",
		.cite = "",
		.rank = NO_RANK,
		.group = JOB_NONE};
	str_release(words);
	return line;
}

/* Returns a copy of the set that lives as long as the page does. */
static struct verdict_ranks kept_ranks(struct making *m, const struct rank_index *ranks, size_t n)
{
	return (struct verdict_ranks){
		arena_copy(&m->page->arena, ranks, n * sizeof(*ranks)), n};
}

/* Returns the first rank of a set; NO_RANK for an empty one. */
static struct rank_index first_of(struct verdict_ranks ranks)
{
	return ranks.n ? ranks.at[0] : NO_RANK;
}

enum page_tone page_tone(const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY)
		return PAGE_GOOD;
	if (verdict->class == VERDICT_SLOW || verdict->class == VERDICT_INCONCLUSIVE ||
		verdict->class == VERDICT_TOO_EARLY || verdict->outlook == VERDICT_WAIT)
		return PAGE_WARN;
	return PAGE_ALARM;
}

/* Returns the tone of the outlook: that of the headline, but no alarm where it is not known. */
static enum page_tone outlook_tone(const struct verdict *verdict)
{
	return verdict->outlook == VERDICT_OUTLOOK_UNKNOWN && page_tone(verdict) == PAGE_ALARM
		       ? PAGE_WARN
		       : page_tone(verdict);
}

/* -- of the job -------------------------------------------------------------------------------- */

/* What stages are called here. */
static const char *const stages[] = {
	[VERDICT_BOOTSTRAP] = "BOOTSTRAP",
	[VERDICT_FIRST_FORWARD] = "FIRST FORWARD",
	[VERDICT_STEADY] = "STEADY",
	[VERDICT_TEARDOWN] = "TEARDOWN",
	[VERDICT_STAGE_UNKNOWN] = "",
};

/* Says which job it is, how much of it was seen, which attempt, and how far it came. */
static void make_job(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;
	const struct job *job = verdicts->job;
	struct str words = {0};

	str_add(&words, *job->name ? job->name : job->id);
	add(m, "job", &words);
	coverage_add(&words, verdicts);
	add(m, "seen", &words);
	summary_add_attempt(&words, job);
	add(m, "attempt", &words);
	if (*stages[verdicts->stage]) {
		str_printf(&words, "stage %s", stages[verdicts->stage]);
		add(m, "stage", &words);
	}
}

/* Says which other jobs lay beside this one. */
static void make_others(struct making *m)
{
	struct str words = {0};

	if (!m->page->left_out || !*m->page->left_out)
		return;
	str_add(&words, m->page->left_out);
	add(m, "others", &words)->tone = PAGE_WARN;
}

/* Says how ranks came to their first step; nothing where that is not known. */
static void make_first(struct making *m)
{
	struct str words = {0};

	summary_add_first(&words, m->page->verdicts->job);
	if (words.len)
		add(m, "first", &words);
}

/*
 * True if a line has the same sentence for a verdict of the same class: the two are one, however
 * sure each is.
 */
static bool was_said(
	const struct making *m, char *const *said, const struct verdict *verdict, const char *it)
{
	for (size_t i = 0; i < m->lines.nr; i++)
		if (m->lines.items[i].verdict->class == verdict->class && !strcmp(said[i], it))
			return true;
	return false;
}

/* Tells the verdicts behind the first. */
static void make_also(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;
	ARRAY(char *) sentences = {0}; /* by line */
	struct str words = {0};

	for (size_t i = 1; i < verdicts->n; i++) {
		const struct verdict *verdict = &verdicts->at[i];
		struct page_line *line;

		headline_sentence(&words, verdicts, verdict);
		if (was_said(m, sentences.items, verdict, str_text(&words))) {
			str_cut(&words, 0);
			continue;
		}
		*array_add(&sentences) = arena_text(&m->page->arena, str_text(&words));
		str_add(&words, " (");
		headline_tag(&words, verdicts, verdict);
		str_add_char(&words, ')');
		line = add(m, "also", &words);
		line->tone = outlook_tone(verdict);
		line->rank = first_of(verdict->culprits);
		line->verdict = verdict;
	}
	str_release(&words);
	array_release(&sentences);
}

/* Says which rules lacked what they need. */
static void make_unjudged(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;

	for (size_t i = 0; i < verdicts->nnot_judged; i++) {
		const struct verdict_not_judged *not = &verdicts->not_judged[i];
		struct str words = {0};
		struct page_line *line;

		if (not->class != VERDICT_INCONCLUSIVE) /* the rule of this class looks for
							 * anything at all, so it needs no name */
			str_printf(&words, "%s: ", verdict_class_name(not->class));
		str_add(&words, "needs ");
		wording_need(&words, verdicts->job, not);
		line = add(m, "unjudged", &words);
		line->tone = PAGE_FAINT;
		line->rank = first_of(not->ranks);
	}
}

/* Returns what the file was taken for, or why it was passed over. */
static const char *fate_of(const struct page_file *file)
{
	return file->is ? file->is : file->why;
}

/* True if no file before it was taken for the same, or passed over for the same reason. */
static bool is_first_of_its_fate(const struct page *page, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!page->files[k].is == !page->files[i].is &&
			!strcmp(fate_of(&page->files[k]), fate_of(&page->files[i])))
			return false;
	return true;
}

/* Appends the files of one fate: "a kernel log: dmesg.txt", "16 x a job's log". */
static void add_fate(struct str *into, const struct page *page, size_t first)
{
	const struct page_file *files = page->files;
	size_t n = 0;

	for (size_t i = first; i < page->nfiles; i++)
		n += !files[i].is == !files[first].is &&
		     !strcmp(fate_of(&files[i]), fate_of(&files[first]));
	str_add(into, into->len ? "; " : "");
	if (n > 1)
		str_printf(into, "%zu x %s", n, fate_of(&files[first]));
	else
		str_printf(into, "%s: %s", fate_of(&files[first]), files[first].path);
}

/* Says what files were taken for, then why others were passed over. */
static void make_files(struct making *m)
{
	for (int taken = 1; taken >= 0; taken--) {
		struct str words = {0};

		for (size_t i = 0; i < m->page->nfiles; i++)
			if ((m->page->files[i].is != NULL) == taken &&
				is_first_of_its_fate(m->page, i))
				add_fate(&words, m->page, i);
		if (words.len)
			add(m, taken ? "took" : "passed", &words)->tone = PAGE_FAINT;
	}
}

/* Says what is lost, a line for all ranks that lost the same. */
static void make_lost(struct making *m)
{
	const struct job *job = m->page->verdicts->job;
	struct losses losses = losses_of(job);
	const struct losses_alike *alike;

	array_for_each (&losses.all, alike) {
		struct str words = {0};
		struct page_line *line;

		losses_add(&words, job, alike, RANKS_WIDTH);
		line = add(m, "lost", &words);
		line->ranks = kept_ranks(m, alike->ranks.items, alike->ranks.nr);
		line->cite = alike->cite;
		line->tone = PAGE_WARN;
		line->rank = first_of(line->ranks);
		line->whole = next_is_refusal(alike->what);
	}
	losses_release(&losses);
}

/* Says what was read, what that did to the job, and how to read more. */
static void make_read(struct making *m)
{
	const struct job *job = m->page->verdicts->job;
	struct disturbed disturbed = disturbed_by(job);
	struct str words = {0};

	summary_add_read(&words, job);
	add(m, "read", &words);
	if (disturbed.live)
		disturbed_add_stops(&words, &disturbed);
	else
		str_add(&words, "by no stop: no stack was taken of a living process");
	add(m, "disturbed", &words);
	disturbed_add_cut(&words, &disturbed);
	if (words.len)
		add(m, "", &words)->tone = PAGE_WARN;
}

/* Returns the log of the first of the ranks that said anything; NULL where none did. */
static const struct job_log *first_log(const struct job *job, struct verdict_ranks ranks)
{
	for (size_t i = 0; i < ranks.n; i++) {
		struct spans_range range = logs_of(job, ranks.at[i]);

		if (range.from < range.to && last_words_of(job, ranks.at[i]))
			return &job->logs[range.from];
	}
	return NULL;
}

/* Says the last words of those ranks, if any are known. */
static void make_last_words_of(struct making *m, struct verdict_ranks ranks, enum page_tone tone)
{
	const struct job *job = m->page->verdicts->job;
	const struct job_log *log = first_log(job, ranks);
	struct str words = {0};
	struct page_line *line;

	if (!log)
		return;
	last_words_add(&words, job, ranks);
	line = add(m, NULL, &words);
	line->ranks = kept_ranks(m, ranks.at, ranks.n);
	line->cite = log->cite ? log->cite : "";
	line->tone = tone;
	line->rank = log->rank;
}

/* Tells what the blamed said last, then what all others did. */
static void make_last_words(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;
	struct verdict_ranks blamed = {NULL, 0};
	struct rank_index *others = alloc_zeroed(verdicts->job->nranks + 1, sizeof(*others));
	size_t n = 0;

	if (verdicts->n)
		blamed = verdicts->at[0].culprits;
	for (size_t i = 0, k = 0; i < verdicts->job->nranks; i++) {
		while (k < blamed.n && blamed.at[k].i < (int)i)
			k++;
		if (k == blamed.n || blamed.at[k].i != (int)i)
			others[n++] = rank_index(i);
	}
	make_last_words_of(m, blamed, PAGE_ALARM);
	make_last_words_of(m, (struct verdict_ranks){others, n}, PAGE_STRONG);
	free(others);
}

/* -- of one verdict ---------------------------------------------------------------------------- */

int64_t page_left(const struct page *page, const struct verdict *verdict)
{
	int64_t left = verdict->watchdog_left, then = page->verdicts->job->gathered;

	if (left == JOB_UNKNOWN || !page->live || then == JOB_UNKNOWN || page->now < then)
		return left;
	left = checked_sub(left, checked_sub(page->now, then));
	return left > 0 ? left : 0;
}

/*
 * Says whether to wait or to kill. Where there is nothing to wait for, the state stands there, so
 * that no reader has to look for it.
 */
static void make_outlook(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;
	const struct verdict *verdict = m->verdict;
	const char *key = wording_outlook(verdict->outlook)->word;
	int64_t left = page_left(m->page, verdict);
	struct str words = {0};
	struct page_line *line;

	if (verdict->class == VERDICT_TOO_EARLY) {
		key = "EARLY";
		headline_threshold(&words, verdicts);
	} else if (verdict->class == VERDICT_HEALTHY && verdict->outlook != VERDICT_OVER) {
		key = "HEALTHY";
		headline_sentence(&words, verdicts, verdict);
	} else {
		tense_add_prospect(&words, verdicts, verdict, left, m->page->live);
	}
	line = add(m, key, &words);
	line->tone = outlook_tone(verdict);
	line->cite = left == JOB_UNKNOWN ? "" : wording_limit_cite(verdict);
	line->rank = first_of(verdict->culprits);
}

/* True if all of the ranks are culprits. */
static bool are_culprits(const struct verdict *verdict, struct verdict_ranks ranks)
{
	if (!ranks.n || ranks.n > verdict->culprits.n)
		return false;
	for (size_t i = 0, k = 0; i < ranks.n; i++, k++) {
		while (k < verdict->culprits.n && verdict->culprits.at[k].i < ranks.at[i].i)
			k++;
		if (k == verdict->culprits.n || !same_rank(verdict->culprits.at[k], ranks.at[i]))
			return false;
	}
	return true;
}

/*
 * True for a fact that tells which ranks did not come, or where others wait: without these the rest
 * of a page is worth little.
 */
static bool is_the_point(enum verdict_fact_kind kind)
{
	switch (kind) {
	case FACT_NEVER_ENTERED:
	case FACT_NEVER_INIT:
	case FACT_NEVER_GAVE_ID:
	case FACT_WAITS_IN_OP:
	case FACT_WAITS_IN_INIT:
	case FACT_WAITS_FOR_ID:
	case FACT_WAITS_IN_STORE:
	case FACT_WAITS_FOR_PEER:
	case FACT_ENTERED_OTHER:
	case FACT_FIRST_FORK:
		return true;
	default:
		return false;
	}
}

/* Says the facts, those that read alike in one line. */
static void make_evidence(struct making *m)
{
	const struct verdict *verdict = m->verdict;
	struct merged merged = {0};
	struct merged_fact *fact;

	merge_facts(&merged, verdict->evidence, verdict->nevidence);
	array_for_each (&merged.facts, fact) {
		struct str words = {0};
		struct page_line *line;

		source_places_add(&words, str_text(&fact->words), PLACE_MOST);
		line = add(m, NULL, &words);

		line->ranks = kept_ranks(m, fact->ranks.items, fact->ranks.nr);
		line->cite = arena_text(&m->page->arena, str_text(&fact->cite));
		line->tone = are_culprits(verdict, line->ranks) ? PAGE_ALARM : PAGE_STRONG;
		line->kept = is_the_point(fact->first->kind);
		line->rank = first_of(line->ranks);
		line->fact = fact->first;
		line->group = verdict->group;
	}
	merge_release(&merged);
}

/* Tells the seats that are to blame, where nobody knows whose they are. */
static void make_who(struct making *m)
{
	const struct job *job = m->page->verdicts->job;
	const struct verdict *verdict = m->verdict;
	struct str words = {0};

	for (size_t i = 0; i < verdict->nunknown && i < SEATS_MOST; i++) {
		const struct verdict_seat *seat = &verdict->unknown_members[i];
		const struct job_group *group;

		group = seat->group >= 0 && (size_t)seat->group < job->ngroups
				? &job->groups[seat->group]
				: NULL;
		str_printf(&words, "seat %" PRIu32 " of %s is somebody of whom nothing is known",
			seat->seat.n, group ? group->name : "a group");
		add(m, "who", &words)->cite = group ? group->cite : "";
	}
	if (verdict->nunknown > SEATS_MOST) {
		str_printf(&words, "and %zu seats more", verdict->nunknown - SEATS_MOST);
		add(m, "", &words);
	}
}

/* Tells what was ruled out, and by which fact. */
static void make_not(struct making *m)
{
	const struct job *job = m->page->verdicts->job;

	for (size_t i = 0; i < m->verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &m->verdict->ruled_out[i];
		struct str words = {0};
		struct page_line *line;

		str_printf(&words, "%s: ", wording_question(out->class));
		if (out->why.ranks.n && out->why.ranks.n < job->nranks) {
			ranks_fit(&words, job, out->why.ranks, RANKS_WIDTH);
			str_add(&words, ": ");
		}
		wording_fact(&words, &out->why);
		line = add(m, "not", &words);
		line->ranks = out->why.ranks;
		line->cite = out->why.cite;
		line->tone = PAGE_FAINT;
		line->rank = first_of(line->ranks);
		line->fact = &out->why;
	}
}

/* Returns a command as it is typed here, where inquest may be at no place that a shell searches. */
static const char *as_typed(struct page *page, const char *command)
{
	static const char name[] = "inquest ";

	if (!page->program || strncmp(command, name, strlen(name)) != 0)
		return arena_text(&page->arena, command);
	return arena_printf(&page->arena, "%s %s", page->program, command + strlen(name));
}

/* Tells the next steps; for the first verdict also what would make it surer. */
static void make_next(struct making *m)
{
	const struct verdicts *verdicts = m->page->verdicts;
	const struct tense_clock clock = {m->page->now, m->page->written};
	enum tense tense = tense_to_act(verdicts, m->page->live, &clock);
	struct steps steps = {0};
	const struct step *step;

	next_add(&steps, verdicts, m->verdict, tense);
	if (m->verdict == &verdicts->at[0])
		coverage_add_surety(&steps, verdicts, m->verdict, tense);
	preset_add(&steps, verdicts, m->verdict);
	array_for_each (&steps.all, step) {
		struct str words = {0};
		struct page_line *line;

		str_add(&words, step->words);
		line = add(m, m->lines.nr ? "" : "next", &words);
		line->tone = PAGE_STRONG;
		line->command = as_typed(m->page, step->command);
	}
	steps_release(&steps);
}

/* -- the page ---------------------------------------------------------------------------------- */

/* Who makes each section. */
static void (*const makers[PAGE_KINDS])(struct making *) = {
	[PAGE_JOB] = make_job,
	[PAGE_OTHERS] = make_others,
	[PAGE_FIRST] = make_first,
	[PAGE_ALSO] = make_also,
	[PAGE_UNJUDGED] = make_unjudged,
	[PAGE_LOST] = make_lost,
	[PAGE_FILES] = make_files,
	[PAGE_READ] = make_read,
	[PAGE_LAST_WORDS] = make_last_words,
	[PAGE_OUTLOOK] = make_outlook,
	[PAGE_EVIDENCE] = make_evidence,
	[PAGE_WHO] = make_who,
	[PAGE_NOT] = make_not,
	[PAGE_NEXT] = make_next,
};

struct page_section page_section(
	struct page *page, enum page_kind kind, const struct verdict *verdict)
{
	struct making m = {.page = page, .verdict = verdict};
	struct page_section section;

	makers[kind](&m);
	section.lines =
		arena_copy(&page->arena, m.lines.items, m.lines.nr * sizeof(*m.lines.items));
	section.n = m.lines.nr;
	array_release(&m.lines);
	return section;
}

void page_release(struct page *page)
{
	arena_release(&page->arena);
}
