/* SPDX-License-Identifier: Apache-2.0 */
/* The overlay: every key from the one table, what matters here first; commands, signs, words. */
#include "viewer/draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "viewer/state/state-private.h"

#define KEYS_W 18 /* columns of keys */

/* Adds the keys of a section, under its heading. */
static void add_section(struct help *help, enum request_section section)
{
	if (help->lines.nr)
		*array_add(&help->lines) = (struct help_line){"", NULL};
	*array_add(&help->lines) = (struct help_line){keys_section_name(section), NULL};
	for (int i = REQUEST_NONE + 1; i < REQUESTS; i++)
		if (keys_section((enum request)i) == section)
			*array_add(&help->lines) = (struct help_line){
				keys_of((enum request)i), keys_help((enum request)i)};
}

/* Signs that are no state; the legend names them so, too. */
const struct help_line help_signs[HELP_SIGNS] = {
	[HELP_EXCEPTION] = {"exception", "an exception that the rank died of"},
	[HELP_KILL] = {"signal", "a signal that another process sent to it"},
	[HELP_RECOMPILE] = {"recompile", "of a graph that it had compiled before"},
	[HELP_LOG] = {"wrote", "a line of its log that says when it was written, with the zone"},
	[HELP_FORK] = {"child", "a process that it started; of neighbouring cells the first"},
	[HELP_LOST] = {"lost: see 5", "something of it is lost, at a time that nobody knows"},
	[HELP_ENTERED] = {"entered", "the entry into an operation"},
	[HELP_ENTERED_FIRST] = {"first entered", "of entries in neighbouring cells the first"},
	[HELP_STEP] = {"step", "a step that was done"},
	[HELP_STEP_ENDS] = {"first, last step", "of very many steps those in sight"},
	[HELP_OPEN] = {"open", "it goes on when the evidence ends"},
	[HELP_BLAMED] = {"blamed", "the verdict blames it; what it did stands in its row"},
};

/* What else stands on the screen and is neither the job's nor the field's own. */
static const struct help_line words[] = {
	{"LIVE, FROZEN", "the job runs; it does, and no new look is shown"},
	{"ENDED, RECORDED", "it ended while it was looked at; files tell of it, written then"},
	{"WAIT", "it may resolve by itself: who is waited for moves"},
	{"KILL", "it cannot resolve by itself; OVER: it has ended"},
	{"UNKNOWN", "nobody can say whether it resolves"},
	{"EARLY", "the wait is too short to blame anybody"},
	{"ESTABLISHED", "how sure: evidence says it directly"},
	{"supported", "by one inference; hypothesis: as good as others; unknown"},
	{"FORK, DEATH", "where it began to hang; behind it the axis has another scale"},
	{"for", "at the end of a row: how long it has been doing that"},
	{"wait", "how much of the time in sight it waited for others or the GPU"},
	{"in", "what it is in: an operation, a phase, a line of code"},
	{"lock, GIL, kernel", "what blocks it, in front of the line of code where it is"},
	{"#12 count 0, ...", "what it came with to the operation where ranks parted, and left"},
	{"late 3 times, by", "others waited for it: how often in sight, how long at most, when"},
	{"63 on time, since", "operations since, which all entered and it did not keep waiting"},
	{"whole job", "all of its time in one line, what is in sight between the brackets"},
	{"not, next", "ruled out, and by what; what to do"},
	{"unjudged", "a rule that lacked what it needs; lost: recorded, and not there"},
	{"read, known", "how much of the evidence was read; of which kinds it is"},
	{"from, when", "which files, or which live job; the first and the last look"},
	{"limit", "what would end the job by itself; disturbed: threads stopped"},
	{"cache, shard", "compiled code that ranks start with; a rank's part of the data"},
	{"host, stderr", "a machine and its agent; the last that a rank wrote there"},
	{"MISSING, ODD", "in groups: has not come to that operation; came with another one"},
	{"rear", "the number of the last operation that the slowest of a group entered"},
	{"AllReduce #12", "the 12th operation of its group, by the program's order"},
	{"codegen 0/0", "a phase of the compiler, and which graph: its frame / its recompile"},
	{"g0, gd94a", "a group without a name, by its number or the begin of its key"},
	{"ring:3:g0:45", "a cite: kind of evidence, rank, group, number; Enter opens it"},
	{"ring, fatal", "kinds of evidence: its records; its last signal, exit: how it ended"},
	{"stack, log, proc", "what its threads stand in, what it wrote, what the kernel tells"},
	{"census, cgroup", "who was started as which rank; what the kernel killed for memory"},
};

/* Adds those words. */
static void add_words(struct help *help)
{
	*array_add(&help->lines) = (struct help_line){"", NULL};
	*array_add(&help->lines) = (struct help_line){"Words", NULL};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		*array_add(&help->lines) = words[i];
}

/* Adds what is drawn of a rank, the worst first, as in the legend. */
static void add_signs(struct help *help)
{
	*array_add(&help->lines) = (struct help_line){"", NULL};
	*array_add(&help->lines) = (struct help_line){"Signs of the timeline", NULL};
	for (int i = TRACK_STATES - 1; i >= 0; i--)
		*array_add(&help->lines) =
			(struct help_line){track_state_name((enum track_state)i),
				track_state_meaning((enum track_state)i)};
	for (int i = 0; i < HELP_SIGNS; i++)
		*array_add(&help->lines) = help_signs[i];
}

/* Adds the commands that may stand behind ":". */
static void add_commands(struct help *help)
{
	*array_add(&help->lines) = (struct help_line){"", NULL};
	*array_add(&help->lines) = (struct help_line){"Commands, behind :", NULL};
	for (size_t i = 0; state_command_name(i); i++)
		*array_add(&help->lines) =
			(struct help_line){state_command_name(i), state_command_help(i)};
}

/*
 * Adds the jobs to choose from. What chooses one and what it is are two texts, one behind the
 * other.
 */
static void add_jobs(struct help *help, const struct str *jobs)
{
	for (const char *at = jobs->text; at < jobs->text + jobs->len;) {
		struct help_line *line = array_add(&help->lines);

		line->left = at;
		line->right = at + strlen(at) + 1;
		at = line->right + strlen(line->right) + 1;
	}
}

void help_make(struct help *help, const struct state *state)
{
	bool in_pane = state->in_pane;

	if (state->jobs.len) {
		add_jobs(help, &state->jobs);
		return;
	}
	if (in_pane)
		add_section(help, SECTION_PANE);
	for (int i = 0; i < SECTIONS; i++)
		if (!in_pane || i != SECTION_PANE)
			add_section(help, (enum request_section)i);
	add_commands(help);
	add_signs(help);
	add_words(help);
}

void help_release(struct help *help)
{
	array_release(&help->lines);
}

/* Draws one line; a heading has no right part. */
static void draw_help_line(
	const struct screen *screen, const struct help_line *line, int y, bool match)
{
	struct rect area = {1, y, screen->cells->w - 1, 1};

	if (!line->right) {
		cells_put(screen->cells, area, 0, 0, match ? STYLE_MATCH : STYLE_STRONG,
			line->left);
		return;
	}
	cells_put_fit(screen->cells, area, 1, 0, KEYS_W - 2, STYLE_TAB, line->left);
	cells_put_fit(screen->cells, area, KEYS_W, 0, area.w - KEYS_W,
		match ? STYLE_MATCH : STYLE_PLAIN, line->right);
}

/* Draws the lines that are in sight, those that were searched for in another style. */
static void draw_lines(const struct screen *screen, const struct help *help, int room)
{
	const struct state *state = screen->state;
	const char *text = str_text(&state->help_search);
	int n = (int)help->lines.nr;

	for (int y = 0; y < room && state->help_top + y < n; y++) {
		int at = state->help_top + y;
		const struct help_line *line = &help->lines.items[at];

		draw_help_line(screen, line, y + 1, help_line_has(line, text));
		if (at == state->help_hit)
			cells_glyph(screen->cells, (struct rect){0, y + 1, 1, 1}, 0, 0,
				STYLE_STRONG, GLYPH_CURSOR);
	}
}

void draw_help(const struct screen *screen)
{
	struct state *state = screen->state;
	int room = screen->cells->h - 2, n;
	struct help help = {0};

	help_make(&help, state);
	n = (int)help.lines.nr;
	if (state->help_top > n - room)
		state->help_top = n > room ? n - room : 0;
	cells_printf(screen->cells, screen->layout.title, 1, 0, STYLE_TITLE,
		"inquest view: %s   (%d-%d of %d)", state->jobs.len ? "jobs" : "keys",
		state->help_top + 1,
		state->help_top + room < n ? state->help_top + room : n, n);
	draw_lines(screen, &help, room);
	if (state->typing.kind == PROMPT_NONE && !state->message.len)
		cells_put_fit(screen->cells, screen->layout.status, 1, 0, screen->cells->w - 1,
			STYLE_BAR,
			state->jobs.len ? "Enter shows it  j k choose  / n N find  any other key "
					  "closes"
					: "j k Space scroll  / n N find  any other key closes");
	help_release(&help);
}
