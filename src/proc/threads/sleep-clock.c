/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/sleep-clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"

#define SLEEP_CLOCK_TEXT    4096 /* bytes of a sched file */
#define SLEEP_CLOCK_STACK   (128u << 10) /* bytes of our thread's stack */
#define SLEEP_CLOCK_WAIT_NS (20 * CLOCK_NS_PER_MS) /* how long we wait for it */
#define SLEEP_CLOCK_MOST    4096 /* processors, at most */

/* What one processor's clock showed when it was asked; 0: it could not be. */
struct sleep_clock_face {
	uint32_t processor;
	uint64_t ns;
};

struct sleep_clock {
	ARRAY(struct sleep_clock_face) faces;
	bool given_up; /* a processor did not let us run: no more of them are asked */
};

/*
 * Returns the ns of a line "se.exec_start   :   123.456789", which is in ms; 0 if there is no such
 * line.
 */
static uint64_t exec_start(const char *sched)
{
	const char *line = strstr(sched, "\nse.exec_start");
	uint64_t ms, ns;

	line = line ? strchr(line + 1, ':') : NULL;
	if (!line || sscanf(line + 1, "%" SCNu64 ".%6" SCNu64, &ms, &ns) != 2 ||
		ms > UINT64_MAX / CLOCK_NS_PER_MS - 1)
		return 0;
	return ms * CLOCK_NS_PER_MS + ns;
}

/* -- a thread of our own that runs there ------------------------------------------------------- */

/*
 * Shared by the thread that asks and the one that runs on the processor. Whichever leaves last
 * frees it.
 */
struct sleep_clock_visit {
	uint32_t processor;
	uint64_t ns;
	sem_t done;
	atomic_int holders;
};

static void visit_leave(struct sleep_clock_visit *visit)
{
	if (atomic_fetch_sub(&visit->holders, 1) != 1)
		return;
	sem_destroy(&visit->done);
	free(visit);
}

/*
 * Reads the clock; runs on that processor. Our own last charge is from when we came here, or later,
 * so that it is never ahead of the clock.
 */
static void *visit_read(void *arg)
{
	struct sleep_clock_visit *visit = arg;
	char text[SLEEP_CLOCK_TEXT];
	int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	if (sched_getcpu() == (int)visit->processor)
		visit->ns = exec_start(text);
	sem_post(&visit->done);
	visit_leave(visit);
	return NULL;
}

/* Starts a thread on the processor. Returns false if that is not possible. */
static bool visit_start(struct sleep_clock_visit *visit)
{
	cpu_set_t *only = CPU_ALLOC(SLEEP_CLOCK_MOST);
	size_t size = CPU_ALLOC_SIZE(SLEEP_CLOCK_MOST);
	pthread_attr_t attr;
	pthread_t thread;
	bool started = false;

	if (!only)
		return false;
	CPU_ZERO_S(size, only);
	CPU_SET_S(visit->processor, size, only);
	if (pthread_attr_init(&attr) == 0) {
		started = pthread_attr_setstacksize(&attr, SLEEP_CLOCK_STACK) == 0 &&
			  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
			  pthread_attr_setaffinity_np(&attr, size, only) == 0 &&
			  pthread_create(&thread, &attr, visit_read, visit) == 0;
		pthread_attr_destroy(&attr);
	}
	CPU_FREE(only);
	return started;
}

/* Waits for that thread. True if it came back in time. */
static bool visit_await(struct sleep_clock_visit *visit)
{
	struct timespec until;
	int64_t ns = clock_realtime_ns() + SLEEP_CLOCK_WAIT_NS;
	int error;

	until = (struct timespec){ns / CLOCK_NS_PER_S, ns % CLOCK_NS_PER_S};
	do
		error = sem_timedwait(&visit->done, &until);
	while (error < 0 && errno == EINTR);
	return !error;
}

/* Returns what the clock of a processor shows; 0 if it cannot be asked. */
static uint64_t sleep_clock_ask(struct sleep_clock *clock, uint32_t processor)
{
	struct sleep_clock_visit *visit = alloc_zeroed(1, sizeof(*visit));
	uint64_t ns = 0;

	visit->processor = processor;
	visit->holders = 2;
	sem_init(&visit->done, 0, 0);
	if (!visit_start(visit))
		visit->holders = 1; /* nobody else came to hold it */
	else if (visit_await(visit))
		ns = visit->ns;
	else
		clock->given_up = true;
	visit_leave(visit);
	return ns;
}

/* -- all of it --------------------------------------------------------------------------------- */

struct sleep_clock *sleep_clock_new(void)
{
	return alloc_zeroed(1, sizeof(struct sleep_clock));
}

/* Returns what that clock showed when it was asked first; 0 not known. */
static uint64_t sleep_clock_now(struct sleep_clock *clock, uint32_t processor)
{
	struct sleep_clock_face *face;

	array_for_each(&clock->faces, face)
		if (face->processor == processor)
			return face->ns;
	if (clock->given_up || processor >= SLEEP_CLOCK_MOST)
		return 0;
	face = array_add(&clock->faces);
	face->processor = processor;
	face->ns = sleep_clock_ask(clock, processor);
	return face->ns;
}

uint64_t sleep_clock_since(struct sleep_clock *clock, const char *sched, uint32_t processor)
{
	uint64_t ran = exec_start(sched), now = ran ? sleep_clock_now(clock, processor) : 0;

	return now > ran ? now - ran : 0;
}

void sleep_clock_free(struct sleep_clock *clock)
{
	if (clock)
		array_release(&clock->faces);
	free(clock);
}
