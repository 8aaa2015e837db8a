/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/ns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/str.h"
#include "proc/tree.h"

/* Returns the inode that a link to a pid namespace names; 0 if it cannot be read. */
static uint64_t read_ns(const char *path)
{
	char text[64];
	ssize_t len = readlink(path, text, sizeof(text) - 1);
	unsigned long long inode;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	return sscanf(text, "pid:[%llu]", &inode) == 1 ? inode : 0;
}

uint64_t proc_ns_own(void)
{
	return read_ns("/proc/self/ns/pid");
}

/* Returns the pid namespace of a process; 0 if we may not ask, or it is gone. */
static uint64_t ns_of(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	return read_ns(path);
}

uint32_t proc_ns_innermost(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	uint32_t pid = 0;

	if (!line)
		return 0;
	for (line += strlen("\nNSpid:"); *line == '\t' || *line == ' ';) {
		char *next;

		pid = (uint32_t)strtoul(line, &next, 10);
		if (next == line)
			return 0;
		line = next;
	}
	return pid;
}

/* Orders processes by start time, then by pid. */
static int compare_births(const void *a, const void *b)
{
	const struct proc_ns_one *left = a, *right = b;

	if (left->start_time != right->start_time)
		return left->start_time < right->start_time ? -1 : 1;
	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Lists all processes that we see. */
static void seen_list(struct proc_ns_seen *seen)
{
	struct proc_list list = {0};
	const struct procstat *stat;

	(void)proc_list_all(&list);
	array_for_each (&list.all, stat)
		*array_add(&seen->all) = (struct proc_ns_one){
			.pid = stat->pid, .start_time = stat->start_time};
	array_sort(&seen->all, compare_births);
	proc_list_release(&list);
	seen->listed = true;
}

/* Returns the number of the first process that was not started before `start_time`. */
static size_t seen_from(const struct proc_ns_seen *seen, uint64_t start_time)
{
	return bisect(0, seen->all.nr, i, seen->all.items[i].start_time < start_time);
}

/* Returns the pid by which a process knows itself, asked once; 0 not known. */
static uint32_t inner_of(struct proc_ns_one *one)
{
	struct str status = {0};

	if (!one->asked && proc_read(one->pid, "status", &status, NULL) == 0)
		one->inner = proc_ns_innermost(str_text(&status));
	one->asked = true;
	str_release(&status);
	return one->inner;
}

uint32_t proc_ns_find(struct proc_ns_seen *seen, struct proc_id inner, uint64_t ns)
{
	uint32_t likely = 0;

	if (!seen->own)
		seen->own = proc_ns_own();
	if (!ns || !seen->own || ns == seen->own)
		return inner.pid;
	if (!seen->listed)
		seen_list(seen);
	for (size_t i = seen_from(seen, inner.start_time);
		inner.pid && i < seen->all.nr && seen->all.items[i].start_time == inner.start_time;
		i++) {
		uint64_t its = 0;

		if (inner_of(&seen->all.items[i]) != inner.pid)
			continue;
		its = ns_of(seen->all.items[i].pid);
		if (its == ns)
			return seen->all.items[i].pid;
		if (!its && !likely)
			likely = seen->all.items[i].pid;
	}
	return likely;
}

void proc_ns_seen_release(struct proc_ns_seen *seen)
{
	array_release(&seen->all);
	*seen = (struct proc_ns_seen){0};
}
