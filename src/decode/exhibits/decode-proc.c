/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes samples of /proc: stat, status, io, wchan. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/procstat.h"
#include "decode/context.h"
#include "decode/kinds.h"

/* An io text is read at most so long after the stat that it belongs to, ns. */
#define IO_BEHIND_STAT (500 * CLOCK_NS_PER_MS)

static struct decode_process *proc_of(struct decode_context *context, const struct exhibit *exhibit)
{
	return context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
}

/* Takes a zombie's exit code as its end. */
static void proc_zombie(struct decode_context *context, struct decode_process *process,
	const struct procstat *stat)
{
	struct decode_end end = {
		.witness = WITNESS_ZOMBIE,
		.when = JOB_UNKNOWN,
		.cite = arena_printf(&context->arena, "proc:%s", context_name(context, process)),
	};

	if (!stat->exit_code_known)
		return;
	if (WIFSIGNALED(stat->exit_code)) {
		end.end = JOB_SIGNALED;
		end.status = WTERMSIG(stat->exit_code);
	} else {
		end.end = JOB_EXITED;
		end.status = WEXITSTATUS(stat->exit_code);
	}
	context_end(process, &end);
}

static int stat_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_process *process;
	struct procstat stat;

	(void)builder;
	if (!exhibit->len ||
		!procstat_parse((const char *)exhibit->bytes, exhibit->len, &stat))
		return complaint_set(why, "it cannot be parsed");
	process = proc_of(context, exhibit);
	process->identity.knows |= JOB_KNOWS_PROC;
	/* Samples come in the order of time, so that the latest one stays. */
	process->fact.state = stat.state;
	process->ppid_here = stat.ppid;
	process->comm_now = arena_text(&context->arena, stat.comm);
	if (!*process->fact.comm)
		process->fact.comm = process->comm_now;
	*array_add(&process->samples) = (struct decode_sample){
		.when = exhibit->when,
		.cpu_ticks = checked_add(checked_count(stat.cpu_ticks),
			checked_count(stat.reaped_ticks)),
		.rss_pages = stat.rss_pages,
		.written = JOB_UNKNOWN,
		.runs = JOB_UNKNOWN,
		.state = stat.state,
	};
	proc_zombie(context, process, &stat);
	return 0;
}

const struct decoder decode_proc_stat = {EXHIBIT_PROC_STAT, stat_decode};

/* Takes the line of the process' tracer: a pid that we see, else 0. */
static int status_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	const char *text = arena_text_max(&context->arena,
		exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);
	const char *line = strstr(text, "\nTracerPid:");
	unsigned long pid;

	(void)builder;
	(void)why;
	if (!line)
		return 0;
	pid = strtoul(line + strlen("\nTracerPid:"), NULL, 10);
	if (pid <= INT32_MAX)
		proc_of(context, exhibit)->fact.tracer = (uint32_t)pid;
	return 0;
}

const struct decoder decode_proc_status = {EXHIBIT_PROC_STATUS, status_decode};

static int io_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_process *process = proc_of(context, exhibit);
	struct decode_sample *sample, *found = NULL;
	char *text = arena_text_max(&context->arena,
		exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);
	int64_t written = procstat_written(text);

	(void)builder;
	if (written < 0)
		return complaint_set(why, "it does not say what was written");
	array_for_each(&process->samples, sample)
		if (sample->when <= exhibit->when && exhibit->when - sample->when < IO_BEHIND_STAT)
			found = sample;
	if (found)
		found->written = written;
	return 0;
}

const struct decoder decode_proc_io = {EXHIBIT_PROC_IO, io_decode};

static int wchan_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	size_t len = 0;

	(void)builder;
	(void)why;
	while (len < exhibit->len && len < 128 && isgraph(exhibit->bytes[len]))
		len++;
	/* "0" means that it runs, or that the kernel does not tell. */
	if (len && !(len == 1 && exhibit->bytes[0] == '0'))
		proc_of(context, exhibit)->fact.wchan = arena_text_max(
			&context->arena, (const char *)exhibit->bytes, len);
	return 0;
}

const struct decoder decode_proc_wchan = {EXHIBIT_PROC_WCHAN, wchan_decode};
