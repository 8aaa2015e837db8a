/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"

/* Says why the folder is not to be trusted; NULL if it is. */
static const char *folder_fault(const struct stat *st, uid_t uid)
{
	if (!S_ISDIR(st->st_mode))
		return "it is no folder";
	if (uid != FOLDER_ANY_UID && st->st_uid != uid)
		return "it belongs to another user";
	if (st->st_mode & 022)
		return "others than its owner may write to it";
	return NULL;
}

int folder_open(struct folder *folder, const char *path, uid_t uid, struct complaint *why)
{
	const char *fault;
	struct stat st;

	*folder = (struct folder){.fd = follow_open(AT_FDCWD, path,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)};
	if (folder->fd == -ELOOP || folder->fd == -ENOTDIR) {
		complaint_set(why, "%s is no folder, or a symbolic link", path);
		return -ENOTDIR;
	}
	if (folder->fd < 0)
		return complaint_errno(why, -folder->fd, "cannot open %s", path);
	if (fstat(folder->fd, &st) < 0) {
		int error = errno;

		folder_close(folder);
		return complaint_errno(why, error, "cannot look at %s", path);
	}
	fault = folder_fault(&st, uid);
	if (fault) {
		folder_close(folder);
		complaint_set(why, "%s is not trusted: %s", path, fault);
		return -EPERM;
	}
	folder->uid = st.st_uid;
	folder->path = alloc_text(path);
	return 0;
}

int folder_open_file(const struct folder *folder, const char *name, struct complaint *why)
{
	struct stat st;
	int fd = openat(folder->fd, name,
		O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return complaint_errno(why, errno, "cannot open %s/%s", folder->path, name);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == folder->uid)
		return fd;
	close(fd);
	complaint_set(why, "%s/%s is not trusted: no regular file of the folder's owner",
		folder->path, name);
	return -EPERM;
}

int folder_read(const struct folder *folder, const char *name, size_t cap, struct str *into,
	struct complaint *why)
{
	size_t start = into->len;
	int fd = folder_open_file(folder, name, why);
	int error;

	if (fd < 0)
		return fd;
	error = file_drain(fd, cap, 0, into);
	close(fd);
	if (!error)
		return 0;
	str_cut(into, start);
	return complaint_errno(why, error, "cannot read %s/%s", folder->path, name);
}

void folder_close(struct folder *folder)
{
	if (!folder)
		return;
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->path);
	*folder = (struct folder){.fd = -1};
}
