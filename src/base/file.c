/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/follow.h"

#define FILE_READ_STEP	 (64 * 1024)
#define FILE_EXPECTED	 (2 * 1024 * 1024)
#define FILE_BOOT_DIGITS 8

int file_drain(int fd, size_t cap, off_t size, struct str *into)
{
	size_t start = into->len, said = size > 0 && (uintmax_t)size < cap ? (size_t)size : 0;

	for (;;) {
		size_t have = into->len - start, left = cap - have;
		/*
		 * Asks for one byte more than there should be: a file that ends where it should
		 * shows it by that.
		 */
		size_t wanted = said && have <= said ? said - have + 1 : FILE_READ_STEP;
		size_t step = wanted <= left ? wanted : left + 1;
		char *room = str_room(into, step);
		ssize_t got;

		/* Not for a huge file, which may be shorter by now than it was. */
		if (said && step >= FILE_READ_STEP && step <= FILE_EXPECTED)
			alloc_expect_written(room, step);
		got = read(fd, room, step);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			return 0;
		if ((size_t)got > left)
			return EFBIG;
		str_grow(into, (size_t)got);
	}
}

static int file_open_at(int dir_fd, const char *path)
{
	return follow_open(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

int file_open(const char *path)
{
	return file_open_at(AT_FDCWD, path);
}

int file_read(const char *path, size_t cap, struct str *into, struct complaint *why)
{
	return file_read_at(AT_FDCWD, path, cap, into, why);
}

int file_read_at(int dir_fd, const char *path, size_t cap, struct str *into, struct complaint *why)
{
	size_t start = into->len;
	struct stat st;
	int error = 0;
	int fd;

	fd = file_open_at(dir_fd, path);
	if (fd < 0)
		return complaint_errno(why, -fd, "cannot open %s", path);
	if (fstat(fd, &st) < 0)
		error = errno;
	else if (S_ISDIR(st.st_mode))
		error = EISDIR;
	else if (!S_ISREG(st.st_mode))
		error = EINVAL;
	else if ((uintmax_t)st.st_size > cap)
		error = EFBIG; /* not a byte of it is read: it may be huge, and all holes */
	else
		error = file_drain(fd, cap, st.st_size, into);
	close(fd);
	if (!error)
		return 0;
	str_cut(into, start);
	if (error == EFBIG) {
		complaint_set(why, "%s is larger than %zu bytes", path, cap);
		return -EFBIG;
	}
	return complaint_errno(why, error, "cannot read %s", path);
}

mode_t file_own_mask(void)
{
	mode_t given = umask(0);

	umask(given & ~(mode_t)S_IRWXU);
	return given;
}

int file_put(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t put = write(fd, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno;
		bytes += put;
		size -= (size_t)put;
	}
	return 0;
}

/*
 * Syncs a folder, as far as that is possible: some file systems cannot. The rename holds without
 * it, only later.
 */
static void file_sync_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
}

/* Appends what follows the path in the name of a temporary file, up to the writer's pid. */
static void file_add_mark(struct str *name)
{
	char boot[FILE_BOOT_DIGITS + 1] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, boot, FILE_BOOT_DIGITS) != FILE_BOOT_DIGITS)
		boot[0] = '\0';
	if (fd >= 0)
		close(fd);
	str_printf(name, ".tmp-%s-", boot);
}

/*
 * Locks a temporary file, which is then ours for as long as we live (where locks are refused,
 * nobody sweeps either). Returns false if a sweep was faster: the file has no name any more.
 */
static bool file_is_held(int fd)
{
	struct stat st;

	while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

/*
 * Creates a new file beside path in its folder; its name goes into name. Returns its descriptor or
 * -errno.
 */
static int file_create_beside(int folder, const char *path, mode_t mode, struct str *name)
{
	for (unsigned int try = 0; try < 100; try++) {
		int fd;

		str_cut(name, 0);
		str_add(name, path);
		file_add_mark(name);
		str_printf(name, "%ld-%u", (long)getpid(), try);
		fd = openat(folder, name->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 && file_is_held(fd))
			return fd;
		if (fd < 0 && errno != EEXIST)
			return -errno;
		if (fd >= 0)
			close(fd);
	}
	return -EEXIST;
}

/*
 * True if a file of ours may take the place of what stands there. A device, a pipe or a link would
 * be missed by everybody.
 */
static bool file_may_replace(int folder, const char *last)
{
	struct stat st;

	return fstatat(folder, last, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISREG(st.st_mode) ||
	       S_ISDIR(st.st_mode); /* which the kernel refuses in its own words */
}

int file_write(const char *path, const void *bytes, size_t size, mode_t mode, struct complaint *why)
{
	int folder = follow_open_parent(path), error = 0;
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	struct str name = {0};
	int fd = folder;

	if (folder >= 0 && !file_may_replace(folder, last)) {
		close(folder);
		complaint_set(why, "cannot write %s: what stands there is no plain file", path);
		return -EEXIST;
	}
	if (folder >= 0)
		fd = file_create_beside(folder, last, mode, &name);
	if (fd < 0) {
		error = -fd;
		goto out;
	}
	error = file_put(fd, bytes, size);
	if (!error && fsync(fd) < 0)
		error = errno;
	if (!error && renameat(folder, name.text, folder, last) < 0)
		error = errno;
	if (error)
		unlinkat(folder, name.text, 0);
	else
		file_sync_folder(folder);
	/* what close() could report, fsync() has reported; and until here the file was locked */
	close(fd);
out:
	if (folder >= 0)
		close(folder);
	str_release(&name);
	return error ? complaint_errno(why, error, "cannot write %s", path) : 0;
}

/* Opens a folder to list it; NULL and errno if that fails. */
static DIR *file_open_folder(const char *path)
{
	int fd = follow_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd < 0)
		errno = -fd;
	else if (!dir)
		close(fd);
	return dir;
}

/* Removes one temporary file, if it is ours and nobody holds its lock. */
static void file_sweep_one(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name,
		O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)!unlinkat(dir_fd, name, 0);
	close(fd);
}

void file_sweep(const char *folder, const char *suffix)
{
	DIR *dir = file_open_folder(folder);
	const struct dirent *entry;
	struct str mark = {0};

	str_add(&mark, suffix);
	file_add_mark(&mark);
	while (dir && (entry = readdir(dir)))
		if (!strstr(mark.text, ".tmp--") && strstr(entry->d_name, mark.text))
			file_sweep_one(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	str_release(&mark);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Returns what an entry is: S_IFREG, S_IFDIR, or 0 where opening it may wait for somebody, or lead
 * where somebody else wants. What cannot be looked at is a file: whoever opens it will report it.
 * Most file systems tell it with the name, which spares a question for each of very many files.
 */
static mode_t file_kind(DIR *dir, const struct dirent *entry)
{
	struct stat st;
	mode_t kind;

	if (entry->d_type == DT_REG || entry->d_type == DT_DIR)
		return DTTOIF(entry->d_type);
	if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return S_IFREG;
	if (S_ISLNK(st.st_mode) && st.st_uid == geteuid() &&
		fstatat(dirfd(dir), entry->d_name, &st, 0) < 0)
		return S_IFREG;
	kind = st.st_mode & S_IFMT;
	return kind == S_IFREG || kind == S_IFDIR ? kind : 0;
}

/* Sorts what was listed, and puts the folders behind the files. */
static void file_names_sort(struct file_names *names, struct file_names *folders)
{
	names->files = names->list.nr;
	array_sort(&names->list, compare_texts);
	array_sort(&folders->list, compare_texts);
	for (size_t i = 0; i < folders->list.nr; i++)
		*array_add(&names->list) = folders->list.items[i];
	array_release(&folders->list);
}

int file_list(const char *folder, struct file_names *ret, struct complaint *why)
{
	const struct dirent *entry;
	struct file_names folders = {0};
	DIR *dir = file_open_folder(folder);

	if (!dir)
		return complaint_errno(why, errno, "cannot open %s", folder);
	while ((entry = readdir(dir))) {
		struct str path = {0};
		mode_t kind = *entry->d_name == '.' ? 0 : file_kind(dir, entry);

		ret->refused += !kind && *entry->d_name != '.';
		if (!kind)
			continue;
		str_printf(&path, "%s/%s", folder, entry->d_name);
		*array_add(kind == S_IFDIR ? &folders.list : &ret->list) = str_detach(&path);
	}
	closedir(dir);
	file_names_sort(ret, &folders);
	return 0;
}

void file_names_release(struct file_names *names)
{
	for (size_t i = 0; i < names->list.nr; i++)
		free(names->list.items[i]);
	array_release(&names->list);
}
