/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straightened time is the time itself from the fork on, and before it the fork less what is before
 * it divided by the scale. Going there and back may cost a part of a column, never an end: what
 * reaches the bounds there is at the bounds here.
 */
#include "viewer/timeline/axis.h"

/* -- Straightened time ------------------------------------------------------------------------ */

/* True if there are two scales. */
static bool is_broken(struct axis_break fork)
{
	return fork.scale != 1;
}

/* Returns it in whole ns, within bounds. */
static uint64_t whole(long double ns)
{
	return ns >= (long double)UINT64_MAX ? UINT64_MAX : ns > 0 ? (uint64_t)ns : 0;
}

/* Returns a time, straightened. */
static int64_t straighten(struct axis_break fork, int64_t when)
{
	if (!is_broken(fork) || when >= fork.at)
		return when;
	return window_earlier(
		fork.at, whole((long double)window_between(when, fork.at) / fork.scale));
}

/* Returns a straightened time as it is. */
static int64_t bend(struct axis_break fork, int64_t when)
{
	if (!is_broken(fork) || when >= fork.at)
		return when;
	return window_earlier(
		fork.at, whole((long double)window_between(when, fork.at) * fork.scale));
}

/* Returns a window, straightened; never empty. */
static struct window straight(struct axis_break fork, struct window window)
{
	struct window is = {straighten(fork, window.from), straighten(fork, window.to)};

	if (is.to <= is.from)
		is.from = window_earlier(is.to, 1);
	return is;
}

/* Returns a straightened window as it is, within the bounds. */
static struct window bent(struct axis_break fork, struct window window, struct window bounds)
{
	struct window all = straight(fork, bounds);
	struct window is = {window.from <= all.from ? bounds.from : bend(fork, window.from),
		window.to >= all.to ? bounds.to : bend(fork, window.to)};

	if (is.to <= is.from)
		return window_within(bounds, is.from, 1);
	return is;
}

struct window axis_zoom(struct axis_break fork, struct window window, struct window bounds,
	int64_t about, unsigned num, unsigned den, uint64_t least)
{
	struct window now = window_zoom(straight(fork, window), straight(fork, bounds),
		straighten(fork, about), num, den, least);

	now = bent(fork, now, bounds);
	if (is_broken(fork) && window_span(now) < least)
		return window_zoom(window, bounds, about, num, den, least);
	return now;
}

struct window axis_centre(
	struct axis_break fork, struct window window, struct window bounds, int64_t when)
{
	return bent(fork,
		window_centre(
			straight(fork, window), straight(fork, bounds), straighten(fork, when)),
		bounds);
}

struct window axis_show(
	struct axis_break fork, struct window window, struct window bounds, int64_t when)
{
	struct window now;

	if (when >= window.from && when < window.to)
		return window;
	now = bent(fork,
		window_show(
			straight(fork, window), straight(fork, bounds), straighten(fork, when)),
		bounds);
	/* Where the moment was lost in the rounding. */
	return window_show(now, bounds, when);
}

struct window axis_pan(
	struct axis_break fork, struct window window, struct window bounds, int num, unsigned den)
{
	struct window is = straight(fork, window);
	uint64_t span = window_span(is), by = span / den * (uint64_t)(num < 0 ? -num : num);
	int64_t from;

	if (!by)
		by = 1;
	from = num < 0 ? window_earlier(is.from, by) : window_later(is.from, by);
	return bent(fork, window_within(straight(fork, bounds), from, span), bounds);
}

/* -- Columns ---------------------------------------------------------------------------------- */

struct axis_break axis_break_for(struct window window, int64_t at)
{
	uint64_t before = window_between(window.from, at), behind = window_between(at, window.to);
	uint64_t all = window_span(window), third = all / 3;
	struct axis_break fork = {at, 1};

	if (!before || !behind || (before >= third && behind >= third))
		return fork;
	fork.scale = (long double)before * 3 / ((long double)behind * 2);
	return fork;
}

struct axis axis_of(struct window window, struct axis_break fork, int width)
{
	struct axis axis = {window, fork, width > 0 ? width : 1, -1};
	long double before, behind;

	if (!is_broken(fork) || fork.at <= window.from || fork.at >= window.to ||
		width < AXIS_LEAST)
		return axis;
	before = (long double)window_between(window.from, fork.at) / fork.scale;
	behind = (long double)window_between(fork.at, window.to);
	axis.split = (int)(before * (width - 1) / (before + behind) + 0.5L);
	if (axis.split < 1)
		axis.split = 1;
	if (axis.split > width - 2)
		axis.split = width - 2;
	return axis;
}

/* Returns the part of the window before the fork. */
static struct window before_fork(const struct axis *axis)
{
	return (struct window){axis->window.from, axis->fork.at};
}

/* Returns the part of it behind the fork. */
static struct window behind_fork(const struct axis *axis)
{
	return (struct window){axis->fork.at, axis->window.to};
}

int64_t axis_at(const struct axis *axis, int column)
{
	if (axis->split < 0)
		return window_at(axis->window, axis->width, column);
	if (column <= axis->split)
		return window_at(before_fork(axis), axis->split, column);
	return window_at(
		behind_fork(axis), axis->width - 1 - axis->split, column - 1 - axis->split);
}

int axis_column(const struct axis *axis, int64_t when)
{
	if (axis->split < 0 || when < axis->window.from || when >= axis->window.to)
		return window_column(axis->window, axis->width, when);
	if (when < axis->fork.at)
		return window_column(before_fork(axis), axis->split, when);
	return axis->split + 1 +
	       window_column(behind_fork(axis), axis->width - 1 - axis->split, when);
}

int64_t axis_beyond(const struct axis *axis, int column)
{
	struct window is = straight(axis->fork, axis->window);
	uint64_t step = window_span(is) / (uint64_t)axis->width;

	step = step ? step : 1;
	if (column < 0)
		return bend(axis->fork, window_earlier(is.from, step * (uint64_t)-column));
	if (column >= axis->width)
		return bend(axis->fork,
			window_later(is.to, step * (uint64_t)(column - axis->width)));
	return axis_at(axis, column);
}

uint64_t axis_step(const struct axis *axis, int column)
{
	if (axis->split < 0)
		return window_span(axis->window) / (uint64_t)axis->width;
	if (column < axis->split)
		return window_span(before_fork(axis)) / (uint64_t)axis->split;
	return window_span(behind_fork(axis)) / (uint64_t)(axis->width - 1 - axis->split);
}
