/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_TIMES_H
#define EVIDENCE_LOG_TIMES_H

/*
 * When lines of a log were written, by their own marks: "2026-11-22 10:43:51", "[W1122 10:43:51".
 * These have no zone, and may have no year: they tell how far two lines of one job's files lie
 * apart, and nothing else.
 */

#include <stdint.h>

/*
 * In seconds the times of the first line of a text that has one, of its first few, and of its last;
 * 0 none has a date and a time. `year`: of lines that name none.
 */
int64_t log_times_first(const char *text, int year) __attribute__((nonnull));
int64_t log_times_last(const char *text, int year) __attribute__((nonnull));

#endif
