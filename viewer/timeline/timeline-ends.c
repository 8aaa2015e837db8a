/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The right end of a row: whether what it does goes on, for how long it has, what share of the time
 * in sight it waited for others or the GPU, what it does, and whether others waited for it. Of a
 * fold the numbers are those of the rank that it speaks of; the share is that of all its ranks.
 */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "viewer/state/state-private.h"
#include "viewer/timeline/lates.h"
#include "viewer/timeline/timeline.h"

#define FEW 64	 /* of so many ranks a share is summed up */
#define SHARES	  512 /* ranks of a fold, at most, whose shares are summed up */
#define SINCE_LEAST 3 /* operations on time, of which it is worth while to tell */
#define LATE_PART 50 /* who kept others waiting for less of the time in sight is not late */

/* Returns the style of a state. */
static enum style style_of(enum track_state state)
{
	return (enum style)(STYLE_STATE + (int)state);
}

bool timeline_has_numbers(const struct state *state)
{
	return state->layout.rows.w >= TIMELINE_NUMBERS_FROM;
}

/* Returns for how long it does that, up to the last sign of it; "" not known. */
static const char *lasts_of(const struct track *track, char text[static CLOCK_TEXT_SIZE])
{
	const struct track_span *last = track_last(track);

	if (!last || track->since == JOB_UNKNOWN || track->now == TRACK_NODATA ||
		last->to <= track->since)
		return "";
	return clock_format(last->to - track->since, text);
}

/*
 * Returns the share in percent; below 0 where nothing is known of that time. Of a fold that of all
 * its ranks; of very many of some that lie apart evenly. It is kept as long as the same time is
 * looked at.
 */
static int share_of(struct state *state, const struct row *row)
{
	struct state_share *kept = &state->shares[row - state->rows->at];
	struct track_share all = {0, 0};
	size_t step = row->n / SHARES + 1;

	if (kept->made && kept->window.from == state->window.from &&
		kept->window.to == state->window.to)
		return kept->percent;
	for (size_t i = 0; i < row->n; i += step) {
		struct track_share one = track_share(&state->tracks->at[row->ranks[i].i],
			state->window.from, state->window.to);

		all.waited += one.waited / (int64_t)row->n;
		all.known += one.known / (int64_t)row->n;
	}
	*kept = (struct state_share){state->window,
		all.known > 0 ? (int)((double)all.waited * 100 / (double)all.known) : -1, true};
	return kept->percent;
}

/* Appends when that was, as the ruler has it. */
static void add_latest(const struct state *state, const struct late *late, struct str *into)
{
	uint64_t ago = window_between(state->bounds.from, late->latest);

	str_add(into, late->times > 1 ? ", last " : " at ");
	draw_relative(into, ago, late->latest - state->bounds.from < CLOCK_NS_PER_S
					 ? (uint64_t)CLOCK_NS_PER_S / 10
					 : (uint64_t)CLOCK_NS_PER_S);
}

/* Appends what came since, where the end is in sight, and that has room. */
static void add_since(
	const struct state *state, const struct late *late, int64_t to, int w, struct str *into)
{
	size_t before = into->len;

	if (to < state->bounds.to || late->since < SINCE_LEAST)
		return;
	for (int words = 1; words >= 0; words--) {
		str_printf(into, ", %" PRIu64 "%s since", late->since, words ? " on time" : "");
		if ((int)into->len <= w)
			return;
		str_cut(into, before);
	}
}

/*
 * Appends "late 9 times, by 2.4 s, last 0:58, 63 on time since": of who kept others waiting for a
 * part of that time that counts.
 */
static void add_late(const struct state *state, const struct row *row, int64_t from, int64_t to,
	int w, struct str *into)
{
	char text[CLOCK_TEXT_SIZE];
	struct late worst = {0};

	if (row->is_lane)
		return;
	for (size_t i = 0; i < row->n; i++) {
		struct late late = lates_of(state->lates, row->ranks[i], from, to);

		if (late.sum > worst.sum)
			worst = late;
	}
	if (worst.times < 1 || worst.sum < (to - from) / LATE_PART)
		return;
	str_add(into, "late ");
	if (worst.times > 1)
		str_printf(into, "%" PRIu32 " times, ", worst.times);
	str_printf(into, "by %s", clock_format(worst.most, text));
	add_latest(state, &worst, into);
	add_since(state, &worst, to, w, into);
}

/* Whoever is not in its own code is in something that says more than how late it was. */
void timeline_add_words(struct state *state, const struct row *row, int64_t from, int64_t to,
	int w, struct str *into)
{
	bool first = state->tracks->at[row->worst.i].now <= TRACK_COMPUTE;
	struct str late = {0};

	add_late(state, row, from, to, w, &late);
	str_add(into, first && late.len ? str_text(&late) : row->words);
	if (late.len && *row->words)
		str_printf(into, ", %s", first ? row->words : str_text(&late));
	str_release(&late);
}

/* Draws how long, and what share it waited. */
static void draw_numbers(const struct screen *screen, const struct row *row, int x, int y)
{
	struct state *state = screen->state;
	const struct track *track = &state->tracks->at[row->worst.i];
	char text[CLOCK_TEXT_SIZE];
	int percent = share_of(state, row);
	const char *lasts = lasts_of(track, text);
	bool more = *lasts && track->at_least;
	struct str share = {0};

	if (percent >= 0)
		str_printf(&share, "%d%%", percent);
	cells_put(screen->cells, screen->layout.rows, x + 6 - more - (int)strlen(lasts), y,
		style_of(track->now), lasts);
	if (more)
		cells_put(screen->cells, screen->layout.rows, x + 5, y, style_of(track->now), "+");
	cells_put(screen->cells, screen->layout.rows, x + 11 - (int)share.len, y, STYLE_PLAIN,
		str_text(&share));
	str_release(&share);
}

/* Draws what it does. */
static void draw_words(const struct screen *screen, const struct row *row, int x, int y)
{
	struct state *state = screen->state;
	int w = state->label_w + state->cells_w + state->doing_w - x;
	struct str words = {0};

	timeline_add_words(state, row, state->window.from, state->window.to, w, &words);
	cells_put_words(screen->cells, screen->layout.rows, x, y, w,
		style_of(state->tracks->at[row->worst.i].now), str_text(&words));
	str_release(&words);
}

void timeline_draw_end(
	const struct screen *screen, struct timeline_shown *shown, const struct row *row, int y)
{
	struct state *state = screen->state;
	const struct track *track = &state->tracks->at[row->worst.i];
	const struct track_span *last = track_last(track);
	int x = state->label_w + state->cells_w;

	if (state->doing_w < 1)
		return;
	if (row->is_lane && (!last || last->group != row->group)) {
		x += timeline_has_numbers(state) ? TIMELINE_NUMBERS_W + 2 : 2;
		cells_put_words(screen->cells, screen->layout.rows, x, y,
			state->label_w + state->cells_w + state->doing_w - x, STYLE_FAINT,
			row->words);
		return;
	}
	if (state->window.to < state->bounds.to) {
		cells_glyph(screen->cells, screen->layout.rows, x, y, STYLE_FAINT,
			GLYPH_MORE_RIGHT);
	} else if (last && last->open && last->state != TRACK_DEAD) {
		shown->open = true;
		cells_glyph(screen->cells, screen->layout.rows, x, y, style_of(track->now),
			GLYPH_OPEN);
	}
	if (timeline_has_numbers(state)) {
		draw_numbers(screen, row, x + 2, y);
		x += TIMELINE_NUMBERS_W;
	}
	draw_words(screen, row, x + 2, y);
}

void timeline_draw_heads(const struct screen *screen)
{
	const struct state *state = screen->state;
	struct rect area = screen->layout.ruler;
	int x = state->label_w + state->cells_w + 2;

	if (area.h < 1 || !timeline_has_numbers(state) || state->doing_w < TIMELINE_NUMBERS_W)
		return;
	cells_put(screen->cells, area, x + 3, 0, STYLE_FAINT, "for");
	cells_put(screen->cells, area, x + 7, 0, STYLE_FAINT, "wait");
	cells_put(screen->cells, area, x + TIMELINE_NUMBERS_W, 0, STYLE_FAINT, "in");
}
