/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sealed.c SEAL DEED: gives up its system calls by seccomp, in one of the ways that there are, and
 * then does the deed: whoever makes a call that was not named is killed for it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
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
static volatile int zero;

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

int main(int argc, char **argv)
{
	const char *deed = argc == 3 ? argv[2] : "";

	if (argc != 3)
		return 99;
	if (strstr(deed, "handled"))
		signal(SIGSEGV, on_fault);
	if (strstr(deed, "forked"))
		fork_first();
	if (sealed(argv[1]))
		say(STDERR_FILENO, "not sealed\n");
	say(STDERR_FILENO, "err\n");
	say(STDOUT_FILENO, "out\n");
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
