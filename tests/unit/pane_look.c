/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "tests/unit/pane_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "viewer/pane/pane-seats.h"

void look_at_job(struct look *look, struct job *job)
{
	*look = (struct look){.job = job};
	look->verdicts = verdicts_of(job);
	look->tracks = tracks_new(look->verdicts);
	look->tree = stacktree_new(job, &(struct stacktree_options){.all = true});
	look->mains = stacktree_new(job, &(struct stacktree_options){0});
	look->scene = (struct scene){.job = job,
		.verdicts = look->verdicts,
		.tracks = look->tracks,
		.seats = seats_book_new(job),
		.tree = look->tree,
		.mains = look->mains,
		.origin = "sft-41.inq",
		.now = job->gathered};
	look->place = (struct pane_place){
		.rank = look->verdicts->at[0].culprits.n ? look->verdicts->at[0].culprits.at[0]
							 : rank_index(0),
		.row = -1,
		.when = look->tracks->to,
		.width = 80,
		.height = 20,
		.seek = true};
}

void look_at(struct look *look, struct facts *f)
{
	look_at_job(look, facts_job(f));
	facts_free(f);
}

void look_away(struct look *look)
{
	stacktree_free(look->tree);
	stacktree_free(look->mains);
	seats_book_free(look->scene.seats);
	tracks_free(look->tracks);
	verdicts_free(look->verdicts);
	job_free(look->job);
}

char *look_page(const struct look *look, enum pane_number pane)
{
	struct pane_lines lines = {.here = -1};
	struct str text = {0};
	const struct pane_line *line;

	panes[pane].fill(&look->scene, &look->place, &lines);
	array_for_each (&lines.all, line) {
		assert_non_null(line->text);
		assert_non_null(line->right);
		assert_true(line->strong <= strlen(line->text));
		assert_true(line->rank.i >= JOB_NONE && line->rank.i < (int)look->job->nranks);
		str_add(&text, line->text);
		if (*line->right)
			str_printf(&text, " || %s", line->right);
		str_add_char(&text, '\n');
	}
	pane_lines_release(&lines);
	return str_detach(&text);
}

void look_expect(const struct look *look, enum pane_number pane, const char *expected)
{
	char *text = look_page(look, pane);

	assert_string_equal(text, expected);
	free(text);
}

struct goal {
	int rank;
	double at; /* seconds; below 0: no time */
};

static struct goal goal_of(const struct look *look, enum pane_number pane, const char *begin)
{
	struct pane_lines lines = {.here = -1};
	struct goal goal = {-2, -1};
	const struct pane_line *line;

	panes[pane].fill(&look->scene, &look->place, &lines);
	array_for_each (&lines.all, line)
		if (goal.rank == -2 && !strncmp(line->text, begin, strlen(begin)))
			goal = (struct goal){line->rank.i, line->when == JOB_UNKNOWN
				? -1 : (double)(line->when - facts_ns(0)) / 1e9};
	pane_lines_release(&lines);
	if (goal.rank == -2)
		fail_msg("no line begins with \"%s\"", begin);
	return goal;
}

void look_expect_goal(const struct look *look, enum pane_number pane, const char *begin, int rank,
	double at)
{
	struct goal goal = goal_of(look, pane, begin);

	assert_int_equal(goal.rank, rank);
	assert_int_equal((int)(goal.at * 1000), (int)(at * 1000));
}
