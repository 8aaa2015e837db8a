/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_PICKLE_H
#define DECODE_PICKLE_H

/*
 * Reads a pickle of plain data: what torch::jit::Pickler writes for dicts, lists, tuples, texts,
 * numbers (protocol 2, without type tags), and what Python's pickle.dump() does for the same
 * (protocols 2 to 5). A pickle is a program, and only those opcodes are known here that push plain
 * data. All others end the reading, in words that name them: GLOBAL, REDUCE, BUILD and their kin,
 * with which a pickle runs what its writer wanted, are never carried out.
 */

#include <stddef.h>
#include <stdint.h>

#include "decode/flight/value.h"

/*
 * Reads into stack->root. The caller sets the first four members of stack, leaves the rest {0}, and
 * calls value_stack_release() afterwards. If stack->damage is set the root is what was complete.
 * Bytes behind the end are such damage too.
 */
void pickle_read(const uint8_t *bytes, size_t len, struct value_stack *stack);

#endif
