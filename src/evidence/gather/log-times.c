/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/log-times.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BEGIN_MOST 32 /* bytes of marks before a time */
#define LINE_MOST  64 /* bytes of a line that are looked at */

/* Returns a time as seconds; 0 where it is no possible one. tm_mon counts from 0. */
static int64_t seconds_of(struct tm *parts)
{
	bool is_date = parts->tm_mon >= 0 && parts->tm_mon < 12 && parts->tm_mday > 0 &&
		       parts->tm_mday <= 31 && parts->tm_hour < 24 && parts->tm_min < 60 &&
		       parts->tm_sec <= 60;

	return is_date ? (int64_t)timegm(parts) : 0;
}

/* Reads "2026-11-22T10:43:51", also with a blank between; 0 where it is none. */
static int64_t full_at(const char *at)
{
	struct tm parts = {0};

	if (sscanf(at, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon,
		    &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6 ||
		parts.tm_year < 2000)
		return 0;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	return seconds_of(&parts);
}

/*
 * Reads "W1122 10:43:51", as glog and its kin write it, and "W321 10:43:51", as c10 does in March;
 * 0 where it is none.
 */
static int64_t glog_at(const char *at, int year)
{
	struct tm parts = {.tm_year = year - 1900};
	size_t digits = strspn(at + 1, "0123456789");

	if (!strchr("DIWEFVC", *at) || (digits != 4 && digits != 3) ||
		sscanf(at + 1, digits == 3 ? "%1d%2d %2d:%2d:%2d" : "%2d%2d %2d:%2d:%2d",
			&parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min,
			&parts.tm_sec) != 5)
		return 0;
	parts.tm_mon--;
	return seconds_of(&parts);
}

/* Returns the first time in the first bytes of a line. */
static struct log_time time_of(const char *text, int year)
{
	size_t len = strcspn(text, "\n");
	char line[LINE_MOST + 1] = {0};

	memcpy(line, text, len < LINE_MOST ? len : LINE_MOST);
	for (int i = 0; i < BEGIN_MOST && line[i]; i++) {
		int64_t at = 0;

		if (i && isalnum((unsigned char)line[i - 1]))
			continue;
		if (isdigit((unsigned char)line[i])) {
			at = full_at(line + i);
			if (at)
				return (struct log_time){at, LOG_TIME_FULL, false};
		} else if (isdigit((unsigned char)line[i + 1])) {
			at = glog_at(line + i, year);
			if (at)
				return (struct log_time){at, LOG_TIME_GLOG, strchr("EF", line[i])};
		}
	}
	return (struct log_time){0};
}

struct log_time log_times_first(const char *text, int year)
{
	return time_of(text + strspn(text, "\r\n"), year);
}

struct log_time log_times_last(const char *text, int year)
{
	struct log_time last = {0};

	/* A first line whose begin is cut off has no time. */
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const struct log_time time = time_of(text, year);

		last = time.at ? time : last;
	}
	return last;
}
