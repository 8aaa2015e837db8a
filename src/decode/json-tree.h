/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JSON_TREE_H
#define DECODE_JSON_TREE_H

/*
 * JSON as a tree of values. A reader of its own, since of another's dump that was cut the part that
 * is there counts, and json-c (evidence/format/json-get.h) says nothing of a document that is cut.
 * It also takes the NaN and Infinity that Python writes.
 */

#include <stddef.h>
#include <stdint.h>

#include "decode/flight/value.h"

/* Reads a document onto the stack, as pickle_read() does. */
void json_tree_read(const uint8_t *bytes, size_t len, struct value_stack *stack);

#endif
