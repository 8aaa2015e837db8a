/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "proc/read.h"

#define CGROUP_FILE_CAP (64 * 1024)

/* Where a hierarchy may be mounted, by its controller in /proc/PID/cgroup ("" is version 2). */
static const struct {
	const char *controller;
	const char *mounts[3];
} cgroup_mounts[] = {
	{"", {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}},
	{"memory", {"/sys/fs/cgroup/memory"}},
	{"freezer", {"/sys/fs/cgroup/freezer"}},
};

/*
 * The facts to read, by controller: a file of lines "KEY VALUE", of which that of `key` counts, or
 * with no key a file of one value; and what we call it.
 */
static const struct {
	const char *controller;
	const char *file;
	const char *key;
	const char *as;
} cgroup_facts[] = {
	{"", "memory.events", "oom_kill", "memory.events.oom_kill"},
	{"", "memory.max", NULL, "memory.max"},
	{"", "memory.current", NULL, "memory.current"},
	{"", "cgroup.events", "frozen", "frozen"},
	{"memory", "memory.oom_control", "oom_kill", "memory.events.oom_kill"},
	{"memory", "memory.limit_in_bytes", NULL, "memory.max"},
	{"memory", "memory.usage_in_bytes", NULL, "memory.current"},
	{"freezer", "freezer.state", NULL, "frozen"},
};

int proc_cgroup_of(uint32_t pid, struct str *into)
{
	return proc_read(pid, "cgroup", into, NULL);
}

/*
 * True if a comma-separated list of `len` bytes holds the controller. The list of version 2 is
 * empty.
 */
static bool cgroup_list_has(const char *list, size_t len, const char *controller)
{
	size_t size = strlen(controller);

	if (!size)
		return len == 0;
	for (size_t at = 0; at + size <= len; at++)
		if (!memcmp(list + at, controller, size) && (at == 0 || list[at - 1] == ',') &&
			(at + size == len || list[at + size] == ','))
			return true;
	return false;
}

/*
 * Appends the folder of the group for this controller. Returns false if it is not to be seen.
 * Inside a container the path that is told may be that of the host, which is not mounted here: then
 * the mount's root is our own group.
 */
static bool cgroup_folder(const char *groups, const char *controller, const char *mount,
	struct str *into)
{
	for (const char *line = groups; *line;) {
		const char *end = strchrnul(line, '\n');
		const char *list = memchr(line, ':', (size_t)(end - line));
		const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;

		if (path && cgroup_list_has(list + 1, (size_t)(path - list - 1), controller)) {
			/* The text may come from a file of another user. */
			if (memmem(path, (size_t)(end - path), "/..", 3))
				return false;
			str_add(into, mount);
			if (end - path > 2)
				str_add_bytes(into, path + 1, (size_t)(end - path - 1));
			if (access(str_text(into), X_OK) == 0)
				return true;
			str_cut(into, 0);
			str_add(into, mount);
			return access(str_text(into), X_OK) == 0;
		}
		line = *end ? end + 1 : end;
	}
	return false;
}

/*
 * Returns a copy of the value in `text`: that of the line that starts with `key`, or the first
 * line; NULL if there is none. The caller frees it.
 */
static char *cgroup_value(const char *text, const char *key)
{
	size_t size = key ? strlen(key) : 0;

	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n');

		if (!key || (!strncmp(line, key, size) && line[size] == ' '))
			return alloc_copy(line + (key ? size + 1 : 0),
				(size_t)(end - line) - (key ? size + 1 : 0));
		line = *end ? end + 1 : end;
	}
	return NULL;
}

/* Appends what the files of a group's folder tell. */
static void cgroup_add_facts(const char *folder, const char *controller, struct str *into)
{
	struct str path = {0}, text = {0};

	for (size_t i = 0; i < sizeof(cgroup_facts) / sizeof(cgroup_facts[0]); i++) {
		char *value = NULL;

		if (strcmp(cgroup_facts[i].controller, controller))
			continue;
		str_cut(&path, 0);
		str_cut(&text, 0);
		str_printf(&path, "%s/%s", folder, cgroup_facts[i].file);
		if (file_read(path.text, CGROUP_FILE_CAP, &text, NULL) == 0)
			value = cgroup_value(str_text(&text), cgroup_facts[i].key);
		if (value && !strcmp(controller, "freezer"))
			str_printf(into, "frozen %d\n", strcmp(value, "THAWED") != 0);
		else if (value)
			str_printf(into, "%s %s\n", cgroup_facts[i].as, value);
		free(value);
	}
	str_release(&path);
	str_release(&text);
}

int proc_cgroup_read(const char *groups, struct str *into)
{
	struct str folder = {0};
	size_t start = into->len;

	for (size_t i = 0; i < sizeof(cgroup_mounts) / sizeof(cgroup_mounts[0]); i++) {
		const char *controller = cgroup_mounts[i].controller;
		const char *const *mount = cgroup_mounts[i].mounts;

		for (; *mount; mount++) {
			str_cut(&folder, 0);
			if (!cgroup_folder(groups, controller, *mount, &folder))
				continue;
			str_printf(into, "path %s\n", folder.text);
			cgroup_add_facts(folder.text, controller, into);
			break;
		}
	}
	str_release(&folder);
	return into->len > start ? 0 : -ENOENT;
}
