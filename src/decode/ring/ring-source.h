/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_RING_SOURCE_H
#define DECODE_RING_SOURCE_H

/*
 * A ring that is being decoded. Its parts are decoded in this order: the lanes' records, pinned
 * records, groups, boards (threads), spans, marks, deaths. Each may use what those before it
 * collected here.
 *
 * T0 cuts: what a living process wrote after it is left out, so that all ranks are seen at one
 * moment though their rings were copied one after the other.
 */

#include "base/array.h"
#include "decode/context.h"
#include "decode/decode.h"
#include "ring/ring-read.h"

/* A record of a lane that others need: an op, the end of a span, dimensions, an edge. */
struct ring_note_seen {
	struct ring_slot slot;
	uint64_t ticket;
	uint32_t lane;
};

struct ring_notes {
	ARRAY(struct ring_note_seen) all;
};

/* What is kept of one lane. */
struct ring_lane_seen {
	uint32_t number;
	uint32_t tid;
	bool handed_on; /* it had several threads, one after the other; `tid` is the last */
	uint64_t newest; /* TSC of its newest record; 0 none */
	struct ring_slot input; /* the beginning of its latest wait for a loader */
	struct ring_slot step;	/* its latest step */
};

/* The waits for one loader that began and ended on record. */
struct ring_wait_seen {
	uint32_t name; /* id of its name's string */
	uint64_t n;
	int64_t ns;
};

/* An entry of the group table. */
struct ring_seat {
	uint32_t number;
	uint64_t head; /* its head at T0 */
	struct ring_group group;
};

/* The strings that were told so far, and their size together. */
struct ring_said {
	uint8_t *ids; /* a bit for each string's place */
	size_t bytes;
	uint64_t refused;
};

/* The ring, where its facts go, and what its parts have collected. */
struct ring_source {
	const struct exhibit *exhibit;
	struct decode_context *context;
	struct job_builder *builder;
	struct decode_process *process;
	struct job_who who;
	const char *name; /* name of the process in cites */
	struct ring_view view;
	uint64_t t0; /* TSC of T0; UINT64_MAX: no cut */
	int64_t real; /* realtime less monotonic time, ns, at T0; 0 where there is no cut */
	ARRAY(struct ring_lane_seen) lanes;
	struct ring_notes ops;
	struct ring_notes span_ends;
	struct ring_notes span_begins; /* pinned ones only */
	struct ring_notes dims;
	struct ring_notes parts; /* parts of all-to-alls: what each seat is given */
	struct ring_notes empties; /* shards without rows or elements, pinned */
	struct ring_notes edges;
	ARRAY(struct ring_wait_seen) waits;
	ARRAY(int64_t) step_times; /* durations of single steps, ns */
	ARRAY(struct ring_seat) seats;
	ARRAY(struct job_op_seen) seen; /* ops; fact.order is the TSC of their beginning */
	int64_t lost; /* number of lanes' records that cannot be read */
	struct ring_said *said;
};

/*
 * Returns the realtime of a TSC, in ns; JOB_UNKNOWN if anchors do not tell, or for 0. It is the
 * time by the wall clock of T0: a clock that was set since makes no wait longer or shorter.
 */
int64_t ring_source_time(const struct ring_source *source, uint64_t tsc);

/* Returns "ring:3:" and the formatted rest, in the arena. */
const char *ring_source_cite(const struct ring_source *source, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the string of an id, "" if there is none; it lives as long as the exhibit. */
const char *ring_source_text(const struct ring_source *source, uint32_t id);

/* Adds a loss of this process, unless count is 0. */
void ring_source_lose(
	const struct ring_source *source, const char *what, uint64_t count, bool of_ops);

/* Returns the seat in row `number` of the group table that existed at `tsc`; NULL none. */
const struct ring_seat *ring_source_seat(
	const struct ring_source *source, uint32_t number, uint64_t tsc);

/* Returns the signature that the record of an op carries, with its count. */
struct job_sig ring_source_sig(const struct ring_slot *slot);

/* Decoders of the parts, in their order: */
void ring_decode_lanes(struct ring_source *source);	   /* collects records in `source` */
void ring_decode_groups(struct ring_source *source);	   /* tells members and ops */
void ring_decode_threads(struct ring_source *source);	   /* tells boards; needs groups */
/* Tells what each thread was in over time, if the builder wants it; needs groups. */
void ring_decode_calls(struct ring_source *source);
/* Tells spans; then the latest step and, per loader, the latest shard, from the table of marks. */
void ring_decode_marks(struct ring_source *source);

/* Tells pinned notes, signals and milestones; keeps the begins and ends of spans. */
void ring_decode_pins(struct ring_source *source);
/* Tells the fatal area: a signal and an end for each death whose signal at least was written. */
void ring_decode_deaths(struct ring_source *source);
/* Tells the stacks there, of a process that does not live. Names need the host's modules. */
void ring_decode_tracebacks(struct ring_source *source);
/*
 * Tells what libc and libstdc++ said before they aborted. They print it past write(), so that the
 * ring's text lacks it; it is added there as they print it.
 */
void ring_decode_last_words(struct ring_source *source);

#endif
