/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatal.pml: the area of deaths, of one entry, which two threads that die at once want.
 *
 * HOLDS: an entry has one writer; what is accepted as complete is one death's, whole; each death is
 * kept, or counted as lost. (An entry is written once: what reads it needs to look once.)
 */
#define PLACES	4
#define DEPTH	5
#define THREADS 3
#define WRITERS 2
#define ENTRY	0
#define LOST	3

#include "memory.pml"
#include "writer.pml"

byte kept, ended;

inline ring_fatal_claim()
{
	ring_load(ENTRY, seen);
	got = false;
	if
	:: !seen ->
		/* harmless: relaxed_cas: nothing of it is read by who claims it */
		ring_cas(ENTRY, 0, 1, got)
	:: else
	fi;
	if
	:: !got -> ring_lose(LOST)
	:: else
	fi;
	seen = 0
}

inline ring_fatal_publish()
{
	ring_publish_word(ENTRY, 2)
}

proctype writer(byte me)
{
	CALLER;

	ring_fatal_claim();
	if
	:: got ->
		ring_slot_fill(ENTRY, me + 1);
		ring_fatal_publish();
		kept++
	:: else
	fi;
	leave();
	ended++
}

active proctype reader()
{
	CALLER;
	byte me = 2;

	ring_loose(ENTRY, seen);
	ring_fence_acquire();
	ring_slot_copy(ENTRY);
	assert(seen != 2 || (word[0] && word[0] == word[1]));
	witness(seen == 2 && word[0] == 2)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(latest(ENTRY) != 2 ||
				(latest(ENTRY + 1) && latest(ENTRY + 1) == latest(ENTRY + 2)));
			assert(ended < WRITERS ||
				(latest(ENTRY) == 2 && kept + latest(LOST) == WRITERS))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
