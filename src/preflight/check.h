/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_CHECK_H
#define PREFLIGHT_CHECK_H

/*
 * One check, as it runs in its own process: it is given the wish and where to say what it saw, and
 * may hang or die.
 */

#include "preflight/preflight.h"

/* Where a check's lines go: through a pipe, or, without one, to a list. */
struct check_sink {
	int out; /* a helper's descriptor; -1: into the list */
	struct preflight *list;
};

/* The work of a check. */
typedef void check_work(
	const struct preflight_wish *wish, const void *arg, struct check_sink *sink);

/* Says one line. `from` is what it was seen in; `fix` may be NULL. */
void check_say(struct check_sink *sink, enum preflight_grade grade, const char *from,
	const char *fix, const char *format, ...)
	__attribute__((nonnull(1, 3, 5), format(printf, 5, 6)));

/* Says what is well, or merely worth knowing, and is told where all is asked for. */
void check_say_detail(struct check_sink *sink, const char *from, const char *format, ...)
	__attribute__((nonnull, format(printf, 3, 4)));

/* The checks. Arguments: a path's is a struct preflight_path, the others' NULL. */
extern check_work check_gpus, check_host, check_nics, check_runtime, check_caches, check_storage,
	check_kernel_log, check_bandwidth;

#endif
