/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/ns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/tree.h"

uint64_t proc_ns_own(void)
{
	char text[64];
	ssize_t len = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);
	unsigned long long inode;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	return sscanf(text, "pid:[%llu]", &inode) == 1 ? inode : 0;
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

uint32_t proc_ns_find(struct proc_id inner, uint64_t ns)
{
	struct proc_list list = {0};
	struct str status = {0};
	uint64_t own = proc_ns_own();
	uint32_t found = 0;

	if (!ns || !own || ns == own)
		return inner.pid;
	(void)proc_list_all(&list);
	for (size_t i = 0; i < list.all.nr && !found; i++) {
		const struct procstat *stat = &list.all.items[i];

		if (stat->start_time != inner.start_time)
			continue;
		str_cut(&status, 0);
		if (proc_read(stat->pid, "status", &status, NULL) == 0 &&
			proc_ns_innermost(str_text(&status)) == inner.pid)
			found = stat->pid;
	}
	str_release(&status);
	proc_list_release(&list);
	return found;
}
