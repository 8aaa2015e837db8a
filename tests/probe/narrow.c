/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other programs are started from where there is little stack: a thread with the least that there
 * may be, and the alternate stack on which a crash is handled, of the size that was ever usual.
 * Behind the latter lies memory of the program's own, which must stay as it is.
 *
 *	narrow thread|crash fork|vfork|spawn|system|popen
 *	narrow listed		execs under a filter that kills for a call which it does not list
 *
 * Exits with 0 if all went well.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALTSTACK 8192
#define BEHIND	 4096

extern char **environ;

static const char *way;
static int result = 1;
static unsigned char *memory;

static char program[] = "/bin/true";
static char *const argv[] = {program, NULL};

static int status_of(pid_t child)
{
	int status = 1;

	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 ? status : 1;
}

static int start(void)
{
	pid_t child = -1;
	FILE *pipe;

	if (!strcmp(way, "system"))
		return system("exit 0");
	if (!strcmp(way, "popen")) {
		pipe = popen("exit 0", "r");
		return pipe ? pclose(pipe) : 1;
	}
	if (!strcmp(way, "spawn"))
		return posix_spawn(&child, argv[0], NULL, NULL, argv, environ)
			       ? 1
			       : status_of(child);
	child = !strcmp(way, "vfork") ? vfork() : fork();
	if (!child) {
		execv(argv[0], argv);
		_exit(9);
	}
	return status_of(child);
}

static void *on_thread(void *none)
{
	result = start();
	return none;
}

static void on_crash(int signo)
{
	int changed = 0;

	(void)signo;
	result = start();
	for (int i = 0; i < BEHIND; i++)
		changed |= memory[i] != 0xa5;
	_exit(result ? 2 : changed ? 3 : 0);
}

static int crash(void)
{
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = ALTSTACK};

	memory = malloc(BEHIND + ALTSTACK);
	memset(memory, 0xa5, BEHIND);
	stack.ss_sp = memory + BEHIND;
	if (sigaltstack(&stack, NULL) || sigaction(SIGSEGV, &action, NULL))
		return 1;
	raise(SIGSEGV);
	return 1;
}

static int thread(void)
{
	pthread_attr_t attr;
	pthread_t it;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	if (pthread_create(&it, &attr, on_thread, NULL) || pthread_join(it, NULL))
		return 1;
	return result ? 2 : 0;
}

/* The program that is started does well without sigaltstack(); ours would call it. */
static int listed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = {sizeof(filter) / sizeof(*filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
		return 77;
	execv(argv[0], argv);
	return 9;
}

int main(int argc, char **args)
{
	if (argc > 1 && !strcmp(args[1], "listed"))
		return listed();
	if (argc != 3)
		return 99;
	way = args[2];
	return !strcmp(args[1], "crash") ? crash() : thread();
}
