/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-nccl.h: sees how NCCL's process groups come to a unique id. A communicator is made at its
 * first op: seat 0 draws an id and leaves it in the store, the others wait for it there, and make
 * no call of NCCL before they have it. That exchange is a group of its own (RING_MAKER_BOOTSTRAP):
 * a member that waits is in the group's init, and a member that has not come, seat 0 above all, is
 * seen to be missing.
 */
#ifndef PROBES_C10D_NCCL_H
#define PROBES_C10D_NCCL_H

/* Returns the exchange for which this thread waits in the store; GROUP_NONE where there is none. */
int bootstrap_waits(void);

/* Notes that the store gave this thread what it waited for. */
void bootstrap_got(void);

/* Forgets all process groups, in a forked child. */
void bootstrap_forget_all(void);

#endif
