/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/leftover.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

#define NAME "inquest-helper"
#define MOST (64 << 10)

void leftover_name(void)
{
	prctl(PR_SET_NAME, NAME, 0, 0, 0);
}

void leftover_leave(pid_t pid)
{
	(void)setpgid(pid, pid);
}

static bool is_left(pid_t pid)
{
	struct str comm = {0};
	char path[32];
	bool is;

	if (getpgid(pid) != pid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	is = file_read(path, sizeof(NAME) + 1, &comm, NULL) == 0 &&
	     !strcmp(str_text(&comm), NAME "\n");
	str_release(&comm);
	return is;
}

void leftover_reap(void)
{
	struct str children = {0};

	if (file_read("/proc/thread-self/children", MOST, &children, NULL) == 0) {
		char *at = children.text, *end;

		for (long pid; at && (pid = strtol(at, &end, 10)) > 0; at = end)
			if (is_left((pid_t)pid))
				waitpid((pid_t)pid, NULL, WNOHANG);
	}
	str_release(&children);
}
