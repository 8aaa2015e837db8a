/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/spare.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "proc/read.h"
#include "proc/tree.h"

#define SPARE_PLENTY 4096 /* a limit that is as good as none */

/*
 * True if we are root outside of user namespaces, too. Else root is a plain user outside, and has
 * that user's limit.
 */
static bool is_true_root(void)
{
	unsigned long inside = 1, outside = 1;
	struct str map = {0};
	bool is;

	if (getuid())
		return false;
	is = proc_read((uint32_t)getpid(), "uid_map", &map, NULL) < 0 ||
	     (sscanf(str_text(&map), "%lu %lu", &inside, &outside) == 2 && !inside && !outside);
	str_release(&map);
	return is;
}

/* True if a process is this user's. */
static bool is_ours(uint32_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) == 0 && st.st_uid == getuid();
}

uint64_t proc_spare(void)
{
	struct proc_list list = {0};
	struct rlimit limit;
	uint64_t tasks = 0;

	if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur >= SPARE_PLENTY || is_true_root())
		return UINT64_MAX;
	proc_list_all(&list);
	for (size_t i = 0; i < list.all.nr; i++)
		if (is_ours(list.all.items[i].pid))
			tasks += list.all.items[i].threads;
	proc_list_release(&list);
	return limit.rlim_cur > tasks ? limit.rlim_cur - tasks : 0;
}
