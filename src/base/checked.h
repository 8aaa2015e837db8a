/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

/*
 * Arithmetic on numbers that come from a stranger's bytes. A result that does not fit stays at the
 * end of the range and never wraps; no result is INT64_MIN, which is JOB_UNKNOWN and must not come
 * out of a sum by chance.
 *
 * Times are bounded once, where they are read: of two in checked_time()'s range the difference
 * fits, and so does such a difference added to a third. Code that computes with times of a job need
 * not think of it again.
 */

#include <stdint.h>

/* The latest time that is believed, in ns since 1970 or since boot: of the year 2116. */
#define CHECKED_TIME_MOST (INT64_MAX / 2)

static inline int64_t checked_end(int negative)
{
	return negative ? -INT64_MAX : INT64_MAX;
}

static inline int64_t checked_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum == INT64_MIN ? checked_end(a < 0) : sum;
}

static inline int64_t checked_sub(int64_t a, int64_t b)
{
	int64_t left;

	return __builtin_sub_overflow(a, b, &left) || left == INT64_MIN ? checked_end(a < 0) : left;
}

static inline int64_t checked_mul(int64_t a, int64_t b)
{
	int64_t all;

	return __builtin_mul_overflow(a, b, &all) || all == INT64_MIN
		       ? checked_end((a < 0) != (b < 0))
		       : all;
}

/* Returns a time as told, or `otherwise` if it is before 1970 or later than is believed. */
static inline int64_t checked_time(int64_t told, int64_t otherwise)
{
	return told >= 0 && told <= CHECKED_TIME_MOST ? told : otherwise;
}

/* Returns a count as told, as a signed number; INT64_MAX if it is larger. */
static inline int64_t checked_count(uint64_t told)
{
	return told < INT64_MAX ? (int64_t)told : INT64_MAX;
}

#endif
