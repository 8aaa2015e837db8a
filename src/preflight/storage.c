/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/storage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"
#include "base/str.h"
#include "preflight/check.h"
#include "proc/mounts.h"

#define MOUNTINFO_CAP (4 << 20)
#define ROOM_LEAST    10e9 /* bytes that a checkpoint or a cache should find free */

/* --- Which paths ------------------------------------------------------------------------------ */

/*
 * Adds a path, from the root on, unless it is there. Links are the check's matter: who follows one
 * may wait for a server.
 */
static void add_path(struct storage_paths *ret, enum storage_role role, const char *path)
{
	const struct preflight_path *known;
	char here[PATH_MAX];
	struct str whole = {0};

	if (!path || !*path)
		return;
	if (path[0] != '/' && getcwd(here, sizeof(here)))
		str_printf(&whole, "%s/", here);
	str_add(&whole, path);
	array_for_each (&ret->list, known)
		if (!strcmp(known->path, whole.text))
			break;
	if (known == ret->list.items + ret->list.nr)
		*array_add(&ret->list) = (struct preflight_path){role, alloc_text(whole.text)};
	str_release(&whole);
}

void storage_find_paths(const struct preflight_wish *wish, struct storage_paths *ret)
{
	for (size_t i = 0; i < wish->nr_paths; i++)
		add_path(ret, wish->paths[i].role, wish->paths[i].path);
	for (size_t i = 0; i < storage_nr_variables; i++)
		add_path(ret, storage_variables[i].role,
			env_value(wish->env, storage_variables[i].name));
}

void storage_release_paths(struct storage_paths *paths)
{
	const struct preflight_path *path;

	array_for_each (&paths->list, path)
		free((char *)path->path);
	array_release(&paths->list);
}

/* --- Whether that will do --------------------------------------------------------------------- */

/* What is wrong with a role on a class; nothing is not listed. */
static const struct {
	enum storage_role role;
	enum storage_class class;
	const char *says, *fix;
} misplaced[] = {
	{STORAGE_FOR_DATA, STORAGE_BUCKET, "a bucket on the hot path: each sample is a request",
		"copy the data to local disks first"},
	{STORAGE_FOR_CHECKPOINT, STORAGE_BUCKET,
		"a bucket on the hot path: all ranks wait while it is written",
		"write to local disk, and upload from there"},
	{STORAGE_FOR_CHECKPOINT, STORAGE_MEMORY,
		"it is gone with the machine, and takes its memory",
		"a disk or a shared file system"},
	{STORAGE_FOR_CACHE, STORAGE_BUCKET,
		"thousands of small files on a bucket: ranks wait for it in the first step",
		"a local folder, filled from the bucket before the launch"},
	{STORAGE_FOR_CACHE, STORAGE_SHARED,
		"hosts write one cache at the same time: locks and stale files of a network",
		"a local folder for each host"},
};

/* Says what a path lies on, and whether that will do for its role. */
static void judge_place(const struct preflight_path *path, const char *type, const char *from,
	struct check_sink *sink)
{
	enum storage_class class = mounts_class_of(type);

	for (size_t i = 0; i < sizeof(misplaced) / sizeof(misplaced[0]); i++)
		if (misplaced[i].role == path->role && misplaced[i].class == class) {
			check_say(sink, PREFLIGHT_WARN, from, misplaced[i].fix, "%s path is %s: %s",
				storage_role_name(path->role), type, misplaced[i].says);
			return;
		}
	check_say(sink, class == STORAGE_UNKNOWN ? PREFLIGHT_NONE : PREFLIGHT_OK, from, NULL,
		"%s path is %s, %s", storage_role_name(path->role), type, mounts_class_name(class));
}

/* Appends the path, or the nearest folder above it that is there. */
static void find_existing(const char *path, struct str *ret)
{
	struct stat st;

	str_add(ret, path);
	while (ret->len > 1 && stat(ret->text, &st) < 0 && errno == ENOENT) {
		while (ret->len > 1 && ret->text[ret->len - 1] != '/')
			str_cut(ret, ret->len - 1);
		if (ret->len > 1)
			str_cut(ret, ret->len - 1);
	}
}

/* Says whether a path can be read or written as its role needs, and has room. */
static void judge_room(const struct preflight_path *path, const char *existing,
	struct check_sink *sink)
{
	bool is_there = !strcmp(existing, path->path);
	struct statvfs fs;

	if (path->role == STORAGE_FOR_DATA && !is_there)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "data path is not there");
	else if (path->role == STORAGE_FOR_DATA && access(existing, R_OK) < 0)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "data path cannot be read: %s",
			strerror(errno));
	else if (path->role != STORAGE_FOR_DATA && access(existing, W_OK) < 0)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "%s path cannot be written%s: %s",
			storage_role_name(path->role), is_there ? "" : " (it would be made)",
			strerror(errno));
	if (path->role == STORAGE_FOR_DATA || statvfs(existing, &fs) < 0)
		return;
	if ((double)fs.f_bavail * (double)fs.f_frsize < ROOM_LEAST)
		check_say(sink, PREFLIGHT_WARN, path->path, "make room",
			"%s path has %.1f GB left", storage_role_name(path->role),
			(double)fs.f_bavail * (double)fs.f_frsize / 1e9);
}

void check_storage(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	const struct preflight_path *path = arg;
	struct str mountinfo = {0}, existing = {0}, from = {0};
	char type[64], mount[256], whole[PATH_MAX];

	(void)wish;
	find_existing(path->path, &existing);
	if (file_read("/proc/self/mountinfo", MOUNTINFO_CAP, &mountinfo, NULL) == 0 &&
		realpath(str_text(&existing), whole) &&
		mounts_of(str_text(&mountinfo), whole, type, mount)) {
		str_printf(&from, "mountinfo:%s", mount);
		judge_place(path, type, from.text, sink);
	} else {
		check_say(sink, PREFLIGHT_NONE, path->path, NULL,
			"what the %s path lies on is not known", storage_role_name(path->role));
	}
	judge_room(path, str_text(&existing), sink);
	str_release(&mountinfo);
	str_release(&existing);
	str_release(&from);
}
