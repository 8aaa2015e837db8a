/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class host-stall: what is late is a rank's host. Where it stalls (input, checkpoint, frozen, io,
 * lock) is told by direct evidence or by its stack; else it is user code or unknown, the last
 * explanation of all.
 */
#include <string.h>

#include "base/clock.h"
#include "job/backends.h"
#include "verdict/circles/callers.h"
#include "verdict/outside.h"
#include "verdict/polls.h"
#include "verdict/profiles/last-words.h"
#include "verdict/rule.h"

/* A rank that has computed so many ns longer than its sleeping peers may do so for ever. */
#define BUSY_FOR_A_WHILE (30 * CLOCK_NS_PER_S)

/*
 * Returns where the rank stalls by its stack; VERDICT_NOWHERE: that does not tell. Its own code is
 * the last explanation.
 */
static enum verdict_where place_by_stack(const struct profile *p)
{
	static const enum verdict_where places[ACTIVITIES] = {[ACTIVITY_INPUT] = VERDICT_IN_INPUT,
		[ACTIVITY_CHECKPOINT] = VERDICT_IN_CHECKPOINT,
		[ACTIVITY_IO] = VERDICT_IN_IO,
		[ACTIVITY_LOCK] = VERDICT_IN_LOCK,
		[ACTIVITY_GIL] = VERDICT_IN_GIL};

	return places[p->posture.activity];
}

/* True if a thread that never moves has the GIL: nobody gets on, whatever span that leaves open. */
static bool gil_is_kept(const struct profile *p)
{
	const struct job_stack *holder = p->posture.holder;

	return p->posture.activity == ACTIVITY_GIL && holder && holder->samples > 1 &&
	       holder->moved == JOB_NO && p->process && !p->ended;
}

/*
 * Returns where the rank stalls, by the surest sign first: frozen, a GIL that is kept, an open
 * span, what it reads or saves by its stack, its state in the kernel, the rest of the stack.
 */
static enum verdict_where place_of(const struct profile *p)
{
	const struct job_process *process = p->process;
	enum verdict_where by_stack = place_by_stack(p);

	if (p->frozen || p->stopped_for != JOB_UNKNOWN)
		return VERDICT_IN_FROZEN;
	if (gil_is_kept(p))
		return VERDICT_IN_GIL;
	if (p->input)
		return VERDICT_IN_INPUT;
	if (p->checkpoint)
		return VERDICT_IN_CHECKPOINT;
	if (p->log && words_lack_gil(p->log->error))
		return VERDICT_IN_GIL;
	if (!process || p->ended)
		return VERDICT_NOWHERE;
	if (by_stack == VERDICT_IN_INPUT || by_stack == VERDICT_IN_CHECKPOINT)
		return by_stack;
	/*
	 * A rank that writes all along, or is elsewhere at each look, is not stuck in the kernel.
	 */
	if (process->state == 'D' && !profile_writes(p) && p->posture.moved != JOB_YES)
		return VERDICT_IN_IO;
	if (strstr(process->wchan, "flock") || strstr(process->wchan, "posix_lock") ||
		strstr(process->wchan, "locks_lock") || strstr(process->wchan, "fcntl_setlk"))
		return VERDICT_IN_LOCK;
	return by_stack == VERDICT_IN_IO && profile_writes(p) ? VERDICT_NOWHERE : by_stack;
}

/* True if the place is told outright, by a freeze or a span; other places are concluded. */
static bool is_told(const struct profile *p)
{
	return p->frozen || p->stopped_for != JOB_UNKNOWN ||
	       (!gil_is_kept(p) && (p->input || p->checkpoint));
}

/*
 * True if the rank may have stalled. A rank that others ended had stalled before that, or not at
 * all.
 */
static bool may_stall(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if ((!p->readable && (!activities_elsewhere(p->posture.activity) || p->posture.unsure)) ||
		!p->process)
		return false;
	if (p->death == DEATH_ECHO || p->death == DEATH_END || p->death == DEATH_KILLED ||
		p->death == DEATH_UNSURE)
		return p->stopped_for != JOB_UNKNOWN ||
		       inquiry_late_before_end(q, rank) == JOB_YES;
	return p->death == DEATH_NONE;
}

/* True if a living rank may hold a lock unseen: the locks of its host were not read. */
static bool may_hold_unseen(const struct profile *p)
{
	return p->process && !p->ended && !p->process->locks_read;
}

/*
 * True if another rank of its host may have the file's lock that the rank waits for: a rank that
 * stays away, too, by its stack, and waits for no lock; or any rank, even in a collective, if no
 * locks were read.
 */
static bool may_have_lock(const struct inquiry *q, struct rank_index rank)
{
	job_for_each_rank(q->job, at) {
		const struct posture *other = &q->profiles[at.i].posture;

		if (same_rank(at, rank) ||
			job_rank(q->job, at)->host != job_rank(q->job, rank)->host)
			continue;
		if (activities_elsewhere(other->activity) && !activities_in_file_lock(other))
			return true;
		if (may_hold_unseen(&q->profiles[at.i]))
			return true;
	}
	return false;
}

/* Only input and checkpoints that are seen to move are worth waiting for. */
static void tell_outlook(const struct profile *p, struct reason *why)
{
	bool moves = p->progress == PROGRESS_YES;

	if (p->ended)
		why->outlook = VERDICT_KILL;
	else if (why->where == VERDICT_IN_CHECKPOINT && (profile_writes(p) || moves))
		why->outlook = VERDICT_WAIT;
	else if (why->where == VERDICT_IN_INPUT && moves && !p->dead_child)
		why->outlook = VERDICT_WAIT;
	if (why->where == VERDICT_IN_INPUT && p->dead_child) {
		why->cause = VERDICT_BY_CHILD_DEATH;
		why->outlook = VERDICT_KILL;
	}
}

/* What to do next of such a rank: by its place, or by what more is known there. */
static enum verdict_next next_of(
	const struct inquiry *q, struct rank_index rank, enum verdict_where where)
{
	static const enum verdict_next next[VERDICT_WHERES] = {
		[VERDICT_IN_INPUT] = VERDICT_NEXT_LOOK_AT_INPUT,
		[VERDICT_IN_CHECKPOINT] = VERDICT_NEXT_LOOK_AT_STORAGE,
		[VERDICT_IN_FROZEN] = VERDICT_NEXT_CONTINUE_PROCESS,
		[VERDICT_IN_LOCK] = VERDICT_NEXT_LOOK_AT_LOCK,
		[VERDICT_IN_GIL] = VERDICT_NEXT_STACK_OF_RANK,
	};
	const struct profile *p = &q->profiles[rank.i];

	if (where == VERDICT_IN_INPUT && p->stopped_child)
		return VERDICT_NEXT_CONTINUE_CHILD;
	if (where == VERDICT_IN_FROZEN && p->ended)
		return VERDICT_NEXT_WHO_STOPPED;
	if (where == VERDICT_IN_FROZEN && p->traced)
		return VERDICT_NEXT_DETACH_DEBUGGER;
	if (where == VERDICT_IN_LOCK && p->posture.own_lock)
		return VERDICT_NEXT_LOOK_AT_THREADS;
	if (where == VERDICT_IN_IO)
		return stacks_next_in_kernel(q, rank);
	if (where == VERDICT_IN_GIL && p->posture.holder)
		return VERDICT_NEXT_LOOK_AT_GIL;
	return next[where];
}

/* True if another one may have the lock: a rank of its host, or a thread of its own that asks. */
static bool may_wait_in_lock(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];

	if (activities_in_file_lock(&p->posture) && !q->waits->told[rank.i].lock_known &&
		may_have_lock(q, rank))
		return true;
	/* A thread that has the lock may itself wait for other ranks. */
	return p->posture.own_lock && (p->posture.aside || polls_maybe(q, rank));
}

/* The place is known. */
bool explains_known_stall(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	if (!may_stall(q, rank))
		return false;
	why->where = place_of(p);
	if (why->where == VERDICT_NOWHERE)
		return false;
	why->confidence = is_told(p) ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED;
	tell_outlook(p, why);
	if (why->outlook == VERDICT_WAIT && slow_goes_on(q, rank, true))
		return false;
	why->next = next_of(q, rank, why->where);
	why->progresses = why->where != VERDICT_IN_FROZEN;
	if (why->where == VERDICT_IN_LOCK && may_wait_in_lock(q, rank))
		why->confidence = VERDICT_HYPOTHESIS;
	return true;
}

/* True if only a dump tells of the rank: how far it came. */
static bool knows_dump_only(const struct inquiry *q, struct rank_index rank)
{
	return job_rank(q->job, rank)->knows == JOB_KNOWS_DUMP;
}

/*
 * Returns how much more CPU, ns, the rank has used than any rank that sleeps in a wait; JOB_UNKNOWN
 * where none sleeps; the most that one of those used goes to *ret_most. Nobody knows since when a
 * rank without a ring computes; but sleeping ranks use no more CPU. So, if ranks do the same work,
 * this is about the time for which they have waited.
 */
static int64_t extra_cpu(const struct inquiry *q, struct rank_index rank, int64_t *ret_most)
{
	int64_t most = JOB_UNKNOWN, own = q->profiles[rank.i].process->cpu_used;

	job_for_each_rank(q->job, at) {
		const struct profile *p = &q->profiles[at.i];

		if (!q->waits->told[at.i].key || !p->process || p->ended ||
			p->process->cpu_delta == JOB_UNKNOWN || profile_is_busy(p))
			continue;
		if (p->process->cpu_used > most)
			most = p->process->cpu_used;
	}
	*ret_most = most;
	return own == JOB_UNKNOWN || most == JOB_UNKNOWN ? JOB_UNKNOWN : own - most;
}

/*
 * True if the stall may end by itself, as far as is known: the rank writes, or computes and has not
 * done so for long.
 */
static bool may_resolve(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t extra, most;

	if (callers_asleep(q, rank))
		return false;
	if (profile_writes(p) || !profile_is_busy(p) || p->readable)
		return profile_writes(p) || profile_is_busy(p);
	extra = extra_cpu(q, rank, &most);
	return extra != JOB_UNKNOWN && extra <= BUSY_FOR_A_WHILE;
}

/* -- a server without requests ----------------------------------------------------------------- */

/* Places where a thread waits until somebody from outside asks for something. */
static const struct stackfacts_place doors[] = {
	{"accept", "libc.so*"},
	{"accept4", "libc.so*"},
	{"socket.accept", "socket.py"},
	{"BaseServer.serve_forever", "socketserver.py"},
	{"BaseEventLoop._run_once", "asyncio/base_events.py"},
};

/* That of them at which also a program stands that asks, or sleeps: its stack does not tell. */
static const struct stackfacts_place loops[] = {
	{"BaseEventLoop._run_once", "asyncio/base_events.py"},
};

/* Places where a thread waits for what another thread of its own hands over. */
static const struct stackfacts_place counters[] = {
	{"Queue.get", "queue.py"},
	{"SimpleQueue.get", "queue.py"},
	{"Condition.wait", "threading.py"},
	{"Event.wait", "threading.py"},
};

static bool stands_at(const struct inquiry *q, const struct job_stack *stack,
	const struct stackfacts_place *places, size_t nr)
{
	return stackfacts_find(q->job, stack, 0, places, nr) >= 0;
}

/* Returns how many threads of a rank's process are at such a place; *ret_door: the first. */
static size_t threads_at_door(const struct inquiry *q, struct rank_index rank, int process,
	const struct job_stack **ret_door)
{
	size_t from, to, n = 0;

	*ret_door = NULL;
	stackfacts_of_rank(q->job, rank, &from, &to);
	for (size_t i = from; i < to; i++)
		if (q->job->stacks[i].process == process &&
			stands_at(q, &q->job->stacks[i], doors, sizeof(doors) / sizeof(*doors))) {
			*ret_door = *ret_door ? *ret_door : &q->job->stacks[i];
			n++;
		}
	return n;
}

/*
 * True if a rank that waits for others has its main thread at such a place as well: then it is that
 * of a loop in which each rank of this program works, and not of a server.
 */
static bool is_door_of_work(const struct inquiry *q)
{
	job_for_each_rank(q->job, rank) {
		const struct job_stack *main = stackfacts_main(q->job, rank);

		if (main && inquiry_longest_wait(q, rank) &&
			stands_at(q, main, doors, sizeof(doors) / sizeof(*doors)))
			return true;
	}
	return false;
}

/*
 * True if all ranks that wait for others have as many threads at such places: these are of a
 * library that all of them use. With one more than others have, a rank may serve.
 */
static bool all_have_doors(const struct inquiry *q, size_t doors_of_it)
{
	const struct job_stack *door, *main;
	bool any = false;

	job_for_each_rank(q->job, rank) {
		main = inquiry_longest_wait(q, rank) ? stackfacts_main(q->job, rank) : NULL;
		if (main && threads_at_door(q, rank, main->process, &door) < doors_of_it)
			return false;
		any |= main != NULL;
	}
	return any;
}

/*
 * Returns the thread of a rank that waits for requests, or that hands them over to its main thread,
 * unless all ranks work so; NULL: there is none. A server waits there for as long as nobody asks,
 * and so is no culprit for certain.
 */
static const struct job_stack *stack_at_door(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_stack *door = p->posture.stack;
	bool takes; /* the requests itself */
	size_t n;

	if (!door || !p->process || p->ended)
		return NULL;
	takes = stands_at(q, door, doors, sizeof(doors) / sizeof(*doors));
	if ((!takes && !stands_at(q, door, counters, sizeof(counters) / sizeof(*counters))) ||
		is_door_of_work(q))
		return NULL;
	if (takes)
		return door;
	n = threads_at_door(q, rank, door->process, &door);
	return n && !all_have_doors(q, n) ? door : NULL;
}

/* Adds what it waits for there, as far as the place tells. */
static void tell_door(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_stack *door = p->frozen ? NULL : stack_at_door(q, rank);
	enum verdict_fact_kind kind = FACT_AWAITS_REQUEST;

	if (!door || place_of(p) != VERDICT_NOWHERE)
		return;
	if (door == p->posture.stack && stands_at(q, door, loops, sizeof(loops) / sizeof(*loops)))
		kind = FACT_AWAITS_EVENT;
	draft_fact(q, draft, kind, rank, door->cite);
}

/* -- a program that is over -------------------------------------------------------------------- */

/* Places where the interpreter, at its end, waits for threads of its own. */
static const struct stackfacts_place joins[] = {
	{"_shutdown", "threading.py"},
	{"_python_exit", "concurrent/futures/thread.py"},
	{"_python_exit", "concurrent/futures/process.py"},
};

/* The same for children, and for what was put into a queue and nobody has read. */
static const struct stackfacts_place reaps[] = {{"_exit_function", "multiprocessing/util.py"}};

/* Returns what tells that the rank's main thread is done with its program; FACT_NONE: nothing. */
static enum verdict_fact_kind exit_of(const struct inquiry *q, struct rank_index rank)
{
	const struct job_stack *main = stackfacts_main(q->job, rank);

	if (!main || q->profiles[rank.i].ended)
		return FACT_NONE;
	if (stands_at(q, main, reaps, sizeof(reaps) / sizeof(*reaps)))
		return FACT_EXIT_CHILDREN;
	if (stands_at(q, main, joins, sizeof(joins) / sizeof(*joins)))
		return FACT_EXIT_THREADS;
	return FACT_NONE;
}

/* Adds that. */
static void tell_exit(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	enum verdict_fact_kind kind = exit_of(q, rank);

	if (kind != FACT_NONE)
		draft_fact(q, draft, kind, rank, stackfacts_main(q->job, rank)->cite);
}

/*
 * True if the rank's stack stands in a call that waits for others and is not recorded, of a library
 * whose operations hosts drive: with ranks of another MPI world, say.
 */
static bool waits_by_host(const struct inquiry *q, struct rank_index rank)
{
	if (!waits_unrecorded(q, rank) && !may_wait_unrecorded(q, rank))
		return false;
	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (backend_has(q->job->groups[m->group].maker, BACKEND_DRIVEN))
			return true;
	}
	return false;
}

bool explains_unknown_stall(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	const struct profile *p = &q->profiles[rank.i];

	/*
	 * It is outside of everything, on its own word; what it may be waiting in was followed
	 * before.
	 */
	if (!may_stall(q, rank) || dumps_p2p(q, rank) == DUMPS_P2P_HIDDEN ||
		inquiry_held_in(q, rank, WAIT_SYNC, NULL) ||
		inquiry_held_in(q, rank, WAIT_OTHER, NULL) ||
		inquiry_held_in(q, rank, WAIT_STORE, NULL) ||
		inquiry_held_in(q, rank, WAIT_CLOSE, NULL) || waits_by_host(q, rank))
		return false;
	why->where = VERDICT_WHERE_UNKNOWN;
	if (profile_is_busy(p) || p->user || p->posture.activity == ACTIVITY_USER)
		why->where = VERDICT_IN_USER_CODE;
	why->confidence = activities_waits(p->posture.activity) || stack_at_door(q, rank) ||
					  polls_maybe(q, rank) ||
					  (q->waits->only_told && p->posture.asks)
				  ? VERDICT_HYPOTHESIS
				  : VERDICT_SUPPORTED;
	why->outlook = p->ended		      ? VERDICT_KILL
		       : may_resolve(q, rank) ? VERDICT_WAIT
					      : VERDICT_OUTLOOK_UNKNOWN;
	why->cause = p->dead_child ? VERDICT_BY_CHILD_DEATH : VERDICT_NO_CAUSE;
	why->next = exit_of(q, rank) != FACT_NONE	   ? VERDICT_NEXT_LOOK_AT_EXIT
		    : p->posture.activity == ACTIVITY_USER ? VERDICT_NEXT_LOOK_AT_CODE
							   : VERDICT_NEXT_STACK_OF_RANK;
	why->by_absence = p->readable;
	why->progresses = true;
	if (knows_dump_only(q, rank)) {
		why->next = VERDICT_NEXT_RUN_NEXT_TIME;
		why->where = VERDICT_WHERE_UNKNOWN;
	}
	return true;
}

/* Adds an open span and its age; nothing for NULL. */
static void tell_open_span(
	struct inquiry *q, struct rank_index rank, const struct job_span *span, struct draft *draft)
{
	int64_t now = q->waits->now[rank.i];
	struct verdict_fact *fact;

	if (!span)
		return;
	fact = draft_fact(q, draft, FACT_SPAN_OPEN, rank, span->cite);
	fact->text = span->name;
	fact->text2 = span->detail;
	fact->b = span->kind;
	if (now != JOB_UNKNOWN && span->begun != JOB_UNKNOWN)
		fact->a = now - span->begun;
}

/* Adds what the kernel says of a living rank: frozen, its state if that is telling, its CPU. */
static void tell_process(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	struct verdict_fact *fact;

	if (!p->process || p->ended)
		return;
	if (p->frozen)
		draft_frozen(q, draft, rank, p->process->sample_cite);
	else if ((place_of(p) == VERDICT_IN_LOCK && !p->posture.own_lock) ||
		 (p->process->state && p->process->state != 'S' && p->process->state != 'R')) {
		fact = draft_fact(q, draft, FACT_PROC_STATE, rank, p->process->sample_cite);
		fact->a = p->process->state;
		fact->text = p->process->wchan;
	}
	if (p->cpu != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_CPU, rank, p->process->sample_cite);
		fact->a = p->cpu;
		fact->b = p->cpu_span;
	}
}

/* Adds what is known of a rank that computes, if no ring tells since when. */
static void tell_busy(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	int64_t now = q->waits->now[rank.i], most, age = JOB_UNKNOWN;
	struct verdict_fact *fact;

	if (p->readable || !p->process || p->ended || p->frozen || !profile_is_busy(p))
		return;
	if (now != JOB_UNKNOWN && p->process->born != JOB_UNKNOWN && now > p->process->born)
		age = now - p->process->born;
	if (extra_cpu(q, rank, &most) != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_CPU_IN_ALL, rank, p->process->sample_cite);
		fact->a = p->process->cpu_used;
		fact->b = age;
		fact->c = most;
	} else if (age != JOB_UNKNOWN) {
		fact = draft_fact(q, draft, FACT_BUSY_UNKNOWN, rank, p->process->sample_cite);
		fact->a = age;
	}
}

/* Adds which of its living children is stopped, if any is. */
static void tell_stopped_child(struct inquiry *q, struct draft *draft, struct rank_index rank)
{
	const struct job_process *child = q->profiles[rank.i].stopped_child;
	struct verdict_fact *fact;

	if (!child)
		return;
	fact = draft_fact(q, draft, FACT_CHILD_STOPPED, rank, child->sample_cite);
	fact->text = *child->what ? child->what : child->comm;
	fact->a = child->pid;
}

/* Adds that its process runs another program now, which knows nothing of the job. */
static void tell_exec(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_process *process = q->profiles[rank.i].process;
	struct verdict_fact *fact;

	if (!process || !*process->was)
		return;
	fact = draft_fact(q, draft, FACT_RUNS_ANOTHER, rank, process->was_cite);
	fact->text = process->comm;
	fact->text2 = process->was;
}

/* The most telling fact comes first: of a frozen rank, that it is frozen. */
void tell_stall(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_op *op;

	tell_exec(q, rank, draft);
	if (p->frozen)
		tell_process(q, rank, draft);
	if (p->stopped_for != JOB_UNKNOWN)
		draft_fact(q, draft, FACT_WAS_STOPPED, rank, p->process->sample_cite)->a =
			p->stopped_for;
	tell_door(q, rank, draft);
	tell_open_span(q, rank, p->input, draft);
	tell_open_span(q, rank, p->checkpoint, draft);
	tell_open_span(q, rank, p->user, draft);
	tell_stopped_child(q, draft, rank);
	if (!p->frozen)
		tell_exit(q, rank, draft);
	callers_tell(q, rank, draft);
	stacks_tell(q, rank, draft);
	outside_tell(q, rank, draft);
	if (!p->frozen)
		tell_process(q, rank, draft);
	tell_busy(q, rank, draft);
	draft_dead_child(q, draft, rank);
	if (p->thread_exception)
		draft_fact(q, draft, FACT_THREAD_DIED, rank, p->thread_exception->cite)->text =
			p->thread_exception->text;
	if (p->told)
		draft_fact(q, draft, FACT_TERMINATED, rank, p->told->cite)->a = p->told->signo;
	if (p->outside != JOB_UNKNOWN && !p->frozen)
		draft_fact(q, draft, FACT_OUTSIDE, rank, p->outside_cite)->a = p->outside;
	op = draft_last_op(q, draft, rank);
	if (op && *op->place)
		draft_fact(q, draft, FACT_CALLED_AT, rank, op->cite)->text = op->place;
	if (place_of(p) == VERDICT_NOWHERE || place_of(p) == VERDICT_IN_LOCK)
		polls_tell(q, rank, draft);
}
