/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/weak/programs.h"

#include <stdio.h>
#include <string.h>

#include "job/names.h"

#define TRIES     6                  /* to find a message that can go on */
#define FIRST     0xc10d000000000010 /* number of what was begun first */
#define FAR_APART 40
#define FEWEST    6 /* events */
#define STREAMS   3 /* of a device, beside that of each group */

const char *const program_mode_names[PROGRAM_BITS] = {
#define PROGRAM_NAME(id, name, words) name,
	PROGRAM_MODES(PROGRAM_NAME)
#undef PROGRAM_NAME
};

const char *const program_guilt_names[PROGRAM_GUILT_KINDS] = {
#define PROGRAM_NAME(id, words) words,
	PROGRAM_GUILT_KINDS_OF(PROGRAM_NAME)
#undef PROGRAM_NAME
};

unsigned program_draw(struct program *program, unsigned n)
{
	program->state = program->state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(program->state >> 33) % n;
}

static bool draw_mode(struct program *program, unsigned mode)
{
	return (program->modes & mode) && program_draw(program, 2);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static uint64_t next_number(struct program *program)
{
	return FIRST + program->numbers++ * (program->modes & PROGRAM_FAR ? FAR_APART : 1);
}

/* In the thread of that rank that drives the group. */
static struct program_step *add_step(
	struct program *program, int rank, int group, enum step_kind kind)
{
	struct program_rank *r = &program->ranks[rank];
	struct program_thread *thread = &r->threads[r->thread_of[group]];
	struct program_step *step = &thread->steps[thread->nsteps++];

	*step = (struct program_step){
		.kind = kind, .group = group, .thread = r->thread_of[group], .stream = group + 1};
	if (kind <= STEP_MEET)
		step->number = next_number(program);
	return step;
}

static struct program_step *add_message_step(
	struct program *program, int rank, enum step_kind kind, int message)
{
	struct program_message *m = &program->messages[message];
	struct program_step *step = add_step(program, rank, m->group, kind);

	step->things[step->nthings++] = message;
	if (kind <= STEP_MEET)
		m->number[rank == m->to] = step->number;
	return step;
}

/* --- Collectives ------------------------------------------------------------------------------ */

static int draw_member(struct program *program, int group)
{
	int rank;

	do
		rank = (int)program_draw(program, (unsigned)program->nranks);
	while (!program->ranks[rank].in[group]);
	return rank;
}

static struct program_call draw_call(struct program *program, int group)
{
	static const uint8_t ops[] = {
		JOB_OP_BARRIER, JOB_OP_ALLREDUCE, JOB_OP_ALLREDUCE, JOB_OP_BROADCAST};
	struct program_call call = {.op = ops[program_draw(program, 4)], .root = -1, .count = 1};

	if (call.op == JOB_OP_BROADCAST)
		call.root = draw_member(program, group);
	if (call.op != JOB_OP_BARRIER)
		call.count = 64u << program_draw(program, 3);
	return call;
}

static void draw_collective(struct program *program)
{
	int group = (int)program_draw(program, (unsigned)program->ngroups);
	struct program_call call = draw_call(program, group);
	bool goes_on = program->modes & PROGRAM_DEVICE || draw_mode(program, PROGRAM_ASYNC);
	int stream = group + 1;

	if (!(program->modes & PROGRAM_THREADS) && !program_draw(program, 4))
		stream = PROGRAM_GROUPS + 1 + (int)program_draw(program, STREAMS);
	for (int rank = 0; rank < program->nranks; rank++) {
		struct program_step *step;

		if (!program->ranks[rank].in[group])
			continue;
		step = add_step(program, rank, group, goes_on ? STEP_COME : STEP_MEET);
		step->collective = true;
		step->call = call;
		step->stream = stream;
	}
}

/* The first collective that the thread began and does not wait for yet; -1: none. */
static int unawaited(const struct program_thread *thread)
{
	for (int i = 0; i < thread->nsteps; i++)
		if (thread->steps[i].kind == STEP_COME && thread->steps[i].collective &&
			!thread->steps[i].awaited)
			return i;
	return -1;
}

static void add_unawaited(struct program_thread *thread, struct program_step *step)
{
	int begun = unawaited(thread);

	if (begun < 0)
		return;
	thread->steps[begun].awaited = true;
	step->things[step->nthings++] = ~begun;
}

static bool draw_collective_wait(struct program *program)
{
	int rank = (int)program_draw(program, (unsigned)program->nranks);
	int group = (int)program_draw(program, (unsigned)program->ngroups);
	struct program_rank *r = &program->ranks[rank];
	struct program_thread *thread = &r->threads[r->thread_of[group]];
	int begun = unawaited(thread);

	if (begun < 0)
		return false;
	add_unawaited(thread, add_step(program, rank, thread->steps[begun].group, STEP_WAIT));
	return true;
}

/* --- Devices ---------------------------------------------------------------------------------- */

static int draw_group(struct program *program)
{
	return (int)program_draw(program, (unsigned)program->ngroups);
}

/*
 * Waits for all that it has launched, or for one stream: that of its thread, which nobody else
 * launches on.
 */
static void draw_stream_wait(struct program *program)
{
	int group = draw_group(program), rank = draw_member(program, group);
	struct program_step *step = add_step(program, rank, group, STEP_WAIT);

	if (!(program->modes & PROGRAM_THREADS) && !program_draw(program, 3))
		step->stream = 0;
}

static int add_message(struct program *program, int from, int to, int group)
{
	struct program_message *m = &program->messages[program->nmessages];

	*m = (struct program_message){.from = from, .to = to, .group = group, .turn = 1};
	return program->nmessages++;
}

/* One sends and one receives. */
static void draw_launched_message(struct program *program)
{
	int group = draw_group(program), from = draw_member(program, group), to, message;

	if (program->nmessages == PROGRAM_MESSAGES)
		return;
	do
		to = draw_member(program, group);
	while (to == from);
	message = add_message(program, from, to, group);
	add_message_step(program, from, STEP_COME, message);
	add_message_step(program, to, STEP_COME, message);
}

static int next_member(const struct program *program, int group, int rank)
{
	do
		rank = (rank + 1) % program->nranks;
	while (!program->ranks[rank].in[group]);
	return rank;
}

/* Each sends to the next and receives from the one before, in one launch. */
static void draw_exchange(struct program *program)
{
	int group = draw_group(program), sent[PROGRAM_RANKS];

	if (program->nmessages + program->nranks > PROGRAM_MESSAGES)
		return;
	for (int rank = 0; rank < program->nranks; rank++)
		if (program->ranks[rank].in[group])
			sent[rank] = add_message(
				program, rank, next_member(program, group, rank), group);
	for (int rank = 0; rank < program->nranks; rank++) {
		struct program_step *step;

		if (!program->ranks[rank].in[group])
			continue;
		step = add_message_step(program, rank, STEP_COME, sent[rank]);
		for (int from = 0; from < program->nranks; from++)
			if (program->ranks[from].in[group] &&
				program->messages[sent[from]].to == rank) {
				step->things[step->nthings++] = sent[from];
				program->messages[sent[from]].number[1] = step->number;
			}
	}
}

static void draw_device_event(struct program *program)
{
	unsigned what = program_draw(program, 10);

	if (what < 4)
		draw_collective(program);
	else if (what < 8)
		draw_stream_wait(program);
	else if (what < 9 || program->modes & PROGRAM_SETS)
		draw_launched_message(program);
	else
		draw_exchange(program);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* True if a message of the same pair, group and tag: nothing but their order tells them apart. */
static bool are_alike(const struct program_message *a, const struct program_message *b)
{
	return a->from == b->from && a->to == b->to && a->tag == b->tag && a->group == b->group;
}

static void draw_message(struct program *program)
{
	struct program_message *m = &program->messages[program->nmessages];

	if (program->nmessages == PROGRAM_MESSAGES)
		return;
	m->group = draw_group(program);
	m->from = draw_member(program, m->group);
	do
		m->to = draw_member(program, m->group);
	while (m->to == m->from);
	m->tag = program_draw(program, 3);
	m->big = draw_mode(program, PROGRAM_BIG);
	m->turn = 1;
	for (int i = 0; i < program->nmessages; i++)
		m->turn += are_alike(&program->messages[i], m);
	program->nmessages++;
}

/* True if all that are like it and come before it are received, or sent: they stay in order. */
static bool is_next(const struct program *program, int message, bool received)
{
	for (int i = 0; i < message; i++) {
		const struct program_message *m = &program->messages[i];

		if (are_alike(m, &program->messages[message]) &&
			!(received ? m->drawn.received : m->drawn.sent))
			return false;
	}
	return true;
}

static bool can_be_awaited(const struct program_message *m)
{
	return m->drawn.received && m->drawn.sent && !m->drawn.awaited;
}

/* Those that the rank receives with that thread join the step, some of them. */
static void add_others(struct program *program, int rank, struct program_step *step)
{
	struct program_thread *thread = &program->ranks[rank].threads[step->thread];

	for (int i = 0; i < program->nmessages && program->modes & PROGRAM_SETS; i++) {
		struct program_message *m = &program->messages[i];

		if (step->nthings == PROGRAM_AT_ONCE || m->to != rank || !can_be_awaited(m) ||
			program->ranks[rank].thread_of[m->group] != step->thread ||
			!program_draw(program, 2))
			continue;
		step->things[step->nthings++] = i;
		m->drawn.awaited = true;
	}
	if (step->nthings < PROGRAM_AT_ONCE && draw_mode(program, PROGRAM_SETS) &&
		step->kind == STEP_WAIT)
		add_unawaited(thread, step);
}

/* Its receiver waits for it, and perhaps for others as well. */
static void draw_wait(struct program *program, int message)
{
	int rank = program->messages[message].to;
	bool polls = draw_mode(program, PROGRAM_POLLS);
	struct program_step *step =
		add_message_step(program, rank, polls ? STEP_POLL : STEP_WAIT, message);

	program->messages[message].drawn.awaited = true;
	add_others(program, rank, step);
}

/* Both sides at once, each of which waits for the other. */
static void draw_meeting(struct program *program, int message)
{
	struct program_message *m = &program->messages[message];

	m->big = true;
	m->drawn = (struct program_way){true, true, true, true};
	add_message_step(program, m->from, STEP_MEET, message);
	add_message_step(program, m->to, STEP_MEET, message);
}

static void draw_send(struct program *program, int message)
{
	struct program_message *m = &program->messages[message];
	bool waits = m->drawn.received && m->big && program_draw(program, 2);

	add_message_step(program, m->from, waits ? STEP_MEET : STEP_COME, message);
	m->drawn.sent = true;
	m->drawn.flushed = waits;
}

static void draw_receive(struct program *program, int message)
{
	struct program_message *m = &program->messages[message];
	bool waits = m->drawn.sent && draw_mode(program, PROGRAM_BIG);

	add_message_step(program, m->to, waits ? STEP_MEET : STEP_COME, message);
	m->drawn.received = true;
	m->drawn.awaited = waits;
}

/* The message goes on by one step; false: it cannot, now. */
static bool draw_step(struct program *program, int message)
{
	struct program_message *m = &program->messages[message];
	bool may_receive = !m->drawn.received && is_next(program, message, true);
	bool may_send = !m->drawn.sent && is_next(program, message, false);

	if (may_receive && may_send && m->big && !program_draw(program, 3))
		draw_meeting(program, message);
	else if (may_receive && program_draw(program, 2))
		draw_receive(program, message);
	else if (may_send)
		draw_send(program, message);
	else if (can_be_awaited(m))
		draw_wait(program, message);
	else if (m->big && m->drawn.received && m->drawn.sent && !m->drawn.flushed) {
		add_message_step(program, m->from, STEP_WAIT, message);
		m->drawn.flushed = true;
	} else
		return false;
	return true;
}

static void draw_host_event(struct program *program)
{
	unsigned what = program_draw(program, 10);

	if (what < 2) {
		draw_collective(program);
		return;
	}
	if (what < 4)
		draw_message(program);
	else if (what < 6 && draw_collective_wait(program))
		return;
	for (int i = 0; i < TRIES && program->nmessages; i++)
		if (draw_step(program, (int)program_draw(program, (unsigned)program->nmessages)))
			return;
}

/* --- Guilt ------------------------------------------------------------------------------------ */

bool program_is_away(const struct program *program)
{
	return program->guilt < GUILT_SKIP;
}

bool program_is_dead(const struct program *program)
{
	return program->guilt >= GUILT_EXIT && program->guilt <= GUILT_KILL;
}

/* A collective of the culprit, which only that step is about; NULL: it is not so. */
static struct program_step *draw_called(struct program *program)
{
	struct program_rank *r = &program->ranks[program->culprit];
	struct program_thread *thread = &r->threads[program_draw(program, PROGRAM_EACH)];
	struct program_step *step;

	if (!thread->nsteps)
		return NULL;
	step = &thread->steps[program_draw(program, (unsigned)thread->nsteps)];
	return step->collective && !step->awaited ? step : NULL;
}

/* True if its program could be spoilt so. */
static bool spoil_call(struct program *program)
{
	struct program_step *step = draw_called(program);

	if (!step)
		return false;
	if (program->guilt == GUILT_SKIP)
		*step = (struct program_step){.kind = STEP_POLL, .thread = step->thread};
	else if (step->call.op == JOB_OP_ALLREDUCE && program_draw(program, 2))
		step->call.count *= 2;
	else
		step->call = (struct program_call){JOB_OP_REDUCE, program->culprit, 64};
	return true;
}

/* From a step that is drawn on, a thread of it does something else. */
static void draw_culprit(struct program *program)
{
	struct program_thread *thread;

	program->culprit = (int)program_draw(program, (unsigned)program->nranks);
	if (program->modes & PROGRAM_GUILTS)
		program->guilt = (enum program_guilt)program_draw(program, PROGRAM_GUILT_KINDS);
	if (!program_is_away(program) && spoil_call(program))
		return;
	if (!program_is_away(program))
		program->guilt = GUILT_OWN;
	thread = &program->ranks[program->culprit].threads[draw_mode(program, PROGRAM_THREADS)];
	if (!thread->nsteps)
		thread = program->ranks[program->culprit].threads;
	thread->nsteps = (int)program_draw(program, (unsigned)thread->nsteps + 1);
	thread->steps[thread->nsteps++] = (struct program_step){.kind = STEP_OWN,
		.thread = (int)(thread - program->ranks[program->culprit].threads)};
}

/* --- All -------------------------------------------------------------------------------------- */

static void draw_group_of(struct program *program, int group)
{
	int n = 0;

	while (n < 2) {
		n = 0;
		for (int rank = 0; rank < program->nranks; rank++) {
			program->ranks[rank].in[group] = !group || program_draw(program, 2);
			n += program->ranks[rank].in[group];
		}
	}
	for (int rank = 0; rank < program->nranks; rank++)
		program->ranks[rank].thread_of[group] =
			group && draw_mode(program, PROGRAM_THREADS);
}

static void draw_ranks(struct program *program)
{
	program->nranks = 3 + (int)program_draw(program, PROGRAM_RANKS - 2);
	program->ngroups = 1 + (int)program_draw(program, PROGRAM_GROUPS);
	for (int group = 0; group < program->ngroups; group++)
		draw_group_of(program, group);
}

void program_make(struct program *program, unsigned modes, uint64_t seed)
{
	int nevents;

	*program = (struct program){.modes = modes, .seed = seed};
	program->state = seed * 0x9e3779b97f4a7c15ull + 12345;
	for (int i = 0; i < 4; i++)
		program_draw(program, 2);
	nevents = FEWEST + (int)program_draw(program, PROGRAM_EVENTS - FEWEST);
	draw_ranks(program);
	for (int i = 0; i < nevents; i++)
		if (modes & PROGRAM_DEVICE)
			draw_device_event(program);
		else
			draw_host_event(program);
	draw_culprit(program);
}

/* --- In words --------------------------------------------------------------------------------- */

static void print_thing(
	const struct program *program, const struct program_step *step, int rank, int thing)
{
	const struct program_message *m = &program->messages[thing < 0 ? 0 : thing];

	if (thing < 0)
		printf("(of step %d)", ~thing);
	else
		printf("(%s m%d g%d %d>%d t%d.%d%s)", rank == m->to ? "recv" : "send", thing,
			m->group, m->from, m->to, (int)m->tag, (int)m->turn, m->big ? " big" : "");
	(void)step;
}

static void print_step(const struct program *program, const struct program_step *step, int rank)
{
	static const char *const names[] = {"come", "meet", "wait", "poll", "OWN"};

	printf(" %s", names[step->kind]);
	if (step->collective)
		printf("(%s g%d s%d n%d r%d)", job_op_name(step->call.op), step->group,
			step->stream, (int)step->call.count, step->call.root);
	if (step->kind == STEP_WAIT && program->modes & PROGRAM_DEVICE)
		printf("(s%d)", step->stream);
	for (int i = 0; i < step->nthings; i++)
		print_thing(program, step, rank, step->things[i]);
}

static void print_thread(const struct program *program, int rank, int at)
{
	const struct program_thread *thread = &program->ranks[rank].threads[at];

	printf("rank %d%s:", rank, at ? ", second thread" : "");
	for (int i = 0; i < thread->nsteps; i++) {
		printf("%s", i != thread->at ? "" : thread->arrived ? " ->" : " |");
		print_step(program, &thread->steps[i], rank);
	}
	printf("\n");
}

void program_print(const struct program *program)
{
	printf("the culprit is %d: it %s\n", program->culprit, program_guilt_names[program->guilt]);
	for (int rank = 0; rank < program->nranks; rank++)
		for (int i = 0; i < PROGRAM_EACH; i++)
			if (!i || program->ranks[rank].threads[i].nsteps)
				print_thread(program, rank, i);
	for (int group = 0; group < program->ngroups; group++) {
		printf("g%d:", group);
		for (int rank = 0; rank < program->nranks; rank++)
			if (program->ranks[rank].in[group])
				printf(" %d", rank);
		printf("\n");
	}
}

const char *program_modes_text(unsigned modes, char *buffer, int size)
{
	int len = 0;

	snprintf(buffer, (size_t)size, "plain");
	for (int bit = 0; bit < PROGRAM_BITS; bit++)
		if (modes >> bit & 1 && len < size)
			len += snprintf(buffer + len, (size_t)(size - len), "%s%s", len ? "," : "",
				program_mode_names[bit]);
	return buffer;
}

static int bit_of(const char *name, size_t len)
{
	for (int bit = 0; bit < PROGRAM_BITS; bit++)
		if (strlen(program_mode_names[bit]) == len &&
			!strncmp(program_mode_names[bit], name, len))
			return bit;
	return -1;
}

int program_modes_of(const char *text)
{
	unsigned modes = 0;

	if (!strcmp(text, "plain"))
		return 0;
	for (size_t len;; text += len + 1) {
		int bit;

		len = strcspn(text, ",");
		bit = bit_of(text, len);
		if (bit < 0)
			return -1;
		modes |= 1u << bit;
		if (!text[len])
			return (int)modes;
	}
}
