/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message-index.h: the sends and receives of one seat, found by peer and number, or by peer and
 * tag. A seat may have them by the ten thousand, and each is asked for by each call of its peers.
 */
#ifndef JOB_MESSAGE_INDEX_H
#define JOB_MESSAGE_INDEX_H

#include "base/arena.h"
#include "job/job.h"

/* One of them. `after_open`: one before it, of that kind and to that peer, is not complete. */
struct job_message {
	const struct job_op *op;
	bool after_open;
};

struct job_message_index {
	const struct job_message *by_number;    /* np2p; by kind, peer and index */
	const struct job_op *const *by_tag;     /* those with tags, by kind, peer, tag and turn */
	size_t ntagged;
	bool counted; /* all that the seat called are there: their numbers add up */
};

/* Indexes a seat's messages, for good; they must not change any more. All lies in the arena. */
const struct job_message_index *message_index_new(
	struct arena *arena, const struct job_op *p2p, size_t np2p);

/* Returns the number of the last call of that kind and peer; 0 none is known. */
uint64_t message_last(const struct job_member *m, uint8_t op, struct group_rank peer);
/* Returns the call of that kind, peer and number; NULL where its details are not known. */
const struct job_message *message_find(
	const struct job_member *m, uint8_t op, struct group_rank peer, uint64_t index);
/* True if a call of that kind and peer tells its tag. */
bool message_tells_tags(const struct job_member *m, uint8_t op, struct group_rank peer);
/* Returns the first call of that kind, peer, tag and turn; NULL if there is none. */
const struct job_op *message_find_tag(const struct job_member *m, uint8_t op,
	struct group_rank peer, uint64_t tag, uint64_t turn);
/* Returns the greatest turn of a call of that kind, peer and tag; *ret_any: if there is one. */
uint64_t message_last_turn(const struct job_member *m, uint8_t op, struct group_rank peer,
	uint64_t tag, bool *ret_any);

#endif
