/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the lock of a file: asked of living processes, and read out of what others left. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "decode/decode.h"
#include "evidence/format/exhibit.h"
#include "job/lock-holders.h"
#include "proc/locks.h"
#include "proc/read.h"

/* Frees the text. */
static void add(struct evidence *evidence, uint32_t pid, uint64_t start_time, struct str *text)
{
	const struct exhibit about = {.kind = EXHIBIT_PROC_LOCKS,
		.host = (char *)"h",
		.pid = pid,
		.start_time = start_time,
		.rank = -1,
		.when = clock_realtime_ns()};
	size_t len = text->len;

	str_room(text, 1);
	evidence_add(evidence, &about, (uint8_t *)str_detach(text), len);
}

static void add_text(struct evidence *evidence, uint32_t pid, const char *words)
{
	struct str text = {0};

	str_add(&text, words);
	add(evidence, pid, 5, &text);
}

static void who_has_it_is_found(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	add_text(&evidence, 77,
		"wait 4: -> FLOCK  ADVISORY  WRITE 77 08:02:131 0 EOF\n"
		"held 4: FLOCK  ADVISORY  WRITE 99 08:02:131 0 EOF\n"
		"by 78 5 pt data worker\nfor /c/x.lock\nfile /c/x.lock\n");
	add_text(&evidence, 78,
		"file /c/y.lock\nfile /c/x.lock\n"
		"lock 4: FLOCK  ADVISORY  WRITE 99 08:02:131 0 EOF\n");
	job = decode_job(&evidence);
	assert_int_equal(job->nprocesses, 2);
	assert_string_equal(job->processes[0].lock, "/c/x.lock");
	assert_string_equal(job->processes[0].lock_by, "pt data worker");
	assert_string_equal(job->processes[0].lock_open, ""); /* it is what it waits for */
	assert_int_equal(locks_holder(job, &job->processes[0]), 1);
	assert_string_equal(job->processes[1].lock, "");
	assert_string_equal(job->processes[1].lock_held, "/c/x.lock");
	assert_string_equal(job->processes[1].lock_open, "/c/y.lock");
	job_free(job);
	evidence_release(&evidence);
	(void)state;
}

/* An inode's number is one of its file system only: another one's namesake is not waited for. */
static void a_namesake_on_another_file_system_is_not_it(void **state)
{
	char path[] = "/tmp/locks_test.XXXXXX", table[200];
	int fd = mkstemp(path);
	struct str real = {0}, text = {0};
	unsigned major, minor;
	unsigned long inode;
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(proc_locks_table(&real), 0);
	for (const char *line = real.text; line; line = strchr(line, '\n'), line += !!line) {
		long holder;

		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%lu", &holder, &major, &minor,
			    &inode) == 4 && holder == (long)pid)
			break;
		major = 0;
	}
	for (unsigned other = 0; other < 2; other++) {
		snprintf(table, sizeof(table),
			"4: FLOCK  ADVISORY  WRITE 1 %02x:%02x:%lu 0 EOF\n"
			"4: -> FLOCK  ADVISORY  WRITE %" PRIu32 " %02x:%02x:%lu 0 EOF\n",
			major, minor + other, inode, pid, major, minor + other, inode);
		str_cut(&text, 0);
		assert_int_equal(proc_locks_read(pid, table, &text), 0);
		assert_non_null(strstr(text.text, "wait 4: "));
		if (other)
			assert_null(strstr(text.text, "for "));
		else
			assert_non_null(strstr(text.text, path));
	}
	str_release(&real);
	str_release(&text);
	close(fd);
	unlink(path);
}

/* A stranger's bytes: cut, empty, not what they should be. */
static void what_cannot_be_read_names_nobody(void **state)
{
	static const char *const texts[] = {"none\n", "", "by 78 5 x\n", "wait", "wait x\nby 78",
		"wait x\nby \n", "wait x\nby -1 x y\n", "file", "lock 1\n", "for /x\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct evidence evidence = {0};
		struct job *job;

		add_text(&evidence, 77, texts[i]);
		job = decode_job(&evidence);
		for (size_t k = 0; k < job->nprocesses; k++) {
			assert_int_equal(locks_holder(job, &job->processes[k]), JOB_NONE);
			assert_string_equal(job->processes[k].lock_by, "");
			assert_string_equal(job->processes[k].lock_held, "");
		}
		job_free(job);
		evidence_release(&evidence);
	}
	(void)state;
}

/* -- living ones ------------------------------------------------------------------------------- */

static pid_t block_child(const char *path, bool whole)
{
	struct procstat stat = {0};
	pid_t pid = fork();

	if (!pid) {
		struct flock lock = {.l_type = F_WRLCK};
		int mine = open(path, O_RDWR);

		if (whole)
			(void)!flock(mine, LOCK_EX);
		else
			(void)!fcntl(mine, F_SETLKW, &lock);
		_exit(0);
	}
	for (int i = 0; i < 500 && stat.state != 'S'; i++) {
		usleep(10000);
		proc_read_stat((struct proc_id){(uint32_t)pid, 0}, &stat);
	}
	return pid;
}

/* flock() and fcntl() alike. */
static void who_is_blocked_tells_by_whom(void **state)
{
	for (int whole = 0; whole < 2; whole++) {
		char path[] = "/tmp/locks-XXXXXX", by[96];
		struct str table = {0}, text = {0}, mine = {0};
		struct flock lock = {.l_type = F_WRLCK};
		int fd = mkstemp(path), error;
		pid_t pid;

		assert_int_equal(whole ? flock(fd, LOCK_EX) : fcntl(fd, F_SETLK, &lock), 0);
		pid = block_child(path, whole);
		error = proc_locks_table(&table);
		proc_locks_read((uint32_t)pid, str_text(&table), &text);
		proc_locks_read((uint32_t)getpid(), str_text(&table), &mine);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(fd);
		unlink(path);
		if (error || !table.len)
			skip(); /* this kernel tells nobody */
		snprintf(by, sizeof(by), "\nby %d %" PRIu64 " ", (int)getpid(),
			proc_start_time((uint32_t)getpid()));
		assert_true(!strncmp(str_text(&text), "wait ", 5));
		assert_non_null(strstr(str_text(&text), "\nheld "));
		assert_non_null(strstr(str_text(&text), by));
		snprintf(by, sizeof(by), "\nfor %s\n", path);
		assert_non_null(strstr(str_text(&text), by));
		snprintf(by, sizeof(by), "file %s\nlock ", path);
		assert_int_equal(strstr(str_text(&mine), by) != NULL, whole);
		str_release(&table);
		str_release(&text);
		str_release(&mine);
	}
	(void)state;
}

static void who_is_not_there_waits_for_nothing(void **state)
{
	struct str text = {0};

	assert_true(proc_locks_read(0x7fffffff, "", &text) < 0);
	assert_int_equal(text.len, 0);
	str_release(&text);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_it_is_found),
		cmocka_unit_test(a_namesake_on_another_file_system_is_not_it),
		cmocka_unit_test(what_cannot_be_read_names_nobody),
		cmocka_unit_test(who_is_blocked_tells_by_whom),
		cmocka_unit_test(who_is_not_there_waits_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
