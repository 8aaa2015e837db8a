/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two views of one fact meet here. A seat's counters say which ops may not be complete; a thread's
 * board says that somebody is held. An op in flight without a held thread is no trouble yet; a held
 * thread without an op is a wait for something that nobody recorded. So each rank's seats are read
 * first, giving waits, and then its threads: each holds the waits that it fits, or becomes one.
 *
 *	held	a thread is inside it now
 *	lacking	somebody has not entered, on that seat's own word
 *	sure	it is known not to be complete
 *	doubtful	whether all have entered is not known: a seat there is silent
 *
 * Completion is often not tracked. Then what all seats that speak have entered is taken as complete
 * where one of them has gone further: the wait begins at the first op that some seat lacks.
 */
#include "job/waitfor/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "job/backends.h"
#include "job/by-rank.h"
#include "job/calls.h"
#include "job/messages.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/spans.h"

struct collector {
	const struct job *job;
	struct waits *waits;
	const struct waits_told *told; /* per rank; NULL none */
	int64_t stood;		       /* where only stacks tell: age of all waits, ns */
	ARRAY(struct wait) list;
	struct by_rank seats;
	uint64_t *rear;     /* per group: smallest head of seats that speak */
	uint64_t *doubt;    /* per group: first index of which some member has no evidence */
};

/* -- preparation ------------------------------------------------------------------------------- */

/* True if only a dump tells how far the rank came, and nobody knows when that was taken. */
static bool is_age_unknown(const struct job *job, const struct job_rank *rank)
{
	return rank->process != JOB_NONE && job->processes[rank->process].age_unknown &&
	       waits_are_by_dump(rank);
}

/* Returns when the rank was looked at, or its process ended, if that came first; JOB_UNKNOWN. */
static int64_t end_of_evidence(const struct job *job, struct rank_index index)
{
	const struct job_rank *rank = job_rank(job, index);
	int64_t now = job_looked_at(job, index);

	if (is_age_unknown(job, rank))
		return JOB_UNKNOWN;
	if (rank->process != JOB_NONE) {
		const struct job_process *process = &job->processes[rank->process];

		if (waits_are_by_dump(rank))
			now = process->seen == JOB_UNKNOWN ? job->gathered : process->seen;
		if (process->end > JOB_ALIVE && process->ended != JOB_UNKNOWN &&
			(now == JOB_UNKNOWN || process->ended < now))
			now = process->ended;
	}
	return now;
}

/* Returns the first index of which nobody knows whether this seat has entered it. */
static uint64_t doubt_of(const struct job *job, const struct job_member *member)
{
	if (rollcall_speaks(job, member))
		return UINT64_MAX;
	return member->head_known ? member->head + 1 : 1;
}

/* Finds rear and doubt of each group once: asking for each seat anew would take seats squared. */
static void find_rears(struct collector *c)
{
	c->rear = alloc_zeroed(c->job->ngroups + 1, sizeof(*c->rear));
	c->doubt = alloc_zeroed(c->job->ngroups + 1, sizeof(*c->doubt));
	for (size_t i = 0; i < c->job->ngroups; i++) {
		const struct job_group *g = &c->job->groups[i];

		c->rear[i] = rollcall_take(c->job, (int)i, 0).rear;
		c->doubt[i] = rollcall_unseen(c->job, g) ? 1 : UINT64_MAX;
		for (uint32_t seat = 0; seat < g->size; seat++) {
			uint64_t doubt =
				doubt_of(c->job, &c->job->members[g->first_member + (int)seat]);

			if (doubt < c->doubt[i])
				c->doubt[i] = doubt;
		}
	}
}

/* -- collectives ------------------------------------------------------------------------------- */

/* True if the seat was given up: nothing waits in it but what an abort ended with its process. */
static bool is_over(const struct job *job, const struct job_member *m)
{
	int process = job_rank(job, m->rank)->process;

	if (m->state != JOB_MEMBER_GONE)
		return false;
	return !m->aborted || process == JOB_NONE || job->processes[process].end <= JOB_ALIVE;
}

/* Returns when the op was entered; without its details, when the first known one after it was. */
static int64_t entered_at(const struct job_member *m, uint64_t index)
{
	size_t place = bisect(0, m->nops, i, m->ops[i].index < index);

	return place < m->nops ? m->ops[place].entered : JOB_UNKNOWN;
}

/* Returns the wait of that seat in its op `index`; `op` is NULL if its details are unknown. */
static struct wait wait_in(const struct collector *c, int member, uint64_t index)
{
	const struct job_member *m = &c->job->members[member];
	const struct job_op *op = rollcall_op(m, index);
	bool unreturned = waits_unreturned(m, index), lacking = index > c->rear[m->group];

	return (struct wait){.kind = WAIT_COLLECTIVE,
		.rank = m->rank,
		.member = member,
		.peer = JOB_NONE,
		.index = index,
		.op = op,
		.thread = op ? op->thread : JOB_NONE,
		.held = unreturned,
		.lacking = lacking,
		.sure = lacking || unreturned || m->done_known ||
			(op && op->completed == JOB_NO),
		.doubtful = !lacking && index >= c->doubt[m->group],
		.since = entered_at(m, index),
		.cite = op ? op->cite : m->cite};
}

static void add_op(struct collector *c, int member, uint64_t first)
{
	if (first <= c->job->members[member].head)
		*array_add(&c->list) = wait_in(c, member, first);
}

/*
 * Adds the op of the seat that it waits in. Later ones wait behind it, except where threads raced
 * for them: there the rank also waits for seats that have come to fewer.
 */
static void add_collective(struct collector *c, int member)
{
	const struct job_member *m = &c->job->members[member];
	uint64_t rear = c->rear[m->group], first;

	if (!m->head_known || !m->head || is_over(c->job, m))
		return;
	first = waits_place(c->job, m, rear);
	add_op(c, member, first);
	if (c->job->groups[m->group].unordered && first <= rear && rear < m->head)
		add_op(c, member, waits_past_nothing(c->job, m, rear + 1));
}

/* -- point-to-point ---------------------------------------------------------------------------- */

/*
 * Adds each send or receive that may not be complete: any may be the stuck one, as order is per
 * peer. If the peer has come, it is no wait, unless a thread turns out to be held in it.
 */
static void add_p2p(struct collector *c, int member)
{
	const struct job_member *m = &c->job->members[member];

	for (size_t i = 0; i < m->np2p && !is_over(c->job, m); i++) {
		const struct job_op *op = &m->p2p[i];
		enum job_known came;

		if (op->failed || op->captured || op->completed == JOB_YES ||
			op->sig.peer.n >= c->job->groups[m->group].size ||
			same_group_rank(op->sig.peer, m->seat) ||
			(op->sig.op != JOB_OP_SEND && op->sig.op != JOB_OP_RECV))
			continue;
		came = message_came(c->job, member, op);
		*array_add(&c->list) = (struct wait){.kind = WAIT_P2P,
			.rank = m->rank,
			.member = member,
			.peer = c->job->groups[m->group].first_member + (int)op->sig.peer.n,
			.index = op->index,
			.op = op,
			.thread = op->thread,
			.held = op->returned == JOB_NO,
			.lacking = came == JOB_NO,
			.sure = came == JOB_NO || op->returned == JOB_NO || op->completed == JOB_NO,
			.doubtful = came == JOB_MAYBE,
			.peer_unknown = came == JOB_MAYBE,
			.since = op->entered,
			.cite = op->cite};
	}
}

/*
 * Adds an init. A non-blocking one holds only a thread that asks again and again whether it is over
 * (add_call()). Otherwise it is neither held nor sure, so that finish_rank() drops it.
 */
static void add_init(struct collector *c, int member)
{
	const struct job_member *m = &c->job->members[member];

	if (m->state != JOB_MEMBER_IN_INIT)
		return;
	*array_add(&c->list) = (struct wait){.kind = WAIT_INIT,
		.rank = m->rank,
		.member = member,
		.peer = JOB_NONE,
		.thread = JOB_NONE,
		.held = !m->nonblocking,
		.sure = !m->nonblocking,
		.since = m->init_since,
		.cite = m->cite};
}

/* -- threads ----------------------------------------------------------------------------------- */

/* True if the thread waits or polls. Watchdogs do so all day, which holds nobody. */
static bool is_waiting(const struct job_thread *thread)
{
	return (thread->state == JOB_THREAD_IN_WAIT || thread->state == JOB_THREAD_POLLING) &&
	       !waits_is_watchdog(thread->name);
}

/* Moves a host's wait to the later op that its thread waits for: hosts wait for each by itself. */
static void aim(const struct collector *c, const struct job_thread *thread, struct wait *wait)
{
	const struct job_op *op = wait->held ? NULL : waits_later(c->job, thread, wait);

	if (op && call_is_on_host(thread->call))
		*wait = wait_in(c, wait->member, op->index);
}

/* Lets a synchronising thread hold what it may wait for, sure or unsure. True if there was any. */
static bool hold(
	struct collector *c, const struct job_thread *thread, int index, size_t from, bool sure)
{
	bool found = false;

	for (size_t i = from; i < c->list.nr; i++) {
		struct wait *wait = &c->list.items[i];

		aim(c, thread, wait);
		if (wait->kind > (sure || wait->doubtful ? WAIT_P2P : WAIT_COLLECTIVE) ||
			wait->sure != sure ||
			wait->since == JOB_UNKNOWN || !waits_cover(c->job, thread, wait))
			continue;
		if (wait->thread == JOB_NONE || !sure ||
			((!wait->held || waits_is_main(c->job, thread)) &&
				call_is_on_host(thread->call)))
			wait->thread = index;
		wait->held = found = true;
		wait->perhaps = false;
		if (!sure)
			wait->since = thread->since;
	}
	return found;
}

/*
 * Handles a host that waits for messages, and not for a device, while nothing is open that it may
 * mean: the latest of these is held, even if its peer came to one of that number. It is a guess if
 * the thread may mean others.
 */
static bool hold_met(
	struct collector *c, const struct job_thread *thread, int index, size_t from)
{
	struct wait *latest = NULL;
	bool others = false;

	for (size_t i = from; i < c->list.nr && call_is_on_host(thread->call); i++) {
		struct wait *wait = &c->list.items[i];

		if (wait->kind == WAIT_P2P && !wait->sure && !wait->doubtful &&
			wait->since != JOB_UNKNOWN && wait->since <= thread->since &&
			waits_cover(c->job, thread, wait) &&
			(!latest || wait->since >= latest->since))
			latest = wait;
		others |= wait->perhaps;
	}
	if (!latest)
		return false;
	latest->held = true;
	latest->perhaps |= others;
	latest->thread = index;
	latest->since = thread->since;
	return true;
}

/* Finds what a synchronising thread waits for; else adds a wait for something unknown. */
static void add_sync(struct collector *c, const struct job_thread *thread, int index, size_t from)
{
	if (hold(c, thread, index, from, true)) {
		waits_leave_met(thread, index, c->list.items + from, c->list.nr - from);
		return;
	}
	if (hold(c, thread, index, from, false) || hold_met(c, thread, index, from) ||
		job_rank(c->job, thread->rank)->shares_process)
		return;
	*array_add(&c->list) = (struct wait){.kind = WAIT_SYNC,
		.rank = thread->rank,
		.member = JOB_NONE,
		.peer = JOB_NONE,
		.thread = index,
		.held = true,
		.since = thread->since,
		.cite = thread->cite};
}

/* Adds the wait of a thread inside a split, to which all must come. False: it is in none. */
static bool add_split(struct collector *c, const struct job_thread *thread, int index)
{
	if (!(call_traits(thread->call) & CALL_SPLIT) || thread->group == JOB_NONE)
		return false;
	by_rank_each(&c->seats, thread->rank, i) {
		const struct job_member *m = &c->job->members[c->seats.at[i]];

		if (m->group != thread->group || !m->splits)
			continue;
		*array_add(&c->list) = (struct wait){.kind = WAIT_SPLIT,
			.rank = thread->rank,
			.member = (int)c->seats.at[i],
			.peer = JOB_NONE,
			.index = m->splits,
			.thread = index,
			.held = true,
			.sure = true,
			.since = thread->since,
			.cite = thread->cite};
		return true;
	}
	return false;
}

/*
 * Returns what a call of PyTorch's store waits for: a key, the store itself, or those who have to
 * come to it. The making of a first group waits for keys, too. NULL: it is no such call.
 */
static const char *key_of(const struct job_thread *thread)
{
	unsigned traits = call_traits(thread->call);

	if (traits & CALL_KEYED)
		return thread->detail;
	if (traits & CALL_OPENS)
		return WAITS_FOR_STORE;
	return traits & CALL_SERVES ? WAITS_FOR_RANKS : NULL;
}

/*
 * True if the thread makes a communicator and does not say which one (the NVTX route hears that
 * only when it is over): who is missing there is as unknown as who has to set a key.
 */
static bool names_some_init(const struct job_thread *thread)
{
	return thread->group == JOB_NONE && (call_traits(thread->call) & CALL_INIT);
}

/* True if a thread in a call on that group waits in this: an op of it, or its non-blocking init. */
static bool is_of_call(
	const struct collector *c, const struct job_thread *thread, const struct wait *wait)
{
	return (wait->kind == WAIT_COLLECTIVE || wait->kind == WAIT_INIT) &&
	       thread->group != JOB_NONE &&
	       c->job->members[wait->member].group == thread->group &&
	       !backend_has(c->job->groups[thread->group].maker, BACKEND_DRIVEN);
}

/*
 * Adds the wait of a thread inside a call, unless one found so far explains the call. Where hosts
 * drive operations, it waits in its call alone: not for what its group has begun before.
 */
static void add_call(struct collector *c, const struct job_thread *thread, int index, size_t from)
{
	bool closing = call_traits(thread->call) & CALL_CLOSES, meets = names_some_init(thread);
	const char *key = meets ? WAITS_SOME_INIT : key_of(thread);
	bool found = false;

	if (add_split(c, thread, index))
		return;
	for (size_t i = from; i < c->list.nr && !closing; i++) {
		struct wait *wait = &c->list.items[i];

		if (is_of_call(c, thread, wait))
			wait->held = wait->sure = true;
		found |= wait->held && wait->kind <= WAIT_INIT;
	}
	if (found)
		return;
	*array_add(&c->list) = (struct wait){
		.kind = closing ? WAIT_CLOSE : key ? WAIT_STORE : WAIT_OTHER,
		.rank = thread->rank,
		.member = JOB_NONE,
		.peer = JOB_NONE,
		.key = closing ? NULL : key,
		.thread = index,
		.held = true,
		.since = thread->since,
		.cite = thread->cite};
}

/* Synchronisations come first: they tell which waits are held, and no call must explain these. */
static void add_threads(struct collector *c, struct rank_index rank, size_t from)
{
	struct spans_range range = threads_of(c->job, rank);

	for (size_t i = range.from; i < range.to; i++)
		if (is_waiting(&c->job->threads[i]) && !key_of(&c->job->threads[i]))
			add_sync(c, &c->job->threads[i], (int)i, from);
	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *thread = &c->job->threads[i];
		bool inside = thread->state == JOB_THREAD_IN_CALL ||
			      (is_waiting(thread) && key_of(thread));

		if (inside && !waits_is_watchdog(thread->name))
			add_call(c, thread, (int)i, from);
	}
}

/* -- stacks ------------------------------------------------------------------------------------ */

/* Adds the wait of a rank for a file's lock that another rank has. */
static void add_lock(struct collector *c, struct rank_index rank)
{
	const struct waits_told *told = &c->told[rank.i];
	int64_t now = c->waits->now[rank.i];

	if (!told->elsewhere || !told->lock_known || !is_rank(told->lock_rank))
		return;
	*array_add(&c->list) = (struct wait){.kind = WAIT_LOCK,
		.rank = rank,
		.member = JOB_NONE,
		.peer = JOB_NONE,
		.key = told->lock,
		.holder = told->lock_rank,
		.thread = JOB_NONE,
		.held = true,
		.sure = true,
		.since = told->stands == JOB_UNKNOWN || now == JOB_UNKNOWN ? JOB_UNKNOWN
									   : now - told->stands,
		.cite = told->cite};
}

/* Adds what only its stack tells of a rank that nothing holds by its ring. */
static void add_told(struct collector *c, struct rank_index rank, size_t from)
{
	const struct waits_told *told = &c->told[rank.i];
	int64_t now = c->waits->now[rank.i],
		age = told->stands > c->stood ? told->stands : c->stood;

	for (size_t i = from; i < c->list.nr; i++)
		if (c->list.items[i].held || c->list.items[i].sure)
			return;
	if (!told->key) {
		add_lock(c, rank);
		return;
	}
	*array_add(&c->list) = (struct wait){.kind = WAIT_STORE,
		.rank = rank,
		.member = JOB_NONE,
		.peer = JOB_NONE,
		.key = told->key,
		.thread = JOB_NONE,
		.held = true,
		.sure = true,
		.since = age == JOB_UNKNOWN || now == JOB_UNKNOWN ? JOB_UNKNOWN : now - age,
		.cite = told->cite};
}

/* -- all of it --------------------------------------------------------------------------------- */

/*
 * True if anybody waits there. A rank that exited in good order does not. Of one that ended
 * otherwise only waits count that held it or lacked a member: nobody tracked completion to its end.
 * But a dump tells what was not complete when the rank lived, however it ended later.
 */
static bool is_wait(const struct job *job, const struct wait *wait)
{
	int process = job_rank(job, wait->rank)->process;

	if (!wait->held && !(wait->ahead && wait->perhaps) &&
		waits_keep_only_who_waits(job, wait))
		return false;
	if (wait->ahead)
		return wait->lacking || wait->doubtful;
	if (process != JOB_NONE && job->processes[process].end > JOB_ALIVE) {
		if (job->processes[process].end == JOB_EXITED && !job->processes[process].status)
			return false;
		if (!waits_are_by_dump(job_rank(job, wait->rank)))
			return wait->held || wait->lacking || wait->doubtful;
	}
	return wait->sure || wait->held || wait->doubtful;
}

/* True if hosts move the messages of any group of the rank: then only its threads wait. */
static bool is_of_hosts(const struct collector *c, struct rank_index rank)
{
	by_rank_each(&c->seats, rank, i)
		if (backend_has(c->job->groups[c->job->members[c->seats.at[i]].group].maker,
			    BACKEND_ON_HOST))
			return true;
	return false;
}

/* True if completion is tracked of all that the rank gave a device: what is open is listed. */
static bool is_tracked(const struct collector *c, struct rank_index rank)
{
	by_rank_each(&c->seats, rank, i) {
		const struct job_member *m = &c->job->members[c->seats.at[i]];

		if (!m->done_known && (m->nops || m->np2p))
			return false;
	}
	return true;
}

/* Drops what turned out to be no wait, and says how old the rest is. */
static void finish_rank(struct collector *c, struct rank_index rank, size_t from)
{
	const struct job_rank *r = job_rank(c->job, rank);
	int64_t now = c->waits->now[rank.i];
	size_t kept = from;

	c->waits->perhaps[rank.i] =
		waits_hide(c->job, rank, c->told ? &c->told[rank.i] : NULL) &&
		(is_of_hosts(c, rank) || !is_tracked(c, rank));
	for (size_t i = from; i < c->list.nr; i++) {
		struct wait wait = c->list.items[i];

		c->waits->perhaps[rank.i] |= wait.perhaps;
		if (!is_wait(c->job, &wait))
			continue;
		wait.age = wait.since == JOB_UNKNOWN || now == JOB_UNKNOWN ? JOB_UNKNOWN
									   : now - wait.since;
		wait.age_unknown = is_age_unknown(c->job, r) ||
				   (wait.age == JOB_UNKNOWN && waits_are_by_dump(r));
		c->list.items[kept++] = wait;
	}
	c->list.nr = kept;
}

static void add_rank(struct collector *c, struct rank_index rank)
{
	size_t from = c->list.nr;

	by_rank_each(&c->seats, rank, i)
		add_collective(c, (int)c->seats.at[i]);
	by_rank_each(&c->seats, rank, i)
		add_p2p(c, (int)c->seats.at[i]);
	if (c->list.nr > from)
		waits_find_behind(c->job, c->list.items + from, c->list.nr - from);
	by_rank_each(&c->seats, rank, i)
		add_init(c, (int)c->seats.at[i]);
	add_threads(c, rank, from);
	if (c->list.nr > from) {
		c->waits->beside[rank.i] = waits_leave_alone(c->job, c->waits->now[rank.i],
			c->list.items + from, c->list.nr - from);
		waits_find_ahead(c->job, rank, c->told ? &c->told[rank.i] : NULL,
			c->list.items + from, c->list.nr - from);
	}
	if (c->told)
		add_told(c, rank, from);
	finish_rank(c, rank, from);
}

static void add_ranks(struct collector *c)
{
	c->list.nr = 0;
	job_for_each_rank(c->job, rank) {
		c->waits->first[rank.i] = c->list.nr;
		add_rank(c, rank);
	}
	c->waits->first[c->job->nranks] = c->list.nr;
}

/*
 * Returns for how long, ns, a rank was seen to stand, in a wait or elsewhere; JOB_UNKNOWN if each
 * that waits may have come just now. How long one slept unseen tells nothing of the others.
 */
static int64_t longest_told(const struct job *job, const struct waits_told *told)
{
	int64_t stood = JOB_UNKNOWN;
	bool held = false;

	job_for_each_rank(job, rank) {
		if ((told[rank.i].key || told[rank.i].elsewhere) && told[rank.i].watched > stood)
			stood = told[rank.i].watched;
		held |= told[rank.i].key && told[rank.i].held;
	}
	return held ? stood : JOB_UNKNOWN;
}

/* Collects all waits anew, now with what stacks tell. */
static void add_told_ranks(struct collector *c, const struct waits_told *told)
{
	c->waits->only_told = !c->job->ngroups && !c->list.nr;
	if (c->waits->only_told)
		c->stood = longest_told(c->job, told);
	memcpy(c->waits->told, told, c->job->nranks * sizeof(*told));
	c->told = told;
	add_ranks(c);
}

struct waits *waits_new(const struct job *job, const struct waits_told *told)
{
	struct waits *waits = alloc_zeroed(1, sizeof(*waits));
	struct collector c = {.job = job, .waits = waits, .stood = JOB_UNKNOWN};

	waits->first = alloc_zeroed(job->nranks + 2, sizeof(*waits->first));
	waits->now = alloc_zeroed(job->nranks + 1, sizeof(*waits->now));
	waits->beside = alloc_zeroed(job->nranks + 1, sizeof(*waits->beside));
	waits->perhaps = alloc_zeroed(job->nranks + 1, sizeof(*waits->perhaps));
	waits->told = alloc_zeroed(job->nranks + 1, sizeof(*waits->told));
	by_rank_make(&c.seats, job, members);
	find_rears(&c);
	job_for_each_rank(job, rank)
		waits->now[rank.i] = end_of_evidence(job, rank);
	add_ranks(&c);
	if (told)
		add_told_ranks(&c, told);
	waits->at = c.list.items;
	waits->n = c.list.nr;
	waits_join_exchanges(waits, job);
	by_rank_release(&c.seats);
	free(c.rear);
	free(c.doubt);
	return waits;
}

void waits_free(struct waits *waits)
{
	if (!waits)
		return;
	free(waits->at);
	free(waits->of_ops);
	free(waits->first);
	free(waits->now);
	free(waits->beside);
	free(waits->perhaps);
	free(waits->told);
	free(waits);
}
