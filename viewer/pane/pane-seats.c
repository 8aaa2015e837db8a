/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/pane-seats.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "job/by-rank.h"
#include "job/names.h"
#include "words/escape.h"
#include "words/rank-names.h"

#define RANKS_WIDTH 24 /* columns that a group's ranks get */

/* -- how far each is --------------------------------------------------------------------------- */

/* Finds the last collective that the seat is known to have entered. False: that is not known. */
static bool head_of(const struct job_member *member, uint64_t *ret)
{
	*ret = member->head_known ? member->head
	       : member->nops	  ? member->ops[member->nops - 1].index
				  : 0;
	return member->head_known || member->nops;
}

/* Returns the last collective that any seat of the group has entered; 0 none. */
static uint64_t front_of(const struct job *job, int number)
{
	const struct job_group *group = &job->groups[number];
	uint64_t front = 0, head;

	for (uint32_t i = 0; i < group->size; i++)
		if (head_of(&job->members[group->first_member + (int)i], &head) && head > front)
			front = head;
	return front;
}

/* Returns whether that op of the seat's is completed. `op` NULL: no details of it are known. */
static enum job_known is_done(
	const struct job_member *member, const struct job_op *op, uint64_t index)
{
	if (op)
		return op->completed;
	if (!member->done_known || !index)
		return JOB_MAYBE;
	return member->done >= index ? JOB_YES : JOB_NO;
}

/* Adds a seat to the roll call, and counts it. */
static void add_seat(struct seats *seats, const struct scene *scene, int number)
{
	const struct job *job = scene->job;
	const struct job_member *member = &job->members[number];
	struct seat *seat = array_add(&seats->all);

	seat->rank = member->rank;
	seat->member = number;
	seat->never_came = rollcall_never_came(job, member);
	seat->head_known = head_of(member, &seat->head);
	seat->roll = rollcall_of(job, member, seats->front);
	seat->completed = is_done(member, rollcall_op(member, seat->head), seat->head);
	if (seat->roll == ROLL_PAST) {
		seat->roll = ROLL_HERE;
		seat->went_on = true;
		seat->head = seats->front;
		seat->completed = is_done(member, rollcall_op(member, seat->head), seat->head);
	}
	seat->last = seat->head ? rollcall_op(member, seat->head) : NULL;
	seat->state = member->state;
	seat->track = is_rank(member->rank) ? &scene->tracks->at[member->rank.i] : NULL;
	/* Before the first op nobody is missing in one, but in the group itself. */
	if (!seats->front)
		seat->roll = seat->never_came		      ? ROLL_ABSENT
			     : !is_rank(member->rank) ? ROLL_UNKNOWN
							      : ROLL_HERE;
	seats->missing += seat->roll == ROLL_ABSENT || seat->never_came;
	seats->unknown += seat->roll == ROLL_UNKNOWN && !seat->never_came;
	seats->here += seat->roll == ROLL_HERE;
}

/* Returns where a seat stands: the missing, then the unknown, then who is there. */
static int order_of(const struct seat *seat)
{
	if (seat->roll == ROLL_ABSENT || seat->never_came)
		return 0;
	return seat->roll == ROLL_UNKNOWN ? 1 : 2;
}

/* Orders ops by what they were entered with; NULL is the first. */
static int compare_sigs(const struct job_op *a, const struct job_op *b)
{
	if (!a || !b)
		return a ? 1 : b ? -1 : 0;
	if (a->sig.op != b->sig.op)
		return a->sig.op < b->sig.op ? -1 : 1;
	if (a->sig.dtype != b->sig.dtype)
		return a->sig.dtype < b->sig.dtype ? -1 : 1;
	if (a->sig.redop != b->sig.redop)
		return a->sig.redop < b->sig.redop ? -1 : 1;
	if (a->sig.peer.n != b->sig.peer.n)
		return a->sig.peer.n < b->sig.peer.n ? -1 : 1;
	if (a->sig.count != b->sig.count)
		return a->sig.count < b->sig.count ? -1 : 1;
	return 0;
}

/* Orders by what they do now: of those who are not at the front that tells why. */
static int compare_now(const struct seat *a, const struct seat *b)
{
	if (!a->track || !b->track)
		return a->track ? 1 : b->track ? -1 : 0;
	if (a->track->now != b->track->now)
		return a->track->now < b->track->now ? -1 : 1;
	return strcmp(a->track->doing, b->track->doing);
}

int seat_compare(const struct seat *a, const struct seat *b)
{
	int order = order_of(a) - order_of(b);

	if (order)
		return order;
	if (a->never_came != b->never_came)
		return a->never_came ? -1 : 1;
	if (a->head_known != b->head_known)
		return a->head_known ? -1 : 1;
	if (a->head != b->head)
		return a->head < b->head ? -1 : 1;
	order = compare_sigs(a->last, b->last);
	if (order)
		return order;
	if (a->completed != b->completed)
		return a->completed < b->completed ? -1 : 1;
	if (a->went_on != b->went_on)
		return a->went_on ? 1 : -1;
	if (a->state != b->state)
		return a->state < b->state ? -1 : 1;
	return order_of(a) < 2 ? compare_now(a, b) : 0;
}

/* Orders seats, and those that stand alike by rank. */
static int compare_places(const void *va, const void *vb)
{
	const struct seat *a = va, *b = vb;
	int order = seat_compare(a, b);

	if (!order)
		order = a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
	return order ? order : a->member - b->member;
}

/*
 * Finds what most did of those who are at the front; of two camps of one size neither is the odd
 * one. Seats are sorted, so that equals are neighbours.
 */
static void find_op(struct seats *seats)
{
	size_t most = 0, same = 0;
	bool tie = false;
	const struct job_op *before = NULL;
	const struct seat *seat;

	array_for_each (&seats->all, seat) {
		if (seat->roll != ROLL_HERE || !seat->last)
			continue;
		same = before && !compare_sigs(before, seat->last) ? same + 1 : 1;
		seats->differs |= before && same == 1;
		before = seat->last;
		tie = same == most || (tie && same < most);
		if (same > most) {
			most = same;
			seats->op = seat->last;
		}
	}
	if (tie)
		seats->op = NULL;
}

bool seats_is_odd(const struct seats *seats, const struct seat *seat)
{
	return seat->roll == ROLL_HERE && seat->last && seats->op &&
	       compare_sigs(seat->last, seats->op) != 0;
}

/* Makes the roll call of a group's op. */
static struct seats call_roll(const struct scene *scene, int number, uint64_t front)
{
	const struct job *job = scene->job;
	const struct job_group *group = &job->groups[number];
	struct seats seats = {.group = number, .front = front};

	seats.rear = rollcall_take(job, number, seats.front).rear;
	for (uint32_t i = 0; i < group->size; i++)
		add_seat(&seats, scene, group->first_member + (int)i);
	array_sort(&seats.all, compare_places);
	find_op(&seats);
	return seats;
}

/* -- what was made is kept --------------------------------------------------------------------- */

#define CALLS 2 /* of a group: its front's, and that of the verdict's op */

/* The roll calls of one group. */
struct roll_calls {
	struct seats at[CALLS];
	size_t n; /* so many were made; of more the older one goes */
};

/* All that were made, and the groups in short. */
struct seats_book {
	struct roll_calls *calls; /* by group */
	size_t ngroups;
	struct seats_summary *sums; /* by group; NULL: not made yet */
	struct by_rank seats; /* members */
	struct rank_index marked; /* `has_rank` of the sums is of this one */
};

struct seats_book *seats_book_new(const struct job *job)
{
	struct seats_book *book = alloc_zeroed(1, sizeof(*book));

	book->ngroups = job->ngroups;
	book->calls = alloc_zeroed(job->ngroups + 1, sizeof(*book->calls));
	book->marked = NO_RANK;
	return book;
}

void seats_book_free(struct seats_book *book)
{
	if (!book)
		return;
	for (size_t i = 0; i < book->ngroups; i++)
		for (size_t k = 0; k < CALLS; k++)
			array_release(&book->calls[i].at[k].all);
	if (book->sums)
		by_rank_release(&book->seats);
	free(book->calls);
	free(book->sums);
	free(book);
}

const struct seats *seats_of(const struct scene *scene, int number, uint64_t front)
{
	struct roll_calls *calls = &scene->seats->calls[number];
	struct seats *call;

	for (size_t i = 0; i < CALLS && i < calls->n; i++)
		if (calls->at[i].front == front)
			return &calls->at[i];
	call = &calls->at[calls->n++ % CALLS];
	array_release(&call->all);
	*call = call_roll(scene, number, front);
	return call;
}

const char *seat_cite(const struct job *job, const struct seat *seat)
{
	return seat->last ? seat->last->cite : job->members[seat->member].cite;
}

/* -- a group in short -------------------------------------------------------------------------- */

/* Returns a group in short, from its members. */
static struct seats_summary sum_up(const struct job *job, int number)
{
	const struct job_group *group = &job->groups[number];
	struct seats_summary sum = {
		.group = number, .size = group->size, .front = front_of(job, number)};
	const struct job_op *first = NULL;

	sum.rear = rollcall_take(job, number, sum.front).rear;
	for (uint32_t i = 0; i < group->size; i++) {
		const struct job_member *member = &job->members[group->first_member + (int)i];
		enum roll roll = rollcall_of(job, member, sum.front);
		const struct job_op *op = roll == ROLL_HERE ? rollcall_op(member, sum.front) : NULL;

		sum.missing += roll == ROLL_ABSENT || rollcall_never_came(job, member);
		sum.unknown += roll == ROLL_UNKNOWN && sum.front;
		sum.sends |= member->np2p > 0;
		sum.differs |= op && first && compare_sigs(op, first);
		sum.open |= op && op->completed == JOB_NO;
		if (op && !first)
			first = op;
	}
	if (first)
		sum.op = first->sig.op;
	return sum;
}

/* Marks the groups in which a rank sits. */
static void mark(struct seats_book *book, const struct job *job, struct rank_index rank, bool has)
{
	if (is_rank(rank))
		by_rank_each(&book->seats, rank, i)
			book->sums[job->members[book->seats.at[i]].group].has_rank = has;
}

const struct seats_summary *seats_sum_up(const struct scene *scene, struct rank_index rank)
{
	struct seats_book *book = scene->seats;
	const struct job *job = scene->job;

	if (!book->sums) {
		book->sums = alloc_zeroed(job->ngroups + 1, sizeof(*book->sums));
		by_rank_make(&book->seats, job, members);
		for (size_t i = 0; i < job->ngroups; i++)
			book->sums[i] = sum_up(job, (int)i);
	}
	mark(book, job, book->marked, false);
	mark(book, job, rank, true);
	book->marked = rank;
	return book->sums;
}

int seats_compare_quiet(const struct seats_summary *a, const struct seats_summary *b)
{
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->front != b->front)
		return a->front < b->front ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return (int)a->open - (int)b->open;
}

/* -- words ------------------------------------------------------------------------------------- */

/* Appends "8 ranks". */
static void add_size(struct str *into, uint32_t size)
{
	str_printf(into, "%" PRIu32 " rank%s", size, size == 1 ? "" : "s");
}

/* Appends what an op was entered with. */
static void add_args(struct str *into, const struct job_sig *sig)
{
	const char *dtype = job_dtype_name(sig->dtype);
	const char *redop = job_redop_name(sig->redop);

	if (sig->count != JOB_NO_COUNT)
		str_printf(into, ", %s%sx%" PRIu64, dtype ? dtype : "", dtype ? " " : "",
			sig->count);
	else if (dtype)
		str_printf(into, ", %s", dtype);
	if (redop && job_op_reduces(sig->op))
		str_printf(into, " %s", redop);
	if (job_op_is_rooted(sig->op) && is_group_rank(sig->peer))
		str_printf(into, " root %" PRIu32, sig->peer.n);
}

/* Appends "AllReduce #12", or "#12" where the op is not known. */
static void add_op(struct str *into, const struct job_op *op, uint64_t index)
{
	if (op)
		str_printf(into, "%s ", job_op_name(op->sig.op));
	str_printf(into, "#%" PRIu64, index);
}

void seats_add_roll(struct str *into, const struct seats *seats)
{
	if (seats->front)
		add_op(into, seats->differs ? NULL : seats->op, seats->front);
	else
		str_add(into, "no collective yet");
	str_printf(into, ": %zu here%s", seats->here, seats->differs ? ", not the same op" : "");
	if (seats->missing)
		str_printf(into, ", %zu missing", seats->missing);
	if (seats->unknown)
		str_printf(into, ", %zu not known", seats->unknown);
	if (seats->front && seats->rear < seats->front)
		str_printf(into, "; rear #%" PRIu64, seats->rear);
}

void seats_add_group(struct str *into, const struct job *job, const struct seats *seats)
{
	const struct job_group *group = &job->groups[seats->group];
	struct str ranks = {0};

	add_size(into, group->size);
	if (*group->ranks && group->size < job->nranks) {
		escape_text(&ranks, group->ranks, true);
		str_add(into, " (");
		escape_fit(into, str_text(&ranks), RANKS_WIDTH);
		str_add_char(into, ')');
		str_release(&ranks);
	}
	str_printf(into, ", %s; ",
		rollcall_is_bootstrap(group) ? "exchange of its id" : group->maker);
	seats_add_roll(into, seats);
}

/* Appends where the seat is in the life of its group. */
static void add_member_state(struct str *into, const struct job_member *member)
{
	if (member->state == JOB_MEMBER_IN_INIT)
		str_add(into, "in its init; ");
	else if (member->state == JOB_MEMBER_CLOSING)
		str_add(into, "closing it; ");
	else if (member->state == JOB_MEMBER_GONE)
		str_add(into, member->aborted ? "aborted it; " : "left it; ");
}

/* Appends what a rank does now. */
static void add_now(struct str *into, const struct track *track)
{
	if (!track)
		return;
	str_printf(into, "; now %s", track_state_name(track->now));
	if (*track->doing && strcmp(track->doing, track_state_name(track->now)) != 0)
		str_printf(into, ", %s", track->doing);
}

/* Appends when the seat's last op was entered. */
static void add_when(struct str *into, const struct scene *scene, const struct seat *seat)
{
	if (!seat->last || seat->last->entered == JOB_UNKNOWN)
		return;
	str_add(into, ", ");
	pane_add_since(into, scene, seat->last->entered);
}

/* Where it stands, of one that has entered something, and others have. */
static void add_entered(struct str *into, const struct scene *scene, const struct seats *seats,
	const struct seat *seat)
{
	str_add(into, seats_is_odd(seats, seat) ? "ODD: entered " : "entered ");
	add_op(into, seat->last, seat->head);
	if (seat->last)
		add_args(into, &seat->last->sig);
	add_when(into, scene, seat);
	str_add(into, seat->completed == JOB_YES  ? ", completed"
		      : seat->completed == JOB_NO ? ", not completed"
						  : "");
	str_add(into, seat->went_on ? ", went on" : "");
}

void seats_add_words(struct str *into, const struct scene *scene, const struct seats *seats,
	const struct seat *seat, size_t n)
{
	const struct job_member *member = &scene->job->members[seat->member];

	if (!is_rank(seat->rank)) {
		str_printf(into, "%zu seat%s, nobody knows whose", n, n == 1 ? "" : "s");
		return;
	}
	if (seat->never_came) {
		str_add(into, "MISSING: never came to its init");
	} else if (seat->roll == ROLL_UNKNOWN) {
		str_printf(into, "not known%s",
			member->saw_capture ? ": replays graphs, which no record shows" : "");
		if (seat->head)
			str_printf(into, "; at least #%" PRIu64, seat->head);
	} else if (seat->roll == ROLL_ABSENT) {
		str_printf(into, "MISSING in #%" PRIu64 "; ", seats->front);
		add_member_state(into, member);
		str_add(into, seat->head ? "last " : "has entered nothing");
		if (seat->head)
			add_op(into, seat->last, seat->head);
		add_when(into, scene, seat);
	} else if (!seats->front) {
		add_member_state(into, member);
		str_add(into, "has entered nothing");
	} else {
		add_member_state(into, member);
		add_entered(into, scene, seats, seat);
	}
	if (order_of(seat) < 2)
		add_now(into, seat->track);
}

void seats_add_quiet(struct str *into, const struct seats_summary *sum)
{
	add_size(into, sum->size);
	if (!sum->front) {
		str_add(into, ", no collective yet");
		return;
	}
	str_add(into, ", all at ");
	if (sum->op != JOB_OP_NONE)
		str_printf(into, "%s ", job_op_name(sum->op));
	str_printf(into, "#%" PRIu64 "%s", sum->front, sum->open ? ", not completed" : "");
}

void seats_add_p2p(struct str *into, const struct job *job, const struct job_group *group,
	const struct job_op *op)
{
	const struct job_member *other = job_seat(job, group, op->sig.peer);
	struct rank_index peer = other ? other->rank : NO_RANK;

	str_printf(into, "in %s #%" PRIu64, job_op_name(op->sig.op), op->index);
	if (is_rank(peer)) {
		str_add(into, op->sig.op == JOB_OP_RECV ? " from " : " to ");
		ranks_name(into, job, (struct verdict_ranks){&peer, 1});
	}
	add_args(into, &op->sig);
}
