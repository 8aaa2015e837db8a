/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitfor-earlier.h: what ranks launched and others wait for, in rows, so that a node is joined to
 * all that one launched before it by few edges. For waitfor-launches.c only.
 */
#ifndef JOB_WAITFOR_EARLIER_H
#define JOB_WAITFOR_EARLIER_H

#include "job/waitfor/waitfor-make.h"

struct waitfor_earlier;

/* Returns none yet; waitfor_earlier_free() it. The maker must outlive it. */
struct waitfor_earlier *waitfor_earlier_new(struct waitfor_maker *m);
/*
 * Adds a wait, at most once, with its node: what its rank launched later waits for it. It is a
 * collective or a message, and has an order or came before all that have one.
 */
void waitfor_earlier_add(struct waitfor_earlier *e, const struct wait *wait, int node);
/* To be called once, behind the last waitfor_earlier_add(). */
void waitfor_earlier_order(struct waitfor_earlier *e);
/*
 * Joins a node to all that the rank of `wait` launched before it. The node itself must not be among
 * what was added of that rank before `wait`.
 */
void waitfor_earlier_join(struct waitfor_earlier *e, int node, const struct wait *wait);
void waitfor_earlier_free(struct waitfor_earlier *e);

#endif
