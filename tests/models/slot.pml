/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.pml: a lane of one slot, written by its thread, read by two readers' worth of looks.
 *
 * HOLDS: what is accepted for ticket k has the words of ticket k; a second look never goes back;
 * after a kill at any moment the slot is the latest record, or provably in flight.
 */
#define PLACES	3
#define DEPTH	8
#define THREADS 3
#define TICKETS 3
#define SLOT	0

#include "memory.pml"
#include "writer.pml"

byte published;

active proctype writer()
{
	CALLER;
	byte me = 0, ticket = 0;

	do
	:: ticket < TICKETS ->
		ring_slot_publish(SLOT, ticket, ticket + 1);
		d_step {
			published++;
			ticket++
		}
	:: else -> break
	od
}

active proctype reader()
{
	CALLER;
	byte me = 1, before = 0;

	ring_slot_read(SLOT);
	if
	:: ok ->
		assert(is_record(seen / 2));
		before = seen;
		witness(seen == 4)
	:: else
	fi;
	forget();
	ring_slot_read(SLOT);
	assert(!ok || (is_record(seen / 2) && seen >= before))
}

active proctype coroner()
{
	do
	:: d_step {
			assert(latest(SLOT) >= 2 * published && latest(SLOT) <= 2 * published + 2);
			assert((latest(SLOT) & 1) ||
				(latest(SLOT + 1) == latest(SLOT) / 2 &&
					latest(SLOT + 2) == latest(SLOT) / 2))
	   }
	od
}
