/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.pml: the order of operations of a group, two threads entering ops at once, under a claim.
 *
 * HOLDS: each op has an index of its own, also one that was missed; the running hash (here: how many
 * went into it) has all ops but those that were missed, which are counted; the history is whole.
 */
#define PLACES	8
#define DEPTH	9
#define THREADS 3
#define WRITERS 2
#define OPS	3 /* two of the first writer's */
#define LAST	0
#define WORD	3
#define MET	4
#define OP_INDEX 5
#define HASH	6
#define MISSED	7

#include "memory.pml"
#include "writer.pml"
#include "claim.pml"

byte missed, ended;

/* What ring_group_enqueue() does to a collective: LAST is its place in the history. */
inline enqueue()
{
	ring_claim(WORD);
	if
	:: !got ->
		ring_lose(MISSED);
		ring_add(OP_INDEX, 1, index)
	:: else ->
		ring_add(OP_INDEX, 1, index);
		ring_load(HASH, hash);
		ring_store(HASH, hash + 1);
		ring_slot_publish(LAST, index, index + 1);
		ring_unclaim(WORD)
	fi
}

proctype writer(byte me)
{
	CALLER;
	byte index, hash, n = 0;

	do
	:: n < 2 - me ->
		enqueue();
		d_step {
			missed = (got -> missed : missed + 1);
			index = 0;
			hash = 0;
			version = 0;
			got = false;
			n++
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

	ring_slot_read(LAST);
	assert(!ok || is_record(seen / 2));
	witness(ok && seen == 2 * OPS)
}

active proctype coroner()
{
	do
	:: d_step {
			assert(ended < WRITERS ||
				(latest(OP_INDEX) == OPS && latest(MISSED) == missed &&
					latest(HASH) == OPS - missed && latest(WORD) % 2 == 0))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
