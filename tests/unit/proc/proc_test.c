/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at living, stopped, dead and unwilling children. */
#include "proc/read.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/cgroup.h"
#include "proc/blocking-read.h"
#include "proc/ns.h"
#include "proc/tree.h"
#include "proc/watch.h"
#include "tests/unit/proc/child.h"
#include "tests/unit/unit.h"

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Polls until the child is in the state, or a generous deadline has passed. */
static bool child_reaches(pid_t pid, char state)
{
	for (int tries = 0; tries < 2000; tries++) {
		struct procstat stat;

		if (proc_read_stat((struct proc_id){.pid = (uint32_t)pid}, &stat) == 0 &&
			stat.state == state)
			return true;
		usleep(5000);
	}
	return false;
}

static struct proc_id id_of(pid_t pid)
{
	return (struct proc_id){(uint32_t)pid, proc_start_time((uint32_t)pid)};
}

static void what_was_written_is_the_larger_of_two_counts(void **state)
{
	assert_int_equal(procstat_written("rchar: 9\nwchar: 77\nread_bytes: 5\nwrite_bytes: 4096\n"
					  "cancelled_write_bytes: 1\n"),
		4096);
	/* A file system in memory writes nothing to storage. */
	assert_int_equal(
		procstat_written("rchar: 9\nwchar: 77000\nread_bytes: 5\nwrite_bytes: 0\n"), 77000);
	assert_int_equal(procstat_written("cancelled_write_bytes: 1\n"), -1);
	assert_int_equal(procstat_written(""), -1);
}

static void a_process_is_its_pid_and_its_start(void **state)
{
	pid_t pid = child_of(NULL);
	struct proc_id id = id_of(pid);
	struct proc_id other = {id.pid, id.start_time + 1};
	struct procstat stat;

	assert_true(id.start_time > 0);
	assert_true(proc_is_alive(id));
	assert_false(proc_is_alive(other));
	assert_int_equal(proc_read_stat(other, &stat), -ESRCH);
	assert_int_equal(proc_read_stat(id, &stat), 0);
	assert_int_equal(stat.ppid, getpid());
	child_end(pid);
	assert_false(proc_is_alive(id));
	assert_int_equal(proc_read_stat(id, &stat), -ESRCH);
}

static void a_stopped_one_lives_and_a_zombie_does_not(void **state)
{
	pid_t pid = child_of(NULL);
	struct proc_id id = id_of(pid);
	struct procstat stat;

	kill(pid, SIGSTOP);
	assert_true(child_reaches(pid, 'T'));
	assert_true(proc_is_alive(id));
	kill(pid, SIGKILL);
	assert_true(child_reaches(pid, 'Z'));
	assert_false(proc_is_alive(id));
	assert_int_equal(proc_read_stat(id, &stat), 0);
	if (stat.exit_code) { /* the kernel tells those who may know */
		assert_true(stat.exit_code_known);
		assert_true(WIFSIGNALED(stat.exit_code));
		assert_int_equal(WTERMSIG(stat.exit_code), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void fork_two_more(void)
{
	if (fork() == 0)
		(void)!fork();
}

static void descendants_are_found(void **state)
{
	pid_t pid = child_of(fork_two_more);
	uint32_t top = (uint32_t)pid;
	struct proc_list list = {0};

	for (int tries = 0; list.all.nr < 2 && tries < 2000; tries++) {
		proc_list_release(&list);
		assert_int_equal(proc_list_descendants(&list, &top, 1), 0);
		usleep(5000);
	}
	assert_int_equal(list.all.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_not_equal(list.all.items[i].pid, top);
		kill((pid_t)list.all.items[i].pid, SIGKILL);
	}
	proc_list_release(&list);
	child_end(pid);
}

static void a_watch_sees_the_end(void **state)
{
	pid_t pid = child_of(NULL);
	struct proc_watch watch, polled;
	int status = -1;

	assert_int_equal(proc_watch_open(&watch, id_of(pid)), 0);
	polled = (struct proc_watch){watch.id, -1}; /* as where pidfd_open is refused */
	assert_false(proc_watch_gone(&watch));
	assert_false(proc_watch_gone(&polled));
	kill(pid, SIGKILL);
	assert_true(child_reaches(pid, 'Z'));
	assert_true(proc_watch_gone(&watch));
	assert_true(proc_watch_gone(&polled));
	assert_true(proc_watch_status(&polled, &status)); /* of the zombie */
	assert_int_equal(status, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(proc_watch_gone(&polled));
	assert_false(proc_watch_status(&polled, &status));
	proc_watch_close(&watch);
	assert_int_equal(proc_watch_open(&watch, polled.id), -ESRCH);
}

static void reads_bring_files_and_errors(void **state)
{
	char path[] = "/tmp/inquest-read-XXXXXX";
	struct blocking_read reads[4] = {
		{.pid = (uint32_t)getpid(), .name = "cmdline", .cap = 4096},
		{.pid = (uint32_t)getpid(), .name = "no-such-file", .cap = 4096},
		{.name = path, .what = BLOCKING_READ_TAIL, .cap = 4, .owner = geteuid()},
		{.name = path, .what = BLOCKING_READ_TAIL, .cap = 4, .owner = geteuid() + 1},
	};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	blocking_reads_run(reads, 4, 20000);
	assert_int_equal(reads[0].error, 0);
	assert_non_null(strstr(str_text(&reads[0].bytes), "proc_test"));
	assert_int_equal(reads[1].error, ENOENT);
	assert_int_equal(reads[2].error, 0);
	assert_string_equal(str_text(&reads[2].bytes), "6789");
	assert_int_equal(reads[2].from, 6);
	assert_int_equal(reads[3].error, EPERM); /* a path from outside: another's file */
	for (int i = 0; i < 4; i++)
		str_release(&reads[i].bytes);
	close(fd);
	unlink(path);
}

/* A lease lets open() of another process wait as long as a dead file server would. */
static void a_read_that_hangs_is_left_behind(void **state)
{
	char path[] = "/tmp/inquest-lease-XXXXXX";
	struct blocking_read reads[3] = {
		{.pid = (uint32_t)getpid(), .name = "cmdline", .cap = 4096},
		{.name = path, .what = BLOCKING_READ_TAIL, .cap = 4, .owner = geteuid()},
		{.pid = (uint32_t)getpid(), .name = "cmdline", .cap = 4096},
	};
	int fd = mkstemp(path);
	int64_t start = clock_monotonic_ns();

	assert_true(fd >= 0);
	signal(SIGIO, SIG_IGN);
	if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0) {
		close(fd);
		unlink(path);
		skip();
	}
	blocking_reads_run(reads, 3, 1000);
	assert_int_equal(reads[0].error, 0);
	assert_int_equal(reads[1].error, ETIMEDOUT);
	assert_int_equal(reads[2].error, 0);
	assert_true(clock_monotonic_ns() - start < 40 * CLOCK_NS_PER_S); /* a lease breaks at 45 */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no helper is left */
	str_release(&reads[0].bytes);
	str_release(&reads[2].bytes);
	close(fd);
	unlink(path);
}

static void *map_for_ever(void *unused)
{
	for (;;) {
		void *at = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (at != MAP_FAILED)
			munmap(at, 64 << 20);
	}
	return unused;
}

/* What of "old new" at the offset 100 of a file stands behind another offset. */
static void what_stood_before_is_cut(void **state)
{
	static const struct {
		uint64_t from;
		const char *left;
	} all[] = {{0, "old new"}, {100, "old new"}, {104, "new"}, {107, ""}, {108, "old new"},
		{UINT64_MAX, "old new"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct blocking_read read = {.from = 100};

		str_add(&read.bytes, "old new");
		blocking_read_cut(&read, all[i].from);
		assert_string_equal(str_text(&read.bytes), all[i].left);
		str_release(&read.bytes);
	}
	(void)state;
}

static void hold_the_mmap_lock(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, map_for_ever, NULL);
}

static void a_holder_of_its_mmap_lock_is_read_all_the_same(void **state)
{
	pid_t pid = child_of(hold_the_mmap_lock);
	struct blocking_read read = {.pid = (uint32_t)pid, .name = "environ", .cap = 65536};
	struct str text = {0};

	for (int i = 0; i < 50; i++) {
		struct procstat stat;

		assert_int_equal(proc_read_stat(id_of(pid), &stat), 0);
		str_cut(&text, 0);
		assert_int_equal(proc_read((uint32_t)pid, "status", &text, NULL), 0);
		assert_int_equal(proc_read_tasks((uint32_t)pid, &text), 0);
	}
	blocking_reads_run(&read, 1, 20000);
	assert_true(read.error == 0 || read.error == ETIMEDOUT);
	str_release(&read.bytes);
	str_release(&text);
	child_end(pid);
}

static void pids_of_other_namespaces_are_read(void **state)
{
	struct proc_ns_seen seen = {0};

	assert_int_equal(proc_ns_innermost("Name:\tx\nNSpid:\t25895\t31\t2\nFoo:\t1\n"), 2);
	assert_int_equal(proc_ns_innermost("Name:\tx\nNSpid:\t25895\n"), 25895);
	assert_int_equal(proc_ns_innermost("Name:\tx\n"), 0);
	assert_int_equal(proc_ns_innermost("Name:\tx\nNSpid:\tgarbage\n"), 0);
	assert_int_equal(proc_ns_find(&seen, id_of(getpid()), proc_ns_own()), getpid());
	assert_false(seen.listed);
	/*
	 * In one that is not ours it is searched by start time and innermost pid: who has these
	 * here is another process.
	 */
	assert_int_equal(proc_ns_find(&seen, id_of(getpid()), proc_ns_own() + 1), 0);
	assert_int_equal(proc_ns_find(&seen, (struct proc_id){1u << 30, 1}, proc_ns_own() + 1), 0);
	assert_int_equal(
		proc_ns_find(&seen, (struct proc_id){0, seen.all.items[0].start_time}, 1), 0);
	proc_ns_seen_release(&seen);
}

static void the_control_group_is_told(void **state)
{
	struct str groups = {0}, text = {0};

	if (proc_cgroup_of((uint32_t)getpid(), &groups) < 0 || !groups.len) {
		str_release(&groups);
		skip();
	}
	if (proc_cgroup_read(str_text(&groups), &text) == 0)
		assert_memory_equal(text.text, "path /", 6);
	str_release(&groups);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_the_larger_of_two_counts),
		cmocka_unit_test(a_process_is_its_pid_and_its_start),
		cmocka_unit_test(a_stopped_one_lives_and_a_zombie_does_not),
		cmocka_unit_test(descendants_are_found),
		cmocka_unit_test(a_watch_sees_the_end),
		cmocka_unit_test(reads_bring_files_and_errors),
		cmocka_unit_test(a_read_that_hangs_is_left_behind),
		cmocka_unit_test(what_stood_before_is_cut),
		cmocka_unit_test(a_holder_of_its_mmap_lock_is_read_all_the_same),
		cmocka_unit_test(pids_of_other_namespaces_are_read),
		cmocka_unit_test(the_control_group_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
