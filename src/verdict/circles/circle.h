/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circle.h: circles: ranks that wait for each other, a strongly connected part of the wait-for
 * graph with no way out. What a circle is made of, what other ranks that did the same tell of it,
 * and the facts about it.
 */
#ifndef VERDICT_CIRCLE_H
#define VERDICT_CIRCLE_H

#include "verdict/inquiry.h"

/* One rank of a circle, by the first of its nodes: what holds it, or what it launched first. */
struct holder {
	int node;
	struct rank_index rank;
	bool apart; /* it is not in all of the circle's groups, or entered all ops: it took no
		     * order */
	bool launched; /* it launched several of the circle's ops, the node's first */
};

struct circle {
	ARRAY(struct holder) holders; /* by node, then rank */
	bool of_launches;             /* all ranks are in the ops, but launched them in different
				       * orders */
	bool maybe_unordered; /* several threads may have launched what one of its ranks did */
	size_t camps;
	size_t largest; /* index of the largest camp's first holder */
	size_t largest_n;
	size_t chose; /* ranks of the largest camp that took its order themselves, and were not
		       * only led there */
};

/*
 * Sets holders apart that tell nothing about orders: members of only one of the groups, which came
 * there in their turn, even if others came too early; and ranks that have entered both ops, unless
 * the circle is one of launches.
 */
void circle_set_apart(const struct inquiry *q, struct circle *circle);

/* Returns how many of its ranks are held in a send or receive. */
size_t circle_count_pairs(const struct inquiry *q, const struct circle *circle);
/*
 * True if a send or receive stands against something else: the one side may have called too much,
 * or the other too little. Nobody can tell.
 */
bool circle_is_mixed(const struct inquiry *q, const struct circle *circle);
/* True if a rank of the circle waits for the lock of a file that another one of it has. */
bool circle_is_of_a_lock(const struct inquiry *q, const struct circle *circle);
/* True if all its ranks wait in the making of groups: they make them in different orders. */
bool circle_is_of_creations(const struct inquiry *q, const struct circle *circle);

/* The order that ranks beside a circle of two operations took, all of them the same. */
struct circle_likes {
	int node; /* node of the operation that they came to first */
	int group; /* group of the other operation */
	uint64_t before; /* how many operations of that group, or of one like it, they did before */
	bool sure; /* they are several, had used their groups before, and no rank was unseen */
	struct rank_list ranks;
};

/*
 * Asks the ranks beside a circle of two operations which order they took. False: there are none,
 * they differ, or the sides are not one operation apart. If true, the caller releases
 * likes->ranks.list.
 */
bool circle_ask_likes(
	const struct inquiry *q, const struct circle *circle, struct circle_likes *likes);

/*
 * Adds a fact for each camp: which op it is in, and for which ranks it waits; of launches, their
 * order.
 */
void circle_tell_edges(struct inquiry *q, const struct circle *circle, struct draft *draft);
/* Adds what the ranks beside the circle tell. */
void circle_tell_likes(
	struct inquiry *q, const struct circle_likes *likes, struct draft *draft);
/*
 * Adds which order the culprits took, or without culprits one of the camps; nothing where no order
 * is known.
 */
void circle_tell_order(struct inquiry *q, const struct circle *circle, struct draft *draft);

#endif
