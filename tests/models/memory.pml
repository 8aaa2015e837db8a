/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.pml: the memory on which the models of the ring are played.
 *
 * Spin itself plays sequential consistency: every load sees the latest store. Here memory is that
 * of C11's relaxed, acquire and release accesses, fences and read-modify-writes, played by views:
 *
 *   - a place keeps all values ever stored there, in their modification order;
 *   - a thread has, for each place, the oldest value it may still see. A load takes any value from
 *     there on: it may be old, and two places may be seen in another order than they were stored;
 *   - a store goes anywhere behind what its thread has seen, also in front of another thread's: two
 *     places may get their values in different orders;
 *   - a value carries a view. A release store carries all that its thread has seen, a relaxed one
 *     what it had seen at its latest release fence. Who acquires a value sees at least what it
 *     carries; who loads it relaxed, only after an acquire fence;
 *   - a read-modify-write takes the value that stands right before its own, for ever, and passes on
 *     what that carried (a release sequence).
 *
 * That is the model RC11 but for `seq_cst`, which the ring does not use, and consume, which nobody
 * does. WHAT IS NOT PLAYED: values out of thin air and loads that see a store which comes later in
 * their own thread (RC11 forbids both; ARM does the second, to loads that no control or data
 * dependency follows, and a slot has none: its loads are followed by none of its reader's stores);
 * torn words (they are aligned, of 8 bytes); signal handlers (tests/ring/reenter plays them); what
 * a compiler makes of it (tests/ring/torture plays that, by killing); wrap-around of a word.
 *
 * DEATH needs no model of its own: what a kill leaves is memory as it is at that moment, the latest
 * value of each place. A `coroner` looks at that, in one step, at any moment.
 *
 * A model defines PLACES, DEPTH (values that a place may get), THREADS, and in each process `me`
 * (its number), `pick` and `old`. The names of the operations are those of src/ring/ring-cpu.h: see
 * play for why.
 */

#define only(condition) (condition) /* a guard that a mutant takes out */
#ifdef WITNESS
#define witness(condition) assert(!(condition)) /* it does happen */
#else
#define witness(condition) skip
#endif

typedef view {
	byte at[PLACES]
}

typedef stored {
	byte value;
	bool glued; /* by a read-modify-write to the one before */
	view carries
}

typedef place {
	byte last;
	stored is[DEPTH]
}

typedef thread {
	view sees;
	view acquires; /* at the next acquire fence */
	view released  /* at the latest release fence */
}

place memory[PLACES];
thread threads[THREADS];
hidden byte i_, j_, ignored;

#define latest(place_) memory[place_].is[memory[place_].last].value

inline join_(to, from)
{
	for (i_ : 0 .. PLACES - 1) {
		if
		:: from.at[i_] > to.at[i_] -> to.at[i_] = from.at[i_]
		:: else
		fi
	}
}

/* Who has ended sees nothing more: states that differ in that only are one. */
inline leave()
{
	d_step {
		for (i_ : 0 .. PLACES - 1) {
			threads[me].sees.at[i_] = 0;
			threads[me].acquires.at[i_] = 0;
			threads[me].released.at[i_] = 0
		}
	}
}

/* A place in the modification order moves up by one in this view. */
inline shift_(v, where)
{
	if
	:: v.at[where] >= pick -> v.at[where]++
	:: else
	fi
}

/* Puts a value at position `pick`; what stood there and behind moves up, in all views. */
inline insert_(where, what, glue, carried)
{
	assert(memory[where].last + 1 < DEPTH);
	if
	:: pick <= memory[where].last ->
		for (i_ : 0 .. THREADS - 1) {
			shift_(threads[i_].sees, where);
			shift_(threads[i_].acquires, where);
			shift_(threads[i_].released, where)
		}
		for (i_ : 0 .. PLACES - 1) {
			for (j_ : 0 .. DEPTH - 1) {
				shift_(memory[i_].is[j_].carries, where)
			}
		}
		i_ = memory[where].last;
		do
		:: i_ >= pick ->
			memory[where].is[i_ + 1].value = memory[where].is[i_].value;
			memory[where].is[i_ + 1].glued = memory[where].is[i_].glued;
			for (j_ : 0 .. PLACES - 1) {
				memory[where].is[i_ + 1].carries.at[j_] =
					memory[where].is[i_].carries.at[j_]
			}
			i_--
		:: else -> break
		od
	:: else
	fi;
	memory[where].last++;
	memory[where].is[pick].value = what;
	memory[where].is[pick].glued = glue;
	for (i_ : 0 .. PLACES - 1) {
		memory[where].is[pick].carries.at[i_] = carried.at[i_]
	}
	memory[where].is[pick].carries.at[where] = pick;
	threads[me].sees.at[where] = pick
}

/* Any value that the thread may see: its position in `pick`. */
inline choose_(where)
{
	pick = threads[me].sees.at[where];
	do
	:: pick < memory[where].last -> pick++
	:: break
	od
}

inline see_(where)
{
	threads[me].sees.at[where] = pick;
	join_(threads[me].acquires, memory[where].is[pick].carries)
}

/* Any position for a store: not between a read-modify-write and what it took. */
inline choose_position_(where)
{
	pick = threads[me].sees.at[where] + 1;
	do
	:: pick <= memory[where].last -> pick++
	:: pick > memory[where].last || !memory[where].is[pick].glued -> break
	od
}

inline ring_load(where, ret)
{
	atomic {
		choose_(where);
		d_step {
			see_(where);
			ret = memory[where].is[pick].value;
			pick = 0
		}
	}
}

inline ring_load_acquire(where, ret)
{
	atomic {
		choose_(where);
		d_step {
			see_(where);
			join_(threads[me].sees, memory[where].is[pick].carries);
			ret = memory[where].is[pick].value;
			pick = 0
		}
	}
}

/* A reader's load of a word that may be written meanwhile: relaxed. */
inline ring_loose(where, ret)
{
	ring_load(where, ret)
}

inline ring_store(where, what)
{
	atomic {
		choose_position_(where);
		d_step {
			insert_(where, what, false, threads[me].released);
			pick = 0
		}
	}
}

inline ring_publish_word(where, what)
{
	atomic {
		choose_position_(where);
		d_step {
			insert_(where, what, false, threads[me].sees);
			pick = 0
		}
	}
}

inline ring_fence_acquire()
{
	d_step {
		join_(threads[me].sees, threads[me].acquires)
	}
}

inline ring_fence_release()
{
	d_step {
		for (i_ : 0 .. PLACES - 1) {
			threads[me].released.at[i_] = threads[me].sees.at[i_]
		}
	}
}

/* Puts a value right behind the one that stands at `pick`. */
inline swap_(where, what, carried)
{
	pick++;
	insert_(where, what, true, carried);
	join_(memory[where].is[pick].carries, memory[where].is[pick - 1].carries);
	pick = 0
}

inline ring_cas_(where, from, to, ok, acquire)
{
	atomic {
		choose_(where);
		if
		:: memory[where].is[pick].value != from ->
			d_step {
				see_(where);
				ok = false;
				pick = 0
			}
		:: else ->
			/* Another has swapped that value: this one will never be taken. */
			!(pick < memory[where].last && memory[where].is[pick + 1].glued);
			d_step {
				see_(where);
				if
				:: acquire ->
					join_(threads[me].sees, memory[where].is[pick].carries)
				:: else
				fi;
				swap_(where, to, threads[me].released);
				ok = true
			}
		fi
	}
}

/* Acquires where it succeeds, as ring-cpu.h does. */
inline ring_cas(where, from, to, ok)
{
	ring_cas_(where, from, to, ok, true)
}

inline ring_add(where, what, ret)
{
	atomic {
		choose_(where);
		!(pick < memory[where].last && memory[where].is[pick + 1].glued);
		d_step {
			see_(where);
			ret = memory[where].is[pick].value;
			swap_(where, ret + what, threads[me].released)
		}
	}
}

/* Of words of 32 bits: `from` gets what stood there. */
inline ring_cas_release_(where, from, to, ok, carried, acquire)
{
	atomic {
		choose_(where);
		if
		:: memory[where].is[pick].value != from ->
			d_step {
				see_(where);
				if
				:: acquire ->
					join_(threads[me].sees, memory[where].is[pick].carries)
				:: else
				fi;
				from = memory[where].is[pick].value;
				ok = false;
				pick = 0
			}
		:: else ->
			!(pick < memory[where].last && memory[where].is[pick + 1].glued);
			d_step {
				see_(where);
				swap_(where, to, carried);
				ok = true
			}
		fi
	}
}

inline ring_cas_release(where, from, to, ok)
{
	ring_cas_release_(where, from, to, ok, threads[me].sees, true)
}

/* --- What the mutants play in their stead: see play ------------------------------------------- */

inline relaxed_cas(where, from, to, ok)
{
	ring_cas_(where, from, to, ok, false)
}

/* Looks, and then takes: another may do so in between. */
inline split_cas(where, from, to, ok)
{
	ring_load(where, old);
	if
	:: old == from ->
		ring_store(where, to);
		ok = true
	:: else ->
		ok = false
	fi;
	old = 0
}

inline split_add(where, what, ret)
{
	ring_load(where, ret);
	ring_store(where, ret + what)
}

inline relaxed_cas_release(where, from, to, ok)
{
	ring_cas_release_(where, from, to, ok, threads[me].released, true)
}

inline blind_cas_release(where, from, to, ok)
{
	ring_cas_release_(where, from, to, ok, threads[me].sees, false)
}

inline split_cas_release(where, from, to, ok)
{
	ring_load(where, old);
	if
	:: old == from ->
		ring_publish_word(where, to);
		ok = true
	:: else ->
		from = old;
		ok = false
	fi;
	old = 0
}
