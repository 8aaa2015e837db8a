/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROC_CHILD_H
#define TESTS_UNIT_PROC_CHILD_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define CHILD_SCRUB 65536 /* bytes */

/*
 * Wipes the stack below the caller's frame. What a test's own library called before lies there, and
 * what that leaves behind differs from processor to processor: libc picks its functions by it.
 */
static __attribute__((noinline, noclone, unused)) void child_scrub(void)
{
	volatile unsigned char below[CHILD_SCRUB];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = 0;
}

/* A child that waits to be killed, after `first` in it, which begins on a clean stack. */
static inline pid_t child_of(void (*first)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child_scrub();
		if (first)
			first();
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

#endif
