/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands behind ":". One table: it runs them, and the help overlay shows it. A command may be
 * shortened as long as only one begins so.
 */
#include "viewer/state/state-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define NS_PER_DAY (86400 * CLOCK_NS_PER_S)

/* -- Times ------------------------------------------------------------------------------------ */

/* Reads a number with its fraction, in units of `unit` ns; false where there is none. */
static bool read_number(const char **text, int64_t unit, int64_t *ret)
{
	const char *at = *text;
	int64_t whole = 0, part = 0, scale = unit;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (whole > INT64_MAX / 10 - 1)
			return false;
		whole = whole * 10 + (*at - '0');
	}
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++) {
			scale /= 10;
			part += scale * (*at - '0');
		}
	if (whole > (INT64_MAX - part) / unit)
		return false;
	*ret = whole * unit + part;
	*text = at;
	return true;
}

/* Returns the ns of a unit; 0: none is called so. */
static int64_t unit_of(const char *name)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"", CLOCK_NS_PER_S}, {"s", CLOCK_NS_PER_S}, {"ms", CLOCK_NS_PER_MS},
		{"us", CLOCK_NS_PER_US}, {"ns", 1}, {"m", 60 * CLOCK_NS_PER_S},
		{"min", 60 * CLOCK_NS_PER_S}, {"h", 3600 * CLOCK_NS_PER_S}, {"d", NS_PER_DAY}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 0;
}

/* Reads "12.5s", "11:08", "1:02:03.5"; and how many colons it had. */
static bool read_duration(const char *text, int64_t *ret, int *ret_colons)
{
	const char *at = text;
	int64_t sum = 0, part;
	int colons = 0;

	while (strspn(at, "0123456789") < strlen(at) && at[strspn(at, "0123456789")] == ':') {
		if (!read_number(&at, 1, &part) || sum > (INT64_MAX - part) / 60 || ++colons > 2)
			return false;
		sum = (sum + part) * 60;
		at++;
	}
	*ret_colons = colons;
	if (colons) {
		if (sum > INT64_MAX / CLOCK_NS_PER_S || !read_number(&at, CLOCK_NS_PER_S, &part))
			return false;
		if (*at || sum * CLOCK_NS_PER_S > INT64_MAX - part)
			return false;
		*ret = sum * CLOCK_NS_PER_S + part;
		return true;
	}
	text = at + strspn(at, "0123456789.");
	while (*text == ' ')
		text++;
	return unit_of(text) && read_number(&at, unit_of(text), ret) &&
	       strspn(at, " ") == (size_t)(text - at);
}

/* Returns how far two times are apart. */
static uint64_t apart(int64_t a, int64_t b)
{
	return a < b ? window_between(a, b) : window_between(b, a);
}

/* Returns that time of day, UTC: of all its days the one on which it is nearest to the cursor. */
static int64_t of_day(const struct state *state, int64_t since_midnight)
{
	int64_t at = state->when, midnight = at - (at % NS_PER_DAY + NS_PER_DAY) % NS_PER_DAY;
	int64_t when;

	if (at < INT64_MIN + 2 * NS_PER_DAY)
		return at;
	when = window_later(midnight - NS_PER_DAY, (uint64_t)since_midnight);
	for (int day = 0; day < 2; day++) {
		int64_t next = window_later(when, (uint64_t)NS_PER_DAY);

		if (apart(next, at) < apart(when, at))
			when = next;
	}
	return when;
}

/* True if the time is one of the job's. */
static bool is_in_job(const struct state *state, int64_t when)
{
	return when >= state->bounds.from && when <= state->bounds.to;
}

/*
 * Returns which time is meant by "1:02:03", which may be either of what the ruler shows: a time of
 * day has two digits for its hour there, and of two readings the one that lies in the job is meant.
 */
static int64_t of_either(const struct state *state, const char *text, int64_t duration)
{
	int64_t day = of_day(state, duration);
	int64_t since = window_later(state->bounds.from, (uint64_t)duration);
	int64_t likely = text[1] == ':' ? since : day, other = text[1] == ':' ? day : since;

	return !is_in_job(state, likely) && is_in_job(state, other) ? other : likely;
}

/* Reads a time without what stands behind it where it is shown. */
static bool read_shown(const char *text, int64_t *ret, int *ret_colons)
{
	size_t length = strlen(text);
	struct str bare = {0};
	bool read;

	str_add(&bare, text);
	if (length > 4 && !strcmp(text + length - 4, " UTC"))
		str_cut(&bare, length - 4);
	read = read_duration(str_text(&bare), ret, ret_colons);
	str_release(&bare);
	return read;
}

bool state_read_time(const struct state *state, const char *text, int64_t *ret)
{
	char sign = *text == '+' || *text == '-' ? *text++ : ' ';
	int64_t duration;
	int colons;

	if (!read_shown(text, &duration, &colons))
		return false;
	if (sign == '-')
		*ret = window_earlier(state->bounds.to, (uint64_t)duration);
	else if (sign == ' ' && colons == 2)
		*ret = of_either(state, text, duration);
	else
		*ret = window_later(state->bounds.from, (uint64_t)duration);
	return true;
}

/* -- Commands --------------------------------------------------------------------------------- */

/* Goes to a rank by its number. These all are commands, as the table below has them. */
static void go_rank(struct state *state, const char *argument)
{
	char *end;
	long world = strtol(argument, &end, 10);

	if (!*argument || *end) {
		if (*argument && strspn(argument, "0123456789,-") == strlen(argument))
			state_tell(
				state, "rank goes to one; :filter rank:%s shows those", argument);
		else
			state_tell(state, "rank wants a number");
		return;
	}
	for (size_t i = 0; i < state->nranks; i++)
		if (state->worlds[i] == world) {
			state_go(state, rank_index(i), JOB_UNKNOWN);
			return;
		}
	state_tell(state, "there is no rank %ld", world);
}

/* Goes to a time. */
static void go_time(struct state *state, const char *argument)
{
	int64_t when;

	if (!state_read_time(state, argument, &when)) {
		state_tell(state, "t wants 12.5s, 11:08, 1:02:03, -30s from the end, 03:11:52 UTC");
		return;
	}
	state_go(state, NO_RANK, when);
	if (when < state->bounds.from || when > state->bounds.to)
		state_tell(state, "the evidence does not go so far");
}

/* Sets the colours. */
static void set_theme(struct state *state, const char *argument)
{
	static const char *const names[THEMES] = {"dark", "light", "mono"};

	for (int i = 0; i < THEMES; i++)
		if (!strcmp(argument, names[i])) {
			state->theme = (enum theme)i;
			return;
		}
	state_tell(state, "theme wants dark, light or mono");
}

/* Sets what rows are folded by. */
static void set_by(struct state *state, const char *argument)
{
	for (int i = 0; i < ROWS_BYS; i++)
		if (!strcmp(argument, rows_by_name((enum rows_by)i))) {
			state->by = (enum rows_by)i;
			state->by_chosen = true;
			state->rows_stale = true;
			return;
		}
	state_tell(state, "by wants class, host, group or flat");
}

/* Puts a pane up. */
static void choose_pane(struct state *state, const char *argument)
{
	for (int i = 0; i < PANES; i++)
		if (!strcmp(argument, panes[i].name)) {
			state_choose_pane(state, (enum pane_number)i);
			return;
		}
	state_tell(state, "pane wants verdict, stacks, events, groups or receipt");
}

/* Filters rows. */
static void set_filter(struct state *state, const char *argument)
{
	state_set_filter(state, argument);
}

/* Looks for a text. */
static void search(struct state *state, const char *argument)
{
	state_search_new(state, argument);
	if (!state_search_step(state, false))
		state_tell(state, "not found: %s", argument);
}

/* Asks the loop for another job. */
static void choose_job(struct state *state, const char *argument)
{
	state_ask(state, EFFECT_JOB, argument);
}

/* Asks the loop to write the screen to a file. */
static void export(struct state *state, const char *argument)
{
	state_ask(state, EFFECT_EXPORT, argument);
}

/* Takes the mouse, or leaves it to the terminal. */
static void set_mouse(struct state *state, const char *argument)
{
	if (*argument && strcmp(argument, "on") && strcmp(argument, "off")) {
		state_tell(state, "mouse wants on or off");
		return;
	}
	state->mouse = *argument ? !strcmp(argument, "on") : !state->mouse;
	state_tell(state, "mouse %s", state->mouse ? "on" : "off");
	state_ask(state, EFFECT_MOUSE, state->mouse ? "on" : "off");
}

/* Draws with ASCII from now on. */
static void set_ascii(struct state *state, const char *argument)
{
	state->utf8 = false;
	state->rows_stale = state->scene.job != NULL;
}

/* Draws with UTF-8 from now on. */
static void set_utf8(struct state *state, const char *argument)
{
	state->utf8 = true;
	state->rows_stale = state->scene.job != NULL;
}

/* Puts the help up. */
static void show_help(struct state *state, const char *argument)
{
	state_do(state, REQUEST_HELP);
}

/* Asks the loop to end. */
static void quit(struct state *state, const char *argument)
{
	state_ask(state, EFFECT_QUIT, "");
}

/* All commands, in the order of the help. */
static const struct {
	const char *name, *arguments;
	void (*run)(struct state *state, const char *argument);
	const char *help;
	bool alone; /* also where nothing is loaded */
} commands[] = {
	{"rank", "N", go_rank, "to the row of a rank; the number alone will do", false},
	{"t", "TIME", go_time, "to a time: 12.5s, 11:08, -30s from the end, 03:11:52 UTC", false},
	{"by", "WHAT", set_by, "rows by class, host, group or flat", false},
	{"filter", "FILTER", set_filter, "as & does; none: takes it off", false},
	{"search", "TEXT", search, "as / does", false},
	{"pane", "NAME", choose_pane, "verdict, stacks, events, groups or receipt", false},
	{"jobs", "[N|NAME]", choose_job, "which jobs the bundles are of; shows that one", false},
	{"theme", "NAME", set_theme, "dark, light or mono", true},
	{"ascii", "", set_ascii, "draws with ASCII only", true},
	{"utf8", "", set_utf8, "draws with block characters", true},
	{"export", "[FILE]", export, "writes this view to a file", true},
	{"mouse", "[on|off]", set_mouse, "whether clicks and the wheel are taken", true},
	{"help", "", show_help, "all keys", true},
	{"quit", "", quit, "leaves", true},
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

const char *state_command_name(size_t n)
{
	return n < COMMANDS ? commands[n].name : NULL;
}

const char *state_command_help(size_t n)
{
	return n < COMMANDS ? commands[n].help : NULL;
}

/* What fingers type that know other programs. */
static const struct {
	const char *typed, *name;
} habits[] = {{"q", "quit"}, {"q!", "quit"}, {"qa", "quit"}, {"w", "export"}};

/* Returns the command of that name, or the only one that begins so; COMMANDS: none. */
static size_t command_of(const char *name, size_t length)
{
	size_t found = COMMANDS;

	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		if (strlen(habits[i].typed) == length && !strncmp(habits[i].typed, name, length))
			return command_of(habits[i].name, strlen(habits[i].name));
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strncmp(commands[i].name, name, length))
			continue;
		if (strlen(commands[i].name) == length)
			return i;
		if (found != COMMANDS)
			return COMMANDS;
		found = i;
	}
	return found;
}

void state_command(struct state *state, const char *line)
{
	size_t length, command;
	const char *argument;

	line += strspn(line, " ");
	length = strcspn(line, " ");
	argument = line + length + strspn(line + length, " ");
	if (!length)
		return;
	command = strspn(line, "0123456789") == strlen(line) ? 0 : command_of(line, length);
	if (command == COMMANDS)
		state_tell(state, "no command \"%.*s\"; ? shows them", (int)length, line);
	else if (!state->scene.job && !commands[command].alone)
		state_tell(state, "nothing is loaded yet");
	else
		commands[command].run(state, *line >= '0' && *line <= '9' ? line : argument);
}
