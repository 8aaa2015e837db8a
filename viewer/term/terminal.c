/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curses is asked for what it is good at: what a terminal can do, and which bytes differ. What it
 * is not good at is done beside it: it leaves terminals as they are when a process dies, so signals
 * are guard.c's; and it takes what it does not know for many keys, so what was pressed is
 * terminal-keys.c's to say.
 */
#define NCURSES_WIDECHAR 1
#include "viewer/term/terminal.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "viewer/term/guard.h"
#include "viewer/term/terminal-keys.h"
#include "words/escape.h"

#define COPY_MOST (72 << 10) /* bytes; terminals drop what is longer */

struct terminal {
	SCREEN *screen;
	FILE *in; /* stdin, or one of our own */
	int fd;	  /* where keys come from */
	int colors;
	bool mouse, painted;
	bool continued; /* after a stop; sizes that changed meanwhile were told to others */
	enum theme theme; /* the pairs are this one's */
	cchar_t row[CELLS_W];
};

/* --- opening and giving back --- */

/* Appends a capability without the delays that old terminals want. */
static void add_capability(struct str *into, const char *bytes)
{
	if (!bytes || bytes == (const char *)-1)
		return;
	while (*bytes) {
		const char *end = !strncmp(bytes, "$<", 2) ? strchr(bytes, '>') : NULL;

		if (end)
			bytes = end + 1;
		else
			str_add_char(into, *bytes++);
	}
}

/* Returns a capability's bytes; NULL: the terminal has none. */
static char *capability(const char *name)
{
	char *bytes = tigetstr(name);

	return bytes == (char *)-1 ? NULL : bytes;
}

/* Tells the guard what undoes all that is done to the terminal now. */
static void prepare_undo(const struct terminal *terminal)
{
	char *cup = capability("cup"), *leave = capability("rmcup"), *mouse = capability("XM");
	struct str undo = {0};

	if (terminal->mouse)
		add_capability(&undo, mouse ? tiparm(mouse, 0) : "\033[?1000l");
	add_capability(&undo, capability("sgr0"));
	add_capability(&undo, capability("op"));
	add_capability(&undo, cup ? tiparm(cup, LINES - 1, 0) : NULL);
	add_capability(&undo, leave ? leave : capability("el"));
	add_capability(&undo, capability("cnorm"));
	add_capability(&undo, capability("rmkx"));
	guard_set_undo(str_text(&undo), undo.len);
	str_release(&undo);
}

/* Says why there is no screen to be had; 0 where there is. */
static int check(struct complaint *why)
{
	const char *name = getenv("TERM");
	struct str escaped = {0};
	int known, rc = 0;

	if (!isatty(STDOUT_FILENO))
		return complaint_set(why, "standard output is not a terminal");
	if (!name || !*name)
		return complaint_set(why, "TERM is not set: what terminal is this?");
	escape_text(&escaped, name, false);
	if (setupterm(NULL, STDOUT_FILENO, &known) != OK)
		rc = complaint_set(why,
			known < 0 ? "there is no terminfo database here for TERM=%s"
				  : "nothing is known of a terminal TERM=%s",
			str_text(&escaped));
	else if (!capability("cup"))
		rc = complaint_set(why, "a terminal TERM=%s cannot place its cursor",
			str_text(&escaped));
	if (cur_term)
		del_curterm(cur_term);
	str_release(&escaped);
	return rc;
}

/*
 * Returns where keys come from: stdin, or the terminal itself where stdin is something else; NULL
 * with words.
 */
static FILE *input(struct complaint *why)
{
	FILE *in;

	if (isatty(STDIN_FILENO))
		return stdin;
	in = fopen("/dev/tty", "re");
	if (!in)
		complaint_errno(why, errno, "there is no terminal to read keys from");
	return in;
}

/*
 * Has curses speak as the locale does; where that is not UTF-8 what the user asks for still can be.
 */
static void choose_charset(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Leaves the terminal as it was; one with a single screen keeps ours, and its last line is free. */
static void leave_screen(void)
{
	if (!capability("rmcup")) {
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
	}
	endwin();
	guard_hold(false);
}

/* Returns how many colours can be used, if they are wanted. */
static int colors_of(bool wanted)
{
	if (!wanted || !has_colors() || start_color() != OK)
		return 0;
	/* Without a ground of its own the terminal's may be anything: no colour fits all. */
	if (use_default_colors() != OK || COLOR_PAIRS <= STYLES)
		return 0;
	return COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

/* Takes the size that the kernel knows; curses goes by the environment too. */
static void follow_size(const struct terminal *terminal)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
		is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
	prepare_undo(terminal);
}

/* Sets curses up. */
static void set_up(struct terminal *terminal, const struct terminal_wish *wish)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	set_escdelay(TERMINAL_ESCAPE_MS);
	mouseinterval(0);
	terminal_define_keys();
	terminal->colors = colors_of(wish->color);
	terminal_set_mouse(terminal, wish->mouse);
}

struct terminal *terminal_open(const struct terminal_wish *wish, struct complaint *why)
{
	struct terminal *terminal;
	FILE *in;
	int error;

	if (check(why) < 0 || !(in = input(why)))
		return NULL;
	terminal = alloc_zeroed(1, sizeof(*terminal));
	terminal->in = in;
	terminal->fd = fileno(in);
	choose_charset();
	error = guard_begin(STDOUT_FILENO);
	if (error < 0)
		complaint_errno(why, -error, "cannot watch over the terminal");
	else
		terminal->screen = newterm(NULL, stdout, in);
	if (!terminal->screen) {
		if (error == 0)
			complaint_set(why, "curses cannot draw on this terminal");
		terminal_close(terminal);
		return NULL;
	}
	guard_hold(true);
	set_up(terminal, wish);
	follow_size(terminal);
	return terminal;
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal)
		return;
	if (terminal->screen) {
		leave_screen();
		delscreen(terminal->screen);
	}
	guard_end();
	if (terminal->in != stdin)
		fclose(terminal->in);
	free(terminal);
}

/* --- showing --- */

void terminal_size(const struct terminal *terminal, int *ret_w, int *ret_h)
{
	*ret_w = COLS < 1 ? 1 : COLS > CELLS_W ? CELLS_W : COLS;
	*ret_h = LINES < 1 ? 1 : LINES > CELLS_H ? CELLS_H : LINES;
}

int terminal_colors(const struct terminal *terminal)
{
	return terminal->colors;
}

/* How a style looks here; its pair is number style + 1. */
struct paint {
	attr_t attributes;
	short pair;
};

/* Returns how each style looks, and defines the colours of a theme that is new. */
static void paints(struct terminal *terminal, enum theme theme, struct paint all[STYLES])
{
	bool fresh = !terminal->painted || terminal->theme != theme;

	for (int i = 0; i < STYLES; i++) {
		struct look_of look = style_look((enum style)i, theme, terminal->colors);
		bool colored = look.fg >= 0 || look.bg >= 0;

		if (colored && fresh)
			init_pair((short)(i + 1), look.fg, look.bg);
		all[i].pair = colored ? (short)(i + 1) : 0;
		all[i].attributes = (look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) |
				    (look.underline ? A_UNDERLINE : 0) |
				    (look.reverse ? A_REVERSE : 0);
	}
	terminal->painted = true;
	terminal->theme = theme;
}

/*
 * Makes one character as curses has it. What the C library holds for wider or narrower than we do
 * would move all that stands behind it: such a one becomes a "?" on as many columns. Returns how
 * many of curses' characters it has become.
 */
static int to_curses(const struct cell *cell, int width, attr_t attributes, short pair,
	cchar_t into[2])
{
	wchar_t text[CCHARW_MAX + 1] = L"";
	int n = 0;

	for (const char *at = cell->text; *at && n < CCHARW_MAX;) {
		size_t size;
		int32_t code = escape_decode(at, &size);

		if (wcwidth((wchar_t)code) == (n ? 0 : width))
			text[n++] = (wchar_t)code;
		else if (n == 0)
			break;
		at += size;
	}
	if (n && setcchar(&into[0], text, attributes, pair, NULL) == OK)
		return 1;
	for (int i = 0; i < width; i++)
		setcchar(&into[i], L"?", attributes, pair, NULL);
	return width;
}

/* Writes a row of cells. */
static void show_row(struct terminal *terminal, const struct cells *cells, int y,
	const struct paint paint[STYLES])
{
	const struct cell *row = &cells->at[y * cells->w];
	int n = 0;

	for (int x = 0; x < cells->w && x < COLS; x++) {
		const struct paint *by = &paint[row[x].style < STYLES ? row[x].style : 0];
		int width = x + 1 < cells->w && !row[x + 1].text[0] ? 2 : 1;
		attr_t attributes = by->attributes;
		struct cell blank = {.text = " "};

		if (row[x].reverse)
			attributes ^= A_REVERSE;
		if (!row[x].text[0] || x + width > COLS) {
			width = 1;
			n += to_curses(&blank, 1, attributes, by->pair, &terminal->row[n]);
		} else {
			n += to_curses(&row[x], width, attributes, by->pair, &terminal->row[n]);
		}
		x += width - 1;
	}
	/* Neither wraps nor scrolls, also in the last cell. */
	mvadd_wchnstr(y, 0, terminal->row, n);
}

void terminal_show(struct terminal *terminal, const struct cells *cells, enum theme theme)
{
	struct paint paint[STYLES];

	paints(terminal, theme, paint);
	erase();
	for (int y = 0; y < cells->h && y < LINES; y++)
		show_row(terminal, cells, y, paint);
	refresh();
}

void terminal_redraw(struct terminal *terminal)
{
	clearok(curscr, TRUE);
}

/* --- waiting --- */

/* Takes the screen, the modes and the keys again. */
static void go_on(struct terminal *terminal)
{
	guard_hold(true);
	clearok(curscr, TRUE);
	refresh();
	terminal->continued = true;
}

/* Stops us, with the terminal given back; returns when we go on. */
static void stop(struct terminal *terminal, bool group)
{
	def_prog_mode();
	leave_screen();
	guard_stop(group);
	guard_take(GUARD_CONTINUED);
	go_on(terminal);
}

/* Heeds what signals have told; false: nothing that the caller must know. */
static bool heed_notes(struct terminal *terminal, struct terminal_event *event)
{
	bool resized, continued;

	guard_drain();
	if (guard_take(GUARD_STOP)) {
		stop(terminal, false);
	} else if (guard_take(GUARD_CONTINUED)) {
		endwin();
		go_on(terminal);
	}
	resized = guard_take(GUARD_RESIZED);
	continued = terminal->continued;
	terminal->continued = false;
	if (!resized && !continued)
		return false;
	follow_size(terminal);
	event->what = TERMINAL_RESIZED;
	return true;
}

/*
 * True if nobody is at the other end any more: poll() says that there is input, and there is none.
 */
static bool is_gone(const struct terminal *terminal, short revents)
{
	int bytes = 0;

	if (revents & (POLLERR | POLLNVAL))
		return true;
	return ioctl(terminal->fd, FIONREAD, &bytes) < 0 || bytes == 0;
}

struct terminal_event terminal_wait(struct terminal *terminal, int ms)
{
	struct terminal_event event = {.what = TERMINAL_TIMEOUT};
	int64_t end = clock_monotonic_ns() + (int64_t)ms * CLOCK_NS_PER_MS;

	for (;;) {
		struct pollfd from[2] = {{.fd = terminal->fd, .events = POLLIN},
			{.fd = guard_fd(), .events = POLLIN}};
		int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		bool gone;

		if (heed_notes(terminal, &event) || terminal_read(terminal->fd, &event))
			return event;
		poll(from, 2, ms < 0 ? -1 : left > 0 ? (int)left : 0);
		gone = from[0].revents && is_gone(terminal, from[0].revents);
		if (heed_notes(terminal, &event) || terminal_read(terminal->fd, &event))
			return event;
		event.what = gone ? TERMINAL_GONE : TERMINAL_TIMEOUT;
		if (gone || (ms >= 0 && clock_monotonic_ns() >= end))
			return event;
	}
}

void terminal_suspend(struct terminal *terminal)
{
	stop(terminal, true);
}

void terminal_set_mouse(struct terminal *terminal, bool on)
{
	terminal->mouse = on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED |
				BUTTON_CTRL
		     : 0,
		NULL);
	prepare_undo(terminal);
}

void terminal_copy(struct terminal *terminal, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = strnlen(text, COPY_MOST);
	struct str out = {0};

	str_add(&out, "\033]52;c;");
	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = 0;

		for (size_t j = 0; j < 3; j++)
			three = three << 8 | (i + j < size ? (unsigned char)text[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			str_add_char(&out,
				i + j <= size ? digits[three >> (18 - 6 * j) & 63] : '=');
	}
	str_add(&out, "\a");
	fwrite(out.text, 1, out.len, stdout);
	fflush(stdout);
	str_release(&out);
}
