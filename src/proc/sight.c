/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/sight.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/threads/permit.h"

#define SIGHT_MOUNTS (4 * 1024 * 1024) /* bytes of mountinfo, at most */

/* Returns the pid that /proc has for us; 0 if it has none. */
static uint32_t pid_in_proc(void)
{
	char text[32];
	ssize_t len = readlink("/proc/self", text, sizeof(text) - 1);

	if (len <= 0)
		return 0;
	text[len] = '\0';
	return (uint32_t)strtoul(text, NULL, 10);
}

/* Returns the options of the /proc that is on top, by the text of mountinfo; "" without any. */
static const char *options_of(const char *mounts)
{
	const char *found = "", *next;

	for (const char *line = mounts; *line; line = next) {
		const char *type = strstr(line, " - ");

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (type && type < next && !strncmp(type, " - proc ", strlen(" - proc "))) {
			const char *point = strstr(line, " /proc ");

			found = point && point < type ? type : found;
		}
	}
	return found;
}

/* True if a group of ours is this one. */
static bool is_our_group(gid_t gid)
{
	int nr = getgroups(0, NULL);
	gid_t *groups = calloc(nr > 0 ? (size_t)nr : 1, sizeof(*groups));
	bool is = getegid() == gid;

	nr = groups && nr > 0 ? getgroups(nr, groups) : 0;
	for (int i = 0; i < nr; i++)
		is |= groups[i] == gid;
	free(groups);
	return is;
}

/* True if /proc, which is ours, shows only some processes to us. */
static bool hides(void)
{
	struct permit_facts us = {0};
	struct str mounts = {0};
	bool ret = false;

	if (file_read("/proc/self/mountinfo", SIGHT_MOUNTS, &mounts, NULL) == 0) {
		const char *options = options_of(str_text(&mounts));
		size_t len = strcspn(options, "\n");
		const char *how = strstr(options, "hidepid="), *gid = strstr(options, "gid=");

		permit_look_at_us(&us);
		ret = how && how < options + len && !us.capable &&
		      !(gid && gid < options + len &&
			      is_our_group((gid_t)strtoul(gid + strlen("gid="), NULL, 10)));
	}
	str_release(&mounts);
	return ret;
}

enum proc_sight proc_sight(void)
{
	uint32_t ours = pid_in_proc();

	if (ours != (uint32_t)getpid())
		return ours ? PROC_SIGHT_FOREIGN : PROC_SIGHT_NONE;
	return hides() ? PROC_SIGHT_HIDES : PROC_SIGHT_ALL;
}

bool proc_is_unseen(struct proc_id id)
{
	uint32_t ours = pid_in_proc();
	struct procstat stat;

	if (!id.pid || !ours)
		return id.pid != 0;
	/* Whose pid it is now, our own /proc tells. */
	if (ours == (uint32_t)getpid() &&
		proc_read_stat((struct proc_id){.pid = id.pid}, &stat) == 0)
		return false;
	return kill((pid_t)id.pid, 0) == 0 || errno == EPERM;
}

void proc_sight_words(enum proc_sight sight, const char *command, struct str *into)
{
	const char *sudo = geteuid() ? "sudo " : "";

	switch (sight) {
	case PROC_SIGHT_ALL:
		break;
	case PROC_SIGHT_HIDES:
		if (*sudo)
			str_printf(into, "/proc shows only processes that one may trace (hidepid): "
					 "sudo inquest %s", command);
		else
			str_printf(into, "/proc shows only processes that one may trace "
					 "(hidepid), and root here lacks CAP_SYS_PTRACE: enter "
					 "the container as their user (docker exec -u UID) for "
					 "inquest %s", command);
		break;
	case PROC_SIGHT_FOREIGN:
		str_printf(into, "/proc here is that of another pid namespace: "
				 "%sunshare --mount-proc inquest %s", sudo, command);
		break;
	case PROC_SIGHT_NONE:
		str_printf(into, "no process can be seen here, since /proc is not mounted: "
				 "%sunshare --mount-proc inquest %s", sudo, command);
		break;
	}
}
