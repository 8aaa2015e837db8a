/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deeds.c: a program that does what programs do to themselves: signals, forks, execs, ends. It
 * knows nothing of NCCL, and prints what it sees, so that it can be compared with and without the
 * probe.
 *
 *	deeds WORD...		words are done in order; some take the next word as their argument
 *	deeds watch WORD...	does the rest in a child image and prints how that ended
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/inquest.h"

extern char **environ;

static char **words; /* the next one */
static const char *self;
static volatile sig_atomic_t caught;
static siginfo_t caught_info;
static sigjmp_buf back;
static volatile int *volatile nowhere = (volatile int *)16;

static void say(const char *what, int n)
{
	char line[80];
	int len = snprintf(line, sizeof(line), "%s %d\n", what, n);

	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		_exit(8);
}

static int next_number(void)
{
	return *words ? atoi(*words++) : 0;
}

/* --- Handlers --------------------------------------------------------------------------------- */

static void on_signal(int sig)
{
	caught = sig;
	say("caught", sig);
}

static void on_siginfo(int sig, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	caught_info = *info;
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("caught", sig);
	say("code", info->si_code);
	say("from me", info->si_code > 0 || info->si_pid == getpid());
	say("itself blocked", sigismember(&now, sig));
	say("USR1 blocked", sigismember(&now, SIGUSR1));
}

/* What faulthandler does: put back what was there, and let it happen again. */
static struct sigaction former;

static void on_last(int sig)
{
	say("last words", sig);
	sigaction(sig, &former, NULL);
	raise(sig);
}

static void on_jump(int sig)
{
	siglongjmp(back, sig);
}

static void catch_with(int sig, int flags)
{
	struct sigaction act = {.sa_flags = flags};

	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR1);
	act.sa_sigaction = on_siginfo;
	act.sa_flags |= SA_SIGINFO;
	sigaction(sig, &act, &former);
}

static void do_catch(void)
{
	catch_with(next_number(), 0);
}
static void do_catch_restart(void)
{
	catch_with(next_number(), SA_RESTART);
}
static void do_catch_once(void)
{
	catch_with(next_number(), (int)SA_RESETHAND);
}
static void do_catch_nodefer(void)
{
	catch_with(next_number(), SA_NODEFER);
}
static void do_signal(void)
{
	signal(next_number(), on_signal);
}
static void do_sysv_signal(void)
{
	sysv_signal(next_number(), on_signal);
}
static void do_ignore(void)
{
	signal(next_number(), SIG_IGN);
}
static void do_default(void)
{
	signal(next_number(), SIG_DFL);
}
static void do_raise(void)
{
	raise(next_number());
}
static void do_kill(void)
{
	kill(getpid(), next_number());
}

/* By another name: it is deprecated, and still what some programs call. */
extern int deprecated_siginterrupt(int, int) __asm__("siginterrupt");

static void do_interrupt(void)
{
	int sig = next_number();

	say("siginterrupt", deprecated_siginterrupt(sig, 1));
}

static void do_last_words(void)
{
	int sig = next_number();
	struct sigaction act = {.sa_handler = on_last, .sa_flags = SA_NODEFER};

	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, &former);
}

static void do_survive(void)
{
	struct sigaction act = {.sa_handler = on_jump}, old;

	sigemptyset(&act.sa_mask);
	sigaction(SIGSEGV, &act, &old);
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
	else
		say("survived", SIGSEGV);
	sigaction(SIGSEGV, &old, NULL);
}

static void do_ask(void)
{
	int sig = next_number();
	struct sigaction act;

	if (sigaction(sig, NULL, &act))
		return say("ask failed", errno);
	say("asked", sig);
	say("default", act.sa_handler == SIG_DFL);
	say("ignored", act.sa_handler == SIG_IGN);
	say("mine", act.sa_sigaction == on_siginfo || act.sa_handler == on_signal);
	say("flags", act.sa_flags);
	say("masks USR1", sigismember(&act.sa_mask, SIGUSR1));
}

/* By another name: deprecated too. */
extern int deprecated_sigignore(int) __asm__("sigignore");
static void do_sigignore(void)
{
	deprecated_sigignore(next_number());
}

static void do_ask_wrongly(void)
{
	struct sigaction act = {.sa_handler = SIG_DFL};

	say("SIGKILL", sigaction(SIGKILL, &act, NULL));
	say("errno", errno);
	say("signal 99", signal(99, SIG_DFL) == SIG_ERR);
	say("errno", errno);
}

/* True if a thread has yet to take a signal: two of a kind would be one. */
static int is_pending(int tid, int sig)
{
	char path[64], text[4096];
	const char *mask;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	mask = strstr(text, "SigPnd:");
	return mask && strtoull(mask + strlen("SigPnd:"), NULL, 16) >> (sig - 1) & 1;
}

/* A read that a signal meets: restarted, or EINTR. */
static void *interrupt_later(void *arg)
{
	struct timespec soon = {.tv_nsec = 50000000};

	for (int i = 0; i < 2; i++) {
		nanosleep(&soon, NULL);
		syscall(SYS_tgkill, getpid(), *(int *)arg, SIGTERM);
		while (is_pending(*(int *)arg, SIGTERM))
			nanosleep(&soon, NULL);
	}
	nanosleep(&soon, NULL);
	return NULL;
}

static void do_read(void)
{
	int fd[2], tid = (int)syscall(SYS_gettid);
	pthread_t helper;
	pid_t writer;
	ssize_t n;
	char c;

	if (pipe(fd))
		_exit(8);
	writer = fork();
	if (!writer) {
		usleep(400000);
		_exit(write(fd[1], "x", 1) != 1);
	}
	pthread_create(&helper, NULL, interrupt_later, &tid);
	n = read(fd[0], &c, 1);
	say("read", (int)n);
	if (n < 0)
		say("errno", errno);
	pthread_join(helper, NULL);
	waitpid(writer, NULL, 0);
}

/* --- Ends ------------------------------------------------------------------------------------- */

static void do_segv(void)
{
	*nowhere = 1;
}
static void do_abort(void)
{
	abort();
}
static void do_exit(void)
{
	exit(next_number());
}
static void do__exit(void)
{
	_exit(next_number());
}
static void do_quick_exit(void)
{
	quick_exit(next_number());
}
static void do_trap(void)
{
	__builtin_trap();
}

static int overflow(volatile char *above)
{
	volatile char here[4096];

	here[0] = above ? (char)(above[0] | 1) : 1;
	return here[0] ? here[0] + overflow(here) : 0;
}

static void do_overflow(void)
{
	say("back", overflow(NULL));
}

static void *abort_here(void *arg)
{
	pthread_setname_np(pthread_self(), "pt_nccl_watchdg");
	abort();
	return arg;
}

static void do_watchdog(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, abort_here, NULL);
	pthread_join(thread, NULL);
}

static void do_complain(void)
{
	static const char text[] = "Traceback: the end is nigh\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(8);
}

/* --- Children --------------------------------------------------------------------------------- */

static void say_status(int status)
{
	if (WIFEXITED(status))
		say("exit", WEXITSTATUS(status));
	if (WIFSIGNALED(status)) {
		say("signal", WTERMSIG(status));
		say("core", !!WCOREDUMP(status));
	}
}

static void do_watch(void)
{
	char *argv[64] = {(char *)(uintptr_t)self};
	int n = 1, status;
	pid_t child;

	while (*words && n < 63)
		argv[n++] = *words++;
	child = fork();
	if (!child) {
		execv(self, argv);
		_exit(127);
	}
	waitpid(child, &status, 0);
	say_status(status);
}

static void do_fork(void)
{
	int n = next_number(), status;
	pid_t child = fork();

	if (!child) {
		if (n == 1)
			inquest_note("a child's own act");
		if (n == 2)
			*nowhere = 1;
		_exit(n);
	}
	waitpid(child, &status, 0);
	say_status(status);
}

static void do_vfork(void)
{
	static const char text[] = "the vfork child speaks\n";
	int status;
	pid_t child = vfork();

	if (!child) {
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_IGN);
		if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
			_exit(8);
		execl("/nonexistent", "nonexistent", NULL);
		_exit(7);
	}
	waitpid(child, &status, 0);
	say_status(status);
}

static void do_spawn(void)
{
	char *argv[] = {(char *)(uintptr_t) "true", NULL};
	pid_t child;
	int status;

	say("posix_spawnp", posix_spawnp(&child, "true", NULL, NULL, argv, environ));
	waitpid(child, &status, 0);
	say_status(status);
	say("system", system("exit 5"));
}

/* A script of the shell, as the next word; waited for. */
static void do_run(void)
{
	char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", *words++, NULL};
	pid_t child;
	int status;

	posix_spawnp(&child, "sh", NULL, NULL, argv, environ);
	waitpid(child, &status, 0);
	say_status(status);
}

/* A forked worker that gets this signal; asked for twice, as Python and torch do. */
static void do_worker(void)
{
	int sig = next_number();
	siginfo_t info = {.si_pid = 0};
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	kill(child, sig);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	say("worker's signal", info.si_status);
	wait(NULL);
}

static void do_exec(void)
{
	char *argv[64] = {(char *)(uintptr_t)self};
	int n = 1;

	while (*words && n < 63)
		argv[n++] = *words++;
	execvp(self, argv);
}

static void do_execl(void)
{
	execl(self, self, "say", "41", "exit", "5", (char *)NULL);
}

static void do_execle(void)
{
	char *env[] = {(char *)(uintptr_t) "DEEDS=1", NULL};

	execle("/usr/bin/env", "env", (char *)NULL, env);
}

static void do_closefrom(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

static pthread_barrier_t together;

static void *note_and_meet(void *arg)
{
	char text[32];

	snprintf(text, sizeof(text), "thread %d", (int)(intptr_t)arg);
	inquest_note(text);
	pthread_barrier_wait(&together);
	inquest_step(1);
	pthread_barrier_wait(&together);
	return NULL;
}

static void do_threads(void)
{
	int n = next_number();
	pthread_t *thread = calloc((size_t)n, sizeof(*thread));

	pthread_barrier_init(&together, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, note_and_meet, (void *)(intptr_t)i))
			_exit(8);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	say("threads", n);
}

static void do_say(void)
{
	say("said", next_number());
}
static void do_note(void)
{
	inquest_note("a note");
}
static void do_span(void)
{
	inquest_span_begin(INQUEST_COMPILE, "compiling", "graph 7");
}
static void do_step(void)
{
	inquest_step((uint64_t)next_number());
}

static void do_stay(void)
{
	say("ready", getpid());
	for (;;)
		pause();
}

static const struct {
	const char *word;
	void (*fn)(void);
} deed[] = {
	{"catch", do_catch},
	{"catch-restart", do_catch_restart},
	{"catch-once", do_catch_once},
	{"catch-nodefer", do_catch_nodefer},
	{"signal", do_signal},
	{"sysv-signal", do_sysv_signal},
	{"ignore", do_ignore},
	{"default", do_default},
	{"raise", do_raise},
	{"kill", do_kill},
	{"interrupt", do_interrupt},
	{"last-words", do_last_words},
	{"survive", do_survive},
	{"ask", do_ask},
	{"ask-wrongly", do_ask_wrongly},
	{"sigignore", do_sigignore},
	{"read", do_read},
	{"segv", do_segv},
	{"abort", do_abort},
	{"exit", do_exit},
	{"_exit", do__exit},
	{"quick_exit", do_quick_exit},
	{"trap", do_trap},
	{"overflow", do_overflow},
	{"watchdog", do_watchdog},
	{"complain", do_complain},
	{"watch", do_watch},
	{"run", do_run},
	{"worker", do_worker},
	{"fork", do_fork},
	{"vfork", do_vfork},
	{"spawn", do_spawn},
	{"exec", do_exec},
	{"execl", do_execl},
	{"execle", do_execle},
	{"closefrom", do_closefrom},
	{"threads", do_threads},
	{"say", do_say},
	{"note", do_note},
	{"span", do_span},
	{"step", do_step},
	{"stay", do_stay},
};

int main(int argc, char **argv)
{
	struct rlimit core = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};

	(void)argc;
	setrlimit(RLIMIT_CORE, &core);
	self = argv[0];
	words = argv + 1;
	while (*words) {
		const char *word = *words++;
		size_t i = 0;

		while (i < sizeof(deed) / sizeof(*deed) && strcmp(deed[i].word, word))
			i++;
		if (i == sizeof(deed) / sizeof(*deed))
			return 2;
		deed[i].fn();
	}
	return 0;
}
