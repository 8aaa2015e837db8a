/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pinned.pml: a class of the pinned region that keeps one record for ever and the latest one.
 *
 * HOLDS: what is accepted has the words of its ticket; the first record stays; each record that was
 * offered is kept, overwritten by a later one, or counted as lost.
 */
#define PLACES	8
#define DEPTH	7
#define WRITERS 2
#define OFFERS	3 /* the second writer offers two records */
#define THREADS 3
#define FIRST	0
#define LATEST	3
#define NEXT	6
#define LOST	7

#include "memory.pml"
#include "writer.pml"

byte published, ended;

/* Not played: ring_load_acquire() of what the class keeps, which nobody changes. */
inline ring_pin()
{
	ring_add(NEXT, 1, n);
	at = (n < 1 -> FIRST : LATEST);
	ring_slot_publish_shared(at, n, n + 1);
	if
	:: !ok -> ring_lose(LOST)
	:: else
	fi
}

proctype writer(byte me)
{
	CALLER;
	byte n, at, turn;

	do
	:: turn <= me ->
		ring_pin();
		d_step {
			published = (ok -> published + 1 : published);
			ok = false;
			n = 0;
			at = 0;
			turn++
		}
	:: else -> break
	od;
	leave();
	ended++
}

active proctype reader()
{
	CALLER;
	byte me = 2;

	ring_slot_read(FIRST);
	assert(!ok || (seen == 2 && is_record(1)));
	forget();
	ring_slot_read(LATEST);
	assert(!ok || (seen > 2 && is_record(seen / 2)));
	witness(ok && seen == 2 * OFFERS)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(latest(FIRST) <= 2);
			assert(latest(NEXT) >= published + latest(LOST));
			assert(ended < WRITERS || (latest(NEXT) == OFFERS && latest(FIRST) == 2 &&
				published + latest(LOST) == OFFERS))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
