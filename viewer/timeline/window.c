/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans are uint64_t: the difference of any two int64_t fits. What is added to a time is known to
 * stay below its upper end, or is capped first; then arithmetic modulo 2^64 gives the true time.
 */
#include "viewer/timeline/window.h"

uint64_t window_between(int64_t a, int64_t b)
{
	return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

uint64_t window_span(struct window window)
{
	return window_between(window.from, window.to);
}

int64_t window_earlier(int64_t when, uint64_t by)
{
	return by > window_between(INT64_MIN, when) ? INT64_MIN : (int64_t)((uint64_t)when - by);
}

int64_t window_later(int64_t when, uint64_t by)
{
	return by > window_between(when, INT64_MAX) ? INT64_MAX : (int64_t)((uint64_t)when + by);
}

int64_t window_at(struct window window, int width, int column)
{
	uint64_t span = window_span(window), columns = width > 0 ? (uint64_t)width : 1, at;

	if (column <= 0)
		return window.from;
	at = (uint64_t)column < columns ? (uint64_t)column : columns;
	/* In two parts: span times column may be more than 64 bits. */
	at = span / columns * at + span % columns * at / columns;
	return (int64_t)((uint64_t)window.from + at);
}

int window_column(struct window window, int width, int64_t when)
{
	uint64_t span = window_span(window);
	int column;

	if (when < window.from)
		return -1;
	if (when >= window.to)
		return width;
	column = (int)((long double)window_between(window.from, when) * width / (long double)span);
	if (column >= width)
		column = width - 1;
	while (column > 0 && window_at(window, width, column) > when)
		column--;
	while (column + 1 < width && window_at(window, width, column + 1) <= when)
		column++;
	return column;
}

struct window window_within(struct window bounds, int64_t from, uint64_t span)
{
	if (span >= window_span(bounds))
		return bounds;
	if (!span)
		span = 1;
	if (from < bounds.from)
		from = bounds.from;
	if (from > bounds.to || window_between(from, bounds.to) < span)
		from = window_earlier(bounds.to, span);
	return (struct window){from, window_later(from, span)};
}

struct window window_zoom(struct window window, struct window bounds, int64_t about, unsigned num,
	unsigned den, uint64_t least)
{
	uint64_t old = window_span(window), span, left;

	if (old > UINT64_MAX / num)
		span = old / den * num;
	else
		span = old * num / den;
	if (num > den && span <= old)
		span = old < UINT64_MAX ? old + 1 : old;
	if (span < least)
		span = least;
	if (about < window.from)
		about = window.from;
	if (about > window.to)
		about = window.to;
	left = (uint64_t)((long double)window_between(window.from, about) * (long double)span /
			  (long double)(old ? old : 1));
	return window_within(bounds, window_earlier(about, left), span);
}

struct window window_centre(struct window window, struct window bounds, int64_t when)
{
	uint64_t span = window_span(window);

	return window_within(bounds, window_earlier(when, span / 2), span);
}

struct window window_show(struct window window, struct window bounds, int64_t when)
{
	uint64_t span = window_span(window);

	if (when < window.from)
		return window_within(bounds, when, span);
	if (when >= window.to) /* its column is the last one */
		return window_within(bounds, window_earlier(when, span - 1), span);
	return window;
}
