/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi_bench.c: a recorded MPI_Allreduce of one element beside the library's own (PMPI_Allreduce,
 * which nobody stands in front of), in turns, in one process that is alone in its world; and a
 * receive that is begun, met and waited for. Compiled by mpi.sh with the library's own compiler.
 */
#include <mpi.h>

#include "bench/figure.h"

#define ROUNDS 4000
#define EACH   32
#define BAR    300 /* ns on top of the library's own */

static double mine = 1, all;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void past(void)
{
	PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void recorded(void)
{
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void past_message(void)
{
	MPI_Request request;

	PMPI_Irecv(&all, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
	PMPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void recorded_message(void)
{
	MPI_Request request;

	MPI_Irecv(&all, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
	MPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double timed(void (*act)(void))
{
	double from = now();

	for (int i = 0; i < EACH; i++)
		act();
	return (now() - from) / EACH;
}

static void compare(const char *name, void (*one)(void), void (*two)(void), double bar)
{
	static double own[ROUNDS], with[ROUNDS], added[ROUNDS];
	struct figure figure = {name, 0, "ns", 0, 0, FIGURE_AT_MOST};

	for (int i = 0; i < ROUNDS; i++) {
		own[i] = timed(one);
		with[i] = timed(two);
		added[i] = with[i] - own[i];
	}
	figure.median = figure_median(own, ROUNDS);
	figure_print(&figure);
	figure = (struct figure){"  recorded", figure_median(with, ROUNDS), "ns", 0, 0,
		FIGURE_AT_MOST};
	figure_print(&figure);
	figure = (struct figure){"  added", figure_median(added, ROUNDS), "ns", 0, bar,
		FIGURE_AT_MOST};
	figure_print(&figure);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	compare("MPI_Allreduce of one element", past, recorded, BAR);
	compare("Irecv, Send, Wait", past_message, recorded_message, 3 * BAR);
	MPI_Finalize();
	return 0;
}
