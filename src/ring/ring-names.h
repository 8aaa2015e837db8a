/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-names.h: the words for the numbers in a ring. NULL for a number that is unknown here: a
 * newer writer's, or damage. (Calls have theirs in calls.h.)
 */
#ifndef RING_NAMES_H
#define RING_NAMES_H

/* All are literals that last for ever; escape nothing, free nothing. Safe in signal handlers. */
const char *ring_type_name(unsigned type);           /* "CALL_ENTER" */
const char *ring_op_name(unsigned op);               /* "AllReduce", as in ncclAllReduce */
const char *ring_dtype_name(unsigned dtype);         /* "float32", by ncclDataType_t */
const char *ring_redop_name(unsigned redop);         /* "sum", by ncclRedOp_t */
const char *ring_span_kind_name(unsigned kind);      /* "compile" */
const char *ring_milestone_name(unsigned milestone); /* "exit" */
const char *ring_pin_name(unsigned class);           /* "comm" */
const char *ring_flag_name(unsigned bit);            /* of RING_F_*, by bit number */
const char *ring_group_state_name(unsigned bit);     /* of RING_G_*, by bit number */

#endif
