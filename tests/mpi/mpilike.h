/* SPDX-License-Identifier: Apache-2.0 */
/* What programs see of mpilike.c: handles as Open MPI has them, and the functions they call. */
#ifndef TESTS_MPI_MPILIKE_H
#define TESTS_MPI_MPILIKE_H

#include <stdatomic.h>

typedef void *handle;

extern char ompi_mpi_comm_world[], ompi_mpi_double[], ompi_mpi_op_sum[];
extern atomic_ulong mpilike_steps;

#define WORLD  ((handle)ompi_mpi_comm_world)
#define DOUBLE ((handle)ompi_mpi_double)
#define SUM    ((handle)ompi_mpi_op_sum)

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided);
int MPI_Finalize(void);
int MPI_Comm_split(handle comm, int order, int by, handle *made);
int MPI_Comm_dup(handle comm, handle *made);
int MPI_Comm_free(handle *comm);
int MPI_Barrier(handle comm);
int MPI_Allreduce(const void *in, void *out, int n, handle type, handle op, handle comm);
int MPI_Iallreduce(
	const void *in, void *out, int n, handle type, handle op, handle comm, handle *request);
int MPI_Isend(
	const void *buf, int n, handle type, int to, int tag, handle comm, handle *request);
int MPI_Irecv(void *buf, int n, handle type, int from, int tag, handle comm, handle *request);
int MPI_Sendrecv(const void *buf, int n, handle type, int to, int tag, void *into, int m,
	handle into_type, int from, int from_tag, handle comm, void *status);
int MPI_Send_init(
	const void *buf, int n, handle type, int to, int tag, handle comm, handle *request);
int MPI_Start(handle *request);
int MPI_Request_free(handle *request);
int MPI_Wait(handle *request, void *status);
int MPI_Waitall(int n, handle requests[], void *statuses);
int MPI_Test(handle *request, int *done, void *status);

#endif
