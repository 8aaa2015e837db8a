/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ANSI_H
#define BASE_ANSI_H

/* Escapes of terminals, which colour text, or give a window its title. */

#include <stddef.h>

/*
 * Returns the length of an escape: "\033[31m", "\033]0;title\a", "\033M"; 0 if there is none. None
 * goes beyond its line.
 */
size_t escape_length(const char *at, size_t len) __attribute__((nonnull));

#endif
