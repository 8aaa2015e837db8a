/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holdings.h: which seats of which groups each process says it holds, before anybody knows which
 * process is which rank.
 */
#ifndef JOB_SEAL_HOLDINGS_H
#define JOB_SEAL_HOLDINGS_H

#include "job/seal/seal.h"

/* One seat that one process says it holds. */
struct holding {
	int process;
	uint64_t group_key;
	uint32_t size;
	struct group_rank seat;
	bool drawn;	  /* its key is made of an id: another attempt's group has another */
	bool in_init;     /* it has not left the group's init */
	bool met;	  /* it has, and nobody leaves that before all members have met */
	int64_t ready_at; /* when it left it; JOB_UNKNOWN */
};

struct holdings {
	ARRAY(struct holding) list; /* by process, then by group, the largest first */
	size_t *first; /* per process, and behind the last: where in the list its own begin */
};

/*
 * Collects all; holdings_release() them. Whoever holds a seat is promoted: it has made a
 * communicator, whatever else is lost.
 */
void holdings_collect(struct seal *seal, struct holdings *into);
void holdings_release(struct holdings *holdings);

/* Returns the process's first holding, and in *ret_n how many it has, one behind the other. */
const struct holding *holdings_of(const struct holdings *holdings, int process, size_t *ret_n);

/* True if two processes hold different seats of one group. */
bool holdings_share_group(const struct holdings *holdings, int a, int b);
/* True if a process holds two seats of one group. */
bool holdings_several(const struct holdings *holdings, int process);

#endif
