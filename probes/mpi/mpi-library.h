/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-library.h: tells which MPI the program has loaded, and what its handles mean.
 *
 * It is looked at once, as the program initialises MPI: Open MPI exports the objects that its
 * handles point to, MPICH's handles are constants. Any other ABI is left alone: calls pass through
 * and are counted as lost.
 */
#ifndef PROBES_MPI_LIBRARY_H
#define PROBES_MPI_LIBRARY_H

#include <stdint.h>

struct mpi_library {
	int open; /* Open MPI's ABI; else MPICH's */
	int any_source;
	int proc_null;
	uint64_t world, self;
	uint64_t comm_null, request_null, type_null;
};

/* The sonames of MPI libraries, those of their Fortran wrappers behind them. */
extern const char *const hook_mpi[];

/*
 * Finds out which MPI there is. Returns 1, or 0 for one that is not known. Not for signal handlers.
 */
int mpi_library_find(void);

/* Returns what was found; NULL: nothing yet, or an ABI that is not known. */
const struct mpi_library *mpi_library(void);

/* What kind of thing a handle in Fortran, which is an index there, stands for. */
enum mpi_kind {
	MPI_KIND_COMM,
	MPI_KIND_TYPE,
	MPI_KIND_OP,
	MPI_KIND_REQUEST,
	MPI_KIND_WIN,
	MPI_KIND_FILE, /* a pointer in C, whatever the library */
	MPI_KINDS
};

/* Returns the library's handle for a Fortran one. */
uint64_t mpi_from_fortran(enum mpi_kind kind, int32_t handle);

/*
 * Returns the number that rings have for a data type, and in *count how many of it there are:
 * RING_SIG_BYTES for all types without a number, whose count is then in bytes.
 */
unsigned mpi_dtype(uint64_t type, uint64_t *count);
/* Returns the bytes of so many of a type; UINT64_MAX if the library does not tell. */
uint64_t mpi_bytes(uint64_t type, uint64_t count);
/* Returns the number of a reduction; RING_SIG_UNKNOWN for one that the program made. */
unsigned mpi_redop(uint64_t op);

/* Ask the library, which answers by itself. Return 0, or -1 if it does not. */
int mpi_ask_size(uint64_t comm, int *ret);
int mpi_ask_rank(uint64_t comm, int *ret);

/*
 * A question about who is in a communicator, asked in the order of its seats. Open MPI looks for
 * each member among all of the group that it is asked about, so that all of a large one against all
 * of the world would take seconds; it is asked about few, those who come next if the members lie
 * side by side.
 */
struct mpi_question {
	uint64_t group, world; /* the library's groups */
	int size;	       /* of the world */
	int next;	       /* the rank that would come next */
	int row;	       /* how many of those are asked about at once */
};

/*
 * Begins a question. Returns 0, or -1 if the library does not tell; then there is nothing to end.
 */
int mpi_ask_members(struct mpi_question *q, uint64_t comm);
void mpi_ask_no_more(struct mpi_question *q);

/*
 * Puts the ranks in the world of the members at n seats from `seat` on into ret; n <= MPI_ASKED.
 * Returns how many it told, at least one and perhaps fewer than n, or -1.
 */
#define MPI_ASKED 64
int mpi_ask_seats(struct mpi_question *q, int seat, int n, int *ret);

#endif
