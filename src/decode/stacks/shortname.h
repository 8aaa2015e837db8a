/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SHORTNAME_H
#define DECODE_SHORTNAME_H

#include <stdbool.h>

#include "base/str.h"

/*
 * Appends the name of the function that a C++ demangler has written as a declaration: its scopes
 * and itself, without the type that it returns, parameters, arguments of templates, tags and
 * qualifiers. "c10d::{lambda}::operator()" for "void c10d::{lambda(int)#2}::operator()<int>(int)
 * const". False, and nothing appended, if brackets do not match or no name stands there. Any text
 * is fine, and is looked at once.
 */
bool shortname_add(struct str *into, const char *declaration) __attribute__((nonnull));

#endif
