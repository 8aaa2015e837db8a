/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-parts.h: the parts of a question's answer: a bundle in the output folder from each host.
 */
#ifndef CMD_AGENT_PARTS_H
#define CMD_AGENT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/format/exhibit.h"

struct agent;
struct agent_rally;
struct rally_other;

/*
 * True if that host has its part there, of our job; who is over, or dead, has left the bundle that
 * he had.
 */
bool agent_parts_answered(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now);

/*
 * Reads all, in a gatherer; `agent` is a struct agent. What cannot be read is missing, and so is
 * what was left by somebody of another job. At the end it is judged there, too: what took too long
 * would be judged by nobody who has the time.
 */
void agent_parts_read(const void *agent, struct evidence *into);

/* How many things were more than --max-memory allows. */
size_t agent_parts_refused(const struct evidence *evidence);

/* Says the files of all hosts, as one would give them to diagnose. */
void agent_parts_point(const struct agent *agent);

#endif
