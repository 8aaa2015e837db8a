/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/logs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "decode/kinds.h"

#define LOG_LINE_CAP 400

/*
 * How a line looks that names an error. Of several kinds in one log the first listed counts: what a
 * process says of itself before what it says of others.
 */
static const struct {
	const char *start;
	const char *anywhere;
} log_errors[] = {
	{"Fatal Python error: ", NULL},
	{NULL, "CUDA error"},
	{NULL, "CUDA out of memory"},
	{"what(): ", NULL}, /* behind the next */
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
	{NULL, "NCCL error"},
	{NULL, "NCCL WARN"},
	{NULL, "Watchdog caught"},
	{NULL, "watchdog got stuck"},
	{NULL, "Connection closed by peer"},
	{NULL, "Connection reset by peer"},
	{NULL, "Timed out waiting"},
};

struct log_scan {
	char mark[32]; /* lines of others are skipped unless they begin so; "" none are */
	struct str last;
	struct str error;
	size_t error_kind;
	bool in_traceback;
};

/* The last line of a traceback is the first that is not indented behind its head. */
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

static void log_take(struct log_scan *scan, const char *line)
{
	bool traceback = log_ends_traceback(scan, line);
	size_t kind = traceback ? 0 : 1 + log_error_kind(line + strspn(line, " "));

	if (!*line)
		return;
	if (!isspace((unsigned char)*line) || !scan->last.len) {
		str_cut(&scan->last, 0);
		str_add(&scan->last, line);
	}
	if (kind <= sizeof(log_errors) / sizeof(log_errors[0]) &&
		(!scan->error.len || kind <= scan->error_kind)) {
		str_cut(&scan->error, 0);
		str_add(&scan->error, line + strspn(line, " "));
		scan->error_kind = kind;
	}
}

/* "[rank3]: ", which torch puts before each line of a rank's traceback; its length, 0 none. */
static size_t log_rank_mark(const char *at, size_t len)
{
	static const char start[] = "[rank";
	size_t n = sizeof(start) - 1;

	if (len <= n || memcmp(at, start, n) != 0)
		return 0;
	while (n < len && isdigit((unsigned char)at[n]))
		n++;
	if (len - n < 2 || at[n] != ']' || at[n + 1] != ':')
		return 0;
	n += 2;
	return n < len && at[n] == ' ' ? n + 1 : n;
}

/* One line, without its end and without what is no text. */
static void log_line(struct log_scan *scan, const char *at, size_t len)
{
	struct str line = {0};
	size_t mark = strlen(scan->mark);

	if (len < mark || memcmp(at, scan->mark, mark))
		return;
	if (!mark)
		mark = log_rank_mark(at, len);
	else
		for (const char *more = ": "; *more && mark < len && at[mark] == *more; more++)
			mark++;
	at += mark;
	len -= mark;
	while (len && isspace((unsigned char)at[len - 1]))
		len--;
	for (size_t i = 0; i < len && line.len < LOG_LINE_CAP; i++)
		if (at[i] == '\t' || (unsigned char)at[i] >= ' ')
			str_add_char(&line, at[i]);
	log_take(scan, str_text(&line));
	str_release(&line);
}

static void log_scan(struct log_scan *scan, const struct decode_log *log)
{
	for (size_t at = 0; at < log->len;) {
		const char *newline = memchr(log->text + at, '\n', log->len - at);
		size_t len = newline ? (size_t)(newline - log->text) - at : log->len - at;

		log_line(scan, log->text + at, len);
		at += len + 1;
	}
}

/* Whether another process writes to the same file. */
static bool log_is_shared(
	const struct decode_context *context, const struct decode_process *process)
{
	for (size_t i = 0; process->log.file && i < context->processes.nr; i++) {
		const struct decode_process *other = context->processes.items[i];

		if (other != process && other->log.file &&
			!strcmp(other->log.file, process->log.file) &&
			!strcmp(other->who.host, process->who.host))
			return true;
	}
	return false;
}

void logs_finish(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process)
{
	const struct decode_log *log = process->log.len ? &process->log : &process->ring_log;
	struct log_scan scan = {{0}, {0}, {0}, 0, false};

	if (log == &process->log && log_is_shared(context, process)) {
		if (process->ring_log.len)
			log = &process->ring_log;
		else if (process->identity.world_rank >= 0)
			snprintf(scan.mark, sizeof(scan.mark), "[rank%d]",
				process->identity.world_rank);
		else
			return;
	}
	log_scan(&scan, log);
	if (scan.last.len || scan.error.len) {
		const struct job_log fact = {
			.last_line = str_text(&scan.last),
			.error = str_text(&scan.error),
			.when = log->when,
			.cite = arena_printf(
				&context->arena, "log:%s", context_name(context, process)),
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
