/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds calls that never return: an error handler of the program jumps out of them, or throws.
 *
 * A frame of ours that hears of an exception (death/unwound.h) would not hear of longjmp(). So each
 * call leaves a mark in its own frame, which nobody overwrites while the call stands. If the next
 * call finds that it has that place itself, or that there is something else now, the former was
 * left. If neither is so nothing is concluded: it may be a call inside the other, or a thread of
 * the program's own (a fiber) on another stack.
 */
#include "probes/mpi/mpi-abi.h"
#include "probes/mpi/mpi.h"
#include "probes/self.h"
#include "probes/sys.h"
#include "probes/work.h"

#define MARK 0x6d70695f63616c6cul

void mpi_stand(struct probe_thread *me, enum mpi_tongue tongue, volatile uint64_t *mark)
{
	struct probe_standing *s = &me->standing;

	s->serial++;
	*mark = MARK ^ s->serial;
	s->mark = mark;
	s->fortran = tongue == MPI_IN_FORTRAN;
	s->end.meta = 0;
	s->nops = 0;
}

void mpi_stands_in(struct probe_thread *me, const struct ring_record *end)
{
	me->standing.end = *end;
}

void mpi_stands_with(struct probe_thread *me, const struct mpi_op *op)
{
	struct probe_standing *s = &me->standing;

	if (s->nops == PROBE_STANDING_OPS)
		return;
	s->ops[s->nops].number = op->number;
	s->ops[s->nops++].entered = op->entered;
}

/* What MPICH's Fortran calls in C is inside of it, and does not ask. */
int mpi_was_left(enum mpi_tongue tongue, const void *low, const void *high)
{
	const struct probe_thread *me = probe_me;
	uintptr_t mark = me ? (uintptr_t)me->standing.mark : 0;
	uint64_t there;

	if (!mark || !me->depth || (me->standing.fortran && tongue != MPI_IN_FORTRAN) ||
		me->tid != (uint32_t)sys_gettid()) /* a forked child's copy of its parent's */
		return 0;
	if (mark >= (uintptr_t)low && mark <= (uintptr_t)high)
		return 1;
	return self_copy(&there, mark, sizeof(there)) == sizeof(there) &&
	       there != (MARK ^ me->standing.serial);
}

/* What the call had entered has failed, as far as this rank is concerned; the thread is outside. */
void mpi_close_left(void)
{
	struct probe_thread *me = probe_me;
	struct probe_standing *s = &me->standing;
	uint64_t now = probe_now(me);

	for (uint32_t i = 0; i < s->nops; i++) {
		if (s->ops[i].entered.group >= 0)
			ring_group_returned(me->ring, &s->ops[i].entered,
				RING_F_RETURNED | RING_F_FAILED);
		work_close(s->ops[i].number, WORK_FAILED);
	}
	if (s->end.meta) {
		s->end.aux = MPI_ABI_MISSING;
		probe_put(me, now, &s->end);
		probe_idle(me, now);
	}
	s->mark = NULL;
	probe_leave(me);
}
