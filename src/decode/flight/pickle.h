/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_PICKLE_H
#define DECODE_PICKLE_H

/*
 * A pickle of plain data: what torch::jit::Pickler writes for dicts, lists, tuples, texts, numbers
 * (protocol 2, without type tags), and what Python's pickle.dump() does for the same (protocols 2
 * to 5). A pickle is a program; of its opcodes only those are known here that push plain data. All
 * else ends the reading, in words that name it: GLOBAL, REDUCE, BUILD and their kin, with which a
 * pickle runs what its writer wanted, are never carried out.
 */

#include <stddef.h>
#include <stdint.h>

#include "decode/flight/value.h"

/*
 * Reads into stack->root. The first four members of stack are set, the rest is {0};
 * value_stack_release() it afterwards. Where stack->damage is set the root is what was complete.
 * Bytes behind the end are such damage too.
 */
void pickle_read(const uint8_t *bytes, size_t len, struct value_stack *stack);

#endif
