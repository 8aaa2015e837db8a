/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes dumps of PyTorch's Flight Recorder: what is in each, and the facts of all.
 *
 * WHEN. A dump has no time of its own. Its file has one, which a copy does not keep; so it is
 * believed only if a watchdog would have let the job stand so long. Else the dump is undated: it
 * ends with the last thing in it, at an unknown distance from now. Dumps are made of hangs, so what
 * waits there counts as standing (job/waitfor/waits.h). If the watchdog gave something up, it did
 * stand, whatever times say.
 */
#include "decode/flight/decode-flight.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crew.h"
#include "base/hash.h"
#include "base/meter.h"
#include "base/str.h"
#include "decode/kinds.h"
#include "evidence/gather/measure.h"
#include "job/backends.h"
#include "job/names.h"

/* The timeout where a dump tells none, ns. */
#define TIMEOUT_USUAL (1800 * CLOCK_NS_PER_S)
/* Amounts of all-to-alls are kept from this version on, and of so many of the latest entries. */
#define PARTS_SINCE  2004
#define PARTS_LATEST 64
/* A file's clock may be so far behind the rank's, ns. */
#define CLOCK_BEHIND (2 * CLOCK_NS_PER_S)

static int decode_one(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	(void)builder;
	(void)why;
	*array_add(&context->flights) = exhibit;
	return 0;
}

const struct decoder decode_flight = {EXHIBIT_FLIGHT, decode_one};

void flight_lose(struct job_builder *b, struct job_who who, const char *cite, bool of_ops,
	const char *what)
{
	job_add_loss(b, who,
		&(const struct job_loss){
			.what = what, .count = JOB_UNKNOWN, .of_ops = of_ops, .cite = cite});
}

/* -- reading one ------------------------------------------------------------------------------- */

static int64_t known_ns(int64_t told)
{
	return told == FLIGHT_UNKNOWN || told <= 0 ? JOB_UNKNOWN : told;
}

static void keep_newest(int64_t *into, int64_t told)
{
	if (known_ns(told) != JOB_UNKNOWN && told < INT64_MAX / 2 && told > *into)
		*into = told;
}

static void keep_oldest(int64_t *into, int64_t told)
{
	if (known_ns(told) != JOB_UNKNOWN && (*into == JOB_UNKNOWN || told < *into))
		*into = told;
}

/* Adds a seat in a group, and returns its index. */
static uint32_t add_seat(struct flight_rank *rank, const char *name, const char *desc)
{
	return flight_add_seat(rank,
		&(const struct flight_seat){.name = arena_text(&rank->arena, name),
			.desc = arena_text(&rank->arena, desc),
			.pg = FLIGHT_UNKNOWN,
			.told = true,
			.newest = -1});
}

static void read_groups(struct flight_rank *rank, const struct flight_dump *dump)
{
	for (size_t i = 0; i < dump->ngroups; i++) {
		const struct flight_group *group = &dump->groups[i];
		bool listed = group->list && group->list->known;
		uint32_t at;

		if (!*group->name && !*group->desc) {
			rank->last_size = listed ? flight_list_size(group->list) : 0;
			continue;
		}
		at = flight_find_seat(rank, group->name, group->desc, FLIGHT_UNKNOWN);
		if (at == UINT32_MAX)
			at = add_seat(rank, group->name, group->desc);
		if (listed)
			rank->seats.items[at].list = group->list->nr ? group->list : NULL;
	}
	for (size_t i = 0; i < dump->nstatuses; i++)
		rank->times |= dump->statuses[i].started >= 0;
	rank->nstatuses = dump->nstatuses;
	rank->statuses = arena_copy(&rank->arena, dump->statuses,
		dump->nstatuses * sizeof(*dump->statuses));
}

/* True if the code is not the program's, but PyTorch's own or below it. */
static bool is_library(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
	       strstr(file, "/torch/") || *file == '<';
}

/*
 * Returns the place of an entry, "train.py:88 step": the program's if it is in the stack, else the
 * innermost; "" none.
 */
static const char *place_of(struct arena *arena, const struct flight_entry *entry)
{
	const struct flight_frame *frame = NULL;
	const char *file;

	for (uint32_t i = 0; i < entry->nframes && !frame; i++)
		if (!is_library(entry->frames[i]->file))
			frame = entry->frames[i];
	if (!frame && entry->nframes)
		frame = entry->frames[0];
	if (!frame)
		return "";
	file = strrchr(frame->file, '/');
	return arena_printf(arena, "%s:%" PRId64 " %s", file ? file + 1 : frame->file,
		frame->line == FLIGHT_UNKNOWN ? 0 : frame->line, frame->name);
}

/* Adds a seat in a group whose name an earlier group may have had: a list is told of both. */
static uint32_t add_seat_of(struct flight_rank *rank, const struct flight_entry *entry)
{
	uint32_t namesake = flight_find_seat(rank, entry->group, entry->desc, FLIGHT_UNKNOWN);
	uint32_t at = add_seat(rank, entry->group, entry->desc);

	if (namesake != UINT32_MAX)
		rank->seats.items[at].list = rank->seats.items[namesake].list;
	return at;
}

/* Returns the seat of an entry; nearly always that of the entry before it, `last`. */
static uint32_t seat_of_entry(
	struct flight_rank *rank, const struct flight_entry *entry, uint32_t last)
{
	uint32_t at = last;

	if (at == UINT32_MAX || strcmp(rank->seats.items[at].name, entry->group) ||
		strcmp(rank->seats.items[at].desc, entry->desc) ||
		rank->seats.items[at].pg != entry->pg)
		at = flight_find_seat(rank, entry->group, entry->desc, entry->pg);
	return at == UINT32_MAX ? add_seat_of(rank, entry) : at;
}

/* Returns how many take part, if the amounts of one and of all stand in the entry; 0 unknown. */
static uint64_t members_of(const struct flight_entry *entry, const struct job_sig *sig)
{
	const struct flight_tensors *all = &entry->outputs, *one = &entry->inputs;
	uint64_t total, mine;

	if (sig->op == JOB_OP_REDUCESCATTER) {
		all = &entry->inputs;
		one = &entry->outputs;
	} else if (sig->op != JOB_OP_ALLGATHER) {
		return 0;
	}
	if (!one->nr || !flight_tensors_count(all, &total) || !flight_tensors_count(one, &mine) ||
		!mine || total % mine)
		return 0;
	return total / mine;
}

static void note_members(struct flight_seat *seat, uint64_t members)
{
	seat->members_differ |= members && seat->members && members != seat->members;
	if (members)
		seat->members = members;
}

static void note_entry(struct flight_seat *seat, const struct flight_entry *entry)
{
	seat->entries++;
	if (entry->pg != FLIGHT_UNKNOWN)
		seat->pg = entry->pg;
	if (!seat->maker)
		seat->maker = backend_of_entry(entry->name);
	if (entry->collective_seq != FLIGHT_UNKNOWN && entry->collective_seq > seat->newest)
		seat->newest = entry->collective_seq;
	if (entry->timeout_ms != FLIGHT_UNKNOWN && entry->timeout_ms > 0)
		seat->timeout_ms = entry->timeout_ms;
}

/* Returns the time from an entry's making until its end was noticed, ms rounded up; 0 not known. */
static uint32_t took_ms(const struct flight_entry *entry)
{
	int64_t from = known_ns(entry->created_ns), to = known_ns(entry->completed_ns), ms;

	if (entry->state != FLIGHT_COMPLETED || from == JOB_UNKNOWN || to < from ||
		to > INT64_MAX / 2)
		return 0;
	ms = (to - from) / CLOCK_NS_PER_MS + 1;
	return ms > UINT32_MAX ? 0 : (uint32_t)ms;
}

/*
 * True if begins of ops are noted when they happen. Some backends note a begin only when the op is
 * complete, with that moment.
 */
static bool tells_begin(const struct flight_entry *entry)
{
	int64_t from = known_ns(entry->started_ns), to = known_ns(entry->completed_ns);

	return entry->state == FLIGHT_STARTED ||
	       (from != JOB_UNKNOWN && to != JOB_UNKNOWN && from < to);
}

/*
 * True for an all-to-all whose amounts are kept: it is open, or is one of the latest, which may be
 * open elsewhere. Older versions of the Flight Recorder noted them otherwise.
 */
static bool tells_parts(const struct flight_rank *rank, const struct flight_op *op, size_t left)
{
	return op->sig.op == JOB_OP_ALLTOALL && rank->release >= PARTS_SINCE &&
	       (!op->complete || left < PARTS_LATEST);
}

/* True if the entry says that its op is complete, or over. */
static bool is_complete(const struct flight_entry *entry, bool retires)
{
	return entry->state == FLIGHT_COMPLETED || (retires && entry->retired == FLIGHT_YES) ||
	       (entry->state == FLIGHT_STATE_UNKNOWN &&
		       known_ns(entry->completed_ns) != JOB_UNKNOWN);
}

/*
 * True for the end of a launch of messages. Before 2.4 it was not marked as one: the part before it
 * is.
 */
static bool ends_messages(const struct flight_rank *rank, const struct flight_op *op)
{
	const struct flight_op *part = op - 1;

	return op->end && op->sig.op == JOB_OP_OTHER && op > rank->ops.items && part->p2p &&
	       !part->end && part->seat == op->seat && part->p2p_seq == op->p2p_seq;
}

/* Returns a number of the thread that made the entry, which others hardly have; 0 not told. */
static uint32_t thread_of(const struct flight_entry *entry)
{
	return *entry->thread_id ? (uint32_t)hash_text(HASH_START, entry->thread_id) | 1 : 0;
}

/* Reads one entry; `left` more follow. */
static void read_entry(struct flight_rank *rank, const struct flight_entry *entry, size_t number,
	size_t left, uint32_t at)
{
	struct flight_seat *seat = &rank->seats.items[at];
	struct flight_op *op = array_add(&rank->ops);
	bool retires = backend_has(backend_of_entry(entry->name), BACKEND_RETIRES);
	struct group_rank mine;

	*op = (struct flight_op){.seat = at,
		.seq = entry->collective_seq,
		.p2p_seq = entry->p2p_seq,
		.record = entry->record == FLIGHT_UNKNOWN ? (int64_t)number : entry->record,
		.created = known_ns(entry->created_ns),
		.complete = is_complete(entry, retires),
		.unsaid = entry->state == FLIGHT_STATE_UNKNOWN && !is_complete(entry, retires),
		.began = entry->state == FLIGHT_STARTED ||
			 known_ns(entry->started_ns) != JOB_UNKNOWN,
		.retired = entry->retired == FLIGHT_YES};
	op->end = !flight_signature(entry, &op->sig, &mine);
	if (is_group_rank(mine))
		seat->mine = mine.n + 1;
	op->p2p = entry->is_p2p == FLIGHT_MAYBE ? is_group_rank(mine) : entry->is_p2p == FLIGHT_YES;
	op->p2p |= ends_messages(rank, op);
	if (op->p2p_seq == FLIGHT_UNKNOWN)
		op->p2p_seq = op->p2p ? -1 - op->record : 0;
	op->untold = !*entry->name;
	op->took_ms = took_ms(entry);
	op->thread = thread_of(entry);
	op->place = op->complete ? "" : place_of(&rank->arena, entry);
	op->parts = tells_parts(rank, op, left) ? flight_parts(&rank->arena, entry) : "";
	op->skip = op->p2p ? !op->end && !is_group_rank(mine) : op->seq <= 0;
	note_entry(seat, entry);
	note_members(seat, op->p2p || op->end ? 0 : members_of(entry, &op->sig));
	rank->sends_unseen |= retires && !op->p2p && entry->op != FLIGHT_UNKNOWN && op->seq > 0 &&
			      entry->op > op->seq;
	rank->active_only &= !op->complete;
	rank->times |= tells_begin(entry);
	rank->timed_out |= op->retired && !op->complete && !op->unsaid;
	keep_oldest(&rank->oldest, entry->created_ns);
	keep_newest(&rank->newest, entry->created_ns);
	keep_newest(&rank->newest, entry->started_ns);
	keep_newest(&rank->newest, entry->completed_ns);
	if (!op->complete && entry->timeout_ms > 0 && entry->timeout_ms < INT64_MAX / 2000000 &&
		entry->timeout_ms * CLOCK_NS_PER_MS > rank->timeout)
		rank->timeout = entry->timeout_ms * CLOCK_NS_PER_MS;
}

static int compare_ops(const void *va, const void *vb)
{
	const struct flight_op *a = va, *b = vb;

	return a->record < b->record ? -1 : a->record > b->record;
}

/*
 * True if each group's first message is its first: a process that begins its records anew numbers
 * them anew, and counts its messages on.
 */
static bool counts_from_start(const struct flight_rank *rank)
{
	bool *seen = alloc_zeroed(rank->seats.nr + 1, sizeof(*seen)), all = true;

	for (size_t i = 0; i < rank->ops.nr; i++) {
		const struct flight_op *op = &rank->ops.items[i];

		if (!op->p2p || seen[op->seat])
			continue;
		seen[op->seat] = true;
		all &= op->p2p_seq <= 1;
	}
	free(seen);
	return all;
}

static void read_entries(struct flight_rank *rank, const struct flight_dump *dump)
{
	uint32_t at = UINT32_MAX;
	bool sorted = true;

	rank->ops.items = alloc_zeroed(dump->nentries, sizeof(*rank->ops.items));
	rank->ops.room = dump->nentries;
	rank->active_only = dump->nentries > 0;
	rank->oldest = rank->newest = JOB_UNKNOWN;
	for (size_t i = 0; i < dump->nentries; i++) {
		at = seat_of_entry(rank, &dump->entries[i], at);
		read_entry(rank, &dump->entries[i], i, dump->nentries - 1 - i, at);
		sorted &= !i || rank->ops.items[i - 1].record < rank->ops.items[i].record;
	}
	if (!sorted)
		array_sort(&rank->ops, compare_ops);
	rank->from_start = !rank->cut && rank->ops.nr && !rank->ops.items[0].record &&
			   rank->ops.items[rank->ops.nr - 1].record == (int64_t)rank->ops.nr - 1 &&
			   dump->entries[0].record != FLIGHT_UNKNOWN &&
			   counts_from_start(rank);
}

static void read_dump(struct flight_rank *rank, const struct flight_dump *dump)
{
	rank->has_entries = dump->has_entries;
	rank->has_statuses = dump->has_statuses;
	rank->cut = *dump->damage || dump->lost_entries || dump->lost_statuses;
	rank->version = "";
	/* Gloo names no library, and is in dumps since 2.8. */
	rank->release = dump->major * 1000 + dump->minor;
	rank->counts_well = *dump->library || (dump->major == 2 && dump->minor < 8);
	if (dump->major >= 0)
		rank->version = arena_printf(&rank->arena, "%d.%d%s%s", dump->major,
			dump->minor, *dump->library ? ", library " : "", dump->library);
	read_groups(rank, dump);
	read_entries(rank, dump);
	if (flight_is_torchcomms(dump))
		flight_read_torchcomms(rank, dump);
}

/* -- reading all ------------------------------------------------------------------------------- */

/* The ranks, which several threads read. */
struct reading {
	struct flight_rank *ranks;
	struct flight_lists *lists;
	struct meter meters[CREW_MOST]; /* one for each worker */
};

/* Reads a dump. Its losses are told later, since only one thread may add facts. */
static void read_rank(struct flight_rank *rank, struct flight_lists *lists)
{
	struct complaint why = {0};
	struct flight_dump dump;

	rank->readable = flight_dump_read(rank->exhibit->bytes, rank->exhibit->len, lists, &dump,
				 &why) == 0;
	if (!rank->readable)
		rank->lost = arena_printf(&rank->arena, "%s cannot be read: %s",
			rank->exhibit->label, complaint_text(&why));
	else if (*dump.damage)
		rank->lost = arena_printf(&rank->arena, "%s is damaged: %s; %zu entries salvaged",
			rank->exhibit->label, dump.damage, dump.nentries);
	else if (dump.lost_entries || dump.lost_statuses)
		rank->lost = arena_printf(&rank->arena,
			"%s: %zu of its entries and %zu of its statuses cannot be read",
			rank->exhibit->label, dump.lost_entries, dump.lost_statuses);
	if (rank->readable)
		read_dump(rank, &dump);
	flight_dump_release(&dump);
	complaint_release(&why);
}

static void read_admitted(void *context, size_t worker, size_t i)
{
	struct reading *reading = context;
	struct flight_rank *rank = &reading->ranks[i];
	uint64_t cost = measure_cost(EXHIBIT_FLIGHT, rank->exhibit->len);

	if (meter_admits(&reading->meters[worker], cost, METER_DECODING))
		read_rank(rank, reading->lists);
	else
		rank->lost = arena_printf(&rank->arena, "%s cannot be read: %s",
			rank->exhibit->label, METER_REFUSED);
}

/* Reads all dumps, many at once, since they do not depend on each other. */
static void read_ranks(struct flights *flights, struct meter *meter)
{
	struct reading reading = {.ranks = flights->ranks.items, .lists = flights->lists};
	size_t workers = crew_size(flights->ranks.nr);

	for (size_t i = 0; i < workers; i++)
		reading.meters[i] = meter_of_worker(meter);
	crew_each(workers, flights->ranks.nr, read_admitted, &reading);
	for (size_t i = 0; i < workers; i++)
		meter_join(&reading.meters[i]);
}

/* Tells what is lost, and keeps the dumps that could be read. */
static void keep_readable(
	struct flights *flights, struct decode_context *context, struct job_builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		if (rank->lost)
			job_add_loss(b, rank->who,
				&(const struct job_loss){.what = rank->lost,
					.count = JOB_UNKNOWN,
					.of_ops = true,
					.of_last = true,
					.cite = arena_printf(
						&context->arena, "flight:%d", rank->rank)});
		if (rank->readable)
			flights->ranks.items[n++] = *rank;
		else
			flight_release_rank(rank);
	}
	flights->ranks.nr = n;
}

/* -- times ------------------------------------------------------------------------------------- */

/* Returns the time of the last thing in the dump; of a dump without any, in all dumps. */
static int64_t last_thing(const struct flights *flights, const struct flight_rank *rank)
{
	return rank->ops.nr ? rank->newest : flight_to_own(rank, flights->newest);
}

/*
 * Of a dump with nothing in it only the file tells when it was made: not before the others' first
 * thing, or it may be another run's.
 */
static bool may_be_of_file(const struct flights *flights, const struct flight_rank *rank)
{
	return !rank->ops.nr && flights->oldest != JOB_UNKNOWN &&
	       rank->exhibit->when >= flight_to_own(rank, flights->oldest) - CLOCK_BEHIND;
}

static void find_times(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		int64_t when = rank->exhibit->when, newest = last_thing(flights, rank);
		int64_t most = (rank->timeout ? rank->timeout : TIMEOUT_USUAL) + FLIGHT_DUMPS_TAKE;

		rank->seen = JOB_UNKNOWN;
		if (newest == JOB_UNKNOWN || rank->timed_out || when - newest > most)
			continue;
		if (when >= newest - CLOCK_BEHIND)
			rank->seen = when > newest ? when : newest;
		else if (may_be_of_file(flights, rank))
			rank->seen = when;
	}
}

/* -- all of it --------------------------------------------------------------------------------- */

/* True if rings tell of this job: they tell more than dumps, and their groups have other names. */
static bool has_rings(const struct decode_context *context)
{
	for (size_t i = 0; i < context->processes.nr; i++)
		if (context->processes.items[i]->identity.knows & JOB_KNOWS_RING)
			return true;
	return false;
}

static void release(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++)
		flight_release_rank(&flights->ranks.items[i]);
	array_release(&flights->ranks);
	array_release(&flights->groups);
	free(flights->slots);
	flight_lists_free(flights->lists);
	arena_release(&flights->arena);
}

/* Makes a process for each rank that only its dump knows, so that texts tell of the same one. */
static void enrol(const struct flights *flights, struct decode_context *context)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];
		struct decode_process *process;

		if (rank->who.pid)
			continue;
		process = context_process(context, "", 0, rank->who.start_time);
		process->identity.world_rank = world_rank(rank->rank);
		process->fact.role = JOB_ROLE_RANK;
		process->fact.cite = arena_printf(&context->arena, "flight:%d", rank->rank);
		process->dump_first = rank->oldest;
		process->dump_last = rank->newest;
		process->dump_when = rank->exhibit->when;
	}
}

void flight_finish(struct decode_context *context, struct job_builder *builder)
{
	struct flights flights = {0};

	if (!context->flights.nr)
		return;
	if (has_rings(context)) {
		flight_lose(builder, flight_nobody, "flight", false,
			arena_printf(&context->arena,
				"%zu dumps of the Flight Recorder left aside: rings of this job "
				"tell more; diagnose them by themselves",
				context->flights.nr));
		return;
	}
	if (!context->processes.nr)
		job_add_identity(builder, "dumps", "Flight Recorder dumps");
	flight_choose_files(&flights, context, builder);
	flights.lists = flight_lists_new();
	read_ranks(&flights, context->meter);
	keep_readable(&flights, context, builder);
	flight_number_torchcomms(&flights);
	flight_keep_run(&flights, context, builder);
	flight_set_clocks(&flights);
	find_times(&flights);
	flight_number_lives(&flights);
	flight_join_groups(&flights);
	flight_find_heads(&flights);
	flight_join_pairs(&flights);
	flight_find_unmade(&flights);
	flight_find_plain(&flights);
	context->dumped = flight_give_facts(&flights, &context->arena, builder);
	enrol(&flights, context);
	release(&flights);
}
