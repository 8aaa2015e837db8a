/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which Python packages the ranks of this host may import, for the receipt. Their folders may lie
 * on storage that does not answer, so a helper reads them (evidence/gather/packages.h): soon after
 * the launch, when imports begin, and ever more seldom later.
 */
#ifndef CMD_AGENT_PACKAGES_H
#define CMD_AGENT_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "proc/helper.h"

struct agent;

/* What is known of packages. */
struct agent_packages {
	struct str list; /* "NAME VERSION", a line each, sorted; "" not known */
	bool cut;	 /* true if it lacks what could not be read */
	size_t ranks;	 /* how many ranks were asked last */
	size_t most;	 /* how many the list is of */
	struct helper helper;
	int64_t due;   /* when the helper is sent next, CLOCK_MONOTONIC ns */
	int64_t pause; /* until the time after that, ns */
};

/*
 * Takes what the helper has found, or sends it where that is due and a rank lives. Waits a quarter
 * of a second at most, for the rest of an answer and for the helper's end.
 */
void agent_packages_turn(struct agent *agent, int64_t now);

/* Ends the helper, and frees the list. */
void agent_packages_release(struct agent_packages *packages);

#endif
