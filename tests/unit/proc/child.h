/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROC_CHILD_H
#define TESTS_UNIT_PROC_CHILD_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* A child that waits to be killed, after `first` in it. */
static inline pid_t child_of(void (*first)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (first)
			first();
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

#endif
