/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers are those of perfetto/protos/perfetto/trace: trace_packet.proto,
 * track_event/track_event.proto, track_descriptor.proto, process_descriptor.proto,
 * debug_annotation.proto (v43 to v50 agree). A reader drops what has another number or wire type
 * without a word, so a test reads every packet back.
 *
 * All packets are one sequence, whose names are sent once and then by number. A reader sorts by
 * time, so they come rank by rank.
 */
#include "viewer/export/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "viewer/export/intern.h"
#include "viewer/export/proto.h"
#include "words/headline.h"

enum {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_ORDERING = 11, /* child_ordering; 3: by sibling_order_rank */
	TRACK_RANK = 12,     /* sibling_order_rank */

	PROCESS_PID = 1,
	PROCESS_NAME = 6,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_FLOW = 47, /* fixed64 */
	EVENT_FLOW_ENDS = 48,

	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,

	INTERNED_NAMES = 2,
	INTERNED_IID = 1,
	INTERNED_TEXT = 2,
};

/* Types of an event, and flags of a sequence. */
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };

/* The trace while it is written. */
struct trace {
	const struct scene *scene;
	struct str *into;
	struct intern names; /* as the reader knows them */
	struct str event, packet, part, interned; /* under way */
	bool begun;                               /* the sequence was */
};

/* -- Packets ---------------------------------------------------------------------------------- */

/*
 * Returns the uuid of where a rank's own doings are (group JOB_NONE), or its calls of that group;
 * the job is rank -1. Spread over 64 bits, one to one: readers join traces, and small numbers meet.
 */
static uint64_t uuid_of(struct rank_index rank, int group)
{
	uint64_t at = (uint64_t)(rank.i + 2) << 32 | (uint32_t)(group + 2);

	at = (at ^ at >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	at = (at ^ at >> 27) * UINT64_C(0x94d049bb133111eb);
	return at ^ at >> 31;
}

/* Returns the uuid of the process that a rank is. */
static uint64_t process_uuid(struct rank_index rank)
{
	return uuid_of(rank, -2);
}

/* Appends the packet that is under way, and begins the next. */
static void send(struct trace *trace)
{
	proto_uint(&trace->packet, PACKET_SEQUENCE, 1);
	proto_uint(&trace->packet, PACKET_FLAGS,
		trace->begun ? STATE_NEEDED : STATE_CLEARED | STATE_NEEDED);
	proto_message(trace->into, TRACE_PACKET, &trace->packet);
	str_cut(&trace->packet, 0);
	trace->begun = true;
}

/* Sends a track's descriptor. */
static void send_track(struct trace *trace, const struct str *descriptor)
{
	proto_message(&trace->packet, PACKET_TRACK, descriptor);
	send(trace);
}

/* Begins an event on that track. */
static void begin_event(struct trace *trace, int type, uint64_t track)
{
	str_cut(&trace->event, 0);
	proto_uint(&trace->event, EVENT_TYPE, (uint64_t)type);
	proto_uint(&trace->event, EVENT_TRACK, track);
}

/* Adds a name and a text to the event; nothing where the text is empty. */
static void annotate(struct trace *trace, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	str_cut(&trace->part, 0);
	proto_text(&trace->part, ANNOTATION_NAME, name);
	proto_text(&trace->part, ANNOTATION_TEXT, text);
	proto_message(&trace->event, EVENT_ANNOTATION, &trace->part);
}

/* Names the event, by number; a name that is new goes with the packet. */
static void name_event(struct trace *trace, const char *name)
{
	size_t known = trace->names.n, at = intern_text(&trace->names, name);

	proto_uint(&trace->event, EVENT_NAME_IID, at + 1);
	if (trace->names.n == known)
		return;
	str_cut(&trace->part, 0);
	proto_uint(&trace->part, INTERNED_IID, at + 1);
	proto_text(&trace->part, INTERNED_TEXT, name);
	str_cut(&trace->interned, 0);
	proto_message(&trace->interned, INTERNED_NAMES, &trace->part);
	proto_message(&trace->packet, PACKET_INTERNED, &trace->interned);
}

/* Sends the event. A time before 1970 is the reader's beginning: it has no other. */
static void send_event(struct trace *trace, int64_t when)
{
	proto_uint(&trace->packet, PACKET_TIMESTAMP, when > 0 ? (uint64_t)when : 0);
	proto_message(&trace->packet, PACKET_EVENT, &trace->event);
	send(trace);
}

/* -- Tracks ----------------------------------------------------------------------------------- */

/* Returns how many digits the largest number of a rank has. */
static int digits_of(const struct job *job)
{
	int most = job->nranks ? job->ranks[job->nranks - 1].world_rank.n : 0, digits = 1;

	while (most /= 10)
		digits++;
	return digits;
}

/* Appends "rank 03 (node7, pid 4711)": with zeros, since the reader sorts texts. */
static void add_rank_name(struct str *into, const struct job *job, struct rank_index rank)
{
	const struct job_rank *who = job_rank(job, rank);
	const char *host = who->host >= 0 ? job->hosts[who->host].name : "";
	const struct job_process *process =
		who->process >= 0 ? &job->processes[who->process] : NULL;

	if (who->numberless)
		str_printf(into, "process %0*d", digits_of(job), who->world_rank.n);
	else
		str_printf(into, "rank %0*d", digits_of(job), who->world_rank.n);
	if (*host)
		str_printf(into, " (%s", host);
	if (process)
		str_printf(into, "%spid %" PRIu32, *host ? ", " : " (", process->pid);
	if (*host || process)
		str_add_char(into, ')');
}

/*
 * Sends a rank as a process. The reader tells processes apart by pid, and those of several hosts
 * may be equal: it gets ours.
 */
static void send_process(struct trace *trace, struct rank_index rank, const char *name)
{
	struct str process = {0}, track = {0};

	proto_uint(&process, PROCESS_PID, (uint64_t)(rank.i + 2));
	proto_text(&process, PROCESS_NAME, name);
	proto_uint(&track, TRACK_UUID, process_uuid(rank));
	proto_message(&track, TRACK_PROCESS, &process);
	proto_uint(&track, TRACK_ORDERING, 3);
	proto_uint(&track, TRACK_RANK, (uint64_t)(rank.i + 1));
	send_track(trace, &track);
	str_release(&process);
	str_release(&track);
}

/* Sends a track of a rank: its own, or that of a group. */
static void send_child(struct trace *trace, struct rank_index rank, int group, const char *name)
{
	struct str track = {0};

	proto_uint(&track, TRACK_UUID, uuid_of(rank, group));
	proto_uint(&track, TRACK_PARENT, process_uuid(rank));
	proto_text(&track, TRACK_NAME, name);
	proto_uint(&track, TRACK_RANK, (uint64_t)(group + 1));
	send_track(trace, &track);
	str_release(&track);
}

/* Sends the tracks of a rank that something is on. */
static void send_tracks(struct trace *trace, const struct track *track)
{
	const struct job *job = trace->scene->job;
	bool *called = alloc_zeroed(job->ngroups + 1, sizeof(*called));
	struct str name = {0};

	add_rank_name(&name, job, track->rank);
	send_process(trace, track->rank, str_text(&name));
	send_child(trace, track->rank, JOB_NONE, "own");
	for (size_t i = 0; i < track->nspans; i++)
		if (track->spans[i].group >= 0)
			called[track->spans[i].group] = true;
	for (size_t i = 0; i < job->ngroups; i++) {
		if (!called[i])
			continue;
		str_cut(&name, 0);
		str_printf(&name, "group %s", job->groups[i].name);
		send_child(trace, track->rank, (int)i, str_text(&name));
	}
	free(called);
	str_release(&name);
}

/* -- What a rank did -------------------------------------------------------------------------- */

/* Sends an interval, as a begin and an end; of one that is open an instant says so. */
static void send_span(struct trace *trace, const struct track *track, const struct track_span *span)
{
	uint64_t uuid = uuid_of(track->rank, span->group);

	begin_event(trace, SLICE_BEGIN, uuid);
	proto_text(&trace->event, EVENT_CATEGORY, track_state_name(span->state));
	name_event(trace, *span->name ? span->name : track_state_name(span->state));
	annotate(trace, "cite", span->cite);
	annotate(trace, "does", track_state_name(span->state));
	if (span->open)
		annotate(trace, "end", "it goes on at the end of the evidence");
	send_event(trace, span->from);
	begin_event(trace, SLICE_END, uuid);
	send_event(trace, span->to);
	if (!span->open)
		return;
	begin_event(trace, INSTANT, uuid);
	name_event(trace, "still so at the end of the evidence");
	send_event(trace, span->to);
}

/* True for points that are no begin or end of an interval. */
static bool is_point(const struct track_event *event)
{
	return event->kind != TRACK_ENTER && event->kind != TRACK_BEGIN && event->kind != TRACK_END;
}

/* Sends the points of a rank, as instants. */
static void send_points(struct trace *trace, const struct track *track)
{
	for (size_t i = 0; i < track->nevents; i++) {
		const struct track_event *event = &track->events[i];

		if (!is_point(event))
			continue;
		begin_event(trace, INSTANT, uuid_of(track->rank, JOB_NONE));
		proto_text(&trace->event, EVENT_CATEGORY, track_kind_name(event->kind));
		name_event(trace, *event->name ? event->name : track_kind_name(event->kind));
		annotate(trace, "cite", event->cite);
		if (event->when == JOB_UNKNOWN)
			annotate(trace, "when", "not known: it stands at the end");
		send_event(
			trace, event->when == JOB_UNKNOWN ? trace->scene->tracks->to : event->when);
	}
}

/* -- The job ---------------------------------------------------------------------------------- */

/* Returns how many flows of a verdict are drawn; to *ret_left how many are not. */
static size_t flows_of(const struct verdict *verdict, size_t *ret_left)
{
	size_t all = verdict->victims.n * verdict->culprits.n;

	*ret_left = all > PERFETTO_FLOWS ? all - PERFETTO_FLOWS : 0;
	return all - *ret_left;
}

/* Returns when the rank was last seen to live. */
static int64_t life_of(const struct trace *trace, struct rank_index rank)
{
	const struct track *track = &trace->scene->tracks->at[rank.i];

	for (size_t i = track->nspans; i-- > 0;)
		if (track->spans[i].state != TRACK_DEAD && track->spans[i].state != TRACK_NODATA)
			return track->spans[i].to;
	return trace->scene->tracks->to;
}

/*
 * Sends one end of a flow. A flow goes to what begins later: so the culprit's end is an instant
 * behind all others.
 */
static void send_flow(struct trace *trace, struct rank_index rank, struct rank_index other,
	bool waits, uint64_t flow)
{
	bool over = trace->scene->verdicts->over;
	struct str name = {0};

	if (waits)
		str_add(&name, over ? "waited for " : "waits for ");
	else
		str_add(&name, over ? "was awaited by " : "is awaited by ");
	add_rank_name(&name, trace->scene->job, other);
	begin_event(trace, INSTANT, uuid_of(rank, JOB_NONE));
	proto_text(&trace->event, EVENT_NAME, str_text(&name));
	proto_fixed64(&trace->event, waits ? EVENT_FLOW : EVENT_FLOW_ENDS, flow);
	send_event(trace, waits ? life_of(trace, rank) : trace->scene->tracks->to + 1);
	str_release(&name);
}

/* Sends a flow from each victim to each culprit. */
static void send_flows(struct trace *trace, const struct verdict *verdict)
{
	size_t left, n = flows_of(verdict, &left);

	for (size_t i = 0; i < n; i++) {
		struct rank_index victim = verdict->victims.at[i / verdict->culprits.n];
		struct rank_index culprit = verdict->culprits.at[i % verdict->culprits.n];

		send_flow(trace, victim, culprit, true, i + 1);
		send_flow(trace, culprit, victim, false, i + 1);
	}
}

/* Sends the verdict, as an instant of the job's own track, at its end. */
static void send_verdict(struct trace *trace)
{
	const struct verdicts *verdicts = trace->scene->verdicts;
	const struct verdict *verdict = &verdicts->at[0];
	struct str text = {0};
	size_t left;

	send_process(trace, NO_RANK, "inquest");
	send_child(trace, NO_RANK, JOB_NONE, "verdict");
	begin_event(trace, INSTANT, uuid_of(NO_RANK, JOB_NONE));
	headline_sentence(&text, verdicts, verdict);
	proto_text(&trace->event, EVENT_NAME, str_text(&text));
	annotate(trace, "class", verdict_class_name(verdict->class));
	annotate(trace, "confidence", verdict_confidence_name(verdict->confidence));
	annotate(trace, "from", trace->scene->origin);
	flows_of(verdict, &left);
	str_cut(&text, 0);
	if (left)
		str_printf(&text, "%zu more who wait for somebody have none", left);
	annotate(trace, "flows", str_text(&text));
	send_event(trace, trace->scene->tracks->to);
	str_release(&text);
}

void perfetto_write(const struct scene *scene, struct str *into)
{
	struct trace trace = {.scene = scene, .into = into};
	const struct tracks *tracks = scene->tracks;

	send_verdict(&trace);
	for (size_t i = 0; i < tracks->n; i++) {
		send_tracks(&trace, &tracks->at[i]);
		for (size_t j = 0; j < tracks->at[i].nspans; j++)
			send_span(&trace, &tracks->at[i], &tracks->at[i].spans[j]);
		send_points(&trace, &tracks->at[i]);
	}
	send_flows(&trace, &scene->verdicts->at[0]);
	intern_release(&trace.names);
	str_release(&trace.event);
	str_release(&trace.packet);
	str_release(&trace.part);
	str_release(&trace.interned);
}
