/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_COLLECT_WORDS_H
#define CMD_REACH_COLLECT_WORDS_H

/* Words of the collector: turns a template into an argv, and the awaited nodes into a line. */

#include "cmd/reach/collect.h"

/* A template taken apart. */
struct via_words {
	const char *node, *command; /* what %h and %c stand for; borrowed */
	char **argv;                /* NULL-ended; the caller's, each and all */
	bool has_command;           /* there was a %c; else "sh" is the last word */
};

/*
 * Takes a template apart, as collect_add_via() says. 0, or -1 with words. argv is set either way.
 */
int via_split(const char *via, struct via_words *words, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* The line on a terminal that is overwritten. {0} at first. */
struct progress {
	int64_t shown; /* when last; 0 never */
	int64_t begun;
};

/* Says which nodes are awaited, on a terminal, from half a second on. */
void progress_show(struct progress *progress, const struct collect *collect)
	__attribute__((nonnull));
/* Wipes that line, if it was written. */
void progress_end(struct progress *progress) __attribute__((nonnull));

#endif
