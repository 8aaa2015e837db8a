/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory is bounded by what is kept, not by how long the job runs: a ring of samples per process, a
 * bound on processes and on control groups. A job that forks for ever loses its oldest dead; the
 * living are never dropped for newcomers, who then go unsampled.
 *
 * A sample is read in one go while the process runs, so its parts are of slightly different
 * moments; what rules ask of it are differences over seconds.
 */
#include "evidence/agent/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/procstat.h"
#include "base/redact.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/agent/worker-env.h"
#include "evidence/format/json-put.h"
#include "proc/cgroup.h"
#include "proc/blocking-read.h"
#include "proc/sight.h"
#include "proc/tree.h"
#include "proc/watch.h"

#define HISTORY_CGROUPS	   64 /* of which counters are kept */
#define HISTORY_READS	   128 /* reads in one round, of all processes */
#define HISTORY_PATIENCE   100 /* how long a round of them may take, in ms */
#define HISTORY_ASKS	   3   /* how often a read is tried that is not answered in time */

/* One sample of one process. */
struct sample {
	int64_t when; /* realtime ns */
	int64_t cpu_ticks; /* its own and of its reaped children */
	int64_t rss_pages; /* resident memory */
	int64_t children; /* direct ones that live */
	int64_t written; /* bytes to storage; -1 not known */
	int64_t runs;	 /* how often its first thread was put on a processor; -1 not known */
	char state; /* as /proc/PID/stat has it: R, S, D, Z */
};

/* Questions are files whose read takes the target's mmap lock, so it may block. */
enum { HISTORY_CMDLINE, HISTORY_ENVIRON, HISTORY_QUESTIONS };

static const struct {
	const char *file;
	size_t cap; /* of a command line, as much as tells whose worker it is */
} history_questions[HISTORY_QUESTIONS] = {
	[HISTORY_CMDLINE] = {"cmdline", 512},
	[HISTORY_ENVIRON] = {"environ", 64 * 1024},
};

/* A watched process; its samples are a ring of which `taken` tells the next place. */
struct history_process {
	struct proc_id id;
	uint32_t ppid; /* at the newest sample */
	uint32_t parent; /* the first parent that it was seen to have; orphans get another */
	char comm[64];
	char *log;     /* path of the file behind fd 2, NULL for no file; kept since the dead
		        * cannot be asked */
	size_t cgroup; /* index into groups, SIZE_MAX not known */
	bool seen;     /* true if the newest sample has it */
	bool child;    /* true for a descendant of one that was named */
	int asked[HISTORY_QUESTIONS]; /* how often each question was asked under its present name */
	char *command; /* command line, its words by blanks, redacted; NULL not known */
	bool named;    /* true if the caller named it: a rank, or what may become one */
	struct json_object *gift; /* its environment and caches (evidence/agent/worker-env.h);
				   * NULL not known */
	struct proc_watch watch; /* notices its end; fd -1: none */
	int64_t ended; /* when its end was noticed, realtime ns; 0 not yet */
	bool status_known; /* true if wait_status is known */
	int wait_status;
	size_t taken; /* samples taken so far; the next is put at this number modulo
		       * HISTORY_SAMPLES */
	struct sample samples[HISTORY_SAMPLES];
};

/* A control group that watched processes are in. */
struct history_cgroup {
	char *groups; /* its name, as proc_cgroup_of() gives it */
	char *first;  /* its counters as text, when it was seen first; NULL never read */
	char *last; /* the same at the newest sample */
	int64_t first_when; /* realtime ns */
	int64_t last_when;
};

struct history {
	ARRAY(struct history_process *) processes;
	size_t watched; /* how many descriptors are in use */
	ARRAY(struct history_cgroup) groups;
	struct proc_list children; /* descendants, as they were listed last, by pid */
	size_t named;	   /* of so many processes */
	int64_t listed;	   /* when that was, CLOCK_MONOTONIC ns; 0 never */
	int64_t list_cost; /* and how much CPU time it took, ns */
};

struct history *history_new(void)
{
	return alloc_zeroed(1, sizeof(struct history));
}

/* Finds a process by pid and start time, since a pid alone may be somebody new; NULL none. */
static struct history_process *history_find(struct history *history, struct proc_id id)
{
	for (size_t i = 0; i < history->processes.nr; i++) {
		struct history_process *process = history->processes.items[i];

		if (process->id.pid == id.pid && process->id.start_time == id.start_time)
			return process;
	}
	return NULL;
}

/* Closes the descriptor by which its end is noticed. */
static void history_unwatch(struct history *history, struct history_process *process)
{
	history->watched -= process->watch.fd >= 0;
	proc_watch_close(&process->watch);
}

static void history_drop(struct history *history, struct history_process *process)
{
	history_unwatch(history, process);
	free(process->log);
	free(process->command);
	json_object_put(process->gift);
	free(process);
}

/*
 * Makes room by forgetting the ended process that has not been seen for longest, if there is one.
 */
static void history_forget(struct history *history)
{
	size_t oldest = SIZE_MAX;
	int64_t oldest_when = INT64_MAX;

	for (size_t i = 0; i < history->processes.nr; i++) {
		const struct history_process *process = history->processes.items[i];
		int64_t when = process->samples[(process->taken - 1) % HISTORY_SAMPLES].when;

		if (!process->seen && when < oldest_when) {
			oldest = i;
			oldest_when = when;
		}
	}
	if (oldest == SIZE_MAX)
		return;
	history_drop(history, history->processes.items[oldest]);
	memmove(&history->processes.items[oldest], &history->processes.items[oldest + 1],
		(history->processes.nr - oldest - 1) * sizeof(history->processes.items[0]));
	history->processes.nr--;
}

/* Returns how many bytes the process has written to storage; -1 where we may not ask. */
static int64_t history_written(uint32_t pid)
{
	struct str text = {0};
	int64_t written = -1;

	if (proc_read(pid, "io", &text, NULL) == 0)
		written = procstat_written(str_text(&text));
	str_release(&text);
	return written;
}

/*
 * Returns how often the process' first thread was put on a processor; -1 where the kernel does not
 * say. Where two samples are equal, it has not run in between.
 */
static int64_t history_runs(uint32_t pid)
{
	struct str text = {0};
	unsigned long long runs;
	int64_t result = -1;

	if (proc_read(pid, "schedstat", &text, NULL) == 0 &&
		sscanf(str_text(&text), "%*u %*u %llu", &runs) == 1 && runs < INT64_MAX)
		result = (int64_t)runs;
	str_release(&text);
	return result;
}

/*
 * Returns the index of the process' control group, which it adds if it is new; SIZE_MAX where it is
 * unknown or there is no room. Groups are told apart by name, so few are read.
 */
static size_t history_group(struct history *history, uint32_t pid)
{
	struct str groups = {0};
	struct history_cgroup *group;
	size_t i;

	if (proc_cgroup_of(pid, &groups) < 0)
		return SIZE_MAX;
	for (i = 0; i < history->groups.nr; i++)
		if (!strcmp(history->groups.items[i].groups, str_text(&groups)))
			break;
	if (i == history->groups.nr && i < HISTORY_CGROUPS) {
		group = array_add(&history->groups);
		group->groups = str_detach(&groups);
	}
	str_release(&groups);
	return i < history->groups.nr ? i : SIZE_MAX;
}

/*
 * Returns the path of the file behind the process' fd 2; NULL if it is none. Only the link is read:
 * the file itself may lie where reading hangs. The caller frees it.
 */
static char *history_log(uint32_t pid)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%u/fd/2", pid);
	len = readlink(link, path, sizeof(path));
	if (len <= 0 || len == (ssize_t)sizeof(path) || path[0] != '/' ||
		!strncmp(path, "/dev/", 5))
		return NULL;
	return alloc_copy(path, (size_t)len);
}

/* Adds a process. Returns NULL where living ones fill all the room. */
static struct history_process *history_add(struct history *history, const struct procstat *stat)
{
	struct history_process *process;

	if (history->processes.nr >= HISTORY_PROCESSES)
		history_forget(history);
	if (history->processes.nr >= HISTORY_PROCESSES)
		return NULL;
	process = alloc_zeroed(1, sizeof(*process));
	process->id = (struct proc_id){stat->pid, stat->start_time};
	process->parent = stat->ppid;
	process->watch = (struct proc_watch){.id = process->id, .fd = -1};
	process->cgroup = history_group(history, stat->pid);
	*array_add(&history->processes) = process;
	return process;
}

/* Notes that a process has ended, now or since the last round. */
static void history_end(struct history *history, struct history_process *process)
{
	if (!process->ended)
		process->ended = clock_realtime_ns();
	if (!process->status_known)
		process->status_known =
			proc_watch_status(&process->watch, &process->wait_status);
	history_unwatch(history, process);
}

/*
 * Notes the process' name and parent. A name that changed is another image, or a worker that said
 * what it is, so all questions are asked anew.
 */
static void history_name(struct history_process *process, const struct procstat *stat)
{
	if (memcmp(process->comm, stat->comm, sizeof(process->comm)) != 0)
		memset(process->asked, 0, sizeof(process->asked));
	memcpy(process->comm, stat->comm, sizeof(process->comm));
	process->ppid = stat->ppid;
}

/* True if the pid is in the list. */
static bool history_is_child(const struct proc_list *children, uint32_t pid)
{
	for (size_t i = 0; i < children->all.nr; i++)
		if (children->all.items[i].pid == pid)
			return true;
	return false;
}

/*
 * Takes one sample of one process, at most one per round. A zombie keeps the log it was seen with:
 * it has no descriptors left to ask.
 */
static void history_take(struct history *history, const struct procstat *stat, bool child)
{
	const struct proc_list *children = &history->children;
	struct proc_id id = {stat->pid, stat->start_time};
	struct history_process *process = history_find(history, id);
	struct sample *sample;

	if (!process)
		process = history_add(history, stat);
	if (!process || process->seen)
		return;
	process->seen = true;
	process->child = child;
	history_name(process, stat);
	if (stat->state == 'Z' && child)
		history_end(history, process);
	if (stat->state != 'Z') {
		free(process->log);
		process->log = history_log(stat->pid);
	}
	sample = &process->samples[process->taken++ % HISTORY_SAMPLES];
	sample->when = clock_realtime_ns();
	sample->cpu_ticks = (int64_t)(stat->cpu_ticks + stat->reaped_ticks);
	sample->rss_pages = stat->rss_pages;
	sample->state = stat->state;
	sample->written = history_written(stat->pid);
	sample->runs = history_runs(stat->pid);
	sample->children = 0;
	for (size_t i = 0; i < children->all.nr; i++)
		sample->children += children->all.items[i].ppid == stat->pid;
}

/*
 * Reads the counters of all groups; they stay readable when a group's processes have died, which is
 * what they are for.
 */
static void history_read_groups(struct history *history)
{
	struct history_cgroup *group;

	array_for_each(&history->groups, group) {
		struct str text = {0};

		if (proc_cgroup_read(group->groups, &text) == 0) {
			int64_t now = clock_realtime_ns();

			if (!group->first) {
				group->first = alloc_text(str_text(&text));
				group->first_when = now;
			}
			free(group->last);
			group->last = str_detach(&text);
			group->last_when = now;
		}
		str_release(&text);
	}
}

/* --- Children -------------------------------------------------------------------------------- */

/*
 * The kernel lists children by thread, and a rank that trains has hundreds of threads: its list is
 * read anew when this part of a core (one in so many) allows it, and after 5 s at the latest.
 */
#define LIST_RATIO	200
#define LIST_LATEST_NS (5 * CLOCK_NS_PER_S)

/* Lists the descendants anew if that is due. Returns true if it did. */
static bool history_list(struct history *history, const uint32_t *pids, size_t nr)
{
	int64_t now = clock_monotonic_ns(), before = clock_cpu_ns();
	int64_t pause = history->list_cost * LIST_RATIO;

	if (history->listed && history->named == nr &&
		now - history->listed < (pause < LIST_LATEST_NS ? pause : LIST_LATEST_NS))
		return false;
	history->children.all.nr = 0;
	(void)proc_list_descendants(&history->children, pids, nr);
	history->named = nr;
	history->listed = now;
	history->list_cost = clock_cpu_ns() - before;
	return true;
}

/*
 * Opens a descriptor that notices the child's end, from its second round on: most children do not
 * live that long.
 */
static void history_watch(struct history *history, struct history_process *process)
{
	if (process->taken < 2 || process->watch.fd >= 0 || history->watched >= HISTORY_WATCHED)
		return;
	if (proc_watch_open(&process->watch, process->id) < 0)
		process->watch = (struct proc_watch){.id = process->id, .fd = -1};
	history->watched += process->watch.fd >= 0;
}

/*
 * Looks after the children. One that was not seen in this round has ended, or has left the tree (a
 * daemon, a child of one that has died), or children were not listed anew: it is sampled here.
 */
static void history_look_after(struct history *history)
{
	for (size_t i = 0; i < history->processes.nr; i++) {
		struct history_process *process = history->processes.items[i];
		struct procstat stat;

		if (!process->child || process->ended)
			continue;
		if (!process->seen && proc_read_stat(process->id, &stat) == 0)
			history_take(history, &stat, true);
		if (!process->seen && !proc_is_unseen(process->id))
			history_end(history, process);
		else if (process->seen && !process->ended)
			history_watch(history, process);
	}
}

/*
 * Returns the words of a command line, joined by blanks, with secrets replaced by stars. The caller
 * frees it.
 */
static char *history_words(const struct str *line)
{
	char *words = alloc_copy(str_text(line), line->len + 1);

	redact_args(words, line->len);
	for (size_t i = 0; i < line->len; i++)
		if (!words[i])
			words[i] = ' ';
	return words;
}

/*
 * True if the question is to be asked of the process: command lines are of interest of children,
 * environments of ranks.
 */
static bool history_is_curious(const struct history_process *process, int question)
{
	if (!process->seen || process->ended || process->asked[question] >= HISTORY_ASKS)
		return false;
	return question == HISTORY_CMDLINE ? process->child : process->named && !process->gift;
}

/* Takes in the answer to a question of history_ask(). */
static void history_learn(
	struct history_process *process, int question, const struct blocking_read *answer)
{
	if (answer->error || !answer->bytes.len)
		return;
	process->asked[question] = HISTORY_ASKS;
	if (question == HISTORY_CMDLINE) {
		free(process->command);
		process->command = history_words(&answer->bytes);
	} else {
		process->gift = json_object_new_object();
		worker_env_put(process->gift, answer->bytes.text, answer->bytes.len, environ);
	}
}

/*
 * Asks the open questions, in one round of reads with a deadline. Each is asked again until it is
 * answered, HISTORY_ASKS times at most, and anew when the name changes.
 */
static void history_ask(struct history *history)
{
	struct history_process *whose[HISTORY_READS];
	struct blocking_read reads[HISTORY_READS];
	int what[HISTORY_READS];
	size_t nr = 0;

	for (size_t i = 0; i < history->processes.nr * HISTORY_QUESTIONS; i++) {
		struct history_process *process = history->processes.items[i / HISTORY_QUESTIONS];
		int question = (int)(i % HISTORY_QUESTIONS);

		if (nr == HISTORY_READS || !history_is_curious(process, question))
			continue;
		process->asked[question]++;
		whose[nr] = process;
		what[nr] = question;
		reads[nr++] = (struct blocking_read){.pid = process->id.pid,
			.what = BLOCKING_READ_FILE,
			.name = history_questions[question].file,
			.cap = history_questions[question].cap};
	}
	if (nr)
		blocking_reads_run(reads, nr, HISTORY_PATIENCE);
	for (size_t i = 0; i < nr; i++) {
		history_learn(whose[i], what[i], &reads[i]);
		str_release(&reads[i].bytes);
	}
}

const char *history_variable(const struct history *history, const char *name)
{
	for (size_t i = 0; i < history->processes.nr; i++) {
		struct json_object *gift = history->processes.items[i]->gift, *env, *value;

		if (gift && json_object_object_get_ex(gift, "env", &env) &&
			json_object_object_get_ex(env, name, &value))
			return json_object_get_string(value);
	}
	return NULL;
}

/* Marks these processes as named: they are ranks, or may become some. */
static void history_note_named(
	struct history *history, const struct proc_id *ids, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct history_process *process = history_find(history, ids[i]);

		if (process)
			process->named = true;
	}
}

void history_sample(struct history *history, const struct proc_id *ids, size_t nr)
{
	uint32_t *pids = alloc_zeroed(nr + 1, sizeof(*pids));
	bool listed;

	for (size_t i = 0; i < history->processes.nr; i++)
		history->processes.items[i]->seen = false;
	for (size_t i = 0; i < nr; i++)
		pids[i] = ids[i].pid;
	listed = history_list(history, pids, nr);
	for (size_t i = 0; i < nr; i++) {
		struct procstat stat;

		if (proc_read_stat(ids[i], &stat) == 0)
			history_take(history, &stat,
				history_is_child(&history->children, ids[i].pid));
	}
	for (size_t i = 0; i < history->children.all.nr && listed; i++)
		history_take(history, &history->children.all.items[i], true);
	history_note_named(history, ids, nr);
	history_look_after(history);
	history_ask(history);
	history_read_groups(history);
	free(pids);
}

/* --- Letting go ------------------------------------------------------------------------------ */

/* True if the process is among those that go. */
static bool history_is_among(const struct history *gone, uint32_t pid)
{
	for (size_t i = 0; i < gone->processes.nr; i++)
		if (gone->processes.items[i]->id.pid == pid)
			return true;
	return false;
}

void history_let_go(struct history *history, bool (*is_kept)(const void *whose, struct proc_id id),
	const void *whose)
{
	struct history gone = {0};
	size_t before;

	/*
	 * Repeats until nothing more goes: a child may stand before its parent, if pids have begun
	 * anew.
	 */
	do {
		size_t kept = 0;

		before = gone.processes.nr;
		for (size_t i = 0; i < history->processes.nr; i++) {
			struct history_process *process = history->processes.items[i];

			if ((!process->seen || process->ended) &&
				(process->named ? !is_kept(whose, process->id)
						: history_is_among(&gone, process->parent)))
				*array_add(&gone.processes) = process;
			else
				history->processes.items[kept++] = process;
		}
		history->processes.nr = kept;
	} while (gone.processes.nr > before);
	for (size_t i = 0; i < gone.processes.nr; i++)
		history_drop(history, gone.processes.items[i]);
	array_release(&gone.processes);
}

/* --- As JSON --------------------------------------------------------------------------------- */

/* Makes the row of one sample. Its columns are those of inquest-bundle(5), in that order. */
static struct json_object *history_sample_json(const struct sample *sample)
{
	const char state[2] = {sample->state, '\0'};
	struct json_object *row = json_object_new_array();

	json_object_array_add(row, json_object_new_int64(sample->when));
	json_object_array_add(row, json_object_new_int64(sample->cpu_ticks));
	json_object_array_add(row, json_object_new_int64(sample->rss_pages));
	json_object_array_add(row, json_put_string(state));
	json_object_array_add(row, json_object_new_int64(sample->children));
	json_object_array_add(row, json_object_new_int64(sample->written));
	json_object_array_add(row, json_object_new_int64(sample->runs));
	return row;
}

static struct json_object *history_process_json(
	const struct history *history, const struct history_process *process)
{
	struct json_object *object = json_object_new_object();
	struct json_object *samples = json_object_new_array();
	size_t first = process->taken > HISTORY_SAMPLES ? process->taken - HISTORY_SAMPLES : 0;

	json_put_int(object, "pid", process->id.pid);
	json_put_int(object, "start_time", (int64_t)process->id.start_time);
	json_put_int(object, "ppid", process->ppid);
	json_put_text(object, "comm", process->comm);
	json_put_text(object, "stderr", process->log);
	json_put_text(object, "command", process->command);
	if (process->gift) {
		json_object_object_foreach(process->gift, key, value)
			json_object_object_add(object, key, json_object_get(value));
	}
	if (process->ended)
		json_put_int(object, "ended", process->ended);
	if (process->status_known)
		json_put_int(object, "wait_status", process->wait_status);
	if (process->cgroup < history->groups.nr)
		json_put_int(object, "cgroup", (int64_t)process->cgroup);
	for (size_t i = first; i < process->taken; i++)
		json_object_array_add(samples,
			history_sample_json(&process->samples[i % HISTORY_SAMPLES]));
	json_object_object_add(object, "samples", samples);
	return object;
}

void history_format(const struct history *history, struct str *into)
{
	struct json_object *object = json_object_new_object();
	struct json_object *processes = json_object_new_array();
	struct json_object *groups = json_object_new_array();

	json_put_text(object, "schema", "inquest-history/1");
	json_put_int(object, "clk_tck", sysconf(_SC_CLK_TCK));
	json_put_int(object, "page_size", sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < history->processes.nr; i++)
		json_object_array_add(
			processes, history_process_json(history, history->processes.items[i]));
	for (size_t i = 0; i < history->groups.nr; i++) {
		const struct history_cgroup *group = &history->groups.items[i];
		struct json_object *one = json_object_new_object();

		json_put_text(one, "groups", group->groups);
		json_put_text(one, "first", group->first);
		json_put_int(one, "first_when", group->first_when);
		json_put_text(one, "last", group->last);
		json_put_int(one, "last_when", group->last_when);
		json_object_array_add(groups, one);
	}
	json_object_object_add(object, "processes", processes);
	json_object_object_add(object, "cgroups", groups);
	json_put_end(object, into);
}

int history_write(const struct history *history, const char *folder, struct complaint *why)
{
	struct str text = {0};
	int error;

	history_format(history, &text);
	error = agent_file_write(folder, AGENT_HISTORY_FILE, &text, why);
	str_release(&text);
	return error;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->processes.nr; i++)
		history_drop(history, history->processes.items[i]);
	for (size_t i = 0; i < history->groups.nr; i++) {
		free(history->groups.items[i].groups);
		free(history->groups.items[i].first);
		free(history->groups.items[i].last);
	}
	array_release(&history->processes);
	array_release(&history->groups);
	proc_list_release(&history->children);
	free(history);
}
