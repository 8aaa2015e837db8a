/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.c CENSUS PROBE PROGRAM...: runs it with the probe, and looks at the process table
 * whenever it, or what it becomes, calls the kernel or comes back. Prints how often, and at how
 * many of those an entry was just being written: there a busy machine may put it aside for as long
 * as it likes. 77 where nobody may be traced.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/census.h"

static const struct census_header *census;

/* The table once it is there. */
static void find_census(const char *path)
{
	const size_t size = sizeof(*census) + CENSUS_SLOTS * sizeof(struct census_slot);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (at != MAP_FAILED)
		census = at;
	if (fd >= 0)
		close(fd);
}

static int is_claimed(void)
{
	const struct census_slot *slot = (const void *)(census + 1);
	int claimed = 0;

	for (int i = 0; i < CENSUS_SLOTS; i++)
		claimed |= slot[i].state == CENSUS_CLAIMING;
	return claimed;
}

int main(int argc, char **argv)
{
	int status, looks = 0, claimed = 0;
	pid_t child;

	if (argc < 4)
		return 99;
	child = fork();
	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		setenv("LD_PRELOAD", argv[2], 1);
		execv(argv[3], argv + 3);
		_exit(98);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (!census)
			find_census(argv[1]);
		if (census) {
			looks++;
			claimed += is_claimed();
		}
		ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	}
	printf("%d looks, %d claimed\n", looks, claimed);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
