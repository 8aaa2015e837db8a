/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/logs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "evidence/gather/log-marks.h"
#include "decode/exhibits/joblog-ends.h"
#include "decode/exhibits/log-plain.h"
#include "decode/kinds.h"
#include "evidence/agent/own-words.h"

/* Bytes of a line that are kept. */
#define LOG_LINE_CAP 400
#define LOG_RAW_CAP  1200 /* with the marks before it */

/*
 * How a line begins, or what it contains, that names an error. Of several kinds in one log the
 * first listed counts: what a process says of itself comes before what it says of others.
 */
static const struct {
	const char *start;
	const char *anywhere;
} log_errors[] = {
	{"Fatal Python error: ", NULL},
	{NULL, "CUDA error"},
	{NULL, "CUDA out of memory"},
	{"what(): ", NULL}, /* comes behind the next */
	{"terminate called ", NULL},
	{NULL, "Assertion "},
	{"Fatal glibc error: ", NULL},
	{"malloc(): ", NULL},
	{"realloc(): ", NULL},
	{"free(): ", NULL},
	{"munmap_chunk(): ", NULL},
	{"double free or corruption", NULL},
	{"corrupted ", NULL},
	{"*** stack smashing detected ***", NULL},
	{"*** buffer overflow detected ***", NULL},
	{NULL, "acquire GIL"},
#define LOG_ERROR(text) {NULL, text},
#define LOG_NOISE(text)
#define ENVIRONMENT(pattern)
#include "lists/backend-words.def"
#undef LOG_ERROR
#undef LOG_NOISE
	{NULL, "JAX distributed service detected fatal errors"},
};

/* Lines of no worth: what a framework says of itself by itself. */
static const char *const log_noises[] = {
	"Warning: ",
	"warnings.warn(",
#define LOG_ERROR(text)
#define LOG_NOISE(text) text,
#include "lists/backend-words.def"
#undef LOG_ERROR
#undef LOG_NOISE
#undef ENVIRONMENT
	"OMP_NUM_THREADS",
	"TOKENIZERS_PARALLELISM",
	"To disable this warning",
	"resource_tracker",
};

/* What a line tells of what a rank did last. */
enum log_worth {
	LOG_NOISE,
	LOG_PROGRESS, /* a bar that is drawn over and over */
	LOG_USEFUL,
};

/* The process whose lines are looked for. */
struct log_owner {
	int rank, local_rank; /* JOB_NONE not known */
	uint32_t pid, here;
	bool shared;   /* lines that name no rank do not count */
	bool numbered; /* a plain number before a line is its rank */
};

/* What the lines so far told. */
struct log_scan {
	const struct decode_context *context;
	const struct decode_process *process;
	struct log_owner owner;
	struct str last;
	enum log_worth worth;
	struct str error;
	size_t error_kind;
	bool in_traceback;
};

/* True for the last line of a traceback, the first that is not indented behind its head. */
static bool log_ends_traceback(struct log_scan *scan, const char *line)
{
	if (strstr(line, "Traceback (most recent call last)")) {
		scan->in_traceback = true;
		return false;
	}
	if (!scan->in_traceback || *line == ' ' || *line == '\t' || !isalpha((unsigned char)*line))
		return false;
	scan->in_traceback = false;
	return true;
}

/*
 * Returns the place in log_errors of the error that the line names; their number if it names none.
 */
static size_t log_error_kind(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(log_errors) / sizeof(log_errors[0]); i++) {
		const char *start = log_errors[i].start;

		if (start && !strncmp(line, start, strlen(start)))
			break;
		if (log_errors[i].anywhere && strstr(line, log_errors[i].anywhere))
			break;
	}
	return i;
}

static bool log_is_progress(const char *line)
{
	return strstr(line, "%|") || strstr(line, "it/s]") || strstr(line, "s/it]");
}

static enum log_worth log_worth(const char *line, const struct log_marks *marks)
{
	bool says = false;

	for (const char *at = line; *at && !says; at++)
		says = isalnum((unsigned char)*at) || (unsigned char)*at >= 0x80;
	if (!says || isspace((unsigned char)*line))
		return LOG_NOISE;
	if (marks->of_framework && marks->level != 'E' && marks->level != 'F')
		return LOG_NOISE;
	for (size_t i = 0; i < sizeof(log_noises) / sizeof(log_noises[0]); i++)
		if (strstr(line, log_noises[i]))
			return LOG_NOISE;
	return log_is_progress(line) ? LOG_PROGRESS : LOG_USEFUL;
}

static void log_keep(struct str *into, const char *line)
{
	str_cut(into, 0);
	str_add(into, line);
	str_cut(into, LOG_LINE_CAP);
}

/* Takes a line of the owner's, without its marks. */
static void log_take(struct log_scan *scan, const char *line, const struct log_marks *marks)
{
	bool traceback = log_ends_traceback(scan, line);
	size_t kind = traceback ? 0 : 1 + log_error_kind(line + strspn(line, " "));
	enum log_worth worth = log_worth(line, marks);

	if (!*line)
		return;
	if (worth >= scan->worth) {
		log_keep(&scan->last, line);
		scan->worth = worth;
	}
	if (kind <= sizeof(log_errors) / sizeof(log_errors[0]) &&
		(!scan->error.len || kind <= scan->error_kind)) {
		log_keep(&scan->error, line + strspn(line, " "));
		scan->error_kind = kind;
	}
}

/* True if a line is the owner's, by its marks or the lack of them. */
static bool log_is_owners(const struct log_owner *owner, const struct log_marks *marks)
{
	switch (marks->by) {
	case LOG_MARKS_RANK:
		return owner->rank == JOB_NONE ? !owner->shared : marks->number == owner->rank;
	case LOG_MARKS_LOCAL:
		return owner->local_rank == JOB_NONE ? !owner->shared
						     : marks->number == owner->local_rank;
	case LOG_MARKS_PID:
		return marks->number == owner->pid || marks->number == owner->here;
	case LOG_MARKS_NOBODY:
		break;
	}
	return !owner->shared;
}

/* True if a process of that pid, on the host of this one, is of an earlier attempt. */
static bool log_is_earlier(const struct log_scan *scan, int64_t pid)
{
	for (size_t i = 0; i < scan->context->processes.nr; i++) {
		const struct decode_process *other = scan->context->processes.items[i];

		if (other->fact.restart < scan->process->fact.restart &&
			(other->who.pid == pid || other->here == pid) &&
			!strcmp(other->who.host, scan->process->who.host))
			return true;
	}
	return false;
}

/*
 * Forgets what an earlier attempt wrote into the file that it has in common with this one, at a
 * line by which torchrun tells of an end in that.
 */
static void log_drop_earlier(struct log_scan *scan, const char *line)
{
	int64_t pid = scan->process->fact.restart > 0 ? joblog_ends_closed(line) : 0;

	if (!pid && scan->process->fact.restart > 0)
		pid = joblog_ends_failed(line);
	if (!pid || !log_is_earlier(scan, pid))
		return;
	str_cut(&scan->last, 0);
	str_cut(&scan->error, 0);
	scan->worth = LOG_NOISE;
	scan->in_traceback = false;
}

static void log_line(struct log_scan *scan, const char *at, size_t len)
{
	struct log_marks marks;
	struct str line = {0};
	size_t before;

	log_plain_shown(&line, at, len, LOG_RAW_CAP);
	log_drop_earlier(scan, str_text(&line));
	before = log_marks_read(str_text(&line), scan->owner.numbered, &marks);
	if (log_is_owners(&scan->owner, &marks))
		log_take(scan, str_text(&line) + before, &marks);
	str_release(&line);
}

typedef void log_visitor(void *with, const char *line, size_t len);

/* Calls `visit` for every line but those that we wrote ourselves. */
static void log_for_each(const struct decode_log *log, log_visitor *visit, void *with)
{
	char *text = alloc_copy(log->text, log->len);
	size_t nr = own_words_drop(text, log->len);

	for (size_t at = 0; at < nr;) {
		const char *newline = memchr(text + at, '\n', nr - at);
		size_t len = newline ? (size_t)(newline - text) - at : nr - at;

		visit(with, text + at, len);
		at += len + 1;
	}
	free(text);
}

static void log_scan_line(void *with, const char *line, size_t len)
{
	log_line(with, line, len);
}

/* What the numbers before lines look like. */
struct log_numbers {
	size_t with, without; /* lines */
	int64_t last;
	bool counts; /* each is one more than the one before, as steps are, and not ranks */
};

static void log_number_line(void *with, const char *at, size_t len)
{
	struct log_numbers *numbers = with;
	struct str line = {0};
	int64_t number;

	log_plain_shown(&line, at, len, LOG_RAW_CAP);
	number = log_marks_task(str_text(&line));
	if (number >= 0) {
		numbers->counts &= !numbers->with || number == numbers->last + 1;
		numbers->last = number;
		numbers->with++;
	} else if (line.len) {
		numbers->without++;
	}
	str_release(&line);
}

/*
 * True if srun -l, or its like, puts the rank before each line: then it stands before all of them.
 */
static bool log_is_numbered(const struct decode_log *log, bool shared)
{
	struct log_numbers numbers = {.counts = true};

	log_for_each(log, log_number_line, &numbers);
	return numbers.with && !numbers.without && (shared || !numbers.counts);
}

/* Orders by file, then host: those of one file are neighbours. */
static int compare_files(const void *va, const void *vb)
{
	const struct decode_process *a = *(struct decode_process *const *)va;
	const struct decode_process *b = *(struct decode_process *const *)vb;
	int order = strcmp(a->log.file, b->log.file);

	return order ? order : strcmp(a->who.host, b->who.host);
}

void logs_find_shared(struct decode_context *context)
{
	ARRAY(struct decode_process *) all = {0};

	for (size_t i = 0; i < context->processes.nr; i++)
		if (context->processes.items[i]->log.file)
			*array_add(&all) = context->processes.items[i];
	array_sort(&all, compare_files);
	for (size_t i = 1; i < all.nr; i++)
		if (!compare_files(&all.items[i - 1], &all.items[i]))
			all.items[i - 1]->log.shared = all.items[i]->log.shared = true;
	array_release(&all);
}

void logs_finish(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process)
{
	const struct decode_log *log = process->log.len ? &process->log : &process->ring_log;
	struct log_scan scan = {.context = context,
		.process = process,
		.owner = {.rank = process->identity.world_rank.n,
			.local_rank = process->identity.local_rank,
			.pid = process->who.pid,
			.here = process->here}};

	if (log == &process->log && log->shared) {
		if (process->ring_log.len)
			log = &process->ring_log;
		else
			scan.owner.shared = true;
	}
	if (!log->len)
		return;
	scan.owner.numbered = log->numbered || log_is_numbered(log, scan.owner.shared);
	log_for_each(log, log_scan_line, &scan);
	if (scan.last.len || scan.error.len) {
		const struct job_log fact = {
			.last_line = str_text(&scan.last),
			.error = str_text(&scan.error),
			.when = log->when,
			.cite = log->cite ? log->cite
					  : arena_printf(&context->arena, "log:%s",
						    context_name(context, process)),
		};

		process->identity.knows |= JOB_KNOWS_LOG;
		job_add_log(builder, process->who, &fact);
	}
	str_release(&scan.last);
	str_release(&scan.error);
}

static int stderr_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_process *process =
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);

	(void)builder;
	(void)why;
	process->log.text = arena_copy(
		&context->arena, exhibit->len ? (const void *)exhibit->bytes : "", exhibit->len);
	process->log.len = exhibit->len;
	process->log.file = *exhibit->label ? arena_text(&context->arena, exhibit->label) : NULL;
	process->log.when = exhibit->when;
	return 0;
}

const struct decoder decode_stderr = {EXHIBIT_STDERR, stderr_decode};
