/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_CHILD_KIND_H
#define DECODE_CHILD_KIND_H

/*
 * Returns what a child of a rank is for, in words for people: "DataLoader worker", "inductor
 * compile worker". `comm` is the name that its main thread gave itself, `command` its command line,
 * words separated by blanks; either may be NULL. "" if neither tells. The result is a literal.
 */
const char *child_kind_name(const char *comm, const char *command) __attribute__((returns_nonnull));

#endif
