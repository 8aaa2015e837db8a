/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel has a flag for "no links at all" (openat2()), but none for "only these". So a path is
 * opened with that flag first, which settles nearly all of them at once. Only if that is refused,
 * the path is gone part by part: each part is opened and held, looked at, and either stepped into
 * or, if it is a link that may be followed, replaced by its target.
 */
#include "base/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/str.h"

#define FOLLOW_LINKS       40   /* as many as the kernel follows */
#define FOLLOW_NO_SYMLINKS 0x04 /* RESOLVE_NO_SYMLINKS, where headers are older than openat2() */

/* A path that is being gone: `rest` is still to be gone, from the folder `at`. */
struct follow {
	int at;
	struct str rest;
	unsigned links;
};

/* The kernel's struct open_how, which older headers lack. */
struct follow_how {
	unsigned long long flags;
	unsigned long long mode;
	unsigned long long resolve;
};

/*
 * Opens a path that has no link at all, at once. Returns -1 and errno if it fails: there is a link,
 * or the kernel has no openat2() (then nothing is known).
 */
static int follow_straight(int dir_fd, const char *path, int flags, mode_t mode)
{
#ifdef SYS_openat2
	const struct follow_how how = {
		.flags = (unsigned long long)flags,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = FOLLOW_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
#else
	errno = ENOSYS;
	return -1;
#endif
}

static bool follow_is_ours(uid_t uid)
{
	return uid == geteuid() || uid == 0;
}

/* True if the link that lies in the folder `at` may be followed. */
static bool follow_may(int at, const struct stat *link, bool last)
{
	struct stat folder;

	if (follow_is_ours(link->st_uid))
		return true;
	return !last && fstat(at, &folder) == 0 && follow_is_ours(folder.st_uid) &&
	       !(folder.st_mode & 022);
}

/* True if a link that is held is one of /proc, which the kernel made. */
static bool follow_is_kernels(int fd)
{
	struct statfs about;

	return fstatfs(fd, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/* Lets the path go on from another folder. */
static void follow_step(struct follow *way, int fd)
{
	if (way->at != AT_FDCWD)
		close(way->at);
	way->at = fd;
}

/* Puts the link's target in front of what is still to be gone. Returns 0 or -errno. */
static int follow_splice(struct follow *way, int link)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);
	struct str rest = {0};
	int root;

	if (len <= 0)
		return len < 0 ? -errno : -ENOENT;
	if (*target == '/') {
		root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return -errno;
		follow_step(way, root);
	}
	str_add_bytes(&rest, target, (size_t)len);
	str_printf(&rest, "/%s", str_text(&way->rest));
	str_release(&way->rest);
	way->rest = rest;
	return 0;
}

/* Takes the next part off the path. Returns true if it is the last one. */
static bool follow_next(struct follow *way, struct str *part)
{
	const char *text = str_text(&way->rest) + strspn(str_text(&way->rest), "/");
	size_t len = strcspn(text, "/");
	struct str rest = {0};

	str_cut(part, 0);
	str_add_bytes(part, text, len);
	text += len;
	text += strspn(text, "/");
	str_add(&rest, text);
	str_release(&way->rest);
	way->rest = rest;
	return !rest.len;
}

/*
 * Opens a folder by its name and a dot, so that what is mounted there only on demand is mounted.
 * Returns its descriptor and closes `held`, or returns `held` if that fails.
 */
static int follow_folder(int at, const char *part, int held)
{
	struct str path = {0};
	int fd;

	str_printf(&path, "%s/.", part);
	fd = follow_straight(at, path.text, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	str_release(&path);
	if (fd < 0)
		return held;
	close(held);
	return fd;
}

/*
 * Goes through one part of the path. What the part is, is asked of a descriptor that is held, so
 * that it is the one that is gone through. Returns the descriptor plus 1 of the last part; 0 for
 * another part, or a link whose target was spliced in: the path goes on; or -errno.
 */
static int follow_part(struct follow *way, const char *part, bool last, int flags, mode_t mode)
{
	int held = openat(way->at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd, error = 0;
	struct stat about;

	if (held < 0 && (errno != ENOENT || !last || !(flags & O_CREAT)))
		return -errno;
	if (held >= 0 && fstat(held, &about) == 0 && S_ISLNK(about.st_mode) &&
		!(last && flags & (O_NOFOLLOW | O_EXCL))) {
		bool kernels = follow_is_kernels(held);

		if (!kernels && (!follow_may(way->at, &about, last) || ++way->links > FOLLOW_LINKS))
			error = -ELOOP;
		else if (!kernels)
			error = follow_splice(way, held);
		close(held);
		if (error || !kernels)
			return error;
	} else if (held >= 0 && !last) {
		follow_step(way, follow_folder(way->at, part, held));
		return 0;
	} else {
		flags |= O_NOFOLLOW;
		if (held >= 0)
			close(held);
	}
	fd = openat(way->at, part, last ? flags : O_PATH | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	if (last)
		return fd + 1;
	follow_step(way, fd);
	return 0;
}

/* Opens a path part by part. */
static int follow_slowly(int dir_fd, const char *path, int flags, mode_t mode)
{
	struct follow way = {.at = AT_FDCWD};
	struct str part = {0};
	int found = 0;

	if (*path == '/')
		way.at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	else if (dir_fd != AT_FDCWD)
		way.at = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	if (way.at < 0 && way.at != AT_FDCWD)
		return -errno;
	str_add(&way.rest, path);
	while (!found) {
		bool last = follow_next(&way, &part);

		found = follow_part(&way, part.len ? part.text : ".", last, flags, mode);
	}
	follow_step(&way, AT_FDCWD);
	str_release(&way.rest);
	str_release(&part);
	return found < 0 ? found : found - 1;
}

int follow_open(int dir_fd, const char *path, int flags, mode_t mode)
{
	int fd = *path ? follow_straight(dir_fd, path, flags, mode) : (errno = ENOENT, -1);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == EEXIST)
		return -errno;
	return follow_slowly(dir_fd, path, flags, mode);
}

int follow_open_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str folder = {0};
	int fd;

	/*
	 * Ends in a dot, so that what is in the middle of the path is not the last part here,
	 * either.
	 */
	str_add_bytes(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
	str_add_char(&folder, '.');
	fd = follow_open(AT_FDCWD, folder.text, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	str_release(&folder);
	return fd;
}

int follow_make_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	int at = follow_open_parent(path), err = at < 0 ? at : 0;

	if (!err && mkdirat(at, slash ? slash + 1 : path, 0700) < 0 && errno != EEXIST)
		err = -errno;
	if (at >= 0)
		close(at);
	return err;
}
