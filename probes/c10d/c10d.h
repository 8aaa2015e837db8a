/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d.h: the c10d route: process groups of PyTorch that are not NCCL's own doing (gloo on CPUs),
 * the exchange of NCCL's unique id in the store, and waits in the store.
 *
 * The Python shim says beforehand what it knows better: which group the thread is about to make.
 */
#ifndef PROBES_C10D_H
#define PROBES_C10D_H

#include <stdint.h>

/* A process group that this thread makes now, as torch.distributed tells it. */
struct c10d_scope {
	const char *name;    /* group_name: equal in all members */
	const char *ranks;   /* world ranks by seat, "0-3,8"; NULL unknown */
	uint64_t timeout_ns; /* 0 unknown */
};

/*
 * From here on groups made by this thread are the one described; NULL: no longer. The texts are
 * copied, as far as a ring keeps them: of a longer list of ranks those that fit whole. Where many
 * threads make groups at once, some groups stay undescribed.
 */
void c10d_scope_set(const struct c10d_scope *scope);

/*
 * The program destroys its group of that name; NULL: all of them. Python may hold what it destroys
 * for long, and nothing else tells then that this member is done with it.
 */
void c10d_left(const char *name);

#endif
