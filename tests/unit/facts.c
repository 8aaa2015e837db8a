/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/unit/facts.h"

static const char *const host_names[] = {"hostA", "hostB", "hostC", "hostD"};

int64_t facts_ns(double seconds)
{
	return (int64_t)(seconds * 1000) * 1000000 + INT64_C(1700000000000000000);
}

/* -- a healthy job ----------------------------------------------------------------------------- */

struct facts *facts_new(int n)
{
	struct facts *f = alloc_zeroed(1, sizeof(*f));
	int all[FACTS_MAX_RANKS];

	assert_true(n <= FACTS_MAX_RANKS);
	f->n = f->world_size = n;
	f->census = f->completion = true;
	f->stack_span = 2.2;
	f->hidden = JOB_NONE;
	f->nhosts = 1;
	for (int i = 0; i < 4; i++) {
		f->hosts[i] = job_host_unknown;
		f->hosts[i].name = host_names[i];
		f->hosts[i].gathered = facts_ns(FACTS_NOW);
		f->hosts[i].agent_beat = facts_ns(FACTS_NOW);
		f->hosts[i].agent_alive = JOB_YES;
		f->hosts[i].oom_kills = 0;
		f->hosts[i].clock_error = 1000000;
	}
	for (int i = 0; i < n; i++) {
		struct facts_rank *r = &f->ranks[i];

		*r = (struct facts_rank){.seen = true,
			.ring = true,
			.proc = true,
			.census = true,
			.exit_known = true,
			.promoted = true,
			.named = true,
			.pid = 1000 + (uint32_t)i};
		r->process = job_process_unknown;
		r->process.ppid = 900;
		r->process.end = JOB_ALIVE;
		r->process.state = 'S';
		r->process.born = facts_ns(0);
		r->thread = (struct job_thread){.tid = r->pid,
			.name = "python",
			.state = JOB_THREAD_OUTSIDE,
			.call = "",
			.detail = "",
			.since = facts_ns(5),
			.cite = "ring:lane0"};
		all[i] = i;
	}
	facts_group(f, n, all);
	return f;
}

struct facts *facts_copy(const struct facts *f)
{
	return alloc_copy(f, sizeof(*f));
}

void facts_free(struct facts *f)
{
	free(f);
}

int facts_group(struct facts *f, int n, const int *ranks)
{
	int group = f->ngroups++;

	assert_true(group < FACTS_MAX_GROUPS);
	f->group_keys[group] = 0x1111000000000000ull * (uint64_t)(group + 1) + 7;
	f->group_sizes[group] = (uint32_t)n;
	for (int i = 0; i < n; i++) {
		struct facts_member *m = &f->members[group][ranks[i]];

		m->in = true;
		m->seat = group_rank((uint32_t)i);
		m->fact = job_member_unknown;
		m->fact.seat = m->seat;
		m->fact.state = JOB_MEMBER_READY;
		m->fact.init_since = facts_ns(1);
		m->fact.ready_at = facts_ns(2);
		m->fact.head_known = true;
		m->fact.done_known = f->completion;
	}
	return group;
}

int facts_group_of(struct facts *f, int n, ...)
{
	int ranks[FACTS_MAX_RANKS];
	va_list args;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		ranks[i] = va_arg(args, int);
	va_end(args);
	return facts_group(f, n, ranks);
}

int facts_bootstrap(struct facts *f)
{
	int all[FACTS_MAX_RANKS], group;

	for (int i = 0; i < f->n; i++)
		all[i] = i;
	group = facts_group(f, f->n, all);
	f->group_makers[group] = "bootstrap";
	for (int i = 0; i < f->n; i++)
		facts_unseen(f, group, i);
	return group;
}

void facts_no_group(struct facts *f)
{
	for (int i = 0; i < f->n; i++)
		facts_unseen(f, 0, i);
}

/* -- operations -------------------------------------------------------------------------------- */

static struct job_op *add_op(struct facts *f, int group, int rank)
{
	struct facts_member *m = &f->members[group][rank];

	assert_true(m->in);
	if (m->nops == FACTS_MAX_OPS) {
		memmove(m->ops, m->ops + 1, sizeof(m->ops) - sizeof(m->ops[0]));
		m->nops--;
	}
	return &m->ops[m->nops++];
}

struct job_op *facts_enter(
	struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at)
{
	struct facts_member *m = &f->members[group][rank];
	struct job_op *o = add_op(f, group, rank);

	m->fact.head++;
	m->fact.zeros += count == 0;
	*o = (struct job_op){.index = m->fact.head,
		.sig = {.op = op, .dtype = 7, .peer = NO_GROUP_RANK, .count = count},
		.zeros = m->fact.zeros,
		.entered = facts_ns(at),
		.returned = JOB_YES,
		.completed = JOB_MAYBE,
		.stream = 1,
		.order = ++f->ranks[rank].order,
		.cite = "ring:op"};
	return o;
}

struct job_op *facts_hold(
	struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at)
{
	struct job_op *o = facts_enter(f, group, rank, op, count, at);

	o->returned = JOB_NO;
	facts_call(f, rank, "ncclCall", at);
	return o;
}

struct job_op *facts_p2p(
	struct facts *f, int group, int rank, uint8_t op, int peer, double at, bool held)
{
	struct facts_member *m = &f->members[group][rank];
	struct job_op *o = add_op(f, group, rank);

	*o = (struct job_op){.index = ++m->p2p_count[op == JOB_OP_RECV][peer],
		.sig = {.op = op, .dtype = 7, .peer = f->members[group][peer].seat, .count = 64},
		.entered = facts_ns(at),
		.returned = held ? JOB_NO : JOB_YES,
		.completed = held ? JOB_MAYBE : JOB_YES,
		.stream = 1,
		.order = ++f->ranks[rank].order,
		.cite = "ring:p2p"};
	if (held)
		facts_call(f, rank, "ncclCall", at);
	return o;
}

void facts_round(struct facts *f, int group, uint8_t op, uint64_t count, double at)
{
	for (int i = 0; i < f->n; i++) {
		if (!f->members[group][i].in)
			continue;
		facts_enter(f, group, i, op, count, at)->completed =
			f->completion ? JOB_YES : JOB_MAYBE;
		f->members[group][i].fact.done = f->members[group][i].fact.head;
	}
}

void facts_rounds(struct facts *f, int group, int n, double at, double gap)
{
	for (int i = 0; i < n; i++)
		facts_round(f, group, JOB_OP_ALLREDUCE, 4096, at + i * gap);
}

void facts_enter_but(struct facts *f, int group, int rank, uint8_t op, uint64_t count, double at)
{
	for (int i = 0; i < f->n; i++)
		if (f->members[group][i].in && i != rank)
			facts_hold(f, group, i, op, count, at);
}

/* -- threads and seats ------------------------------------------------------------------------- */

void facts_sync(struct facts *f, int rank, double since)
{
	f->ranks[rank].thread.state = JOB_THREAD_IN_WAIT;
	f->ranks[rank].thread.call = "cudaDeviceSynchronize";
	f->ranks[rank].thread.whole_device = true;
	f->ranks[rank].thread.since = facts_ns(since);
}

void facts_call(struct facts *f, int rank, const char *call, double since)
{
	f->ranks[rank].thread.state = JOB_THREAD_IN_CALL;
	f->ranks[rank].thread.call = call;
	f->ranks[rank].thread.since = facts_ns(since);
}

void facts_split(struct facts *f, int group, int rank, double since)
{
	f->members[group][rank].fact.splits++;
	f->ranks[rank].thread_group = f->group_keys[group];
	facts_call(f, rank, "ncclCommSplit", since);
}

void facts_asks(struct facts *f, int group, int rank, double since)
{
	f->ranks[rank].thread_group = f->group_keys[group];
	facts_call(f, rank, "ncclCommGetAsyncError", since);
}

void facts_outside(struct facts *f, int rank, double since)
{
	f->ranks[rank].thread.state = JOB_THREAD_OUTSIDE;
	f->ranks[rank].thread.call = "";
	f->ranks[rank].thread.since = facts_ns(since);
}

struct facts *facts_missing(int n, int rank, double since)
{
	struct facts *f = facts_new(n);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, rank, since);
	return f;
}

void facts_in_init(struct facts *f, int group, int rank, double since)
{
	struct job_member *m = &f->members[group][rank].fact;

	f->members[group][rank].in = true;
	m->state = JOB_MEMBER_IN_INIT;
	m->init_since = facts_ns(since);
	m->ready_at = JOB_UNKNOWN;
	facts_call(f, rank, "ncclCommInitRank", since);
}

void facts_store(struct facts *f, int rank, const char *key, double since)
{
	facts_call(f, rank, "c10d_store_get", since);
	f->ranks[rank].thread.detail = key;
}

void facts_unseen(struct facts *f, int group, int rank)
{
	f->members[group][rank].in = false;
}

/* -- marks, words, ends ------------------------------------------------------------------------ */

static struct facts_extra *add_extra(struct facts *f, int kind, int rank, bool of_ring)
{
	struct facts_extra *extra = &f->extra[f->nextra++];

	assert_true(f->nextra <= FACTS_MAX_EXTRA);
	memset(extra, 0, sizeof(*extra));
	extra->kind = kind;
	extra->rank = rank;
	extra->of_ring = of_ring;
	extra->claims = JOB_NONE;
	return extra;
}

void facts_span(struct facts *f, int rank, enum job_span_kind kind, const char *name,
	const char *detail, double begun, double ended)
{
	add_extra(f, EXTRA_SPAN, rank, true)->is.span = (struct job_span){.kind = kind,
		.name = name,
		.detail = detail,
		.begun = facts_ns(begun),
		.ended = ended < 0 ? JOB_UNKNOWN : facts_ns(ended),
		.open = ended < 0,
		.cpu_at_begin = JOB_UNKNOWN,
		.cpu_at_end = JOB_UNKNOWN,
		.cite = "ring:span"};
}

void facts_shard(struct facts *f, int rank, uint64_t rows, uint64_t batches)
{
	add_extra(f, EXTRA_SHARD, rank, true)->is.shard = (struct job_shard){.loader = "train",
		.index = batches ? batches - 1 : 0,
		.rows = rows,
		.elements = rows * 4096,
		.batches = batches,
		.empty = !rows,
		.emptied = batches ? batches - 1 : 0,
		.when = facts_ns(6),
		.cite = "ring:shard0"};
}

void facts_emptied(struct facts *f, int rank, uint64_t index)
{
	struct job_shard *shard = NULL;

	for (size_t i = 0; i < f->nextra; i++)
		if (f->extra[i].kind == EXTRA_SHARD && f->extra[i].rank == rank)
			shard = &f->extra[i].is.shard;
	shard->empty = true;
	shard->emptied = index;
}

void facts_step(struct facts *f, int rank, uint64_t n)
{
	add_extra(f, EXTRA_STEP, rank, true)->is.step = (struct job_step){.n = n,
		.events = n,
		.first = JOB_UNKNOWN,
		.when = facts_ns(50),
		.cite = "ring:step"};
}

static void add_note(
	struct facts *f, int rank, const char *text, bool exception, double at)
{
	add_extra(f, EXTRA_NOTE, rank, true)->is.note = (struct job_note){
		.text = text, .exception = exception, .when = facts_ns(at), .cite = "ring:note"};
}

void facts_note(struct facts *f, int rank, const char *text, double at)
{
	add_note(f, rank, text, true, at);
}

void facts_say(struct facts *f, int rank, const char *text, double at)
{
	add_note(f, rank, text, false, at);
}

struct job_trait *facts_trait(
	struct facts *f, int rank, const char *key, const char *text, int64_t number)
{
	struct job_trait *trait = &add_extra(f, EXTRA_TRAIT, rank, true)->is.trait;

	*trait = (struct job_trait){.key = key,
		.text = text,
		.number = number < 0 ? JOB_UNKNOWN : number,
		.when = facts_ns(4),
		.cite = "ring:trait"};
	return trait;
}

void facts_log(struct facts *f, int rank, const char *error)
{
	add_extra(f, EXTRA_LOG, rank, false)->is.log = (struct job_log){
		.last_line = error, .error = error, .when = facts_ns(60), .cite = "stderr"};
}

struct job_signal *facts_signal(
	struct facts *f, int rank, int signo, uint32_t sender, const char *thread, double at)
{
	struct facts_extra *extra = add_extra(f, EXTRA_SIGNAL, rank, true);

	extra->is.signal = (struct job_signal){.signo = signo,
		.sender = sender,
		.from_self = !sender,
		.fatal = true,
		.thread = thread,
		.when = facts_ns(at),
		.cite = "fatal"};
	return &extra->is.signal;
}

void facts_end(struct facts *f, int rank, enum job_end end, int status, double at)
{
	struct job_process *process = &f->ranks[rank].process;

	process->end = end;
	process->status = status;
	process->ended = facts_ns(at);
	process->end_cite = "exit";
	process->state = end == JOB_ALIVE ? 'S' : 0;
}

/* How often a first thread that sleeps was put on a processor. */
#define FACTS_RUNS 700

void facts_cpu(struct facts *f, int rank, double cpu, double span, double idle)
{
	struct job_process *process = &f->ranks[rank].process;

	process->cpu_delta = (int64_t)(cpu * 1e9);
	process->sample_span = (int64_t)(span * 1e9);
	process->idle_for = idle < 0 ? JOB_UNKNOWN : (int64_t)(idle * 1e9);
	process->runs = idle < 0 ? JOB_UNKNOWN : FACTS_RUNS;
	process->asleep_since = idle < 0 ? JOB_UNKNOWN : facts_ns(FACTS_NOW - idle);
}

struct job_process *facts_child(struct facts *f, int rank, const char *comm)
{
	struct facts_extra *extra = add_extra(f, EXTRA_PROCESS, rank, false);

	extra->pid = 5000 + (uint32_t)f->nextra;
	extra->is.process = job_process_unknown;
	extra->is.process.comm = comm;
	extra->is.process.ppid = f->ranks[rank].pid;
	extra->is.process.end = JOB_ALIVE;
	extra->is.process.born = facts_ns(3);
	return &extra->is.process;
}

void facts_spawn_says(struct facts *f, int number, const char *how)
{
	add_extra(f, EXTRA_SAYING, 0, false)->is.saying = (struct job_saying){
		.kind = JOB_SAYS_SPAWN, .text = how, .text2 = "", .a = number, .b = JOB_UNKNOWN,
		.cite = "ring:p900:note0"};
}

struct job_process *facts_namesake(struct facts *f, int beside, int rank, unsigned number)
{
	struct job_process *process = facts_child(f, beside, "python");

	process->ppid = 1;
	process->role = JOB_ROLE_CANDIDATE;
	f->extra[f->nextra - 1].claims = rank;
	f->extra[f->nextra - 1].number = number;
	return process;
}

struct job_stack *facts_stack_of(
	struct facts *f, int rank, const char *thread, uint32_t tid, const char *frames)
{
	struct facts_extra *extra = add_extra(f, EXTRA_STACK, rank, false);

	extra->is.stack.frames = frames;
	extra->is.stack.fact = (struct job_stack){.tid = tid,
		.thread = thread,
		.how = JOB_STACK_PEEKED,
		.merged = true,
		.cut = "",
		.state = 'S',
		.cpu_delta = 0,
		.samples = 3,
		.still = SIZE_MAX,
		.rooted = true,
		.moved = JOB_NO,
		.when = facts_ns(FACTS_NOW),
		.cite = "stacks"};
	return &extra->is.stack.fact;
}

struct job_stack *facts_stack(struct facts *f, int rank, const char *frames)
{
	struct job_stack *stack = facts_stack_of(f, rank, "python", f->ranks[rank].pid, frames);

	stack->main = true;
	stack->runs = FACTS_RUNS;
	return stack;
}

void facts_no_probe(struct facts *f)
{
	f->census = f->completion = false;
	for (int i = 0; i < f->n; i++)
		f->ranks[i].ring = f->ranks[i].census = false;
}

struct job_loss *facts_loss(struct facts *f, int rank, const char *what)
{
	struct facts_extra *extra = add_extra(f, EXTRA_LOSS, rank, false);

	extra->is.loss =
		(struct job_loss){.what = what, .count = 1, .of_ops = true, .cite = "ring"};
	return &extra->is.loss;
}

void facts_cut(struct facts *f, const char *what)
{
	add_extra(f, EXTRA_CUT, 0, false)->is.loss = (struct job_loss){
		.what = what, .count = JOB_UNKNOWN, .of_ops = true, .cite = "gap:bundle"};
}

void facts_move(struct facts *f, int rank, int host)
{
	f->ranks[rank].host = host;
	if (host >= f->nhosts)
		f->nhosts = host + 1;
}

void facts_unseen_host(struct facts *f, int host)
{
	f->unseen_hosts |= 1u << host;
}

void facts_lose_ring(struct facts *f, int rank)
{
	f->ranks[rank].ring = false;
}

void facts_never_seen(struct facts *f, int rank)
{
	f->ranks[rank].seen = false;
	for (int group = 0; group < f->ngroups; group++)
		f->members[group][rank].in = false;
}

void facts_candidate(struct facts *f, int rank)
{
	f->ranks[rank].promoted = false;
	for (int group = 0; group < f->ngroups; group++)
		f->members[group][rank].in = false;
}
