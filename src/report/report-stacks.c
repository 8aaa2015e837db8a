/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack tree for people: first who is to blame, then the classes and whether they moved, then
 * the tree, where a chain of frames stands below one another and a fork indents. The left column
 * says whose frames they are, where that changes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "words/branches.h"
#include "words/summary.h"
#include "words/escape.h"
#include "words/frames.h"
#include "report/paint.h"
#include "report/report.h"

#define MEMBERS_WIDTH 11 /* columns of whose frames they are */
#define PLACE_COLUMN  48 /* where source places begin */
#define PLACE_LEAST   12 /* columns that a place gets at least */
#define CITE_COLUMN   60
#define INDENT_MOST   12 /* forks; deeper ones are indented no further */
#define CLASSES_MOST  40 /* classes that have a line */
#define LINES_MOST    400 /* of the tree */

/* A page that is being written. */
struct stacks_writing {
	struct paint paint;
	const struct stacktree *tree;
	size_t left; /* lines of the tree that may still be written */
	size_t more; /* lines of the tree that were not written */
};

/* Adds the line, fitted into the page's width, and empties it. */
static void add_line(
	struct stacks_writing *w, struct str *line, enum page_tone style, size_t strong)
{
	struct str cut = {0};

	escape_fit(&cut, str_text(line), SHEET_WIDTH);
	sheet_add(&w->paint.sheet, &cut, style, strong);
	str_cut(line, 0);
}

/* -- the head ---------------------------------------------------------------------------------- */

/* Adds a line such as "240 stacks, 2 classes; 3 samples in 2.2 s; 0 threads stopped". */
static void add_summary(struct stacks_writing *w)
{
	const struct stacktree *tree = w->tree;
	struct disturbed disturbed = disturbed_by(tree->job);
	struct str line = {0}, stops = {0};

	frames_add_summary(&line, tree, w->paint.options->all_threads, &disturbed);
	if (disturbed.live)
		disturbed_add_stops(&stops, &disturbed);
	/* What was done to the job is never cut off: without room it gets a line of its own. */
	if (stops.len && line.len + 2 + stops.len <= SHEET_WIDTH) {
		str_printf(&line, "; %s", stops.text);
		str_cut(&stops, 0);
	}
	add_line(w, &line, PAGE_PLAIN, 0);
	if (stops.len)
		add_line(w, &stops, PAGE_PLAIN, 0);
	if (w->paint.options->gathered)
		disturbed_add_cut(&line, &disturbed);
	if (line.len)
		add_line(w, &line, PAGE_WARN, 0);
	str_release(&stops);
	str_release(&line);
}

/* Adds the line of one class: its members, where they stand, whether they moved, and its cite. */
static void add_class(struct stacks_writing *w, const struct stacktree_class *class,
	const struct frames_motion *motion, int64_t span)
{
	struct str line = {0}, words = {0}, source = {0};

	str_add_char(&line, ' ');
	frames_add_members(&line, w->tree, class->set, MEMBERS_WIDTH - 1);
	paint_pad(&line, MEMBERS_WIDTH + 1);
	escape_text(&source,
		frames_add_class(&words, w->tree, class, motion, span, w->paint.options->utf8),
		w->paint.options->utf8);
	escape_fit(&line, str_text(&words),
		source.len ? CITE_COLUMN - MEMBERS_WIDTH - 2 : SHEET_WIDTH - MEMBERS_WIDTH - 1);
	if (source.len) {
		paint_pad(&line, CITE_COLUMN);
		str_add(&line, str_text(&source));
	}
	add_line(w, &line, PAGE_PLAIN, 0);
	str_release(&line);
	str_release(&words);
	str_release(&source);
}

/* Adds a line for each class, and how many more there are. */
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

/* Appends the frame's name and, at the right, as much of its place as there is room for. */
static void add_frame(
	struct stacks_writing *w, struct str *line, const struct branch *branch, const char *name)
{
	const struct job_frame *frame = &w->tree->job->frames[w->tree->nodes[branch->node].frame];
	struct str place = {0};
	size_t used, room;

	frames_add_place(&place, frame, SHEET_WIDTH - PLACE_COLUMN, w->paint.options->utf8);
	used = escape_width(str_text(line));
	room = SHEET_WIDTH - used - (place.len ? PLACE_LEAST + 1 : 0);
	escape_fit(line, name, room);
	if (place.len) {
		paint_pad(line, PLACE_COLUMN - 1);
		str_add_char(line, ' ');
		used = escape_width(str_text(line));
		str_cut(&place, 0);
		frames_add_place(&place, frame, SHEET_WIDTH - used, w->paint.options->utf8);
		str_add(line, str_text(&place));
	}
	str_release(&place);
}

/* Adds one line of the tree, or counts it where there is no room. */
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
	paint_pad(&line, MEMBERS_WIDTH + 1 + 2 * (size_t)depth);
	branches_add_name(&name, w->tree, branch, w->paint.options->utf8);
	if (node->kind == STACKTREE_FRAME)
		add_frame(w, &line, branch, str_text(&name));
	else
		str_add(&line, str_text(&name));
	add_line(w, &line, strong ? PAGE_STRONG : PAGE_PLAIN, strong);
	str_release(&line);
	str_release(&name);
}

/* Adds the tree, and how much of it is not shown. */
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

/* Writes the page. -1 where the file cannot be written. */
static int stacks_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	const struct stacktree_options how = {.all = options->all_threads};
	struct stacktree *tree = stacktree_new(verdicts->job, &how);
	struct stacks_writing w = {
		.paint = paint_of(verdicts, options), .tree = tree, .left = LINES_MOST};
	const struct verdict *first = &verdicts->at[0];
	bool alone = verdicts->n && !options->below;

	sheet_begin(&w.paint.sheet, 1);
	if (alone) {
		paint_headline(&w.paint, first, "");
		paint_outlook(&w.paint, first);
	}
	add_summary(&w);
	add_classes(&w);
	add_tree(&w);
	if (alone)
		paint_section(&w.paint, PAGE_NEXT, first);
	sheet_write(&w.paint.sheet, file, options->color);
	paint_release(&w.paint);
	stacktree_free(tree);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_stacks = {"stacks", stacks_write};
