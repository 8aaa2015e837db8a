/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of real MPI, compiled by the test: they take steps, until rank 2 stays away of one. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#define AWAY 2
#define STEP 20 /* the one that it does not take */

static volatile double sink;

__attribute__((noinline)) static void compute_for_ever(void)
{
	for (double x = 1;; x = x * 1.0000001 + 1)
		sink = x;
}

__attribute__((noinline)) static void stay_away(const char *how)
{
	if (!strcmp(how, "compute"))
		compute_for_ever();
	for (;;)
		if (!strcmp(how, "sleep"))
			sleep(1000);
		else
			pause();
}

__attribute__((noinline)) static void take_step(const char *call)
{
	double mine = 1, all = 0;
	MPI_Request request;

	if (!strcmp(call, "Barrier")) {
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (!strcmp(call, "Recv")) {
		MPI_Recv(&all, 1, MPI_DOUBLE, AWAY, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (!strcmp(call, "Wait")) {
		MPI_Irecv(&all, 1, MPI_DOUBLE, AWAY, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* Usage: mpi-ranks CALL HOW: how rank 2 stays away; "comes": it does not. */
int main(int argc, char **argv)
{
	int me;

	if (argc != 3)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int n = 0;; n++) {
		for (volatile int i = 0; i < 300000; i++)
			;
		if (n == STEP && me == AWAY && strcmp(argv[2], "comes") != 0)
			stay_away(argv[2]);
		take_step(n < STEP ? "Allreduce" : argv[1]);
	}
}
