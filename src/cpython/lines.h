/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPYTHON_LINES_H
#define CPYTHON_LINES_H

/* lines.h: CPython's line tables, which say to which line an instruction belongs. */

#include <stddef.h>
#include <stdint.h>

#include "cpython/layout.h"

/*
 * Returns the line of the instruction at `at`; 0 if it is not known, or there is none. `at` is in
 * units of f_lasti: bytes up to 3.9, instructions of two bytes from 3.10 on; negative before the
 * first instruction, which is on the function's own line. Any bytes will do for a table.
 */
uint32_t python_line(
	enum python_lines how, const uint8_t *table, size_t len, uint32_t first_line, int64_t at);

#endif
