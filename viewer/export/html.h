/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h: the timeline as one page for a browser, for a ticket or a chat: verdict, rows, panes. It
 * needs nothing but itself: no file, no network (its own policy forbids both), so it can be sent on
 * and kept. All texts of the job are data to it, never markup.
 *
 * html-page.html is its frame, html-page.css its looks, html-page.js what it does; html-data.h says
 * what it draws from.
 */
#ifndef VIEWER_HTML_H
#define VIEWER_HTML_H

#include "viewer/pane/pane.h"

/*
 * Appends the whole page. forked: since when the job could not go on, where the axis is broken;
 * JOB_UNKNOWN. The same scene gives the same bytes.
 */
void html_write(const struct scene *scene, int64_t forked, struct str *into)
	__attribute__((nonnull));

#endif
