/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expected.h: the expected verdict of a demo's job (fixtures/scenarios/scenario.h describes the
 * file), and its comparison with what was said.
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
	const char *cause, *where, *outlook, *limit; /* NULL: not looked at */
	int64_t seed;
	int ranks;
	int exit_status;
	int stands_s;
	int confine_mib;
	int ends_s; /* 0: nobody ends it */
	bool over; /* to be judged from its bundle, after its end */
};

/* Reads it. 0, or negative with words. */
int expected_read(struct expected *expected, const char *path, struct complaint *why);

/* True if exactly this one culprit is blamed. */
bool expected_blames_only(const struct expected *expected, int rank);

/*
 * True if this is the expected verdict; if not, appends to ret_wrong how it differs. Only the first
 * verdict counts.
 */
bool expected_is(const struct expected *expected, const struct look *look, struct str *ret_wrong);

/*
 * Returns the world rank that a verdict blames although it had no part in the fault; -1 if there is
 * none.
 */
int expected_innocent(const struct expected *expected, const struct look *look);

/* Frees the document with all strings, and leaves the empty one. Takes the empty one. */
void expected_release(struct expected *expected);

#endif
