/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of real MPI that do what their words say, compiled by the tests with the library's own
 * compiler. Usage: ranks WORD...: [WHO:]NAME[=NUMBER], WHO a rank, or !RANK for all the others. A
 * group's word acts on the latest communicator that was made; `world` goes back to that of all.
 */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM  (1 << 20)
#define COMMS 8

static int me, n;
static MPI_Comm comms[COMMS], comm;
static int ncomms;
static MPI_Request requests[64];
static int nrequests;
static MPI_Request described;
static double mine[ROOM], all[ROOM];
static int counts[64], places[64];

static void add(MPI_Comm made)
{
	if (made != MPI_COMM_NULL)
		comm = comms[ncomms++ % COMMS] = made;
}

/* --- Collectives ----------------------------------------------------------------------------- */

static void do_allreduce(int count)
{
	MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void do_ints(int count)
{
	MPI_Allreduce(mine, all, count, MPI_INT, MPI_SUM, comm);
}

static void do_land(int count)
{
	MPI_Allreduce(mine, all, count, MPI_INT, MPI_LAND, comm);
}

static void do_max(int count)
{
	MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_MAX, comm);
}

static void do_barrier(int unused)
{
	MPI_Barrier(comm);
}

static void do_bcast(int root)
{
	MPI_Bcast(mine, 1000, MPI_DOUBLE, root, comm);
}

static void do_reduce(int root)
{
	MPI_Reduce(mine, all, 10, MPI_DOUBLE, MPI_SUM, root, comm);
}

static void do_gather(int count)
{
	MPI_Gather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, comm);
}

static void do_scatter(int count)
{
	MPI_Scatter(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, comm);
}

static void do_allgather(int count)
{
	MPI_Allgather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
}

static void do_alltoall(int count)
{
	MPI_Alltoall(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
}

/* Everybody gives its rank and one. */
static void do_allgatherv(int unused)
{
	int at = 0;

	for (int i = 0; i < n; i++) {
		counts[i] = i + 1;
		places[i] = at;
		at += counts[i];
	}
	MPI_Allgatherv(mine, me + 1, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, comm);
}

/* So many to each; `other` to one of them, which awaits as many as the others. */
static void exchange_all(int count, int to, int other)
{
	static int awaited[64];

	for (int i = 0; i < n; i++) {
		counts[i] = awaited[i] = count;
		places[i] = i * count;
	}
	counts[to] = other;
	MPI_Alltoallv(mine, counts, places, MPI_DOUBLE, all, awaited, places, MPI_DOUBLE, comm);
}

static void do_alltoallv(int count)
{
	exchange_all(count, 0, count);
}

static void do_alltoallv_short(int to)
{
	exchange_all(3, to, 0);
}

static void do_scan(int count)
{
	MPI_Scan(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void do_reduce_scatter(int count)
{
	MPI_Reduce_scatter_block(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void do_derived(int count)
{
	MPI_Datatype pair;

	MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
	MPI_Type_commit(&pair);
	MPI_Bcast(mine, count, pair, 0, comm);
	MPI_Type_free(&pair);
}

/* --- Sends and receives ---------------------------------------------------------------------- */

static int with; /* the tag of what comes */

static void do_tag(int tag)
{
	with = tag;
}

static void do_send(int to)
{
	MPI_Send(mine, 8, MPI_DOUBLE, to, with, comm);
}

static void do_ssend(int to)
{
	MPI_Ssend(mine, 8, MPI_DOUBLE, to, 0, comm);
}

static void do_big_send(int to)
{
	MPI_Send(mine, ROOM, MPI_DOUBLE, to, with, comm);
}

static void do_recv(int from)
{
	MPI_Recv(all, ROOM, MPI_DOUBLE, from, with, comm, MPI_STATUS_IGNORE);
}

static void do_recv_any(int unused)
{
	MPI_Recv(all, ROOM, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

static void do_ring(int apart)
{
	MPI_Sendrecv(mine, 8, MPI_DOUBLE, (me + apart) % n, 0, all, 8, MPI_DOUBLE,
		(me - apart + n) % n, 0, comm, MPI_STATUS_IGNORE);
}

static void do_probe(int from)
{
	MPI_Probe(from, 0, comm, MPI_STATUS_IGNORE);
}

/* --- Requests -------------------------------------------------------------------------------- */

static void do_isend(int to)
{
	MPI_Isend(mine, 8, MPI_DOUBLE, to, with, comm, &requests[nrequests++]);
}

static void do_irecv(int from)
{
	MPI_Irecv(all, 8, MPI_DOUBLE, from, with, comm, &requests[nrequests++]);
}

/* Of a tag that nobody sends. */
static void do_irecv_apart(int from)
{
	static double never[8];

	MPI_Irecv(never, 8, MPI_DOUBLE, from, 99, comm, &requests[nrequests++]);
}

static void do_iallreduce(int count)
{
	MPI_Iallreduce(
		mine, all, count, MPI_DOUBLE, MPI_SUM, comm, &requests[nrequests++]);
}

static void do_ibarrier(int unused)
{
	MPI_Ibarrier(comm, &requests[nrequests++]);
}

static void do_wait(int unused)
{
	MPI_Wait(&requests[--nrequests], MPI_STATUS_IGNORE);
}

/* For the latest so many; 0: for all. */
static void do_waitall(int latest)
{
	int n = latest ? latest : nrequests;

	nrequests -= n;
	MPI_Waitall(n, requests + nrequests, MPI_STATUSES_IGNORE);
}

static void do_waitany(int unused)
{
	int at;

	MPI_Waitany(nrequests, requests, &at, MPI_STATUS_IGNORE);
}

/* Asks until it is done. */
static void do_test(int unused)
{
	int done = 0;

	while (!done)
		MPI_Test(&requests[nrequests - 1], &done, MPI_STATUS_IGNORE);
	nrequests--;
}

static void do_testsome(int unused)
{
	int some, which[64], left = nrequests;

	while (left) {
		MPI_Testsome(nrequests, requests, &some, which, MPI_STATUSES_IGNORE);
		left -= some == MPI_UNDEFINED ? left : some;
	}
	nrequests = 0;
}

/* Looks until it is done, and ends it then. */
static void do_look(int unused)
{
	int done = 0;

	while (!done)
		MPI_Request_get_status(requests[nrequests - 1], &done, MPI_STATUS_IGNORE);
	MPI_Wait(&requests[--nrequests], MPI_STATUS_IGNORE);
}

static void do_test_once(int unused)
{
	int done;

	MPI_Test(&requests[nrequests - 1], &done, MPI_STATUS_IGNORE);
}

static void do_described_send(int to)
{
	MPI_Send_init(mine, 8, MPI_DOUBLE, to, 0, comm, &described);
}

static void do_described_recv(int from)
{
	MPI_Recv_init(all, 8, MPI_DOUBLE, from, 0, comm, &described);
}

static void do_begin(int unused)
{
	MPI_Start(&described);
}

static void do_start(int unused)
{
	do_begin(0);
	MPI_Wait(&described, MPI_STATUS_IGNORE);
}

/* --- Communicators --------------------------------------------------------------------------- */

static void do_split(int parts)
{
	MPI_Comm made;

	MPI_Comm_split(comm, me % parts, me, &made);
	add(made);
}

static void do_dup(int unused)
{
	MPI_Comm made;

	MPI_Comm_dup(comm, &made);
	add(made);
}

/* Of those whose rank is below the number. */
static void do_create(int below)
{
	MPI_Group group, some;
	MPI_Comm made;
	int range[1][3] = {{0, below - 1, 1}};

	MPI_Comm_group(comm, &group);
	MPI_Group_range_incl(group, 1, range, &some);
	MPI_Comm_create(comm, some, &made);
	MPI_Group_free(&some);
	MPI_Group_free(&group);
	add(made);
}

/* The same, called by them only. */
static void do_create_group(int below)
{
	MPI_Group group, some;
	MPI_Comm made = MPI_COMM_NULL;
	int range[1][3] = {{0, below - 1, 1}};

	MPI_Comm_group(comm, &group);
	MPI_Group_range_incl(group, 1, range, &some);
	if (me < below)
		MPI_Comm_create_group(comm, some, 7, &made);
	MPI_Group_free(&some);
	MPI_Group_free(&group);
	add(made);
}

/*
 * Between the two halves: the first rank's to those of the second. An argument that counts for
 * somebody else may be anything.
 */
static void do_between(int count)
{
	const MPI_Datatype anything = (MPI_Datatype)17;
	int second = me >= n / 2, root = second ? 0 : me ? MPI_PROC_NULL : MPI_ROOT;
	MPI_Comm half, between;

	MPI_Comm_split(MPI_COMM_WORLD, second, me, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, second ? 0 : n / 2, 9, &between);
	MPI_Scatter(mine, count, me ? anything : MPI_DOUBLE, all, count,
		second ? MPI_DOUBLE : anything, root, between);
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

static void do_free(int unused)
{
	MPI_Comm last = comms[--ncomms];

	MPI_Comm_free(&last);
	comm = ncomms ? comms[ncomms - 1] : MPI_COMM_WORLD;
}

static void do_world(int unused)
{
	comm = MPI_COMM_WORLD;
}

static void do_made(int nth)
{
	comm = comms[nth];
}

static void do_alone(int unused)
{
	MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
	MPI_Send(mine, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm);
}

/* --- Windows and files ----------------------------------------------------------------------- */

static MPI_Win window;
static MPI_File file;

static void do_window(int unused)
{
	MPI_Win_create(all, sizeof(all), sizeof(all[0]), MPI_INFO_NULL, comm, &window);
}

static void do_fence(int unused)
{
	MPI_Win_fence(0, window);
}

/* Has it for itself: at that rank. */
static void do_lock(int at)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at, 0, window);
	MPI_Put(mine, 1, MPI_DOUBLE, at, 0, 1, MPI_DOUBLE, window);
	MPI_Win_flush(at, window);
}

static void do_unlock(int at)
{
	MPI_Win_unlock(at, window);
}

static void do_window_free(int unused)
{
	MPI_Win_free(&window);
}

static void do_open(int unused)
{
	MPI_File_open(comm, "ranks.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

/* So many of each, side by side. */
static void do_write(int count)
{
	MPI_File_write_at_all(file, (MPI_Offset)me * count * 8, mine, count, MPI_DOUBLE,
		MPI_STATUS_IGNORE);
}

static void do_close(int unused)
{
	MPI_File_close(&file);
}

/* --- Ends, and standing about ---------------------------------------------------------------- */

__attribute__((noinline)) static void do_stay(int unused)
{
	for (;;)
		pause();
}

__attribute__((noinline)) static void do_compute(int unused)
{
	for (volatile double x = 1;; x = x * 1.0000001 + 1)
		;
}

static void do_sleep(int ms)
{
	usleep((useconds_t)ms * 1000);
}

static void do_kill(int signo)
{
	raise(signo);
}

static void do_exit(int status)
{
	exit(status);
}

static jmp_buf out;

static void jump_out(MPI_Comm *of, int *error, ...)
{
	longjmp(out, 1);
}

/* A call that the program's handler of errors never lets return: to a rank that there is not. */
static void do_leave(int unused)
{
	MPI_Errhandler handler;

	MPI_Comm_create_errhandler(jump_out, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	if (!setjmp(out))
		MPI_Send(mine, 1, MPI_DOUBLE, n + 3, 0, comm);
	else
		printf("left\n");
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

static void call_inside(MPI_Comm *of, int *error, ...)
{
	MPI_Barrier(MPI_COMM_SELF);
}

/* The same, and the handler comes back, which has called MPI itself. */
static void do_nest(int unused)
{
	MPI_Errhandler handler;

	MPI_Comm_create_errhandler(call_inside, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	MPI_Send(mine, 1, MPI_DOUBLE, n + 3, 0, comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

static void do_abort(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
}

static void do_finalize(int unused)
{
	MPI_Finalize();
}

static void do_errors_return(int unused)
{
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static void do_wrong_root(int root)
{
	MPI_Bcast(mine, 1, MPI_DOUBLE, root, comm);
}

/* Steps of a job that is well: they spin while they wait. */
static void do_steps(int steps)
{
	for (int i = 0; i < steps; i++) {
		usleep(1000);
		do_ring(1);
		do_allreduce(16);
	}
}

static const struct {
	const char *name;
	void (*act)(int);
} words[] = {
#define WORD(name) {#name, do_##name}
	WORD(allreduce), WORD(ints), WORD(land), WORD(max), WORD(barrier), WORD(bcast),
	WORD(reduce), WORD(gather), WORD(scatter), WORD(allgather), WORD(alltoall),
	WORD(allgatherv), WORD(alltoallv), WORD(alltoallv_short), WORD(scan),
	WORD(reduce_scatter), WORD(derived),
	WORD(tag), WORD(send), WORD(ssend), WORD(big_send), WORD(recv), WORD(recv_any), WORD(ring),
	WORD(probe), WORD(isend), WORD(irecv), WORD(irecv_apart), WORD(iallreduce),
	WORD(ibarrier), WORD(wait),
	WORD(waitall), WORD(waitany), WORD(test), WORD(look), WORD(testsome), WORD(test_once),
	WORD(described_send), WORD(described_recv), WORD(begin), WORD(start),
	WORD(split), WORD(dup),
	WORD(create), WORD(create_group),
	WORD(window), WORD(fence), WORD(lock), WORD(unlock), WORD(window_free),
	WORD(open), WORD(write), WORD(close),
	WORD(between), WORD(free), WORD(world), WORD(made), WORD(alone),
	WORD(stay), WORD(compute), WORD(sleep), WORD(kill), WORD(exit), WORD(abort),
	WORD(leave), WORD(nest),
	WORD(finalize), WORD(errors_return), WORD(wrong_root), WORD(steps),
};

static void act(const char *word, int number)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, word)) {
			words[i].act(number);
			return;
		}
	fprintf(stderr, "ranks: no word %s\n", word);
	exit(2);
}

/* True if the word is for this rank; *word goes behind who it is for. */
static int is_mine(char **word)
{
	char *colon = strchr(*word, ':');
	int others = **word == '!', who = atoi(*word + others);

	if (!colon)
		return 1;
	*word = colon + 1;
	return others ? me != who : me == who;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	comm = MPI_COMM_WORLD;
	for (int i = 1; i < argc; i++) {
		char *word = argv[i], *number;

		if (!is_mine(&word))
			continue;
		number = strchr(word, '=');
		if (number)
			*number++ = '\0';
		act(word, number ? atoi(number) : 0);
	}
	return 0;
}
