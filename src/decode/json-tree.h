/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JSON_TREE_H
#define DECODE_JSON_TREE_H

/*
 * JSON as a tree of values. json-c (decode/json-get.h) has nothing to say of a document that is
 * cut, and of another's dump the part that is there counts: hence this reader, which also takes the
 * NaN and Infinity that Python writes.
 */

#include <stddef.h>
#include <stdint.h>

#include "decode/flight/value.h"

/* As pickle_read(). */
void json_tree_read(const uint8_t *bytes, size_t len, struct value_stack *stack);

#endif
