/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h: a picture of exactly the cells, in a theme's colours; a document of its own. */
#ifndef VIEWER_SVG_H
#define VIEWER_SVG_H

#include "viewer/term/cells.h"

/* Appends the cells as a picture, an SVG document of text. */
void svg_write(const struct cells *cells, enum theme theme, struct str *into)
	__attribute__((nonnull));

#endif
