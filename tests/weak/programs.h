/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PROGRAMS_H
#define WEAK_PROGRAMS_H

/*
 * Programs of messages and barriers that cannot hang, but for one rank. Each is drawn along a line
 * of time, on which a message is received and sent before it is waited for, and all of a group come
 * to its barrier: whatever order its ranks run in, it runs to its end. Then one rank, the culprit,
 * is cut off somewhere and stands in its own code from there on. Played, some ranks end up waiting,
 * each of them in the end for the culprit and for nobody else: so the truth is known.
 */

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_RANKS    6
#define PROGRAM_GROUPS   2
#define PROGRAM_EVENTS   20 /* more than there are: one adds at most a step to each rank */
#define PROGRAM_STEPS    PROGRAM_EVENTS
#define PROGRAM_MESSAGES PROGRAM_EVENTS
#define PROGRAM_AT_ONCE  4 /* messages that are waited for together */

/* What is drawn, and what is told of it. */
#define PROGRAM_MODES(M)                                                                           \
	M(MPI, "mpi", "messages are MPI's; else gloo's")                                           \
	M(POLLS, "polls", "gloo: some ask for their messages in a loop, which no ring tells")      \
	M(SETS, "sets", "some wait for several messages at once")                                  \
	M(FAR, "far", "numbers of messages lie too far apart for the bits of such a wait")         \
	M(SERVERS, "servers", "some ranks have a thread that waits for what never comes")          \
	M(STACKS, "stacks", "of some ranks there are stacks")                                      \
	M(COMPLETION, "completion", "it is told what is complete")                                 \
	M(WEAKENED, "weakened", "a torn board, a lost record, lost operations, a lost ring")       \
	M(UNSEEN, "unseen", "some ranks were never seen")                                          \
	M(ENDED, "ended", "some jobs were ended by SIGTERM after a while")

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

enum step_kind {
	STEP_BARRIER,
	STEP_IRECV,
	STEP_ISEND,
	STEP_WAIT, /* for messages that it receives */
	STEP_POLL, /* the same, in a loop of its own */
	STEP_OWN   /* in its own code, for good */
};

struct program_step {
	enum step_kind kind;
	int group;                     /* of a barrier */
	int messages[PROGRAM_AT_ONCE]; /* of any other */
	int nmessages;
	double began; /* seconds, played; 0 never */
};

/* How far a message is. */
struct program_way {
	bool received, sent, awaited;
};

struct program_message {
	int from, to, group;
	uint64_t tag;
	uint64_t turn;   /* among those of its pair, group and tag, from 1 */
	uint64_t number; /* of its receive, as rings have it */
	struct program_way drawn, played;
};

struct program_rank {
	bool in[PROGRAM_GROUPS];
	struct program_step steps[PROGRAM_STEPS];
	int nsteps;
	int at;      /* the step that it is in; nsteps: through with all */
	double done; /* seconds; since when it is through */
};

struct program {
	unsigned modes; /* of enum program_mode */
	uint64_t seed, state;
	int nranks, ngroups, nmessages, culprit;
	struct program_rank ranks[PROGRAM_RANKS];
	struct program_message messages[PROGRAM_MESSAGES];
};

/* Less than n. The same program has the same draws. */
unsigned program_draw(struct program *program, unsigned n);

/* Draws a program and plays it until nobody can go on. */
void program_play(struct program *program, unsigned modes, uint64_t seed);

/* The step that the rank is in; NULL: it is through. */
const struct program_step *program_step_of(const struct program *program, int rank);
/* True if the rank waits for others. */
bool program_waits(const struct program *program, int rank);
bool program_anybody_waits(const struct program *program);

/* Each rank's steps, "->" before the one it is in, and each group's ranks. */
void program_print(const struct program *program);

/* "mpi,sets", or "plain". The modes of such words; -1: there is a word that is none. */
const char *program_modes_text(unsigned modes, char *buffer, int size);
int program_modes_of(const char *text);

#endif
