/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* What linux/pidfd.h of 6.15 has, up to exit_code: few machines have headers that new. */
#define PIDFD_EXIT_ASKED (1u << 3)
struct pidfd_exit_info {
	uint64_t mask;
	uint64_t cgroupid;
	uint32_t ids[11];
	int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_exit_info) == 64, "the kernel's first size of it");
#define PIDFD_ASK_INFO _IOWR(0xFF, 11, struct pidfd_exit_info)

int proc_watch_open(struct proc_watch *watch, struct proc_id id)
{
	watch->id = id;
	watch->fd = (int)syscall(SYS_pidfd_open, (pid_t)id.pid, 0);
	/* The pid may have been reused before the pidfd was made, so look afterwards. */
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

bool proc_watch_status(const struct proc_watch *watch, int *ret_wait_status)
{
	struct pidfd_exit_info info = {.mask = PIDFD_EXIT_ASKED};
	struct procstat stat;

	if (watch->fd >= 0 && ioctl(watch->fd, PIDFD_ASK_INFO, &info) == 0 &&
		(info.mask & PIDFD_EXIT_ASKED)) {
		*ret_wait_status = info.exit_code;
		return true;
	}
	if (proc_read_stat(watch->id, &stat) == 0 && stat.exit_code_known) {
		*ret_wait_status = stat.exit_code;
		return true;
	}
	return false;
}

void proc_watch_close(struct proc_watch *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0)
		close(watch->fd);
	watch->fd = -1;
}
