/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

/* One crew_each(): its work, and the next thing that nobody has taken. */
struct crew {
	crew_work *work;
	void *context;
	size_t n;
	atomic_size_t next;
};

struct crew_member {
	struct crew *crew;
	size_t worker;
	pthread_t thread;
};

static size_t count_processors(void)
{
	cpu_set_t ours;
	int n = sched_getaffinity(0, sizeof(ours), &ours) == 0 ? CPU_COUNT(&ours) : 1;

	return n < 1 ? 1 : n > CREW_MOST ? CREW_MOST : (size_t)n;
}

size_t crew_size(size_t n)
{
	size_t processors = count_processors();

	return n < processors ? n : processors;
}

/* Does things until none is left. Every worker runs it, the caller's thread too. */
static void *take_turns(void *of)
{
	const struct crew_member *member = of;
	struct crew *crew = member->crew;
	size_t i;

	while ((i = atomic_fetch_add(&crew->next, 1)) < crew->n)
		crew->work(crew->context, member->worker, i);
	return NULL;
}

/* Starts the other workers, with all signals blocked in them. Returns how many could be started. */
static size_t start(struct crew_member *others, size_t n, struct crew *crew)
{
	size_t started = 0;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; started < n; started++) {
		others[started] = (struct crew_member){.crew = crew, .worker = started + 1};
		if (pthread_create(
			    &others[started].thread, NULL, take_turns, &others[started]) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void crew_each(size_t workers, size_t n, crew_work *work, void *context)
{
	struct crew crew = {.work = work, .context = context, .n = n};
	struct crew_member self = {.crew = &crew}, others[CREW_MOST];
	size_t wanted = workers < n ? workers : n, started;

	wanted = wanted < CREW_MOST ? wanted : CREW_MOST;
	started = wanted > 1 ? start(others, wanted - 1, &crew) : 0;
	take_turns(&self);
	while (started)
		pthread_join(others[--started].thread, NULL);
}
