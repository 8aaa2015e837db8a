/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-told.h"

#include <signal.h>
#include <string.h>

/* The pid of a launcher that only texts know: greater than any pid of Linux. */
#define LAUNCHER_PID (0x40000000u - 1)
#define INTERRUPT    "KeyboardInterrupt"

/* True if nothing tells of the process that was gathered while it lived: texts and dumps do not. */
static bool is_only_left(const struct decode_process *process)
{
	return texts_made(process) || !process->who.pid;
}

/*
 * True if the log may be of another run, and the rank has a dump, which is of this one: what that
 * tells stands.
 */
static bool is_told_by_dump(const struct texts *texts, const struct decode_process *process)
{
	return texts->doubt != TEXTS_SURE && process->dump_last != JOB_UNKNOWN;
}

/*
 * True if the log may be of another run. Of one without any time that is so little likely to tell
 * of the only rank that left no dump, as those who die first leave none, that it counts as theirs.
 */
static bool is_in_doubt(const struct texts *texts, const struct decode_process *process)
{
	bool only_one = process->dump_last == JOB_UNKNOWN &&
			texts->ndumps == texts->context->dumped - 1;

	return texts->doubt == TEXTS_DOUBTFUL || (texts->doubt == TEXTS_UNDATED && !only_one);
}

static void add_signal(struct texts *texts, const struct decode_process *process,
	const struct job_signal *like, const char *cite)
{
	struct job_signal signal = *like;

	signal.sender_role = JOB_NONE;
	signal.thread = "";
	signal.when = JOB_UNKNOWN;
	signal.cite = cite;
	job_add_signal(texts->builder, process->who, &signal);
}

void joblog_told_order(struct texts *texts, struct decode_process *process, const char *cite)
{
	if (!is_only_left(process) || is_told_by_dump(texts, process))
		return;
	process->fact.ppid = LAUNCHER_PID;
	add_signal(texts, process,
		&(const struct job_signal){
			.signo = SIGTERM, .code = SI_USER, .sender = LAUNCHER_PID},
		cite);
}

void joblog_told_end(const struct texts *texts, struct decode_process *process,
	const struct decode_end *end)
{
	bool told = process->end.witness != WITNESS_NONE;
	bool known = told && !process->fact.end_by_text;

	if (is_told_by_dump(texts, process))
		return;
	context_end(process, end);
	process->fact.end_by_text = !known;
	process->fact.end_in_doubt =
		!known && is_in_doubt(texts, process) && (!told || process->fact.end_in_doubt);
}

/* True for the last line of the traceback that Python prints when it is interrupted. */
static bool is_interrupt(const char *error)
{
	size_t len = strlen(INTERRUPT);

	return !strncmp(error, INTERRUPT, len) && (!error[len] || error[len] == ':');
}

void joblog_told_error(struct texts *texts, struct decode_process *process, const char *error,
	const char *cite)
{
	bool interrupt = is_interrupt(error);

	if (is_told_by_dump(texts, process))
		return;
	if (interrupt && is_only_left(process))
		add_signal(texts, process,
			&(const struct job_signal){.signo = SIGINT, .code = SI_KERNEL}, cite);
	if (!interrupt)
		job_add_note(texts->builder, process->who,
			&(const struct job_note){.text = error,
				.exception = true,
				.when = JOB_UNKNOWN,
				.cite = cite});
	joblog_told_end(texts, process,
		&(const struct decode_end){WITNESS_ABSENCE, interrupt ? JOB_SIGNALED : JOB_GONE,
			interrupt ? SIGINT : 0, JOB_UNKNOWN, cite});
}
