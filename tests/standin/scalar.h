/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STANDIN_SCALAR_H
#define TESTS_STANDIN_SCALAR_H

/*
 * The reference: NCCL's types one element at a time, in double and 64-bit integers, with nothing
 * taken from the stand-in. The small floats are tables: decoded by the definition of their
 * format, encoded by looking for the nearest entry.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nccl.h"

size_t scalar_bytes(ncclDataType_t type);
bool scalar_is_real(ncclDataType_t type);
/* Makes a pseudo-random finite element; the same for the same seed. */
void scalar_make(ncclDataType_t type, uint64_t seed, void *ret);
/* Puts "a op b", rounded to the type, into a; op is sum, prod, max or min. */
void scalar_fold(ncclDataType_t type, ncclRedOp_t op, void *a, const void *b);
/* Do what ncclAvg does: to each input before the sum (floats), to the sum after it (integers). */
void scalar_before_average(ncclDataType_t type, int ranks, void *element);
void scalar_after_average(ncclDataType_t type, int ranks, void *element);
/* True if both are equal, or both not a number; zeroes of both signs are equal. */
bool scalar_equal(ncclDataType_t type, const void *a, const void *b);

#endif
