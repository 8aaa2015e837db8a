/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/locks.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/ns.h"
#include "proc/read.h"

/* A line of /proc/locks; of one blocked number and inode are those of what blocks it. */
struct locks_line {
	uint64_t number;
	bool blocked;
	long pid; /* below 1: of another namespace, or of a description of an open file */
	uint64_t inode;
};

static bool parse_line(const char *line, struct locks_line *ret)
{
	char rest[64];
	int at = 0;

	*ret = (struct locks_line){0};
	if (sscanf(line, "%" SCNu64 ": %n", &ret->number, &at) != 1 || !at)
		return false;
	ret->blocked = !strncmp(line + at, "-> ", 3);
	line += at + (ret->blocked ? 3 : 0);
	if (sscanf(line, "%*s %*s %*s %ld %63s", &ret->pid, rest) != 2)
		return false;
	return sscanf(rest, "%*[^:]:%*[^:]:%" SCNu64, &ret->inode) == 1;
}

/* Calls `take` for each line of a text, which is not changed; until it says that it is enough. */
static void for_lines(
	const char *text, bool (*take)(const char *line, size_t len, void *data), void *data)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (take(text, len, data))
			return;
		text += len + (text[len] == '\n');
	}
}

struct search {
	long pid;	/* whose blocked line; 0: who holds this one: */
	struct locks_line found;
	const char *line;
	size_t len;
};

static bool is_searched(const char *line, size_t len, void *data)
{
	struct search *search = data;
	struct locks_line this;

	if (!parse_line(line, &this))
		return false;
	if (search->pid ? !this.blocked || this.pid != search->pid
			: this.blocked || this.number != search->found.number)
		return false;
	search->found = this;
	search->line = line;
	search->len = len;
	return true;
}

/* "by PID START COMM": as that process knows itself. */
static void add_holder(uint32_t pid, struct str *into)
{
	struct str status = {0};
	struct procstat stat;
	uint32_t inner = 0;

	if (proc_read_stat((struct proc_id){pid, 0}, &stat) == 0) {
		if (proc_read(pid, "status", &status, NULL) == 0)
			inner = proc_ns_innermost(str_text(&status));
		stat.comm[strcspn(stat.comm, "\n")] = '\0';
		str_printf(into, "by %" PRIu32 " %" PRIu64 " %s\n", inner ? inner : pid,
			stat.start_time, stat.comm);
	}
	str_release(&status);
}

/* What it is blocked for; returns the file's inode, 0 none. */
static uint64_t add_wait(uint32_t pid, const char *table, struct str *into)
{
	struct search wait = {.pid = (long)pid}, held = {0};

	for_lines(table, is_searched, &wait);
	if (!wait.line)
		return 0;
	str_printf(into, "wait %.*s\n", (int)wait.len, wait.line);
	held.found.number = wait.found.number;
	for_lines(table, is_searched, &held);
	if (held.line)
		str_printf(into, "held %.*s\n", (int)held.len, held.line);
	if (held.line && held.found.pid > 0)
		add_holder((uint32_t)held.found.pid, into);
	return wait.found.inode;
}

static bool is_named_lock(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len = strlen(path);

	return (name && !strcmp(name, "/lock")) ||
	       (len > strlen(".lock") && !strcmp(path + len - strlen(".lock"), ".lock"));
}

static bool is_inode_line(const char *line, size_t len, void *data)
{
	uint64_t inode, *wanted = data;

	(void)len;
	if (sscanf(line, "ino: %" SCNu64, &inode) != 1 || inode != *wanted)
		return false;
	*wanted = 0;
	return true;
}

static bool add_lock_line(const char *line, size_t len, void *data)
{
	static const char begin[] = "lock:\t";

	if (len > strlen(begin) && !strncmp(line, begin, strlen(begin)))
		str_printf(data, "lock %.*s\n", (int)(len - strlen(begin)), line + strlen(begin));
	return false;
}

/* One descriptor; `waited`: the inode of what it is blocked for, 0 once that was found. */
static void add_file(uint32_t pid, const char *fd, uint64_t *waited, struct str *into)
{
	char path[PATH_MAX], name[64], link[PATH_MAX];
	struct str info = {0}, locks = {0};
	uint64_t wanted = *waited;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%s", pid, fd);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0 || *link != '/')
		return;
	link[len] = '\0';
	if (!strncmp(link, "/dev/", strlen("/dev/")) || strchr(link, '\n'))
		return;
	snprintf(name, sizeof(name), "fdinfo/%.40s", fd);
	if (proc_read(pid, name, &info, NULL) == 0) {
		if (wanted)
			for_lines(str_text(&info), is_inode_line, &wanted);
		if (wanted != *waited)
			str_printf(into, "for %s\n", link);
		*waited = wanted;
		for_lines(str_text(&info), add_lock_line, &locks);
	}
	if (strstr(str_text(&locks), ": FLOCK ") || is_named_lock(link))
		str_printf(into, "file %s\n%s", link, str_text(&locks));
	str_release(&info);
	str_release(&locks);
}

int proc_locks_table(struct str *into)
{
	return file_read("/proc/locks", PROC_READ_CAP, into, NULL);
}

int proc_locks_read(uint32_t pid, const char *table, struct str *into)
{
	uint64_t waited = add_wait(pid, table, into);
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (*entry->d_name != '.')
			add_file(pid, entry->d_name, &waited, into);
	closedir(dir);
	return 0;
}
