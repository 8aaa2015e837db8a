// SPDX-License-Identifier: Apache-2.0
//
// A rank in C++ whose error handler throws out of a call of MPI, compiled by the test with the
// library's own compiler; then it goes on, or with an argument dies before its next call.
#include <mpi.h>

#include <csignal>
#include <cstdio>

static void refuse(MPI_Comm *, int *code, ...)
{
	throw *code;
}

// Of its own size, so that what comes later stands elsewhere on the stack.
__attribute__((noinline)) static int broadcast(int root)
{
	volatile double room[64] = {0};

	try {
		MPI_Bcast((void *)room, 64, MPI_DOUBLE, root, MPI_COMM_WORLD);
	} catch (int) {
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	int caught = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(refuse, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (argc > 1 && broadcast(99))
		raise(SIGKILL);
	for (int i = 0; i < 100; i++)
		caught += broadcast(i % 2 ? 0 : 99);
	std::printf("caught %d\n", caught);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return caught != 50;
}
