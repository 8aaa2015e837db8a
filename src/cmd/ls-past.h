/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of which there is no job folder any more, or none on this machine: known by the receipts
 * that they left where bundles are kept (cmd/receipts.h).
 */
#ifndef CMD_LS_PAST_H
#define CMD_LS_PAST_H

#include "cmd/receipts.h"
#include "evidence/agent/jobs.h"

struct json_object;

/*
 * Fills an empty list with the runs that are not among these jobs, the newest first. Says nothing
 * on stderr.
 */
void ls_past_find(struct receipts *past, const struct jobs *jobs);

/* Appends the ranks that the run had, as its cell in the table. */
void ls_past_ranks(struct str *into, const struct receipt *receipt);

/* Returns how many steps the rank has made that came the furthest; JOB_UNKNOWN. */
int64_t ls_past_steps(const struct receipt *receipt);

/* Makes the run an object of the list in JSON. The caller owns it. */
struct json_object *ls_past_object(const struct receipt *receipt);

#endif
