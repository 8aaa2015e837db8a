/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/goodbye.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/glibc.h"
#include "probes/libc.h"
#include "probes/preload.h"
#include "probes/process.h"
#include "probes/sys.h"

#define GOODBYE_STDERR 2

static void goodbye_on_exit(int status, void *arg)
{
	(void)arg;
	process_end(RING_PROC_EXIT, status);
}

void goodbye_birth(void)
{
	on_exit(goodbye_on_exit, NULL);
}

/* --- Ends ------------------------------------------------------------------------------------ */

static _Noreturn void goodbye_exit_now(int status)
{
	__typeof__(_exit) *real = LIBC_REAL(_exit);

	process_end(RING_PROC__EXIT, status);
	if (real)
		real(status);
	for (;;)
		sys_call(SYS_exit_group, status);
}

/*
 * Notes the end with its status, then ends as libc would. Never returns. Signal-safe, as POSIX
 * wants it: no allocation, no loader; in a vfork child nothing of the parent is touched.
 */
HOOK_EXPORT void _exit(int status)
{
	goodbye_exit_now(status);
}

/* Does the same: two names of one thing. */
HOOK_EXPORT void _Exit(int status)
{
	goodbye_exit_now(status);
}

/*
 * quick_exit(): notes the end first; the real function then runs what at_quick_exit() registered.
 */
HOOK_EXPORT void quick_exit(int status)
{
	__typeof__(quick_exit) *real = LIBC_REAL(quick_exit);

	process_end(RING_PROC__EXIT, status);
	if (real)
		real(status);
	for (;;)
		sys_call(SYS_exit_group, status);
}

/* --- exec ------------------------------------------------------------------------------------ */

static void goodbye_before_exec(void)
{
	if (process_view() == PROCESS_SELF)
		process_milestone(RING_PROC_EXEC, 0);
}

/* Notes that exec came back, so that it did not happen; the milestone's value says why. */
static int goodbye_after_exec(int result)
{
	if (process_view() == PROCESS_SELF)
		process_milestone(RING_PROC_EXEC, (uint64_t)errno);
	return result;
}

static int goodbye_execve(const char *path, char *const argv[], char *const envp[])
{
	__typeof__(execve) *real = LIBC_REAL(execve);
	long err;

	goodbye_before_exec();
	PRELOAD_ENVIRONMENT(envp, path);
	if (real)
		return goodbye_after_exec(real(path, argv, envp));
	err = sys_call(SYS_execve, path, argv, envp);
	errno = (int)-err;
	return goodbye_after_exec(-1);
}

/*
 * Like all of exec it pins a milestone before, since nothing comes after; if exec failed, a second
 * one with errno, which stays as it was. Signal-safe. In a vfork child it makes the real call and
 * nothing else.
 */
HOOK_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return goodbye_execve(path, argv, envp);
}

/* Does execve() in the present environment. */
HOOK_EXPORT int execv(const char *path, char *const argv[])
{
	__typeof__(execv) *real = LIBC_REAL(execv);

	if (!real || preload_room(environ, path).words)
		return goodbye_execve(path, argv, environ);
	goodbye_before_exec();
	return goodbye_after_exec(real(path, argv));
}

/* Does execv() for a file that libc looks for in PATH; without a real one it is taken as a path. */
HOOK_EXPORT int execvp(const char *file, char *const argv[])
{
	__typeof__(execvp) *real = LIBC_REAL(execvp);

	if (preload_room(environ, preload_path(file)).words)
		return execvpe(file, argv, environ);
	if (!real)
		return goodbye_execve(file, argv, environ);
	goodbye_before_exec();
	return goodbye_after_exec(real(file, argv));
}

/* Does execvp() in the given environment. */
HOOK_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	__typeof__(execvpe) *real = LIBC_REAL(execvpe);

	if (!real)
		return goodbye_execve(file, argv, envp);
	goodbye_before_exec();
	PRELOAD_ENVIRONMENT(envp, preload_path(file));
	return goodbye_after_exec(real(file, argv, envp));
}

/*
 * Does execve() by descriptor. ENOSYS without a real one: there is no way around libc that it would
 * take.
 */
HOOK_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	__typeof__(fexecve) *real = LIBC_REAL(fexecve);

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	goodbye_before_exec();
	PRELOAD_ENVIRONMENT(envp, NULL);
	return goodbye_after_exec(real(fd, argv, envp));
}

/*
 * Counts the arguments of a call like execl(), `first` among them; leaves `args` behind the NULL.
 */
static size_t goodbye_count(const char *first, va_list args)
{
	size_t n = first ? 1 : 0;

	while (first && va_arg(args, const char *))
		n++;
	return n;
}

/* Lays these arguments out as a vector of n + 1. */
static void goodbye_collect(char **argv, size_t n, const char *first, va_list args)
{
	for (size_t i = 0; i < n; i++)
		argv[i] = i ? va_arg(args, char *) : (char *)(uintptr_t)first;
	argv[n] = NULL;
}

/*
 * Does execv() with its arguments as a list, gathered on the stack: after vfork, too, nothing is
 * allocated.
 */
HOOK_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv;
	size_t n;

	va_start(args, arg);
	n = goodbye_count(arg, args);
	va_end(args);
	argv = alloca((n + 1) * sizeof(*argv));
	va_start(args, arg);
	goodbye_collect(argv, n, arg, args);
	va_end(args);
	return execv(path, argv);
}

/* Does execl() along PATH. */
HOOK_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list args;
	char **argv;
	size_t n;

	va_start(args, arg);
	n = goodbye_count(arg, args);
	va_end(args);
	argv = alloca((n + 1) * sizeof(*argv));
	va_start(args, arg);
	goodbye_collect(argv, n, arg, args);
	va_end(args);
	return execvp(file, argv);
}

/* Does execl() with the environment behind the NULL. */
HOOK_EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list args;
	char **argv;
	size_t n;

	va_start(args, arg);
	n = goodbye_count(arg, args);
	va_end(args);
	argv = alloca((n + 1) * sizeof(*argv));
	va_start(args, arg);
	goodbye_collect(argv, n, arg, args);
	(void)va_arg(args, char *); /* the NULL */
	envp = va_arg(args, char *const *);
	va_end(args);
	return execve(path, argv, envp);
}

/* --- Last words ------------------------------------------------------------------------------ */

/*
 * Calls the real write(), whose result and errno come back untouched. What it took for descriptor 2
 * is kept as last words. Signal-safe; any thread. Before our constructor it asks the kernel
 * directly.
 */
HOOK_EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
	__typeof__(write) *real = LIBC_FOUND(write);
	ssize_t n;

	if (hook_likely(real)) {
		n = real(fd, bytes, len);
	} else {
		n = sys_write(fd, bytes, len);
		if (n < 0) {
			errno = (int)-n;
			n = -1;
		}
	}
	if (fd == GOODBYE_STDERR && n > 0)
		process_stderr(bytes, (uint64_t)n);
	return n;
}
