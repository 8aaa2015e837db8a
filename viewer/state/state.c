/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is looked at, and who takes a key. Where a new look comes in, all that is made of a job is
 * made anew, and what the user had chosen is carried over by world rank: an index may be another
 * rank's in the next look, a number is not.
 */
#include "viewer/state/state-private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "job/ranks.h"
#include "viewer/pane/pane-seats.h"
#include "viewer/pane/treelines.h"
#include "viewer/timeline/lates.h"
#include "viewer/timeline/timeline.h"
#include "words/escape.h"

struct state *state_new(void)
{
	struct state *state = alloc_zeroed(1, sizeof(*state));

	state->w = 80;
	state->h = 24;
	state->rank = state->laned = NO_RANK;
	state->row = -1;
	state->pressed = -1;
	state->bounds = state->window = (struct window){0, 1};
	state->forked = JOB_UNKNOWN;
	state->fork.scale = 1;
	state->search.rank = NO_RANK;
	state->lines.lines.here = -1;
	for (size_t i = 0; i < STATE_ASIDES; i++)
		state->asides[i].lines.lines.here = -1;
	for (size_t i = 0; i < PANES_ALL; i++) {
		state->kept[i].lines.here = -1;
		state->item[i] = PANE_NO_ITEM;
	}
	for (size_t i = 0; i < STATE_MARKS; i++)
		state->marks[i].rank = NO_RANK;
	return state;
}

/* Lines of panes, and trees that they are made of. */
static void unload_panes(struct state *state)
{
	pane_lines_release(&state->lines.lines);
	for (size_t i = 0; i < STATE_ASIDES; i++)
		pane_lines_release(&state->asides[i].lines.lines);
	for (size_t i = 0; i < PANES_ALL; i++)
		pane_lines_release(&state->kept[i].lines);
	state_drop_lines(state);
	treelines_free(state->tree_lines);
	treelines_free(state->main_lines);
	stacktree_free(state->tree);
	stacktree_free(state->mains);
	seats_book_free(state->seats);
	state->tree = state->mains = NULL;
	state->tree_lines = state->main_lines = NULL;
	state->seats = NULL;
}

/* Frees all that was made of the job. */
static void unload(struct state *state)
{
	unload_panes(state);
	waits_free(state->waits);
	folds_free(state->folds);
	rows_free(state->rows);
	free(state->shares);
	free(state->strip);
	free(state->minimap);
	lates_free(state->lates);
	pyramid_free(state->pyramid);
	tracks_free(state->tracks);
	free(state->search.hit);
	state->waits = NULL;
	state->folds = NULL;
	state->rows = NULL;
	state->shares = NULL;
	state->strip = NULL;
	state->minimap = NULL;
	state->lates = NULL;
	state->pyramid = NULL;
	state->tracks = NULL;
	state->search.hit = NULL;
	state->search.hit_made = false;
	state_search_uncount(state);
}

void state_free(struct state *state)
{
	if (!state)
		return;
	unload(state);
	free(state->worlds);
	free(state->tagged);
	free(state->expanded);
	str_release(&state->filter);
	str_release(&state->unfiltered);
	str_release(&state->pane_search);
	str_release(&state->help_search);
	str_release(&state->jobs);
	str_release(&state->typing.text);
	str_release(&state->typing.typed);
	str_release(&state->search.text);
	str_release(&state->message);
	str_release(&state->argument);
	for (size_t kind = 0; kind <= PROMPT_COMMAND; kind++)
		for (size_t i = 0; i < state->histories[kind].n; i++)
			free(state->histories[kind].lines[i]);
	free(state);
}

void state_be_like(struct state *state, struct state *old)
{
	state->w = old->w;
	state->h = old->h;
	state->utf8 = old->utf8;
	state->theme = old->theme;
	state->mouse = old->mouse;
	state->touched = true;
	for (size_t kind = 0; kind <= PROMPT_COMMAND; kind++)
		for (size_t i = 0; i < old->histories[kind].n; i++)
			state->histories[kind].lines[state->histories[kind].n++] =
				alloc_text(old->histories[kind].lines[i]);
}

const struct scene *state_scene(const struct state *state, int64_t *ret_forked)
{
	*ret_forked = state->forked;
	return &state->scene;
}

/* -- Loading ---------------------------------------------------------------------------------- */

/* Carries a rank over to the new job; NO_RANK where it is not there any more. */
static void carry(const struct state *state, const struct job *job, struct rank_index *rank)
{
	if (is_rank(*rank))
		*rank = (size_t)rank->i < state->nranks ?
				ranks_find(job, world_rank(state->worlds[rank->i])) :
				NO_RANK;
}

/* Carries a flag of each rank over, and frees the old ones. */
static bool *carry_flags(const struct state *state, const struct job *job, bool *old)
{
	bool *flags = alloc_zeroed(job->nranks + 1, sizeof(*flags));

	for (size_t i = 0; i < state->nranks; i++) {
		struct rank_index rank = rank_index(i);

		if (!old[i])
			continue;
		carry(state, job, &rank);
		if (is_rank(rank))
			flags[rank.i] = true;
	}
	free(old);
	return flags;
}

/* Carries places over; those of ranks that are gone are dropped. */
static void carry_places(const struct state *state, const struct job *job,
	struct state_place *places, size_t *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		carry(state, job, &places[i].rank);
		if (is_rank(places[i].rank))
			places[kept++] = places[i];
	}
	*n = kept;
}

/* Carries over everything that names ranks. */
static void carry_over(struct state *state, const struct job *job)
{
	carry(state, job, &state->rank);
	carry(state, job, &state->laned);
	carry(state, job, &state->search.rank);
	carry(state, job, &state->typing.before.rank);
	state->tagged = carry_flags(state, job, state->tagged);
	state->expanded = carry_flags(state, job, state->expanded);
	carry_places(state, job, state->back, &state->nback);
	carry_places(state, job, state->edges, &state->nedges);
	for (size_t i = 0; i < STATE_MARKS; i++)
		carry(state, job, &state->marks[i].rank);
	state->worlds = alloc_resize(state->worlds, job->nranks + 1, sizeof(*state->worlds));
	job_for_each_rank(job, rank)
		state->worlds[rank.i] = job_rank(job, rank)->world_rank.n;
	state->nranks = job->nranks;
}

/* Makes the trees of stacks, and their lines. */
static void make_trees(struct state *state, const struct job *job)
{
	if (!job->nstacks)
		return;
	state->tree = stacktree_new(job, &(struct stacktree_options){.all = true});
	state->mains = stacktree_new(job, &(struct stacktree_options){0});
	state->tree_lines = treelines_new(state->tree);
	state->main_lines = treelines_new(state->mains);
}

/*
 * Carries the window over. It moves with the end of the evidence where that is followed, or where
 * it was all there is.
 */
static void carry_window(struct state *state, struct window old)
{
	struct window bounds = state->bounds, window = state->window;
	bool all = window.from <= old.from && window.to >= old.to && !state->at_fork;
	bool at_end = state->when >= old.to;

	if (state->forked == JOB_UNKNOWN)
		state->fork.scale = 1;
	else
		state->fork.at = state->forked;
	if (state->at_fork && state->unzoomed.from <= old.from && state->unzoomed.to >= old.to)
		state->unzoomed = bounds;
	if (all)
		state_fit(state);
	else if (state->follow)
		state->window = window_within(bounds, bounds.to, window_span(window));
	else
		state->window = window_within(bounds, window.from, window_span(window));
	if (state->when > bounds.to || (state->follow && at_end))
		state->when = bounds.to;
	if (state->when < state->window.from)
		state->when = state->window.from;
	if (state->measuring && state->anchor > bounds.to)
		state->anchor = bounds.to;
}

/* Says so where the verdict became another. */
static void note_answer(struct state *state, bool first)
{
	const struct verdict *now = &state->scene.verdicts->at[0];
	int culprit = now->culprits.n ? state->worlds[now->culprits.at[0].i] : JOB_NONE;

	if (!first && (now->class != state->class || culprit != state->culprit)) {
		/* Who has pressed no key looks on, and is brought to what there is to be seen. */
		if (!state->touched)
			state_open(state);
		state_tell(state, state->touched ? "the verdict is now %s: ! goes there"
						 : "the verdict is now %s",
			verdict_class_name(now->class));
	}
	state->class = now->class;
	state->culprit = culprit;
}

/* Makes what is made of the tracks alone. */
static void make_of_tracks(void *context, size_t worker, size_t i)
{
	struct state *state = context;

	(void)worker;
	if (i)
		state->lates = lates_new(state->tracks);
	else
		state->pyramid = pyramid_new(state->tracks);
}

void state_load(struct state *state, const struct job *job, const struct verdicts *verdicts,
	const char *origin, bool live, int64_t now)
{
	bool first = !state->scene.job;
	struct window old = state->bounds;

	unload(state);
	state->tracks = tracks_new(verdicts);
	crew_each(2, 2, make_of_tracks, state);
	make_trees(state, job);
	state->seats = seats_book_new(job);
	state->scene = (struct scene){.job = job,
		.verdicts = verdicts,
		.tracks = state->tracks,
		.pyramid = state->pyramid,
		.tree = state->tree,
		.mains = state->mains,
		.tree_lines = state->tree_lines,
		.main_lines = state->main_lines,
		.seats = state->seats,
		.origin = origin,
		.live = live,
		.now = now};
	state->bounds = (struct window){state->tracks->from, state->tracks->to};
	carry_over(state, job);
	state_find_fork(state);
	state->rows_stale = true;
	if (first) {
		state->follow = live;
		state_open(state);
	} else {
		carry_window(state, old);
	}
	note_answer(state, first);
	state_settle(state);
}

/* -- Keys ------------------------------------------------------------------------------------- */

/* Who takes requests, one after another. */
static bool (*const rooms[])(struct state *, enum request) = {
	state_do_move,
	state_do_event,
	state_do_window,
	state_do_rows,
	state_do_find,
	state_do_edge,
	state_do_pane,
	state_do_else,
};

void state_do(struct state *state, enum request request)
{
	bool centred = state->centred;
	size_t evidence = state->evidence;

	if (!state->scene.job && keys_section(request) != SECTION_ELSE) {
		state_tell(state, "nothing is loaded yet");
		return;
	}
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++)
		if (rooms[i](state, request))
			break;
	/* A second f, or another !, means something only right after the first. */
	if (centred && request != REQUEST_FIT_SELECTION)
		state->centred = false;
	if (evidence && request != REQUEST_VERDICT_JUMP)
		state->evidence = 0;
}

void state_key(struct state *state, const char *key)
{
	enum request request;

	state->touched = true;
	str_cut(&state->message, 0);
	if (state->typing.kind != PROMPT_NONE) {
		state_prompt_key(state, key);
	} else if (state->help) {
		state_help_key(state, key);
	} else {
		request = keys_find(key);
		if (request == REQUEST_NONE)
			state_tell(state, "%s means nothing here; ? is help", key);
		else
			state_do(state, request);
	}
	state_settle(state);
}

void state_resize(struct state *state, int w, int h)
{
	state->w = w < 1 ? 1 : w > CELLS_W ? CELLS_W : w;
	state->h = h < 1 ? 1 : h > CELLS_H ? CELLS_H : h;
	state_settle(state);
}

/* -- What follows from it --------------------------------------------------------------------- */

/* Returns how the screen is shared out among so many rows and the panes. */
static struct layout lay(const struct state *state, size_t nrows)
{
	struct layout_wish wish = {.w = state->w,
		.h = state->h,
		.nrows = nrows,
		.pane_only = state->maximised,
		.timeline_only = state->pane_closed,
		.steps = state->scene.job && state->scene.job->nsteps};
	struct layout layout = layout_of(&wish);

	if (layout.kind == LAYOUT_SINGLE && (state->in_pane || state->maximised)) {
		wish.pane_only = true;
		wish.timeline_only = false;
		return layout_of(&wish);
	}
	return layout;
}

/* Returns how many columns a text takes, escaped. */
static int text_columns(const struct state *state, const char *text)
{
	struct str safe = {0};
	size_t columns;

	escape_text(&safe, text, state->utf8);
	columns = escape_width(str_text(&safe));
	str_release(&safe);
	return columns < CELLS_W ? (int)columns : CELLS_W;
}

#define STRIP_WORDS 10 /* columns: "8 own code" */

/*
 * Finds how many columns labels and words at the right take: what they need, up to what the layout
 * gives them.
 */
static void share_columns(struct state *state)
{
	const struct layout *layout = &state->layout;
	int numbers = timeline_has_numbers(state) ? TIMELINE_NUMBERS_W : 0;
	int label = 0, doing = 0;
	struct str words = {0};

	for (size_t i = 0; i < state->rows->n; i++) {
		const struct row *row = &state->rows->at[i];
		int columns = row->depth + (row->culprit && row->loses);

		if (label + 2 < layout->label_w) {
			str_cut(&words, 0);
			str_add(&words, row->label);
			timeline_add_count(state, row, &words, layout->label_w - 2 - columns);
			columns += text_columns(state, str_text(&words));
		}
		label = columns > label ? columns : label;
		if (doing + 2 >= layout->doing_w)
			continue;
		str_cut(&words, 0);
		timeline_add_words(state, row, state->bounds.from, state->bounds.to,
			layout->doing_w - 2 - numbers, &words);
		columns = cells_words_columns(str_text(&words), layout->doing_w - 2, state->utf8);
		doing = columns > doing ? columns : doing;
	}
	str_release(&words);
	doing += numbers;
	/* The strip has its words in the same columns. */
	if (layout->strip.h && doing < STRIP_WORDS)
		doing = STRIP_WORDS;
	state->label = label + 2;
	state->doing = doing + 2;
}

void state_settle(struct state *state)
{
	size_t nranks = state->scene.job ? state->scene.job->nranks : 0;
	struct layout layout = lay(state, nranks);
	bool stale = state->rows_stale;

	if (!state->scene.job) {
		state->layout = layout;
		return;
	}
	if (layout.rows.h > 0 && (size_t)layout.rows.h != state->room) {
		state->room = (size_t)layout.rows.h;
		stale = stale || !state->by_chosen;
	}
	if (stale)
		state_make_rows(state);
	state->layout = lay(state, state->rows->n);
	if (stale || state->measured_w != state->layout.rows.w)
		share_columns(state);
	state->measured_w = state->layout.rows.w;
	layout_fit_rows(&state->layout, state->label, state->doing);
	state->label_w = state->layout.label_w;
	state->doing_w = state->layout.doing_w;
	state->cells_w = state->layout.rows.w - state->label_w - state->doing_w;
	if (state->cells_w < 1)
		state->cells_w = 1;
	state->window = window_within(
		state->bounds, state->window.from, window_span(state->window));
	state_set_when(state, state->when);
	/* Who looks at something earlier must not lose it with the next look at the job. */
	if (state->window.to < state->bounds.to)
		state->follow = false;
	state_find_row(state);
	state_make_lines(state);
}

/* -- Words and effects ------------------------------------------------------------------------ */

void state_tell(struct state *state, const char *format, ...)
{
	va_list args;

	str_cut(&state->message, 0);
	va_start(args, format);
	str_vprintf(&state->message, format, args);
	va_end(args);
}

void state_ask(struct state *state, enum state_effect effect, const char *argument)
{
	struct str copy = {0};

	str_add(&copy, argument); /* it may lie in the old one */
	str_release(&state->argument);
	state->argument = copy;
	state->effect = effect;
}

enum state_effect state_effect(struct state *state, const char **ret_argument)
{
	enum state_effect effect = state->effect;

	*ret_argument = str_text(&state->argument);
	state->effect = EFFECT_NONE;
	return effect;
}

void state_say(struct state *state, const char *text)
{
	state_tell(state, "%s", text);
}

void state_set_others(struct state *state, size_t others, const char *left_out)
{
	state->scene.others = others;
	state->scene.left_out = left_out;
	state_drop_lines(state);
	state_settle(state);
}

bool state_is_frozen(const struct state *state)
{
	return state->frozen;
}

void state_set_now(struct state *state, int64_t now)
{
	const struct scene *scene = &state->scene;

	state->scene.now = now;
	if (!scene->job || !scene->live || scene->verdicts->at[0].watchdog_left == JOB_UNKNOWN)
		return;
	state_drop_countdown(state);
	state_settle(state);
}

void state_set_theme(struct state *state, enum theme theme)
{
	state->theme = theme < THEMES ? theme : THEME_DARK;
}

enum theme state_theme(const struct state *state)
{
	return state->theme;
}

void state_set_utf8(struct state *state, bool utf8)
{
	state->utf8 = utf8;
}
