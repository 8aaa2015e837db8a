/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a question's answer: a bundle in the output folder from each host. */
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
 * True if that host has its part of our job there. A host that is over, or dead, has left its last
 * bundle.
 */
bool agent_parts_answered(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now);

/*
 * Reads all parts; runs in a gatherer process. `agent` is a struct agent. A part that cannot be
 * read is missing, and so is one of another job. At the job's end the gatherer judges once, too, to
 * learn how long that takes.
 */
void agent_parts_read(const void *agent, struct evidence *into);

/* Returns how many things exceeded --max-memory. */
size_t agent_parts_refused(const struct evidence *evidence);

/* Writes the files of all hosts into the log, as arguments for `inquest diagnose`. */
void agent_parts_point(const struct agent *agent);

#endif
