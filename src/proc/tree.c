/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/read.h"

static int procstat_compare(const void *a, const void *b)
{
	uint32_t left = ((const struct procstat *)a)->pid;
	uint32_t right = ((const struct procstat *)b)->pid;

	return (left > right) - (left < right);
}

int proc_list_all(struct proc_list *list)
{
	const struct dirent *entry;
	DIR *dir = opendir("/proc");

	if (!dir)
		return -errno;
	while (list->all.nr < PROC_LIST_CAP && (entry = readdir(dir))) {
		struct procstat stat;
		struct proc_id id = {0};

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		id.pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (proc_read_stat(id, &stat) == 0)
			*array_add(&list->all) = stat;
	}
	closedir(dir);
	array_sort(&list->all, procstat_compare);
	return 0;
}

static bool proc_list_has(const struct proc_list *list, uint32_t pid)
{
	for (size_t i = 0; i < list->all.nr; i++)
		if (list->all.items[i].pid == pid)
			return true;
	return false;
}

/* Appends a process, once, if it is there. */
static void proc_list_add_pid(struct proc_list *list, uint32_t pid)
{
	struct procstat stat;

	if (pid && list->all.nr < PROC_LIST_CAP && !proc_list_has(list, pid) &&
		proc_read_stat((struct proc_id){.pid = pid}, &stat) == 0)
		*array_add(&list->all) = stat;
}

/* Appends the processes of a list "PID PID ...". */
static void proc_list_add_pids(struct proc_list *list, const char *pids)
{
	char *next;

	for (const char *at = pids; *at; at = next + strspn(next, " \n")) {
		uint32_t pid = (uint32_t)strtoul(at, &next, 10);

		if (next == at)
			break;
		proc_list_add_pid(list, pid);
	}
}

/*
 * Appends the children of one process, by the kernel's lists, one for each thread. Returns 0, or
 * -errno if this kernel keeps no such lists.
 */
static int proc_list_children(struct proc_list *list, uint32_t pid)
{
	struct str text = {0};
	const struct dirent *entry;
	char name[64];
	int error = 0;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%u/task", pid);
	dir = opendir(name);
	if (!dir)
		return 0; /* it ended meanwhile */
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		str_cut(&text, 0);
		snprintf(name, sizeof(name), "task/%.20s/children", entry->d_name);
		error = proc_read(pid, name, &text, NULL);
		snprintf(name, sizeof(name), "task/%.20s/stat", entry->d_name);
		if (error && proc_read(pid, name, &text, NULL) == 0)
			break; /* it is there, its list is not: this kernel keeps none */
		if (!error)
			proc_list_add_pids(list, str_text(&text));
		error = 0;
	}
	closedir(dir);
	str_release(&text);
	return error;
}

static bool pid_is_among(const uint32_t *pids, size_t nr, uint32_t pid)
{
	for (size_t i = 0; i < nr; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* Appends the descendants of `pids` the slow way: out of a list of all processes. */
static int proc_list_descendants_slowly(struct proc_list *list, const uint32_t *pids, size_t nr)
{
	struct proc_list all = {0};
	int error = proc_list_all(&all);
	bool grew = true;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < all.all.nr; i++) {
			const struct procstat *stat = &all.all.items[i];

			if (!pid_is_among(pids, nr, stat->ppid) && !proc_list_has(list, stat->ppid))
				continue;
			if (proc_list_has(list, stat->pid) || list->all.nr >= PROC_LIST_CAP)
				continue;
			*array_add(&list->all) = *stat;
			grew = true;
		}
	}
	proc_list_release(&all);
	return error;
}

int proc_list_descendants(struct proc_list *list, const uint32_t *pids, size_t nr)
{
	size_t start = list->all.nr;
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++)
		error = proc_list_children(list, pids[i]);
	for (size_t i = start; i < list->all.nr && !error; i++)
		error = proc_list_children(list, list->all.items[i].pid);
	if (error) {
		list->all.nr = start;
		error = proc_list_descendants_slowly(list, pids, nr);
	}
	array_sort(&list->all, procstat_compare);
	return error;
}

void proc_list_release(struct proc_list *list)
{
	if (list)
		array_release(&list->all);
}
