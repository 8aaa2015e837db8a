/* SPDX-License-Identifier: Apache-2.0 */
/* Gives what all dumps together tell as facts of the job. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "decode/flight/decode-flight.h"
#include "job/backends.h"

/*
 * The time from a dump's last entry until its file is written, ns: stacks are made to words, with
 * Python's lock.
 */
#define DUMP_TAKES (60 * CLOCK_NS_PER_S)
/*
 * So many of a rank's latest ops get cites of their own; others that are complete have their
 * seat's.
 */
#define OWN_CITES 64

/* Returns the cite of a seat: by the number that its process gave the group. */
static const char *cite_seat(struct arena *arena, const struct flight_rank *rank,
	const struct flight_seat *seat)
{
	if (seat->pg == FLIGHT_UNKNOWN)
		return arena_printf(arena, "flight:%d", rank->rank);
	return arena_printf(arena, "flight:%d:pg%" PRId64, rank->rank, seat->pg);
}

/* Returns the name of a group for people. */
static const char *name_group(struct arena *arena, const struct flight_union *group)
{
	if (!*group->desc || !strcmp(group->desc, "undefined"))
		return arena_printf(arena, "pg %s", group->name);
	return arena_printf(arena, "%s (%s)", group->desc, group->name);
}

/* Adds a member of a group. */
static void give_seat(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_seat *seat, struct arena *arena, struct job_builder *b)
{
	const struct flight_union *group = &flights->groups.items[seat->group];
	const char *cite = cite_seat(arena, rank, seat);
	const struct job_group fact = {.key = group->key,
		.name = name_group(arena, group),
		.maker = *group->maker ? group->maker : "other",
		.ranks = group->listed,
		.size = (uint32_t)group->size,
		.sized = group->sized,
		.cite = arena_printf(arena, "flight:*:%s", group->name)};
	struct job_member member = job_member_unknown;

	member.seat = seat->seat;
	member.state = seat->told ? JOB_MEMBER_READY : JOB_MEMBER_UNSEEN;
	member.head_known = seat->head_known && !rank->outdated && !seat->left;
	member.head = seat->head;
	member.done_known = seat->done_known && !rank->outdated && !seat->left;
	member.done = seat->done;
	member.begun_known = member.done_known && seat->begun_known;
	member.begun = member.begun_known ? seat->begun : 0;
	member.keeps_newest = rank->has_entries && !rank->cut;
	member.p2p_whole = rank->from_start && rank->has_entries && !rank->cut &&
		!rank->outdated;
	if (seat->timeout_ms > 0 && seat->timeout_ms < INT64_MAX / 2000000)
		member.timeout = seat->timeout_ms * CLOCK_NS_PER_MS;
	member.cite = cite;
	job_add_member(b, rank->who, &fact, &member);
}

static void give_op(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_op *op, const char *cite, struct job_builder *b)
{
	const struct flight_seat *seat = &rank->seats.items[op->seat];
	const struct job_op fact = {.index = op->index,
		.sig = op->sig,
		.entered = op->created,
		.returned = op->complete || (seat->status && !op->p2p &&
						    op->seq <= seat->status->enqueued)
				    ? JOB_YES
				    : JOB_MAYBE,
		.completed = op->unsaid                       ? JOB_MAYBE
			     : op->complete                   ? JOB_YES
			     : op->captured || rank->outdated ? JOB_MAYBE
							      : JOB_NO,
		.launch = op->launch,
		.order = op->record >= 0 ? (uint64_t)op->record + 1 : 0,
		.thread = JOB_NONE,
		.captured = op->captured,
		.place = op->place,
		.parts = op->parts,
		.cite = cite};

	job_add_op(b, rank->who, flights->groups.items[seat->group].key, seat->seat, &fact, 0);
}

/* Adds an op with its cite, unless it need not be told. */
static void give_with_cite(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_op *op, struct arena *arena, struct job_builder *b)
{
	size_t behind = rank->ops.nr - (size_t)(op - rank->ops.items);
	bool late = behind <= OWN_CITES;
	const char *cite = "";

	if (op->skip || op->untold || rank->seats.items[op->seat].left ||
		(rank->outdated && op->p2p) || (op->plain && behind > flights->detailed))
		return;
	if (late || !op->complete)
		cite = arena_printf(arena, "flight:%d:e%" PRId64, rank->rank, op->record);
	give_op(flights, rank, op, cite, b);
}

/* -- ops, in the order in which a job has them: to sort millions anew takes long --------------- */

/* A seat, to sort by. */
struct holder {
	const struct flight_union *group;
	const struct flight_rank *rank;
	const struct flight_seat *seat;
};

/* Orders seats as the job does: large groups first, then by key, seat, rank. */
static int compare_holders(const void *va, const void *vb)
{
	const struct holder *a = va, *b = vb;

	if (flight_list_size(a->group->list) != flight_list_size(b->group->list))
		return flight_list_size(a->group->list) > flight_list_size(b->group->list) ? -1 : 1;
	if (a->group->key != b->group->key)
		return a->group->key < b->group->key ? -1 : 1;
	if (a->seat->seat.n != b->seat->seat.n)
		return a->seat->seat.n < b->seat->seat.n ? -1 : 1;
	return a->rank->rank < b->rank->rank ? -1 : a->rank->rank > b->rank->rank;
}

/* Adds the ops of one seat. */
static void give_ops_of(const struct flights *flights, const struct holder *holder,
	struct arena *arena, struct job_builder *b)
{
	const struct flight_rank *rank = holder->rank;
	uint32_t at = (uint32_t)(holder->seat - rank->seats.items);

	job_add_reading(b, rank->exhibit->when);
	for (size_t i = holder->seat->from; i < holder->seat->to; i++)
		give_with_cite(flights, rank, rank->collectives[i], arena, b);
	for (size_t i = 0; i < rank->ops.nr && flights->groups.items[holder->seat->group].has_p2p;
		i++)
		if (rank->ops.items[i].p2p && rank->ops.items[i].seat == at)
			give_with_cite(flights, rank, &rank->ops.items[i], arena, b);
}

static void give_ops(const struct flights *flights, struct arena *arena, struct job_builder *b)
{
	ARRAY(struct holder) holders = {0};

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++)
			*array_add(&holders) = (struct holder){
				&flights->groups.items[rank->seats.items[k].group], rank,
				&rank->seats.items[k]};
	}
	array_sort(&holders, compare_holders);
	for (size_t i = 0; i < holders.nr; i++)
		give_ops_of(flights, &holders.items[i], arena, b);
	array_release(&holders);
}

/* -- ranks ------------------------------------------------------------------------------------- */

static void give_process(const struct flights *flights, const struct flight_rank *rank,
	const char *cite, struct job_builder *b)
{
	struct job_process process = job_process_unknown;
	const struct job_identity identity = {.world_rank = world_rank(rank->rank),
		.local_rank = JOB_NONE,
		.promoted = true,
		.knows = rank->outdated ? 0 : JOB_KNOWS_DUMP};

	process.seen = rank->seen == JOB_UNKNOWN ? flight_to_own(rank, flights->newest)
						 : rank->seen;
	process.age_unknown = rank->seen == JOB_UNKNOWN;
	process.other_run = rank->unsure;
	process.role = JOB_ROLE_RANK;
	process.cite = cite;
	job_add_reading(b, rank->exhibit->when);
	job_add_process(b, rank->who, &process, &identity);
}

static void give_trait(const struct flight_rank *rank, const char *key, const char *text,
	const char *cite, struct job_builder *b)
{
	job_add_trait(b, rank->who,
		&(const struct job_trait){.key = key,
			.text = text, .number = JOB_UNKNOWN, .when = JOB_UNKNOWN, .cite = cite});
}

/* Which of its operations there were is not known, the last ones among them. */
static void lose_last(
	const struct flight_rank *rank, const char *cite, const char *what, struct job_builder *b)
{
	job_add_loss(b, rank->who,
		&(const struct job_loss){.what = what,
			.count = JOB_UNKNOWN,
			.of_ops = true,
			.of_last = true,
			.cite = cite});
}

/* It may wait in a send or receive of which too little is known; `last`: for whom, too. */
static void lose_message(const struct flight_rank *rank, const char *cite, bool last,
	const char *what, struct job_builder *b)
{
	job_add_loss(b, rank->who,
		&(const struct job_loss){.what = what,
			.count = JOB_UNKNOWN,
			.of_ops = true,
			.of_last = last,
			.of_p2p = true,
			.cite = cite});
}

/* True if some status says that something was handed over. */
static bool has_enqueued(const struct flight_rank *rank)
{
	for (size_t i = 0; i < rank->nstatuses; i++)
		if (rank->statuses[i].enqueued > 0)
			return true;
	return false;
}

/* What its dump does not tell. */
static void give_losses(const struct flight_rank *rank, const char *cite, struct job_builder *b)
{
	if (rank->unsure)
		flight_lose(b, rank->who, cite, false,
			"its dump may be of another run, or its host's clock is wrong: its times "
			"lie far from the others', and nothing else tells");
	if (!rank->has_entries && (!rank->has_statuses || rank->unplaced))
		lose_last(rank, cite, "its dump has neither entries nor a status of each group", b);
	if (!rank->has_entries && has_enqueued(rank))
		lose_message(rank, cite, false,
			"its dump has no entries: of sends and receives it tells nothing, and what "
			"it counts may be such",
			b);
	if (rank->unstated)
		lose_last(rank, cite, "its dump does not say which of its operations are complete",
			b);
	if (rank->forgotten)
		lose_last(rank, cite,
			"of a group its dump has neither numbered entries nor a status",
			b);
	if (rank->unnumbered)
		lose_last(rank, cite,
			"TorchComms numbers what all groups do in one row, and its begin was "
			"overwritten: nobody knows which of its operations are those of others",
			b);
	else if (rank->torchcomms)
		flight_lose(b, rank->who, cite, true,
			"TorchComms records that a call came back, and not that it is done");
	if (rank->peerless)
		lose_message(
			rank, cite, true, "it sends or receives, and the entry names no peer", b);
	if (rank->to_itself)
		lose_message(rank, cite, false,
			"it sends to itself or receives from itself, which is not complete", b);
	if (rank->misnamed)
		flight_lose(b, rank->who, cite, true,
			"its sends and receives say that it is another rank than its file's name "
			"does");
	if (rank->unmade)
		flight_lose(b, rank->who, cite, true,
			"all who wait for it have made a group or pair more: it may wait in the "
			"making of one, which has no entry");
	if (rank->endless)
		lose_message(rank, cite, true,
			"it has sends and receives of a launch whose end is not in its dump", b);
	if (rank->outdated)
		flight_lose(b, rank->who, cite, true,
			"its dump is older than its peers' and tells of the past only");
}

/* Adds a rank, its groups, and its losses. */
static void give_rank(const struct flights *flights, const struct flight_rank *rank,
	struct arena *arena, struct job_builder *b)
{
	const char *cite = arena_printf(arena, "flight:%d", rank->rank);

	give_process(flights, rank, cite, b);
	give_trait(rank, "framework", "torch", cite, b);
	give_trait(rank, "flight-recorder", rank->version, cite, b);
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (is_group_rank(rank->seats.items[i].seat) || rank->seats.items[i].entries)
			give_seat(flights, rank, &rank->seats.items[i], arena, b);
	give_losses(rank, cite, b);
}

/* Returns the highest rank that is named anywhere; -1 none. */
static int64_t highest_rank(const struct flights *flights)
{
	int64_t most = flights->ranks.nr ? flights->ranks.items[flights->ranks.nr - 1].rank : -1;

	for (size_t i = 0; i < flights->groups.nr; i++)
		if (flights->groups.items[i].list && flights->groups.items[i].list->most > most)
			most = flights->groups.items[i].list->most;
	return most;
}

/*
 * Tells how many ranks there are, and returns it: as many as are in the first group; else those
 * that are named.
 */
static int64_t tell_world(const struct flights *flights, struct job_builder *b)
{
	int64_t named = highest_rank(flights) + 1;

	for (size_t i = 0; i < flights->groups.nr; i++) {
		const struct flight_union *group = &flights->groups.items[i];

		if (!group->world || !group->sized || (int64_t)group->size < named)
			continue;
		job_add_world_size(b, (int)group->size,
			group->sized == JOB_SIZE_SAID ? "first process group of the dumps"
						      : "a list without a name in the dumps");
		return (int64_t)group->size;
	}
	job_add_world_at_least(b, (int)named);
	return named;
}

/* Tells which ranks left no dump. Returns how many there are, or are named. */
static int64_t tell_missing(
	const struct flights *flights, struct arena *arena, struct job_builder *b)
{
	int64_t world = tell_world(flights, b);
	struct str text = {0};
	size_t missing = 0;

	for (int64_t from = 0, to; from < world; from = to) {
		for (to = from; to < world && !flight_of(flights, to); to++)
			;
		if (to == from) {
			to++;
			continue;
		}
		str_printf(&text, "%s%" PRId64, missing ? "," : "", from);
		if (to - from > 1)
			str_printf(&text, "-%" PRId64, to - 1);
		missing += (size_t)(to - from);
	}
	if (missing)
		flight_lose(b, flight_nobody, "flight", true,
			arena_printf(arena, "no dump of rank%s %s of %" PRId64,
				missing == 1 ? "" : "s", str_text(&text), world));
	str_release(&text);
	return world;
}

/* Returns a backend of the job whose entries do not complete; NULL none. */
static const char *find_retiring(const struct flights *flights)
{
	for (size_t i = 0; i < flights->groups.nr; i++)
		if (backend_has(flights->groups.items[i].maker, BACKEND_RETIRES))
			return flights->groups.items[i].maker;
	return NULL;
}

/* Tells that a rank may send and receive what has no entry; `seen`: some rank in the job did. */
static void lose_p2p(struct job_builder *b, const struct flight_rank *rank, const char *maker,
	bool seen, struct arena *arena)
{
	const char *before = seen ? "the job sends and receives on " : "";
	const char *behind = seen ? ", which has no entries of that"
				  : " has no entries of what is sent and received";
	const char *what = !rank->torchcomms
		? arena_printf(arena, "%s%s%s", before, maker, behind)
		: seen ? "the job sends and receives, and TorchComms' entries of that name no peer"
		       : "TorchComms' entries of what is sent and received name no peer";

	job_add_loss(b, rank->who,
		&(const struct job_loss){.what = what,
			.count = JOB_UNKNOWN,
			.of_ops = true,
			.of_last = seen,
			.of_p2p = true,
			.cite = "flight:*"});
}

/*
 * Tells why a rank that lacks may yet not be late. What is sent and received has no entry: if some
 * rank is known to have done that, any may wait in it. And if no watchdog dumps what hangs, and no
 * dump was surely made long after the last thing in any, it may be one of a job that runs.
 */
static void tell_unseen(const struct flights *flights, struct arena *arena, struct job_builder *b)
{
	const char *maker = find_retiring(flights);
	bool unseen = false, gave_up = false;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		unseen |= flights->ranks.items[i].sends_unseen;
		gave_up |= flights->ranks.items[i].timed_out;
	}
	for (size_t i = 0; i < flights->ranks.nr && maker; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		lose_p2p(b, rank, maker, unseen, arena);
		if (!gave_up && (rank->seen == JOB_UNKNOWN ||
					flight_to_common(rank, rank->seen) - flights->newest <
						DUMP_TAKES))
			flight_lose(b, rank->who, "flight:*", true,
				arena_printf(arena,
					"by its time its dump may be one of a job that runs: %s's "
					"are made when somebody asks",
					maker));
	}
}

int64_t flight_give_facts(
	const struct flights *flights, struct arena *arena, struct job_builder *b)
{
	int64_t world;

	for (size_t i = 0; i < flights->ranks.nr; i++)
		give_rank(flights, &flights->ranks.items[i], arena, b);
	give_ops(flights, arena, b);
	world = tell_missing(flights, arena, b);
	tell_unseen(flights, arena, b);
	return world;
}
