/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_SOURCES_H
#define DECODE_JOBLOG_SOURCES_H

/*
 * Who has written each line of a log, as a collector says that took it from several: the pod of
 * "[pod/trainer-1/main] words", the host of "Nov 22 10:43:51 m1 python[4711]: words". Two agents of
 * torchrun's may write alike of ranks of their own.
 */

#include <stdint.h>

#include "base/array.h"

/* Zero it first. */
struct joblog_sources {
	ARRAY(uint64_t) lines; /* hashes of names, 0 none, up to the last line that has one */
};

/* Takes all lines of a text, which are not yet plain. */
void joblog_sources_take(struct joblog_sources *sources, const char *text)
	__attribute__((nonnull));

/* Returns who has written a line, which are counted from 0; 0 not told. */
uint64_t joblog_sources_of(const struct joblog_sources *sources, size_t line)
	__attribute__((nonnull));

void joblog_sources_release(struct joblog_sources *sources) __attribute__((nonnull));

#endif
