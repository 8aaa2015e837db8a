/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank does when its evidence ends. The newest thing that it is inside of is innermost, and
 * is what it does (as words/doing.h has it): a call that holds it, or a phase. Only where it is in
 * neither, its stack tells; and where nothing tells, what its events show goes on.
 */
#include <string.h>

#include "job/calls.h"
#include "job/spans.h"
#include "verdict/activities/activities.h"
#include "viewer/timeline/track-make.h"
#include "words/things.h"

/* --- What it waits in: which of its waits says most, and its words ---------------------------- */

/* True if the first says more than the second, which may be NULL. */
static bool is_better(const struct wait *a, const struct wait *b)
{
	if (!b)
		return true;
	if (a->held != b->held)
		return a->held;
	if (a->sure != b->sure)
		return a->sure;
	return a->since != JOB_UNKNOWN && (b->since == JOB_UNKNOWN || a->since < b->since);
}

/* The best of the rank's waits that are such; NULL none. */
static const struct wait *best_wait(const struct track_maker *maker, struct rank_index rank,
	bool (*is_such)(const struct wait *wait))
{
	const struct waits *waits = maker->facts->waits;
	const struct wait *best = NULL;

	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++)
		if (is_such(&waits->at[i]) && is_better(&waits->at[i], best))
			best = &waits->at[i];
	return best;
}

/* One that holds a thread; of a dump, which knows of no threads, what it entered last. */
static bool is_now(const struct wait *wait)
{
	return wait->held || (wait->sure && wait->age_unknown);
}

static bool is_pending(const struct wait *wait)
{
	return !wait->held && wait->sure && wait->op;
}

/* Returns the wait that says most; NULL none. */
static const struct wait *track_find_wait(const struct track_maker *maker, struct rank_index rank)
{
	return best_wait(maker, rank, is_now);
}

/*
 * Returns the wait for an op that it launched and that is known not to be complete, while its
 * threads go on; NULL.
 */
static const struct wait *track_find_pending(
	const struct track_maker *maker, struct rank_index rank)
{
	return best_wait(maker, rank, is_pending);
}

/*
 * Returns the thread inside of an op of which only the index is known: it says what it calls;
 * JOB_NONE.
 */
static int thread_inside(const struct job *job, const struct wait *wait)
{
	struct spans_range range = threads_of(job, wait->rank);

	for (size_t i = range.from; i < range.to && wait->kind == WAIT_COLLECTIVE; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (thread->state == JOB_THREAD_IN_CALL && thread->op == wait->index &&
			thread->group == job->members[wait->member].group)
			return (int)i;
	}
	return JOB_NONE;
}

/* Returns what the wait's thread calls, "" not known: "ncclCommSplit" is "CommSplit" here. */
static const char *call_name(const struct job *job, const struct wait *wait)
{
	return wait->thread == JOB_NONE
		       ? ""
		       : call_plain_name(track_text(job->threads[wait->thread].call));
}

/* Returns what a wait is called. */
static const char *wait_name(struct track_maker *maker, const struct wait *wait)
{
	const struct job *job = maker->job;
	const char *call = call_name(job, wait);

	switch (wait->kind) {
	case WAIT_COLLECTIVE:
		if (wait->op)
			return track_label_op(maker, wait->op, JOB_NONE);
		return arena_printf(maker->labels.arena, "%s #%llu", *call ? call : "operation",
			(unsigned long long)wait->index);
	case WAIT_P2P: {
		struct rank_index rank =
			wait->peer == JOB_NONE ? NO_RANK : job->members[wait->peer].rank;

		return track_label_op(
			maker, wait->op,
			!is_rank(rank) ? JOB_NONE : job_rank(job, rank)->world_rank.n);
	}
	case WAIT_INIT:
		return track_label(maker, "init of",
			wait->member == JOB_NONE
				? "a group"
				: track_text(job->groups[job->members[wait->member].group].name));
	case WAIT_STORE:
		if (waits_in_some_init(wait))
			return "init of a group";
		if (waits_is_for(wait, WAITS_FOR_STORE))
			return "opening of the store";
		if (waits_is_for(wait, WAITS_FOR_RANKS))
			return "others at the store";
		return track_label(maker, "store key", track_text(wait->key));
	default:
		return *call ? call : "a call";
	}
}

/* Returns since when the wait's call holds its thread; JOB_UNKNOWN. */
static int64_t track_entered_call(const struct job *job, const struct wait *wait)
{
	if (wait->thread != JOB_NONE && job->threads[wait->thread].since != JOB_UNKNOWN)
		return job->threads[wait->thread].since;
	return wait->since;
}

/* Says that the rank is in that wait. */
static void track_take_wait(
	struct track_maker *maker, const struct wait *found, struct track_now *now)
{
	struct wait copy = *found, *wait = &copy;

	if (wait->thread == JOB_NONE)
		wait->thread = thread_inside(maker->job, wait);
	now->known = true;
	now->state = TRACK_WAITING;
	/* Since the thread is in the call: the op may have been launched long before. */
	now->since = track_entered_call(maker->job, wait);
	now->name = wait_name(maker, wait);
	now->group = wait->member == JOB_NONE ? JOB_NONE
					      : maker->job->members[wait->member].group;
	now->cite = track_text(wait->cite);
	now->op = wait->kind == WAIT_COLLECTIVE ? wait->op : NULL;
}

/* Returns when the call came back that launched it; its entry where nobody wrote that down. */
static int64_t returned_from(const struct job *job, const struct wait *wait)
{
	struct spans_range range = calls_of(job, wait->rank);

	for (size_t i = range.to; i-- > range.from;) {
		const struct job_call *call = &job->calls[i];

		if (call->kind == JOB_CALL_INSIDE && call->entered <= wait->op->entered &&
			call->returned >= wait->op->entered)
			return call->returned;
	}
	return wait->op->entered;
}

/* Says that it goes on, with that op under way. */
static void track_take_pending(
	struct track_maker *maker, const struct wait *wait, struct track_now *now)
{
	now->known = true;
	now->state = TRACK_PENDING;
	now->since = returned_from(maker->job, wait);
	now->name = wait_name(maker, wait);
	now->group = wait->member == JOB_NONE ? JOB_NONE
					      : maker->job->members[wait->member].group;
	now->cite = track_text(wait->cite);
}

/* How a span is drawn. */
static const enum track_state span_states[] = {
	[JOB_SPAN_COMPILE] = TRACK_COMPILE,
	[JOB_SPAN_INPUT] = TRACK_INPUT,
	[JOB_SPAN_CHECKPOINT] = TRACK_CHECKPOINT,
	[JOB_SPAN_USER] = TRACK_USER,
	[JOB_SPAN_DEVICE] = TRACK_COMPILE,
};

/* How it is drawn what a stack tells. */
static const enum track_state activity_states[ACTIVITIES] = {
	[ACTIVITY_UNKNOWN] = TRACK_OTHER,
	[ACTIVITY_COLLECTIVE] = TRACK_WAITING,
	[ACTIVITY_P2P] = TRACK_WAITING,
	[ACTIVITY_INIT] = TRACK_WAITING,
	[ACTIVITY_STORE] = TRACK_WAITING,
	[ACTIVITY_DEVICE] = TRACK_WAITING,
	[ACTIVITY_FROZEN] = TRACK_BLOCKED,
	[ACTIVITY_IO] = TRACK_BLOCKED,
	[ACTIVITY_COMPILE] = TRACK_COMPILE,
	[ACTIVITY_INPUT] = TRACK_INPUT,
	[ACTIVITY_CHECKPOINT] = TRACK_CHECKPOINT,
	[ACTIVITY_LOCK] = TRACK_BLOCKED,
	[ACTIVITY_GIL] = TRACK_BLOCKED,
	[ACTIVITY_USER] = TRACK_COMPUTE,
};

enum track_state track_span_state(enum job_span_kind kind)
{
	return kind > JOB_SPAN_NONE && kind < JOB_SPAN_KINDS ? span_states[kind]
								    : TRACK_USER;
}

bool track_has_record(const struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	const struct track *track = &maker->made->at[rank.i];

	if (job_rank(job, rank)->knows & JOB_KNOWS_RING)
		return true;
	if (job_rank(job, rank)->knows & JOB_KNOWS_DUMP)
		return false; /* nobody knows what is between its ops */
	for (size_t i = 0; i < track->nevents; i++)
		if (track->events[i].kind <= TRACK_SHARD)
			return true;
	return false;
}

/* -- phases, stacks, its own code -------------------------------------------------------------- */

/*
 * True if a span of the rank counts. Of most ranks none does, and it would take all of their events
 * to say so.
 */
static bool has_span(const struct job *job, struct rank_index rank)
{
	struct spans_range range = spans_of(job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (spans_counts(job, &job->spans[i]))
			return true;
	return false;
}

/* Returns the begin of the newest span that the rank is in; NULL none. */
static const struct track_event *find_span(const struct track_maker *maker, struct rank_index rank)
{
	const struct track *track = &maker->made->at[rank.i];

	for (size_t i = has_span(maker->job, rank) ? track->nevents : 0; i-- > 0;)
		if (track->events[i].kind == TRACK_BEGIN &&
			spans_counts(maker->job, track->events[i].fact))
			return &track->events[i];
	return NULL;
}

/* Says that it is in that span. */
static void take_span(const struct track_event *begin, struct track_now *now)
{
	const struct job_span *span = begin->fact;

	now->known = true;
	now->state = track_span_state(span->kind);
	now->since = begin->when;
	now->name = begin->name;
	now->cite = begin->cite;
}

/* Returns a frame as facts have it; "" of no frame. */
static const char *words_of(struct track_maker *maker, const struct job_frame *frame)
{
	struct str words = {0};
	const char *text;

	if (frame)
		things_add_frame(&words, frame);
	text = arena_text(maker->labels.arena, str_text(&words));
	str_release(&words);
	return text;
}

/* Returns "stall mishap.c:89": its function is the word that says most. "" of no frame. */
static const char *place_of(struct track_maker *maker, const struct job_stack *stack, long at)
{
	const struct job_frame *frame =
		at < 0 ? NULL : stackfacts_frame(maker->job, stack, (size_t)at);
	const char *slash = frame ? strrchr(frame->file, '/') : NULL;

	if (!frame || !*frame->function || !*frame->file || frame->line <= 0)
		return words_of(maker, frame);
	return arena_printf(maker->labels.arena, "%s %s:%d", frame->function,
		slash ? slash + 1 : frame->file, frame->line);
}

/*
 * True if the frame that tells says more than what of the program's calls it: "save_checkpoint"
 * does.
 */
static bool says_phase(const struct job *job, const struct posture *p)
{
	const struct job_frame *frame =
		p->telling < 0 ? NULL : stackfacts_frame(job, p->stack, (size_t)p->telling);

	return (p->activity == ACTIVITY_COMPILE || p->activity == ACTIVITY_INPUT ||
		       p->activity == ACTIVITY_CHECKPOINT) &&
	       frame && *frame->file;
}

/* Returns what it is blocked by, in front of the place where: of those that share one sign. */
static const char *name_block(struct track_maker *maker, const struct posture *p, const char *place)
{
	static const char *const names[ACTIVITIES] = {[ACTIVITY_FROZEN] = "stopped",
		[ACTIVITY_IO] = "kernel",
		[ACTIVITY_LOCK] = "lock",
		[ACTIVITY_GIL] = "GIL"};
	const char *name = names[p->activity];

	if (!name)
		return place;
	return *place ? arena_printf(maker->labels.arena, "%s, %s", name, place) : name;
}

/* Says that it does what its stack tells, for as long as samples prove it. */
static void take_activity(const struct posture *p, struct track_now *now)
{
	now->known = now->by_look = true;
	now->state = activity_states[p->activity];
	if (p->stands != JOB_UNKNOWN && p->stands >= 0 && now->end != JOB_UNKNOWN &&
		p->stands < now->end)
		now->since = now->end - p->stands;
}

/* Says what its stack says, where nothing was marked, and for how long samples prove it. */
static void take_posture(struct track_maker *maker, struct rank_index rank, struct track_now *now)
{
	const struct posture *p = maker->verdicts->postures;
	long at;

	if (!p || !p[rank.i].stack)
		return;
	p += rank.i;
	at = says_phase(maker->job, p) || p->program < 0 ? p->telling : p->program;
	now->cite = track_text(p->stack->cite);
	now->name = activities_waits(p->activity) ? things_call(p->activity, p->call) : "";
	if (!*now->name)
		now->name = name_block(maker, p, place_of(maker, p->stack, at));
	now->own_code = p->activity == ACTIVITY_USER;
	if (p->activity == ACTIVITY_UNKNOWN || now->own_code)
		return; /* only where it is: it may well go on */
	take_activity(p, now);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* True for a process that lives and is stopped. */
static bool is_stopped(const struct job_process *process)
{
	return process && process->end <= JOB_ALIVE &&
	       (process->frozen == JOB_YES || process->state == 'T' || process->state == 't');
}

/*
 * Says that it is stopped, since its processor time last grew, at the earliest; its records may
 * know better.
 */
static void take_stop(const struct job_process *process, struct track_now *now)
{
	now->known = now->by_look = true;
	now->state = TRACK_BLOCKED;
	now->name = "stopped";
	now->group = JOB_NONE;
	now->cite = track_text(process->cite);
	now->since = process->asleep_since;
	if (now->since == JOB_UNKNOWN && process->idle_for > 0 && now->end != JOB_UNKNOWN &&
		process->idle_for < now->end)
		now->since = now->end - process->idle_for;
}

struct track_now track_find_now(struct track_maker *maker, struct rank_index rank)
{
	const struct job *job = maker->job;
	const struct job_process *process = job_rank(job, rank)->process == JOB_NONE
						    ? NULL
						    : &job->processes[job_rank(job, rank)->process];
	const struct wait *wait = track_find_wait(maker, rank);
	const struct track_event *span = find_span(maker, rank);
	const struct wait *pending = track_find_pending(maker, rank);
	struct track_now now = {.since = JOB_UNKNOWN,
		.name = "",
		.group = JOB_NONE,
		.cite = "",
		.end = maker->facts->waits->now[rank.i]};

	if (span && wait && span->when != JOB_UNKNOWN && span->when > track_entered_call(job, wait))
		wait = NULL;
	if (is_stopped(process))
		take_stop(process, &now);
	else if (wait)
		track_take_wait(maker, wait, &now);
	else if (span)
		take_span(span, &now);
	else
		take_posture(maker, rank, &now);
	if (!now.known && pending)
		track_take_pending(maker, pending, &now);
	/* Where records tell, they say when its own code began. */
	if (!now.known && now.own_code && !track_has_record(maker, rank))
		take_activity(&maker->verdicts->postures[rank.i], &now);
	return now;
}
