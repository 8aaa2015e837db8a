/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curses is asked for what it is good at: what a terminal can do, which bytes differ, what a key's
 * bytes mean. What it is not good at is done here: it leaves terminals as they are when a process
 * dies, so signals are guard.c's; and it takes what it does not know for many keys, so that
 * Ctrl-Left would be five of them.
 */
#define NCURSES_WIDECHAR 1
#include "viewer/terminal.h"

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
#include "viewer/guard.h"
#include "words/escape.h"

#define ESCAPE_MS 25 /* what follows ESC within this is one key */
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

/* --- keys --- */

/* Sequences that terminals send and their descriptions often leave out. */
static const struct {
	const char *bytes, *name;
} sequences[] = {
	{"\033[A", "Up"}, {"\033[B", "Down"}, {"\033[C", "Right"}, {"\033[D", "Left"},
	{"\033OA", "Up"}, {"\033OB", "Down"}, {"\033OC", "Right"}, {"\033OD", "Left"},
	{"\033[1;2A", "S-Up"}, {"\033[1;2B", "S-Down"}, {"\033[1;2C", "S-Right"},
	{"\033[1;2D", "S-Left"}, {"\033[1;3A", "Alt-Up"}, {"\033[1;3B", "Alt-Down"},
	{"\033[1;3C", "Alt-Right"}, {"\033[1;3D", "Alt-Left"}, {"\033[1;5A", "Ctrl-Up"},
	{"\033[1;5B", "Ctrl-Down"}, {"\033[1;5C", "Ctrl-Right"}, {"\033[1;5D", "Ctrl-Left"},
	/* rxvt */
	{"\033[a", "S-Up"}, {"\033[b", "S-Down"}, {"\033[c", "S-Right"}, {"\033[d", "S-Left"},
	{"\033Oa", "Ctrl-Up"}, {"\033Ob", "Ctrl-Down"}, {"\033Oc", "Ctrl-Right"},
	{"\033Od", "Ctrl-Left"}, {"\033[7~", "Home"}, {"\033[8~", "End"},
	{"\033[H", "Home"}, {"\033[F", "End"}, {"\033OH", "Home"}, {"\033OF", "End"},
	{"\033[1~", "Home"}, {"\033[4~", "End"}, {"\033[2~", "Insert"}, {"\033[3~", "Delete"},
	{"\033[5~", "PageUp"}, {"\033[6~", "PageDown"}, {"\033[Z", "S-Tab"},
	{"\033OP", "F1"}, {"\033OQ", "F2"}, {"\033OR", "F3"}, {"\033OS", "F4"},
	{"\033[11~", "F1"}, {"\033[12~", "F2"}, {"\033[13~", "F3"}, {"\033[14~", "F4"},
	{"\033[[A", "F1"}, {"\033[[B", "F2"}, {"\033[[C", "F3"}, {"\033[[D", "F4"},
};
#define SEQUENCES (sizeof(sequences) / sizeof(sequences[0]))
#define OWN_CODE  4000 /* codes of the sequences, above those that curses makes up */

static const struct {
	int code;
	const char *name;
} codes[] = {
	{KEY_UP, "Up"}, {KEY_DOWN, "Down"}, {KEY_LEFT, "Left"}, {KEY_RIGHT, "Right"},
	{KEY_HOME, "Home"}, {KEY_FIND, "Home"}, {KEY_A1, "Home"}, {KEY_END, "End"},
	{KEY_SELECT, "End"}, {KEY_C1, "End"}, {KEY_PPAGE, "PageUp"}, {KEY_A3, "PageUp"},
	{KEY_NPAGE, "PageDown"}, {KEY_C3, "PageDown"}, {KEY_IC, "Insert"}, {KEY_DC, "Delete"},
	{KEY_BACKSPACE, "Backspace"}, {KEY_ENTER, "Enter"}, {KEY_BTAB, "S-Tab"},
	{KEY_SLEFT, "S-Left"}, {KEY_SRIGHT, "S-Right"}, {KEY_SR, "S-Up"}, {KEY_SF, "S-Down"},
	{KEY_SHOME, "S-Home"}, {KEY_SEND, "S-End"},
};

/* What curses calls "kRIT5": a key and its modifier. */
static void name_extended(struct key *key, const char *curses)
{
	static const char *const from[] = {"UP", "DN", "LFT", "RIT", "HOM", "END", "PRV", "NXT",
		"IC", "DC"};
	static const char *const to[] = {"Up", "Down", "Left", "Right", "Home", "End", "PageUp",
		"PageDown", "Insert", "Delete"};
	static const char *const modifiers[] = {"S-", "S-", "Alt-", "", "Ctrl-"};

	if (!curses || curses[0] != 'k')
		return;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		size_t size = strlen(from[i]);
		char digit;

		if (strncmp(curses + 1, from[i], size))
			continue;
		digit = curses[1 + size];
		if (digit && (digit < '2' || digit > '5' || digit == '4' || curses[2 + size]))
			continue;
		snprintf(key->name, sizeof(key->name), "%s%s",
			modifiers[digit ? digit - '1' : 0], to[i]);
		return;
	}
}

/* The name of one of curses' codes; "" of what we have no name for. */
static void name_code(struct key *key, int code)
{
	if (code >= OWN_CODE && (size_t)(code - OWN_CODE) < SEQUENCES) {
		snprintf(key->name, sizeof(key->name), "%s", sequences[code - OWN_CODE].name);
		return;
	}
	if (code > KEY_F0 && code <= KEY_F0 + 63) {
		snprintf(key->name, sizeof(key->name), "F%d", code - KEY_F0);
		return;
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code) {
			snprintf(key->name, sizeof(key->name), "%s", codes[i].name);
			return;
		}
	name_extended(key, keyname(code));
}

/* Whether a character has a name of its own. */
static bool name_control(struct key *key, int c)
{
	static const struct {
		int c;
		const char *name;
	} named[] = {{'\t', "Tab"}, {'\r', "Enter"}, {'\n', "Enter"}, {'\b', "Backspace"},
		{0x7f, "Backspace"}, {0x1b, "Esc"}, {' ', "Space"}};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (named[i].c == c) {
			snprintf(key->name, sizeof(key->name), "%s", named[i].name);
			return true;
		}
	if (c >= 1 && c <= 26)
		snprintf(key->name, sizeof(key->name), "Ctrl-%c", 'A' + c - 1);
	return c < ' ';
}

/* Waits a moment for the rest of something. ERR: there is none. */
static int more(const struct terminal *terminal)
{
	struct pollfd in = {.fd = terminal->fd, .events = POLLIN};
	int c = getch();

	return c == ERR && poll(&in, 1, ESCAPE_MS) > 0 ? getch() : c;
}

/*
 * The name of a character, whose first byte this is: "" where it can be none. Curses' own way of
 * reading characters would take one stray byte for the beginning of all that comes after it.
 */
static void name_char(const struct terminal *terminal, struct key *key, int c)
{
	int32_t code = -1;
	size_t n = 0, size;

	if (name_control(key, c))
		return;
	key->name[n++] = (char)c;
	key->name[n] = '\0';
	while (n < 4 && (code = escape_decode(key->name, &size)) < 0 && c >= 0xc0) {
		int next = more(terminal);

		if (next == ERR)
			break;
		if (next >= 256 || (next & 0xc0) != 0x80) {
			ungetch(next);
			break;
		}
		key->name[n++] = (char)next;
		key->name[n] = '\0';
	}
	if (!keys_is_name(key->name))
		key->name[0] = '\0';
}

/*
 * Behind an ESC that curses made nothing of: a whole sequence nobody knows is no key at all, and
 * never the letters that it is made of. True where it was one.
 */
static bool skip_sequence(const struct terminal *terminal)
{
	int kind = getch(), c;

	if (kind == ERR)
		return false;
	c = kind == '[' || kind == 'O' ? more(terminal) : ERR;
	if (c == ERR) {
		ungetch(kind);
		return false;
	}
	while (kind == '[' && c >= 0x20 && c < 0x40)
		c = more(terminal);
	return true;
}

/* Of mice: a press of the first button and the wheel; false of all else. */
static bool read_mouse(struct terminal_event *event)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK ||
		!(mouse.bstate & (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED)))
		return false;
	event->what = TERMINAL_MOUSE;
	event->x = mouse.x;
	event->y = mouse.y;
	event->turn = mouse.bstate & BUTTON4_PRESSED ? -1 : mouse.bstate & BUTTON5_PRESSED ? 1 : 0;
	event->zoom = mouse.bstate & BUTTON_CTRL;
	return true;
}

/* The next key or click that is there already; false: none. */
static bool read_input(struct terminal *terminal, struct terminal_event *event)
{
	int c;

	while ((c = getch()) != ERR) {
		event->what = TERMINAL_KEY;
		event->key.name[0] = '\0';
		if (c == KEY_MOUSE) {
			if (read_mouse(event))
				return true;
			continue;
		}
		if (c >= 256)
			name_code(&event->key, c);
		else if (c != 0x1b || !skip_sequence(terminal))
			name_char(terminal, &event->key, c);
		if (event->key.name[0])
			return true;
	}
	return false;
}

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

/* Keys come from stdin, or from the terminal itself where stdin is something else. */
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

/* Curses speaks as the locale does; where that is not UTF-8 what the user asks for still can be. */
static void choose_charset(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* The terminal as it was; one with a single screen keeps ours, and its last line is free. */
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

static void define_keys(void)
{
	for (size_t i = 0; i < SEQUENCES; i++) {
		int code = key_defined(sequences[i].bytes);

		/* Beyond KEY_MAX are the descriptions' own, of any name. */
		if (code == 0 || code > KEY_MAX)
			define_key(sequences[i].bytes, OWN_CODE + (int)i);
	}
}

static int colors_of(bool wanted)
{
	if (!wanted || !has_colors() || start_color() != OK)
		return 0;
	/* Without a ground of its own the terminal's may be anything: no colour fits all. */
	if (use_default_colors() != OK || COLOR_PAIRS <= STYLES)
		return 0;
	return COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

/* The size that the kernel knows; curses goes by the environment too. */
static void follow_size(const struct terminal *terminal)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
		is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
	prepare_undo(terminal);
}

static void set_up(struct terminal *terminal, const struct terminal_wish *wish)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	set_escdelay(ESCAPE_MS);
	mouseinterval(0);
	define_keys();
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
 * One character as curses has it. What the C library holds for wider or narrower than we do would
 * move all that stands behind it: such a one becomes a "?" on as many columns. Returns how many
 * of curses' characters it has become.
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

static void stop(struct terminal *terminal, bool group)
{
	def_prog_mode();
	leave_screen();
	guard_stop(group);
	guard_take(GUARD_CONTINUED);
	go_on(terminal);
}

/* What signals have told; false: nothing that the caller must know. */
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

/* Is nobody at the other end any more? poll() says that there is input, and there is none. */
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

		if (heed_notes(terminal, &event) || read_input(terminal, &event))
			return event;
		poll(from, 2, ms < 0 ? -1 : left > 0 ? (int)left : 0);
		gone = from[0].revents && is_gone(terminal, from[0].revents);
		if (heed_notes(terminal, &event) || read_input(terminal, &event))
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
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | BUTTON_CTRL : 0, NULL);
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
