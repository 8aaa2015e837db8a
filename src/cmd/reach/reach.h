/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_REACH_H
#define CMD_REACH_REACH_H

/*
 * `inquest attach' over many nodes: which nodes, how they are reached, and their evidence joined.
 * An engine (ssh, kubectl, srun) is a row of the table in reach.c: an option, and a function that
 * gives the collector (cmd/reach/collect.h) its nodes, and its key where that follows from the
 * option.
 */

#include <argp.h>
#include <stdbool.h>

#include "base/complaint.h"
#include "cmd/bundle-groups.h"
#include "cmd/reach/collect.h"

/* The options; the input of reach_argp, which fills it. {0} at first. */
struct reach_wish {
	const char *hosts, *pods; /* lists of nodes; NULL: not wanted */
	const char *slurm;        /* a job or a step; "" what `job' names, else our own; NULL */
	const char *via;          /* NULL: as the engine has it */
	int deadline_ms;          /* 0: as the collector has it */
};

/* Their parser, a child of a verb's own. */
extern const struct argp reach_argp;

/* True if other nodes are asked for. */
bool reach_is_wanted(const struct reach_wish *wish) __attribute__((nonnull));

/* Returns CMD_FINE where the options go together, else CMD_USAGE after a complaint. */
int reach_may(const struct reach_wish *wish) __attribute__((nonnull));

/*
 * Asks all nodes once, for the job that `job' means here (an id, a name, a pid; NULL: whatever runs
 * there), and adds what they gave to groups, to be settled by the caller. How stacks and logs are
 * to be taken, and where bundles are kept, stands in `collect', which is {0} but for that. Returns
 * CMD_FINE where at least one had evidence; else another status after a complaint. Of each node
 * that lacks a line goes to stderr.
 */
int reach_collect(const struct reach_wish *wish, const char *job, struct collect *collect,
	struct bundle_groups *groups) __attribute__((nonnull(1, 3, 4)));

#endif
