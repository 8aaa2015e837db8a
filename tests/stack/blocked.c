/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocked WORD...: a process with one thread per word, each named by its word and blocked in the
 * way that the word says, for ever. Prints "ready" when all are on their way there.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int pipe_ends[2];
static pthread_barrier_t all_there;

/* Nothing is tail-called, and nothing is inlined: each is a frame. */
#define FRAME __attribute__((noinline))
#define KEEP(x) __asm__ volatile("" : "+r"(x))

FRAME static long wait_futex(void)
{
	long r;

	pthread_mutex_lock(&lock);
	r = pthread_cond_wait(&never, &lock);
	KEEP(r);
	return r;
}

FRAME static long wait_poll(void)
{
	long r = poll(NULL, 0, -1);

	KEEP(r);
	return r;
}

FRAME static long wait_read(void)
{
	char byte;
	long r = read(pipe_ends[0], &byte, 1);

	KEEP(r);
	return r;
}

FRAME static long wait_nanosleep(void)
{
	struct timespec long_time = {100000, 0};
	long r = nanosleep(&long_time, NULL);

	KEEP(r);
	return r;
}

FRAME static long wait_epoll(void)
{
	int epoll = epoll_create1(0);
	struct epoll_event event;
	long r;

	do /* whoever stops a thread in it for a moment ends the wait */
		r = epoll_wait(epoll, &event, 1, -1);
	while (r < 0 && errno == EINTR);
	KEEP(r);
	return r;
}

FRAME static long wait_deep(long n)
{
	long r = n ? wait_deep(n - 1) : wait_poll();

	KEEP(r);
	return r + 1;
}

/* A system call in a function that saves no register. */
FRAME static long wait_raw(void)
{
	register long timeout __asm__("rdx") = -1;
	long r = SYS_poll;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(0), "S"(0), "r"(timeout)
			 : "rcx", "r11", "memory");
	KEEP(r);
	return r;
}

/* A frame of unknown size: its CFA needs the frame pointer, which nobody further in has saved. */
FRAME static long wait_vla(long n)
{
	volatile char *room;
	long r;

	KEEP(n);
	room = __builtin_alloca((size_t)n * 16 + 16);
	room[n] = 1;
	r = wait_raw();
	KEEP(r);
	return r + room[n];
}

static void handler(int signo)
{
	(void)signo;
	wait_poll();
}

FRAME static long wait_signal(int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	long r;

	sigaltstack(&stack, NULL);
	sigaction(flags ? SIGUSR1 : SIGUSR2, &action, NULL);
	r = pthread_kill(pthread_self(), flags ? SIGUSR1 : SIGUSR2);
	KEEP(r);
	return r;
}

/*
 * Code without unwind information, as a JIT makes it: with a frame pointer
 *	push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret
 * and without
 *	sub $0x28,%rsp; call *%rdi; add $0x28,%rsp; ret
 */
static const unsigned char framed[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static const unsigned char bare[] = {
	0x48, 0x83, 0xec, 0x28, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x28, 0xc3};

FRAME static long wait_jit(const unsigned char *code, size_t len)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*call)(long (*)(void));
	long r;

	if (page == MAP_FAILED)
		abort();
	memcpy(page, code, len);
	memcpy(&call, &page, sizeof(call));
	r = call(wait_poll);
	KEEP(r);
	return r;
}

/* Among 20,000 maps, half of them such as code has. */
FRAME static long wait_maps(void)
{
	size_t page = 4096, n = 20000;
	char *pages = mmap(NULL, n * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	long r;

	for (size_t i = 0; pages != MAP_FAILED && i < n; i += 2)
		mprotect(pages + i * page, page, PROT_READ | PROT_WRITE);
	r = wait_poll();
	KEEP(r);
	return r;
}

/* Stands in the vDSO nearly all the time. */
FRAME static long spin_vdso(void)
{
	struct timespec now;
	long r;

	for (;;) {
		r = clock_gettime(CLOCK_MONOTONIC, &now);
		KEEP(r);
	}
	return r;
}

/* A stack pointer that is none. */
FRAME static long wait_nowhere(void)
{
	long r = SYS_pause;

	__asm__ volatile("mov $0x1230, %%rsp\n\tsyscall" : "+a"(r) : : "rcx", "r11", "memory");
	KEEP(r);
	return r;
}

/* A call to an address that is no code, whose signal handler waits. */
FRAME static long wait_bad_call(void)
{
	struct sigaction action = {.sa_handler = handler};
	void *nothing = (void *)8;
	long (*call)(void);
	long r;

	sigaction(SIGSEGV, &action, NULL);
	memcpy(&call, &nothing, sizeof(call));
	r = call();
	KEEP(r);
	return r;
}

FRAME static long wait_as(const char *word)
{
	long r = 0;

	if (!strcmp(word, "futex"))
		r = wait_futex();
	else if (!strcmp(word, "poll"))
		r = wait_poll();
	else if (!strcmp(word, "read"))
		r = wait_read();
	else if (!strcmp(word, "nanosleep"))
		r = wait_nanosleep();
	else if (!strcmp(word, "epoll"))
		r = wait_epoll();
	else if (!strcmp(word, "deep"))
		r = wait_deep(60);
	else if (!strcmp(word, "deeper"))
		r = wait_deep(2000);
	else if (!strcmp(word, "raw"))
		r = wait_raw();
	else if (!strcmp(word, "vla"))
		r = wait_vla(7);
	else if (!strcmp(word, "signal"))
		r = wait_signal(0);
	else if (!strcmp(word, "altstack"))
		r = wait_signal(SA_ONSTACK);
	else if (!strcmp(word, "jit-framed"))
		r = wait_jit(framed, sizeof(framed));
	else if (!strcmp(word, "jit-bare"))
		r = wait_jit(bare, sizeof(bare));
	else if (!strcmp(word, "maps"))
		r = wait_maps();
	else if (!strcmp(word, "vdso"))
		r = spin_vdso();
	else if (!strcmp(word, "nowhere"))
		r = wait_nowhere();
	else if (!strcmp(word, "bad-call"))
		r = wait_bad_call();
	else
		abort();
	KEEP(r);
	return r;
}

static void *thread(void *arg)
{
	prctl(PR_SET_NAME, arg);
	pthread_barrier_wait(&all_there);
	wait_as(arg);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* Yama lets only ancestors look, else */
	if (pipe(pipe_ends) < 0 || pthread_barrier_init(&all_there, NULL, (unsigned)argc))
		return 1;
	for (int i = 1; i < argc; i++)
		if (pthread_create(&id, NULL, thread, argv[i]))
			return 1;
	pthread_barrier_wait(&all_there);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
