/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.pml: the overflow lane, of one slot, which threads without a lane of their own share.
 *
 * HOLDS: as in slot.pml for whoever reads; tickets are dense, and each is published or counted as
 * lost; the slot ends with the latest ticket that was published.
 */
#define PLACES	5
#define DEPTH	8
#ifndef WRITERS
#define WRITERS 2
#endif
#define THREADS (WRITERS + 1)
#define SLOT	0
#define HEAD	3
#define LOST	4

#include "memory.pml"
#include "writer.pml"

byte published, newest, ended;

/* C puts the ticket modulo the lane's slots here: there is one. */
/* Not played: ring_lane_slot(), which finds the place and touches nothing. */
inline ring_overflow_put()
{
	ring_add(HEAD, 1, ticket);
	ring_slot_publish_shared(SLOT, ticket, ticket + 1);
	if
	:: !ok -> ring_lose(LOST)
	:: else
	fi
}

proctype writer(byte me)
{
	CALLER;
	byte ticket = 0;

	ring_overflow_put();
	d_step {
		if
		:: ok ->
			published++;
			if
			:: 2 * ticket + 2 > newest -> newest = 2 * ticket + 2
			:: else
			fi
		:: else
		fi;
		ended++
	}
	leave()
}

active proctype reader()
{
	CALLER;
	byte me = WRITERS;

	ring_slot_read(SLOT);
	assert(!ok || is_record(seen / 2));
	witness(ok && seen == 2 * WRITERS);
	leave()
}

active proctype coroner()
{
	do
	:: d_step {
			assert((latest(SLOT) & 1) ||
				(latest(SLOT + 1) == latest(SLOT) / 2 &&
					latest(SLOT + 2) == latest(SLOT) / 2));
			assert(latest(HEAD) >= published + latest(LOST));
			assert((latest(SLOT) & 1) || latest(SLOT) >= newest);
			assert(ended < WRITERS || (latest(HEAD) == WRITERS &&
				published + latest(LOST) == WRITERS && latest(SLOT) == newest))
	   }
	od
}

init {
	byte n;

	atomic {
		for (n : 0 .. WRITERS - 1) {
			run writer(n)
		}
	}
}
