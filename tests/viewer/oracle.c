/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/viewer/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/names.h"

#define SLACK 2 /* ns by which a cell's edges may be rounded */
#define BIT(letter) (1u << (strchr(ORACLE_STATES, letter) - ORACLE_STATES))
#define ORDINARY (BIT('#') | BIT('=') | BIT('g'))

/* Something that a record says of [from, to]. */
struct saying {
	int64_t from, to;
	unsigned states;
};

/* What has a mark of its own. */
struct point {
	int64_t when;
	char letter;
};

struct oracle {
	const struct job *job;
	struct rank_index rank;
	int64_t from, to;  /* of the screen's time */
	int64_t born, end; /* between which it was there; JOB_UNKNOWN: not known */
	int64_t first, newest; /* record of its own */
	bool dead, ring, dump;
	unsigned seen; /* states that a look at it allows behind its newest record */
	int64_t launched; /* from when on an op of its may be incomplete; JOB_UNKNOWN */
	ARRAY(struct saying) sayings;
	ARRAY(int64_t) entries; /* of anything that has a mark */
	ARRAY(struct point) points;
};

/* -- what the facts say ------------------------------------------------------------------------ */

static void note(struct oracle *o, int64_t when)
{
	if (when == JOB_UNKNOWN || (o->end != JOB_UNKNOWN && when > o->end))
		return;
	if (o->first == JOB_UNKNOWN || when < o->first)
		o->first = when;
	if (o->newest == JOB_UNKNOWN || when > o->newest)
		o->newest = when;
}

static void say(struct oracle *o, int64_t from, int64_t to, unsigned states)
{
	if (from != JOB_UNKNOWN && to >= from)
		*array_add(&o->sayings) = (struct saying){from, to, states};
}

static unsigned phase(enum job_span_kind kind)
{
	return kind == JOB_SPAN_INPUT	     ? BIT('i')
	       : kind == JOB_SPAN_CHECKPOINT ? BIT('k')
	       : kind == JOB_SPAN_USER	     ? BIT('u')
					     : BIT('c');
}

static void hear_spans(struct oracle *o)
{
	for (size_t i = 0; i < o->job->nspans; i++) {
		const struct job_span *span = &o->job->spans[i];
		bool own = span->process == JOB_NONE ||
			   span->process == job_rank(o->job, o->rank)->process;

		if (!same_rank(span->rank, o->rank))
			continue;
		note(o, span->begun);
		*array_add(&o->entries) = span->begun;
		if (!span->open)
			note(o, span->ended);
		if (span->open && (own || span->kind == JOB_SPAN_COMPILE))
			say(o, span->begun, INT64_MAX, phase(span->kind));
		else if (!span->open && span->ended != JOB_UNKNOWN &&
			 (own || span->kind == JOB_SPAN_COMPILE))
			say(o, span->begun, span->ended, phase(span->kind));
	}
}

static void hear_calls(struct oracle *o)
{
	for (size_t i = 0; i < o->job->ncalls; i++) {
		const struct job_call *call = &o->job->calls[i];
		bool open = call->returned == JOB_UNKNOWN;

		if (!same_rank(call->rank, o->rank))
			continue;
		if (call->kind != JOB_CALL_HOLE)
			note(o, call->entered);
		if (!open && call->kind != JOB_CALL_ENTERED)
			note(o, call->returned);
		*array_add(&o->entries) = call->entered;
		if (call->kind == JOB_CALL_HOLE)
			say(o, call->entered, call->returned, BIT('~'));
		else if (open)
			say(o, call->entered, INT64_MAX, BIT('w'));
		else if (call->kind == JOB_CALL_INSIDE)
			say(o, call->entered, call->returned, BIT('='));
		else if (call->kind == JOB_CALL_WAIT)
			say(o, call->entered, call->returned,
				strncmp(call->name, "c10d_", 5) ? BIT('g') : BIT('='));
	}
}

/* Births of its children, its recompiles, signals of others. */
static void hear_points(struct oracle *o)
{
	const struct job *job = o->job;

	for (size_t i = 0; i < job->nprocesses; i++)
		if (same_rank(job->processes[i].rank, o->rank) &&
			(int)i != job_rank(job, o->rank)->process)
			*array_add(&o->points) = (struct point){job->processes[i].born, 'F'};
	for (size_t i = 0; i < job->nspans; i++)
		if (same_rank(job->spans[i].rank, o->rank) &&
			!strncmp(job->spans[i].name, "graph ", 6) &&
			!strstr(job->spans[i].name, "/0"))
			*array_add(&o->points) = (struct point){job->spans[i].begun, 'R'};
	for (size_t i = 0; i < job->nsignals; i++)
		if (same_rank(job->signals[i].rank, o->rank) && !job->signals[i].from_self)
			*array_add(&o->points) = (struct point){job->signals[i].when, 'K'};
	for (size_t i = 0; i < job->nnotes; i++)
		if (same_rank(job->notes[i].rank, o->rank) && job->notes[i].exception)
			*array_add(&o->points) = (struct point){job->notes[i].when, 'E'};
}

/* True if any record tells of the op `index` of that seat. */
static bool is_told(const struct oracle *o, const struct job_member *m, uint64_t index,
	int64_t *ret_when)
{
	for (size_t i = 0; i < m->nops; i++)
		if (m->ops[i].index == index) {
			*ret_when = m->ops[i].entered;
			return true;
		}
	for (size_t i = 0; i < o->job->ncalls; i++) {
		const struct job_call *call = &o->job->calls[i];

		if (same_rank(call->rank, o->rank) && call->group == m->group &&
			call->index == index && call->sig.op && !job_op_is_p2p(call->sig.op)) {
			*ret_when = call->entered;
			return true;
		}
	}
	return false;
}

/* Between two ops that anything tells of, of which nothing tells what was between. */
static void hear_gaps(struct oracle *o, const struct job_member *m)
{
	uint64_t before = 0;
	int64_t at = JOB_UNKNOWN;

	for (uint64_t index = 1; index <= m->head && index < 5000; index++) {
		int64_t when;

		if (!is_told(o, m, index, &when))
			continue;
		if (before && index > before + 1 && at != JOB_UNKNOWN && when != JOB_UNKNOWN &&
			at < when)
			say(o, at, when, BIT('~'));
		before = index;
		at = when;
	}
}

static void hear_ops(struct oracle *o)
{
	for (size_t i = 0; i < o->job->nmembers; i++) {
		const struct job_member *m = &o->job->members[i];

		if (!same_rank(m->rank, o->rank))
			continue;
		hear_gaps(o, m);
		for (size_t k = 0; k < m->nops + m->np2p; k++) {
			const struct job_op *op =
				k < m->nops ? &m->ops[k] : &m->p2p[k - m->nops];

			note(o, op->entered);
			*array_add(&o->entries) = op->entered;
			if (op->completed == JOB_YES || op->entered == JOB_UNKNOWN)
				continue;
			if (o->dump)
				say(o, op->entered, INT64_MAX, BIT('w') | BIT('?') | BIT('-'));
			if (o->launched == JOB_UNKNOWN || op->entered < o->launched)
				o->launched = op->entered;
		}
	}
	for (size_t i = 0; i < o->job->nsteps; i++)
		if (same_rank(o->job->steps[i].rank, o->rank)) {
			note(o, o->job->steps[i].first);
			note(o, o->job->steps[i].when);
			*array_add(&o->entries) = o->job->steps[i].first;
			*array_add(&o->entries) = o->job->steps[i].when;
		}
	for (size_t i = 0; i < o->job->nshards; i++)
		if (same_rank(o->job->shards[i].rank, o->rank))
			note(o, o->job->shards[i].when);
	for (size_t i = 0; i < o->job->nnotes; i++)
		if (same_rank(o->job->notes[i].rank, o->rank))
			*array_add(&o->entries) = o->job->notes[i].when;
}

/* What threads are in by their boards, which may be all that is left of a call. */
static void hear_threads(struct oracle *o)
{
	for (size_t i = 0; i < o->job->nthreads; i++) {
		const struct job_thread *thread = &o->job->threads[i];

		if (same_rank(thread->rank, o->rank) && strncmp(thread->name, "pt_nccl", 7) != 0 &&
			(thread->state == JOB_THREAD_IN_CALL ||
				thread->state == JOB_THREAD_IN_WAIT))
			say(o, thread->since, INT64_MAX, BIT('w'));
		if (same_rank(thread->rank, o->rank) && thread->state == JOB_THREAD_POLLING)
			say(o, thread->since, INT64_MAX, BIT('w') | BIT('#') | BIT('-'));
	}
	for (size_t i = 0; i < o->job->nmembers; i++)
		if (same_rank(o->job->members[i].rank, o->rank) &&
			o->job->members[i].state == JOB_MEMBER_IN_INIT)
			say(o, o->job->members[i].init_since, INT64_MAX,
				BIT('w') | BIT('#') | BIT(':'));
	for (size_t i = 0; i < o->job->nstacks; i++)
		if (same_rank(o->job->stacks[i].rank, o->rank) && o->job->stacks[i].nframes)
			o->seen |= BIT('w') | BIT('b') | BIT('c') | BIT('i') | BIT('k') |
				   (o->ring ? 0 : BIT('#'));
}

static void hear_process(struct oracle *o)
{
	const struct job_rank *rank = job_rank(o->job, o->rank);
	const struct job_process *process =
		rank->process == JOB_NONE ? NULL : &o->job->processes[rank->process];

	o->ring = rank->knows & JOB_KNOWS_RING;
	o->dump = (rank->knows & JOB_KNOWS_DUMP) && !o->ring;
	o->end = rank->host == JOB_NONE ? JOB_UNKNOWN : o->job->hosts[rank->host].gathered;
	if (o->dump || !process)
		o->end = JOB_UNKNOWN;
	if (process && process->born > 0)
		o->born = process->born;
	if (process && process->end > JOB_ALIVE) {
		o->dead = true;
		o->end = process->ended;
	}
	if (process && (process->state == 'T' || process->state == 't' ||
			       process->frozen == JOB_YES))
		o->seen |= BIT('b');
}

struct oracle *oracle_new(const struct job *job, struct rank_index rank, int64_t from, int64_t to)
{
	struct oracle *o = alloc_zeroed(1, sizeof(*o));

	*o = (struct oracle){.job = job, .rank = rank, .from = from, .to = to, .born = JOB_UNKNOWN,
		.first = JOB_UNKNOWN, .newest = JOB_UNKNOWN, .launched = JOB_UNKNOWN};
	hear_process(o);
	hear_spans(o);
	hear_calls(o);
	hear_ops(o);
	hear_threads(o);
	hear_points(o);
	if (o->born == JOB_UNKNOWN || (o->first != JOB_UNKNOWN && o->first < o->born))
		o->born = o->first;
	if (o->dead && o->end == JOB_UNKNOWN)
		o->seen |= BIT('X') | BIT('?');
	return o;
}

void oracle_free(struct oracle *o)
{
	array_release(&o->sayings);
	array_release(&o->entries);
	array_release(&o->points);
	free(o);
}

/* -- what a moment allows ---------------------------------------------------------------------- */

/* At a moment at which nothing begins or ends. */
static unsigned allowed(const struct oracle *o, int64_t when)
{
	unsigned states = 0;
	int64_t begun = INT64_MIN;

	if (o->born != JOB_UNKNOWN && when < o->born)
		return BIT('?');
	if (o->end != JOB_UNKNOWN && when > o->end)
		return o->dead ? BIT('X') : BIT('?');
	for (size_t i = 0; i < o->sayings.nr; i++) {
		const struct saying *saying = &o->sayings.items[i];

		if (when < saying->from || when >= saying->to || saying->from < begun)
			continue;
		states = saying->from > begun ? saying->states : states | saying->states;
		begun = saying->from;
	}
	if (!states && !o->ring)
		states = BIT('?') | (o->newest == JOB_UNKNOWN || o->dump ? 0 : BIT('#') | BIT(':'));
	else if (!states)
		states = o->first != JOB_UNKNOWN && when >= o->first ? BIT('#') : BIT(':');
	if (o->newest == JOB_UNKNOWN || when >= o->newest)
		states |= o->seen;
	if (o->launched != JOB_UNKNOWN && when >= o->launched && states & BIT('#'))
		states |= BIT('-');
	return states;
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

struct edges {
	ARRAY(int64_t) all;
};

static void add_edge(struct edges *edges, int64_t when, int64_t from, int64_t to)
{
	if (when != JOB_UNKNOWN && when > from && when < to)
		*array_add(&edges->all) = when;
}

/* The times at which anything changes in [from, to], both included. */
static void find_edges(const struct oracle *o, struct edges *edges, int64_t from, int64_t to)
{
	*array_add(&edges->all) = from;
	for (size_t i = 0; i < o->sayings.nr; i++) {
		add_edge(edges, o->sayings.items[i].from, from, to);
		add_edge(edges, o->sayings.items[i].to, from, to);
	}
	add_edge(edges, o->born, from, to);
	add_edge(edges, o->end, from, to);
	add_edge(edges, o->first, from, to);
	add_edge(edges, o->newest, from, to);
	add_edge(edges, o->launched, from, to);
	*array_add(&edges->all) = to;
	array_sort(&edges->all, compare_times);
}

/* -- what a cell shows ------------------------------------------------------------------------- */

struct sight {
	unsigned any;	   /* states that some moment of it allows */
	unsigned must;	   /* states that are the only one at some moment of it */
	bool open;	   /* some moment allows several */
	int64_t lasts[14]; /* of ordinary states, where they are the only one */
};

static int index_of(unsigned states)
{
	return states & (states - 1) ? -1 : __builtin_ctz(states);
}

static void look(const struct oracle *o, struct sight *sight, int64_t from, int64_t to)
{
	struct edges edges = {0};

	if (from < o->from)
		from = o->from;
	if (to > o->to)
		to = o->to;
	if (to < from)
		to = from;
	find_edges(o, &edges, from, to);
	for (size_t i = 0; i + 1 < edges.all.nr; i++) {
		int64_t a = edges.all.items[i], b = edges.all.items[i + 1];
		unsigned states = allowed(o, a + (b - a) / 2);
		int only = index_of(states);

		sight->any |= states;
		if (b <= a + SLACK)
			continue;
		sight->open |= only < 0;
		if (only >= 0) {
			sight->must |= states;
			sight->lasts[only] += b - a;
		}
	}
	array_release(&edges.all);
}

/* Holes and ends of no length, which no interval shows. */
static void look_at_points(const struct oracle *o, struct sight *sight, int64_t from, int64_t to)
{
	for (size_t i = 0; i < o->sayings.nr; i++) {
		const struct saying *saying = &o->sayings.items[i];

		if (saying->from < from || saying->from >= to)
			continue;
		if (saying->from == saying->to && saying->states == BIT('~'))
			sight->any |= BIT('~');
		if (o->end != JOB_UNKNOWN && saying->from <= o->end && saying->to > o->end)
			sight->any |= saying->states;
	}
	if (to >= o->to) {
		sight->any |= o->seen;
		if (o->dump || (o->end != JOB_UNKNOWN && o->end >= o->to - SLACK))
			sight->any |= allowed(o, o->to) | BIT('w');
		if (o->dead)
			sight->any |= BIT('X');
	}
	if (o->end != JOB_UNKNOWN && o->end >= from && o->end < to)
		sight->any |= o->seen | (o->dead ? BIT('X') : 0);
}

static bool has_entry(const struct oracle *o, int64_t from, int64_t to, char letter)
{
	for (size_t i = 0; strchr(ORACLE_POINTS, letter) && i <= o->points.nr; i++)
		if (i == o->points.nr)
			return false;
		else if (o->points.items[i].letter == letter && o->points.items[i].when >= from &&
			 o->points.items[i].when <= to)
			return true;
	for (size_t i = 0; i < o->entries.nr; i++)
		if (o->entries.items[i] >= from && o->entries.items[i] <= to)
			return true;
	return false;
}

/* A mark hides no wait, hole or death that is not seen beside it. */
static bool mark_hides(const struct sight *inner, char before, char behind)
{
	for (const char *worse = "wbX~"; *worse; worse++)
		if (inner->must & BIT(*worse) && before != *worse && behind != *worse &&
			!strchr("wbX~" ORACLE_MARKS, behind) &&
			!strchr("wbX~" ORACLE_MARKS, before))
			return true;
	return false;
}

static bool state_hides(const struct sight *inner, int state)
{
	return inner->must >> (state + 1) & ~(ORDINARY >> (state + 1));
}

/* It stands for something in its cell, or beside. */
static const char *objects_to_mark(const struct oracle *o, const struct sight *inner, int64_t from,
	int64_t to, char drawn, char before, char behind)
{
	int64_t width = to - from;

	if (!has_entry(o, from - width - SLACK, to + width + SLACK, drawn))
		return "a mark of nothing";
	return mark_hides(inner, before, behind) ? "a mark hides what is worse" : NULL;
}

const char *oracle_objects(const struct oracle *o, int64_t from, int64_t to, char drawn,
	char before, char behind)
{
	struct sight inner = {0}, outer = {0};
	const char *place = strchr(ORACLE_STATES, drawn);
	int state;

	look(o, &inner, from + SLACK, to - SLACK);
	look(o, &outer, from - SLACK, to + SLACK);
	look_at_points(o, &outer, from - SLACK, to + SLACK);
	if (strchr(ORACLE_MARKS, drawn))
		return objects_to_mark(o, &inner, from, to, drawn, before, behind);
	if (!place)
		return "a letter that means nothing";
	state = (int)(place - ORACLE_STATES);
	if (!(outer.any & 1u << state))
		return "no record says so";
	if (state_hides(&inner, state))
		return "something worse is hidden";
	if (state < 2)
		return inner.must & ORDINARY ? "what was recorded is hidden by nothing" : NULL;
	if (!(1u << state & ORDINARY) || inner.open)
		return NULL;
	for (int other = 2; other <= 4; other++)
		if (inner.lasts[other] > outer.lasts[state] + 4 * SLACK)
			return "another state took longer";
	return NULL;
}

bool oracle_is_hidden(const struct oracle *o, int64_t from, int64_t to, char drawn, char before,
	char behind)
{
	const char *place = strchr(ORACLE_STATES, drawn);
	struct sight inner = {0};

	look(o, &inner, from + SLACK, to - SLACK);
	if (strchr(ORACLE_MARKS, drawn))
		return mark_hides(&inner, before, behind);
	return place && state_hides(&inner, (int)(place - ORACLE_STATES));
}
