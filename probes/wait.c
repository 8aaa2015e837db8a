/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c: sees how children died, as the program learns it. Only the parent is told, and only once;
 * so we stand in front of the functions that tell, and look at what they brought. Only a death by
 * signal costs more than that look. What libc waits for by itself (system, pclose) does not pass
 * here.
 *
 * Handlers of SIGCHLD and vfork children call them: LIBC_FOUND asks no loader, nothing is taken,
 * errno and results stay as they are.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/census.h"
#include "probes/libc.h"
#include "probes/sys.h"

/* Looks at what came back: at the status only if the kernel wrote it. */
static void wait_look(pid_t pid, const int *status)
{
	if (hook_unlikely(pid > 0 && WIFSIGNALED(*status)))
		census_child_killed((uint32_t)pid, WTERMSIG(*status));
}

/* Does what libc's functions do, if there are none behind us: the kernel's error becomes errno. */
static pid_t wait_kernel(pid_t pid, int *status, int options, struct rusage *usage)
{
	long result = sys_call(SYS_wait4, pid, status, options, usage);

	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return (pid_t)result;
}

/*
 * Calls the real function; a child that was killed is noted on the way back. So do the four below.
 */
HOOK_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	__typeof__(waitpid) *real = LIBC_FOUND(waitpid);
	int mine = 0, *to = status ? status : &mine;
	pid_t got = hook_likely(real) ? real(pid, to, options)
				      : wait_kernel(pid, to, options, NULL);

	wait_look(got, to);
	return got;
}

HOOK_EXPORT pid_t wait(int *status)
{
	__typeof__(wait) *real = LIBC_FOUND(wait);
	int mine = 0, *to = status ? status : &mine;
	pid_t got = hook_likely(real) ? real(to) : wait_kernel(-1, to, 0, NULL);

	wait_look(got, to);
	return got;
}

HOOK_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	__typeof__(wait3) *real = LIBC_FOUND(wait3);
	int mine = 0, *to = status ? status : &mine;
	pid_t got = hook_likely(real) ? real(to, options, usage)
				      : wait_kernel(-1, to, options, usage);

	wait_look(got, to);
	return got;
}

HOOK_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	__typeof__(wait4) *real = LIBC_FOUND(wait4);
	int mine = 0, *to = status ? status : &mine;
	pid_t got = hook_likely(real) ? real(pid, to, options, usage)
				      : wait_kernel(pid, to, options, usage);

	wait_look(got, to);
	return got;
}

/*
 * `info` may be NULL, which the kernel takes: then the program is not told how, and neither are we.
 */
HOOK_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	__typeof__(waitid) *real = LIBC_FOUND(waitid);
	int result;

	if (hook_likely(real)) {
		result = real(type, id, info, options);
	} else {
		result = (int)sys_call(SYS_waitid, type, id, info, options, NULL);
		if (result < 0) {
			errno = -result;
			result = -1;
		}
	}
	if (!result && info && info->si_pid > 0 && (options & WEXITED) &&
		(info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
		census_child_killed((uint32_t)info->si_pid, info->si_status);
	return result;
}
