/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ls-past.h: runs of which there is no job folder any more, or none on this machine, by the
 * receipts that they left where bundles are kept (cmd/receipts.h).
 */
#ifndef CMD_LS_PAST_H
#define CMD_LS_PAST_H

#include "cmd/receipts.h"
#include "evidence/agent/jobs.h"

struct json_object;

/* Fills an empty one with those that are not among these jobs, the newest first; says nothing. */
void ls_past_find(struct receipts *past, const struct jobs *jobs);

/* The ranks that it had, as its cell in the table. */
void ls_past_ranks(struct str *into, const struct receipt *receipt);

/* How many steps the rank has made that came the furthest; JOB_UNKNOWN. */
int64_t ls_past_steps(const struct receipt *receipt);

/* It as an object of the list in JSON; the caller owns it. */
struct json_object *ls_past_object(const struct receipt *receipt);

#endif
