/* SPDX-License-Identifier: Apache-2.0 */
#include "job/names.h"

#include <stddef.h>

#include "job/job.h"

/* What op.def tells of a kind beside its name. */
enum trait {
	P2P = 1,
	ROOTED = 2,
	REDUCES = 4,
	MOVES = 8,
	SOME = 16,
	BARE = 32,
};

static const struct {
	const char *name;
	unsigned traits;
} ops[JOB_OP_KINDS] = {
#define OP(upper, name, traits) {name, traits},
#include "lists/op.def"
#undef OP
};

static const char *const spans[JOB_SPAN_KINDS] = {
	NULL,
#define SPAN(upper, name) name,
#include "lists/span.def"
#undef SPAN
};

static const char *const dtypes[] = {
#define DTYPE(name) name,
#include "lists/sig.def"
};

static const char *const redops[] = {
#define REDOP(name) name,
#define REDOP_AT(number, name) [number] = name,
#include "lists/sig.def"
};

const char *job_op_name(uint8_t op)
{
	return ops[op < JOB_OP_KINDS ? op : JOB_OP_NONE].name;
}

const char *job_dtype_name(uint8_t dtype)
{
	if (dtype == JOB_DTYPE_BYTES)
		return "bytes";
	return dtype < sizeof(dtypes) / sizeof(dtypes[0]) ? dtypes[dtype] : NULL;
}

const char *job_redop_name(uint8_t redop)
{
	return redop < sizeof(redops) / sizeof(redops[0]) ? redops[redop] : NULL;
}

static bool has(uint8_t op, enum trait trait)
{
	return op < JOB_OP_KINDS && ops[op].traits & trait;
}

bool job_op_is_p2p(uint8_t op)
{
	return has(op, P2P);
}

bool job_op_is_rooted(uint8_t op)
{
	return has(op, ROOTED);
}

bool job_op_reduces(uint8_t op)
{
	return has(op, REDUCES);
}

bool job_op_only_moves(uint8_t op)
{
	return has(op, MOVES);
}

bool job_op_is_for_some(uint8_t op)
{
	return has(op, SOME);
}

bool job_op_carries(uint8_t op)
{
	return !has(op, BARE);
}

const char *job_span_kind_name(unsigned kind)
{
	return kind < JOB_SPAN_KINDS ? spans[kind] : NULL;
}
