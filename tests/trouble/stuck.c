/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, it makes a folder of a disk that does not answer: who makes, opens or removes anything
 * below $STUCK_FOLDER waits for as long as the file $STUCK is there. With $STUCK_CALL only one
 * call does: mkdir, open, rename, unlink. With $STUCK_BUSY nobody waits: who makes a folder works
 * for so many seconds, as he would on a machine that has too much to do.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Real time: how much of it a busy machine gives him is not what is asked. */
static void be_busy(double seconds)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) / 1e9 <
		seconds);
}

static void wait_for_disk(const char *call, const char *path)
{
	const char *folder = getenv("STUCK_FOLDER"), *stuck = getenv("STUCK");
	const char *only = getenv("STUCK_CALL"), *busy = getenv("STUCK_BUSY");

	if (!path || !folder || strncmp(path, folder, strlen(folder)) != 0)
		return;
	if (busy && !strcmp(call, "mkdir"))
		be_busy(strtod(busy, NULL));
	if (!stuck || (only && strcmp(only, call) != 0))
		return;
	while (access(stuck, F_OK) == 0)
		poll(NULL, 0, 20);
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t);

	real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
	wait_for_disk("mkdir", path);
	return real(path, mode);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *);

	real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	wait_for_disk("rename", to);
	return real(from, to);
}

int unlink(const char *path)
{
	int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");

	wait_for_disk("unlink", path);
	return real(path);
}

static int open_by(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...);

	real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
	wait_for_disk("open", path);
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
