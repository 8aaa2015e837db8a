/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c: gives programs that libc starts by itself, without passing our exec, the environment
 * that preload.h says. All calls pass through.
 */
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/libc.h"
#include "probes/preload.h"

/*
 * Calls the real posix_spawn(), whose result is an error number. Any thread; ENOSYS without a real
 * one.
 */
HOOK_EXPORT int posix_spawn(pid_t *child, const char *path,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
	char *const argv[], char *const envp[])
{
	__typeof__(posix_spawn) *real = LIBC_REAL(posix_spawn);

	PRELOAD_ENVIRONMENT(envp, path);
	return real ? real(child, path, actions, attr, argv, envp) : ENOSYS;
}

/* Does the same along PATH. */
HOOK_EXPORT int posix_spawnp(pid_t *child, const char *file,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
	char *const argv[], char *const envp[])
{
	__typeof__(posix_spawnp) *real = LIBC_REAL(posix_spawnp);

	PRELOAD_ENVIRONMENT(envp, preload_path(file));
	return real ? real(child, file, actions, attr, argv, envp) : ENOSYS;
}

/*
 * Calls the real system(), which reads the process' own environment. -1 and ENOSYS without a real
 * one.
 */
HOOK_EXPORT int system(const char *command)
{
	__typeof__(system) *real = LIBC_REAL(system);

	preload_forget(environ);
	if (real)
		return real(command);
	errno = ENOSYS;
	return -1;
}

/* Calls the real popen() likewise. Returns NULL and ENOSYS without a real one. */
HOOK_EXPORT FILE *popen(const char *command, const char *mode)
{
	__typeof__(popen) *real = LIBC_REAL(popen);

	preload_forget(environ);
	if (real)
		return real(command, mode);
	errno = ENOSYS;
	return NULL;
}
