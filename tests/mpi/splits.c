/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of mpilike.c that makes communicators of very many, and says what that took. */
#include <stdio.h>

#include "mpilike.h"

static void split(const char *name, int order, int by)
{
	unsigned long before = atomic_load(&mpilike_steps);
	handle made;

	MPI_Comm_split(WORLD, order, by, &made);
	MPI_Barrier(made);
	printf("%s %lu\n", name, atomic_load(&mpilike_steps) - before);
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, 3, &provided);
	split("all", 'a', 0);
	split("down", 'd', 0);
	split("turned", 't', 777);
	split("third", 'e', 3);
	split("mixed", 'm', 617);
	MPI_Finalize();
	return 0;
}
