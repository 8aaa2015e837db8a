/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/budget.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/cmd.h"

#define LOOK_NS (20 * CLOCK_NS_PER_MS) /* in which memory grows by 100 MB at most */

/* Options without a short form: beyond all letters, and those of the verbs and the viewer. */
enum { MAX_MEMORY = 1024 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct budget *budget = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*budget = (struct budget){.meter.most = meter_quarter()};
		return 0;
	case MAX_MEMORY:
		if (!meter_parse(arg, &budget->meter.most))
			argp_error(state, "no size: %s: say 512M or 4G", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"max-memory", MAX_MEMORY, "SIZE", 0,
		"Memory to take at most (default a quarter of the machine's); what needs more is "
		"left out",
		0},
	{0},
};

const struct argp budget_argp = {.options = options, .parser = parse};

struct budget_end {
	uint64_t most; /* that was not enough; 0: it was */
};

static void say(uint64_t most)
{
	cmd_complain("this needs more memory than the %.0f MiB that it may take: name fewer files, "
		     "or raise it by --max-memory",
		(double)most / (1 << 20));
}

/* Asked for before the terminal was taken, this comes after it was given back. */
static void say_at_exit(int status, void *context)
{
	const struct budget_end *end = context;

	(void)status;
	if (end->most)
		say(end->most);
}

static void __attribute__((noreturn)) give_up(struct budget *budget)
{
	if (budget->end) {
		budget->end->most = budget->meter.most;
		exit(CMD_UNREADABLE);
	}
	say(budget->meter.most);
	_exit(CMD_UNREADABLE);
}

static void *watch(void *context)
{
	struct budget *budget = context;
	bool over = false;

	while (!over) {
		struct timespec until;
		int64_t when;

		if (meter_held() > budget->meter.most)
			give_up(budget);
		clock_gettime(CLOCK_REALTIME, &until);
		when = until.tv_nsec + LOOK_NS;
		until.tv_sec += when / CLOCK_NS_PER_S;
		until.tv_nsec = when % CLOCK_NS_PER_S;
		pthread_mutex_lock(&budget->lock);
		if (!budget->over)
			pthread_cond_timedwait(&budget->changed, &budget->lock, &until);
		over = budget->over;
		pthread_mutex_unlock(&budget->lock);
	}
	return NULL;
}

/* Signals are for the thread that does the work. */
void budget_watch(struct budget *budget)
{
	sigset_t all, before;

	if (budget->on_terminal && !budget->end) {
		budget->end = alloc_zeroed(1, sizeof(*budget->end));
		on_exit(say_at_exit, budget->end);
	}
	if (meter_held() > budget->meter.most)
		give_up(budget);
	pthread_mutex_init(&budget->lock, NULL);
	pthread_cond_init(&budget->changed, NULL);
	budget->over = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	budget->watched = !pthread_create(&budget->thread, NULL, watch, budget);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void budget_unwatch(struct budget *budget)
{
	if (!budget->watched)
		return;
	pthread_mutex_lock(&budget->lock);
	budget->over = true;
	pthread_cond_signal(&budget->changed);
	pthread_mutex_unlock(&budget->lock);
	pthread_join(budget->thread, NULL);
	pthread_mutex_destroy(&budget->lock);
	pthread_cond_destroy(&budget->changed);
	budget->watched = false;
}
