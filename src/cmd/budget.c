/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/budget.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "cmd/cmd.h"

#define LOOK_NS (20 * CLOCK_NS_PER_MS) /* between two looks; memory grows by 100 MB at most in
				        * that time */
#define TOUCH_NS (LOOK_NS / 10) /* of processor time, in which 10 MB may have been touched */
/*
 * A thread that reads and takes no processor time for half a minute waits for good. The time is
 * counted in looks, not by a clock, which goes on while all of us are stopped.
 */
#define STALL_S	    30
#define STALL_LOOKS (STALL_S * CLOCK_NS_PER_S / LOOK_NS)

/*
 * Options without a short form, numbered beyond all letters, and beyond those of verbs and viewer.
 */
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

/* What is told at exit. */
struct budget_end {
	char *words; /* why the program ended; NULL: it was not ended */
};

/*
 * Tells at exit why the program was ended. It was registered before the terminal was taken, so it
 * runs after that was given back.
 */
static void say_at_exit(int status, void *context)
{
	const struct budget_end *end = context;

	(void)status;
	if (end->words)
		cmd_complain("%s", end->words);
}

/* Ends the program with these words. */
static void __attribute__((noreturn)) give_up(struct budget *budget, struct str *words)
{
	if (budget->end) {
		budget->end->words = str_detach(words);
		exit(CMD_UNREADABLE);
	}
	cmd_complain("%s", str_text(words));
	_exit(CMD_UNREADABLE);
}

/*
 * Ends the program where it holds too much. Who has taken no processor time since has touched no
 * memory: a viewer that nobody touches is not to ask /proc fifty times a second.
 */
static void look_at_memory(struct budget *budget)
{
	int64_t taken = clock_cpu_ns();
	struct str words = {0};

	if (taken - budget->looked < TOUCH_NS)
		return;
	budget->looked = taken;
	if (meter_held() <= budget->meter.most)
		return;
	str_printf(&words,
		"this needs more memory than the %.0f MiB that it may take: name fewer files, or "
		"raise it by --max-memory",
		(double)budget->meter.most / (1 << 20));
	give_up(budget, &words);
}

/* What a reader reads, and for how many looks it has got nowhere. */
struct stall {
	const char *path;
	int64_t taken; /* processor time so far, ns */
	int64_t looks;
};

/* Looks whether a reader gets on. Called with the lock held. */
static void look_at_reader(
	struct budget *budget, const struct budget_reader *reader, struct stall *stall)
{
	struct str words = {0};
	struct timespec taken;
	int64_t ns;

	if (!reader->path || clock_gettime(reader->clock, &taken)) {
		stall->path = NULL;
		return;
	}
	ns = taken.tv_sec * CLOCK_NS_PER_S + taken.tv_nsec;
	if (stall->path != reader->path || stall->taken != ns)
		*stall = (struct stall){reader->path, ns, 0};
	if (++stall->looks < STALL_LOOKS)
		return;
	str_printf(&words,
		"%s: nothing came for %d s: the storage that it lies on does not answer: leave it "
		"out, or look from where it can be read",
		reader->path, STALL_S);
	give_up(budget, &words);
}

/*
 * Returns the place of the calling thread, or a free one; NULL: there is none. Called with the lock
 * held.
 */
static struct budget_reader *find_reader(struct budget *budget)
{
	struct budget_reader *unused = NULL;

	for (size_t i = 0; i < CREW_MOST; i++) {
		struct budget_reader *reader = &budget->readers[i];

		if (reader->path && pthread_equal(reader->thread, pthread_self()))
			return reader;
		if (!reader->path)
			unused = reader;
	}
	return unused;
}

void budget_reads(struct budget *budget, const char *path)
{
	struct budget_reader *reader;

	if (!budget || !budget->watched)
		return;
	pthread_mutex_lock(&budget->lock);
	reader = find_reader(budget);
	if (reader) {
		*reader = (struct budget_reader){.path = path, .thread = pthread_self()};
		if (path && pthread_getcpuclockid(reader->thread, &reader->clock))
			reader->path = NULL;
	}
	pthread_mutex_unlock(&budget->lock);
}

/* Runs the watch, in its thread. */
static void *watch(void *context)
{
	struct budget *budget = context;
	struct stall stalls[CREW_MOST] = {0};
	bool over = false;

	while (!over) {
		struct timespec until;
		int64_t when;

		look_at_memory(budget);
		clock_gettime(CLOCK_REALTIME, &until);
		when = until.tv_nsec + LOOK_NS;
		until.tv_sec += when / CLOCK_NS_PER_S;
		until.tv_nsec = when % CLOCK_NS_PER_S;
		pthread_mutex_lock(&budget->lock);
		if (!budget->over)
			pthread_cond_timedwait(&budget->changed, &budget->lock, &until);
		for (size_t i = 0; i < CREW_MOST; i++)
			look_at_reader(budget, &budget->readers[i], &stalls[i]);
		over = budget->over;
		pthread_mutex_unlock(&budget->lock);
	}
	return NULL;
}

/* The watch blocks all signals: they are for the thread that does the work. */
void budget_watch(struct budget *budget)
{
	sigset_t all, before;

	if (budget->on_terminal && !budget->end) {
		budget->end = alloc_zeroed(1, sizeof(*budget->end));
		on_exit(say_at_exit, budget->end);
	}
	budget->looked = -TOUCH_NS; /* the first look is had in any case */
	look_at_memory(budget);
	pthread_mutex_init(&budget->lock, NULL);
	pthread_cond_init(&budget->changed, NULL);
	budget->over = false;
	memset(budget->readers, 0, sizeof(budget->readers));
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
