/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/ns.h"
#include "proc/read.h"
#include "ring/census.h"
#include "ring/ring.h"

#define BEGUN ".begun-"

/* Opens a folder that is no link; -1 with errno. */
static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Returns the entries of a folder that is ours; closedir() it. NULL: there is none to be trusted.
 */
static DIR *list_own(int at, const char *name)
{
	int fd = open_folder(at, name);
	struct stat about;
	DIR *list = NULL;

	if (fd >= 0 && fstat(fd, &about) == 0 && about.st_uid == geteuid() &&
		!(about.st_mode & 022))
		list = fdopendir(fd);
	if (fd >= 0 && !list)
		close(fd);
	return list;
}

/* True for the two names that every folder has. */
static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Removes a folder with the plain files in it. */
static void remove_at(int at, const char *name)
{
	int fd = open_folder(at, name);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(list)))
		if (!is_dots(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	closedir(list);
	unlinkat(at, name, AT_REMOVEDIR);
}

/* --- Begun ------------------------------------------------------------------------------------ */

/* Appends the name of a folder that we have begun. */
static void add_begun(struct str *into, int number)
{
	str_printf(into, "/" BEGUN "%u-%llu-%d", (unsigned)getpid(),
		(unsigned long long)proc_start_time((uint32_t)getpid()), number);
}

/* Takes the folder's name first: half removed, it is no job's either. */
void sweep_remove(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str begun = {0};
	int err = EEXIST;

	for (int try = 0; slash && err == EEXIST && try < 100; try++) {
		str_cut(&begun, 0);
		str_add_bytes(&begun, path, (size_t)(slash - path));
		add_begun(&begun, 100 + try);
		err = rename(path, begun.text) < 0 ? errno : 0;
		err = err == ENOTEMPTY ? EEXIST : err;
	}
	remove_at(AT_FDCWD, err ? path : begun.text);
	str_release(&begun);
}

int sweep_begin(const char *root, struct str *ret_path)
{
	size_t before = ret_path->len;

	for (int try = 0; try < 100; try++) {
		int fd, err;

		str_cut(ret_path, before);
		str_add(ret_path, root);
		add_begun(ret_path, try);
		if (mkdir(ret_path->text, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = open_folder(AT_FDCWD, ret_path->text);
		err = fd < 0 ? errno : 0;
		/* Another sweep may hold it for a moment, and then it is gone. */
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
			access(ret_path->text, F_OK) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
		else if (err != ENOENT)
			return -err;
	}
	return -EEXIST;
}

/* True if the maker is gone, or is another process that has its number now. */
static bool maker_is_gone(const char *name)
{
	unsigned long long start_time;
	struct proc_id id;
	unsigned pid;

	if (sscanf(name, BEGUN "%u-%llu-", &pid, &start_time) != 2)
		return false;
	id = (struct proc_id){pid, start_time};
	return !proc_is_alive(id);
}

void sweep_begun(const char *root)
{
	DIR *list = list_own(AT_FDCWD, root);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		int fd;

		if (strncmp(entry->d_name, BEGUN, strlen(BEGUN)) != 0 ||
			!maker_is_gone(entry->d_name))
			continue;
		fd = open_folder(dirfd(list), entry->d_name);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_at(dirfd(list), entry->d_name);
		if (fd >= 0)
			close(fd);
	}
	if (list)
		closedir(list);
}

/* --- Spilled ---------------------------------------------------------------------------------- */

/* True if whose ring it is can be known here, and he lives no more. */
static bool is_of_the_dead(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct ring_header head = {0};
	bool dead = false;

	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		head.magic == RING_MAGIC && head.pid_ns == proc_ns_own())
		dead = !proc_is_alive((struct proc_id){head.pid, head.start_time});
	if (fd >= 0)
		close(fd);
	return dead;
}

/*
 * True if there are rings of the dead and nothing else: a census, or what we do not know, is
 * somebody's. A folder that has no ring yet may be of a job whose folder only other mounts show.
 */
static bool is_deserted(DIR *list)
{
	const struct dirent *entry;
	size_t rings = 0;

	while ((entry = readdir(list))) {
		if (is_dots(entry->d_name) || !strcmp(entry->d_name, CENSUS_SPILL_JOB))
			continue;
		if (!is_of_the_dead(dirfd(list), entry->d_name))
			return false;
		rings++;
	}
	return rings > 0;
}

/* True if the job's own folder is no more. */
static bool is_orphan(int at)
{
	char path[PATH_MAX];
	ssize_t len = readlinkat(at, CENSUS_SPILL_JOB, path, sizeof(path) - 1);

	if (len <= 0)
		return false;
	path[len] = 0;
	return access(path, F_OK) < 0 && errno == ENOENT;
}

void sweep_spilled(void)
{
	const struct dirent *entry;
	char root[64], path[sizeof(root) + 256];
	DIR *list;

	snprintf(root, sizeof(root), "/tmp/inquest-%u", (unsigned)geteuid());
	sweep_begun(root);
	list = list_own(AT_FDCWD, root);
	while (list && (entry = readdir(list))) {
		DIR *one = *entry->d_name == '.' ? NULL : list_own(dirfd(list), entry->d_name);

		if (one && is_orphan(dirfd(one)) && is_deserted(one)) {
			snprintf(path, sizeof(path), "%s/%s", root, entry->d_name);
			sweep_remove(path);
		}
		if (one)
			closedir(one);
	}
	if (list)
		closedir(list);
}
