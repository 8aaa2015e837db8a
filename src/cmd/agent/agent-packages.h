/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-packages.h: which Python packages the ranks of this host may import, for the receipt. Their
 * folders may lie on storage that does not answer: a helper reads them
 * (evidence/gather/packages.h), soon after the launch, when imports begin, and ever more seldom
 * later.
 */
#ifndef CMD_AGENT_PACKAGES_H
#define CMD_AGENT_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "proc/helper.h"

struct agent;

struct agent_packages {
	struct str list; /* "NAME VERSION", a line each, sorted; "" not known */
	bool cut;	 /* it lacks what could not be read */
	size_t ranks;	 /* that were asked last, */
	size_t most;	 /* and of which the list is */
	struct helper helper;
	int64_t due;   /* CLOCK_MONOTONIC ns */
	int64_t pause; /* until the next time */
};

/*
 * Takes what the helper has found, or sends it where it is due and a rank lives. Waits a quarter of
 * a second at most, for the rest of an answer and for the helper's end.
 */
void agent_packages_turn(struct agent *agent, int64_t now);

/* Ends the helper, and frees the list. */
void agent_packages_release(struct agent_packages *packages);

#endif
