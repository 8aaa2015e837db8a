/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curses knows what a key's bytes mean where the terminal's description says so, and takes what it
 * does not know for many keys: Ctrl-Left would be five of them. So what descriptions leave out is
 * told to it, and of what is left a whole sequence is one key or none.
 */
#define NCURSES_WIDECHAR 1
#include "viewer/term/terminal-keys.h"

#include <curses.h>
#include <poll.h>
#include <string.h>

#include "words/escape.h"

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

/* Our names of curses' codes. */
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

/* Names what curses calls "kRIT5": a key and its modifier. */
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

/* Names one of curses' codes; "" of what we have no name for. */
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

/* Names a character that has a name of its own; true if it has. */
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
static int more(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};
	int c = getch();

	return c == ERR && poll(&in, 1, TERMINAL_ESCAPE_MS) > 0 ? getch() : c;
}

/*
 * Names a character, whose first byte this is: "" where it can be none. Curses' own way of reading
 * characters would take one stray byte for the beginning of all that comes after it.
 */
static void name_char(int fd, struct key *key, int c)
{
	int32_t code = -1;
	size_t n = 0, size;

	if (name_control(key, c))
		return;
	key->name[n++] = (char)c;
	key->name[n] = '\0';
	while (n < 4 && (code = escape_decode(key->name, &size)) < 0 && c >= 0xc0) {
		int next = more(fd);

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
 * Skips what stands behind an ESC that curses made nothing of: a whole sequence nobody knows is no
 * key at all, and never the letters that it is made of. True where it was one.
 */
static bool skip_sequence(int fd)
{
	int kind = getch(), c;

	if (kind == ERR)
		return false;
	c = kind == '[' || kind == 'O' ? more(fd) : ERR;
	if (c == ERR) {
		ungetch(kind);
		return false;
	}
	while (kind == '[' && c >= 0x20 && c < 0x40)
		c = more(fd);
	return true;
}

/*
 * Reads what a mouse did: a press of the first button, its end, and the wheel; false of all else.
 */
static bool read_mouse(struct terminal_event *event)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK ||
		!(mouse.bstate & (BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED |
					 BUTTON5_PRESSED)))
		return false;
	event->what = TERMINAL_MOUSE;
	event->x = mouse.x;
	event->y = mouse.y;
	event->turn = mouse.bstate & BUTTON4_PRESSED ? -1 : mouse.bstate & BUTTON5_PRESSED ? 1 : 0;
	event->zoom = mouse.bstate & BUTTON_CTRL;
	event->up = mouse.bstate & BUTTON1_RELEASED;
	return true;
}

void terminal_define_keys(void)
{
	for (size_t i = 0; i < SEQUENCES; i++) {
		int code = key_defined(sequences[i].bytes);

		/* Beyond KEY_MAX are the descriptions' own, of any name. */
		if (code == 0 || code > KEY_MAX)
			define_key(sequences[i].bytes, OWN_CODE + (int)i);
	}
}

bool terminal_read(int fd, struct terminal_event *event)
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
		else if (c != 0x1b || !skip_sequence(fd))
			name_char(fd, &event->key, c);
		if (event->key.name[0])
			return true;
	}
	return false;
}
