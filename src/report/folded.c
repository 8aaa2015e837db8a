/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, the input of flamegraph.pl, inferno and speedscope: a line for each place where
 * threads stand, in the order of classes. ';' parts frames, so in names it becomes ':'.
 */
#include <string.h>

#include "base/array.h"
#include "words/escape.h"
#include "words/frames.h"
#include "report/report.h"

/* The most columns that a source place gets. */
#define PLACE_MOST 120

/* Appends a part of a line, in which no ';' may stand. */
static void add_part(struct str *into, const char *text)
{
	for (; *text; text++)
		str_add_char(into, *text == ';' ? ':' : *text);
}

/*
 * Appends a frame: its name, of Python its source place too, and "_[k]" behind one of the kernel.
 */
static void add_frame(struct str *into, const struct job_frame *frame, bool utf8)
{
	struct str name = {0}, place = {0};

	frames_add_name(&name, frame, utf8);
	if (frame->kind == JOB_FRAME_PYTHON)
		frames_add_place(&place, frame, PLACE_MOST, utf8);
	str_add_char(into, ';');
	add_part(into, str_text(&name));
	if (place.len) {
		str_add(into, " (");
		add_part(into, str_text(&place));
		str_add_char(into, ')');
	}
	if (frame->kind == JOB_FRAME_KERNEL)
		str_add(into, "_[k]");
	str_release(&name);
	str_release(&place);
}

/* The nodes on the way from a leaf to the root, which is left out; innermost first. */
struct way {
	ARRAY(int) nodes;
};

/* Appends the line of one leaf. */
static void add_leaf(
	struct str *into, const struct stacktree *tree, int leaf, struct way *way, bool utf8)
{
	const struct stacktree_node *end = &tree->nodes[leaf];

	way->nodes.nr = 0;
	for (int at = leaf; at > 0; at = tree->nodes[at].parent)
		*array_add(&way->nodes) = at;
	frames_add_members(into, tree, end->end_set, SIZE_MAX);
	for (size_t i = way->nodes.nr; i--;) {
		const struct stacktree_node *node = &tree->nodes[way->nodes.items[i]];

		if (node->kind == STACKTREE_FRAME)
			add_frame(into, &tree->job->frames[node->frame], utf8);
		else
			str_add(into, node->kind == STACKTREE_CUT ? ";[cut]" : ";[no stack]");
	}
	str_printf(into, " %u\n", end->ends);
}

/* Writes all stacks, class by class. -1 where the file cannot be written. */
static int folded_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	const struct stacktree_options how = {.all = options->all_threads};
	struct stacktree *tree = stacktree_new(verdicts->job, &how);
	struct str line = {0};
	struct way way = {0};

	for (size_t i = 0; i < tree->nclasses; i++)
		for (size_t k = 0; k < tree->classes[i].nleaves; k++) {
			str_cut(&line, 0);
			add_leaf(&line, tree, tree->classes[i].leaves[k], &way, options->utf8);
			fwrite(str_text(&line), 1, line.len, file);
		}
	array_release(&way.nodes);
	str_release(&line);
	stacktree_free(tree);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_folded = {"folded", folded_write};
