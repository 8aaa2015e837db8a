/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers answer, hold nothing of ours, and end; those left behind are waited for later. */
#include "proc/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/program.h"
#include "proc/read.h"
#include "tests/unit/proc/child.h"
#include "tests/unit/unit.h"

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

static void be_named(void)
{
	prctl(PR_SET_NAME, "inquest-helper", 0, 0, 0);
}

static void do_nothing(int out, void *arg)
{
	(void)out;
	(void)arg;
}

/* Whoever starts a helper waits for those that were left before. */
static void start_one(void)
{
	struct helper helper;

	assert_int_equal(helper_start(&helper, do_nothing, NULL), 0);
	helper_end(&helper);
}

static void what_was_left_is_waited_for(void **state)
{
	pid_t left = child_of(be_named), kept = child_of(be_named);
	pid_t other = child_of(NULL);

	/* A name is not enough, nor is a group: a job's command may have one of its own. */
	end(kept);
	assert_int_equal(setpgid(other, other), 0);
	end(other);
	assert_int_equal(setpgid(left, left), 0);
	start_one();
	assert_true(is_there(left));
	end(left);
	start_one();
	assert_false(is_there(left));
	assert_int_equal(errno, ECHILD);
	assert_int_equal(waitpid(kept, NULL, 0), kept);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

/* It says which descriptors it has. */
static void list_fds(int out, void *arg)
{
	(void)arg;
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			helper_send(out, &fd, sizeof(fd), fd == out ? "!" : "", 1);
}

static void it_has_no_descriptor_of_ours(void **state)
{
	int64_t until = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
	int ours[2], fd, own = 0, seen = 0;
	struct helper helper;
	struct str message = {0};

	assert_int_equal(pipe(ours), 0);
	assert_int_equal(helper_start(&helper, list_fds, NULL), 0);
	while (helper_receive(&helper, until, &message) == 1) {
		memcpy(&fd, message.text, sizeof(fd));
		if (message.text[sizeof(fd)] == '!')
			own++;
		else
			assert_true(fd <= STDERR_FILENO);
		seen++;
	}
	helper_end(&helper);
	assert_int_equal(own, 1);
	assert_int_equal(seen, 4);
	str_release(&message);
	close(ours[0]);
	close(ours[1]);
}

static void write_seven(int out, void *arg)
{
	(void)!write(out, arg, 7);
}

static void wait_for_ever(int out, void *arg)
{
	(void)out;
	(void)arg;
	for (;;)
		pause();
}

static bool is_over(struct helper *helper, int64_t most)
{
	for (int i = 0; i < 60000; i++) {
		if (helper_is_over(helper, most, NULL, NULL))
			return true;
		usleep(1000);
	}
	return false;
}

static void it_answers_into_what_it_is_given(void **state)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);
	struct helper helper;
	char bytes[8] = "";

	assert_int_equal(helper_start_into(&helper, fd, write_seven, (char *)"answers"), 0);
	assert_true(is_over(&helper, INT64_MAX));
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 7);
	assert_string_equal(bytes, "answers");
	close(fd);
	assert_true(helper_is_over(&helper, 0, NULL, NULL));
}

static void one_that_takes_too_long_is_ended(void **state)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);
	struct helper helper;

	assert_int_equal(helper_start_into(&helper, fd, wait_for_ever, NULL), 0);
	assert_false(helper_is_over(&helper, INT64_MAX, NULL, NULL));
	assert_true(is_over(&helper, 1));
	close(fd);
}

static int ask(const char *script, size_t most, int ms, struct str *said)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const char *const env[] = {"HELPER_TEST_SET=yes", "HELPER_TEST_GONE", NULL};

	str_cut(said, 0);
	return program_read(&(struct program){argv, env}, ms, most, said);
}

/* Gone, or waits to be asked for by somebody else. */
static bool is_over_by_pid(pid_t pid)
{
	struct procstat stat;

	return proc_read_stat((struct proc_id){.pid = (uint32_t)pid}, &stat) < 0 ||
	       stat.state == 'Z';
}

static void a_program_is_read_to_its_end(void **state)
{
	const char *const none[] = {"/nowhere/no-such-program", NULL};
	struct str said = {0};
	pid_t program;

	setenv("HELPER_TEST_GONE", "1", 1);
	assert_int_equal(
		ask("echo $HELPER_TEST_SET$HELPER_TEST_GONE; echo no >&2", 99, 60000, &said), 0);
	assert_string_equal(str_text(&said), "yes\n");
	assert_int_equal(ask("exit 3", 99, 60000, &said), 3);
	assert_int_equal(ask("kill -9 $$", 99, 60000, &said), -EIO);
	assert_int_equal(ask("yes", 99, 60000, &said), -EFBIG);
	assert_int_equal(ask("exec sleep 60", 99, 100, &said), -ETIMEDOUT);
	assert_int_equal(ask("exec >&-; exec sleep 60", 99, 100, &said), -ETIMEDOUT);
	/* Above it is a helper: one that cannot end is not left to us. Both end in time. */
	assert_int_equal(ask("cat /proc/$PPID/comm", 99, 60000, &said), 0);
	assert_string_equal(str_text(&said), "inquest-helper\n");
	assert_int_equal(ask("echo $$; exec sleep 600", 99, 1000, &said), -ETIMEDOUT);
	program = (pid_t)strtol(str_text(&said), NULL, 10);
	assert_true(program > 0);
	while (!is_over_by_pid(program))
		usleep(1000);
	assert_int_equal(program_read(&(struct program){.argv = none}, 60000, 99, &said),
		PROGRAM_NOT_FOUND);
	str_release(&said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_left_is_waited_for),
		cmocka_unit_test(it_has_no_descriptor_of_ours),
		cmocka_unit_test(it_answers_into_what_it_is_given),
		cmocka_unit_test(one_that_takes_too_long_is_ended),
		cmocka_unit_test(a_program_is_read_to_its_end)};

	if (access("/proc/thread-self/children", R_OK)) {
		puts("skipped: this kernel does not say who its children are");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
