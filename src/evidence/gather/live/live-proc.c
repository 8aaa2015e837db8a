/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file of /proc is read whole at one time and kept raw with that time: what a number in it
 * means is for decoders. Before a process is read its start time is compared, so that a pid that
 * now is somebody else's gives nothing. Files that cannot be read are simply missing; that a
 * process is gone is no gap but a fact, which liveness tells.
 */
#include "evidence/gather/live/live-proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "evidence/agent/own-words.h"
#include "proc/blocked.h"
#include "proc/blocking-read.h"
#include "proc/cgroup.h"
#include "proc/locks.h"
#include "proc/ns.h"
#include "proc/read.h"
#include "proc/tree.h"

/* The most by which clocks of file servers are off. */
#define LIVE_STDERR_SLACK (10 * CLOCK_NS_PER_S)
#define LIVE_STDERR_BYTES (8 * 1024) /* bytes of the end */
/*
 * Bytes that are read of an end in which words of our own stand: all that the agent may have said
 * fits in beside the job's.
 */
#define LIVE_STDERR_MORE (160 * 1024)
#define LIVE_ERROR_BYTES (256 * 1024) /* bytes: a message and a traceback; cut, it is no JSON */

/* --- Who ------------------------------------------------------------------------------------- */

/*
 * True if the process is listed, by the pid that we see: two namespaces may have the same inner
 * one.
 */
static bool live_processes_have(const struct live_processes *processes, uint32_t here)
{
	for (size_t i = 0; i < processes->all.nr; i++)
		if (processes->all.items[i].here == here)
			return true;
	return false;
}

/* Lists a descendant, by the pid that it knows itself by, as all others are listed. */
static void live_processes_add(struct live_processes *processes, const struct procstat *stat)
{
	struct live_process *process;
	struct str status = {0};
	uint32_t inner = 0;

	if (live_processes_have(processes, stat->pid))
		return;
	if (proc_read(stat->pid, "status", &status, NULL) == 0)
		inner = proc_ns_innermost(str_text(&status));
	str_release(&status);
	process = array_add(&processes->all);
	*process = (struct live_process){
		.pid = inner ? inner : stat->pid,
		.here = stat->pid,
		.start_time = stat->start_time,
		.rank = -1,
		.role = "child",
	};
}

void live_processes_add_descendants(struct live_processes *processes)
{
	uint32_t *pids = alloc_zeroed(processes->all.nr + 1, sizeof(*pids));
	struct proc_list list = {0};
	size_t nr = 0;

	for (size_t i = 0; i < processes->all.nr; i++)
		if (processes->all.items[i].here)
			pids[nr++] = processes->all.items[i].here;
	(void)proc_list_descendants(&list, pids, nr);
	for (size_t i = 0; i < list.all.nr; i++)
		live_processes_add(processes, &list.all.items[i]);
	proc_list_release(&list);
	free(pids);
}

void live_processes_release(struct live_processes *processes)
{
	for (size_t i = 0; i < processes->all.nr; i++) {
		free(processes->all.items[i].log);
		free(processes->all.items[i].error_file);
	}
	array_release(&processes->all);
	array_release(&processes->logs);
}

void live_processes_note_log(
	struct live_processes *processes, const struct census_header *header)
{
	if (header->log_ino)
		*array_add(&processes->logs) = (struct live_log){
			header->log_dev, header->log_ino, header->log_from};
}

/* --- Files of /proc -------------------------------------------------------------------------- */

/* Adds the text as an exhibit, unless it is empty. Takes its content over in any case. */
static void live_proc_add(const struct live_proc_target *target, enum exhibit_kind kind,
	const struct live_process *process, struct str *text)
{
	const struct exhibit about = {
		.kind = kind,
		.host = target->host,
		.rank = process->rank,
		.pid = process->pid,
		.start_time = process->start_time,
		.when = clock_realtime_ns(),
	};
	size_t len = text->len;

	if (len)
		evidence_add(target->into, &about, (uint8_t *)str_detach(text), len);
	str_release(text);
}

/* The files in the order in which they are read. None takes a lock of the target for long. */
static const struct {
	const char *name;
	enum exhibit_kind kind;
	bool each_time; /* else only with `full` */
} live_proc_files[] = {
	{"stat", EXHIBIT_PROC_STAT, true},
	{"status", EXHIBIT_PROC_STATUS, false},
	{"wchan", EXHIBIT_PROC_WCHAN, false},
	{"io", EXHIBIT_PROC_IO, true},
};

/*
 * Takes the file locks of a process, out of the table of all locks. Of a rank it is told, too, that
 * it has none: whoever waits for one then waits for somebody else.
 */
static void live_proc_take_locks(const struct live_proc_target *target,
	const struct live_process *process, const char *table)
{
	struct str text = {0};

	if (proc_locks_read(process->here, table, &text) == 0 && !text.len && process->threads)
		str_add(&text, "none\n");
	live_proc_add(target, EXHIBIT_PROC_LOCKS, process, &text);
}

/* Takes all files of one process, in the order of the table. */
static void live_proc_take_one(const struct live_proc_target *target,
	const struct live_process *process, bool full, const char *locks)
{
	const struct proc_id here = {process->here, process->start_time};
	struct str text = {0};
	struct procstat stat;

	/* What is read of another process that has the pid by now must not count. */
	if (proc_read_stat(here, &stat) != 0)
		return;
	for (size_t i = 0; i < sizeof(live_proc_files) / sizeof(live_proc_files[0]); i++) {
		if (!full && !live_proc_files[i].each_time)
			continue;
		if (proc_read(process->here, live_proc_files[i].name, &text, NULL) == 0)
			live_proc_add(target, live_proc_files[i].kind, process, &text);
	}
	if (full && proc_blocked_read(process->here, &text) == 0)
		live_proc_add(target, EXHIBIT_PROC_CALL, process, &text);
	if (full)
		live_proc_take_locks(target, process, locks);
	if (full && process->threads && proc_read_tasks(process->here, &text) == 0)
		live_proc_add(target, EXHIBIT_PROC_TASKS, process, &text);
	str_release(&text);
}

void live_proc_take(const struct live_proc_target *target, bool full)
{
	struct str locks = {0};

	if (full)
		(void)proc_locks_table(&locks);
	for (size_t i = 0; i < target->processes->all.nr; i++)
		if (target->processes->all.items[i].here)
			live_proc_take_one(target, &target->processes->all.items[i], full,
				str_text(&locks));
	str_release(&locks);
}

/* --- Control groups -------------------------------------------------------------------------- */

/* A control group that processes of the job are in. */
struct live_cgroup {
	struct str groups; /* its name, as proc_cgroup_of() gives it */
	struct str members; /* " PID:START_TIME" of each */
};

struct live_cgroups {
	ARRAY(struct live_cgroup) all;
};

/* Returns the entry of that group, which is made on first sight. */
static struct live_cgroup *live_cgroups_of(struct live_cgroups *cgroups, const char *groups)
{
	struct live_cgroup *cgroup;

	array_for_each(&cgroups->all, cgroup)
		if (!strcmp(str_text(&cgroup->groups), groups))
			return cgroup;
	cgroup = array_add(&cgroups->all);
	str_add(&cgroup->groups, groups);
	return cgroup;
}

static void live_cgroups_add(struct live_cgroups *cgroups, const struct live_process *process)
{
	struct str groups = {0};

	if (proc_cgroup_of(process->here, &groups) == 0)
		str_printf(&live_cgroups_of(cgroups, str_text(&groups))->members, " %u:%llu",
			process->pid, (unsigned long long)process->start_time);
	str_release(&groups);
}

/* Adds the group's members and counters as an exhibit. */
static void live_cgroups_take(const struct live_proc_target *target, struct live_cgroup *cgroup)
{
	struct exhibit about = {.kind = EXHIBIT_CGROUP,
		.host = target->host,
		.rank = -1,
		.label = (char *)"now"};
	struct str text = {0};
	size_t len;

	str_printf(&text, "processes%s\n", str_text(&cgroup->members));
	if (proc_cgroup_read(str_text(&cgroup->groups), &text) == 0 || cgroup->members.len) {
		about.when = clock_realtime_ns();
		len = text.len;
		evidence_add(target->into, &about, (uint8_t *)str_detach(&text), len);
	}
	str_release(&text);
	str_release(&cgroup->groups);
	str_release(&cgroup->members);
}

void live_proc_take_cgroups(
	const struct live_proc_target *target, char *const *more, size_t nr)
{
	struct live_cgroups cgroups = {0};
	struct live_cgroup *cgroup;

	for (size_t i = 0; i < target->processes->all.nr; i++)
		if (target->processes->all.items[i].here)
			live_cgroups_add(&cgroups, &target->processes->all.items[i]);
	for (size_t i = 0; i < nr; i++)
		(void)live_cgroups_of(&cgroups, more[i]);
	array_for_each(&cgroups.all, cgroup)
		live_cgroups_take(target, cgroup);
	array_release(&cgroups.all);
}

/* --- stderr ---------------------------------------------------------------------------------- */

/*
 * Leaves only what may be the process' of the end of a log. Logs are appended to, by one job after
 * the other: nothing of a file is a process' that was last written before it was born; and in a
 * job's own log nothing is that stood there at launch (where several jobs share it: at the first
 * launch).
 */
static void live_stderr_leave_later(
	const struct live_processes *processes, int64_t born, struct blocking_read *read)
{
	const struct live_log *log;
	uint64_t from = UINT64_MAX;

	array_for_each(&processes->logs, log)
		if (log->dev == read->dev && log->ino == read->ino && log->from < from)
			from = log->from;
	if (read->error)
		return;
	if (read->written + LIVE_STDERR_SLACK < born)
		str_cut(&read->bytes, 0);
	else if (from != UINT64_MAX)
		blocking_read_cut(read, from);
}

/* Returns when the process was started, as realtime ns. */
static int64_t live_proc_born(const struct live_process *process)
{
	int64_t tick = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);

	return clock_realtime_ns() - clock_boottime_ns() + (int64_t)process->start_time * tick;
}

/* Leaves the last words that are the job's, without what we wrote between them. */
static void live_stderr_leave_jobs(struct str *tail)
{
	size_t len = tail->len ? own_words_drop(tail->text, tail->len) : 0;
	size_t from = len > LIVE_STDERR_BYTES ? len - LIVE_STDERR_BYTES : 0;

	if (from)
		memmove(tail->text, tail->text + from, len - from);
	str_cut(tail, len - from);
}

static bool live_stderr_is_same_file(const struct blocking_read *a, const struct blocking_read *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* True if more of the file than its end is needed, since words of ours take up room there. */
static bool live_stderr_is_short(const struct blocking_read *read)
{
	return !read->error && read->bytes.len >= LIVE_STDERR_BYTES &&
	       own_words_are_in(read->bytes.text, read->bytes.len);
}

/* What to read again, from further back, each file once; `which` of that for each, `nr` none. */
static size_t live_stderr_again(
	const struct blocking_read *reads, size_t nr, struct blocking_read *again, size_t *which)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t at = 0;

		which[i] = nr;
		if (!live_stderr_is_short(&reads[i]))
			continue;
		while (at < n && !live_stderr_is_same_file(&again[at], &reads[i]))
			at++;
		which[i] = at;
		if (at < n)
			continue;
		again[n] = reads[i];
		again[n].bytes = (struct str){0};
		again[n++].cap = LIVE_STDERR_MORE;
	}
	return n;
}

/* Ends of logs that hold words of ours are read again. */
static void live_stderr_read_back(const struct live_processes *processes,
	struct blocking_read *reads, size_t nr, int deadline_ms)
{
	struct blocking_read *again = alloc_zeroed(nr + 1, sizeof(*again));
	size_t *which = alloc_zeroed(nr + 1, sizeof(*which));
	size_t n = live_stderr_again(reads, nr, again, which);

	blocking_reads_run(again, n, deadline_ms);
	for (size_t i = 0; i < n; i++) {
		live_stderr_leave_later(processes, 0, &again[i]);
		live_stderr_leave_jobs(&again[i].bytes);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct blocking_read *longer = which[i] < nr ? &again[which[i]] : NULL;

		if (!longer || longer->error || !live_stderr_is_same_file(longer, &reads[i]))
			continue;
		str_cut(&reads[i].bytes, 0);
		str_add_bytes(&reads[i].bytes, longer->bytes.text, longer->bytes.len);
	}
	for (size_t i = 0; i < n; i++)
		str_release(&again[i].bytes);
	free(which);
	free(again);
}

/* Adds the end of a process' stderr as an exhibit. */
static void live_proc_add_stderr(const struct live_proc_target *target,
	const struct live_process *process, struct blocking_read *read)
{
	struct exhibit about = {
		.kind = EXHIBIT_STDERR,
		.host = target->host,
		.rank = process->rank,
		.pid = process->pid,
		.start_time = process->start_time,
		.when = clock_realtime_ns(),
	};
	struct str label = {0};
	size_t len;

	if (read->error == ETIMEDOUT)
		evidence_add_gap(target->into, target->host, process->pid,
			"the end of its stderr: the file did not answer in time");
	if (read->error)
		return;
	live_stderr_leave_jobs(&read->bytes);
	len = read->bytes.len;
	/*
	 * The label tells which file it is: where ranks share one, no line of it is anyone's in
	 * particular.
	 */
	str_printf(&label, "file %llx:%llx", (unsigned long long)read->dev,
		(unsigned long long)read->ino);
	about.label = label.text;
	evidence_add(target->into, &about, (uint8_t *)str_detach(&read->bytes), len);
	str_release(&label);
}

/* What is read of many processes at once, and whose it is. */
struct live_asked {
	struct blocking_read *reads;
	size_t *whose; /* of live_processes */
	size_t nr;
};

/* `wants`: what to read of that process; false for nothing. */
static struct live_asked live_ask(const struct live_proc_target *target,
	bool (*wants)(const struct live_processes *processes, size_t at, struct blocking_read *ret))
{
	const struct live_processes *processes = target->processes;
	struct live_asked asked = {
		.reads = alloc_zeroed(processes->all.nr + 1, sizeof(*asked.reads)),
		.whose = alloc_zeroed(processes->all.nr + 1, sizeof(*asked.whose))};

	for (size_t i = 0; i < processes->all.nr; i++) {
		if (!wants(processes, i, &asked.reads[asked.nr]))
			continue;
		asked.reads[asked.nr].owner = target->owner;
		asked.whose[asked.nr++] = i;
	}
	return asked;
}

/* Gives each answer to its process. */
static void live_take(const struct live_proc_target *target, struct live_asked *asked,
	void (*take)(const struct live_proc_target *target, const struct live_process *process,
		struct blocking_read *read))
{
	for (size_t i = 0; i < asked->nr; i++) {
		take(target, &target->processes->all.items[asked->whose[i]], &asked->reads[i]);
		str_release(&asked->reads[i].bytes);
	}
	free(asked->reads);
	free(asked->whose);
}

static bool live_wants_stderr(
	const struct live_processes *processes, size_t at, struct blocking_read *ret)
{
	const struct live_process *process = &processes->all.items[at];

	*ret = (struct blocking_read){.pid = process->here,
		.name = process->here ? "fd/2" : process->log,
		.what = BLOCKING_READ_TAIL,
		.cap = LIVE_STDERR_BYTES};
	return process->threads && (process->here || process->log);
}

static void live_proc_take_stderr(const struct live_proc_target *target, int deadline_ms)
{
	const struct live_processes *processes = target->processes;
	struct live_asked asked = live_ask(target, live_wants_stderr);

	blocking_reads_run(asked.reads, asked.nr, deadline_ms);
	for (size_t i = 0; i < asked.nr; i++)
		live_stderr_leave_later(processes,
			live_proc_born(&processes->all.items[asked.whose[i]]), &asked.reads[i]);
	live_stderr_read_back(processes, asked.reads, asked.nr, deadline_ms);
	live_take(target, &asked, live_proc_add_stderr);
}

/* --- Error files ----------------------------------------------------------------------------- */

/*
 * True if a process that is listed before has the same file: a rank is listed before what it
 * starts.
 */
static bool live_proc_is_inherited(const struct live_processes *processes, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (processes->all.items[i].error_file &&
			!strcmp(processes->all.items[i].error_file,
				processes->all.items[at].error_file))
			return true;
	return false;
}

static void live_proc_add_error_file(const struct live_proc_target *target,
	const struct live_process *process, struct blocking_read *read)
{
	const struct exhibit about = {
		.kind = EXHIBIT_ERROR_FILE,
		.host = target->host,
		.rank = process->rank,
		.pid = process->pid,
		.start_time = process->start_time,
		.when = clock_realtime_ns(),
		.label = process->error_file,
	};
	size_t len = read->bytes.len;

	if (read->error == ETIMEDOUT)
		evidence_add_gap(target->into, target->host, process->pid,
			"its error file: the file did not answer in time");
	if (!read->error && len)
		evidence_add(target->into, &about, (uint8_t *)str_detach(&read->bytes), len);
}

static bool live_wants_error_file(
	const struct live_processes *processes, size_t at, struct blocking_read *ret)
{
	const char *path = processes->all.items[at].error_file;

	*ret = (struct blocking_read){
		.name = path, .what = BLOCKING_READ_FILE, .cap = LIVE_ERROR_BYTES};
	return path && path[0] == '/' && !live_proc_is_inherited(processes, at);
}

static void live_proc_take_error_files(const struct live_proc_target *target, int deadline_ms)
{
	struct live_asked asked = live_ask(target, live_wants_error_file);

	if (asked.nr)
		blocking_reads_run(asked.reads, asked.nr, deadline_ms);
	live_take(target, &asked, live_proc_add_error_file);
}

void live_proc_take_words(const struct live_proc_target *target, int deadline_ms)
{
	live_proc_take_stderr(target, deadline_ms);
	live_proc_take_error_files(target, deadline_ms);
}
