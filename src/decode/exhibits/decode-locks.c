/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes which file's lock a process waits for, the lock's holder, and which locks it has itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/context.h"
#include "decode/kinds.h"

/* Returns what follows `begin` in the first line that begins so; NULL there is none. */
static const char *line_of(const char *text, const char *begin)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, begin, strlen(begin)))
			return line + strlen(begin);
	return NULL;
}

static const char *copy_line(struct decode_context *context, const char *text)
{
	return arena_printf(&context->arena, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Takes the holder of what it waits for: "PID START COMM". */
static void take_holder(
	struct decode_context *context, const char *text, struct decode_process *process)
{
	int at = 0;

	if (sscanf(text, "%" SCNu32 " %" SCNu64 " %n", &process->fact.lock_pid,
		    &process->fact.lock_start, &at) != 2 ||
		!at) {
		process->fact.lock_pid = 0;
		process->fact.lock_start = 0;
		return;
	}
	process->fact.lock_by = copy_line(context, text + at);
}

/* Takes files that it has a lock of, or only open, but not those that it waits for. */
static void take_files(
	struct decode_context *context, const char *text, struct decode_process *process)
{
	for (const char *file = line_of(text, "file "); file; file = line_of(file, "file ")) {
		const char *path = copy_line(context, file), *next = file + strlen(path);

		if (!strcmp(path, process->fact.lock))
			continue;
		if (!strncmp(next, "\nlock ", strlen("\nlock "))) {
			if (!*process->fact.lock_held)
				process->fact.lock_held = path;
		} else if (!*process->fact.lock_open) {
			process->fact.lock_open = path;
		}
	}
}

static int locks_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	const char *text = arena_text_max(
		&context->arena, exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);
	struct decode_process *process =
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	const char *wait = line_of(text, "wait "), *path = line_of(text, "for "),
		   *holder = line_of(text, "by ");

	(void)builder;
	(void)why;
	process->fact.locks_read = true;
	process->fact.lock = "";
	if (wait)
		process->fact.lock = path ? copy_line(context, path) : "a file";
	if (wait && holder)
		take_holder(context, holder, process);
	take_files(context, text, process);
	process->fact.lock_cite =
		arena_printf(&context->arena, "locks:%s", context_name(context, process));
	return 0;
}

const struct decoder decode_proc_locks = {EXHIBIT_PROC_LOCKS, locks_decode};
