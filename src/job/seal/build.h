/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h: how a job comes to be. Decoders add facts in any order; job_seal() joins and sorts them.
 *
 * Facts name processes by (host, pid, start time) and seats by (group key, seat), never by index:
 * indexes exist only in the sealed job. All strings are copied, NULL is "". The same fact added
 * twice (two bundles of one node) is one fact; of two readings of one thing the later one wins.
 * Times that no clock says (beyond 146 years from 1970) are not known: differences may be taken.
 */
#ifndef JOB_BUILD_H
#define JOB_BUILD_H

#include "job/job.h"

/* An op as evidence has it: its group and seat, and its thread; 0 unknown. */
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

/* An empty builder, never NULL; job_seal() or job_builder_free() it. */
struct job_builder *job_builder_new(void);
/* Throws all facts away. Takes NULL. Not for a builder that was sealed. */
void job_builder_free(struct job_builder *builder);

/*
 * The facts added from here on were read at `when` (realtime ns): where two readings tell of the
 * same thing, the later one wins. JOB_UNKNOWN, as at the start, is earlier than every time.
 */
void job_add_reading(struct job_builder *b, int64_t when);

/* Fields that nobody fills stay unknown: start from these. */
extern const struct job_host job_host_unknown;
extern const struct job_process job_process_unknown;
extern const struct job_member job_member_unknown;

/*
 * Identity of the job, where it is told at all ("" is not). If several are added one is kept,
 * whatever the order: the smaller as text; that ids differ becomes a loss.
 */
void job_add_identity(struct job_builder *b, const char *id, const char *name);
/*
 * How many ranks there should be, and who says so ("WORLD_SIZE"); the largest counts, and JOB_NONE
 * is no word.
 */
void job_add_world_size(struct job_builder *b, int world_size, const char *by);
/*
 * The same, of that elastic restart (0 is the first start): the word of a later one stands whatever
 * earlier ones said, since a job may go on with fewer ranks.
 */
void job_add_world_size_since(struct job_builder *b, int world_size, const char *by, int restart);
/*
 * Sets how many ranks are named somewhere, without a word that these are all; a stated size that is
 * no smaller replaces it.
 */
void job_add_world_at_least(struct job_builder *b, int world_size);
/* How many hosts there should be, and who says so; the largest counts. */
void job_add_expected_hosts(struct job_builder *b, int nhosts, const char *by);
/* One of them by its name, as the launcher has it: with a domain behind it, or without. */
void job_add_expected_host(struct job_builder *b, const char *name);
/* Adds a host that said that it gave only some of its evidence; by the name it was asked by. */
void job_add_part_host(struct job_builder *b, const char *name);
/* When it was launched, realtime ns; the earliest counts, and JOB_UNKNOWN is no word. */
void job_add_launch(struct job_builder *b, int64_t launched);
/* What was launched; all of it is copied. */
void job_add_launched(struct job_builder *b, const struct job_launch *launch);
/* Its command is over, with this status as a shell gives it, -1 not told; the largest counts. */
void job_add_ending(struct job_builder *b, int exit_status);
/* Somebody told it to end, realtime ns; the last counts, and JOB_UNKNOWN is no word. */
void job_add_order_to_end(struct job_builder *b, int64_t when);
/* When a watchdog or limit ends it, realtime ns; the earliest counts, with its cite. */
void job_add_deadline(struct job_builder *b, int64_t deadline, const char *cite);
/* A census was read, so that who is not in it is known not to be there. */
void job_add_census_seen(struct job_builder *b);

/*
 * In all of these, index fields (host, rank, process, group, thread, sender_role) of the given
 * struct are ignored and derived when sealing; `cite` must not be NULL.
 */
void job_add_host(struct job_builder *b, const struct job_host *host);

/* Ways in which a number may not be the process' own. */
enum {
	JOB_NUMBER_OF_TASK = 1,    /* of the task that it runs in, which may hold many ranks */
	JOB_NUMBER_ALONE = 2,      /* RANK without LOCAL_RANK, which may be its node's */
	JOB_NUMBER_OTHER_TASK = 4, /* set for it, and another than that of its task */
};

/*
 * A process' identity, as far as it is known. `world_rank` is none where nothing said; `promoted`:
 * it made a communicator. Fields of `process` that are unknown do not overwrite known ones.
 */
struct job_identity {
	struct world_rank world_rank;
	unsigned number; /* what kind of number that is: JOB_NUMBER_*; 0: set for this process */
	int local_rank;
	bool promoted;
	unsigned knows; /* JOB_KNOWS_*: or-ed */
	uint64_t run, master; /* of which run: a hash of its id, of rank 0's address; 0 unknown */
	int64_t lost_records;
};

/* A process, or one more reading of it. Both structs are copied. */
void job_add_process(struct job_builder *b, struct job_who who, const struct job_process *process,
	const struct job_identity *identity);

/* A thread and what its board says; group_key: the one group its call is on, 0 none or several. */
void job_add_thread(struct job_builder *b, struct job_who who, const struct job_thread *thread,
	uint64_t group_key);

/*
 * A seat taken by `who`. `group->first_member` ignored; a size of 0 is unknown, and any other is
 * taken as said unless group->sized is JOB_SIZE_GUESSED.
 */
void job_add_member(struct job_builder *b, struct job_who who, const struct job_group *group,
	const struct job_member *member);

/*
 * An op of that seat; `tid` names the launching thread, 0 unknown. Collectives and P2P are told
 * apart by sig.op. Duplicates (same index; P2P: same op, peer and index) merge.
 */
void job_add_op(struct job_builder *b, struct job_who who, uint64_t group_key,
	struct group_rank seat, const struct job_op *op, uint32_t tid);

/*
 * Calls are wanted: decoders add them, with all ops that they find. Asked before anything is added.
 */
void job_want_calls(struct job_builder *b);
/* True if they are wanted. */
bool job_wants_calls(const struct job_builder *b);
/*
 * The calls of one thread's diary, copied; each call's `group` is an index into `keys`, the keys of
 * groups, or JOB_NONE. The calls of one process are added once only: one reading of it tells them
 * all.
 */
void job_add_calls(struct job_builder *b, struct job_who who, const struct job_call *calls,
	size_t n, const uint64_t *keys, size_t nkeys);

/* A compile, input, checkpoint or user span, open or over. */
void job_add_span(struct job_builder *b, struct job_who who, const struct job_span *span);
/* Adds what a rank last got from one loader, and how many batches so far. */
void job_add_shard(struct job_builder *b, struct job_who who, const struct job_shard *shard);
/* The step that a rank completed last. */
void job_add_step(struct job_builder *b, struct job_who who, const struct job_step *step);
/* A line that the program left for the record. */
void job_add_note(struct job_builder *b, struct job_who who, const struct job_note *note);
/* A property of the process; of one key the newest reading's newest wins. */
void job_add_trait(struct job_builder *b, struct job_who who, const struct job_trait *trait);
/* A signal that the process got: one that killed it, or one that asked it to end. */
void job_add_signal(struct job_builder *b, struct job_who who, const struct job_signal *signal);
/* The telling lines of what it wrote to stderr. */
void job_add_log(struct job_builder *b, struct job_who who, const struct job_log *log);
/* A record of somebody else's; who.pid 0: of the job. */
void job_add_saying(struct job_builder *b, struct job_who who, const struct job_saying *saying);
/* A compile cache as it was at the start: how many files, how many bytes. */
void job_add_cache(struct job_builder *b, struct job_who who, const struct job_cache *cache);

/*
 * A stack, with its frames in full; nr frames, innermost first. stack->frames, rank and process are
 * ignored. If a thread of a process has several, the latest counts (by stack->when, then by the
 * reading), whether it has frames or not.
 */
void job_add_stack(struct job_builder *b, struct job_who who, const struct job_stack *stack,
	const struct job_frame *frames, size_t nr);

/* How a process' stacks were taken. If a process has several, the latest counts. */
void job_add_snapshot(
	struct job_builder *b, struct job_who who, const struct job_snapshot *snapshot);

/* Something that is known to be missing. who.pid 0: not of one process. */
void job_add_loss(struct job_builder *b, struct job_who who, const struct job_loss *loss);

/*
 * Joins, sorts and freezes; releases the builder. The newest restart generation of an elastic job
 * is judged; earlier ones stay as processes only. Never fails: what does not fit together becomes a
 * loss. The caller owns the job.
 */
struct job *job_seal(struct job_builder *b);

#endif
