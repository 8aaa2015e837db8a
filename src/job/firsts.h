/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firsts.h: how each rank came to its first step: the record by which a first forward is compared
 * between ranks and runs. Times are ns from the start of the process; JOB_UNKNOWN where it is not
 * known or has not happened.
 */
#ifndef JOB_FIRSTS_H
#define JOB_FIRSTS_H

#include <stdbool.h>

#include "job/caches.h"

struct firsts {
	int64_t compile;    /* to the begin of its first compile span */
	int64_t compiling; /* in compile spans of its own process, nested and open ones counted
			    * once */
	bool compiles_on;  /* one of them is open at the end of its evidence */
	int64_t collective; /* to the first op entered in any group; where ranks compile, to the
			       first since its compile began */
	int64_t step;	    /* to the first step done */
	const char *mode;   /* "ddp", "fsdp2+tp"; "" unknown, as all texts here */
	const char *framework;
	const char *backend;
	int64_t gpus; /* how many GPUs it may open */
	struct cache_found cache;
	int64_t timeout;   /* PyTorch's timeout of its first process group, ns */
	int64_t heartbeat; /* heartbeat limit of NCCL's watchdog thread in torch, ns; told also
			    * where it is off */
};

/*
 * Returns an array with one entry per rank of the job, in order; never NULL; firsts_free() it. Its
 * texts are the job's.
 */
struct firsts *firsts_new(const struct job *job);
/* Frees it; NULL is fine. */
void firsts_free(struct firsts *firsts);

#endif
