/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DEMANGLE_H
#define DECODE_DEMANGLE_H

/*
 * Writes names of functions as people do. C++ names (Itanium's mangling) keep what tells places
 * apart at a glance, scopes and the name itself: parameters and arguments of templates are left
 * out, "at::native::add" for "at::Tensor at::native::add<float>(at::Tensor const&)". Parts that the
 * compiler cut off a function ("fit.cold", "fit.part.0") are called by its name.
 *
 * The C++ runtime's own demangler reads them (libsupc++), and is not trusted with names that may be
 * forged: one that is longer than 1024 bytes, writes more than 64 KiB, or is of the kind that takes
 * it time beyond measure, is shown by the scopes that stand plainly at its beginning,
 * "at::native<...>"; so is one that it does not understand, from two such scopes on. So any bytes
 * are fine, cost less than 1 MiB of stack, and no time to speak of; what is shown is never longer
 * than 64 KiB or twice the name.
 */

#include "base/str.h"

/*
 * Appends the readable name; a name that is not mangled, or makes no sense, is appended as it is.
 * Rust's older mangling looks like C++'s: its scopes are shown, without the hash.
 */
void demangle_add(struct str *into, const char *name) __attribute__((nonnull));

#endif
