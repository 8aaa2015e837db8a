/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane-words.h"

const struct pane panes[PANES] = {
	[PANE_VERDICT] = {"verdict", pane_fill_verdict, false},
	[PANE_STACKS] = {"stacks", pane_fill_stacks, false},
	[PANE_EVENTS] = {"events", pane_fill_events, true},
	[PANE_GROUPS] = {"groups", pane_fill_groups, false},
	[PANE_RECEIPT] = {"receipt", pane_fill_receipt, false},
};
