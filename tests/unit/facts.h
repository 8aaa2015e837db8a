/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h: jobs made by hand, for tests of the judge. A new set of facts is a job of n healthy,
 * living ranks on one host with readable rings and one group of all of them (group 0, "world");
 * a test then says what is wrong with it:
 *
 *	struct facts *f = facts_new(8);
 *	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 10);		all enter #1, and complete it
 *	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 20);	all but rank 3 are held in #2
 *	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "0/0", 15, FACTS_OPEN);
 *	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2,4-7");
 *	facts_free(f);
 *
 * Times are seconds; the evidence ends at FACTS_NOW. Facts are handed over in an order drawn from
 * f->shuffle, which must not matter.
 */
#ifndef TESTS_FACTS_H
#define TESTS_FACTS_H

#include "job/names.h"
#include "job/seal/build.h"
#include "verdict/verdict.h"

#define FACTS_NOW        100.0
#define FACTS_OPEN       (-1.0)
#define FACTS_MAX_RANKS  64
#define FACTS_MAX_GROUPS 16
#define FACTS_MAX_OPS    48
#define FACTS_MAX_EXTRA  128

struct facts_member {
	bool in;
	struct group_rank seat;
	struct job_member fact;
	uint32_t tid; /* of the thread that calls there; 0: the main one */
	uint32_t last_tid; /* of the thread that called the last op; 0: the same */
	struct job_op ops[FACTS_MAX_OPS];
	size_t nops;
	uint64_t p2p_count[2][FACTS_MAX_RANKS]; /* sends and receives, by peer */
};

struct facts_rank {
	bool seen;   /* a process exists */
	bool ring;   /* its ring can be read */
	bool dump;   /* what it entered is a dump's word */
	bool proc;   /* /proc was read */
	bool census; /* its slot was read */
	bool exit_known;
	bool promoted;
	bool named; /* RANK was set */
	unsigned number; /* JOB_NUMBER_* */
	int host;
	int restart;
	uint32_t pid;
	int64_t lost;
	struct job_process process;
	struct job_thread thread;
	uint64_t thread_group; /* key of the group that its call is about */
	uint64_t order; /* of its launches so far */
};

struct facts_extra {
	enum {
		EXTRA_SPAN,
		EXTRA_SHARD,
		EXTRA_STEP,
		EXTRA_NOTE,
		EXTRA_TRAIT,
		EXTRA_SIGNAL,
		EXTRA_LOG,
		EXTRA_CACHE,
		EXTRA_LOSS,
		EXTRA_SAYING,
		EXTRA_CUT,
		EXTRA_PROCESS,
		EXTRA_THREAD,
		EXTRA_STACK
	} kind;
	int rank;
	bool of_ring; /* lost with the rank's ring */
	uint32_t pid; /* of another process than the rank's: a child's */
	int claims;   /* the number of a rank that such a process has; JOB_NONE */
	unsigned number; /* of that kind: JOB_NUMBER_* */
	union {
		struct job_span span;
		struct job_shard shard;
		struct job_step step;
		struct job_note note;
		struct job_trait trait;
		struct job_signal signal;
		struct job_log log;
		struct job_cache cache;
		struct job_loss loss;
		struct job_saying saying;
		struct job_process process;
		struct job_thread thread;
		struct {
			struct job_stack fact;
			const char *frames;
		} stack;
	} is;
};

struct facts {
	int n;
	int ngroups;
	unsigned shuffle;
	bool census;
	bool completion; /* completion of ops is tracked */
	bool threads_unknown; /* which thread launched an op: its lane may have had several */
	int world_size;
	double deadline; /* seconds; 0 none is known */
	double ordered; /* when a signal told the launcher to end, seconds; 0 never */
	int failed; /* the status with which the launcher ended; 0 it did not */
	unsigned stack_threads; /* that a process has, be their stacks known or not; 0 unknown */
	double stack_span; /* seconds between the first and the last sample of stacks */
	struct job_host hosts[4];
	int nhosts;
	struct facts_rank ranks[FACTS_MAX_RANKS];
	struct facts_member members[FACTS_MAX_GROUPS][FACTS_MAX_RANKS];
	uint64_t group_keys[FACTS_MAX_GROUPS];
	uint32_t group_sizes[FACTS_MAX_GROUPS];
	const char *group_makers[FACTS_MAX_GROUPS];
	const char *group_names[FACTS_MAX_GROUPS];
	const char *group_ranks[FACTS_MAX_GROUPS]; /* by seat, "0-3,8"; NULL not told */
	struct facts_extra extra[FACTS_MAX_EXTRA];
	size_t nextra;
	int hidden; /* a rank of which nothing at all is told; JOB_NONE */
	const char *part_host; /* one that gave only a part of what it has; NULL none */
	unsigned unseen_hosts; /* bits of those from which nothing came */
};

int64_t facts_ns(double seconds);

struct facts *facts_new(int n);
struct facts *facts_copy(const struct facts *f);
void facts_free(struct facts *f);

/* A group of these n ranks, in seat order, ready. Returns its number. */
int facts_group(struct facts *f, int n, const int *ranks);
/* The same, named in the call: facts_group_of(f, 3, 0, 1, 2). */
int facts_group_of(struct facts *f, int n, ...);

/* The exchange of the id of a group of all ranks: nobody has come to it yet. Returns its number. */
int facts_bootstrap(struct facts *f);
/* The ranks made no group yet: the one that facts_new() made is none. */
void facts_no_group(struct facts *f);

/* One rank enters its next op: returned, open. The op may be changed until the next is added. */
struct job_op *facts_enter(
	struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at);
/* The same, and the rank's thread is held inside the call. */
struct job_op *facts_hold(
	struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at);
/* A send or receive; peer is a rank. */
struct job_op *facts_p2p(
	struct facts *f, int group, int rank, uint8_t op, int peer, double at, bool held);

/* All members enter their next op and complete it (if completion is tracked). */
void facts_round(struct facts *f, int group, uint8_t op, uint64_t count, double at);
/* n rounds of AllReduce, `gap` seconds apart. */
void facts_rounds(struct facts *f, int group, int n, double at, double gap);
/* All members but one are held in their next op. */
void facts_enter_but(struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at);

/* The main thread synchronises (the whole device) since then; is inside another call; is outside.
 */
void facts_sync(struct facts *f, int rank, double since);
void facts_call(struct facts *f, int rank, const char *call, double since);
void facts_outside(struct facts *f, int rank, double since);
/* n ranks: ten rounds; from 60 on all but `rank`, outside `since`, are held in AllReduce #11. */
struct facts *facts_missing(int n, int rank, double since);
/* Asks again and again whether what it began there without blocking is over. */
void facts_asks(struct facts *f, int group, int rank, double since);
/* Is inside the split of the group into others. */
void facts_split(struct facts *f, int group, int rank, double since);

void facts_in_init(struct facts *f, int group, int rank, double since);
/* Waits in the store of PyTorch for that key. */
void facts_store(struct facts *f, int rank, const char *key, double since);
/* The rank has not even begun the group's init. */
void facts_unseen(struct facts *f, int group, int rank);

void facts_span(struct facts *f, int rank, enum job_span_kind kind, const char *name,
	const char *detail, double begun, double ended);
void facts_shard(struct facts *f, int rank, uint64_t rows, uint64_t batches);
/* The batch of that index was an empty one of its latest mark's loader. */
void facts_emptied(struct facts *f, int rank, uint64_t index);
void facts_step(struct facts *f, int rank, uint64_t n);
/* The rank says that it dies of this; leaves a line for the record. */
void facts_note(struct facts *f, int rank, const char *text, double at);
void facts_say(struct facts *f, int rank, const char *text, double at);
/* A number below 0 is not known. */
struct job_trait *facts_trait(
	struct facts *f, int rank, const char *key, const char *text, int64_t number);
void facts_log(struct facts *f, int rank, const char *error);
struct job_signal *facts_signal(
	struct facts *f, int rank, int signo, uint32_t sender, const char *thread, double at);
void facts_end(struct facts *f, int rank, enum job_end end, int status, double at);
/* CPU seconds in the last `span` seconds; the agent saw it idle for `idle` s (below 0: unknown). */
void facts_cpu(struct facts *f, int rank, double cpu, double span, double idle);
struct job_process *facts_child(struct facts *f, int rank, const char *comm);
/* What torch.multiprocessing says of the end of its process of that number. */
void facts_spawn_says(struct facts *f, int number, const char *how);
/* Another process beside that rank, with the number of a rank in its environment: of that kind. */
struct job_process *facts_namesake(struct facts *f, int beside, int rank, unsigned number);
/*
 * The stack of the rank's main thread, frames innermost first: a function, '@', and a file with its
 * line, a module, both ("libc.so.6|futex.h:9"), or "kernel"; between them " < ". Seen three
 * times, all of it still (`still` may be more than there are frames), but where changed:
 *
 *	facts_stack(f, 3, "poll@libc.so.6 < step@/me/train.py:88")->moved = JOB_YES;
 */
struct job_stack *facts_stack(struct facts *f, int rank, const char *frames);
/* Hands it to the builder. */
void facts_give_stack(const struct facts *f, struct job_builder *b, struct job_who who,
	const struct facts_extra *e);
/* Its calls, as a ring's lanes would tell them. */
void facts_give_calls(
	const struct facts *f, struct job_builder *b, struct job_who who, int rank);
/* The same of another thread of it. */
struct job_stack *facts_stack_of(
	struct facts *f, int rank, const char *thread, uint32_t tid, const char *frames);
/* Nothing of ours is in the job: no ring, no census; who is a rank was found out otherwise. */
void facts_no_probe(struct facts *f);
struct job_loss *facts_loss(struct facts *f, int rank, const char *what);
/* Something is lost, and nobody knows of whom. */
void facts_cut(struct facts *f, const char *what);
/* The rank lives on that host of up to four. */
void facts_move(struct facts *f, int rank, int host);
/* Nothing came from that host, of which Slurm says that it is one of the job's. */
void facts_unseen_host(struct facts *f, int host);

/* That host's clock is so many seconds ahead of what it was; what the host says of it stays. */
void facts_set_clock(struct facts *f, int host, double seconds);

void facts_lose_ring(struct facts *f, int rank);
/* No process of the rank was ever seen; it has a process, but never made a communicator. */
void facts_never_seen(struct facts *f, int rank);
void facts_candidate(struct facts *f, int rank);

/* Seals the facts. The caller frees. */
struct job *facts_job(const struct facts *f);

/*
 * Judges, twice: in order and shuffled. The most important verdict must be of that class and name
 * these culprits and victims (world ranks, "0-2,5"; NULL: not asked). No victim may be a culprit of
 * any verdict. A job on several hosts is judged with each one's clock set otherwise, too: class,
 * culprits, victims and confidence must stay.
 */
void facts_expect(
	const struct facts *f, enum verdict_class class, const char *culprits, const char *victims);

/* The same, and that nobody but these is a culprit of any verdict, nor anybody in `camps`. */
void facts_expect_cause(const struct facts *f, enum verdict_class class, const char *culprits,
	enum verdict_cause cause);
void facts_expect_where(const struct facts *f, enum verdict_class class, const char *culprits,
	enum verdict_where where);

/* Culprits of all verdicts, as bits. */
uint64_t facts_culprits(const struct facts *f);

/* One line about every verdict, for failures. */
void facts_print(const struct verdicts *verdicts);

#endif
