/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked AWAY HOW: a rank ($RANK) of a job that hangs, with nothing of ours in it. All but rank
 * AWAY wait in a function that bears the name of a collective. That one sleeps for ever ("sleep"),
 * or naps again and again ("nap").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int MPI_Allreduce(void);

__attribute__((noinline)) int MPI_Allreduce(void)
{
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return 1;
	return (int)recv(ends[0], &byte, 1, 0) + 1;
}

__attribute__((noinline)) static int lost(void)
{
	return pause() + 2;
}

__attribute__((noinline)) static int napping(void)
{
	while (usleep(20000) == 0)
		;
	return 1;
}

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK");

	if (argc != 3 || !rank)
		return 2;
	puts("ready");
	fflush(stdout);
	if (strcmp(rank, argv[1]) != 0)
		return MPI_Allreduce();
	return strcmp(argv[2], "nap") ? lost() : napping();
}
