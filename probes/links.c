/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most paths have no link in them, which is seen at once: what was opened has the very name that it
 * was opened by. Other paths are walked part by part.
 */
#include "probes/links.h"

#include <errno.h>
#include <string.h>

#include "probes/sys.h"
#include "probes/text.h"

#define LINKS_MOST 40   /* as many as the kernel follows */
#define LINKS_PATH 1024 /* bytes of the part of a path that is still to be walked */
#define LINKS_NAME 256

/* A path that is being walked: what is left of it, from the folder `at` (-1: none yet) on. */
struct links_way {
	int at;
	int links;
	size_t next; /* in `path`: its tail is the rest, ended by NUL */
	char path[LINKS_PATH];
	char part[LINKS_NAME];
};

static int links_is_ours(uint32_t uid)
{
	return !uid || uid == (uint32_t)sys_call(SYS_geteuid);
}

/* True if a link in the folder `at` may be followed. As the last part it must be ours or root's. */
static int links_may(int at, const struct stat *link, int last)
{
	struct stat folder;

	if (links_is_ours(link->st_uid))
		return 1;
	return !last && !sys_fstat(at, &folder) && links_is_ours(folder.st_uid) &&
	       !(folder.st_mode & 022);
}

/* Goes on from another folder. `fd` may be an error, which is returned. */
static int links_step(struct links_way *way, int fd)
{
	if (way->at >= 0)
		sys_close(way->at);
	way->at = fd;
	return fd < 0 ? fd : 0;
}

/* Puts `len` bytes in front of what is left. Returns 0 or -errno. */
static int links_put(struct links_way *way, const char *text, size_t len)
{
	if (len > way->next)
		return -ENAMETOOLONG;
	way->next -= len;
	memcpy(way->path + way->next, text, len);
	return 0;
}

/* Puts the target of a link, which is held open, in the link's place. Returns 0 or -errno. */
static int links_splice(struct links_way *way, int link)
{
	size_t room = way->next ? way->next - 1 : 0; /* the target is read in front of the rest */
	long len = sys_call(SYS_readlinkat, link, "", way->path, room);

	if (len <= 0)
		return len ? (int)len : -ENOENT;
	if ((size_t)len >= room)
		return -ENAMETOOLONG;
	way->path[--way->next] = '/';
	way->next -= (size_t)len;
	memmove(way->path + way->next, way->path, (size_t)len);
	if (way->path[way->next] != '/')
		return 0;
	return links_step(way, sys_openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
}

/*
 * Takes the next part off the path, "" at its end. Returns 1 if it is the last one, 0 if not, or
 * -errno.
 */
static int links_next(struct links_way *way)
{
	const char *from = way->path + way->next;
	size_t skip = strspn(from, "/"), len = strcspn(from + skip, "/");

	from += skip;
	if (len >= LINKS_NAME)
		return -ENAMETOOLONG;
	memcpy(way->part, from, len);
	way->part[len] = '\0';
	way->next += skip + len;
	return !way->path[way->next + strspn(way->path + way->next, "/")];
}

/* Goes through one part. What it is, is asked of what is held open. Returns 0 or -errno. */
static int links_part(struct links_way *way, int last, enum links_last how)
{
	int held = sys_openat(way->at, way->part, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0), err;
	struct stat about;

	if (held < 0)
		return held;
	err = sys_fstat(held, &about);
	if (!err && !S_ISLNK(about.st_mode))
		return links_step(way, held);
	if (!err && ((last && how == LINKS_LAST_REFUSED) || ++way->links > LINKS_MOST ||
			    !links_may(way->at, &about, last && how != LINKS_LAST_PASSED)))
		err = -ELOOP;
	if (!err)
		err = links_splice(way, held);
	sys_close(held);
	return err;
}

/*
 * Opens a folder part by part. Links of /proc are the kernel's, and lead to no folder of a job's.
 */
static __attribute__((noinline)) int links_open_slowly(const char *path, enum links_last how)
{
	struct links_way way = {.at = -1, .next = LINKS_PATH - 1};
	int err = links_put(&way, path, strlen(path)), last = 0, fd;

	if (!err)
		err = links_step(
			&way, sys_openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
	while (!err && way.path[way.next + strspn(way.path + way.next, "/")]) {
		last = links_next(&way);
		err = last < 0 ? last : links_part(&way, last, how);
	}
	fd = err ? err : sys_openat(way.at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (way.at >= 0)
		sys_close(way.at);
	return fd;
}

/* True if the kernel calls the open folder by this path, too: then no link was on the way. */
static int links_is_called(int fd, const char *path)
{
	char own[32], name[512];
	struct text t = text_into(own, sizeof(own));
	size_t len = strlen(path);

	text_put(&t, "/proc/self/fd/");
	text_put_u64(&t, (uint64_t)fd);
	return len < sizeof(name) && sys_readlink(own, name, sizeof(name)) == (long)len &&
	       !memcmp(name, path, len);
}

int links_open_folder(const char *path, enum links_last last)
{
	int fd;

	if (path[0] != '/')
		return -ENOENT;
	fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0 || links_is_called(fd, path))
		return fd;
	sys_close(fd);
	return links_open_slowly(path, last);
}

int links_open_parent(const char *path, const char **ret_leaf)
{
	const char *slash = strrchr(path, '/');
	char parent[512];

	if (!slash || (size_t)(slash - path) >= sizeof(parent))
		return slash ? -ENAMETOOLONG : -ENOENT;
	*ret_leaf = slash + 1;
	memcpy(parent, path, (size_t)(slash - path) + 1);
	parent[slash > path ? slash - path : 1] = '\0';
	return links_open_folder(parent, LINKS_LAST_PASSED);
}
