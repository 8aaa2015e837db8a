/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.c: the probe's side of <inquest.h>: spans, shards, steps, notes.
 *
 * A mark is worth a candidate's ring: a rank that still compiles before its first communicator must
 * be seen. A span may begin in that ring and end after promotion; its end is then written where its
 * beginning is. Marks may come from inside NCCL calls too (callbacks), so they do not take the
 * guard that keeps nested calls out.
 */
#include "probes/marks.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "probes/probe.h"
#include "probes/process.h"
#include "probes/sys.h"
#include "probes/trait.h"

/* Returns the calling thread with a ring to write; NULL if there is none. */
static struct probe_thread *marks_thread(void)
{
	struct probe_thread *me = probe_me;

	if (me && me->epoch == __atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE))
		return me;
	return process_ready(PROBE_NEED_WITNESS) ? probe_enter_slow(PROBE_NEED_WITNESS) : NULL;
}

static uint32_t marks_string(struct ring_writer *ring, const char *s)
{
	return s ? ring_string(ring, s, strlen(s)) : 0;
}

/*
 * Returns the CPU time in ns of the process and of its reaped children: a compile that runs in them
 * still runs.
 */
static uint64_t marks_cpu_ns(void)
{
	struct rusage children;
	struct timespec self;
	uint64_t ns = 0;

	if (!sys_call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &self))
		ns = (uint64_t)self.tv_sec * 1000000000ull + (uint64_t)self.tv_nsec;
	if (!sys_call(SYS_getrusage, RUSAGE_CHILDREN, &children))
		ns += (uint64_t)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) *
			      1000000000ull +
		      (uint64_t)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1000;
	return ns;
}

/* True if CPU time says something of such a span. To ask costs more than all else here. */
static int marks_tell_work(int kind)
{
	return kind == INQUEST_COMPILE || kind == INQUEST_CHECKPOINT;
}

static struct ring_span marks_span(
	const struct probe_thread *me, struct ring_writer *ring, int kind, const char *name)
{
	return (struct ring_span){
		.kind = (unsigned)kind,
		.name = marks_string(ring, name),
		.tid = me->tid,
		.cpu_ns = marks_tell_work(kind) ? marks_cpu_ns() : 0,
	};
}

/*
 * Begins a span. Like all marks it may be called by any thread and in no signal handler; it does
 * nothing if nothing can be recorded; strings are copied, and NULL is no string.
 */
void inquest_probe_span_begin(int kind, const char *name, const char *detail)
{
	struct probe_thread *me = marks_thread();
	struct ring_span span;

	if (!me)
		return;
	span = marks_span(me, me->ring, kind, name);
	span.detail = marks_string(me->ring, detail);
	ring_span_begin(me->ring, me->lane, probe_now(me), &span);
}

/*
 * Ends the newest open span of that kind and name, also one that began in the candidate's ring
 * before this process became a rank. The CPU time between the two tells work from waiting.
 */
void inquest_probe_span_end(int kind, const char *name)
{
	struct probe_thread *me = marks_thread();
	struct ring_writer *old = process_old_ring();
	struct ring_span span;

	if (!me)
		return;
	span = marks_span(me, me->ring, kind, name);
	if (ring_span_end(me->ring, me->lane, probe_now(me), &span) || !old || old == me->ring)
		return;
	span.name = marks_string(old, name);
	ring_span_end(old, NULL, ring_writer_now(old), &span);
}

/*
 * Notes batch `index` (from 0) of a loader. Rows or elements 0 are recorded as such: an empty
 * shard.
 */
void inquest_probe_shard(const char *loader, uint64_t index, uint64_t rows, uint64_t elements)
{
	struct probe_thread *me = marks_thread();
	struct ring_shard shard = {.index = index, .rows = rows, .elements = elements};

	if (!me)
		return;
	shard.loader = marks_string(me->ring, loader);
	ring_mark_shard(me->ring, me->lane, probe_now(me), &shard);
}

/* Notes a batch's shape: dims[ndim], which are copied. NULL dims: nothing. */
void inquest_probe_shard_shape(
	const char *loader, uint64_t index, unsigned ndim, const uint64_t *dims)
{
	struct probe_thread *me = marks_thread();
	struct ring_shape shape = {.index = index, .ndim = ndim, .dims = dims};

	if (!me || !dims)
		return;
	shape.loader = marks_string(me->ring, loader);
	ring_mark_shape(me->ring, me->lane, probe_now(me), &shape);
}

/* Notes that step n is complete; the first is 1. */
void inquest_probe_step(uint64_t n)
{
	struct probe_thread *me = marks_thread();

	if (me)
		ring_mark_step(me->ring, me->lane, probe_now(me), n);
}

/*
 * Notes a line for the record, in the lane and pinned, so that a later flood cannot wash it away.
 */
void inquest_probe_note(const char *text)
{
	struct probe_thread *me = marks_thread();
	struct ring_record r;
	uint64_t now;

	if (!me || !text)
		return;
	now = probe_now(me);
	r = (struct ring_record){
		.meta = ring_meta(RING_NOTE, 0, RING_NO_GROUP, marks_string(me->ring, text))};
	probe_put(me, now, &r);
	ring_pin(me->ring, RING_PIN_NOTE, now, &r);
}

void trait_put(const char *key, const char *text, uint64_t number)
{
	struct probe_thread *me = marks_thread();
	struct ring_record r;
	uint64_t now;

	if (!me || !key)
		return;
	now = probe_now(me);
	r = (struct ring_record){
		.meta = ring_meta(RING_TRAIT, 0, RING_NO_GROUP, marks_string(me->ring, key)),
		.index = number,
		.aux = marks_string(me->ring, text),
	};
	probe_put(me, now, &r);
	ring_pin(me->ring, RING_PIN_TRAIT, now, &r);
}
