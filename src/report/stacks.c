/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack tree for people. First who is to blame, then the classes with whether they moved, then
 * the tree: a chain of frames stands below one another, a fork indents. Whose frames they are
 * stands at the left where that changes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "words/disturbed.h"
#include "words/escape.h"
#include "words/frames.h"
#include "words/headline.h"
#include "report/page.h"
#include "report/report.h"

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

/* "240 stacks, 2 classes; 3 samples in 2.2 s; 0 threads stopped" */
static void add_summary(struct stacks_writing *w)
{
	const struct stacktree *tree = w->tree;
	struct disturbed disturbed = disturbed_by(tree->job);
	char text[CLOCK_TEXT_SIZE];
	struct str line = {0}, stops = {0};

	str_printf(&line, "%zu stack%s of %s, %zu class%s", tree->nstacks,
		tree->nstacks == 1 ? "" : "s",
		w->options->all_threads ? "all threads" : "main threads", tree->nclasses,
		tree->nclasses == 1 ? "" : "es");
	if (disturbed.live) {
		str_printf(&line, "; %u sample%s", disturbed.samples,
			disturbed.samples == 1 ? "" : "s");
		if (disturbed.samples > 1)
			str_printf(&line, " in %s", clock_format(disturbed.span, text));
		disturbed_add_stops(&stops, &disturbed);
	}
	/* What was done to the job is never cut off. */
	if (stops.len && line.len + 2 + stops.len <= PAGE_WIDTH) {
		str_printf(&line, "; %s", stops.text);
		str_cut(&stops, 0);
	}
	add_line(w, &line, PAGE_PLAIN, 0);
	if (stops.len)
		add_line(w, &stops, PAGE_PLAIN, 0);
	disturbed_add_cut(&line, &disturbed);
	if (line.len)
		add_line(w, &line, PAGE_WARN, 0);
	str_release(&stops);
	str_release(&line);
}

/* What the first of a class does: "futex, 99 % CPU". */
static void add_doing(struct stacks_writing *w, struct str *line, const struct job_stack *stack)
{
	const struct disturbed disturbed = disturbed_by(w->tree->job);

	if (stack->state == 'T' || stack->state == 't')
		str_add(line, "; stopped (T)");
	else if (stack->state == 'D')
		str_add(line, "; uninterruptible (D)");
	if (*stack->syscall)
		str_printf(line, "; in %s", stack->syscall);
	if (stack->holds_gil == JOB_YES)
		str_add(line, "; holds the GIL");
	if (stack->waits_gil)
		str_add(line, "; waits for the GIL");
	if (stack->cpu_delta > 0 && disturbed.span > 0 && stack->cpu_delta > disturbed.span / 50)
		str_printf(line, "; %" PRId64 " %% CPU",
			(int64_t)((double)stack->cpu_delta * 100 / (double)disturbed.span));
}

static void add_class(struct stacks_writing *w, const struct stacktree_class *class,
	const struct frames_motion *motion)
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
	add_doing(w, &words, motion->first);
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
	struct str line = {0};

	for (size_t i = 0; i < w->tree->nclasses && i < CLASSES_MOST; i++)
		add_class(w, &w->tree->classes[i], &motions[i]);
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
static void add_frame(struct stacks_writing *w, struct str *line, const struct stacktree_node *node,
	unsigned times)
{
	const struct job_frame *frame = &w->tree->job->frames[node->frame];
	struct str name = {0}, place = {0};
	size_t used, room;

	frames_add_name(&name, frame, w->options->utf8);
	if (frame->guessed)
		str_add(&name, " (guessed)");
	if (times > 1)
		str_printf(&name, " (%u times)", times);
	if (node->died && node->ends)
		str_add(&name, " (died here)");
	frames_add_place(&place, frame, PAGE_WIDTH - PLACE_COLUMN, w->options->utf8);
	used = escape_width(str_text(line));
	room = PAGE_WIDTH - used - (place.len ? PLACE_LEAST + 1 : 0);
	escape_fit(line, str_text(&name), room);
	if (place.len) {
		pad(line, PLACE_COLUMN - 1);
		str_add_char(line, ' ');
		used = escape_width(str_text(line));
		str_cut(&place, 0);
		frames_add_place(&place, frame, PAGE_WIDTH - used, w->options->utf8);
		str_add(line, str_text(&place));
	}
	str_release(&name);
	str_release(&place);
}

/* Whether all who pass its parent pass here: the next in a chain, no fork. */
static bool is_alone(const struct stacktree *tree, int node)
{
	const struct stacktree_node *parent = &tree->nodes[tree->nodes[node].parent];

	return parent->child == node && tree->nodes[node].next == JOB_NONE && !parent->ends;
}

/* What a chain that begins here is indented by. */
static size_t depth_of(const struct stacktree *tree, int node)
{
	size_t depth = 0;

	for (int at = node; tree->nodes[at].parent > 0; at = tree->nodes[at].parent)
		depth += !is_alone(tree, at);
	return depth < INDENT_MOST ? depth : INDENT_MOST;
}

/* The last node of a recursion that begins here: the same place, again and again, in a chain. */
static int last_same(const struct stacktree *tree, int at, unsigned *ret_times)
{
	const struct stacktree_node *nodes = tree->nodes;
	int child = nodes[at].child;

	for (*ret_times = 1; child != JOB_NONE && is_alone(tree, child); ++*ret_times) {
		if (nodes[at].kind != STACKTREE_FRAME || nodes[child].kind != STACKTREE_FRAME ||
			nodes[child].frame != nodes[at].frame)
			break;
		at = child;
		child = nodes[at].child;
	}
	return at;
}

static void add_node(struct stacks_writing *w, int at, unsigned times)
{
	const struct stacktree_node *node = &w->tree->nodes[at];
	bool fork = node->parent <= 0 || !is_alone(w->tree, at);
	struct str line = {0};
	size_t strong = 0;

	if (!w->left) {
		w->more++;
		return;
	}
	w->left--;
	if (fork)
		frames_add_members(&line, w->tree, node->set, MEMBERS_WIDTH);
	strong = line.len;
	pad(&line, MEMBERS_WIDTH + 1);
	for (size_t depth = depth_of(w->tree, at); depth; depth--)
		str_add(&line, "  ");
	if (node->kind == STACKTREE_FRAME) {
		add_frame(w, &line, node, times);
	} else {
		str_add(&line, node->kind == STACKTREE_NONE   ? "(no stack: "
			       : strncmp(node->cut, "cut", 3) ? "(cut: "
							      : "(");
		escape_text(&line, node->cut, w->options->utf8);
		str_add_char(&line, ')');
	}
	add_line(w, &line, strong ? PAGE_STRONG : PAGE_PLAIN, strong);
	str_release(&line);
}

/* The node behind this one in the order of the page: its child, its next, or an ancestor's next. */
static int next_node(const struct stacktree *tree, int at)
{
	if (tree->nodes[at].child != JOB_NONE)
		return tree->nodes[at].child;
	while (at > 0 && tree->nodes[at].next == JOB_NONE)
		at = tree->nodes[at].parent;
	return at > 0 ? tree->nodes[at].next : JOB_NONE;
}

static void add_tree(struct stacks_writing *w)
{
	struct str line = {0};
	unsigned times;

	for (int at = next_node(w->tree, 0); at != JOB_NONE; at = next_node(w->tree, at)) {
		int last = last_same(w->tree, at, &times);

		add_node(w, at, times);
		at = last;
	}
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
	if (verdicts->n && !options->below)
		add_headline(&w);
	add_summary(&w);
	add_classes(&w);
	add_tree(&w);
	page_write(&w.page, file, options->color);
	page_release(&w.page);
	stacktree_free(tree);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_stacks = {"stacks", stacks_write};
