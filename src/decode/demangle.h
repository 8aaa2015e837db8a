/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DEMANGLE_H
#define DECODE_DEMANGLE_H

/*
 * Names of functions as people write them. Of C++ names (Itanium's mangling) what tells places
 * apart at a glance is kept, scopes and the name itself: parameters and arguments of templates are
 * left out, "at::native::add" for "at::Tensor at::native::add<float>(at::Tensor const&)". Parts
 * that the compiler cut off a function ("fit.cold", "fit.part.0") are called by its name.
 *
 * The names come out of a stranger's symbol table: any bytes are fine, and cost little.
 */

#include "base/str.h"

/* Appends the readable name; a name that is not mangled, or makes no sense, as it is. */
void demangle_add(struct str *into, const char *name) __attribute__((nonnull));

#endif
