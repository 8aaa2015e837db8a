/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sealed.c SEAL DEED: gives up its system calls by seccomp, in one of the ways that there are, and
 * then does the deed: whoever makes a call that was not named is killed for it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* write, both exits and the return from handlers are allowed. */
static struct sock_filter few[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog filter = {sizeof(few) / sizeof(*few), few};

/* What libc does not need for a thread or a child, and we do. */
static struct sock_filter most[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 6, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 5, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 4, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 3, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
};
static struct sock_fprog refusing = {sizeof(most) / sizeof(*most), most};

static pthread_t before;
static int begin[2];
static volatile int zero, begun;

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		syscall(SYS_exit, 9);
}

static void on_fault(int sig)
{
	(void)sig;
	say(STDOUT_FILENO, "handled\n");
	syscall(SYS_exit, 6);
}

static long sealed(const char *how)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(how, "raw-strict"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	if (!strcmp(how, "filter"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	if (!strcmp(how, "raw-filter"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
	if (!strcmp(how, "raw-prctl"))
		return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	if (!strcmp(how, "tsync"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			&refusing);
	/* Refused, or only asked: all is as before. */
	if (!strcmp(how, "asked"))
		return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
	filter.len = 0;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void fork_first(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		return;
	waitpid(child, &status, 0);
	exit(WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* Goes away once something comes. */
static void *wait_for_byte(void *arg)
{
	char byte;

	begun = 1;
	return read(begin[0], &byte, 1) == 1 ? arg : NULL;
}

static void start(pthread_t *thread)
{
	if (pthread_create(thread, NULL, wait_for_byte, begin))
		exit(97);
}

static void join(pthread_t thread)
{
	void *result = NULL;

	say(begin[1], "x");
	pthread_join(thread, &result);
	say(STDOUT_FILENO, result ? "joined\n" : "lost\n");
}

static void start_and_join(void)
{
	pthread_t thread;

	start(&thread);
	join(thread);
}

/* Has a child that is killed, and one that ends by itself. */
static void wait_for_children(void)
{
	for (int killed = 0; killed < 2; killed++) {
		pid_t child = fork();
		int status = 0;

		if (!child && !killed)
			_exit(7);
		while (!child)
			pause();
		if (killed)
			kill(child, SIGKILL);
		if (waitpid(child, &status, 0) != child)
			exit(96);
		say(STDOUT_FILENO, WIFSIGNALED(status) ? "killed\n" : "ended\n");
	}
}

int main(int argc, char **argv)
{
	const char *deed = argc == 3 ? argv[2] : "";

	if (argc != 3)
		return 99;
	if (strstr(deed, "handled"))
		signal(SIGSEGV, on_fault);
	if (strstr(deed, "forked"))
		fork_first();
	if (strstr(deed, "thread") && pipe(begin))
		return 95;
	if (strstr(deed, "old thread"))
		start(&before);
	while (strstr(deed, "old thread") && !begun)
		usleep(1000);
	if (sealed(argv[1]))
		say(STDERR_FILENO, "not sealed\n");
	say(STDERR_FILENO, "err\n");
	say(STDOUT_FILENO, "out\n");
	if (strstr(deed, "old thread"))
		join(before);
	if (strstr(deed, "new thread"))
		start_and_join();
	if (strstr(deed, "children"))
		wait_for_children();
	if (strstr(deed, "segv"))
		*(volatile int *)(size_t)(zero + 8) = 1;
	if (strstr(deed, "trap"))
		__builtin_trap();
	if (strstr(deed, "fpe"))
		zero = 1 / zero;
	if (strstr(deed, "abort"))
		abort();
	if (strstr(deed, "leave"))
		_exit(5);
	if (strstr(deed, "exit"))
		exit(4);
	syscall(SYS_exit, 3);
	return 98;
}
