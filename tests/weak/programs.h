/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PROGRAMS_H
#define WEAK_PROGRAMS_H

/*
 * Programs of messages and collectives that cannot hang, but for one rank. Each is drawn along a
 * line of time, on which whatever is waited for was begun before by all that it needs: whatever
 * order its threads run in, it runs to its end. Then one rank, the culprit, is spoilt in one of the
 * ways of enum program_guilt. Played (programs-play.c), some ranks end up waiting, each of them in
 * the end for the culprit and for nobody else: so the truth is known.
 *
 * A step *comes* to something, waits for it, or both. Collectives of a group meet by their places
 * in its order, and are over once all members have come with the same call. A message is for who
 * receives it once it is sent; for who sends it, where it is *big*, once its receive is there.
 * What devices move, is also behind all that was launched before it on its stream.
 */

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_RANKS    6
#define PROGRAM_GROUPS   4
#define PROGRAM_EACH     2  /* threads of a rank */
#define PROGRAM_EVENTS   24 /* more than there are: one adds at most a step to each thread */
#define PROGRAM_STEPS    (PROGRAM_EVENTS + 2)
#define PROGRAM_MESSAGES (PROGRAM_EVENTS + PROGRAM_RANKS)
#define PROGRAM_LAUNCHES (3 * PROGRAM_STEPS)
#define PROGRAM_AT_ONCE  4 /* things that are waited for together */

/* What is drawn, and what is told of it. */
#define PROGRAM_MODES(M)                                                                           \
	M(MPI, "mpi", "it is of MPI; else, if of no device, of gloo")                              \
	M(DEVICE, "device", "it is of NCCL: a call launches, and a device does it")                \
	M(POLLS, "polls", "gloo: some ask for their messages in a loop, which no ring tells")      \
	M(SETS, "sets", "some wait for several things at once")                                    \
	M(FAR, "far", "numbers lie too far apart for the bits of such a wait")                     \
	M(ASYNC, "async", "some collectives are begun, and waited for later")                      \
	M(BIG, "big", "some wait for what they send")                                              \
	M(THREADS, "threads", "some groups are driven by second threads")                          \
	M(SERVERS, "servers", "some ranks have a thread that waits for what never comes")          \
	M(GUILTS, "guilts", "the culprit is not only in its own code")                             \
	M(STACKS, "stacks", "of some ranks there are stacks")                                      \
	M(COMPLETION, "completion", "it is told what is complete")                                 \
	M(HOSTS, "hosts", "ranks are on several hosts, whose clocks differ")                       \
	M(WEAKENED, "weakened", "a torn board, a lost record, lost operations, a lost ring")       \
	M(UNSEEN, "unseen", "some ranks were never seen")                                          \
	M(BARE, "bare", "no ring tells anything: there are stacks, of some")                       \
	M(ENDED, "ended", "some jobs were ended by SIGTERM after a while")                         \
	M(YOUNG, "young", "it is told at once, at a moment that is drawn: nobody has stood yet")

enum program_mode_bit {
#define PROGRAM_BIT(id, name, words) PROGRAM_BIT_##id,
	PROGRAM_MODES(PROGRAM_BIT)
#undef PROGRAM_BIT
		PROGRAM_BITS
};
enum program_mode {
#define PROGRAM_MODE(id, name, words) PROGRAM_##id = 1 << PROGRAM_BIT_##id,
	PROGRAM_MODES(PROGRAM_MODE)
#undef PROGRAM_MODE
};
extern const char *const program_mode_names[PROGRAM_BITS];

/* What the culprit does from some step on; the last ones go on, with another program than drawn. */
#define PROGRAM_GUILT_KINDS_OF(G)                                                                  \
	G(OWN, "is in its own code")                                                               \
	G(INPUT, "waits for its input")                                                            \
	G(COMPILE, "compiles")                                                                     \
	G(EXIT, "exited, as if all were done")                                                     \
	G(EXCEPTION, "died of an exception")                                                       \
	G(FAULT, "died of a fault of its own")                                                     \
	G(KILL, "was killed")                                                                      \
	G(SKIP, "leaves out a collective")                                                         \
	G(OTHER, "calls another collective")

enum program_guilt {
#define PROGRAM_GUILT(id, words) GUILT_##id,
	PROGRAM_GUILT_KINDS_OF(PROGRAM_GUILT)
#undef PROGRAM_GUILT
		PROGRAM_GUILT_KINDS
};
extern const char *const program_guilt_names[PROGRAM_GUILT_KINDS];

enum step_kind {
	STEP_COME, /* and go on */
	STEP_MEET, /* come, and wait there */
	STEP_WAIT, /* for what it came to before */
	STEP_POLL, /* the same, in a loop of its own */
	STEP_OWN   /* what the culprit does, for good */
};

/* What a collective is called with. */
struct program_call {
	uint8_t op; /* JOB_OP_* */
	int root;
	uint64_t count;
};

struct program_step {
	enum step_kind kind;
	bool collective;   /* COME, MEET: to the next one of the group; else to messages */
	int group, stream; /* of a device; 0: the whole of it */
	struct program_call call;
	int things[PROGRAM_AT_ONCE]; /* a message; ~n: the collective that its thread began in n */
	int nthings;
	int thread;
	uint64_t slot;   /* its place in the group's order, played */
	uint64_t number; /* that stands for it in rings */
	int launched;    /* WAIT of a device: for so many launches of its rank */
	bool awaited;    /* COME: a later step waits for it */
	double began;    /* seconds, played; 0 never */
};

/* How far a message is. */
struct program_way {
	bool received, sent, awaited, flushed;
};

struct program_message {
	int from, to, group;
	uint64_t tag;
	uint64_t turn;      /* among those of its pair, group and tag, from 1 */
	uint64_t number[2]; /* of its send and receive, as rings have it */
	bool big;
	struct program_way drawn, played;
	bool done; /* a device has moved it */
};

/* One thread of a rank: the main one, or the second. */
struct program_thread {
	struct program_step steps[PROGRAM_STEPS];
	int nsteps;
	int at;       /* the step that it is in; nsteps: through with all */
	bool arrived; /* it has come to that */
	double done;  /* seconds; since when it is in no step */
};

/* What a rank has handed to its device. */
struct program_launch {
	int stream, number;
	int group;     /* of a collective; -1: a message */
	uint64_t slot; /* of a collective */
	int message;
};

struct program_rank {
	bool in[PROGRAM_GROUPS];
	int thread_of[PROGRAM_GROUPS];
	struct program_thread threads[PROGRAM_EACH];
	uint64_t entered[PROGRAM_GROUPS];
	struct program_call calls[PROGRAM_GROUPS][PROGRAM_STEPS + 1]; /* by slot, from 1 */
	bool awaited[PROGRAM_GROUPS][PROGRAM_STEPS + 1];
	struct program_launch launches[PROGRAM_LAUNCHES];
	int nlaunches;
};

struct program {
	unsigned modes; /* of enum program_mode */
	uint64_t seed, state;
	int nranks, ngroups, nmessages, culprit;
	enum program_guilt guilt;
	double ended; /* seconds; when the culprit's own doing began; 0 never */
	uint64_t numbers;
	struct program_rank ranks[PROGRAM_RANKS];
	struct program_message messages[PROGRAM_MESSAGES];
	bool done[PROGRAM_GROUPS][PROGRAM_STEPS + 1]; /* by slot: a device has done it */
};

/* Less than n. The same program has the same draws. */
unsigned program_draw(struct program *program, unsigned n);

/* Draws a program of those modes, and spoils it. */
void program_make(struct program *program, unsigned modes, uint64_t seed);
/* Plays it until nobody can go on; a young one to some moment before. */
void program_run(struct program *program);

/* True if the culprit did not come to it: it went away, and its program is as it was drawn. */
bool program_is_away(const struct program *program);
/* True if the culprit's process ended. */
bool program_is_dead(const struct program *program);

/* The step that the thread has come to; NULL: it is between two, or through. */
const struct program_step *program_step_of(const struct program_thread *thread);
/* True if the thread waits for others. */
bool program_thread_waits(const struct program *program, int rank, int thread);
/* True if it waits in that step. */
bool program_is_kept(const struct program *program, int rank, const struct program_step *step);
bool program_anybody_waits(const struct program *program);
/* True if the collective in that place is over, for whoever is in it. */
bool program_is_over(const struct program *program, int group, uint64_t slot);

/* Each thread's steps, "->" before the one it is in, and each group's ranks. */
void program_print(const struct program *program);

/* "mpi,sets", or "plain". The modes of such words; -1: there is a word that is none. */
const char *program_modes_text(unsigned modes, char *buffer, int size);
int program_modes_of(const char *text);

#endif
