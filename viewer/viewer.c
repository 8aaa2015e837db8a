/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop: input and new looks go into the state, the state becomes cells, cells are shown. It
 * sleeps until something of that comes, and draws once for all that came together.
 *
 * HOW OFTEN IT LOOKS. Looking costs the machine that the job runs on. So it asks for the next look
 * when `every_ms` are over and what the last one took (processor time, drawing included) is no more
 * than a thirtieth of the time since; where nobody has pressed a key for a while, half a hundredth.
 * Frozen, or without anything to follow, it asks for none and sleeps until a key comes.
 */
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "viewer/draw.h"
#include "viewer/export/export.h"
#include "viewer/export/html.h"
#include "viewer/export/perfetto.h"
#include "viewer/term/svg.h"
#include "viewer/term/terminal.h"

#define BUSY_SHARE   30  /* of the time may go by, for one of looking, while somebody is there */
#define IDLE_SHARE   200 /* and while nobody is */
#define IDLE_AFTER   (10 * CLOCK_NS_PER_S)
#define ASK_AGAIN_MS 100 /* a look that is under way */
#define TICK_MS	     1000 /* countdowns */
#define AFTER_ERROR  (5 * CLOCK_NS_PER_S)
#define AT_ONCE	     256 /* events that are taken in before the screen is drawn */

/* A viewer that runs. */
struct loop {
	const struct view_source *source;
	const struct view_options *options;
	struct terminal *terminal; /* NULL: a picture only */
	struct state *state;
	struct cells cells;
	struct view_look look; /* what the state looks at */
	int64_t loaded;	       /* monotonic ns, of the last look */
	int64_t began;	       /* processor ns when it was asked for */
	int64_t cost;	       /* processor ns that it took */
	int64_t touched;       /* monotonic ns, of the last input */
	int64_t failed;	       /* of the last error; 0: the last look was fine */
	bool asking;	       /* a look is under way */
	bool dirty;	       /* the screen is not what the state says */
	bool over;
};

/* Returns the processor time of ourselves, or of our children, in ns. */
static int64_t used_ns(int who)
{
	struct rusage used = {0};

	getrusage(who, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * CLOCK_NS_PER_S +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * CLOCK_NS_PER_US;
}

/* Returns the processor time of all threads, and of the helpers that read what may block. */
static int64_t processor_ns(void)
{
	return used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);
}

/* Frees a look. */
static void release_look(struct view_look *look)
{
	if (look->release)
		look->release(look);
	*look = (struct view_look){0};
}

/* Takes the next look, if there is one: 0; 1 not yet, or negative with words. */
static int load(struct loop *loop, struct complaint *why)
{
	struct view_look next = {0};
	int err = loop->source->reload(loop->source->context, &next, why);

	if (err)
		return err;
	state_load(loop->state, next.verdicts->job, next.verdicts, next.origin, next.live,
		next.verdicts->job->gathered);
	state_set_others(loop->state, next.others, next.left_out);
	release_look(&loop->look);
	loop->look = next;
	loop->loaded = clock_monotonic_ns();
	loop->dirty = true;
	return 0;
}

/* Makes cells of the state. */
static void draw(struct loop *loop)
{
	draw_screen(loop->state, &loop->cells);
}

/* -- what keys ask of the outside ------------------------------------------------------------ */

/* Appends a document of the whole, whatever is on the screen. */
static void write_document(const struct loop *loop, enum view_document what, struct str *into)
{
	int64_t forked;
	const struct scene *scene = state_scene(loop->state, &forked);

	if (what == VIEW_HTML)
		html_write(scene, forked, into);
	else
		perfetto_write(scene, into);
}

/*
 * Writes what the name's end asks for: a document, or what is on the screen. 0, or negative with
 * words.
 */
static int export_as_named(struct loop *loop, const char *name, struct str *ret_path,
	struct complaint *why)
{
	const char *folder = loop->options->export_folder;
	bool page = export_is(name, "html"), trace = export_is(name, "pftrace");
	struct str text = {0};
	int err;

	if (!page && !trace) {
		draw(loop);
		return export_cells(
			&loop->cells, state_theme(loop->state), folder, name, ret_path, why);
	}
	write_document(loop, page ? VIEW_HTML : VIEW_PERFETTO, &text);
	err = export_text(&text, folder, name, "html", ret_path, why);
	str_release(&text);
	return err;
}

/* Writes a file, and says so. */
static void say_export(struct loop *loop, const char *name)
{
	struct complaint why = {0};
	struct str path = {0}, words = {0};

	if (export_as_named(loop, name, &path, &why) < 0)
		str_printf(&words, "not written: %s", complaint_text(&why));
	else
		str_printf(&words, "written to %s", str_text(&path));
	state_say(loop->state, words.text);
	str_release(&path);
	str_release(&words);
	complaint_release(&why);
}

/* Copies a text to the clipboard, if that is allowed. */
static void copy(struct loop *loop, const char *text)
{
	if (!loop->terminal || !loop->options->clipboard) {
		state_say(loop->state, "nothing copied: start with --clipboard to allow it");
		return;
	}
	terminal_copy(loop->terminal, text);
	state_say(loop->state, "copied");
}

/* Tells how old a record is, on a terminal; a picture of it is always the same. */
static void tell_age(struct loop *loop)
{
	if (loop->terminal && loop->look.verdicts && !loop->look.live)
		state_set_now(loop->state, clock_realtime_ns());
}

/* Looks at another job from the beginning; what is no rank's or time's stays. */
static void begin_job(struct loop *loop)
{
	struct state *old = loop->state;
	struct complaint why = {0};

	loop->state = state_new();
	state_be_like(loop->state, old);
	if (load(loop, &why)) {
		state_free(loop->state);
		loop->state = old;
		state_say(old, complaint_text(&why));
	} else {
		state_free(old);
		tell_age(loop);
	}
	complaint_release(&why);
}

/* Lists the source's jobs, or takes another one. */
static void choose_job(struct loop *loop, const char *job)
{
	struct complaint why = {0};
	struct str list = {0};
	bool told = !*job;
	int err = 0;

	if (loop->source->choose)
		err = loop->source->choose(loop->source->context, job, &list, &why);
	if (!loop->source->choose)
		state_say(loop->state, loop->look.live
				? "`inquest ls' lists live jobs, `inquest view JOB' shows one"
				: "there is one job");
	else if (err < 0)
		state_say(loop->state, complaint_text(&why));
	else if (told)
		state_list_jobs(loop->state, str_text(&list));
	else
		begin_job(loop);
	str_release(&list);
	complaint_release(&why);
}

/* Takes the mouse, or leaves it. */
static void set_mouse(struct loop *loop, bool on)
{
	if (loop->terminal)
		terminal_set_mouse(loop->terminal, on);
	state_say(loop->state, on ? "mouse on" : "mouse off");
}

/* Does what the state asks for. */
static void take_effect(struct loop *loop, enum state_effect effect, const char *argument)
{
	switch (effect) {
	case EFFECT_QUIT:
		loop->over = true;
		break;
	case EFFECT_SUSPEND:
		if (loop->terminal)
			terminal_suspend(loop->terminal);
		break;
	case EFFECT_REDRAW:
		if (loop->terminal)
			terminal_redraw(loop->terminal);
		break;
	case EFFECT_EXPORT:
		say_export(loop, argument ? argument : "");
		break;
	case EFFECT_COPY:
		copy(loop, argument ? argument : "");
		break;
	case EFFECT_MOUSE:
		set_mouse(loop, !argument || strcmp(argument, "off"));
		break;
	case EFFECT_JOB:
		choose_job(loop, argument ? argument : "");
		break;
	case EFFECT_NONE:
		break;
	}
}

/* Does all that it asks for. */
static void take_effects(struct loop *loop)
{
	const char *argument = NULL;
	enum state_effect effect;

	while (!loop->over && (effect = state_effect(loop->state, &argument)) != EFFECT_NONE)
		take_effect(loop, effect, argument);
}

/* Takes one key. */
static void take_key(struct loop *loop, const char *name)
{
	int w, h;

	/* In scripts only, and on a terminal its size is what it is. */
	if (keys_size(name, &w, &h)) {
		if (!loop->terminal)
			state_resize(loop->state, w, h);
		return;
	}
	state_key(loop->state, name);
	take_effects(loop);
	loop->dirty = true;
}

/* Takes the keys that come before all others. 0, or negative with words. */
static int play(struct loop *loop, struct complaint *why)
{
	struct key *keys = NULL;
	size_t n = 0, line = 0;

	if (!loop->options->keys)
		return 0;
	if (keys_parse(loop->options->keys, &keys, &n, &line) < 0)
		return complaint_set(why, "no such key, in line %zu of the script", line);
	for (size_t i = 0; i < n && !loop->over; i++)
		take_key(loop, keys[i].name);
	free(keys);
	return 0;
}

/* Takes the first look, at this size, and plays the script. 0, or negative with words. */
static int begin(struct loop *loop, int w, int h, struct complaint *why)
{
	const struct view_options *options = loop->options;

	loop->state = state_new();
	state_set_utf8(loop->state, options->utf8);
	state_set_theme(loop->state, options->color ? options->theme : THEME_MONO);
	state_resize(loop->state, w, h);
	if (load(loop, why) < 0)
		return -1;
	loop->cost = processor_ns() - loop->began;
	return play(loop, why);
}

/* Frees all but the terminal. */
static void end(struct loop *loop)
{
	state_free(loop->state);
	release_look(&loop->look);
	cells_release(&loop->cells);
}

/* -- on the terminal --------------------------------------------------------------------------- */

/* True while a live job is followed. */
static bool follows(const struct loop *loop)
{
	return loop->source->every_ms > 0 && loop->look.live && !state_is_frozen(loop->state);
}

/* Returns when the next look is due, by the clock that loop->loaded has. */
static int64_t due(const struct loop *loop)
{
	bool idle = clock_monotonic_ns() - loop->touched > IDLE_AFTER;
	int64_t after = loop->cost * (idle ? IDLE_SHARE : BUSY_SHARE);
	int64_t least = loop->source->every_ms * CLOCK_NS_PER_MS;

	if (loop->failed)
		return loop->failed + AFTER_ERROR;
	return loop->loaded + (after > least ? after : least);
}

/* Takes the next look, if it is due. */
static void follow(struct loop *loop)
{
	struct complaint why = {0};
	int err;

	if (!loop->asking && clock_monotonic_ns() < due(loop))
		return;
	if (!loop->asking)
		loop->began = processor_ns();
	err = load(loop, &why);
	loop->asking = err > 0;
	if (err < 0) {
		if (!loop->failed)
			state_say(loop->state, complaint_text(&why));
		loop->failed = clock_monotonic_ns();
		loop->dirty = true;
	} else if (!err) {
		loop->cost = processor_ns() - loop->began;
		loop->failed = 0;
	}
	complaint_release(&why);
}

/* Returns how long to sleep, in ms: -1 until a key comes. */
static int patience(const struct loop *loop)
{
	int64_t left;

	if (!follows(loop))
		return -1;
	if (loop->asking)
		return ASK_AGAIN_MS;
	left = (due(loop) - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
	return left < 0 ? 0 : left < TICK_MS ? (int)left + 1 : TICK_MS;
}

/* Takes the terminal's size. */
static void take_size(struct loop *loop)
{
	int w, h;

	terminal_size(loop->terminal, &w, &h);
	state_resize(loop->state, w, h);
	loop->dirty = true;
}

/* Takes what comes within so many ms; false: nothing did. */
static bool take_event(struct loop *loop, int ms)
{
	struct terminal_event event = terminal_wait(loop->terminal, ms);

	switch (event.what) {
	case TERMINAL_KEY:
		take_key(loop, event.key.name);
		break;
	case TERMINAL_MOUSE:
		if (event.up)
			state_mouse_up(loop->state, event.x);
		else
			state_mouse(loop->state, event.x, event.y, event.turn, event.zoom);
		take_effects(loop);
		loop->dirty = true;
		break;
	case TERMINAL_RESIZED:
		take_size(loop);
		break;
	case TERMINAL_GONE:
		loop->over = true;
		break;
	case TERMINAL_TIMEOUT:
		return false;
	}
	loop->touched = clock_monotonic_ns();
	return true;
}

/* Shows the screen, if it is not what the state says. */
static void show(struct loop *loop)
{
	if (!loop->dirty)
		return;
	draw(loop);
	terminal_show(loop->terminal, &loop->cells, state_theme(loop->state));
	loop->dirty = false;
}

/* Has the countdowns go on between two looks. */
static void tick(struct loop *loop)
{
	int64_t gathered = loop->look.verdicts->job->gathered;

	if (gathered == JOB_UNKNOWN)
		return;
	state_set_now(loop->state, gathered + clock_monotonic_ns() - loop->loaded);
	loop->dirty = true;
}

/* Sleeps, shows, and takes what has come. */
static void turn(struct loop *loop)
{
	int ms = patience(loop);

	show(loop);
	for (int i = 0; i < AT_ONCE && !loop->over && take_event(loop, i ? 0 : ms); i++)
		;
	if (loop->over || !follows(loop))
		return;
	if (!loop->asking)
		tick(loop);
	follow(loop);
}

int view_run(const struct view_source *source, const struct view_options *options,
	struct complaint *why)
{
	const struct terminal_wish wish = {options->color, options->mouse, options->theme};
	struct loop loop = {.source = source, .options = options, .dirty = true};
	int w, h, err;

	loop.began = processor_ns();
	loop.touched = clock_monotonic_ns();
	loop.terminal = terminal_open(&wish, why);
	if (!loop.terminal)
		return -1;
	terminal_size(loop.terminal, &w, &h);
	err = begin(&loop, w, h, why);
	if (!err)
		tell_age(&loop);
	while (!err && !loop.over)
		turn(&loop);
	terminal_close(loop.terminal);
	end(&loop);
	return err;
}

int view_render(const struct view_source *source, const struct view_options *options, int w, int h,
	enum view_format format, struct str *into, struct complaint *why)
{
	struct loop loop = {.source = source, .options = options};
	int err = begin(&loop, w, h, why);

	if (!err)
		draw(&loop);
	if (!err && format == VIEW_SVG)
		svg_write(&loop.cells, state_theme(loop.state), into);
	else if (!err)
		cells_text(&loop.cells, into);
	end(&loop);
	return err;
}

int view_document(const struct view_source *source, enum view_document what, struct str *into,
	struct complaint *why)
{
	const struct view_options plain = {.utf8 = true};
	struct loop loop = {.source = source, .options = &plain};
	int err = begin(&loop, 80, 24, why);

	if (!err)
		write_document(&loop, what, into);
	end(&loop);
	return err;
}
