/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_LOG_PLAIN_H
#define DECODE_LOG_PLAIN_H

/*
 * Takes from the lines of a log what terminals, containers and collectors put around them, so that
 * each line is what its process wrote:
 *
 *	escapes of terminals, "\033[31m"; ends of lines of Windows; what was drawn over, "10%\r20%"
 *	docker's files		{"log":"words\n","stream":"stderr","time":"2026-11-22T10:43:51Z"}
 *	Kubernetes' files	2026-11-22T10:43:51Z stderr F words
 *	kubectl logs --prefix	[pod/trainer-0/main] words
 *	docker compose		trainer-1  | words
 *	syslog, journalctl	Nov 22 10:43:51 m1 python[4711]: words
 *	pdsh			m1: [rank3]: words
 *	tqdm			 20%|## | 2/10 [00:02<00:08, 1.03it/s][rank3]: words
 *
 * A time that such a line begins with stays before the words, and log_plain_stamp() finds it.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Adds one line, which ends behind `len` bytes, without all that. Returns the hash of the pod, the
 * container or the host that stood before it; 0 none.
 */
uint64_t log_plain_line(struct str *into, const char *line, size_t len) __attribute__((nonnull));

/*
 * Adds what a terminal would show of a line: no escapes, no blanks at its end, and of what was
 * drawn over itself the last. At most about `most` bytes.
 */
void log_plain_shown(struct str *into, const char *line, size_t len, size_t most)
	__attribute__((nonnull));

/*
 * Returns the length of a time with its zone that a line begins with, "2026-11-22T10:43:51.19Z ",
 * and the one blank behind it; 0 where there is none.
 */
size_t log_plain_stamp(const char *line) __attribute__((nonnull));

#endif
