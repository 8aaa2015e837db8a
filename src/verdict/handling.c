/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that wait in an operation to which they came with an exception: in a `finally`, or in a
 * handler. The exception tells why such a rank is there and the others are not.
 */
#include <string.h>

#include "base/clock.h"
#include "verdict/rule.h"

/*
 * ns within which a note and an operation are of one call of Python: it writes the note, then
 * begins the operation.
 */
#define SAME_CALL CLOCK_NS_PER_S

/* True if the rank still waits in the operation before which the note was written. */
static bool stands_behind(
	const struct inquiry *q, struct rank_index rank, const struct job_note *note)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->held && wait->since != JOB_UNKNOWN && note->when != JOB_UNKNOWN &&
			wait->since >= note->when && wait->since - note->when <= SAME_CALL)
			return true;
	}
	return false;
}

/* Adds the exception by the stack of the thread that waits, where nothing is recorded. */
static void tell_by_stack(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *posture = &q->profiles[rank.i].posture;

	if (posture->stack && activities_waits(posture->activity) && *posture->stack->handling)
		draft_fact(q, draft, FACT_HANDLING, rank, posture->stack->cite)->text =
			posture->stack->handling;
}

static void tell_of(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const char *colon;

	if (!p->handling || !stands_behind(q, rank, p->handling)) {
		tell_by_stack(q, rank, draft);
		return;
	}
	colon = strchr(p->handling->text, ' ');
	draft_fact(q, draft, FACT_HANDLING, rank, p->handling->cite)->text =
		colon ? colon + 1 : p->handling->text;
	tell_raised_at(q, p->handled_at, rank, draft);
}

void tell_handling(struct inquiry *q, struct draft *draft)
{
	const struct rank_list *const sides[] = {&draft->culprits, &draft->camp_a, &draft->camp_b};

	for (size_t s = 0; s < sizeof(sides) / sizeof(*sides); s++)
		for (size_t i = 0; i < sides[s]->list.nr; i++)
			tell_of(q, sides[s]->list.items[i], draft);
}
