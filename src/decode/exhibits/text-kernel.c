/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an excerpt of the kernel's log, as dmesg, journalctl or a syslog file have it. A pid in it
 * is of the host that the line names, one that a launcher tells may be of a container: so a kill is
 * a rank's only if its launcher, too, says that SIGKILL ended it. All else is told of the job, and
 * of no rank.
 *
 *	Memory cgroup out of memory: Killed process 4711 (python) total-vm:..., anon-rss:...
 *	NVRM: Xid (PCI:0000:4b:00): 79, pid=4711, name=python, GPU has fallen off the bus.
 *
 * (Linux mm/oom_kill.c; NVIDIA's guide "Xid errors".)
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "decode/exhibits/texts.h"

#define QUOTE_MOST 160

struct kernel {
	struct texts *texts;
	const struct exhibit *exhibit;
	int64_t line;
	const char *host; /* the host that the line names; NULL none */
};

/* Words of lines that are told of the job as a whole. */
static const char *const telling[] = {"ut of memory: Killed process", "SXid", "NVLink",
	"[Hardware Error]", "Machine check", "EDAC ", "blocked for more than", "not responding",
	"I/O error", "segfault at"};

/* Skips what stands before the words: a date, a host, "kernel:", "[12345.678]". */
static const char *words_of(const char *line)
{
	const char *at = strstr(line, "kernel: ");

	at = at ? at + strlen("kernel: ") : line;
	if (*at == '[' && strncmp(at, "[Hardware", 9) != 0 && strchr(at, ']'))
		at = strchr(at, ']') + 1;
	return at + strspn(at, " ");
}

/* Returns the host in "Nov 24 03:11:52 m2 kernel: ..."; NULL none is told, as in dmesg. */
static const char *host_of(struct kernel *kernel, const char *line)
{
	const char *end = strstr(line, " kernel: "), *begin = end;

	while (begin && begin > line && begin[-1] != ' ')
		begin--;
	return begin && begin > line ? arena_text_max(&kernel->texts->context->arena, begin,
					       (size_t)(end - begin))
				     : NULL;
}

static void say(struct kernel *kernel, int rank, struct job_saying saying, const char *words)
{
	struct arena *arena = &kernel->texts->context->arena;

	saying.text = arena_text_max(arena, words, QUOTE_MOST);
	saying.cite = texts_cite(kernel->texts, kernel->exhibit, kernel->line);
	texts_say(kernel->texts, rank, &saying);
}

static struct job_saying nothing(enum job_saying_kind kind)
{
	return (struct job_saying){.kind = kind, .text2 = "", .a = JOB_UNKNOWN, .b = JOB_UNKNOWN};
}

/* Returns the rank that was killed, if its launcher says so, too; else JOB_NONE. */
static int killed_rank(struct kernel *kernel, const char *words)
{
	const char *at = strstr(words, "Killed process ");
	int64_t pid = at ? strtoll(at + strlen("Killed process "), NULL, 10) : 0;
	int rank = roster_of_pid_on(&kernel->texts->roster, pid, kernel->host);
	struct decode_process *process = texts_process(kernel->texts, rank, 0);

	if (!process || process->end.end != JOB_SIGNALED || process->end.status != SIGKILL)
		return JOB_NONE;
	process->fact.oom_cite = texts_cite(kernel->texts, kernel->exhibit, kernel->line);
	if (process->fact.by_texts)
		process->fact.by_texts |= TEXTS_KERNEL;
	return rank;
}

/* Takes "(PCI:0000:4b:00): 79, pid=4711, name=python, GPU has fallen off the bus." */
static void take_xid(struct kernel *kernel, const char *at)
{
	struct job_saying saying = nothing(JOB_SAYS_XID);
	const char *pid = strstr(at, "pid="), *words;
	char bus[32] = "";
	int number, rank = JOB_NONE;

	if (sscanf(at, " (PCI:%31[0-9a-fA-F:.]): %6d", bus, &number) != 2 || number < 0)
		return;
	words = strchr(strstr(at, "):"), ',');
	for (; words && (!strncmp(words, ", pid=", 6) || !strncmp(words, ", name=", 7));
		words = strchr(words + 1, ','))
		continue;
	if (pid)
		rank = roster_of_pid_on(&kernel->texts->roster, strtoll(pid + 4, NULL, 10),
			kernel->host);
	saying.a = number;
	saying.text2 = arena_text(&kernel->texts->context->arena, bus);
	say(kernel, rank, saying, words ? words + 1 + strspn(words + 1, " ") : "");
	if (rank != JOB_NONE) {
		struct decode_process *process = texts_process(kernel->texts, rank, 0);

		if (process && process->fact.by_texts && process->end.witness)
			process->fact.by_texts |= TEXTS_KERNEL;
	}
}

static void take_line(void *with, const char *line, int64_t number)
{
	struct kernel *kernel = with;
	const char *words = words_of(line), *xid = strstr(words, "NVRM: Xid");

	kernel->line = number;
	kernel->host = NULL;
	if (xid) {
		kernel->host = host_of(kernel, line);
		take_xid(kernel, xid + strlen("NVRM: Xid"));
		return;
	}
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if (strstr(words, telling[i])) {
			kernel->host = host_of(kernel, line);
			say(kernel, killed_rank(kernel, words), nothing(JOB_SAYS_KERNEL), words);
			return;
		}
}

void texts_read_kernel(struct texts *texts, const struct exhibit *exhibit)
{
	struct kernel kernel = {.texts = texts, .exhibit = exhibit};

	texts_each_line(texts_of(texts, exhibit), take_line, &kernel);
}
