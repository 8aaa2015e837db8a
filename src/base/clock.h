/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/*
 * Time in nanoseconds, and how durations read. Only src/evidence and src/cmd may ask what time
 * it is: diagnosis is a pure function of exhibits.
 */

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NS_PER_US 1000LL
#define CLOCK_NS_PER_MS 1000000LL
#define CLOCK_NS_PER_S	1000000000LL

/*
 * Returns the time since 1970; it jumps when the clock is set. Never fails. For times that others
 * will read.
 */
int64_t clock_realtime_ns(void);
/*
 * Returns the time since some start; it stands still in suspend and never goes back. For how long
 * something took.
 */
int64_t clock_monotonic_ns(void);
/* Returns the time since boot, suspend included: the clock of start times in /proc/PID/stat. */
int64_t clock_boottime_ns(void);
/* Returns the CPU time of this process and of the children that it has waited for. */
int64_t clock_cpu_ns(void);

/*
 * Returns how many ms there are until `then` (of the monotonic clock), rounded up, as poll() takes
 * them; 0 if it is past.
 */
int clock_ms_until(int64_t then);

/* Room for what clock_format() writes, NUL included. */
#define CLOCK_TEXT_SIZE 24

/*
 * Writes a duration as people read it, and returns text:
 *	below 10 ms "3.4 ms", below 1 s "340 ms", below a minute "41.2 s" (whole seconds "41 s"),
 *	below an hour "11:08", from there "1:02:03". Negative ones get a "-".
 * Digits are cut, not rounded: a wait of 59.99 s is not yet a minute.
 */
const char *clock_format(int64_t ns, char text[static CLOCK_TEXT_SIZE]);

/*
 * Reads a duration as people type it into seconds: "30", "0.5", "30s", "5m", "1h". False if it is
 * none, or not from `least` to `most` seconds.
 */
bool clock_read_seconds(const char *text, double least, double most, double *ret);

#endif
