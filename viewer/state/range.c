/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/state/range.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "viewer/timeline/window.h"
#include "words/rank-names.h"

#define WORDS_MOST 4 /* states that the status line names */

/* A state and how long it was. */
struct part {
	enum track_state state;
	uint64_t ns;
};

/* Adds how long the rank was in which state. */
static void add_spans(struct range *range, const struct track *track)
{
	const struct track_span *span = track_at(track, range->from), *end;

	if (!span)
		span = track->spans;
	for (end = track->spans + track->nspans; span < end && span->from < range->to; span++) {
		int64_t from = span->from > range->from ? span->from : range->from;
		int64_t to = span->to < range->to ? span->to : range->to;

		if (from < to)
			range->took[span->state] += window_between(from, to);
	}
}

/* Counts what happened. */
static void add_events(struct range *range, const struct track *track)
{
	ptrdiff_t at = range->from > INT64_MIN ? track_event_before(track, range->from - 1) : -1;

	for (at++; (size_t)at < track->nevents; at++) {
		const struct track_event *event = &track->events[at];

		if (event->when == JOB_UNKNOWN || event->when >= range->to)
			break;
		range->entered += event->kind == TRACK_ENTER;
		range->steps += event->kind == TRACK_STEP;
		range->odd += event->kind >= TRACK_EXCEPTION;
	}
}

struct range range_of(const struct track *track, int64_t a, int64_t b)
{
	struct range range = {.from = a < b ? a : b, .to = a < b ? b : a};
	uint64_t known = 0, all = window_between(range.from, range.to);

	add_spans(&range, track);
	add_events(&range, track);
	for (int i = 0; i < TRACK_STATES; i++)
		known += range.took[i];
	range.took[TRACK_NODATA] += all > known ? all - known : 0;
	return range;
}

/* -- In words --------------------------------------------------------------------------------- */

/* Orders by length, the longest first. */
static int compare_parts(const void *va, const void *vb)
{
	const struct part *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (int)a->state - (int)b->state;
}

/* Returns how many states it was in at all, and these, the longest first. */
static size_t sort_parts(const struct range *range, struct part parts[static TRACK_STATES])
{
	size_t n = 0;

	for (int i = 0; i < TRACK_STATES; i++)
		if (range->took[i])
			parts[n++] = (struct part){(enum track_state)i, range->took[i]};
	qsort(parts, n, sizeof(*parts), compare_parts);
	return n;
}

/* Returns a duration in words, which are in `text`. */
static const char *duration(uint64_t ns, char text[static CLOCK_TEXT_SIZE])
{
	return clock_format(ns > INT64_MAX ? INT64_MAX : (int64_t)ns, text);
}

/* Appends how many things happened, `before` the first of them. */
static void add_counts(struct str *into, const struct range *range, const char *before)
{
	if (range->entered)
		str_printf(into, "%s%zu op%s entered", before, range->entered,
			range->entered == 1 ? "" : "s");
	if (range->steps)
		str_printf(into, "%s%zu step%s", range->entered ? ", " : before, range->steps,
			range->steps == 1 ? "" : "s");
	if (range->odd)
		str_printf(into, "%s%zu odd event%s",
			range->entered || range->steps ? ", " : before, range->odd,
			range->odd == 1 ? "" : "s");
}

void range_add_words(struct str *into, const struct range *range)
{
	struct part parts[TRACK_STATES];
	size_t n = sort_parts(range, parts);
	char text[CLOCK_TEXT_SIZE];

	for (size_t i = 0; i < n && i < WORDS_MOST; i++)
		str_printf(into, "%s%s %s", i ? ", " : "", track_state_name(parts[i].state),
			duration(parts[i].ns, text));
	if (n > WORDS_MOST)
		str_printf(into, ", %zu more", n - WORDS_MOST);
	add_counts(into, range, "; ");
}

/* -- As a table ------------------------------------------------------------------------------- */

/* Appends a time to the millisecond; "?" where it is none. */
static void add_utc(struct str *into, int64_t when)
{
	time_t s = (time_t)(when / CLOCK_NS_PER_S);
	int64_t ms = when % CLOCK_NS_PER_S / CLOCK_NS_PER_MS;
	struct tm day;

	if (when < 0 || !gmtime_r(&s, &day)) {
		str_add(into, "?");
		return;
	}
	str_printf(into, "%04d-%02d-%02d %02d:%02d:%02d.%03d", day.tm_year + 1900, day.tm_mon + 1,
		day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec, (int)ms);
}

void range_add_table(struct str *into, const struct range *range, const struct track *track,
	const struct tracks *tracks)
{
	struct verdict_ranks rank = {&track->rank, 1};
	uint64_t all = window_between(range->from, range->to);
	struct part parts[TRACK_STATES];
	size_t n = sort_parts(range, parts);
	char text[CLOCK_TEXT_SIZE];

	str_add(into, "**");
	ranks_name(into, tracks->job, rank);
	str_add(into, "**, ");
	add_utc(into, range->from);
	str_add(into, " to ");
	add_utc(into, range->to);
	str_printf(
		into, " UTC (%s)\n\n| state | time | share |\n|--|--:|--:|\n", duration(all, text));
	for (size_t i = 0; i < n; i++)
		str_printf(into, "| %s | %s | %.1f %% |\n", track_state_name(parts[i].state),
			duration(parts[i].ns, text),
			all ? 100.0 * (double)parts[i].ns / (double)all : 0.0);
	add_counts(into, range, "\n");
	str_add(into, "\n");
}
