/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.pml: a board that one thread writes, as a lane's.
 *
 * HOLDS: what a reader accepts is one record, whole; after a kill at any moment the board shows the
 * latest record that was put, or the one that was being put.
 */
#define PLACES	7
#define DEPTH	6
#define THREADS 2
#define PUTS	4
#define AB	0
#define VERSION	6

#include "memory.pml"
#include "writer.pml"

byte done;

#include "board-read.pml"

active proctype writer()
{
	CALLER;
	byte me = 0;

	do
	:: done < PUTS ->
		ring_board_put(AB, VERSION);
		done++
	:: else -> break
	od
}

active proctype reader()
{
	CALLER;
	byte me = 1, shown = 0;

	ring_board_read(AB);
	assert(!shown || is_record(shown / 2));
	witness(shown == 8)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(!done || latest_shown(AB) >= 2 * done);
			assert(half_holds(AB) && half_holds(AB + 3))
	   }
	od
}
