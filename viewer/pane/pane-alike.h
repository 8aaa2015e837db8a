/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pane-alike.h: what is said of each rank, told once for all of whom the same is said. Numbers that
 * may differ between them become a range: "cache 0-2,4-7: 412-415 files, warm".
 */
#ifndef VIEWER_PANE_ALIKE_H
#define VIEWER_PANE_ALIKE_H

#include "viewer/pane/pane-words.h"

/* What a number is of. */
enum alike_unit { ALIKE_COUNT, ALIKE_TIME, ALIKE_BYTES };

/* What is said of one rank. */
struct alike {
	const char *key;  /* "host": lines of one key stand together, in the order of `section` */
	unsigned section;
	const char *text; /* lives as long as this */
	struct rank_index rank;
	int64_t number;	  /* JOB_UNKNOWN: none */
	enum alike_unit unit;
	const char *before, *after; /* of the number: "", " files" */
	bool quoted;	  /* the text is somebody's words */
	bool last;	  /* the number stands behind the text, not in front of it */
	const char *cite;
};

/* All that is said. {0} at first; alikes_tell() leaves it so. */
struct alikes {
	ARRAY(struct alike) all;
};

/* Adds one, whose number is JOB_UNKNOWN; the caller fills in what else there is. */
struct alike *alikes_add(struct alikes *alikes, unsigned section, const char *key, const char *text,
	struct rank_index rank, const char *cite);

/* Adds lines of all that was said, at most `most` for a key, and forgets it. */
void alikes_tell(struct alikes *alikes, const struct pane_fill *fill, size_t most);

#endif
