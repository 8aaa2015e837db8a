/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mark.pml: a board that several threads write, as a mark's and the anchors': under a claim.
 *
 * HOLDS: what a reader accepts is one record, whole; after a kill at any moment, of both writers at
 * once, the board shows a record if one was ever put, and the latest one that was; each put is done
 * or counted. (Were a half claimed by each writer, the coroner would find no whole one.)
 */
#define PLACES	8
#define DEPTH	9
#define THREADS 3
#define WRITERS 2
#define PUTS	3 /* two of the first writer's */
#define AB	0
#define WORD	6
#define MET	7

#include "memory.pml"
#include "writer.pml"
#include "claim.pml"
#include "board-read.pml"

byte done;   /* puts that were said to have been done */
byte missed, newest, ended;

inline ring_board_put_shared(ab, claim)
{
	ring_claim(claim);
	if
	:: got ->
		ring_slot_publish(ab + 3 * (version & 1), version, version + 1);
		ring_unclaim(claim)
	:: else
	fi
}

proctype writer(byte me)
{
	CALLER;
	byte n = 0;

	do
	:: n < 2 - me ->
		ring_board_put_shared(AB, WORD);
		d_step {
			done = (got -> done + 1 : done);
			missed = (got -> missed : missed + 1);
			newest = (got && 2 * version + 2 > newest -> 2 * version + 2 : newest);
			n++;
			got = false;
			version = 0
		}
	:: else -> break
	od;
	leave();
	ended++
}

active proctype reader()
{
	CALLER;
	byte me = 2, shown = 0;

	ring_board_read(AB);
	assert(!shown || is_record(shown / 2));
	witness(shown == 2 * PUTS)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(!done || latest_shown(AB) >= newest);
			assert(half_holds(AB) && half_holds(AB + 3));
			assert(latest(MET) >= missed);
			assert(ended < WRITERS || (latest_shown(AB) == 2 * done && !(latest(WORD) & 1)))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
