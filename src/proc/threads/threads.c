/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/str.h"
#include "proc/ns.h"
#include "proc/read.h"
#include "proc/threads/sleep-clock.h"

#define THREADS_TEXT 4096 /* these files are short; a kernel stack is the longest */

/* Returns how many pids a status text lists on its NSpid line; 0 if it has none. */
static size_t threads_depth(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	size_t nr = 0;

	if (!line)
		return 0;
	for (line += strlen("\nNSpid:"); *line && *line != '\n'; line++)
		nr += (line[0] == '\t' || line[0] == ' ') && line[1] >= '0' && line[1] <= '9';
	return nr;
}

int threads_open(struct threads *threads, uint32_t pid)
{
	struct str status = {0};
	char path[64];
	int error;

	*threads = (struct threads){.pid = pid, .dir = -1};
	error = proc_read(pid, "status", &status, NULL);
	threads->nested = threads_depth(str_text(&status)) > 1;
	str_release(&status);
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	threads->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (threads->dir < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	snprintf(path, sizeof(path), "/proc/%u/schedstat", pid);
	threads->coarse = access(path, F_OK) < 0;
	return 0;
}

void threads_close(struct threads *threads)
{
	if (threads->dir >= 0)
		close(threads->dir);
	threads->dir = -1;
}

static int tid_compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

int threads_list(const struct threads *threads, size_t cap, struct thread_ids *ret)
{
	const struct dirent *entry;
	DIR *dir;
	int fd;

	ret->all.nr = ret->left_out = 0;
	fd = openat(threads->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -errno;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (ret->all.nr < cap)
			*array_add(&ret->all) = (uint32_t)strtoul(entry->d_name, NULL, 10);
		else
			ret->left_out++;
	}
	closedir(dir);
	array_sort(&ret->all, tid_compare);
	return ret->all.nr ? 0 : -ESRCH;
}

/* Reads one file of one thread into `text`, with a NUL behind it. Returns its length, or -errno. */
static ssize_t threads_slurp(const struct threads *threads, uint32_t tid, const char *name,
	char text[static THREADS_TEXT])
{
	char path[64];
	ssize_t got;
	int fd;

	text[0] = '\0';
	snprintf(path, sizeof(path), "%u/%s", tid, name);
	fd = openat(threads->dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	do
		got = read(fd, text, THREADS_TEXT - 1);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		got = -errno;
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

char threads_state(const struct threads *threads, uint32_t tid)
{
	struct procstat stat;
	char text[THREADS_TEXT];
	ssize_t got = threads_slurp(threads, tid, "stat", text);

	return got > 0 && procstat_parse(text, (size_t)got, &stat) ? stat.task_state : 0;
}

/* Returns the number on a line of a status text; 0 if there is no such line. */
static uint64_t status_number(const char *status, const char *line)
{
	const char *at = strstr(status, line);

	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

int threads_runs(const struct threads *threads, struct snapshot_thread *thread)
{
	const char *name = threads->coarse ? "status" : "schedstat";
	char text[THREADS_TEXT];
	ssize_t got = threads_slurp(threads, thread->tid, name, text);

	if (got < 0)
		return (int)got;
	if (threads->coarse) {
		thread->run_count = status_number(text, "\nvoluntary_ctxt_switches:") +
				    status_number(text, "\nnonvoluntary_ctxt_switches:");
		return 0;
	}
	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &thread->run_ns, &thread->wait_ns,
		    &thread->run_count) != 3)
		return -EPROTO;
	return 0;
}

/*
 * Takes the arguments of the system call as registers, which keep their values in it: vfork, for
 * one, has its return address in rdi. By DWARF's numbers of x86-64: rdi, rsi, rdx, r10, r8, r9.
 */
static void where_take_arguments(struct snapshot_thread *thread)
{
	static const uint8_t registers[] = {5, 4, 1, 10, 8, 9};

	for (size_t i = 0; i < sizeof(registers); i++) {
		thread->regs.value[registers[i]] = thread->args[i];
		thread->regs.known |= 1u << registers[i];
	}
}

/*
 * Parses the file `syscall`: "NR A1..A6 SP PC" of a thread in a system call; "-1 SP PC" of one that
 * is blocked outside of any (in a fault, or stopped); "running" else. Returns 0; -EAGAIN if it
 * runs; -ESRCH if it is ending; or -EPROTO.
 */
static int where_parse(struct snapshot_thread *thread, const char *text)
{
	uint64_t word[8];
	const char *at;
	char *next;
	size_t n = 0;

	if (!strncmp(text, "running", strlen("running")))
		return -EAGAIN;
	thread->syscall = strtoll(text, &next, 10);
	if (next == text)
		return -EPROTO;
	for (at = next; n < 8; at = next) {
		word[n] = strtoull(at, &next, 16);
		if (next == at)
			break;
		n++;
	}
	if (n != 8 && n != 2)
		return -EPROTO;
	if (!word[n - 2])
		return -ESRCH; /* it has no stack any more */
	thread->in_syscall = true;
	memset(thread->args, 0, sizeof(thread->args));
	memset(&thread->regs, 0, sizeof(thread->regs));
	thread->regs.value[UNWIND_SP] = word[n - 2];
	thread->regs.value[UNWIND_IP] = word[n - 1];
	thread->regs.known = 1u << UNWIND_SP | 1u << UNWIND_IP;
	if (n == 8) {
		memcpy(thread->args, word, sizeof(thread->args));
		where_take_arguments(thread);
	}
	return 0;
}

int threads_where(const struct threads *threads, struct snapshot_thread *thread)
{
	char text[THREADS_TEXT];
	ssize_t got = threads_slurp(threads, thread->tid, "syscall", text);

	thread->in_syscall = false;
	return got < 0 ? (int)got : where_parse(thread, text);
}

/* Returns a file's text without its last newline, in the arena; "" if it tells nothing. */
static const char *threads_line(const struct threads *threads, uint32_t tid, const char *name,
	struct arena *arena)
{
	char text[THREADS_TEXT];
	ssize_t got = threads_slurp(threads, tid, name, text);

	while (got > 0 && text[got - 1] == '\n')
		text[--got] = '\0';
	if (got <= 0 || !strcmp(text, "0"))
		return "";
	return arena_text(arena, text);
}

/* Returns the tid by which the process knows the thread: the last on its NSpid line. */
static uint32_t threads_own(const struct threads *threads, uint32_t tid)
{
	char text[THREADS_TEXT];
	uint32_t own = 0;

	if (!threads->nested)
		return tid;
	if (threads_slurp(threads, tid, "status", text) > 0)
		own = proc_ns_innermost(text);
	return own ? own : tid;
}

/* Returns for how many ns a blocked thread has not run; 0 not known. */
static uint64_t threads_asleep(
	const struct threads *threads, uint32_t tid, const struct procstat *stat)
{
	char text[THREADS_TEXT];

	if (!threads->clock || threads_slurp(threads, tid, "sched", text) <= 0)
		return 0;
	return sleep_clock_since(threads->clock, text, stat->processor);
}

/* True if a thread is there without the file `syscall`: the kernel has none (gVisor). */
static bool threads_lacks_where(const struct threads *threads, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/syscall", tid);
	if (faccessat(threads->dir, path, F_OK, 0) == 0)
		return false;
	snprintf(path, sizeof(path), "%u/stat", tid);
	return faccessat(threads->dir, path, F_OK, 0) == 0;
}

int threads_read(
	const struct threads *threads, struct snapshot_thread *thread, struct arena *arena)
{
	struct procstat stat = {0};
	char text[THREADS_TEXT];
	ssize_t got;

	thread->wchan = thread->kernel = "";
	thread->asleep_ns = 0;
	(void)threads_runs(threads, thread);
	thread->error = -threads_where(threads, thread);
	got = threads_slurp(threads, thread->tid, "stat", text);
	if (got == -ESRCH)
		return -ESRCH;
	thread->own = threads_own(threads, thread->tid);
	if (got > 0 && procstat_parse(text, (size_t)got, &stat)) {
		memcpy(thread->comm, stat.comm, sizeof(thread->comm) - 1);
		thread->state = stat.task_state;
		thread->cpu_ticks = stat.cpu_ticks;
	}
	if (thread->state == 'Z' || thread->state == 'X')
		thread->error = ESRCH;
	else if (thread->error == ESRCH)
		thread->error = threads_lacks_where(threads, thread->tid) ? ENOSYS : ESRCH;
	if (thread->error == EAGAIN || thread->error == ESRCH)
		return 0;
	thread->asleep_ns = thread->error ? 0 : threads_asleep(threads, thread->tid, &stat);
	thread->wchan = threads_line(threads, thread->tid, "wchan", arena);
	thread->kernel = threads_line(threads, thread->tid, "stack", arena);
	return 0;
}
