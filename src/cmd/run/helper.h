/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helper.h: evidence that another process gathers, since that may take long, and ours has signals
 * to pass on. It sees what we saw when it began, and ends with us.
 */
#ifndef CMD_HELPER_H
#define CMD_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "evidence/format/exhibit.h"

/* {0}: none is at work. */
struct helper {
	pid_t pid;     /* 0: none */
	int fd;	       /* of what it leaves */
	int64_t begun; /* CLOCK_MONOTONIC ns */
	int64_t cost;  /* processor time of the last one that was fetched, ns */
};

/* Begins one, which calls gather(what, ...) and leaves that. False: it cannot be had now. */
bool helper_begin(struct helper *helper, void (*gather)(const void *what, struct evidence *into),
	const void *what);

/* True if it is done, or was ended for taking a minute: then what it left is added to *into. */
bool helper_fetch(struct helper *helper, struct evidence *into);

/* Ends it, if there is one. */
void helper_end(struct helper *helper);

#endif
