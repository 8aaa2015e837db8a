/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html-data.h: what the page is drawn from, as one JSON object:
 *
 *	outlook class confidence sign headline job origin	texts; sign: "alarm" "warn" "good"
 *	live		true or false
 *	from		begin of the time, ms since 1970; all other times are ns from there
 *	span		how long it is
 *	fork		when all went wrong, null not known
 *	states		name, colour on dark and on light ground, by the order of enum track_state
 *	ordinary	the last ordinary one of them (track.h)
 *	lost		which of them is: not kept
 *	kinds		names of events
 *	texts		names and cites, which the rest has by number
 *	rows		a rank each, who is blamed first:
 *	  label who blamed words; loses: something that was recorded of it is gone
 *	  spans		five numbers each: from the end of the one before to its begin, how long it
 *			is, its state (+ 256: it goes on at the end), its name, its cite
 *	  events	four each: when (-1 not known), kind, name, cite
 *	panes		name and lines of each: text, cite, kind of line, its row (-1), when
 *	short		intervals below so many ns stand together as one, where they are too many; 0
 *
 * Texts from outside are escaped as for a terminal: nothing in them is unseen or turns a line
 * round. "<" never stands in it, so that no text ends the element that it lies in.
 */
#ifndef VIEWER_HTML_DATA_H
#define VIEWER_HTML_DATA_H

#include "viewer/pane/pane.h"

/* So many intervals have lines of their own; of more, the shortest neighbours are drawn as one. */
#define HTML_SPANS 400000

/* Appends the data. forked: since when the job could not go on; JOB_UNKNOWN. */
void html_data_write(const struct scene *scene, int64_t forked, struct str *into)
	__attribute__((nonnull));

#endif
