/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank of mpilike.c that calls MPI inside of a call of MPI, in each way that leaves the outer one
 * under way: from frames below it, near and far, and from a handler of signals whose own stack lies
 * above or below the thread's. At last a handler jumps out of it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpilike.h"

#define STACK (1 << 20)

static double data[8], into[8];
static char *area; /* a handler's stack, the thread's, another handler's */
static sigjmp_buf back;

static void reduce(void)
{
	MPI_Allreduce(data, into, 8, DOUBLE, SUM, WORLD);
}

__attribute__((noinline)) static void reduce_far(void)
{
	volatile char room[100000];

	memset((char *)room, 1, sizeof(room));
	reduce();
	room[0] = 0;
}

static void on_signal(int signo)
{
	reduce();
}

static void on_signal_jump(int signo)
{
	siglongjmp(back, 1);
}

static void signalled(void)
{
	raise(SIGUSR1);
}

static void handle_on(char *stack, void (*handler)(int))
{
	const stack_t there = {.ss_sp = stack, .ss_size = STACK};
	const struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&there, NULL);
	sigaction(SIGUSR1, &act, NULL);
}

static void barrier(void (*inside)(void))
{
	mpilike_inside = inside;
	MPI_Barrier(WORLD);
	mpilike_inside = NULL;
}

static void *live(void *arg)
{
	barrier(reduce);
	barrier(reduce_far);
	handle_on(area, on_signal);
	barrier(signalled);
	handle_on(area + 2 * STACK, on_signal);
	barrier(signalled);
	handle_on(area + 2 * STACK, on_signal_jump);
	if (!sigsetjmp(back, 1))
		barrier(signalled);
	mpilike_inside = NULL;
	reduce();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;
	int provided;

	area = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return 1;
	MPI_Init_thread(&argc, &argv, 3, &provided);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, area + STACK, STACK);
	if (pthread_create(&thread, &attr, live, NULL) || pthread_join(thread, NULL))
		return 1;
	MPI_Finalize();
	return 0;
}
