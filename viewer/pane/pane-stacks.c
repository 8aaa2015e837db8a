/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merged stacks: first the classes with whether they moved, then the tree, with the odd one out
 * first. ">" stands at what the selected row's ranks pass, and where the selected rank's own
 * program stands that is said: below it are libraries, which everybody waits in. The pane scrolls
 * there. The longer form has all threads.
 *
 * A tree of ten thousand ranks is as long as their stacks differ: classes and lines of the tree are
 * items of the pane, and lines are made of those around the user's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "viewer/pane/pane-words.h"
#include "viewer/pane/treelines.h"
#include "words/escape.h"

#define MEMBERS_WIDTH 11 /* more where that helps and there is room */
#define NARROW	      60 /* columns; below them less is indented, and places get less room */
#define INDENT_MOST   12
#define PLACE_LEAST   12
#define PLACE_MOST    4096
#define MEMBERS_MOST  40 /* classes that are asked for their width */

/* The pane while it is filled. */
struct stacks_fill {
	struct pane_fill fill;
	const struct treelines *lines;
	const struct stacktree *tree;
	bool *selected; /* by rank: of the selected row */
	size_t members; /* columns of whom it is about */
	size_t own;     /* the branch in which the selected rank's program stands; SIZE_MAX none */
	bool own_known; /* else it is where its stack ends */
	size_t first;	/* the branch that is shown first, where others stand before it; else 0 */
};

/* Fills a line with blanks up to a column. */
static void pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

/* Returns the first rank of a set; NO_RANK. */
static struct rank_index rank_of(const struct stacks_fill *s, uint32_t set)
{
	const struct stacktree_set *members = &s->tree->sets[set];

	return members->n && (size_t)members->at[0].i < s->tree->job->nranks ? members->at[0]
									   : NO_RANK;
}

/* -- whom it is about -------------------------------------------------------------------------- */

/* Returns by rank who is in the selected row. The caller frees it. */
static bool *find_selected(const struct stacks_fill *s)
{
	struct verdict_ranks row = pane_row_ranks(&s->fill);
	bool *selected = alloc_zeroed(s->tree->job->nranks + 1, sizeof(*selected));

	for (size_t i = 0; i < row.n; i++)
		selected[row.at[i].i] = true;
	return selected;
}

/* True if ranks of the selected row are in a set. */
static bool is_mine(const struct stacks_fill *s, uint32_t set)
{
	const struct stacktree_set *members = &s->tree->sets[set];

	for (size_t i = 0; i < members->n; i++)
		if ((size_t)members->at[i].i < s->tree->job->nranks &&
			s->selected[members->at[i].i])
			return true;
	return false;
}

/* Returns the branch in which the selected rank's own program stands; SIZE_MAX none. */
static size_t find_own(struct stacks_fill *s)
{
	const struct posture *postures = s->fill.scene->verdicts->postures;
	struct rank_index rank = s->fill.place->rank;
	int node;

	if (!is_rank(rank) || (size_t)rank.i >= s->tree->job->nranks)
		return SIZE_MAX;
	node = treelines_own(s->lines, rank, postures ? &postures[rank.i] : NULL,
		&s->own_known);
	return node == JOB_NONE ? SIZE_MAX : s->lines->of_node[node];
}

/* Returns how many columns members get: as wide as the widest class is, within bounds. */
static size_t find_members(const struct stacks_fill *s)
{
	size_t most = s->fill.place->width < NARROW ? MEMBERS_WIDTH : PANE_RANKS;
	size_t width = MEMBERS_WIDTH;

	for (size_t i = 0; i < s->tree->nclasses && i < MEMBERS_MOST; i++) {
		struct str members = {0};

		frames_add_members(&members, s->tree, s->tree->classes[i].set, most);
		if (members.len > width)
			width = members.len < most ? members.len : most;
		str_release(&members);
	}
	return width;
}

/* -- the head ---------------------------------------------------------------------------------- */

/* Adds how many stacks there are, and what taking them has cost. */
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

/* Adds a class: who is in it, where, and whether it moved. */
static void add_class(struct stacks_fill *s, size_t at, int64_t span)
{
	const struct stacktree_class *class = &s->tree->classes[at];
	const struct frames_motion *motion = &s->lines->motions[at];
	struct pane_words line = {.column = s->members + 2, .cite = "", .item = at + 1};
	bool mine = is_mine(s, class->set);

	str_add_char(&line.key, mine ? '>' : ' ');
	frames_add_members(&line.key, s->tree, class->set, s->members);
	line.cite = frames_add_class(&line.words, s->tree, class, motion, span, true);
	line.style = mine ? STYLE_STRONG : STYLE_PLAIN;
	line.goal = pane_goal_of_cite(s->fill.scene, line.cite, rank_of(s, class->set));
	pane_words_add(&s->fill, &line);
}

/* -- the tree ---------------------------------------------------------------------------------- */

/*
 * Puts as much of a place's end at the right as there is room for. Where that is too little, a line
 * of source is more worth than the end of a function's name, and a library's name is less.
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

/* Adds a frame as one line, whatever its length: where that is drawn its end is cut off. */
static void add_frame(struct stacks_fill *s, struct pane_words *line,
	const struct stacktree_node *node)
{
	size_t strong = line->key.len;
	struct pane_line *added;

	pad(&line->key, line->column);
	added = pane_add(s->fill.into, line->style, "%s%s", str_text(&line->key),
		str_text(&line->words));
	added->strong = strong;
	added->rank = line->goal.rank;
	added->item = line->item - 1;
	add_place(s, added, node, escape_width(added->text));
	str_release(&line->key);
	str_release(&line->words);
}

/* Adds a line of the tree. */
static void add_branch(struct stacks_fill *s, size_t at)
{
	const struct branch *branch = &s->lines->branches.all.items[at];
	const struct stacktree_node *node = &s->tree->nodes[branch->node];
	bool narrow = s->fill.place->width < NARROW, mine = is_mine(s, node->set);
	unsigned depth = branch->depth < INDENT_MOST ? branch->depth : INDENT_MOST;
	struct pane_words line = {.cite = "",
		.goal = {rank_of(s, node->set), JOB_UNKNOWN},
		.item = s->tree->nclasses + at + 1};

	line.column = s->members + 2 + (narrow ? 1 : 2) * (size_t)depth;
	line.style = mine ? STYLE_STRONG : STYLE_PLAIN;
	str_add_char(&line.key, mine ? '>' : ' ');
	if (branch->fork || (at && at == s->first))
		frames_add_members(&line.key, s->tree, node->set, s->members);
	branches_add_name(&line.words, s->tree, branch, true);
	if (at == s->own) {
		s->fill.into->here = (ptrdiff_t)s->fill.into->all.nr;
		if (s->own_known && node->kind == STACKTREE_FRAME &&
			!s->tree->nodes[branch->last].died)
			str_add(&line.words, "  <- own code");
	}
	if (node->kind == STACKTREE_FRAME)
		add_frame(s, &line, node);
	else
		pane_words_add(&s->fill, &line);
}

/*
 * Adds the items around the user's. What stands before and behind all items is seen with the first
 * and the last of them.
 */
static void add_items(struct stacks_fill *s)
{
	struct pane_lines *into = s->fill.into;
	size_t classes = s->tree->nclasses, items = classes + s->lines->branches.all.nr;
	int64_t span = disturbed_by(s->tree->job).span;

	pane_window(into, s->fill.place, items, s->own == SIZE_MAX ? 0 : classes + s->own);
	if (!into->from)
		add_summary(s);
	for (size_t i = into->from; i < into->to; i++) {
		if (i < classes)
			add_class(s, i, span);
		else
			add_branch(s, i - classes);
	}
	if (into->to == items && s->tree->hidden)
		pane_add(into, STYLE_FAINT, " %zu frames of plumbing are not shown",
			s->tree->hidden);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Returns the tree to show: of all threads, or of main threads only; NULL none. */
static const struct stacktree *tree_of(const struct scene *scene, const struct pane_place *place)
{
	return place->all || !scene->mains ? scene->tree : scene->mains;
}

/* Returns a tree as lines, which are made here where nobody keeps them; *ret_own: to be freed. */
static const struct treelines *lines_of(
	const struct scene *scene, const struct stacktree *tree, struct treelines **ret_own)
{
	const struct treelines *lines =
		tree == scene->tree ? scene->tree_lines : scene->main_lines;

	*ret_own = lines ? NULL : treelines_new(tree);
	return lines ? lines : *ret_own;
}

void pane_fill_stacks(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct stacks_fill s = {.fill = {scene, place, into}, .tree = tree_of(scene, place)};
	struct treelines *own;

	into->here = -1;
	if (!s.tree || !s.tree->nstacks) {
		pane_add(into, STYLE_PLAIN, " no stack of any rank was taken");
		return;
	}
	s.lines = lines_of(scene, s.tree, &own);
	s.selected = find_selected(&s);
	s.own = find_own(&s);
	s.members = find_members(&s);
	add_items(&s);
	free(s.selected);
	treelines_free(own);
}

/*
 * Returns the first branch in which not all stand who have a stack; else that of the own code,
 * *ret_alike.
 */
static size_t first_apart(const struct stacks_fill *s, bool *ret_alike)
{
	size_t all = s->tree->sets[s->tree->nodes[0].set].n;

	*ret_alike = false;
	for (size_t i = 0; i < s->lines->branches.all.nr; i++) {
		const struct branch *branch = &s->lines->branches.all.items[i];

		if (s->tree->sets[s->tree->nodes[branch->node].set].n < all)
			return i;
	}
	*ret_alike = true;
	return s->own == SIZE_MAX ? s->lines->branches.all.nr : s->own;
}

#define DIFFER_MOST   200 /* lines; nobody scrolls them */
#define DIFFER_FRAMES 3	  /* of the program, behind a fork */

/*
 * True for what tells how ranks differ: who goes another way, the frames there whose source is
 * known, where the rank's own code is, and where it died; what libraries do behind that has its
 * tab.
 */
static bool tells(const struct stacks_fill *s, size_t at, int *frames)
{
	const struct branch *branch = &s->lines->branches.all.items[at];
	const struct stacktree_node *node = &s->tree->nodes[branch->node];

	if (branch->fork)
		*frames = 0;
	if (node->kind != STACKTREE_FRAME || at == s->own ||
		s->tree->nodes[branch->last].died)
		return true;
	if (branch->fork && !*s->tree->job->frames[node->frame].file)
		return true;
	return *s->tree->job->frames[node->frame].file && (*frames)++ < DIFFER_FRAMES;
}

void pane_fill_differ(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct stacks_fill s = {.fill = {scene, place, into}, .tree = tree_of(scene, place)};
	struct treelines *own;
	bool alike;
	size_t n;
	int frames = 0;

	into->here = -1;
	if (!s.tree || !s.tree->nstacks)
		return;
	s.lines = lines_of(scene, s.tree, &own);
	s.selected = find_selected(&s);
	s.own = find_own(&s);
	s.members = find_members(&s);
	s.first = first_apart(&s, &alike);
	if (alike)
		into->heading = "stacks, all alike";
	n = s.lines->branches.all.nr;
	for (size_t i = s.first; i < n && i < s.first + DIFFER_MOST; i++)
		if (tells(&s, i, &frames))
			add_branch(&s, i);
	free(s.selected);
	treelines_free(own);
}

/* -- finding ----------------------------------------------------------------------------------- */

/* What is looked for, and in what. */
struct sought {
	const struct treelines *lines;
	const char *text;
	struct str line;
};

/* True if the text is in that item. */
static bool is_sought(void *context, size_t item)
{
	struct sought *sought = context;
	const struct stacktree *tree = sought->lines->tree;
	const struct branch *branch;

	str_cut(&sought->line, 0);
	if (item < tree->nclasses) {
		frames_add_members(
			&sought->line, tree, tree->classes[item].set, PANE_RANKS);
	} else {
		branch = &sought->lines->branches.all.items[item - tree->nclasses];
		branches_add_name(&sought->line, tree, branch, true);
		str_add_char(&sought->line, ' ');
		if (tree->nodes[branch->node].kind == STACKTREE_FRAME)
			frames_add_place(&sought->line,
				&tree->job->frames[tree->nodes[branch->node].frame], PLACE_MOST,
				true);
	}
	return strcasestr(str_text(&sought->line), sought->text);
}

size_t pane_find_stacks(const struct scene *scene, const struct pane_place *place,
	const char *text, size_t from, bool back)
{
	const struct stacktree *tree = tree_of(scene, place);
	struct sought sought = {.text = text};
	struct treelines *own;
	size_t found;

	if (!tree || !tree->nstacks)
		return PANE_NO_ITEM;
	sought.lines = lines_of(scene, tree, &own);
	found = pane_find_item(tree->nclasses + sought.lines->branches.all.nr, from, back,
		is_sought, &sought);
	str_release(&sought.line);
	treelines_free(own);
	return found;
}
