/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi.h: the MPI route: what its parts share.
 *
 *	mpi.def		the functions, a line each
 *	mpi.c		the wrappers made from them, for C and Fortran
 *	mpi-op.c	operations: entered, returned
 *	mpi-request.c	those that return before they are done: begun, waited for, asked for
 *	mpi-left.c	calls that are left by a jump or an exception
 *	mpi-comm.c	the world and other communicators; the end of all
 *	mpi-library.h	which MPI it is, and what its handles mean
 *
 * EVERY ARGUMENT IS A WORD. Functions of MPI take ints, pointers and handles, which are one or the
 * other by ABI (mpi-abi.h); Fortran passes addresses of them. So a call is an array of words, given
 * to the library as it came, and a line of mpi.def says at which place a record finds what. What
 * the upper half of an int's word holds is nobody's business.
 *
 * ONCE. A library may make its calls of each other (MPICH's Fortran wrappers call C, file access
 * calls collectives), and a tool's wrapper calls the library: what happens inside a recorded call
 * is that same call.
 */
#ifndef PROBES_MPI_H
#define PROBES_MPI_H

#include <stdint.h>

#include "probes/mpi/mpi-library.h"
#include "probes/probe.h"

#define MPI_WORDS 14 /* as many as any function takes, ierror included */

enum mpi_tongue {
	MPI_IN_C,
	MPI_IN_FORTRAN, /* arguments are addresses, handles are indexes */
};

/* How the arguments say how much is carried. */
enum mpi_amount {
	AMOUNT_NONE,  /* nothing is carried */
	AMOUNT_EACH,  /* `count` of `type` */
	AMOUNT_ROOTS, /* AMOUNT_EACH, but roots_count of roots_type at the root */
	AMOUNT_SUM,   /* all of the list of counts at `count` */
	AMOUNT_APART, /* each member may have its own: it is not compared */
};

/* Which of its requests a wait or test ends. */
enum mpi_done { DONE_ALL, DONE_ONE, DONE_SOME };

struct mpi_call;

/*
 * A line of mpi.def. Its numbers are places of arguments. For arguments that not every function
 * has, place 0 means none: nothing of that kind ever comes first.
 */
struct mpi_shape {
	int (*body)(const struct mpi_call *);
	uint32_t call; /* enum ring_call */
	unsigned char op;
	unsigned char amount, done;
	/* the request, or the list of requests behind its length at 0 */
	unsigned char comm, request;
	unsigned char kind;	     /* enum mpi_kind: what `comm` is; 0 a communicator */
	unsigned char count, type, redop, peer;
	unsigned char roots_count, roots_type;
	unsigned char recv_count, recv_type, recv_peer;
	unsigned char made, tag;  /* the new communicator; the tag by which its makers meet */
	unsigned char makes;	  /* enum mpi_kind: what `made` is; 0 a communicator */
	/* where the call says whether anything is done, or how much; and which */
	unsigned char flag, index;
	unsigned many : 1;   /* a list of requests */
	unsigned same : 1;   /* the new communicator has the members of the old one */
	unsigned of_world : 1; /* it comes from the world, whatever its makers come from */
	unsigned probes : 1; /* the peer comes first, no buffer before it */
	unsigned parts : 1;  /* lists of what each is given and gives, at the places of Alltoallv */
	unsigned typed : 1;  /* of each part the type, too */
	unsigned wide : 1;   /* counts and displacements have 64 bits */
};

/* A call under way. */
struct mpi_call {
	const struct mpi_shape *shape;
	const uint64_t *words;
	const void *real;
	struct probe_thread *me;
	enum mpi_tongue tongue;
	unsigned ierror; /* in Fortran: the place of ierror */
};

/* Calls the real function. Returns its result, which in Fortran stands in ierror. */
int mpi_real(const struct mpi_call *c);

/* --- Arguments ------------------------------------------------------------------------------- */

/* Returns the number at a place. */
int mpi_int(const struct mpi_call *c, unsigned at);
/* Returns the i-th of the numbers at an address; 0 if there is no address. */
int mpi_told(const struct mpi_call *c, unsigned at, int i);

/* Return a count at a place; and the i-th of those at an address, 0 if there is no address. */
int64_t mpi_count(const struct mpi_call *c, unsigned at);
int64_t mpi_count_told(const struct mpi_call *c, unsigned at, uint32_t i);

/* Return a handle; and the i-th of those that lie at an address, 0 if there is no address. */
uint64_t mpi_handle(const struct mpi_call *c, unsigned at, enum mpi_kind kind);
uint64_t mpi_handle_at(const struct mpi_call *c, unsigned at, int i, enum mpi_kind kind);

/* --- Operations (mpi-op.c) ------------------------------------------------------------------- */

/* An operation that enters its group, or has entered. */
struct mpi_op {
	uint32_t call;
	int group; /* GROUP_NONE: not known, counted */
	unsigned flags;
	uint64_t count;
	uint64_t sig;
	uint64_t tag;	 /* of a send or receive; RING_TAG_ANY */
	uint64_t number; /* work.h */
	uint64_t ticket;
	struct ring_entered entered;
};

/* True if nobody is at the other end of the operation, or the process is alone in its group. */
int mpi_is_nothing(const struct mpi_call *c);

/* Returns what the call's arguments say of the operation; it is not entered yet. */
struct mpi_op mpi_describe_op(const struct mpi_call *c);

/* Enters the operation, on lane and board; its number is open from now on. */
void mpi_op_enter(struct probe_thread *me, struct mpi_op *op);

/*
 * Notes that its call returned. `request` is what stands for it until it is done; 0: it is done, or
 * failed.
 */
void mpi_op_return(struct probe_thread *me, const struct mpi_op *op, uint64_t request, int result);

/*
 * Notes a call that is no operation, in lane and on board, on a group or GROUP_NONE. Returns the
 * ticket.
 */
uint64_t mpi_call_enter(struct probe_thread *me, uint32_t call, int group, uint64_t count);
void mpi_call_return(
	struct probe_thread *me, uint32_t call, int group, uint64_t ticket, int result);

/* Returns what a call left in its request; 0: there is none, or nothing is to be waited for. */
uint64_t mpi_request(const struct mpi_call *c);

/* The bodies of mpi.def. */
int mpi_do_op(const struct mpi_call *c);
int mpi_do_exchange(const struct mpi_call *c);
int mpi_do_call(const struct mpi_call *c);

/* --- Calls that never return (mpi-left.c) ----------------------------------------------------- */

/* Notes that the thread is in a call, in whose frame the mark lies. */
void mpi_stand(struct probe_thread *me, enum mpi_tongue tongue, volatile uint64_t *mark);

/*
 * Note what the call will put down as it returns, `more` being its ticket; and an op that it has
 * entered.
 */
void mpi_stands_in(struct probe_thread *me, const struct ring_record *end);
void mpi_stands_with(struct probe_thread *me, const struct mpi_op *op);

/*
 * True if the call that the thread is noted to be in was left. It is asked by a call whose frame is
 * [low, high].
 */
int mpi_was_left(enum mpi_tongue tongue, const void *low, const void *high);

/* Closes that call as failed. */
void mpi_close_left(void);

/* --- Requests (mpi-request.c) ---------------------------------------------------------------- */

int mpi_do_describe(const struct mpi_call *c);
int mpi_do_start(const struct mpi_call *c);
int mpi_do_wait(const struct mpi_call *c);
int mpi_do_test(const struct mpi_call *c);
int mpi_do_look(const struct mpi_call *c);
int mpi_do_ask(const struct mpi_call *c);
int mpi_do_give_up(const struct mpi_call *c);
int mpi_do_cancel(const struct mpi_call *c);
void mpi_forget_requests(void);

/* --- Communicators (mpi-comm.c) -------------------------------------------------------------- */

/*
 * In place of an entry: the process is alone in that communicator, and nothing there can keep it
 * waiting.
 */
#define MPI_ALONE 0x7fff

/*
 * Return the entry in the ring of a communicator, window or file, or of the one that a call is
 * about; MPI_ALONE; or GROUP_NONE if it is not known.
 */
int mpi_group(uint64_t comm);
int mpi_group_of(const struct mpi_call *c);

/* To be called before and after the real MPI_Init: this process is a rank. */
struct mpi_birth {
	struct probe_thread *me;
	uint32_t call;
	int group;
	uint64_t ticket;
};
void mpi_birth_begin(struct mpi_birth *b, uint32_t call);
void mpi_birth_end(struct mpi_birth *b, int result);

int mpi_do_make(const struct mpi_call *c);
int mpi_do_make_apart(const struct mpi_call *c);
int mpi_do_end(const struct mpi_call *c);
int mpi_do_close(const struct mpi_call *c);
int mpi_do_finalize(const struct mpi_call *c);
int mpi_do_abort(const struct mpi_call *c);

/* Forgets everything of the route, in a forked child. */
void mpi_forget_all(void);

#endif
