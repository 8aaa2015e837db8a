/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d.h: the c10d route: process groups of PyTorch that are not NCCL's own doing (gloo on CPUs),
 * the exchange of NCCL's unique id in the store, and waits in the store.
 *
 * The Python shim tells beforehand which group the thread is about to make, since it knows that
 * better.
 */
#ifndef PROBES_C10D_H
#define PROBES_C10D_H

#include <stdint.h>

/* A process group that this thread is making, as torch.distributed describes it. */
struct c10d_scope {
	const char *name;    /* group_name: equal in all members */
	const char *ranks;   /* world ranks by seat, "0-3,8"; NULL unknown */
	uint64_t timeout_ns; /* 0 unknown */
};

/*
 * Describes the groups that this thread makes from now on; NULL: no longer. The texts are copied as
 * far as a ring keeps them: a longer list of ranks is cut behind a whole number. Where many threads
 * make groups at once, some groups stay undescribed.
 */
void c10d_scope_set(const struct c10d_scope *scope);

/*
 * Notes that the program destroys its group of that name; NULL: all of them. Python may keep the
 * destroyed object for long, and nothing else tells that this member is done with it.
 */
void c10d_left(const char *name);

#endif
