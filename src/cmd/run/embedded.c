/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder's name has a hash of the bytes, so that versions stand side by side and a newer one
 * takes nothing from the jobs of an older; the file's is what it is called everywhere. All bytes
 * are compared before use: a name proves nothing. The file is written under a name of its own and
 * then renamed, so nobody finds half.
 */
#include <config.h>

#include "cmd/run/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

#define NAME        "libinquest-probe.so"
#define NAMES_TRIED 100 /* of folders, where others have taken some */
#define BEGUN       "begun-" /* a file that is being written */
#define BEGUN_NAME  32 /* bytes of its name */
#define YOUNG_S     60 /* a file that was begun so lately is left alone */

#ifdef ONE_FILE
/* From probe-bytes.c, which the build makes. */
extern const unsigned char embedded_begin[] __attribute__((visibility("hidden")));
extern const unsigned char embedded_end[] __attribute__((visibility("hidden")));
#else
static const unsigned char embedded_begin[1], *const embedded_end = embedded_begin;
#endif

/* Returns how many bytes the probe has; 0: there is none. */
static size_t size_of(void)
{
	return (size_t)(embedded_end - embedded_begin);
}

bool embedded_is_there(void)
{
	return size_of() > 0;
}

/* -- A folder --------------------------------------------------------------------------------- */

/* Opens a folder if it is ours, and nobody else may write in it; -1 with errno. */
static int open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -1;
	if (fstat(fd, &about) == 0 && about.st_uid == geteuid() && !(about.st_mode & 022))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* True if somebody else has that name, and it is of no use to us. */
static bool is_taken(int error)
{
	return error == EPERM || error == EACCES || error == ENOTDIR || error == ELOOP;
}

/*
 * Opens the folder below parent, made where it is not there, and says its path. Where somebody has
 * taken the name, the first of the numbered ones that is ours or nobody's: so the next job finds it
 * again. -1 with errno.
 */
static int open_folder(const char *parent, struct str *path)
{
	size_t len;
	int fd = -1;

	str_printf(path, "%s/inquest-probe-%u-%016" PRIx64, parent, (unsigned)geteuid(),
		hash_bytes(HASH_START, embedded_begin, size_of()));
	len = path->len;
	for (int i = 0; i < NAMES_TRIED; i++) {
		str_cut(path, len);
		if (i)
			str_printf(path, "-%d", i);
		if (mkdir(path->text, 0755) == 0)
			(void)chmod(path->text, 0755);
		fd = open_own(path->text);
		if (fd >= 0 || !is_taken(errno))
			break;
	}
	return fd;
}

/* -- The file --------------------------------------------------------------------------------- */

/* True if a file of the right size has our bytes. */
static bool has_our_bytes(int fd)
{
	void *map = mmap(NULL, size_of(), PROT_READ, MAP_PRIVATE, fd, 0);
	bool same = map != MAP_FAILED && !memcmp(map, embedded_begin, size_of());

	if (map != MAP_FAILED)
		munmap(map, size_of());
	return same;
}

/*
 * 0 if nobody else may write to the file, it has our bytes, and the place lets programs load it;
 * else -errno, -ESTALE where it is another.
 */
static int check_file(int folder)
{
	int fd = openat(folder, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat about;
	void *map;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
		about.st_mode & 022 || (size_t)about.st_size != size_of() || !has_our_bytes(fd))
		err = -ESTALE;
	map = err ? MAP_FAILED : mmap(NULL, size_of(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (!err && map == MAP_FAILED)
		err = -errno;
	if (map != MAP_FAILED)
		munmap(map, size_of());
	close(fd);
	return err;
}

/*
 * Removes what writers leave that were killed. One that writes holds a lock on its file; between
 * its making and its lock there is a moment, so a young one is left alone.
 */
static void remove_begun(int folder)
{
	int listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = listed < 0 ? NULL : fdopendir(listed);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct stat about;
		int fd;

		if (strncmp(entry->d_name, BEGUN, strlen(BEGUN)) != 0)
			continue;
		fd = openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
			time(NULL) - about.st_mtime > YOUNG_S && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(folder, entry->d_name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (list)
		closedir(list);
	else if (listed >= 0)
		close(listed);
}

/*
 * Opens a new file, locked; its name is drawn, since the same pid may be another's in his
 * namespace. Returns the descriptor, or -errno.
 */
static int begin_file(int folder, char name[static BEGUN_NAME])
{
	uint64_t drawn = (uint64_t)getpid();
	int fd;

	(void)!getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK);
	snprintf(name, BEGUN_NAME, BEGUN "%016" PRIx64, drawn);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	(void)flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* Writes the probe under another name, and renames it once it is whole. 0 or -errno. */
static int write_file(int folder)
{
	char begun[BEGUN_NAME];
	int fd = begin_file(folder, begun), err;

	if (fd < 0)
		return fd;
	err = -file_put(fd, (const char *)embedded_begin, size_of());
	if (!err && fchmod(fd, 0555) < 0)
		err = -errno;
	if (!err && renameat(folder, begun, folder, NAME) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (err)
		unlinkat(folder, begun, 0);
	return err;
}

/* Puts the probe below that parent. 0, or -errno and `into` as it was. */
static int put_below(const char *parent, struct str *into)
{
	struct str path = {0};
	int folder = open_folder(parent, &path), err;

	err = folder < 0 ? -errno : check_file(folder);
	if (folder >= 0 && (err == -ENOENT || err == -ESTALE || err == -ELOOP)) {
		err = write_file(folder);
		if (!err)
			err = check_file(folder);
	}
	if (folder >= 0) {
		remove_begun(folder);
		close(folder);
	}
	if (!err)
		str_printf(into, "%s/" NAME, path.text);
	str_release(&path);
	return err;
}

int embedded_put(struct str *into, struct complaint *why)
{
	static const char *const parents[] = {"/dev/shm", "/tmp", "/var/tmp"};
	int err = -ENOENT;

	for (size_t i = 0; embedded_is_there() && i < sizeof(parents) / sizeof(*parents); i++) {
		err = put_below(parents[i], into);
		if (!err)
			return 0;
	}
	return complaint_errno(why, -err,
		"no place for the probe in /dev/shm, /tmp or /var/tmp "
		"from which programs may load it");
}
