/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CLAIMS_H
#define PROC_CLAIMS_H

/*
 * Reads which rank a process says that it is, by the environment that it was started with and by
 * its arguments. Several launchers may have left their variables there. All are kept, the best
 * first:
 *
 *	torchrun, or RANK with LOCAL_RANK	set for this very process
 *	JAX_PROCESS_ID with JAX_NUM_PROCESSES	likewise
 *	OMPI_COMM_WORLD_RANK, PMIX_RANK,	by the launcher of a task, which may itself have
 *	PMI_RANK, MV2_, PALS_, FLUX_		started torchrun
 *	SLURM_PROCID in a step			likewise
 *	--local_rank, --global_rank		arguments alone
 *	--process_id with --num_processes	likewise, as programs of JAX have them
 *	RANK without LOCAL_RANK			of a NODE (PyTorchJob), until proved otherwise
 *	LOCAL_RANK, NODE_RANK, WORLD_SIZE	none yet: who started it tells (places.h)
 *
 * Known traps: OMPI_COMM_WORLD_NODE_RANK is the place on the node; LOCAL_RANK is 0 for all under
 * `torchrun --virtual-local-rank`; SLURM_PROCID counts nodes if each task is a torchrun. A child
 * inherits all of it: that a process claims to be a rank does not make it one (proc/survey/survey.h
 * decides).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLAIM_UNKNOWN (-1)
#define CLAIMS_MOST   12 /* claims of one process; more are left out */

enum claim_trust { CLAIM_HYPOTHESIS, CLAIM_SUPPORTED, CLAIM_ESTABLISHED };

struct rank_claim {
	int rank; /* each of these five is CLAIM_UNKNOWN if nothing tells */
	int local_rank;
	int world_size;
	int node_rank;
	int restart; /* torchrun's count of restarts */
	const char *launcher; /* "torchrun", "env", "openmpi", "slurm", ...: a literal */
	/* "environ: RANK, LOCAL_RANK": a literal, or it lives as long as its owner */
	const char *source;
	enum claim_trust trust;
	bool of_node; /* the rank may be the number of a node */
	bool of_task; /* from the launcher of a task, in which others may have been launched */
};

struct claims {
	struct rank_claim all[CLAIMS_MOST];
	size_t nr; /* claims in `all`, the best first */
	bool has_place; /* it has a place on a node, and no rank, which makes nobody a rank */
	struct rank_claim place; /* local_rank, node_rank and world_size of that */
	char job[160];	  /* what its launcher calls the job: a run id, "8841.0"; "" not told */
	char master[160]; /* "ADDRESS:PORT" of rank 0; "" not told */
	char step[64];	  /* its Slurm step, "8841.0"; "" none */
	char slurm[32];	  /* the Slurm job, "8841"; "" none */
	char pmix[160];	  /* PMIx' namespace, whatever else names the job; "" none */
	char run[160];	  /* torchrun's id of the run; "" none */
	char error_file[256]; /* TORCHELASTIC_ERROR_FILE; "" none */
	char folder[256]; /* INQUEST_JOB_DIR: it runs below our own agent; "" it does not */
};

/*
 * Reads both blocks into ret. They are strings with a NUL behind each, as /proc/PID/environ and
 * cmdline have them. A last string without NUL was cut and is not believed. Either may be empty.
 */
void claims_read(struct claims *ret, const char *environ, size_t environ_len, const char *cmdline,
	size_t cmdline_len) __attribute__((nonnull));

/* Returns the value of a variable in such a block, borrowed; NULL if it has none. */
const char *claims_variable(const char *environ, size_t len, const char *name)
	__attribute__((nonnull));

/*
 * Returns the value of an option in such a block, borrowed: "--NAME=V", or "--NAME" and "V", where
 * '-' and '_' in NAME are the same. NULL if it is not given. `name` is written with '-'.
 */
const char *claims_option(const char *cmdline, size_t len, const char *name)
	__attribute__((nonnull));

/*
 * Returns the number that a text of up to 9 digits is; CLAIM_UNKNOWN for NULL and any other text.
 */
int claims_number(const char *text);

/*
 * True if ranks and sizes by this launcher (as in struct rank_claim) are those of tasks, each of
 * which may have started many ranks; false for NULL.
 */
bool claims_are_of_tasks(const char *launcher);

/* Returns "established", "supported" or "hypothesis". */
const char *claims_trust_name(enum claim_trust trust);

#endif
