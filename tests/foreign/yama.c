/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyama.so: in a program that it is preloaded into, what a kernel with Yama refuses to one who is
 * no ancestor is refused, for a kernel that has none: attaching, reading another's memory, and the
 * files for which the kernel asks for the same permission. It plays security/yama/yama_lsm.c:
 * scope 1 and 2 stop who lacks CAP_SYS_PTRACE, 3 everybody; whoever is let through by the kernel
 * must not be given this.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nlocal,
	const struct iovec *remote, unsigned long nremote, unsigned long flags);
long ptrace(int request, ...);

static bool ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), tail = strlen(end);

	return len >= tail && !strcmp(path + len - tail, end);
}

/* Files of a process that want PTRACE_MODE_ATTACH; relative names are of its threads. */
static bool is_refused(const char *path)
{
	bool of_process = !strncmp(path, "/proc/", 6) ? path[6] >= '1' && path[6] <= '9'
						      : path[0] >= '1' && path[0] <= '9';

	return of_process && (ends_in(path, "/mem") || ends_in(path, "/syscall") ||
				     ends_in(path, "/stack"));
}

static int open_as(const char *name, int dir, const char *path, int flags, mode_t mode)
{
	int (*real)(int, const char *, int, ...) =
		(int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, name);

	if (is_refused(path)) {
		errno = EACCES;
		return -1;
	}
	return real(dir, path, flags, mode);
}

#define OPENS(name, at)                                                                            \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                   \
		va_end(args);                                                                      \
		return open_as(at, AT_FDCWD, path, flags, mode);                                   \
	}
#define OPENS_AT(name)                                                                             \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;                   \
		va_end(args);                                                                      \
		return open_as(#name, dir, path, flags, mode);                                     \
	}

OPENS(open, "openat")
OPENS(open64, "openat64")
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long nlocal,
	const struct iovec *remote, unsigned long nremote, unsigned long flags)
{
	(void)pid, (void)local, (void)nlocal, (void)remote, (void)nremote, (void)flags;
	errno = EPERM;
	return -1;
}

long ptrace(int request, ...)
{
	(void)request;
	errno = EPERM;
	return -1;
}
