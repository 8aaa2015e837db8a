/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.pml: the table of spans, of one slot. Either a closed span is in it, and two threads begin a
 * span of one name and end what they find, also what the other has begun; or it is fresh, and one
 * of the two ends what nobody may have begun.
 *
 * HOLDS: a span that is open is never evicted, and none is closed twice; what is accepted is one
 * span's record, whole; each span is in the table, or counted as lost there. The number of a record
 * is twice the serial, and one more once it is closed.
 */
#define PLACES	5
#define DEPTH	10
#define THREADS 3
#define WRITERS 2
#define SPAN	0
#define SERIAL	3
#define LOST	4

#include "memory.pml"
#include "writer.pml"

byte kept, ended;
bool fresh;

#define is_closed (word[1] & 1)

/* Not played: ring_meta_flags(): the first word of this record says all. */
inline ring_span_take()
{
	ring_load_acquire(SPAN, seen);
	ring_load(SPAN + 1, word[0]);
	ring_load(SPAN + 2, word[1]);
	ok = false;
	if
	:: only(!(seen & 1)) && (!seen || only(is_closed)) ->
		/* harmless: relaxed_cas: what was read was acquired, and is older */
		ring_cas(SPAN, seen, seen + 1, ok);
		assert(!ok || !seen || (latest(SPAN + 2) & 1))
	:: else
	fi;
	forget_words()
}

/* Its seq is odd: this thread has claimed it. */
inline ring_span_fill(record)
{
	ring_load(SPAN, seen);
	ring_fence_release();
	ring_slot_fill(SPAN, record);
	ring_publish_word(SPAN, seen + 1);
	seen = 0
}

/* Not played: ring_put(), ring_span_pin(). (Lanes and pinned records have models of their own.) */
inline ring_span_begin()
{
	ring_add(SERIAL, 1, serial);
	ring_span_take();
	if
	:: !ok -> ring_lose(LOST)
	:: else -> ring_span_fill(2 * serial + 2)
	fi
}

inline ring_slot_record()
{
	ring_load(SPAN + 1, word[0]);
	ring_load(SPAN + 2, word[1])
}

/* Not played: ring_meta_flags(), ring_meta_arg(). */
inline ring_span_find()
{
	ring_load_acquire(SPAN, seen);
	ring_load(SPAN + 1, word[0]);
	ring_load(SPAN + 2, word[1]);
	ok = false;
	if
	:: only(seen) && only(!(seen & 1)) && only(!is_closed) ->
		/* harmless: relaxed_cas: what was read was acquired, and is older */
		ring_cas(SPAN, seen, seen + 1, ok);
		assert(!ok || (latest(SPAN + 2) && !(latest(SPAN + 2) & 1)))
	:: else
	fi;
	if
	:: ok ->
		ring_slot_record();
		ring_load(SPAN + 1, again); /* its time */
		assert(word[0] == word[1] && again == word[0]);
		again = 0
	:: else
	fi
}

/* Not played: ring_put(), ring_span_pin(). */
inline ring_span_end()
{
	ring_span_find();
	if
	:: ok -> ring_span_fill(word[0] + 1)
	:: else
	fi;
	forget()
}

inline forget_words()
{
	d_step {
		seen = 0;
		word[0] = 0;
		word[1] = 0
	}
}

proctype writer(byte me)
{
	CALLER;
	byte serial;

	if
	:: fresh && me
	:: else ->
		ring_span_begin();
		atomic {
			kept = (ok -> kept + 1 : kept);
			ok = false;
			serial = 0
		}
	fi;
	ring_span_end();
	leave();
	ended++
}

proctype reader(byte me)
{
	CALLER;

	ring_slot_read(SPAN);
	assert(!ok || (word[0] && word[0] == word[1]));
	witness(ok && seen == 10);
	leave()
}

active proctype coroner()
{
	do
	:: d_step {
			assert((latest(SPAN) & 1) || latest(SPAN + 1) == latest(SPAN + 2));
			assert(ended < WRITERS || (kept + latest(LOST) == latest(SERIAL) &&
				!(latest(SPAN) & 1)))
	   }
	od
}

init {
	atomic {
		if
		:: fresh = true
		:: true ->
			/* The span of serial 0, closed. */
			memory[SPAN].is[0].value = 2;
			memory[SPAN + 1].is[0].value = 1;
			memory[SPAN + 2].is[0].value = 1
		fi;
		run writer(0);
		run writer(1);
		run reader(2)
	}
}
