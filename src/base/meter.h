/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_METER_H
#define BASE_METER_H

/*
 * How much memory a stranger's files may make us take. A reader that is about to take some, by what
 * stands in a file, asks first; if it is refused, it leaves that out, says so, and goes on.
 *
 *	struct meter meter = {.most = 6ull << 30};
 *	if (!meter_admits(&meter, bytes, METER_READING))
 *		... a loss
 *
 * Asking costs nothing as long as all that was asked for together fits, be it that some was never
 * touched, or was freed again. Only where it does not, /proc is asked what is really held.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meter {
	uint64_t most;	/* bytes; 0: no bound */
	uint64_t held;	/* when it was last looked at */
	uint64_t since; /* asked for since then; by a worker last of all */
	uint64_t taken; /* of that by workers last of all: it may be taken only now */
	struct meter *of; /* a worker's: the one that all of them ask; else NULL */
	pthread_mutex_t lock; /* of the three numbers, where workers ask */
};

/*
 * What memory is taken for. Each use may fill the budget only up to its share, so that there is
 * room for what has to come after it.
 */
enum meter_for {
	METER_READING,	/* exhibits as they are: a half */
	METER_DECODING, /* and what they tell: three quarters */
};

/*
 * True if so many bytes more may be taken; always for NULL. What was admitted before counts as
 * taken by now, or as never to be taken.
 */
bool meter_admits(struct meter *meter, uint64_t bytes, enum meter_for what);

/*
 * Makes a meter for one of several threads (base/crew.h), with the bound of the given one, which
 * they share: what one thread was admitted counts while others look at what is held. NULL gives one
 * without a bound. meter_join() it when its thread takes no more.
 */
struct meter meter_of_worker(struct meter *meter);
void meter_join(struct meter *worker) __attribute__((nonnull));

/* The words for a loss that a meter's refusal causes. Static text. */
#define METER_REFUSED "it needs more memory than --max-memory allows"

/* Returns what this process holds in memory now, in bytes; 0 where /proc does not tell. */
uint64_t meter_held(void);

/*
 * Returns a quarter of the memory of this machine, or of the control group that we run in if that
 * has less; in bytes.
 */
uint64_t meter_quarter(void);

/*
 * Reads a size: "512M", "4G", "1.5G", or a number of bytes. Returns false if it is no such size, or
 * 0.
 */
bool meter_parse(const char *text, uint64_t *ret) __attribute__((nonnull));

#endif
