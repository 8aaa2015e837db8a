/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROC_ACTORS_H
#define TESTS_UNIT_PROC_ACTORS_H

/* Machines made up for a survey: a line per process, and who of them is found to be a rank. */

#include <string.h>

#include "base/str.h"
#include "proc/survey/survey.h"
#include "tests/unit/unit.h"

/* A process: its environment and arguments with blanks for NULs. */
struct actor {
	uint32_t pid, ppid;
	const char *comm;
	const char *environ; /* NULL: we may not read it */
	const char *cmdline;
};

static void add_actor(struct survey *survey, const struct actor *actor)
{
	struct procstat stat = {.pid = actor->pid,
		.ppid = actor->ppid,
		.state = 'S',
		.start_time = 1000 + actor->pid};
	struct str block = {0}, cmdline = {0};

	strncpy(stat.comm, actor->comm, sizeof(stat.comm) - 1);
	str_printf(&block, "%s ", actor->environ ? actor->environ : "");
	str_printf(&cmdline, "%s ", actor->cmdline ? actor->cmdline : actor->comm);
	for (size_t i = 0; i < block.len; i++)
		block.text[i] = block.text[i] == ' ' ? '\0' : block.text[i];
	for (size_t i = 0; i < cmdline.len; i++)
		cmdline.text[i] = cmdline.text[i] == ' ' ? '\0' : cmdline.text[i];
	survey_add(survey, &stat, actor->environ ? 0 : 13, block.text,
		actor->environ ? block.len : 0, cmdline.text, cmdline.len);
	str_release(&block);
	str_release(&cmdline);
}

static void set_up(struct survey *survey, const struct actor *actors, size_t nr)
{
	/* From the last to the first: order must not matter. */
	for (size_t i = nr; i-- > 0;)
		add_actor(survey, &actors[i]);
	survey_sort(survey);
}

#define SET_UP(survey, actors) set_up((survey), (actors), sizeof(actors) / sizeof((actors)[0]))

/* Asserts which processes are ranks, as "PID=RANK/LOCAL", by pid, with '-' for what is unknown. */
static void assert_ranks(struct survey *survey, const char *expected)
{
	struct str got = {0};

	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *process = &survey->all.items[i];

		if (!process->is_rank)
			continue;
		str_printf(&got, "%s%u=%d/", got.len ? " " : "", process->stat.pid,
			process->rank.rank);
		if (process->rank.local_rank >= 0)
			str_printf(&got, "%d", process->rank.local_rank);
		else
			str_add_char(&got, '-');
	}
	assert_string_equal(str_text(&got), expected);
	str_release(&got);
}

#endif
