/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-apart.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/str.h"
#include "decode/exhibits/joblog-ends.h"
#include "decode/exhibits/joblog-lines.h"
#include "evidence/gather/log-times.h"

/* No clock on a wall is further from UTC, ns. */
#define ZONE (14 * 3600 * CLOCK_NS_PER_S)
/* A file's clock may be so far behind its writer's, ns. */
#define SLACK (60 * CLOCK_NS_PER_S)
/* Archives without times give files one of 1970 or 1980. */
#define NO_DATE (946684800 * CLOCK_NS_PER_S)
/* The end of a long log may have been cut out of it: so long after its begin, ns. */
#define CUT_OUT (12 * 3600 * CLOCK_NS_PER_S)

#define EARLIER "it was written too early, and is of an earlier run or attempt"

/* What the lines of a log tell. */
struct span {
	int64_t near; /* the time of the run that is judged, ns */
	int year;     /* the year of that */
	int64_t first, last; /* times as if in UTC, ns; JOB_UNKNOWN none */
	bool begun; /* its very first line has a time */
	bool dated_end; /* some line that tells of an end has a time */
	bool over; /* so, or there is a time, and no line after that tells of an end */
	bool no_zone; /* in which these times are is not known */
	struct joblog_report report;
	bool ends; /* some line tells of an end, or of an error that may have led to one */
};

/* Returns a line's time as if in UTC, ns; JOB_UNKNOWN. One without a year is of the nearest one. */
static int64_t time_of(const char *line, const struct span *span)
{
	int64_t nearest = JOB_UNKNOWN;

	for (int year = span->year - 1; year <= span->year + 1; year++) {
		const struct log_time time = log_times_first(line, year);
		int64_t at = checked_mul(time.at, CLOCK_NS_PER_S);

		if (time.at && (nearest == JOB_UNKNOWN || llabs(checked_sub(at, span->near)) <
						llabs(checked_sub(nearest, span->near))))
			nearest = at;
	}
	return nearest;
}

static void take_line(void *with, const char *line, int64_t number)
{
	struct span *span = with;
	struct joblog_end ends_at[JOBLOG_ENDS];
	struct joblog_watch watch;
	int64_t at = time_of(line, span);
	bool ends = joblog_ends_read(line, &span->report, ends_at) > 0 || joblog_ends_all(line) ||
		    joblog_lines_watchdog(line, &watch) || strstr(line, "Traceback (most recent");

	span->ends |= ends;
	span->dated_end |= ends && at != JOB_UNKNOWN;
	span->over = at != JOB_UNKNOWN || span->dated_end || (span->over && !ends);
	span->begun |= at != JOB_UNKNOWN && number == 1;
	if (at != JOB_UNKNOWN) {
		span->first = span->first == JOB_UNKNOWN || at < span->first ? at : span->first;
		span->last = span->last == JOB_UNKNOWN || at > span->last ? at : span->last;
	}
}

/* Returns the year of that moment. */
static int year_of(int64_t when)
{
	time_t seconds = (time_t)(when / CLOCK_NS_PER_S);
	struct tm parts;

	return gmtime_r(&seconds, &parts) ? parts.tm_year + 1900 : 2000;
}

/* Returns the time that an error file tells, its seconds since 1970, ns; JOB_UNKNOWN none. */
static int64_t time_of_error(const char *text)
{
	static const char key[] = "\"timestamp\":";
	const char *at = strstr(text, key);
	long long seconds;

	if (!at)
		return JOB_UNKNOWN;
	at += strlen(key);
	at += strspn(at, " \"");
	seconds = strtoll(at, NULL, 10);
	return seconds > 0 ? checked_mul(seconds, CLOCK_NS_PER_S) : JOB_UNKNOWN;
}

static struct span span_of(const struct texts *texts, const struct exhibit *exhibit)
{
	struct span span = {.first = JOB_UNKNOWN,
		.last = JOB_UNKNOWN,
		.report = {.rank = -1, .local_rank = -1},
		.near = texts->seen_to,
		.year = year_of(texts->seen_to)};

	span.no_zone = exhibit->kind == EXHIBIT_JOB_LOG;
	if (span.no_zone) {
		texts_each_line(texts_of(texts, exhibit), take_line, &span);
		return span;
	}
	span.ends = span.begun = span.over = true;
	span.first = span.last = time_of_error(texts_of(texts, exhibit));
	return span;
}

/*
 * True if it is known when the file was written. Whoever packs, copies or unpacks files may give
 * them another time, of another zone or none at all: then some were written before what they hold.
 */
static bool is_dated(
	const struct texts *texts, const struct exhibit *exhibit, const struct span *span)
{
	if (exhibit->when < NO_DATE || texts->misdated)
		return false;
	return span->last == JOB_UNKNOWN ||
	       exhibit->when >= checked_sub(span->last, SLACK + ZONE);
}

/* True if its file was written before any rank can have ended. */
static bool is_older(
	const struct texts *texts, const struct exhibit *exhibit, const struct span *span)
{
	return is_dated(texts, exhibit, span) &&
	       exhibit->when < texts->seen_from;
}

/* Returns how far its times may be from UTC, ns. */
static int64_t zone_of(const struct span *span)
{
	return span->no_zone ? ZONE : SLACK;
}

/* True if its lines were, as far as they have times. */
static bool is_earlier(const struct texts *texts, const struct span *span)
{
	return span->last != JOB_UNKNOWN &&
	       span->last < checked_sub(texts->seen_from, zone_of(span));
}

/* True if these begin so long after that moment that they are of another run. */
static bool begins_after(const struct span *span, int64_t moment)
{
	return span->first != JOB_UNKNOWN &&
	       checked_sub(span->first, zone_of(span) + CUT_OUT) > moment;
}

/*
 * True if dumps were written so late that a log may be the end of this run's, whose begin somebody
 * has cut off: their last operations may have stood for days.
 */
static bool may_be_end(const struct texts *texts, const struct span *span)
{
	return texts->dumps_written != JOB_UNKNOWN &&
	       (texts->misdated || !begins_after(span, texts->dumps_written));
}

/*
 * True if no time tells of which run a log is that lies beside dumps: that its file is young may be
 * because it was copied.
 */
static bool is_undated(const struct texts *texts, const struct span *span)
{
	return texts->dumps_written != JOB_UNKNOWN && span->last == JOB_UNKNOWN;
}

/* Returns how much of that is in doubt, if its lines are earlier or later than the run. */
static enum texts_doubt doubt_of(
	const struct texts *texts, const struct span *span, bool earlier, bool later)
{
	if ((earlier && !span->over) || (later && (!span->begun || may_be_end(texts, span))))
		return TEXTS_DOUBTFUL;
	return is_undated(texts, span) ? TEXTS_UNDATED : TEXTS_SURE;
}

const char *joblog_apart(
	const struct texts *texts, const struct exhibit *exhibit, enum texts_doubt *ret_doubt)
{
	bool earlier, later;
	struct span span;

	*ret_doubt = TEXTS_SURE;
	if (texts->seen_from == JOB_UNKNOWN)
		return NULL;
	span = span_of(texts, exhibit);
	if (!span.ends)
		return NULL;
	if (is_older(texts, exhibit, &span))
		return EARLIER;
	earlier = is_earlier(texts, &span);
	later = begins_after(&span, texts->seen_to);
	*ret_doubt = doubt_of(texts, &span, earlier, later);
	if (*ret_doubt != TEXTS_SURE)
		return NULL;
	return earlier ? EARLIER : later ? "it begins too late, and is of a later run" : NULL;
}
