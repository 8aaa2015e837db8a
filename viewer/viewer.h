/* SPDX-License-Identifier: Apache-2.0 */
/*
 * viewer.h: the viewer, as others see it. It knows a sealed job and its verdicts, and nothing of
 * where they came from: `reload` gives the next ones. Nothing in it can touch the job.
 */
#ifndef VIEWER_VIEWER_H
#define VIEWER_VIEWER_H

#include "base/complaint.h"
#include "base/str.h"
#include "verdict/verdict.h"
#include "viewer/term/style.h"

/* One sealed look at a job; `release` frees it, NULL: nothing to free. */
struct view_look {
	const struct verdicts *verdicts; /* with their job */
	const char *origin;		 /* "live job sft-41", "sft-41.inq" */
	size_t others;			 /* jobs that are there as well, and not shown */
	const char *left_out;		 /* which, and how to see them; NULL where there is none */
	bool live;
	void (*release)(struct view_look *look);
	void *own;
};

/* Where looks come from. */
struct view_source {
	/*
	 * Gives the next look, or the first. 0, 1: nothing new, negative with words. Blocks
	 * shortly.
	 */
	int (*reload)(void *context, struct view_look *into, struct complaint *why);
	/*
	 * Of several jobs: appends which there are, a line each of what chooses it, a tab and what
	 * it is; or, of that number or name, lets the next reload give it: that one blocks until it
	 * is there. 0, or negative with words. NULL: the source has one job.
	 */
	int (*choose)(void *context, const char *job, struct str *list, struct complaint *why);
	void *context;
	int every_ms; /* how often to ask while following; 0: never again */
};

/* How the viewer looks, and what it may do. */
struct view_options {
	bool color, utf8, mouse, clipboard;
	enum theme theme;
	const char *keys; /* a script of keys that come first; NULL none */
	const char *export_folder; /* where P writes; NULL: the current one */
};

/* How a screen is written, and what a document is. */
enum view_format { VIEW_TEXT, VIEW_SVG };
enum view_document { VIEW_HTML, VIEW_PERFETTO };

/* Runs on the terminal, until the user quits: 0. Negative with words where there is none. */
int view_run(const struct view_source *source, const struct view_options *options,
	struct complaint *why) __attribute__((nonnull));

/* Appends one screen of w x h cells, after the script of keys. 0 or negative with words. */
int view_render(const struct view_source *source, const struct view_options *options, int w, int h,
	enum view_format format, struct str *into, struct complaint *why) __attribute__((nonnull));

/*
 * Appends the whole timeline of one look: a page for browsers (export/html.h) or a trace for
 * Perfetto (export/perfetto.h). 0 or negative with words.
 */
int view_document(const struct view_source *source, enum view_document what, struct str *into,
	struct complaint *why) __attribute__((nonnull));

#endif
