/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_SERVE_H
#define EVIDENCE_SERVE_H

/*
 * Stacks by proxy. Where the kernel lets only ancestors look into a process (Yama 1), `inquest
 * attach` may not, but the job's agent may, since the probe admits it. So the agent listens on a
 * socket in the job's folder, which nobody but the job's user and root can reach, and takes stacks
 * for them.
 *
 *	request: one line, "inquest-stacks/1 MODE SAMPLES PAUSE_MS\n", of plain numbers; before its
 *		 end " raw" asks for whole copies, then " mute" for nothing that errors say
 *	answer:	 a bundle of the stacks (evidence/format/bundle.h), then the end
 *
 * A request names no process: it gets those of the job. One helper at a time answers, so that
 * neither a slow reader nor an unreadable process keeps the agent from its work; a helper that
 * takes too long is killed.
 */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "evidence/format/folder.h"
#include "evidence/gather/stacks-gather.h"
#include "proc/helper.h"

#define SERVE_FILE "stacks.sock"

/* The agent's end of it. */
struct serve {
	int fd; /* the listening socket; -1: there is none */
	struct helper helper; /* the helper that answers now, if any */
};

/* Listens in this folder. Does nothing where that is impossible, since no job needs it to run. */
void serve_open(struct serve *serve, const char *folder) __attribute__((nonnull));

/*
 * Takes the next request, if there is one and no helper is busy. Ends a helper that takes too long.
 * Never blocks.
 */
void serve_turn(struct serve *serve, const char *folder) __attribute__((nonnull));

/* Stops listening and ends the helper. The socket's file is removed with the folder. */
void serve_close(struct serve *serve) __attribute__((nonnull));

/*
 * Asks the agent of the job in this folder, and adds its answer to `into`. Returns 0, or negative
 * with words where no agent listens or answers in time.
 */
int serve_ask(const struct folder *folder, const struct stacks_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

#endif
