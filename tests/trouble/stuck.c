/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, it makes a folder of a disk that does not answer: who makes, opens or removes anything
 * below $STUCK_FOLDER waits for as long as the file $STUCK is there.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void wait_for_disk(const char *path)
{
	const char *folder = getenv("STUCK_FOLDER"), *stuck = getenv("STUCK");

	if (!path || !folder || !stuck || strncmp(path, folder, strlen(folder)) != 0)
		return;
	while (access(stuck, F_OK) == 0)
		poll(NULL, 0, 20);
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t);

	real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
	wait_for_disk(path);
	return real(path, mode);
}

int unlink(const char *path)
{
	int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");

	wait_for_disk(path);
	return real(path);
}

static int open_by(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...);

	real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
	wait_for_disk(path);
	return real(path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_by("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_by("open64", path, flags, mode);
}
