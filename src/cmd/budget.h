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
 * Reading and decoding ask the meter, and leave out what does not fit. All other memory is in
 * proportion to what they took. Should it not be, a watching thread ends the program with a line
 * and CMD_UNREADABLE, before the machine has to. A verb that has a terminal says so, and gets it
 * back before that (viewer/term/guard.h), as at any other exit.
 *
 * The watch also ends a program that reads from storage which does not answer (a server that is
 * gone, a file system of a stranger's own making): budget_reads() tells what is read.
 */

#include <argp.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/crew.h"
#include "base/meter.h"

/* A thread that reads. */
struct budget_reader {
	const char *path; /* as budget_reads() told; NULL: the place is free */
	pthread_t thread;
	clockid_t clock; /* the thread's processor time */
};

/* The limit, and the thread that watches it. */
struct budget {
	struct meter meter; /* how much there may be */
	pthread_t thread; /* watches */
	pthread_mutex_t lock; /* guards `readers` and `over` */
	pthread_cond_t changed;
	struct budget_reader readers[CREW_MOST];
	bool over; /* the watch is to end */
	bool on_terminal; /* the caller's, set before budget_watch(): the program has a terminal */
	struct budget_end *end; /* what is to be told at exit; it lives until then; NULL none */
	int64_t looked; /* processor time when memory was looked at last, ns */
	bool watched; /* the watch runs */
};

/* The option, a child of the verbs' parsers. Its input is a struct budget. */
extern const struct argp budget_argp;

/* Starts the watch. Without it, if no thread can be started, all else works. */
void budget_watch(struct budget *budget) __attribute__((nonnull));
/* Ends the watch. */
void budget_unwatch(struct budget *budget) __attribute__((nonnull));

/*
 * Tells that the calling thread is about to read `path`, which is borrowed until the thread tells
 * something else. NULL: it reads no more, which each thread of a crew says before it ends. If it
 * then takes no processor time for half a minute, the watch ends the program with a line that names
 * the path, and CMD_UNREADABLE. Does nothing without a budget, or a watch.
 */
void budget_reads(struct budget *budget, const char *path);

#endif
