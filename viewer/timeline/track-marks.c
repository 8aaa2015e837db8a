/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that are marks in a row and no records of the rank's own: the processes that it started,
 * as the kernel tells their births, and lines that it wrote, where they say when. A time without a
 * zone is none: it may be an hour off, and then it would stand where the line was not written.
 */
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "job/compiles.h"
#include "viewer/timeline/track-make.h"

/* -- times in lines ---------------------------------------------------------------------------- */

/* Returns so many digits as a number; below 0: there are others. */
static int digits(const char *at, int n)
{
	int number = 0;

	for (int i = 0; i < n; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -1;
		number = number * 10 + at[i] - '0';
	}
	return number;
}

/*
 * Returns the days from 1970 to that one of the Gregorian calendar; from March on a year is
 * regular.
 */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2), m = month + (month <= 2 ? 9 : -3);

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* Reads "11:29:57" with ".123" or ",123": ns since midnight, below 0: none; *at moves behind it. */
static int64_t read_clock(const char **at)
{
	int hour = digits(*at, 2), minute, second;
	int64_t ns = 0, unit = CLOCK_NS_PER_S;

	if (hour < 0 || hour > 23 || (*at)[2] != ':')
		return -1;
	minute = digits(*at + 3, 2);
	if (minute < 0 || minute > 59 || (*at)[5] != ':')
		return -1;
	second = digits(*at + 6, 2);
	if (second < 0 || second > 60)
		return -1;
	*at += 8;
	if (**at == '.' || **at == ',')
		for (++*at; **at >= '0' && **at <= '9' && unit > 1; ++*at) {
			unit /= 10;
			ns += unit * (**at - '0');
		}
	return ((int64_t)hour * 3600 + minute * 60 + second) * CLOCK_NS_PER_S + ns;
}

/* Reads "Z", "UTC", "+02:00", "-0530": seconds east; false: no zone. */
static bool read_zone(const char *at, int *ret)
{
	int hours, minutes;

	at += *at == ' ';
	*ret = 0;
	if (*at == 'Z' || !strncmp(at, "UTC", 3))
		return true;
	if (*at != '+' && *at != '-')
		return false;
	hours = digits(at + 1, 2);
	if (hours < 0 || hours > 14)
		return false;
	minutes = digits(at + 3 + (at[3] == ':'), 2);
	if (minutes < 0 || minutes > 59)
		return false;
	*ret = (hours * 3600 + minutes * 60) * (*at == '-' ? -1 : 1);
	return true;
}

/*
 * Reads "2026-11-23T11:29:57.123Z" at that place; JOB_UNKNOWN: none, or of nobody knows which zone.
 */
static int64_t read_date(const char *at)
{
	int year = digits(at, 4), month, day, zone;
	int64_t clock;

	if (year < 1970 || year > 2200 || at[4] != '-')
		return JOB_UNKNOWN;
	month = digits(at + 5, 2);
	if (month < 1 || month > 12 || at[7] != '-')
		return JOB_UNKNOWN;
	day = digits(at + 8, 2);
	if (day < 1 || day > 31 || (at[10] != 'T' && at[10] != ' '))
		return JOB_UNKNOWN;
	at += 11;
	clock = read_clock(&at);
	if (clock < 0 || !read_zone(at, &zone))
		return JOB_UNKNOWN;
	return (days_of(year, month, day) * 86400 - zone) * CLOCK_NS_PER_S + clock;
}

int64_t track_time_of_line(const char *line)
{
	for (const char *at = line; *at; at++) {
		int64_t when = at == line || at[-1] < '0' || at[-1] > '9' ? read_date(at)
									  : JOB_UNKNOWN;

		if (when != JOB_UNKNOWN)
			return when;
	}
	return JOB_UNKNOWN;
}

/* -- which events are marks -------------------------------------------------------------------- */

/* True for a graph that was compiled before, and is again: "graph 0/1". */
static bool is_recompile(const struct job_span *span)
{
	const char *id = compiles_graph_id(span);
	const char *again = id ? strchr(id, '/') : NULL;

	return again && again[1] >= '1' && again[1] <= '9';
}

/* True if another process sent the signal: not what its own code ran into. */
static bool is_kill(const struct job_signal *signal)
{
	switch (signal->signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS:
		return signal->sender && !signal->from_self;
	default:
		return !signal->from_self && !signal->abort_call;
	}
}

enum track_mark track_mark_of(const struct track_event *event)
{
	switch (event->kind) {
	case TRACK_ENTER:
		return TRACK_MARK_ENTERED;
	case TRACK_FORK:
		return TRACK_MARK_FORK;
	case TRACK_STEP:
		return TRACK_MARK_STEP;
	case TRACK_LOG:
		return TRACK_MARK_LOG;
	case TRACK_BEGIN:
		return is_recompile(event->fact) ? TRACK_MARK_RECOMPILE : TRACK_MARKS;
	case TRACK_SIGNAL:
		return is_kill(event->fact) ? TRACK_MARK_KILL : TRACK_MARKS;
	case TRACK_EXCEPTION:
		return TRACK_MARK_EXCEPTION;
	default:
		return TRACK_MARKS;
	}
}
