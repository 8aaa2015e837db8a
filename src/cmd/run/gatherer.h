/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gatherer.h: evidence that a helper gathers, since that may take long, and the agent has signals
 * to pass on. It sees what we saw when it began, and ends with us.
 */
#ifndef CMD_GATHERER_H
#define CMD_GATHERER_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/format/exhibit.h"
#include "proc/helper.h"

/* One helper. {0}: none is at work. */
struct gatherer {
	struct helper helper;
	int fd;	      /* of the file that it leaves, in memory: a bundle */
	int64_t cost; /* processor time of the last one that was fetched, ns */
};

/* Begins one, which calls gather(what, ...) and leaves that. False: it cannot be had now. */
bool gatherer_begin(struct gatherer *gatherer,
	void (*gather)(const void *what, struct evidence *into), const void *what);

/* True if it is done, or was ended for taking a minute: then what it left is added to *into. */
bool gatherer_fetch(struct gatherer *gatherer, struct evidence *into);

/* Ends the helper, if there is one. */
void gatherer_end(struct gatherer *gatherer);

#endif
