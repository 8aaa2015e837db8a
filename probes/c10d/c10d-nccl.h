/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-nccl.h: how NCCL's process groups come to a unique id. A communicator is made at its first
 * op: seat 0 draws an id and leaves it in the store, the others wait for it there, and make no call
 * of NCCL before they have it. That exchange is a group of its own (RING_MAKER_BOOTSTRAP): whoever
 * waits is in its init, and whoever has not come, seat 0 above all, is seen to be missing.
 */
#ifndef PROBES_C10D_NCCL_H
#define PROBES_C10D_NCCL_H

/* The exchange that this thread waits in the store for, GROUP_NONE where it is for none. */
int bootstrap_waits(void);

/* The store gave what this thread waited for. */
void bootstrap_got(void);

/* In a forked child: no process groups are known. */
void bootstrap_forget_all(void);

#endif
