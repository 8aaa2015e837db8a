/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expected verdict of a demo's job (fixtures/scenarios/scenario.h describes the file), and its
 * comparison with the verdict that came out.
 */
#ifndef CMD_EXPECTED_H
#define CMD_EXPECTED_H

#include <stdbool.h>

#include "base/complaint.h"
#include "base/str.h"
#include "cmd/look.h"

struct json_object;

struct expected {
	struct json_object *document; /* owns all strings below */
	const char *scenario;
	const char *class;
	const char *cause, *where, *outlook, *limit; /* NULL: it may be any */
	int64_t seed;
	int ranks;
	int exit_status;
	int stands_s; /* how long the verdict must stand */
	int confine_mib; /* memory limit of the job; 0 none */
	int ends_s; /* when its time is over; 0: nobody ends it */
	bool over; /* it is judged from its bundle, after its end */
};

/* Reads the file. Returns 0, or negative with words. */
int expected_read(struct expected *expected, const char *path, struct complaint *why);

/* True if this rank must be the only culprit. */
bool expected_blames_only(const struct expected *expected, int rank);

/*
 * True if the look's first verdict is the expected one; if not, appends to ret_wrong how it
 * differs.
 */
bool expected_is(const struct expected *expected, const struct look *look, struct str *ret_wrong);

/*
 * Returns the world rank of somebody whom a verdict blames without a part in the fault; -1 if there
 * is nobody.
 */
int expected_innocent(const struct expected *expected, const struct look *look);

/* Frees the document with all strings, and leaves an empty one. Takes an empty one. */
void expected_release(struct expected *expected);

#endif
