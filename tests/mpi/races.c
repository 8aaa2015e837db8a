/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races [ROUNDS]: a rank of mpilike.c with many threads, which do at once all that the MPI route
 * records: operations that block and that do not, requests that one thread begins and another ends,
 * described ones, tests, exchanges, communicators made and ended. A reader looks at the ring
 * meanwhile, where the probe at hand has one (tests/probe/inside.c). For ThreadSanitizer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpilike.h"

#define THREADS	 4
#define REQUESTS 8
#define NO_STATUS ((void *)0)

static int rounds = 200, over;
static pthread_barrier_t round_begins; /* or what one leaves to another would lie long */
static double data[8], into[THREADS][8];

/* What one thread has begun and the next one ends, each in its turn. */
static struct {
	pthread_mutex_t lock;
	handle request;
} given[THREADS];

static void do_ops(double *to, handle comm)
{
	handle requests[REQUESTS], one;
	int done = 0;

	MPI_Allreduce(data, to, 8, DOUBLE, SUM, comm);
	MPI_Sendrecv(data, 8, DOUBLE, 1, 0, to, 8, DOUBLE, 1, 0, comm, NO_STATUS);
	for (int i = 0; i < REQUESTS; i += 2) {
		MPI_Isend(data, 8, DOUBLE, 1, 0, comm, &requests[i]);
		MPI_Irecv(to, 8, DOUBLE, 1, 0, comm, &requests[i + 1]);
	}
	MPI_Iallreduce(data, to, 8, DOUBLE, SUM, comm, &one);
	MPI_Waitall(REQUESTS, requests, NO_STATUS);
	while (!done)
		MPI_Test(&one, &done, NO_STATUS);
}

static void do_described(handle comm)
{
	handle request;

	MPI_Send_init(data, 8, DOUBLE, 1, 0, comm, &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, NO_STATUS);
	}
	MPI_Request_free(&request);
}

/* Leaves a request to the next thread, and ends what was left here. */
static void do_hand_on(int me, handle comm)
{
	int next = (me + 1) % THREADS;

	pthread_mutex_lock(&given[me].lock);
	if (given[me].request)
		MPI_Wait(&given[me].request, NO_STATUS);
	given[me].request = NULL;
	pthread_mutex_unlock(&given[me].lock);
	pthread_mutex_lock(&given[next].lock);
	if (!given[next].request)
		MPI_Iallreduce(data, into[me], 8, DOUBLE, SUM, comm, &given[next].request);
	pthread_mutex_unlock(&given[next].lock);
}

static void *live(void *arg)
{
	int me = (int)(intptr_t)arg;
	handle own;

	for (int n = 0; n < rounds; n++) {
		pthread_barrier_wait(&round_begins);
		if (n % 16 == 0)
			MPI_Comm_split(WORLD, 'a', 0, &own);
		do_ops(into[me], own);
		do_ops(into[me], WORLD);
		do_described(own);
		do_hand_on(me, WORLD);
		if (n % 16 == 15 || n == rounds - 1)
			MPI_Comm_free(&own);
	}
	return NULL;
}

typedef uint64_t look_fn(void);

static void *read_on(void *arg)
{
	look_fn *look;
	uint64_t records = 0;

	*(void **)&look = dlsym(RTLD_DEFAULT, "inquest_probe_look");
	while (look && !__atomic_load_n(&over, __ATOMIC_RELAXED))
		records += look();
	printf("%lu records were read\n", (unsigned long)records);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], reader;
	int provided;

	if (argc > 1)
		rounds = atoi(argv[1]);
	MPI_Init_thread(&argc, &argv, 3, &provided);
	pthread_barrier_init(&round_begins, NULL, THREADS);
	for (int t = 0; t < THREADS; t++)
		pthread_mutex_init(&given[t].lock, NULL);
	pthread_create(&reader, NULL, read_on, NULL);
	for (intptr_t t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, live, (void *)t);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (int t = 0; t < THREADS; t++)
		if (given[t].request)
			MPI_Wait(&given[t].request, NO_STATUS);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	MPI_Finalize();
	return 0;
}
