/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The title, two lines. The first is the answer: who does what, and who waits for it. The second
 * says what to make of it: whether to wait or to kill, the class and how sure that is; then, from
 * the right edge, what ends the job and when, whether it is live, which attempt this is, whether
 * other jobs are left out, of which day a record is, and the job's name. What has no room falls
 * away from the name on; outlook, class and confidence never do. On the lowest screens both are one
 * line.
 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "viewer/draw.h"
#include "viewer/pane/pane-words.h"
#include "viewer/state/state-private.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/wording.h"

#define NAME_LEAST 8 /* columns, below which a name that is cut says nothing */

/* What stands at the right, the more important first. */
enum {
	PIECE_LIMIT,
	PIECE_LIVE,
	PIECE_ATTEMPT,
	PIECE_OTHERS,
	PIECE_RECORDED,
	PIECE_NAME,
	PIECES
};

/* The title while it is made. */
struct title {
	const struct screen *screen;
	const struct scene *scene;
	const struct verdict *verdict;
	struct rect area;
	struct str pieces[PIECES]; /* safe to be shown; empty: there is no such */
	struct str limit; /* the countdown alone, for where its name has no room */
};

/* Returns the style of a verdict. */
static enum style style_of(const struct verdict *verdict)
{
	return pane_style(page_tone(verdict));
}

/* Returns how long until something ends the job, as it is now; JOB_UNKNOWN. */
static int64_t time_left(const struct scene *scene)
{
	const struct page page = pane_page(scene);

	return page_left(&page, &scene->verdicts->at[0]);
}

/* -- What there is to say --------------------------------------------------------------------- */

/* True if the job is over, by its verdicts, or since they were made. */
static bool is_over(const struct scene *scene)
{
	return scene->verdicts->over || scene->job->ended == JOB_YES;
}

/* Says what ends the job, and when. */
static void say_limit(struct title *title)
{
	const char *limit = verdict_limit_name(title->verdict->watchdog);
	int64_t left = time_left(title->scene);
	char text[CLOCK_TEXT_SIZE];

	/* Nothing counts down in a record. */
	if (!limit || left == JOB_UNKNOWN || is_over(title->scene) || !title->scene->live)
		return;
	str_add(&title->limit, left > 0 ? clock_format(left, text) : "due");
	str_printf(&title->pieces[PIECE_LIMIT], "%s %s", limit, str_text(&title->limit));
}

/* Appends " (23 h ago)"; nothing of less than a minute. */
static void add_age(struct str *into, int64_t ns)
{
	int64_t minutes = ns / (60 * CLOCK_NS_PER_S), hours = minutes / 60;

	if (hours >= 48)
		str_printf(into, " (%d d ago)", (int)(hours / 24));
	else if (hours)
		str_printf(into, " (%d h ago)", (int)hours);
	else if (minutes > 0)
		str_printf(into, " (%d min ago)", (int)minutes);
}

/* Appends "RECORDED 2026-11-21 (23 h ago)". */
static void say_recorded(struct str *into, int64_t when, int64_t now)
{
	time_t s = (time_t)(when / CLOCK_NS_PER_S);
	struct tm day;

	str_add(into, "RECORDED");
	if (when != JOB_UNKNOWN && when > 0 && gmtime_r(&s, &day))
		str_printf(into, " %04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1,
			day.tm_mday);
	if (when != JOB_UNKNOWN && when > 0 && now > when)
		add_age(into, now - when);
}

/* Says whether it is live; of a job that has ended while it was looked at: "ENDED". */
static void say_live(struct title *title)
{
	const struct state *state = title->screen->state;
	struct str *into = &title->pieces[PIECE_LIVE];

	if (state->frozen)
		str_add(into, "FROZEN");
	else if (title->scene->live && is_over(title->scene))
		str_add(into, "ENDED");
	else if (title->scene->live)
		str_add(into, state->follow ? "LIVE" : "live, F follows");
	else
		say_recorded(&title->pieces[PIECE_RECORDED], title->scene->job->gathered,
			title->scene->now);
}

/* Says the job's name, or where it comes from. */
static void say_name(struct title *title)
{
	const struct scene *scene = title->scene;
	const char *name = scene->job->name;

	if (!name || !*name)
		name = scene->origin;
	if (!name || !*name)
		name = scene->job->id && *scene->job->id ? scene->job->id : "job";
	escape_text(&title->pieces[PIECE_NAME], name, title->screen->cells->utf8);
}

/* Says all pieces. */
static void say_all(struct title *title)
{
	say_limit(title);
	say_live(title);
	if (title->scene->job->attempt > 1)
		str_printf(&title->pieces[PIECE_ATTEMPT], "attempt %d",
			title->scene->job->attempt);
	if (title->scene->others)
		str_printf(&title->pieces[PIECE_OTHERS], "1 of %zu jobs", title->scene->others + 1);
	say_name(title);
}

/* -- Drawing ---------------------------------------------------------------------------------- */

/* Returns how many columns a piece takes. */
static int width_of(const struct str *piece)
{
	return (int)escape_width(str_text(piece));
}

/* Returns how many columns all the pieces would take. */
static int all_pieces(const struct title *title)
{
	int columns = 1;

	for (int i = 0; i < PIECES; i++)
		columns += title->pieces[i].len ? width_of(&title->pieces[i]) + 2 : 0;
	return columns;
}

/* Appends "compile-skew ESTABLISHED", "host-stall supported": what is sure is seen from afar. */
static void add_class(struct str *into, const struct verdict *verdict)
{
	str_add(into, verdict_class_name(verdict->class));
	if (verdict->confidence == VERDICT_ESTABLISHED)
		str_add(into, " ESTABLISHED");
	else if (verdict->confidence != VERDICT_UNKNOWN)
		str_printf(into, " %s", verdict_confidence_name(verdict->confidence));
}

/* Draws "WAIT  compile-skew ESTABLISHED"; returns where it ends. */
static int draw_standing(const struct title *title, int x, int y)
{
	const struct verdict *verdict = title->verdict;
	bool unknown = verdict->outlook == VERDICT_OUTLOOK_UNKNOWN;
	const char *outlook = wording_outlook(verdict->outlook)->word;
	struct cells *cells = title->screen->cells;
	struct str class = {0};

	if (verdict->class == VERDICT_TOO_EARLY)
		headline_threshold(&class, title->scene->verdicts);
	else
		add_class(&class, verdict);
	if (unknown && title->area.h > 1 &&
		(int)(strlen(WORDING_UNKNOWN_LONG) + class.len) + x + 2 + all_pieces(title) <=
			title->area.w)
		outlook = WORDING_UNKNOWN_LONG;
	if (verdict->class != VERDICT_HEALTHY && verdict->class != VERDICT_TOO_EARLY)
		x += 2 + cells_put(cells, title->area, x, y,
				 unknown ? STYLE_WARN : style_of(verdict), outlook);
	x += cells_put_fit(cells, title->area, x, y, title->area.w - x, STYLE_TITLE,
		str_text(&class));
	str_release(&class);
	return x;
}

/* Draws the pieces from the right edge on, as long as there is room behind what ends at `from`. */
static void draw_pieces(const struct title *title, int from, int y)
{
	struct cells *cells = title->screen->cells;
	int end = title->area.w - 1;

	for (int i = 0; i < PIECES; i++) {
		const struct str *piece = &title->pieces[i];
		int width = width_of(piece), room = end - from - 2;

		if (i == PIECE_LIMIT && width > room) {
			piece = &title->limit;
			width = width_of(piece);
		}
		if (i == PIECE_NAME && width > room && room >= NAME_LEAST)
			width = room;
		if (!piece->len || width > room)
			continue;
		cells_put_fit(cells, title->area, end - width, y, width,
			i == PIECE_LIMIT ? style_of(title->verdict) : STYLE_TITLE, str_text(piece));
		end -= width + 2;
	}
}

/* Draws the headline in so many columns; returns where it ends. */
static int draw_headline(const struct title *title, int x, int w)
{
	struct str line = {0};

	if (w < 1)
		return x;
	headline_shout(&line, title->scene->verdicts, title->verdict, (size_t)w,
		title->screen->cells->utf8);
	x += cells_put_fit(title->screen->cells, title->area, x, 0, w, style_of(title->verdict),
		str_text(&line));
	str_release(&line);
	return x;
}

/*
 * Draws "KILL  RANK 5 DIED OF SIGSEGV  rank-death ESTABLISHED": the class as far as there is room.
 */
static void draw_in_one(const struct title *title)
{
	const struct verdict *verdict = title->verdict;
	struct cells *cells = title->screen->cells;
	struct str class = {0};
	int x = 1, room;

	if (verdict->class != VERDICT_HEALTHY && verdict->class != VERDICT_TOO_EARLY)
		x += 2 + cells_put(cells, title->area, x, 0, style_of(verdict),
				 wording_outlook(verdict->outlook)->word);
	add_class(&class, verdict);
	room = title->area.w - x - (int)class.len - 3;
	x = draw_headline(title, x, room > title->area.w / 3 ? room : title->area.w - x - 1) + 2;
	if (x + (int)class.len >= title->area.w)
		str_cut(&class, strlen(verdict_class_name(verdict->class)));
	if (x + (int)class.len < title->area.w)
		x += cells_put(cells, title->area, x, 0, STYLE_TITLE, str_text(&class));
	str_release(&class);
	draw_pieces(title, x, 0);
}

void draw_title(const struct screen *screen)
{
	struct title title = {.screen = screen,
		.scene = &screen->state->scene,
		.verdict = &screen->state->scene.verdicts->at[0],
		.area = screen->layout.title};

	cells_fill(screen->cells, title.area, STYLE_TITLE, ' ');
	say_all(&title);
	if (title.area.h > 1) {
		draw_headline(&title, 1, title.area.w - 2);
		draw_pieces(&title, draw_standing(&title, 1, 1), 1);
	} else {
		draw_in_one(&title);
	}
	for (int i = 0; i < PIECES; i++)
		str_release(&title.pieces[i]);
	str_release(&title.limit);
}
