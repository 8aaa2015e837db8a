/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-names.h"

#include <stddef.h>

#include "ring/ring.h"

static const char *const types[RING_TYPES] = {
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
	[RING_PORTIONS] = "PORTIONS",
};

static const char *const ops[RING_OPS] = {
#define OP(upper, name, ...) name,
#include "lists/op.def"
#undef OP
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

static const char *const span_kinds[RING_SPAN_KINDS] = {
	NULL,
#define SPAN(upper, name) name,
#include "lists/span.def"
#undef SPAN
};

static const char *const milestones[] = {
	[RING_PROC_START] = "start",
	[RING_PROC_RANK] = "rank",
	[RING_PROC_EXIT] = "exit",
	[RING_PROC__EXIT] = "_exit",
	[RING_PROC_EXEC] = "exec",
	[RING_PROC_FORK] = "fork",
	[RING_PROC_ABORT] = "abort",
};

static const char *const pins[RING_PINS] = {
	[RING_PIN_PROC] = "proc",
	[RING_PIN_COMM] = "comm",
	[RING_PIN_COMPILE] = "compile",
	[RING_PIN_CHECKPOINT] = "checkpoint",
	[RING_PIN_SIGNAL] = "signal",
	[RING_PIN_NOTE] = "note",
	[RING_PIN_SHARD] = "empty-shard",
	[RING_PIN_TRAIT] = "trait",
};

static const char *const flags[] = {
	"grouped", "captured", "returned", "p2p", "failed", "poll", "closed", "resumed"};

static const char *const op_flags[] = {
	"grouped", "captured", "returned", "p2p", "failed", "tagged", "closed", "resumed"};

static const char *const group_states[] = {"ready", "nonblocking", "finalized", "destroyed",
	"aborted", "revoked", "saw-capture", "host-done", "kernels", "from-any",
	"unordered", "any-tag"};

#define LIST(names)                                                                                \
	{                                                                                          \
		names, sizeof(names) / sizeof(*(names))                                            \
	}

static const struct {
	const char *const *names;
	size_t n;
} lists[] = {
	[RING_LIST_TYPES] = LIST(types),
	[RING_LIST_OPS] = LIST(ops),
	[RING_LIST_DTYPES] = LIST(dtypes),
	[RING_LIST_REDOPS] = LIST(redops),
	[RING_LIST_SPAN_KINDS] = LIST(span_kinds),
	[RING_LIST_MILESTONES] = LIST(milestones),
	[RING_LIST_PINS] = LIST(pins),
	[RING_LIST_FLAGS] = LIST(flags),
	[RING_LIST_OP_FLAGS] = LIST(op_flags),
	[RING_LIST_GROUP_STATES] = LIST(group_states),
};

const char *ring_name(enum ring_list list, unsigned number)
{
	return number < lists[list].n ? lists[list].names[number] : NULL;
}
