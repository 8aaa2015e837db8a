/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PAIRS_H
#define WEAK_PAIRS_H

/* Two jobs in one folder, told apart by the same code as diagnose's. */

#include "charge.h"
#include "whole.h"

/*
 * Both bundles whole: one is judged, and says what it says alone; the other is named as left out.
 * True: so it is; else what is wrong is appended.
 */
bool pairs_whole(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong);

/*
 * One node of each, of different ranks, so that no rank is claimed twice: no verdict with more than
 * a hypothesis names somebody that his own job does not name, nor is about ranks of both; but where
 * one of the jobs never made a communicator and its recording is older than the identity of runs,
 * nothing tells that they are two, and it may be about both.
 */
bool pairs_halves(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong);

/* Prints the page of what is judged of the two. */
void pairs_print(const struct whole *one, const struct whole *other, bool halves, enum plant plant);

#endif
