/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RING_TORTURE_H
#define TESTS_RING_TORTURE_H

/*
 * torture.h: what the parts of tests/ring/torture know of each other.
 *
 * torture.c kills, torture-victim.c writes and is killed, torture-inquest.c looks at what is left.
 *
 * TRUTH is a page beside the ring, shared and never part of it, in which each writer notes what it
 * is about to do and what it has done. Killed, a thread leaves a prefix of its own stores; so what
 * `ended` counts must be in the ring, what `began` does not count must not, and between the two
 * lies one deed per writer at most. Each record's words follow from its number, so the ring is not
 * compared with itself but with what must have been written.
 */

#include <stdint.h>

void torture_stall(void);
#define RING_STALL() torture_stall()

#include "tests/ring/fixture.h"

#define WRITERS 7 /* each has a group of its own; one more is shared */
#define LANES   17
#define LOG     65536 /* tickets of the overflow lane that are remembered */
#define ROWS    3     /* of every shard */
#define NAMES   16    /* strings of each writer */

/* What a writer does, one at a time. Records and boards of lanes are counted by lane instead. */
enum deed {
	DEED_OVERFLOW,
	DEED_PIN,     /* into a class that only writer 1 uses */
	DEED_PIN_ALL, /* into one that all use */
	DEED_ENQUEUE,
	DEED_RETURN,
	DEED_COMPLETE,
	DEED_SHARED, /* an op of the group that all use */
	DEED_SHARD,
	DEED_SHAPE,
	DEED_ANCHOR,
	DEED_SPAN_BEGIN,
	DEED_SPAN_END,
	DEED_STRING,
	DEED_CLAIM, /* of another lane */
	DEEDS
};

struct count {
	uint64_t began, ended;
};

/* A record of the overflow lane that its writer was told is in it. */
struct logged {
	uint64_t key; /* log_key() of its ticket; published last */
	uint64_t who;
	uint64_t n;
};

struct truth {
	uint64_t round;
	struct {
		struct count deed[DEEDS];
		uint64_t lost;   /* overflow records that were refused */
		uint64_t missed; /* ops of the shared group that could not be recorded */
	} writer[WRITERS + 1] __attribute__((aligned(64)));
	struct count lane[LANES]; /* records; written by who holds the lane */
	struct count board[LANES];
	uint64_t anchored; /* the board of anchors was written */
	struct logged log[LOG];
};

static inline uint64_t log_key(const struct truth *truth, uint64_t ticket)
{
	return truth->round << 40 | (ticket + 1);
}

/* How the writers may be broken: each way must be found, and as what it is. */
enum breakage {
	BREAK_NOTHING,
	BREAK_PUBLISH, /* a record is published before its words */
	BREAK_LOSS,    /* a record is dropped, and nobody counts it */
	BREAK_BOARD,   /* a board is written in one half only */
	BREAK_CLAIM,   /* slots of the overflow lane are not claimed */
	BREAK_SHARED,  /* two writers may be in the two halves of one board */
};

struct torture {
	struct fixture ring;
	struct truth *truth;
	int fd; /* of the ring */
	unsigned writers, stall, slots;
	enum breakage breakage;
};

/* What was found: all but the first line and `in_flight` must be 0. */
struct findings {
	uint64_t rings, records, boards, open_boards;
	uint64_t torn;       /* accepted, and not what was written */
	uint64_t absent;     /* must be there, and is not */
	uint64_t uncounted;  /* counters that do not say what was lost */
	uint64_t unreadable; /* boards of which no half is whole, the writers being dead */
	uint64_t excess;     /* records in flight beyond one per writer */
	uint64_t unsound;    /* arithmetic that does not come out */
	uint64_t in_flight;  /* of the dead */
};

/* Writes until it is killed; never returns. Ends with 99 where it cannot even begin. */
_Noreturn void victim_live(struct torture *t);

/* A living ring: what is accepted must be whole and true. */
void inquest_living(
	const struct torture *t, const void *bytes, size_t size, struct findings *found);

/* The slots and boards of a living ring where they lie, without a copy. */
void inquest_in_place(const struct torture *t, struct findings *found);

/* A ring whose writers are dead, or stopped: everything must be exact. */
void inquest_dead(const struct torture *t, const void *bytes, size_t size, struct findings *found);

int findings_bad(const struct findings *f);

/* The words of an op, and of a shard: each follows from its number. */
static inline uint64_t op_sig(uint64_t n, uint64_t who)
{
	return mix(n, who, 9);
}
static inline uint64_t shard_index(uint64_t n, uint64_t who)
{
	return n << 8 | who;
}
static inline uint64_t shard_elements(uint64_t index)
{
	return mix(index, 0, 7);
}

#endif
