/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks said last: those that are blamed, then all others, each in a line. */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/spans.h"
#include "viewer/pane/pane-words.h"
#include "words/last-words.h"
#include "words/rank-names.h"

#define LINES 3 /* of what one of them said */

/* Of the first of them who said anything. */
static const struct job_log *log_of(const struct job *job, struct verdict_ranks ranks)
{
	for (size_t i = 0; i < ranks.n; i++) {
		struct spans_range range = logs_of(job, ranks.at[i]);

		if (range.from < range.to && last_words_of(job, ranks.at[i]))
			return &job->logs[range.from];
	}
	return NULL;
}

static void add_words(const struct pane_fill *fill, struct verdict_ranks ranks, enum style style)
{
	const struct job *job = fill->scene->job;
	const struct job_log *log = log_of(job, ranks);
	struct pane_words line;

	if (!log)
		return;
	line = pane_words_of_ranks(job, ranks);
	last_words_add(&line.words, job, ranks);
	line.cite = log->cite ? log->cite : "";
	line.style = style;
	line.goal = (struct pane_goal){log->rank, JOB_UNKNOWN};
	line.most = LINES;
	pane_words_add(fill, &line);
}

void pane_fill_lastwords(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct pane_fill fill = {scene, place, into};
	struct verdict_ranks blamed = scene->verdicts->n ? scene->verdicts->at[0].culprits
							  : (struct verdict_ranks){NULL, 0};
	int *others = alloc_zeroed(scene->job->nranks + 1, sizeof(*others));
	size_t n = 0;

	into->here = -1;
	for (size_t i = 0, k = 0; i < scene->job->nranks; i++) {
		while (k < blamed.n && blamed.at[k] < (int)i)
			k++;
		if (k == blamed.n || blamed.at[k] != (int)i)
			others[n++] = (int)i;
	}
	add_words(&fill, blamed, STYLE_ALARM);
	add_words(&fill, (struct verdict_ranks){others, n}, STYLE_STRONG);
	free(others);
}
