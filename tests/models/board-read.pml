/* SPDX-License-Identifier: Apache-2.0 */
/* board-read.pml: what readers and the coroner see of a board. `shown`: its seq, 0 for none. */

inline ring_board_read(ab)
{
	byte half;

	ring_slot_read(ab);
	shown = (ok -> seen : 0);
	half = word[0];
	assert(!ok || word[0] == word[1]);
	forget();
	ring_slot_read(ab + 3);
	if
	:: ok && seen > shown -> shown = seen
	:: else ->
		word[0] = half;
		word[1] = half
	fi;
	half = 0
}

#define whole(s) (latest(s) && !(latest(s) & 1))
#define newer(a, b) (a > b -> a : b)
#define latest_shown(ab) \
	newer((whole(ab) -> latest(ab) : 0), (whole(ab + 3) -> latest(ab + 3) : 0))

/* A half is provably torn, or holds the record of its seq. */
#define half_holds(s) \
	(!whole(s) || (latest(s + 1) == latest(s) / 2 && latest(s + 2) == latest(s) / 2))
