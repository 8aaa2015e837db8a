/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roll call of each group: how far its foremost seat is, and who has not come there: a line for
 * all who stand alike. First the verdict's group, then those in which somebody is missing, then the
 * selected rank's; groups that are in step share lines.
 *
 * The work is that of one sort of all seats; lines are bounded, and what is left out is counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "viewer/pane/pane-seats.h"
#include "words/escape.h"
#include "words/rank-names.h"

#define GROUPS_MOST 100
#define LINES_MOST  40 /* of one group */
#define P2P_MOST    16
#define NAME_WIDTH  24

/* The pane while it is filled. */
struct groups_fill {
	struct pane_fill fill;
};

/* -- one group --------------------------------------------------------------------------------- */

/* Adds the group's line: "world: 8 ranks, nccl; AllReduce #1: 7 here, 1 missing; rear #0". */
static void add_head(struct groups_fill *g, const struct seats *seats, bool mine)
{
	const struct job *job = g->fill.scene->job;
	const struct job_group *group = &job->groups[seats->group];
	struct pane_words line = {.goal = PANE_NOWHERE, .cite = group->cite, .most = 3};
	struct str name = {0};

	str_add_char(&line.key, mine ? '>' : ' ');
	escape_text(&name, group->name, true);
	escape_fit(&line.key, str_text(&name), NAME_WIDTH);
	str_add_char(&line.key, ':');
	str_release(&name);
	line.style = STYLE_STRONG;
	line.column = 2;
	seats_add_group(&line.words, job, seats);
	pane_words_add(&g->fill, &line);
}

/* Returns the looks of a seat's line. Who is missing may be a victim that waits elsewhere. */
static enum style style_of(
	const struct groups_fill *g, const struct seats *seats, const struct seat *seat)
{
	const struct verdicts *verdicts = g->fill.scene->verdicts;
	bool odd = seat->roll == ROLL_ABSENT || seat->never_came || seats_is_odd(seats, seat);

	if (odd && verdicts->n && ranks_have(verdicts->at[0].culprits, seat->rank))
		return STYLE_ALARM;
	return odd || seat->roll == ROLL_UNKNOWN ? STYLE_WARN : STYLE_PLAIN;
}

/* Adds a line for n seats that stand alike. *ret_mine: the selected rank is, or was, among them. */
static void add_alike(struct groups_fill *g, const struct seats *seats, const struct seat *at,
	size_t n, bool *ret_mine)
{
	const struct job *job = g->fill.scene->job;
	struct rank_index *ranks = alloc_zeroed(n, sizeof(*ranks));
	struct verdict_ranks set = {ranks, 0};
	struct pane_words line;
	bool mine = false;

	for (size_t i = 0; i < n; i++) {
		if (!is_rank(at[i].rank) || (set.n && same_rank(ranks[set.n - 1], at[i].rank)))
			continue;
		mine |= same_rank(at[i].rank, g->fill.place->rank);
		ranks[set.n++] = at[i].rank;
	}
	line = set.n ? pane_words_of_ranks(job, set) : pane_words_of("nobody");
	if (mine)
		line.key.text[0] = '>';
	seats_add_words(&line.words, g->fill.scene, seats, at, n);
	line.cite = n == 1 ? seat_cite(job, at) : "";
	line.style = style_of(g, seats, at);
	line.goal.rank = set.n ? ranks[0] : NO_RANK;
	if (at->last)
		line.goal.when = at->last->entered;
	if (mine && !*ret_mine && g->fill.into->here < 0)
		g->fill.into->here = (ptrdiff_t)g->fill.into->all.nr;
	*ret_mine |= mine;
	pane_words_add(&g->fill, &line);
	free(ranks);
}

/*
 * Returns the first of a seat's point-to-point calls that is not over: the later ones wait behind
 * it.
 */
static const struct job_op *open_p2p(const struct job_member *member)
{
	for (size_t i = 0; i < member->np2p; i++) {
		const struct job_op *op = &member->p2p[i];

		if (op->completed == JOB_NO ||
			(op->completed == JOB_MAYBE && op->returned != JOB_YES))
			return op;
	}
	return NULL;
}

/* Adds the calls of that kind that are not over: they are in nobody's order but their own. */
static void add_p2p(struct groups_fill *g, int number)
{
	const struct job *job = g->fill.scene->job;
	const struct job_group *group = &job->groups[number];
	size_t shown = 0;

	for (uint32_t seat = 0; seat < group->size; seat++) {
		const struct job_member *member = &job->members[group->first_member + (int)seat];
		const struct job_op *op = open_p2p(member);
		struct pane_words line;

		if (!op || !is_rank(member->rank) || shown++ >= P2P_MOST)
			continue;
		line = pane_words_of_ranks(job, (struct verdict_ranks){&member->rank, 1});
		seats_add_p2p(&line.words, job, group, op);
		line.cite = op->cite;
		line.goal = (struct pane_goal){member->rank, op->entered};
		pane_words_add(&g->fill, &line);
	}
	if (shown > P2P_MOST)
		pane_add(g->fill.into, STYLE_FAINT, " ... and %zu ranks more in such calls",
			shown - P2P_MOST);
}

/* Adds a line for all who stand alike. */
static void add_seats(struct groups_fill *g, const struct seats *seats)
{
	size_t lines = 0, from, to;
	bool mine = false;

	for (from = 0; from < seats->all.nr && lines < LINES_MOST; from = to, lines++) {
		for (to = from + 1; to < seats->all.nr; to++)
			if (seat_compare(&seats->all.items[from], &seats->all.items[to]))
				break;
		add_alike(g, seats, &seats->all.items[from], to - from, &mine);
	}
	if (from < seats->all.nr)
		pane_add(g->fill.into, STYLE_FAINT, " ... and %zu seats more, elsewhere",
			seats->all.nr - from);
}

/* Adds the op that the verdict is about, where the front has left it behind: where ranks parted. */
static void add_verdict_op(struct groups_fill *g, int number, uint64_t front)
{
	const struct verdicts *verdicts = g->fill.scene->verdicts;
	uint64_t index = verdicts->n ? verdicts->at[0].op_index : 0;
	struct pane_words line = {.goal = PANE_NOWHERE, .cite = "", .column = 2, .most = 2};
	const struct seats *seats;

	if (!index || index >= front || verdicts->at[0].group != number)
		return;
	seats = seats_of(g->fill.scene, number, index);
	str_add(&line.key, " the verdict is about");
	line.style = STYLE_STRONG;
	seats_add_roll(&line.words, seats);
	pane_words_add(&g->fill, &line);
	add_seats(g, seats);
}

/* Adds a group with its seats. */
static void add_group(struct groups_fill *g, const struct seats_summary *sum)
{
	const struct seats *seats = seats_of(g->fill.scene, sum->group, sum->front);

	add_head(g, seats, sum->has_rank);
	add_seats(g, seats);
	add_verdict_op(g, sum->group, sum->front);
	if (sum->sends)
		add_p2p(g, sum->group);
}

/* -- groups in step ---------------------------------------------------------------------------- */

/* Orders groups so that those told in one line are neighbours. */
static int compare_quiet(const void *va, const void *vb)
{
	const struct seats_summary *a = va, *b = vb;
	int order = seats_compare_quiet(a, b);

	return order ? order : a->group - b->group;
}

/* Adds a line for n groups that are in step. */
static void add_quiet(struct groups_fill *g, const struct seats_summary *at, size_t n)
{
	const struct job *job = g->fill.scene->job;
	struct pane_words line = {.column = 1, .goal = PANE_NOWHERE, .cite = "", .most = 2};

	if (n > 1)
		str_printf(&line.words, "%zu groups of ", n);
	else
		str_printf(&line.words, "%s: ", job->groups[at->group].name);
	seats_add_quiet(&line.words, at);
	if (n == 1)
		line.cite = job->groups[at->group].cite;
	for (size_t i = 0; n > 1 && i < n && line.words.len < 400; i++)
		str_printf(&line.words, "%s%s", i ? ", " : ": ", job->groups[at[i].group].name);
	pane_words_add(&g->fill, &line);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Groups in short: those that are shown each, and those that share lines. */
struct summaries {
	ARRAY(struct seats_summary) shown, quiet;
};

/*
 * Orders by what is to be seen first: the verdict's, where somebody is missing, the selected
 * rank's.
 */
static int compare_shown(const void *va, const void *vb)
{
	const struct seats_summary *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->group - b->group;
}

/* Sums up all groups, and shares them out. */
static void sum_up(struct groups_fill *g, struct summaries *sums)
{
	const struct job *job = g->fill.scene->job;
	const struct verdicts *verdicts = g->fill.scene->verdicts;
	const struct seats_summary *all = seats_sum_up(g->fill.scene, g->fill.place->rank);

	for (size_t i = 0; i < job->ngroups; i++) {
		struct seats_summary sum = all[i];

		if (verdicts->n && verdicts->at[0].group == (int)i)
			sum.weight += 4;
		if (sum.missing)
			sum.weight += 2;
		if (sum.has_rank)
			sum.weight += 1;
		if (sum.weight || sum.unknown || sum.differs)
			*array_add(&sums->shown) = sum;
		else
			*array_add(&sums->quiet) = sum;
	}
	array_sort(&sums->shown, compare_shown);
	array_sort(&sums->quiet, compare_quiet);
}

void pane_fill_groups(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct groups_fill g = {.fill = {scene, place, into}};
	struct summaries sums = {0};
	size_t i, to;

	into->here = -1;
	if (!scene->job->ngroups)
		pane_add(into, STYLE_PLAIN, " no group is known");
	sum_up(&g, &sums);
	for (i = 0; i < sums.shown.nr && i < GROUPS_MOST; i++)
		add_group(&g, &sums.shown.items[i]);
	if (i < sums.shown.nr)
		pane_add(into, STYLE_FAINT, " ... and %zu such groups more", sums.shown.nr - i);
	for (i = 0; i < sums.quiet.nr && into->all.nr < 2 * GROUPS_MOST * LINES_MOST; i = to) {
		for (to = i + 1; to < sums.quiet.nr; to++)
			if (seats_compare_quiet(&sums.quiet.items[i], &sums.quiet.items[to]))
				break;
		add_quiet(&g, &sums.quiet.items[i], to - i);
	}
	array_release(&sums.shown);
	array_release(&sums.quiet);
}
