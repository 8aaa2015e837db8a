/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatal_bench LABEL: how long a fault takes from its instruction to the program's own handler,
 * which runs when the probe has written the death and its traceback; and how often it allocates
 * meanwhile. Run bare, and under the probe as a rank. The first fault finds everything cold.
 */
#include <nccl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "bench/figure.h"

#define FRAMES 60
#define FAULTS 15 /* of a program that goes on with them only the first 16 get a traceback each */

static sigjmp_buf back;
static volatile int *volatile nowhere = (volatile int *)16;
static volatile int zero;
static volatile double began;
static double took[FAULTS];
static volatile int counting, allocations;
static int faults;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations += counting;
	return __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	allocations += counting;
	return __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	allocations += counting;
	return __libc_realloc(old, size);
}

static void on_fault(int sig)
{
	took[faults++] = figure_now_ns() - began;
	counting = 0;
	siglongjmp(back, sig);
}

__attribute__((noinline)) static int fault_below(int frames)
{
	if (frames)
		return fault_below(frames - 1) + zero;
	counting = 1;
	began = figure_now_ns();
	*nowhere = 1;
	return zero;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_fault, .sa_flags = SA_NODEFER | SA_ONSTACK};
	const char *label = argc > 1 ? argv[1] : "bare";
	char name[80];
	ncclUniqueId id;
	ncclComm_t comm;
	double cold, bar = strcmp(label, "bare") ? 300 : 0;

	if (ncclGetUniqueId(&id) || ncclCommInitRank(&comm, 1, id, 0))
		return 1;
	sigemptyset(&act.sa_mask);
	sigaction(SIGSEGV, &act, NULL);
	while (faults < FAULTS)
		if (!sigsetjmp(back, 1))
			fault_below(FRAMES);
	cold = took[0];
	snprintf(name, sizeof(name), "fault to handler, %s, the first", label);
	figure_print(&(struct figure){name, cold / 1e3, "us", 0, bar, FIGURE_AT_MOST});
	figure_print(&(struct figure){"  later ones", figure_median(took + 1, FAULTS - 1) / 1e3,
		"us", 0, bar, FIGURE_AT_MOST});
	figure_print(&(struct figure){
		"  allocations in all of them", allocations, "calls", 0, 0.5, FIGURE_AT_MOST});
	return 0;
}
