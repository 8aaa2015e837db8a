/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack tree for people. First who is to blame, then the classes with whether they moved, then
 * the tree: a chain of frames stands below one another, a fork indents. Whose frames they are
 * stands at the left where that changes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "words/branches.h"
#include "words/summary.h"
#include "words/escape.h"
#include "words/frames.h"
#include "words/headline.h"
#include "report/page.h"
#include "report/report.h"
#include "words/tense.h"
#include "words/wording.h"

#define KEY_WIDTH     8
#define MEMBERS_WIDTH 11
#define PLACE_COLUMN  48
#define PLACE_LEAST   12
#define CITE_COLUMN   60
#define INDENT_MOST   12 /* forks; deeper ones are not indented further */
#define CLASSES_MOST  40
#define LINES_MOST    400

struct stacks_writing {
	const struct verdicts *verdicts;
	const struct report_options *options;
	const struct stacktree *tree;
	struct page page;
	size_t left; /* lines of the tree that may still be written */
	size_t more; /* that were not */
};

static void pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

/* Fits the line into the page's width and adds it; empties it. */
static void add_line(
	struct stacks_writing *w, struct str *line, enum page_style style, size_t strong)
{
	struct str cut = {0};

	escape_fit(&cut, str_text(line), PAGE_WIDTH);
	page_add(&w->page, &cut, style, strong);
	str_cut(line, 0);
}

/* -- the head ---------------------------------------------------------------------------------- */

static void add_headline(struct stacks_writing *w)
{
	const struct verdict *verdict = &w->verdicts->at[0];
	struct str line = {0}, tag = {0};
	size_t strong;

	str_printf(&tag, "%s, %s", verdict_class_name(verdict->class),
		verdict_confidence_name(verdict->confidence));
	headline_shout(&line, w->verdicts, verdict, PAGE_WIDTH - tag.len - 2, w->options->utf8);
	strong = line.len;
	pad(&line, PAGE_WIDTH - tag.len);
	str_add(&line, str_text(&tag));
	add_line(w, &line, PAGE_STRONG, strong);
	str_release(&line);
	str_release(&tag);
}

/* A key at the left, and words beside it, in two lines where they need them. */
static void add_keyed(struct stacks_writing *w, const char *key, size_t column, const char *words)
{
	struct str safe = {0}, line = {0};
	size_t part;

	escape_text(&safe, words, w->options->utf8);
	part = escape_break(str_text(&safe), PAGE_WIDTH - column);
	str_add(&line, key);
	pad(&line, column);
	str_add_bytes(&line, str_text(&safe), part);
	add_line(w, &line, PAGE_STRONG, strlen(key));
	if (safe.len > part) {
		pad(&line, column + 1);
		str_add(&line, str_text(&safe) + part);
		add_line(w, &line, PAGE_PLAIN, 0);
	}
	str_release(&safe);
	str_release(&line);
}

/* True if to wait or to kill, as the page of verdicts has it. */
static void add_outlook(struct stacks_writing *w)
{
	const struct verdict *verdict = &w->verdicts->at[0];
	struct str key = {0}, words = {0};

	if (verdict->class != VERDICT_HEALTHY && verdict->class != VERDICT_TOO_EARLY) {
		str_printf(&key, " %s", wording_outlook_word(verdict->outlook));
		tense_add_prospect(&words, w->verdicts, verdict, verdict->watchdog_left,
			w->options->live);
		add_keyed(w, str_text(&key), KEY_WIDTH + 2, str_text(&words));
	}
	str_release(&key);
	str_release(&words);
}

static void add_next(struct stacks_writing *w)
{
	struct str words = {0};

	wording_next(&words, w->verdicts, &w->verdicts->at[0]);
	if (words.len)
		add_keyed(w, "next", 6, words.text);
	str_release(&words);
}

/* "240 stacks, 2 classes; 3 samples in 2.2 s; 0 threads stopped" */
static void add_summary(struct stacks_writing *w)
{
	const struct stacktree *tree = w->tree;
	struct disturbed disturbed = disturbed_by(tree->job);
	struct str line = {0}, stops = {0};

	frames_add_summary(&line, tree, w->options->all_threads, &disturbed);
	if (disturbed.live)
		disturbed_add_stops(&stops, &disturbed);
	/* What was done to the job is never cut off. */
	if (stops.len && line.len + 2 + stops.len <= PAGE_WIDTH) {
		str_printf(&line, "; %s", stops.text);
		str_cut(&stops, 0);
	}
	add_line(w, &line, PAGE_PLAIN, 0);
	if (stops.len)
		add_line(w, &stops, PAGE_PLAIN, 0);
	if (w->options->threads_stopped >= 0)
		disturbed_add_cut(&line, &disturbed);
	if (line.len)
		add_line(w, &line, PAGE_WARN, 0);
	str_release(&stops);
	str_release(&line);
}

static void add_class(struct stacks_writing *w, const struct stacktree_class *class,
	const struct frames_motion *motion, int64_t span)
{
	struct str line = {0}, words = {0}, source = {0};

	str_add_char(&line, ' ');
	frames_add_members(&line, w->tree, class->set, MEMBERS_WIDTH - 1);
	pad(&line, MEMBERS_WIDTH + 1);
	if (class->threads > w->tree->sets[class->set].n)
		str_printf(&words, "%u threads, ", class->threads);
	if (class->none)
		str_add(&words, "no stack");
	else
		frames_add_motion(&words, w->tree, motion, w->options->utf8);
	frames_add_doing(&words, motion->first, span);
	escape_text(&source, motion->stacks == 1 ? motion->first->cite : "", w->options->utf8);
	escape_fit(&line, str_text(&words),
		source.len ? CITE_COLUMN - MEMBERS_WIDTH - 2 : PAGE_WIDTH - MEMBERS_WIDTH - 1);
	if (source.len) {
		pad(&line, CITE_COLUMN);
		str_add(&line, str_text(&source));
	}
	add_line(w, &line, PAGE_PLAIN, 0);
	str_release(&line);
	str_release(&words);
	str_release(&source);
}

static void add_classes(struct stacks_writing *w)
{
	struct frames_motion *motions = frames_motions(w->tree);
	int64_t span = disturbed_by(w->tree->job).span;
	struct str line = {0};

	for (size_t i = 0; i < w->tree->nclasses && i < CLASSES_MOST; i++)
		add_class(w, &w->tree->classes[i], &motions[i], span);
	if (w->tree->nclasses > CLASSES_MOST) {
		str_printf(&line, " ... and %zu classes more: --stacks=json has all",
			w->tree->nclasses - CLASSES_MOST);
		add_line(w, &line, PAGE_FAINT, 0);
	}
	str_release(&line);
	free(motions);
}

/* -- the tree ---------------------------------------------------------------------------------- */

/* The name and, at the right, the place, of which as much is shown as there is room. */
static void add_frame(
	struct stacks_writing *w, struct str *line, const struct branch *branch, const char *name)
{
	const struct job_frame *frame = &w->tree->job->frames[w->tree->nodes[branch->node].frame];
	struct str place = {0};
	size_t used, room;

	frames_add_place(&place, frame, PAGE_WIDTH - PLACE_COLUMN, w->options->utf8);
	used = escape_width(str_text(line));
	room = PAGE_WIDTH - used - (place.len ? PLACE_LEAST + 1 : 0);
	escape_fit(line, name, room);
	if (place.len) {
		pad(line, PLACE_COLUMN - 1);
		str_add_char(line, ' ');
		used = escape_width(str_text(line));
		str_cut(&place, 0);
		frames_add_place(&place, frame, PAGE_WIDTH - used, w->options->utf8);
		str_add(line, str_text(&place));
	}
	str_release(&place);
}

static void add_branch(struct stacks_writing *w, const struct branch *branch)
{
	const struct stacktree_node *node = &w->tree->nodes[branch->node];
	unsigned depth = branch->depth < INDENT_MOST ? branch->depth : INDENT_MOST;
	struct str line = {0}, name = {0};
	size_t strong = 0;

	if (!w->left) {
		w->more++;
		return;
	}
	w->left--;
	if (branch->fork)
		frames_add_members(&line, w->tree, node->set, MEMBERS_WIDTH);
	strong = line.len;
	pad(&line, MEMBERS_WIDTH + 1 + 2 * (size_t)depth);
	branches_add_name(&name, w->tree, branch, w->options->utf8);
	if (node->kind == STACKTREE_FRAME)
		add_frame(w, &line, branch, str_text(&name));
	else
		str_add(&line, str_text(&name));
	add_line(w, &line, strong ? PAGE_STRONG : PAGE_PLAIN, strong);
	str_release(&line);
	str_release(&name);
}

static void add_tree(struct stacks_writing *w)
{
	struct branches branches = branches_of(w->tree);
	const struct branch *branch;
	struct str line = {0};

	array_for_each (&branches.all, branch)
		add_branch(w, branch);
	branches_release(&branches);
	if (w->more) {
		str_printf(&line, "... and %zu lines more: --stacks=json has all", w->more);
		add_line(w, &line, PAGE_FAINT, 0);
	}
	if (w->tree->hidden) {
		str_printf(&line,
			"%zu frames of plumbing, Python's or ours, not shown: --stacks=json has "
			"them",
			w->tree->hidden);
		add_line(w, &line, PAGE_FAINT, 0);
	}
	str_release(&line);
}

static int stacks_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	const struct stacktree_options how = {.all = options->all_threads};
	struct stacktree *tree = stacktree_new(verdicts->job, &how);
	struct stacks_writing w = {
		.verdicts = verdicts, .options = options, .tree = tree, .left = LINES_MOST};

	page_begin(&w.page, 1);
	if (verdicts->n && !options->below) {
		add_headline(&w);
		add_outlook(&w);
	}
	add_summary(&w);
	add_classes(&w);
	add_tree(&w);
	if (verdicts->n && !options->below)
		add_next(&w);
	page_write(&w.page, file, options->color);
	page_release(&w.page);
	stacktree_free(tree);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_stacks = {"stacks", stacks_write};
