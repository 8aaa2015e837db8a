/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points in time of each rank: all that the job knows when it happened, and at the end what it
 * only knows to have happened.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/compiles.h"
#include "job/names.h"
#include "job/spans.h"
#include "viewer/timeline/track-make.h"
#include "words/wording.h"

#define EXCEPTION "exception: " /* which a note of one begins with */
#define NAME_MOST 40 /* bytes of an exception's name */

/*
 * Returns a time that differences of may be taken: a stranger's clock may say anything. Else
 * JOB_UNKNOWN.
 */
static int64_t sane(int64_t when)
{
	return when == JOB_UNKNOWN || (when >= 0 && when <= INT64_MAX / 2) ? when : JOB_UNKNOWN;
}

/* Adds an event, with no name yet. */
static struct track_event *add(struct track_maker *maker, enum track_kind kind, int64_t when)
{
	struct track_event *event = &maker->store->events[maker->store->nevents++];

	event->when = sane(when);
	event->kind = kind;
	event->group = JOB_NONE;
	event->name = event->cite = "";
	return event;
}

/* Ops of a seat, while they are listed. */
struct track_ops {
	const struct job_op **items;
	size_t nr, room;
};

/* -- ops --------------------------------------------------------------------------------------- */

/* Returns the world rank of a P2P call's peer, where anybody knows it; else JOB_NONE. */
static int peer_of(const struct job *job, const struct job_member *m, const struct job_op *op)
{
	const struct job_member *peer = NULL;

	if (job_op_is_p2p(op->sig.op))
		peer = job_seat(job, &job->groups[m->group], op->sig.peer);
	if (!peer || !is_rank(peer->rank))
		return JOB_NONE;
	return job_rank(job, peer->rank)->world_rank.n;
}

/* Adds the entry into an op. */
static void add_op(struct track_maker *maker, const struct job_member *m, const struct job_op *op)
{
	struct track_event *event = add(maker, TRACK_ENTER, op->entered);

	event->name = track_label_op(maker, op, peer_of(maker->job, m, op));
	event->p2p = job_op_is_p2p(op->sig.op);
	event->group = m->group;
	event->index = op->index;
	event->fact = op;
	event->cite = track_text(op->cite);
}

/*
 * Adds a hole between two ops, if there is one. A ring keeps the first ops of a group, its last,
 * and a few between; a dump its last.
 */
static void add_hole(struct track_maker *maker, const struct job_member *m,
	const struct job_op *before, const struct job_op *after)
{
	struct track_hole *hole;
	struct track_event *event;

	if (after->index <= before->index + 1 || sane(before->entered) == JOB_UNKNOWN ||
		sane(after->entered) == JOB_UNKNOWN || before->entered >= after->entered)
		return;
	hole = array_add(&maker->store->holes);
	*hole = (struct track_hole){.from = before->entered,
		.to = after->entered,
		.cite = track_text(m->cite)};
	hole->name = after->index == before->index + 2
			     ? arena_printf(maker->labels.arena, "#%" PRIu64 " not kept",
				       before->index + 1)
			     : arena_printf(maker->labels.arena,
				       "#%" PRIu64 "-#%" PRIu64 " not kept", before->index + 1,
				       after->index - 1);
	event = add(maker, TRACK_GAP, before->entered);
	event->name = hole->name;
	event->group = m->group;
	event->index = after->index - before->index - 1;
	maker->made->at[m->rank.i].holed = true;
	maker->made->at[m->rank.i].lost_ops += event->index;
	event->fact = m;
	event->cite = hole->cite;
}

/*
 * Makes an op that only a diary tells: it was entered and has returned, and no table has it any
 * more.
 */
static const struct job_op *op_of_call(
	struct track_maker *maker, const struct job_member *m, const struct job_call *call)
{
	struct job_op *op = arena_new(maker->labels.arena, struct job_op);
	bool p2p = job_op_is_p2p(call->sig.op);

	op->index = call->index;
	op->sig = call->sig;
	op->entered = call->entered;
	op->returned = call->returned == JOB_UNKNOWN ? JOB_NO : JOB_YES;
	op->completed = !p2p && call->index <= m->done ? JOB_YES : JOB_MAYBE;
	op->thread = JOB_NONE;
	op->place = "";
	op->cite = track_text(call->cite);
	return op;
}

/* Orders ops by index. */
static int compare_ops(const void *va, const void *vb)
{
	const struct job_op *a = *(const struct job_op *const *)va;
	const struct job_op *b = *(const struct job_op *const *)vb;

	return a->index < b->index ? -1 : a->index > b->index;
}

/*
 * True if the seat's table has that op. Where it was sought last, the next one is: calls come in
 * the order of their ops.
 */
static bool has_op(const struct job_member *m, uint64_t index, size_t *next)
{
	size_t place;

	if (*next < m->nops && m->ops[*next].index == index) {
		++*next;
		return true;
	}
	place = bisect(0, m->nops, i, m->ops[i].index < index);
	*next = place + 1;
	return place < m->nops && m->ops[place].index == index;
}

/* True if a send or receive comes before those that tables keep, which are the latest. */
static bool is_before_p2p(const struct job_member *m, int64_t entered)
{
	for (size_t i = 0; i < m->np2p; i++)
		if (m->p2p[i].entered != JOB_UNKNOWN && m->p2p[i].entered <= entered)
			return false;
	return true;
}

/*
 * Lists all collectives of a seat that anything tells of, by index; sends and receives become
 * events.
 */
static void list_ops(
	struct track_maker *maker, const struct job_member *m, struct track_ops *list)
{
	struct spans_range calls = calls_of(maker->job, m->rank);
	size_t next = 0;

	list->nr = 0;
	for (size_t i = 0; i < m->nops; i++)
		*array_add(list) = &m->ops[i];
	for (size_t i = calls.from; i < calls.to; i++) {
		const struct job_call *call = &maker->job->calls[i];

		if (call->group != m->group || !call->sig.op || !call->index)
			continue;
		if (job_op_is_p2p(call->sig.op) && is_before_p2p(m, call->entered))
			add_op(maker, m, op_of_call(maker, m, call));
		else if (!job_op_is_p2p(call->sig.op) && !has_op(m, call->index, &next))
			*array_add(list) = op_of_call(maker, m, call);
	}
	if (list->nr > m->nops)
		array_sort(list, compare_ops);
}

/* Adds the ops of a seat, and the holes between them. */
static void add_seat(struct track_maker *maker, const struct job_member *m)
{
	struct track_ops ops = {0};

	list_ops(maker, m, &ops);
	for (size_t i = 0; i < ops.nr; i++) {
		add_op(maker, m, ops.items[i]);
		if (i)
			add_hole(maker, m, ops.items[i - 1], ops.items[i]);
	}
	for (size_t i = 0; i < m->np2p; i++)
		add_op(maker, m, &m->p2p[i]);
	array_release(&ops);
}

/* -- spans ------------------------------------------------------------------------------------- */

/*
 * Returns the id of the graph that a compile span lies in: of those before it, the last still open;
 * "" none.
 */
static const char *graph_around(const struct job *job, size_t first, size_t at)
{
	const struct job_span *span = &job->spans[at];

	/* Brackets are shallow: a phase stands soon behind its graph. */
	for (size_t i = at, seen = 0; i-- > first && seen < 16; seen++) {
		const struct job_span *outer = &job->spans[i];
		const char *id = outer->kind == JOB_SPAN_COMPILE ? compiles_graph_id(outer) : NULL;

		if (id && outer->process == span->process &&
			(outer->open || (!span->open && outer->ended >= span->ended)))
			return id;
	}
	return "";
}

/* Returns what a span is called: a phase with its graph, or its own name. */
static const char *span_name(struct track_maker *maker, size_t first, size_t at)
{
	const struct job_span *span = &maker->job->spans[at];
	const char *name = track_text(span->name);
	const char *phase, *id;

	if (span->kind != JOB_SPAN_COMPILE && span->kind != JOB_SPAN_DEVICE)
		return name;
	phase = track_phase(maker, name);
	if (span->kind == JOB_SPAN_COMPILE && compiles_graph_id(span))
		return name;
	id = track_label_id(maker, track_text(span->detail));
	return track_label(maker, phase, *id ? id : graph_around(maker->job, first, at));
}

/* Adds the begins and the ends of the rank's spans. */
static void add_spans(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	struct spans_range range = spans_of(job, rank);

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];
		const char *name = span_name(maker, range.from, i);
		struct track_event *event = add(maker, TRACK_BEGIN, span->begun);

		event->name = name;
		event->fact = span;
		event->cite = track_text(span->cite);
		if (span->open)
			continue;
		event = add(maker, TRACK_END, span->ended);
		event->name = name;
		event->fact = span;
		event->cite = track_text(span->cite);
	}
}

/* -- marks, notes, ends ------------------------------------------------------------------------ */

/* Adds a step; n is its number, 0: nobody kept it. */
static void add_step(
	struct track_maker *maker, const struct job_step *step, int64_t when, uint64_t n)
{
	struct track_event *event = add(maker, TRACK_STEP, when);

	event->name = n ? track_label_step(maker, n) : "first step";
	event->index = n;
	event->fact = step;
	event->cite = track_text(step->cite);
}

/*
 * Adds the steps that diaries have; of the others the first, whose number nobody kept, and the
 * latest.
 */
static void add_steps(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	struct spans_range steps = steps_of(job, rank), calls = calls_of(job, rank);
	int64_t first = JOB_UNKNOWN, last = JOB_UNKNOWN;

	for (size_t i = calls.from; steps.from < steps.to && i < calls.to; i++) {
		const struct job_call *call = &job->calls[i];

		if (call->kind != JOB_CALL_STEP)
			continue;
		first = first == JOB_UNKNOWN ? call->entered : first;
		last = call->entered;
		add_step(maker, &job->steps[steps.from], last, call->index);
	}
	for (size_t i = steps.from; i < steps.to; i++) {
		const struct job_step *step = &job->steps[i];

		if (step->first != JOB_UNKNOWN && step->first != step->when &&
			(first == JOB_UNKNOWN || step->first < first))
			add_step(maker, step, step->first, 0);
		if (last == JOB_UNKNOWN || step->when > last)
			add_step(maker, step, step->when, step->n);
	}
}

/* Adds steps, batches, and what the rank has noted. */
static void add_marks(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	struct spans_range shards = shards_of(job, rank), notes = notes_of(job, rank);

	add_steps(maker, rank);
	for (size_t i = shards.from; i < shards.to; i++) {
		const struct job_shard *shard = &job->shards[i];
		struct track_event *event = add(maker, TRACK_SHARD, shard->when);

		event->name = arena_printf(maker->labels.arena,
			"batch %" PRIu64 " of %s: %" PRIu64 " rows", shard->index,
			track_text(shard->loader), shard->rows);
		event->fact = shard;
		event->cite = track_text(shard->cite);
	}
	for (size_t i = notes.from; i < notes.to; i++) {
		const struct job_note *note = &job->notes[i];
		struct track_event *event = add(
			maker, note->exception ? TRACK_EXCEPTION : TRACK_NOTE, note->when);

		event->name = track_text(note->text);
		event->fact = note;
		event->cite = track_text(note->cite);
	}
}

/* Returns what a signal is called. */
static const char *signal_name(struct track_maker *maker, int64_t signo)
{
	struct str name = {0};
	const char *text;

	wording_signal(&name, signo);
	text = arena_text(maker->labels.arena, str_text(&name));
	str_release(&name);
	return text;
}

/*
 * Returns what the last exception is called that the rank said it dies of: "ValueError"; "" none.
 */
static const char *exception_name(struct track_maker *maker, struct rank_index rank)
{
	struct spans_range notes = notes_of(maker->job, rank);
	const char *text = NULL;
	size_t length;

	for (size_t i = notes.from; i < notes.to; i++)
		if (maker->job->notes[i].exception)
			text = track_text(maker->job->notes[i].text);
	if (!text)
		return "";
	if (!strncmp(text, EXCEPTION, strlen(EXCEPTION)))
		text += strlen(EXCEPTION);
	length = strcspn(text, ": (\n");
	return arena_text_max(maker->labels.arena, text, length < NAME_MOST ? length : NAME_MOST);
}

/* Adds the rank's death. */
static void add_death(
	struct track_maker *maker, struct rank_index rank, const struct job_process *process)
{
	struct track_event *event = add(maker, TRACK_DEATH, process->ended);

	if (process->end == JOB_SIGNALED)
		event->name = signal_name(maker, process->status);
	else if (process->end == JOB_EXITED)
		event->name = arena_printf(maker->labels.arena, "exit %d", process->status);
	else
		event->name = "gone";
	event->name = track_label(maker, event->name, exception_name(maker, rank));
	event->fact = process;
	event->cite = track_text(process->end_cite);
	if (!*event->cite)
		event->cite = track_text(process->cite);
}

/* Adds signals, the death, and losses. */
static void add_ends(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	const struct by_rank *signals = &maker->facts->signals, *losses = &maker->facts->losses;
	int process = job_rank(job, rank)->process;

	by_rank_each(signals, rank, i) {
		const struct job_signal *signal = &job->signals[signals->at[i]];
		struct track_event *event = add(maker, TRACK_SIGNAL, signal->when);

		event->name = signal_name(maker, signal->signo);
		event->fact = signal;
		event->cite = track_text(signal->cite);
	}
	if (process != JOB_NONE && job->processes[process].end > JOB_ALIVE)
		add_death(maker, rank, &job->processes[process]);
	by_rank_each(losses, rank, i) {
		const struct job_loss *loss = &job->losses[losses->at[i]];
		struct track_event *event = add(maker, TRACK_GAP, JOB_UNKNOWN);

		event->name = track_text(loss->what);
		event->fact = loss;
		event->cite = track_text(loss->cite);
	}
}

/* Adds the rank's children as they are started: a worker's own are further away. */
static void add_forks(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	int own = job_rank(job, rank)->process;

	by_rank_each(&maker->facts->processes, rank, i) {
		const struct job_process *process = &job->processes[maker->facts->processes.at[i]];
		struct track_event *event;

		if ((int)maker->facts->processes.at[i] == own || process->role != JOB_ROLE_CHILD ||
			process->born <= 0 || own == JOB_NONE ||
			process->born < job->processes[own].born)
			continue;
		event = add(maker, TRACK_FORK, process->born);
		event->name = *track_text(process->what) ? process->what : process->comm;
		event->fact = process;
		event->cite = track_text(process->cite);
	}
}

/*
 * Adds a line that says when it was written, if that can be: the rank lived, and was looked at
 * later.
 */
static void add_line(struct track_maker *maker, const struct job_log *log, const char *line)
{
	int64_t when = sane(track_time_of_line(track_text(line)));
	int process = job_rank(maker->job, log->rank)->process;
	struct track_event *event;

	if (when == JOB_UNKNOWN || log->when == JOB_UNKNOWN || when > log->when ||
		process == JOB_NONE || when < maker->job->processes[process].born)
		return;
	event = add(maker, TRACK_LOG, when);
	event->name = line;
	event->fact = log;
	event->cite = track_text(log->cite);
}

/* Adds the lines that are known of the rank's logs. */
static void add_logs(struct track_maker *maker, struct rank_index rank)
{
	by_rank_each(&maker->facts->logs, rank, i) {
		const struct job_log *log = &maker->job->logs[maker->facts->logs.at[i]];

		add_line(maker, log, log->error);
		if (strcmp(track_text(log->error), track_text(log->last_line)) != 0)
			add_line(maker, log, log->last_line);
	}
}

/* Has the time of the worker's calls cover that one: the first begins, the last ends. */
static void stretch(struct track_maker *maker, int64_t when)
{
	when = sane(when);
	if (when == JOB_UNKNOWN)
		return;
	if (maker->called_from == JOB_UNKNOWN || when < maker->called_from)
		maker->called_from = when;
	if (maker->called_to == JOB_UNKNOWN || when > maker->called_to)
		maker->called_to = when;
}

/* Adds holes in what the rank's threads wrote: they stand where they begin. */
static void add_gone_calls(struct track_maker *maker, struct rank_index rank)
{
	struct spans_range range = calls_of(maker->job, rank);

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_call *call = &maker->job->calls[i];
		struct track_event *event;

		stretch(maker, call->entered);
		stretch(maker, call->returned);
		if (call->kind != JOB_CALL_HOLE)
			continue;
		event = add(maker, TRACK_GAP, call->entered);
		event->name = track_label_call(maker, call);
		event->index = call->index;
		event->fact = call;
		event->cite = track_text(call->cite);
		if (event->when == JOB_UNKNOWN)
			continue;
		maker->made->at[rank.i].holed = true;
		maker->made->at[rank.i].lost_records += call->index;
	}
}

/* Sums up how much is lost of a rank, of all that is. */
static void sum_losses(const struct track_maker *maker, struct track *track)
{
	const struct job *job = maker->job;
	const struct by_rank *losses = &maker->facts->losses;

	by_rank_each(losses, track->rank, i) {
		int64_t count = job->losses[losses->at[i]].count;

		track->loses = true;
		if (count < 0 || track->lost == JOB_UNKNOWN || count > INT64_MAX - track->lost)
			track->lost = JOB_UNKNOWN;
		else
			track->lost += count;
	}
}

/* -- all of it --------------------------------------------------------------------------------- */

/*
 * Orders events. What is not known when comes last; at one moment what ended goes before what
 * begins.
 */
static int compare_events(const void *va, const void *vb)
{
	const struct track_event *a = va, *b = vb;
	uint64_t x = a->when == JOB_UNKNOWN ? UINT64_MAX : (uint64_t)a->when;
	uint64_t y = b->when == JOB_UNKNOWN ? UINT64_MAX : (uint64_t)b->when;
	int i = a->kind == TRACK_END ? -1 : (int)a->kind;
	int k = b->kind == TRACK_END ? -1 : (int)b->kind;

	if (x != y)
		return x < y ? -1 : 1;
	if (i != k)
		return i < k ? -1 : 1;
	/* The job has them in an order of its own. */
	return a->fact < b->fact ? -1 : a->fact > b->fact;
}

size_t track_count_events(const struct job *job)
{
	size_t n = job->nspans * 2 + job->nsteps * 2 + job->nshards + job->nnotes +
		   job->nsignals + job->nlosses + job->nranks +
		   job->nprocesses + 2 * job->nlogs +
		   2 * job->ncalls; /* a hole, or an op and a hole beside it */

	for (size_t i = 0; i < job->nmembers; i++)
		if (is_rank(job->members[i].rank))
			n += 2 * job->members[i].nops + job->members[i].np2p;
	return n;
}

/* Returns how many there are in a range. */
static size_t range_size(struct spans_range range)
{
	return range.to - range.from;
}

/*
 * Returns the most seats of one group that the rank holds: a call that only a diary tells is of
 * each.
 */
static size_t most_seats(const struct track_maker *maker, struct rank_index rank)
{
	const struct by_rank *seats = &maker->facts->seats;
	const struct job_member *members = maker->job->members;
	size_t most = 1, run = 0;

	by_rank_each(seats, rank, i) {
		bool same = run && members[seats->at[i]].group == members[seats->at[i - 1]].group;

		run = same ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

/* Returns how many events of one rank there are at most. */
static size_t count_events(const struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	const struct track_facts *facts = maker->facts;
	size_t n = 2 * (range_size(spans_of(job, rank)) + range_size(steps_of(job, rank)) +
			       range_size(calls_of(job, rank)) * most_seats(maker, rank) +
			       by_rank_count(&facts->logs, rank)) +
		   range_size(shards_of(job, rank)) + range_size(notes_of(job, rank)) +
		   by_rank_count(&facts->signals, rank) + by_rank_count(&facts->losses, rank) +
		   by_rank_count(&facts->processes, rank) + 1;

	by_rank_each(&facts->seats, rank, i) {
		const struct job_member *m = &job->members[facts->seats.at[i]];

		n += 2 * m->nops + m->np2p;
	}
	return n;
}

void track_make_events(struct track_maker *maker, struct rank_index rank)
{
	struct tracks_made *made = maker->made;
	const struct job *job = maker->job;
	struct track *track = &made->at[rank.i];
	struct track_store *store = maker->store = &made->stores[rank.i];

	*track = (struct track){
		.rank = rank, .now = TRACK_NODATA, .since = JOB_UNKNOWN, .doing = ""};
	store->events = track_take(maker->room, count_events(maker, rank), sizeof(*store->events));
	by_rank_each(&maker->facts->seats, rank, i)
		add_seat(maker, &job->members[maker->facts->seats.at[i]]);
	add_spans(maker, rank);
	add_marks(maker, rank);
	add_forks(maker, rank);
	add_logs(maker, rank);
	add_gone_calls(maker, rank);
	add_ends(maker, rank);
	track_keep(maker->room, store->nevents, sizeof(*store->events));
	array_sort_items(store->events, store->nevents, sizeof(*store->events), compare_events);
	track->events = store->events;
	track->nevents = store->nevents;
	sum_losses(maker, track);
}
