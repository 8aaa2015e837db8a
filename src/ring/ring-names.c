/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-names.h"

#include <stddef.h>

#include "ring/ring.h"

#define NAME_OF(table, i) ((i) < sizeof(table) / sizeof(*(table)) ? (table)[i] : NULL)

const char *ring_type_name(unsigned type)
{
	static const char *const names[RING_TYPES] = {
		[RING_CALL_ENTER] = "CALL_ENTER",
		[RING_CALL_EXIT] = "CALL_EXIT",
		[RING_OP_ENTERED] = "OP_ENTERED",
		[RING_WAIT_ENTER] = "WAIT_ENTER",
		[RING_WAIT_EXIT] = "WAIT_EXIT",
		[RING_OP_DONE] = "OP_DONE",
		[RING_SPAN_BEGIN] = "SPAN_BEGIN",
		[RING_SPAN_END] = "SPAN_END",
		[RING_SHARD] = "SHARD",
		[RING_SHAPE] = "SHAPE",
		[RING_DIMS] = "DIMS",
		[RING_STEP] = "STEP",
		[RING_NOTE] = "NOTE",
		[RING_COMM] = "COMM",
		[RING_PROC] = "PROC",
		[RING_SIGNAL] = "SIGNAL",
		[RING_ANCHOR] = "ANCHOR",
		[RING_IDLE] = "IDLE",
		[RING_EDGE] = "EDGE",
		[RING_TRAIT] = "TRAIT",
	};

	return NAME_OF(names, type);
}

const char *ring_op_name(unsigned op)
{
	static const char *const names[RING_OPS] = {
#define OP(upper, name, ...) name,
#include "lists/op.def"
#undef OP
	};

	return NAME_OF(names, op);
}

const char *ring_dtype_name(unsigned dtype)
{
	static const char *const names[] = {"int8", "uint8", "int32", "uint32", "int64", "uint64",
		"float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};

	return NAME_OF(names, dtype);
}

const char *ring_redop_name(unsigned redop)
{
	static const char *const names[] = {"sum", "prod", "max", "min", "avg"};

	return NAME_OF(names, redop);
}

const char *ring_span_kind_name(unsigned kind)
{
	static const char *const names[RING_SPAN_KINDS] = {
		NULL,
#define SPAN(upper, name) name,
#include "lists/span.def"
#undef SPAN
	};

	return NAME_OF(names, kind);
}

const char *ring_milestone_name(unsigned milestone)
{
	static const char *const names[] = {
		[RING_PROC_START] = "start",
		[RING_PROC_RANK] = "rank",
		[RING_PROC_EXIT] = "exit",
		[RING_PROC__EXIT] = "_exit",
		[RING_PROC_EXEC] = "exec",
		[RING_PROC_FORK] = "fork",
		[RING_PROC_ABORT] = "abort",
	};

	return NAME_OF(names, milestone);
}

const char *ring_pin_name(unsigned class)
{
	static const char *const names[RING_PINS] = {
		[RING_PIN_PROC] = "proc",
		[RING_PIN_COMM] = "comm",
		[RING_PIN_COMPILE] = "compile",
		[RING_PIN_CHECKPOINT] = "checkpoint",
		[RING_PIN_SIGNAL] = "signal",
		[RING_PIN_NOTE] = "note",
		[RING_PIN_SHARD] = "empty-shard",
		[RING_PIN_TRAIT] = "trait",
	};

	return NAME_OF(names, class);
}

const char *ring_flag_name(unsigned bit)
{
	static const char *const names[] = {
		"grouped", "captured", "returned", "p2p", "failed", "poll", "closed", "resumed"};

	return NAME_OF(names, bit);
}

const char *ring_group_state_name(unsigned bit)
{
	static const char *const names[] = {"ready", "nonblocking", "finalized", "destroyed",
		"aborted", "revoked", "saw-capture", "host-done", "kernels"};

	return NAME_OF(names, bit);
}
