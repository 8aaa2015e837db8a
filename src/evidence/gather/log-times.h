/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_TIMES_H
#define EVIDENCE_LOG_TIMES_H

/*
 * When lines of a log were written, by their own marks: "2026-11-22 10:43:51", "[W1122 10:43:51".
 * These have no zone, and may have no year: they tell how far two lines of one job's files lie
 * apart, and nothing else.
 */

#include <stdbool.h>
#include <stdint.h>

/*
 * The form of a time. Times of two forms may be of two zones, or years, and so say nothing about
 * each other.
 */
enum log_time_form { LOG_TIME_NONE, LOG_TIME_FULL, LOG_TIME_GLOG };

struct log_time {
	int64_t at; /* seconds since 1970, as if in UTC; 0 none */
	enum log_time_form form;
	bool error; /* true if its line tells of an error */
};

/*
 * Returns the time of a text's very first line, which alone tells when it begins (a later line may
 * be much later); and that of the last line that has one. `year` is that of lines that name none.
 */
struct log_time log_times_first(const char *text, int year) __attribute__((nonnull));
struct log_time log_times_last(const char *text, int year) __attribute__((nonnull));

#endif
