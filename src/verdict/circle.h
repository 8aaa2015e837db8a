/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circle.h: ranks that wait for each other: a strongly connected part of the wait-for graph with no
 * way out. What it is made of, what likes of its ranks tell of it, and what it tells.
 */
#ifndef VERDICT_CIRCLE_H
#define VERDICT_CIRCLE_H

#include "verdict/inquiry.h"

/* One rank of a circle, by the first of its nodes: what holds it, or what it launched first. */
struct holder {
	int node;
	struct rank_index rank;
	bool apart; /* it is not in all of the groups, or entered all: it took no order */
};

struct circle {
	ARRAY(struct holder) holders; /* by node, then rank */
	bool of_launches;             /* all are in, but launched in different orders */
	size_t camps;
	size_t largest; /* index of the largest camp's first holder */
	size_t largest_n;
	size_t chose; /* of the largest camp: who took its order, and was not only led there */
};

/* How many of its ranks are held in a send or receive. */
size_t circle_count_pairs(const struct inquiry *q, const struct circle *circle);
/*
 * True for a send or receive against what is no such call: the one side may have called too much,
 * or the other too little. Nobody can tell.
 */
bool circle_is_mixed(const struct inquiry *q, const struct circle *circle);
/* True if a rank of it waits for the lock of a file, which another one has. */
bool circle_is_of_a_lock(const struct inquiry *q, const struct circle *circle);
/* True if all of it wait in the making of groups: they make them in different orders. */
bool circle_is_of_creations(const struct inquiry *q, const struct circle *circle);

/* The order that ranks beside a circle of two operations took, all of them the same. */
struct circle_likes {
	int node; /* the operation that they came to first */
	int group; /* the other operation's */
	uint64_t before; /* that group's operations before it: theirs in it, or in one like it */
	bool sure; /* they are several, had used their groups before, and nobody was not seen */
	struct rank_list ranks;
};

/*
 * Asks those ranks; false: there are none, they differ, or the sides are not one operation apart.
 * If true, the caller releases likes->ranks.list.
 */
bool circle_ask_likes(
	const struct inquiry *q, const struct circle *circle, struct circle_likes *likes);

/* Adds a fact for each camp: what it is in, and for whom. Launches tell it by their order. */
void circle_tell_edges(struct inquiry *q, const struct circle *circle, struct draft *draft);
/* Adds what those ranks tell. */
void circle_tell_likes(
	struct inquiry *q, const struct circle_likes *likes, struct draft *draft);
/* Adds which order the culprits took, or else one of the camps; nothing where no order is known. */
void circle_tell_order(struct inquiry *q, const struct circle *circle, struct draft *draft);

#endif
