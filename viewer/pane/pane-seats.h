/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pane-seats.h: the seats of a group, in the order in which the groups pane tells of them: who is
 * missing, of whom nothing is known, who is at the front.
 */
#ifndef VIEWER_PANE_SEATS_H
#define VIEWER_PANE_SEATS_H

#include "job/rollcall.h"
#include "viewer/pane/pane-words.h"

/* A seat, as it stands in a roll call. */
struct seat {
	struct rank_index rank; /* NO_RANK: nobody knows who sits there */
	int member; /* index into job->members */
	enum roll roll; /* HERE also of who went on */
	bool never_came;
	bool head_known;
	uint64_t head; /* up to the op of the roll call */
	bool went_on;  /* it has entered later ones as well */
	const struct job_op *last; /* the one that is its head; NULL: no details */
	enum job_known completed;  /* that one */
	enum job_member_state state;
	const struct track *track; /* what its rank does now; NULL where rank is not known */
};

/* A roll call of a group. */
struct seats {
	int group;
	uint64_t front; /* the op of this roll call; 0: nobody entered any */
	uint64_t rear;	/* the smallest of those who speak; UINT64_MAX none */
	size_t missing, unknown, here;
	const struct job_op *op; /* what most of those who are there entered; NULL: no such */
	bool differs; /* not all who are there entered the same */
	ARRAY(struct seat) all; /* those who stand alike side by side, then by rank */
};

/*
 * Makes a book for roll calls that were made, of the front of a group and of one op more: whoever
 * goes from rank to rank sees the same ones. Never NULL; it is the scene's, whose job must outlive
 * it.
 */
struct seats_book *seats_book_new(const struct job *job);
/* Frees it; NULL is fine. */
void seats_book_free(struct seats_book *book);
/*
 * Returns the roll call of a group's op number `front`; valid until two others of the group are
 * asked.
 */
const struct seats *seats_of(const struct scene *scene, int group, uint64_t front);

/* True if the seat is at the front and did there what most did not. */
bool seats_is_odd(const struct seats *seats, const struct seat *seat);
/* Orders seats; 0 for those that stand alike. */
int seat_compare(const struct seat *a, const struct seat *b);
/* Returns the place in the evidence that tells of the seat. */
const char *seat_cite(const struct job *job, const struct seat *seat);

/* A group in short, without looking at its ranks one by one. */
struct seats_summary {
	int group;
	uint32_t size;
	uint64_t front, rear;
	uint8_t op; /* kind of the front's op; JOB_OP_NONE not known */
	size_t missing, unknown;
	bool differs;  /* those at the front entered different things */
	bool open;     /* somebody's op at the front is known not to be completed */
	bool sends;    /* somebody's sends or receives are known */
	bool has_rank; /* the one that was asked for */
	unsigned weight; /* how much it should be seen, for the pane */
};

/*
 * Returns all groups in short, by number; of those in which the rank sits `has_rank`, NO_RANK: of
 * none.
 */
const struct seats_summary *seats_sum_up(const struct scene *scene, struct rank_index rank);
/* Orders groups in step; 0 for those that are told of in one line. */
int seats_compare_quiet(const struct seats_summary *a, const struct seats_summary *b);

/* -- words, appended --------------------------------------------------------------------------- */

/* Appends a roll call: "AllReduce #1: 7 here, 1 missing; rear #0". */
void seats_add_roll(struct str *into, const struct seats *seats);
/* Appends "8 ranks, nccl; " and the roll call. */
void seats_add_group(struct str *into, const struct job *job, const struct seats *seats);
/*
 * Appends how n seats stand that stand alike: "missing; last AllReduce #4; now compile, codegen
 * 0/0".
 */
void seats_add_words(struct str *into, const struct scene *scene, const struct seats *seats,
	const struct seat *seat, size_t n);
/* Appends a group in step: "8 ranks, all at AllReduce #512". */
void seats_add_quiet(struct str *into, const struct seats_summary *sum);
/* Appends a call between two: "in Send #7 to rank 4, float32 x4096". */
void seats_add_p2p(struct str *into, const struct job *job, const struct job_group *group,
	const struct job_op *op);

#endif
