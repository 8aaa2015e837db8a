/* SPDX-License-Identifier: Apache-2.0 */
/*
 * presence.h: answers programs that ask by a weak reference whether a library is there.
 *
 *	if (MPI_Abort)
 *		MPI_Abort(MPI_COMM_WORLD, 1);
 *
 * We show functions of MPI, NCCL and CUDA in every process of a job, so such a reference would be
 * bound to ours, and a program without MPI would believe that it has one. Once, before the program
 * begins, each weak reference that was bound to us is looked at: if no object behind us has a
 * function of that name, the reference becomes what it would be without us, absent.
 *
 * What is loaded later is bound to us all the same: NCCL often comes so, and whoever loads it must
 * find us first. When a library of MPI begins, which is there then or never, its names are looked
 * at again: mpi4py, which Python has loaded by then, asks for those that MPI 4 brought. A program
 * that asks otherwise, or by dlsym(), finds our function; if that is called without a real one
 * behind it, it does nothing and returns an error of its library.
 */
#ifndef PROBES_PRESENCE_H
#define PROBES_PRESENCE_H

/*
 * Mends those references. Called in the constructor, whatever else we do in this process, with NULL
 * (all names), since the names are there in any case; and later for the names alone that begin with
 * `family`, whose library is there by then.
 */
void presence_mend(const char *family);

#endif
