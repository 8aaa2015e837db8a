/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c: programs that libc starts by itself, without passing our exec: they get the environment
 * that preload.h says. All of it passes through; found in the constructor.
 */
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/death/goodbye.h"
#include "probes/hook.h"
#include "probes/preload.h"

/* Writer: spawn_find(), in the constructor. */
static struct {
	void *spawn, *spawnp, *system, *popen;
} spawns;

typedef int spawn_fn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);

void spawn_find(void)
{
	preload_find(environ);
	hook_resolve(&spawns.spawn, "posix_spawn", (void *)posix_spawn, hook_libc);
	hook_resolve(&spawns.spawnp, "posix_spawnp", (void *)posix_spawnp, hook_libc);
	hook_resolve(&spawns.system, "system", (void *)system, hook_libc);
	hook_resolve(&spawns.popen, "popen", (void *)popen, hook_libc);
}

/* The real one, whose result is an error number. Any thread; ENOSYS without a real one. */
HOOK_EXPORT int posix_spawn(pid_t *child, const char *path,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
	char *const argv[], char *const envp[])
{
	spawn_fn *real = (spawn_fn *)HOOK_REAL_AT(spawns.spawn, posix_spawn, "posix_spawn");

	PRELOAD_ENVIRONMENT(envp);
	return real ? real(child, path, actions, attr, argv, envp) : ENOSYS;
}

/* The same, along PATH. */
HOOK_EXPORT int posix_spawnp(pid_t *child, const char *file,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
	char *const argv[], char *const envp[])
{
	spawn_fn *real = (spawn_fn *)HOOK_REAL_AT(spawns.spawnp, posix_spawnp, "posix_spawnp");

	PRELOAD_ENVIRONMENT(envp);
	return real ? real(child, file, actions, attr, argv, envp) : ENOSYS;
}

/* The real one; it reads the process' own environment. -1 and ENOSYS without a real one. */
HOOK_EXPORT int system(const char *command)
{
	__typeof__(system) *real = HOOK_REAL_AT(spawns.system, system, "system");

	preload_forget(environ);
	if (real)
		return real(command);
	errno = ENOSYS;
	return -1;
}

/* The same. NULL and ENOSYS without a real one. */
HOOK_EXPORT FILE *popen(const char *command, const char *mode)
{
	__typeof__(popen) *real = HOOK_REAL_AT(spawns.popen, popen, "popen");

	preload_forget(environ);
	if (real)
		return real(command, mode);
	errno = ENOSYS;
	return NULL;
}
