/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int proc_watch_open(struct proc_watch *watch, struct proc_id id)
{
	watch->id = id;
	watch->fd = (int)syscall(SYS_pidfd_open, (pid_t)id.pid, 0);
	/* The pid may have been reused before the pidfd was made: look after. */
	if (proc_is_alive(id))
		return 0;
	proc_watch_close(watch);
	return -ESRCH;
}

bool proc_watch_gone(const struct proc_watch *watch)
{
	struct pollfd poll_fd = {.fd = watch->fd, .events = POLLIN};

	if (watch->fd < 0)
		return !proc_is_alive(watch->id);
	return poll(&poll_fd, 1, 0) > 0;
}

void proc_watch_close(struct proc_watch *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0)
		close(watch->fd);
	watch->fd = -1;
}
