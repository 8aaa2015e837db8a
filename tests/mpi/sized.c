/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank of real MPI that asks by weak references, as mpi4py does, whether its library has the
 * functions of MPI 4 for large counts, and calls those; else the old ones. Compiled by the test as
 * an object, and as a program that loads it (LOADER): sized OBJECT.
 */
#include <dlfcn.h>
#include <stdio.h>

#ifdef LOADER
int main(int argc, char **argv)
{
	void *object = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*play)(void) = object ? (int (*)(void))dlsym(object, "play") : NULL;

	if (play)
		return play();
	fprintf(stderr, "%s\n", dlerror());
	return 2;
}
#else
#include <mpi.h>

#if MPI_VERSION < 4
#define COUNT long long
#define PLACE MPI_Aint
int MPI_Allreduce_c(const void *, void *, COUNT, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Bcast_c(void *, COUNT, MPI_Datatype, int, MPI_Comm);
int MPI_Alltoallv_c(const void *, const COUNT[], const PLACE[], MPI_Datatype, void *, const COUNT[],
	const PLACE[], MPI_Datatype, MPI_Comm);
int MPI_Allgatherv_c(const void *, COUNT, MPI_Datatype, void *, const COUNT[], const PLACE[],
	MPI_Datatype, MPI_Comm);
int MPI_Sendrecv_c(const void *, COUNT, MPI_Datatype, int, int, void *, COUNT, MPI_Datatype, int,
	int, MPI_Comm, MPI_Status *);
#else
#define COUNT MPI_Count
#define PLACE MPI_Aint
#endif
#pragma weak MPI_Allreduce_c
#pragma weak MPI_Bcast_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Allgatherv_c
#pragma weak MPI_Sendrecv_c

static double in[64], out[64];

static void play_wide(int me, int n)
{
	COUNT counts[4] = {1, 2, 3, 4};
	PLACE places[4] = {0, 8, 16, 24};

	MPI_Allreduce_c(in, out, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Bcast_c(in, 7, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	MPI_Allgatherv_c(
		in, me + 1, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		counts[i] = 2;
	MPI_Alltoallv_c(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE,
		MPI_COMM_WORLD);
	MPI_Sendrecv_c(in, 3, MPI_DOUBLE, (me + 1) % n, 4, out, 3, MPI_DOUBLE, (me + n - 1) % n, 4,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void play_narrow(int me, int n)
{
	int counts[4] = {1, 2, 3, 4}, places[4] = {0, 8, 16, 24};

	MPI_Allreduce(in, out, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Bcast(in, 7, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	MPI_Allgatherv(in, me + 1, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		counts[i] = 2;
	MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE,
		MPI_COMM_WORLD);
	MPI_Sendrecv(in, 3, MPI_DOUBLE, (me + 1) % n, 4, out, 3, MPI_DOUBLE, (me + n - 1) % n, 4,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int play(void)
{
	int me, n;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; i < 64; i++)
		in[i] = me + 1;
	if (MPI_Allreduce_c && MPI_Bcast_c && MPI_Alltoallv_c && MPI_Allgatherv_c && MPI_Sendrecv_c)
		play_wide(me, n);
	else
		play_narrow(me, n);
	printf("rank %d: %s, %g %g\n", me, MPI_Allreduce_c ? "wide" : "narrow", out[0], out[8]);
	return MPI_Finalize();
}
#endif
