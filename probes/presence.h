/* SPDX-License-Identifier: Apache-2.0 */
/*
 * presence.h: whether a library is there, to programs that ask by a weak reference.
 *
 *	if (MPI_Abort)
 *		MPI_Abort(MPI_COMM_WORLD, 1);
 *
 * We show functions of MPI, NCCL and CUDA in every process of a job, so such a reference would be
 * bound to ours, and a program without MPI would believe that it has one. Once, before the program
 * begins, each weak reference that was bound to us is looked at: where no object behind us has a
 * function of that name it is what it would be without us, absent.
 *
 * What is loaded later is bound to us all the same: NCCL often comes so, and whoever loads it must
 * find us first. Who asks from there, or by dlsym(), finds our function; one that is called without
 * a real one behind it does nothing and returns an error of its library.
 */
#ifndef PROBES_PRESENCE_H
#define PROBES_PRESENCE_H

/* In the constructor, whatever else we do in this process: the names are there in any case. */
void presence_mend(void);

#endif
