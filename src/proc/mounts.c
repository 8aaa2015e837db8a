/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/mounts.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MOST 40 /* as many as the kernel follows */

static const struct {
	const char *type; /* a type, or the beginning of one if it ends in '*' */
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

enum storage_class mounts_class_of(const char *type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t len = strcspn(types[i].type, "*");

		if (!strncmp(type, types[i].type, len) && (types[i].type[len] || !type[len]))
			return types[i].class;
	}
	return STORAGE_UNKNOWN;
}

const char *mounts_class_name(enum storage_class class)
{
	static const char *const names[] = {[STORAGE_UNKNOWN] = "of a kind not known",
		[STORAGE_LOCAL] = "local", [STORAGE_MEMORY] = "memory",
		[STORAGE_SHARED] = "a shared file system", [STORAGE_BUCKET] = "a bucket"};

	return names[class];
}

/*
 * Copies a word of mountinfo, in which blanks, tabs, newlines and backslashes are octal (proc(5)),
 * cut to the room. Returns the length.
 */
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

/*
 * Reads a line "36 35 98:0 /root /mount/point options ... - type source options". Returns the
 * length of its mount point if that holds the path; else 0.
 */
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

bool mounts_of(const char *mountinfo, const char *path, char type[static 64],
	char mount[static 256])
{
	size_t best = 0;

	for (const char *line = mountinfo; *line;) {
		char its_type[64], its_mount[256];
		size_t len = strcspn(line, "\n");
		size_t nr = line_holds(line, len, path, its_type, its_mount);

		if (nr && nr >= best) { /* of two at one point, the later mount lies above */
			best = nr;
			memcpy(type, its_type, sizeof(its_type));
			memcpy(mount, its_mount, sizeof(its_mount));
		}
		line += len + (line[len] == '\n');
	}
	return best > 0;
}

/* True if the file system of a path answers at once, since there is no server behind it. */
static bool answers(const char *mountinfo, const char *path)
{
	char type[64], mount[256];
	enum storage_class class;

	if (!mounts_of(mountinfo, path, type, mount))
		return false;
	class = mounts_class_of(type);
	return class == STORAGE_LOCAL || class == STORAGE_MEMORY;
}

/*
 * Puts a link's target in front of what is left to follow, in place of the name that was the link.
 */
static void put_target(struct str *left, const char *target, size_t len, const char *rest)
{
	struct str all = {0};

	str_add_bytes(&all, target, len);
	str_add(&all, rest);
	str_release(left);
	*left = all;
}

/* Goes up to where ".." leads. */
static void step_up(struct str *path)
{
	const char *slash = path->len ? strrchr(path->text, '/') : NULL;

	str_cut(path, slash ? (size_t)(slash - path->text) : 0);
}

void mounts_follow(const char *mountinfo, const char *path, struct str *ret)
{
	struct str left = {0};
	const char *at;
	int links = 0;

	str_add(&left, path);
	at = left.text;
	while (*(at += strspn(at, "/"))) {
		size_t len = strcspn(at, "/"), before = ret->len;
		char target[PATH_MAX];
		ssize_t n;

		if (len == 1 && *at == '.') {
			at += len;
			continue;
		}
		if (len == 2 && !strncmp(at, "..", len)) {
			step_up(ret);
			at += len;
			continue;
		}
		str_add_char(ret, '/');
		str_add_bytes(ret, at, len);
		at += len;
		if (!answers(mountinfo, ret->text)) {
			str_add(ret, at);
			break;
		}
		n = readlink(ret->text, target, sizeof(target));
		if (n <= 0)
			continue;
		if (links++ == LINKS_MOST) { /* a circle of links */
			str_add(ret, at);
			break;
		}
		str_cut(ret, *target == '/' ? 0 : before);
		put_target(&left, target, (size_t)n, at);
		at = left.text;
	}
	if (!ret->len)
		str_add_char(ret, '/');
	str_release(&left);
}
