/* SPDX-License-Identifier: Apache-2.0 */
#include "programs.h"

#include <stdio.h>
#include <string.h>

#define BEGIN      20.0 /* seconds: when the first step of each rank begins */
#define STEP_TAKES 0.01
#define TRIES      6                  /* to find a message that can go on */
#define FIRST      0xc10d000000000010 /* number of the first receive */
#define FAR_APART  40
#define FEWEST     6 /* events */

const char *const program_mode_names[PROGRAM_BITS] = {
#define PROGRAM_NAME(id, name, words) name,
	PROGRAM_MODES(PROGRAM_NAME)
#undef PROGRAM_NAME
};

unsigned program_draw(struct program *program, unsigned n)
{
	program->state = program->state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(program->state >> 33) % n;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

static struct program_step *add_step(struct program *program, int rank, enum step_kind kind)
{
	struct program_rank *r = &program->ranks[rank];
	struct program_step *step = &r->steps[r->nsteps++];

	*step = (struct program_step){.kind = kind};
	return step;
}

static void add_message_step(struct program *program, int rank, enum step_kind kind, int message)
{
	struct program_step *step = add_step(program, rank, kind);

	step->messages[step->nmessages++] = message;
}

/* True if a message of the same pair, group and tag: nothing but their order tells them apart. */
static bool are_alike(const struct program_message *a, const struct program_message *b)
{
	return a->from == b->from && a->to == b->to && a->tag == b->tag && a->group == b->group;
}

static void draw_ranks(struct program *program)
{
	program->nranks = 3 + (int)program_draw(program, PROGRAM_RANKS - 2);
	program->ngroups = 1 + (int)program_draw(program, PROGRAM_GROUPS);
	for (int rank = 0; rank < program->nranks; rank++) {
		program->ranks[rank].in[0] = true;
		program->ranks[rank].in[1] = rank < 2 || program_draw(program, 2);
	}
}

static void draw_message(struct program *program)
{
	struct program_message *m = &program->messages[program->nmessages];
	unsigned apart = program->modes & PROGRAM_FAR ? FAR_APART : 1;

	m->from = (int)program_draw(program, (unsigned)program->nranks);
	m->to = (int)program_draw(program, (unsigned)program->nranks - 1);
	m->to += m->to >= m->from;
	m->tag = program_draw(program, 3);
	m->group = program->ngroups > 1 && program->ranks[m->from].in[1] &&
		   program->ranks[m->to].in[1] && program_draw(program, 2);
	m->turn = 1;
	m->number = FIRST + (uint64_t)program->nmessages * apart;
	for (int i = 0; i < program->nmessages; i++)
		m->turn += are_alike(&program->messages[i], m);
	program->nmessages++;
}

static void draw_barrier(struct program *program)
{
	int group = (int)program_draw(program, (unsigned)program->ngroups);

	for (int rank = 0; rank < program->nranks; rank++)
		if (program->ranks[rank].in[group])
			add_step(program, rank, STEP_BARRIER)->group = group;
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

/* Its receiver waits for it, and perhaps for others as well. */
static void draw_wait(struct program *program, int message)
{
	int rank = program->messages[message].to;
	bool polls = program->modes & PROGRAM_POLLS && program_draw(program, 2);
	struct program_step *step = add_step(program, rank, polls ? STEP_POLL : STEP_WAIT);

	step->messages[step->nmessages++] = message;
	program->messages[message].drawn.awaited = true;
	for (int i = 0; i < program->nmessages && program->modes & PROGRAM_SETS; i++) {
		struct program_message *m = &program->messages[i];

		if (step->nmessages == PROGRAM_AT_ONCE || m->to != rank || !can_be_awaited(m) ||
			!program_draw(program, 2))
			continue;
		step->messages[step->nmessages++] = i;
		m->drawn.awaited = true;
	}
}

/* The message goes on by one step; false: it cannot, now. */
static bool draw_step(struct program *program, int message)
{
	struct program_message *m = &program->messages[message];

	if (!m->drawn.received && is_next(program, message, true) && program_draw(program, 2)) {
		add_message_step(program, m->to, STEP_IRECV, message);
		m->drawn.received = true;
		return true;
	}
	if (!m->drawn.sent && is_next(program, message, false)) {
		add_message_step(program, m->from, STEP_ISEND, message);
		m->drawn.sent = true;
		return true;
	}
	if (!can_be_awaited(m))
		return false;
	draw_wait(program, message);
	return true;
}

static void draw_event(struct program *program)
{
	unsigned what = program_draw(program, 10);

	if (what < 2) {
		draw_barrier(program);
		return;
	}
	if (what < 4)
		draw_message(program);
	for (int i = 0; i < TRIES && program->nmessages; i++)
		if (draw_step(program, (int)program_draw(program, (unsigned)program->nmessages)))
			return;
}

/* From a step that is drawn the culprit is in its own code. */
static void draw_culprit(struct program *program)
{
	struct program_rank *rank;

	program->culprit = (int)program_draw(program, (unsigned)program->nranks);
	rank = &program->ranks[program->culprit];
	rank->nsteps = (int)program_draw(program, (unsigned)rank->nsteps + 1);
	add_step(program, program->culprit, STEP_OWN);
}

/* --- Playing ---------------------------------------------------------------------------------- */

/* How many barriers of the group the rank has come to. */
static int barriers_of(const struct program_rank *rank, int group)
{
	int n = 0;

	for (int i = 0; i <= rank->at && i < rank->nsteps; i++)
		n += rank->steps[i].kind == STEP_BARRIER && rank->steps[i].group == group;
	return n;
}

static bool have_all_come(const struct program *program, int rank, int group)
{
	int mine = barriers_of(&program->ranks[rank], group);

	for (int i = 0; i < program->nranks; i++)
		if (program->ranks[i].in[group] && barriers_of(&program->ranks[i], group) < mine)
			return false;
	return true;
}

static bool can_pass(const struct program *program, int rank)
{
	const struct program_step *step = program_step_of(program, rank);

	if (!step || step->kind == STEP_OWN)
		return false;
	if (step->kind == STEP_BARRIER)
		return have_all_come(program, rank, step->group);
	for (int i = 0; i < step->nmessages; i++)
		if ((step->kind == STEP_WAIT || step->kind == STEP_POLL) &&
			!program->messages[step->messages[i]].played.sent)
			return false;
	return true;
}

static void pass(struct program *program, int rank, double now)
{
	struct program_rank *r = &program->ranks[rank];
	const struct program_step *step = &r->steps[r->at++];

	for (int i = 0; i < step->nmessages; i++) {
		struct program_way *way = &program->messages[step->messages[i]].played;

		way->received |= step->kind == STEP_IRECV;
		way->sent |= step->kind == STEP_ISEND;
		way->awaited |= step->kind == STEP_WAIT || step->kind == STEP_POLL;
	}
	if (r->at < r->nsteps)
		r->steps[r->at].began = now;
	else
		r->done = now;
}

/* The ranks in turn, from one that is drawn on, each some steps; false: none can go on. */
static bool play_turn(struct program *program, double *now)
{
	int first = (int)program_draw(program, (unsigned)program->nranks);
	bool moved = false;

	for (int i = 0; i < program->nranks; i++) {
		int rank = (first + i) % program->nranks;

		while (can_pass(program, rank)) {
			pass(program, rank, *now += STEP_TAKES);
			moved = true;
			if (!program_draw(program, 4))
				break;
		}
	}
	return moved;
}

void program_play(struct program *program, unsigned modes, uint64_t seed)
{
	double now = BEGIN;
	int nevents;

	*program = (struct program){.modes = modes, .seed = seed};
	program->state = seed * 0x9e3779b97f4a7c15ull + 12345;
	for (int i = 0; i < 4; i++)
		program_draw(program, 2);
	nevents = FEWEST + (int)program_draw(program, PROGRAM_EVENTS - FEWEST);
	draw_ranks(program);
	for (int i = 0; i < nevents; i++)
		draw_event(program);
	draw_culprit(program);
	for (int rank = 0; rank < program->nranks; rank++)
		program->ranks[rank].steps[0].began = program->ranks[rank].done = BEGIN;
	while (play_turn(program, &now))
		;
}

const struct program_step *program_step_of(const struct program *program, int rank)
{
	const struct program_rank *r = &program->ranks[rank];

	return r->at < r->nsteps ? &r->steps[r->at] : NULL;
}

bool program_waits(const struct program *program, int rank)
{
	const struct program_step *step = program_step_of(program, rank);

	return step && step->kind != STEP_OWN;
}

bool program_anybody_waits(const struct program *program)
{
	for (int rank = 0; rank < program->nranks; rank++)
		if (program_waits(program, rank))
			return true;
	return false;
}

/* --- In words --------------------------------------------------------------------------------- */

static void print_step(const struct program *program, const struct program_step *step)
{
	static const char *const names[] = {"barrier", "irecv", "isend", "wait", "poll", "OWN"};

	printf(" %s", names[step->kind]);
	if (step->kind == STEP_BARRIER)
		printf("(g%d)", step->group);
	for (int i = 0; i < step->nmessages; i++) {
		const struct program_message *m = &program->messages[step->messages[i]];

		printf("(m%d g%d %d>%d t%d.%d)", step->messages[i], m->group, m->from, m->to,
			(int)m->tag, (int)m->turn);
	}
}

void program_print(const struct program *program)
{
	printf("the culprit is %d\n", program->culprit);
	for (int rank = 0; rank < program->nranks; rank++) {
		const struct program_rank *r = &program->ranks[rank];

		printf("rank %d:", rank);
		for (int i = 0; i < r->nsteps; i++) {
			printf("%s", i == r->at ? " ->" : "");
			print_step(program, &r->steps[i]);
		}
		printf("\n");
	}
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
