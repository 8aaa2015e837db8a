/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.pml: the functions of src/ring/ring-write.h and ring-read.h that models share, step by
 * step as they are there. The seven words of a record are two here: both are the record's number.
 *
 * A slot is the places s (seq), s + 1 and s + 2. A board is two slots. What a function returns is in
 * variables of the CALLER.
 */

#define CALLER                                                                                     \
	byte pick, old, seen, again, version, spin;                                                \
	byte word[2];                                                                              \
	bool ok, got

#define ring_lose(counter) ring_add(counter, 1, ignored)

inline ring_slot_fill(s, record)
{
	ring_store(s + 1, record);
	ring_store(s + 2, record)
}

inline ring_slot_publish(s, ticket, record)
{
	ring_store(s, 2 * (ticket) + 1);
	ring_fence_release();
	ring_slot_fill(s, record);
	ring_publish_word(s, 2 * (ticket) + 2)
}

/* ok: it was published. */
inline ring_slot_publish_shared(s, ticket, record)
{
	ring_load(s, seen);
	ok = false;
	if
	:: only(!(seen & 1)) && only(seen <= 2 * (ticket)) ->
		ring_cas(s, seen, 2 * (ticket) + 1, ok)
	:: else
	fi;
	if
	:: ok ->
		ring_fence_release();
		ring_slot_fill(s, record);
		ring_publish_word(s, 2 * (ticket) + 2)
	:: else
	fi;
	seen = 0
}

inline ring_slot_copy(s)
{
	ring_loose(s + 1, word[0]);
	ring_loose(s + 2, word[1])
}

/* ok: it is whole, seq is in `seen` and the words are in `word`. */
inline ring_slot_read(s)
{
	ring_loose(s, seen);
	ring_fence_acquire();
	ring_slot_copy(s);
	ring_fence_acquire();
	ring_loose(s, again);
	ok = only(again == seen) && only(!(seen & 1)) && seen;
	again = 0
}

/* The next version is in the place `next`. */
inline ring_board_put(ab, next)
{
	ring_load(next, version);
	ring_slot_publish(ab + 3 * (only(version & 1) -> 1 : 0), version, version + 1);
	ring_store(next, version + 1)
}

/* What a reader must never be wrong about: the words are those of the ticket. */
#define is_record(number) (word[0] == (number) && word[1] == (number))

inline forget()
{
	d_step {
		seen = 0;
		word[0] = 0;
		word[1] = 0;
		ok = false
	}
}

