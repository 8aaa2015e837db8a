/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_ADD_H
#define EVIDENCE_LIVE_ADD_H

/*
 * The exhibits that every gathering from the machine begins with, be there a folder of the job or
 * not.
 */

#include "evidence/format/exhibit.h"
#include "evidence/gather/live/live-proc.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/liveness.h"

/* Writes the name of this host, or "localhost". */
void live_host(char *host, size_t size) __attribute__((nonnull));

/*
 * Adds T0: all clocks at one moment, and whose job it is. `folders` are the `nr` folders of the
 * job; it may have none.
 */
void live_add_clocks(struct evidence *into, const char *host, uid_t owner,
	const char *const *folders, size_t nr) __attribute__((nonnull(1, 2)));

/* Notes as gaps what the options ask to leave out of a gathering. */
void live_leave_out(struct evidence *into, const char *host, const struct live_options *options)
	__attribute__((nonnull));

/* Adds as an exhibit whether a process is there. */
void live_add_liveness(struct evidence *into, const char *host,
	const struct live_process *process, const struct liveness *liveness)
	__attribute__((nonnull));

/* Looks whether the process is there, and adds that as an exhibit. */
void live_take_liveness(
	struct evidence *into, const char *host, const struct live_process *process)
	__attribute__((nonnull));

#endif
