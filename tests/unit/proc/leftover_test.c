/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that were left behind are waited for once they have ended; no other child is. */
#include "proc/survey/leftover.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static pid_t child_of(void (*first)(void))
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

/* Ends it, and leaves it to be waited for. */
static void end(pid_t pid)
{
	siginfo_t about;

	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT), 0);
}

static int is_there(pid_t pid)
{
	siginfo_t about;

	return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT | WNOHANG) == 0;
}

static void what_was_left_is_waited_for(void **state)
{
	pid_t left = child_of(leftover_name), kept = child_of(leftover_name);
	pid_t other = child_of(NULL);

	/* A name is not enough, nor is a group: a job's command may have one of its own. */
	end(kept);
	assert_int_equal(setpgid(other, other), 0);
	end(other);
	leftover_leave(left);
	leftover_reap();
	assert_true(is_there(left));
	end(left);
	leftover_reap();
	assert_false(is_there(left));
	assert_int_equal(errno, ECHILD);
	assert_int_equal(waitpid(kept, NULL, 0), kept);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_left_is_waited_for)};

	if (access("/proc/thread-self/children", R_OK)) {
		puts("skipped: this kernel does not say who its children are");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
