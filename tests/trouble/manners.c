/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manners: the deeds of bare.py, in C: each that its words name, one after the other. Descriptors
 * 5, 6 and 7 are what bare.py says they are. Beside those deeds there are habits, for programs that
 * bare.py plays with them in front:
 *
 *	children	a handler of SIGCHLD, which it waits for three times
 *	alarms		a timer and its handler, three times
 *	daemon		goes on as a grandchild in a session of its own
 *	closefrom	closes all descriptors from 8 on
 *	limits		from then on no process or file more, and 32 MiB of address space in all
 *	seal		from then on only the system calls that the deeds make
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__ /* others have not the kernel's headers beside them */
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

enum { LEASH = 5, READY = 6, LOCK = 7 };

static void put(int fd, const char *text)
{
	size_t len = strlen(text);

	if (write(fd, text, len) != (ssize_t)len)
		exit(99);
}

static void do_wait(void)
{
	char byte;

	(void)!read(LEASH, &byte, 1);
}

static void do_here(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	put(STDOUT_FILENO, text);
}

static void do_say(void)
{
	put(STDOUT_FILENO, "out\n\1\n");
	put(STDERR_FILENO, "err\n");
}

static void do_hush(void)
{
	close(STDOUT_FILENO);
}

static void do_deaf(void)
{
	close(STDIN_FILENO);
}

static void do_flood(void)
{
	for (;;)
		put(STDOUT_FILENO, "x\n");
}

static void do_ready(void)
{
	put(READY, "1");
	close(READY);
}

static void do_unlock(void)
{
	close(LOCK);
}

/* --- Habits ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t heard;

static void on_signal(int signo)
{
	int err = errno;

	heard++;
	while (signo == SIGCHLD && waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = err;
}

/* Handled from now on, but only while hear() waits. */
static void listen_to(int signo)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, signo);
	sigprocmask(SIG_BLOCK, &only, NULL);
	sigaction(signo, &action, NULL);
}

static void hear(int signo, int times)
{
	sigset_t others;

	sigprocmask(SIG_BLOCK, NULL, &others);
	sigdelset(&others, signo);
	while (heard < times)
		sigsuspend(&others);
}

static void do_children(void)
{
	listen_to(SIGCHLD);
	for (int i = 1; i <= 3; i++) {
		if (!fork())
			_exit(0);
		hear(SIGCHLD, i);
	}
}

static void do_alarms(void)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};

	listen_to(SIGALRM);
	setitimer(ITIMER_REAL, &often, NULL);
	hear(SIGALRM, 3);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void do_daemon(void)
{
	if (fork())
		exit(0);
	setsid();
	if (fork())
		exit(0);
}

static void do_closefrom(void)
{
	for (int fd = LOCK + 1; fd < 4096; fd++)
		close(fd);
}

static void do_limits(void)
{
	const struct rlimit none = {0, 0}, files = {LOCK + 1, LOCK + 1};
	const struct rlimit memory = {32u << 20, 32u << 20};

	if (setrlimit(RLIMIT_NPROC, &none) || setrlimit(RLIMIT_FSIZE, &none) ||
		setrlimit(RLIMIT_NOFILE, &files) || setrlimit(RLIMIT_AS, &memory))
		exit(99);
}

#ifdef __GLIBC__
#define MAY(call)                                                                                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void do_seal(void)
{
	struct sock_filter calls[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		MAY(read), MAY(write), MAY(close), MAY(getpid), MAY(gettid), MAY(tgkill),
		MAY(rt_sigprocmask), MAY(rt_sigreturn), MAY(restart_syscall), MAY(exit),
		MAY(exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	};
	struct sock_fprog filter = {sizeof(calls) / sizeof(calls[0]), calls};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter))
		exit(99);
}
#endif

static const struct {
	const char *word;
	void (*act)(void);
} deeds[] = {
	{"here", do_here},
	{"wait", do_wait},
	{"say", do_say},
	{"hush", do_hush},
	{"deaf", do_deaf},
	{"flood", do_flood},
	{"ready", do_ready},
	{"unlock", do_unlock},
	{"children", do_children},
	{"alarms", do_alarms},
	{"daemon", do_daemon},
	{"closefrom", do_closefrom},
	{"limits", do_limits},
#ifdef __GLIBC__
	{"seal", do_seal},
#endif
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "exit"))
			return atoi(argv[i + 1]);
		if (!strcmp(argv[i], "die"))
			raise(atoi(argv[i + 1]));
		for (size_t k = 0; k < sizeof(deeds) / sizeof(deeds[0]); k++)
			if (!strcmp(argv[i], deeds[k].word))
				deeds[k].act();
	}
	return 0;
}
