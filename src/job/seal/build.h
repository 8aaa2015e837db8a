/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h: how a job comes to be. Decoders add facts in any order; job_seal() joins and sorts them.
 *
 * Facts name processes by (host, pid, start time) and seats by (group key, seat), never by index:
 * indexes exist only in the sealed job. All strings are copied; NULL is "". The same fact added
 * twice (two bundles of one node) is one fact; of two readings of one thing the later one wins. A
 * time that no clock shows (beyond 146 years from 1970) becomes unknown, so that times may be
 * subtracted.
 */
#ifndef JOB_BUILD_H
#define JOB_BUILD_H

#include "job/job.h"

/*
 * An op as evidence tells it: with its group, its seat, and the thread that launched it (0
 * unknown).
 */
struct job_op_seen {
	struct job_op fact;
	uint64_t group_key;
	struct group_rank seat;
	uint32_t tid;
};

struct job_builder;

/*
 * The process that a fact is about. For a rank whose process nobody knows, host is "", pid 0 and
 * start_time 1 + its number: it gets a process of its own, of which nothing else is known.
 */
struct job_who {
	const char *host;
	uint32_t pid;
	uint64_t start_time;
};

/* Returns an empty builder, never NULL; job_seal() or job_builder_free() it. */
struct job_builder *job_builder_new(void);
/* Throws all facts away; NULL is fine. Not for a builder that was sealed. */
void job_builder_free(struct job_builder *builder);

/*
 * The facts added from here on were read at `when` (realtime ns): where two readings tell of the
 * same thing, the later one wins. JOB_UNKNOWN, as at the start, is earlier than every time.
 */
void job_add_reading(struct job_builder *b, int64_t when);

/* Facts of which nothing is known. Decoders start from these and fill in what they know. */
extern const struct job_host job_host_unknown;
extern const struct job_process job_process_unknown;
extern const struct job_member job_member_unknown;

/*
 * Adds what the job is called; "" is no word. If several ids are added, the smaller as text is
 * kept, whatever their order, and that they differ becomes a loss; of names the smaller is kept.
 */
void job_add_identity(struct job_builder *b, const char *id, const char *name);
/*
 * Adds how many ranks there should be, and who says so ("WORLD_SIZE"). The largest number counts;
 * JOB_NONE is no word.
 */
void job_add_world_size(struct job_builder *b, int world_size, const char *by);
/*
 * Does the same for an elastic restart (0 is the first start): the word of a later restart replaces
 * those of earlier ones, since a job may go on with fewer ranks.
 */
void job_add_world_size_since(struct job_builder *b, int world_size, const char *by, int restart);
/*
 * Sets how many ranks are named somewhere, without a word that these are all; a stated size that is
 * no smaller replaces it.
 */
void job_add_world_at_least(struct job_builder *b, int world_size);
/* Adds how many hosts there should be, and who says so; the largest number counts. */
void job_add_expected_hosts(struct job_builder *b, int nhosts, const char *by);
/* Adds the name of an expected host as the launcher has it, with a domain behind it or without. */
void job_add_expected_host(struct job_builder *b, const char *name);
/* Adds a host that said that it gave only some of its evidence; by the name it was asked by. */
void job_add_part_host(struct job_builder *b, const char *name);
/* Adds when the job was launched, realtime ns; the earliest counts, and JOB_UNKNOWN is no word. */
void job_add_launch(struct job_builder *b, int64_t launched);
/* Adds what was launched; all of it is copied. */
void job_add_launched(struct job_builder *b, const struct job_launch *launch);
/*
 * Adds that the job's command is over, with its status as a shell gives it; -1 not told. The
 * largest counts.
 */
void job_add_ending(struct job_builder *b, int exit_status);
/* Adds that one of its commands is over, with its status, while others are not: nor is the job. */
void job_add_part_ending(struct job_builder *b, int exit_status);
/*
 * Adds when somebody told the job to end, realtime ns; the last counts, and JOB_UNKNOWN is no word.
 */
void job_add_order_to_end(struct job_builder *b, int64_t when);
/*
 * Adds when a watchdog or limit will end the job, realtime ns; the earliest counts, with its cite.
 */
void job_add_deadline(struct job_builder *b, int64_t deadline, const char *cite);
/* Adds that a census was read: a process that is not in it is known not to have been there. */
void job_add_census_seen(struct job_builder *b);

/*
 * In all of these, index fields (host, rank, process, group, thread, sender_role) of the given
 * struct are ignored and derived when sealing; `cite` must not be NULL.
 */
void job_add_host(struct job_builder *b, const struct job_host *host);

/* Why a process' number may not be its own. */
enum {
	JOB_NUMBER_OF_TASK = 1,    /* it is the number of the task it runs in, which may hold
				    * many ranks */
	JOB_NUMBER_ALONE = 2,      /* RANK was set without LOCAL_RANK: it may be its node's */
	JOB_NUMBER_OTHER_TASK = 4, /* it was set for the process, and differs from its task's */
};

/*
 * A process' identity, as far as it is known. `world_rank` is NO_WORLD_RANK where nothing tells it;
 * `promoted`: it made a communicator.
 */
struct job_identity {
	struct world_rank world_rank;
	unsigned number; /* what kind of number that is: JOB_NUMBER_*; 0: set for this process */
	int local_rank;
	bool promoted;
	unsigned knows; /* JOB_KNOWS_*: or-ed */
	uint64_t run, master; /* which run it is of: hashes of the run's id and of rank 0's
			       * address; 0 unknown */
	int64_t lost_records;
};

/*
 * Adds a process, or one more reading of it. Both structs are copied. Fields of `process` that are
 * unknown do not overwrite known ones.
 */
void job_add_process(struct job_builder *b, struct job_who who, const struct job_process *process,
	const struct job_identity *identity);

/*
 * Adds a thread and what its board says. group_key: the group that its call is on; 0 none or
 * several.
 */
void job_add_thread(struct job_builder *b, struct job_who who, const struct job_thread *thread,
	uint64_t group_key);

/*
 * Adds a seat taken by `who`. group->first_member is ignored. A size of 0 is unknown, any other is
 * taken as said unless group->sized is JOB_SIZE_GUESSED.
 */
void job_add_member(struct job_builder *b, struct job_who who, const struct job_group *group,
	const struct job_member *member);

/*
 * Adds an op of that seat; `tid` is the launching thread, 0 unknown. Collectives and P2P are told
 * apart by sig.op. Duplicates (same index; of P2P: same op, peer and index) merge.
 */
void job_add_op(struct job_builder *b, struct job_who who, uint64_t group_key,
	struct group_rank seat, const struct job_op *op, uint32_t tid);

/*
 * Asks decoders to add calls, with all ops that they find. To be called before anything is added.
 */
void job_want_calls(struct job_builder *b);
/* True if job_want_calls() was called. */
bool job_wants_calls(const struct job_builder *b);
/*
 * Adds the calls of one thread's diary, copied. Each call's `group` is an index into `keys`, the
 * keys of groups, or JOB_NONE. The calls of a process may be added only once: one reading of it
 * tells them all. Does nothing if calls are not wanted.
 */
void job_add_calls(struct job_builder *b, struct job_who who, const struct job_call *calls,
	size_t n, const uint64_t *keys, size_t nkeys);

/* Adds a compile, input, checkpoint or user span, open or over. */
void job_add_span(struct job_builder *b, struct job_who who, const struct job_span *span);
/* Adds what a rank last got from one loader, and how many batches so far. */
void job_add_shard(struct job_builder *b, struct job_who who, const struct job_shard *shard);
/* Adds the step that a rank completed last. */
void job_add_step(struct job_builder *b, struct job_who who, const struct job_step *step);
/* Adds a line that the program left for the record. */
void job_add_note(struct job_builder *b, struct job_who who, const struct job_note *note);
/* Adds a property of the process. Of one key the newest value in the newest reading wins. */
void job_add_trait(struct job_builder *b, struct job_who who, const struct job_trait *trait);
/* Adds a signal that the process got: one that killed it, or one that asked it to end. */
void job_add_signal(struct job_builder *b, struct job_who who, const struct job_signal *signal);
/* Adds the telling lines of what the process wrote to stderr. */
void job_add_log(struct job_builder *b, struct job_who who, const struct job_log *log);
/* Adds what a record of somebody else says; who.pid 0 and start_time 0: of the whole job. */
void job_add_saying(struct job_builder *b, struct job_who who, const struct job_saying *saying);
/* Adds a compile cache as it was at the start: how many files, how many bytes. */
void job_add_cache(struct job_builder *b, struct job_who who, const struct job_cache *cache);

/*
 * Adds a stack with its nr frames in full, innermost first. stack->frames, rank and process are
 * ignored. If a thread has several stacks, the latest counts (by stack->when, then by the reading),
 * whether it has frames or not.
 */
void job_add_stack(struct job_builder *b, struct job_who who, const struct job_stack *stack,
	const struct job_frame *frames, size_t nr);

/* Adds how a process' stacks were taken. If a process has several, the latest counts. */
void job_add_snapshot(
	struct job_builder *b, struct job_who who, const struct job_snapshot *snapshot);

/* Adds something that is known to be missing. who.pid 0: not of one process. */
void job_add_loss(struct job_builder *b, struct job_who who, const struct job_loss *loss);

/*
 * Joins, sorts and freezes; releases the builder. The newest restart generation of an elastic job
 * is judged; earlier ones stay as processes only. Never fails: what does not fit together becomes a
 * loss. The caller owns the job.
 */
struct job *job_seal(struct job_builder *b);

#endif
