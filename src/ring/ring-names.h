/* SPDX-License-Identifier: Apache-2.0 */
/* ring-names.h: the words for the numbers in a ring. (Calls have theirs in calls.h.) */
#ifndef RING_NAMES_H
#define RING_NAMES_H

enum ring_list {
	RING_LIST_TYPES,	/* "CALL_ENTER" */
	RING_LIST_OPS,		/* "AllReduce", as in ncclAllReduce */
	RING_LIST_DTYPES,	/* "float32", by ncclDataType_t */
	RING_LIST_REDOPS,	/* "sum", by ncclRedOp_t */
	RING_LIST_SPAN_KINDS,	/* "compile" */
	RING_LIST_MILESTONES,	/* "exit" */
	RING_LIST_PINS,		/* "comm" */
	RING_LIST_FLAGS,	/* of RING_F_*, by bit number */
	RING_LIST_OP_FLAGS,	/* the same, of OP_ENTERED */
	RING_LIST_GROUP_STATES, /* of RING_G_*, by bit number */
};

/*
 * Returns a list's word for a number: a literal that lasts for ever; escape nothing, free nothing.
 * Returns NULL for a number that is unknown here: it is a newer writer's, or damage.
 */
const char *ring_name(enum ring_list list, unsigned number);

#endif
