/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-write.h: writing a ring from inside someone else's process.
 *
 * PROMISES. No malloc, no lock, no syscall, no libc (but memcpy, which compilers emit anyway), no
 * unbounded loop. Whatever is full or lost in a race is counted in header->losses and never waited
 * for. Killing the process between any two instructions leaves a ring of which every slot but the
 * ones being written is provably whole.
 *
 * WHO MAY CALL. A lane is written by the thread that claimed it, and by signal handlers on that
 * thread. Handlers may call ring_put (and below it ring_lane_put, ring_overflow_put), ring_pin,
 * ring_string, ring_fatal_*, ring_text_append; never what writes a board (they would land on the
 * interrupted copy): ring_board_put, groups, spans, marks, anchors.
 *
 * A SLOT is written in two phases: seq = 2k+1, fence, seven words, seq = 2k+2 with release. A
 * lane's `head` counts tickets reserved; the slot itself says whether its ticket was published.
 * WHY NOT one shared lane with a ticket counter: a writer that stalls for a lap then scribbles over
 * a published slot. The overflow lane therefore claims each slot by CAS, and drops what it cannot
 * have.
 *
 * The file's bytes may become zeros at any moment (probes/mapping.h): what is written then goes
 * astray within the mapping, and never beyond it. So sizes are of the handle, not of the file.
 *
 * LIFE: the caller maps the file, ring_format() and ring_publish() of ring-make.h, then
 * ring_writer_open(); threads ring_lane_claim() and ring_lane_release(). The handle is private to
 * the process and needs no release.
 *
 * ring-group.h (members and their order of operations) and ring-span.h (spans, marks) continue.
 */
#ifndef RING_WRITE_H
#define RING_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/ring-cpu.h"
#include "ring/ring.h"

#define RING_NO_TICKET  UINT64_MAX
#define RING_STRING_MAX 512  /* longer strings are cut */
#define RING_PROBES     64   /* tries in a hash table before it counts as full */
#define RING_PEERS      2048 /* (group, direction, peer) whose P2P calls can be counted */

#define RING_CLAIM_SPINS 8192 /* about half a millisecond */
#define RING_CLAIM_STUCK (1ull << 63)

/*
 * The hot path is compiled into its callers, so that a record goes from registers into its slot and
 * not by way of the stack, which costs nearly as much again as the slot does.
 */
#define RING_HOT static inline __attribute__((always_inline))

/* A place where tests stall the writer, between the phases of a write, as a preemption would. */
#ifndef RING_STALL
#define RING_STALL() ((void)0)
#endif

/*
 * An entry of the hash table that counts P2P calls per (group, direction, peer), or per tag as
 * well; key 0 is free.
 */
struct ring_peer {
	uint64_t key;
	uint64_t calls;
};

/*
 * The handle with which a process writes its ring. It is private to the process; every pointer
 * leads into the mapping, but for `clock`.
 */
struct ring_writer {
	uint8_t *base;
	struct ring_header *header;
	struct ring_slot *anchors; /* three, or NULL */
	struct ring_lane *lanes;   /* nlanes, then the overflow lane */
	struct ring_lane *overflow;
	struct ring_slot *slots;
	struct ring_slot *spans;
	struct ring_mark *marks;
	struct ring_group *groups;
	struct ring_pinned *pinned;
	struct ring_slot *pinslots;
	uint8_t *strings;
	uint32_t *strindex;
	struct ring_fatal *fatal;
	struct ring_traceback *traces;
	struct ring_text *text;
	uint32_t nlanes, nspans, nmarks, ngroups, nfatal, ntraces;
	uint64_t nslots;
	uint64_t text_size;
	uint32_t strindex_mask;
	uint64_t strings_size;
	uint64_t anchor_version;
	uint64_t anchor_tsc;     /* of the latest anchor */
	uint64_t span_serial;    /* of the latest span; copied at promotion */
	uint64_t (*clock)(void); /* where ring_now() is not to be trusted; else NULL */
	struct ring_peer peers[RING_PEERS];
	struct ring_peer tags[RING_PEERS];
};

/* The content of a slot, less its seq and time. */
struct ring_record {
	uint64_t meta; /* ring_meta() */
	uint64_t index;
	uint64_t count;
	uint64_t sig;
	uint64_t aux;
	uint64_t more;
};

/* --- Opening ---------------------------------------------------------------------------------- */

/* Returns where a section begins, and in `n` how many elements it has; NULL and 0: it has none. */
static inline void *ring_section_at(
	const struct ring_writer *w, enum ring_section_id id, uint64_t *n)
{
	const struct ring_section *section = w->header->section;

	*n = 0;
	for (int i = 0; i < RING_SECTIONS; i++)
		if (section[i].id == id) {
			*n = section[i].count;
			return w->base + section[i].offset;
		}
	return NULL;
}

/* The same of a section that never has more elements than 32 bits tell. */
static inline void *ring_section_at32(
	const struct ring_writer *w, enum ring_section_id id, uint32_t *n)
{
	uint64_t elements;
	void *at = ring_section_at(w, id, &elements);

	*n = (uint32_t)elements;
	return at;
}

/*
 * Points `w` at a ring that this very build formatted, in memory of this process: nothing is
 * checked. The handle is overwritten whole; header->clock is believed, so set w->clock after it
 * where it says RING_CLOCK_MONOTONIC_NS.
 */
static inline void ring_writer_open(struct ring_writer *w, void *base)
{
	uint32_t lanes, slots_of_index;
	uint64_t one; /* of what is there once */

	*w = (struct ring_writer){.base = base, .header = base};
	w->anchors = ring_section_at(w, RING_S_ANCHORS, &one);
	w->lanes = ring_section_at32(w, RING_S_LANES, &lanes);
	w->nlanes = lanes - 1;
	w->overflow = w->lanes + w->nlanes;
	w->slots = ring_section_at(w, RING_S_SLOTS, &w->nslots);
	w->spans = ring_section_at32(w, RING_S_SPANS, &w->nspans);
	w->marks = ring_section_at32(w, RING_S_MARKS, &w->nmarks);
	w->groups = ring_section_at32(w, RING_S_GROUPS, &w->ngroups);
	w->pinned = ring_section_at(w, RING_S_PINNED, &one);
	w->pinslots = ring_section_at(w, RING_S_PINSLOTS, &one);
	w->strings = ring_section_at(w, RING_S_STRINGS, &w->strings_size);
	w->strindex = ring_section_at32(w, RING_S_STRINDEX, &slots_of_index);
	w->strindex_mask = slots_of_index - 1;
	w->fatal = ring_section_at32(w, RING_S_FATAL, &w->nfatal);
	w->traces = ring_section_at32(w, RING_S_TRACES, &w->ntraces);
	w->text = ring_section_at(w, RING_S_STDERR, &one);
	w->text_size = w->text ? w->text->size : 0;
}

/* Returns the time by this ring's clock. */
static inline uint64_t ring_writer_now(const struct ring_writer *w)
{
	return __builtin_expect(!w->clock, 1) ? ring_now() : w->clock();
}

/* Counts one loss, in one of the counters of header->losses or of a group. */
static inline void ring_lose(uint64_t *counter)
{
	ring_add(counter, 1);
}

/* --- Slots ------------------------------------------------------------------------------------ */

/* Writes the seven words of a slot, between the two phases of its seq. */
RING_HOT void ring_slot_fill(struct ring_slot *s, uint64_t tsc, const struct ring_record *r)
{
	RING_STALL();
	ring_store(&s->tsc, tsc);
	ring_store(&s->meta, r->meta);
	ring_store(&s->index, r->index);
	ring_store(&s->count, r->count);
	RING_STALL();
	ring_store(&s->sig, r->sig);
	ring_store(&s->aux, r->aux);
	ring_store(&s->more, r->more);
	RING_STALL();
}

/* Writes a slot in both phases. Nobody else may be writing it now. */
RING_HOT void ring_slot_publish(
	struct ring_slot *s, uint64_t ticket, uint64_t tsc, const struct ring_record *r)
{
	ring_store(&s->seq, 2 * ticket + 1);
	ring_fence_release();
	ring_slot_fill(s, tsc, r);
	ring_publish_word(&s->seq, 2 * ticket + 2);
}

/*
 * Writes a slot that others may be writing, too. Returns 0, or -1 if a writer is in the slot or it
 * already holds a later ticket. Pairs with itself (acquire on the claim) and with readers.
 */
static inline int ring_slot_publish_shared(
	struct ring_slot *s, uint64_t ticket, uint64_t tsc, const struct ring_record *r)
{
	uint64_t seen = ring_load(&s->seq);

	if ((seen & 1) || seen > 2 * ticket || !ring_cas(&s->seq, seen, 2 * ticket + 1))
		return -1;
	ring_fence_release();
	ring_slot_fill(s, tsc, r);
	ring_publish_word(&s->seq, 2 * ticket + 2);
	return 0;
}

/* --- Lanes ------------------------------------------------------------------------------------ */

/*
 * Returns the slot of a lane's ticket; the first slot of all if what the lane says is its own is
 * beyond the section (its bytes may have become zeros or worse).
 */
RING_HOT struct ring_slot *ring_lane_slot(
	const struct ring_writer *w, const struct ring_lane *lane, uint64_t ticket)
{
	uint64_t at = lane->first + (ticket & (lane->n - 1));

	return w->slots + (__builtin_expect(at < w->nslots, 1) ? at : 0);
}

/* Records into the calling thread's own lane and returns the ticket. This is the hot path. */
RING_HOT uint64_t ring_lane_put(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_record *r)
{
	uint64_t ticket = ring_reserve(&lane->head);

	RING_STALL();
	ring_slot_publish(ring_lane_slot(w, lane, ticket), ticket, tsc, r);
	return ticket;
}

/*
 * Records into the overflow lane, which all threads without a lane share. Returns the ticket, or
 * RING_NO_TICKET if the record was lost.
 */
static inline uint64_t ring_overflow_put(
	struct ring_writer *w, uint64_t tsc, const struct ring_record *r)
{
	struct ring_lane *lane = w->overflow;
	uint64_t ticket = ring_add(&lane->head, 1);
	struct ring_slot *s = ring_lane_slot(w, lane, ticket);

	RING_STALL();
	if (!ring_slot_publish_shared(s, ticket, tsc, r))
		return ticket;
	ring_lose(&w->header->losses.records);
	return RING_NO_TICKET;
}

/*
 * Records into `lane`, or into the overflow lane if the thread has none (NULL). Returns the ticket,
 * or RING_NO_TICKET.
 */
RING_HOT uint64_t ring_put(
	struct ring_writer *w, struct ring_lane *lane, uint64_t tsc, const struct ring_record *r)
{
	struct ring_record copy;

	if (__builtin_expect(lane != NULL, 1))
		return ring_lane_put(w, lane, tsc, r);
	copy = *r; /* the address of `r` goes nowhere, or it had to be on the stack */
	return ring_overflow_put(w, tsc, &copy);
}

/* Returns the number of a lane in the file; for NULL that of the overflow lane. */
static inline uint32_t ring_lane_index(const struct ring_writer *w, const struct ring_lane *lane)
{
	return lane ? (uint32_t)(lane - w->lanes) : w->nlanes;
}

/*
 * Gives the calling thread a lane, the largest free one; it continues the tickets of its former
 * owner. Returns NULL if all are taken: ring_put() then uses the shared overflow lane. `name` may
 * be NULL.
 */
static inline struct ring_lane *ring_lane_claim(
	struct ring_writer *w, uint32_t tid, const char *name)
{
	for (uint32_t i = 0; i < w->nlanes; i++) {
		struct ring_lane *lane = w->lanes + i;

		if (ring_load(&lane->claim) || !ring_cas(&lane->claim, 0, tid | 1ull << 32))
			continue;
		lane->tid = tid;
		for (unsigned c = 0, end = !name; c < sizeof(lane->name); c++) {
			end = end || c == sizeof(lane->name) - 1 || !name[c];
			lane->name[c] = end ? 0 : name[c];
		}
		ring_add(&lane->claims, 1);
		return lane;
	}
	return NULL;
}

/* --- Claims ----------------------------------------------------------------------------------- */

/*
 * Claims what several threads write one at a time. The word that guards it is twice the version of
 * the board that is written next, and odd while a thread is at it; `ret_version` gets that version.
 *
 * Returns 0; 1 if another thread was met (counted); or -1 if that one did not get out of the way:
 * the write is then missed. A thread that has waited in vain says so in the word
 * (RING_CLAIM_STUCK), and nobody else waits for that one: it may never return, as when a signal
 * handler jumped out of it.
 */
static inline int ring_claim(struct ring_writer *w, uint64_t *word, uint64_t *ret_version)
{
	uint64_t seen = ring_load(word);
	int spin;

	for (spin = 0; (seen & 1) || !ring_cas(word, seen, seen + 1); spin++) {
		if (!spin)
			ring_lose(&w->header->losses.contended);
		if (seen & RING_CLAIM_STUCK)
			return -1;
		if (spin >= RING_CLAIM_SPINS) {
			if (seen & 1)
				ring_cas(word, seen, seen | RING_CLAIM_STUCK);
			return -1;
		}
		ring_relax();
		seen = ring_load(word);
	}
	RING_STALL();
	*ret_version = seen / 2;
	return spin > 0;
}

/*
 * Ends a claim. `version` is the board version that was written; if none was, one less than
 * ring_claim() gave.
 */
static inline void ring_unclaim(uint64_t *word, uint64_t version)
{
	ring_publish_word(word, 2 * version + 2);
}

/* --- Boards ----------------------------------------------------------------------------------- */

/*
 * Writes the older half of a board that only the caller writes. `version` counts the board's
 * writes.
 */
RING_HOT void ring_board_put(
	struct ring_slot ab[2], uint64_t *version, uint64_t tsc, const struct ring_record *r)
{
	uint64_t v = ring_load(version);

	ring_slot_publish(ab + (v & 1), v, tsc, r);
	RING_STALL();
	ring_store(version, v + 1);
}

/*
 * Writes the older half of a board that several threads may write; `version` is a word for
 * ring_claim(). One thread writes at a time: two would hold both halves, and a kill would leave
 * none whole. Returns 0; or -1 (counted as contended) if another thread did not get out of the way,
 * and the board goes on showing what it shows.
 */
static inline int ring_board_put_shared(struct ring_writer *w, struct ring_slot ab[2],
	uint64_t *version, uint64_t tsc, const struct ring_record *r)
{
	uint64_t v;

	if (ring_claim(w, version, &v) < 0)
		return -1;
	ring_slot_publish(ab + (v & 1), v, tsc, r);
	ring_unclaim(version, v);
	return 0;
}

/* Shows on the thread's board that it entered a recorded call that may block. */
RING_HOT void ring_lane_board(
	struct ring_lane *lane, uint64_t tsc, const struct ring_record *r)
{
	ring_board_put(lane->board, &lane->board_version, tsc, r);
}

/* Shows on the thread's board that it is outside every recorded call. */
static inline void ring_lane_idle(struct ring_lane *lane, uint64_t tsc)
{
	const struct ring_record idle = {.meta = ring_meta(RING_IDLE, 0, RING_NO_GROUP, 0)};

	ring_board_put(lane->board, &lane->board_version, tsc, &idle);
}

/*
 * Gives a lane back, because its thread ends or forgets it. Does nothing for NULL and for the
 * overflow lane.
 */
static inline void ring_lane_release(struct ring_writer *w, struct ring_lane *lane)
{
	if (!lane || lane == w->overflow)
		return;
	if (lane->board_version)
		ring_lane_idle(lane, ring_writer_now(w));
	ring_publish_word(&lane->claim, 0);
}

/* --- Pinned records --------------------------------------------------------------------------- */

/*
 * Keeps a record in its class: the first ones for ever, then the latest rotate. A loss by a race is
 * counted.
 */
static inline void ring_pin(
	struct ring_writer *w, unsigned class, uint64_t tsc, const struct ring_record *r)
{
	struct ring_pinned *p = w->pinned + class;
	uint64_t n = ring_add(&p->next, 1);
	uint32_t first = ring_load_acquire32(&p->first);
	uint32_t latest = ring_load_acquire32(&p->latest);
	uint64_t at = n;

	RING_STALL();
	if (n >= first) {
		if (!latest)
			return;
		at = first + (n - first) % latest;
	}
	if (ring_slot_publish_shared(w->pinslots + p->start + at, n, tsc, r))
		ring_lose(&w->header->losses.records);
}

/* --- Strings ---------------------------------------------------------------------------------- */

static inline uint32_t ring_string_hash(const char *bytes, uint32_t len)
{
	uint32_t hash = 0x811c9dc5;

	for (uint32_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 0x01000193;
	return hash;
}

/* Copies a string into the append-only section. Returns its offset, or 0 if the section is full. */
static inline uint32_t ring_string_append(
	struct ring_writer *w, const char *bytes, uint32_t len, uint32_t hash)
{
	uint64_t *used = (void *)w->strings;
	uint64_t need = (sizeof(struct ring_string) + len + 1 + 7) & ~7ull;
	struct ring_string *s;
	uint64_t at;

	do {
		at = ring_load(used);
		if (need > w->strings_size || at > w->strings_size - need)
			return 0;
	} while (!ring_cas(used, at, at + need));
	RING_STALL();
	s = (void *)(w->strings + at);
	s->hash = hash;
	for (uint32_t i = 0; i < len; i++)
		s->bytes[i] = bytes[i];
	ring_publish_word32(&s->len, len + 1);
	return (uint32_t)at;
}

/* True if the string with this id is complete and has these bytes. */
static inline int ring_string_is(
	const struct ring_writer *w, uint32_t id, const char *bytes, uint32_t len, uint32_t hash)
{
	const struct ring_string *s = (const void *)(w->strings + id);

	if (s->hash != hash || ring_load_acquire32(&s->len) != len + 1)
		return 0;
	for (uint32_t i = 0; i < len; i++)
		if (s->bytes[i] != bytes[i])
			return 0;
	return 1;
}

/*
 * Returns the id of a string, which is the same for equal strings: it is interned on first sight.
 * Returns 0 for NULL, and if the table is full (counted). Two threads that intern one string at
 * once agree on one id.
 */
static inline uint32_t ring_string(struct ring_writer *w, const char *bytes, size_t length)
{
	uint32_t len = length < RING_STRING_MAX ? (uint32_t)length : RING_STRING_MAX;
	uint32_t hash, fresh = 0;

	if (!bytes)
		return 0;
	hash = ring_string_hash(bytes, len);
	for (uint32_t probe = 0; probe < RING_PROBES; probe++) {
		uint32_t *entry = w->strindex + ((hash + probe) & w->strindex_mask);
		uint32_t id = ring_load_acquire32(entry);

		if (!id) {
			if (!fresh)
				fresh = ring_string_append(w, bytes, len, hash);
			if (!fresh)
				break;
			if (ring_cas_release32(entry, &id, fresh))
				return fresh;
		}
		if (ring_string_is(w, id, bytes, len, hash))
			return id;
	}
	ring_lose(&w->header->losses.strings);
	return 0;
}

/* --- Deaths, last words, clock anchors -------------------------------------------------------- */

/*
 * Claims an entry of the fatal area, for the caller to fill and then publish. Returns NULL if all
 * are taken (counted).
 */
static inline struct ring_fatal *ring_fatal_claim(struct ring_writer *w)
{
	for (uint32_t i = 0; i < w->nfatal; i++)
		if (!ring_load(&w->fatal[i].seq) && ring_cas(&w->fatal[i].seq, 0, 1))
			return w->fatal + i;
	ring_lose(&w->header->losses.fatal);
	return NULL;
}

/* Marks a claimed entry of the fatal area as complete. */
static inline void ring_fatal_publish(struct ring_fatal *f)
{
	ring_publish_word(&f->seq, 2);
}

/*
 * Appends to the stderr text. Of a piece longer than the text only the end is kept. Pieces of
 * several threads may interleave.
 */
static inline void ring_text_append(struct ring_writer *w, const char *bytes, size_t len)
{
	struct ring_text *t = w->text;
	uint64_t at = ring_add(&t->head, len), size = w->text_size;

	for (uint64_t i = len > size ? len - size : 0; i < len; i++)
		t->bytes[(at + i) % size] = bytes[i];
}

/* One moment on all three clocks, in ns except for the TSC; UINT64_MAX is unknown. */
struct ring_anchor {
	uint64_t tsc;
	uint64_t monotonic;
	uint64_t realtime;
	uint64_t bracket; /* ticks between the two TSC readings around it */
	uint64_t maxerror;
	uint64_t esterror;
};

/* Notes a clock anchor. The first is kept for ever; later ones replace each other. */
static inline void ring_anchor_put(struct ring_writer *w, const struct ring_anchor *a)
{
	const struct ring_record r = {
		.meta = ring_meta(RING_ANCHOR, 0, RING_NO_GROUP, 0),
		.index = a->monotonic,
		.count = a->realtime,
		.sig = a->bracket,
		.aux = a->maxerror,
		.more = a->esterror,
	};

	ring_store(&w->anchor_tsc, a->tsc);
	if (ring_slot_publish_shared(w->anchors, 0, a->tsc, &r))
		ring_board_put_shared(w, w->anchors + 1, &w->anchor_version, a->tsc, &r);
}

#include "ring/ring-group.h"
#include "ring/ring-span.h"

#endif
