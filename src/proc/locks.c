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

/*
 * A line of /proc/locks. Of a blocked one, number and inode are those of the lock that blocks it.
 */
struct locks_line {
	uint64_t number;
	bool blocked;
	/* below 1: it is of another namespace, or the lock is an open file description's */
	long pid;
	unsigned major, minor; /* of the file system that the file is on */
	uint64_t inode;
};

/* Parses a line; false if it is none. */
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
	return sscanf(rest, "%x:%x:%" SCNu64, &ret->major, &ret->minor, &ret->inode) == 3;
}

/* Calls `take` for each line of a text, until one call returns true. */
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

/* A search for a line of /proc/locks, and what was found. */
struct search {
	/* whose blocked line is sought; 0: the line of who holds lock found.number */
	long pid;
	struct locks_line found;
	const char *line; /* NULL: not found */
	size_t len;
};

/* Takes a line if it is the one that is sought. */
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

/*
 * Appends "by PID START COMM" of who holds a lock, with the pid by which that process knows itself.
 */
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

/*
 * The file whose lock is waited for. The inode is 0 if there is none, and once its path was found.
 */
struct awaited {
	unsigned major, minor;
	uint64_t inode;
	struct str mounts; /* mountinfo of the process, read once a file is in question */
};

/* Appends what a process is blocked for and who has that lock; *ret: which file that is. */
static void add_wait(uint32_t pid, const char *table, struct awaited *ret, struct str *into)
{
	struct search wait = {.pid = (long)pid}, held = {0};

	for_lines(table, is_searched, &wait);
	*ret = (struct awaited){0};
	if (!wait.line)
		return;
	str_printf(into, "wait %.*s\n", (int)wait.len, wait.line);
	held.found.number = wait.found.number;
	for_lines(table, is_searched, &held);
	if (held.line)
		str_printf(into, "held %.*s\n", (int)held.len, held.line);
	if (held.line && held.found.pid > 0)
		add_holder((uint32_t)held.found.pid, into);
	*ret = (struct awaited){
		.major = wait.found.major, .minor = wait.found.minor, .inode = wait.found.inode};
}

/* True if a file is named as locks are. */
static bool is_named_lock(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len = strlen(path);

	return (name && !strcmp(name, "/lock")) ||
	       (len > strlen(".lock") && !strcmp(path + len - strlen(".lock"), ".lock"));
}

/* What /proc/PID/fdinfo/FD says of a descriptor's file; mount is -1 if it does not say. */
struct file_of {
	long mount;
	uint64_t inode;
};

/* Takes a line of fdinfo. */
static bool take_file_line(const char *line, size_t len, void *data)
{
	struct file_of *file = data;

	(void)len;
	sscanf(line, "mnt_id: %ld", &file->mount);
	sscanf(line, "ino: %" SCNu64, &file->inode);
	return false;
}

/* A mount, sought in mountinfo by its number. */
struct mount {
	long id;
	unsigned major, minor;
	bool found;
};

/* Takes a line of mountinfo if it is that of the mount that is sought. */
static bool is_mount_line(const char *line, size_t len, void *data)
{
	struct mount *mount = data;
	long id;

	(void)len;
	if (sscanf(line, "%ld %*d %u:%u", &id, &mount->major, &mount->minor) != 3 ||
		id != mount->id)
		return false;
	mount->found = true;
	return true;
}

/*
 * True if a descriptor's file is the one that is waited for. An inode's number counts only within
 * its file system. Which file system that is, mountinfo says in the same numbers as /proc/locks,
 * where stat() would have a number of its own (btrfs, overlay). A mount that the process does not
 * see any more says nothing.
 */
static bool is_awaited(uint32_t pid, const char *info, struct awaited *awaited)
{
	struct file_of file = {.mount = -1};
	struct mount mount = {0};

	for_lines(info, take_file_line, &file);
	if (!awaited->inode || file.inode != awaited->inode)
		return false;
	if (!awaited->mounts.len)
		proc_read(pid, "mountinfo", &awaited->mounts, NULL);
	mount.id = file.mount;
	for_lines(str_text(&awaited->mounts), is_mount_line, &mount);
	return mount.found && mount.major == awaited->major && mount.minor == awaited->minor;
}

/* Appends a line of fdinfo that tells of a lock. */
static bool add_lock_line(const char *line, size_t len, void *data)
{
	static const char begin[] = "lock:\t";

	if (len > strlen(begin) && !strncmp(line, begin, strlen(begin)))
		str_printf(data, "lock %.*s\n", (int)(len - strlen(begin)), line + strlen(begin));
	return false;
}

/* Appends what one descriptor's file is, if a lock of it is waited for or held. */
static void add_file(uint32_t pid, const char *fd, struct awaited *awaited, struct str *into)
{
	char path[PATH_MAX], name[64], link[PATH_MAX];
	struct str info = {0}, locks = {0};
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%s", pid, fd);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0 || *link != '/')
		return;
	link[len] = '\0';
	if ((!strncmp(link, "/dev/", strlen("/dev/")) &&
		    strncmp(link, "/dev/shm/", strlen("/dev/shm/")) != 0) ||
		strchr(link, '\n'))
		return;
	snprintf(name, sizeof(name), "fdinfo/%.40s", fd);
	if (proc_read(pid, name, &info, NULL) == 0) {
		if (is_awaited(pid, str_text(&info), awaited)) {
			str_printf(into, "for %s\n", link);
			awaited->inode = 0;
		}
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
	struct awaited awaited;
	char path[64];
	DIR *dir;
	int error = 0;

	add_wait(pid, table, &awaited, into);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", pid);
	dir = opendir(path);
	if (!dir)
		error = -errno;
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (*entry->d_name != '.')
			add_file(pid, entry->d_name, &awaited, into);
	if (dir)
		closedir(dir);
	str_release(&awaited.mounts);
	return error;
}
