/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are most of it, so they are written small: times from one to the next, texts by number.
 *
 * TOO MANY INTERVALS. A page of millions opens nowhere. So neighbours of one row that are shorter
 * than a certain time are joined until they are as long, and that time is doubled until what is
 * left is few enough. What is joined shows what the rows of the terminal would show of it in one
 * cell (pyramid.h): the greatest state above TRACK_ORDINARY, else the one that took most of it.
 */
#include "viewer/export/html-data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "viewer/export/intern.h"
#include "viewer/pane/pane-words.h"
#include "viewer/timeline/window.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/wording.h"

#define PANE_WIDTH  160  /* columns that lines of panes are made for */
#define PANE_HEIGHT 2000 /* and lines: of a pane of very many so many are there */

/* The page's data while they are written. */
struct data {
	const struct scene *scene;
	struct str *into;
	struct intern texts;
	struct rows *rows;
	int64_t forked;
	uint64_t shortest; /* in ns, as find_shortest() has it */
};

/* -- JSON ------------------------------------------------------------------------------------- */

/* Appends a text of ours as a string of JSON that may stand in a page. */
static void add_quoted(struct str *into, const char *text)
{
	str_add_char(into, '"');
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			str_printf(into, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == '<' || *text == '>' || *text == '&')
			str_printf(into, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			str_add_char(into, *text);
	str_add_char(into, '"');
}

/* Appends a text of anybody, escaped. */
static void add_text(struct str *into, const char *text)
{
	struct str shown = {0};

	escape_text(&shown, text ? text : "", true);
	add_quoted(into, str_text(&shown));
	str_release(&shown);
}

/* Appends a member of an object, and a comma. */
static void add_member(struct str *into, const char *name, const char *text)
{
	str_printf(into, "\"%s\":", name);
	add_text(into, text);
	str_add_char(into, ',');
}

/* Returns a time from the begin of the job's on; 0 before it. */
static uint64_t since_begin(const struct data *data, int64_t when)
{
	int64_t from = data->scene->tracks->from;

	return when > from ? window_between(from, when) : 0;
}

/* -- Intervals -------------------------------------------------------------------------------- */

/* Neighbours that are drawn as one. */
struct joined {
	int64_t from, to;
	enum track_state state;
	bool open;
	size_t n;
	const struct track_span *first;
};

/* Returns the state of n intervals, as one cell would show it. */
static enum track_state state_of(const struct track_span *span, size_t n)
{
	uint64_t took[TRACK_STATES] = {0};
	enum track_state most = TRACK_NODATA;

	for (size_t i = 0; i < n; i++) {
		took[span[i].state] += window_between(span[i].from, span[i].to);
		if (span[i].state > TRACK_ORDINARY && span[i].state > most)
			most = span[i].state;
	}
	for (int i = 0; most <= TRACK_ORDINARY && i <= TRACK_ORDINARY; i++)
		if (took[i] > took[most])
			most = (enum track_state)i;
	return most;
}

/* Finds the next of a track from *at on, which moves behind it; false at the end. */
static bool next_joined(
	const struct track *track, size_t *at, uint64_t shortest, struct joined *ret)
{
	const struct track_span *span = &track->spans[*at];
	size_t n = 1;

	if (*at >= track->nspans)
		return false;
	while (*at + n < track->nspans && span[n].from == span[n - 1].to &&
		window_between(span[0].from, span[n - 1].to) < shortest &&
		window_between(span[n].from, span[n].to) < shortest)
		n++;
	*ret = (struct joined){
		span[0].from, span[n - 1].to, state_of(span, n), span[n - 1].open, n, span};
	*at += n;
	return true;
}

/* Returns how many there would be; it need not count beyond `most`. */
static size_t count_joined(const struct tracks *tracks, uint64_t shortest, size_t most)
{
	struct joined one;
	size_t n = 0;

	for (size_t i = 0; i < tracks->n && n <= most; i++)
		for (size_t at = 0; n <= most && next_joined(&tracks->at[i], &at, shortest, &one);)
			n++;
	return n;
}

/* Returns the time below which intervals are joined; 0: all stand alone. */
static uint64_t find_shortest(const struct tracks *tracks)
{
	uint64_t shortest = 0, all = window_between(tracks->from, tracks->to);

	while (count_joined(tracks, shortest, HTML_SPANS) > HTML_SPANS && shortest < all)
		shortest = shortest ? shortest * 2 : (all >> 20) + 1;
	return shortest;
}

/* Appends the intervals of a row. */
static void add_spans(struct data *data, const struct track *track)
{
	int64_t end = data->scene->tracks->from;
	struct joined one;
	const char *comma = "";

	str_add(data->into, "\"spans\":[");
	for (size_t at = 0; next_joined(track, &at, data->shortest, &one); comma = ",") {
		size_t name = intern_text(&data->texts, one.n > 1 ? "" : one.first->name);
		size_t cite = intern_text(
			&data->texts, one.n > 1 || !one.first->cite ? "" : one.first->cite);

		str_printf(data->into, "%s%" PRIu64 ",%" PRIu64 ",%d,%zu,%zu", comma,
			window_between(end, one.from), window_between(one.from, one.to),
			(int)one.state + (one.open ? 256 : 0), name, cite);
		end = one.to;
	}
	str_add(data->into, "],");
}

/* Appends the events that are no begin or end of an interval. */
static void add_events(struct data *data, const struct track *track)
{
	const char *comma = "";

	str_add(data->into, "\"events\":[");
	for (size_t i = 0; i < track->nevents; i++) {
		const struct track_event *event = &track->events[i];
		const char *cite = event->cite ? event->cite : "";

		if (event->kind == TRACK_ENTER || event->kind == TRACK_BEGIN ||
			event->kind == TRACK_END)
			continue;
		str_add(data->into, comma);
		if (event->when == JOB_UNKNOWN)
			str_add(data->into, "-1");
		else
			str_printf(data->into, "%" PRIu64, since_begin(data, event->when));
		str_printf(data->into, ",%d,%zu,%zu", (int)event->kind,
			intern_text(&data->texts, event->name), intern_text(&data->texts, cite));
		comma = ",";
	}
	str_add(data->into, "]");
}

/* -- Rows ------------------------------------------------------------------------------------- */

/* Appends where a rank runs: its host and its pid. */
static void add_who(struct data *data, struct rank_index rank)
{
	const struct job *job = data->scene->job;
	const struct job_rank *who = job_rank(job, rank);
	struct str text = {0};

	if (who->host >= 0)
		str_add(&text, job->hosts[who->host].name);
	if (who->process >= 0)
		str_printf(&text, "%spid %" PRIu32, text.len ? ", " : "",
			job->processes[who->process].pid);
	add_member(data->into, "who", str_text(&text));
	str_release(&text);
}

/* Appends a row, which is one rank. */
static void add_row(struct data *data, const struct row *row)
{
	const struct track *track = &data->scene->tracks->at[row->ranks[0].i];

	str_add(data->into, "{\"label\":");
	add_quoted(data->into, row->label);
	str_add_char(data->into, ',');
	add_who(data, row->ranks[0]);
	add_member(data->into, "words", row->words);
	str_printf(data->into, "\"blamed\":%s,\"loses\":%s,", row->culprit ? "true" : "false",
		row->loses ? "true" : "false");
	add_spans(data, track);
	add_events(data, track);
	str_add_char(data->into, '}');
}

/* Appends all rows. */
static void add_rows(struct data *data)
{
	str_add(data->into, "\"rows\":[");
	for (size_t i = 0; i < data->rows->n; i++) {
		if (i)
			str_add(data->into, ",\n");
		add_row(data, &data->rows->at[i]);
	}
	str_add(data->into, "],\n");
}

/* -- Panes ------------------------------------------------------------------------------------ */

/* Returns the page's word for the looks of a line. */
static const char *kind_of(enum style style)
{
	switch (style) {
	case STYLE_ALARM:
		return "alarm";
	case STYLE_WARN:
		return "warn";
	case STYLE_GOOD:
		return "good";
	case STYLE_STRONG:
		return "strong";
	case STYLE_FAINT:
		return "faint";
	default:
		return "";
	}
}

/* Appends a line of a pane. */
static void add_line(struct data *data, const struct pane_line *line)
{
	str_add_char(data->into, '[');
	add_text(data->into, line->text);
	str_add_char(data->into, ',');
	add_text(data->into, line->right);
	str_printf(data->into, ",\"%s\",%td,", kind_of(line->style),
		is_rank(line->rank) ? rows_of_rank(data->rows, line->rank) : -1);
	if (line->when == JOB_UNKNOWN)
		str_add(data->into, "null]");
	else
		str_printf(data->into, "%" PRIu64 "]", since_begin(data, line->when));
}

/* Appends a pane, as it is for the first row at the end of the time. */
static void add_pane(struct data *data, const struct pane *pane)
{
	struct pane_place place = {.rank = NO_RANK,
		.row = -1,
		.when = data->scene->tracks->to,
		.width = PANE_WIDTH,
		.height = PANE_HEIGHT,
		.item = PANE_NO_ITEM};
	struct pane_lines lines = {.here = -1};

	if (data->rows->n) {
		place.rank = data->rows->at[0].ranks[0];
		place.row = 0;
	}
	pane->fill(data->scene, &place, &lines);
	str_printf(data->into, "{\"name\":\"%s\",\"lines\":[", pane->name);
	for (size_t i = 0; i < lines.all.nr; i++) {
		if (i)
			str_add(data->into, ",\n");
		add_line(data, &lines.all.items[i]);
	}
	str_add(data->into, "]}");
	pane_lines_release(&lines);
}

/* Appends the panes that make sense without a cursor. */
static void add_panes(struct data *data)
{
	static const enum pane_number shown[] = {
		PANE_VERDICT, PANE_STACKS, PANE_LASTWORDS, PANE_GROUPS, PANE_RECEIPT};

	str_add(data->into, "\"panes\":[");
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		if (i)
			str_add(data->into, ",\n");
		add_pane(data, &panes[shown[i]]);
	}
	str_add(data->into, "],\n");
}

/* -- The whole -------------------------------------------------------------------------------- */

/* Appends the verdict, and what job it is of. */
static void add_verdict(struct data *data)
{
	const struct verdicts *verdicts = data->scene->verdicts;
	const struct verdict *verdict = &verdicts->at[0];
	const char *name = data->scene->job->name;
	struct str text = {0};

	headline_sentence(&text, verdicts, verdict);
	add_member(data->into, "headline", str_text(&text));
	add_member(data->into, "outlook", wording_outlook(verdict->outlook)->word);
	add_member(data->into, "class", verdict_class_name(verdict->class));
	add_member(data->into, "confidence", verdict_confidence_name(verdict->confidence));
	add_member(data->into, "sign", kind_of(pane_style(page_tone(verdict))));
	add_member(data->into, "job", name && *name ? name : "");
	add_member(data->into, "origin", data->scene->origin);
	str_printf(data->into, "\"live\":%s,\n", data->scene->live ? "true" : "false");
	str_release(&text);
}

/*
 * The colours of each state on dark and on light ground. The page has no letters as a terminal has,
 * so no two are alike; those that are told apart most are so by lightness as well.
 */
static const uint32_t colors[TRACK_STATES][2] = {
	[TRACK_NODATA] = {0x333333, 0xdddddd},
	[TRACK_OTHER] = {0x8a8a8a, 0x9a9a9a},
	[TRACK_COMPUTE] = {0x2aa876, 0x1b8a5f},
	[TRACK_COLLECTIVE] = {0x4f83e0, 0x2f5fc4},
	[TRACK_DEVICE] = {0x7cc4f0, 0x6ab2e6},
	[TRACK_PENDING] = {0x9a9ae8, 0x7a7ad0},
	[TRACK_INPUT] = {0xe6d24a, 0xd8bf1e},
	[TRACK_CHECKPOINT] = {0xb98a5a, 0x8c5a2b},
	[TRACK_USER] = {0xa3c95a, 0x8ab53a},
	[TRACK_COMPILE] = {0xc07be0, 0xa552cc},
	[TRACK_WAITING] = {0xff7a1a, 0xf06400},
	[TRACK_BLOCKED] = {0xff5c8a, 0xc2185b},
	[TRACK_LOST] = {0x6f6f6f, 0x6a6a6a},
	[TRACK_DEAD] = {0xf4f4f4, 0x1a1a1a},
};

/* Appends the names of states and kinds, by their numbers. */
static void add_names(struct data *data)
{
	str_add(data->into, "\"states\":[");
	for (int i = 0; i < TRACK_STATES; i++)
		str_printf(data->into, "%s[\"%s\",\"#%06" PRIx32 "\",\"#%06" PRIx32 "\"]",
			i ? "," : "", track_state_name((enum track_state)i), colors[i][0],
			colors[i][1]);
	str_printf(data->into, "],\"ordinary\":%d,\"lost\":%d,\"kinds\":[", TRACK_ORDINARY,
		TRACK_LOST);
	for (int i = 0; i < TRACK_KINDS; i++)
		str_printf(
			data->into, "%s\"%s\"", i ? "," : "", track_kind_name((enum track_kind)i));
	str_add(data->into, "],\n");
}

/* Appends the begin and the length of the time. */
static void add_times(struct data *data)
{
	const struct tracks *tracks = data->scene->tracks;
	int64_t fork = data->forked;

	str_printf(data->into, "\"from\":%lld.%06lld,\"span\":%" PRIu64 ",\"fork\":",
		tracks->from / CLOCK_NS_PER_MS,
		tracks->from > 0 ? tracks->from % CLOCK_NS_PER_MS : 0,
		window_between(tracks->from, tracks->to));
	if (fork == JOB_UNKNOWN || fork <= tracks->from || fork >= tracks->to)
		str_add(data->into, "null,");
	else
		str_printf(data->into, "%" PRIu64 ",", since_begin(data, fork));
	str_printf(data->into, "\"short\":%" PRIu64 ",\n", data->shortest);
}

void html_data_write(const struct scene *scene, int64_t forked, struct str *into)
{
	const struct rows_wish wish = {
		.by = ROWS_FLAT, .by_chosen = true, .room = scene->tracks->n, .filter = ""};
	struct data data = {.scene = scene, .into = into, .forked = forked};

	data.rows = rows_new(scene->tracks, scene->verdicts, &wish);
	data.shortest = find_shortest(scene->tracks);
	str_add(into, "{");
	add_verdict(&data);
	add_times(&data);
	add_names(&data);
	add_panes(&data);
	add_rows(&data);
	str_add(into, "\"texts\":[");
	for (size_t i = 0; i < data.texts.n; i++) {
		if (i)
			str_add(into, ",\n");
		add_text(into, data.texts.texts[i]);
	}
	str_add(into, "]}");
	intern_release(&data.texts);
	rows_free(data.rows);
}
