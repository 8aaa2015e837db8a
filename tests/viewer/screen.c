/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen [mono] [mouse] [light]: a terminal in the hands of viewer/term/terminal.c, for
 * terminal.test. Shows its size and the last events; some keys end it in the ways in which programs
 * end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "viewer/term/terminal.h"

static const char *const hostile =
	"\x1b[31mRED\x1b]0;owned\x07 \xff\xfe\u202e 世界 e\u0301 \U0001f600";

struct show {
	struct cells cells;
	enum theme theme;
	bool ascii, mouse;
	char last[3][80];
	int events;
};

static struct rect line(const struct show *show, int y)
{
	return (struct rect){0, y, show->cells.w, y < show->cells.h};
}

static void draw(struct show *show, struct terminal *terminal)
{
	int w, h;

	terminal_size(terminal, &w, &h);
	cells_reset(&show->cells, w, h, !show->ascii);
	cells_printf(&show->cells, line(show, 0), 0, 0, STYLE_TITLE, "%dx%d, %d colors", w, h,
		terminal_colors(terminal));
	for (int i = 0; i < 3; i++)
		cells_printf(&show->cells, line(show, 1 + i), 0, 0, STYLE_PLAIN, "%s",
			show->last[i]);
	cells_put(&show->cells, line(show, 4), 0, 0, STYLE_ALARM, hostile);
	for (int i = 0; i < GLYPHS; i++)
		cells_glyph(&show->cells, line(show, 5), i, 0, (enum style)(i % STYLES),
			(enum glyph)i);
	/* All the last line, its last cell too. */
	cells_fill(&show->cells, line(show, h - 1), STYLE_BAR, '=');
	cells_put(&show->cells, line(show, h - 1), w - 1, 0, STYLE_BAR, "$");
	terminal_show(terminal, &show->cells, show->theme);
}

/* Eats the stack; volatile, so that no compiler sees what it comes to. */
static int overflow(volatile char *below)
{
	volatile char here[4096];

	here[0] = *below;
	return *below ? overflow(here) + here[0] : 0;
}

static void end_as(const char *key)
{
	/* Nothing that a sanitizer would see coming: it ends a process by its own way. */
	int *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!strcmp(key, "C"))
		*(volatile int *)forbidden = 1;
	munmap(forbidden, 4096);
	if (!strcmp(key, "O"))
		overflow(&(volatile char){1});
	if (!strcmp(key, "A"))
		abort();
	if (!strcmp(key, "E"))
		exit(3);
}

static void note(struct show *show, const struct terminal_event *event)
{
	char *last = show->last[show->events++ % 3];

	if (event->what == TERMINAL_KEY)
		snprintf(last, 80, "%d key %s.", show->events, event->key.name);
	else if (event->what == TERMINAL_MOUSE)
		snprintf(last, 80, "%d mouse %d,%d turn %d%s%s.", show->events, event->x, event->y,
			event->turn, event->zoom ? " zoom" : "", event->up ? " up" : "");
	else
		snprintf(last, 80, "%d resized.", show->events);
}

/* false: it is to end. */
static bool obey(struct show *show, struct terminal *terminal, const char *key)
{
	end_as(key);
	if (!strcmp(key, "Z"))
		terminal_suspend(terminal);
	else if (!strcmp(key, "M"))
		terminal_set_mouse(terminal, show->mouse = !show->mouse);
	else if (!strcmp(key, "T"))
		show->theme = (enum theme)((show->theme + 1) % THEMES);
	else if (!strcmp(key, "~"))
		show->ascii = !show->ascii;
	else if (!strcmp(key, "Y"))
		terminal_copy(terminal, "rank 3");
	else if (!strcmp(key, "Ctrl-L"))
		terminal_redraw(terminal);
	return strcmp(key, "q") != 0;
}

int main(int argc, char **argv)
{
	struct terminal_wish wish = {.color = true};
	struct complaint why = {0};
	struct show show = {.theme = THEME_DARK};
	struct terminal *terminal;
	bool on = true;

	for (int i = 1; i < argc; i++) {
		wish.color = wish.color && strcmp(argv[i], "mono") != 0;
		wish.mouse = show.mouse = wish.mouse || !strcmp(argv[i], "mouse");
		show.theme = !strcmp(argv[i], "light") ? THEME_LIGHT : show.theme;
	}
	terminal = terminal_open(&wish, &why);
	if (!terminal) {
		fprintf(stderr, "screen: %s\n", complaint_text(&why));
		complaint_release(&why);
		return 2;
	}
	while (on) {
		struct terminal_event event;

		draw(&show, terminal);
		event = terminal_wait(terminal, 60000);
		if (event.what == TERMINAL_GONE)
			break;
		if (event.what == TERMINAL_TIMEOUT)
			continue;
		note(&show, &event);
		if (event.what == TERMINAL_KEY)
			on = obey(&show, terminal, event.key.name);
	}
	terminal_close(terminal);
	cells_release(&show.cells);
	return on ? 4 : 0;
}
