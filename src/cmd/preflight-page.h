/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_PREFLIGHT_PAGE_H
#define CMD_PREFLIGHT_PAGE_H

/* What a preflight found, for people, for programs, and as one line for a log. */

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "preflight/preflight.h"

struct preflight_page_options {
	bool strict; /* what is warned of counts as failing */
	/* also what is merely worth knowing, a line each */
	bool all;
	bool color;
};

/* True if the machine is not ready. */
bool preflight_page_fails(const struct preflight *preflight, bool strict) __attribute__((nonnull));

/*
 * Appends the answer on one line: "NOT READY: 1 thing fails, 2 warn: " and the first that fails, or
 * "NOTHING FAILS: 2 warn, 3 not looked at". It is escaped, and at most `width` columns wide.
 */
void preflight_page_line(const struct preflight *preflight, bool strict, size_t width,
	struct str *into) __attribute__((nonnull));

/*
 * Writes the page: first what fails, then what is warned of, what is well, what was not looked at.
 */
void preflight_page_print(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file) __attribute__((nonnull));

/* Writes one document of schema inquest-preflight/1. */
void preflight_page_json(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file) __attribute__((nonnull));

#endif
