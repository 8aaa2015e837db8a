/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_SOURCE_H
#define EVIDENCE_SOURCE_H

/*
 * The first seam: where exhibits come from. A source is one `const struct source`, listed once in
 * source.c; behind it nobody knows where bytes came from.
 */

#include <stdbool.h>

#include "base/complaint.h"
#include "evidence/format/exhibit.h"

struct source {
	const char *name;
	/* True if this argument is for this source. A cheap look without side effect. */
	bool (*claims)(const char *arg);
	/*
	 * Adds all evidence that there is to `into`. Returns 0, or negative with words if there is
	 * none at all; a missing part is a gap, not an error.
	 */
	int (*gather)(const char *arg, struct evidence *into, struct complaint *why);
};

extern const struct source source_bundle; /* a bundle, or a folder of bundles */
extern const struct source source_core;	  /* cores, or a folder of them; bundles must be gathered
					   * before */
extern const struct source source_flight; /* dumps of PyTorch's Flight Recorder, or a folder */
extern const struct source source_log;	  /* logs of a job, or a folder of them */
extern const struct source source_live;	  /* a job folder, a job's id or name, a pid of its */

/*
 * Returns the first source that claims the argument (bundle, core, flight, log, live); NULL if none
 * does.
 */
const struct source *source_of(const char *arg);

#endif
