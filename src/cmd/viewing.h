/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_VIEWING_H
#define CMD_VIEWING_H

/*
 * Looks at a job for the viewer: gathered and judged as by attach and diagnose, the live job again
 * and again. Looking happens on a thread of its own, so that keys are answered meanwhile; what it
 * costs is for the viewer's loop to weigh.
 */

#include "cmd/choose.h"
#include "viewer/view.h"

struct viewing_wish {
	struct view_options view;
	int w, h; /* a picture of so many cells instead of the terminal; 0: the terminal */
	enum view_format format;
};

/* As environment and locale have it: colours if wanted, their theme, the charset. */
struct view_options viewing_options(void);

/* "always", "never", "auto": for colours, over what the environment says. False: no such word. */
bool viewing_parse_color(const char *word, struct view_options *into);
/* "auto", "dark", "light", "mono". False: no such word. */
bool viewing_parse_theme(const char *word, struct view_options *into);

/* CMD_FINE where the wish can be met: a picture, or stdin and stdout are a terminal that can. */
int viewing_may(const struct viewing_wish *wish);

/* Shows a live job, and follows it. The exit status, after a complaint where it is not fine. */
int viewing_live(struct choice *choice, const struct live_options *options,
	const struct viewing_wish *wish);

/* The same for what a job left. */
int viewing_left(const char *const *paths, size_t n, const struct viewing_wish *wish);

#endif
