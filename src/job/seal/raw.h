/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.h: what a builder holds before it is sealed: facts as they came, each with whom it is about
 * and when it was read. For build.c and the seal-*.c only.
 *
 * All strings lie in the builder's arena, each once (raw_intern), and move with it into the job.
 */
#ifndef JOB_RAW_H
#define JOB_RAW_H

#include "base/arena.h"
#include "base/array.h"
#include "job/seal/build.h"

/* The process that a fact is about, and the time of the reading. */
struct raw_about {
	struct job_who who;
	int64_t when;
};

struct raw_process {
	struct raw_about about;
	struct job_process fact;
	struct job_identity identity;
};

struct raw_thread {
	struct raw_about about;
	struct job_thread fact;
	uint64_t group_key;
};

struct raw_member {
	struct raw_about about;
	struct job_group group;
	struct job_member fact;
};

struct raw_op {
	struct raw_about about;
	struct job_op_seen seen;
	int member;  /* index into members, found by sealing */
	int process; /* index into processes, likewise */
};

#define RAW_PLAIN(name)                                                                            \
	struct raw_##name {                                                                        \
		struct raw_about about;                                                            \
		struct job_##name fact;                                                            \
	}
RAW_PLAIN(host);
RAW_PLAIN(span);
RAW_PLAIN(shard);
RAW_PLAIN(step);
RAW_PLAIN(note);
RAW_PLAIN(trait);
RAW_PLAIN(signal);
RAW_PLAIN(log);
RAW_PLAIN(saying);
RAW_PLAIN(cache);
RAW_PLAIN(loss);
RAW_PLAIN(snapshot);
#undef RAW_PLAIN

/* All frames, each once, numbered in the order of adding; sealing numbers them anew. */
struct raw_frames {
	ARRAY(struct job_frame) list;
	uint32_t *slots; /* 1 + number, 0 free; open addressing */
	size_t nslots;
};

/* A stack: fact.frames are numbers of frames in `among`, and lie in the builder's arena. */
struct raw_stack {
	struct raw_about about;
	struct job_stack fact;
	const struct raw_frames *among;
};

/* The calls of one thread's diary. */
struct raw_calls {
	struct raw_about about;
	struct job_call *at;
	size_t n;
	uint64_t *keys; /* keys of the groups that at[].group numbers */
	size_t nkeys;
};

/* An interned text with its hash, so that hardly any other text has to be compared. */
struct raw_string {
	uint64_t hash;
	const char *text; /* NULL: free */
};

struct raw_strings {
	struct raw_string *slots; /* open addressing */
	size_t nslots;
	size_t used;
};

struct job_builder {
	struct arena arena;
	struct raw_strings strings;
	int64_t reading;
	const char *id;
	const char *name;
	bool ids_differ;
	struct job_expected ranks, expected_hosts;
	int ranks_restart; /* the elastic restart whose word `ranks` is */
	int world_at_least;
	int64_t launched;
	bool ended;
	int exit_status;
	int64_t told_to_end;
	int64_t deadline;
	const char *deadline_cite;
	bool census;
	ARRAY(const char *) host_names; /* names of expected hosts */
	ARRAY(const char *) part_names; /* names of hosts of which only a part was seen */
	ARRAY(struct job_launch) launches;
	ARRAY(struct raw_host) hosts;
	ARRAY(struct raw_process) processes;
	ARRAY(struct raw_thread) threads;
	ARRAY(struct raw_member) members;
	ARRAY(struct raw_op) ops;
	bool wants_calls;
	ARRAY(struct raw_calls) calls;
	ARRAY(struct raw_span) spans;
	ARRAY(struct raw_shard) shards;
	ARRAY(struct raw_step) steps;
	ARRAY(struct raw_note) notes;
	ARRAY(struct raw_trait) traits;
	ARRAY(struct raw_signal) signals;
	ARRAY(struct raw_log) logs;
	ARRAY(struct raw_saying) sayings;
	ARRAY(struct raw_cache) caches;
	ARRAY(struct raw_loss) losses;
	ARRAY(struct raw_stack) stacks;
	ARRAY(struct raw_snapshot) snapshots;
	struct raw_frames frames;
};

/* Returns the arena's one copy of the text; "" for NULL. */
const char *raw_intern(struct job_builder *b, const char *text);

#endif
