/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/pane-words.h"

const struct pane panes[PANES_ALL] = {
	[PANE_VERDICT] = {"verdict", pane_fill_verdict, .by_height = true},
	[PANE_STACKS] = {"stacks", pane_fill_stacks, .by_row = true,
		.find = pane_find_stacks, .items = "stack lines"},
	[PANE_EVENTS] = {"events", pane_fill_events, .timed = true, .by_row = true,
		.find = pane_find_events, .items = "events"},
	[PANE_GROUPS] = {"groups", pane_fill_groups, .by_row = true},
	[PANE_RECEIPT] = {"receipt", pane_fill_receipt, .by_row = false},
	[PANE_DIFFER] = {"where stacks differ", pane_fill_differ, .by_row = true},
	[PANE_LASTWORDS] = {"last words", pane_fill_lastwords, .by_row = false},
};
