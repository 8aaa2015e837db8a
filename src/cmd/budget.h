/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_BUDGET_H
#define CMD_BUDGET_H

/*
 * --max-memory: how much memory a verb may use for other people's files.
 *
 *	struct budget budget;			the input of budget_argp, which fills it
 *
 *	budget_watch(&budget);
 *	evidence.meter = &budget.meter;
 *	... read, decode, judge
 *	budget_unwatch(&budget);
 *
 * Reading and decoding ask the meter, and leave out what does not fit. The rest is in proportion to
 * what they took; the watch is for the case that it is not: it ends the program with a line and
 * CMD_UNREADABLE, before the machine has to. A verb that has a terminal says so, and gets it back
 * before that (viewer/term/guard.h), as at any other exit.
 *
 * The watch also ends who reads from storage that does not answer (a server that is gone, a file
 * system of a stranger's own making): budget_reads() tells what is read.
 */

#include <argp.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/crew.h"
#include "base/meter.h"

/* A thread that reads. */
struct budget_reader {
	const char *path; /* what budget_reads() told; NULL: nobody */
	pthread_t thread;
	clockid_t clock; /* its processor time */
};

struct budget {
	struct meter meter;
	pthread_t thread;
	pthread_mutex_t lock; /* of the next three */
	pthread_cond_t changed;
	struct budget_reader readers[CREW_MOST];
	bool over;
	bool on_terminal; /* set it before budget_watch() */
	struct budget_end *end; /* what is to be said at exit, which lives until then; or NULL */
	bool watched;
};

/* The option, a child of the verbs' parsers; its input is a struct budget. */
extern const struct argp budget_argp;

/* Does not watch where no thread can be started. */
void budget_watch(struct budget *budget) __attribute__((nonnull));
void budget_unwatch(struct budget *budget) __attribute__((nonnull));

/*
 * The calling thread is about to read `path`, borrowed until it tells something else; NULL: it
 * reads no more, which each thread of a crew says before it ends. Where it then takes no processor
 * time for half a minute, the watch ends the program with a line that names the path, and
 * CMD_UNREADABLE. Nothing without a budget, or a watch.
 */
void budget_reads(struct budget *budget, const char *path);

#endif
