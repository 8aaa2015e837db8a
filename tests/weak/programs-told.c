/* SPDX-License-Identifier: Apache-2.0 */
#include "programs-told.h"

#define BARRIERS 0xc10d000000001000 /* numbers of what is no receive begin here */
#define SERVERS  0xc10d000000009000
#define SENDS    0x10000 /* so far behind its receive is the number of a send */

/* --- Steps ------------------------------------------------------------------------------------ */

static bool is_mpi(const struct program *program)
{
	return program->modes & PROGRAM_MPI;
}

static bool completes(const struct program *program)
{
	return program->modes & PROGRAM_COMPLETION;
}

static void tell_barrier(struct facts *f, const struct program *program, int rank, int at)
{
	const struct program_rank *r = &program->ranks[rank];
	const struct program_step *step = &r->steps[at];
	struct job_op *op;

	if (at == r->at) {
		op = facts_hold(f, step->group, rank, JOB_OP_BARRIER, 1, step->began);
		f->ranks[rank].thread.call = is_mpi(program) ? "MPI_Barrier" : "c10d_barrier";
		op->completed = completes(program) ? JOB_NO : op->completed;
	} else {
		struct job_member *member = &f->members[step->group][rank].fact;

		op = facts_enter(f, step->group, rank, JOB_OP_BARRIER, 1, step->began);
		op->completed = completes(program) ? JOB_YES : JOB_MAYBE;
		if (completes(program))
			member->done = member->head;
	}
	op->stream = BARRIERS + (uint64_t)(rank * 100 + at);
}

static void tell_message(struct facts *f, const struct program *program, int rank, int at)
{
	const struct program_step *step = &program->ranks[rank].steps[at];
	const struct program_message *m = &program->messages[step->messages[0]];
	bool received = step->kind == STEP_IRECV;
	struct job_op *op = facts_p2p(f, m->group, rank, received ? JOB_OP_RECV : JOB_OP_SEND,
		received ? m->from : m->to, step->began, false);

	op->tagged = true;
	op->tag = m->tag;
	op->turn = m->turn;
	op->stream = m->number + (received ? 0 : SENDS);
	op->completed = m->played.awaited && (received || completes(program)) ? JOB_YES : JOB_MAYBE;
}

/* The bits of a wait for several: each behind the first, the last bit for all that lie beyond. */
static void tell_set(
	struct job_thread *thread, const struct program *program, const struct program_step *step)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < step->nmessages; i++)
		if (program->messages[step->messages[i]].number < first)
			first = program->messages[step->messages[i]].number;
	thread->first_op = first;
	for (int i = 0; i < step->nmessages; i++) {
		uint64_t behind = program->messages[step->messages[i]].number - first;

		thread->ops |= 1ull << (behind < 63 ? behind : 63);
	}
}

static void tell_wait(struct facts *f, const struct program *program, int rank, int at)
{
	const struct program_step *step = &program->ranks[rank].steps[at];
	struct job_thread *thread = &f->ranks[rank].thread;

	if (at != program->ranks[rank].at)
		return;
	facts_sync(f, rank, step->began);
	thread->whole_device = false;
	if (step->nmessages > 1) {
		thread->call = is_mpi(program) ? "MPI_Waitall" : "c10d_wait";
		thread->stream = 0;
		tell_set(thread, program, step);
	} else {
		thread->call = is_mpi(program) ? "MPI_Wait" : "c10d_wait";
		thread->stream = program->messages[step->messages[0]].number;
	}
}

static void tell_outside(struct facts *f, const struct program *program, int rank, int at)
{
	if (at == program->ranks[rank].at)
		facts_outside(f, rank, program->ranks[rank].steps[at].began);
}

static void tell_rank(struct facts *f, const struct program *program, int rank)
{
	static void (*const tell[])(struct facts *, const struct program *, int, int) = {
		[STEP_BARRIER] = tell_barrier,
		[STEP_IRECV] = tell_message,
		[STEP_ISEND] = tell_message,
		[STEP_WAIT] = tell_wait,
		[STEP_POLL] = tell_outside,
		[STEP_OWN] = tell_outside,
	};
	const struct program_rank *r = &program->ranks[rank];

	facts_outside(f, rank, 13);
	for (int at = 0; at <= r->at && at < r->nsteps; at++)
		tell[r->steps[at].kind](f, program, rank, at);
	if (r->at == r->nsteps)
		facts_outside(f, rank, r->done);
}

/* --- More of some ranks ----------------------------------------------------------------------- */

/* Another thread, which has stood in a receive from the beginning: as servers do all day. */
static void add_server(struct facts *f, const struct program *program, int rank)
{
	struct job_op *op =
		facts_p2p(f, 0, rank, JOB_OP_RECV, (rank + 1) % program->nranks, 15, false);
	struct facts_extra *extra = &f->extra[f->nextra++];

	op->tagged = true;
	op->tag = 99;
	op->turn = 1;
	op->completed = JOB_MAYBE;
	op->stream = SERVERS + (uint64_t)rank;
	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = rank, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = 9000 + (uint32_t)rank,
		.name = "server",
		.state = JOB_THREAD_IN_WAIT,
		.call = is_mpi(program) ? "MPI_Wait" : "c10d_wait",
		.detail = "",
		.group = JOB_NONE,
		.stream = op->stream,
		.since = facts_ns(15),
		.cite = "ring:t"};
}

static const char *frames_of(const struct program *program, int rank)
{
	const struct program_step *step = program_step_of(program, rank);

	if (!program_waits(program, rank))
		return "work@/me/train.py:88 < step@/me/train.py:12";
	if (is_mpi(program))
		return step->kind == STEP_BARRIER
			       ? "PMPI_Barrier@libmpi.so.40 < step@/me/train.py:12"
			       : "PMPI_Wait@libmpi.so.40 < step@/me/train.py:12";
	return step->kind == STEP_BARRIER
		       ? "gloo::transport::tcp::UnboundBuffer::waitRecv@libgloo.so < "
			 "step@/me/train.py:12"
		       : "gloo::transport::tcp::UnboundBuffer::waitRecv@libgloo.so < "
			 "step@/me/train.py:14";
}

/* Who asks in a loop is seen in any place of it: no stack is told of that. */
static void add_stack(struct facts *f, const struct program *program, int rank)
{
	const struct program_step *step = program_step_of(program, rank);

	if (!step || step->kind != STEP_POLL)
		facts_stack(f, rank, frames_of(program, rank));
}

/* --- All -------------------------------------------------------------------------------------- */

static void add_groups(struct facts *f, const struct program *program)
{
	int ranks[PROGRAM_RANKS], n = 0;

	for (int group = 0; group < PROGRAM_GROUPS; group++)
		f->group_makers[group] = is_mpi(program) ? "mpi" : "gloo";
	for (int rank = 0; rank < program->nranks; rank++)
		if (program->ranks[rank].in[1])
			ranks[n++] = rank;
	if (program->ngroups > 1)
		facts_group(f, n, ranks);
}

struct facts *program_told(struct program *program)
{
	struct facts *f = facts_new(program->nranks);

	f->completion = completes(program);
	f->shuffle = program_draw(program, 1000);
	add_groups(f, program);
	facts_rounds(f, 0, 3, 10, 1);
	for (int rank = 0; rank < program->nranks; rank++) {
		if (program->modes & PROGRAM_SERVERS && !program_draw(program, 3))
			add_server(f, program, rank);
		tell_rank(f, program, rank);
		if (program->modes & PROGRAM_STACKS && program_draw(program, 3))
			add_stack(f, program, rank);
	}
	return f;
}
