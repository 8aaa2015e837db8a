/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_CONTEXT_H
#define DECODE_CONTEXT_H

/*
 * State that the decoders of one run share: the clocks of each gathering, and what is known of each
 * process so far. Facts that one exhibit alone cannot tell (how a process ended, its CPU use
 * between two samples, which of two boards of a thread is newer) are collected here and given to
 * the builder once, by context_finish().
 *
 * Everything lives in the arena of the context.
 */

#include "base/arena.h"
#include "base/array.h"
#include "evidence/format/exhibit.h"
#include "job/seal/build.h"
#include "stack/excerpt.h"
#include "stack/module.h"

/* One gathering on one host, from its exhibit "gather". */
struct decode_gather {
	int64_t when; /* of the exhibit */
	int64_t realtime;
	int64_t monotonic;
	int64_t boottime;
	int64_t tsc;
	int64_t clk_tck;
	int64_t page_size;
	int64_t clock_error;
	uint8_t boot_id[16];
	bool has_boot_id;
};

/* The kills for memory in one control group. */
struct decode_cgroup {
	const char *path;
	int64_t before; /* at launch, or first seen; JOB_UNKNOWN */
	int64_t after;
};

struct decode_cache {
	const char *path;
	int64_t files;
	int64_t bytes;
};

struct decode_caches {
	ARRAY(struct decode_cache) all;
};

/* A folder of a job that has several on one host, and the one whose name all of them go by. */
struct decode_alias {
	const char *id, *as;
};

/* SLURM_JOB_ID and SLURM_STEP_ID; NULL not told, "" told, and no number that counts. */
struct decode_slurm {
	const char *job, *step;
};

struct decode_host {
	const char *name;
	ARRAY(struct decode_alias) aliases;
	size_t manifests, endings; /* folders, and those of them whose command is over */
	int exit_status;	   /* the highest of these */
	ARRAY(struct decode_gather) gathers;
	int64_t earliest; /* exhibit of the host */
	int64_t agent_beat;
	enum job_known agent_alive;
	ARRAY(struct decode_cgroup) cgroups;
	struct decode_caches caches;
	size_t launches; /* receipts */
	struct decode_slurm slurm; /* of all of them */
	struct modules *modules; /* whose code stands on stacks there; NULL none */
	ARRAY(struct excerpt *) images; /* theirs */
};

/* One look at a process' counters. */
struct decode_sample {
	int64_t when;
	int64_t cpu_ticks; /* of it and of the children it waited for: compilers run in those */
	int64_t rss_pages; /* JOB_UNKNOWN */
	int64_t written;   /* bytes, JOB_UNKNOWN */
	int64_t runs;	   /* of its first thread; JOB_UNKNOWN */
	char state;	   /* of its first thread; 0 unknown */
};

struct decode_thread {
	struct job_thread fact;
	uint64_t group_key;
};

/* Witnesses of an end, the better the higher. */
enum decode_witness {
	WITNESS_NONE,
	WITNESS_ABSENCE, /* it is gone */
	WITNESS_ABORT,	 /* it called abort() */
	WITNESS_GOODBYE, /* it said that it exits */
	WITNESS_FATAL,	 /* its handler of a fatal signal wrote it down */
	WITNESS_ZOMBIE,	 /* its exit code was seen in /proc */
	WITNESS_PARENT,	 /* its parent waited for it */
};

struct decode_end {
	enum decode_witness witness;
	enum job_end end;
	int status;
	int64_t when;
	const char *cite;
};

struct decode_log {
	const char *text;
	size_t len;
	const char *file; /* which one, where it may be shared; NULL: certainly its own */
	const char *cite; /* where its words stand; NULL: "log:RANK" */
	bool shared;	  /* another process writes to that file, too: logs_find_shared() */
	int64_t when;
};

struct decode_process {
	struct job_who who;
	uint32_t here;	     /* its pid as the gatherer saw it; 0 not known */
	uint32_t ppid_here;
	struct job_process fact;
	struct job_identity identity;
	uint32_t newest_ring; /* its generation, by the census: an older one tells old news */
	enum job_known alive;
	struct decode_end end;
	bool fatal_told; /* its own handler said which signal it got: no core knows better */
	ARRAY(struct decode_sample) samples;
	struct decode_caches caches; /* its own; none: those of the host */
	struct decode_slurm slurm;   /* the same */
	ARRAY(struct decode_thread) threads;
	int64_t dump_last;	   /* the last thing in its dump; JOB_UNKNOWN none, or no dump */
	int64_t dump_when;	   /* that dump was written; 0 not known */
	struct decode_log log;	   /* of a file */
	struct decode_log ring_log; /* of what passed write(2) */
};

struct decode_stacks;
struct exhibit;

struct decode_context {
	struct meter *meter; /* the evidence's; may be NULL */
	size_t rings;	     /* exhibits of that kind in the evidence */
	void *ready; /* what its decoder has prepared of the exhibit that is decoded, if it does */
	struct arena arena;
	ARRAY(struct decode_host *) hosts;
	size_t *host_index; /* open addressing: 1 + place in hosts, 0 free */
	size_t host_room;
	ARRAY(struct decode_process *) processes;
	size_t *index; /* open addressing: 1 + place in processes, 0 free */
	size_t index_size;
	struct decode_stacks *stacks; /* whose samples come; stacks/decode-stacks.h */
	ARRAY(const struct exhibit *) texts; /* of all ranks, read together; texts.h */
	ARRAY(const struct exhibit *) flights; /* the same of dumps; decode-flight.h */
	int64_t dumped; /* so many ranks are named in those that were read */
};

/* The host of that name; made on first sight. */
struct decode_host *context_host(struct decode_context *context, const char *name);

/* These two folders on this host are of one job. */
void context_join_ids(
	struct decode_context *context, struct decode_host *host, const char *a, const char *b);

/* The name of the job whose folder has that one: the smallest of them all; NULL of NULL. */
const char *context_job_id(const struct decode_host *host, const char *id);

/*
 * The gathering that an exhibit of the host belongs to: the latest that began before it was read.
 * NULL where the host has none.
 */
const struct decode_gather *context_gather(const struct decode_host *host, int64_t when);

/* The process; made on first sight, with everything unknown. */
struct decode_process *context_process(
	struct decode_context *context, const char *host, uint32_t pid, uint64_t start_time);

/* CENSUS_F_NUMBER, as slots and rings have it, in the words of the model. */
unsigned context_number(uint32_t flags);

/* Returns its name in cites: its world rank, else "pPID". Lives in the arena. */
const char *context_name(struct decode_context *context, const struct decode_process *process);

/* Takes an end over where its witness is better than the one so far; and when it was. */
void context_end(struct decode_process *process, const struct decode_end *end);

/* Gives the builder what was collected. */
void context_finish(struct decode_context *context, struct job_builder *builder);

/*
 * Frees everything collected, and the arena in which all strings of the context lie: only after
 * context_finish() has given them to the builder, which copies them.
 */
void context_release(struct decode_context *context);

#endif
