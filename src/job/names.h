/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h: what the numbers in a signature (struct job_sig) are called. Kinds of ops are those of
 * ring.h, data types and reductions those of nccl.h.
 */
#ifndef JOB_NAMES_H
#define JOB_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* The same numbers as enum ring_op: decoding copies them. */
enum job_op_kind {
#define OP(name, ...) JOB_OP_##name,
#include "lists/op.def"
#undef OP
	JOB_OP_KINDS
};

/* The dtype of an op of which only the bytes are known: its count is in bytes. */
#define JOB_DTYPE_BYTES 0xfe
/* The dtype of an op of which nobody says it: it differs from none. */
#define JOB_DTYPE_UNTOLD 0xfd

/* Returns "AllReduce"; "operation" for a number of no kind. Never NULL. */
const char *job_op_name(uint8_t op);

/* Returns "float32", "bfloat16", "bytes"; NULL for a number that nccl.h 2.30 does not know. */
const char *job_dtype_name(uint8_t dtype);
/* Returns "sum", "max"; NULL for any other number, also the handle of a user-made reduction. */
const char *job_redop_name(uint8_t redop);

/* True for point-to-point calls: they match per peer and never advance the collective order. */
bool job_op_is_p2p(uint8_t op);

/* True for collectives with a root: their `peer` must agree. */
bool job_op_is_rooted(uint8_t op);

/* True for collectives that reduce: their operator must agree. */
bool job_op_reduces(uint8_t op);

/* True for collectives in which each member waits only for some of the others. */
bool job_op_is_for_some(uint8_t op);

/* True for ops that do not look into their data: bytes are bytes, whatever type a side names. */
bool job_op_only_moves(uint8_t op);

/* True for ops that carry data: of others, as of a barrier, the count is no amount. */
bool job_op_carries(uint8_t op);

/* Returns "compile", "input"; NULL for a number of no kind of span (enum job_span_kind). */
const char *job_span_kind_name(unsigned kind);

#endif
