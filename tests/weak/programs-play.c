/* SPDX-License-Identifier: Apache-2.0 */
/* Playing: threads come to their steps and leave them, in an order that is drawn. */
#include <string.h>

#include "tests/weak/programs.h"

#define BEGIN      20.0 /* seconds: when the first step of each rank begins */
#define STEP_TAKES 0.01

static bool is_device(const struct program *program)
{
	return program->modes & PROGRAM_DEVICE;
}

/* --- What is over ----------------------------------------------------------------------------- */

static bool same_call(const struct program_call *a, const struct program_call *b)
{
	return a->op == b->op && a->root == b->root && a->count == b->count;
}

/* True if all members have come to that place, with the same call. */
static bool have_all_come(const struct program *program, int group, uint64_t slot)
{
	const struct program_call *call = NULL;

	for (int i = 0; i < program->nranks; i++) {
		const struct program_rank *r = &program->ranks[i];

		if (!r->in[group])
			continue;
		if (r->entered[group] < slot)
			return false;
		if (call && !same_call(call, &r->calls[group][slot]))
			return false;
		call = &r->calls[group][slot];
	}
	return true;
}

bool program_is_over(const struct program *program, int group, uint64_t slot)
{
	return is_device(program) ? program->done[group][slot]
				  : have_all_come(program, group, slot);
}

/* True if nothing more keeps that rank's side of the message. */
static bool is_through(const struct program *program, int rank, const struct program_message *m)
{
	if (is_device(program))
		return m->done;
	return rank == m->to ? m->played.sent : !m->big || m->played.received;
}

/* --- Devices ---------------------------------------------------------------------------------- */

static bool is_launch_over(const struct program *program, const struct program_launch *launch)
{
	return launch->group >= 0 ? program->done[launch->group][launch->slot]
				  : program->messages[launch->message].done;
}

/* True if all that is before it on its stream is over, and of its group all collectives. */
static bool is_at_front(
	const struct program *program, int rank, const struct program_launch *launch)
{
	const struct program_rank *r = &program->ranks[rank];

	for (const struct program_launch *before = r->launches; before != launch; before++)
		if ((before->stream == launch->stream ||
			    (launch->group >= 0 && before->group == launch->group)) &&
			before->number != launch->number && !is_launch_over(program, before))
			return false;
	return true;
}

/* True if some launch of that rank is just that, and its turn has come. */
static bool is_running(
	const struct program *program, int rank, int group, uint64_t slot, int message)
{
	const struct program_rank *r = &program->ranks[rank];

	for (int i = 0; i < r->nlaunches; i++) {
		const struct program_launch *launch = &r->launches[i];

		if (launch->group == group &&
			(group >= 0 ? launch->slot == slot : launch->message == message))
			return is_at_front(program, rank, launch);
	}
	return false;
}

static bool runs_everywhere(const struct program *program, int group, uint64_t slot)
{
	for (int i = 0; i < program->nranks; i++)
		if (program->ranks[i].in[group] && !is_running(program, i, group, slot, 0))
			return false;
	return have_all_come(program, group, slot);
}

/* Lets devices do all that they can. */
static void settle(struct program *program)
{
	bool moved;

	do {
		moved = false;
		for (int group = 0; group < program->ngroups; group++)
			for (uint64_t slot = 1; slot <= PROGRAM_STEPS; slot++)
				if (!program->done[group][slot] &&
					runs_everywhere(program, group, slot))
					program->done[group][slot] = moved = true;
		for (int i = 0; i < program->nmessages; i++) {
			struct program_message *m = &program->messages[i];

			if (!m->done && is_running(program, m->from, -1, 0, i) &&
				is_running(program, m->to, -1, 0, i))
				m->done = moved = true;
		}
	} while (moved);
}

static void launch(struct program *program, int rank, const struct program_step *step, int message)
{
	struct program_rank *r = &program->ranks[rank];

	r->launches[r->nlaunches++] = (struct program_launch){.stream = step->stream,
		.number = (int)step->number,
		.group = step->collective ? step->group : -1,
		.slot = step->slot,
		.message = message};
}

/* --- Steps ------------------------------------------------------------------------------------ */

static bool comes(const struct program_step *step)
{
	return step->kind == STEP_COME || step->kind == STEP_MEET;
}

static void come_to_messages(struct program *program, int rank, const struct program_step *step)
{
	for (int i = 0; i < step->nthings; i++) {
		struct program_message *m = &program->messages[step->things[i]];

		if (rank == m->to)
			m->played.received = true;
		else
			m->played.sent = true;
		if (is_device(program))
			launch(program, rank, step, step->things[i]);
	}
}

/* The thread comes to its step. */
static void arrive(struct program *program, int rank, struct program_thread *thread, double now)
{
	struct program_rank *r = &program->ranks[rank];
	struct program_step *step = &thread->steps[thread->at];

	thread->arrived = true;
	step->began = now;
	step->launched = r->nlaunches;
	if (step->kind == STEP_OWN)
		program->ended = now;
	if (comes(step) && step->collective) {
		step->slot = ++r->entered[step->group];
		r->calls[step->group][step->slot] = step->call;
		if (is_device(program))
			launch(program, rank, step, 0);
	} else if (comes(step)) {
		come_to_messages(program, rank, step);
	}
	if (is_device(program))
		settle(program);
}

static bool is_stream_through(
	const struct program *program, int rank, const struct program_step *step)
{
	const struct program_rank *r = &program->ranks[rank];

	for (int i = 0; i < step->launched; i++)
		if ((!step->stream || r->launches[i].stream == step->stream) &&
			!is_launch_over(program, &r->launches[i]))
			return false;
	return true;
}

/* True if nothing keeps the thread in the step that it has come to. */
static bool can_leave(const struct program *program, int rank, const struct program_thread *thread)
{
	const struct program_step *step = &thread->steps[thread->at];

	if (step->kind == STEP_OWN ||
		(rank == program->culprit && program_is_dead(program) && program->ended > 0))
		return false;
	if (step->kind == STEP_COME)
		return true;
	if (step->kind == STEP_MEET && step->collective)
		return program_is_over(program, step->group, step->slot);
	if (step->kind == STEP_WAIT && is_device(program))
		return is_stream_through(program, rank, step);
	for (int i = 0; i < step->nthings; i++) {
		int thing = step->things[i];
		const struct program_step *begun = thing < 0 ? &thread->steps[~thing] : NULL;

		if (begun ? !program_is_over(program, begun->group, begun->slot)
			  : !is_through(program, rank, &program->messages[thing]))
			return false;
	}
	return true;
}

static void note_awaited(struct program *program, int rank, const struct program_thread *thread,
	const struct program_step *step)
{
	struct program_rank *r = &program->ranks[rank];

	if (step->kind == STEP_COME)
		return;
	if (step->collective)
		r->awaited[step->group][step->slot] = true;
	for (int i = 0; i < step->nthings; i++) {
		int thing = step->things[i];

		if (thing < 0) {
			const struct program_step *begun = &thread->steps[~thing];

			r->awaited[begun->group][begun->slot] = true;
		} else if (program->messages[thing].to == rank) {
			program->messages[thing].played.awaited = true;
		} else {
			program->messages[thing].played.flushed = true;
		}
	}
}

/* The thread goes one thing on, if it can. */
static bool move(struct program *program, int rank, int at, double now)
{
	struct program_thread *thread = &program->ranks[rank].threads[at];

	if (thread->at == thread->nsteps ||
		(rank == program->culprit && program_is_dead(program) && program->ended > 0))
		return false;
	if (!thread->arrived) {
		arrive(program, rank, thread, now);
		return true;
	}
	if (!can_leave(program, rank, thread))
		return false;
	note_awaited(program, rank, thread, &thread->steps[thread->at]);
	thread->at++;
	thread->arrived = false;
	thread->done = now;
	return true;
}

/* --- All -------------------------------------------------------------------------------------- */

/* The threads in turn, from one that is drawn on, each some steps; false: none can go on. */
static bool play_turn(struct program *program, double *now, int *left)
{
	int n = program->nranks * PROGRAM_EACH, first = (int)program_draw(program, (unsigned)n);
	bool moved = false;

	for (int i = 0; i < n; i++) {
		int at = (first + i) % n;

		while (*left && move(program, at / PROGRAM_EACH, at % PROGRAM_EACH, *now)) {
			*now += STEP_TAKES;
			moved = true;
			--*left;
			if (!program_draw(program, 4))
				break;
		}
	}
	return moved;
}

#define ALL_MOVES (3 * PROGRAM_STEPS * PROGRAM_RANKS * PROGRAM_EACH)

void program_run(struct program *program)
{
	bool young = program->modes & PROGRAM_YOUNG;
	double now = BEGIN;
	int left = young ? (int)program_draw(program, 100) : ALL_MOVES;

	for (int rank = 0; rank < program->nranks; rank++)
		for (int i = 0; i < PROGRAM_EACH; i++)
			program->ranks[rank].threads[i].done = BEGIN;
	while (play_turn(program, &now, &left))
		;
}

const struct program_step *program_step_of(const struct program_thread *thread)
{
	return thread->at < thread->nsteps && thread->arrived ? &thread->steps[thread->at] : NULL;
}

bool program_thread_waits(const struct program *program, int rank, int thread)
{
	const struct program_thread *t = &program->ranks[rank].threads[thread];
	const struct program_step *step = program_step_of(t);

	return step && step->kind != STEP_OWN && !can_leave(program, rank, t) &&
	       !(rank == program->culprit && program_is_dead(program) && program->ended > 0);
}

bool program_is_kept(const struct program *program, int rank, const struct program_step *step)
{
	return program_step_of(&program->ranks[rank].threads[step->thread]) == step &&
	       program_thread_waits(program, rank, step->thread);
}

bool program_anybody_waits(const struct program *program)
{
	for (int rank = 0; rank < program->nranks; rank++)
		for (int i = 0; i < PROGRAM_EACH; i++)
			if (program_thread_waits(program, rank, i))
				return true;
	return false;
}
