/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_HISTORY_H
#define EVIDENCE_HISTORY_H

/*
 * The agent's samples of /proc over time: CPU, memory, state, children and bytes written of every
 * process that it watches, and the counters of their control groups. It is bounded: the last
 * HISTORY_SAMPLES of each process, the last HISTORY_PROCESSES processes (the dead are forgotten
 * first).
 *
 * It also keeps the command lines of watched processes' children, which tell workers apart; when
 * and how those children ended, as far as a process that is not their parent can know; and what the
 * launcher gave to each watched process (evidence/agent/worker-env.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"
#include "proc/read.h"

#define HISTORY_SAMPLES	  120 /* of one process */
#define HISTORY_PROCESSES 1024
#define HISTORY_WATCHED	  256 /* children whose end is watched for by a descriptor */

struct history;

/* Returns an empty history; the caller frees it by history_free(). */
struct history *history_new(void) __attribute__((returns_nonnull));

/*
 * Takes a sample of these `nr` processes, of their descendants, and of their control groups. The
 * caller does so about once a second. A child that has left the tree is followed on its own; an
 * ended process is kept.
 */
void history_sample(struct history *history, const struct proc_id *ids, size_t nr)
	__attribute__((nonnull(1)));

/*
 * Forgets processes that once were among the `ids` of history_sample() and are gone, with those of
 * their children that are gone, except those for which is_kept(whose, id) is true. In a job that
 * restarts for days nearly all samples are theirs.
 */
void history_let_go(struct history *history, bool (*is_kept)(const void *whose, struct proc_id id),
	const void *whose) __attribute__((nonnull(1, 2)));

/*
 * Returns the value of an environment variable that a launcher gave to a watched process, if ours
 * differs or is not set; NULL if there is none. Valid until the next sample.
 */
const char *history_variable(const struct history *history, const char *name)
	__attribute__((nonnull));

/* Appends the history as JSON, as inquest-bundle(5) has it, without a newline. */
void history_format(const struct history *history, struct str *into) __attribute__((nonnull));

/* Writes it into the job's folder. Returns 0, or -errno and says why. */
int history_write(const struct history *history, const char *folder, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* Frees the history with all samples; what was written into the folder stays. Takes NULL. */
void history_free(struct history *history);

#endif
