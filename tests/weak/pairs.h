/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PAIRS_H
#define WEAK_PAIRS_H

/* Two jobs in one folder, told apart by the same code as diagnose's. */

#include "charge.h"
#include "whole.h"

/*
 * Judges both bundles, whole, in one folder: one of them must be judged, and say what it says
 * alone; the other must be named as left out. Returns true if so it is; else appends what is wrong.
 */
bool pairs_whole(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong);

/*
 * Judges one node of each, of different ranks, so that no rank is claimed twice: no verdict with
 * more than a hypothesis names somebody that his own job does not name, nor is about ranks of both.
 * But where one of the jobs never made a communicator, and its recording is older than the identity
 * of runs, nothing tells that they are two, and the verdict may be about both.
 */
bool pairs_halves(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong);

/* Prints the page of what is judged of the two. */
void pairs_print(const struct whole *one, const struct whole *other, bool halves, enum plant plant);

#endif
