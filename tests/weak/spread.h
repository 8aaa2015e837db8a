/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_SPREAD_H
#define WEAK_SPREAD_H

/*
 * A job of one host told as one of several: the processes of its first ranks are said to be of
 * host m1, of the next of m2, and so on; each host gets the gathering, the agent, its own part of
 * the census, of the agent's samples and of the list of ends. Launcher and agent stay on m1.
 * Nothing that a rank says is changed; but who was never seen might now be on a host more.
 */

#include "heap.h"
#include "whole.h"

/* Spreads the heap over n hosts. Returns false if it has several already, or fewer ranks than n. */
bool spread(const struct whole *whole, struct heap *heap, int n);

/*
 * Puts at most `room` hosts of the heap into `hosts`, sorted; they live as long as the heap.
 * Returns how many hosts there are.
 */
size_t spread_hosts(const struct heap *heap, const char **hosts, size_t room);

#endif
