/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stack is read once, from the innermost frame outwards. What DECIDES ends the reading, unless
 * something that SPANS was met before: a collective beneath a checkpoint is a collective, a file
 * that is read for a batch is input. Of what SPANS the outermost has the pose: a loader that loads
 * a tensor by torch.load is input, not a checkpoint.
 *
 * The main thread speaks for its rank. Where it waits for a thread of its own process, such a
 * thread does, if it waits for other ranks or computes for autograd.
 */
#include "verdict/poses.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "verdict/pose-locks.h"

/* Each frame of a job is compared with the table once: thousands of stacks share them. */
struct reader {
	const struct job *job;
	const struct pose_line **lines; /* per frame of the job; NULL none */
};

struct reading {
	const struct pose_line *line; /* what it came to; NULL nothing */
	long telling;
	long base;
	long program;
	bool locked;    /* a lock was met further in, */
	long lock_base; /* whose outermost frame is this */
	bool threads;
};

bool poses_waits(enum pose pose)
{
	return pose >= POSE_COLLECTIVE && pose <= POSE_DEVICE;
}

bool poses_elsewhere(enum pose pose)
{
	return pose >= POSE_FROZEN;
}

/* -- one stack --------------------------------------------------------------------------------- */

static const struct pose_line *line_of(const struct job_frame *frame)
{
	for (size_t i = 0; i < pose_nlines; i++)
		if (stackfacts_is_at(frame, &pose_lines[i].place))
			return &pose_lines[i];
	return NULL;
}

/* A line of Python says more than the C++ that it calls. */
static bool says_more(const struct job *job, const struct job_stack *stack, long before, long at)
{
	return before >= 0 &&
	       stackfacts_frame(job, stack, (size_t)before)->kind == JOB_FRAME_NATIVE &&
	       stackfacts_frame(job, stack, (size_t)at)->kind == JOB_FRAME_PYTHON;
}

/* Takes in one more frame; false: the reading is over. */
static bool read_frame(const struct job *job, const struct job_stack *stack, struct reading *r,
	const struct pose_line *line, long at)
{
	bool further_in = r->program < 0 || at < r->program;

	switch (line->force) {
	case POSE_DECIDES:
		if (r->line && r->line->force == POSE_SPANS)
			return true;
		r->line = line;
		r->telling = r->base = at;
		return false;
	case POSE_SPANS:
		if (!r->line || r->line->force != POSE_SPANS || r->line->pose != line->pose ||
			says_more(job, stack, r->telling, at))
			r->telling = at;
		r->line = line;
		r->base = at;
		return true;
	default:
		if (!further_in)
			return true;
		if (line->pose == POSE_LOCK && (!r->line || r->line->force > POSE_SPANS)) {
			r->locked = true;
			r->lock_base = at;
		}
		r->threads |= line->force == POSE_THREADS;
		if (!r->line || (r->line->force == POSE_THREADS && line->pose == POSE_LOCK)) {
			r->line = line;
			r->telling = r->base = at;
		}
		return true;
	}
}

static struct reading read_stack(const struct reader *reader, const struct job_stack *stack)
{
	struct reading r = {.telling = -1,
		.base = -1,
		.program = stackfacts_program(reader->job, stack),
		.lock_base = -1};

	for (size_t i = 0; i < stack->nframes; i++) {
		const struct pose_line *line = reader->lines[stack->frames[i]];

		if (line && !read_frame(reader->job, stack, &r, line, (long)i))
			break;
	}
	return r;
}

/* -- names ------------------------------------------------------------------------------------- */

/* Behind the last dot of a qualified name. */
static const char *plain_name(const char *function)
{
	const char *dot = strrchr(function, '.');

	return dot ? dot + 1 : function;
}

/* The call as the program made it: the outermost of PyTorch's, NCCL's or MPI's before its frame. */
static const char *name_call(const struct job *job, const struct posture *p)
{
	static const struct stackfacts_place makers[] = {
		{NULL, "torch/distributed/distributed_c10d.py"},
		{"*ynchronize", "torch/cuda/*"},
		{"nccl*", NULL},
		{"MPI_*", NULL},
		{"cuda*", "libcudart.so*"},
		{"cu*", "libcuda.so*"},
	};
	const char *name = "";

	for (size_t i = (size_t)p->telling; i < p->stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, p->stack, i);

		if (p->program >= 0 && (long)i >= p->program)
			break;
		for (size_t k = 0; k < sizeof(makers) / sizeof(makers[0]); k++)
			if (stackfacts_is_at(frame, &makers[k]) && *frame->function)
				name = plain_name(frame->function);
	}
	return name;
}

/* What stands further out may say it better. */
static void better(const struct job *job, struct posture *p)
{
	static const struct stackfacts_place zero[] = {
		{"*broadcastUniqueNCCLID*", NULL},
		{"c10d::detail::*onnect*", NULL},
		{"c10d::tcputil::*onnect*", NULL},
	};
	size_t from = (size_t)p->telling;

	if (p->pose == POSE_STORE) {
		p->for_zero = stackfacts_find(job, p->stack, from, zero, 3) >= 0;
		if (stackfacts_find(job, p->stack, from, zero, 1) >= 0) {
			p->call = "the store for the unique id";
			return;
		}
	}
	if (p->pose != POSE_STORE && p->pose != POSE_DEVICE && p->pose != POSE_COLLECTIVE)
		return;
	for (size_t i = 0; i < pose_nbetter; i++) {
		if (stackfacts_find(job, p->stack, from, &pose_better[i].place, 1) < 0)
			continue;
		p->pose = pose_better[i].pose;
		p->call = pose_better[i].call ? pose_better[i].call : p->call;
		return;
	}
}

/* -- the pose of one thread -------------------------------------------------------------------- */

/* Whether the process works with a GPU: a thread that runs may then be waiting for it. */
static bool has_gpu(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place gpu[] = {
		{NULL, "libcuda.so*"}, {NULL, "libcudart.so*"}, {NULL, "libamdhip64.so*"}};
	size_t from, to;

	if (stack->rank == JOB_NONE)
		return false;
	stackfacts_of_rank(job, stack->rank, &from, &to);
	for (size_t i = from; i < to; i++)
		if (job->stacks[i].process == stack->process &&
			(stackfacts_fits(job->stacks[i].thread, "cuda*") ||
				stackfacts_find(job, &job->stacks[i], 0, gpu, 3) >= 0))
			return true;
	return false;
}

/*
 * Of a stack without Python the innermost frame that is of no library: where a program in C stands.
 */
static long native_program(const struct job *job, const struct job_stack *stack)
{
	if (stackfacts_python(job, stack) >= 0)
		return -1;
	for (size_t i = 0; i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (frame->kind == JOB_FRAME_NATIVE && *frame->function &&
			!stackfacts_fits(frame->module, "*.so*") &&
			!stackfacts_fits(frame->module, "python*") && *frame->module != '[')
			return (long)i;
	}
	return -1;
}

/*
 * Nothing tells: it is in the program's own code. Not where native frames are missing and there is
 * a GPU: whoever runs may spin in a wait for it.
 */
static void pose_of_program(const struct job *job, struct posture *p)
{
	long python = stackfacts_python(job, p->stack);

	p->telling = p->program >= 0 ? p->program : python;
	if (p->telling < 0 || (*p->stack->cut && (python < 0 || has_gpu(job, p->stack))))
		return;
	p->pose = POSE_USER;
}

static bool pose_of_lock(const struct job *job, const struct reading *r, struct posture *p)
{
	long at = locks_waits_for_thread(job, p->stack);

	p->base = r->lock_base;
	if (locks_waits_for_file(p->stack)) {
		p->call = p->stack->syscall;
		return true;
	}
	if (r->threads || at < 0)
		return false;
	p->telling = at;
	p->base = -1;
	p->own_lock = true;
	p->call = stackfacts_python(job, p->stack) >= 0 ? "acquire()" : "a mutex";
	return true;
}

/*
 * A call of C that the program itself makes and that keeps the GIL, also in what it does for a
 * loader. What a library does so is told by what that is for.
 */
static void find_keeper(const struct job *job, struct posture *p)
{
	if (!locks_keeps_gil(p->stack) || p->program < 0 ||
		stackfacts_python(job, p->stack) != p->program ||
		(p->pose != POSE_USER && p->pose != POSE_INPUT))
		return;
	p->pose = POSE_GIL;
	p->holder = p->stack;
	p->telling = p->program;
}

static const struct posture posture_unknown = {.telling = -1,
	.base = -1,
	.program = -1,
	.lock_base = -1,
	.call = "",
	.stands = JOB_UNKNOWN,
	.lock_stands = JOB_UNKNOWN};

static struct posture read_posture(
	const struct reader *reader, const struct job_stack *stack, struct reading *r)
{
	const struct job *job = reader->job;
	struct posture p = posture_unknown;
	long gil;

	p.stack = stack;
	*r = read_stack(reader, stack);
	p.program = r->program >= 0 ? r->program : native_program(job, stack);
	gil = locks_wants_gil(job, stack);
	if (gil >= 0) {
		p.pose = POSE_GIL;
		p.telling = gil;
		p.holder = locks_gil_holder(job, stack);
	} else if (r->line && r->line->force <= POSE_SPANS) {
		p.pose = r->line->pose;
		p.telling = r->telling;
		p.base = r->base;
		p.locked = p.pose == POSE_COMPILE && (r->locked || locks_waits_for_file(stack));
		p.lock_base = r->lock_base;
		p.call = r->line->call ? r->line->call : name_call(job, &p);
		if (r->line->force == POSE_DECIDES)
			better(job, &p);
	} else if (stack->state == 'D') {
		p.pose = POSE_IO;
		p.telling = stack->nframes ? 0 : -1;
	} else if (pose_of_lock(job, r, &p)) {
		p.pose = POSE_LOCK;
	} else if (r->line && r->line->force == POSE_HINTS) {
		p.pose = r->line->pose;
		p.telling = r->telling;
		p.base = p.pose == POSE_LOCK ? r->lock_base : -1;
		p.call = r->line->call;
	} else {
		pose_of_program(job, &p);
	}
	find_keeper(job, &p);
	return p;
}

/* -- the pose of a rank ------------------------------------------------------------------------ */

/*
 * Of the threads that may do the work for a main thread that waits for one: those of autograd, and
 * such of the program's as wait for other ranks.
 */
static bool speaks_for_main(const struct job_stack *stack, const struct posture *p)
{
	if (stackfacts_fits(stack->thread, "pt_autograd*"))
		return p->pose != POSE_UNKNOWN;
	return p->program >= 0 && (poses_waits(p->pose) || p->pose == POSE_COMPILE);
}

/* The one that says most: who waits for others before who is elsewhere, so that none is blamed. */
static void ask_threads(const struct reader *reader, int rank, struct posture *p)
{
	const struct job *job = reader->job;
	size_t from, to;
	bool found = false;

	stackfacts_of_rank(job, rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];
		struct reading r;
		struct posture other;

		if (stack->process != p->stack->process || stack->main)
			continue;
		other = read_posture(reader, stack, &r);
		if (!speaks_for_main(stack, &other) ||
			(found && (poses_waits(p->pose) || !poses_waits(other.pose))))
			continue;
		*p = other;
		found = true;
	}
}

int64_t poses_stood(const struct job *job, const struct job_stack *stack)
{
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, stack->process);

	return snapshot && snapshot->span > 0 && stack->samples > 1 && stack->moved == JOB_NO
		       ? snapshot->span
		       : JOB_UNKNOWN;
}

/* Whether all samples have the stack alike from its outermost frame to this one. */
static bool stood_beneath(const struct job_stack *stack, long at)
{
	return at >= 0 && stack->samples > 1 && stack->nframes - (size_t)at <= stack->still;
}

/* For how long the pose is proved to stand: the samples' span, or the process' idleness. */
static void find_standing(const struct job *job, struct posture *p)
{
	const struct job_process *process = &job->processes[p->stack->process];
	const struct job_snapshot *snapshot = stackfacts_snapshot(job, p->stack->process);
	int64_t span = snapshot && snapshot->span > 0 ? snapshot->span : JOB_UNKNOWN;
	bool region = p->pose == POSE_COMPILE || p->pose == POSE_CHECKPOINT ||
		      p->pose == POSE_LOCK;
	const struct job_stack *who = p->holder ? p->holder : p->stack;

	p->moved = who->samples > 1 ? who->moved : JOB_MAYBE;
	p->stands = p->lock_stands = poses_stood(job, who);
	if (region && stood_beneath(p->stack, p->base))
		p->stands = span;
	if (p->locked && stood_beneath(p->stack, p->lock_base))
		p->lock_stands = span;
	/* Who runs a little is idle too: each step and each wait of it may be a new one. */
	if (p->moved != JOB_YES && process->idle_for >= CLOCK_NS_PER_S &&
		process->idle_for > p->stands && process->end == JOB_ALIVE)
		p->stands = process->idle_for;
}

static struct posture posture_of(const struct reader *reader, int rank)
{
	const struct job *job = reader->job;
	const struct job_stack *stack = stackfacts_main(job, rank);
	struct posture p = posture_unknown;
	struct reading r;

	/* How a process died says nothing of what others wait for. */
	if (!stack || stack->how == JOB_STACK_FATAL ||
		job->processes[stack->process].end > JOB_ALIVE)
		return p;
	p = read_posture(reader, stack, &r);
	if (r.threads && !poses_waits(p.pose) && p.pose != POSE_GIL &&
		(!r.line || r.line->force > POSE_SPANS))
		ask_threads(reader, rank, &p);
	if (job->processes[p.stack->process].state == 'T' ||
		job->processes[p.stack->process].frozen == JOB_YES || stack->state == 'T')
		p.pose = POSE_FROZEN;
	find_standing(job, &p);
	return p;
}

struct posture *poses_new(const struct job *job)
{
	struct posture *postures = alloc_zeroed(job->nranks + 1, sizeof(*postures));
	struct reader reader = {.job = job};

	reader.lines = alloc_zeroed(job->nframes + 1, sizeof(*reader.lines));
	for (size_t i = 0; i < job->nframes; i++)
		reader.lines[i] = line_of(&job->frames[i]);
	for (size_t i = 0; i < job->nranks; i++)
		postures[i] = posture_of(&reader, (int)i);
	free(reader.lines);
	return postures;
}
