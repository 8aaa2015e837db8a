/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.pml: a lane that changes hands: threads claim it, write a record, and release it.
 *
 * HOLDS: one owner at a time; the next one goes on with the tickets of the one before, so that none
 * is given twice and none is left out; its slot is whole wherever it is accepted.
 */
#define PLACES	6
#define DEPTH	9
#define THREADS 3
#define WRITERS 2
#define TURNS	3 /* two of the first writer's */
#define SLOT	0
#define HEAD	3
#define CLAIM	4
#define CLAIMS	5

#include "memory.pml"
#include "writer.pml"

byte written, owners, ended;

/* One instruction to signal handlers of its own thread; to other threads it is two. */
inline ring_reserve(head, ticket)
{
	ring_load(head, ticket);
	ring_store(head, ticket + 1)
}

inline ring_lane_claim()
{
	ring_load(CLAIM, seen);
	got = false;
	if
	:: !seen -> ring_cas(CLAIM, 0, me + 1, got)
	:: seen
	fi;
	if
	:: got -> ring_add(CLAIMS, 1, ignored)
	:: else
	fi;
	seen = 0
}

/* Not played: ring_lane_slot(), which finds the place and touches nothing. */
inline ring_lane_put()
{
	ring_reserve(HEAD, ticket);
	ring_slot_publish(SLOT, ticket, ticket + 1)
}

/* Not played: ring_writer_now(), ring_lane_idle(). (That is one more put, as in board.pml.) */
inline ring_lane_release()
{
	ring_publish_word(CLAIM, 0)
}

proctype writer(byte me)
{
	CALLER;
	byte ticket, n = 0;

	do
	:: n < 2 - me ->
		ring_lane_claim();
		if
		:: got ->
			owners++;
			assert(owners == 1);
			ring_lane_put();
			assert(ticket == written);
			d_step {
				written++;
				owners--
			}
			ring_lane_release()
		:: else
		fi;
		ticket = 0;
		n++
	:: else -> break
	od;
	leave();
	ended++
}

active proctype reader()
{
	CALLER;
	byte me = 2;

	ring_slot_read(SLOT);
	assert(!ok || is_record(seen / 2));
	witness(ok && seen == 2 * TURNS)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(latest(HEAD) >= written);
			assert(ended < WRITERS ||
				(latest(HEAD) == written && latest(CLAIMS) == written && !latest(CLAIM)))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
