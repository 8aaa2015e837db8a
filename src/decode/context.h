/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_CONTEXT_H
#define DECODE_CONTEXT_H

/*
 * State that the decoders of one run share: the clocks of each gathering, and what is known of each
 * process so far. Facts that one exhibit alone cannot tell (how a process ended, its CPU use
 * between two samples, which of two boards of a thread is newer) are collected here, and
 * context_finish() gives them to the builder once.
 *
 * Everything lives in the arena of the context.
 */

#include "base/arena.h"
#include "base/array.h"
#include "evidence/format/exhibit.h"
#include "job/seal/build.h"
#include "stack/excerpt.h"
#include "stack/module.h"

/* One gathering on one host, from its exhibit "gather". Times are in ns. */
struct decode_gather {
	int64_t when; /* the exhibit's */
	int64_t realtime;
	int64_t monotonic;
	int64_t boottime;
	int64_t tsc; /* the processor's counter, in its own ticks */
	int64_t clk_tck; /* clock ticks in a second */
	int64_t page_size; /* bytes */
	int64_t clock_error;
	uint8_t boot_id[16];
	bool has_boot_id;
};

/* The kills for memory that one control group has counted; JOB_UNKNOWN not told. */
struct decode_cgroup {
	const char *path;
	int64_t before; /* at launch, or when first seen */
	int64_t after; /* when last seen */
};

/* A folder of a cache, and what is in it. */
struct decode_cache {
	const char *path;
	int64_t files;
	int64_t bytes;
};

/* The caches of a process or of a host. */
struct decode_caches {
	ARRAY(struct decode_cache) all;
};

/* One folder of a job that has several on one host, and the name that all of them go by. */
struct decode_alias {
	const char *id, *as;
};

/*
 * The values of SLURM_JOB_ID and SLURM_STEP_ID: NULL not told; "" told, and no number that counts.
 */
struct decode_slurm {
	const char *job, *step;
};

/* What is known of one host. */
struct decode_host {
	const char *name;
	ARRAY(struct decode_alias) aliases;
	size_t manifests, endings; /* folders, and those whose command is over */
	int exit_status;	   /* the highest of those commands */
	ARRAY(struct decode_gather) gathers; /* context_add_gather() adds */
	bool gathers_mixed;		     /* they are not in order yet */
	int64_t earliest; /* time of its earliest exhibit */
	int64_t agent_beat;
	enum job_known agent_alive;
	ARRAY(struct decode_cgroup) cgroups;
	struct decode_caches caches;
	size_t launches; /* number of receipts */
	struct decode_slurm slurm; /* the step that all of them ran in */
	struct modules *modules; /* files whose code stands on stacks there; NULL none */
	ARRAY(struct excerpt *) images; /* the excerpts that these read */
};

/* One look at the counters of a process. */
struct decode_sample {
	int64_t when;
	int64_t cpu_ticks; /* also of the children that it waited for: compilers run in those */
	int64_t rss_pages; /* JOB_UNKNOWN */
	int64_t written;   /* bytes, JOB_UNKNOWN */
	int64_t runs;	   /* times that its first thread was scheduled; JOB_UNKNOWN */
	char state;	   /* state of its first thread; 0 unknown */
};

/* A thread's fact, and the key of the group that it names. */
struct decode_thread {
	struct job_thread fact;
	uint64_t group_key;
};

/* Witnesses of an end, from the worst to the best. */
enum decode_witness {
	WITNESS_NONE,
	WITNESS_ABSENCE, /* it is gone */
	WITNESS_ABORT,	 /* it called abort() */
	WITNESS_GOODBYE, /* it said that it exits */
	WITNESS_FATAL,	 /* its handler of a fatal signal wrote it down */
	WITNESS_ZOMBIE,	 /* its exit code was seen in /proc */
	WITNESS_PARENT,	 /* its parent waited for it */
};

/* How a process ended, by its best witness so far. */
struct decode_end {
	enum decode_witness witness;
	enum job_end end;
	int status;
	int64_t when;
	const char *cite;
};

/* The end of what a process wrote. */
struct decode_log {
	const char *text;
	size_t len;
	const char *file; /* the file it is from, where that may be shared; NULL: certainly its
			   * own */
	const char *cite; /* cite of its words; NULL: "log:RANK" */
	bool shared;	  /* another process writes to that file too: logs_find_shared() */
	bool numbered;	  /* srun -l has put the rank before each line, as the whole log shows */
	int64_t when;
};

/* The latest exec that a ring of the process tells of. */
struct decode_exec {
	const char *program; /* which ran until then; NULL: no ring tells of any */
	uint32_t generation; /* the ring's */
	bool failed;	     /* that program went on */
	int64_t at;
	const char *cite;
};

/* What is known of one process, until context_finish() joins it. */
struct decode_process {
	struct job_who who;
	uint32_t here;	     /* its pid as the gatherer saw it; 0 not known */
	uint32_t ppid_here;
	struct job_process fact;
	struct job_identity identity;
	uint32_t newest_ring; /* its generation by the census; an older ring tells old news */
	uint32_t rank_ring;   /* the newest generation of a ring as a rank */
	struct decode_exec exec;
	const char *comm_now; /* by /proc; NULL not read */
	int64_t joined;	      /* when its latest program with the probe began; JOB_UNKNOWN */
	enum job_known alive;
	int64_t alive_at;    /* when that was read; JOB_UNKNOWN */
	struct decode_end end;
	bool fatal_told; /* its own handler told its signal, and no core knows better */
	ARRAY(struct decode_sample) samples;
	struct decode_caches caches; /* its own; empty: those of the host count */
	struct decode_slurm slurm;   /* its own; not told: that of the host counts */
	ARRAY(struct decode_thread) threads;
	int64_t dump_first;	   /* time of the first operation in its dump; JOB_UNKNOWN */
	int64_t dump_last;	   /* time of the last thing in its dump; JOB_UNKNOWN none, or no
				    * dump */
	int64_t dump_when;	   /* time at which that dump was written; 0 not known */
	struct decode_log log;	   /* from a file */
	struct decode_log ring_log; /* from what passed write(2) */
};

struct decode_stacks;
struct exhibit;
struct set_clocks;

/* All that the decoders of one run share. */
struct decode_context {
	struct meter *meter; /* limits memory; borrowed of the evidence, may be NULL */
	const struct set_clocks *clocks; /* set-clocks.h; borrowed, may be NULL */
	size_t rings;	     /* number of exhibits of that kind */
	void *ready; /* what the decoder has prepared of this exhibit; NULL nothing */
	struct arena arena;
	ARRAY(struct decode_host *) hosts;
	size_t *host_index; /* open addressing: 1 + place in hosts, 0 free */
	size_t host_room;
	ARRAY(struct decode_process *) processes;
	size_t *index; /* open addressing: 1 + place in processes, 0 free */
	size_t index_size;
	struct decode_stacks *stacks; /* samples of stacks; stacks/decode-stacks.h */
	ARRAY(const struct exhibit *) texts; /* texts of all ranks, read together; texts.h */
	ARRAY(const struct exhibit *) flights; /* dumps, likewise; decode-flight.h */
	int64_t dumped; /* number of ranks that the dumps read so far name */
};

/* Returns the host of that name; makes it on first sight. */
struct decode_host *context_host(struct decode_context *context, const char *name);

/* Notes that two folders on the host are of one job. */
void context_join_ids(
	struct decode_context *context, struct decode_host *host, const char *a, const char *b);

/*
 * Returns the name of the job whose folder is `id`: the smallest of the names of all its folders.
 * NULL of NULL.
 */
const char *context_job_id(const struct decode_host *host, const char *id);

/*
 * Notes that the gathering to which an exhibit belongs, read at `when`, shows the process as it is
 * judged.
 */
void context_looked(
	struct decode_context *context, struct decode_process *process, int64_t when);

/* Adds a gathering at that host. */
void context_add_gather(struct decode_host *host, const struct decode_gather *gather);

/*
 * Returns the gathering that an exhibit of the host belongs to: the latest that began before
 * `when`, at which the exhibit was read; the first where none did. NULL where the host has none.
 */
const struct decode_gather *context_gather(struct decode_host *host, int64_t when);

/* Returns the process; makes it on first sight, with everything unknown. */
struct decode_process *context_process(
	struct decode_context *context, const char *host, uint32_t pid, uint64_t start_time);

/* Converts CENSUS_F_NUMBER, as slots and rings have it, into the model's JOB_NUMBER_ bits. */
unsigned context_number(uint32_t flags);

/* Returns the name of the process in cites: its world rank, else "pPID". It lives in the arena. */
const char *context_name(struct decode_context *context, const struct decode_process *process);

/*
 * Takes an end over if its witness is better than the one so far; a better time is taken in any
 * case.
 */
void context_end(struct decode_process *process, const struct decode_end *end);
/*
 * The same of an end that was watched, or is all that is left: the process is gone, unless it was
 * seen to live thereafter.
 */
void context_end_watched(struct decode_process *process, const struct decode_end *end);

/* Gives the builder all that was collected. */
void context_finish(struct decode_context *context, struct job_builder *builder);

/*
 * Frees everything collected and the arena, in which all strings of the context lie. The builder
 * copies them in context_finish(), so call this after it.
 */
void context_release(struct decode_context *context);

#endif
