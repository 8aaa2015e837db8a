/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/blocked.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/mounts.h"
#include "proc/read.h"

/* True if a system call's first argument is the descriptor that it is blocked on. */
static bool is_of_descriptor(long call)
{
	static const long calls[] = {SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write,
		SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
		SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_accept, SYS_accept4, SYS_connect,
		SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_ftruncate, SYS_flock, SYS_fcntl,
		SYS_getdents64, SYS_sendfile};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == call)
			return true;
	return false;
}

/*
 * True if a line of /proc/net/tcp is that of the socket with this inode, which is its tenth field.
 */
static bool is_of_inode(const char *line, uint64_t inode)
{
	uint64_t found;

	return sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, &found) == 1 &&
	       found == inode;
}

/* Appends the socket's line of one table. Returns false if it has none. */
static bool add_socket(uint32_t pid, const char *table, uint64_t inode, struct str *into)
{
	struct str text = {0};
	bool found = false;

	if (proc_read(pid, table, &text, NULL) == 0) {
		for (char *next = text.text, *line; !found && (line = strsep(&next, "\n"));) {
			found = is_of_inode(line, inode);
			if (found)
				str_printf(into, "tcp %s\n", line);
		}
	}
	str_release(&text);
	return found;
}

/*
 * Appends what a file lies on, if that is no disk or memory of this host; by the names of the
 * mounts that `pid` sees.
 */
static void add_mount(uint32_t pid, const char *path, struct str *into)
{
	struct str mountinfo = {0};
	char type[64], mount[256];
	enum storage_class class;

	if (proc_read(pid, "mountinfo", &mountinfo, NULL) == 0 &&
		mounts_of(str_text(&mountinfo), path, type, mount)) {
		class = mounts_class_of(type);
		if (class != STORAGE_LOCAL && class != STORAGE_MEMORY)
			str_printf(into, "mount %s %s\n", type, mount);
	}
	str_release(&mountinfo);
}

/* Appends what is known of one descriptor: its link, its mount, its socket. */
static void add_descriptor(uint32_t pid, unsigned long fd, struct str *into)
{
	char path[64], link[PATH_MAX];
	ssize_t len;
	uint64_t inode;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%lu", pid, fd);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0)
		return;
	link[len] = '\0';
	str_printf(into, "fd %lu %s\n", fd, link);
	if (*link == '/')
		add_mount(pid, link, into);
	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) == 1 &&
		!add_socket(pid, "net/tcp", inode, into))
		add_socket(pid, "net/tcp6", inode, into);
}

/*
 * Appends the child that is waited for, and its name. Appends nothing if any child, or a group's,
 * is waited for.
 */
static void add_child(unsigned long child, struct str *into)
{
	struct str name = {0};

	if (!child || child > INT_MAX)
		return;
	if (proc_read((uint32_t)child, "comm", &name, NULL) == 0)
		str_printf(into, "child %lu %s", child, str_text(&name));
	str_release(&name);
}

int proc_blocked_read(uint32_t pid, struct str *into)
{
	size_t from = into->len;
	int error = proc_read(pid, "syscall", into, NULL);
	const char *text = str_text(into) + from;
	long call;
	char *end;

	if (error)
		return error;
	call = strtol(text, &end, 10);
	if (end == text || call < 0) { /* "running" and -1 mean: in no system call */
		str_cut(into, from);
		return -EAGAIN;
	}
	if (call == SYS_wait4)
		add_child(strtoul(end, NULL, 16), into);
	if (is_of_descriptor(call))
		add_descriptor(pid, strtoul(end, NULL, 16), into);
	return 0;
}
