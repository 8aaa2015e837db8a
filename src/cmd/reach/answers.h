/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_ANSWERS_H
#define CMD_REACH_ANSWERS_H

/* The answers of nodes, and what happened to those without one. */

#include "cmd/reach/collect.h"

/* Notes that a node is missing, and why. The first reason stands. */
void answer_lacks(struct collect_node *node, const char *format, ...)
	__attribute__((nonnull, format(printf, 2, 3)));

/*
 * Decides what a node's answer was, once no more of it comes. `late` tells that its deadline is
 * over; `status` is the launcher's wait status, -1 if we ended it.
 */
void answer_settle(struct collect_node *node, bool late, int status, int deadline_ms)
	__attribute__((nonnull));

/*
 * Adds all answers to `groups`, one part for each bundle, and one more that lists the nodes that
 * were asked. Keeps them as files if wanted. Returns how many nodes had evidence.
 */
size_t answers_take(struct collect *collect, struct bundle_groups *groups) __attribute__((nonnull));

#endif
