/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.pml: one slot of the job's process table, for which processes come and go while a reader
 * takes its three looks. A slot is the places HEAD (state and turn), two words of who it is, and the
 * status with which it ended.
 *
 * HOLDS: what a reader takes for a process is one, whole: also where the slot was freed and taken
 * again between the looks, or its process has become another program; the status of one that has
 * ended is its own. What is kept (a rank's end) is never taken by who saw a slot that could be.
 *
 * Either the first process claims, becomes another program, and ends: its slot is freed, or spent;
 * a second takes it, and a reader looks at both. Or a slot is spent, and two at once have seen it;
 * the first who has it keeps it.
 */
#define PLACES	4
#define DEPTH	10
#define THREADS 4
#define HEAD	0
#define WHO	1
#define STATUS	3

#define FREE	  0
#define CLAIMING  1
#define CANDIDATE 2
#define SPENT	  3 /* EXITED, and nobody needs it any more */
#define KEPT	  4 /* EXITED, and somebody does */

#include "memory.pml"
#include "writer.pml"

byte kept;

#define state_of(head)	   ((head) & 7)
#define turned(head)	   ((((head) & 248) + 8) | CLAIMING)
#define unturned(head)	   (((head) & 248) | CLAIMING) /* what a mutant does */
#define shown(head, state) (((head) & 248) | (state))

/* Of the identity, which is no word of the ring's: it is written and read as it comes. */
inline plain_store(where, what)
{
	ring_store(where, what)
}

inline plain_load(where, ret)
{
	ring_load(where, ret)
}

/* ok: it is claimed, and `version` is the head it has now. */
inline census_turn(head)
{
	turn = turned(head);
	/* harmless: relaxed_cas: who looks acquires what it looks at */
	ring_cas(HEAD, head, turn, ok);
	if
	:: ok ->
		version = turn;
		ring_fence_release()
	:: else
	fi;
	turn = 0
}

inline census_wipe()
{
	/* harmless: skip: what comes instead is written by the same thread before it publishes */
	ring_store(WHO, 0);
	/* harmless: skip: the same */
	ring_store(WHO + 1, 0)
}

/* Not played: census_same(), census_slot_at(), ring_load_acquire(): it knows its own head. */
inline census_take_over()
{
	census_turn(seen)
}

/* Not played: census_slot_at(), census_raise(). */
inline census_take(head, number)
{
	census_turn(head);
	if
	:: ok ->
		census_wipe();
		plain_store(WHO, number);
		plain_store(WHO + 1, number)
	:: else
	fi
}

inline census_publish(state)
{
	ring_publish_word(HEAD, shown(version, state))
}

/* Not played: census_slot_at(), ring_load(): it knows its own head. */
inline census_give_back()
{
	census_turn(seen);
	if
	:: ok ->
		census_wipe();
		census_publish(FREE)
	:: else
	fi
}

/* Not played: census_slot_at(), census_flag(), census_is_only_word(). */
inline census_exit(number, how)
{
	plain_store(STATUS, number);
	ok = false;
	seen = shown(version, CANDIDATE);
	if
	:: how == FREE -> census_give_back()
	:: else
	fi;
	if
	:: !ok -> census_publish(how)
	:: else
	fi;
	seen = 0
}

proctype first(byte me)
{
	CALLER;
	byte turn;

	census_take(FREE, 1);
	if
	:: ok ->
		census_publish(CANDIDATE);
		seen = shown(version, CANDIDATE);
		census_take_over();
		assert(ok);
		plain_store(WHO, 2);
		plain_store(WHO + 1, 2);
		census_publish(CANDIDATE);
		if
		:: census_exit(2, FREE)
		:: census_exit(2, SPENT)
		fi
	:: else
	fi;
	leave()
}

proctype later(byte me)
{
	CALLER;
	byte turn;

	/* harmless: ring_load: so does who claims */
	ring_load_acquire(HEAD, seen);
	if
	:: state_of(seen) == FREE || state_of(seen) == SPENT ->
		census_take(seen, me + 3);
		assert(!ok || !kept);
		if
		:: ok ->
			census_publish(CANDIDATE);
			kept = me + 3;
			census_exit(me + 3, KEPT)
		:: else
		fi
	:: else
	fi;
	leave()
}

inline census_pass(where, ret)
{
	plain_load(where, ret)
}

/* Not played: what the first and the last pass see beside the head. */
inline census_read()
{
	census_pass(HEAD, seen);
	ring_fence_acquire();
	census_pass(WHO, word[0]);
	census_pass(WHO + 1, word[1]);
	census_pass(STATUS, spin);
	ring_fence_acquire();
	census_pass(HEAD, again)
}

proctype reader(byte me)
{
	CALLER;

	census_read();
	if
	:: only(seen == again) && only(state_of(seen) != CLAIMING) && state_of(seen) != FREE ->
		assert(word[0] && word[0] == word[1]);
		assert(state_of(seen) == CANDIDATE || spin == word[0]);
		witness(state_of(seen) == KEPT && latest(HEAD) > 32)
	:: else
	fi;
	leave()
}

/* Whoever is killed leaves a process, nothing, or what is being changed. */
active proctype coroner()
{
	do
	:: d_step {
			assert(state_of(latest(HEAD)) <= CLAIMING ||
				(latest(WHO) && latest(WHO) == latest(WHO + 1)));
			assert(state_of(latest(HEAD)) < SPENT || latest(STATUS) == latest(WHO));
			assert(state_of(latest(HEAD)) != KEPT || latest(WHO) == kept)
	   }
	od
}

init {
	atomic {
		if
		:: true ->
			run first(0);
			run later(1);
			run reader(3)
		:: true ->
			memory[HEAD].is[0].value = SPENT;
			memory[WHO].is[0].value = 9;
			memory[WHO + 1].is[0].value = 9;
			memory[STATUS].is[0].value = 9;
			run later(1);
			run later(2)
		fi
	}
}
