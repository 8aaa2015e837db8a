/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.pml: ring_claim() and ring_unclaim() of src/ring/ring-write.h. The place MET counts
 * meetings; `got` says whether the claim was got, and `version` which version is to be written.
 * Not played: ring_relax().
 */
#define RING_CLAIM_STUCK 128
#define RING_CLAIM_SPINS 1

inline ring_claim(claim)
{
	got = false;
	ring_load(claim, seen);
	do
	:: true ->
		if
		:: only(!(seen & 1)) -> ring_cas(claim, seen, seen + 1, got)
		:: seen & 1
		fi;
		if
		:: got -> break
		:: else
		fi;
		if
		:: spin == 0 -> ring_lose(MET)
		:: else
		fi;
		if
		:: seen & RING_CLAIM_STUCK -> break
		:: else
		fi;
		if
		:: spin >= RING_CLAIM_SPINS ->
			if
			:: seen & 1 ->
				/* harmless: relaxed_cas: nothing is read or written under it */
				ring_cas(claim, seen, seen | RING_CLAIM_STUCK, ok)
			:: else
			fi;
			break
		:: else
		fi;
		spin++;
		ring_load(claim, seen)
	od;
	atomic {
		version = (got -> seen / 2 : 0);
		seen = 0;
		spin = 0;
		ok = false
	}
}

inline ring_unclaim(claim)
{
	ring_publish_word(claim, 2 * version + 2)
}
