/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merged stacks: first the classes with whether they moved, then the tree, with the odd one out
 * first. ">" stands at what the selected row's ranks pass, and the pane scrolls to where the first
 * of them is. The longer form has all threads.
 *
 * A tree of ten thousand ranks is as long as their stacks differ; of one that is longer than
 * LINES_MOST only the beginning is shown, and the selected rank's own way in any case.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "viewer/pane-words.h"
#include "words/branches.h"
#include "words/escape.h"
#include "words/frames.h"

#define MEMBERS_WIDTH 11 /* more where that helps and there is room */
#define NARROW	      60 /* columns; below them less is indented, and places get less room */
#define INDENT_MOST   12
#define PLACE_LEAST   12
#define CLASSES_MOST  40
#define LINES_MOST    1000

struct stacks_fill {
	struct pane_fill fill;
	const struct stacktree *tree;
	const struct frames_motion *motions;
	bool *in_row; /* by set: ranks of the selected row are in it */
	size_t members; /* columns of whom it is about */
	int leaf;     /* node in which the selected rank's main stack ends; JOB_NONE */
	size_t more;  /* lines that were left out */
};

static void pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

static int rank_of(const struct stacks_fill *s, uint32_t set)
{
	const struct stacktree_set *members = &s->tree->sets[set];

	return members->n && (size_t)members->at[0] < s->tree->job->nranks ? members->at[0]
									   : JOB_NONE;
}

/* -- whom it is about -------------------------------------------------------------------------- */

static bool *find_row(const struct stacks_fill *s)
{
	size_t nranks = s->tree->job->nranks;
	struct verdict_ranks row = pane_row_ranks(&s->fill);
	bool *in_row = alloc_zeroed(s->tree->nsets + 1, sizeof(*in_row));
	bool *selected = alloc_zeroed(nranks + 1, sizeof(*selected));

	for (size_t i = 0; i < row.n; i++)
		selected[row.at[i]] = true;
	for (size_t i = 0; i < s->tree->nsets; i++) {
		const struct stacktree_set *set = &s->tree->sets[i];

		for (size_t k = 0; k < set->n && !in_row[i]; k++)
			in_row[i] = (size_t)set->at[k] < nranks && selected[set->at[k]];
	}
	free(selected);
	return in_row;
}

static int find_leaf(const struct stacks_fill *s)
{
	const struct stacktree *tree = s->tree;
	int rank = s->fill.place->rank;
	size_t low = 0, high = tree->nstacks;

	/* Stacks are by rank, those of no rank last. */
	while (low < high) {
		size_t middle = (low + high) / 2;
		int at = tree->job->stacks[tree->stacks[middle]].rank;

		if (at != JOB_NONE && at < rank)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < tree->nstacks; low++) {
		const struct job_stack *stack = &tree->job->stacks[tree->stacks[low]];

		if (rank == JOB_NONE || stack->rank != rank)
			return JOB_NONE;
		if (stack->main && stack->process == tree->job->ranks[rank].process)
			return tree->ends[low];
	}
	return JOB_NONE;
}

/* Whether the selected rank's own stack passes that node. */
static bool *find_way(const struct stacks_fill *s)
{
	bool *way = alloc_zeroed(s->tree->nnodes + 1, sizeof(*way));

	for (int at = s->leaf; at > 0; at = s->tree->nodes[at].parent)
		way[at] = true;
	return way;
}

/* As wide as the widest class is, within bounds. */
static size_t find_members(const struct stacks_fill *s)
{
	size_t most = s->fill.place->width < NARROW ? MEMBERS_WIDTH : PANE_RANKS;
	size_t width = MEMBERS_WIDTH;

	for (size_t i = 0; i < s->tree->nclasses && i < CLASSES_MOST; i++) {
		struct str members = {0};

		frames_add_members(&members, s->tree, s->tree->classes[i].set, most);
		if (members.len > width)
			width = members.len < most ? members.len : most;
		str_release(&members);
	}
	return width;
}

/* -- the head ---------------------------------------------------------------------------------- */

static void add_summary(struct stacks_fill *s)
{
	struct disturbed disturbed = disturbed_by(s->tree->job);
	const struct pane_words empty = {.column = 1, .cite = "", .goal = PANE_NOWHERE};
	struct pane_words line = empty;

	frames_add_summary(&line.words, s->tree, s->fill.place->all, &disturbed);
	if (disturbed.live) {
		str_add(&line.words, "; ");
		disturbed_add_stops(&line.words, &disturbed);
	}
	pane_words_add(&s->fill, &line);
	line = empty;
	disturbed_add_cut(&line.words, &disturbed);
	if (line.words.len)
		pane_words_add(&s->fill, &line);
	str_release(&line.key);
	str_release(&line.words);
}

static void add_class(struct stacks_fill *s, const struct stacktree_class *class,
	const struct frames_motion *motion, int64_t span)
{
	struct pane_words line = {.column = s->members + 2, .goal = PANE_NOWHERE, .cite = ""};

	str_add_char(&line.key, s->in_row[class->set] ? '>' : ' ');
	frames_add_members(&line.key, s->tree, class->set, s->members);
	if (class->threads > s->tree->sets[class->set].n)
		str_printf(&line.words, "%u threads, ", class->threads);
	if (class->none)
		str_add(&line.words, "no stack");
	else
		frames_add_motion(&line.words, s->tree, motion, true);
	if (motion->first) {
		frames_add_doing(&line.words, motion->first, span);
		line.cite = motion->stacks == 1 ? motion->first->cite : "";
	}
	line.style = s->in_row[class->set] ? STYLE_STRONG : STYLE_PLAIN;
	line.goal = pane_goal_of_cite(s->fill.scene, line.cite, rank_of(s, class->set));
	pane_words_add(&s->fill, &line);
}

static void add_classes(struct stacks_fill *s)
{
	int64_t span = disturbed_by(s->tree->job).span;

	for (size_t i = 0; i < s->tree->nclasses && i < CLASSES_MOST; i++)
		add_class(s, &s->tree->classes[i], &s->motions[i], span);
	if (s->tree->nclasses > CLASSES_MOST)
		pane_add(s->fill.into, STYLE_FAINT, " ... and %zu classes more",
			s->tree->nclasses - CLASSES_MOST);
}

/* -- the tree ---------------------------------------------------------------------------------- */

/*
 * As much of its end as there is room for. Where that is too little, a line of source is more worth
 * than the end of a function's name, and a library's name is less.
 */
static void add_place(struct stacks_fill *s, struct pane_line *line,
	const struct stacktree_node *node, size_t used)
{
	size_t width = s->fill.place->width > 0 ? (size_t)s->fill.place->width : 0;
	size_t room = pane_room(&s->fill, used + 3), most = width / PANE_RIGHT;
	const struct job_frame *frame = &s->tree->job->frames[node->frame];
	struct str place = {0};

	if (room < PLACE_LEAST && !frame->line)
		return;
	if (room < PLACE_LEAST || room > most)
		room = most;
	frames_add_place(&place, frame, room, true);
	line->right = arena_text(&s->fill.into->arena, str_text(&place));
	str_release(&place);
}

static void add_branch(struct stacks_fill *s, const struct branch *branch)
{
	const struct stacktree_node *node = &s->tree->nodes[branch->node];
	bool narrow = s->fill.place->width < NARROW, mine = s->in_row[node->set];
	unsigned depth = branch->depth < INDENT_MOST ? branch->depth : INDENT_MOST;
	struct pane_words line = {.cite = "", .goal = {rank_of(s, node->set), JOB_UNKNOWN}};
	struct pane_line *added;
	size_t width;

	line.column = s->members + 2 + (narrow ? 1 : 2) * (size_t)depth;
	line.style = mine ? STYLE_STRONG : STYLE_PLAIN;
	str_add_char(&line.key, mine ? '>' : ' ');
	if (branch->fork)
		frames_add_members(&line.key, s->tree, node->set, s->members);
	branches_add_name(&line.words, s->tree, branch, true);
	if (node->kind != STACKTREE_FRAME) {
		pane_words_add(&s->fill, &line);
		return;
	}
	/* A frame is one line, whatever its length: where that is drawn its end is cut off. */
	width = line.key.len;
	pad(&line.key, line.column);
	added = pane_add(s->fill.into, line.style, "%s%s", str_text(&line.key),
		str_text(&line.words));
	added->strong = width;
	added->rank = line.goal.rank;
	add_place(s, added, node, escape_width(added->text));
	str_release(&line.key);
	str_release(&line.words);
}

static void add_tree(struct stacks_fill *s)
{
	struct branches branches = branches_of(s->tree);
	bool *way = find_way(s);
	const struct branch *branch;

	array_for_each (&branches.all, branch) {
		size_t index = (size_t)(branch - branches.all.items);

		if (index >= LINES_MOST && !way[branch->node]) {
			s->more++;
			continue;
		}
		if (way[branch->last])
			s->fill.into->here = (ptrdiff_t)s->fill.into->all.nr;
		add_branch(s, branch);
	}
	if (s->more)
		pane_add(s->fill.into, STYLE_FAINT, " ... and %zu lines more", s->more);
	if (s->tree->hidden)
		pane_add(s->fill.into, STYLE_FAINT, " %zu frames of plumbing are not shown",
			s->tree->hidden);
	free(way);
	branches_release(&branches);
}

void pane_fill_stacks(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct stacks_fill s = {.fill = {scene, place, into}};
	struct frames_motion *motions;

	into->here = -1;
	s.tree = place->all || !scene->mains ? scene->tree : scene->mains;
	if (!s.tree || !s.tree->nstacks) {
		pane_add(into, STYLE_PLAIN, " no stack of any rank was taken");
		return;
	}
	s.motions = motions = frames_motions(s.tree);
	s.in_row = find_row(&s);
	s.leaf = find_leaf(&s);
	s.members = find_members(&s);
	add_summary(&s);
	add_classes(&s);
	add_tree(&s);
	free(motions);
	free(s.in_row);
}
