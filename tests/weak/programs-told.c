/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/weak/programs-told.h"

#include <signal.h>
#include <string.h>

#define SERVERS 0xc10d000000009000
#define ROUNDS  3
#define LAST    (FACTS_NOW - 1.0) /* when the last step of a young program began, about */

enum backend { GLOO, MPI, NCCL };

static enum backend backend_of(const struct program *program)
{
	if (program->modes & PROGRAM_DEVICE)
		return NCCL;
	return program->modes & PROGRAM_MPI ? MPI : GLOO;
}

/* Hosts say of what they move when it is over, but where that was lost; devices if asked to. */
static bool completes(const struct program *program)
{
	return program->modes & PROGRAM_COMPLETION;
}

/* --- Threads ---------------------------------------------------------------------------------- */

static uint32_t tid_of(const struct facts *f, int rank, int thread)
{
	return thread ? 7000 + (uint32_t)rank : f->ranks[rank].pid;
}

static struct job_thread *add_thread(struct facts *f, int rank, uint32_t tid, const char *name)
{
	struct facts_extra *extra = &f->extra[f->nextra++];

	*extra = (struct facts_extra){
		.kind = EXTRA_THREAD, .rank = rank, .of_ring = true, .claims = JOB_NONE};
	extra->is.thread = (struct job_thread){.tid = tid,
		.name = name,
		.state = JOB_THREAD_OUTSIDE,
		.call = "",
		.detail = "",
		.group = JOB_NONE,
		.since = facts_ns(15),
		.cite = "ring:t"};
	return &extra->is.thread;
}

static void put(
	struct job_thread *thread, enum job_thread_state state, const char *call, double since)
{
	thread->state = state;
	thread->call = call;
	thread->since = facts_ns(since);
}

/* --- Calls ------------------------------------------------------------------------------------ */

static const char *name_of(const struct program *program, const struct program_step *step, int rank)
{
	static const char *const names[][5] = {
		[GLOO] = {"c10d_barrier", "c10d_allreduce", "c10d_broadcast", "c10d_send",
			"c10d_recv"},
		[MPI] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Ssend", "MPI_Recv"},
		[NCCL] = {"ncclAllReduce", "ncclAllReduce", "ncclBroadcast", "ncclSend",
			"ncclRecv"},
	};
	const char *const *of = names[backend_of(program)];

	if (!step->collective)
		return of[program->messages[step->things[0]].to == rank ? 4 : 3];
	return of[step->call.op == JOB_OP_BARRIER ? 0 : step->call.op == JOB_OP_BROADCAST ? 2 : 1];
}

/* Up to which of its collectives of that group it is told that they are over. */
static uint64_t done_of(const struct program *program, int rank, int group)
{
	const struct program_rank *r = &program->ranks[rank];
	uint64_t n = 0, lost = program->seed % (r->entered[group] + 1);

	if (!completes(program) && backend_of(program) == NCCL)
		return 0;
	while (n < r->entered[group] && (completes(program) || n < lost) &&
		(backend_of(program) == MPI ? r->awaited[group][n + 1]
					    : program_is_over(program, group, n + 1)))
		n++;
	return n;
}

static void tell_collective(
	struct facts *f, const struct program *program, int rank, const struct program_step *step)
{
	const struct program_call *call = &step->call;
	struct facts_member *m = &f->members[step->group][rank];
	struct job_op *op = facts_enter(f, step->group, rank, call->op, call->count, step->began);
	uint64_t done = done_of(program, rank, step->group);

	if (call->root >= 0)
		op->sig.peer = f->members[step->group][call->root].seat;
	op->stream = backend_of(program) == NCCL ? (uint64_t)step->stream : step->number;
	op->completed = step->slot <= done ? JOB_YES : completes(program) ? JOB_NO : JOB_MAYBE;
	if (completes(program))
		m->fact.done = m->fact.head - step->slot + done;
}

static bool is_over_at(const struct program *program, int rank, const struct program_message *m)
{
	if (backend_of(program) == NCCL)
		return m->done;
	return rank == m->to ? m->played.awaited : m->played.flushed;
}

static void tell_message(struct facts *f, const struct program *program, int rank,
	const struct program_step *step, int message)
{
	const struct program_message *m = &program->messages[message];
	bool received = rank == m->to, device = backend_of(program) == NCCL;
	struct job_op *op = facts_p2p(f, m->group, rank, received ? JOB_OP_RECV : JOB_OP_SEND,
		received ? m->from : m->to, step->began, false);

	op->tagged = !device;
	op->tag = m->tag;
	op->turn = m->turn;
	op->stream = device ? (uint64_t)step->stream : m->number[received];
	op->launch = device && step->nthings > 1 ? step->number : 0;
	op->completed = JOB_MAYBE;
	if (is_over_at(program, rank, m) && (completes(program) || (received && !device)))
		op->completed = JOB_YES;
	else if (device && completes(program))
		op->completed = JOB_NO;
}

/* It comes to what the step is about; NULL: to nothing. The latest of its ops. */
static struct job_op *tell_coming(
	struct facts *f, const struct program *program, int rank, const struct program_step *step)
{
	struct facts_member *m = &f->members[step->group][rank];

	if (step->thread)
		m->tid = tid_of(f, rank, step->thread);
	if (step->collective)
		tell_collective(f, program, rank, step);
	for (int i = 0; !step->collective && i < step->nthings; i++)
		tell_message(f, program, rank, step, step->things[i]);
	return &m->ops[m->nops - 1];
}

static void tell_come(struct facts *f, const struct program *program, int rank,
	const struct program_step *step, struct job_thread *thread)
{
	tell_coming(f, program, rank, step);
	put(thread, JOB_THREAD_OUTSIDE, "", step->began);
}

static const char *wait_name(const struct program *program, const struct program_step *step)
{
	if (backend_of(program) == NCCL)
		return step->stream ? "cudaStreamSynchronize" : "cudaDeviceSynchronize";
	if (backend_of(program) == GLOO)
		return "c10d_wait";
	return step->nthings > 1 ? "MPI_Waitall" : "MPI_Wait";
}

/* Inside the call; PyTorch's own waits in another, for what the first one gave it. */
static void tell_meet(struct facts *f, const struct program *program, int rank,
	const struct program_step *step, struct job_thread *thread)
{
	struct job_op *op = tell_coming(f, program, rank, step);

	if (backend_of(program) == GLOO && step->number & 1) {
		put(thread, JOB_THREAD_IN_WAIT, wait_name(program, step), step->began);
		thread->stream = step->number;
		return;
	}
	put(thread, JOB_THREAD_IN_CALL, name_of(program, step, rank), step->began);
	if (thread == &f->ranks[rank].thread)
		f->ranks[rank].thread_group = f->group_keys[step->group];
	op->returned = program_is_kept(program, rank, step) ? JOB_NO : JOB_YES;
}

static uint64_t number_of(
	const struct program *program, int rank, const struct program_step *step, int thing)
{
	const struct program_thread *thread = &program->ranks[rank].threads[step->thread];

	if (thing < 0)
		return thread->steps[~thing].number;
	return program->messages[thing].number[program->messages[thing].to == rank];
}

/* The bits of a wait for several: each behind the first, the last bit for all that lie beyond. */
static void tell_set(struct job_thread *thread, const struct program *program, int rank,
	const struct program_step *step)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < step->nthings; i++)
		if (number_of(program, rank, step, step->things[i]) < first)
			first = number_of(program, rank, step, step->things[i]);
	thread->first_op = first;
	thread->ops = 0;
	for (int i = 0; i < step->nthings; i++) {
		uint64_t behind = number_of(program, rank, step, step->things[i]) - first;

		thread->ops |= 1ull << (behind < 63 ? behind : 63);
	}
}

static void tell_wait(struct facts *f, const struct program *program, int rank,
	const struct program_step *step, struct job_thread *thread)
{
	put(thread, JOB_THREAD_IN_WAIT, wait_name(program, step), step->began);
	thread->stream = 0;
	thread->ops = 0;
	thread->whole_device = backend_of(program) == NCCL && !step->stream;
	if (backend_of(program) == NCCL)
		thread->stream = (uint64_t)step->stream;
	else if (step->nthings > 1)
		tell_set(thread, program, rank, step);
	else
		thread->stream = number_of(program, rank, step, step->things[0]);
	(void)f;
}

static void tell_outside(struct facts *f, const struct program *program, int rank,
	const struct program_step *step, struct job_thread *thread)
{
	put(thread, JOB_THREAD_OUTSIDE, "", step->began);
	(void)f;
	(void)program;
	(void)rank;
}

/* The thread's next step that it came to, from `at` on; NULL: there is none. */
static const struct program_step *step_from(const struct program_thread *thread, int at)
{
	return at < thread->at || (at == thread->at && at < thread->nsteps && thread->arrived)
		       ? &thread->steps[at]
		       : NULL;
}

static void tell_rank(struct facts *f, const struct program *program, int rank)
{
	static void (*const tell[])(struct facts *, const struct program *, int,
		const struct program_step *, struct job_thread *) = {
		[STEP_COME] = tell_come,
		[STEP_MEET] = tell_meet,
		[STEP_WAIT] = tell_wait,
		[STEP_POLL] = tell_outside,
		[STEP_OWN] = tell_outside,
	};
	const struct program_rank *r = &program->ranks[rank];
	struct job_thread *threads[PROGRAM_EACH] = {&f->ranks[rank].thread};
	int at[PROGRAM_EACH] = {0};

	if (r->threads[1].nsteps)
		threads[1] = add_thread(f, rank, tid_of(f, rank, 1), "second");
	facts_outside(f, rank, 13);
	for (;;) {
		const struct program_step *next = NULL;

		for (int i = 0; i < PROGRAM_EACH; i++) {
			const struct program_step *step = step_from(&r->threads[i], at[i]);

			if (step && (!next || step->began < next->began))
				next = step;
		}
		if (!next)
			break;
		at[next->thread]++;
		tell[next->kind](f, program, rank, next, threads[next->thread]);
	}
	for (int i = 0; i < PROGRAM_EACH; i++)
		if (threads[i] && r->threads[i].at && !program_step_of(&r->threads[i])) {
			put(threads[i], JOB_THREAD_OUTSIDE, "", r->threads[i].done);
			threads[i]->stream = threads[i]->ops = 0;
		}
}

/* --- More of some ranks ----------------------------------------------------------------------- */

/* Another thread, which has stood in a receive from the beginning: as servers do all day. */
static void add_server(struct facts *f, const struct program *program, int rank)
{
	struct job_op *op =
		facts_p2p(f, 0, rank, JOB_OP_RECV, (rank + 1) % program->nranks, 15, false);
	struct job_thread *thread = add_thread(f, rank, 9000 + (uint32_t)rank, "server");

	op->tagged = true;
	op->tag = 99;
	op->turn = 1;
	op->completed = JOB_MAYBE;
	op->stream = SERVERS + (uint64_t)rank;
	put(thread, JOB_THREAD_IN_WAIT, backend_of(program) == MPI ? "MPI_Wait" : "c10d_wait", 15);
	thread->stream = op->stream;
}

/* Of NCCL's groups in PyTorch: it asks all day. */
static void add_watchdog(struct facts *f, int rank)
{
	put(add_thread(f, rank, 9000 + (uint32_t)rank, "pt_nccl_watchdg"), JOB_THREAD_POLLING,
		"cudaEventQuery", FACTS_NOW - 0.1);
}

static const char *frames_of(const struct program *program, int rank, int thread)
{
	static const char *const waits[] = {
		[GLOO] = "gloo::transport::tcp::UnboundBuffer::waitRecv@libgloo.so < "
			 "step@/me/train.py:12",
		[MPI] = "PMPI_Wait@libmpi.so.40 < step@/me/train.py:12",
		[NCCL] = "cudaStreamSynchronize@libcudart.so.12 < step@/me/train.py:12",
	};
	const struct program_step *step = program_step_of(&program->ranks[rank].threads[thread]);

	if (!program_thread_waits(program, rank, thread))
		return "work@/me/train.py:88 < step@/me/train.py:12";
	if (backend_of(program) == MPI && step->collective)
		return "PMPI_Barrier@libmpi.so.40 < step@/me/train.py:12";
	return waits[backend_of(program)];
}

/* Who asks in a loop is seen in any place of it: no stack is told of that. */
static bool has_stack(const struct program *program, int rank, int thread)
{
	const struct program_thread *t = &program->ranks[rank].threads[thread];
	const struct program_step *step = program_step_of(t);

	if (rank == program->culprit && program_is_dead(program))
		return false;
	return (!thread || t->nsteps) && (!step || step->kind != STEP_POLL);
}

static void add_stacks(struct facts *f, const struct program *program, int rank)
{
	if (has_stack(program, rank, 0))
		facts_stack(f, rank, frames_of(program, rank, 0));
	if (has_stack(program, rank, 1))
		facts_stack_of(f, rank, "second", tid_of(f, rank, 1), frames_of(program, rank, 1));
}

/* --- The culprit ------------------------------------------------------------------------------ */

static void tell_guilt(struct facts *f, const struct program *program)
{
	int rank = program->culprit;
	double at = program->ended;

	if (at <= 0)
		return;
	switch (program->guilt) {
	case GUILT_INPUT:
		facts_span(f, rank, JOB_SPAN_INPUT, "train", "", at, FACTS_OPEN);
		break;
	case GUILT_COMPILE:
		facts_span(f, rank, JOB_SPAN_COMPILE, "codegen", "0/0", at, FACTS_OPEN);
		break;
	case GUILT_EXIT:
		facts_end(f, rank, JOB_EXITED, 0, at + 0.1);
		break;
	case GUILT_EXCEPTION:
		facts_note(f, rank, "ValueError: bad batch", at);
		facts_end(f, rank, JOB_EXITED, 1, at + 0.1);
		break;
	case GUILT_FAULT:
		facts_signal(f, rank, SIGSEGV, 0, "python", at);
		facts_end(f, rank, JOB_SIGNALED, SIGSEGV, at + 0.1);
		break;
	case GUILT_KILL:
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, at + 0.1);
		break;
	default:
		break;
	}
}

/* --- All -------------------------------------------------------------------------------------- */

static void add_groups(struct facts *f, const struct program *program)
{
	static const char *const makers[] = {[GLOO] = "gloo", [MPI] = "mpi", [NCCL] = "nccl"};

	for (int group = 0; group < program->ngroups; group++) {
		int ranks[PROGRAM_RANKS], n = 0;

		f->group_makers[group] = makers[backend_of(program)];
		for (int rank = 0; rank < program->nranks; rank++) {
			f->members[0][rank].fact.done_known = f->completion;
			if (program->ranks[rank].in[group])
				ranks[n++] = rank;
		}
		if (group)
			facts_group(f, n, ranks);
	}
}

/* Moves all times of the program, so that its last step was a moment ago. */
static void make_young(struct program *program)
{
	double last = program->ended, by;

	for (int rank = 0; rank < program->nranks; rank++)
		for (int i = 0; i < PROGRAM_EACH; i++)
			if (program->ranks[rank].threads[i].done > last)
				last = program->ranks[rank].threads[i].done;
	by = LAST - last;
	program->ended += program->ended > 0 ? by : 0;
	for (int rank = 0; rank < program->nranks; rank++)
		for (int i = 0; i < PROGRAM_EACH; i++) {
			struct program_thread *thread = &program->ranks[rank].threads[i];

			thread->done += by;
			for (int k = 0; k < thread->nsteps; k++)
				thread->steps[k].began += by;
		}
}

struct facts *program_told(struct program *program)
{
	struct facts *f = facts_new(program->nranks);
	bool young = program->modes & PROGRAM_YOUNG;

	if (young)
		make_young(program);
	if (young)
		f->stack_span = 0.2;
	f->completion = completes(program);
	f->shuffle = program_draw(program, 1000);
	add_groups(f, program);
	facts_rounds(f, 0, ROUNDS, young ? LAST - 5 : 10, 1);
	for (int rank = 0; rank < program->nranks; rank++) {
		if (backend_of(program) == NCCL)
			add_watchdog(f, rank);
		else if (program->modes & PROGRAM_SERVERS && !program_draw(program, 3))
			add_server(f, program, rank);
		tell_rank(f, program, rank);
		if (program->modes & (PROGRAM_STACKS | PROGRAM_BARE) && program_draw(program, 3))
			add_stacks(f, program, rank);
	}
	tell_guilt(f, program);
	return f;
}
