/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/lowfds.h"

#include <string.h>
#include <sys/resource.h>

#include "probes/sys.h"

/* Returns below which number places are held. */
static int lowfds_end(void)
{
	struct rlimit may;

	if (sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &may))
		return 0;
	/* Other threads must not fail meanwhile for want of a number. */
	return may.rlim_cur / 4 * 3 < LOWFDS_END ? (int)(may.rlim_cur / 4 * 3) : LOWFDS_END;
}

/*
 * Makes another descriptor of `fd`'s file: the lowest free one from `from` up, closed by exec.
 * Returns it or -errno.
 */
static int lowfds_again(int fd, int from)
{
	return (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from);
}

static void lowfds_mark(struct lowfds *ret, int fd)
{
	ret->held[fd / 64] |= 1ull << fd % 64;
}

void lowfds_hold(struct lowfds *ret)
{
	int end = lowfds_end(), fd, spare;

	memset(ret, 0, sizeof(*ret));
	/* Opened without access: closing it neither drops the program's locks nor tells anybody. */
	spare = sys_openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (spare < 0)
		return;
	/*
	 * The highest comes first: so the kernel's table grows only once, for which threads may
	 * have to wait.
	 */
	fd = lowfds_again(spare, end);
	if (fd >= 0)
		sys_close(fd);
	for (fd = spare; fd >= 0 && fd < end; fd = lowfds_again(spare, fd + 1))
		lowfds_mark(ret, fd);
	if (fd >= end)
		sys_close(fd);
}

/*
 * True if a held place is still ours: another thread may have closed all that is open, and put
 * something of its own there.
 */
static int lowfds_is_ours(int fd)
{
	long flags = sys_call(SYS_fcntl, fd, F_GETFL);

	return flags >= 0 && (flags & O_PATH);
}

void lowfds_release(const struct lowfds *lowfds)
{
	for (int fd = 0; fd < LOWFDS_END; fd++)
		if ((lowfds->held[fd / 64] >> fd % 64 & 1) && lowfds_is_ours(fd))
			sys_close(fd);
}
