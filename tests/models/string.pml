/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string.pml: two threads that intern strings of one hash: both the string 1, and the second one
 * the string 2 as well.
 *
 * HOLDS: equal strings have one id, others have others; who accepts a record that names a string
 * has all of it, whoever interned it; after a kill as well. Hashes are not played: all are equal. A
 * string is the places s (its length) and s + 1 (its bytes).
 */
#define PLACES	11
#define DEPTH	5
#define THREADS 3
#define WRITERS 2
#define INDEX	0 /* two entries */
#define USED	2
#define STRINGS 3 /* three of them: two may append one string at once */
#define ROOM	3
#define RECORD	9 /* one of each writer, which names what it interned last */

#include "memory.pml"
#include "writer.pml"

byte first[WRITERS], second, ended;

inline plain_store(where, what)
{
	ring_store(where, what)
}

inline plain_load(where, ret)
{
	ring_load(where, ret)
}

#define string_at(id) (STRINGS + 2 * (id) - 2)

inline ring_string_append(text)
{
	do
	:: true ->
		ring_load(USED, fresh);
		assert(fresh < ROOM);
		/* harmless: relaxed_cas: nothing is read of what it gives */
		ring_cas(USED, fresh, fresh + 1, ok);
		if
		:: ok -> break
		:: else
		fi
	od;
	fresh++;
	plain_store(string_at(fresh) + 1, text);
	ring_publish_word(string_at(fresh), 1)
}

/* got: it is. */
inline ring_string_is(text)
{
	/* harmless: ring_load: who has the id has acquired what it names */
	ring_load_acquire(string_at(id), seen);
	plain_load(string_at(id) + 1, word[0]);
	got = seen && word[0] == text;
	seen = 0;
	word[0] = 0
}

/* The string's id is in `id`. Not played: ring_string_hash(), ring_lose(). */
inline ring_string(text)
{
	probe = 0;
	fresh = 0;
	do
	:: true ->
		assert(probe < 2);
		ring_load_acquire(INDEX + probe, id);
		if
		:: !id ->
			if
			:: !fresh -> ring_string_append(text)
			:: else
			fi;
			ring_cas_release(INDEX + probe, id, fresh, ok);
			if
			:: ok ->
				id = fresh;
				break
			:: else
			fi
		:: else
		fi;
		ring_string_is(text);
		if
		:: got -> break
		:: else
		fi;
		probe++
	od;
	atomic {
		ok = false;
		got = false;
		fresh = 0;
		probe = 0
	}
}

proctype writer(byte me)
{
	CALLER;
	byte id, fresh, probe;

	ring_string(1);
	first[me] = id;
	ring_publish_word(RECORD + me, id);
	if
	:: me ->
		ring_string(2);
		second = id;
		ring_publish_word(RECORD + me, id)
	:: else
	fi;
	leave();
	ended++
}

/* What a record names, and, beside it, what lies there in its order. */
active proctype reader()
{
	CALLER;
	byte me = 2, id, which;

	if
	:: which = 0
	:: which = 1
	fi;
	ring_load_acquire(RECORD + which, id);
	if
	:: id ->
		plain_load(string_at(id), seen);
		plain_load(string_at(id) + 1, word[0]);
		assert(seen && word[0]);
		witness(word[0] == 2)
	:: else
	fi;
	forget();
	ring_loose(string_at(2), seen);
	ring_fence_acquire();
	ring_loose(string_at(2) + 1, word[0]);
	assert(!seen || word[0])
}

#define is_whole(id) (!(id) || (latest(string_at(id)) && latest(string_at(id) + 1)))

active proctype coroner()
{
	do
	:: d_step {
			assert(is_whole(latest(INDEX)) && is_whole(latest(INDEX + 1)));
			assert(ended < WRITERS || (first[0] == first[1] && first[0] != second &&
				latest(string_at(first[0]) + 1) == 1 &&
				latest(string_at(second) + 1) == 2))
	   }
	od
}

init {
	atomic {
		run writer(0);
		run writer(1)
	}
}
