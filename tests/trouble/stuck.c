/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, it makes a folder of a disk that does not answer: who makes, opens or removes anything
 * below $STUCK_FOLDER waits for as long as the file $STUCK is there. With $STUCK_CALL only one
 * call does: mkdir, open, rename, unlink; or parse, for who reads JSON that has $STUCK_WORD. With
 * $STUCK_BUSY nobody waits: who makes a folder works for so many seconds, as he would on a machine
 * that has too much to do.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

struct json_tokener;
struct json_object *json_tokener_parse_ex(struct json_tokener *tokener, const char *text, int len);

struct json_object *json_tokener_parse_ex(struct json_tokener *tokener, const char *text, int len)
{
	struct json_object *(*real)(struct json_tokener *, const char *, int);
	const char *word = getenv("STUCK_WORD");

	real = (struct json_object * (*)(struct json_tokener *, const char *, int))
		dlsym(RTLD_NEXT, "json_tokener_parse_ex");
	if (word && len > 0 && memmem(text, (size_t)len, word, strlen(word)))
		wait_for_disk("parse", getenv("STUCK_FOLDER"));
	return real(tokener, text, len);
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

/* --- The same, of a folder that is open ------------------------------------------------------- */

static void wait_at(const char *call, int at, const char *path)
{
	char link[64], whole[2 * PATH_MAX];
	ssize_t len;

	if (!path || *path == '/' || at == AT_FDCWD) {
		wait_for_disk(call, path);
		return;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	len = readlink(link, whole, PATH_MAX);
	if (len <= 0)
		return;
	snprintf(whole + len, sizeof(whole) - (size_t)len, "/%s", path);
	wait_for_disk(call, whole);
}

int mkdirat(int at, const char *path, mode_t mode)
{
	int (*real)(int, const char *, mode_t);

	real = (int (*)(int, const char *, mode_t))dlsym(RTLD_NEXT, "mkdirat");
	wait_at("mkdir", at, path);
	return real(at, path, mode);
}

int renameat(int from_at, const char *from, int at, const char *to)
{
	int (*real)(int, const char *, int, const char *);

	real = (int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
	wait_at("rename", at, to);
	return real(from_at, from, at, to);
}

int unlinkat(int at, const char *path, int flags)
{
	int (*real)(int, const char *, int);

	real = (int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat");
	wait_at("unlink", at, path);
	return real(at, path, flags);
}

int openat(int at, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
	wait_at("open", at, path);
	return real(at, path, flags, mode);
}

/* openat2(), which has no function of its own. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
#ifdef SYS_openat2
	if (number == SYS_openat2)
		wait_at("open", (int)arg[0], (const char *)arg[1]);
#endif
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
