/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_ADD_H
#define EVIDENCE_LIVE_ADD_H

/*
 * The exhibits with which every gathering from the machine begins, with or without a job's folder.
 */

#include "evidence/format/exhibit.h"
#include "evidence/gather/live.h"
#include "evidence/gather/live-proc.h"
#include "evidence/gather/liveness.h"

/* The name of this host, or "localhost". */
void live_host(char *host, size_t size) __attribute__((nonnull));

/*
 * T0: all clocks at one moment; whose job it is. folders: those of the job, nr of them; it may have
 * none.
 */
void live_add_clocks(struct evidence *into, const char *host, uid_t owner,
	const char *const *folders, size_t nr) __attribute__((nonnull(1, 2)));

/* Notes what the options ask to leave out of a gathering. */
void live_leave_out(struct evidence *into, const char *host, const struct live_options *options)
	__attribute__((nonnull));

/* True if a process is there. */
void live_add_liveness(struct evidence *into, const char *host,
	const struct live_process *process, const struct liveness *liveness)
	__attribute__((nonnull));

/* Looks whether it is there, adds the answer as an exhibit, and returns it. */
void live_take_liveness(
	struct evidence *into, const char *host, const struct live_process *process)
	__attribute__((nonnull));

#endif
