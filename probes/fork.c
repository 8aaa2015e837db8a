/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/fork.h"

#include <unistd.h>

#include "probes/death/death.h"
#include "probes/death/traceback.h"
#include "probes/glibc.h"
#include "probes/libc.h"
#include "probes/process.h"
#include "probes/seccomp.h"
#include "probes/sys.h"

#define FORK_WIPE 18 /* MADV_WIPEONFORK, Linux 4.14 */
#define FORK_PAGE 4096

uint64_t *fork_guard(uint64_t *fallback)
{
	uint64_t *page = sys_alloc(FORK_PAGE);

	if (page && sys_madvise(page, FORK_PAGE, -1) < 0 &&
		!sys_madvise(page, FORK_PAGE, FORK_WIPE))
		return page;
	if (page)
		sys_unmap(page, FORK_PAGE);
	__register_atfork(NULL, NULL, process_forked, NULL);
	return fallback;
}

/*
 * Calls the real fork(), notes the child's pid in the parent, and lets a traceback that another
 * thread is writing end first; a child that is pid 1 of a namespace shows no handlers to those who
 * ask it to end. All else the guard word does. errno is the real one's.
 */
HOOK_EXPORT pid_t fork(void)
{
	__typeof__(fork) *real = LIBC_REAL(fork);
	int ours = !seal_is_set() && process_view() != PROCESS_VFORKED;
	uint32_t claim = ours ? traceback_fork_begin() : 0;
	pid_t child = real ? real() : (pid_t)sys_call(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0);

	traceback_fork_end(claim);
	if (!child && ours)
		death_forked();
	if (child > 0 && process_view() == PROCESS_SELF)
		process_milestone(RING_PROC_FORK, (uint64_t)child);
	return child;
}
