/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receipt that is kept of each run, JOB.HOST.receipt beside its bundles. It is written when the
 * job is launched, now and then while it runs, and at the end, when it gets its figures. A run
 * whose receipt has no end is one whose end nobody recorded.
 *
 * A saver writes it (cmd/run/saver.h), and nobody waits for it except at the end, for a second.
 */
#ifndef CMD_AGENT_RECEIPT_H
#define CMD_AGENT_RECEIPT_H

#include "cmd/agent/agent.h"

#define RECEIPT_SUFFIX ".receipt"

/* Takes the figures of this look for the next receipt. */
void agent_receipt_measure(struct agent *agent, const struct look *look);

/* Begins to write it if that is due, or its status is old, and nothing else is being written. */
void agent_receipt_turn(struct agent *agent, int64_t now);

/* Writes the last one, after all else was told and kept. */
void agent_receipt_end(struct agent *agent);

#endif
