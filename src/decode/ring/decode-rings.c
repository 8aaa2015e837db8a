/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/redact.h"
#include "base/str.h"
#include "decode/kinds.h"
#include "decode/ring/ring-source.h"
#include "ring/census.h"

/* At most so many bytes of what the process wrote are read. */
#define RING_TEXT_CAP (64 * 1024)

/* --- What the parts use ---------------------------------------------------------------------- */

int64_t ring_source_time(const struct ring_source *source, uint64_t tsc)
{
	enum ring_time clock = source->real ? RING_TIME_MONOTONIC : RING_TIME_REALTIME;
	int64_t when;
	uint64_t ns;

	if (!tsc || ring_view_time(&source->view, clock, tsc, &ns) < 0 || ns > INT64_MAX ||
		__builtin_add_overflow((int64_t)ns, source->real, &when) || when < 0)
		return JOB_UNKNOWN;
	return when;
}

const char *ring_source_cite(const struct ring_source *source, const char *format, ...)
{
	struct str text = {0};
	const char *cite;
	va_list args;

	str_printf(&text, "ring:%s:", source->name);
	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
	cite = arena_text(&source->context->arena, text.text);
	str_release(&text);
	return cite;
}

/*
 * True if a string may be told. Strings may lie within each other, so that a few kilobytes hold
 * megabytes of them: all that are told together are no more than the ring is long, each counted
 * once. The text stays the ring's.
 */
static bool ring_source_may_say(const struct ring_source *source, uint32_t id, const char *text)
{
	struct ring_said *said = source->said;
	size_t left = source->exhibit->len - said->bytes, at = id / 8, len;

	if (!said->ids)
		said->ids = alloc_zeroed(1, source->view.part[RING_S_STRINGS].count / 64 + 1);
	if (said->ids[at / 8] >> at % 8 & 1)
		return true;
	len = strnlen(text, left) + 1;
	if (len > left) {
		said->refused++;
		return false;
	}
	said->bytes += len;
	said->ids[at / 8] |= (uint8_t)(1u << at % 8);
	return true;
}

const char *ring_source_text(const struct ring_source *source, uint32_t id)
{
	const char *text = ring_view_string(&source->view, id);

	return text && ring_source_may_say(source, id, text) ? text : "";
}

void ring_source_lose(
	const struct ring_source *source, const char *what, uint64_t count, bool of_ops)
{
	const struct job_loss loss = {
		.what = what,
		.count = count < INT64_MAX ? (int64_t)count : INT64_MAX,
		.of_ops = of_ops,
		.cite = arena_printf(&source->context->arena, "ring:%s", source->name),
	};

	if (count)
		job_add_loss(source->builder, source->who, &loss);
}

const struct ring_seat *ring_source_seat(
	const struct ring_source *source, uint32_t number, uint64_t tsc)
{
	const struct ring_seat *seat;

	array_for_each(&source->seats, seat)
		if (seat->number == number && seat->group.init_tsc <= tsc)
			return seat;
	return NULL;
}

struct job_sig ring_source_sig(const struct ring_slot *slot)
{
	return (struct job_sig){
		.op = (uint8_t)ring_sig_op(slot->sig),
		.dtype = (uint8_t)ring_sig_dtype(slot->sig),
		.redop = (uint8_t)ring_sig_redop(slot->sig),
		.peer = group_rank(ring_sig_peer(slot->sig)),
		.count = slot->count,
	};
}

/* --- The header ------------------------------------------------------------------------------ */

/* Takes what of T0 this ring's clock can use: an anchor, and the cut. */
static void rings_take_t0(struct ring_source *source)
{
	const struct ring_header *header = &source->view.header;
	const struct decode_gather *gather =
		context_gather(context_host(source->context, source->exhibit->host),
			source->exhibit->when);

	source->t0 = UINT64_MAX;
	if (!gather || !gather->has_boot_id || gather->realtime <= 0 || gather->monotonic <= 0 ||
		memcmp(gather->boot_id, header->boot_id, sizeof(gather->boot_id)) != 0)
		return;
	if (header->clock == RING_CLOCK_MONOTONIC_NS)
		source->t0 = (uint64_t)gather->monotonic;
	else if (gather->tsc)
		source->t0 = (uint64_t)gather->tsc;
	if (source->t0 == UINT64_MAX)
		return;
	source->real = gather->realtime - gather->monotonic;
	ring_view_add_anchor(&source->view, source->t0, (uint64_t)gather->monotonic,
		(uint64_t)gather->realtime);
}

/* True if a world size in the environment is a word about ranks: a task's may count tasks. */
static bool rings_tells_world(const struct ring_header *header, enum job_role role)
{
	return header->world_size > 0 &&
	       (role == JOB_ROLE_RANK || (role == JOB_ROLE_CANDIDATE &&
						 !(header->compat_flags & CENSUS_F_TASK)));
}

/* What it is in the job, and which rank. */
static void rings_take_role(struct decode_process *process, const struct ring_header *header)
{
	if (!is_world_rank(process->identity.world_rank) && header->rank >= 0) {
		process->identity.world_rank = world_rank(header->rank);
		process->identity.number = context_number(header->compat_flags);
	}
	if (process->identity.local_rank < 0 && header->local_rank >= 0)
		process->identity.local_rank = header->local_rank;
	if (header->role == RING_RANK) {
		process->identity.promoted = true;
		if (header->generation > process->rank_ring)
			process->rank_ring = header->generation;
		process->fact.role = JOB_ROLE_RANK;
	} else if (process->fact.role == JOB_ROLE_UNKNOWN && header->rank >= 0) {
		process->fact.role = JOB_ROLE_CANDIDATE;
	}
}

/* Takes what the header tells of the process. */
static void rings_take_identity(struct ring_source *source)
{
	const struct ring_header *header = &source->view.header;
	struct decode_process *process = source->process;

	/* The rank's ring took over from the candidate's, and may show what that one does not. */
	if (header->generation >= process->newest_ring)
		process->identity.knows |= JOB_KNOWS_RING;
	process->identity.run = header->run;
	process->identity.master = header->master;
	if (header->completion)
		process->identity.knows |= JOB_KNOWS_COMPLETION;
	rings_take_role(process, header);
	if (!process->fact.ppid)
		process->fact.ppid = header->ppid;
	if (header->restart > 0)
		process->fact.restart = header->restart;
	if (!*process->fact.comm)
		process->fact.comm = arena_text(&source->context->arena, header->comm);
	if (rings_tells_world(header, process->fact.role))
		job_add_world_size_since(source->builder, header->world_size,
			"environment of the ranks", header->restart > 0 ? header->restart : 0);
	if (header->job[0])
		job_add_identity(source->builder,
			context_job_id(context_host(source->context, source->exhibit->host),
				header->job),
			"");
	source->name = context_name(source->context, process);
	if (!*process->fact.cite)
		process->fact.cite = arena_printf(&source->context->arena, "ring:%s", source->name);
}

/* Tells what the ring has lost. */
static void rings_take_losses(struct ring_source *source)
{
	const struct ring_losses *losses = &source->view.header.losses;
	const struct {
		const char *what;
		uint64_t count;
		bool of_ops;
	} table[] = {
		{"records", losses->records, true},
		{"groups: their table was full", losses->groups, true},
		{"strings", losses->strings, false},
		{"spans", losses->spans, false},
		{"marks", losses->marks, false},
		{"deaths", losses->fatal, false},
		{"boards written by two threads at once", losses->contended, false},
		{"calls whose real function was not found", losses->unresolved, true},
		{"calls of forked children", losses->forked, false},
		{"completions not tracked", losses->completions, false},
		{"bytes of the ring cut off", source->view.cut_bytes, true},
		{"damaged sections of the ring", source->view.bad_sections, true},
		{"records that cannot be read", (uint64_t)source->lost, true},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		ring_source_lose(source, table[i].what, table[i].count, table[i].of_ops);
	source->process->identity.lost_records +=
		source->lost + (int64_t)(losses->records & INT32_MAX);
}

/* Takes what the process wrote to stderr by write(2), without secrets. */
static void rings_take_text(struct ring_source *source)
{
	char whole[RING_TEXT_CAP], *text;
	size_t len = ring_view_text(&source->view, whole, sizeof(whole));

	if (!len)
		return;
	text = memcpy(arena_alloc(&source->context->arena, len + 1, 1), whole, len);
	redact_text(text, len);
	source->process->ring_log.text = text;
	source->process->ring_log.len = len;
	source->process->ring_log.when = source->exhibit->when;
}

/* --- All of it ------------------------------------------------------------------------------- */

static void rings_release(struct ring_source *source)
{
	array_release(&source->lanes);
	array_release(&source->ops.all);
	array_release(&source->span_ends.all);
	array_release(&source->span_begins.all);
	array_release(&source->dims.all);
	array_release(&source->parts.all);
	array_release(&source->empties.all);
	array_release(&source->edges.all);
	array_release(&source->waits);
	array_release(&source->step_times);
	array_release(&source->seats);
	array_release(&source->seen);
}

static int rings_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct ring_said said = {0};
	struct ring_source source = {
		.exhibit = exhibit, .context = context, .builder = builder, .said = &said};
	int error = ring_view_open(&source.view, exhibit->bytes, exhibit->len);

	if (error)
		return complaint_set(why, "%s", ring_strerror(error));
	source.process =
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	source.who = source.process->who;
	rings_take_identity(&source);
	rings_take_t0(&source);
	context_looked(context, source.process, exhibit->when);
	ring_decode_lanes(&source);
	ring_decode_pins(&source);
	ring_decode_groups(&source);
	ring_decode_threads(&source);
	ring_decode_calls(&source);
	ring_decode_marks(&source);
	ring_decode_deaths(&source);
	ring_decode_tracebacks(&source);
	rings_take_text(&source);
	ring_decode_last_words(&source);
	rings_take_losses(&source);
	ring_source_lose(&source, "strings that repeat each other", said.refused, false);
	free(said.ids);
	rings_release(&source);
	return 0;
}

const struct decoder decode_rings = {EXHIBIT_RING, rings_decode};
