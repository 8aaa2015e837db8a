/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DECODE_FORGE_H
#define TESTS_DECODE_FORGE_H

/*
 * Evidence made by hand: rings written by the real writer, with a clock that counts nanoseconds
 * from T0 on back, so that a test says "at 5 seconds before". Needs a floor that links libevidence
 * and libring.
 */

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"
#include "evidence/format/exhibit.h"
#include "ring/census-write.h"
#include "tests/ring/fixture.h"

#define FORGE_HOST     "hostA"
#define FORGE_T0_MONO  1000000000000ll
#define FORGE_T0_REAL  1790000000000000000ll
#define FORGE_START(r) (5000u + (r)) /* start time of rank r */
#define FORGE_PID(r)   (100u + (r))
#define FORGE_KEY      0xc0ffee

/* The ring's time, seconds before T0 (negative: after). */
static inline uint64_t forge_tsc(double seconds)
{
	return (uint64_t)(FORGE_T0_MONO - (int64_t)(seconds * 1e9));
}

static inline int64_t forge_real(double seconds)
{
	return FORGE_T0_REAL - (int64_t)(seconds * 1e9);
}

static inline struct exhibit *forge_add(struct evidence *evidence, enum exhibit_kind kind,
	uint32_t pid, const void *bytes, size_t len)
{
	const struct exhibit about = {
		.kind = kind,
		.host = (char *)FORGE_HOST,
		.rank = -1,
		.pid = pid,
		.start_time = pid ? FORGE_START(pid - FORGE_PID(0)) : 0,
		.when = FORGE_T0_REAL + 1000000,
	};

	return evidence_add(evidence, &about, alloc_copy(bytes, len), len);
}

static inline struct exhibit *forge_text(
	struct evidence *evidence, enum exhibit_kind kind, uint32_t pid, const char *text)
{
	return forge_add(evidence, kind, pid, text, strlen(text));
}

/* A look whose T0 is that by the host's clocks, ns. */
static inline void forge_gather_at(
	struct evidence *evidence, int64_t real, int64_t boot, int64_t monotonic)
{
	char text[512];

	snprintf(text, sizeof(text),
		"{\"schema\": \"inquest-gather/1\", \"tsc\": 1, \"monotonic\": %lld, "
		"\"realtime\": %lld, \"boottime\": %lld, \"clk_tck\": 100, \"page_size\": 4096, "
		"\"boot_id\": \"01010101-0101-0101-0101-010101010101\", \"host\": \"%s\"}",
		(long long)monotonic, (long long)real, (long long)boot, FORGE_HOST);
	forge_text(evidence, EXHIBIT_GATHER, 0, text)->when =
		checked_time(real + 1000000, real);
}

/*
 * T0 of a look so many seconds before the last one, whose wall clock was `ahead` s before that of
 * the last one.
 */
static inline void forge_gather_ahead(struct evidence *evidence, int seconds, int ahead)
{
	int64_t mono = FORGE_T0_MONO - seconds * CLOCK_NS_PER_S;

	forge_gather_at(evidence, forge_real(seconds) + ahead * CLOCK_NS_PER_S, mono, mono);
}

static inline void forge_gather_before(struct evidence *evidence, int seconds)
{
	forge_gather_ahead(evidence, seconds, 0);
}

static inline void forge_gather(struct evidence *evidence)
{
	forge_gather_before(evidence, 0);
}

/* An empty ring of rank r; fill it, then forge_ring(). */
static inline struct fixture *forge_rank(uint32_t r)
{
	const struct ring_anchor start = {forge_tsc(100), FORGE_T0_MONO - 100 * CLOCK_NS_PER_S,
		FORGE_T0_REAL - 100 * CLOCK_NS_PER_S, 0, 0, 0};
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_header *header = f->base;

	header->clock = RING_CLOCK_MONOTONIC_NS;
	memset(header->boot_id, 1, sizeof(header->boot_id));
	header->pid = FORGE_PID(r);
	header->start_time = FORGE_START(r);
	header->rank = (int32_t)r;
	header->world_size = 2;
	header->completion = 1;
	header->generation = 1;
	strcpy(header->job, "job-1");
	ring_anchor_put(&f->w, &start);
	return f;
}

/* Takes the ring as it is now into the evidence; the fixture is released. */
static inline struct exhibit *forge_ring(struct evidence *evidence, struct fixture *f)
{
	const struct ring_header *header = f->base;
	struct exhibit *added =
		forge_add(evidence, EXHIBIT_RING, header->pid, f->base, f->layout.size);

	fixture_free(f);
	return added;
}

/* The seat of rank r in a ready group of two. */
static inline int forge_seat(struct fixture *f, uint32_t r)
{
	const struct ring_member member = {
		.key = FORGE_KEY, .size = 2, .rank = r, .maker = RING_MAKER_NCCL};
	int group = ring_group_claim(&f->w);

	ring_group_publish(&f->w, group, forge_tsc(60), &member);
	ring_group_ready(&f->w, group, forge_tsc(59), 0x1234);
	return group;
}

/* Enters an AllReduce of `count` at so many seconds before T0, on lane 0. */
static inline struct ring_entered forge_op(
	struct fixture *f, int group, uint64_t count, double seconds)
{
	const struct ring_record op = {
		.meta = ring_meta(RING_CALL_ENTER, 0, (unsigned)group, 115),
		.count = count,
		.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER),
		.aux = 0x5000,
	};

	return ring_group_enqueue(&f->w, group, 0, forge_tsc(seconds), &op);
}

/* A census in which rank r is in slot r, in this state. */
static inline void forge_census(struct evidence *evidence, uint32_t ranks, uint32_t state)
{
	uint8_t *base = alloc_zeroed(1, CENSUS_SIZE);

	census_format(base);
	strcpy(((struct census_header *)(void *)base)->job, "job-1");
	census_open(base);
	for (uint32_t r = 0; r < ranks; r++) {
		const struct census_who who = {FORGE_PID(r), 1, FORGE_START(r), 1};
		int i = census_claim(base, &who);
		struct census_slot *slot = census_slot_at(base, i);

		slot->rank = (int32_t)r;
		slot->local_rank = (int32_t)r;
		slot->world_size = (int32_t)ranks;
		strcpy(slot->comm, "trainer");
		census_publish(base, i, (enum census_state)state);
	}
	forge_add(evidence, EXHIBIT_CENSUS, 0, base, CENSUS_SIZE);
	free(base);
}

static inline void forge_liveness(struct evidence *evidence, uint32_t r, bool alive)
{
	forge_text(evidence, EXHIBIT_LIVENESS, FORGE_PID(r),
		alive ? "{\"there\": 1, \"state\": \"S\", \"lock\": \"held\", \"here\": 0}"
		      : "{\"there\": 0, \"lock\": \"free\", \"here\": 0}");
}

#endif
