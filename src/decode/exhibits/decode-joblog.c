/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job's own log, as a launcher collects it: lines of all ranks, marked or not, between what the
 * launcher says itself. Each rank's lines become its last words, as if they were the end of its
 * stderr; what the launcher says of how a rank ended is an end that its parent saw.
 *
 * Text is a weak witness. A rank is dead by its log in two cases only: its launcher says how it
 * ended, or PyTorch's own hook printed the traceback that ends it ("[rank5]: Traceback ...", which
 * `sys.excepthook` alone writes: distributed_c10d.py _distributed_excepthook, since 2.2). A
 * traceback that a program printed by itself is no end. How many ranks there are is never taken
 * from a log: those that wrote nothing leave no trace in it. No time is, either: clocks of lines
 * have no zone, and many no date.
 *
 * Where bundles tell of the same ranks, the log is theirs, and makes nobody.
 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "decode/context.h"
#include "decode/exhibits/joblog.h"
#include "decode/exhibits/joblog-ends.h"
#include "decode/exhibits/log-marks.h"
#include "decode/kinds.h"

#define RANK_CAP    (64 << 10) /* of one rank's lines */
#define RANKS_MOST  65536
/* No pid of Linux is as great: that of a rank which only a log knows, and of their launcher. */
#define SEAT_PID     0x40000000u
#define LAUNCHER_PID (SEAT_PID - 1)
#define ERROR_CAP   512
#define TRACE_START "Traceback (most recent call last)"

/* What one rank wrote. */
struct rank_log {
	int rank;
	struct str text;
	bool in_traceback; /* of PyTorch's hook */
	bool over;	   /* and it came to its end */
	const char *error; /* its last line */
	const char *cite;  /* FILE:LINE of that */
};

struct joblog {
	struct decode_context *context;
	const char *file;
	int64_t line, when;
	int local_of[JOBLOG_LOCALS]; /* world rank + 1 by local rank, as the launcher says; 0 */
	bool numbered, reported;
	struct joblog_report report;
	ARRAY(struct rank_log) ranks; /* as they come; then by rank */
	int *place;		      /* of each: 1 + its place among them; 0 none */
	ARRAY(struct joblog_end) ends;
	ARRAY(int64_t) closed; /* pids that the launcher has ended */
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank_log *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Its log, made on first sight; NULL for one that no job is as large as. */
static struct rank_log *log_of(struct joblog *log, int64_t rank)
{
	if (rank < 0 || rank >= RANKS_MOST)
		return NULL;
	if (!log->place[rank]) {
		array_add(&log->ranks)->rank = (int)rank;
		log->place[rank] = (int)log->ranks.nr;
	}
	return &log->ranks.items[log->place[rank] - 1];
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* Whose line that is: JOB_NONE nobody's, or the launcher's. */
static int64_t rank_of(const struct joblog *log, const struct log_marks *marks)
{
	if (marks->by == LOG_MARKS_RANK)
		return marks->number;
	if (marks->by == LOG_MARKS_LOCAL && marks->number < JOBLOG_LOCALS)
		return log->local_of[marks->number] - 1;
	return JOB_NONE;
}

/* The newest half stays. */
static void keep_line(struct rank_log *one, const char *line)
{
	if (one->text.len + strlen(line) > RANK_CAP) {
		size_t half = one->text.len / 2;

		half += strcspn(one->text.text + half, "\n");
		half += half < one->text.len;
		memmove(one->text.text, one->text.text + half, one->text.len - half);
		str_cut(&one->text, one->text.len - half);
	}
	str_add(&one->text, line);
	str_add_char(&one->text, '\n');
}

/* True if PyTorch's own hook marks lines so. */
static bool is_hooks(const char *line)
{
	return !strncmp(line, "[rank", 5) && isdigit((unsigned char)line[5]);
}

/* A traceback ends in the first line that is not indented. */
static void follow_traceback(struct joblog *log, struct rank_log *one, const char *line,
	const char *words)
{
	if (!is_hooks(line))
		return;
	if (strstr(words, TRACE_START)) {
		one->in_traceback = true;
	} else if (one->in_traceback && isalpha((unsigned char)*words)) {
		one->in_traceback = false;
		one->over = true;
		one->error = arena_text_max(&log->context->arena, words, ERROR_CAP);
		one->cite = arena_printf(
			&log->context->arena, "%s:%lld", log->file, (long long)log->line);
	}
}

static void take_line(struct joblog *log, const char *line)
{
	struct log_marks marks;
	size_t before = log_marks_read(line, log->numbered, &marks);
	int64_t rank = rank_of(log, &marks);
	struct rank_log *one = rank == JOB_NONE ? NULL : log_of(log, rank);

	if (!one)
		return;
	keep_line(one, line);
	follow_traceback(log, one, line, line + before);
}

/* Does a plain number stand in front of every line, as srun -l puts it? */
static bool is_numbered(const char *text)
{
	size_t with = 0, without = 0;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *line = joblog_line(at, NULL);

		if (log_marks_task(line) >= 0)
			with++;
		else if (*line && *line != '\n' && strncmp(line, "srun: ", 6) != 0 &&
			 strncmp(line, "slurmstepd: ", 12) != 0)
			without++;
	}
	return with > 1 && without == 0;
}

typedef void visit_line(struct joblog *log, const char *line);

/* Calls it with each line of the exhibit, as a text of its own. */
static void for_each_line(struct joblog *log, const char *text, visit_line *visit)
{
	struct str line = {0};

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *words = joblog_line(at, &log->line);

		str_cut(&line, 0);
		str_add_bytes(&line, words, strcspn(words, "\n"));
		visit(log, str_text(&line));
	}
	str_release(&line);
}

static void take_end(struct joblog *log, const char *line)
{
	struct joblog_end ends[JOBLOG_ENDS];
	size_t nr = joblog_ends_read(line, &log->report, ends);
	int64_t closed = joblog_ends_closed(line);

	if (closed)
		*array_add(&log->closed) = closed;

	log->reported |= nr && ends[0].local_rank >= 0;
	for (size_t i = 0; i < nr; i++) {
		*array_add(&log->ends) = ends[i];
		log->ends.items[log->ends.nr - 1].cite = arena_printf(
			&log->context->arena, "%s:%lld", log->file, (long long)log->line);
		if (ends[i].local_rank >= 0 && ends[i].local_rank < JOBLOG_LOCALS)
			log->local_of[ends[i].local_rank] = ends[i].rank + 1;
	}
}

/* --- Whose they are --------------------------------------------------------------------------- */

/* True if anything but logs tells of ranks. */
static bool has_other_ranks(const struct decode_context *context)
{
	for (size_t i = 0; i < context->processes.nr; i++)
		if (context->processes.items[i]->who.pid < SEAT_PID)
			return true;
	return context->flights.nr > 0;
}

/* The one process that is this rank; NULL where there is none, or there are several. */
static struct decode_process *known_process(const struct decode_context *context, int rank)
{
	struct decode_process *found = NULL;

	for (size_t i = 0; i < context->processes.nr; i++) {
		struct decode_process *process = context->processes.items[i];

		if (process->identity.world_rank.n != rank)
			continue;
		if (found)
			return NULL;
		found = process;
	}
	return found;
}

static struct decode_process *process_of(struct decode_context *context, int rank, bool make)
{
	struct decode_process *process = known_process(context, rank);

	if (rank < 0 || rank >= RANKS_MOST)
		return NULL;
	if (process || !make)
		return process;
	process = context_process(context, "", SEAT_PID + (uint32_t)rank, 0);
	process->identity.world_rank = world_rank(rank);
	process->identity.promoted = true;
	process->fact.role = JOB_ROLE_RANK;
	return process;
}

static void give_words(struct joblog *log, struct job_builder *builder,
	const struct rank_log *one, bool make)
{
	struct decode_process *process = process_of(log->context, one->rank, make);

	if (!process || process->log.len)
		return;
	process->log = (struct decode_log){
		.text = arena_copy(&log->context->arena, str_text(&one->text), one->text.len),
		.len = one->text.len,
		.cite = one->cite,
		.when = log->when};
	if (!one->over)
		return;
	job_add_note(builder, process->who,
		&(const struct job_note){.text = one->error,
			.exception = true,
			.when = JOB_UNKNOWN,
			.cite = one->cite});
	context_end(process, &(const struct decode_end){WITNESS_ABSENCE, JOB_GONE, 0,
					     JOB_UNKNOWN, one->cite});
}

static bool was_closed(const struct joblog *log, int64_t pid)
{
	for (size_t i = 0; pid && i < log->closed.nr; i++)
		if (log->closed.items[i] == pid)
			return true;
	return false;
}

/* Its launcher told it to end: what follows is an effect. */
static void give_order(struct job_builder *builder, struct decode_process *process,
	const struct joblog_end *told)
{
	process->fact.ppid = LAUNCHER_PID;
	job_add_signal(builder, process->who,
		&(const struct job_signal){.signo = SIGTERM,
			.code = SI_USER,
			.sender = LAUNCHER_PID,
			.sender_role = JOB_NONE,
			.thread = "",
			.when = JOB_UNKNOWN,
			.cite = told->cite});
}

static void give_end(struct joblog *log, struct job_builder *builder,
	const struct joblog_end *told, bool make)
{
	struct decode_process *process = process_of(log->context, told->rank, make);

	if (!process)
		return;
	if (make && told->signaled && was_closed(log, told->pid))
		give_order(builder, process, told);
	context_end(process,
		&(const struct decode_end){WITNESS_PARENT,
			told->signaled ? JOB_SIGNALED : JOB_EXITED, told->status, JOB_UNKNOWN,
			told->cite});
}

static void read_log(struct decode_context *context, struct job_builder *builder,
	const struct exhibit *exhibit, bool make)
{
	struct joblog log = {.context = context,
		.file = arena_text(&context->arena, exhibit->label),
		.report = {-1, -1},
		.place = alloc_zeroed(RANKS_MOST, sizeof(int)),
		.when = exhibit->when};
	char *text = arena_copy(
		&context->arena, exhibit->len ? (const void *)exhibit->bytes : "", exhibit->len);
	struct rank_log *one;
	const struct joblog_end *end;

	log.numbered = is_numbered(text);
	for_each_line(&log, text, take_end);
	for_each_line(&log, text, take_line);
	/* torchrun has told how its ranks failed: then it ends itself, with status 1. */
	if (log.reported)
		job_add_ending(builder, 1);
	array_sort(&log.ranks, compare_ranks);
	array_for_each (&log.ranks, one) {
		give_words(&log, builder, one, make);
		str_release(&one->text);
	}
	array_for_each (&log.ends, end)
		give_end(&log, builder, end, make);
	array_release(&log.ranks);
	free(log.place);
	array_release(&log.ends);
	array_release(&log.closed);
}

void joblogs_finish(struct decode_context *context, struct job_builder *builder)
{
	bool make = !has_other_ranks(context);

	/* Nothing else gives the job a name. */
	if (make && context->joblogs.nr)
		job_add_identity(builder, context->joblogs.items[0]->label,
			context->joblogs.items[0]->label);

	for (size_t i = 0; i < context->joblogs.nr; i++)
		read_log(context, builder, context->joblogs.items[i], make);
}

static int joblog_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	(void)builder;
	(void)why;
	*array_add(&context->joblogs) = exhibit;
	return 0;
}

const struct decoder decode_joblog = {EXHIBIT_JOB_LOG, joblog_decode};
