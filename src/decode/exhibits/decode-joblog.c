/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the job's own log, as a launcher collects it: lines of all ranks, marked or not, between
 * the launcher's own. Each rank's lines become its last words, as if they were the end of its
 * stderr; what the launcher says of how a rank ended is an end that its parent saw.
 *
 * Text is a weak witness. A rank is dead by its log in two cases only: its launcher says how it
 * ended, or PyTorch's own hook printed the traceback that ends it ("[rank5]: Traceback ...", which
 * `sys.excepthook` alone writes: distributed_c10d.py _distributed_excepthook, since 2.2). A
 * traceback that a program printed by itself is no end. The number of ranks is never taken from a
 * log, since those that wrote nothing leave no trace in it; nor is time, since clocks of lines have
 * no zone, and many no date.
 *
 * Of a job that torchrun began again only the last attempt is judged (joblog-attempts.h).
 *
 * In a file that torchrun keeps of one worker all lines are that worker's, and so they are where a
 * launcher marks them: a traceback with which they end is its end if the launcher says that it
 * failed.
 *
 * Where bundles tell of the same ranks, the log only adds to them, and makes no ranks.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "decode/exhibits/joblog-attempts.h"
#include "decode/exhibits/joblog-ends.h"
#include "decode/exhibits/joblog-inits.h"
#include "decode/exhibits/joblog-lines.h"
#include "decode/exhibits/joblog-locals.h"
#include "decode/exhibits/joblog-report.h"
#include "decode/exhibits/joblog-sources.h"
#include "decode/exhibits/joblog-spawn.h"
#include "decode/exhibits/joblog-told.h"
#include "decode/exhibits/log-plain.h"
#include "evidence/gather/log-marks.h"
#include "decode/exhibits/slurm-end.h"
#include "decode/exhibits/texts.h"

#define RANK_CAP     (64 << 10) /* bytes of one rank's lines */
#define RANKS_MOST   65536
#define WARNINGS     4   /* of NCCL's that are told of one log */
#define WATCHED_MOST 256 /* operations that watchdogs gave up */
#define ERROR_CAP    512
#define HOST_CAP     64
#define QUOTE_MOST   160
#define TRACE_START  "Traceback (most recent call last)"

/* What one rank wrote. */
struct rank_log {
	int rank;
	struct str text;
	bool in_traceback; /* PyTorch's hook's, or Python's in a file of the rank's own */
	bool hooks;	   /* it is the hook's */
	int64_t gaps;	   /* the log's gaps when it began */
	bool over;	   /* it came to its end */
	bool timed_out;	   /* its watchdog gave up */
	const char *error; /* the traceback's last line */
	const char *cite;  /* FILE:LINE of error */
};

/* The error of a rank, as torchrun's report has it. */
struct told_error {
	int rank;
	const char *error, *cite;
	int64_t line;
};

struct joblog {
	struct texts *texts;
	struct decode_context *context;
	const struct exhibit *exhibit;
	const char *text;
	int64_t line;
	int64_t gaps;	    /* how often lines are missing: they were sieved out */
	bool cut;	    /* the line has no end: it may be cut */
	const char *folder; /* torchrun's folder for one worker that the file is in; NULL */
	int owner;	    /* rank of the file; JOB_NONE not known, or all */
	struct joblog_locals locals;
	struct joblog_sources sources;
	size_t nth; /* the line's place in the text, from 0 */
	size_t warnings;
	struct joblog_inits inits;
	const char *host;   /* the host that torchrun's report names; NULL none yet */
	uint64_t host_by;   /* whose report that is */
	int reporting;	    /* the rank whose end the report told last; JOB_NONE */
	struct joblog_trace trace;
	ARRAY(struct told_error) errors;
	ARRAY(int64_t) watched; /* operations on which watchdogs gave up */
	bool numbered, reported;
	bool cancelled; /* Slurm or mpirun has ended all */
	bool ended;	    /* Slurm has said that it ends all tasks */
	struct joblog_report report;
	struct joblog_attempts attempts;
	int64_t past; /* last line of earlier attempts */
	int restarts; /* number of earlier attempts */
	ARRAY(struct rank_log) ranks; /* in the order of their lines; in the end by rank */
	int *place;		      /* 1 + place in `ranks` of each rank; 0 none */
	ARRAY(struct joblog_end) ends;
	ARRAY(int64_t) closed; /* pids that the launcher has ended */
	struct joblog_spawn spawn;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank_log *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns a rank's log, made on first sight; NULL for a rank that no job is large enough for. */
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

/* Returns the rank that wrote the line; JOB_NONE: no known one, or the launcher. */
static int64_t rank_of(const struct joblog *log, const struct log_marks *marks)
{
	if (marks->by == LOG_MARKS_RANK)
		return marks->number;
	if (marks->by == LOG_MARKS_LOCAL)
		return joblog_locals_rank(&log->locals, marks->number);
	return marks->by == LOG_MARKS_NOBODY ? log->owner : JOB_NONE;
}

/*
 * Follows a traceback, which ends in the first line that is not indented. One that PyTorch's hook
 * has not marked is an end only where all lines of the rank are known, and nothing follows it: in a
 * file of its own, or where a launcher marks them. One that a framework's logger has written was
 * caught: the rank went on.
 */
static void follow_traceback(struct joblog *log, struct rank_log *one, const char *line,
	const char *words, const struct log_marks *marks)
{
	bool hooks = log_marks_hook(line, (size_t)(words - line)) != JOB_NONE;
	bool own = log->owner == one->rank || marks->of_launcher;

	if (marks->of_framework) {
		one->over &= one->hooks || !*words;
		return;
	}
	if (strstr(words, TRACE_START) && (hooks || own)) {
		one->in_traceback = true;
		one->hooks = hooks;
		one->gaps = log->gaps;
		one->over &= hooks;
	} else if (one->in_traceback && one->hooks == hooks && isalpha((unsigned char)*words)) {
		one->in_traceback = false;
		/* A line that is cut, or follows missing lines, is not the error it died of. */
		if (log->cut || one->gaps != log->gaps)
			return;
		one->over = true;
		one->error = arena_text_max(&log->context->arena, words, ERROR_CAP);
		one->cite = texts_cite(log->texts, log->exhibit, log->line);
	} else if (one->over && !one->hooks && !hooks && *words) {
		one->over = false;
	}
}

static void say(struct joblog *log, int rank, struct job_saying saying)
{
	saying.cite = texts_cite(log->texts, log->exhibit, log->line);
	texts_say(log->texts, rank, &saying);
}

/* True if the log has told before that some watchdog gave up on that operation. */
static bool was_watched(struct joblog *log, const struct joblog_watch *watch)
{
	const int64_t *number;

	array_for_each (&log->watched, number)
		if (*number == watch->number)
			return true;
	if (log->watched.nr < WATCHED_MOST)
		*array_add(&log->watched) = watch->number;
	return false;
}

/*
 * Tells the first timeout of each rank; later ones are of the same stall. Of ranks that nobody
 * knows it tells one of each operation, if no known rank has told of that.
 */
static void take_watchdog(struct joblog *log, const char *line, int64_t rank)
{
	struct joblog_watch watch;
	struct rank_log *one;
	bool again;

	if (!joblog_lines_watchdog(line, &watch))
		return;
	again = was_watched(log, &watch);
	one = log_of(log, rank);
	if (one ? one->timed_out : again)
		return;
	if (one)
		one->timed_out = true;
	say(log, one ? one->rank : JOB_NONE,
		(struct job_saying){.kind = JOB_SAYS_WATCHDOG,
			.text = watch.op,
			.text2 = "",
			.a = watch.number < 0 ? JOB_UNKNOWN : watch.number,
			.b = watch.ran_ms < 0 || watch.ran_ms > INT64_MAX / CLOCK_NS_PER_MS
				     ? JOB_UNKNOWN
				     : watch.ran_ms * CLOCK_NS_PER_MS});
}

static void take_barrier(struct joblog *log, const char *line, int64_t rank)
{
	size_t len;
	const char *missed = joblog_lines_missed(line, &len);

	if (missed && rank != JOB_NONE)
		say(log, (int)rank,
			(struct job_saying){.kind = JOB_SAYS_BARRIER,
				.text = arena_text_max(&log->context->arena, missed,
					len < QUOTE_MOST ? len : QUOTE_MOST),
				.text2 = "",
				.a = JOB_UNKNOWN,
				.b = JOB_UNKNOWN});
}

/* Tells what Slurm says of a whole step, in its log. */
static void take_slurm(struct joblog *log, const char *line)
{
	const char *words = joblog_ends_slurmstepd(line);

	if (!words || !slurm_end_tells(words))
		return;
	log->cancelled |= slurm_end_is_over(line);
	say(log, JOB_NONE,
		(struct job_saying){.kind = JOB_SAYS_SLURM,
			.text = arena_text_max(&log->context->arena, words, QUOTE_MOST),
			.text2 = "",
			.a = slurm_end_of_line(line),
			.b = JOB_UNKNOWN});
}

static void take_line(struct joblog *log, const char *line)
{
	struct log_marks marks;
	size_t before = log_marks_read(line, log->numbered, &marks);
	int hook = log_marks_hook(line, before);
	int64_t rank = hook != JOB_NONE ? hook : rank_of(log, &marks);
	struct rank_log *one;

	if (log->line > log->past && joblog_ends_slurmstepd(line))
		take_slurm(log, line);
	if (log->line <= log->past || joblog_ends_slurmstepd(line))
		return;
	take_watchdog(log, line, rank);
	take_barrier(log, line, rank);
	one = rank == JOB_NONE ? NULL : log_of(log, rank);
	if (!one) {
		joblog_spawn_take(&log->spawn, line, log->line);
		return;
	}
	joblog_spawn_forget(&log->spawn);
	joblog_lines_keep(&one->text, line, RANK_CAP);
	follow_traceback(log, one, line, line + before, &marks);
}

typedef void visit_line(struct joblog *log, const char *line);

/* Calls `visit` with each line of the exhibit, as a text of its own. */
static void for_each_line(struct joblog *log, const char *text, visit_line *visit)
{
	struct str line = {0};

	log->line = 0;
	log->nth = 0;
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		int64_t before = log->line;
		const char *words = joblog_lines_unnumbered(at, &log->line);

		log->line += words == at;
		log->gaps += before && log->line != before + 1;
		log->cut = !words[strcspn(words, "\n")];
		words += log_plain_stamp(words);
		str_cut(&line, 0);
		str_add_bytes(&line, words, strcspn(words, "\n"));
		visit(log, str_text(&line));
		log->nth++;
	}
	str_release(&line);
}

/* -- who is who -------------------------------------------------------------------------------- */

static void take_library(struct joblog *log, const char *line)
{
	struct joblog_library library;

	if (!joblog_lines_library(line, &library))
		return;
	if (library.host) {
		roster_add_host(&log->texts->roster, library.host);
		joblog_locals_add_host(&log->locals, library.host);
	}
	if (library.warning && *library.warning && log->warnings++ < WARNINGS)
		say(log, roster_of_pid(&log->texts->roster, library.pid),
			(struct job_saying){.kind = JOB_SAYS_LIBRARY,
				.text = arena_text_max(
					&log->context->arena, library.warning, QUOTE_MOST),
				.text2 = "",
				.a = JOB_UNKNOWN,
				.b = JOB_UNKNOWN});
	joblog_inits_take(&log->inits, &library, log->line);
}

/* Tells inits that began and have no end here. */
static void tell_inits(struct joblog *log)
{
	const struct joblog_init *init;

	array_for_each (&log->inits.all, init) {
		if (!joblog_init_is_open(init, log->past))
			continue;
		log->line = init->line;
		say(log, roster_of_pid(&log->texts->roster, init->pid),
			(struct job_saying){.kind = JOB_SAYS_INIT,
				.text = "",
				.text2 = "",
				.a = init->nranks,
				.b = JOB_UNKNOWN});
	}
}

/* Returns the host that the report of this line's speaker names; NULL none. */
static const char *host_of(const struct joblog *log)
{
	return log->host_by == log->report.now ? log->host : NULL;
}

/* Returns the rank whose end the report of this line's speaker told last; JOB_NONE. */
static int reported_rank(const struct joblog *log)
{
	return log->report.by == log->report.now ? log->reporting : JOB_NONE;
}

static void enrol_end(struct joblog *log, const struct joblog_end *end)
{
	const struct roster_entry entry = {.rank = end->rank,
		.local = end->local_rank,
		.pid = end->pid,
		.host = host_of(log),
		.by = log->exhibit->label};

	log->texts->torchrun |= end->local_rank >= 0;
	log->texts->tasks |= end->local_rank < 0;
	if (end->local_rank < 0)
		return;
	roster_add(&log->texts->roster, &entry);
	joblog_locals_add(&log->locals, end->local_rank, end->rank);
}

/* Takes " host : m1", and whose folder " error_file: /logs/none_x1/attempt_0/5/error.json" is. */
static void take_places(struct joblog *log, const char *line)
{
	const char *at = strstr(line, "  error_file: /");
	const char *host = joblog_ends_host(line), *task_host = joblog_ends_task_host(line);
	struct roster_entry entry = {.rank = reported_rank(log), .local = JOB_NONE};

	if (host) {
		log->host = arena_text_max(&log->context->arena, host, HOST_CAP);
		log->host_by = log->report.now;
	}
	if (task_host || host)
		roster_add_host(&log->texts->roster, task_host ? task_host : log->host);
	if (!at || entry.rank == JOB_NONE)
		return;
	entry.file = arena_text_max(&log->context->arena, at + 14, strlen(at + 14));
	roster_add(&log->texts->roster, &entry);
}

/* Takes the error of the rank whose end the report has told last. */
static void take_report(struct joblog *log, const char *line)
{
	int rank = reported_rank(log);
	const char *error = joblog_report_error(
		&log->trace, line, rank != JOB_NONE, &log->context->arena);

	if (error && rank != JOB_NONE && !log->cut)
		*array_add(&log->errors) = (struct told_error){rank,
			arena_text_max(&log->context->arena, error, ERROR_CAP),
			texts_cite(log->texts, log->exhibit, log->line), log->line};
}

static void take_end(struct joblog *log, const char *line)
{
	struct joblog_end ends[JOBLOG_ENDS];
	uint64_t source = joblog_sources_of(&log->sources, log->nth);
	int64_t closed = joblog_ends_closed(line);
	size_t nr;

	log->report.now = source + joblog_locals_agent(line);
	nr = joblog_ends_read(line, &log->report, ends);
	if (joblog_ends_more_aborts(line))
		joblog_ends_forget_shown(log->ends.items, log->ends.nr);
	joblog_attempts_take(&log->attempts, line, log->line);
	joblog_attempts_speaks(&log->attempts, line, log->numbered, log->line);
	take_library(log, line);
	joblog_locals_take(&log->locals, line, source, log->numbered);
	if (closed)
		*array_add(&log->closed) = closed;
	take_places(log, line);
	take_report(log, line);
	if (nr && ends[0].local_rank >= 0)
		log->reporting = ends[0].rank;
	log->reported |= nr && ends[0].local_rank >= 0;
	for (size_t i = 0; i < nr; i++) {
		struct joblog_end *end = array_add(&log->ends);

		*end = ends[i];
		end->cite = texts_cite(log->texts, log->exhibit, log->line);
		end->ordered |= log->ended && joblog_ends_is_order(end);
		end->line = log->line;
		end->first |= log->attempts.at_root;
		if (ends[i].local_rank >= 0 && host_of(log))
			ends[i].host = hash_text(HASH_START, host_of(log));
		joblog_attempts_end(&log->attempts, &ends[i], log->line);
		enrol_end(log, &ends[i]);
	}
	if (joblog_ends_all(line) || joblog_spawn_code(line))
		joblog_attempts_dies(&log->attempts, JOB_NONE, log->line);
	log->ended |= joblog_ends_all(line);
	texts_add_slurm(log->texts, joblog_ends_slurm_job(line), -1);
}

/* Takes the rank of a worker's file from PyTorch's hook; a file with two is of all. */
static void take_owner(struct joblog *log, const char *line)
{
	struct log_marks marks;
	int rank = log_marks_hook(line, log_marks_read(line, false, &marks));

	if (rank == JOB_NONE)
		return;
	if (log->owner == JOB_NONE)
		log->owner = rank;
	else if (log->owner != rank)
		log->folder = NULL;
}

/* Finds whose file it is, by the folder that torchrun put it in. */
static void find_owner(struct joblog *log)
{
	size_t len = roster_folder(log->exhibit->label);

	log->owner = JOB_NONE;
	if (!len)
		return;
	log->folder = arena_text_max(&log->context->arena, log->exhibit->label, len);
	for_each_line(log, log->text, take_owner);
	if (log->folder && log->owner != JOB_NONE)
		roster_add(&log->texts->roster,
			&(const struct roster_entry){.rank = log->owner,
				.local = JOB_NONE,
				.folder = log->folder});
}

/* Asks other files of the folder, or the launcher, if the file does not tell whose it is. */
static void settle_owner(struct joblog *log)
{
	struct roster_entry entry = {.local = JOB_NONE, .folder = log->folder};

	if (!log->folder) {
		log->owner = JOB_NONE;
		return;
	}
	entry.rank = roster_of_folder(&log->texts->roster, log->folder);
	if (entry.rank == JOB_NONE) {
		entry.rank = roster_of_local(&log->texts->roster, log->folder);
		if (entry.rank != JOB_NONE)
			roster_add(&log->texts->roster, &entry);
	}
	log->owner = entry.rank;
}

/* --- Whose they are --------------------------------------------------------------------------- */

/* Tells how one of its processes ended, as the launcher says; it ends by that itself. */
static void tell_spawn(struct joblog *log)
{
	if (log->spawn.known) {
		log->line = log->spawn.line;
		say(log, JOB_NONE, joblog_spawn_saying(&log->spawn, &log->context->arena, ""));
		job_add_ending(log->texts->builder, -1);
	}
	joblog_spawn_forget(&log->spawn);
}

/*
 * True if the rank ended by itself, and badly, as its launcher says. Whom others ended may have
 * printed a traceback long before, and gone on.
 */
static bool has_failed(const struct joblog *log, const struct decode_process *process, int rank)
{
	if (process->end.witness == WITNESS_PARENT)
		return process->end.end == JOB_EXITED && process->end.status;
	for (size_t i = 0; i < log->ends.nr; i++)
		if (log->ends.items[i].rank == rank && log->ends.items[i].line > log->past)
			return !log->ends.items[i].signaled && log->ends.items[i].status;
	return false;
}

/* Tells an end by a rank's own words; without the hook's mark the launcher must tell it, too. */
static void give_error(struct joblog *log, struct decode_process *process,
	const struct rank_log *one)
{
	if (one->over && (one->hooks || has_failed(log, process, one->rank)))
		joblog_told_error(log->texts, process, one->error, one->cite);
}

/* Returns the rank's process, of the attempt that the log ends with. */
static struct decode_process *process_of(struct joblog *log, int rank)
{
	struct decode_process *process = texts_process(log->texts, rank, TEXTS_LOG);

	if (process && texts_made(process) && log->restarts > process->fact.restart)
		process->fact.restart = log->restarts;
	return process;
}

static void give_words(struct joblog *log, const struct rank_log *one)
{
	struct decode_process *process = process_of(log, one->rank);

	if (!process)
		return;
	if (!process->log.len)
		process->log = (struct decode_log){
			.text = arena_copy(
				&log->context->arena, str_text(&one->text), one->text.len),
			.len = one->text.len,
			.numbered = log->numbered,
			.cite = one->cite,
			.when = log->exhibit->when};
	give_error(log, process, one);
}

static bool was_closed(const struct joblog *log, int64_t pid)
{
	for (size_t i = 0; pid && i < log->closed.nr; i++)
		if (log->closed.items[i] == pid)
			return true;
	return false;
}

/* True if the rank has told an error: whom the kernel kills writes none. */
static bool has_told_error(const struct joblog *log, int rank)
{
	for (size_t i = 0; i < log->ranks.nr; i++)
		if (log->ranks.items[i].rank == rank)
			return log->ranks.items[i].error && *log->ranks.items[i].error;
	return false;
}

static void give_end(struct joblog *log, const struct joblog_end *told)
{
	struct decode_process *process = process_of(log, told->rank);

	if (!process)
		return;
	if (told->ordered || (told->signaled && was_closed(log, told->pid)))
		joblog_told_order(log->texts, process, told->cite);
	if (told->aborted) {
		if (!told->ordered)
			joblog_told_error(log->texts, process,
				joblog_ends_abort_error(&log->context->arena, told->status),
				told->cite);
		return;
	}
	process->fact.failed_first |= told->first && !told->ordered;
	if (texts_made(process) && log->numbered &&
		joblog_ends_by_memory(log->ends.items, log->ends.nr, told, log->past) &&
		!has_told_error(log, told->rank))
		process->fact.oom_cite = told->cite;
	joblog_told_end(log->texts, process,
		&(const struct decode_end){WITNESS_PARENT,
			told->signaled ? JOB_SIGNALED : JOB_EXITED, told->status, JOB_UNKNOWN,
			told->cite});
}

static void give_told(struct joblog *log, const struct told_error *told)
{
	struct decode_process *process = process_of(log, told->rank);

	if (process)
		joblog_told_error(log->texts, process, told->error, told->cite);
}

static void begin_log(struct joblog *log, struct texts *texts, const struct exhibit *exhibit)
{
	*log = (struct joblog){.texts = texts,
		.context = texts->context,
		.exhibit = exhibit,
		.text = texts_of(texts, exhibit),
		.report = {.rank = -1, .local_rank = -1},
		.reporting = JOB_NONE,
		.owner = JOB_NONE};
	log->numbered = joblog_lines_numbered(log->text);
	texts->tasks |= log->numbered;
	joblog_sources_take(&log->sources, (const char *)arena_text_max(&texts->context->arena,
		exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len));
	for_each_line(log, log->text, take_end);
	joblog_sources_release(&log->sources);
	log->numbered &= !log->locals.agents;
	log->past = joblog_attempts_past(&log->attempts, &log->restarts);
	find_owner(log);
	joblog_inits_enrol(&log->inits, texts);
}

/* True if the tasks of srun or mpirun are no ranks, but start them. */
static bool tasks_are_agents(const struct joblog *log)
{
	return log->texts->torchrun || log->locals.agents || log->spawn.known;
}

static void finish_log(struct joblog *log)
{
	struct rank_log *one;
	struct joblog_end *end;
	bool aborted = false;

	log->texts->doubt = texts_doubt_of(log->texts, log->exhibit);
	log->place = alloc_zeroed(RANKS_MOST, sizeof(int));
	settle_owner(log);
	for_each_line(log, log->text, take_line);
	tell_inits(log);
	tell_spawn(log);
	/* After it has told how its ranks failed, torchrun ends with status 1. */
	if (log->reported)
		job_add_ending(log->texts->builder, 1);
	array_sort(&log->ranks, compare_ranks);
	if (!log->numbered && joblog_ends_show_several(log->ends.items, log->ends.nr, log->past))
		joblog_ends_forget_shown(log->ends.items, log->ends.nr);
	array_for_each (&log->ends, end) {
		/* Of an abort all others are killed. */
		aborted |= end->aborted && end->line > log->past;
		end->ordered |= aborted && end->signaled && joblog_ends_is_order(end);
		if (end->line > log->past && (end->local_rank >= 0 || !tasks_are_agents(log)))
			give_end(log, end);
		log->cancelled |= end->line > log->past && (end->alone || end->aborted);
	}
	if (log->cancelled && !log->reported)
		job_add_ending(log->texts->builder, -1);
	for (size_t i = 0; i < log->errors.nr; i++)
		if (log->errors.items[i].line > log->past)
			give_told(log, &log->errors.items[i]);
	array_release(&log->errors);
	array_for_each (&log->ranks, one) {
		give_words(log, one);
		str_release(&one->text);
	}
	array_release(&log->ranks);
	free(log->place);
	array_release(&log->ends);
	array_release(&log->closed);
	array_release(&log->watched);
	joblog_inits_release(&log->inits);
	joblog_attempts_release(&log->attempts);
}

/* Reads who is who from all logs before any lines, and launchers' logs before workers' own. */
void texts_read_joblogs(struct texts *texts)
{
	size_t nr = texts->context->texts.nr, n = 0;
	struct joblog *logs = alloc_zeroed(nr + 1, sizeof(*logs));

	for (size_t i = 0; i < nr; i++)
		if (texts->context->texts.items[i]->kind == EXHIBIT_JOB_LOG)
			begin_log(&logs[n++], texts, texts->context->texts.items[i]);
	for (int own = 0; own < 2; own++)
		for (size_t i = 0; i < n; i++)
			if ((logs[i].folder != NULL) == own)
				finish_log(&logs[i]);
	free(logs);
}
