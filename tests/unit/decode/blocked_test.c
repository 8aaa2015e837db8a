/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is blocked on: asked of living ones, and read out of what others left. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "decode/decode.h"
#include "evidence/format/exhibit.h"
#include "proc/blocked.h"
#include "proc/read.h"

/* The process of that exhibit, as the job has it: "recvfrom: socket to ...". */
static void expect_told_in(
	const char *wchan, const char *text, size_t len, const char *told)
{
	struct evidence evidence = {0};
	struct exhibit about = {.kind = EXHIBIT_PROC_CALL,
		.host = (char *)"h",
		.pid = 77,
		.start_time = 5,
		.rank = -1,
		.when = clock_realtime_ns()};
	uint8_t *bytes = malloc(len + 1);
	char found[256] = "nothing";
	struct job *job;

	memcpy(bytes, text, len + 1);
	evidence_add(&evidence, &about, bytes, len);
	about.kind = EXHIBIT_PROC_WCHAN;
	if (wchan)
		evidence_add(&evidence, &about, (uint8_t *)strdup(wchan), strlen(wchan));
	job = decode_job(&evidence);
	for (size_t i = 0; i < job->nprocesses; i++)
		snprintf(found, sizeof(found), "%s: %s", job->processes[i].call,
			job->processes[i].on);
	assert_string_equal(found, told);
	job_free(job);
	evidence_release(&evidence);
}

#define TOLD(text, told) expect_told_in(NULL, text, sizeof(text) - 1, told)
#define TOLD_IN(wchan, text, told) expect_told_in(wchan, text, sizeof(text) - 1, told)
#define OTHER_END "somebody to open the other end of a named pipe"

static void a_call_and_its_descriptor_are_named(void **state)
{
	TOLD("45 0x7 0x1 0x2 0x0 0x0 0x0 0x7ffe 0x7f00\nfd 7 socket:[99]\n"
	     "tcp    3: 0100007F:8124 0500000A:01BB 01 0:0 0:0 0 0 0 99 1\n",
		"recvfrom: socket to 10.0.0.5:443");
	TOLD("0 0x7 0x1 0x2 0x0 0x0 0x0 0x7ffe 0x7f00\nfd 7 socket:[99]\n"
	     "tcp    3: 00000000000000000000000001000000:1F90 "
	     "B80D0120000000000000000001000000:01BB 01 0:0 0:0 0 0 0 99 1\n",
		"read: socket to [2001:db8::1]:443");
	TOLD("0 0x7 0x1 0x2\nfd 7 socket:[99]\ntcp 1: 0000000000000000FFFF00000100007F:1F90 "
	     "0000000000000000FFFF00000500000A:01BB 01 0:0\n",
		"read: socket to 10.0.0.5:443");
	TOLD("74 0x9 0x1\nfd 9 /data/checkpoint 3.pt\n", "fsync: file /data/checkpoint 3.pt");
	TOLD("74 0x9 0x1\nfd 9 /ckpt/3.pt\nmount fuse.gcsfuse /ckpt\n",
		"fsync: file /ckpt/3.pt, on fuse.gcsfuse (/ckpt)");
	TOLD("0 0x9 0x1\nfd 9 pipe:[12]\n", "read: a pipe");
	TOLD("0 0x0 0x1\nfd 0 pipe:[12]\n", "read: its standard input, a pipe");
	TOLD("1 0x1 0x1\nfd 1 pipe:[12]\n", "write: its standard output, a pipe");
	TOLD("1 0x2 0x1\nfd 2 pipe:[12]\n", "write: its standard error, a pipe");
	TOLD("1 0xc 0x1\nfd 12 pipe:[12]\n", "write: a pipe");
	TOLD("0 0x0 0x1\nfd 0 /dev/pts/3\n", "read: its standard input, terminal /dev/pts/3");
	TOLD("0 0x9 0x1\nfd 9 /dev/tty\n", "read: terminal /dev/tty");
	TOLD("0 0x0 0x1\nfd 0 /dev/null\n", "read: ");
	TOLD("0 0x9 0x1\nfd 9 /dev/nvidia0\n", "read: ");
	TOLD("202 0x7ffe 0x1\n", "futex: ");
	TOLD("61 0x4d2 0x0\nchild 1234 rsync -a\n", "wait4: its child rsync -a (pid 1234)");
}

/* Who opens a named pipe waits for whoever opens the other end of it. */
static void an_opening_that_waits_is_told(void **state)
{
	TOLD_IN("wait_for_partner", "257 0xffffff9c 0x7f3b 0x80000\n", "openat: " OTHER_END);
	TOLD_IN("wait_for_partner", "2 0x7f3b 0x80000\n", "open: " OTHER_END);
	TOLD_IN("pipe_wait", "257 0xffffff9c 0x7f3b 0x80000\n", "openat: " OTHER_END);
	TOLD_IN("request_wait_answer", "257 0xffffff9c 0x7f3b 0x80000\n", "openat: ");
	TOLD_IN("pipe_wait", "0 0x9 0x1\nfd 9 pipe:[12]\n", "read: a pipe");
	TOLD("257 0xffffff9c 0x7f3b 0x80000\n", "openat: ");
	(void)state;
}

/* A stranger's bytes: cut, empty, not what they should be. */
static void what_cannot_be_read_names_nothing(void **state)
{
	TOLD("45 0x7\nfd 7 socket:[99]\ntcp ", "recvfrom: a socket");
	TOLD("45 0x7\nfd 7 socket:[99]\ntcp 3: 0100007F:8124", "recvfrom: a socket");
	TOLD("45 0x7\nfd 7 socket:[99]\ntcp 3: 0100007F:8124 050000A:01BB 01",
		"recvfrom: a socket");
	TOLD("45 0x7\nfd 7 socket:[99]\ntcp 3: 0100007F:8124 00000000:0000 0A",
		"recvfrom: a socket");
	TOLD("45 0x7\nfd", "recvfrom: ");
	TOLD("45 0x7\nfd 7", "recvfrom: ");
	TOLD("0 0x0\nfd 0", "read: ");
	TOLD("0 0x0\nfd 0 ", "read: ");
	TOLD("74 0x9 0x1\nfd 9 /ckpt/3.pt\nmount ", "fsync: file /ckpt/3.pt");
	TOLD("74 0x9 0x1\nfd 9 /ckpt/3.pt\nmount nfs4\n", "fsync: file /ckpt/3.pt");
	TOLD("74 0x9 0x1\nfd 9 /ckpt/3.pt\nmount nfs4 ", "fsync: file /ckpt/3.pt");
	TOLD("74 0x9 0x1\nfd 9 /ckpt/3.pt\nmount  /\n", "fsync: file /ckpt/3.pt");
	TOLD("61 0x4d2\nchild ", "wait4: ");
	TOLD("61 0x4d2\nchild 12", "wait4: ");
	TOLD("99999 0x7\n", ": ");
	TOLD("running\n", ": ");
}

/* -- living ones ------------------------------------------------------------------------------- */

/* Text of the child once it sleeps in what it does; the child is ended. */
static void read_child(pid_t pid, struct str *text)
{
	struct procstat stat = {0};

	for (int i = 0; i < 500 && stat.state != 'S'; i++) {
		usleep(10000);
		proc_read_stat((struct proc_id){(uint32_t)pid, 0}, &stat);
	}
	if (proc_blocked_read((uint32_t)pid, text) != 0)
		str_cut(text, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void who_waits_for_an_answer_tells_whose(void **state)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct str text = {0};
	char told[64];
	pid_t pid;

	assert_int_equal(bind(server, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &len), 0);
	pid = fork();
	if (!pid) {
		int client = socket(AF_INET, SOCK_STREAM, 0);
		char byte;

		if (connect(client, (struct sockaddr *)&address, len) == 0)
			(void)!recv(client, &byte, 1, 0);
		_exit(0);
	}
	read_child(pid, &text);
	close(server);
	if (!text.len)
		skip(); /* this kernel tells nobody, or not us */
	snprintf(told, sizeof(told), "recvfrom: socket to 127.0.0.1:%u", ntohs(address.sin_port));
	expect_told_in(NULL, str_text(&text), text.len, told);
	str_release(&text);
}

/* Who waits for its lock. */
static void expect_told_of_lock(const char *path, const char *told)
{
	int fd = open(path, O_RDONLY);
	struct str text = {0};
	pid_t pid;

	assert_int_equal(flock(fd, LOCK_EX), 0);
	pid = fork();
	if (!pid) {
		int mine = open(path, O_RDONLY);

		(void)!flock(mine, LOCK_EX);
		_exit(0);
	}
	read_child(pid, &text);
	close(fd);
	if (!text.len)
		skip();
	expect_told_in(NULL, str_text(&text), text.len, told);
	str_release(&text);
}

static void who_waits_for_a_file_tells_which(void **state)
{
	char path[] = "/tmp/inquest-blocked-XXXXXX", told[64];
	int fd = mkstemp(path);

	close(fd);
	snprintf(told, sizeof(told), "flock: file %s", path);
	expect_told_of_lock(path, told);
	unlink(path);
}

/* A disk or memory of this host needs no word; what is served by somebody else is named. */
static void a_file_that_lies_elsewhere_tells_where(void **state)
{
	expect_told_of_lock("/proc/version", "flock: file /proc/version, on proc (/proc)");
}

/* A rank that runs a program and waits for its end. */
static void who_waits_for_a_child_tells_which(void **state)
{
	struct str text = {0};
	char told[64];
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "evaluate"); /* its child's name, too */
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	read_child(pid, &text);
	if (!text.len)
		skip();
	pid = 0;
	sscanf(str_text(&text), "%*[^\n]\nchild %d", &pid);
	snprintf(told, sizeof(told), "wait4: its child evaluate (pid %d)", (int)pid);
	expect_told_in(NULL, str_text(&text), text.len, told);
	str_release(&text);
}

static void who_is_not_there_is_blocked_on_nothing(void **state)
{
	struct str text = {0};

	assert_true(proc_blocked_read(0x7fffffff, &text) < 0);
	assert_int_equal(text.len, 0);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_and_its_descriptor_are_named),
		cmocka_unit_test(an_opening_that_waits_is_told),
		cmocka_unit_test(what_cannot_be_read_names_nothing),
		cmocka_unit_test(who_waits_for_an_answer_tells_whose),
		cmocka_unit_test(who_waits_for_a_file_tells_which),
		cmocka_unit_test(a_file_that_lies_elsewhere_tells_where),
		cmocka_unit_test(who_waits_for_a_child_tells_which),
		cmocka_unit_test(who_is_not_there_is_blocked_on_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
