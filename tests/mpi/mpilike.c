/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for Open MPI's library, as far as tests need one that real MPI cannot be: of any size
 * ($MPILIKE_SIZE; this process is rank 0, and meets nobody: what it begins is done at once), and
 * sanitized. Compiled by the tests. It looks for members as Open MPI does, each among all of the
 * other group, and counts how many it has looked at.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define SHOWN	     __attribute__((visibility("default")))
#define OBJECT(name) SHOWN char name[512];
#define CALL(name, ...)                                                                            \
	SHOWN int P##name(__VA_ARGS__);                                                            \
	SHOWN int name(__VA_ARGS__) __attribute__((weak, alias("P" #name)));                       \
	int P##name(__VA_ARGS__)

struct group {
	int n;
	int ranks[];
};

struct comm {
	struct group *group;
};

struct request {
	int described;
};

SHOWN struct comm ompi_mpi_comm_world, ompi_mpi_comm_self;
OBJECT(ompi_mpi_comm_null)
OBJECT(ompi_request_null)
OBJECT(ompi_mpi_datatype_null)
OBJECT(ompi_mpi_double)
OBJECT(ompi_mpi_op_sum)

SHOWN atomic_ulong mpilike_steps;

static struct group *group_new(int n)
{
	struct group *g = malloc(sizeof(*g) + (size_t)n * sizeof(int));

	if (!g)
		abort();
	g->n = n;
	return g;
}

CALL(MPI_Init_thread, int *argc, char ***argv, int wanted, int *provided)
{
	const char *size = getenv("MPILIKE_SIZE");
	struct group *world = group_new(size ? atoi(size) : 2), *self = group_new(1);

	for (int i = 0; i < world->n; i++)
		world->ranks[i] = i;
	self->ranks[0] = 0;
	ompi_mpi_comm_world.group = world;
	ompi_mpi_comm_self.group = self;
	*provided = wanted;
	return 0;
}

CALL(MPI_Finalize, void)
{
	return 0;
}

CALL(MPI_Type_size, void *type, int *size)
{
	*size = 8;
	return 0;
}

/* --- Groups ---------------------------------------------------------------------------------- */

CALL(MPI_Comm_group, struct comm *comm, struct group **group)
{
	*group = comm->group;
	return 0;
}

CALL(MPI_Group_incl, struct group *from, int n, const int ranks[], struct group **made)
{
	struct group *g = group_new(n);

	for (int i = 0; i < n; i++)
		g->ranks[i] = from->ranks[ranks[i]];
	atomic_fetch_add(&mpilike_steps, (unsigned long)n);
	*made = g;
	return 0;
}

CALL(MPI_Group_free, struct group **group)
{
	/* Those of communicators live as long as these. */
	if ((*group)->n <= 64 && *group != ompi_mpi_comm_self.group &&
		*group != ompi_mpi_comm_world.group)
		free(*group);
	*group = NULL;
	return 0;
}

CALL(MPI_Group_translate_ranks, struct group *of, int n, const int ranks[], struct group *to,
	int found[])
{
	unsigned long steps = 0;

	for (int i = 0; i < n; i++) {
		found[i] = -32766;
		for (int at = 0; at < to->n; at++) {
			steps++;
			if (to->ranks[at] != of->ranks[ranks[i]])
				continue;
			found[i] = at;
			break;
		}
	}
	atomic_fetch_add(&mpilike_steps, steps);
	return 0;
}

/* --- Communicators --------------------------------------------------------------------------- */

CALL(MPI_Comm_size, struct comm *comm, int *size)
{
	*size = comm->group->n;
	return 0;
}

CALL(MPI_Comm_rank, struct comm *comm, int *rank)
{
	for (*rank = 0; comm->group->ranks[*rank]; (*rank)++)
		;
	return 0;
}

static struct comm *comm_new(struct group *group)
{
	struct comm *comm = malloc(sizeof(*comm) + 64);

	if (!comm)
		abort();
	comm->group = group;
	return comm;
}

/* The member with seat i of n, by an order that the caller names. */
static int member(char order, int i, int n, int by)
{
	switch (order) {
	case 'd': return n - 1 - i; /* downwards */
	case 't': return (i + by) % n; /* turned */
	case 'e': return i * by; /* every so manieth */
	case 'm': return (int)((int64_t)i * by % n); /* mixed */
	default: return i;
	}
}

/* Nobody else is asked for a colour: it is the order, and the key what belongs to it. */
CALL(MPI_Comm_split, struct comm *comm, int order, int by, struct comm **made)
{
	int n = comm->group->n, m = order == 'e' ? (n + by - 1) / by : n;
	struct group *group = group_new(m < 65 ? 65 : m);

	group->n = m;
	for (int i = 0; i < m; i++)
		group->ranks[i] = comm->group->ranks[member((char)order, i, n, by)];
	*made = comm_new(group);
	return 0;
}

CALL(MPI_Comm_dup, struct comm *comm, struct comm **made)
{
	*made = comm_new(comm->group);
	return 0;
}

CALL(MPI_Comm_free, struct comm **comm)
{
	free(*comm);
	*comm = (struct comm *)ompi_mpi_comm_null;
	return 0;
}

/* --- Operations ------------------------------------------------------------------------------ */

static int begin(struct request **request, int described)
{
	*request = calloc(1, sizeof(**request) + 32);
	if (!*request)
		abort();
	(*request)->described = described;
	return 0;
}

static void end(struct request **request)
{
	if (*request == (struct request *)ompi_request_null || (*request)->described)
		return;
	free(*request);
	*request = (struct request *)ompi_request_null;
}

CALL(MPI_Barrier, struct comm *comm)
{
	return 0;
}

CALL(MPI_Allreduce, const void *in, void *out, int n, void *type, void *op, struct comm *comm)
{
	return 0;
}

CALL(MPI_Iallreduce, const void *in, void *out, int n, void *type, void *op, struct comm *comm,
	struct request **request)
{
	return begin(request, 0);
}

CALL(MPI_Isend, const void *buf, int n, void *type, int to, int tag, struct comm *comm,
	struct request **request)
{
	return begin(request, 0);
}

CALL(MPI_Irecv, void *buf, int n, void *type, int from, int tag, struct comm *comm,
	struct request **request)
{
	return begin(request, 0);
}

CALL(MPI_Sendrecv, const void *buf, int n, void *type, int to, int tag, void *into, int m,
	void *into_type, int from, int from_tag, struct comm *comm, void *status)
{
	return 0;
}

CALL(MPI_Send_init, const void *buf, int n, void *type, int to, int tag, struct comm *comm,
	struct request **request)
{
	return begin(request, 1);
}

CALL(MPI_Start, struct request **request)
{
	return 0;
}

CALL(MPI_Request_free, struct request **request)
{
	(*request)->described = 0;
	end(request);
	return 0;
}

CALL(MPI_Wait, struct request **request, void *status)
{
	end(request);
	return 0;
}

CALL(MPI_Waitall, int n, struct request *requests[], void *statuses)
{
	for (int i = 0; i < n; i++)
		end(&requests[i]);
	return 0;
}

CALL(MPI_Test, struct request **request, int *done, void *status)
{
	*done = (int)(atomic_fetch_add(&mpilike_steps, 1) & 1);
	if (*done)
		end(request);
	return 0;
}
