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
#include "base/file.h"
#include "base/str.h"
#include "preflight/check.h"

#define MOUNTINFO_CAP (4 << 20)
#define ROOM_LEAST    10e9 /* bytes that a checkpoint or a cache should find free */

static const char *const role_names[PREFLIGHT_ROLES] = {"data", "checkpoint", "cache"};

/* --- Which paths ------------------------------------------------------------------------------ */

static void add_path(struct storage_paths *ret, enum preflight_role role, const char *path)
{
	const struct preflight_path *known;

	if (!path || path[0] != '/')
		return;
	array_for_each (&ret->list, known)
		if (!strcmp(known->path, path))
			return;
	*array_add(&ret->list) = (struct preflight_path){role, alloc_text(path)};
}

/* Variables by which programs are told where things lie. */
static const struct {
	const char *variable;
	enum preflight_role role;
} variables[] = {
	{"DATA_DIR", PREFLIGHT_DATA},
	{"HF_DATASETS_CACHE", PREFLIGHT_DATA},
	{"HF_HOME", PREFLIGHT_DATA},
	{"CHECKPOINT_DIR", PREFLIGHT_CHECKPOINT},
	{"OUTPUT_DIR", PREFLIGHT_CHECKPOINT},
	{"TORCHINDUCTOR_CACHE_DIR", PREFLIGHT_CACHE},
	{"TRITON_CACHE_DIR", PREFLIGHT_CACHE},
	{"TORCH_EXTENSIONS_DIR", PREFLIGHT_CACHE},
	{"CUDA_CACHE_PATH", PREFLIGHT_CACHE},
};

/* From the root on. Links are the check's matter: who follows one may wait for a server. */
static void add_told(struct storage_paths *ret, const struct preflight_path *told)
{
	char here[PATH_MAX];
	struct str whole = {0};

	if (told->path[0] != '/' && getcwd(here, sizeof(here)))
		str_printf(&whole, "%s/", here);
	str_add(&whole, told->path);
	add_path(ret, told->role, whole.text);
	str_release(&whole);
}

void storage_find_paths(const struct preflight_wish *wish, struct storage_paths *ret)
{
	for (size_t i = 0; i < wish->nr_paths; i++)
		add_told(ret, &wish->paths[i]);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		add_path(ret, variables[i].role, check_variable(wish, variables[i].variable));
}

void storage_release_paths(struct storage_paths *paths)
{
	const struct preflight_path *path;

	array_for_each (&paths->list, path)
		free((char *)path->path);
	array_release(&paths->list);
}

/* --- What they lie on ------------------------------------------------------------------------- */

static const struct {
	const char *type; /* or the beginning of one, where it ends in '*' */
	enum storage_class class;
} types[] = {
	{"ext2", STORAGE_LOCAL}, {"ext3", STORAGE_LOCAL}, {"ext4", STORAGE_LOCAL},
	{"xfs", STORAGE_LOCAL}, {"btrfs", STORAGE_LOCAL}, {"zfs", STORAGE_LOCAL},
	{"f2fs", STORAGE_LOCAL}, {"bcachefs", STORAGE_LOCAL}, {"overlay", STORAGE_LOCAL},
	{"squashfs", STORAGE_LOCAL}, {"erofs", STORAGE_LOCAL},
	{"tmpfs", STORAGE_MEMORY}, {"ramfs", STORAGE_MEMORY},
	{"nfs", STORAGE_SHARED}, {"nfs4", STORAGE_SHARED}, {"cifs", STORAGE_SHARED},
	{"smb3", STORAGE_SHARED}, {"lustre", STORAGE_SHARED}, {"gpfs", STORAGE_SHARED},
	{"beegfs*", STORAGE_SHARED}, {"ceph", STORAGE_SHARED}, {"fuse.ceph*", STORAGE_SHARED},
	{"fuse.glusterfs", STORAGE_SHARED}, {"glusterfs", STORAGE_SHARED},
	{"weka*", STORAGE_SHARED}, {"pvfs2", STORAGE_SHARED}, {"panfs", STORAGE_SHARED},
	{"fuse.sshfs", STORAGE_SHARED}, {"afs", STORAGE_SHARED}, {"9p", STORAGE_SHARED},
	{"virtiofs", STORAGE_SHARED}, {"fuse.juicefs", STORAGE_SHARED},
	{"fuse.JuiceFS*", STORAGE_SHARED},
	{"fuse.gcsfuse", STORAGE_BUCKET}, {"fuse.s3fs", STORAGE_BUCKET},
	{"fuse.goofys", STORAGE_BUCKET}, {"fuse.rclone", STORAGE_BUCKET},
	{"fuse.mountpoint-s3", STORAGE_BUCKET}, {"fuse.mount-s3", STORAGE_BUCKET},
	{"fuse.blobfuse*", STORAGE_BUCKET}, {"fuse.ossfs*", STORAGE_BUCKET},
	{"fuse.geesefs", STORAGE_BUCKET}, {"fuse.s3backer", STORAGE_BUCKET},
};

enum storage_class storage_class_of(const char *type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t len = strcspn(types[i].type, "*");

		if (!strncmp(type, types[i].type, len) && (types[i].type[len] || !type[len]))
			return types[i].class;
	}
	return STORAGE_UNKNOWN;
}

/* "local", "a bucket" */
static const char *storage_class_name(enum storage_class class)
{
	static const char *const names[] = {[STORAGE_UNKNOWN] = "of a kind not known",
		[STORAGE_LOCAL] = "local", [STORAGE_MEMORY] = "memory",
		[STORAGE_SHARED] = "a shared file system", [STORAGE_BUCKET] = "a bucket"};

	return names[class];
}

/* A word of mountinfo: blanks, tabs, newlines and backslashes in it are octal (proc(5)). */
static size_t unescape(const char *word, size_t len, char *into, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < len && nr < room - 1; i++) {
		if (word[i] == '\\' && i + 3 < len &&
			strspn(word + i + 1, "01234567") >= 3) {
			into[nr++] = (char)((word[i + 1] - '0') * 64 + (word[i + 2] - '0') * 8 +
					    (word[i + 3] - '0'));
			i += 3;
		} else {
			into[nr++] = word[i];
		}
	}
	into[nr] = '\0';
	return nr;
}

/* "36 35 98:0 /root /mount/point options ... - type source options": the length it holds; 0 not. */
static size_t line_holds(const char *line, size_t len, const char *path, char type[static 64],
	char mount[static 256])
{
	const char *at = line, *end = line + len;
	size_t word, nr;

	for (int i = 0; i < 4; i++) {
		at += strcspn(at, " \n");
		at += *at == ' ';
	}
	word = strcspn(at, " \n");
	if (at + word > end)
		return 0;
	nr = unescape(at, word, mount, 256);
	if (strncmp(path, mount, nr) != 0 || (nr > 1 && path[nr] && path[nr] != '/'))
		return 0;
	at = memmem(at, (size_t)(end - at), " - ", 3);
	if (!at)
		return 0;
	unescape(at + 3, strcspn(at + 3, " \n"), type, 64);
	return nr;
}

bool storage_mount_of(const char *mountinfo, const char *path, char type[static 64],
	char mount[static 256])
{
	size_t best = 0;

	for (const char *line = mountinfo; *line;) {
		char its_type[64], its_mount[256];
		size_t len = strcspn(line, "\n");
		size_t nr = line_holds(line, len, path, its_type, its_mount);

		if (nr && nr >= best) { /* the later mount lies above */
			best = nr;
			memcpy(type, its_type, sizeof(its_type));
			memcpy(mount, its_mount, sizeof(its_mount));
		}
		line += len + (line[len] == '\n');
	}
	return best > 0;
}

/* --- Whether that will do --------------------------------------------------------------------- */

/* What is wrong with a role on a class; nothing is not listed. */
static const struct {
	enum preflight_role role;
	enum storage_class class;
	const char *says, *fix;
} misplaced[] = {
	{PREFLIGHT_DATA, STORAGE_BUCKET, "a bucket on the hot path: each sample is a request",
		"copy the data to local disks first"},
	{PREFLIGHT_CHECKPOINT, STORAGE_BUCKET,
		"a bucket on the hot path: all ranks wait while it is written",
		"write to local disk, and upload from there"},
	{PREFLIGHT_CHECKPOINT, STORAGE_MEMORY, "it is gone with the machine, and takes its memory",
		"a disk or a shared file system"},
	{PREFLIGHT_CACHE, STORAGE_BUCKET,
		"thousands of small files on a bucket: ranks wait for it in the first step",
		"a local folder, filled from the bucket before the launch"},
	{PREFLIGHT_CACHE, STORAGE_SHARED,
		"hosts write one cache at the same time: locks and stale files of a network",
		"a local folder for each host"},
};

static void judge_place(const struct preflight_path *path, const char *type, const char *from,
	struct check_sink *sink)
{
	enum storage_class class = storage_class_of(type);

	for (size_t i = 0; i < sizeof(misplaced) / sizeof(misplaced[0]); i++)
		if (misplaced[i].role == path->role && misplaced[i].class == class) {
			check_say(sink, PREFLIGHT_WARN, from, misplaced[i].fix, "%s path is %s: %s",
				role_names[path->role], type, misplaced[i].says);
			return;
		}
	check_say(sink, class == STORAGE_UNKNOWN ? PREFLIGHT_NONE : PREFLIGHT_OK, from, NULL,
		"%s path is %s, %s", role_names[path->role], type, storage_class_name(class));
}

/* The path, or the nearest folder above it that is there. */
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

static void judge_room(const struct preflight_path *path, const char *existing,
	struct check_sink *sink)
{
	bool is_there = !strcmp(existing, path->path);
	struct statvfs fs;

	if (path->role == PREFLIGHT_DATA && !is_there)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "data path is not there");
	else if (path->role == PREFLIGHT_DATA && access(existing, R_OK) < 0)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "data path cannot be read: %s",
			strerror(errno));
	else if (path->role != PREFLIGHT_DATA && access(existing, W_OK) < 0)
		check_say(sink, PREFLIGHT_FAIL, path->path, NULL, "%s path cannot be written%s: %s",
			role_names[path->role], is_there ? "" : " (it would be made)",
			strerror(errno));
	if (path->role == PREFLIGHT_DATA || statvfs(existing, &fs) < 0)
		return;
	if ((double)fs.f_bavail * (double)fs.f_frsize < ROOM_LEAST)
		check_say(sink, PREFLIGHT_WARN, path->path, "make room",
			"%s path has %.1f GB left", role_names[path->role],
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
		storage_mount_of(str_text(&mountinfo), whole, type, mount)) {
		str_printf(&from, "mountinfo:%s", mount);
		judge_place(path, type, from.text, sink);
	} else {
		check_say(sink, PREFLIGHT_NONE, path->path, NULL,
			"what the %s path lies on is not known", role_names[path->role]);
	}
	judge_room(path, str_text(&existing), sink);
	str_release(&mountinfo);
	str_release(&existing);
	str_release(&from);
}
